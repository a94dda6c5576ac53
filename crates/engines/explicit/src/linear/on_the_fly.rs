//! LTL on the fly: is there a fair path that the property automaton accepts?
//!
//! The product of the model and the automaton of the negated property is searched depth-first, and the model is enumerated
//! only where the search looks. Strongly connected components are kept on a stack with the marks met in each, and closing a
//! cycle joins those on it (Couvreur's emptiness check for generalized Büchi automata). The search ends as soon as a component meets
//! everything: every mark of the automaton, every justice condition, and of each compassion pair the second part or not the
//! first. A finished component in which only pairs fail is decomposed without the edges that meet their first parts. Linear
//! in the part of the product that is seen; with compassion one more round a pair.
//!
//! Depth-first search finds long lassos. So once one is found, the product is also expanded nearest-first, for as long as the
//! search had taken, and the lasso reported is the one with the shortest way to a fair component.

use super::path::{Ending, GraphPath, Walk, fair_loop, shortest_walk};
use super::property_automaton::PropertyAutomaton;
use crate::code::evaluator::Evaluator;
use crate::search::explore::ExplorationEnd;
use crate::search::rows::Rows;
use crate::state_table::{Reader, StateId};
use crate::stepper::Stepper;
use entail_automata::{Letter, Marks, State};
use entail_budget::Budget;
use entail_model::TermId;
use entail_search::cycles::components::{MarkedGraph, fair_components};
use entail_search::cycles::couvreur::{self, Couvreur, Found};
use entail_search::cycles::marks::{Acceptance, contains, insert};
use fixedbitset::FixedBitSet;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::ops::Range;

/// The lasso is looked for nearest-first among at least so many nodes.
const LEAST_NEAREST: usize = 20_000;

/// What is asked.
pub(crate) struct Query<'a> {
    pub stepper: &'a Stepper,
    pub justice: &'a [TermId],
    pub compassion: &'a [(TermId, TermId)],
    pub budget: &'a Budget,
}

/// A path of the model that the automaton accepts, if there is one.
pub(crate) fn accepted_path<R: Rows>(
    query: &Query<'_>,
    rows: &mut R,
    automaton: PropertyAutomaton<TermId>,
) -> Result<Option<GraphPath>, ExplorationEnd> {
    let mut product = Product::new(query, rows, automaton)?;
    if !product.has_fair_component()? {
        return Ok(None);
    }
    product.expand_nearest()?;
    product.shortest_path().map(Some)
}

/// Whether the automaton accepts some path of the model.
pub(crate) fn has_accepted_path<R: Rows>(
    query: &Query<'_>,
    rows: &mut R,
    automaton: PropertyAutomaton<TermId>,
) -> Result<bool, ExplorationEnd> {
    Product::new(query, rows, automaton)?.has_fair_component()
}

/// Where the truth of a condition comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The state, by a number among the terms evaluated there.
    State(usize),
    /// The edge, by its bit among the step terms.
    Step(usize),
}

#[derive(Clone, Copy, Debug)]
struct ProductEdge {
    target: u32,
    graph_edge: u32,
    /// The automaton's marks, by number.
    marks: u32,
}

/// The product so far.
struct Product<'a, R> {
    query: &'a Query<'a>,
    rows: &'a mut R,
    automaton: PropertyAutomaton<TermId>,
    acceptance: Acceptance,
    /// The automaton's marks are the bits from here on; those before belong to fairness.
    first_mark: usize,
    atoms: Vec<Source>,
    fairness: Vec<Source>,
    evaluator: Evaluator,
    state_terms: usize,
    /// What the terms about states say: a row of words a state, read when first needed.
    truths: Vec<u64>,
    read: FixedBitSet,
    mark_sets: Vec<Marks>,
    mark_ids: HashMap<Marks, u32, FxBuildHasher>,
    nodes: Vec<(u32, State)>,
    ids: HashMap<(u32, State), u32, FxBuildHasher>,
    starts: Vec<u32>,
    /// The edges of a node, if it has been expanded.
    edges_of: Vec<Option<(u64, u32)>>,
    edges: Vec<ProductEdge>,
    expanded: usize,
    reader: Reader,
}

