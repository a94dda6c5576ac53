//! Linear temporal logic: formulas for the translation, their simplification, their syntaxes and classes.

pub mod arena;
pub mod classify;
pub mod evaluate;
pub mod expand;
pub mod implication;
pub mod print;
pub mod random;
pub mod simplify;
mod simplify_lists;
pub mod simplify_path;
pub mod syntax;
