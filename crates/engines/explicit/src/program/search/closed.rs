//! All reachable states of a safe program as evidence, in the interpreter's form: they say nothing of how this engine packs states.

use crate::program::explorer::ProgramSteps;
use crate::program::steps::action::Compiled;
use crate::program::steps::unpack::unpack;
use entail_answer::ClosedSet;
use entail_budget::Budget;
use entail_program::Program;
use entail_program::state_bytes::encode;
use entail_search::closure;

/// All reachable states; nothing if there are more than `most`, there is no time, or states do not tell everything: variables that are no part of the state may be read.
pub fn closed_set(program: &Program, compiled: &Compiled, most: u64, budget: &Budget) -> Option<ClosedSet> {
    if program.reads_unseen() {
        return None;
    }
    let model = ProgramSteps {
        compiled,
        reducer: None,
        sleep: None,
        symmetry: None,
    };
    let mut states: Vec<Box<[u8]>> = Vec::new();
    let mut bytes = Vec::new();
    closure(&model, most, budget, |state| {
        encode(program, &unpack(program, compiled, state), &mut bytes);
        states.push(bytes.as_slice().into());
    })?;
    Some(ClosedSet::new(states))
}
