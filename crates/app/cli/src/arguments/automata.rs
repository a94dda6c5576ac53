//! Automata on infinite words: `automaton`, and how automata are written.

use crate::units;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

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
