//! The nodes of a loose machine that is being made: equal ones are one node, and a test whose sides are equal is none.

use crate::counting::{Way, Ways};
use entail_reactive::{LooseNode, OutputSet, OutputSets};
use rustc_hash::FxHashMap;

/// The nodes so far.
#[derive(Debug, Default)]
pub(crate) struct LooseNodes {
    pub nodes: Vec<LooseNode>,
    pub sets: OutputSets,
    numbers: FxHashMap<LooseNode, u32>,
}

impl LooseNodes {
    /// The number of a node.
    pub fn node(&mut self, node: LooseNode) -> u32 {
        if let LooseNode::Test { low, high, .. } = node
            && low == high
        {
            return low;
        }
        let nodes = &mut self.nodes;
        *self.numbers.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() as u32 - 1
        })
    }

    /// A diagram over what is read, with nodes at its ends.
    pub fn diagram(&mut self, ways: &Ways, ends: &[u32]) -> u32 {
        let mut made = Vec::with_capacity(ways.nodes.len());
        for way in &ways.nodes {
            made.push(match *way {
                Way::End(end) => ends[end as usize],
                Way::Test(read, low, high) => self.node(LooseNode::Test {
                    read,
                    low: made[low as usize],
                    high: made[high as usize],
                }),
            });
        }
        made[ways.root as usize]
    }

    /// What can be written so that a diagram ends where it is wanted.
    pub fn allowed(&mut self, ways: &Ways, wanted: &dyn Fn(usize) -> bool) -> OutputSet {
        let mut made = Vec::with_capacity(ways.nodes.len());
        for way in &ways.nodes {
            made.push(match *way {
                Way::End(end) if wanted(end as usize) => OutputSet::ALL,
                Way::End(_) => OutputSet::NONE,
                Way::Test(write, low, high) => self.sets.node(write, made[low as usize], made[high as usize]),
            });
        }
        made[ways.root as usize]
    }
}
