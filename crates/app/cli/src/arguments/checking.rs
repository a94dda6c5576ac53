//! Models, their properties and what is saved of them: `check`, `equiv`, `ste`, `evaluate`, `certify`, `simulate`, `view`, `convert`.

use super::NO_MODEL;
use super::graphs::GraphInput;
use crate::limits::Memory;
use crate::units;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// A format that is made from reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Test results
    Junit,
    /// Findings with their places
    Sarif,
}

/// `entail check`
#[derive(Debug, Args)]
pub struct Check {
    /// The model file, or a project file that names models and what is expected of them
    #[arg(default_value = NO_MODEL)]
    pub model: PathBuf,
    /// Further models; or a file with properties, for languages that keep them apart from models
    #[arg(value_name = "MORE")]
    pub more: Vec<PathBuf>,
    /// Check only the property of this name or position (from 1); may be repeated
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Check this formula in the model's own syntax; may be repeated
    #[arg(long, value_name = "FORMULA")]
    pub spec: Vec<String>,
    /// Check this formula of the mu-calculus, such as 'nu X. "x > 0" & <> X'; atoms are conditions, in quotes unless plain names
    #[arg(long, value_name = "FORMULA", hide_short_help = true)]
    pub mu: Vec<String>,
    /// The engine; without it Entail chooses
    #[arg(long, value_name = "NAME")]
    pub engine: Option<String>,
    /// Stop the whole run after this time (60s, 5m)
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,
    /// Stop each property after this time
    #[arg(long, value_name = "TIME", value_parser = units::duration, hide_short_help = true)]
    pub property_timeout: Option<Duration>,
    /// Stop when the process uses more memory than this (8GiB, none); by default four fifths of what is free when it starts
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub memory: Option<Memory>,
    /// Search the states together with the processes whose addresses (host:port) are the lines of this file
    #[arg(long, value_name = "HOSTS", hide_short_help = true)]
    pub distributed: Option<PathBuf>,
    /// Which line of the file of --distributed this process is, counted from 0; without it, the processes on this machine are started
    #[arg(long, value_name = "N", requires = "distributed", hide_short_help = true)]
    pub index: Option<usize>,
    /// The file with the secret that the processes of --distributed share; - is the standard input, with which the process ends. Otherwise it is in the variable ENTAIL_SECRET, or made afresh if all processes are started here
    #[arg(
        long,
        value_name = "FILE",
        requires = "distributed",
        overrides_with = "secret",
        hide_short_help = true
    )]
    pub secret: Option<PathBuf>,
    /// Check all evidence to the end, however long that takes; by default what takes long is left unchecked, and said to be
    #[arg(long, conflicts_with = "no_certify", hide_short_help = true)]
    pub recheck: bool,
    /// Check no evidence: answers are only as good as the engine that gave them, and say so
    #[arg(long, hide_short_help = true)]
    pub no_certify: bool,
    /// Fail (status 1) where a verdict means little: a property that holds vacuously, dead ends, no fair path, specifications that are not supported, no properties; and look longer for that
    #[arg(long)]
    pub strict: bool,
    /// For a property that holds, show a path on which it does and every part of it that was looked at matters
    #[arg(long, conflicts_with = "no_vacuity", hide_short_help = true)]
    pub witness: bool,
    /// List what of the model no run reaches (statements, branches, values) and no proof needed (registers, inputs); also with -v and in reports
    #[arg(long, hide_short_help = true)]
    pub coverage: bool,
    /// Do not ask whether properties hold vacuously
    #[arg(long, conflicts_with = "strict", hide_short_help = true)]
    pub no_vacuity: bool,
    /// Print results as CI systems read them
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["json", "json_lines"], hide_short_help = true)]
    pub format: Option<Format>,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub json: bool,
    /// Print a line of JSON for each property as it is decided, and nothing else
    #[arg(long, conflicts_with = "json", hide_short_help = true)]
    pub json_lines: bool,
    /// What of traces is shown in the terminal
    #[command(flatten)]
    pub look: Look,
    /// Save the first failing property's trace (.json, .vcd, .csv, .dot, .svg, .html, text, or a format of the model's field)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Draw the state graph of a small model, with the first failing property's trace in it, for Graphviz
    #[arg(long, value_name = "FILE.dot", hide_short_help = true)]
    pub dot: Option<PathBuf>,
    /// Save the evidence of every property in this folder
    #[arg(long, value_name = "DIR")]
    pub evidence: Option<PathBuf>,
    /// Write a report to open in a browser, or a picture (.svg)
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// The model's language; by default the file's name tells it
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub language: Option<String>,
    /// Tell more: the engine's counters, what was re-checked; twice: every variable in every step
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// What of traces is shown in the terminal.
#[derive(Clone, Debug, Default, Args)]
pub struct Look {
    /// Show long traces whole; by default the steps that matter
    #[arg(long)]
    pub full: bool,
    /// Show only these variables, separated by commas; * stands for anything
    #[arg(long, value_name = "NAMES", alias = "only", hide_short_help = true)]
    pub show: Vec<String>,
    /// Do not show these variables
    #[arg(long, value_name = "NAMES", hide_short_help = true)]
    pub hide: Vec<String>,
    /// Show verdicts, not traces
    #[arg(short, long)]
    pub quiet: bool,
}

