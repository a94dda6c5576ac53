//! From text to syntax tree: preprocessor, tokens, parser.

pub mod ast;
mod condition;
pub mod declaration;
mod expression;
mod inline;
mod macros;
pub mod parser;
pub mod preprocess;
mod statement;
pub mod token;
mod visit;
