//! The explicit graph of the reachable states.
//!
//! Edges lie in compressed rows, in the order of their sources; predecessors are the same transposed, built when first
//! needed. Edges to one target are merged unless they differ in a *step term*: a fairness condition or an atom of
//! the property that reads inputs or next values. Terms over states alone are evaluated when asked for, once.
//!
//! The dead-end policy is applied here: `Stutter` gives a dead end an edge to itself (its inputs have no value, so a step
//! term is met there only if it is true whatever they are); the others leave it without edges and `dead_ends` says where.

use crate::code::evaluator::Evaluator;
use crate::search::explore::{Exploration, ExplorationEnd, Explored};
use crate::search::growing::{GrowingGraph, Growth};
use crate::state_table::StateId;
use crate::stepper::Stepper;
use entail_budget::{Budget, Spent};
use entail_evidence::DeadEnds;
use entail_model::{TermId, Valuation, Value, evaluate_bool};
use entail_search::cycles::components::MarkedGraph;
use entail_search::cycles::marks::{Acceptance, MarkSets, insert, unite};
use fixedbitset::FixedBitSet;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

/// A set of states.
pub(crate) type StateSet = FixedBitSet;

/// The reachable graph of a system.
#[derive(Debug)]
pub(crate) struct StateGraph {
    pub explored: Explored,
    first_edge: Vec<u64>,
    targets: Vec<u32>,
    /// The step terms an edge meets; empty if there are none.
    edge_marks: Vec<u32>,
    step_terms: Vec<TermId>,
    mark_sets: MarkSets,
    /// The step terms that are true at a dead end whatever the step would be, where a path may end there.
    end_marks: HashMap<u32, u32, FxBuildHasher>,
    /// States without successors before the policy was applied.
    pub dead_ends: StateSet,
    pub policy: DeadEnds,
    predecessors: OnceCell<(Vec<u64>, Vec<u32>)>,
    state_terms: RefCell<HashMap<TermId, Rc<StateSet>, FxBuildHasher>>,
}

/// The step terms that are true at a dead end although no inputs are chosen; stuttering, the state is its own next one.
pub(crate) fn mark_without_inputs(
    stepper: &Stepper,
    values: &[Option<Value>],
    step_terms: &[TermId],
    policy: DeadEnds,
) -> Vec<u64> {
    let at = match policy {
        DeadEnds::Stutter => Valuation::step(values, values),
        _ => Valuation::state(values),
    };
    let mut mark = vec![0; step_terms.len().div_ceil(64)];
    for (bit, &term) in step_terms.iter().enumerate() {
        if evaluate_bool(&stepper.system.terms, term, at) == Ok(true) {
            insert(&mut mark, bit);
        }
    }
    mark
}

impl StateGraph {
    /// Explores the system breadth-first. Terms among `observed` that speak of steps are kept apart on edges.
    pub fn build(search: &Exploration<'_>, observed: &[TermId]) -> Result<StateGraph, ExplorationEnd> {
        let stepper = search.stepper;
        let mut growing = GrowingGraph::new(search, observed)?;
        Growth::new(search, &mut growing).enumerate_levels()?;
        let step_terms = growing.step_terms.clone();
        let (explored, first_edge, targets, edge_marks, mark_sets, dead) = growing.into_rows();
        let mut dead_ends = StateSet::with_capacity(explored.table.len());
        dead_ends.extend(dead.iter().map(|&state| state as usize));
        let mut graph = StateGraph {
            explored,
            first_edge,
            targets,
            edge_marks,
            step_terms,
            mark_sets,
            end_marks: HashMap::default(),
            dead_ends,
            policy: search.dead_ends,
            predecessors: OnceCell::new(),
            state_terms: RefCell::default(),
        };
        if search.dead_ends == DeadEnds::Maximal && !graph.step_terms.is_empty() {
            for state in dead {
                let mark = graph.end_mark(stepper, state);
                graph.end_marks.insert(state, mark);
            }
        }
        Ok(graph)
    }

