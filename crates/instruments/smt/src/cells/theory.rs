//! The polynomial conditions that an assignment needs, and what is made of the answer: a model, or a clause.

use super::polynomial::{Polynomial, TooLarge};
use super::system::{Condition, Outcome, Relation, margin, solve};
use crate::model::Valuation;
use crate::solver::{FinalCheck, Solver};
use entail_budget::{Budget, Spent};
use entail_first_order::{
    Evaluator, FunctionValue, Interpretation, Op, Rational, Rule, SortId, TermId, Terms, Value,
};
use entail_sat::Lit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// How long one system may take, at first.
const FIRST_TIME: Duration = Duration::from_millis(150);
/// How many conditions a system may have.
const MOST_CONDITIONS: usize = 400;
/// After how many systems that stayed open in one call no more are looked at.
const MOST_OPEN: usize = 8;

/// The conditions of some atoms over numbered leaves.
#[derive(Default)]
struct Reading {
    leaves: Vec<TermId>,
    numbers: FxHashMap<TermId, usize>,
    known: FxHashMap<TermId, Polynomial>,
    conditions: Vec<Condition>,
    literals: Vec<Lit>,
}

impl Reading {
    fn polynomial(&mut self, terms: &Terms, term: TermId) -> Result<Polynomial, TooLarge> {
        for term in terms.cone(&[term]) {
            if self.known.contains_key(&term) || !terms.sort_of(term).is_arithmetic() {
                continue;
            }
            let args = terms.args(term);
            let value = match terms.op(term) {
                Op::Number(value) => Polynomial::constant(value.clone()),
                Op::Add => (args.iter()).fold(Polynomial::default(), |sum, arg| {
                    sum.plus(&self.known[arg], &Rational::one())
                }),
                Op::Mul => {
                    let mut product = Polynomial::constant(Rational::one());
                    for arg in args {
                        product = product.times(&self.known[arg])?;
                    }
                    product
                }
                Op::ToReal => self.known[&args[0]].clone(),
                _ => {
                    let number = *self.numbers.entry(term).or_insert_with(|| {
                        self.leaves.push(term);
                        self.leaves.len() - 1
                    });
                    Polynomial::variable(number)
                }
            };
            self.known.insert(term, value);
        }
        Ok(self.known[&term].clone())
    }

    fn add(&mut self, terms: &Terms, lit: Lit, atom: TermId, value: bool) -> Result<(), TooLarge> {
        let args = terms.args(atom);
        let (left, right) = (self.polynomial(terms, args[0])?, self.polynomial(terms, args[1])?);
        let minus = Rational::integer(-1);
        let condition = match (terms.op(atom), value) {
            (Op::Le, true) => (right.plus(&left, &minus), Relation::NotNegative),
            (Op::Le, false) => (left.plus(&right, &minus), Relation::Positive),
            (_, true) => (left.plus(&right, &minus), Relation::Zero),
            (_, false) => (left.plus(&right, &minus), Relation::NotZero),
        };
        self.conditions.push(condition);
        self.literals.push(if value { lit } else { !lit });
        Ok(())
    }
}

impl Solver {
    fn truth(&self, formula: TermId) -> Option<bool> {
        match self.core.value(*self.lits.get(&formula)?) {
            0 => None,
            value => Some(value > 0),
        }
    }

    /// Atoms over numbers, with their values, that make the formulas true; nothing if something else decides.
    fn needed_atoms(&self, terms: &mut Terms) -> Option<Vec<(TermId, bool)>> {
        let mut waiting: Vec<TermId> = self.required.clone();
        let mut met: FxHashSet<TermId> = FxHashSet::default();
        let mut atoms = Vec::new();
        while let Some(formula) = waiting.pop() {
            if !met.insert(formula) {
                continue;
            }
            let value = self.truth(formula)?;
            let args = terms.args(formula).to_vec();
            match terms.op(formula) {
                Op::True | Op::False => {}
                Op::Not => waiting.push(args[0]),
                op @ (Op::And | Op::Or) => match value == (*op == Op::And) {
                    true => waiting.extend(args),
                    false => {
                        // One operand decides: one that is there already, or a small one.
                        let deciding = args.iter().filter(|&&arg| self.truth(arg) == Some(value));
                        let best =
                            deciding.min_by_key(|&&arg| (!met.contains(&arg), terms.cone(&[arg]).len()))?;
                        waiting.push(*best);
                    }
                },
                Op::Ite => waiting.extend([args[0], if self.truth(args[0])? { args[1] } else { args[2] }]),
                Op::Eq if terms.sort_of(args[0]) == SortId::BOOL => waiting.extend(args),
                Op::Le | Op::Eq if terms.sort_of(args[0]).is_arithmetic() => {
                    atoms.push((formula, value));
                    for term in terms.cone(&[formula]) {
                        if met.insert(term) && terms.sort_of(term).is_arithmetic() {
                            self.needed_inside(terms, term, &mut waiting)?;
                        }
                    }
                }
                Op::Apply(_) if args.is_empty() => {}
                _ => return None,
            }
        }
        Some(atoms)
    }

