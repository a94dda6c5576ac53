//! State graphs as the search sees them: edges by state, complete already or enumerated on demand.

use super::explore::{ExplorationEnd, Explored};
use super::growing::Growth;
use crate::graph::state_graph::StateGraph;
use entail_model::TermId;
use std::ops::Range;

/// Edges by state.
pub(crate) trait Rows {
    /// What has been explored.
    fn explored(&self) -> &Explored;
    /// The edges that leave a state.
    fn edges(&mut self, state: u32) -> Result<Range<usize>, ExplorationEnd>;
    /// Where an edge leads.
    fn target(&self, edge: usize) -> u32;
    /// The terms whose truth on edges is kept.
    fn step_terms(&self) -> &[TermId];
    /// The position of a term among them.
    fn step_bit(&self, term: TermId) -> Option<usize>;
    /// Whether an edge meets a step term.
    fn meets(&self, edge: usize, bit: usize) -> bool;
    /// Whether a state whose edges are known has no step of its own.
    fn is_dead_end(&self, state: u32) -> bool;
    /// Enumerates everything that is still unseen.
    fn complete(&mut self) -> Result<(), ExplorationEnd>;
}

impl Rows for Growth<'_> {
    fn explored(&self) -> &Explored {
        &self.graph.explored
    }

    fn edges(&mut self, state: u32) -> Result<Range<usize>, ExplorationEnd> {
        self.edges_of(state)
    }

    fn target(&self, edge: usize) -> u32 {
        self.graph.target(edge)
    }

    fn step_terms(&self) -> &[TermId] {
        &self.graph.step_terms
    }

    fn step_bit(&self, term: TermId) -> Option<usize> {
        self.graph.step_bit(term)
    }

    fn meets(&self, edge: usize, bit: usize) -> bool {
        self.graph.meets(edge, bit)
    }

    fn is_dead_end(&self, state: u32) -> bool {
        self.graph.is_dead_end(state)
    }

    fn complete(&mut self) -> Result<(), ExplorationEnd> {
        self.enumerate_all()
    }
}

impl Rows for &StateGraph {
    fn explored(&self) -> &Explored {
        &self.explored
    }

    fn edges(&mut self, state: u32) -> Result<Range<usize>, ExplorationEnd> {
        Ok(StateGraph::edges(self, state))
    }

    fn target(&self, edge: usize) -> u32 {
        self.edge_target(edge)
    }

    fn step_terms(&self) -> &[TermId] {
        StateGraph::step_terms(self)
    }

    fn step_bit(&self, term: TermId) -> Option<usize> {
        StateGraph::step_bit(self, term)
    }

    fn meets(&self, edge: usize, bit: usize) -> bool {
        StateGraph::meets(self, edge, bit)
    }

    fn is_dead_end(&self, state: u32) -> bool {
        self.dead_ends.contains(state as usize)
    }

    fn complete(&mut self) -> Result<(), ExplorationEnd> {
        Ok(())
    }
}
