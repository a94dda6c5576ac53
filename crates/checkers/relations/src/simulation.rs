//! The check of a simulation between the blocks of a strong bisimulation, in one pass over its pairs.
//!
//! One state speaks for its block: if `s` and `t` are the states looked at, and every step of `s` into a block `B` is matched by
//! a step of `t` into a block `C` with `B = C` or `(B, C)` listed, then so are the steps of all states of their blocks, and the
//! listed pairs with equality are a simulation.

use entail_evidence::equivalence::Rejected;
use entail_model::{Lts, StateId};
use rustc_hash::FxHashSet;

pub(super) fn check_simulation(
    lts: &Lts,
    ready: bool,
    blocks: &[u32],
    pairs: &[(u32, u32)],
    left: &[StateId],
    right: &[StateId],
) -> Result<(), Rejected> {
    let related: FxHashSet<(u32, u32)> = pairs.iter().copied().collect();
    let holds = |s: StateId, t: StateId| {
        let (b, c) = (blocks[s.index()], blocks[t.index()]);
        b == c || related.contains(&(b, c))
    };
    if let Some(s) = left.iter().find(|&&s| !right.iter().any(|&t| holds(s, t))) {
        return Err(Rejected(format!(
            "no initial state is paired with the initial state {s}"
        )));
    }
    let speakers = speakers(lts, blocks);
    for &(b, c) in pairs {
        let (Some(&Some(s)), Some(&Some(t))) = (speakers.get(b as usize), speakers.get(c as usize)) else {
            return Err(Rejected(format!(
                "the pair ({b}, {c}) names a block without states"
            )));
        };
        if lts.propositions(s) != lts.propositions(t) {
            return Err(Rejected(format!(
                "states {s} and {t} are paired, but look different"
            )));
        }
        for (action, target) in lts.steps(s) {
            if !(lts.successors(t, action).iter()).any(|&answer| holds(target, answer)) {
                return Err(Rejected(format!(
                    "states {s} and {t} are paired, but nothing answers the step `{}` of {s} to {target}",
                    lts.action_name(action)
                )));
            }
        }
        if ready && (lts.row(t).0.iter()).any(|&action| lts.successors(s, action).is_empty()) {
            return Err(Rejected(format!(
                "states {s} and {t} are paired, but {t} can do more"
            )));
        }
    }
    Ok(())
}

/// One state of each block.
pub(super) fn speakers(lts: &Lts, blocks: &[u32]) -> Vec<Option<StateId>> {
    let count = blocks.iter().map(|&block| block as usize + 1).max().unwrap_or(0);
    let mut speakers = vec![None; count.min(lts.state_count())];
    for state in lts.states() {
        if let Some(speaker) = speakers.get_mut(blocks[state.index()] as usize) {
            speaker.get_or_insert(state);
        }
    }
    speakers
}