    /// What defines a number that is neither a sum nor a product.
    fn needed_inside(&self, terms: &mut Terms, term: TermId, waiting: &mut Vec<TermId>) -> Option<()> {
        let args = terms.args(term).to_vec();
        match terms.op(term) {
            Op::Ite => {
                let side = if self.truth(args[0])? { args[1] } else { args[2] };
                let equation = terms.equation(term, side);
                waiting.extend([args[0], equation]);
            }
            Op::Divide => {
                let sort = terms.sort_of(term);
                let zero = terms.numeral(Rational::zero(), sort);
                let by_zero = terms.eq(args[1], zero);
                waiting.push(by_zero);
                waiting.push(match self.truth(by_zero)? {
                    true => terms.eq(term, zero),
                    false => {
                        let product = terms.make(Op::Mul, &[args[1], term], sort);
                        terms.eq(product, args[0])
                    }
                });
            }
            Op::Number(_) | Op::Add | Op::Mul | Op::ToReal => {}
            Op::Apply(_) if args.is_empty() => {}
            _ => return None,
        }
        Some(())
    }

    /// Decides the polynomial conditions of the assignment; nothing if that did not succeed.
    pub(crate) fn check_cells(
        &mut self,
        terms: &mut Terms,
        budget: &Budget,
    ) -> Result<Option<FinalCheck>, Spent> {
        if self.open_systems >= MOST_OPEN {
            return Ok(None);
        }
        let Some(atoms) = self.needed_atoms(terms) else {
            self.open_systems = MOST_OPEN;
            return Ok(None);
        };
        let mut reading = Reading::default();
        for (atom, value) in atoms {
            let lit = self.lits[&atom];
            if reading.add(terms, lit, atom, value).is_err() || reading.conditions.len() > MOST_CONDITIONS {
                self.open_systems += 1;
                return Ok(None);
            }
        }
        let near: Vec<Rational> = {
            let mut values = Valuation::new(self, terms);
            reading.leaves.iter().map(|&leaf| values.number(leaf)).collect()
        };
        let time = FIRST_TIME * (1 + self.open_systems as u32);
        match solve(&reading.conditions, &near, time, budget)? {
            Outcome::Values(values) => {
                let model = self.model_with(terms, &reading.leaves, values);
                if self.satisfies(terms, &model) {
                    self.found_model = Some(model);
                    return Ok(Some(FinalCheck::Consistent));
                }
            }
            Outcome::Contradiction(core) => {
                let clause: Vec<Lit> = core.iter().map(|&index| !reading.literals[index]).collect();
                self.backtrack(0);
                self.clause(&clause, Rule::Cells(margin()));
                return Ok(Some(FinalCheck::Again));
            }
            Outcome::Open => {}
        }
        self.open_systems += 1;
        Ok(None)
    }

    fn model_with(&self, terms: &Terms, leaves: &[TermId], values: Vec<Rational>) -> Interpretation {
        let mut model = self.build_model(terms);
        for (leaf, value) in leaves.iter().zip(values) {
            if let Op::Apply(symbol) = terms.op(*leaf) {
                let value = FunctionValue::constant(Value::Number(value));
                model.functions.insert(*symbol, value);
            }
        }
        model
    }

    fn satisfies(&self, terms: &Terms, model: &Interpretation) -> bool {
        let is_whole = |leaf: &TermId| terms.sort_of(*leaf) == SortId::INT;
        if self.leaves.keys().any(is_whole) {
            return false;
        }
        let mut evaluator = Evaluator::new(terms, model);
        self.required
            .iter()
            .all(|&formula| evaluator.is_true(formula) == Ok(true))
    }
}
