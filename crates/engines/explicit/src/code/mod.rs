//! Terms and plans as code for a small register machine.
//!
//! `instruction` is the instruction set, `compile` turns terms into code, `machine` runs it, `word_arithmetic` is the
//! arithmetic of words of at most 64 bits, `evaluator` evaluates a fixed list of terms in many states. The meaning of
//! compiled terms is that of `entail_model::evaluate` on complete valuations; a property test compares them.

pub(crate) mod compile;
pub(crate) mod evaluator;
pub(crate) mod instruction;
pub(crate) mod machine;
mod word_arithmetic;

#[cfg(test)]
pub(crate) mod agreement;
