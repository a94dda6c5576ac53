//! A state graph that grows where it is looked at.
//!
//! A state's edges are enumerated when they are first asked for and kept from then on: a search that ends early has only paid
//! for what it saw, and a search for the next property finds what the last one left. Edges to one target are merged
//! unless they differ in a *step term*, as in the complete graph ([`crate::graph::state_graph`]). Hazards are watched for
//! on the way. `Stutter` gives a dead end an edge to itself; under the other policies it has none.

use super::explore::{Exploration, ExplorationEnd, Explored, full, initial_hazard, no_initial_state};
use super::hazard::HazardWatch;
use crate::code::evaluator::{Evaluator, is_about_steps};
use crate::graph::state_graph::mark_without_inputs;
use crate::state_table::{Reader, StateId, StateTable};
use crate::stepper::{Cursor, Found};
use entail_evidence::DeadEnds;
use entail_model::TermId;
use entail_search::cycles::marks::{MarkSets, insert};
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

impl GrowingGraph {
    /// The initial states. Terms among `observed` that speak of steps are kept apart on edges.
    pub fn new(search: &Exploration<'_>, observed: &[TermId]) -> Result<GrowingGraph, ExplorationEnd> {
        let stepper = search.stepper;
        let mut step_terms: Vec<TermId> = observed.to_vec();
        step_terms.retain(|&term| is_about_steps(&stepper.system, term));
        step_terms.sort_unstable();
        step_terms.dedup();
        let mut graph = GrowingGraph {
            mark_sets: MarkSets::new(step_terms.len()),
            evaluator: Evaluator::new(&stepper.system, &stepper.layout, &step_terms)?,
            hazards: HazardWatch::new(stepper)?,
            rows: Vec::new(),
            targets: Vec::new(),
            edge_marks: Vec::new(),
            dead_ends: HashSet::default(),
            explored: Explored {
                table: StateTable::new(&stepper.layout),
                initial: 0,
                transitions: 0,
                depth: 0,
                expanded: 0,
                dead_end: None,
            },
            step_terms,
        };
        graph.start(search)?;
        Ok(graph)
    }

    /// Numbers the initial states.
    fn start(&mut self, search: &Exploration<'_>) -> Result<(), ExplorationEnd> {
        let (stepper, explored) = (search.stepper, &mut self.explored);
        let mut cursor = stepper.cursor();
        cursor.start_initial();
        while let Some(found) = cursor
            .next(search.budget)
            .map_err(|spent| search.spent(spent, explored))?
        {
            if found == Found::Outside {
                if let Some(hazard) = self.hazards.in_current(stepper, cursor.leaves()) {
                    return Err(ExplorationEnd::from(initial_hazard(stepper, hazard)));
                }
                continue;
            }
            let inserted = explored.table.insert(&stepper.layout, cursor.packed(), None);
            let (id, new) = inserted.map_err(|_| full(explored))?;
            if new {
                explored.initial += 1;
                self.rows.push((UNEXPANDED, 0));
                search.report(explored);
                if let Some(hazard) = self.hazards.in_state(stepper, cursor.packed()) {
                    return Err(search.hazard(hazard, explored, id, None));
                }
            }
        }
        match explored.initial {
            0 => Err(ExplorationEnd::from(no_initial_state())),
            _ => Ok(()),
        }
    }

