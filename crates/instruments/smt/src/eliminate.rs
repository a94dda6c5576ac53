//! Constants that a conjunct defines are replaced by what they equal, before the search.
//!
//! A conjunct `x = t`, `x` or `not x` defines a constant that `t` does not depend on, also through other definitions. The definitions of a
//! round are made acyclic by one walk over the terms, leaving out those that would close a cycle; then all are replaced at once, in the
//! order of their dependence. Replacing shows more definitions, so there are several rounds. Equal parts become one term on the way, which
//! is what words gain by it: circuits of both sides of an equivalence are shared.
//!
//! The rounds are the certificate: whoever checks a proof about the result finds each definition among the conjuncts and replaces by
//! itself. A model of the result is extended by evaluating the definitions.

use crate::decide::conjuncts;
use entail_budget::{Budget, Spent};
use entail_first_order::{Evaluator, Interpretation, Op, SortId, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// More rounds find little.
const MOST_ROUNDS: usize = 6;

/// A constant and what it equals: as the conjunct says, and with all definitions of the round replaced.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// The constant.
    pub constant: TermId,
    /// The other side of the conjunct.
    pub value: TermId,
    image: TermId,
}

/// Definitions of one round, dependencies first.
pub type Definitions = Vec<Definition>;

/// Formulas without the constants they define.
pub(crate) struct Eliminated {
    pub formulas: Vec<TermId>,
    pub rounds: Vec<Definitions>,
}

fn is_constant(terms: &Terms, term: TermId) -> bool {
    matches!(terms.op(term), Op::Apply(_)) && terms.args(term).is_empty()
}

/// The constant that a conjunct defines, and what it equals.
fn definition(
    terms: &Terms,
    conjunct: TermId,
    is_wanted: impl Fn(TermId) -> bool,
) -> Option<(TermId, TermId)> {
    let is_new = |term: TermId| is_constant(terms, term) && is_wanted(term);
    match (terms.op(conjunct), terms.args(conjunct)) {
        // The later constant goes: what was declared first is mostly what others are defined by.
        (Op::Eq, &[a, b]) if is_new(b) => Some((b, a)),
        (Op::Eq, &[a, b]) if is_new(a) => Some((a, b)),
        (Op::Not, &[a]) if is_new(a) => Some((a, terms.falsehood())),
        (Op::Apply(_), []) if terms.sort_of(conjunct) == SortId::BOOL && is_new(conjunct) => {
            Some((conjunct, terms.truth()))
        }
        _ => None,
    }
}

/// What a walk over the terms below definitions finds.
struct Walk<'a> {
    terms: &'a Terms,
    defined: &'a FxHashMap<TermId, TermId>,
    /// Terms that were entered; true once they are left.
    met: FxHashMap<TermId, bool>,
    /// Constants whose definition is being walked over, the last one entered last.
    open: Vec<TermId>,
    /// Constants whose definition would close a cycle.
    dropped: FxHashSet<TermId>,
    order: Vec<TermId>,
}

impl Walk<'_> {
    /// Walks over everything a constant depends on.
    fn from(&mut self, root: TermId) {
        let mut waiting = vec![(root, false)];
        while let Some((term, is_done)) = waiting.pop() {
            if is_done {
                self.met.insert(term, true);
                if self.open.last() == Some(&term) {
                    self.open.pop();
                    self.order.push(term);
                }
                continue;
            }
            match self.met.get(&term) {
                Some(true) => continue,
                Some(false) => {
                    // A cycle goes through the definition entered last.
                    self.dropped.extend(self.open.last());
                    continue;
                }
                None => {}
            }
            self.met.insert(term, false);
            waiting.push((term, true));
            if let Some(&value) = self.defined.get(&term) {
                self.open.push(term);
                waiting.push((value, false));
            } else {
                waiting.extend(self.terms.args(term).iter().map(|&arg| (arg, false)));
            }
        }
    }
}

/// The definitions that conjuncts of formulas give of constants that are wanted, with what these equal, dependencies first.
pub fn definitions_of(
    terms: &Terms,
    formulas: &[TermId],
    is_wanted: impl Fn(TermId) -> bool,
) -> Vec<(TermId, TermId)> {
    let mut defined: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut wanted: Vec<TermId> = Vec::new();
    for formula in conjuncts(terms, formulas) {
        let is_open = |constant| is_wanted(constant) && !defined.contains_key(&constant);
        if let Some((constant, value)) = definition(terms, formula, is_open) {
            defined.insert(constant, value);
            wanted.push(constant);
        }
    }
    let mut walk = Walk {
        terms,
        defined: &defined,
        met: FxHashMap::default(),
        open: Vec::new(),
        dropped: FxHashSet::default(),
        order: Vec::new(),
    };
    for constant in wanted {
        walk.from(constant);
    }
    (walk.order.iter())
        .filter(|constant| !walk.dropped.contains(constant))
        .map(|&constant| (constant, defined[&constant]))
        .collect()
}

/// Replaces what conjuncts define, as long as there is something.
pub(crate) fn eliminate(
    terms: &mut Terms,
    formulas: &[TermId],
    budget: &Budget,
) -> Result<Eliminated, Spent> {
    let mut current = conjuncts(terms, formulas);
    let mut rounds = Vec::new();
    while rounds.len() < MOST_ROUNDS {
        budget.check_now()?;
        let found = definitions_of(terms, &current, |_| true);
        if found.is_empty() {
            break;
        }
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut round = Definitions::with_capacity(found.len());
        for (constant, value) in found {
            let image = terms.substitute(&[value], &mut map)[0];
            map.insert(constant, image);
            round.push(Definition {
                constant,
                value,
                image,
            });
        }
        let replaced = terms.substitute(&current, &mut map);
        current = conjuncts(terms, &replaced);
        current.retain(|&formula| formula != terms.truth());
        current.sort_unstable();
        current.dedup();
        rounds.push(round);
    }
    Ok(Eliminated {
        formulas: current,
        rounds,
    })
}

/// Gives the constants that were replaced the values of what they equal.
pub(crate) fn extend_model(terms: &Terms, model: &mut Interpretation, rounds: &[Definitions]) {
    for round in rounds.iter().rev() {
        // Images speak of no constant of their own round, so one evaluation serves all.
        let mut evaluator = Evaluator::new(terms, model);
        let values: Vec<_> = (round.iter()).map(|one| evaluator.value(one.image)).collect();
        for (one, value) in round.iter().zip(values) {
            if let (Op::Apply(symbol), Ok(value)) = (terms.op(one.constant), value) {
                model.set(*symbol, value);
            }
        }
    }
}
