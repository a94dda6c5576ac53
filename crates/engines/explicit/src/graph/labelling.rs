//! State formulas as sets of states: labelling, subformulas first.
//!
//! A path quantifier over one future operator whose operands are state formulas is decided on the graph in linear time
//! (Clarke, Emerson, Sistla): `E X` by predecessors, `E U` by backward search, `E G` by the fair components of the subgraph
//! where the operand holds. Bounded operators take one such step a unit of time. Every other path formula goes to the
//! product with its automaton. `A` is the negation of `E` of the negation.
//!
//! Path quantifiers range over fair paths, and over what the dead-end policy calls a path: `fair` is the set of states
//! where one starts. In other states every `E` is false and every `A` is true.

use super::state_graph::{FairMarks, FairStateGraph, StateGraph, StateSet};
use crate::linear::path_automaton::{PathAutomaton, Reading};
use crate::linear::path_formula::{PathFormulas, PathId};
use crate::linear::product;
use crate::search::explore::ExplorationEnd;
use crate::stepper::Stepper;
use entail_budget::Budget;
use entail_evidence::DeadEnds;
use entail_logic::{Binary, Formula, Interval, Node, Quantifier, Unary};
use entail_model::TermId;
use entail_search::cycles::components::fair_components;
use entail_search::cycles::marks::Acceptance;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// Labels the states of one graph.
pub(crate) struct Labelling<'a> {
    pub stepper: &'a Stepper,
    pub graph: &'a StateGraph,
    pub marks: FairMarks,
    /// States where a fair path starts.
    pub fair: StateSet,
    pub budget: &'a Budget,
    known: HashMap<Formula<TermId>, Rc<StateSet>, FxBuildHasher>,
}

