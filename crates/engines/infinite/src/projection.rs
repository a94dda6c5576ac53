//! Model-based projection (Komuravelli, Gurfinkel, Chaki 2014): variables are eliminated from a conjunction of literals, guided by a model.
//!
//! The result implies that values of the eliminated variables exist, and is true in the model; it is not the whole projection. Equations
//! are solved; among bounds the greatest lower one of the model is chosen; where a variable has a factor other than 1 in integers, or
//! occurs where nothing linear is known, its value in the model is put in.

use entail_first_order::{Evaluator, Interpretation, Op, Rational, SortId, TermId, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A linear sum: factors of terms, and a constant.
#[derive(Clone, Debug, Default)]
struct Sum {
    factors: BTreeMap<TermId, Rational>,
    constant: Rational,
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

fn term_of(terms: &mut Terms, sum: &Sum, sort: SortId) -> TermId {
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

/// Equations of numbers as two inequalities, so that cubes can be weakened on one side.
pub(crate) fn split_equations(terms: &mut Terms, literals: &[TermId]) -> Vec<TermId> {
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
pub(crate) fn project(
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

fn eliminate_by_equation(terms: &mut Terms, literals: Vec<TermId>, constant: TermId) -> Vec<TermId> {
    for &literal in &literals {
        if *terms.op(literal) != Op::Eq {
            continue;
        }
        let [a, b] = [terms.args(literal)[0], terms.args(literal)[1]];
        let sort = terms.sort_of(a);
        let solution = if sort.is_arithmetic() {
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
            let Some(factor) = sum.factors.remove(&constant) else {
                continue;
            };
            let own = terms.sort_of(constant);
            let others: Vec<TermId> = sum.factors.keys().copied().collect();
            let is_hidden = terms.cone(&others).contains(&constant);
            let is_whole = own == SortId::REAL
                || factor.abs().is_one()
                    && sum.constant.is_integer()
                    && sum
                        .factors
                        .iter()
                        .all(|(&term, factor)| factor.is_integer() && terms.sort_of(term) == SortId::INT);
            if is_hidden || !is_whole {
                continue;
            }
            let scale = -(&factor.recip());
            sum.constant = &sum.constant * &scale;
            sum.factors
                .values_mut()
                .for_each(|value| *value = &*value * &scale);
            term_of(terms, &sum, own)
        } else if a == constant && !terms.cone(&[b]).contains(&constant) {
            b
        } else if b == constant && !terms.cone(&[a]).contains(&constant) {
            a
        } else {
            continue;
        };
        return replace(terms, &literals, constant, solution);
    }
    literals
}

fn put_in_value(
    terms: &mut Terms,
    model: &Interpretation,
    literals: &[TermId],
    constant: TermId,
) -> Option<Vec<TermId>> {
    let value = Evaluator::new(terms, model).value(constant).ok()?;
    let sort = terms.sort_of(constant);
    let term = match value {
        Value::Number(value) => terms.numeral(value, sort),
        Value::Word(value) => {
            let width = terms.width(constant);
            terms.word(value, width)
        }
        Value::Bool(value) => terms.bool(value),
        _ => return None,
    };
    Some(replace(terms, literals, constant, term))
}

/// `sum <= 0`, or `sum < 0` if strict, with the constant's factor taken out.
struct Limit {
    is_strict: bool,
    /// The constant is at least (factor negative) or at most (positive) this.
    bound: Sum,
}

fn eliminate_number(
    terms: &mut Terms,
    model: &Interpretation,
    literals: Vec<TermId>,
    constant: TermId,
) -> Option<Vec<TermId>> {
    let sort = terms.sort_of(constant);
    let mut others = Vec::new();
    let (mut lower, mut upper): (Vec<Limit>, Vec<Limit>) = (Vec::new(), Vec::new());
    for &literal in &literals {
        if !terms.cone(&[literal]).contains(&constant) {
            others.push(literal);
            continue;
        }
        let (atom, is_true) = match terms.op(literal) {
            Op::Not => (terms.args(literal)[0], false),
            _ => (literal, true),
        };
        let args = terms.args(atom).to_vec();
        let mut evaluator = Evaluator::new(terms, model);
        let sides: Vec<(TermId, TermId, bool)> = match (terms.op(atom), is_true) {
            (Op::Le, true) => vec![(args[0], args[1], false)],
            (Op::Le, false) => vec![(args[1], args[0], true)],
            (Op::Eq, true) => vec![(args[0], args[1], false), (args[1], args[0], false)],
            (Op::Eq, false) if terms.sort_of(args[0]).is_arithmetic() => {
                let (a, b) = (evaluator.value(args[0]).ok()?, evaluator.value(args[1]).ok()?);
                let is_less = a.as_number()? < b.as_number()?;
                vec![if is_less {
                    (args[0], args[1], true)
                } else {
                    (args[1], args[0], true)
                }]
            }
            _ => return put_in_value(terms, model, &literals, constant),
        };
        for (small, large, is_strict) in sides {
            let mut sum = sum_of(terms, small);
            let right = sum_of(terms, large);
            sum.constant = &sum.constant - &right.constant;
            for (term, factor) in right.factors {
                let entry = sum.factors.entry(term).or_default();
                *entry = &*entry - &factor;
                if entry.is_zero() {
                    sum.factors.remove(&term);
                }
            }
            let Some(factor) = sum.factors.remove(&constant) else {
                return put_in_value(terms, model, &literals, constant);
            };
            let hidden: Vec<TermId> = sum.factors.keys().copied().collect();
            let is_integer = sort == SortId::INT;
            let mut is_strict = is_strict;
            if is_integer {
                let is_whole = factor.abs().is_one()
                    && sum.constant.is_integer()
                    && sum
                        .factors
                        .iter()
                        .all(|(&term, value)| value.is_integer() && terms.sort_of(term) == SortId::INT);
                if !is_whole {
                    return put_in_value(terms, model, &literals, constant);
                }
                if is_strict {
                    sum.constant += &Rational::one();
                    is_strict = false;
                }
            }
            if terms.cone(&hidden).contains(&constant) {
                return put_in_value(terms, model, &literals, constant);
            }
            let scale = -(&factor.recip());
            sum.constant = &sum.constant * &scale;
            sum.factors
                .values_mut()
                .for_each(|value| *value = &*value * &scale);
            let limit = Limit {
                is_strict,
                bound: sum,
            };
            if factor.is_negative() {
                lower.push(limit)
            } else {
                upper.push(limit)
            }
        }
    }
    if lower.is_empty() || upper.is_empty() {
        return Some(others);
    }
    // The greatest lower bound of the model, strict before not.
    let mut best: Option<(Rational, bool, usize)> = None;
    let lower_terms: Vec<TermId> = lower
        .iter()
        .map(|limit| term_of(terms, &limit.bound, sort))
        .collect();
    let upper_terms: Vec<TermId> = upper
        .iter()
        .map(|limit| term_of(terms, &limit.bound, sort))
        .collect();
    for (position, &term) in lower_terms.iter().enumerate() {
        let value = Evaluator::new(terms, model)
            .value(term)
            .ok()?
            .as_number()?
            .clone();
        let key = (value, lower[position].is_strict);
        if best
            .as_ref()
            .is_none_or(|(value, is_strict, _)| (value, is_strict) < (&key.0, &key.1))
        {
            best = Some((key.0, key.1, position));
        }
    }
    let (_, is_strict, chosen) = best?;
    let greatest = lower_terms[chosen];
    for (position, &term) in lower_terms.iter().enumerate() {
        if position != chosen {
            let stricter = lower[position].is_strict && !is_strict;
            others.push(if stricter {
                terms.lt(term, greatest)
            } else {
                terms.le(term, greatest)
            });
        }
    }
    for (position, &term) in upper_terms.iter().enumerate() {
        let strictly = is_strict || upper[position].is_strict;
        others.push(if strictly {
            terms.lt(greatest, term)
        } else {
            terms.le(greatest, term)
        });
    }
    Some(others)
}
