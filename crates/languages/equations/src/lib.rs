//! Boolean equation systems (`.bes`).
//!
//! **Here:** [`read`] and [`print()`].
//!
//! ```text
//! bes                            optional, as mCRL2 writes it
//! nu X = Y && (X || Z);          also `&`, `and`, `|`, `or`; `&&` binds tighter than `||`
//! mu { Y = X;  Z = Y || true; }  a block: equations with the same mark, one after the other
//! init X;                        optional: what is asked; otherwise the first variable
//! ```
//!
//! `%` and `//` begin comments. Equations are ordered, the outermost first. `val(true)` is read as `true`.
//!
//! **Not here:** solving (`entail-mu`, as a parity game).
//!
//! **Invariants:** the reader never panics, and nesting costs no stack. Every variable that is mentioned is defined, once.

mod print;
mod read;
mod tokens;

pub use print::print;
pub use read::{EquationFile, read};
