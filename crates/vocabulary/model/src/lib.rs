//! Models: what a system is, independent of the language it was written in.
//!
//! **Here:** [`Sort`]s and [`Value`]s; hash-consed typed terms ([`Terms`], [`TermId`]); symbolic fair transition
//! systems ([`TransitionSystem`]); their evaluation, substitution, composition and cones of influence; what is observed of their states
//! ([`Abstraction`]); explicit [`Kripke`] structures, labelled ([`Lts`]) and modal ([`Kmts`]) transition systems, and the reference way from a system to its
//! structure ([`TransitionSystem::unfold`]).
//!
//! **Not here:** any decision procedure (engines), any concrete syntax (languages), formulas (`entail-logic`;
//! their atoms are terms of this crate).
//!
//! **Invariants a caller may rely on**
//! - A term's operands have smaller ids than the term itself. Walking ids upwards is walking the graph in
//!   topological order, so no algorithm over terms needs recursion.
//! - Two terms of one store are structurally equal iff their ids are equal.
//! - Every term has a sort, fixed when it is built. The sort of an integer or enumerated term contains every value
//!   the term can take, so that every term has a finite domain.
//! - Evaluation is total on well-sorted valuations: partial operations have a fixed default (see [`Op`]), and what the
//!   source language calls an error is a [`Hazard`] of the system.

mod build;
mod build_words;
mod circuit_witness;
mod compose;
mod cone;
mod enumerate;
mod evaluate;
mod kmts;
mod kripke;
mod kripke_json;
mod lts;
mod lts_compose;
mod observation;
mod registers;
mod sort;
mod substitute;
mod supports;
mod system;
mod term;
mod total;
mod unfold;
mod value;
mod weaken;
mod word;

pub use circuit_witness::{Claim, Witness, WitnessError};
pub use compose::{ComposeError, Composition, interleaving_composition, synchronous_composition};
pub use cone::{CompleteError, CompletedPath, Cone, Dropped, assigned_next, cone_of_influence};
pub use enumerate::DomainTooLarge;
pub use evaluate::{Missing, Valuation, evaluate, evaluate_bool, evaluate_with};
pub use kmts::{Kmts, KmtsBuilder, KmtsError, ThreeValued};
pub use kripke::{Kripke, KripkeBuilder, KripkeError, MAX_STATES, Proposition, StateId, StateSet};
pub use kripke_json::KripkeJsonError;
pub use lts::{ActionId, Colour, Lts, LtsBuilder, LtsError, TAU, TAU_NAME, Transition};
pub use lts_compose::Synchronisation;
pub use observation::{Abstraction, NotObservable, Observation};
pub use registers::{Register, Registers, Stimulus, StimulusError};
pub use sort::{Sort, SortError};
pub use supports::Supports;
pub use system::{Define, Hazard, TransitionSystem, VarId, VarKind, Variable};
pub use term::{Op, TermId, Terms};
pub use unfold::{UnfoldError, Unfolding};
pub use value::Value;
pub use weaken::Kept;
pub use word::Word;