/// `entail equiv`
#[derive(Debug, Args)]
pub struct Equiv {
    /// The circuit that is right (AIGER, BLIF, BTOR2, Verilog); then the one that should do the same
    #[arg(value_name = "GOLD")]
    pub against: String,
    /// The other circuit, and how it is checked
    #[command(flatten)]
    pub check: Check,
}

/// `entail ste`
#[derive(Debug, Args)]
pub struct Ste {
    /// The circuit (AIGER, BLIF, BTOR2, Verilog); then the specification (.ste)
    #[arg(value_name = "CIRCUIT")]
    pub circuit: String,
    /// The specification, and how it is checked
    #[command(flatten)]
    pub check: Check,
}

/// `entail evaluate`
#[derive(Debug, Args)]
pub struct Evaluate {
    /// The recorded run (VCD), and how it is evaluated
    #[command(flatten)]
    pub check: Check,
}

/// `entail certify`
#[derive(Debug, Args)]
pub struct Certify {
    /// The model file
    pub model: PathBuf,
    /// The saved evidence (JSON)
    pub evidence: PathBuf,
    /// Stop after this time
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub json: bool,
    /// The model's language; by default the file's name tells it
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
}

/// `entail simulate`
#[derive(Debug, Args)]
pub struct Simulate {
    /// The model file
    pub model: PathBuf,
    /// Walk this many random steps; without it, ask at every step
    #[arg(long, value_name = "N")]
    pub steps: Option<usize>,
    /// The seed of the random choices
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// With many runs: also estimate this property
    #[arg(long, value_name = "FORMULA")]
    pub spec: Vec<String>,
    /// Take only steps after which this condition, in the model's syntax, is true
    #[arg(short, long, value_name = "CONDITION")]
    pub constraint: Option<String>,
    /// Start at the end of a saved trace
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Start at this step of the saved trace, not at its end
    #[arg(long, value_name = "STEP", requires = "from")]
    pub at: Option<usize>,
    /// Save the walk (.json, .vcd, .csv, .dot, .svg, .html, text, or a format of the model's field)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Print the walk as JSON
    #[arg(long)]
    pub json: bool,
    /// What of the walk is shown in the terminal
    #[command(flatten)]
    pub look: Look,
    /// The model's language; by default the file's name tells it
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
}

/// `entail view`
#[derive(Debug, Args)]
pub struct View {
    /// The saved trace or evidence (JSON)
    pub trace: PathBuf,
    /// Write it here (.html, .vcd, .csv, .dot, or text) instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw the clocks of a run of a real-time system over time (SVG)
    #[arg(long, value_name = "FILE")]
    pub clocks: Option<PathBuf>,
    /// Draw a run of a real-time system as a Gantt chart (SVG)
    #[arg(long, value_name = "FILE")]
    pub gantt: Option<PathBuf>,
    /// What of the trace is shown
    #[command(flatten)]
    pub look: Look,
}

/// `entail convert`
#[derive(Debug, Args)]
pub struct Convert {
    /// The model file
    pub input: PathBuf,
    /// The file to write; its name tells the format (.smv, .aag, .aig, .btor2; the reachable states as .aut, .json, .dot)
    pub output: PathBuf,
    /// How the reachable states are listed, and the input's language
    #[command(flatten)]
    pub graph: GraphInput,
}
