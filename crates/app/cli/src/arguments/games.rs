//! Games and synthesis: `solve`, `play`, `synth`.

use crate::limits::Memory;
use crate::units;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// `entail solve`
#[derive(Debug, Args)]
pub struct Solve {
    /// The game
    pub game: PathBuf,
    /// Write the solution: winners and moves (.sol), or a drawing (.dot)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The solver; without it Entail chooses. `entail engines` lists them
    #[arg(long, alias = "engine", value_name = "NAME")]
    pub solver: Option<String>,
    /// Print the solved game for Graphviz
    #[arg(long, conflicts_with = "json")]
    pub dot: bool,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub json: bool,
    /// Stop after this time (60s, 5m)
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,
    /// Stop when the process uses more memory than this (8GiB, none)
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub memory: Option<Memory>,
    /// The game's language; by default the file's name tells it
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
}

/// `entail play`
#[derive(Debug, Args)]
pub struct Play {
    /// The game, or a graph with --mu
    pub game: PathBuf,
    /// Play the game of this formula of the mu-calculus on a graph
    #[arg(long, value_name = "FORMULA")]
    pub mu: Option<String>,
    /// Stop solving it after this time (60s, 5m)
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,
    /// The game's language; by default the file's name tells it
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
}

/// `entail synth`
#[derive(Debug, Args)]
pub struct Synth {
    /// The specification
    pub specification: Option<PathBuf>,
    /// A formula of linear temporal logic in place of a file
    #[arg(long, value_name = "LTL", conflicts_with = "specification")]
    pub formula: Option<String>,
    /// The file is a model, and this is asked about it: a strategy for a timed game, 'control: A<> goal'
    #[arg(long, value_name = "QUERY", conflicts_with_all = ["formula", "output", "minimize", "realizability", "json"])]
    pub spec: Option<String>,
    /// Write the strategy for --spec, as JSON
    #[arg(long, value_name = "FILE", requires = "spec")]
    pub strategy: Option<PathBuf>,
    /// Write the machine: a circuit (.aag, .aig, .v, .smv) or its steps (.dot, .hoa, .kiss); without it the circuit is printed
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also search for a machine with as few states as possible, in half of the time, and write the smaller circuit
    #[arg(long, conflicts_with = "realizability")]
    pub minimize: bool,
    /// Only say whether it is realizable, as `entail check` does
    #[arg(long, conflicts_with = "output")]
    pub realizability: bool,
    /// Print one JSON document and nothing else, as `entail check` does
    #[arg(long, conflicts_with = "output")]
    pub json: bool,
    /// Say no more than the answer
    #[arg(short, long)]
    pub quiet: bool,
    /// Stop after this time (60s, 5m)
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,
    /// Stop when the process uses more memory than this (8GiB, none)
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub memory: Option<Memory>,
    /// The specification's language; by default the file's name tells it
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
}
