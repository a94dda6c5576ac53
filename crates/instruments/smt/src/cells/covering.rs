//! Systems of strict polynomial inequalities: cylindrical algebraic coverings (Ábrahám, Davenport, England, Kremer 2021) of open cells.
//!
//! Variables get values one after the other. Where a value leaves none for the next variable, the intervals that exclude its values are
//! generalized to an interval around the value: up to the nearest point where a leading coefficient, a discriminant or a
//! resultant of the polynomials behind these intervals vanishes. The solutions of strict inequalities form an open set, so single points
//! between intervals need not be looked at (Strzeboński 2000), and all values are fractions. A value at which a polynomial of the
//! projection vanishes is replaced by another one.

use super::line::{Root, simplest_between};
use super::polynomial::{Polynomial, TooLarge};
use entail_budget::{Budget, Spent};
use entail_first_order::Rational;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// What came of a system.
pub(super) enum Covered {
    /// Values of the variables that satisfy it.
    Sample(Vec<Rational>),
    /// These inequalities have no solution.
    Nothing(BTreeSet<usize>),
    /// Polynomials became too large, or no good value was found.
    Open,
}

enum Stop {
    Spent(Spent),
    Large,
    /// A polynomial of the projection vanishes at the sample's values of these first variables.
    Degenerate,
}

impl From<TooLarge> for Stop {
    fn from(_: TooLarge) -> Stop {
        Stop::Large
    }
}

/// An interval without solutions above the values of the variables before.
#[derive(Clone)]
struct Interval {
    low: Option<Root>,
    high: Option<Root>,
    /// The polynomials whose roots the ends are.
    at_low: Vec<Polynomial>,
    at_high: Vec<Polynomial>,
    /// Polynomials in this variable that keep their signs in it.
    here: BTreeSet<Polynomial>,
    /// Polynomials in the variables before.
    below: BTreeSet<Polynomial>,
    reasons: BTreeSet<usize>,
}

enum Level {
    Solved,
    Excluded(Vec<Interval>),
}

/// How many values are tried for one variable before giving up.
const MOST_VALUES: usize = 400;
/// How many of them may be points where a polynomial vanishes, before a value of an earlier variable is to blame.
const MOST_DEGENERATE: usize = 6;

struct Search<'a> {
    /// Polynomials that must be positive.
    positive: &'a [Polynomial],
    variables: usize,
    sample: Vec<Rational>,
    budget: &'a Budget,
}

/// Looks for values at which all polynomials are positive.
pub(super) fn cover(positive: &[Polynomial], variables: usize, budget: &Budget) -> Result<Covered, Spent> {
    for (index, polynomial) in positive.iter().enumerate() {
        if polynomial.as_constant().is_some_and(|value| !value.is_positive()) {
            return Ok(Covered::Nothing(BTreeSet::from([index])));
        }
    }
    let mut search = Search {
        positive,
        variables,
        sample: Vec::new(),
        budget,
    };
    match search.level() {
        Ok(Level::Solved) => Ok(Covered::Sample(search.sample)),
        Ok(Level::Excluded(intervals)) => {
            let reasons = intervals.into_iter().flat_map(|interval| interval.reasons);
            Ok(Covered::Nothing(reasons.collect()))
        }
        Err(Stop::Spent(spent)) => Err(spent),
        Err(Stop::Large | Stop::Degenerate) => Ok(Covered::Open),
    }
}

