//! Proof obligations: cubes that lead to bad and must be excluded from a frame.
//!
//! Nodes form trees towards bad (each knows its successor and the inputs that lead there); the queue gives the earliest frame
//! first, and within a frame the newest (it is closest to an initial state).

use super::Cube;
use entail_sat::Lit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) struct Node {
    pub(super) cube: Cube,
    /// Input literals that hold, for the step to the successor or for bad.
    pub(super) inputs: Vec<Lit>,
    pub(super) successor: Option<usize>,
    /// How often it was taken from the queue.
    pub(super) visits: u32,
}

/// A node that must be excluded from a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Obligation {
    pub(super) frame: usize,
    pub(super) node: usize,
}

#[derive(Default)]
pub(super) struct Obligations {
    nodes: Vec<Node>,
    queue: BinaryHeap<(Reverse<usize>, usize)>,
}

impl Obligations {
    pub(super) fn add_node(&mut self, cube: Cube, inputs: Vec<Lit>, successor: Option<usize>) -> usize {
        self.nodes.push(Node {
            cube,
            inputs,
            successor,
            visits: 0,
        });
        self.nodes.len() - 1
    }

    pub(super) fn node(&self, node: usize) -> &Node {
        &self.nodes[node]
    }

    pub(super) fn push(&mut self, obligation: Obligation) {
        self.queue.push((Reverse(obligation.frame), obligation.node));
    }

    pub(super) fn pop(&mut self) -> Option<Obligation> {
        let (Reverse(frame), node) = self.queue.pop()?;
        self.nodes[node].visits += 1;
        Some(Obligation { frame, node })
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.queue.clear();
    }
}
