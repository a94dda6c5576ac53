//! States of transition systems as bytes, for sets of states that are evidence: for each state variable in its order the position of its value in its sort, seven bits a byte, the lowest first.
//!
//! The form has nothing to do with how engines pack states. Inputs are no part of a state.
//!
//! **Invariant:** what [`decode_state`] accepts is written by [`encode_state`] with the same bytes.

use entail_answer::closed_set::{put_number, take_number};
use entail_model::{TransitionSystem, Value};

/// Writes a state into `out`, which is cleared before; nothing where a variable has no value, or one that cannot be numbered.
pub fn encode_state(system: &TransitionSystem, state: &[Option<Value>], out: &mut Vec<u8>) -> Option<()> {
    out.clear();
    for variable in system.state_variables() {
        let sort = &system.variable(variable).sort;
        let value = state.get(variable.index())?.as_ref()?;
        sort.size()?;
        put_number(sort.position(value)?, out);
    }
    Some(())
}

/// The state of some bytes; nothing if they are none of the system.
pub fn decode_state(system: &TransitionSystem, bytes: &[u8]) -> Option<Vec<Option<Value>>> {
    let rest = &mut &*bytes;
    let mut state = system.blank();
    for variable in system.state_variables() {
        let sort = &system.variable(variable).sort;
        let size = sort.size()?;
        let position = take_number(rest).filter(|&position| position < size)?;
        state[variable.index()] = Some(sort.value_at(position));
    }
    rest.is_empty().then_some(state)
}
