//! Systems written in Rust.
//!
//! Whoever has a protocol in mind and Rust at hand implements [`System`]: the initial states, what can be done in a state, and what it does. [`Checker`] asks
//! questions about it: what always, sometimes or eventually holds, formulas of linear time, that nothing gets stuck.
//!
//! ```
//! use entail_explicit::{Checker, System};
//!
//! /// Two lamps that are switched one at a time.
//! struct Lamps;
//!
//! impl System for Lamps {
//!     type State = [bool; 2];
//!     type Action = usize;
//!
//!     fn initial(&self) -> Vec<[bool; 2]> {
//!         vec![[false, false]]
//!     }
//!
//!     fn actions(&self, _: &[bool; 2]) -> Vec<usize> {
//!         vec![0, 1]
//!     }
//!
//!     fn step(&self, lamps: &[bool; 2], which: &usize) -> Option<[bool; 2]> {
//!         let mut next = *lamps;
//!         next[*which] ^= true;
//!         Some(next)
//!     }
//! }
//!
//! let answers = Checker::new(&Lamps)
//!     .sometimes("both can be on", |lamps| lamps[0] && lamps[1])
//!     .always("never both", |lamps| !(lamps[0] && lamps[1]))
//!     .check();
//! assert_eq!(answers[0].holds, Some(true));
//! // The shortest way there: the first lamp, then the second.
//! assert_eq!(answers[1].path.as_ref().map(|path| path.steps.len()), Some(2));
//! ```
//!
//! States are packed with `serde` and searched by `entail-search`, with all its stores, orders, threads and checkpoints. Violations of what always holds are shortest. Every path that is given out has been repeated: [`System::step`] is called
//! again for every action, and the question is judged on the states that it gives.

mod actor;
mod checker;
mod closed;
mod linearizability;
mod path;
mod ranked;
mod steps;

pub use actor::{
    Actor, ActorAction, ActorEvent, ActorState, ActorSystem, Effects, Envelope, Id, InFlight, Network, Plain,
    StateOf,
};
pub use checker::{Checker, Condition, Estimate, Reply};
pub use linearizability::{Explained, Register, RegisterOperation, SharedObject, Trial};
pub use path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A system whose states are values of Rust. Threads share it.
pub trait System: Sync {
    /// A state: everything that matters for what happens next. Equal states must be the same to `serde`: no hash sets or hash maps, whose order is left to chance.
    type State: Clone + Eq + Serialize + DeserializeOwned;
    /// Something that can be done.
    type Action: Clone;

    /// Where it begins.
    fn initial(&self) -> Vec<Self::State>;

    /// What may be done in a state.
    fn actions(&self, state: &Self::State) -> Vec<Self::Action>;

    /// What an action leads to; nothing if it cannot be done after all. The same every time it is asked.
    fn step(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;

    /// One state for all that are alike up to symmetry, such as one with its interchangeable parts sorted. Questions must not tell such states apart, and
    /// what is alike must lead to what is alike.
    fn representative(&self, state: &Self::State) -> Self::State {
        state.clone()
    }
}
