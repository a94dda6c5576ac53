//! The product of the state graph with a tableau.
//!
//! A node is a state of the system and a state of the tableau; an edge pairs an edge of the graph with a transition of the
//! tableau on the letter read there. Nodes where the tableau requires nothing any more are not expanded: what follows is
//! any fair path. The path formula holds on some fair path from a state iff from its initial node one can reach a component
//! that is fair and keeps every promise, or a satisfied node with a fair path, or the end of a maximal path that the tableau
//! accepts.

use super::path_formula::{Atom, PathFormulas};
use super::tableau::{Letter, Tableau, TableauState};
use crate::graph::components::{FairComponent, MarkedGraph, fair_components};
use crate::graph::labelling::Labelling;
use crate::graph::marks::{Acceptance, insert, unite};
use crate::graph::state_graph::{FairMarks, StateGraph, StateSet};
use crate::search::explore::Halt;
use entail_budget::Budget;
use entail_evidence::DeadEnds;
use entail_logic::Formula;
use entail_model::TermId;
use fixedbitset::FixedBitSet;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::ops::Range;

/// An explicit product.
pub(crate) struct Product<'a> {
    pub graph: &'a StateGraph,
    marks: &'a FairMarks,
    tableau: Tableau,
    reader: Reader,
    nodes: Vec<(u32, TableauState)>,
    ids: HashMap<(u32, TableauState), u32, FxBuildHasher>,
    first_edge: Vec<usize>,
    edges: Vec<ProductEdge>,
    pub acceptance: Acceptance,
    /// Nodes where a path may end, or be continued by any fair path.
    pub accepting: FixedBitSet,
}

#[derive(Clone, Copy, Debug)]
struct ProductEdge {
    target: u32,
    /// The edge of the state graph.
    graph_edge: u64,
    kept: u32,
}

/// Reads the letters of a state graph.
#[derive(Debug, Default)]
struct Reader {
    /// By state; [`UNREAD`] if not read yet. The atoms about states only.
    state_letters: Vec<u32>,
    reads_steps: bool,
    combined: HashMap<(u32, u32), Letter, FxBuildHasher>,
}

const UNREAD: u32 = u32::MAX;

impl Reader {
    fn new(graph: &StateGraph, formulas: &PathFormulas) -> Reader {
        Reader {
            state_letters: vec![UNREAD; graph.len()],
            reads_steps: formulas.atoms.iter().any(|atom| matches!(atom, Atom::Step(_))),
            combined: HashMap::default(),
        }
    }

    /// The letter at a state, atoms about the step being false.
    fn at_state(&mut self, tableau: &mut Tableau, state: u32) -> Letter {
        let known = self.state_letters[state as usize];
        if known != UNREAD {
            return Letter(known);
        }
        let mut atoms = vec![0; tableau.letter_words()];
        for (number, atom) in tableau.formulas.atoms.iter().enumerate() {
            if let Atom::State(_, states) = atom
                && states.contains(state as usize)
            {
                insert(&mut atoms, number);
            }
        }
        let letter = tableau.letter(&atoms);
        self.state_letters[state as usize] = letter.0;
        letter
    }

    /// The letter at a state with the mark of the step taken there.
    fn along(&mut self, tableau: &mut Tableau, graph: &StateGraph, state: u32, mark: u32) -> Letter {
        let at_state = self.at_state(tableau, state);
        if !self.reads_steps {
            return at_state;
        }
        if let Some(&letter) = self.combined.get(&(at_state.0, mark)) {
            return letter;
        }
        let mut atoms = vec![0; tableau.letter_words()];
        for (number, atom) in tableau.formulas.atoms.iter().enumerate() {
            let truth = match atom {
                Atom::State(_, states) => states.contains(state as usize),
                Atom::Step(bit) => graph.mark_contains(mark, *bit),
            };
            if truth {
                insert(&mut atoms, number);
            }
        }
        let letter = tableau.letter(&atoms);
        self.combined.insert((at_state.0, mark), letter);
        letter
    }
}

