//! Whether a set of states shows that a program is safe.
//!
//! The set is taken as it is saved. Each of its states is looked at by itself with an interpreter that shares nothing with engines: every step of every process, and everything that follows while somebody
//! has control, must lead to a state of the set, none may go wrong, and where there is no step everybody must be allowed to stop. With the initial state in the set, that is an
//! induction over runs: every reachable state at rest is in the set. Whoever made the set takes no part, and that the states are reachable is not claimed.
//!
//! Memory: the set, unpacked while that is not too large, one state with its steps, and the states inside one atomic sequence.

use crate::safe_states::over_all_states;
use crate::steps::{Obstacle, wrong};
use crate::unseen::computes_with_unseen;
use entail_answer::{CheckReport, ClosedSet, SetIndex};
use entail_budget::Budget;
use entail_program::{Program, Requirement, RequirementKind};

/// Checks the claim that nothing goes wrong in any state, and nobody stops who must not, by a set of states that no step leaves. What the budget does not suffice for is left
/// unchecked.
pub fn check_closed(
    program: &Program,
    requirement: &Requirement,
    set: &ClosedSet,
    budget: &Budget,
) -> CheckReport {
    if requirement.question != RequirementKind::Safety {
        return CheckReport::rejected("a set of states without ranks shows nothing about infinite runs");
    }
    if computes_with_unseen(program) {
        return CheckReport::rejected(
            "a set of states shows nothing where variables that are no part of the state can be read",
        );
    }
    match accept(program, set, budget) {
        Ok(()) => CheckReport::Accepted,
        Err(Obstacle::Wrong(reason)) => CheckReport::rejected(reason),
        Err(Obstacle::Unknown(reason)) => {
            CheckReport::unchecked(format!("that no step leaves the set of states: {reason}"))
        }
    }
}

fn accept(program: &Program, set: &ClosedSet, budget: &Budget) -> Result<(), Obstacle> {
    let index = SetIndex::new(set);
    over_all_states(program, (set, &index), budget, |_, found, _| {
        match found.states().all(|reached| index.contains(reached.state)) {
            true => Ok(()),
            false => wrong("a step leaves the set of states"),
        }
    })
}
