//! Formulas by themselves: `ltl`, `mu`, `sat`, `smt`, `dd`.

use super::automata::{AcceptanceGoal, AutomatonOutput};
use super::graphs::GraphInput;
use crate::units;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

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
    /// Write the proof of the last `unsat` to this file, in Alethe, and what it refutes beside it as FILE.smt2
    #[arg(long, value_name = "FILE", conflicts_with = "solver")]
    pub proof: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Say on standard error why an answer is unknown, and what proofs leave open
    #[arg(short, long)]
    pub verbose: bool,
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
