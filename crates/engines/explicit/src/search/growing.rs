//! A state graph that grows where it is looked at.
//!
//! A state's edges are enumerated when they are first asked for and kept from then on: a search that ends early has only paid
//! for what it saw, and a search for the next property finds what the last one left. Edges to one target are merged
//! unless they differ in a *step term*, as in the complete graph ([`crate::graph::state_graph`]). Hazards are watched for
//! on the way. `Stutter` gives a dead end an edge to itself; under the other policies it has none.

use super::explore::{Explored, Halt, Next, Search, Visitor};
use super::hazard::HazardWatch;
use crate::code::evaluator::{Evaluator, is_about_steps};
use crate::graph::marks::{MarkSets, insert};
use crate::graph::state_graph::mark_without_inputs;
use crate::state_table::{StateId, StateTable};
use crate::stepper::{Cursor, Found};
use entail_evidence::DeadEnds;
use entail_model::TermId;
use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use std::ops::Range;

/// What is known of the graph.
#[derive(Debug)]
pub(crate) struct GrowingGraph {
    pub explored: Explored,
    pub step_terms: Vec<TermId>,
    mark_sets: MarkSets,
    hazards: HazardWatch,
    evaluator: Evaluator,
    /// First edge and number of edges, by state.
    rows: Vec<(u64, u32)>,
    targets: Vec<u32>,
    edge_marks: Vec<u32>,
    dead_ends: HashSet<u32, FxBuildHasher>,
}

const UNEXPANDED: u64 = u64::MAX;

/// Looks at initial states only to number them.
struct Nobody;

impl Visitor for Nobody {
    fn watches_steps(&self) -> bool {
        false
    }

    fn state(&mut self, _: StateId, _: &[u64]) -> Next {
        Next::GoOn
    }

    fn step(&mut self, _: StateId, _: StateId, _: &[i64]) -> Next {
        Next::GoOn
    }
}

impl GrowingGraph {
    /// The initial states. Terms among `observed` that speak of steps are kept apart on edges.
    pub fn new(search: &Search<'_>, observed: &[TermId]) -> Result<GrowingGraph, Halt> {
        let stepper = search.stepper;
        let mut step_terms: Vec<TermId> = observed.to_vec();
        step_terms.retain(|&term| is_about_steps(&stepper.system, term));
        step_terms.sort_unstable();
        step_terms.dedup();
        let mut hazards = HazardWatch::new(stepper)?;
        let mut explored = Explored {
            table: StateTable::new(stepper.layout.words()),
            initial: 0,
            transitions: 0,
            depth: 0,
            expanded: 0,
            dead_end: None,
            stopped: None,
        };
        search.start(&mut explored, &mut hazards, &mut Nobody)?;
        Ok(GrowingGraph {
            mark_sets: MarkSets::new(step_terms.len()),
            evaluator: Evaluator::new(&stepper.system, &stepper.layout, &step_terms)?,
            rows: vec![(UNEXPANDED, 0); explored.table.len()],
            targets: Vec::new(),
            edge_marks: Vec::new(),
            dead_ends: HashSet::default(),
            explored,
            step_terms,
            hazards,
        })
    }

    /// The position of a step term among the bits of an edge.
    pub fn step_bit(&self, term: TermId) -> Option<usize> {
        self.step_terms.binary_search(&term).ok()
    }

    /// Whether an expanded state has no step.
    pub fn is_dead_end(&self, state: u32) -> bool {
        self.dead_ends.contains(&state)
    }

    /// Where an edge leads.
    pub fn target(&self, edge: usize) -> u32 {
        self.targets[edge]
    }

    /// Whether an edge meets a step term.
    pub fn meets(&self, edge: usize, bit: usize) -> bool {
        self.mark_sets.contains(self.edge_marks[edge], bit)
    }
}

/// A graph with what it takes to make it grow.
pub(crate) struct Growth<'a> {
    search: &'a Search<'a>,
    cursor: Cursor<'a>,
    pub graph: &'a mut GrowingGraph,
    row: Vec<(u32, u32)>,
}

impl<'a> Growth<'a> {
    pub fn new(search: &'a Search<'a>, graph: &'a mut GrowingGraph) -> Growth<'a> {
        Growth {
            cursor: search.stepper.cursor(),
            search,
            graph,
            row: Vec::new(),
        }
    }

    /// The edges that leave a state.
    pub fn edges_of(&mut self, state: u32) -> Result<Range<usize>, Halt> {
        if self.graph.rows[state as usize].0 == UNEXPANDED {
            self.expand(StateId(state))?;
        }
        let (first, count) = self.graph.rows[state as usize];
        Ok(first as usize..first as usize + count as usize)
    }

    /// Enumerates everything that is still unseen.
    pub fn enumerate_all(&mut self) -> Result<(), Halt> {
        let mut state = 0;
        while state < self.graph.explored.table.len() {
            self.edges_of(state as u32)?;
            state += 1;
        }
        Ok(())
    }

    fn expand(&mut self, from: StateId) -> Result<(), Halt> {
        let (search, graph) = (self.search, &mut *self.graph);
        let stepper = search.stepper;
        search.report(&graph.explored);
        search.poll(&graph.explored)?;
        let mut mark = vec![0; graph.mark_sets.words()];
        self.row.clear();
        self.cursor.start_steps(graph.explored.table.state(from));
        loop {
            let found = self.cursor.next(search.budget);
            let Some(found) = found.map_err(|spent| search.spent(spent, &graph.explored))? else {
                break;
            };
            let leaves = self.cursor.leaves();
            if let Some(hazard) = graph.hazards.in_step(stepper, leaves) {
                let now = stepper.layout.read_values(leaves, true);
                return Err(search.hazard(hazard, &graph.explored.table, from, Some(now)));
            }
            if found == Found::Outside {
                continue;
            }
            graph.explored.transitions += 1;
            let mut number = 0;
            if !graph.step_terms.is_empty() {
                mark.fill(0);
                graph.evaluator.load(leaves);
                for term in 0..graph.step_terms.len() {
                    if graph.evaluator.truth(&stepper.system, &stepper.layout, term) {
                        insert(&mut mark, term);
                    }
                }
                number = graph.mark_sets.intern(&mark);
            }
            let packed = self.cursor.packed();
            let (to, new) = search.number(packed, from, &mut graph.explored)?;
            if new {
                if let Some(hazard) = graph.hazards.in_state(stepper, packed) {
                    return Err(search.hazard(hazard, &graph.explored.table, to, None));
                }
                graph.rows.push((UNEXPANDED, 0));
            }
            self.row.push((to.0, number));
        }
        if self.row.is_empty() {
            graph.explored.dead_end.get_or_insert(from);
            graph.dead_ends.insert(from.0);
            if search.dead_ends == DeadEnds::Stutter {
                let values = stepper.layout.values(graph.explored.table.state(from));
                let mark = mark_without_inputs(stepper, &values, &graph.step_terms, search.dead_ends);
                self.row.push((from.0, graph.mark_sets.intern(&mark)));
            }
        }
        self.row.sort_unstable();
        self.row.dedup();
        graph.rows[from.index()] = (graph.targets.len() as u64, self.row.len() as u32);
        for &(to, mark) in &self.row {
            graph.targets.push(to);
            if !graph.step_terms.is_empty() {
                graph.edge_marks.push(mark);
            }
        }
        graph.explored.expanded += 1;
        Ok(())
    }
}
