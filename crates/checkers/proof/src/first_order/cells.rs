//! Polynomial conditions without a common solution over the reals, judged by a full decomposition into open cells.
//!
//! Where all conditions are strict, the solutions form an open set, so it is enough to look at one point of every open cell of a cylindrical
//! decomposition (Strzeboński 2000): polynomials are projected by leading coefficients, discriminants and pairwise resultants, and points are
//! lifted between the real roots. A condition `p >= 0` is first widened to `p > -margin`, which excludes more; where the widened conditions have a
//! solution, the cases `p > 0` and `p = 0` are judged apart, the latter by putting in what the equation says of a variable.
//!
//! Nothing here is the solver's: resultants are determinants, roots are separated by Sturm's chains.

use super::polynomial::{Polynomial, Premises, Signs, add, constant, times};
use super::tower::{Tower, points_between_roots};
use entail_budget::Budget;
use entail_first_order::{Rational, TermId, Terms};

/// How many points are looked at.
const MOST_POINTS: usize = 60_000;
/// How many cases conditions that are not strict are split into.
const MOST_CASES: usize = 200;

type Conditions = Vec<(Polynomial, Signs)>;

/// Whether the negations of a clause's literals have no common solution.
pub(super) fn check_cells(
    terms: &Terms,
    margin: &Rational,
    clause: &[(TermId, bool)],
    budget: &Budget,
) -> Result<(), String> {
    if !margin.is_positive() {
        return Err("a margin must be positive".into());
    }
    let Premises(conditions) = Premises::of(terms, clause);
    let mut cases = MOST_CASES;
    match is_contradictory(conditions, margin, &mut cases, budget) {
        Some(true) => Ok(()),
        Some(false) => Err("the polynomial conditions may have a solution".into()),
        None => Err("the polynomial conditions are too large to be judged".into()),
    }
}

fn value_of(polynomial: &Polynomial) -> Option<Rational> {
    match polynomial.len() {
        0 => Some(Rational::zero()),
        1 => polynomial.get(&Vec::new()).cloned(),
        _ => None,
    }
}

/// A variable that an equation gives, and what it is.
fn given_by(equation: &Polynomial) -> Option<(TermId, Polynomial)> {
    let occurrences = |variable: TermId| {
        equation
            .keys()
            .filter(move |monomial| monomial.contains(&variable))
            .count()
    };
    let (variable, factor) = (equation.iter())
        .filter_map(|(monomial, factor)| Some((*monomial.first()?, factor, monomial.len())))
        .find(|&(variable, _, length)| length == 1 && occurrences(variable) == 1)
        .map(|(variable, factor, _)| (variable, factor.clone()))?;
    let mut rest = equation.clone();
    rest.remove(&vec![variable]);
    let mut value = Polynomial::new();
    add(&mut value, &rest, &-factor.recip());
    Some((variable, value))
}

fn replaced(polynomial: &Polynomial, variable: TermId, value: &Polynomial) -> Option<Polynomial> {
    let mut result = Polynomial::new();
    for (monomial, factor) in polynomial {
        let mut product = constant(factor);
        for &leaf in monomial {
            product = match leaf == variable {
                true => times(&product, value)?,
                false => times(&product, &Polynomial::from([(vec![leaf], Rational::one())]))?,
            };
        }
        add(&mut result, &product, &Rational::one());
    }
    Some(result)
}

const POSITIVE: Signs = Signs([false, false, true]);
const NEGATIVE: Signs = Signs([true, false, false]);

