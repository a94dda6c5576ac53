//! The product of a state space with an automaton, kept whole: pairs of a state and a position, with their edges one after the other.

use entail_search::cycles::components::MarkedGraph;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Range;

/// A pair of a state and a position.
pub(crate) type Pair<S> = (S, u16);

/// The product; `S` tells states apart.
pub(crate) struct MarkedProduct<S> {
    pub pairs: Vec<Pair<S>>,
    /// Where the edges of each pair begin; one more behind the last.
    begins: Vec<usize>,
    /// Targets, and the marks that are met.
    edges: Vec<(u32, u64)>,
}

impl<S: Copy + Eq + Hash> MarkedProduct<S> {
    /// All pairs that can be reached from some; `expand` lists where a pair leads, with the marks that are met. Nothing if it gives up or there are more than `most` pairs.
    pub fn explore(
        initial: impl IntoIterator<Item = Pair<S>>,
        most: u64,
        mut expand: impl FnMut(Pair<S>, &mut Vec<(Pair<S>, u64)>) -> Option<()>,
    ) -> Option<MarkedProduct<S>> {
        let mut product = MarkedProduct {
            pairs: Vec::new(),
            begins: Vec::new(),
            edges: Vec::new(),
        };
        let most = most.min(u64::from(u32::MAX) / 2);
        let mut numbers: FxHashMap<Pair<S>, u32> = FxHashMap::default();
        let mut number = |pair: Pair<S>, pairs: &mut Vec<Pair<S>>| {
            *numbers.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                pairs.len() as u32 - 1
            })
        };
        for pair in initial {
            number(pair, &mut product.pairs);
        }
        let mut edges = Vec::new();
        while let Some(&pair) = product.pairs.get(product.begins.len()) {
            product.begins.push(product.edges.len());
            if product.pairs.len() as u64 > most {
                return None;
            }
            expand(pair, &mut edges)?;
            for (target, marks) in edges.drain(..) {
                let to = number(target, &mut product.pairs);
                product.edges.push((to, marks));
            }
        }
        product.begins.push(product.edges.len());
        Some(product)
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
