//! Models: values of terms under the current assignment, and the interpretation they make.

use crate::solver::Solver;
use entail_first_order::{FunctionValue, Interpretation, Op, Rational, Sort, TermId, Terms, Value};
use num_bigint::BigUint;
use num_traits::Zero;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Values of terms under the solver's assignment.
pub(crate) struct Valuation<'a> {
    solver: &'a Solver,
    terms: &'a Terms,
    infinitesimal: Rational,
    forms: crate::linear::Forms,
    numbers: FxHashMap<TermId, Rational>,
    arrays: FxHashMap<usize, Value>,
}

impl<'a> Valuation<'a> {
    pub fn new(solver: &'a Solver, terms: &'a Terms) -> Valuation<'a> {
        Valuation {
            infinitesimal: solver.simplex.concrete_infinitesimal(),
            solver,
            terms,
            forms: crate::linear::Forms::default(),
            numbers: FxHashMap::default(),
            arrays: FxHashMap::default(),
        }
    }

    fn leaf(&self, leaf: TermId) -> Rational {
        match self.solver.leaves.get(&leaf) {
            Some(&var) => {
                let value = self.solver.simplex.value(var);
                &value.real + &(&value.infinitesimal * &self.infinitesimal)
            }
            None => Rational::zero(),
        }
    }

    /// The number of an arithmetic term.
    pub fn number(&mut self, term: TermId) -> Rational {
        if let Some(known) = self.numbers.get(&term) {
            return known.clone();
        }
        let form = self.forms.of(self.terms, term);
        let mut value = form.constant.clone();
        for (leaf, factor) in &form.parts {
            value += &(&self.leaf(*leaf) * factor);
        }
        self.numbers.insert(term, value.clone());
        value
    }

    /// The value of a term that the solver knows.
    pub fn of(&mut self, term: TermId) -> Value {
        let sort = self.terms.sort_of(term);
        match self.terms.sort(sort) {
            Sort::Bool => {
                let value = self
                    .solver
                    .lits
                    .get(&term)
                    .map_or(0, |&lit| self.solver.core.value(lit));
                Value::Bool(value > 0)
            }
            Sort::Int | Sort::Real => Value::Number(self.number(term)),
            Sort::Word(_) | Sort::Float(_) | Sort::Rounding => {
                let mut word = BigUint::zero();
                if let Some(bits) = self.solver.bits.get(&term) {
                    for (position, &bit) in bits.iter().enumerate() {
                        word.set_bit(position as u64, self.solver.core.value(bit) > 0);
                    }
                }
                Value::Word(word)
            }
            Sort::Uninterpreted(_) => {
                let node = self.solver.congruence.node(term);
                Value::Element(node.map_or(0, |node| self.solver.congruence.find(node) as u64))
            }
            Sort::Array(..) => self.array(term),
        }
    }

    fn array(&mut self, term: TermId) -> Value {
        let Some(node) = self.solver.congruence.node(term) else {
            return Value::of_sort(self.terms, self.terms.sort_of(term));
        };
        let class = self.solver.congruence.find(node);
        if let Some(known) = self.arrays.get(&class) {
            return known.clone();
        }
        let Sort::Array(_, element) = *self.terms.sort(self.terms.sort_of(term)) else {
            return Value::Bool(false);
        };
        let component = self.component(class);
        let mut default = Value::of_sort(self.terms, element);
        for member in 0..self.solver.congruence.len() {
            let other = self.solver.congruence.term(member);
            if *self.terms.op(other) == Op::ConstantArray
                && component.contains(&self.solver.congruence.find(member))
            {
                default = self.of(self.terms.args(other)[0]);
            }
        }
        let mut value = Value::Array(Box::new(default), BTreeMap::new());
        for member in 0..self.solver.congruence.len() {
            let other = self.solver.congruence.term(member);
            if *self.terms.op(other) != Op::Select {
                continue;
            }
            let [array, index] = [self.terms.args(other)[0], self.terms.args(other)[1]];
            let is_same = self
                .solver
                .congruence
                .node(array)
                .map(|array| self.solver.congruence.find(array))
                == Some(class);
            if is_same {
                let (index, element) = (self.of(index), self.of(other));
                value = value.stored(index, element);
            }
        }
        self.arrays.insert(class, value.clone());
        value
    }

    /// Classes of arrays that are connected to one by writes: they agree almost everywhere.
    fn component(&self, start: usize) -> Vec<usize> {
        let congruence = &self.solver.congruence;
        let mut found = vec![start];
        let mut position = 0;
        while position < found.len() {
            for node in 0..congruence.len() {
                let term = congruence.term(node);
                if *self.terms.op(term) != Op::Store {
                    continue;
                }
                let Some(base) = congruence.node(self.terms.args(term)[0]) else {
                    continue;
                };
                let ends = [congruence.find(node), congruence.find(base)];
                if ends.contains(&found[position]) {
                    for end in ends {
                        if !found.contains(&end) {
                            found.push(end);
                        }
                    }
                }
            }
            position += 1;
        }
        found
    }
}

impl Solver {
    /// The interpretation of the current assignment.
    pub(crate) fn build_model(&self, terms: &Terms) -> Interpretation {
        let mut values = Valuation::new(self, terms);
        let mut model = Interpretation::default();
        let mut known: Vec<TermId> = self.internalized.iter().copied().collect();
        known.sort_unstable();
        for term in known {
            let Op::Apply(symbol) = terms.op(term) else {
                continue;
            };
            let value = values.of(term);
            let arguments: Vec<Value> = terms.args(term).iter().map(|&arg| values.of(arg)).collect();
            let function = model.functions.entry(*symbol).or_insert_with(|| FunctionValue {
                table: BTreeMap::new(),
                otherwise: value.clone(),
            });
            if !arguments.is_empty() {
                function.table.insert(arguments, value);
            }
        }
        model
    }
}
