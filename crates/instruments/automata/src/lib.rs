//! Automata on infinite words: LTL to small automata, the formats they travel in, and their algebra.
//!
//! **Here:** [`Automaton`] (one representation for all nondeterministic ω-automata: edges labelled by Boolean functions,
//! Emerson–Lei acceptance over marks on edges), [`alternating::Alternating`]; LTL in four syntaxes ([`ltl::syntax`]), its
//! simplification, classification and naive semantics; the translation ([`translate()`]) and the symbolic tableau ([`tester`]); reductions ([`reduce`]); product,
//! complement, determinisation and acceptance conversions ([`algebra`]); emptiness, membership, inclusion, equivalence,
//! always with a [`LassoWord`] as witness ([`decide`]); HOA, never claims and DOT ([`formats`]); all of it in one-call form in [`services`]; monitors of sequences and assertions as circuits ([`assertion`]).
//!
//! **Not here:** models and their products with automata (the engines), automata on trees, the syntax of PSL and SVA.
//!
//! **Invariants a caller may rely on:** constructions never change their input; labels belong to the automaton that
//! carries them; whatever may take exponential time takes a [`Budget`](entail_budget::Budget) and gives up with
//! [`AutomataError::Spent`]; no input text makes a reader panic; the same input gives the same output, always.

pub mod acceptance;
pub mod algebra;
pub mod alternating;
pub mod assertion;
pub mod automaton;
pub mod decide;
pub mod error;
pub mod formats;
pub mod label;
mod letter_classes;
pub mod ltl;
mod numbering;
mod properties;
pub mod random_automaton;
pub mod reduce;
pub mod services;
pub mod tester;
pub mod translate;
pub mod word;

pub use acceptance::{Acceptance, Kind, Marks};
pub use automaton::{Automaton, Edge, State};
pub use error::{AutomataError, Result};
pub use label::{Label, Labels, Letter};
pub use ltl::syntax::Syntax;
pub use translate::pipeline::{Preference, Target, Translation, translate};
pub use word::LassoWord;
