//! The states of a reduced search as evidence, in the interpreter's form.
//!
//! This is another search than the one that decided: its reduction is advised by those who will check the states, so what the deciding search left out plays no part. For requirements about infinite runs there are ranks, as
//! for all states (`ranked`).

use super::advised::{Advised, GoesOn};
use super::graph::{Graph, Reducing};
use super::ranked::ranks_by_state;
use super::watch::Watch;
use crate::program::steps::space::Space;
use crate::program::steps::unpack::unpack;
use entail_budget::Budget;
use entail_program::state_bytes::encode;
use entail_program::{Advisor, Program, ReducedSet};
use entail_search::{Exact, StateNumber};

/// The states; nothing if there are more than `most` (with ranks: pairs), there is no time, something cannot be evaluated, or states do not tell everything.
pub fn reduced_set(
    program: &Program,
    space: &mut Space<'_>,
    watch: Option<&Watch>,
    advisor: &dyn Advisor,
    most: u64,
    budget: &Budget,
) -> Option<ReducedSet> {
    if program.reads_unseen() {
        return None;
    }
    let goes_on = match watch {
        Some(_) => GoesOn::Always,
        None => GoesOn::Once,
    };
    let advised = Advised::new(advisor, program, goes_on);
    let mut graph = Graph::new(space, Reducing::Advised(advised), Exact::new(), false);
    let ranks = match watch {
        Some(watch) => ranks_by_state(&mut graph, watch, false, most, budget)?,
        None => {
            explore(&mut graph, most, budget)?;
            vec![Vec::new(); graph.len()]
        }
    };
    let mut bytes = Vec::new();
    let mut states = Vec::with_capacity(ranks.len());
    for (number, ranks) in ranks.into_iter().enumerate() {
        let number = StateNumber(number as u32);
        if watch.is_some() && ranks.is_empty() {
            continue;
        }
        let state = unpack(program, graph.space.compiled, &graph.copy(number));
        encode(program, &state, &mut bytes);
        states.push((bytes.as_slice().into(), graph.taken(number), ranks));
        budget.check().ok()?;
    }
    ReducedSet::new(states)
}

/// Asks for the steps of all states, those of the initial one first.
fn explore(graph: &mut Graph<'_, '_, Exact>, most: u64, budget: &Budget) -> Option<()> {
    graph.initial().ok()?;
    let mut next = 0;
    while next < graph.len() {
        budget.check().ok()?;
        graph.steps(StateNumber(next as u32)).ok()?;
        if graph.len() as u64 > most {
            return None;
        }
        next += 1;
    }
    Some(())
}
