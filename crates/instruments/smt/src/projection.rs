//! Model-based projection (Komuravelli, Gurfinkel, Chaki 2014): variables are eliminated from a conjunction of literals, guided by a model.
//!
//! The result implies that values of the eliminated variables exist, and is true in the model; it is not the whole projection. Equations
//! are solved; among bounds the greatest lower one of the model is chosen; where a variable has a factor other than 1 in integers, or
//! occurs where nothing linear is known, its value in the model is put in. With it come the linear sums that it works on, for others who read
//! literals.

use entail_first_order::{Evaluator, Interpretation, Op, Rational, Sort, SortId, TermId, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A linear sum: factors of terms, and a constant.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// What each term is multiplied by; never zero.
    pub factors: BTreeMap<TermId, Rational>,
    /// What is added.
    pub constant: Rational,
}

fn sum_of(terms: &Terms, root: TermId) -> Sum {
    let mut sum = Sum::default();
    let mut waiting = vec![(root, Rational::one())];
    while let Some((term, factor)) = waiting.pop() {
        let node = terms.node(term);
        match &node.op {
            Op::Number(value) => sum.constant += &(value * &factor),
            Op::Add => waiting.extend(node.args.iter().map(|&arg| (arg, factor.clone()))),
            Op::ToReal => waiting.push((node.args[0], factor)),
            Op::Mul if node.args.len() == 2 && terms.number(node.args[0]).is_some() => {
                let inner = terms.number(node.args[0]).cloned().unwrap_or_default();
                waiting.push((node.args[1], &inner * &factor));
            }
            _ => {
                let entry = sum.factors.entry(term).or_default();
                *entry += &factor;
                if entry.is_zero() {
                    sum.factors.remove(&term);
                }
            }
        }
    }
    sum
}

/// `a - b`.
pub fn difference(terms: &Terms, a: TermId, b: TermId) -> Sum {
    let mut sum = sum_of(terms, a);
    let right = sum_of(terms, b);
    sum.constant = &sum.constant - &right.constant;
    for (term, factor) in right.factors {
        let entry = sum.factors.entry(term).or_default();
        *entry = &*entry - &factor;
        if entry.is_zero() {
            sum.factors.remove(&term);
        }
    }
    sum
}

impl Sum {
    /// Multiplies all of it.
    pub fn scale(&mut self, by: &Rational) {
        self.constant = &self.constant * by;
        self.factors.values_mut().for_each(|value| *value = &*value * by);
    }

    /// Whether all factors and the constant are whole, and all terms integers.
    pub fn is_whole(&self, terms: &Terms) -> bool {
        self.constant.is_integer()
            && (self.factors.iter())
                .all(|(&term, factor)| factor.is_integer() && terms.sort_of(term) == SortId::INT)
    }

    /// Whether a constant occurs inside of the terms.
    fn hides(&self, terms: &Terms, constant: TermId) -> bool {
        let others: Vec<TermId> = self.factors.keys().copied().collect();
        terms.cone(&others).contains(&constant)
    }
}

/// A sum as a term of a sort.
pub fn term_of(terms: &mut Terms, sum: &Sum, sort: SortId) -> TermId {
    let mut parts = Vec::new();
    for (&term, factor) in &sum.factors {
        let term = if sort == SortId::REAL {
            terms.to_real(term)
        } else {
            term
        };
        let factor = terms.numeral(factor.clone(), sort);
        parts.push(terms.mul(&[factor, term], sort));
    }
    parts.push(terms.numeral(sum.constant.clone(), sort));
    terms.add(&parts, sort)
}

/// An inequality in the form that all equivalent ones have: whole factors without a common divisor, the first one positive; over integers a
/// lower bound becomes the negation of an upper one, of which the atom is given. Any other atom as it is.
pub fn canonical(terms: &mut Terms, atom: TermId) -> TermId {
    if *terms.op(atom) != Op::Le {
        return atom;
    }
    let [small, large] = [terms.args(atom)[0], terms.args(atom)[1]];
    let mut sum = difference(terms, small, large);
    let mut multiple = Rational::one();
    let mut divisor = Rational::zero();
    for factor in sum.factors.values() {
        let denominator = factor.denominator_number();
        multiple = &multiple * &(&denominator / &multiple.gcd(&denominator));
    }
    for factor in sum.factors.values() {
        divisor = divisor.gcd(&(factor * &multiple));
    }
    let Some(first) = sum.factors.values().next() else {
        return terms.bool(!sum.constant.is_positive());
    };
    let is_lower = first.is_negative();
    let mut scale = &multiple / &divisor;
    if is_lower {
        scale = -scale;
    }
    sum.scale(&scale);
    let mut limit = -&sum.constant;
    sum.constant = Rational::zero();
    let is_integer = sum.is_whole(terms);
    let sort = if is_integer { SortId::INT } else { SortId::REAL };
    if is_integer {
        // At least a limit: not at most the number below it.
        limit = match is_lower {
            true => &limit.ceil() - &Rational::one(),
            false => limit.floor(),
        };
    }
    let (left, right) = (term_of(terms, &sum, sort), terms.numeral(limit, sort));
    match is_lower && !is_integer {
        true => terms.le(right, left),
        false => terms.le(left, right),
    }
}

