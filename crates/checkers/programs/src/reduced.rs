//! Whether states of a reduced search show that a program is safe, or that no infinite run violates a formula.
//!
//! The set tells of each state whether all its steps were taken, or only those of the smallest sufficient set of processes with a given one. What suffices is found out here ([`crate::independence`]); engines only say from which process to
//! begin. Every step that is taken must lead to a state of the set, and in addition:
//!
//! - a set of processes has a step (C0), is persistent (C1), and, where a formula is asked about, changes nothing that the formula looks at (C2);
//! - nothing is put off for ever (C3): for safety, some step that is taken leads to a state with all its steps, or to one that is later in the order that the set gives; for formulas, which speak of infinite runs, every step does;
//! - in every state all steps of everybody are computed, and none goes wrong (safety).
//!
//! *Why that suffices for safety.* Let a fault be `n` steps away from a state of the set. If all its steps were taken, it is `n - 1` steps away from another one. If a member of the set of processes moves on the way, its first step can
//! as well be made now, for nothing before has to do with it: `n - 1` again. Otherwise the taken step that goes on leads to a state from which the fault is still `n` steps away, as nothing on the way has to do with the step;
//! and orders rise only so often before a state has all its steps. So some state of the set has a step that goes wrong, which is seen. A state in which nobody can move is found in the same way, and there a member
//! must have moved. For formulas without `X` this is the theorem on ample sets (Clarke, Grumberg, Peled, *Model Checking*, 1999, chapter 10): the steps taken depend on the state alone, never on what watches.
//!
//! Memory: the set, one state with its steps, and the states inside one atomic sequence.

use crate::independence::{Dependence, Situation};
use crate::processes::Processes;
use crate::ranked;
use crate::safe_states::over_all_states;
use crate::steps::{Found, Obstacle, Stepper, wrong};
use crate::unseen::computes_with_unseen;
use entail_answer::{CheckReport, SetIndex};
use entail_budget::Budget;
use entail_program::{Program, ReducedSet, Requirement, RequirementKind};

/// A set with what is needed to judge what was taken of steps.
#[derive(Clone, Copy)]
pub struct Reduced<'s> {
    pub set: &'s ReducedSet,
    pub dependence: &'s Dependence,
    pub program: &'s Program,
}

impl Reduced<'_> {
    /// The processes whose steps were taken in the state at hand, which has a number and these steps; nothing if all were.
    pub fn taken(
        self,
        stepper: &Stepper<'_>,
        found: &Found,
        number: u64,
    ) -> Result<Option<Processes>, Obstacle> {
        let Some(taken) = self.set.taken(number) else {
            return wrong("the set does not say which steps were taken");
        };
        let Some(begins_with) = taken.begins_with else {
            return Ok(None);
        };
        if found.timed_out || found.diverges || found.fault.is_some() {
            return wrong("steps are left out where that is not allowed");
        }
        let mut situation = Situation::new(self.dependence, self.program, stepper.row());
        let set = situation.closure(begins_with);
        if !found.states().any(|reached| set.contains(reached.by)) {
            return wrong("no step is left where some are left out");
        }
        match situation.is_seen(set) {
            true => wrong("steps are left out where others change what the formula looks at"),
            false => Ok(Some(set)),
        }
    }

    /// Whether a step from a state with fewer steps to another state puts nothing off for ever.
    pub fn goes_on(self, from: u64, to: u64) -> bool {
        match (self.set.taken(from), self.set.taken(to)) {
            (Some(from), Some(to)) => to.begins_with.is_none() || to.order > from.order,
            _ => false,
        }
    }
}

/// Checks that a requirement holds, by the states of a reduced search. What the budget does not suffice for is left unchecked, and so is everything where it cannot be told which steps suffice.
pub fn check_reduced(
    program: &Program,
    requirement: &Requirement,
    set: &ReducedSet,
    budget: &Budget,
) -> CheckReport {
    if computes_with_unseen(program) {
        return CheckReport::rejected(
            "a set of states shows nothing where variables that are no part of the state can be read",
        );
    }
    let dependence = match Dependence::new(program, requirement) {
        Ok(dependence) => dependence,
        Err(reason) => {
            return CheckReport::unchecked(format!("that the steps that were taken suffice: {reason}"));
        }
    };
    let reduced = Reduced {
        set,
        dependence: &dependence,
        program,
    };
    let accepted = match requirement.question {
        RequirementKind::Safety => accept(program, reduced, budget),
        _ => ranked::accept(program, requirement, false, set.ranked(), Some(reduced), budget),
    };
    match accepted {
        Ok(()) => CheckReport::Accepted,
        Err(Obstacle::Wrong(reason)) => CheckReport::rejected(reason),
        Err(Obstacle::Unknown(reason)) => {
            CheckReport::unchecked(format!("that the reduced set shows it: {reason}"))
        }
    }
}

/// Looks at each state of a set for safety.
fn accept(program: &Program, reduced: Reduced<'_>, budget: &Budget) -> Result<(), Obstacle> {
    let states = reduced.set.ranked().states();
    let index = SetIndex::new(states);
    over_all_states(program, (states, &index), budget, |stepper, found, number| {
        let members = reduced.taken(stepper, found, number)?;
        let mut goes_on = members.is_none();
        for reached in found.states() {
            if members.is_some_and(|members| !members.contains(reached.by)) {
                continue;
            }
            match index.position(reached.state) {
                Some(to) => goes_on |= reduced.goes_on(number, to),
                None => return wrong("a step that was taken leaves the set of states"),
            }
        }
        match goes_on {
            true => Ok(()),
            false => wrong("steps may be put off for ever"),
        }
    })
}
