//! Merging states while an automaton for the complement permits it.
//!
//! Giving two states each other's edges and names only adds runs, so the language can only grow; it stays the same iff the
//! result still has no word in common with an automaton for the complement. With the automaton of a negated formula at
//! hand this is one emptiness check for each pair of states, and it finds merges that no simulation justifies. Meant for
//! small automata: `O(n^3)` products.

use crate::algebra::product::intersection;
use crate::automaton::{Automaton, Edge, State};
use crate::error::Result;
use entail_budget::Budget;

/// What a merge must not destroy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Keep {
    /// Acceptance on states: only states with the same marks are merged.
    pub state_based: bool,
    /// Determinism.
    pub deterministic: bool,
}

/// The automaton after all merges that keep its language. `complement` must accept exactly the other words.
pub fn merge_against(
    automaton: &Automaton,
    complement: &Automaton,
    keep: Keep,
    budget: &Budget,
) -> Result<Automaton> {
    let mut best = automaton.clone();
    'again: loop {
        let count = best.state_count() as u32;
        for p in 0..count {
            for q in p + 1..count {
                budget.check()?;
                if let Some(merged) = merged(&best, State(p), State(q), keep)
                    && intersection(&merged, complement)?.0.is_empty()
                {
                    best = merged;
                    continue 'again;
                }
            }
        }
        return Ok(best);
    }
}

/// The automaton with `q` merged into `p`, if that keeps what must be kept.
fn merged(automaton: &Automaton, p: State, q: State, keep: Keep) -> Option<Automaton> {
    if keep.state_based {
        let marks = |state: State| automaton.edges(state).first().map(|edge| edge.marks);
        if marks(p) != marks(q) {
            return None;
        }
    }
    let redirect = |state: State| if state == q { p } else { state };
    let mut result = automaton.clone();
    let moved = std::mem::take(&mut result.edges[q.index()]);
    result.edges[p.index()].extend(moved);
    for edge in result.edges.iter_mut().flatten() {
        *edge = Edge {
            target: redirect(edge.target),
            ..*edge
        };
    }
    result.initial = result.initial.iter().map(|state| redirect(*state)).collect();
    result.initial.sort_unstable();
    result.initial.dedup();
    let survivors: Vec<bool> = automaton.states().map(|state| state != q).collect();
    result.restrict_states(&survivors);
    result.merge_edges();
    (!keep.deterministic || result.is_deterministic()).then_some(result)
}