/// Equations of numbers as two inequalities, so that cubes can be weakened on one side.
pub fn split_equations(terms: &mut Terms, literals: &[TermId]) -> Vec<TermId> {
    let mut split = Vec::new();
    for &literal in literals {
        let args = terms.args(literal).to_vec();
        match terms.op(literal) {
            Op::Eq if terms.sort_of(args[0]).is_arithmetic() => {
                split.push(terms.le(args[0], args[1]));
                split.push(terms.le(args[1], args[0]));
            }
            _ => split.push(literal),
        }
    }
    split.sort_unstable();
    split.dedup();
    split
}

/// The literals without these constants. None if a value cannot be written as a term.
pub fn project(
    terms: &mut Terms,
    model: &Interpretation,
    literals: Vec<TermId>,
    constants: &[TermId],
) -> Option<Vec<TermId>> {
    let mut literals = literals;
    // Solved equations first: they cost nothing.
    let here: FxHashSet<TermId> = terms.cone(&literals).into_iter().collect();
    for &constant in constants.iter().filter(|constant| here.contains(constant)) {
        literals = eliminate_by_equation(terms, literals, constant);
    }
    for &constant in constants.iter().filter(|constant| here.contains(constant)) {
        if terms.cone(&literals).binary_search(&constant).is_err() {
            continue;
        }
        literals = match terms.sort_of(constant) {
            SortId::BOOL => literals
                .into_iter()
                .filter(|literal| !terms.cone(&[*literal]).contains(&constant))
                .collect(),
            sort if sort.is_arithmetic() => eliminate_number(terms, model, literals, constant)?,
            _ => put_in_value(terms, model, &literals, constant)?,
        };
    }
    literals.retain(|&literal| literal != terms.truth());
    if literals.contains(&terms.falsehood()) {
        return None;
    }
    literals.sort_unstable();
    literals.dedup();
    Some(literals)
}

fn replace(terms: &mut Terms, literals: &[TermId], constant: TermId, by: TermId) -> Vec<TermId> {
    let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
    map.insert(constant, by);
    terms.substitute(literals, &mut map)
}

/// What an equation says a constant is; none if it does not.
pub fn solution(terms: &mut Terms, literal: TermId, constant: TermId) -> Option<TermId> {
    match terms.op(literal) {
        Op::Eq => {}
        Op::Apply(_) if literal == constant => return Some(terms.truth()),
        Op::Not if terms.args(literal)[0] == constant => return Some(terms.falsehood()),
        _ => return None,
    }
    let [a, b] = [terms.args(literal)[0], terms.args(literal)[1]];
    if terms.sort_of(a).is_arithmetic() {
        let mut sum = difference(terms, a, b);
        let factor = sum.factors.remove(&constant)?;
        let own = terms.sort_of(constant);
        let is_whole = own == SortId::REAL || factor.abs().is_one() && sum.is_whole(terms);
        if sum.hides(terms, constant) || !is_whole {
            return None;
        }
        sum.scale(&-(&factor.recip()));
        return Some(term_of(terms, &sum, own));
    }
    match (a == constant, b == constant) {
        (true, _) if !terms.cone(&[b]).contains(&constant) => Some(b),
        (_, true) if !terms.cone(&[a]).contains(&constant) => Some(a),
        _ => None,
    }
}

fn eliminate_by_equation(terms: &mut Terms, literals: Vec<TermId>, constant: TermId) -> Vec<TermId> {
    let equations: Vec<TermId> = (literals.iter().copied())
        .filter(|&literal| *terms.op(literal) == Op::Eq)
        .collect();
    match (equations.into_iter()).find_map(|literal| solution(terms, literal, constant)) {
        Some(solution) => replace(terms, &literals, constant, solution),
        None => literals,
    }
}

/// A value as a term; none for those that have no such form here.
pub fn value_term(terms: &mut Terms, value: &Value, sort: SortId) -> Option<TermId> {
    Some(match value {
        Value::Number(value) => terms.numeral(value.clone(), sort),
        Value::Word(value) => {
            let Sort::Word(width) = *terms.sort(sort) else {
                return None;
            };
            terms.word(value.clone(), width)
        }
        Value::Bool(value) => terms.bool(*value),
        _ => return None,
    })
}

