//! What an assertion graph says about a netlist.

use super::{Resolved, Resolver, Standing};
use crate::syntax::{EdgeText, Formula, GraphText};
use entail_source::{Diagnostic, Source, Span};
use entail_trajectories::{AssertionGraph, ConditionId, Drive, GraphEdge, Satisfaction, Vertex};

/// Most edges of a graph.
const MOST_EDGES: usize = 10_000;

impl<'t> Resolver<'_, 't> {
    pub(super) fn graph(&mut self, graph: &'t GraphText, source: &Source) -> Resolved<()> {
        self.fresh_name(&graph.name, graph.span)?;
        let own = match &graph.assumption {
            Some(assumption) => self.scope.condition(assumption)?,
            None => ConditionId::TRUE,
        };
        let assumption = self.scope.conditions.and(self.assumed, own);
        if graph.edges.is_empty() || graph.edges.len() > MOST_EDGES {
            let message = format!("a graph has from 1 to {MOST_EDGES} edges");
            let problem = Diagnostic::error("ste::graph", message, graph.span, "this one has not");
            return Err(problem.with_help("paths begin in the vertex that is written first"));
        }
        let mut vertices: Vec<String> = Vec::new();
        let mut vertex = |name: &String| -> Vertex {
            let known = vertices.iter().position(|known| known == name);
            known.unwrap_or_else(|| {
                vertices.push(name.clone());
                vertices.len() - 1
            }) as Vertex
        };
        let mut edges = Vec::with_capacity(graph.edges.len());
        for edge in &graph.edges {
            let (from, to) = (vertex(&edge.from), vertex(&edge.to));
            edges.push(GraphEdge {
                from,
                to,
                antecedent: self.one_step(&edge.antecedent, edge)?,
                consequent: self.one_step(&edge.consequent, edge)?,
                is_fair: edge.is_fair,
            });
        }
        let marked = graph.edges.iter().find(|edge| edge.is_fair);
        let problem = |message: &str, span: Span| Err(Diagnostic::error("ste::graph", message, span, "here"));
        match (graph.satisfaction, marked) {
            (Satisfaction::Fair, None) => {
                let told = problem("this graph is `fair`, but none of its edges is", graph.span);
                return told.map_err(|told| told.with_help("write `fair a -> b: …;` before an edge"));
            }
            (Satisfaction::Strong | Satisfaction::Normal | Satisfaction::Terminal, Some(edge)) => {
                let told = problem("an edge is `fair` where all paths count", edge.span);
                return told
                    .map_err(|told| told.with_help("`graph NAME fair { … }` asks about fair paths only"));
            }
            _ => {}
        }
        let words: Vec<&str> = source.slice(graph.text).split_whitespace().collect();
        self.found.graphs.push(AssertionGraph {
            name: graph.name.clone(),
            text: words.join(" "),
            place: graph.text,
            assumption,
            vertices,
            edges,
            satisfaction: graph.satisfaction,
        });
        Ok(())
    }

    /// What a formula says about the step of an edge.
    fn one_step(&mut self, formula: &'t Formula, edge: &EdgeText) -> Resolved<Vec<Drive>> {
        let mut drives = Vec::new();
        self.formula(formula, Standing::START, &mut drives)?;
        match drives.iter().all(|drive| drive.time == 0) {
            true => Ok(drives),
            false => {
                let message = "an edge speaks of one step only";
                let problem = Diagnostic::error("ste::graph", message, edge.span, "of this edge");
                Err(problem.with_help("what comes later stands on edges that follow"))
            }
        }
    }
}
