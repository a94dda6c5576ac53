//! Why an answer about a trajectory assertion should be believed.

use serde::{Deserialize, Serialize};

/// Some states of a circuit, for each valuation of the symbolic variables: what each register may be. Functions are given by their numbers in a [`Fixpoint`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateSet {
    /// For which valuations there are states.
    pub alive: u32,
    /// Registers, each with the functions that say where it may be 1 and where it may be 0. Others may be both.
    pub registers: Vec<(u32, u32, u32)>,
}

/// States that the paths of an assertion graph do not leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixpoint {
    /// Functions of the symbolic variables. Number 0 is false, 1 is true; number k + 2 is entry k: a variable, and the functions where it is true and where it is false, which come before.
    pub functions: Vec<(u32, u32, u32)>,
    /// For each vertex, the states in which a path may be there.
    pub reached: Vec<StateSet>,
    /// For each vertex, states without which no path goes on as it should; round after round, each from the one before. Without rounds, only what was driven before counts.
    pub futures: Vec<Vec<StateSet>>,
}

/// A path with values on which something demanded is otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walk {
    /// The values of the variables, by their numbers.
    pub values: Vec<bool>,
    /// The edges, from the first vertex on.
    pub edges: Vec<u32>,
    /// The position among them at which a node has the other value.
    pub at: u32,
    /// The node.
    pub node: u32,
    /// The position that the path comes back to after the last edge, in the same state.
    pub back_to: Option<u32>,
    /// A run of the circuit with values 0 and 1 only that takes the path, if one was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<BooleanRun>,
}

/// A run of a circuit with values 0 and 1 along a path of an assertion graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BooleanRun {
    /// Its edges: those of the path, whose loop may be repeated.
    pub edges: Vec<u32>,
    /// The position that it comes back to after the last edge, in the same state.
    pub back_to: Option<u32>,
    /// The first values of the registers, in the order of the netlist.
    pub registers: Vec<bool>,
    /// For each step, the values of the inputs and of registers without a next value, in the order of the netlist.
    pub inputs: Vec<Vec<bool>>,
}

/// An assertion about indices, and the index of each case: with these in the place of the indices, it says no less than the assertion that it proves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedForm {
    /// Functions of the symbolic variables, numbered as in a [`Fixpoint`].
    pub functions: Vec<(u32, u32, u32)>,
    /// What is driven: node, time, where it is 1, and where it is 0.
    pub antecedent: Vec<(u32, u32, u32, u32)>,
    /// What is demanded, likewise.
    pub consequent: Vec<(u32, u32, u32, u32)>,
    /// For each index, by its number among the variables, the function that chooses it.
    pub choice: Vec<(u32, u32)>,
}

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
    /// An assertion graph holds: these states are closed under its edges, and in them what is demanded is there.
    Fixpoint(Fixpoint),
    /// An assertion graph fails.
    Walk(Walk),
    /// It follows by the rules that the specification names, from assertions with evidence of their own.
    Derived {
        /// All assertions that it is derived from, directly or by others, by their positions, and why they hold. (Of those that are derived themselves, the premises are not repeated.)
        premises: Vec<(u32, TrajectoryEvidence)>,
    },
    /// It follows from an assertion about indices.
    Indexed(IndexedForm),
}

impl entail_answer::Evidence for TrajectoryEvidence {
    fn kind(&self) -> &'static str {
        match self {
            TrajectoryEvidence::Comparison { .. } => "comparison",
            TrajectoryEvidence::Valuation { .. } => "valuation",
            TrajectoryEvidence::Fixpoint(_) => "fixpoint",
            TrajectoryEvidence::Walk(_) => "walk",
            TrajectoryEvidence::Derived { .. } => "derived",
            TrajectoryEvidence::Indexed(_) => "indexed",
        }
    }
}
