//! The command line.

use crate::limits::Memory;
use crate::units;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

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

/// `entail synth`
#[derive(Debug, Args)]
pub struct Synth {
    /// The specification
    pub specification: Option<PathBuf>,
    /// A formula of linear temporal logic in place of a file
    #[arg(long, value_name = "LTL", conflicts_with = "specification")]
    pub formula: Option<String>,
    /// Write the machine: a circuit (.aag, .v, .smv) or its steps (.dot, .hoa, .kiss); without it the circuit is printed
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

/// `entail sat`
#[derive(Debug, Args)]
pub struct Sat {
    /// The formula, in DIMACS CNF
    pub formula: PathBuf,
    /// Look for up to so many models
    #[arg(long, value_name = "N")]
    pub models: Option<usize>,
    /// Save the checked proof (LRAT)
    #[arg(long, value_name = "FILE.lrat")]
    pub proof: Option<PathBuf>,
    /// Save the clauses that the proof uses
    #[arg(long, value_name = "FILE.cnf")]
    pub core: Option<PathBuf>,
    /// Stop after this time (60s, 5m)
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub json: bool,
}

/// `entail smt`
#[derive(Debug, Args)]
pub struct Smt {
    /// The script, in SMT-LIB 2; `-` for standard input
    pub script: PathBuf,
    /// Stop after this time (60s, 5m)
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,
    /// Another solver that answers instead: z3, cvc5, yices, bitwuzla, mathsat, or a program's path; `all` compares those installed with ours
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Cores of which no member can be left out
    #[arg(long)]
    pub minimal_core: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Say on standard error why an answer is unknown, and what proofs leave open
    #[arg(short, long)]
    pub verbose: bool,
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
    /// What of the trace is shown
    #[command(flatten)]
    pub look: Look,
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
    /// The file to write (.aut, .json or .dot)
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

/// `entail ltl`
#[derive(Debug, Args)]
pub struct Ltl {
    /// What to do with the formula
    #[command(subcommand)]
    pub service: LtlService,
    /// Read formulas in this syntax only; by default the first that fits
    #[arg(long, value_enum, global = true)]
    pub syntax: Option<FormulaSyntax>,
    /// Give up after this time (60s, 5m)
    #[arg(long, value_name = "TIME", value_parser = units::duration, global = true)]
    pub timeout: Option<Duration>,
}

/// `entail mu`
#[derive(Debug, Args)]
pub struct MuCommand {
    /// What to do with the formula
    #[command(subcommand)]
    pub service: MuService,
    /// Give up after this time (60s, 5m)
    #[arg(long, value_name = "TIME", value_parser = units::duration, global = true)]
    pub timeout: Option<Duration>,
    /// The answer as JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Write the model (.json, .dot, .aut)
    #[arg(short, long, value_name = "FILE", global = true)]
    pub output: Option<PathBuf>,
}

/// The services on formulas of the mu-calculus; formulas of LTL, CTL and CTL* are translated.
#[derive(Debug, Subcommand)]
pub enum MuService {
    /// Is it true somewhere? Prints a finite model
    Sat {
        /// The formula
        formula: String,
    },
    /// Is it true everywhere? Prints a model in which it is not
    Valid {
        /// The formula
        formula: String,
    },
    /// Are two formulas true in the same states? Prints a model that tells them apart
    Equivalent {
        /// The first
        left: String,
        /// The second
        right: String,
    },
    /// The formula in positive form, its size, alternation and equations
    Info {
        /// The formula
        formula: String,
    },
    /// What the rest of a system must satisfy: true of N iff the formula is true of the product of the system and N
    Quotient {
        /// The formula
        formula: String,
        /// The system
        system: PathBuf,
        /// How it is read
        #[command(flatten)]
        graph: GraphInput,
    },
}

/// The services on formulas. Formulas are read in Spot's, SPIN's, NuSMV's or LBT's syntax, whichever fits.
#[derive(Debug, Subcommand)]
pub enum LtlService {
    /// The automaton of a formula
    Translate {
        /// The formula
        formula: String,
        /// Which acceptance the automaton has
        #[arg(long, value_enum, default_value_t = AcceptanceGoal::Generalized)]
        acceptance: AcceptanceGoal,
        /// Prefer deterministic automata
        #[arg(long)]
        deterministic: bool,
        /// The linear-size alternating automaton instead (HOA only)
        #[arg(long, conflicts_with_all = ["acceptance", "deterministic", "simplify", "state_based", "check"])]
        alternating: bool,
        /// How it is written
        #[command(flatten)]
        output: AutomatonOutput,
    },
    /// Is there a word that satisfies it? Prints one
    Sat {
        /// The formula
        formula: String,
    },
    /// Do all words satisfy it? Prints one that does not
    Valid {
        /// The formula
        formula: String,
    },
    /// Do two formulas have the same words? Prints one that tells them apart
    Equivalent {
        /// The first
        left: String,
        /// The second
        right: String,
    },
    /// Does the first imply the second? Prints a word against it
    Implies {
        /// The first
        left: String,
        /// The second
        right: String,
    },
    /// Safety, guarantee, obligation, recurrence, persistence or reactivity; stutter-invariant or not
    Classify {
        /// The formula
        formula: String,
    },
    /// An equivalent formula that is simpler
    Simplify {
        /// The formula
        formula: String,
        /// The syntax it is printed in; by default the one it is read in (--syntax), or Spot's
        #[arg(long, value_enum)]
        to: Option<FormulaSyntax>,
        /// Only put it into positive normal form
        #[arg(long)]
        positive: bool,
    },
    /// The same formula in another syntax
    Print {
        /// The formula
        formula: String,
        /// The syntax it is printed in; by default the one it is read in (--syntax), or Spot's
        #[arg(long, value_enum)]
        to: Option<FormulaSyntax>,
    },
    /// Random formulas, one a line
    Random {
        /// The seed: the same formulas for the same seed, on every machine
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// How many
        #[arg(short = 'n', long = "number", value_name = "N", default_value_t = 1)]
        number: usize,
        /// Propositions p0, p1, …
        #[arg(long, value_name = "N", default_value_t = 3)]
        props: usize,
        /// Nodes of the syntax tree, about
        #[arg(long, value_name = "N", default_value_t = 15)]
        size: usize,
        /// With past operators
        #[arg(long)]
        past: bool,
        /// The syntax they are printed in; by default --syntax, or Spot's
        #[arg(long, value_enum)]
        to: Option<FormulaSyntax>,
    },
    /// Is the formula true on a lasso word such as `p; cycle{!p; q}`?
    Word {
        /// The formula
        formula: String,
        /// The word
        word: String,
    },
}

/// Concrete syntaxes of LTL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormulaSyntax {
    /// G(req -> XF ack)
    Spot,
    /// [] (req -> X <> ack)
    Spin,
    /// G (req -> X F ack), past operators, bounds
    Smv,
    /// G i req X F ack
    Lbt,
}

/// Acceptance conditions that a translation or conversion can aim at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AcceptanceGoal {
    /// Several sets, each met infinitely often
    Generalized,
    /// One set, met infinitely often
    Buchi,
    /// One set, met finitely often (an error where no such automaton exists)
    CoBuchi,
    /// Priorities, the largest even; formulas become deterministic
    Parity,
    /// Pairs, one satisfied; formulas become deterministic
    Rabin,
    /// Pairs, all satisfied; formulas become deterministic
    Streett,
    /// A list of sets of marks
    Muller,
}

