//! Counterexample-guided abstraction refinement (Clarke, Grumberg, Jha, Lu, Veith 2000; chapter 13, section 13.5) for formulas about
//! all paths: invariants, LTL, ACTL*.
//!
//! The abstraction is localization (Kurshan): some conjuncts of the model are kept, the variables nobody determines then are free.
//! That is a transition system again, so any engine can be asked about it. The loop:
//!
//! 1. Keep what determines the variables of the property.
//! 2. Ask an engine about the weakened model. If the property holds there, it holds.
//! 3. A counterexample is tried on the whole model ([`concretise`]). If it is real, the property fails.
//! 4. Otherwise keep the parts that the contradiction needed as well, and go on at 2.
//!
//! Every round keeps more, so the loop ends, at worst with the model itself. When most of the model is kept, all of it is: then
//! abstraction has not helped, and the rounds to come would not either.

mod concretise;
mod engine;
mod existential;
mod interpolate;
mod parts;
mod predicates;
mod sketch;

pub use engine::CegarEngine;
pub use predicates::PredicateEngine;
