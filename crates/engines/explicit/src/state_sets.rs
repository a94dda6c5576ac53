//! Sets of states as evidence about transition systems: all reachable ones, and such with ranks for formulas about all paths.
//!
//! They are written after a search, from a graph that is built anew without any reduction, in a form that says nothing of how states are packed ([`encode_state`]). For a formula the automaton is one that is
//! handed in by those who will check the ranks; what the formula means is not looked at here.

use crate::code::evaluator::is_about_steps;
use crate::graph::state_graph::{StateGraph, StateSet};
use crate::marked_product::MarkedProduct;
use crate::search::explore::Exploration;
use crate::state_table::StateId;
use crate::stepper::Stepper;
use entail_answer::{ClosedSet, Rank, RankedSet};
use entail_budget::{Budget, Silent};
use entail_evidence::{DeadEnds, encode_state};
use entail_logic::Observer;
use entail_model::{TermId, TransitionSystem};
use entail_search::cycles::ranks::ranks;
use std::rc::Rc;

/// In the evidence, marks of justice conditions begin here; those of the automaton come before.
const JUSTICE_MARKS: u16 = 64;

/// All reachable states; nothing if there are more than `most`, there is no time, or their values cannot be numbered.
pub fn closed_states(
    system: &TransitionSystem,
    dead_ends: DeadEnds,
    most: usize,
    budget: &Budget,
) -> Option<ClosedSet> {
    let hazards: Vec<TermId> = system.hazards.iter().map(|hazard| hazard.condition).collect();
    let stepper = Stepper::new(system, &hazards).ok()?;
    let graph = whole_graph(&stepper, &[], dead_ends, most, budget)?;
    let states = (0..graph.len() as u32).map(|state| encoded(&stepper, &graph, state));
    Some(ClosedSet::new(states.collect::<Option<_>>()?))
}

/// The reachable graph, if it has at most so many states.
fn whole_graph(
    stepper: &Stepper,
    observed: &[TermId],
    dead_ends: DeadEnds,
    most: usize,
    budget: &Budget,
) -> Option<StateGraph> {
    let search = Exploration {
        stepper,
        bound: None,
        dead_ends,
        most_states: Some(most),
        budget,
        progress: &Silent,
    };
    let graph = StateGraph::build(&search, observed).ok()?;
    graph.explored.is_complete().then_some(graph)
}

fn encoded(stepper: &Stepper, graph: &StateGraph, state: u32) -> Option<Box<[u8]>> {
    let packed = graph.explored.table.state(&stepper.layout, StateId(state));
    let mut bytes = Vec::new();
    encode_state(&stepper.system, &stepper.layout.values(&packed), &mut bytes)?;
    Some(bytes.into())
}

/// Where the truth of a term is found.
enum Truths {
    /// In the state.
    State(Rc<StateSet>),
    /// On the edge, at this bit.
    Step(usize),
}

impl Truths {
    fn of(graph: &StateGraph, stepper: &Stepper, term: TermId, budget: &Budget) -> Option<Truths> {
        match graph.step_bit(term) {
            Some(bit) => Some(Truths::Step(bit)),
            None => graph.states_where(stepper, term, budget).ok().map(Truths::State),
        }
    }

    fn at(&self, graph: &StateGraph, state: u32, edge: usize) -> bool {
        match self {
            Truths::State(set) => set.contains(state as usize),
            Truths::Step(bit) => graph.meets(edge, *bit),
        }
    }
}

/// States with ranks for the automaton of the paths that violate a formula; `atoms` are its conditions. Nothing if there are more than `most` states or pairs, there is no time, or the form is not supported. All reachable
/// states are there, also those that the automaton never sees, so that hazards and dead ends are found in them. If a just path violates the formula after all, the ranks do not go down along it.
pub fn ranked_states(
    system: &TransitionSystem,
    (observer, atoms): (&Observer, &[TermId]),
    dead_ends: DeadEnds,
    most: usize,
    budget: &Budget,
) -> Option<RankedSet> {
    let marks = observer.marks;
    if marks as usize + system.justice.len() > 64 || dead_ends == DeadEnds::Maximal {
        return None;
    }
    let mut step_terms: Vec<TermId> = atoms.iter().chain(&system.justice).copied().collect();
    step_terms.retain(|&term| is_about_steps(system, term));
    step_terms.sort_unstable();
    step_terms.dedup();
    let hazards = system.hazards.iter().map(|hazard| hazard.condition);
    let read: Vec<TermId> = step_terms.iter().copied().chain(hazards).collect();
    let stepper = Stepper::new(system, &read).ok()?;
    let graph = whole_graph(&stepper, &step_terms, dead_ends, most, budget)?;
    // What a step term is at a dead end that repeats itself is not known.
    if dead_ends == DeadEnds::Stutter && !step_terms.is_empty() && !graph.dead_ends.is_clear() {
        return None;
    }
    let truths = |term: &TermId| Truths::of(&graph, &stepper, *term, budget);
    let atoms: Vec<Truths> = atoms.iter().map(truths).collect::<Option<_>>()?;
    let justice: Vec<Truths> = system.justice.iter().map(truths).collect::<Option<_>>()?;
    let initial = (0..graph.explored.initial as u32).map(|state| (state, 0));
    let product = MarkedProduct::explore(initial, most as u64, |(state, at), edges| {
        budget.check().ok()?;
        for edge in graph.edges(state) {
            let met = |(bit, truths): (usize, &Truths)| {
                u64::from(truths.at(&graph, state, edge)) << (marks as usize + bit)
            };
            let just = justice.iter().enumerate().map(met).fold(0, |all, one| all | one);
            for step in &observer.positions[usize::from(at)] {
                let fits = |&(atom, value): &(usize, bool)| atoms[atom].at(&graph, state, edge) == value;
                if step.literals.iter().all(fits) {
                    edges.push(((graph.edge_target(edge), step.target), step.marks | just));
                }
            }
        }
        Some(())
    })?;
    let required = ((1u128 << (marks as usize + justice.len())) - 1) as u64;
    let ranks = ranks(&product, required, budget).ok()?;
    let mut by_state: Vec<Vec<Rank>> = vec![Vec::new(); graph.len()];
    for (&(state, at), rank) in product.pairs.iter().zip(ranks) {
        let missing = match rank.missing.checked_sub(marks) {
            Some(condition) => JUSTICE_MARKS + condition as u16,
            None => rank.missing as u16,
        };
        by_state[state as usize].push(Rank {
            at,
            level: rank.level,
            missing,
        });
    }
    let states = by_state.into_iter().zip(0..);
    let states = states.map(|(ranks, state)| Some((encoded(&stepper, &graph, state)?, ranks)));
    RankedSet::new(states.collect::<Option<_>>()?)
}
