//! Whether a set of states shows that a program is safe.
//!
//! The set is taken as it is saved. Each of its states is looked at by itself with the reference interpreter: every step of every process, and everything that follows while somebody
//! has control, must lead to a state of the set, none may go wrong, and where there is no step everybody must be allowed to stop. With the initial state in the set, that is an
//! induction over runs: every reachable state at rest is in the set. Whoever made the set takes no part, and that the states are reachable is not claimed.
//!
//! Memory: the compressed set, one state with its steps, and the states inside one atomic sequence.

use entail_answer::{CheckReport, ClosedSet};
use entail_budget::{Budget, Spent};
use entail_program::interpret::{State, can_move, moves_within};
use entail_program::state_bytes::{decode, encode};
use entail_program::{Fault, Program, Requirement, RequirementKind};
use std::collections::HashSet;

/// A deterministic sequence may take so many steps; what takes more is left unchecked.
const LONGEST_SEQUENCE: u64 = 1_000_000;

/// Atomic sequences through more states than this are left unchecked.
const MOST_INSIDE: usize = 1_000_000;

/// Why a set was not accepted.
enum Obstacle {
    /// It does not show what it should show.
    Wrong(String),
    /// This is not known.
    Unknown(String),
}

impl From<Spent> for Obstacle {
    fn from(spent: Spent) -> Obstacle {
        Obstacle::Unknown(spent.to_string())
    }
}

/// Checks the claim that nothing goes wrong in any state, and nobody stops who must not, by a set of states that no step leaves. What the budget does not suffice for is left
/// unchecked.
pub fn check_closed(
    program: &Program,
    requirement: &Requirement,
    set: &ClosedSet,
    budget: &Budget,
) -> CheckReport {
    if requirement.question != RequirementKind::Safety {
        return CheckReport::rejected("a set of states shows nothing about infinite runs");
    }
    if program.reads_unseen() {
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
    let wrong = |reason: &str| Err(Obstacle::Wrong(reason.to_owned()));
    let initial = match State::initial(program) {
        Ok(initial) => initial,
        Err(fault) => return wrong(&fault.to_string()),
    };
    let mut pass = Pass {
        program,
        set,
        bytes: Vec::new(),
    };
    if !pass.has(&initial) {
        return wrong("the initial state is not in the set");
    }
    set.for_each(|bytes| {
        budget.check()?;
        match decode(program, bytes) {
            Some(state) => pass.look_at(&state, budget),
            None => wrong("the set has something that is no state of the program"),
        }
    })
}

/// A pass over the states of a set.
struct Pass<'p> {
    program: &'p Program,
    set: &'p ClosedSet,
    /// The state that is looked up.
    bytes: Vec<u8>,
}

impl Pass<'_> {
    fn has(&mut self, state: &State) -> bool {
        encode(self.program, state, &mut self.bytes);
        self.set.contains(&self.bytes)
    }

    /// Looks at the steps of a state at rest.
    fn look_at(&mut self, state: &State, budget: &Budget) -> Result<(), Obstacle> {
        let mut inside: Vec<(State, u8)> = Vec::new();
        if !self.follow(state, None, &mut inside)? && !state.is_valid_end(self.program) {
            return Err(Obstacle::Wrong("invalid end state".into()));
        }
        // The states inside atomic sequences that begin here. One that goes round for ever is no violation of safety.
        let mut seen: HashSet<(State, u8)> = inside.iter().cloned().collect();
        while let Some((state, control)) = inside.pop() {
            budget.check()?;
            let mut next = Vec::new();
            self.follow(&state, Some(control), &mut next)?;
            inside.extend(next.into_iter().filter(|found| seen.insert(found.clone())));
            if seen.len() > MOST_INSIDE {
                return Err(Obstacle::Unknown("an atomic sequence is too long".into()));
            }
        }
        Ok(())
    }

    /// Takes the small steps of a state: those to states at rest must lead into the set, the others are added to `inside`. Whether there are any.
    fn follow(
        &mut self,
        state: &State,
        control: Option<u8>,
        inside: &mut Vec<(State, u8)>,
    ) -> Result<bool, Obstacle> {
        let found = moves_within(self.program, state, control, LONGEST_SEQUENCE);
        let any = !found.is_empty();
        for found in found {
            let after = match found.result {
                Ok(after) => after,
                Err(Fault::Endless) => continue,
                Err(fault @ Fault::TooLong(_)) => return Err(Obstacle::Unknown(fault.to_string())),
                Err(fault) => return Err(Obstacle::Wrong(fault.to_string())),
            };
            match found
                .control
                .filter(|&process| can_move(self.program, &after, process))
            {
                Some(process) => inside.push((after, process)),
                None if self.has(&after) => {}
                None => return Err(Obstacle::Wrong("a step leaves the set of states".into())),
            }
        }
        Ok(any)
    }
}
