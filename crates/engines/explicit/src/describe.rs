//! States in the words of a message.

use entail_model::{TransitionSystem, Value};

/// Variables named before the rest is left out.
const MOST: usize = 12;

/// "x = 1, y = TRUE, …": the values of the state variables.
pub(crate) fn state(system: &TransitionSystem, values: &[Option<Value>]) -> String {
    let mut parts: Vec<String> = system
        .variables()
        .iter()
        .zip(values)
        .filter_map(|(variable, value)| value.as_ref().map(|value| format!("{} = {value}", variable.name)))
        .collect();
    if parts.len() > MOST {
        parts.truncate(MOST);
        parts.push("…".into());
    }
    if parts.is_empty() {
        return "without variables".into();
    }
    parts.join(", ")
}
