//! Recursion over formulas that does not depend on the size of the machine stack.
//!
//! Readers accept formulas nested thousands deep; the passes here are recursive because that is how they read best. Each
//! takes its recursive step through [`deep`], which continues on a fresh piece of stack when the current one runs short.

/// Runs a recursive step with enough stack.
pub(crate) fn deep<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, step)
}
