//! What runs along with a program and watches for a violation.

use super::Undecided;
use super::states::RestingStates;
use entail_program::Expression;
use entail_program::interpret::{View, evaluate};
use entail_program::{Action, Location, LocationId, ProcessTypeId, Program};

/// A nondeterministic automaton that reads the states of a run, one after the other. Its positions are numbers. A run violates the
/// requirement if the automaton can read it so that every mark is seen infinitely often, or so that it comes to its end.
pub trait Watcher {
    /// Where it can be when the run begins in this state.
    fn begin(&mut self, state: usize) -> Result<Vec<u64>, Undecided>;

    /// Where it can be in the state `to` after the state `from` in which it was at `at`.
    fn next(&mut self, at: u64, from: usize, to: usize) -> Result<Vec<u64>, Undecided>;

    /// Whether it comes to its end in a state.
    fn ends(&mut self, _at: u64, _state: usize) -> Result<bool, Undecided> {
        Ok(false)
    }

    /// Number of marks.
    fn marks(&self) -> usize;

    /// The marks that are seen at a position in a state.
    fn seen(&mut self, at: u64, state: usize) -> Result<Vec<bool>, Undecided>;

    /// Whether the last state of a run in which nobody can move is read again and again.
    fn repeats_last_state(&self) -> bool {
        true
    }
}

/// Whether a condition holds in a state.
pub fn condition(
    program: &Program,
    states: &RestingStates,
    expression: &Expression,
    state: usize,
) -> Result<bool, Undecided> {
    let view = View::new(program, &states.0[state].state, usize::MAX);
    evaluate(&view, expression)
        .map(|value| value != 0)
        .map_err(|fault| Undecided::NoValue(fault.to_string()))
}

/// A never claim: it takes one of its edges before every step of the program.
pub struct Claim<'p> {
    program: &'p Program,
    states: &'p RestingStates,
    locations: &'p [Location],
    start: Option<LocationId>,
}

impl<'p> Claim<'p> {
    /// The claim that is this process type.
    pub fn new(program: &'p Program, states: &'p RestingStates, claim: ProcessTypeId) -> Claim<'p> {
        Claim {
            program,
            states,
            locations: &program.process(claim).locations,
            start: program.process(claim).start,
        }
    }

    fn is_end(&self, location: usize) -> bool {
        let ends = |action: Option<&Action>| matches!(action, Some(Action::End));
        self.locations[location]
            .edges
            .iter()
            .any(|edge| ends(edge.actions.first()))
    }

    /// Where the claim can go in a state.
    fn targets(&self, location: usize, state: usize) -> Result<Vec<usize>, Undecided> {
        let mut targets = Vec::new();
        for edge in &self.locations[location].edges {
            let can_be_taken = match edge.actions.first() {
                None | Some(Action::Skip) => true,
                Some(Action::Guard(guard) | Action::Assert(guard)) => {
                    condition(self.program, self.states, guard, state)?
                }
                Some(Action::Else) => targets.is_empty(),
                Some(Action::End) => false,
                Some(_) => {
                    return Err(Undecided::Unsupported(
                        "never claims that do more than look at the state",
                    ));
                }
            };
            if can_be_taken {
                targets.push(edge.target.index());
            }
        }
        Ok(targets)
    }
}

impl Watcher for Claim<'_> {
    fn begin(&mut self, _state: usize) -> Result<Vec<u64>, Undecided> {
        Ok(self.start.iter().map(|start| u64::from(start.0)).collect())
    }

    fn next(&mut self, at: u64, from: usize, _to: usize) -> Result<Vec<u64>, Undecided> {
        let targets = self.targets(at as usize, from)?;
        Ok(targets.into_iter().map(|target| target as u64).collect())
    }

    fn ends(&mut self, at: u64, state: usize) -> Result<bool, Undecided> {
        Ok(self.is_end(at as usize)
            || self
                .targets(at as usize, state)?
                .into_iter()
                .any(|target| self.is_end(target)))
    }

    fn marks(&self) -> usize {
        1
    }

    fn seen(&mut self, at: u64, _state: usize) -> Result<Vec<bool>, Undecided> {
        Ok(vec![self.locations[at as usize].is_accepting])
    }
}

/// Watches for runs that pass infinitely often through accepting locations of processes.
pub struct AcceptanceLabels<'p> {
    program: &'p Program,
    states: &'p RestingStates,
}

impl<'p> AcceptanceLabels<'p> {
    /// For the states of a program.
    pub fn new(program: &'p Program, states: &'p RestingStates) -> AcceptanceLabels<'p> {
        AcceptanceLabels { program, states }
    }
}

impl Watcher for AcceptanceLabels<'_> {
    fn begin(&mut self, _state: usize) -> Result<Vec<u64>, Undecided> {
        Ok(vec![0])
    }

    fn next(&mut self, _at: u64, _from: usize, _to: usize) -> Result<Vec<u64>, Undecided> {
        Ok(vec![0])
    }

    fn marks(&self) -> usize {
        1
    }

    fn seen(&mut self, _at: u64, state: usize) -> Result<Vec<bool>, Undecided> {
        Ok(vec![self.states.0[state].state.is_accepting(self.program)])
    }
}

/// Watches for runs that pass through progress locations only finitely often. At 0 it waits; at 1 it expects no more progress.
pub struct NoProgress<'p> {
    program: &'p Program,
    states: &'p RestingStates,
}

impl<'p> NoProgress<'p> {
    /// For the states of a program.
    pub fn new(program: &'p Program, states: &'p RestingStates) -> NoProgress<'p> {
        NoProgress { program, states }
    }

    fn positions(&self, waits: bool, state: usize) -> Vec<u64> {
        let mut positions = Vec::new();
        if waits {
            positions.push(0);
        }
        if !self.states.0[state].state.is_progress(self.program) {
            positions.push(1);
        }
        positions
    }
}

impl Watcher for NoProgress<'_> {
    fn begin(&mut self, state: usize) -> Result<Vec<u64>, Undecided> {
        Ok(self.positions(true, state))
    }

    fn next(&mut self, at: u64, _from: usize, to: usize) -> Result<Vec<u64>, Undecided> {
        Ok(self.positions(at == 0, to))
    }

    fn marks(&self) -> usize {
        1
    }

    fn seen(&mut self, at: u64, _state: usize) -> Result<Vec<bool>, Undecided> {
        Ok(vec![at == 1])
    }

    /// A program that has stopped makes no steps, so there is no cycle without progress.
    fn repeats_last_state(&self) -> bool {
        false
    }
}
