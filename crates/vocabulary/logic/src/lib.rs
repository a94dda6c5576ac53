//! Temporal logics: formulas, the fragments they belong to, normal forms, parsing and printing.
//!
//! **Here:** [`Formula`], one syntax tree for CTL* with past and bounded operators, generic in its atoms; the
//! [`Fragment`]s (CTL, LTL, ACTL, …) recognised on it; positive normal form, simplification, bounds written out, maximal
//! state subformulas; text in SMV's syntax, read ([`parse`]) and written (`Display`, [`Formula::display_with`]); the
//! mu-calculus ([`mu`]); sequences and assertions on finite and infinite words ([`Assertion`]), and the grammar of PSL ([`psl`]); [`Property`], what a user asks about a model.
//!
//! **Not here:** what an atom means (the model's terms, usually), how a formula is decided (engines), and the concrete
//! syntax of the modelling languages (each reader parses its own).
//!
//! **Semantics** (the same everywhere): time is discrete and paths are infinite; operators are non-strict (`F p` is true
//! if `p` is true now); past operators see the path from its first state; a path formula asked of a model means "on all fair
//! paths" ([`Formula::forall`] is put around it when the property is made). Where finite maximal paths count as well, `X` is
//! false at their end: passes for which that matters say so.
//!
//! **Invariants:** no pass depends on the depth of the machine stack; the parsers never panic.
//!
//! ```
//! use entail_logic::{Fragment, parse};
//!
//! let formula = parse("AG (request -> AF grant)").unwrap();
//! assert_eq!(formula.classify().logic(), "ctl");
//! assert!(formula.is_in(Fragment::Actl));
//! assert_eq!(formula.negated_normal_form().to_string(), "EF (request & EG !grant)");
//! ```

mod assertion;
mod bounded;
mod clocked;
mod formula;
mod fragment;
mod interval;
mod logic;
pub mod mu;
mod nesting;
mod normal_form;
mod observer;
mod parse;
mod print;
mod property;
pub mod psl;
mod simplify;
mod state_subformula;
mod token;
mod vacuity;

pub use assertion::{Assertion, Guard, Local, Sequence, View};
pub use bounded::BoundTooLarge;
pub use clocked::over_letters;
pub use formula::{Binary, Formula, Node, Quantifier, Unary};
pub use fragment::{Classification, Fragment};
pub use interval::Interval;
pub use logic::Logic;
pub use observer::{Observer, ObserverEdge};
pub use parse::{MAX_NESTING, parse, quoted};
pub use print::DisplayWith;
pub use property::{Property, Question};
pub use simplify::Paths;
pub use vacuity::{Replacement, Told, weakest_replacements};
