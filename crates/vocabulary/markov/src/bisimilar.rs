//! Whether two models behave alike, as plain data: classes of states of both, or a formula that tells them apart.
//!
//! States are alike (probabilistic bisimulation, Larsen and Skou 1991, Segala 1995) if they carry the same labels, earn the same, and every choice of the one has a choice of
//! the other that takes as long, earns the same and leads to every class with the same probability. Names of actions are not looked at, nor is what
//! variables are called. Formulas are those of Hennessy and Milner with probabilities: they say nothing that bisimilar states disagree about.

use crate::Fractions;
use serde::{Deserialize, Serialize};

/// What is claimed about two models. States have the numbers of the reference interpreter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// The class of each state of each model; the initial states of both belong to the same classes.
    Alike {
        /// By model and state.
        classes: [Vec<u32>; 2],
    },
    /// The last of the formulas holds in an initial state of one model, and in none of the other.
    Distinguished {
        /// Whether it holds in the second model.
        in_second: bool,
        /// Each refers to earlier ones only.
        formulas: Vec<Observation>,
    },
}

/// A formula about a state; other formulas are named by their positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observation {
    /// The state carries a label.
    Label(String),
    /// Being in the state earns just so much by a reward structure of the first model, or the one of the same name.
    Earns {
        /// The position of the structure in the first model.
        structure: usize,
        /// One number.
        reward: Fractions,
    },
    /// A formula does not hold.
    Not(usize),
    /// All of some formulas hold.
    All(Vec<usize>),
    /// The state has a choice of just this rate, which earns just so much, and leads with at least some probabilities to states in which formulas hold.
    Choice {
        /// The exit rate, or nothing if the choice takes no time (or time does not pass).
        rate: Fractions,
        /// What the step earns by each structure of the first model.
        earned: Fractions,
        /// The formulas.
        formulas: Vec<usize>,
        /// For each formula the probability.
        at_least: Fractions,
    },
}