    /// The edges of states that were expanded in order: where each row begins, the targets and marks.
    pub fn into_rows(self) -> (Explored, Vec<u64>, Vec<u32>, Vec<u32>, MarkSets, Vec<u32>) {
        let expanded = self.rows.iter().map(|&(first, _)| first);
        let mut first_edge: Vec<u64> = expanded.take_while(|&first| first != UNEXPANDED).collect();
        // States at the bound have no known edges.
        first_edge.resize(self.rows.len() + 1, self.targets.len() as u64);
        let mut dead_ends: Vec<u32> = self.dead_ends.into_iter().collect();
        dead_ends.sort_unstable();
        (
            self.explored,
            first_edge,
            self.targets,
            self.edge_marks,
            self.mark_sets,
            dead_ends,
        )
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
    search: &'a Exploration<'a>,
    cursor: Cursor<'a>,
    pub graph: &'a mut GrowingGraph,
    row: Vec<(u32, u32)>,
    reader: Reader,
}

impl<'a> Growth<'a> {
    pub fn new(search: &'a Exploration<'a>, graph: &'a mut GrowingGraph) -> Growth<'a> {
        Growth {
            cursor: search.stepper.cursor(),
            search,
            reader: graph.explored.table.reader(),
            graph,
            row: Vec::new(),
        }
    }

    /// The edges that leave a state.
    pub fn edges_of(&mut self, state: u32) -> Result<Range<usize>, ExplorationEnd> {
        if self.graph.rows[state as usize].0 == UNEXPANDED {
            self.expand(StateId(state))?;
        }
        let (first, count) = self.graph.rows[state as usize];
        Ok(first as usize..first as usize + count as usize)
    }

    /// Enumerates everything that is still unseen.
    pub fn enumerate_all(&mut self) -> Result<(), ExplorationEnd> {
        let mut state = 0;
        while state < self.graph.explored.table.len() {
            self.edges_of(state as u32)?;
            state += 1;
        }
        Ok(())
    }

    /// Enumerates states in order, level by level, up to the bound and the most states there may be.
    pub fn enumerate_levels(&mut self) -> Result<(), ExplorationEnd> {
        let search = self.search;
        let mut level_end = self.graph.explored.table.len();
        let mut state = 0;
        while state < self.graph.explored.table.len() {
            let explored = &mut self.graph.explored;
            if state == level_end {
                explored.depth += 1;
                level_end = explored.table.len();
            }
            if search.bound == Some(explored.depth)
                || search.most_states.is_some_and(|most| explored.table.len() > most)
            {
                break;
            }
            self.edges_of(state as u32)?;
            state += 1;
        }
        Ok(())
    }

    fn expand(&mut self, from: StateId) -> Result<(), ExplorationEnd> {
        let (search, graph) = (self.search, &mut *self.graph);
        let stepper = search.stepper;
        search.report(&graph.explored);
        search.poll(&graph.explored)?;
        let mut mark = vec![0; graph.mark_sets.words()];
        self.row.clear();
        let packed = (graph.explored.table).read(&stepper.layout, from, &mut self.reader);
        let met = graph.hazards.in_choice(packed, search.budget);
        if let Some((hazard, now)) = met.map_err(|spent| search.spent(spent, &graph.explored))? {
            return Err(search.hazard(hazard, &graph.explored, from, Some(now)));
        }
        let packed = (graph.explored.table).read(&stepper.layout, from, &mut self.reader);
        self.cursor.start_steps(packed);
        loop {
            let found = self.cursor.next(search.budget);
            let Some(found) = found.map_err(|spent| search.spent(spent, &graph.explored))? else {
                break;
            };
            let leaves = self.cursor.leaves();
            if let Some(hazard) = graph.hazards.in_step(stepper, leaves) {
                let now = stepper.layout.read_values(leaves, true);
                return Err(search.hazard(hazard, &graph.explored, from, Some(now)));
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
            let inserted = (graph.explored.table).insert(&stepper.layout, packed, Some(from));
            let (to, new) = inserted.map_err(|_| full(&graph.explored))?;
            if new {
                if let Some(hazard) = graph.hazards.in_state(stepper, packed) {
                    return Err(search.hazard(hazard, &graph.explored, to, None));
                }
                graph.rows.push((UNEXPANDED, 0));
            }
            self.row.push((to.0, number));
        }
        if self.row.is_empty() {
            if search.dead_ends == DeadEnds::Error {
                return Err(search.dead_end(&graph.explored, from));
            }
            graph.explored.dead_end.get_or_insert(from);
            graph.dead_ends.insert(from.0);
            if search.dead_ends == DeadEnds::Stutter {
                let values = stepper
                    .layout
                    .values(&graph.explored.table.state(&stepper.layout, from));
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
