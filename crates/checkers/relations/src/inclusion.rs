//! The check of inclusion of traces: pairs of a block and a set of blocks that are closed under steps.
//!
//! The claim of a pair `(B, T)` is that every trace of the states of `B` is a trace of some block of `T`. It is established for all
//! listed pairs at once if every step of every state of `B` leads to a pair that is *covered*: the set after the step is not empty,
//! and the block is in it, or the block is listed with a subset of it. (Take a shortest path of a state whose trace is against a
//! pair: its first step leads to a covered pair with a shorter one.) The states of a block have the same traces, so one of them
//! speaks for it in `T`.

use crate::simulation::speakers;
use crate::traces::{after, close_unseen};
use entail_evidence::equivalence::Rejected;
use entail_model::{Lts, StateId, TAU};
use rustc_hash::FxHashMap;

pub(super) fn check_inclusion(
    lts: &Lts,
    weak: bool,
    blocks: &[u32],
    pairs: &[(u32, Vec<u32>)],
    left: &[StateId],
    right: &[StateId],
) -> Result<(), Rejected> {
    let speakers = speakers(lts, blocks);
    let mut listed: FxHashMap<u32, Vec<&[u32]>> = FxHashMap::default();
    for (block, set) in pairs {
        listed.entry(*block).or_default().push(set);
    }
    let covered = |state: StateId, mut set: Vec<StateId>| {
        if weak {
            close_unseen(lts, &mut set);
        }
        let block = blocks[state.index()];
        let mut present: Vec<u32> = set.iter().map(|state| blocks[state.index()]).collect();
        present.sort_unstable();
        let has = |block: &u32| present.binary_search(block).is_ok();
        let within = |small: &&[u32]| small.iter().all(has);
        !present.is_empty() && (has(&block) || listed.get(&block).is_some_and(|sets| sets.iter().any(within)))
    };
    for &s in left {
        let alike = (right.iter().copied()).filter(|&t| lts.propositions(t) == lts.propositions(s));
        if !covered(s, alike.collect()) {
            return Err(Rejected(format!("nothing covers the initial state {s}")));
        }
    }
    let speaker = |block: u32| match speakers.get(block as usize) {
        Some(&Some(state)) => Ok(state),
        _ => Err(Rejected(format!(
            "a pair names the block {block}, which has no states"
        ))),
    };
    let mut members: FxHashMap<u32, Vec<StateId>> = FxHashMap::default();
    for state in lts
        .states()
        .filter(|state| listed.contains_key(&blocks[state.index()]))
    {
        members.entry(blocks[state.index()]).or_default().push(state);
    }
    for (block, set) in pairs {
        speaker(*block)?;
        let mut here = (set.iter().map(|&member| speaker(member))).collect::<Result<Vec<_>, _>>()?;
        if weak {
            close_unseen(lts, &mut here);
        }
        let steps = members[block]
            .iter()
            .flat_map(|&s| lts.steps(s).map(move |step| (s, step)));
        for (s, (action, target)) in steps {
            let unseen = weak && action == TAU && lts.propositions(target) == lts.propositions(s);
            let then = match unseen {
                true => here.clone(),
                false => after(lts, &here, action, lts.propositions(target)),
            };
            if !covered(target, then) {
                return Err(Rejected(format!(
                    "the step `{}` of state {s} leads to a pair that is not covered",
                    lts.action_name(action)
                )));
            }
        }
    }
    Ok(())
}
