//! Judges of solutions of games.
//!
//! **Here:** [`parity::check`], which believes or refutes a claimed solution of a parity game; [`formula::check`], which does so with a strategy in the game of a formula of the mu-calculus on a graph.
//! [`refutation::check`] judges why a formula has no model; [`objective::check`] judges other objectives, [`concurrent::check`] games in which both players move at once; [`equations::check`] solutions of Boolean equation systems, [`gr1::check`] ranks of GR(1) specifications. **Not here:** finding solutions.
//!
//! **Invariant:** a judge knows the arena, the objective and the claim; it uses no solver and no code of one. What it accepts is so: by the definition of
//! winning, not because somebody computed it twice.

pub mod concurrent;
mod cycles;
pub mod equations;
pub mod formula;
pub mod gr1;
pub mod objective;
pub mod parity;
mod plays;
pub mod refutation;
