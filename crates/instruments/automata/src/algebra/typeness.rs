//! Which deterministic automata are Büchi or co-Büchi in disguise.
//!
//! A deterministic Rabin automaton has an equivalent deterministic Büchi automaton iff it has one on the same structure
//! (Krishnan, Puri and Brayton): take as marked the edges that lie on no rejecting cycle, and ask whether every accepting
//! cycle has one. For parity automata both questions are about strongly connected parts: an edge lies on a rejecting cycle
//! iff for some odd priority `d` its component among the edges of priority at most `d` contains one of priority `d`.
//! Dually for co-Büchi, through the complement. Quadratic at worst.

use crate::acceptance::{Acceptance, Marks};
use crate::algebra::determinize::to_deterministic_parity;
use crate::algebra::parity::normalise_parity;
use crate::automaton::{Automaton, Edge, State};
use crate::error::{AutomataError, Result};
use crate::reduce::components::Components;
use entail_budget::Budget;

/// An equivalent deterministic Büchi automaton on the same structure, if the language has one.
pub fn deterministic_buchi(automaton: &Automaton, budget: &Budget) -> Result<Option<Automaton>> {
    let parity = to_deterministic_parity(automaton, budget)?;
    buchi_typed(&parity)
}

/// An equivalent deterministic co-Büchi automaton (`Fin(0)`), if the language has one.
pub fn deterministic_co_buchi(automaton: &Automaton, budget: &Budget) -> Result<Option<Automaton>> {
    let parity = to_deterministic_parity(automaton, budget)?;
    let dual = crate::algebra::complement::complement_deterministic(&parity)?;
    let dual = crate::algebra::zielonka::to_parity(&dual, budget)?;
    Ok(buchi_typed(&dual)?.map(|buchi| buchi.with_acceptance(Acceptance::co_buchi(), 1)))
}

/// The same question for a deterministic parity automaton.
pub fn buchi_typed(parity: &Automaton) -> Result<Option<Automaton>> {
    if !parity.is_deterministic() {
        return Err(AutomataError::NotApplicable(
            "typeness is about deterministic automata",
        ));
    }
    let mut source = parity.clone();
    normalise_parity(&mut source)?;
    let priority = |edge: &Edge| edge.marks.0.trailing_zeros();
    let top = source.mark_count();
    let mut rejecting: Vec<Vec<bool>> = source
        .states()
        .map(|s| vec![false; source.edges(s).len()])
        .collect();
    let all: Vec<State> = source.states().collect();
    for bad in (1..=top).step_by(2) {
        let keep = |_: State, edge: &Edge| priority(edge) <= bad;
        let components = Components::within(&source, &all, keep);
        for members in &components.members {
            let has_bad = members.iter().any(|state| {
                source
                    .edges(*state)
                    .iter()
                    .any(|edge| priority(edge) == bad && components.inner(*state, edge))
            });
            if !has_bad {
                continue;
            }
            for state in members {
                for (position, edge) in source.edges(*state).iter().enumerate() {
                    if priority(edge) <= bad && components.inner(*state, edge) {
                        rejecting[state.index()][position] = true;
                    }
                }
            }
        }
    }
    // An accepting cycle made only of edges that also lie on rejecting cycles refutes typeness.
    let mut only_rejecting = source.clone();
    let mut buchi = source.clone().with_acceptance(Acceptance::buchi(), 1);
    for state in source.states() {
        let flags = &rejecting[state.index()];
        let mut position = 0;
        only_rejecting.edges[state.index()].retain(|_| {
            position += 1;
            flags[position - 1]
        });
        for (edge, on_rejecting) in buchi.edges[state.index()].iter_mut().zip(flags) {
            edge.marks = if *on_rejecting { Marks::NONE } else { Marks::one(0) };
        }
    }
    only_rejecting.initial = all;
    Ok(only_rejecting.is_empty().then_some(buchi))
}
