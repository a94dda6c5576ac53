//! The command line: one struct for each command, in rooms by what the commands are about.

mod automata;
mod checking;
mod formulas;
mod games;
mod graphs;

pub use automata::{AcceptanceGoal, AutomatonCommand, AutomatonFormat, AutomatonOutput, AutomatonService};
pub use checking::{Certify, Check, Convert, Equiv, Evaluate, Format, Look, Simulate, Ste, View};
pub use formulas::{Dd, FormulaSyntax, Ltl, LtlService, MuCommand, MuService, Sat, Smt};
pub use games::{Play, Solve, Synth};
pub use graphs::{BisimulationName, Compare, Compose, GraphInput, Minimize, RelationName};

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Entail: does a system satisfy a property? Holds, fails or unknown, each with checked evidence.
#[derive(Debug, Parser)]
#[command(name = "entail", version, about, max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What is checked where nothing is named.
pub const NO_MODEL: &str = "entail.toml";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decide the properties of a model
    Check(Box<Check>),
    /// Are two circuits equivalent? With a proof, or a run on which their outputs differ
    Equiv(Box<Equiv>),
    /// Trajectory assertions about a circuit, by symbolic three-valued simulation
    Ste(Box<Ste>),
    /// Properties in PSL on a run that a simulator has recorded (VCD)
    Evaluate(Box<Evaluate>),
    /// Solve a game: who wins from where, and how
    Solve(Solve),
    /// Play a game against whoever wins it
    Play(Play),
    /// Build a machine that satisfies a specification, or the environment's that prevents it
    Synth(Synth),
    /// Walk through a model: at random, or step by step
    Simulate(Simulate),
    /// Show a saved trace
    View(View),
    /// Re-check saved evidence against a model, without any engine
    Certify(Certify),
    /// Write a model in another format, or flat
    Convert(Convert),
    /// List the engines, by the kinds of systems they are for
    Engines,
    /// Print shell completions
    Completions(Completions),
    /// Write the manual pages into a folder
    Manual(Manual),
    /// Answer the questions of another process that races engines
    #[command(hide = true)]
    Worker,
    /// Solve a formula in DIMACS: model, checked proof, core, all models
    Sat(Sat),
    /// Answer the commands of an SMT-LIB script, with models evaluated and proofs checked
    Smt(Smt),
    /// The decision diagram of a Boolean formula: size, count, drawing
    Dd(Dd),
    /// Linear temporal logic: translate, satisfy, compare, classify formulas
    Ltl(Ltl),
    /// The mu-calculus: models, validity, equivalence and division of formulas
    Mu(MuCommand),
    /// Automata on infinite words: products, complements, inclusion, formats
    Automaton(AutomatonCommand),
    /// The smallest system equivalent to a given one
    Minimize(Minimize),
    /// Are two systems the same, or is one at least the other? With what tells them apart
    Compare(Compare),
    /// Two labelled systems in parallel
    Compose(Compose),
}

/// `entail completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `entail manual`
#[derive(Debug, Args)]
pub struct Manual {
    /// The folder; it is made if need be
    pub folder: PathBuf,
}
