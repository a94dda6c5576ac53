//! Sequential circuits: an and-inverter graph whose leaves are latches and inputs.
//!
//! A path is a sequence of latch valuations, each with inputs. The first is initial; the next latch values are the `next` signals'
//! values. Two kinds of constraint make the paths fewer:
//!
//! - `constraints` hold at every position of a path, the last included (AIGER's constraints; a state invariant);
//! - `step_constraints` hold at every position that has a successor on the path. A relation that is not a function, or not total, is
//!   expressed with these: a bad state counts as soon as it is reached, whether or not it can be left again.
//!
//! Keeping the two apart is what makes safety sound on systems with dead ends: demanding a step constraint at the last position would
//! hide bad states without successors.

use crate::aig::{Aig, Node, Signal, value_of};

/// What a latch holds in the first state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Init {
    /// False.
    Zero,
    /// True.
    One,
    /// Either, as far as [`Circuit::init_constraints`] allow.
    Free,
}

impl Init {
    /// The constant, if it is one.
    pub fn as_constant(self) -> Option<bool> {
        match self {
            Init::Zero => Some(false),
            Init::One => Some(true),
            Init::Free => None,
        }
    }
}

impl From<bool> for Init {
    fn from(value: bool) -> Init {
        if value { Init::One } else { Init::Zero }
    }
}

/// A latch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latch {
    /// The leaf that is its value.
    pub node: Node,
    /// Its first value.
    pub init: Init,
    /// Its next value.
    pub next: Signal,
}

/// A sequential circuit.
#[derive(Clone, Debug, Default)]
pub struct Circuit {
    /// The gates.
    pub aig: Aig,
    /// Leaves chosen anew at every position.
    pub inputs: Vec<Node>,
    /// The latches.
    pub latches: Vec<Latch>,
    /// Signals over latches that hold in the first state.
    pub init_constraints: Vec<Signal>,
    /// Signals that hold at every position.
    pub constraints: Vec<Signal>,
    /// Signals that hold at every position with a successor.
    pub step_constraints: Vec<Signal>,
    /// Signals that must never be true.
    pub bad: Vec<Signal>,
    /// Sets of signals: is there a path on which each signal of the set is true infinitely often?
    pub justice: Vec<Vec<Signal>>,
    /// Signals that are true infinitely often on every path that counts for justice.
    pub fairness: Vec<Signal>,
}

/// A path of a circuit: the first latch values and the inputs at each position, from which all else follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Latch values in the first state, in the order of [`Circuit::latches`].
    pub initial: Vec<bool>,
    /// Input values at each position, in the order of [`Circuit::inputs`].
    pub inputs: Vec<Vec<bool>>,
}

impl Circuit {
    /// A circuit without latches, inputs and gates.
    pub fn new() -> Circuit {
        Circuit::default()
    }

    /// A new input.
    pub fn add_input(&mut self) -> Signal {
        let leaf = self.aig.leaf();
        self.inputs.push(leaf.node());
        leaf
    }

    /// A new latch whose next value is itself until [`Latch::next`] is set.
    pub fn add_latch(&mut self, init: Init) -> Signal {
        let leaf = self.aig.leaf();
        self.latches.push(Latch {
            node: leaf.node(),
            init,
            next: leaf,
        });
        leaf
    }

    /// Every signal the circuit's meaning depends on, except the latches' next values.
    pub fn roots(&self) -> impl Iterator<Item = Signal> + '_ {
        self.init_constraints
            .iter()
            .chain(&self.constraints)
            .chain(&self.step_constraints)
            .chain(&self.bad)
            .chain(self.justice.iter().flatten())
            .chain(&self.fairness)
            .copied()
    }

    /// The values of all nodes at one position.
    pub fn evaluate(&self, latches: &[bool], inputs: &[bool]) -> Vec<bool> {
        let mut leaves = vec![false; self.aig.len()];
        for (latch, &value) in self.latches.iter().zip(latches) {
            leaves[latch.node.index()] = value;
        }
        for (input, &value) in self.inputs.iter().zip(inputs) {
            leaves[input.index()] = value;
        }
        self.aig.evaluate(|node| leaves[node.index()])
    }

    /// The latch values after a position whose node values are given.
    pub fn successor(&self, values: &[bool]) -> Vec<bool> {
        self.latches
            .iter()
            .map(|latch| value_of(values, latch.next))
            .collect()
    }

    /// The node values at every position of a run.
    pub fn simulate(&self, run: &Run) -> Vec<Vec<bool>> {
        let mut latches = run.initial.clone();
        let mut positions = Vec::with_capacity(run.inputs.len());
        for inputs in &run.inputs {
            let values = self.evaluate(&latches, inputs);
            latches = self.successor(&values);
            positions.push(values);
        }
        positions
    }

    /// Whether a run starts in an initial state, keeps the constraints, and is bad at its last position.
    pub fn is_counterexample(&self, run: &Run, bad: Signal) -> bool {
        let positions = self.simulate(run);
        let Some(last) = positions.last() else {
            return false;
        };
        let starts = self
            .latches
            .iter()
            .zip(&run.initial)
            .all(|(latch, &value)| latch.init.as_constant().is_none_or(|init| init == value))
            && self
                .init_constraints
                .iter()
                .all(|&signal| value_of(&positions[0], signal));
        let stays = |signals: &[Signal], positions: &[Vec<bool>]| {
            positions
                .iter()
                .all(|values| signals.iter().all(|&signal| value_of(values, signal)))
        };
        starts
            && stays(&self.constraints, &positions)
            && stays(&self.step_constraints, &positions[..positions.len() - 1])
            && value_of(last, bad)
    }
}