fn put_in_value(
    terms: &mut Terms,
    model: &Interpretation,
    literals: &[TermId],
    constant: TermId,
) -> Option<Vec<TermId>> {
    let value = Evaluator::new(terms, model).value(constant).ok()?;
    let term = value_term(terms, &value, terms.sort_of(constant))?;
    Some(replace(terms, literals, constant, term))
}

/// A bound of the constant that is eliminated.
struct Limit {
    is_strict: bool,
    is_lower: bool,
    bound: Sum,
}

/// The inequalities `small <= large`, or strict, that a literal says in the model; none if it says something else.
fn inequalities(
    terms: &Terms,
    model: &Interpretation,
    literal: TermId,
) -> Option<Vec<(TermId, TermId, bool)>> {
    let (atom, is_true) = match terms.op(literal) {
        Op::Not => (terms.args(literal)[0], false),
        _ => (literal, true),
    };
    let args = terms.args(atom);
    Some(match (terms.op(atom), is_true) {
        (Op::Le, true) => vec![(args[0], args[1], false)],
        (Op::Le, false) => vec![(args[1], args[0], true)],
        (Op::Eq, true) => vec![(args[0], args[1], false), (args[1], args[0], false)],
        (Op::Eq, false) if terms.sort_of(args[0]).is_arithmetic() => {
            let mut evaluator = Evaluator::new(terms, model);
            let (a, b) = (evaluator.value(args[0]).ok()?, evaluator.value(args[1]).ok()?);
            match a.as_number()? < b.as_number()? {
                true => vec![(args[0], args[1], true)],
                false => vec![(args[1], args[0], true)],
            }
        }
        _ => return None,
    })
}

/// What `small <= large`, or strict, says about a constant; none if it is not linear in it, or its factor is not 1 in integers.
fn limit_of(
    terms: &Terms,
    constant: TermId,
    (small, large, is_strict): (TermId, TermId, bool),
) -> Option<Limit> {
    let mut is_strict = is_strict;
    let mut bound = difference(terms, small, large);
    let factor = bound.factors.remove(&constant)?;
    if terms.sort_of(constant) == SortId::INT {
        if !factor.abs().is_one() || !bound.is_whole(terms) {
            return None;
        }
        if is_strict {
            bound.constant += &Rational::one();
            is_strict = false;
        }
    }
    if bound.hides(terms, constant) {
        return None;
    }
    bound.scale(&-(&factor.recip()));
    Some(Limit {
        is_strict,
        is_lower: factor.is_negative(),
        bound,
    })
}

fn eliminate_number(
    terms: &mut Terms,
    model: &Interpretation,
    literals: Vec<TermId>,
    constant: TermId,
) -> Option<Vec<TermId>> {
    let mut others = Vec::new();
    let mut limits: Vec<Limit> = Vec::new();
    for &literal in &literals {
        if !terms.cone(&[literal]).contains(&constant) {
            others.push(literal);
            continue;
        }
        let Some(sides) = inequalities(terms, model, literal) else {
            return put_in_value(terms, model, &literals, constant);
        };
        for side in sides {
            match limit_of(terms, constant, side) {
                Some(limit) => limits.push(limit),
                None => return put_in_value(terms, model, &literals, constant),
            }
        }
    }
    let (lower, upper): (Vec<Limit>, Vec<Limit>) = limits.into_iter().partition(|limit| limit.is_lower);
    if lower.is_empty() || upper.is_empty() {
        return Some(others);
    }
    let sort = terms.sort_of(constant);
    let [lower, upper] = [lower, upper].map(|limits| {
        let written = limits
            .iter()
            .map(|limit| (term_of(terms, &limit.bound, sort), limit.is_strict));
        written.collect::<Vec<(TermId, bool)>>()
    });
    // The greatest lower bound of the model, strict before not.
    let mut best: Option<(Rational, bool, usize)> = None;
    for (position, &(term, is_strict)) in lower.iter().enumerate() {
        let value = Evaluator::new(terms, model).value(term).ok()?;
        let key = (value.as_number()?.clone(), is_strict, position);
        if best
            .as_ref()
            .is_none_or(|best| (&best.0, best.1) < (&key.0, key.1))
        {
            best = Some(key);
        }
    }
    let (_, is_strict, chosen) = best?;
    let greatest = lower[chosen].0;
    let order = |terms: &mut Terms, small: TermId, large: TermId, strictly: bool| match strictly {
        true => terms.lt(small, large),
        false => terms.le(small, large),
    };
    for (position, &(term, is_other_strict)) in lower.iter().enumerate() {
        if position != chosen {
            others.push(order(terms, term, greatest, is_other_strict && !is_strict));
        }
    }
    for &(term, is_other_strict) in &upper {
        others.push(order(terms, greatest, term, is_strict || is_other_strict));
    }
    Some(others)
}
