//! Solvers of parity games.
//!
//! **Here:** [`solve`] with a [`Solver`], and [`SOLVERS`], the table of them. A game is sorted by priority and compressed (`board`), what is easy
//! is solved first ([`preprocess`]), the rest falls into strongly connected components, and each is given to the solver:
//!
//! | solver | algorithm | worst case |
//! |---|---|---|
//! | [`zielonka`] | the recursive one (McNaughton 1993, Zielonka 1998) without recursion, as in van Dijk, *Oink*, TACAS 2018 | exponential in the priorities |
//! | [`fixpoint_iteration`] | distractions with freezing, van Dijk and Rubbens, *Simple Fixpoint Iteration*, GandALF 2019 | exponential in the priorities |
//! | [`priority_promotion`] | Benerecetti, Dell'Erba, Mogavero, CAV 2016 | exponential |
//! | [`tangle_learning`] | van Dijk, *Attracting Tangles*, CAV 2018; plain and recursive | exponential |
//! | [`progress_measures`] | Jurdziński, *Small Progress Measures*, STACS 2000 | `n` to half the priorities |
//! | [`strategy_improvement`] | Vöge, Jurdziński, CAV 2000, with an exit as in Luttenberger 2008 | exponential |
//! | [`parys`] | Parys, MFCS 2019, as simplified by Lehtinen, Schewe, Wojtczak 2019 | quasi-polynomial |
//!
//! **Not here:** judging solutions (`entail-strategy`, which shares no code with this), formats, other objectives.
//!
//! **What a caller may rely on:** a solution that is given back has a winner for every vertex and a move at every vertex whose owner wins it. A spent
//! budget is the only way to fail.

mod attractor;
mod auto;
mod board;
mod components;
mod crew;
pub mod fixpoint_iteration;
pub mod parys;
pub mod preprocess;
pub mod priority_promotion;
pub mod progress_measures;
mod side_by_side;
mod solve;
pub mod strategy_improvement;
pub mod tangle_learning;
pub mod zielonka;

pub use board::Board;
pub use components::Components;
pub use side_by_side::Threads;
pub use solve::{Effort, SOLVERS, Solver, solve, solve_directly, solve_on};
