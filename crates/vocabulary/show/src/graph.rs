//! Nodes and edges: the states of a small model, a strategy, an automaton.

use crate::StateKey;
use serde::{Deserialize, Serialize};

/// A directed graph to be drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// Names of what [`GraphNode::values`] lists.
    pub names: Vec<String>,
    /// The nodes.
    pub nodes: Vec<GraphNode>,
    /// The edges.
    pub edges: Vec<GraphEdge>,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphNode {
    /// Short lines inside the node.
    pub label: Vec<String>,
    /// What is known of it, in the order of [`Graph::names`].
    pub values: Vec<String>,
    /// A run may begin here.
    pub is_initial: bool,
    /// Drawn with emphasis (a goal, an error).
    pub is_marked: bool,
    /// The state it stands for.
    pub key: Option<StateKey>,
}

/// An edge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// Position of the node it leaves.
    pub from: usize,
    /// Position of the node it enters.
    pub to: usize,
    /// Its label.
    pub label: String,
    /// Drawn dashed (a step that only may be there, an adversary's).
    pub is_dashed: bool,
}

impl Graph {
    /// The node of a state.
    pub fn find(&self, key: StateKey) -> Option<usize> {
        self.nodes.iter().position(|node| node.key == Some(key))
    }
}
