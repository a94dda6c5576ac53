//! A run along a lasso of places, with exact delays.
//!
//! Along fixed steps the clock before each of them is the sum of the delays since it was set, and the level is linear in the delays, too. So the regions in which steps are taken, the lower bound before and after each step, and that the cycle loses nothing, are
//! linear inequalities; an exact linear program finds delays that meet the strict ones, if there are any.

use super::Asked;
use super::one_clock::Item;
use super::places::Places;
use crate::concrete::rational_run;
use entail_budget::Budget;
use entail_clocks::evidence::Run;
use entail_clocks::{Meaning, Rational};
use entail_numeric::simplex::{Program, Solution, solve};

/// Steps for which delays are looked for, at most: programs are dense.
const MOST_STEPS: usize = 400;

/// The inequalities of a run; the last variable is how strictly strict ones are met.
struct Inequalities {
    program: Program,
    delays: usize,
    is_strict: bool,
}

impl Inequalities {
    /// A sum of delays, and a number, is at least 0; or above it.
    fn at_least(&mut self, sum: &[Rational], number: Rational, strictly: bool) {
        let mut row: Vec<Rational> = sum.iter().map(|factor| -factor).collect();
        row.push(if strictly { Rational::ONE } else { Rational::ZERO });
        self.is_strict |= strictly;
        self.program.rows.push(row);
        self.program.limits.push(number);
    }

    fn at_most(&mut self, sum: &[Rational], number: Rational, strictly: bool) {
        let opposite: Vec<Rational> = sum.iter().map(|factor| -factor).collect();
        self.at_least(&opposite, number, strictly);
    }
}

/// A run that begins with a credit, and the number of steps before its cycle; nothing if there is none along this way.
pub(super) fn run(
    asked: &Asked<'_>,
    places: &Places,
    (stem, cycle): (&[Item], &[Item]),
    credit: &Rational,
    budget: &Budget,
) -> Option<(Run, usize)> {
    let step_of = |item: &Item| match *item {
        Item::Step(place, step) => Some((place, step)),
        Item::Next(_) => None,
    };
    let steps: Vec<(usize, usize)> = stem.iter().chain(cycle).filter_map(step_of).collect();
    let since = stem.iter().filter_map(step_of).count();
    let delays = steps.len();
    if delays > MOST_STEPS || since == delays {
        return None;
    }
    let none = vec![Rational::ZERO; delays];
    let mut all = Inequalities {
        program: Program::default(),
        delays,
        is_strict: false,
    };
    all.program.objective = none.clone();
    all.program.objective.push(Rational::ONE);
    let mut most = none.clone();
    most.push(Rational::ONE);
    all.program.rows.push(most);
    all.program.limits.push(Rational::ONE);
    let has_clock = !asked.network.clocks.is_empty();
    let (mut clock, mut set_to) = (none.clone(), Rational::ZERO);
    let (mut level, mut number) = (none.clone(), credit - Rational::from(asked.question.lower));
    let (mut level_before, mut number_before) = (none.clone(), Rational::ZERO);
    let is_set_in_cycle = steps[since..]
        .iter()
        .any(|&(place, step)| !places.all[place].steps[step].is_inside);
    for (position, &(place, step)) in steps.iter().enumerate() {
        if position == since {
            (level_before, number_before) = (level.clone(), number.clone());
        }
        let here = &places.all[place];
        let discrete = &asked.graph.corner(here.corner).discrete;
        let may_delay = Meaning::may_delay(asked.network, discrete).ok()?;
        let repeats_exactly = position < since || is_set_in_cycle || here.region == places.last;
        let mut delay = none.clone();
        delay[position] = Rational::ONE;
        if !may_delay || !repeats_exactly {
            all.at_most(&delay, Rational::ZERO, false);
        }
        clock[position] = Rational::ONE;
        level[position] = Rational::from(here.rate);
        all.at_least(&level, number.clone(), false);
        if has_clock {
            let whole = |value: u32| Rational::from(value);
            let from = whole(here.region / 2);
            let is_open = here.region % 2 == 1;
            all.at_least(&clock, &set_to - &from, is_open);
            if !is_open {
                all.at_most(&clock, &from - &set_to, false);
            } else if here.region < places.last {
                all.at_most(&clock, from + Rational::ONE - &set_to, true);
            }
        }
        let taken = &here.steps[step];
        number += Rational::from(taken.weight);
        all.at_least(&level, number.clone(), false);
        let to = places.all[taken.to].region;
        let lands = asked.network.moves(discrete).ok()?;
        let lands = lands.iter().find(|one| one.edges == taken.edges)?;
        if let Some(update) = lands.updates.last().filter(|update| update.source == 0) {
            clock = none.clone();
            set_to = Rational::from(update.offset);
        } else if !taken.is_inside {
            // From a point the clock is set to a point.
            clock = none.clone();
            set_to = Rational::from(to / 2);
        }
    }
    let gained: Vec<Rational> = level
        .iter()
        .zip(&level_before)
        .map(|(one, other)| one - other)
        .collect();
    all.at_least(&gained, number - number_before, false);
    let Ok(Solution::Optimal { value, at, .. }) = solve(&all.program, budget) else {
        return None;
    };
    if all.is_strict && value == Rational::ZERO {
        return None;
    }
    let delays = at.into_iter().take(all.delays);
    let taken = steps.iter().zip(delays).map(|(&(place, step), delay)| {
        let edges = places.all[place].steps[step].edges.clone();
        (delay, edges)
    });
    let first = &asked.graph.corner(places.all[steps[0].0].corner).discrete;
    Some((rational_run(first, taken, Rational::ZERO), since))
}
