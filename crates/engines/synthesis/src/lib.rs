//! Reactive synthesis.
//!
//! **Here:** [`synthesize`], which decides a [`Problem`]: is there a machine that reads the inputs and writes the outputs so that the formula is true of every
//! run? The answer is that machine, or one for the environment, under which the formula is false of every run.
//!
//! 1. `skeleton`: the formula as a Boolean combination of *parts*; equal parts, and a part and its negation, are one.
//! 2. `part`: each part's deterministic parity automaton, its transitions as decision diagrams in which the player who moves first is tested first. Some states
//!    decide the part for good; in some components every run is accepted, or none.
//! 3. `condition`: what must be seen again and again in the product, once all automata stay in their components: a Zielonka tree over the parts that
//!    are not decided there (Casares, Colcombet, Fijalkow 2021).
//! 4. `product`: the product's states, one by one; parts that cannot matter any more are forgotten.
//! 5. `arena`: the game, solved again and again while it grows, each time with what is not explored lost to the player who asks (Meyer, Sickert,
//!    Luttenberger, *Strix*, CAV 2018).
//! 6. `machine`: the winner's strategy as a machine.
//!
//! [`simplify`] gives signals that help or hurt in one way only their best or worst value.
//!
//! [`synthesize_symbolically`] decides the same problems with decision diagrams (`symbolic`); [`decompose`] finds problems inside of one that have no common outputs;
//! [`synthesize_by_counting`] decides them without deterministic automata (`counting`), [`synthesize_smallest`] by SAT, with machines of as few states as possible;
//! `priorities` gives automata as few priorities as their cycles allow.
//!
//! [`solve_gr1`] decides problems in GR(1) form ([`Problem::gr1`]) without making a machine; the evidence is ranks.
//!
//! And [`solve_safety`]: games on circuits in which an output must never be true, with decision diagrams.
//!
//! **Not here:** judging machines (the family closes them with free inputs and asks a model checker), languages and formats.
//!
//! **Invariant:** an answer rests on the automata of the parts alone; nothing is approximated. A spent budget, or a construction that is too large, is an
//! error and no answer.

mod arena;
mod branching;
mod condition;
mod counting;
mod decisions;
mod decompose;
mod extract;
mod gr1;
mod loose_nodes;
mod part;
mod polarity;
mod priorities;
mod problem;
mod product;
mod safety;
mod skeleton;
mod symbolic;
mod synthesize;

pub use counting::{synthesize_by_counting, synthesize_smallest};
pub use decompose::decompose;
pub use gr1::{Gr1, Gr1Outcome, solve_gr1};
pub use polarity::{Simplified, simplify};
pub use problem::{Goal, ParityAutomaton, Problem, SynthesisError};
pub use safety::{Choice, Plant, SafetyOutcome, solve_safety};
pub use symbolic::{MachineNode, Signal, SymbolicMachine, SymbolicOutcome, synthesize_symbolically};
pub use synthesize::{Effort, Outcome, synthesize};
