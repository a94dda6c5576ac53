//! Repeating a run with the interpreter, and what it shows.

use crate::fault::Fault;
use crate::interpret::{State, can_move, moves};
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
    /// What went wrong in the last step (or in the beginning, if there is no situation).
    pub fault: Option<Fault>,
}

/// Repeats a run. The error says which step is impossible.
pub fn replay(program: &Program, run: &Run) -> Result<Replayed, String> {
    let mut situations = Vec::with_capacity(run.steps.len() + 1);
    match State::initial(program) {
        Ok(state) => situations.push(Situation { state, control: None }),
        Err(fault) => {
            return Ok(Replayed {
                situations,
                fault: Some(fault),
            });
        }
    }
    for (number, step) in run.steps.iter().enumerate() {
        let here = situations.last().expect("the initial state was pushed");
        let found = moves(program, &here.state, here.control)
            .into_iter()
            .find(|found| found.step == *step)
            .ok_or_else(|| format!("step {} is not possible", number + 1))?;
        match found.result {
            Ok(state) => {
                // Control that cannot be used is lost.
                let control = found
                    .control
                    .filter(|&process| can_move(program, &state, process));
                situations.push(Situation { state, control });
            }
            Err(fault) if number + 1 == run.steps.len() => {
                return Ok(Replayed {
                    situations,
                    fault: Some(fault),
                });
            }
            Err(fault) => return Err(format!("step {} already fails: {fault}", number + 1)),
        }
    }
    if let Some(start) = run.loop_start {
        let (first, last) = (situations.get(start), situations.last());
        if first != last {
            return Err("the loop does not close".into());
        }
    }
    Ok(Replayed {
        situations,
        fault: None,
    })
}
