//! The checker of probabilities, rewards and averages.
//!
//! **Here:** [`Checker`](check::Checker): it builds the explicit model with the reference interpreter, decides the graph-theoretic part itself by simple
//! searches, and accepts brackets only if they are fixed-point certificates (Chatterjee et al., TACAS 2025): upper values that the
//! equations do not exceed, lower values that they do not fall below together with a proof that the goal is reached.
//!
//! [`partition`] judges classes of bisimilar states, [`play`](play::play) makes the chain of a scheduler.
//!
//! **Not here:** engines; how a bracket was found. Brackets and certificates are plain data of `entail-markov`.
//!
//! **Invariant:** *accepted* means that every value of the answer was established from the model's meaning.

mod automata;
mod branching;
pub mod check;
mod components;
mod conditional;
mod continuous;
mod critical;
mod formula;
mod fronts;
pub mod functions;
mod graph;
mod identity;
mod in_fractions;
mod in_time;
mod inequality;
mod joint;
mod listed;
mod long_run;
mod long_run_choices;
mod modulo;
mod numbers;
mod objectives;
mod operators;
pub mod partition;
mod parts_of_models;
mod path_formulas;
pub mod play;
mod polynomial;
mod product;
pub mod regions;
mod rewards;
mod scheduler;
mod second;
mod signed;
mod solution;
mod totals;
mod until;
mod within_costs;
