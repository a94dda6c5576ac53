//! Systems of polynomial conditions over the reals.
//!
//! Equations that give a variable as a polynomial in the others are used up first. Then values are tried, variable after variable, each within what the
//! conditions leave; then the strict conditions are covered. A condition `p >= 0` is either strict or an equation; where that equation
//! gives no variable, `p > -margin` is refuted instead, which is more than is needed.

use super::covering::{Covered, cover};
use super::line::{Root, simplest_between};
use super::polynomial::Polynomial;
use entail_budget::{Budget, Spent};
use entail_first_order::Rational;
use std::collections::BTreeSet;
use std::time::Duration;

/// What a polynomial is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Positive,
    NotNegative,
    Zero,
    NotZero,
}

impl Relation {
    fn admits(self, sign: i32) -> bool {
        match self {
            Relation::Positive => sign > 0,
            Relation::NotNegative => sign >= 0,
            Relation::Zero => sign == 0,
            Relation::NotZero => sign != 0,
        }
    }
}

/// A polynomial with what it is to be.
pub(super) type Condition = (Polynomial, Relation);

/// What came of a system.
#[derive(Debug)]
pub(super) enum Outcome {
    /// Values of the variables.
    Values(Vec<Rational>),
    /// These conditions contradict each other, even with this margin at those that are not strict.
    Contradiction(BTreeSet<usize>),
    /// Neither was found.
    Open,
}

/// How far a condition that is not strict is widened.
pub(super) fn margin() -> Rational {
    &Rational::one() / &Rational::integer(1 << 20)
}

/// How many times values are tried.
const TRIES: usize = 48;
/// How many variables a covering may have.
const MOST_COVERED: usize = 6;
/// How many cases conditions that are not strict are split into.
const MOST_CASES: usize = 24;

#[derive(Clone)]
struct Item {
    polynomial: Polynomial,
    relation: Relation,
    reasons: BTreeSet<usize>,
}

/// Decides a system, with values to be tried first.
pub(super) fn solve(
    conditions: &[Condition],
    near: &[Rational],
    time: Duration,
    budget: &Budget,
) -> Result<Outcome, Spent> {
    let items: Vec<Item> = (conditions.iter().enumerate())
        .map(|(index, (polynomial, relation))| Item {
            polynomial: polynomial.clone(),
            relation: *relation,
            reasons: BTreeSet::from([index]),
        })
        .collect();
    let part = budget.part(time);
    let attempt = |items: Vec<Item>, tries_values: bool| {
        let mut cases = MOST_CASES;
        solve_items(items, near, tries_values, &mut cases, &part)
    };
    let mut outcome = match attempt(items.clone(), true) {
        Ok(outcome) => outcome,
        Err(_) => {
            budget.check_now()?;
            return Ok(Outcome::Open);
        }
    };
    // A contradiction of fewer conditions excludes more, and is judged more easily.
    let Outcome::Contradiction(core) = &mut outcome else {
        return Ok(outcome);
    };
    for candidate in core.clone() {
        let fewer = (core.iter())
            .filter(|&&index| index != candidate)
            .map(|&index| items[index].clone());
        match attempt(fewer.collect(), false) {
            Ok(Outcome::Contradiction(smaller)) if core.contains(&candidate) => *core = smaller,
            Ok(_) => {}
            Err(_) => break,
        }
    }
    Ok(outcome)
}

/// A variable that an equation gives, and what it is.
fn solved_for(equation: &Polynomial) -> Option<(usize, Polynomial)> {
    let mut variables: Vec<usize> = equation.variables().collect();
    variables.sort_unstable();
    variables.dedup();
    variables.into_iter().rev().find_map(|variable| {
        let coefficients = equation.coefficients(variable);
        let [rest, factor] = coefficients.as_slice() else {
            return None;
        };
        let factor = factor.as_constant()?;
        Some((variable, rest.scaled(&-factor.recip())))
    })
}