impl<'a> Product<'a> {
    /// The part of the product that is reachable from some states of the graph.
    pub fn build(
        labelling: &'a Labelling<'_>,
        tableau: Tableau,
        starts: impl Iterator<Item = u32>,
    ) -> Result<Product<'a>, Halt> {
        let (graph, budget) = (labelling.graph, labelling.budget);
        let base = labelling.acceptance();
        let promises = tableau.promise_count();
        let offset = 64 * base.words;
        let mut acceptance = base.clone();
        acceptance.words += promises.div_ceil(64);
        acceptance
            .required
            .extend((0..promises).map(|promise| offset + promise));
        let reader = Reader::new(graph, &tableau.formulas);
        let mut product = Product {
            graph,
            marks: &labelling.marks,
            tableau,
            reader,
            nodes: Vec::new(),
            ids: HashMap::default(),
            first_edge: vec![0],
            edges: Vec::new(),
            acceptance,
            accepting: FixedBitSet::new(),
        };
        for state in starts {
            let initial = product.tableau.initial();
            product.node(state, initial);
        }
        let mut at = 0;
        while at < product.nodes.len() {
            budget.check().map_err(|spent| graph.spent(spent))?;
            product.expand(at, &labelling.fair);
            at += 1;
        }
        Ok(product)
    }

    fn node(&mut self, state: u32, tableau: TableauState) -> u32 {
        let next = self.nodes.len() as u32;
        let nodes = &mut self.nodes;
        *self.ids.entry((state, tableau)).or_insert_with(|| {
            nodes.push((state, tableau));
            next
        })
    }

    fn expand(&mut self, node: usize, fair: &StateSet) {
        let (state, tableau) = self.nodes[node];
        let satisfied = self.tableau.is_satisfied(tableau);
        let ends = self.graph.policy == DeadEnds::Maximal && self.graph.dead_ends.contains(state as usize);
        let accepting = if satisfied {
            fair.contains(state as usize)
        } else {
            ends && {
                let mark = self.graph.mark_at_end(state);
                let letter = self.reader.along(&mut self.tableau, self.graph, state, mark);
                self.tableau.accepts_end(tableau, letter)
            }
        };
        self.accepting.grow(node + 1);
        self.accepting.set(node, accepting);
        if !satisfied {
            for edge in self.graph.edges(state) {
                let mark = self.graph.mark_of(edge);
                let letter = self.reader.along(&mut self.tableau, self.graph, state, mark);
                let target = self.graph.edge_target(edge);
                for step in self.tableau.moves(tableau, letter).iter() {
                    let target = self.node(target, step.to);
                    self.edges.push(ProductEdge {
                        target,
                        graph_edge: edge as u64,
                        kept: step.kept,
                    });
                }
            }
        }
        self.first_edge.push(self.edges.len());
    }

    /// The node where paths from a state start.
    pub fn start(&self, state: u32) -> Option<u32> {
        self.ids.get(&(state, self.tableau.initial())).copied()
    }

    /// The state of the system at a node.
    pub fn state(&self, node: u32) -> u32 {
        self.nodes[node as usize].0
    }

    /// Whether nothing is required at the node any more.
    pub fn is_satisfied(&self, node: u32) -> bool {
        self.tableau.is_satisfied(self.nodes[node as usize].1)
    }

    /// The formulas of the tableau.
    pub fn into_formulas(self) -> PathFormulas {
        self.tableau.formulas
    }

    /// Whether what is required at the node is satisfied by the state alone, whatever comes next.
    pub fn is_decided(&mut self, node: u32) -> bool {
        let (state, tableau) = self.nodes[node as usize];
        if self.tableau.is_satisfied(tableau) {
            return true;
        }
        if self.reader.reads_steps {
            return false;
        }
        let letter = self.reader.at_state(&mut self.tableau, state);
        self.tableau.decides(tableau, letter)
    }

    /// The edge of the state graph that an edge goes along.
    pub fn graph_edge(&self, edge: usize) -> usize {
        self.edges[edge].graph_edge as usize
    }

    /// The components in which a path can stay for ever, fairly and keeping every promise.
    pub fn fair_components(&self, budget: &Budget) -> Result<Vec<FairComponent>, Halt> {
        fair_components(self, &self.acceptance, |_| true, budget).map_err(|spent| self.graph.spent(spent))
    }

    /// The nodes from which a goal can be reached.
    fn reaching(&self, goal: &FixedBitSet) -> FixedBitSet {
        let mut first = vec![0usize; self.nodes.len() + 1];
        for edge in &self.edges {
            first[edge.target as usize + 1] += 1;
        }
        for node in 0..self.nodes.len() {
            first[node + 1] += first[node];
        }
        let mut fill = first.clone();
        let mut sources = vec![0u32; self.edges.len()];
        for node in 0..self.nodes.len() as u32 {
            for edge in self.edges(node) {
                let at = &mut fill[self.edges[edge].target as usize];
                sources[*at] = node;
                *at += 1;
            }
        }
        let mut reached = goal.clone();
        let mut waiting: Vec<usize> = goal.ones().collect();
        while let Some(node) = waiting.pop() {
            for &before in &sources[first[node]..first[node + 1]] {
                if !reached.put(before as usize) {
                    waiting.push(before as usize);
                }
            }
        }
        reached
    }
}

impl MarkedGraph for Product<'_> {
    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn edges(&self, node: u32) -> Range<usize> {
        self.first_edge[node as usize]..self.first_edge[node as usize + 1]
    }

    fn target(&self, edge: usize) -> u32 {
        self.edges[edge].target
    }

    fn add_marks(&self, node: u32, edge: usize, mark: &mut [u64]) {
        let ProductEdge { graph_edge, kept, .. } = self.edges[edge];
        let words = self.marks.acceptance.words;
        self.marks.add(
            self.graph,
            self.state(node),
            graph_edge as usize,
            &mut mark[..words],
        );
        unite(&mut mark[words..], self.tableau.kept_sets.get(kept));
    }
}

/// The states where some fair path starts that satisfies the path formula (or with `truth` false, its negation).
pub(crate) fn states_with_path(
    labelling: &mut Labelling<'_>,
    path: &Formula<TermId>,
    truth: bool,
) -> Result<StateSet, Halt> {
    let mut formulas = PathFormulas::default();
    let root = formulas.translate(labelling, path, truth)?;
    let tableau = Tableau::new(formulas, root)?;
    let states = labelling.graph.len();
    let product = Product::build(labelling, tableau, 0..states as u32)?;
    let mut goal = product.accepting.clone();
    for component in product.fair_components(labelling.budget)? {
        goal.extend(component.nodes.iter().map(|&node| node as usize));
    }
    let reached = product.reaching(&goal);
    let mut result = StateSet::with_capacity(states);
    for state in 0..states as u32 {
        let start = product.start(state);
        result.set(
            state as usize,
            start.is_some_and(|node| reached.contains(node as usize)),
        );
    }
    Ok(result)
}
