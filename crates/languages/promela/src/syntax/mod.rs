//! From text to syntax tree: preprocessor, tokens, parser.

pub mod ast;
pub mod declaration;
mod expression;
mod inline;
pub mod parser;
pub mod preprocess;
mod statement;
pub mod token;
mod visit;