fn is_contradictory(
    mut conditions: Conditions,
    margin: &Rational,
    cases: &mut usize,
    budget: &Budget,
) -> Option<bool> {
    *cases = cases.checked_sub(1)?;
    loop {
        for (polynomial, signs) in &conditions {
            if let Some(value) = value_of(polynomial)
                && !signs.0[(value.signum() + 1) as usize]
            {
                return Some(true);
            }
        }
        conditions.retain(|(polynomial, _)| value_of(polynomial).is_none());
        let found =
            (conditions.iter()).position(|(one, signs)| *signs == Signs::ZERO && given_by(one).is_some());
        let Some(place) = found else { break };
        let (equation, _) = conditions.swap_remove(place);
        let (variable, value) = given_by(&equation)?;
        for (polynomial, _) in &mut conditions {
            *polynomial = replaced(polynomial, variable, &value)?;
        }
    }
    let mut positive = Vec::new();
    for (polynomial, signs) in &conditions {
        let [may_be_negative, may_be_zero, may_be_positive] = signs.0;
        if may_be_negative && may_be_positive {
            continue;
        }
        for (is_bounded, factor) in [(!may_be_negative, 1), (!may_be_positive, -1)] {
            if is_bounded {
                let mut wider = if may_be_zero {
                    constant(margin)
                } else {
                    Polynomial::new()
                };
                add(&mut wider, polynomial, &Rational::integer(factor));
                positive.push(wider);
            }
        }
    }
    if has_no_open_solution(&positive, budget)? {
        return Some(true);
    }
    // Take one that is not strict as strict, and as an equation.
    let place = (conditions.iter()).position(|(polynomial, signs)| {
        let is_one_sided = signs.0[1] && signs.0[0] != signs.0[2];
        is_one_sided && given_by(polynomial).is_some()
    });
    let Some(place) = place else {
        return Some(false);
    };
    let strict = if conditions[place].1.0[2] {
        POSITIVE
    } else {
        NEGATIVE
    };
    for signs in [Signs::ZERO, strict] {
        let mut case = conditions.clone();
        case[place].1 = signs;
        if !is_contradictory(case, margin, cases, budget)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Whether polynomials are nowhere positive at once.
fn has_no_open_solution(positive: &[Polynomial], budget: &Budget) -> Option<bool> {
    // Variables of high degrees get values first.
    let mut variables: Vec<TermId> = positive
        .iter()
        .flat_map(|one| one.keys().flatten().copied())
        .collect();
    variables.sort_unstable();
    variables.dedup();
    variables.sort_by_cached_key(|&variable| {
        let power = |monomial: &Vec<TermId>| monomial.iter().filter(|&&leaf| leaf == variable).count();
        let largest = positive.iter().flat_map(|one| one.keys().map(power)).max();
        std::cmp::Reverse(largest)
    });
    let inputs: Vec<Tower> = positive.iter().map(|one| Tower::of(one, &variables)).collect();
    let mut levels: Vec<Vec<Tower>> = vec![Vec::new(); variables.len() + 1];
    for input in &inputs {
        place(input, &mut levels)?;
    }
    for level in (2..=variables.len()).rev() {
        let here = levels[level].clone();
        for (index, polynomial) in here.iter().enumerate() {
            budget.check_now().ok()?;
            place(&polynomial.leading(), &mut levels)?;
            place(
                &polynomial.determinant_with(&polynomial.derivative())?,
                &mut levels,
            )?;
            for other in &here[..index] {
                place(&polynomial.determinant_with(other)?, &mut levels)?;
            }
        }
    }
    let mut points = MOST_POINTS;
    is_nowhere_positive(&inputs, &levels, 1, &mut points, budget)
}

/// Puts the square-free factors of a polynomial among those of their levels, where no two have a common factor.
fn place(polynomial: &Tower, levels: &mut [Vec<Tower>]) -> Option<()> {
    let mut waiting = polynomial.square_free_factors()?;
    'next: while let Some(factor) = waiting.pop() {
        let level = factor.level();
        if level == 0 {
            continue;
        }
        for known in 0..levels[level].len() {
            let common = levels[level][known].gcd(&factor)?;
            if common.level() == level {
                let old = levels[level].swap_remove(known);
                let parts = [old.quotient(&common)?, factor.quotient(&common)?, common];
                waiting.extend(parts.into_iter().filter(|part| part.level() == level));
                continue 'next;
            }
        }
        levels[level].push(factor);
    }
    Some(())
}

/// Whether at every point above the present one, some input is not positive. The variables before `level` have values in all polynomials.
fn is_nowhere_positive(
    inputs: &[Tower],
    levels: &[Vec<Tower>],
    level: usize,
    points: &mut usize,
    budget: &Budget,
) -> Option<bool> {
    *points = points.checked_sub(1)?;
    budget.check_now().ok()?;
    for input in inputs {
        if let Tower::Number(value) = input
            && !value.is_positive()
        {
            return Some(true);
        }
    }
    if level == levels.len() {
        return Some(false);
    }
    for point in points_between_roots(&levels[level])? {
        let above: Vec<Tower> = inputs.iter().map(|input| input.at(level, &point)).collect();
        let mut rest = levels.to_vec();
        for polynomials in &mut rest[level + 1..] {
            for polynomial in polynomials {
                *polynomial = polynomial.at(level, &point);
            }
        }
        if !is_nowhere_positive(&above, &rest, level + 1, points, budget)? {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_first_order::SortId;

    /// Whether the conditions on two numbers are accepted as contradictory.
    fn accepted(conditions: impl Fn(&mut Terms, TermId, TermId) -> Vec<(TermId, bool)>) -> bool {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.constant(name, SortId::REAL));
        // A clause says that not all of them hold.
        let clause: Vec<(TermId, bool)> = conditions(&mut terms, x, y)
            .into_iter()
            .map(|(atom, value)| (atom, !value))
            .collect();
        let margin = &Rational::one() / &Rational::integer(1000);
        check_cells(&terms, &margin, &clause, &Budget::unlimited()).is_ok()
    }

    fn real(terms: &mut Terms, numerator: i64, denominator: i64) -> TermId {
        let value = &Rational::integer(numerator) / &Rational::integer(denominator);
        terms.numeral(value, SortId::REAL)
    }

    /// `x + y` on a disc is at most the root of twice the square of its radius.
    fn disc_and_line(numerator: i64, denominator: i64) -> bool {
        accepted(|terms, x, y| {
            let squares = [terms.mul(&[x, x], SortId::REAL), terms.mul(&[y, y], SortId::REAL)];
            let (sum, distance) = (
                terms.add(&[x, y], SortId::REAL),
                terms.add(&squares, SortId::REAL),
            );
            let (radius, least) = (real(terms, 1, 5), real(terms, numerator, denominator));
            vec![(terms.le(distance, radius), true), (terms.le(sum, least), false)]
        })
    }

    #[test]
    fn conditions_are_contradictory_where_they_are() {
        // The root of 2/5 is 0.6324...
        assert!(disc_and_line(2, 3) && disc_and_line(64, 100));
        assert!(!disc_and_line(63, 100) && !disc_and_line(1, 2));
    }

    #[test]
    fn linear_borders_are_looked_at_exactly() {
        let signs = |strict: bool| {
            accepted(|terms, x, y| {
                let zero = real(terms, 0, 1);
                let product = terms.mul(&[x, y], SortId::REAL);
                let last = match strict {
                    true => (terms.le(zero, product), false),
                    false => (terms.le(product, zero), true),
                };
                vec![(terms.le(zero, x), true), (terms.le(zero, y), true), last]
            })
        };
        assert!(signs(true));
        assert!(!signs(false));
    }

    #[test]
    fn borders_of_higher_degree_are_not_believed() {
        // x^2 <= 0 and x > 0: true, but not with any margin.
        let touching = accepted(|terms, x, _| {
            let zero = real(terms, 0, 1);
            let square = terms.mul(&[x, x], SortId::REAL);
            vec![(terms.le(square, zero), true), (terms.le(x, zero), false)]
        });
        assert!(!touching);
    }
}
