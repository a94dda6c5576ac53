//! The relations between systems that can be asked for.

use super::Bisimulation;
use std::fmt;

/// When two systems count as the same, or one as the larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// Strong bisimulation: every step is matched by the same step. No action is special.
    Strong,
    /// Branching bisimulation (van Glabbeek, Weijland 1996): hidden steps that change nothing are not counted.
    Branching,
    /// Branching bisimulation that tells endless hidden steps from none.
    DivergenceBranching,
    /// Weak bisimulation (Milner): hidden steps before and after are free.
    Weak,
    /// Simulation: the second can do every step of the first, again and again.
    Simulation,
    /// Ready simulation: and it can do nothing at all times that the first cannot.
    ReadySimulation,
    /// Finite traces.
    Trace,
    /// Finite traces of what can be seen.
    WeakTrace,
}

impl Relation {
    /// All of them, finer ones first where they compare.
    pub const ALL: [Relation; 8] = [
        Relation::Strong,
        Relation::DivergenceBranching,
        Relation::Branching,
        Relation::Weak,
        Relation::ReadySimulation,
        Relation::Simulation,
        Relation::Trace,
        Relation::WeakTrace,
    ];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Strong => "strong",
            Relation::Branching => "branching",
            Relation::DivergenceBranching => "divergence-branching",
            Relation::Weak => "weak",
            Relation::Simulation => "simulation",
            Relation::ReadySimulation => "ready-simulation",
            Relation::Trace => "trace",
            Relation::WeakTrace => "weak-trace",
        }
    }

    /// The relation of this name.
    pub fn named(name: &str) -> Option<Relation> {
        Relation::ALL.into_iter().find(|relation| relation.name() == name)
    }

    /// The bisimulation it is, if it is one.
    pub fn bisimulation(self) -> Option<Bisimulation> {
        match self {
            Relation::Strong => Some(Bisimulation::Strong),
            Relation::Branching => Some(Bisimulation::Branching),
            Relation::DivergenceBranching => Some(Bisimulation::DivergenceBranching),
            Relation::Weak => Some(Bisimulation::Weak),
            Relation::Simulation | Relation::ReadySimulation | Relation::Trace | Relation::WeakTrace => None,
        }
    }

    /// The coarsest of the bisimulations here that it does not see: itself, if it is one.
    pub fn respected(self) -> Bisimulation {
        match self {
            Relation::WeakTrace => Bisimulation::Branching,
            other => other.bisimulation().unwrap_or(Bisimulation::Strong),
        }
    }

    /// Whether it is a bisimulation, and so symmetric; the others have a larger side.
    pub fn is_bisimulation(self) -> bool {
        self.bisimulation().is_some()
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why evidence does not support what is claimed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejected(pub String);
