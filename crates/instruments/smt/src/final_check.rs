//! What is looked at when all atoms have values: integers, products, the agreement of theories, arrays, quantifiers.
//!
//! Theories agree when members of one class have one number or word, and arguments of one function that have one value are in one class
//! (model-based combination, de Moura, Bjørner 2008). Where they do not, an equation becomes an atom to be decided.

use crate::model::Valuation;
use crate::solver::{FinalCheck, Solver};
use entail_budget::{Budget, Spent};
use entail_first_order::{Op, Rational, Sort, SortId, TermId, Terms, Value};
use entail_sat::Lit;
use rustc_hash::FxHashMap;

impl Solver {
    pub(crate) fn final_check(&mut self, terms: &mut Terms, budget: &Budget) -> Result<FinalCheck, Spent> {
        budget.check_now()?;
        if let Some(again) = self.take_difference_values() {
            return Ok(again);
        }
        if let Some(again) = self.branch(terms) {
            return Ok(again);
        }
        if let Some(again) = self.refine_words(terms) {
            return Ok(again);
        }
        if let Some(again) = self.agree(terms) {
            return Ok(again);
        }
        if let Some(again) = self.instantiate_arrays(terms) {
            return Ok(again);
        }
        if let Some(answer) = self.check_products(terms, budget)? {
            return Ok(answer);
        }
        if !self.universals.is_empty() && !self.defers_universals {
            return Ok(FinalCheck::Unknown("quantified formulas are not decided".into()));
        }
        Ok(FinalCheck::Consistent)
    }

    /// New equations as atoms, tried as true first.
    pub(crate) fn decide_equations(&mut self, terms: &mut Terms, equations: &[TermId]) -> Option<FinalCheck> {
        self.backtrack(0);
        for &equation in equations {
            let lit: Lit = self.internalize(terms, equation);
            self.core.set_phase(lit);
        }
        Some(FinalCheck::Again)
    }

    /// Equations to be decided so that theories agree.
    fn agree(&mut self, terms: &mut Terms) -> Option<FinalCheck> {
        if self.congruence.is_empty() {
            return None;
        }
        let wanted = self.disagreements_left(terms);
        let mut equations = Vec::new();
        for one in wanted {
            let equation = terms.equation(one.pair.0, one.pair.1);
            if !self.lits.contains_key(&equation) && !matches!(terms.op(equation), Op::True | Op::False) {
                equations.push(equation);
            }
        }
        if equations.is_empty() {
            return None;
        }
        equations.sort_unstable();
        equations.dedup();
        self.decide_equations(terms, &equations)
    }

    /// Pairs of terms about which theories disagree.
    fn disagreements(&self, terms: &Terms) -> Vec<Disagreement> {
        let mut found: Vec<Disagreement> = Vec::new();
        let mut values = Valuation::new(self, terms);
        let mut class_values: FxHashMap<usize, (TermId, Value)> = FxHashMap::default();
        for node in 0..self.congruence.len() {
            let term = self.congruence.term(node);
            if !terms.sort_of(term).is_arithmetic() && terms.width(term) == 0 {
                continue;
            }
            let value = values.of(term);
            match class_values.get(&self.congruence.find(node)) {
                None => drop(class_values.insert(self.congruence.find(node), (term, value))),
                Some((other, known)) if *known != value => found.push(Disagreement {
                    pair: (*other, term),
                    is_coincidence: false,
                }),
                Some(_) => {}
            }
        }
        // Arguments of one function at one place with one value, in different classes.
        let mut groups: FxHashMap<(u64, usize, SortId, Value), (usize, TermId)> = FxHashMap::default();
        for node in 0..self.congruence.len() {
            let Some((function, args)) = self.congruence.application(node) else {
                continue;
            };
            for (place, &arg) in args.iter().enumerate() {
                // Stores and selects of one index sort meet each other.
                let (function, place) = if function == 2 {
                    (1, place)
                } else {
                    (function, place)
                };
                let term = self.congruence.term(arg);
                let sort = terms.sort_of(term);
                // Arrays matter where a function or an index looks at all of them.
                let is_argument = function & 7 == 0 || place == 1;
                let is_array = matches!(terms.sort(sort), Sort::Array(..)) && is_argument;
                if !sort.is_arithmetic() && terms.width(term) == 0 && !is_array {
                    continue;
                }
                let class = self.congruence.find(arg);
                let value = values.of(term);
                let known = groups
                    .entry((function, place, sort, value))
                    .or_insert((class, term));
                if known.0 != class {
                    found.push(Disagreement {
                        pair: (known.1, term),
                        is_coincidence: true,
                    });
                }
            }
        }
        found
    }

    /// The disagreements that are left when numbers that coincide have been moved apart, where bounds allow it (model mutation, de Moura,
    /// Bjørner 2008). A move that makes others meet is taken back.
    fn disagreements_left(&mut self, terms: &Terms) -> Vec<Disagreement> {
        let mut left = self.disagreements(terms);
        for _ in 0..MOST_MOVES {
            let is_movable =
                |one: &Disagreement| one.is_coincidence && terms.sort_of(one.pair.0).is_arithmetic();
            if !self.products.is_empty() || self.differences.is_some() || !left.iter().any(is_movable) {
                break;
            }
            let values = self.simplex.values();
            for (number, one) in left.iter().filter(|one| is_movable(one)).enumerate() {
                self.move_apart(terms, one.pair, number);
            }
            let after = self.disagreements(terms);
            if after.len() >= left.len() {
                self.simplex.restore(values);
                break;
            }
            left = after;
        }
        left
    }

    /// Changes the difference of two numbers, if the bounds allow it: by more for each further pair, so that they do not meet again.
    fn move_apart(&mut self, terms: &Terms, (a, b): (TermId, TermId), number: usize) {
        let mut form = self.forms.of(terms, a);
        let other = self.forms.of(terms, b);
        form.add(&other, &Rational::integer(-1));
        let parts = form.parts.iter();
        let sum: Option<Vec<_>> = parts
            .map(|(leaf, factor)| Some((*self.leaves.get(leaf)?, factor.clone())))
            .collect();
        for (var, _) in self.simplex.over_columns(&sum.unwrap_or_default()) {
            let step = self.simplex.whole_step(var);
            for times in [number as i64 + 1, -(number as i64 + 1), 1, -1] {
                if self.simplex.try_move(var, &(&step * &Rational::integer(times))) {
                    return;
                }
            }
        }
    }
}

/// How often values are moved apart before equations are decided.
const MOST_MOVES: usize = 3;

/// Two terms of one class with different values, or arguments of different classes with one value.
struct Disagreement {
    pair: (TermId, TermId),
    /// The values are equal, and nothing says that they must be.
    is_coincidence: bool,
}
