//! Text to syntax tree: tokens, the tree, and the parser.
//!
//! Nothing here knows what a name means; that is the business of [`crate::elaborate`].

pub mod ast;
mod declaration;
mod expression;
pub mod interner;
pub mod lexer;
mod parser;
mod placement;
mod primary;
mod psl;
mod temporal;
mod types;
mod word_literal;

pub use parser::{Parsed, parse_formula, parse_model};
pub use word_literal::MAX_WIDTH as MAX_WORD_WIDTH;
