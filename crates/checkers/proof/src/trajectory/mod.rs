//! The checker of answers about trajectory assertions.
//!
//! A claim that an assertion holds is judged by a question of its own (`refute.rs`): the negated comparison is encoded here, from the demanded nodes backwards, and must be refuted with a proof that the
//! LRAT checker accepts. A counterexample is simulated step by step (`replay.rs`). The sets of states that prove an assertion graph are judged with Boolean values, edge by edge (`fixpoint.rs`). Rules by which assertions follow from others are judged one by one (`deduction.rs`). None of them knows anything of the engine: values are pairs *known to be 1*, *known to be 0* here, not what may be, and
//! weakenings of the specification are not looked at.

mod boolean_run;
mod conditions;
mod deduction;
mod fixpoint;
mod refute;
mod replay;
mod step_assertion;

pub use deduction::{check_derivation, check_indexed};
pub use fixpoint::check_fixpoint;
pub use refute::check_assertion;
pub use replay::{Replayed, check_walk, replay};
