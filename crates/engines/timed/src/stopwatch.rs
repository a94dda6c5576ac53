//! Networks with clocks that stand still at some locations.
//!
//! What is reachable is then undecidable in general. Waiting makes a zone larger than what can be reached ([`entail_zones::Zone::delay_but`]); so a cover without the goal proves that it is not reachable, and a path to the goal is only a candidate. Along a path the delays are the solutions of
//! linear inequalities, since a clock is the sum of the delays for which it ran since it was set: an exact linear program finds some, with the strict ones met as well as possible, or there is no run along the path, and the answer is unknown. LU-simulation holds with stopwatches, too: both
//! sides let the same clocks run.

use crate::concrete::{self, Path, PathStep};
use crate::constants::Constants;
use crate::space::{Constraint, Space};
use entail_answer::Rational;
use entail_budget::Budget;
use entail_clocks::evidence::{Run, Step, Time};
use entail_clocks::{Network, Query};
use entail_numeric::simplex::{Program, Solution, solve};
use std::time::Duration;

/// Steps of a path for which delays are looked for, at most: programs are dense.
const MOST_STEPS: usize = 150;
/// How long they are looked for.
const LONGEST: Duration = Duration::from_secs(10);

/// Why a question about a network with stopwatches is not decided; nothing if it is, or there are none.
pub(crate) fn refused(network: &Network, query: &Query, constants: &Constants) -> Option<String> {
    if network.stopwatches.is_empty() {
        return None;
    }
    let is_reachability = matches!(query, Query::Reach(..)) && !query.mentions_deadlock();
    match (is_reachability, constants.diagonals.is_empty()) {
        (true, true) => None,
        (true, false) => Some("differences of clocks are compared beside stopwatches".to_owned()),
        (false, _) => Some(
            "of models with stopwatches only `E<>` and `A[]`, without `deadlock`, are decided".to_owned(),
        ),
    }
}

/// The value of a clock: a number, and the delays in which it ran since it was set.
#[derive(Clone)]
struct Value {
    offset: i64,
    ran: Vec<bool>,
}

/// The inequalities along a path; the last variable is how strictly strict ones are met.
struct Inequalities {
    program: Program,
    delays: usize,
}

impl Inequalities {
    fn add(&mut self, values: &[Value], (left, right, bound): Constraint) {
        if bound.is_none() {
            return;
        }
        let mut row = vec![Rational::ZERO; self.delays + 1];
        for (delay, entry) in row.iter_mut().enumerate().take(self.delays) {
            *entry = Rational::from(i64::from(values[left].ran[delay]) - i64::from(values[right].ran[delay]));
        }
        row[self.delays] = Rational::from(i64::from(bound.is_strict()));
        let limit = i64::from(bound.constant()) - values[left].offset + values[right].offset;
        self.limit(row, limit);
    }

    fn limit(&mut self, row: Vec<Rational>, limit: i64) {
        self.program.rows.push(row);
        self.program.limits.push(Rational::from(limit));
    }

    /// A variable is at most a number.
    fn at_most(&mut self, variable: usize, most: i64) {
        let mut row = vec![Rational::ZERO; self.delays + 1];
        row[variable] = Rational::ONE;
        self.limit(row, most);
    }
}

/// A run along a path at whose end these constraints hold, after a wait if need be; nothing if there is none, or none was found.
pub(crate) fn run_to(space: &Space<'_>, path: &Path, at_end: &[Constraint]) -> Option<Run> {
    match space.network.stopwatches.is_empty() {
        true => concrete::run(space, path, at_end, true),
        false => run(
            space,
            path,
            at_end,
            &Budget::unlimited().with_timeout(Some(LONGEST)),
        ),
    }
}

/// The same, along a path on which clocks may stand still.
fn run(space: &Space<'_>, path: &Path, at_end: &[Constraint], budget: &Budget) -> Option<Run> {
    let delays = path.steps.len() + 1;
    if path.steps.len() > MOST_STEPS {
        return None;
    }
    let mut all = Inequalities {
        program: Program::default(),
        delays,
    };
    all.program.objective = vec![Rational::ZERO; delays + 1];
    all.program.objective[delays] = Rational::ONE;
    all.at_most(delays, 1);
    let zero = Value {
        offset: 0,
        ran: vec![false; delays],
    };
    let mut values = vec![zero.clone(); space.network.dimension()];
    let mut here = path.first;
    for delay in 0..delays {
        let info = space.info(here);
        info.invariant.iter().for_each(|&one| all.add(&values, one));
        match info.may_delay {
            false => all.at_most(delay, 0),
            true => {
                let runs = |clock: &usize| !info.stopped.contains(clock);
                for clock in (1..values.len()).filter(runs) {
                    values[clock].ran[delay] = true;
                }
                info.invariant.iter().for_each(|&one| all.add(&values, one));
            }
        }
        let Some(step) = path.steps.get(delay) else {
            at_end.iter().for_each(|&one| all.add(&values, one));
            break;
        };
        let effect = space.effect(step.effect);
        effect.guard.iter().for_each(|&one| all.add(&values, one));
        for update in &effect.updates {
            let mut value = values[update.source].clone();
            value.offset += update.offset;
            values[update.target] = value;
        }
        here = step.target;
    }
    let is_strict = |row: &Vec<Rational>| row[delays] != Rational::ZERO;
    let needs_room = all.program.rows.iter().skip(1).any(is_strict);
    let Ok(Solution::Optimal { value, at, .. }) = solve(&all.program, budget) else {
        return None;
    };
    if needs_room && value == Rational::ZERO {
        return None;
    }
    let step = |(position, step): (usize, &PathStep)| Step {
        delay: Time(at[position].clone()),
        edges: space.joint(step.joint).to_vec(),
    };
    Some(Run {
        first: space.discrete(path.first).locations,
        steps: path.steps.iter().enumerate().map(step).collect(),
        rest: Time(at[delays - 1].clone()),
    })
}
