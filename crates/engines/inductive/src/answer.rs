//! What the engines say about a circuit, before it is put in the words of the model.

use entail_sat::{Aig, Node, Run, Signal};

/// Latch positions with values, all of which hold at once.
pub type LatchCube = Vec<(usize, bool)>;

/// A formula over latches, as a graph of its own.
#[derive(Clone, Debug)]
pub struct LatchFormula {
    /// The graph.
    pub aig: Aig,
    /// Its leaves, and the position of the latch each of them stands for.
    pub leaves: Vec<(Node, usize)>,
    /// The formula.
    pub signal: Signal,
}

/// An inductive set of states without a bad one: outside the cubes, and inside the formulas.
#[derive(Clone, Debug, Default)]
pub struct Invariant {
    /// No state is in any of these cubes.
    pub excluded: Vec<LatchCube>,
    /// Every state satisfies these.
    pub formulas: Vec<LatchFormula>,
}

/// Whether a bad signal can become true.
#[derive(Clone, Debug)]
pub enum SafetyAnswer {
    /// Never, by this invariant.
    Safe(Invariant),
    /// After this run.
    Unsafe(Run),
    /// Not within so many steps.
    SafeUpTo(u64),
}