impl<'a, R: Rows> Product<'a, R> {
    fn new(
        query: &'a Query<'a>,
        rows: &'a mut R,
        automaton: PropertyAutomaton<TermId>,
    ) -> Result<Product<'a, R>, ExplorationEnd> {
        let mut state_terms: Vec<TermId> = Vec::new();
        let mut source = |term: TermId| match rows.step_bit(term) {
            Some(bit) => Source::Step(bit),
            None => {
                let known = state_terms.iter().position(|&other| other == term);
                Source::State(known.unwrap_or_else(|| {
                    state_terms.push(term);
                    state_terms.len() - 1
                }))
            }
        };
        let atoms = automaton.atoms.iter().map(|&term| source(term)).collect();
        let pairs = query.compassion.iter().flat_map(|&(p, q)| [p, q]);
        let fairness: Vec<Source> = query.justice.iter().copied().chain(pairs).map(source).collect();
        let first_pair = query.justice.len();
        let first_mark = fairness.len();
        let marks = first_mark..first_mark + automaton.mark_count as usize;
        let acceptance = Acceptance {
            words: marks.end.div_ceil(64).max(1),
            required: (0..first_pair).chain(marks).collect(),
            pairs: (0..query.compassion.len())
                .map(|pair| (first_pair + 2 * pair, first_pair + 2 * pair + 1))
                .collect(),
        };
        let mut product = Product {
            evaluator: Evaluator::new(&query.stepper.system, &query.stepper.layout, &state_terms)?,
            state_terms: state_terms.len(),
            query,
            automaton,
            acceptance,
            first_mark,
            atoms,
            fairness,
            truths: Vec::new(),
            read: FixedBitSet::new(),
            mark_sets: Vec::new(),
            mark_ids: HashMap::default(),
            nodes: Vec::new(),
            ids: HashMap::default(),
            starts: Vec::new(),
            edges_of: Vec::new(),
            edges: Vec::new(),
            expanded: 0,
            reader: rows.explored().table.reader(),
            rows,
        };
        for state in 0..product.rows.explored().initial as u32 {
            for place in product.automaton.initial().to_vec() {
                let node = product.node(state, place);
                product.starts.push(node);
            }
        }
        Ok(product)
    }

    fn node(&mut self, state: u32, place: State) -> u32 {
        let next = self.nodes.len() as u32;
        let id = *self.ids.entry((state, place)).or_insert(next);
        if id == next {
            self.nodes.push((state, place));
            self.edges_of.push(None);
        }
        id
    }

    /// Evaluates the terms about states in a state, once.
    fn read(&mut self, state: u32) {
        let words = self.state_terms.div_ceil(64);
        let at = state as usize;
        if words == 0 || (at < self.read.len() && self.read.contains(at)) {
            return;
        }
        self.read.grow(at + 1);
        self.read.insert(at);
        if self.truths.len() < (at + 1) * words {
            let known = self.rows.explored().table.len().max(at + 1);
            self.truths.resize(known * words, 0);
        }
        let stepper = self.query.stepper;
        let table = &self.rows.explored().table;
        let packed = table.read(&stepper.layout, StateId(state), &mut self.reader);
        self.evaluator.load_state(&stepper.layout, packed);
        for term in 0..self.state_terms {
            if self.evaluator.truth(&stepper.system, &stepper.layout, term) {
                insert(&mut self.truths[at * words..(at + 1) * words], term);
            }
        }
    }

    fn truth(&self, source: Source, state: u32, edge: usize) -> bool {
        match source {
            Source::Step(bit) => self.rows.meets(edge, bit),
            Source::State(term) => {
                let words = self.state_terms.div_ceil(64);
                contains(&self.truths[state as usize * words..], term)
            }
        }
    }

    fn letter(&self, state: u32, edge: usize) -> Letter {
        let true_atoms = self
            .atoms
            .iter()
            .enumerate()
            .filter(|&(_, &source)| self.truth(source, state, edge));
        true_atoms.fold(0, |letter, (bit, _)| letter | 1 << bit)
    }

    fn expand(&mut self, node: u32) -> Result<(), ExplorationEnd> {
        if self.edges_of[node as usize].is_some() {
            return Ok(());
        }
        let (state, place) = self.nodes[node as usize];
        let first = self.edges.len();
        let row = self.rows.edges(state)?;
        self.read(state);
        self.expanded += 1;
        for edge in row {
            let letter = self.letter(state, edge);
            let target = self.rows.target(edge);
            for &(next, marks) in self.automaton.moves(place, letter).iter() {
                let target = self.node(target, next);
                let fresh = self.mark_sets.len() as u32;
                let number = *self.mark_ids.entry(marks).or_insert(fresh);
                if number == fresh {
                    self.mark_sets.push(marks);
                }
                let Ok(graph_edge) = u32::try_from(edge) else {
                    return Err(ExplorationEnd::Unknown {
                        reason: "more than 4,294,967,295 steps".into(),
                        statistics: self.rows.explored().statistics(),
                    });
                };
                self.edges.push(ProductEdge {
                    target,
                    graph_edge,
                    marks: number,
                });
            }
        }
        self.edges_of[node as usize] = Some((first as u64, (self.edges.len() - first) as u32));
        Ok(())
    }

    fn poll(&self) -> Result<(), ExplorationEnd> {
        self.query
            .budget
            .check()
            .map_err(|spent| ExplorationEnd::Unknown {
                reason: format!(
                    "{spent} after {} states, {} with the property's automaton",
                    self.rows.explored().table.len(),
                    self.nodes.len()
                ),
                statistics: self.rows.explored().statistics(),
            })
    }

    fn requires(&self, met: &[u64]) -> bool {
        self.acceptance.required.iter().all(|&bit| contains(met, bit))
    }

    fn failing_pair(&self, met: &[u64]) -> Option<usize> {
        let fails = |&(first, second): &(usize, usize)| contains(met, first) && !contains(met, second);
        self.acceptance.pairs.iter().position(fails)
    }

    /// Couvreur's depth-first search.
    fn has_fair_component(&mut self) -> Result<bool, ExplorationEnd> {
        let mut search = Couvreur::new();
        for start in self.starts.clone() {
            if search.explore(self, start)? != Found::Nothing {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn has_fair_part(&self, members: &[u32]) -> Result<bool, ExplorationEnd> {
        let mut inside = FixedBitSet::with_capacity(self.nodes.len());
        inside.extend(members.iter().map(|&node| node as usize));
        let found = fair_components(
            self,
            &self.acceptance,
            |node| inside.contains(node as usize),
            self.query.budget,
        );
        match found {
            Ok(components) => Ok(!components.is_empty()),
            Err(_) => self.poll().map(|()| false),
        }
    }

    /// Expands the product nearest-first, as far as the search went.
    fn expand_nearest(&mut self) -> Result<(), ExplorationEnd> {
        let most = self.expanded.max(LEAST_NEAREST);
        let mut seen = FixedBitSet::with_capacity(self.nodes.len());
        let mut queue: Vec<u32> = Vec::new();
        for &start in &self.starts {
            if !seen.put(start as usize) {
                queue.push(start);
            }
        }
        let mut at = 0;
        while at < queue.len() && at < most {
            let node = queue[at];
            at += 1;
            // The lasso that was found is an answer already, if nothing is left for a shorter one.
            if self.query.budget.check().is_err() {
                break;
            }
            self.expand(node)?;
            seen.grow(self.nodes.len());
            for edge in self.edges(node) {
                let target = self.edges[edge].target;
                if !seen.put(target as usize) {
                    queue.push(target);
                }
            }
        }
        Ok(())
    }

    /// The path with the shortest way to a fair component among what has been expanded.
    fn shortest_path(&self) -> Result<GraphPath, ExplorationEnd> {
        let lost = |reason: &str| ExplorationEnd::Unknown {
            reason: reason.into(),
            statistics: self.rows.explored().statistics(),
        };
        // What was found must not be lost to a budget that ended meanwhile.
        let components = fair_components(self, &self.acceptance, |_| true, &Budget::unlimited())
            .map_err(|spent| lost(&spent.to_string()))?;
        let mut component_of = vec![u32::MAX; self.nodes.len()];
        for (number, component) in components.iter().enumerate() {
            for &node in &component.nodes {
                component_of[node as usize] = number as u32;
            }
        }
        let broken = "a fair lasso was found and lost again";
        let is_goal = |node: u32| component_of[node as usize] != u32::MAX;
        let walk = shortest_walk(self, &self.starts, is_goal, |_, _| true).ok_or_else(|| lost(broken))?;
        let component = &components[component_of[walk.last() as usize] as usize];
        let cycle = fair_loop(self, &self.acceptance, component, walk.last()).ok_or_else(|| lost(broken))?;
        let mut closed = self.path(&cycle);
        closed.states.pop();
        closed.ending = Ending::Loop(0);
        Ok(self.path(&walk).continued(closed))
    }

    fn path(&self, walk: &Walk) -> GraphPath {
        GraphPath {
            states: walk
                .nodes
                .iter()
                .map(|&node| self.nodes[node as usize].0)
                .collect(),
            edges: walk
                .edges
                .iter()
                .map(|&edge| self.edges[edge].graph_edge as usize)
                .collect(),
            ending: Ending::Open,
        }
    }
}

impl<R: Rows> couvreur::Product for Product<'_, R> {
    type Stop = ExplorationEnd;

    fn words(&self) -> usize {
        self.acceptance.words
    }

    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn enter(&mut self, node: u32) -> Result<Option<Range<usize>>, ExplorationEnd> {
        self.poll()?;
        self.expand(node)?;
        Ok(Some(self.edges(node)))
    }

    fn edge(&self, node: u32, edge: usize, marks: &mut [u64]) -> u32 {
        self.add_marks(node, edge, marks);
        self.edges[edge].target
    }

    fn accepts(&self, met: &[u64]) -> bool {
        self.requires(met) && self.failing_pair(met).is_none()
    }

    fn closed(&mut self, members: &[u32], met: &[u64]) -> Result<bool, ExplorationEnd> {
        let only_pairs_fail = self.requires(met) && self.failing_pair(met).is_some();
        Ok(only_pairs_fail && self.has_fair_part(members)?)
    }
}

impl<R: Rows> MarkedGraph for Product<'_, R> {
    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn edges(&self, node: u32) -> Range<usize> {
        let (first, count) = self.edges_of[node as usize].unwrap_or((0, 0));
        first as usize..first as usize + count as usize
    }

    fn target(&self, edge: usize) -> u32 {
        self.edges[edge].target
    }

    fn add_marks(&self, node: u32, edge: usize, mark: &mut [u64]) {
        let ProductEdge {
            graph_edge, marks, ..
        } = self.edges[edge];
        let state = self.nodes[node as usize].0;
        for (bit, &source) in self.fairness.iter().enumerate() {
            if self.truth(source, state, graph_edge as usize) {
                insert(mark, bit);
            }
        }
        for number in self.mark_sets[marks as usize].iter() {
            insert(mark, self.first_mark + number as usize);
        }
    }
}
