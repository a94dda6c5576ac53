//! Repeating a run with the interpreter, and what it shows.

use crate::fault::Fault;
use crate::interpret::{Event, Move, State, can_move, moves};
use crate::program::Program;
use crate::run::Run;

/// A state on a run, with who has control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The state.
    pub state: State,
    /// The process that goes on without others in between.
    pub control: Option<u8>,
}

/// A run with its states.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The states; one before every step, and one after the last unless the last step went wrong.
    pub situations: Vec<Situation>,
    /// What happened besides in every step, one that went wrong included.
    pub events: Vec<Vec<Event>>,
    /// What went wrong in the last step (or in the beginning, if there is no situation).
    pub fault: Option<Fault>,
}

impl Replayed {
    /// A run without steps.
    pub fn begin(program: &Program) -> Replayed {
        let (state, fault) = match State::initial(program) {
            Ok(state) => (Some(state), None),
            Err(fault) => (None, Some(fault)),
        };
        let situation = |state| Situation { state, control: None };
        Replayed {
            situations: state.map(situation).into_iter().collect(),
            events: Vec::new(),
            fault,
        }
    }

    /// The steps that are possible now; none after something went wrong.
    pub fn moves(&self, program: &Program) -> Vec<Move> {
        match (self.situations.last(), &self.fault) {
            (Some(here), None) => moves(program, &here.state, here.control),
            _ => Vec::new(),
        }
    }

    /// Takes one of the steps that are possible now.
    pub fn take(&mut self, program: &Program, chosen: Move) {
        self.events.push(chosen.events);
        match chosen.result {
            Ok(state) => {
                // Control that cannot be used is lost.
                let control = chosen
                    .control
                    .filter(|&process| can_move(program, &state, process));
                self.situations.push(Situation { state, control });
            }
            Err(fault) => self.fault = Some(fault),
        }
    }

    /// Takes the last step back.
    pub fn back(&mut self) {
        if self.events.pop().is_some() && self.fault.take().is_none() {
            self.situations.pop();
        }
    }
}

/// Repeats a run. The error says which step is impossible.
pub fn replay(program: &Program, run: &Run) -> Result<Replayed, String> {
    let mut replayed = Replayed::begin(program);
    if replayed.situations.is_empty() {
        return Ok(replayed);
    }
    for (number, step) in run.steps.iter().enumerate() {
        if let Some(fault) = &replayed.fault {
            return Err(format!("step {number} already fails: {fault}"));
        }
        let found = replayed
            .moves(program)
            .into_iter()
            .find(|found| found.step == *step)
            .ok_or_else(|| format!("step {} is not possible", number + 1))?;
        replayed.take(program, found);
    }
    if let (Some(start), None) = (run.loop_start, &replayed.fault) {
        let (first, last) = (replayed.situations.get(start), replayed.situations.last());
        if first != last {
            return Err("the loop does not close".into());
        }
    }
    Ok(replayed)
}
