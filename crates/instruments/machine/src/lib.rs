//! What Rust cannot say safely, behind interfaces that are safe.
//!
//! **Here:** [`prefetch`].
//!
//! **Not here:** anything about programs, states or searches.
//!
//! **Invariants**
//! - No safe call of this crate can read or write memory that its arguments do not own. Every `unsafe` block says why.

mod fetch;

pub use fetch::prefetch;
