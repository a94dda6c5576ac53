//! From text to syntax tree: preprocessor, tokens, parser.

pub mod ast;
mod expression;
pub mod parser;
pub mod preprocess;
mod statement;
pub mod token;
mod visit;
