//! Machines that leave some of what they write open.
//!
//! In each state, after reading, a *set* of valuations may be written, all of which lead on to the same state; or to none, where the game is won whatever happens. Sets are reduced ordered
//! decision diagrams over the positions of what is written, shared in one [`OutputSets`].

use entail_game::{Decision, ReactiveMachine};
use rustc_hash::FxHashMap;

/// A set of valuations of what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OutputSet(u32);

impl OutputSet {
    /// Nothing may be written.
    pub const NONE: OutputSet = OutputSet(0);
    /// Anything may be written.
    pub const ALL: OutputSet = OutputSet(1);
}

/// A position of what is written, and the sets if it is false and true.
type SetNode = (u32, OutputSet, OutputSet);

/// Owner of sets.
#[derive(Clone, Debug, Default)]
pub struct OutputSets {
    /// Nodes from number 2 on.
    nodes: Vec<SetNode>,
    numbers: FxHashMap<SetNode, OutputSet>,
    conjunctions: FxHashMap<(OutputSet, OutputSet), OutputSet>,
}

impl OutputSets {
    /// The set that asks for a position first. Positions below are larger.
    pub fn node(&mut self, write: u32, low: OutputSet, high: OutputSet) -> OutputSet {
        if low == high {
            return low;
        }
        let nodes = &mut self.nodes;
        *self.numbers.entry((write, low, high)).or_insert_with(|| {
            nodes.push((write, low, high));
            OutputSet(nodes.len() as u32 + 1)
        })
    }

    /// The first position that a set asks for, and what is left; nothing for [`OutputSet::NONE`] and [`OutputSet::ALL`].
    pub fn top(&self, set: OutputSet) -> Option<SetNode> {
        let at = set.0.checked_sub(2)?;
        self.nodes.get(at as usize).copied()
    }

    /// What is in both.
    pub fn and(&mut self, a: OutputSet, b: OutputSet) -> OutputSet {
        let (a, b) = (a.min(b), a.max(b));
        if a == OutputSet::NONE || a == b {
            return a;
        }
        if a == OutputSet::ALL {
            return b;
        }
        if let Some(&known) = self.conjunctions.get(&(a, b)) {
            return known;
        }
        let (Some((write_a, low_a, high_a)), Some((write_b, low_b, high_b))) = (self.top(a), self.top(b))
        else {
            return OutputSet::NONE;
        };
        let write = write_a.min(write_b);
        let (a0, a1) = if write_a == write { (low_a, high_a) } else { (a, a) };
        let (b0, b1) = if write_b == write { (low_b, high_b) } else { (b, b) };
        let low = self.and(a0, b0);
        let high = self.and(a1, b1);
        let both = self.node(write, low, high);
        self.conjunctions.insert((a, b), both);
        both
    }

    /// The set of this one valuation.
    pub fn single(&mut self, written: &[bool]) -> OutputSet {
        let values = written.iter().enumerate().rev();
        values.fold(OutputSet::ALL, |rest, (at, &truth)| match truth {
            true => self.node(at as u32, OutputSet::NONE, rest),
            false => self.node(at as u32, rest, OutputSet::NONE),
        })
    }

    /// Whether a valuation is in a set.
    pub fn contains(&self, mut set: OutputSet, written: &[bool]) -> bool {
        while let Some((write, low, high)) = self.top(set) {
            set = if written[write as usize] { high } else { low };
        }
        set == OutputSet::ALL
    }

    /// A valuation in a set that is not empty; false where it may be.
    pub fn pick(&self, mut set: OutputSet, writes: usize) -> Vec<bool> {
        let mut written = vec![false; writes];
        while let Some((write, low, high)) = self.top(set) {
            let truth = low == OutputSet::NONE;
            written[write as usize] = truth;
            set = if truth { high } else { low };
        }
        written
    }
}

/// A node of a state's diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LooseNode {
    /// Goes on by the value of something that is read; what is read later has a larger position.
    Test {
        /// Its position among what is read.
        read: u32,
        /// The node if it is false.
        low: u32,
        /// The node if it is true.
        high: u32,
    },
    /// The end of a step.
    Step {
        /// What may be written; never empty.
        allowed: OutputSet,
        /// The next state; nothing if from now on anything may be done.
        next: Option<u32>,
    },
}

/// A machine with open outputs. State 0 is the first.
#[derive(Clone, Debug)]
pub struct LooseMachine {
    /// The names of what is read.
    pub reads: Vec<String>,
    /// The names of what is written.
    pub writes: Vec<String>,
    /// Whether it writes before it reads: then all steps of a state allow the same.
    pub is_moore: bool,
    /// What may be written.
    pub sets: OutputSets,
    /// The nodes; those a node leads to come before it.
    pub nodes: Vec<LooseNode>,
    /// The node of each state.
    pub states: Vec<u32>,
}

impl From<&ReactiveMachine> for LooseMachine {
    /// A machine that leaves nothing open.
    fn from(machine: &ReactiveMachine) -> LooseMachine {
        let mut sets = OutputSets::default();
        let node = |node: &Decision| match node {
            Decision::Test { read, low, high } => LooseNode::Test {
                read: *read,
                low: *low,
                high: *high,
            },
            Decision::Step { written, next } => LooseNode::Step {
                allowed: sets.single(written),
                next: Some(*next),
            },
        };
        LooseMachine {
            nodes: machine.nodes.iter().map(node).collect(),
            reads: machine.reads.clone(),
            writes: machine.writes.clone(),
            is_moore: machine.is_moore,
            sets,
            states: machine.states.clone(),
        }
    }
}
