//! Writing Aldebaran's format.

use crate::Hidden;
use crate::aut::INTERNAL;
use entail_model::{Lts, TAU_NAME};
use std::io::{self, Write};

/// What Aldebaran's format cannot say.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The bytes could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is not exactly one initial state.
    #[error("an .aut file has exactly one initial state, but this system has {0}")]
    InitialStates(usize),
    /// States have propositions.
    #[error("an .aut file has no propositions in its states; write .json or .dot instead")]
    Propositions,
    /// An action is called as the hidden one.
    #[error("the action `i` is seen, but would be read as the hidden one")]
    VisibleI,
}

/// Writes a system with one initial state and without propositions. Labels stand in quotes.
pub fn write_aut(lts: &Lts, out: &mut impl Write, hidden: Hidden) -> Result<(), WriteError> {
    let [initial] = lts.initial() else {
        return Err(WriteError::InitialStates(lts.initial().len()));
    };
    if lts.is_coloured() {
        return Err(WriteError::Propositions);
    }
    if hidden == Hidden::I && lts.actions().iter().any(|name| &**name == INTERNAL) {
        return Err(WriteError::VisibleI);
    }
    let labels: Vec<String> = (lts.actions().iter().enumerate())
        .map(|(action, name)| match (action, hidden) {
            (0, Hidden::I) => INTERNAL.to_owned(),
            (0, _) => TAU_NAME.to_owned(),
            _ => format!("\"{}\"", name.replace('"', "\\\"")),
        })
        .collect();
    writeln!(
        out,
        "des ({initial},{},{})",
        lts.transition_count(),
        lts.state_count()
    )?;
    for step in lts.transitions() {
        writeln!(out, "({},{},{})", step.from, labels[step.action.index()], step.to)?;
    }
    Ok(())
}
