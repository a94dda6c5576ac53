//! Instances of universal formulas from the bounds that a counterexample meets (Reynolds, King, Kuncak 2017; the test points of Loos and
//! Weispfenning, Ferrante and Rackoff, and Cooper).
//!
//! A counterexample gives numbers to the bound variables. The inequalities of the body that are true there bound a variable from both sides
//! by sums of others; the greatest lower bound, or a point between it and the least upper one, is a term that meets the same
//! inequalities, and it follows the model when that changes, as the number does not. A formula has finitely many such terms, so that
//! for linear reals the instances come to an end. Variables are replaced one after the other; a variable that occurs where nothing
//! linear is known keeps its number.

use crate::projection::{Sum, difference, term_of};
use entail_first_order::{Evaluator, Interpretation, Op, Rational, SortId, SymbolId, TermId, Terms, Value};
use rustc_hash::FxHashMap;

/// A bound of a variable `x`: `factor * x` is at least, or at most, the sum.
struct Bound {
    factor: Rational,
    sum: Sum,
    is_lower: bool,
    is_strict: bool,
}

/// Terms for the bound variables of a universal formula that have a counterexample's place among the bounds; `model` gives values to
/// the variables, too. None if no variable has a bound, or a value cannot be written.
pub(crate) fn bound_terms(
    terms: &mut Terms,
    model: &Interpretation,
    bound: &[SymbolId],
    body: TermId,
) -> Option<Vec<TermId>> {
    let variables: Vec<TermId> = bound.iter().map(|&symbol| terms.constant_of(symbol)).collect();
    let mut atoms: Vec<TermId> = atoms_outside_quantifiers(terms, body);
    let mut chosen: Vec<TermId> = Vec::with_capacity(variables.len());
    let mut is_any_bounded = false;
    for &variable in &variables {
        let term = match terms.sort_of(variable).is_arithmetic() {
            true => point(terms, model, &atoms, variable),
            false => None,
        };
        is_any_bounded |= term.is_some();
        let term = match term {
            Some(term) => term,
            None => {
                let value = Evaluator::new(terms, model).value(variable).ok()?;
                terms.literal_term(&value, terms.sort_of(variable))?
            }
        };
        atoms = replace(terms, &atoms, variable, term);
        for earlier in &mut chosen {
            *earlier = replace(terms, &[*earlier], variable, term)[0];
        }
        chosen.push(term);
    }
    is_any_bounded.then_some(chosen)
}

fn replace(terms: &mut Terms, all: &[TermId], from: TermId, to: TermId) -> Vec<TermId> {
    let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
    map.insert(from, to);
    terms.substitute(all, &mut map)
}

/// Equations and inequalities of numbers in a formula.
fn atoms_outside_quantifiers(terms: &Terms, formula: TermId) -> Vec<TermId> {
    let mut seen = rustc_hash::FxHashSet::default();
    let (mut waiting, mut found) = (vec![formula], Vec::new());
    while let Some(term) = waiting.pop() {
        if !seen.insert(term) || matches!(terms.op(term), Op::Forall(_)) {
            continue;
        }
        match terms.op(term) {
            Op::Le => found.push(term),
            Op::Eq if terms.sort_of(terms.args(term)[0]).is_arithmetic() => found.push(term),
            _ => {}
        }
        waiting.extend(terms.args(term));
    }
    found.sort_unstable();
    found
}

/// What an atom says of a variable where its sides have these values; none if it is not linear in it.
fn bound_of(terms: &Terms, model: &Interpretation, atom: TermId, variable: TermId) -> Option<Vec<Bound>> {
    // A term put in its place may have decided an atom.
    let (Op::Le | Op::Eq, &[a, b]) = (terms.op(atom), terms.args(atom)) else {
        return Some(Vec::new());
    };
    let mut sum = difference(terms, a, b);
    let Some(mut factor) = sum.factors.remove(&variable) else {
        return match terms.cone(&[atom]).contains(&variable) {
            true => None,
            false => Some(Vec::new()),
        };
    };
    if terms
        .cone(&sum.factors.keys().copied().collect::<Vec<_>>())
        .contains(&variable)
    {
        return None;
    }
    let mut evaluator = Evaluator::new(terms, model);
    let (left, right) = (evaluator.value(a).ok()?, evaluator.value(b).ok()?);
    let (left, right) = (left.as_number()?, right.as_number()?);
    // `factor * variable + sum` is below, at or above 0; now `factor * variable` beside the negated sum, with a positive factor.
    let is_equal = left == right;
    let mut is_lower = left > right;
    sum.scale(&Rational::integer(-1));
    if factor.is_negative() {
        is_lower = !is_lower;
        factor = -factor;
        sum.scale(&Rational::integer(-1));
    }
    let is_strict = !is_equal && (*terms.op(atom) == Op::Eq || left > right);
    if terms.sort_of(variable) == SortId::INT {
        let denominators =
            (sum.factors.values().chain([&sum.constant, &factor])).map(|value| value.denominator_number());
        let scale = denominators.fold(Rational::one(), |all, one| &(&all * &one) / &all.gcd(&one));
        sum.scale(&scale);
        factor = &factor * &scale;
        if !sum.is_whole(terms) {
            return None;
        }
    } else {
        sum.scale(&factor.recip());
        factor = Rational::one();
    }
    let sides = match is_equal {
        true => vec![true, false],
        false => vec![is_lower],
    };
    let bounds = sides.into_iter().map(|is_lower| Bound {
        factor: factor.clone(),
        sum: sum.clone(),
        is_lower,
        is_strict,
    });
    Some(bounds.collect())
}

