//! First-order terms over truth values, integers, reals, words, floating-point numbers, arrays and functions.
//!
//! **Here:** the reader of S-expressions; sorts, symbols and hash-consed [`Terms`]; their values and the [`Evaluator`], which is what a
//! model or a trace is judged by; printing as SMT-LIB; transition systems whose states are such values ([`FirstOrderSystem`]); proofs that
//! a set of formulas has no model, as data ([`Refutation`]).
//!
//! **Not here:** deciding anything (`instruments/smt`), judging proofs (`checkers/proof`), commands of SMT-LIB and other languages
//! (`languages/smtlib`).
//!
//! **Invariants a caller may rely on**
//! - Operands have smaller numbers than the terms that use them; equal terms have equal numbers.
//! - Building a term simplifies it only by laws that hold under every interpretation.
//! - `Op::Xor` and `Op::Lt` are never made by [`Terms::build`]: they are written with `Eq` and `Le`.

mod build;
mod endless;
mod evaluate;
mod finite_arrays;
mod float_format;
mod float_terms;
mod floats;
mod print;
mod proof;
mod rational;
mod residual;
mod script;
pub mod sexpr;
mod system;
mod term;
mod value;
mod word_laws;
mod words;

pub use build::euclidean_quotient;
pub use endless::{EndlessProof, EndlessRun};
pub use evaluate::{Evaluator, NoValue};
pub use float_format::{Format, Rounding};
pub use floats::{FloatOp, float_operation};
pub use print::{print_number, print_word};
pub use proof::{Atom, Combination, Literal, Refutation, RefutationStep, Refuter, Rule};
pub use rational::Rational;
pub use residual::Residual;
pub use script::SymbolNames;
pub use system::{Claim, Copies, FirstOrderProperty, FirstOrderSystem, FirstOrderTrace, StateVariable};
pub use term::{Op, Sort, SortId, Symbol, SymbolId, TermId, TermNode, Terms};
pub use value::{FunctionValue, Interpretation, Value};
pub use words::{mask, signed_less, word_operation};
