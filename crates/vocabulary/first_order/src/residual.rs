//! What remains of a formula when symbols have the meanings an interpretation gives them.
//!
//! Constants become written values, functions become tables of conditionals. Elements of uninterpreted sorts have no written form, so
//! they become constants of their own, different from each other; the interpretation's universe of such a sort is the elements it
//! mentions, and one if it mentions none. A universal formula holds under an interpretation exactly if the residual of its negated body,
//! with new constants for the bound variables, has no model.

use crate::{Interpretation, Op, Sort, SortId, SymbolId, TermId, Terms, Value};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The question whether a universal formula has a counterexample under an interpretation.
#[derive(Clone, Debug)]
pub struct Residual {
    /// Formulas that have a model together exactly if there is a counterexample.
    pub formulas: Vec<TermId>,
    /// New constants for the bound variables, in their order.
    pub witnesses: Vec<TermId>,
    /// Constants that stand for elements of uninterpreted sorts.
    pub elements: BTreeMap<(SortId, u64), TermId>,
}

fn collect(terms: &Terms, value: &Value, sort: SortId, found: &mut BTreeSet<(SortId, u64)>) {
    match (value, terms.sort(sort)) {
        (Value::Element(number), Sort::Uninterpreted(_)) => drop(found.insert((sort, *number))),
        (Value::Array(default, exceptions), Sort::Array(index, element)) => {
            collect(terms, default, *element, found);
            for (at, what) in exceptions {
                collect(terms, at, *index, found);
                collect(terms, what, *element, found);
            }
        }
        _ => {}
    }
}

impl Terms {
    /// A value as a term; elements by the constants given.
    fn value_term(
        &mut self,
        value: &Value,
        sort: SortId,
        elements: &BTreeMap<(SortId, u64), TermId>,
    ) -> Option<TermId> {
        match (value, self.sort(sort).clone()) {
            (Value::Element(number), Sort::Uninterpreted(_)) => elements.get(&(sort, *number)).copied(),
            (Value::Array(default, exceptions), Sort::Array(index, element)) => {
                let default = self.value_term(default, element, elements)?;
                let mut array = self.make(Op::ConstantArray, &[default], sort);
                for (at, what) in exceptions {
                    let (at, what) = (
                        self.value_term(at, index, elements)?,
                        self.value_term(what, element, elements)?,
                    );
                    array = self.store(array, at, what);
                }
                Some(array)
            }
            _ => self.literal_term(value, sort),
        }
    }

    /// The question for a counterexample to a universal formula; nothing if it is none, or a value cannot be written.
    pub fn residual(&mut self, interpretation: &Interpretation, universal: TermId) -> Option<Residual> {
        let Op::Forall(bound) = self.op(universal).clone() else {
            return None;
        };
        let body = self.args(universal)[0];
        let cone = self.cone(&[body]);
        let mut found: BTreeSet<(SortId, u64)> = BTreeSet::new();
        let mut sorts: BTreeSet<SortId> = cone.iter().map(|&term| self.sort_of(term)).collect();
        for &term in &cone {
            if let Op::Apply(symbol) = self.op(term)
                && !interpretation.functions.contains_key(symbol)
            {
                let value = Value::of_sort(self, self.sort_of(term));
                collect(self, &value, self.sort_of(term), &mut found);
            }
        }
        for (&symbol, function) in &interpretation.functions {
            let data = self.symbol(symbol);
            collect(self, &function.otherwise, data.result, &mut found);
            sorts.insert(data.result);
            for (arguments, value) in &function.table {
                collect(self, value, data.result, &mut found);
                for (argument, &sort) in arguments.iter().zip(&data.arguments) {
                    collect(self, argument, sort, &mut found);
                }
            }
        }
        for sort in sorts {
            let is_abstract = matches!(self.sort(sort), Sort::Uninterpreted(_));
            if is_abstract && !found.iter().any(|(known, _)| *known == sort) {
                found.insert((sort, 0));
            }
        }
        let mut elements = BTreeMap::new();
        for (sort, number) in found {
            let constant = self.constant("element", sort);
            elements.insert((sort, number), constant);
        }
        let mut formulas = self.universe_conditions(&elements);
        let mut inner: BTreeSet<SymbolId> = BTreeSet::new();
        for &term in &cone {
            if let Op::Forall(symbols) = self.op(term) {
                inner.extend(symbols.iter().copied());
            }
        }
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut witnesses = Vec::new();
        for &symbol in bound.iter() {
            let sort = self.symbol(symbol).result;
            let witness = self.constant("witness", sort);
            formulas.extend(self.membership(witness, &elements));
            let variable = self.constant_of(symbol);
            map.insert(variable, witness);
            witnesses.push(witness);
        }
        for term in cone {
            if map.contains_key(&term) {
                continue;
            }
            let node = self.node(term).clone();
            let args: Vec<TermId> = node.args.iter().map(|arg| map[arg]).collect();
            let image = match &node.op {
                Op::Apply(symbol) if !inner.contains(symbol) => {
                    self.applied(interpretation, *symbol, &args, &elements)?
                }
                Op::Forall(symbols) if args[0] != node.args[0] => {
                    // Inner variables range over the elements, too.
                    let mut guards = Vec::new();
                    for &symbol in symbols.iter() {
                        let variable = self.constant_of(symbol);
                        if let Some(condition) = self.membership(variable, &elements) {
                            guards.push(self.not(condition));
                        }
                    }
                    guards.push(args[0]);
                    let guarded = self.or(&guards);
                    self.make(node.op.clone(), &[guarded], SortId::BOOL)
                }
                op => self.build(op.clone(), &args, node.sort),
            };
            map.insert(term, image);
        }
        let negated = self.not(map[&body]);
        formulas.push(negated);
        Some(Residual {
            formulas,
            witnesses,
            elements,
        })
    }

