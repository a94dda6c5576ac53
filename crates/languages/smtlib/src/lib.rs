//! SMT-LIB 2 scripts, and the systems of VMT-LIB, MCMT and Horn clauses: from text to terms.
//!
//! **Here:** names and their scopes ([`Scope`]), reading terms with sorts checked ([`read_term`]), commands of scripts ([`Script`]),
//! systems ([`read_vmt`], [`read_mcmt`], [`read_horn`]).
//!
//! **Not here:** answering commands, deciding anything.
//!
//! **Invariants a caller may rely on**
//! - Nothing here panics on any text; nesting costs no stack of its own (it grows).
//! - Every term handed out is well sorted.

mod float_operators;
mod further_operators;
mod horn;
mod mcmt;
mod operators;
mod problem;
mod scope;
mod script;
mod temporal;
mod term_reader;
mod vmt;
mod word_operators;

pub use horn::read_horn;
pub use mcmt::read_mcmt;
pub use problem::Problem;
pub use scope::{Meaning, Scope};
pub use script::{Command, Script};
pub use temporal::{declare_temporal_operators, path_formula};
pub use term_reader::{Annotation, read_sort, read_term, read_term_with};
pub use vmt::{System, read_vmt};
