//! A deterministic route for `G F g` where `F g` is a guarantee.
//!
//! The minimal weak deterministic automaton of `F g` reaches an accepting sink exactly when an occurrence of `g` is
//! complete. Instead of entering the sink we mark the edge and start over, letting the last letter of one occurrence be
//! the first of the next: the automaton sees infinitely many completed occurrences iff `G F g` holds. (Esparza, Křetínský
//! and Sickert's observation on limit formulas; the same trick is known from Spot.)

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::{Automaton, Edge, State};
use crate::error::Result;
use crate::ltl::arena::{Arena, Ltl, LtlNode};
use crate::reduce::weak_minimization::minimal_weak_candidate;
use crate::translate::pipeline::base;
use entail_budget::Budget;

/// Deterministic Büchi automata of `G F g`, if the formula has this shape: one with acceptance on edges, one on states (in
/// which the sink stays, as an accepting copy of the start).
pub fn recurrence_automata(
    arena: &mut Arena,
    formula: Ltl,
    limit: usize,
    budget: &Budget,
) -> Result<Option<[Automaton; 2]>> {
    let LtlNode::Globally(eventually) = *arena.node(formula) else {
        return Ok(None);
    };
    if !matches!(arena.node(eventually), LtlNode::Finally(_)) || !arena.traits(eventually).guarantee {
        return Ok(None);
    }
    let automaton = base(arena, eventually, budget)?;
    let Ok(minimal) = minimal_weak_candidate(&automaton, limit, budget) else {
        return Ok(None);
    };
    let Some(sink) = minimal.states().find(|state| minimal.universal_sink(*state)) else {
        return Ok(None);
    };
    let start = minimal.initial()[0];
    if start == sink {
        return Ok(None);
    }
    let mut on_states = minimal.clone().with_acceptance(Acceptance::buchi(), 1);
    for (source, list) in on_states.edges.iter_mut().enumerate() {
        let marks = if source == sink.index() {
            Marks::one(0)
        } else {
            Marks::NONE
        };
        if source == sink.index() {
            *list = minimal.edges(start).to_vec();
        }
        for edge in list {
            edge.marks = marks;
        }
    }
    on_states.initial = vec![sink];
    on_states.remove_unreachable();
    let mut result = minimal.clone().with_acceptance(Acceptance::buchi(), 1);
    for source in 0..result.edges.len() {
        let mut list = Vec::new();
        for edge in std::mem::take(&mut result.edges[source]) {
            if edge.target != sink {
                list.push(Edge {
                    marks: Marks::NONE,
                    ..edge
                });
                continue;
            }
            for first in minimal.edges(start) {
                let label = result.labels.and(edge.label, first.label);
                let target: State = if first.target == sink { start } else { first.target };
                if label != crate::label::Label::FALSE {
                    list.push(Edge {
                        label,
                        target,
                        marks: Marks::one(0),
                    });
                }
            }
        }
        result.edges[source] = list;
    }
    result.merge_edges();
    result.remove_unreachable();
    // The property does not depend on any prefix, so every state accepts the same words: start where runs end up.
    let components = crate::reduce::components::Components::of(&result);
    result.initial = vec![components.members[0][0]];
    result.remove_unreachable();
    result.reduce_as(false, budget)?;
    Ok(Some([result, on_states]))
}
