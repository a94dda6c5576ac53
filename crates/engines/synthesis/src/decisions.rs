//! The nodes of a machine that is being made: equal ones are one node, and a test whose sides are equal is none.

use entail_game::Decision;
use rustc_hash::FxHashMap;

/// The nodes so far.
#[derive(Debug, Default)]
pub(crate) struct Decisions {
    pub nodes: Vec<Decision>,
    numbers: FxHashMap<Decision, u32>,
}

impl Decisions {
    /// The number of a node.
    pub fn node(&mut self, decision: Decision) -> u32 {
        if let Decision::Test { low, high, .. } = decision
            && low == high
        {
            return low;
        }
        let nodes = &mut self.nodes;
        *self.numbers.entry(decision).or_insert_with_key(|decision| {
            nodes.push(decision.clone());
            nodes.len() as u32 - 1
        })
    }

    /// The end of a step.
    pub fn step(&mut self, written: Vec<bool>, next: u32) -> u32 {
        self.node(Decision::Step { written, next })
    }
}
