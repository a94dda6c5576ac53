//! Assertion graphs (Yang and Seger's generalized trajectory evaluation, section 25.9.1): assertions about runs of any length.
//!
//! A graph has vertices and edges; a path from the first vertex takes one edge a step. An edge says what is driven in that step and what is demanded. The symbolic variables have the same values
//! throughout a path.

use crate::{ConditionId, Drive};
use entail_source::Span;

/// The number of a vertex; the first one is 0.
pub type Vertex = u32;

/// One step of a path.
#[derive(Clone, Debug)]
pub struct GraphEdge {
    /// Where it begins.
    pub from: Vertex,
    /// Where it ends.
    pub to: Vertex,
    /// What is driven; all times are 0.
    pub antecedent: Vec<Drive>,
    /// What is demanded; all times are 0.
    pub consequent: Vec<Drive>,
    /// Whether a fair path takes such edges again and again.
    pub is_fair: bool,
}

/// Which antecedents count when something is demanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Satisfaction {
    /// Those up to the step: every finite path is an assertion.
    Strong,
    /// Those of the whole path, which is infinite or ends in a vertex without edges.
    Normal,
    /// Those of the whole path, which ends in a vertex without edges.
    Terminal,
    /// Those of the whole path, which takes fair edges infinitely often.
    Fair,
}

impl Satisfaction {
    /// All, with the words for them.
    pub const ALL: [(&'static str, Satisfaction); 4] = [
        ("strong", Satisfaction::Strong),
        ("normal", Satisfaction::Normal),
        ("terminal", Satisfaction::Terminal),
        ("fair", Satisfaction::Fair),
    ];
}

/// What is asked about a circuit on all paths.
#[derive(Clone, Debug)]
pub struct AssertionGraph {
    /// Its name.
    pub name: String,
    /// As it was written.
    pub text: String,
    /// Where it stands.
    pub place: Span,
    /// What is assumed about the symbolic variables.
    pub assumption: ConditionId,
    /// The names of the vertices; paths begin in the first.
    pub vertices: Vec<String>,
    /// The edges.
    pub edges: Vec<GraphEdge>,
    /// Which antecedents count.
    pub satisfaction: Satisfaction,
}

impl AssertionGraph {
    /// An edge as people write it.
    pub fn edge_name(&self, edge: usize) -> String {
        let name = |vertex: Vertex| self.vertices.get(vertex as usize).map_or("?", String::as_str);
        match self.edges.get(edge) {
            Some(edge) => format!("{} -> {}", name(edge.from), name(edge.to)),
            None => "?".to_owned(),
        }
    }

    /// Whether no edge leaves a vertex.
    pub fn is_terminal(&self, vertex: Vertex) -> bool {
        !self.edges.iter().any(|edge| edge.from == vertex)
    }
}
