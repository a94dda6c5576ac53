//! Errors of Entail itself, kept to the property they are about.
//!
//! An engine or a checker may panic, and a checker may reject what an engine claims. Neither says anything about the other properties: the
//! property is answered *unknown*, with what is needed to find the mistake, and the run goes on.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// A mistake of Entail's, found while a property was decided.
#[derive(Clone, Debug)]
pub struct InternalError<Claim> {
    /// What happened.
    pub message: String,
    /// What the engine had claimed, if it had; it is no verdict.
    pub claim: Option<Box<Claim>>,
}

/// A mistake to be made on purpose, so that the way it is handled can be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The engine panics.
    Panic,
    /// The engine claims the opposite of what it found.
    Lie,
}

/// Does something that may panic; if it does, says what the panic said. What it worked on must not be used any more.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = (panic.downcast_ref::<&str>().copied())
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        text.unwrap_or("a panic without a message").to_owned()
    })
}