fn solve_items(
    mut items: Vec<Item>,
    near: &[Rational],
    tries_values: bool,
    cases: &mut usize,
    budget: &Budget,
) -> Result<Outcome, Spent> {
    let mut given: Vec<(usize, Polynomial)> = Vec::new();
    loop {
        budget.check_now()?;
        for item in &items {
            if let Some(value) = item.polynomial.as_constant()
                && !item.relation.admits(value.signum())
            {
                return Ok(Outcome::Contradiction(item.reasons.clone()));
            }
        }
        items.retain(|item| item.polynomial.as_constant().is_none());
        let found = (items.iter().enumerate()).find_map(|(place, item)| {
            let is_equation = item.relation == Relation::Zero;
            is_equation
                .then(|| solved_for(&item.polynomial))
                .flatten()
                .map(|(variable, value)| (place, variable, value))
        });
        let Some((place, variable, value)) = found else {
            break;
        };
        let equation = items.swap_remove(place);
        for item in &mut items {
            if item.polynomial.degree(variable) > 0 {
                let Ok(replaced) = item.polynomial.with(variable, &value) else {
                    return Ok(Outcome::Open);
                };
                item.polynomial = replaced;
                item.reasons.extend(&equation.reasons);
            }
        }
        given.push((variable, value));
    }
    let lift = |mut values: Vec<Rational>| {
        for (variable, value) in given.iter().rev() {
            let mut number = value.clone();
            for (other, known) in values.iter().enumerate() {
                number = number.at(other, known);
            }
            values[*variable] = number.as_constant().unwrap_or_default();
        }
        Outcome::Values(values)
    };
    if items.is_empty() {
        return Ok(lift(near.to_vec()));
    }
    let order = Order::of(&items);
    if tries_values && let Some(values) = try_values(&items, &order, near, budget)? {
        return Ok(lift(values));
    }
    if order.0.len() > MOST_COVERED {
        return Ok(Outcome::Open);
    }
    let strict = |item: &Item| item.relation == Relation::Positive;
    let covered = cover_items(&items, &order, None, budget)?;
    let core = match covered {
        Covered::Open => return Ok(Outcome::Open),
        Covered::Sample(sample) => {
            let values = order.back(&sample, near);
            let is_solution = items.iter().all(|item| {
                let sign = sign_at(&item.polynomial, &values);
                item.relation.admits(sign)
            });
            return Ok(if is_solution { lift(values) } else { Outcome::Open });
        }
        Covered::Nothing(core) => core,
    };
    let reasons = |core: &BTreeSet<usize>| {
        let all = core
            .iter()
            .flat_map(|&place| items[place].reasons.iter().copied());
        Outcome::Contradiction(all.collect())
    };
    if core.iter().all(|&place| strict(&items[place])) {
        return Ok(reasons(&core));
    }
    if let Covered::Nothing(core) = cover_items(&items, &order, Some(&margin()), budget)? {
        return Ok(reasons(&core));
    }
    split(items, &core, near, cases, budget).map(|outcome| match outcome {
        Outcome::Values(values) => lift(values),
        outcome => outcome,
    })
}

/// Takes a condition that is not strict as strict, and as an equation.
fn split(
    items: Vec<Item>,
    core: &BTreeSet<usize>,
    near: &[Rational],
    cases: &mut usize,
    budget: &Budget,
) -> Result<Outcome, Spent> {
    let place = (core.iter().copied()).find(|&place| {
        let item = &items[place];
        item.relation == Relation::NotNegative && solved_for(&item.polynomial).is_some()
    });
    let Some(place) = place else {
        return Ok(Outcome::Open);
    };
    let mut all = BTreeSet::new();
    for relation in [Relation::Zero, Relation::Positive] {
        let Some(left) = cases.checked_sub(1) else {
            return Ok(Outcome::Open);
        };
        *cases = left;
        let mut case = items.clone();
        case[place].relation = relation;
        match solve_items(case, near, relation == Relation::Zero, cases, budget)? {
            Outcome::Contradiction(reasons) => all.extend(reasons),
            outcome => return Ok(outcome),
        }
    }
    Ok(Outcome::Contradiction(all))
}

fn sign_at(polynomial: &Polynomial, values: &[Rational]) -> i32 {
    let mut result = polynomial.clone();
    for (variable, value) in values.iter().enumerate() {
        result = result.at(variable, value);
    }
    result.as_constant().unwrap_or_default().signum()
}

/// Variables in the order in which they get values: those of high degrees first, so that those of low degrees are projected away first.
struct Order(Vec<usize>);

impl Order {
    fn of(items: &[Item]) -> Order {
        let variables: BTreeSet<usize> = items
            .iter()
            .flat_map(|item| item.polynomial.variables())
            .collect();
        let mut order: Vec<usize> = variables.into_iter().collect();
        order.sort_by_cached_key(|&variable| {
            let degrees = items.iter().map(|item| item.polynomial.degree(variable));
            let largest = degrees.clone().max().unwrap_or(0);
            (
                std::cmp::Reverse(largest),
                degrees.filter(|&degree| degree > 0).count(),
                variable,
            )
        });
        Order(order)
    }

    /// A polynomial over places in the order.
    fn renamed(&self, polynomial: &Polynomial) -> Polynomial {
        // Out of the way first, so that no name is taken twice.
        let far = 1 << 32;
        let mut result = polynomial.clone();
        for shift in [true, false] {
            for (place, &variable) in self.0.iter().enumerate() {
                let (from, to) = if shift {
                    (variable, far + place)
                } else {
                    (far + place, place)
                };
                if let Ok(renamed) = result.with(from, &Polynomial::variable(to)) {
                    result = renamed;
                }
            }
        }
        result
    }

