//! TLSF 1.2, the format of specifications for reactive synthesis.
//!
//! **Here:** [`read`], from a text to a [`Specification`]: inputs, outputs, and the formulas of each section with all that is high level expanded; and
//! [`Specification::formula`], the one formula they stand for.
//!
//! - `lexer`, `syntax`, `parser`: from text to a syntax tree. Operators bind as in `syfco`: `W`, `U`, `R` more loosely than `->`.
//! - `value`, `evaluate`: parameters, definitions, sets, enumerations and big operators are computed away.
//! - `specification`: what is left, and what it means.
//! - `print`: the specification as basic TLSF, and as LTL.
//!
//! **Not here:** deciding anything about it.
//!
//! **Invariants:** the reader never panics and never overflows the stack; recursion without end, and expansions that grow without bound, are errors that
//! name the place. Every formula is over the declared signals, a bus `r` being `r_0`, `r_1` and so on.

mod evaluate;
mod lexer;
mod parser;
mod print;
mod specification;
mod syntax;
mod value;

pub use print::{print_basic, print_ltl};
pub use specification::{ALIVE, Machine, Semantics, Specification, read};

/// Does something that calls itself, as deeply as the input is nested, with a stack that grows.
pub(crate) fn deep<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 << 10, 2 << 20, work)
}
