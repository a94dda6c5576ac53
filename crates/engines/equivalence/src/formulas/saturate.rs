//! Saturation: steps with hidden steps before and after them become steps.

use entail_budget::{Budget, Spent};
use entail_model::{Lts, LtsBuilder, StateId, TAU};

/// The system with a step `a` wherever hidden steps, a step `a`, and hidden steps lead, and a hidden step wherever hidden steps, or
/// none at all, lead. Hidden steps that change the colour are steps to be seen. Quadratic in the worst case.
pub(super) fn saturate(lts: &Lts, budget: &Budget) -> Result<Lts, Spent> {
    let mut builder = LtsBuilder::new(lts.state_count() as u64);
    for name in lts.actions() {
        builder.action(name);
    }
    for state in lts.states() {
        let colour = builder.colour(lts.propositions(state).iter().cloned());
        builder.paint(state, colour);
    }
    let mut mark = vec![0u32; lts.state_count()];
    let mut round = 0;
    let mut close = |set: Vec<StateId>| -> Result<Vec<StateId>, Spent> {
        round += 1;
        let mut reached: Vec<StateId> = Vec::with_capacity(set.len());
        for state in set {
            if std::mem::replace(&mut mark[state.index()], round) != round {
                reached.push(state);
            }
        }
        let mut next = 0;
        while let Some(&state) = reached.get(next) {
            budget.check()?;
            next += 1;
            for &target in lts.successors(state, TAU) {
                if lts.colour(target) == lts.colour(state)
                    && std::mem::replace(&mut mark[target.index()], round) != round
                {
                    reached.push(target);
                }
            }
        }
        Ok(reached)
    };
    for state in lts.states() {
        let before = close(vec![state])?;
        let colour = lts.colour(state);
        let mut seen: Vec<_> = (before.iter().flat_map(|&state| lts.steps(state)))
            .filter(|&(action, target)| action != TAU || lts.colour(target) != colour)
            .collect();
        seen.sort_unstable();
        seen.dedup();
        for group in seen.chunk_by(|a, b| a.0 == b.0) {
            let targets = group.iter().map(|&(_, target)| target).collect();
            for target in close(targets)? {
                builder.transition(state, group[0].0, target);
            }
        }
        for target in before {
            builder.transition(state, TAU, target);
        }
    }
    Ok(builder
        .build()
        .expect("the states of a system, and steps between them"))
}