    /// The number of [`mark_without_inputs`] at a dead end.
    fn end_mark(&mut self, stepper: &Stepper, state: u32) -> u32 {
        let values = (stepper.layout).values(&self.explored.table.state(&stepper.layout, StateId(state)));
        let mark = mark_without_inputs(stepper, &values, &self.step_terms, self.policy);
        self.mark_sets.intern(&mark)
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.explored.table.len()
    }

    /// Edges that leave a state.
    pub fn edges(&self, state: u32) -> Range<usize> {
        self.first_edge[state as usize] as usize..self.first_edge[state as usize + 1] as usize
    }

    /// The state an edge leads to.
    pub fn edge_target(&self, edge: usize) -> u32 {
        self.targets[edge]
    }

    /// States an edge leads to from a state.
    pub fn successors(&self, state: u32) -> &[u32] {
        &self.targets[self.edges(state)]
    }

    /// States with an edge to a state.
    pub fn predecessors(&self, state: u32) -> &[u32] {
        let (first, sources) = self.predecessors.get_or_init(|| self.transpose());
        &sources[first[state as usize] as usize..first[state as usize + 1] as usize]
    }

    fn transpose(&self) -> (Vec<u64>, Vec<u32>) {
        let mut first = vec![0u64; self.len() + 1];
        for &target in &self.targets {
            first[target as usize + 1] += 1;
        }
        for state in 0..self.len() {
            first[state + 1] += first[state];
        }
        let mut fill = first.clone();
        let mut sources = vec![0; self.targets.len()];
        for state in 0..self.len() as u32 {
            for &target in self.successors(state) {
                let at = &mut fill[target as usize];
                sources[*at as usize] = state;
                *at += 1;
            }
        }
        (first, sources)
    }

    /// The terms whose truth on edges is kept.
    pub fn step_terms(&self) -> &[TermId] {
        &self.step_terms
    }

    /// The position of a step term among the bits of an edge's mark.
    pub fn step_bit(&self, term: TermId) -> Option<usize> {
        self.step_terms.binary_search(&term).ok()
    }

    /// The step terms an edge meets, as a number that equal sets share.
    pub fn mark_of(&self, edge: usize) -> u32 {
        self.edge_marks.get(edge).copied().unwrap_or(0)
    }

    /// Like [`StateGraph::mark_of`], at the end of a path.
    pub fn mark_at_end(&self, state: u32) -> u32 {
        self.end_marks.get(&state).copied().unwrap_or(0)
    }

    /// Whether an edge meets a step term.
    pub fn meets(&self, edge: usize, bit: usize) -> bool {
        self.mark_sets.contains(self.edge_marks[edge], bit)
    }

    /// Whether the mark with this number has a bit.
    pub fn mark_contains(&self, mark: u32, bit: usize) -> bool {
        self.mark_sets.contains(mark, bit)
    }

    /// The states in which a term over states is true.
    pub fn states_where(
        &self,
        stepper: &Stepper,
        term: TermId,
        budget: &Budget,
    ) -> Result<Rc<StateSet>, ExplorationEnd> {
        if let Some(found) = self.state_terms.borrow().get(&term) {
            return Ok(Rc::clone(found));
        }
        let mut evaluator = Evaluator::new(&stepper.system, &stepper.layout, &[term])?;
        let mut set = StateSet::with_capacity(self.len());
        let mut reader = self.explored.table.reader();
        for id in self.explored.table.ids() {
            budget.check().map_err(|spent| self.spent(spent))?;
            let packed = self.explored.table.read(&stepper.layout, id, &mut reader);
            evaluator.load_state(&stepper.layout, packed);
            set.set(id.index(), evaluator.truth(&stepper.system, &stepper.layout, 0));
        }
        let set = Rc::new(set);
        self.state_terms.borrow_mut().insert(term, Rc::clone(&set));
        Ok(set)
    }