impl<'a> Labelling<'a> {
    /// A labelling under the given fairness.
    pub fn new(
        stepper: &'a Stepper,
        graph: &'a StateGraph,
        justice: &[TermId],
        compassion: &[(TermId, TermId)],
        budget: &'a Budget,
    ) -> Result<Labelling<'a>, ExplorationEnd> {
        let marks = FairMarks::new(graph, stepper, justice, compassion, budget)?;
        let mut labelling = Labelling {
            stepper,
            graph,
            marks,
            fair: graph.all(),
            budget,
            known: HashMap::default(),
        };
        labelling.fair = labelling.globally_for_ever(&graph.all())?;
        Ok(labelling)
    }

    pub fn acceptance(&self) -> &Acceptance {
        &self.marks.acceptance
    }

    /// The automaton of a path formula, for the paths that count here.
    pub fn path_automaton(
        &self,
        formulas: PathFormulas,
        root: PathId,
    ) -> Result<PathAutomaton, ExplorationEnd> {
        let reading = match self.graph.policy {
            DeadEnds::Maximal => Reading::AlsoFinite,
            _ => Reading::Infinite,
        };
        PathAutomaton::new(formulas, root, reading, self.budget)
    }

    /// Dead ends where a maximal path may end.
    fn ends(&self) -> StateSet {
        match self.graph.policy {
            DeadEnds::Maximal => self.graph.dead_ends.clone(),
            _ => StateSet::with_capacity(self.graph.len()),
        }
    }

    /// Whether a formula speaks of the state it is asked in and not of the step taken there.
    pub fn is_about_state(&self, formula: &Formula<TermId>) -> bool {
        match formula.node() {
            Node::Atom(term) => self.graph.step_bit(*term).is_none(),
            Node::Quantified(..) => true,
            Node::Unary(..) | Node::Binary(..) => false,
            _ => formula
                .operands()
                .into_iter()
                .all(|operand| self.is_about_state(operand)),
        }
    }

    /// The states that satisfy a state formula.
    pub fn states(&mut self, formula: &Formula<TermId>) -> Result<Rc<StateSet>, ExplorationEnd> {
        if let Some(found) = self.known.get(formula) {
            return Ok(Rc::clone(found));
        }
        let set = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.compute(formula))?;
        let set = Rc::new(set);
        self.known.insert(formula.clone(), Rc::clone(&set));
        Ok(set)
    }

    fn compute(&mut self, formula: &Formula<TermId>) -> Result<StateSet, ExplorationEnd> {
        self.budget.check_now().map_err(|spent| self.graph.spent(spent))?;
        let complement = |mut set: StateSet| {
            set.toggle_range(..);
            set
        };
        Ok(match formula.node() {
            Node::Constant(true) => self.graph.all(),
            Node::Constant(false) => StateSet::with_capacity(self.graph.len()),
            // An atom about the step, outside every quantifier, is asked of all paths.
            Node::Atom(term) if self.graph.step_bit(*term).is_some() => {
                complement(self.exists(formula, false)?)
            }
            Node::Atom(term) => (*self.graph.states_where(self.stepper, *term, self.budget)?).clone(),
            Node::Not(p) => complement((*self.states(p)?).clone()),
            Node::And(list) => {
                let mut all = self.graph.all();
                for operand in list {
                    all.intersect_with(&*self.states(operand)?);
                }
                all
            }
            Node::Or(list) => {
                let mut any = StateSet::with_capacity(self.graph.len());
                for operand in list {
                    any.union_with(&*self.states(operand)?);
                }
                any
            }
            Node::Implies(p, q) => {
                let mut result = complement((*self.states(p)?).clone());
                result.union_with(&*self.states(q)?);
                result
            }
            Node::Xor(p, q) => {
                let mut result = (*self.states(p)?).clone();
                result.symmetric_difference_with(&*self.states(q)?);
                result
            }
            Node::Iff(p, q) => {
                let mut result = (*self.states(p)?).clone();
                result.symmetric_difference_with(&*self.states(q)?);
                complement(result)
            }
            Node::Quantified(Quantifier::Exists, path) => self.exists(path, true)?,
            Node::Quantified(Quantifier::Forall, path) => complement(self.exists(path, false)?),
            // A path formula asked of a state is asked of all its paths.
            Node::Unary(..) | Node::Binary(..) => complement(self.exists(formula, false)?),
        })
    }

    /// The states where a fair path starts that satisfies the path formula (or with `truth` false, its negation).
    fn exists(&mut self, path: &Formula<TermId>, truth: bool) -> Result<StateSet, ExplorationEnd> {
        match self.on_graph(path, truth)? {
            Some(set) => Ok(set),
            None => product::states_with_path(self, path, truth),
        }
    }

    /// The truth of an operand, or of its negation.
    fn operand(&mut self, formula: &Formula<TermId>, truth: bool) -> Result<StateSet, ExplorationEnd> {
        let mut set = (*self.states(formula)?).clone();
        if !truth {
            set.toggle_range(..);
        }
        Ok(set)
    }

    /// [`Labelling::exists`] for formulas of CTL's shape.
    fn on_graph(&mut self, path: &Formula<TermId>, truth: bool) -> Result<Option<StateSet>, ExplorationEnd> {
        if self.is_about_state(path) {
            let mut set = self.operand(path, truth)?;
            set.intersect_with(&self.fair);
            return Ok(Some(set));
        }
        match path.node() {
            Node::Not(inner) => self.on_graph(inner, !truth),
            Node::Unary(op, interval, p) if !op.is_past() && self.is_about_state(p) => {
                let p = self.operand(p, truth)?;
                Ok(Some(match (op, truth) {
                    (Unary::Next, true) => self.next(&p),
                    (Unary::Next, false) => self.next_or_end(&p),
                    (Unary::Finally, true) | (Unary::Globally, false) => {
                        let all = self.graph.all();
                        self.until(&all, &p, *interval)?
                    }
                    _ => self.globally(&p, *interval)?,
                }))
            }
            Node::Binary(op, interval, p, q)
                if !op.is_past() && self.is_about_state(p) && self.is_about_state(q) =>
            {
                let (p, q) = (self.operand(p, truth)?, self.operand(q, truth)?);
                let op = if truth { *op } else { op.dual() };
                Ok(Some(match op {
                    Binary::Until => self.until(&p, &q, *interval)?,
                    Binary::StrongRelease => self.until(&q, &(&p & &q), *interval)?,
                    Binary::Release => self.release(&p, &q, *interval)?,
                    // p W q = q R (p | q)
                    _ => self.release(&q, &(&p | &q), *interval)?,
                }))
            }
            _ => Ok(None),
        }
    }

    fn next(&self, p: &StateSet) -> StateSet {
        self.graph.preimage(&(p & &self.fair))
    }

    /// Next, or nothing comes next.
    fn next_or_end(&self, p: &StateSet) -> StateSet {
        let mut set = self.next(p);
        set.union_with(&self.ends());
        set
    }

    fn poll(&self) -> Result<(), ExplorationEnd> {
        self.budget.check_now().map_err(|spent| self.graph.spent(spent))
    }

    /// `E [p U q]` at distances within the interval.
    fn until(&self, p: &StateSet, q: &StateSet, interval: Interval) -> Result<StateSet, ExplorationEnd> {
        if interval.is_empty() {
            return Ok(StateSet::with_capacity(self.graph.len()));
        }
        let goal = q & &self.fair;
        let later = |set: &StateSet| p & &self.graph.preimage(set);
        let mut set = match interval.to {
            None => self.graph.backward(&goal, p),
            Some(to) => self.iterate(goal.clone(), to - interval.from, |set| &later(set) | &goal)?,
        };
        set = self.iterate(set, interval.from, later)?;
        Ok(set)
    }

    /// `E G p` at distances within the interval.
    fn globally(&self, p: &StateSet, interval: Interval) -> Result<StateSet, ExplorationEnd> {
        if interval.is_empty() {
            return Ok(self.fair.clone());
        }
        let set = match interval.to {
            None => self.globally_for_ever(p)?,
            Some(to) => {
                let now = p & &self.fair;
                self.iterate(now, to - interval.from, |set| p & &self.next_or_end(set))?
            }
        };
        self.iterate(set, interval.from, |set| self.next_or_end(set))
    }

    /// `E [p R q]` at distances within the interval.
    fn release(&self, p: &StateSet, q: &StateSet, interval: Interval) -> Result<StateSet, ExplorationEnd> {
        if interval.is_empty() {
            return Ok(self.fair.clone());
        }
        let released = p & &self.fair;
        let set = match interval.to {
            None => {
                let mut set = self.until(q, &(p & q), Interval::ALWAYS)?;
                set.union_with(&self.globally_for_ever(q)?);
                set
            }
            Some(to) => {
                let now = q & &self.fair;
                let longer = |set: &StateSet| q & &(&released | &self.next_or_end(set));
                self.iterate(now, to - interval.from, longer)?
            }
        };
        self.iterate(set, interval.from, |set| &released | &self.next_or_end(set))
    }

    /// Applies an operator so many times, or until nothing changes.
    fn iterate(
        &self,
        mut set: StateSet,
        times: u32,
        step: impl Fn(&StateSet) -> StateSet,
    ) -> Result<StateSet, ExplorationEnd> {
        for _ in 0..times {
            self.poll()?;
            let next = step(&set);
            if next == set {
                break;
            }
            set = next;
        }
        Ok(set)
    }

    /// The states with a fair path through `p` only.
    fn globally_for_ever(&self, p: &StateSet) -> Result<StateSet, ExplorationEnd> {
        let fair_graph = FairStateGraph {
            graph: self.graph,
            marks: &self.marks,
        };
        let components = fair_components(
            &fair_graph,
            &self.marks.acceptance,
            |node| p.contains(node as usize),
            self.budget,
        )
        .map_err(|spent| self.graph.spent(spent))?;
        let mut goal = &self.ends() & p;
        for component in &components {
            goal.extend(component.nodes.iter().map(|&node| node as usize));
        }
        Ok(self.graph.backward(&goal, p))
    }
}
