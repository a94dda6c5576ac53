//! Why an answer about a trajectory assertion should be believed.

use serde::{Deserialize, Serialize};

/// Evidence for a trajectory assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TrajectoryEvidence {
    /// It holds: no valuation makes the comparison of demanded and simulated values fail. The checker refutes that on an encoding of its own, by a proof in clauses.
    Comparison {
        /// Gates times steps that the comparison depends on, as the engine counted them.
        gates: u64,
    },
    /// It fails: with these values of the variables the circuit has the other value at a node and a time.
    Valuation {
        /// The values of the variables, by their numbers.
        values: Vec<bool>,
        /// The number of the node.
        node: u32,
        /// The time.
        time: u32,
    },
}

impl entail_answer::Evidence for TrajectoryEvidence {
    fn kind(&self) -> &'static str {
        match self {
            TrajectoryEvidence::Comparison { .. } => "comparison",
            TrajectoryEvidence::Valuation { .. } => "valuation",
        }
    }
}