    fn back(&self, sample: &[Rational], near: &[Rational]) -> Vec<Rational> {
        let mut values = near.to_vec();
        for (&variable, value) in self.0.iter().zip(sample) {
            values[variable] = value.clone();
        }
        values
    }
}

/// Covers the conditions as strict ones; with a margin, those that were not strict are widened by it.
fn cover_items(
    items: &[Item],
    order: &Order,
    margin: Option<&Rational>,
    budget: &Budget,
) -> Result<Covered, Spent> {
    let mut positive = Vec::new();
    let mut origins = Vec::new();
    for (place, item) in items.iter().enumerate() {
        let polynomial = order.renamed(&item.polynomial);
        let wider = margin
            .map(|margin| Polynomial::constant(margin.clone()))
            .unwrap_or_default();
        let one = Rational::one();
        match item.relation {
            Relation::Positive => positive.push(polynomial),
            Relation::NotNegative => positive.push(polynomial.plus(&wider, &one)),
            Relation::Zero => {
                // An equation has no open set of solutions: it is refuted with a margin, or not at all.
                positive.push(polynomial.plus(&wider, &one));
                origins.push(place);
                positive.push(wider.plus(&polynomial, &Rational::integer(-1)));
            }
            Relation::NotZero => continue,
        }
        origins.push(place);
    }
    Ok(match cover(&positive, order.0.len(), budget)? {
        Covered::Nothing(core) => Covered::Nothing(core.into_iter().map(|index| origins[index]).collect()),
        other => other,
    })
}

/// Values found by trying: each within what the conditions leave once the values before are chosen.
fn try_values(
    items: &[Item],
    order: &Order,
    near: &[Rational],
    budget: &Budget,
) -> Result<Option<Vec<Rational>>, Spent> {
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 32) as usize
    };
    for attempt in 0..TRIES {
        let mut left: Vec<(Polynomial, Relation)> = items
            .iter()
            .map(|item| (item.polynomial.clone(), item.relation))
            .collect();
        let mut values = near.to_vec();
        // In every second attempt another variable is the last one, which has the most choice.
        let mut turn = order.0.clone();
        let by = if attempt % 2 == 1 {
            random() % turn.len()
        } else {
            0
        };
        turn.rotate_left(by);
        let mut is_possible = true;
        for &variable in &turn {
            budget.check_now()?;
            let choices = choices(&left, variable);
            let chosen = match attempt {
                0 => choices
                    .iter()
                    .find(|choice| choice.contains(&near[variable]))
                    .map(|_| near[variable].clone()),
                _ => None,
            };
            let chosen = chosen.or_else(|| {
                let count = choices.len();
                (count > 0)
                    .then(|| choices[if attempt < 2 { count / 2 } else { random() % count }].value(random()))
            });
            let Some(chosen) = chosen else {
                is_possible = false;
                break;
            };
            for (polynomial, _) in &mut left {
                *polynomial = polynomial.at(variable, &chosen);
            }
            left.retain(|(polynomial, relation)| match polynomial.as_constant() {
                Some(value) => {
                    is_possible &= relation.admits(value.signum());
                    false
                }
                None => true,
            });
            if !is_possible {
                break;
            }
            values[variable] = chosen;
        }
        if is_possible && left.is_empty() {
            return Ok(Some(values));
        }
    }
    Ok(None)
}

/// Numbers that the conditions about one variable alone admit.
enum Choice {
    Between(Option<Root>, Option<Root>),
    Point(Rational),
}

impl Choice {
    fn contains(&self, value: &Rational) -> bool {
        match self {
            Choice::Point(point) => point == value,
            Choice::Between(low, high) => {
                low.as_ref().is_none_or(|low| low.ends().1 < value)
                    && high.as_ref().is_none_or(|high| value < high.ends().0)
            }
        }
    }

    /// One of the numbers.
    fn value(&self, random: usize) -> Rational {
        let step = Rational::integer((random % 9) as i64);
        match self {
            Choice::Point(point) => point.clone(),
            Choice::Between(None, None) => &step - &Rational::integer(4),
            Choice::Between(Some(low), None) => &(&low.ends().1.floor() + &Rational::one()) + &step,
            Choice::Between(None, Some(high)) => &(&high.ends().0.ceil() - &Rational::one()) - &step,
            Choice::Between(Some(low), Some(high)) => {
                let (mut low, mut high) = (low.clone(), high.clone());
                while low.ends().1 >= high.ends().0 {
                    low.refine();
                    high.refine();
                }
                let (mut from, mut to) = (low.ends().1.clone(), high.ends().0.clone());
                // Simple numbers first, then some to the left or right of them.
                let mut value = simplest_between(&from, &to);
                for bit in 0..random % 4 {
                    match random >> (2 + bit) & 1 {
                        0 => to = value,
                        _ => from = value,
                    }
                    value = simplest_between(&from, &to);
                }
                value
            }
        }
    }
}

