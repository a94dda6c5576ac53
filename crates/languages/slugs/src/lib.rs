//! Slugs' format of GR(1) specifications (`slugsin`).
//!
//! **Here:** [`read`], from a text to a [`Specification`], and [`Specification::formula`], what it means in linear time.
//!
//! Sections are `[INPUT]`, `[OUTPUT]`, and `[ENV_INIT]`, `[ENV_TRANS]`, `[ENV_LIVENESS]`, `[SYS_INIT]`, `[SYS_TRANS]`, `[SYS_LIVENESS]`; a line is a signal or a formula in prefix
//! notation: `!`, `&`, `|`, `^`, `0`, `1`, a signal, a signal with `'` for its next value; `$ n` followed by `n` formulas is a buffer whose last formula is its value, and `? i` is
//! an earlier formula of the buffer around it. `#` begins a comment.
//!
//! **Not here:** deciding anything; structured slugs (with numbers), which Slugs itself translates first.
//!
//! **Invariants:** the reader never panics, and nesting costs no stack. Formulas are over declared signals; a next value occurs only where Slugs allows it.

mod formula;
mod read;

pub use read::{Specification, read};
