//! The SMV language.
mod syntax;
pub use syntax::parse_model;
