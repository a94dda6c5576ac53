//! Trajectory assertions as text.
//!
//! **Here:** [`parse`], from a text to a [`SpecificationText`], which says whose circuit it is about; [`resolve`], what it says about a given netlist.
//!
//! **Not here:** circuits, simulation, deciding anything.
//!
//! **What a caller may rely on:** no text makes the reader panic, nesting is limited, and what a text expands to is, too. Errors have places.

mod expression;
mod lexer;
mod parse;
mod resolve;
mod syntax;

pub use parse::parse;
pub use resolve::resolve;
pub use syntax::SpecificationText;
