//! The product of a state space with an automaton, kept whole: pairs of a state and a position, with their edges one after the other.

use entail_search::cycles::components::MarkedGraph;
use std::ops::Range;

/// The product; `S` tells states apart.
pub(crate) struct MarkedProduct<S> {
    pub pairs: Vec<(S, u16)>,
    /// Where the edges of each pair begin; one more when the product is complete.
    pub begins: Vec<usize>,
    /// Targets, and the marks that are met.
    pub edges: Vec<(u32, u64)>,
}

impl<S> Default for MarkedProduct<S> {
    fn default() -> MarkedProduct<S> {
        MarkedProduct {
            pairs: Vec::new(),
            begins: Vec::new(),
            edges: Vec::new(),
        }
    }
}

impl<S> MarkedGraph for MarkedProduct<S> {
    fn node_count(&self) -> usize {
        self.pairs.len()
    }

    fn edges(&self, node: u32) -> Range<usize> {
        self.begins[node as usize]..self.begins[node as usize + 1]
    }

    fn target(&self, edge: usize) -> u32 {
        self.edges[edge].0
    }

    fn add_marks(&self, _: u32, edge: usize, mark: &mut [u64]) {
        mark[0] |= self.edges[edge].1;
    }
}