    /// The constants of one sort are different from each other.
    fn universe_conditions(&mut self, elements: &BTreeMap<(SortId, u64), TermId>) -> Vec<TermId> {
        let all: Vec<(SortId, TermId)> = elements
            .iter()
            .map(|(key, &constant)| (key.0, constant))
            .collect();
        let mut conditions = Vec::new();
        for (position, &(sort, a)) in all.iter().enumerate() {
            for &(other, b) in &all[position + 1..] {
                if sort == other {
                    let equal = self.eq(a, b);
                    conditions.push(self.not(equal));
                }
            }
        }
        conditions
    }

    /// That a term is one of the elements, if its sort is uninterpreted.
    fn membership(&mut self, term: TermId, elements: &BTreeMap<(SortId, u64), TermId>) -> Option<TermId> {
        let sort = self.sort_of(term);
        if !matches!(self.sort(sort), Sort::Uninterpreted(_)) {
            return None;
        }
        let members: Vec<TermId> = elements
            .iter()
            .filter(|(key, _)| key.0 == sort)
            .map(|(_, &constant)| constant)
            .collect();
        let equations: Vec<TermId> = members.into_iter().map(|member| self.eq(term, member)).collect();
        Some(self.or(&equations))
    }

    fn applied(
        &mut self,
        interpretation: &Interpretation,
        symbol: SymbolId,
        args: &[TermId],
        elements: &BTreeMap<(SortId, u64), TermId>,
    ) -> Option<TermId> {
        let data = self.symbol(symbol).clone();
        let (table, otherwise) = match interpretation.functions.get(&symbol) {
            Some(function) => (function.table.clone(), function.otherwise.clone()),
            None => (BTreeMap::new(), interpretation.value(self, symbol, &[])),
        };
        let mut result = self.value_term(&otherwise, data.result, elements)?;
        for (arguments, value) in &table {
            let mut tests = Vec::new();
            for ((argument, &sort), &given) in arguments.iter().zip(&data.arguments).zip(args) {
                let written = self.value_term(argument, sort, elements)?;
                tests.push(self.eq(given, written));
            }
            let here = self.and(&tests);
            let value = self.value_term(value, data.result, elements)?;
            result = self.ite(here, value, result);
        }
        Some(result)
    }

    /// The body of a universal formula with terms for its bound variables.
    pub fn instance(&mut self, universal: TermId, values: &[TermId]) -> Option<TermId> {
        let Op::Forall(bound) = self.op(universal).clone() else {
            return None;
        };
        let body = self.args(universal)[0];
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (&symbol, &value) in bound.iter().zip(values) {
            let variable = self.constant_of(symbol);
            if self.sort_of(variable) != self.sort_of(value) {
                return None;
            }
            map.insert(variable, value);
        }
        (bound.len() == values.len()).then(|| self.substitute(&[body], &mut map)[0])
    }
}
