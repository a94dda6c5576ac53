//! What is to be drawn, independent of how: nodes in rows by level, branches between them, named roots.

use crate::bdd::Bdd;
use crate::edge::{Edge, Var};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// How complement edges are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Drawing {
    /// Without them: the plain diagram with leaves 0 and 1.
    #[default]
    Plain,
    /// As stored: one leaf 1, complemented branches marked.
    ComplementEdges,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) node: usize,
    pub(super) complemented: bool,
}

pub(super) struct Row {
    pub(super) label: String,
    pub(super) nodes: Vec<usize>,
}

/// Nodes are numbered from 0; leaves have no branches.
pub(super) struct Picture {
    pub(super) rows: Vec<Row>,
    pub(super) leaves: Vec<(usize, bool)>,
    /// For each node its branches (lo, hi).
    pub(super) branches: Vec<Option<(Target, Target)>>,
    pub(super) roots: Vec<(String, Target)>,
}

impl Picture {
    /// Collects the nodes of functions of one manager.
    pub(super) fn new(
        functions: &[(String, Bdd)],
        name: &dyn Fn(Var) -> String,
        drawing: Drawing,
    ) -> Picture {
        let mut picture = Picture {
            rows: Vec::new(),
            leaves: Vec::new(),
            branches: Vec::new(),
            roots: Vec::new(),
        };
        let Some((_, first)) = functions.first() else {
            return picture;
        };
        let manager = first.manager();
        let state = manager.state();
        let kernel = &state.kernel;
        // In a plain drawing, a node and its complement are two; with complement edges, parities go to branches.
        let split = |edge: Edge| match drawing {
            Drawing::Plain => (edge, false),
            Drawing::ComplementEdges => (edge.regular(), edge.is_complemented()),
        };
        let mut number: FxHashMap<Edge, usize> = FxHashMap::default();
        let mut found: Vec<Edge> = Vec::new();
        let mut meet = |edge: Edge, found: &mut Vec<Edge>| {
            let (shown, complemented) = split(edge);
            let node = *number.entry(shown).or_insert_with(|| {
                found.push(shown);
                found.len() - 1
            });
            Target { node, complemented }
        };
        for (label, f) in functions {
            let target = meet(first.operand(f), &mut found);
            picture.roots.push((label.clone(), target));
        }
        let mut rows: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let mut at = 0;
        while at < found.len() {
            let edge = found[at];
            if edge.is_constant() {
                picture.leaves.push((at, edge == Edge::TRUE));
                picture.branches.push(None);
            } else {
                rows.entry(kernel.level(edge)).or_default().push(at);
                let (lo, hi) = kernel.cofactors(edge);
                let lo = meet(lo, &mut found);
                let hi = meet(hi, &mut found);
                picture.branches.push(Some((lo, hi)));
            }
            at += 1;
        }
        picture.leaves.sort_by_key(|&(_, value)| value);
        picture.rows = rows
            .into_iter()
            .map(|(level, nodes)| Row {
                label: name(Var(kernel.var_at[level as usize])),
                nodes,
            })
            .collect();
        picture
    }
}
