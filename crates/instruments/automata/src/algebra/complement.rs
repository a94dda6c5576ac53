//! Complementation: the smallest of what applies.
//!
//! | source | construction | result |
//! |---|---|---|
//! | deterministic | complete, dual condition | deterministic, same states |
//! | weak | breakpoint (Miyano and Hayashi on the dual) | deterministic Büchi, `3^n` |
//! | semi-deterministic | NCSB | Büchi, `4^n` |
//! | any | determinise, dual condition | deterministic parity, `2^O(n log n)` |
//! | small, any | rank functions with tight rankings | Büchi, `(0.96 n)^n` |
//! | small, any | slices | Büchi, `(3 n)^n` |
//!
//! [`complement`] may answer with any acceptance condition; [`complement_to_buchi`] gives a Büchi automaton and compares
//! the constructions.

use crate::acceptance::{Acceptance, Marks};
use crate::algebra::determinize::to_deterministic_parity;
use crate::algebra::rank_complement::rank_complement;
use crate::algebra::remove_fin::to_generalized_buchi;
use crate::algebra::semi_deterministic_complement::ncsb_complement;
use crate::algebra::slice_complement::slice_complement;
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::label::Label;
use crate::numbering::Numbering;
use crate::reduce::components::Components;
use crate::reduce::degeneralize::{Placement, degeneralize};
use crate::reduce::powerset::split_letters;
use entail_budget::Budget;

/// An automaton for the other words, with whatever acceptance comes cheapest.
pub fn complement(automaton: &Automaton, budget: &Budget) -> Result<Automaton> {
    if automaton.is_deterministic() {
        return complement_deterministic(automaton);
    }
    let generalized = to_generalized_buchi(automaton)?;
    if generalized.is_weak() {
        return complement_weak(&generalized, budget);
    }
    complement_deterministic(&to_deterministic_parity(&generalized, budget)?)
}

/// The complement of a deterministic automaton: complete it and turn the condition around.
pub fn complement_deterministic(automaton: &Automaton) -> Result<Automaton> {
    if !automaton.is_deterministic() {
        return Err(AutomataError::NotApplicable("the automaton is not deterministic"));
    }
    let mut result = automaton.clone();
    result.complete()?;
    result.acceptance = result.acceptance.dual();
    Ok(result)
}

/// The complement of a weak automaton: all runs must keep leaving the accepting components. Deterministic.
pub fn complement_weak(automaton: &Automaton, budget: &Budget) -> Result<Automaton> {
    if !automaton.is_weak() {
        return Err(AutomataError::NotApplicable("the automaton is not weak"));
    }
    let components = Components::of(automaton);
    let accepting: Vec<bool> = (0..components.members.len())
        .map(|component| crate::decide::emptiness::accepting_component(automaton, &components, component))
        .collect();
    let owes = |state: State| accepting[components.of[state.index()] as usize];
    let mut result = Automaton::new(automaton.propositions().to_vec(), Acceptance::buchi(), 1)?;
    result.labels = automaton.labels.clone();
    let mut initial = automaton.initial().to_vec();
    initial.sort_unstable();
    let mut found = Numbering::new();
    let first = found.state((initial, Vec::new()), &mut result);
    result.add_initial(first);
    let mut at = 0;
    while let Some((all, owing)) = found.get(at) {
        budget.check()?;
        let parts: Vec<(Label, (State, bool))> = all
            .iter()
            .flat_map(|state| {
                let from_owing = owing.contains(state);
                automaton
                    .edges(*state)
                    .iter()
                    .map(move |edge| (edge.label, (edge.target, from_owing)))
            })
            .collect();
        for (label, reached) in split_letters(parts, &mut result.labels) {
            let mut targets: Vec<State> = reached.iter().map(|(state, _)| *state).collect();
            targets.sort_unstable();
            targets.dedup();
            let mut next: Vec<State> = reached
                .iter()
                .filter(|(state, from_owing)| owes(*state) && (*from_owing || owing.is_empty()))
                .map(|(state, _)| *state)
                .collect();
            next.sort_unstable();
            next.dedup();
            let marks = if next.is_empty() {
                Marks::one(0)
            } else {
                Marks::NONE
            };
            let target = found.state((targets, next), &mut result);
            result.add_edge(State(at as u32), label, target, marks);
        }
        at += 1;
    }
    result.merge_edges();
    Ok(result)
}

/// Sources with more states than this are not complemented by ranks, or by slices.
const LARGEST_RANKED: usize = 6;
const LARGEST_SLICED: usize = 8;
/// Constructions are given up above this many states if another one succeeded.
const LARGEST_COMPLEMENT: usize = 50_000;

/// A Büchi automaton (mark on edges) for the other words: every construction that applies is tried, the smallest kept.
pub fn complement_to_buchi(automaton: &Automaton, budget: &Budget) -> Result<Automaton> {
    let generalized = to_generalized_buchi(automaton)?;
    let buchi = degeneralize(&generalized, Placement::Edges, budget)?;
    let mut candidates = Vec::new();
    if buchi.is_weak() {
        candidates.push(complement_weak(&buchi, budget)?);
    } else {
        let dual = complement_deterministic(&to_deterministic_parity(&buchi, budget)?)?;
        let dual = to_generalized_buchi(&dual)?;
        candidates.push(degeneralize(&dual, Placement::Edges, budget)?);
        if buchi.is_semi_deterministic() {
            candidates.extend(ncsb_complement(&buchi, LARGEST_COMPLEMENT, budget)?);
        }
        if buchi.state_count() <= LARGEST_RANKED {
            candidates.extend(rank_complement(&buchi, LARGEST_COMPLEMENT, budget)?);
        }
        if buchi.state_count() <= LARGEST_SLICED {
            candidates.extend(slice_complement(&buchi, LARGEST_COMPLEMENT, budget)?);
        }
    }
    for candidate in &mut candidates {
        if candidate.state_count() < 2_000 {
            candidate.reduce_buchi(false, budget)?;
        }
    }
    candidates
        .into_iter()
        .min_by_key(|candidate| (candidate.state_count(), candidate.edge_count()))
        .ok_or(AutomataError::NotApplicable("no construction applies"))
}