impl Search<'_> {
    /// The polynomial of the next variable alone, at the values so far.
    fn at_sample(&self, polynomial: &Polynomial) -> Polynomial {
        let mut result = polynomial.clone();
        for (variable, value) in self.sample.iter().enumerate() {
            result = result.at(variable, value);
        }
        result
    }

    fn roots(&self, polynomial: &Polynomial) -> Result<Vec<Root>, Stop> {
        let variable = self.sample.len();
        match self.at_sample(polynomial).line(variable) {
            Some(line) => Ok(line.square_free().roots()),
            None => Err(Stop::Degenerate),
        }
    }

    /// Finds values for the variables that have none yet, or intervals that leave none for the next.
    fn level(&mut self) -> Result<Level, Stop> {
        let variable = self.sample.len();
        if variable == self.variables {
            return Ok(Level::Solved);
        }
        let mut intervals = Vec::new();
        for (index, polynomial) in self.positive.iter().enumerate() {
            if polynomial.main_variable() == Some(variable) {
                self.excluded_by(index, polynomial, &mut intervals)?;
            }
        }
        let mut degenerate = 0;
        for _ in 0..MOST_VALUES {
            self.budget.check_now().map_err(Stop::Spent)?;
            let Some((low, high)) = first_gap(&mut intervals) else {
                return Ok(Level::Excluded(needed(intervals)));
            };
            let value = value_between(low, high, degenerate);
            self.sample.push(value.clone());
            match self.above(&value) {
                Ok(None) => return Ok(Level::Solved),
                Ok(Some(interval)) => {
                    self.sample.truncate(variable);
                    intervals.push(interval);
                    degenerate = 0;
                }
                Err(Stop::Degenerate) if degenerate < MOST_DEGENERATE => {
                    self.sample.truncate(variable);
                    degenerate += 1;
                }
                Err(stop) => return Err(stop),
            }
        }
        Err(Stop::Degenerate)
    }

    /// What excludes the last value of the sample, if anything does.
    fn above(&mut self, value: &Rational) -> Result<Option<Interval>, Stop> {
        let intervals = match self.level()? {
            Level::Solved => return Ok(None),
            Level::Excluded(intervals) => intervals,
        };
        let projected = self.characterize(&intervals)?;
        let reasons = intervals
            .into_iter()
            .flat_map(|interval| interval.reasons)
            .collect();
        self.sample.pop();
        self.interval_around(value, projected, reasons).map(Some)
    }

    /// The intervals in which an inequality fails.
    fn excluded_by(
        &self,
        index: usize,
        polynomial: &Polynomial,
        intervals: &mut Vec<Interval>,
    ) -> Result<(), Stop> {
        let variable = self.sample.len();
        let line = self
            .at_sample(polynomial)
            .line(variable)
            .ok_or(Stop::Degenerate)?;
        let parts = polynomial.square_free_parts()?;
        let (here, below): (BTreeSet<Polynomial>, BTreeSet<Polynomial>) = parts
            .into_iter()
            .partition(|part| part.main_variable() == Some(variable));
        let roots = line.square_free().roots();
        for place in 0..=roots.len() {
            let low = place.checked_sub(1).map(|before| roots[before].clone());
            let high = roots.get(place).cloned();
            let within = value_between(low.clone(), high.clone(), 0);
            if line.sign_at(&within) > 0 {
                continue;
            }
            let ends = |root: &Option<Root>| match root {
                Some(_) => here.iter().cloned().collect(),
                None => Vec::new(),
            };
            intervals.push(Interval {
                at_low: ends(&low),
                at_high: ends(&high),
                low,
                high,
                here: here.clone(),
                below: below.clone(),
                reasons: BTreeSet::from([index]),
            });
        }
        Ok(())
    }

    /// Polynomials whose signs decide that the intervals still leave nothing.
    fn characterize(&self, intervals: &[Interval]) -> Result<BTreeSet<Polynomial>, Stop> {
        let variable = self.sample.len();
        let mut found: BTreeSet<Polynomial> = BTreeSet::new();
        let mut add = |polynomial: Polynomial| -> Result<(), Stop> {
            self.budget.check_now().map_err(Stop::Spent)?;
            if polynomial.is_zero() || self.at_sample(&polynomial).is_zero() {
                return Err(Stop::Degenerate);
            }
            found.extend(polynomial.square_free_parts()?);
            Ok(())
        };
        for interval in intervals {
            for polynomial in &interval.below {
                add(polynomial.clone())?;
            }
            for polynomial in &interval.here {
                // It has the leading coefficient as a factor.
                add(polynomial.discriminant(variable)?)?;
                for end in interval.at_low.iter().chain(&interval.at_high) {
                    if end != polynomial {
                        add(polynomial.resultant(end, variable)?)?;
                    }
                }
            }
        }
        for pair in intervals.windows(2) {
            for left in &pair[0].at_high {
                for right in &pair[1].at_low {
                    if left != right {
                        add(left.resultant(right, variable)?)?;
                    }
                }
            }
        }
        Ok(found)
    }

    /// The interval around a value in which polynomials keep their signs.
    fn interval_around(
        &self,
        value: &Rational,
        polynomials: BTreeSet<Polynomial>,
        reasons: BTreeSet<usize>,
    ) -> Result<Interval, Stop> {
        let variable = self.sample.len();
        let (here, below): (BTreeSet<Polynomial>, BTreeSet<Polynomial>) =
            (polynomials.into_iter()).partition(|one| one.main_variable() == Some(variable));
        let mut interval = Interval {
            low: None,
            high: None,
            at_low: Vec::new(),
            at_high: Vec::new(),
            here: here.clone(),
            below,
            reasons,
        };
        let mut middle = Root::Exact(value.clone());
        for polynomial in here {
            for mut root in self.roots(&polynomial)? {
                let (end, at_end, closer) = match root.compare(&mut middle) {
                    Ordering::Equal => return Err(Stop::Degenerate),
                    Ordering::Less => (&mut interval.low, &mut interval.at_low, Ordering::Greater),
                    Ordering::Greater => (&mut interval.high, &mut interval.at_high, Ordering::Less),
                };
                let order = match end {
                    None => closer,
                    Some(known) => root.compare(known),
                };
                if order == closer {
                    *end = Some(root);
                    *at_end = vec![polynomial.clone()];
                } else if order == Ordering::Equal && !at_end.contains(&polynomial) {
                    at_end.push(polynomial.clone());
                }
            }
        }
        Ok(interval)
    }
}