fn choices(conditions: &[(Polynomial, Relation)], variable: usize) -> Vec<Choice> {
    let own: Vec<_> = (conditions.iter())
        .filter(|(polynomial, _)| polynomial.variables().all(|other| other == variable))
        .filter_map(|(polynomial, relation)| Some((polynomial.line(variable)?, *relation)))
        .collect();
    let mut roots: Vec<Root> = Vec::new();
    for (line, _) in &own {
        for mut root in line.square_free().roots() {
            // A root that is a simple fraction should be known as one.
            if let Root::Between(inner, low, high) = &root {
                let simple = simplest_between(low, high);
                if inner.sign_at(&simple) == 0 {
                    root = Root::Exact(simple);
                }
            }
            let place = roots
                .iter_mut()
                .position(|known| known.compare(&mut root) != std::cmp::Ordering::Less);
            match place {
                None => roots.push(root),
                Some(place) => {
                    if roots[place].compare(&mut root) != std::cmp::Ordering::Equal {
                        roots.insert(place, root);
                    } else if matches!(root, Root::Exact(_)) {
                        roots[place] = root;
                    }
                }
            }
        }
    }
    let admitted = |value: &Rational| {
        own.iter()
            .all(|(line, relation)| relation.admits(line.sign_at(value)))
    };
    let mut found = Vec::new();
    for place in 0..=roots.len() {
        let between = Choice::Between(
            place.checked_sub(1).map(|before| roots[before].clone()),
            roots.get(place).cloned(),
        );
        if admitted(&between.value(0)) {
            found.push(between);
        }
        if let Some(Root::Exact(point)) = roots.get(place)
            && admitted(point)
        {
            found.push(Choice::Point(point.clone()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_system(seed: &mut u64) -> (Vec<Condition>, usize) {
        let mut next = |below: u64| {
            *seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (*seed >> 33) % below
        };
        let variables = 1 + next(3) as usize;
        let conditions = (0..1 + next(5))
            .map(|_| {
                let mut sum = Polynomial::constant(Rational::integer(next(7) as i64 - 3));
                for _ in 0..1 + next(3) {
                    let mut part = Polynomial::constant(Rational::integer(next(7) as i64 - 3));
                    for _ in 0..1 + next(2) {
                        let variable = Polynomial::variable(next(variables as u64) as usize);
                        part = part.times(&variable).expect("small");
                    }
                    sum = sum.plus(&part, &Rational::one());
                }
                let relation = match next(6) {
                    0 => Relation::Zero,
                    1 => Relation::NotZero,
                    2 | 3 => Relation::NotNegative,
                    _ => Relation::Positive,
                };
                (sum, relation)
            })
            .collect();
        (conditions, variables)
    }

    /// What is a solution is one; what is contradictory has no solution among many points.
    #[test]
    fn answers_agree_with_many_points() {
        let effort = std::env::var("ENTAIL_EFFORT")
            .ok()
            .and_then(|text| text.parse::<usize>().ok());
        let mut seed = 11;
        let (mut solved, mut refuted, mut open) = (0, 0, 0);
        for _ in 0..300 * effort.unwrap_or(1) {
            let (conditions, variables) = random_system(&mut seed);
            let near = vec![Rational::zero(); variables];
            let budget = Budget::unlimited();
            let holds = |values: &[Rational], which: &[&Condition]| {
                (which.iter()).all(|(polynomial, relation)| relation.admits(sign_at(polynomial, values)))
            };
            match solve(&conditions, &near, Duration::from_secs(2), &budget).expect("no limit") {
                Outcome::Values(values) => {
                    solved += 1;
                    assert!(
                        holds(&values, &conditions.iter().collect::<Vec<_>>()),
                        "{conditions:?} at {values:?}"
                    );
                }
                Outcome::Contradiction(core) => {
                    refuted += 1;
                    let grid: Vec<Rational> = (-8..=8)
                        .map(|number| &Rational::integer(number) / &Rational::integer(2))
                        .collect();
                    for point in 0..grid.len().pow(variables as u32) {
                        let values: Vec<Rational> = (0..variables)
                            .map(|place| grid[point / grid.len().pow(place as u32) % grid.len()].clone())
                            .collect();
                        let all: Vec<&Condition> = core.iter().map(|&index| &conditions[index]).collect();
                        assert!(!holds(&values, &all), "{conditions:?} {core:?} at {values:?}");
                    }
                }
                Outcome::Open => open += 1,
            }
        }
        assert!(
            solved > 3 * open && refuted > open,
            "{solved} solved, {refuted} refuted, {open} open"
        );
    }
}
