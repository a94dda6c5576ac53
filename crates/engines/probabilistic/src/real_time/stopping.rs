//! Whether a scheduler can let infinitely much happen in no time, where clocks are integers.
//!
//! Such schedulers count for the least probability of reaching a goal as long as nobody looks; in real time they are none. If there is no nonempty set of states in which some choice other than the passing of time stays inside, there is
//! no such scheduler, and the value is that of real time. The greatest such set is found by taking away states that have no such choice, in time linear in the transitions.

use crate::check::{Trouble, Workshop};
use entail_budget::Budget;
use entail_markov::{Expr, Property};

/// Whether infinitely much can happen in no time while one stays in some states, in a model whose clocks became integers.
pub fn can_stop_time(workshop: &mut Workshop<'_>, open: &Expr, budget: &Budget) -> Result<bool, Trouble> {
    let open = workshop.set(&Property::Expr(open.clone()), budget)?;
    let ticks = (workshop.network.components.last()).and_then(|last| last.commands.first()?.action);
    let ticks = ticks.map(|action| action.0);
    let model = &workshop.model;
    let stays = |choice: usize| {
        model.actions.get(choice).copied() != ticks
            && model
                .targets_of(choice)
                .iter()
                .all(|&target| open.contains(target as usize))
    };
    let mut possible: Vec<bool> = (0..model.rows.len() - 1).map(stays).collect();
    let mut left: Vec<u32> = Vec::with_capacity(model.states());
    let mut inside = open.clone();
    let mut gone = Vec::new();
    for state in 0..model.states() {
        budget.check()?;
        let count = model.choices_of(state).filter(|&choice| possible[choice]).count() as u32;
        left.push(count);
        if count == 0 && inside.contains(state) {
            inside.set(state, false);
            gone.push(state);
        }
    }
    while let Some(state) = gone.pop() {
        budget.check()?;
        for &choice in workshop.before.of(state) {
            let choice = choice as usize;
            if !std::mem::replace(&mut possible[choice], false) {
                continue;
            }
            let owner = workshop.before.owner[choice] as usize;
            left[owner] -= 1;
            if left[owner] == 0 && inside.contains(owner) {
                inside.set(owner, false);
                gone.push(owner);
            }
        }
    }
    Ok(!inside.is_clear())
}
