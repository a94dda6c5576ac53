//! Lassos by bounded search: a path of the product that returns to a state and meets every fairness signal on the way round.
//!
//! For each signal a variable says whether the last step met it. States are compared without these.

use super::FoundEndless;
use super::product::{Product, add_flag, on_product, set_next};
use crate::Work;
use crate::unrolled::Unrolled;
use entail_budget::Spent;
use entail_first_order::{EndlessRun, FirstOrderSystem, FirstOrderTrace, TermId};
use entail_logic::Formula;
use entail_smt::Answer;

/// Looks for lassos of at most `bound` steps.
pub fn lassos<'a>(
    system: &FirstOrderSystem,
    path: &Formula<TermId>,
    bound: usize,
    work: impl Into<Work<'a>>,
) -> FoundEndless {
    let work = work.into();
    on_product(system, path, |mut product| {
        search(&mut product, bound, &work).unwrap_or_else(|(spent, depth)| {
            FoundEndless::Unknown(format!("{spent}: no lasso of at most {depth} steps"))
        })
    })
}

fn search(product: &mut Product, bound: usize, work: &Work<'_>) -> Result<FoundEndless, (Spent, usize)> {
    let own = product.own;
    let system = &mut product.system;
    let compared: Vec<TermId> = system.variables.iter().map(|variable| variable.current).collect();
    let mut met = Vec::new();
    for &signal in &product.fair {
        let flag = add_flag(system, false);
        set_next(system, flag, signal);
        met.push(flag.now);
    }
    let mut unrolled = Unrolled::from_start(system);
    let mut solver = work.solver();
    let init = system.init;
    let first = unrolled.at(system, init, 0);
    solver.assert(&mut system.terms, first);
    // For each position, what the compared variables and the signals are.
    let row = |unrolled: &mut Unrolled, system: &mut FirstOrderSystem, at: usize| {
        let mut values =
            |all: &[TermId]| -> Vec<TermId> { all.iter().map(|&one| unrolled.at(system, one, at)).collect() };
        (values(&compared), values(&met))
    };
    let mut rows = vec![row(&mut unrolled, system, 0)];
    for length in 1..=bound {
        let step = unrolled.step(system);
        solver.assert(&mut system.terms, step);
        rows.push(row(&mut unrolled, system, length));
        let mut ways_round = Vec::new();
        for back in 0..length {
            let mut parts: Vec<TermId> = Vec::new();
            for (&then, &now) in rows[back].0.iter().zip(&rows[length].0) {
                parts.push(system.terms.eq(then, now));
            }
            for signal in 0..met.len() {
                let on_the_way: Vec<TermId> = (back + 1..=length).map(|at| rows[at].1[signal]).collect();
                parts.push(system.terms.or(&on_the_way));
            }
            ways_round.push(system.terms.and(&parts));
        }
        let closed = system.terms.or(&ways_round);
        let answer = solver.check(&mut system.terms, &[closed], work.budget);
        match answer.map_err(|spent| (spent, length - 1))? {
            Answer::Satisfiable => {
                let trace = (solver.model()).and_then(|model| unrolled.trace(&system.terms, model, length));
                return Ok(match trace {
                    Some(trace) => closed_lasso(trace, own, compared.len()),
                    None => FoundEndless::Unknown("a lasso was found, but a state on it has no value".into()),
                });
            }
            Answer::Unknown(reason) => {
                return Ok(FoundEndless::Unknown(format!(
                    "{reason} (lassos of {length} steps)"
                )));
            }
            Answer::Unsatisfiable => {}
        }
    }
    Ok(FoundEndless::Bounded(bound))
}

/// The lasso of a path whose last state equals an earlier one, of which the first is taken: signals are met on the longest way round.
fn closed_lasso(trace: FirstOrderTrace, own: usize, compared: usize) -> FoundEndless {
    let last = trace.states.len() - 1;
    let is_same = |at: &usize| trace.states[*at][..compared] == trace.states[last][..compared];
    let Some(back) = (0..last).find(is_same) else {
        return FoundEndless::Unknown("a lasso was found that does not close".into());
    };
    FoundEndless::Fails(EndlessRun::Lasso {
        trace: FirstOrderTrace {
            states: (trace.states[..last].iter())
                .map(|state| state[..own].to_vec())
                .collect(),
            inputs: trace.inputs[..last].to_vec(),
        },
        back,
    })
}