/// A term for a variable that lies among its bounds as the variable does in the model.
fn point(terms: &mut Terms, model: &Interpretation, atoms: &[TermId], variable: TermId) -> Option<TermId> {
    let sort = terms.sort_of(variable);
    let mut bounds: Vec<Bound> = Vec::new();
    let mut period = Rational::one();
    for &atom in atoms {
        match bound_of(terms, model, atom, variable) {
            Some(found) => bounds.extend(found),
            None => period = &period * &quotient_period(terms, atom, variable)?,
        }
    }
    let number = |terms: &Terms, term: TermId| match Evaluator::new(terms, model).value(term) {
        Ok(Value::Number(value)) => Some(value),
        _ => None,
    };
    let own = number(terms, variable)?;
    // The tightest bound of each side: its value, whether it is strict, and its term.
    let mut best: [Option<(Rational, bool, TermId)>; 2] = [None, None];
    for bound in &bounds {
        let mut sum = bound.sum.clone();
        let mut is_strict = bound.is_strict;
        let sign = if bound.is_lower { 1 } else { -1 };
        if sort == SortId::INT && is_strict {
            sum.constant += &Rational::integer(sign);
            is_strict = false;
        }
        let term = term_of(terms, &sum, sort);
        let value = number(terms, term)?;
        let exact = &value / &bound.factor;
        let rounded = match (sort == SortId::INT, bound.is_lower) {
            (false, _) => exact,
            (true, true) => exact.ceil(),
            (true, false) => exact.floor(),
        };
        let term = match bound.factor.is_one() {
            true => term,
            // What the sum lacks to be divisible in the model.
            false => {
                let lacking = &(&rounded * &bound.factor) - &value;
                let lacking = terms.numeral(lacking, sort);
                let (divided, divisor) = (
                    terms.add(&[term, lacking], sort),
                    terms.numeral(bound.factor.clone(), sort),
                );
                terms.int_div(divided, divisor)
            }
        };
        let place = &mut best[usize::from(!bound.is_lower)];
        let is_tighter = match place {
            None => true,
            Some((known, was_strict, _)) if *known == rounded => is_strict && !*was_strict,
            Some((known, ..)) => (rounded > *known) == bound.is_lower,
        };
        if is_tighter {
            *place = Some((rounded, is_strict, term));
        }
    }
    let add = |terms: &mut Terms, term: TermId, value: Rational| {
        let value = terms.numeral(value, sort);
        terms.add(&[term, value], sort)
    };
    // How far the variable is beyond a bound, in the period of the quotients it occurs in.
    let beyond = |distance: Rational| &distance - &(&period * &(&distance / &period).floor());
    let one = Rational::one();
    Some(match best {
        [Some((value, false, term)), _] if sort == SortId::INT => add(terms, term, beyond(&own - &value)),
        [None, Some((value, false, term))] if sort == SortId::INT => add(terms, term, -beyond(&value - &own)),
        [Some((_, false, term)), _] | [_, Some((_, false, term))] => term,
        [Some((_, true, low)), Some((_, true, high))] => {
            let sum = terms.add(&[low, high], sort);
            let half = terms.numeral(Rational::integer(2).recip(), sort);
            terms.mul(&[half, sum], sort)
        }
        [Some((_, true, low)), None] => add(terms, low, one),
        [None, Some((_, true, high))] => add(terms, high, -one),
        [None, None] => return None,
    })
}

/// The number that a variable can be changed by without changing what quotients in an atom leave over, if it occurs in such only.
fn quotient_period(terms: &Terms, atom: TermId, variable: TermId) -> Option<Rational> {
    let mut period = Rational::one();
    let mut is_inside = false;
    for term in terms.cone(&[atom]) {
        if !terms.cone(&[term]).contains(&variable) || term == variable {
            continue;
        }
        match terms.op(term) {
            Op::IntDiv => {
                period = &period * &terms.number(terms.args(term)[1])?.abs();
                is_inside = true;
            }
            Op::Le | Op::Eq | Op::Add | Op::ToReal => {}
            Op::Mul if terms.number(terms.args(term)[0]).is_some() => {}
            _ => return None,
        }
    }
    (is_inside && !period.is_zero()).then_some(period)
}
