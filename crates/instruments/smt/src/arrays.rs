//! Arrays: the axioms of reading over writing and of extensionality, instantiated where the classes call for them.

use crate::solver::{FinalCheck, Solver};
use entail_first_order::{Op, Rule, Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;

impl Solver {
    /// Adds the instances that are missing.
    pub(crate) fn instantiate_arrays(&mut self, terms: &mut Terms) -> Option<FinalCheck> {
        if self.array_terms.is_empty() {
            return None;
        }
        let class = |solver: &Solver, term: TermId| {
            solver
                .congruence
                .node(term)
                .map(|node| solver.congruence.find(node))
        };
        let mut reads: Vec<(usize, TermId)> = Vec::new();
        let mut writes: Vec<TermId> = Vec::new();
        for &term in &self.array_terms {
            match terms.op(term) {
                Op::Select => {
                    reads.extend(class(self, terms.args(term)[0]).map(|class| (class, terms.args(term)[1])))
                }
                Op::Store | Op::ConstantArray => writes.push(term),
                _ => {}
            }
        }
        // Reads of formulas: arrays of truth values.
        for &term in self.lits.keys() {
            if *terms.op(term) == Op::Select {
                reads.extend(class(self, terms.args(term)[0]).map(|class| (class, terms.args(term)[1])));
            }
        }
        let mut missing: Vec<(TermId, TermId)> = Vec::new();
        for &write in &writes {
            let own = class(self, write);
            let base = match terms.op(write) {
                Op::Store => class(self, terms.args(write)[0]),
                _ => None,
            };
            for &(read, index) in &reads {
                if (Some(read) == own || Some(read) == base) && !self.array_done.contains(&(write, index)) {
                    missing.push((write, index));
                }
            }
        }
        let mut unequal: Vec<TermId> = Vec::new();
        for &(a, b, lit) in &self.equations {
            let equation = terms.equation(a, b);
            if matches!(terms.sort(terms.sort_of(a)), Sort::Array(..))
                && self.core.value(lit) < 0
                && !self.array_done.contains(&(equation, equation))
            {
                unequal.push(equation);
            }
        }
        for (first, second) in self.equal_constant_arrays(terms, &writes) {
            // Any index tells the elements of two constant arrays that are equal.
            let Sort::Array(index, _) = *terms.sort(terms.sort_of(first)) else {
                continue;
            };
            let place = terms.literal_term(&Value::of_sort(terms, index), index);
            let place = place.unwrap_or_else(|| terms.constant("some", index));
            missing.extend([(first, place), (second, place)]);
            self.array_done.insert((first, second));
        }
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() && unequal.is_empty() {
            return None;
        }
        self.backtrack(0);
        for (write, index) in missing {
            self.array_done.insert((write, index));
            self.read_over_write(terms, write, index);
        }
        for equation in unequal {
            self.array_done.insert((equation, equation));
            self.extensionality(terms, equation);
        }
        Some(FinalCheck::Again)
    }

    /// Pairs of constant arrays in one class that were not looked at before.
    fn equal_constant_arrays(&self, terms: &Terms, writes: &[TermId]) -> Vec<(TermId, TermId)> {
        let mut first_of: FxHashMap<usize, TermId> = FxHashMap::default();
        let mut pairs = Vec::new();
        for &array in writes
            .iter()
            .filter(|&&write| *terms.op(write) == Op::ConstantArray)
        {
            let Some(node) = self.congruence.node(array) else {
                continue;
            };
            let first = *first_of.entry(self.congruence.find(node)).or_insert(array);
            if first != array && !self.array_done.contains(&(first, array)) {
                pairs.push((first, array));
            }
        }
        pairs
    }

    fn read_over_write(&mut self, terms: &mut Terms, write: TermId, index: TermId) {
        let Sort::Array(_, element) = *terms.sort(terms.sort_of(write)) else {
            return;
        };
        let args = terms.args(write).to_vec();
        let read = terms.make(Op::Select, &[write, index], element);
        if *terms.op(write) == Op::ConstantArray {
            let equation = terms.equation(read, args[0]);
            let equal = self.internalize(terms, equation);
            self.clause(&[equal], Rule::Array(write));
            return;
        }
        if args[1] == index {
            // What is read where it was written is known since the write was met.
            return;
        }
        let below = terms.make(Op::Select, &[args[0], index], element);
        let (same_index, same_element) = (terms.equation(args[1], index), terms.equation(read, below));
        let same_index = self.internalize(terms, same_index);
        let same_element = self.internalize(terms, same_element);
        self.clause(&[same_index, same_element], Rule::Array(write));
    }

    fn extensionality(&mut self, terms: &mut Terms, equation: TermId) {
        let [a, b] = [terms.args(equation)[0], terms.args(equation)[1]];
        let Sort::Array(index, element) = *terms.sort(terms.sort_of(a)) else {
            return;
        };
        let witness = terms.make(Op::Difference, &[a, b], index);
        let left = terms.make(Op::Select, &[a, witness], element);
        let right = terms.make(Op::Select, &[b, witness], element);
        let same = terms.equation(left, right);
        let equal = self.internalize(terms, equation);
        let same = self.internalize(terms, same);
        self.clause(&[equal, !same], Rule::Array(equation));
    }
}
