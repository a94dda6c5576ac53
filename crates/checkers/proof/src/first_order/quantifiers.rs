//! Instances of universal formulas, and constants for their counterexamples.
//!
//! An instance follows from its universal formula by substitution. A constant may be introduced for a counterexample if it means nothing
//! else: it does not occur in the asserted formulas, belongs to one universal formula only, and was made after it. Since operands have
//! smaller numbers than terms that use them, the formula does not speak of its own constants, and every model of the assertions is
//! extended to the constants in the order of their formulas.

use entail_first_order::{Op, SymbolId, TermId, Terms};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of constants introduced so far.
pub(super) struct Quantified<'a> {
    terms: &'a Terms,
    /// A copy in which substitutions are built; equal terms have the same numbers in both.
    copy: RefCell<Option<Terms>>,
    owners: RefCell<BTreeMap<SymbolId, (TermId, usize)>>,
    asserted: BTreeSet<SymbolId>,
}

fn symbols(terms: &Terms, roots: &[TermId]) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    for term in terms.cone(roots) {
        match terms.op(term) {
            Op::Apply(symbol) => drop(found.insert(*symbol)),
            Op::Forall(bound) => found.extend(bound.iter().copied()),
            _ => {}
        }
    }
    found
}

fn bound_symbols(terms: &Terms, root: TermId) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    for term in terms.cone(&[root]) {
        if let Op::Forall(bound) = terms.op(term) {
            found.extend(bound.iter().copied());
        }
    }
    found
}

impl<'a> Quantified<'a> {
    pub fn new(terms: &'a Terms, formulas: &[TermId]) -> Quantified<'a> {
        Quantified {
            terms,
            copy: RefCell::new(None),
            owners: RefCell::new(BTreeMap::new()),
            asserted: symbols(terms, formulas),
        }
    }

    /// The body with terms for the bound variables.
    fn instance(&self, universal: TermId, values: &[TermId]) -> Result<TermId, String> {
        let mut copy = self.copy.borrow_mut();
        let copy = copy.get_or_insert_with(|| self.terms.clone());
        copy.instance(universal, values)
            .ok_or_else(|| "the terms do not fit the bound variables".into())
    }

    /// Whether a literal says that a formula, negations aside, has a truth value.
    fn says(&self, literal: (TermId, bool), formula: TermId, value: bool) -> bool {
        let (mut inner, mut value) = (formula, value);
        let copy = self.copy.borrow();
        let terms = copy.as_ref().unwrap_or(self.terms);
        while *terms.op(inner) == Op::Not {
            inner = terms.args(inner)[0];
            value = !value;
        }
        literal == (inner, value)
    }

    /// The universal formula is false, or its instance true.
    pub fn check_instance(
        &self,
        universal: TermId,
        values: &[TermId],
        clause: &[(TermId, bool)],
    ) -> Result<(), String> {
        let inner = bound_symbols(self.terms, universal);
        if !symbols(self.terms, values).is_disjoint(&inner) {
            return Err("a term of the instance speaks of bound variables".into());
        }
        let instance = self.instance(universal, values)?;
        self.clause(clause, (universal, false), (instance, true))
    }

    /// The universal formula is true, or its body false for the constants.
    pub fn check_skolem(
        &self,
        universal: TermId,
        constants: &[TermId],
        clause: &[(TermId, bool)],
    ) -> Result<(), String> {
        let inner = bound_symbols(self.terms, universal);
        let mut owners = self.owners.borrow_mut();
        for (place, &constant) in constants.iter().enumerate() {
            let Op::Apply(symbol) = self.terms.op(constant) else {
                return Err("a witness is a constant".into());
            };
            let is_new = self.terms.args(constant).is_empty()
                && constant > universal
                && !inner.contains(symbol)
                && !self.asserted.contains(symbol);
            if !is_new || *owners.entry(*symbol).or_insert((universal, place)) != (universal, place) {
                return Err("a witness means something else already".into());
            }
        }
        drop(owners);
        let instance = self.instance(universal, constants)?;
        self.clause(clause, (universal, true), (instance, false))
    }

    fn clause(
        &self,
        clause: &[(TermId, bool)],
        first: (TermId, bool),
        second: (TermId, bool),
    ) -> Result<(), String> {
        let allowed = |literal: &(TermId, bool)| {
            self.says(*literal, first.0, first.1) || self.says(*literal, second.0, second.1)
        };
        // An instance that is false itself leaves the rest of the clause.
        let has = |wanted: (TermId, bool)| {
            clause
                .iter()
                .any(|&literal| self.says(literal, wanted.0, wanted.1))
        };
        match clause.iter().all(allowed) && has(first) && has(second) {
            true => Ok(()),
            false => Err("the clause is not about this instance".into()),
        }
    }
}
