//! A run along a lasso of places, with exact delays.
//!
//! Along fixed steps the clock before each of them is the sum of the delays since it was set, and the level is linear in the delays, too. So guards and invariants, the lower bound before and after each step, and that the cycle loses nothing, are
//! linear inequalities; an exact linear program finds delays that meet the strict ones, if there are any.

use super::Asked;
use super::one_clock::Item;
use super::places::Places;
use crate::concrete::rational_run;
use entail_budget::Budget;
use entail_clocks::discrete::ClockConstraint;
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

    /// A sum of delays is 0.
    fn nothing(&mut self, sum: &[Rational]) {
        let opposite: Vec<Rational> = sum.iter().map(|factor| -factor).collect();
        self.at_least(&opposite, Rational::ZERO, false);
    }

    /// Comparisons of the clock with constants hold, if it is a sum of delays and a number.
    fn meet(&mut self, sum: &[Rational], number: &Rational, constraints: &[ClockConstraint]) {
        for one in constraints {
            let bound = Rational::from(one.bound);
            if one.right == 0 && one.left != 0 {
                let opposite: Vec<Rational> = sum.iter().map(|factor| -factor).collect();
                self.at_least(&opposite, bound - number, one.strict);
            } else if one.left == 0 && one.right != 0 {
                self.at_least(sum, bound + number, one.strict);
            }
        }
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
    let mut clock = none.clone();
    let mut set_to = Rational::ZERO;
    let (mut level, mut number) = (none.clone(), credit - Rational::from(asked.question.lower));
    let (mut level_before, mut number_before) = (none.clone(), Rational::ZERO);
    let cycle = || steps[since..].iter().map(|&(place, step)| (&places.all[place], step));
    let is_set = cycle().any(|(place, step)| !place.steps[step].is_inside);
    let has_pump = cycle().any(|(place, _)| place.is_pump(places.last));
    for (position, &(place, step)) in steps.iter().enumerate() {
        let here = &places.all[place];
        let discrete = &asked.graph.corner(here.corner).discrete;
        if position == since {
            (level_before, number_before) = (level.clone(), number.clone());
            // A clock that is never set comes back only to being larger than all constants.
            if has_pump && !is_set && !asked.network.clocks.is_empty() {
                let beyond = &set_to - Rational::from(asked.corners.most);
                all.at_least(&clock, beyond, true);
            }
        }
        let may_delay = Meaning::may_delay(asked.network, discrete).ok()?;
        let mut delay = none.clone();
        delay[position] = Rational::ONE;
        if !may_delay || (position >= since && !is_set && !has_pump) {
            all.nothing(&delay);
        }
        clock[position] = Rational::ONE;
        level[position] = Rational::from(here.rate);
        all.at_least(&level, number.clone(), false);
        let invariant = Meaning::invariant(asked.network, discrete).ok()??;
        all.meet(&clock, &set_to, &invariant);
        let taken = &here.steps[step];
        let target = &asked.graph.corner(places.all[taken.to].corner).discrete;
        let moves = asked.network.moves(discrete).ok()?;
        let taken = moves
            .iter()
            .find(|one| one.edges == taken.edges && one.target.as_ref() == Ok(target))?;
        all.meet(&clock, &set_to, &taken.guard);
        number += Rational::from(taken.cost);
        all.at_least(&level, number.clone(), false);
        for update in &taken.updates {
            if update.source == 0 {
                (clock, set_to) = (none.clone(), Rational::ZERO);
            }
            set_to += Rational::from(update.offset);
        }
        all.meet(&clock, &set_to, &taken.invariant);
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