/// A number between two ends; other ones for other attempts.
fn value_between(low: Option<Root>, high: Option<Root>, attempt: usize) -> Rational {
    let one = Rational::one();
    match (low, high) {
        (None, None) => Rational::integer([0, 1, -1, 2, -2, 5, -5][attempt % 7]),
        (Some(low), None) => &(&low.ends().1.floor() + &one) + &Rational::integer(attempt as i64),
        (None, Some(high)) => &(&high.ends().0.ceil() - &one) - &Rational::integer(attempt as i64),
        (Some(mut low), Some(mut high)) => {
            while low.ends().1 >= high.ends().0 {
                low.refine();
                high.refine();
            }
            let mut value = simplest_between(low.ends().1, high.ends().0);
            for _ in 0..attempt {
                value = simplest_between(low.ends().1, &value);
            }
            value
        }
    }
}

fn compare_low(a: &mut Option<Root>, b: &mut Option<Root>) -> Ordering {
    match (a, b) {
        (None, None) => Ordering::Equal,
        (None, _) => Ordering::Less,
        (_, None) => Ordering::Greater,
        (Some(a), Some(b)) => a.compare(b),
    }
}

/// The first open interval that is not covered; the intervals are sorted.
fn first_gap(intervals: &mut [Interval]) -> Option<(Option<Root>, Option<Root>)> {
    intervals.sort_by(|a, b| compare_low(&mut a.low.clone(), &mut b.low.clone()));
    // How far everything is covered: not at all, or up to this root.
    let mut covered: Option<Root> = None;
    for interval in intervals.iter() {
        if let Some(low) = &interval.low {
            let is_gap = match &covered {
                None => true,
                Some(end) => low.clone().compare(&mut end.clone()) == Ordering::Greater,
            };
            if is_gap {
                return Some((covered, Some(low.clone())));
            }
        }
        let high = interval.high.as_ref()?;
        let is_farther = match &covered {
            None => true,
            Some(end) => high.clone().compare(&mut end.clone()) == Ordering::Greater,
        };
        if is_farther {
            covered = Some(high.clone());
        }
    }
    Some((covered, None))
}

/// Intervals that cover everything, without those that others make superfluous: each reaches farthest of those that begin in time.
fn needed(mut intervals: Vec<Interval>) -> Vec<Interval> {
    let mut chosen: Vec<Interval> = Vec::new();
    loop {
        let covered = chosen.last().map(|last| last.high.clone());
        let reach = match covered {
            None => None,
            Some(None) => return chosen,
            Some(Some(end)) => Some(end),
        };
        let begins_in_time = |interval: &Interval| match (&interval.low, &reach) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(low), Some(end)) => low.clone().compare(&mut end.clone()) != Ordering::Greater,
        };
        let mut best: Option<usize> = None;
        for (place, interval) in intervals.iter().enumerate() {
            let is_better = begins_in_time(interval)
                && best.is_none_or(|best: usize| match (&interval.high, &intervals[best].high) {
                    (_, None) => false,
                    (None, _) => true,
                    (Some(high), Some(other)) => {
                        high.clone().compare(&mut other.clone()) == Ordering::Greater
                    }
                });
            if is_better {
                best = Some(place);
            }
        }
        match best {
            Some(place) => chosen.push(intervals.swap_remove(place)),
            None => return chosen,
        }
    }
}
