//! A winner's choices as a circuit: functions for what it writes, and the game's latches, the memory among them.

use super::condition::Memory;
use super::fixpoint::Region;
use super::game::Game;
use crate::problem::{Problem, SynthesisError};
use crate::safety::chosen;
use entail_budget::Budget;
use entail_dd::{Bdd, FiniteVar, FunctionId, Var};
use entail_game::{FirstMover, Player};
use rustc_hash::FxHashMap;

/// What a node of a machine tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signal {
    /// Something that is read.
    Read(u32),
    /// A latch.
    Latch(u32),
    /// Something that is written in the same step. Functions of what is written do not test it.
    Written(u32),
}

/// A node of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MachineNode {
    /// A constant.
    Constant(bool),
    /// A signal, and the nodes if it is false and true.
    Test(Signal, u32, u32),
}

/// A machine whose state is in latches.
#[derive(Clone, Debug, Default)]
pub struct SymbolicMachine {
    /// The names of what is read.
    pub reads: Vec<String>,
    /// The names of what is written.
    pub writes: Vec<String>,
    /// Whether it writes before it reads: what is written then depends on latches only.
    pub is_moore: bool,
    /// The nodes; those a node leads to come before it.
    pub nodes: Vec<MachineNode>,
    /// For each latch its first value, and the node of its next.
    pub latches: Vec<(bool, u32)>,
    /// The node of each thing that is written.
    pub outputs: Vec<u32>,
}

impl SymbolicMachine {
    /// What is written for given latches and values read, and the next latches.
    pub fn step(&self, latches: &[bool], read: &dyn Fn(u32) -> bool) -> (Vec<bool>, Vec<bool>) {
        let value = |mut node: u32, written: &[bool]| loop {
            match self.nodes[node as usize] {
                MachineNode::Constant(truth) => return truth,
                MachineNode::Test(signal, low, high) => {
                    let truth = match signal {
                        Signal::Read(at) => read(at),
                        Signal::Latch(at) => latches[at as usize],
                        Signal::Written(at) => written[at as usize],
                    };
                    node = if truth { high } else { low };
                }
            }
        };
        let written: Vec<bool> = self.outputs.iter().map(|&node| value(node, &[])).collect();
        let next = self
            .latches
            .iter()
            .map(|&(_, node)| value(node, &written))
            .collect();
        (written, next)
    }
}

/// The winner's machine.
pub(crate) fn circuit(
    problem: &Problem,
    game: &Game,
    memory: &Memory,
    winner: Player,
    choices: &Region,
    budget: &Budget,
) -> Result<SymbolicMachine, SynthesisError> {
    let manager = &game.manager;
    let (reads, writes, read_vars, write_vars) = match winner {
        Player::Even => (&problem.inputs, &problem.outputs, &game.inputs, &game.outputs),
        Player::Odd => (&problem.outputs, &problem.inputs, &game.outputs, &game.inputs),
    };
    let leaf = FiniteVar::new(manager, memory.moves.len())?;
    // The functions of each memory, put together by the memory's bits.
    let mut outputs = vec![manager.zero(); write_vars.len()];
    let mut bits = vec![manager.zero(); leaf.bits().len()];
    for (number, choice) in choices.iter().enumerate() {
        budget.check_now()?;
        let here = leaf.equals(manager, number)?;
        for (at, (_, function)) in chosen(manager, choice.clone(), write_vars, budget)?
            .into_iter()
            .enumerate()
        {
            outputs[at] = here.ite(&function, &outputs[at])?;
        }
        for one in &memory.moves[number] {
            let steps = here.and(&one.steps)?;
            for (at, (_, set)) in leaf.code(one.next).enumerate() {
                if set {
                    bits[at] = bits[at].or(&steps)?;
                }
            }
        }
    }
    let mut signals: FxHashMap<Var, Signal> = FxHashMap::default();
    for (at, &variable) in read_vars.iter().enumerate() {
        signals.insert(variable, Signal::Read(at as u32));
    }
    for (at, &variable) in write_vars.iter().enumerate() {
        signals.insert(variable, Signal::Written(at as u32));
    }
    let latches = game.latches.iter().map(|latch| latch.variable);
    for (at, variable) in latches.chain(leaf.bits().iter().copied()).enumerate() {
        signals.insert(variable, Signal::Latch(at as u32));
    }
    let mut nodes = Nodes {
        signals,
        made: Vec::new(),
        known: FxHashMap::default(),
    };
    let start: Vec<bool> = leaf.code(memory.start).map(|(_, set)| set).collect();
    let mut machine = SymbolicMachine {
        reads: reads.clone(),
        writes: writes.clone(),
        is_moore: (winner == Player::Even) == (problem.first == FirstMover::Machine),
        ..SymbolicMachine::default()
    };
    for output in &outputs {
        machine.outputs.push(nodes.node(output)?);
    }
    for latch in &game.latches {
        machine.latches.push((latch.first, nodes.node(&latch.next)?));
    }
    for (bit, first) in bits.iter().zip(start) {
        machine.latches.push((first, nodes.node(bit)?));
    }
    machine.nodes = nodes.made;
    Ok(machine)
}

struct Nodes {
    signals: FxHashMap<Var, Signal>,
    made: Vec<MachineNode>,
    known: FxHashMap<FunctionId, u32>,
}

impl Nodes {
    fn node(&mut self, function: &Bdd) -> Result<u32, SynthesisError> {
        if let Some(&node) = self.known.get(&function.id()) {
            return Ok(node);
        }
        let node = match function.top() {
            None => MachineNode::Constant(function.is_true()),
            Some((variable, low, high)) => {
                let signal = *self.signals.get(&variable).ok_or(SynthesisError::TooLarge(
                    "a choice depends on an unknown variable",
                ))?;
                let low = self.node(&low)?;
                let high = self.node(&high)?;
                MachineNode::Test(signal, low, high)
            }
        };
        self.made.push(node);
        let number = self.made.len() as u32 - 1;
        self.known.insert(function.id(), number);
        Ok(number)
    }
}