/// Formats of automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AutomatonFormat {
    /// Hanoi omega automata
    Hoa,
    /// Graphviz
    Dot,
    /// A SPIN never claim
    Never,
    /// A picture
    Svg,
}

/// What becomes of a constructed automaton.
#[derive(Debug, Args)]
pub struct AutomatonOutput {
    /// How it is written
    #[arg(long, value_enum, default_value_t = AutomatonFormat::Hoa)]
    pub format: AutomatonFormat,
    /// Write it here instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Reduce it first
    #[arg(long)]
    pub simplify: bool,
    /// Put acceptance on states
    #[arg(long)]
    pub state_based: bool,
    /// Compare it with what it was made from, on random words (formulas: with the negation's automaton, too)
    #[arg(long)]
    pub check: bool,
}

/// `entail automaton`
#[derive(Debug, Args)]
pub struct AutomatonCommand {
    /// What to do with the automaton
    #[command(subcommand)]
    pub service: AutomatonService,
    /// Give up after this time (60s, 5m)
    #[arg(long, value_name = "TIME", value_parser = units::duration, global = true)]
    pub timeout: Option<Duration>,
}

/// The services on automata. Files are HOA or never claims; `-` is standard input.
#[derive(Debug, Subcommand)]
pub enum AutomatonService {
    /// Size, acceptance and properties
    Info {
        /// The file
        automaton: PathBuf,
    },
    /// Accepts what both accept
    Product {
        /// The first file
        left: PathBuf,
        /// The second file
        right: PathBuf,
        /// How the result is written
        #[command(flatten)]
        output: AutomatonOutput,
    },
    /// Accepts what either accepts
    Union {
        /// The first file
        left: PathBuf,
        /// The second file
        right: PathBuf,
        /// How the result is written
        #[command(flatten)]
        output: AutomatonOutput,
    },
    /// Accepts what the automaton does not
    Complement {
        /// The file
        automaton: PathBuf,
        /// A Büchi automaton, the smallest that the constructions give; otherwise the cheapest condition
        #[arg(long)]
        buchi: bool,
        /// How the result is written
        #[command(flatten)]
        output: AutomatonOutput,
    },
    /// A deterministic parity automaton
    Determinize {
        /// The file
        automaton: PathBuf,
        /// How the result is written
        #[command(flatten)]
        output: AutomatonOutput,
    },
    /// A Büchi automaton
    Degeneralize {
        /// The file
        automaton: PathBuf,
        /// How the result is written
        #[command(flatten)]
        output: AutomatonOutput,
    },
    /// The same words under another acceptance condition
    Convert {
        /// The file
        automaton: PathBuf,
        /// The condition
        #[arg(long, value_enum)]
        acceptance: AcceptanceGoal,
        /// How the result is written
        #[command(flatten)]
        output: AutomatonOutput,
    },
    /// The same words with fewer states
    Simplify {
        /// The file
        automaton: PathBuf,
        /// The smallest deterministic Büchi automaton, by SAT: for a dozen states; an error if the language has none
        #[arg(long)]
        sat: bool,
        /// How the result is written
        #[command(flatten)]
        output: AutomatonOutput,
    },
    /// Does it accept no word? Prints one that it does
    Empty {
        /// The file
        automaton: PathBuf,
    },
    /// Does it accept every word? Prints one that it does not
    Universal {
        /// The file
        automaton: PathBuf,
    },
    /// Does the second accept all words of the first? Prints one that it does not
    Included {
        /// The first file
        left: PathBuf,
        /// The second file
        right: PathBuf,
    },
    /// Do both accept the same words? Prints one that tells them apart
    Equivalent {
        /// The first file
        left: PathBuf,
        /// The second file
        right: PathBuf,
    },
    /// Does it accept a lasso word such as `p; cycle{!p; q}`?
    Accepts {
        /// The file
        automaton: PathBuf,
        /// The word
        word: String,
    },
    /// A random Büchi automaton
    Random {
        /// The seed: the same automaton for the same seed, on every machine
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Number of states
        #[arg(long, value_name = "N", default_value_t = 10)]
        states: usize,
        /// Propositions p0, p1, …
        #[arg(long, value_name = "N", default_value_t = 2)]
        props: usize,
        /// Edges that leave each state
        #[arg(long, value_name = "N", default_value_t = 3)]
        edges: usize,
        /// How it is written
        #[command(flatten)]
        output: AutomatonOutput,
    },
}

/// `entail dd`
#[derive(Debug, Args)]
pub struct Dd {
    /// The formula, over any names: `x1 & x2 | !x3`, `a -> b`, `a <-> b`, `a xor b`
    pub formula: String,
    /// The variable order, separated by commas; by default the order of first mention
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub order: Vec<String>,
    /// Find the best order first (up to 12 variables; sifting beyond)
    #[arg(long)]
    pub best_order: bool,
    /// Print the diagram for Graphviz
    #[arg(long, conflicts_with = "svg")]
    pub dot: bool,
    /// Print the diagram as SVG
    #[arg(long)]
    pub svg: bool,
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
