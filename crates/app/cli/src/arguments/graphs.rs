//! Labelled systems: `minimize`, `compare`, `compose`.

use crate::limits::Memory;
use crate::units;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// How a file becomes a labelled transition system.
#[derive(Clone, Debug, Args)]
pub struct GraphInput {
    /// Hide these actions, separated by commas: labels, or names for all labels with data of that name
    #[arg(long, value_name = "ACTIONS")]
    pub hide: Vec<String>,
    /// The input's language; by default the file's name tells it
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
}

/// Bisimulations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BisimulationName {
    /// Every step is matched by a step
    Strong,
    /// Hidden steps inside a class need no match
    Branching,
    /// The same, but hidden steps for ever are seen
    DivergenceBranching,
    /// Steps are matched with hidden steps before and after
    Weak,
    /// The same, but hidden steps for ever are seen
    DivergenceWeak,
}

/// `entail minimize`
#[derive(Debug, Args)]
pub struct Minimize {
    /// The system (.aut, .json, .dot), or a model, whose reachable states are listed
    pub input: PathBuf,
    /// The file to write (.aut, .json or .dot; for probabilistic models .drn, .umb or .tra)
    pub output: Option<PathBuf>,
    /// Which states are the same
    #[arg(long, value_enum, default_value_t = BisimulationName::Strong)]
    pub relation: BisimulationName,
    /// How the input is read
    #[command(flatten)]
    pub graph: GraphInput,
    /// Print the result for Graphviz
    #[arg(long, conflicts_with = "json")]
    pub dot: bool,
    /// Save which state each state has become: a line for each
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Stop after this time (60s, 5m)
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub json: bool,
}

/// `entail compare`
#[derive(Debug, Args)]
pub struct Compare {
    /// The first system; of preorders, the smaller one
    pub first: PathBuf,
    /// The second system; of preorders, the larger one
    pub second: PathBuf,
    /// When they count as the same, or the second as at least the first
    #[arg(long, value_enum, default_value_t = RelationName::Strong)]
    pub relation: RelationName,
    /// Ask in both directions: simulations of each other, equal traces
    #[arg(long, conflicts_with = "preorder")]
    pub equivalence: bool,
    /// Ask whether the second is at least the first; that is the default for simulations and traces
    #[arg(long)]
    pub preorder: bool,
    /// How the inputs are read
    #[command(flatten)]
    pub graph: GraphInput,
    /// Save the evidence in this folder
    #[arg(long, value_name = "DIR")]
    pub evidence: Option<PathBuf>,
    /// Compare nothing; re-check the evidence that was saved in this file
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["evidence", "equivalence", "preorder", "play"])]
    pub certify: Option<PathBuf>,
    /// Play the game against Entail, which takes the winning side
    #[arg(long, conflicts_with = "json")]
    pub play: bool,
    /// Stop after this time (60s, 5m)
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,
    /// Stop when the process uses more memory than this (8GiB, none); by default four fifths of what is free when it starts
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub memory: Option<Memory>,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub json: bool,
}

/// Relations between systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RelationName {
    /// Strong bisimulation: every step is matched by a step
    Strong,
    /// Branching bisimulation: hidden steps that change nothing need no match
    Branching,
    /// The same, but hidden steps for ever are seen
    DivergenceBranching,
    /// Weak bisimulation: steps are matched with hidden steps before and after
    Weak,
    /// The second can do every step of the first, again and again
    Simulation,
    /// The same, and in no state more actions than the first
    ReadySimulation,
    /// Every trace of the first is one of the second
    Trace,
    /// The same, but hidden steps are not seen
    WeakTrace,
    /// Of real-time systems: steps and delays are matched exactly, both ways
    TimedBisimulation,
    /// Of real-time systems: the second can match the steps and delays of the first
    TimedSimulation,
    /// Of real-time systems: steps are matched, and delays by any delays, both ways
    TimeAbstract,
    /// Of real-time systems: the second can match the first so
    TimeAbstractSimulation,
    /// Of real-time systems: every timed word of the first is one of the second
    Inclusion,
}

/// `entail compose`
#[derive(Debug, Args)]
pub struct Compose {
    /// The first system
    pub left: PathBuf,
    /// The second system
    pub right: PathBuf,
    /// The file to write (.aut, .json or .dot)
    pub output: PathBuf,
    /// Actions that both do together, separated by commas; by default those that both have
    #[arg(long, value_name = "ACTIONS")]
    pub sync: Option<String>,
    /// Nothing is done together
    #[arg(long, conflicts_with = "sync")]
    pub interleave: bool,
    /// How the inputs are read
    #[command(flatten)]
    pub graph: GraphInput,
}
