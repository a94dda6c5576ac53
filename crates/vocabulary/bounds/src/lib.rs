//! Certificates of numbers, and who checks them.
//!
//! **Here:** [`Bracket`] (a lower and an upper value for every state), [`Certificate`] (the brackets of a property's operators),
//! [`Checker`](check::Checker): it builds the explicit model with the reference interpreter, decides the graph-theoretic part itself by simple
//! searches, and accepts brackets only if they are fixed-point certificates (Chatterjee et al., TACAS 2025): upper values that the
//! equations do not exceed, lower values that they do not fall below together with a proof that the goal is reached.
//!
//! **Not here:** engines; how a bracket was found. Nothing of this crate but [`Bracket`] and [`Certificate`], which are plain data, is for
//! engines.
//!
//! **Invariant:** *accepted* means that every value of the answer was established from the model's meaning.

mod bracket;
pub mod check;
mod graph;
mod inequality;
mod operators;
mod second;

pub use bracket::{Bracket, Certificate};
