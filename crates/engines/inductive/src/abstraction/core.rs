//! Small cores: which objects on trial does a refutation need?
//!
//! The solver names those whose guards it used. Asked again with these only, in another order, it may use fewer; then single objects are left out, latches
//! first, as long as the refutation is found again at once. The result is small, not a minimum.

use super::objects::Objects;
use super::unrolling::AbstractUnrolling;
use entail_budget::{Budget, Spent};
use entail_sat::{Answer, Node};

/// Conflicts for each attempt to do without an object.
const CONFLICTS: u64 = 200;

/// At most so many attempts at one depth.
const ATTEMPTS: usize = 60;

/// Objects on trial that, together with those of `anyway`, refute a depth; sorted, without those. The last call must have refuted it.
pub(super) fn needed(
    objects: &Objects<'_>,
    unrolling: &mut AbstractUnrolling<'_>,
    depth: usize,
    anyway: &[Node],
    budget: &Budget,
) -> Result<Vec<Node>, Spent> {
    let others = |mut used: Vec<Node>| {
        used.retain(|node| !anyway.contains(node));
        used
    };
    let refutes = |unrolling: &mut AbstractUnrolling<'_>, defined: &[Node]| {
        let all = [anyway, defined].concat();
        let answer = unrolling.reaches_bad(depth, &all, Some(CONFLICTS), budget)?;
        Ok((answer == Answer::Unsatisfiable).then(|| unrolling.used(defined)))
    };
    let mut needed = others(unrolling.used(unrolling.on_trial()));
    for _ in 0..3 {
        needed.reverse();
        let before = needed.len();
        if let Some(used) = refutes(unrolling, &needed)? {
            needed = used;
        }
        if needed.len() == before {
            break;
        }
    }
    let mut candidates = needed.clone();
    candidates.sort_by_key(|&node| (!objects.is_latch(node), std::cmp::Reverse(node)));
    for candidate in candidates.into_iter().take(ATTEMPTS) {
        if needed.contains(&candidate) {
            let without: Vec<Node> = needed.iter().copied().filter(|&node| node != candidate).collect();
            if let Some(used) = refutes(unrolling, &without)? {
                needed = used;
            }
        }
    }
    needed.sort_unstable();
    Ok(needed)
}
