//! Models of formulas with products, by fixing some of the factors.
//!
//! Enough constants get values for every product to become linear; the rest is decided. Values come from the model that the linear part
//! has, rounded, and from small numbers. Nothing follows when no guess succeeds; a guess that does is evaluated here and by the caller.

use crate::solver::{Answer, Solver};
use entail_budget::Budget;
use entail_first_order::{
    Evaluator, FunctionValue, Interpretation, Op, Rational, SortId, TermId, Terms, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// Small numbers that are tried, as numerators and denominators.
const SMALL: [(i64, i64); 14] = [
    (0, 1),
    (1, 1),
    (-1, 1),
    (2, 1),
    (-2, 1),
    (1, 2),
    (3, 1),
    (-1, 2),
    (-3, 1),
    (4, 1),
    (5, 1),
    (10, 1),
    (-10, 1),
    (100, 1),
];

fn is_number(terms: &Terms, term: TermId) -> bool {
    terms.number(term).is_some()
}

/// Whether formulas have products or quotients of variables.
pub fn has_products(terms: &Terms, formulas: &[TermId]) -> bool {
    terms.cone(formulas).iter().any(|&term| {
        let args = terms.args(term);
        match terms.op(term) {
            Op::Mul => args.iter().filter(|&&arg| !is_number(terms, arg)).count() > 1,
            Op::Divide | Op::IntDiv => !is_number(terms, args[1]),
            _ => false,
        }
    })
}

/// The numeric constants that terms depend on.
pub(crate) fn numeric_constants(terms: &Terms, roots: &[TermId]) -> Vec<TermId> {
    let mut all = terms.cone(roots);
    all.retain(|&term| {
        matches!(terms.op(term), Op::Apply(_))
            && terms.args(term).is_empty()
            && terms.sort_of(term).is_arithmetic()
    });
    all
}

/// Constants that make every product linear when they are fixed.
fn cover(terms: &Terms, formulas: &[TermId]) -> Vec<TermId> {
    let mut fixed: FxHashSet<TermId> = FxHashSet::default();
    let mut order = Vec::new();
    for term in terms.cone(formulas) {
        let args: Vec<TermId> = terms
            .args(term)
            .iter()
            .copied()
            .filter(|&arg| !is_number(terms, arg))
            .collect();
        let first = match terms.op(term) {
            Op::Mul if args.len() > 1 => &args[..],
            Op::Divide | Op::IntDiv if !is_number(terms, terms.args(term)[1]) => &terms.args(term)[1..],
            _ => continue,
        };
        let open = |arg: TermId, fixed: &FxHashSet<TermId>| -> Vec<TermId> {
            numeric_constants(terms, &[arg])
                .into_iter()
                .filter(|constant| !fixed.contains(constant))
                .collect()
        };
        let mut factors: Vec<Vec<TermId>> = first
            .iter()
            .map(|&arg| open(arg, &fixed))
            .filter(|all| !all.is_empty())
            .collect();
        if *terms.op(term) == Op::Mul {
            // One factor may stay open if it shares nothing with the others.
            factors.sort_by_key(Vec::len);
            if let Some(last) = factors.pop() {
                let shared = factors.iter().flatten().any(|constant| last.contains(constant));
                if shared {
                    factors.push(last);
                }
            }
        }
        for constant in factors.into_iter().flatten() {
            if fixed.insert(constant) {
                order.push(constant);
            }
        }
    }
    order
}

fn rounded(value: &Rational, sort: SortId, attempt: usize) -> Rational {
    match (sort == SortId::INT, attempt) {
        (false, 0) => value.clone(),
        (_, 1) => value.ceil(),
        _ => value.floor(),
    }
}

/// A model of formulas without quantifiers, if a guess finds one. Values near which there may be one are tried first.
pub(crate) fn guess(
    terms: &mut Terms,
    formulas: &[TermId],
    near: &[FxHashMap<TermId, Rational>],
    tries: usize,
    budget: &Budget,
) -> Option<Interpretation> {
    let order = cover(terms, formulas);
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    // The latest values are the nearest.
    let first: Vec<(&FxHashMap<TermId, Rational>, usize)> = (near.iter().rev())
        .flat_map(|sample| (0..3).map(move |rounding| (sample, rounding)))
        .collect();
    for attempt in 0..first.len() + tries {
        budget.check_now().ok()?;
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut chosen = Vec::new();
        for &constant in &order {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let random = (seed >> 33) as usize;
            let sort = terms.sort_of(constant);
            let blind = attempt.saturating_sub(first.len());
            let sample = match first.get(attempt) {
                Some(&sample) => Some(sample),
                None if blind < tries / 2 && random.is_multiple_of(3) => near.last().map(|last| (last, 2)),
                None => None,
            };
            let known = sample.and_then(|(sample, rounding)| Some((sample.get(&constant)?, rounding)));
            let value = match known {
                Some((value, rounding)) => rounded(value, sort, rounding),
                None if blind < 5 => Rational::integer(SMALL[blind % 5].0),
                None => {
                    let range = if blind < tries / 2 { 7 } else { SMALL.len() };
                    let (numerator, denominator) = SMALL[(random / 3) % range];
                    let denominator = if sort == SortId::INT { 1 } else { denominator };
                    &Rational::integer(numerator) / &Rational::integer(denominator)
                }
            };
            let number = terms.numeral(value.clone(), sort);
            map.insert(constant, number);
            chosen.push((constant, value));
        }
        let linear = terms.substitute(formulas, &mut map);
        if linear.contains(&terms.falsehood()) {
            continue;
        }
        let mut solver = Solver::new(false);
        let part = budget.part(Duration::from_millis(150));
        solver.watch(&part);
        linear.iter().for_each(|&formula| solver.assert(terms, formula));
        let Ok(Answer::Satisfiable) = solver.check(terms, &[], &part) else {
            continue;
        };
        let mut model = solver.model().cloned().unwrap_or_default();
        for (constant, value) in chosen {
            if let Op::Apply(symbol) = terms.op(constant) {
                model
                    .functions
                    .insert(*symbol, FunctionValue::constant(Value::Number(value)));
            }
        }
        let mut evaluator = Evaluator::new(terms, &model);
        if formulas
            .iter()
            .all(|&formula| evaluator.is_true(formula) == Ok(true))
        {
            return Some(model);
        }
    }
    None
}
