//! The pass over a set of states that is to show that a program is safe: what is asked of every state, whatever else is.
//!
//! The initial state is in the set. Each state is looked at by itself, with all steps of everybody: none goes wrong, and where there is none everybody may stop. What the steps have to lead to is
//! asked by whoever knows what the set is.

use crate::parts::over_all_blocks;
use crate::steps::{Found, Obstacle, Stepper, wrong};
use entail_answer::{ClosedSet, SetIndex};
use entail_budget::Budget;
use entail_program::Program;

/// Looks at each state of a set. `ask` is told of the state, its steps and its number in the set.
pub fn over_all_states(
    program: &Program,
    (set, index): (&ClosedSet, &SetIndex<'_>),
    budget: &Budget,
    ask: impl Fn(&Stepper<'_>, &Found, u64) -> Result<(), Obstacle> + Sync,
) -> Result<(), Obstacle> {
    if !index.contains(&Stepper::new(program).initial()?) {
        return wrong("the initial state is not in the set");
    }
    over_all_blocks(set, budget, |next, budget| {
        let mut stepper = Stepper::new(program);
        let mut found = Found::default();
        while let Some(blocks) = next() {
            set.for_each_in(blocks, |number, bytes| {
                budget.check()?;
                stepper.enter(bytes)?;
                // An atomic sequence that goes round for ever is no violation of safety.
                stepper.steps(false, &mut found, budget)?;
                if let Some(fault) = &found.fault {
                    return wrong(fault.to_string());
                }
                if found.is_last() && !stepper.is_valid_end() {
                    return wrong("invalid end state");
                }
                ask(&stepper, &found, number)
            })?;
        }
        Ok(())
    })
}
