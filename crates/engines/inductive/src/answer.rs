//! What the engines say about a circuit, before it is put in the words of the model.

use entail_sat::{Aig, Node, Run, Signal};

/// Latch positions with values, all of which hold at once.
pub type LatchCube = Vec<(usize, bool)>;

/// What a formula about a circuit reads, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// A latch.
    Latch(usize),
    /// An input. The formula is claimed for all inputs.
    Input(usize),
}

/// Formulas over latches and inputs, as a graph of their own.
#[derive(Clone, Debug)]
pub struct CircuitFormula {
    /// The graph.
    pub aig: Aig,
    /// Its leaves, and what each of them stands for.
    pub leaves: Vec<(Node, Leaf)>,
    /// The claims: the two signals of each agree. A formula by itself agrees with the constant true. Earlier claims may help to prove later ones.
    pub claims: Vec<(Signal, Signal)>,
}

/// An inductive set of states without a bad one: outside the cubes, and inside the formulas.
#[derive(Clone, Debug, Default)]
pub struct Invariant {
    /// No state is in any of these cubes.
    pub excluded: Vec<LatchCube>,
    /// Every state satisfies these.
    pub formulas: Vec<CircuitFormula>,
}

/// Whether a bad signal can become true.
#[derive(Clone, Debug)]
pub enum SafetyAnswer {
    /// It is never true, by this invariant.
    Safe(Invariant),
    /// It is true at the end of this run.
    Unsafe(Run),
    /// It is not true within this number of steps.
    SafeUpTo(u64),
}
