//! The product of the state graph with the automaton of a path formula.
//!
//! A node is a state of the system and a state of the automaton; an edge pairs an edge of the graph with a transition of the
//! automaton on the letter read there. Nodes where the automaton requires nothing any more are not expanded: what follows is
//! any fair path. The path formula holds on some fair path from a state iff from an initial node of it one can reach a component
//! that is fair and meets every mark, or a satisfied node with a fair path, or the end of a maximal path that the automaton
//! accepts.

use super::path_automaton::{PathAutomaton, Proposition};
use super::path_formula::{Atom, PathFormulas};
use crate::graph::labelling::Labelling;
use crate::graph::state_graph::{FairMarks, StateGraph, StateSet};
use crate::search::explore::ExplorationEnd;
use entail_automata::{Letter, State};
use entail_budget::Budget;
use entail_evidence::DeadEnds;
use entail_logic::Formula;
use entail_model::TermId;
use entail_search::cycles::components::{FairComponent, MarkedGraph, fair_components};
use entail_search::cycles::marks::{Acceptance, unite};
use fixedbitset::FixedBitSet;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::ops::Range;

/// An explicit product.
pub(crate) struct Product<'a> {
    pub graph: &'a StateGraph,
    marks: &'a FairMarks,
    automaton: PathAutomaton,
    reader: Reader,
    nodes: Vec<(u32, State)>,
    ids: HashMap<(u32, State), u32, FxBuildHasher>,
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
    /// The automaton's marks, by number.
    marks: u32,
}

/// Reads the letters of a state graph.
#[derive(Debug)]
struct Reader {
    /// True at every position.
    always: Letter,
    /// The bits of a letter that tell about the state, with the atoms they stand for, and those that tell about the step.
    of_state: Vec<(Letter, u32)>,
    of_step: Vec<(Letter, usize)>,
}

impl Reader {
    fn new(automaton: &PathAutomaton) -> Reader {
        let mut reader = Reader {
            always: 0,
            of_state: Vec::new(),
            of_step: Vec::new(),
        };
        for (number, proposition) in automaton.propositions().iter().enumerate() {
            let bit = 1 << number;
            match *proposition {
                Proposition::Alive => reader.always |= bit,
                Proposition::Atom(atom) => match automaton.formulas.atoms[atom as usize] {
                    Atom::State(..) => reader.of_state.push((bit, atom)),
                    Atom::Step(step) => reader.of_step.push((bit, step)),
                },
            }
        }
        reader
    }

    /// The letter at a state, atoms about the step being false.
    fn at_state(&self, formulas: &PathFormulas, state: u32) -> Letter {
        let mut letter = self.always;
        for &(bit, atom) in &self.of_state {
            if let Atom::State(_, states) = &formulas.atoms[atom as usize]
                && states.contains(state as usize)
            {
                letter |= bit;
            }
        }
        letter
    }

    /// The letter at a state with the mark of the step taken there.
    fn along(&self, at_state: Letter, graph: &StateGraph, mark: u32) -> Letter {
        let steps = self.of_step.iter();
        steps
            .filter(|(_, step)| graph.mark_contains(mark, *step))
            .fold(at_state, |letter, (bit, _)| letter | bit)
    }
}

