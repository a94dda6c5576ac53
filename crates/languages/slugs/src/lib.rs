//! Slugs' formats of GR(1) specifications (`slugsin`, and structured slugs).
//!
//! **Here:** [`read`] and [`read_structured`], from a text to a [`Specification`], and [`Specification::formula`], what it means in linear time.
//!
//! Sections are `[INPUT]`, `[OUTPUT]`, and `[ENV_INIT]`, `[ENV_TRANS]`, `[ENV_LIVENESS]`, `[SYS_INIT]`, `[SYS_TRANS]`, `[SYS_LIVENESS]`; a line is a signal or a formula in prefix
//! notation: `!`, `&`, `|`, `^`, `0`, `1`, a signal, a signal with `'` for its next value; `$ n` followed by `n` formulas is a buffer whose last formula is its value, and `? i` is
//! an earlier formula of the buffer around it. `#` begins a comment.
//!
//! In structured slugs signals may be numbers, `x: 0...5`, and lines that are no prefix formulas are infix ones: `x < 5 & up -> x' = x + 1`. Numbers become signals for their bits, named as Slugs' compiler names
//! them, and their range a condition on whoever decides them.
//!
//! **Not here:** deciding anything; sections for partial information, which other modes of Slugs have.
//!
//! **Invariants:** the reader never panics, and nesting costs no stack. Formulas are over declared signals; a next value occurs only where Slugs allows it.

mod formula;
mod infix;
mod number;
mod read;

pub use read::{Specification, read, read_structured};
