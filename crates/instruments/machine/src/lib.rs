//! What Rust cannot say safely, behind interfaces that are safe: machine code made at run time, and advice about memory.
//!
//! **Here:** [`Workshop`] makes [`Reader`]s and [`Writer`]s, functions over a byte string and a table of numbers, from what an [`Assembler`] is told;
//! [`prefetch`] and [`prefer_large_pages`] speak to the processor and the system about memory.
//!
//! **Not here:** anything about programs, states or searches.
//!
//! **Invariants**
//! - No safe call of this crate reads or writes memory that its arguments do not lend it. Every `unsafe` block says why.
//! - Code can reach bytes only through a [`Window`], whose bounds were compared with the length of the byte string when the code ran, and the table
//!   only behind a comparison with its length. What does not fit gives up: the function returns `None`.

#[cfg(feature = "code")]
mod assembler;
mod fetch;
mod pages;
#[cfg(feature = "code")]
mod workshop;

#[cfg(feature = "code")]
pub use assembler::{Assembler, Label, Operation, Size, Value, Variable, Window};
pub use fetch::prefetch;
pub use pages::prefer_large_pages;
#[cfg(feature = "code")]
pub use workshop::{Failure, Finished, Reader, RoutineId, Workshop, Writer};