impl<'a> Product<'a> {
    /// The part of the product that is reachable from some states of the graph.
    pub fn build(
        labelling: &'a Labelling<'_>,
        automaton: PathAutomaton,
        starts: impl Iterator<Item = u32>,
    ) -> Result<Product<'a>, ExplorationEnd> {
        let (graph, budget) = (labelling.graph, labelling.budget);
        let base = labelling.acceptance();
        let marks = automaton.mark_count();
        let offset = 64 * base.words;
        let mut acceptance = base.clone();
        acceptance.words += automaton.mark_sets.words();
        acceptance.required.extend((0..marks).map(|mark| offset + mark));
        let reader = Reader::new(&automaton);
        let mut product = Product {
            graph,
            marks: &labelling.marks,
            automaton,
            reader,
            nodes: Vec::new(),
            ids: HashMap::default(),
            first_edge: vec![0],
            edges: Vec::new(),
            acceptance,
            accepting: FixedBitSet::new(),
        };
        for state in starts {
            for initial in product.automaton.initial().to_vec() {
                product.node(state, initial);
            }
        }
        let mut at = 0;
        while at < product.nodes.len() {
            budget.check().map_err(|spent| graph.spent(spent))?;
            product.expand(at, &labelling.fair);
            at += 1;
        }
        Ok(product)
    }

    fn node(&mut self, state: u32, place: State) -> u32 {
        let next = self.nodes.len() as u32;
        let nodes = &mut self.nodes;
        *self.ids.entry((state, place)).or_insert_with(|| {
            nodes.push((state, place));
            next
        })
    }

    fn expand(&mut self, node: usize, fair: &StateSet) {
        let (state, place) = self.nodes[node];
        let satisfied = self.automaton.is_satisfied(place);
        let at_state = self.reader.at_state(&self.automaton.formulas, state);
        let ends = self.graph.policy == DeadEnds::Maximal && self.graph.dead_ends.contains(state as usize);
        let accepting = if satisfied {
            fair.contains(state as usize)
        } else {
            ends && {
                let mark = self.graph.mark_at_end(state);
                let letter = self.reader.along(at_state, self.graph, mark);
                self.automaton.accepts_end(place, letter)
            }
        };
        self.accepting.grow(node + 1);
        self.accepting.set(node, accepting);
        if !satisfied {
            for edge in self.graph.edges(state) {
                let mark = self.graph.mark_of(edge);
                let letter = self.reader.along(at_state, self.graph, mark);
                let target = self.graph.edge_target(edge);
                for (to, marks) in self.automaton.moves(place, letter) {
                    let target = self.node(target, to);
                    self.edges.push(ProductEdge {
                        target,
                        graph_edge: edge as u64,
                        marks,
                    });
                }
            }
        }
        self.first_edge.push(self.edges.len());
    }

    /// The nodes where paths from a state start.
    pub fn starts(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        let initial = self.automaton.initial().iter();
        initial.filter_map(move |&place| self.ids.get(&(state, place)).copied())
    }

    /// The state of the system at a node.
    pub fn state(&self, node: u32) -> u32 {
        self.nodes[node as usize].0
    }

    /// Whether nothing is required at the node any more.
    pub fn is_satisfied(&self, node: u32) -> bool {
        self.automaton.is_satisfied(self.nodes[node as usize].1)
    }

    /// The formulas of the automaton.
    pub fn into_formulas(self) -> PathFormulas {
        self.automaton.formulas
    }

    /// Whether what is required at the node is satisfied by the state alone, whatever comes next.
    pub fn is_decided(&mut self, node: u32) -> bool {
        let (state, place) = self.nodes[node as usize];
        if self.automaton.is_satisfied(place) {
            return true;
        }
        if !self.reader.of_step.is_empty() {
            return false;
        }
        let letter = self.reader.at_state(&self.automaton.formulas, state);
        self.automaton.decides(place, letter)
    }

    /// The edge of the state graph that an edge goes along.
    pub fn graph_edge(&self, edge: usize) -> usize {
        self.edges[edge].graph_edge as usize
    }

    /// The components in which a path can stay for ever, fairly and meeting every mark.
    pub fn fair_components(&self, budget: &Budget) -> Result<Vec<FairComponent>, ExplorationEnd> {
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
        let ProductEdge {
            graph_edge, marks, ..
        } = self.edges[edge];
        let words = self.marks.acceptance.words;
        self.marks.add(
            self.graph,
            self.state(node),
            graph_edge as usize,
            &mut mark[..words],
        );
        unite(&mut mark[words..], self.automaton.mark_sets.get(marks));
    }
}

/// The states where some fair path starts that satisfies the path formula (or with `truth` false, its negation).
pub(crate) fn states_with_path(
    labelling: &mut Labelling<'_>,
    path: &Formula<TermId>,
    truth: bool,
) -> Result<StateSet, ExplorationEnd> {
    let mut formulas = PathFormulas::default();
    let root = formulas.translate(labelling, path, truth)?;
    let automaton = labelling.path_automaton(formulas, root)?;
    let states = labelling.graph.len();
    let product = Product::build(labelling, automaton, 0..states as u32)?;
    let mut goal = product.accepting.clone();
    for component in product.fair_components(labelling.budget)? {
        goal.extend(component.nodes.iter().map(|&node| node as usize));
    }
    let reached = product.reaching(&goal);
    let mut result = StateSet::with_capacity(states);
    for state in 0..states as u32 {
        let mut starts = product.starts(state);
        result.set(state as usize, starts.any(|node| reached.contains(node as usize)));
    }
    Ok(result)
}
