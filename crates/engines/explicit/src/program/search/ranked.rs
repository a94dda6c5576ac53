//! States with ranks as evidence that no infinite run violates a requirement.
//!
//! The product of the program, without reduction, with a watcher is built as a whole; ranks are computed on its components (`entail-search`). For a formula the watcher is one that is handed in by those who
//! will check the ranks, and not the automaton that decided it. The states are given in the interpreter's form, so they say nothing of how this engine packs them.

use super::graph::{Graph, Reducing};
use super::watch::Watch;
use crate::marked_product::MarkedProduct;
use crate::program::steps::space::Space;
use crate::program::steps::unpack::unpack;
use entail_answer::{Rank, RankedSet};
use entail_budget::Budget;
use entail_program::Program;
use entail_program::state_bytes::encode;
use entail_search::cycles::ranks::ranks;
use entail_search::{Exact, StateNumber};

/// In the evidence, marks of processes begin here; those of the watcher come before.
const PROCESS_MARKS: u16 = 64;

/// Fairness is supported for so many processes, beside a watcher with so many marks.
const MOST_PROCESSES: u32 = 50;
const MOST_MARKS_BESIDE: u32 = 13;

/// The states with ranks; nothing if there are more than `most` pairs, there is no time, something cannot be evaluated, or states do not tell everything: variables that are no part of the state may be read. If a run
/// violates the requirement after all, the ranks do not go down along it.
pub fn ranked_set(
    program: &Program,
    space: &mut Space<'_>,
    watch: &Watch,
    fair: bool,
    most: u64,
    budget: &Budget,
) -> Option<RankedSet> {
    if program.reads_unseen() {
        return None;
    }
    let mut graph = Graph::new(space, Reducing::No, Exact::new(), fair);
    let by_state = ranks_by_state(&mut graph, watch, fair, most, budget)?;
    let mut bytes = Vec::new();
    let mut states = Vec::with_capacity(by_state.len());
    for (number, ranks) in by_state.into_iter().enumerate() {
        if !ranks.is_empty() {
            let packed = graph.copy(StateNumber(number as u32));
            encode(
                program,
                &unpack(program, graph.space.compiled, &packed),
                &mut bytes,
            );
            states.push((bytes.as_slice().into(), ranks));
        }
        budget.check().ok()?;
    }
    RankedSet::new(states)
}

/// The ranks of a graph's states, at all positions at which the watcher comes to them.
pub fn ranks_by_state(
    graph: &mut Graph<'_, '_, Exact>,
    watch: &Watch,
    fair: bool,
    most: u64,
    budget: &Budget,
) -> Option<Vec<Vec<Rank>>> {
    if fair && watch.marks > MOST_MARKS_BESIDE {
        return None;
    }
    let product = build(graph, watch, fair, most, budget)?;
    let own = (1u128 << watch.marks) - 1;
    let processes = if fair { (1u128 << MOST_PROCESSES) - 1 } else { 0 };
    let required = (own | processes << watch.marks) as u64;
    let ranks = ranks(&product, required, budget).ok()?;
    let mut by_state: Vec<Vec<Rank>> = Vec::new();
    for (&(state, at), rank) in product.pairs.iter().zip(ranks) {
        if by_state.len() <= state.index() {
            by_state.resize(state.index() + 1, Vec::new());
        }
        let missing = match rank.missing.checked_sub(watch.marks) {
            Some(process) if fair => PROCESS_MARKS + process as u16,
            _ => rank.missing as u16,
        };
        by_state[state.index()].push(Rank {
            at,
            level: rank.level,
            missing,
        });
    }
    Some(by_state)
}

fn build(
    graph: &mut Graph<'_, '_, Exact>,
    watch: &Watch,
    fair: bool,
    most: u64,
    budget: &Budget,
) -> Option<MarkedProduct<StateNumber>> {
    let initial = graph.initial().ok()?;
    let initial = watch.initial.iter().map(|&at| (initial, at));
    MarkedProduct::explore(initial, most, |(state, at), edges| {
        budget.check().ok()?;
        if watch.is_done(at) {
            return None;
        }
        let letter = graph.letter(watch, state);
        let watch_steps = watch.steps(graph.spell(letter), at).ok()?;
        if watch_steps.is_empty() {
            return Some(());
        }
        let steps = graph.steps(state).ok()?;
        if graph.diverges || fair && graph.most_processes > MOST_PROCESSES as usize {
            return None;
        }
        let enabled = graph.enabled(state);
        let fairness = |movers: u64| match fair {
            true => ((!enabled | movers) & ((1 << MOST_PROCESSES) - 1)) << watch.marks,
            false => 0,
        };
        for (target, marks) in watch_steps {
            for step in steps.clone() {
                let met = marks | fairness(graph.movers(step));
                edges.push(((graph.target(step), target), met));
            }
            if watch.stutters && graph.is_last(state) {
                edges.push(((state, target), marks | fairness(0)));
            }
        }
        Some(())
    })
}