    /// The budget was spent after the graph was built.
    pub fn spent(&self, spent: Spent) -> ExplorationEnd {
        ExplorationEnd::Unknown {
            reason: format!(
                "{spent} after all {} states were reached, while the property was checked on them",
                self.len()
            ),
            statistics: self.explored.statistics(),
        }
    }

    /// The states from which a state of `goal` is reached through states of `through` (the goal's own states included).
    pub fn backward(&self, goal: &StateSet, through: &StateSet) -> StateSet {
        let mut reached = goal.clone();
        let mut waiting: Vec<u32> = goal.ones().map(|state| state as u32).collect();
        while let Some(state) = waiting.pop() {
            for &before in self.predecessors(state) {
                if through.contains(before as usize) && !reached.put(before as usize) {
                    waiting.push(before);
                }
            }
        }
        reached
    }

    /// The states with a successor in the set.
    pub fn preimage(&self, set: &StateSet) -> StateSet {
        let mut result = StateSet::with_capacity(self.len());
        for state in set.ones() {
            for &before in self.predecessors(state as u32) {
                result.insert(before as usize);
            }
        }
        result
    }

    /// Every state.
    pub fn all(&self) -> StateSet {
        let mut all = StateSet::with_capacity(self.len());
        all.insert_range(..);
        all
    }
}

/// Fairness conditions as marks on the edges of a [`StateGraph`].
#[derive(Debug)]
pub(crate) struct FairMarks {
    pub acceptance: Acceptance,
    /// One row of words a state: the conditions over states it satisfies.
    by_state: Vec<u64>,
    /// For each condition over steps: its bit here, and its bit among the step terms.
    by_step: Vec<(usize, usize)>,
}

impl FairMarks {
    /// The marks of justice terms and compassion pairs.
    pub fn new(
        graph: &StateGraph,
        stepper: &Stepper,
        justice: &[TermId],
        compassion: &[(TermId, TermId)],
        budget: &Budget,
    ) -> Result<FairMarks, ExplorationEnd> {
        let mut conditions: Vec<TermId> = justice.to_vec();
        conditions.extend(compassion.iter().flat_map(|&(p, q)| [p, q]));
        let words = conditions.len().div_ceil(64);
        let mut marks = FairMarks {
            acceptance: Acceptance {
                words,
                required: (0..justice.len()).collect(),
                pairs: (0..compassion.len())
                    .map(|pair| (justice.len() + 2 * pair, justice.len() + 2 * pair + 1))
                    .collect(),
            },
            by_state: vec![0; words * graph.len()],
            by_step: Vec::new(),
        };
        for (bit, &term) in conditions.iter().enumerate() {
            match graph.step_bit(term) {
                Some(step_bit) => marks.by_step.push((bit, step_bit)),
                None => {
                    for state in graph.states_where(stepper, term, budget)?.ones() {
                        insert(&mut marks.by_state[state * words..(state + 1) * words], bit);
                    }
                }
            }
        }
        Ok(marks)
    }

    /// Adds what an edge meets.
    pub fn add(&self, graph: &StateGraph, state: u32, edge: usize, mark: &mut [u64]) {
        let words = self.acceptance.words;
        unite(
            mark,
            &self.by_state[state as usize * words..(state as usize + 1) * words],
        );
        for &(bit, step_bit) in &self.by_step {
            if graph.meets(edge, step_bit) {
                insert(mark, bit);
            }
        }
    }
}

/// A state graph with fairness.
pub(crate) struct FairStateGraph<'g> {
    pub graph: &'g StateGraph,
    pub marks: &'g FairMarks,
}

impl MarkedGraph for FairStateGraph<'_> {
    fn node_count(&self) -> usize {
        self.graph.len()
    }

    fn edges(&self, node: u32) -> Range<usize> {
        self.graph.edges(node)
    }

    fn target(&self, edge: usize) -> u32 {
        self.graph.targets[edge]
    }

    fn add_marks(&self, node: u32, edge: usize, mark: &mut [u64]) {
        self.marks.add(self.graph, node, edge, mark);
    }
}
