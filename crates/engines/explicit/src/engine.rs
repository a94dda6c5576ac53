//! The engine: which question goes to which algorithm, and what is kept between questions.
//!
//! Invariants and LTL are decided on the fly. CTL, CTL* and quantities need the whole graph; it is built once and serves
//! every later property whose atoms about steps it knows.

use crate::code::evaluator::is_about_steps;
use crate::describe;
use crate::explain::Explainer;
use crate::graph::distance;
use crate::graph::labelling::Labelling;
use crate::graph::state_graph::StateGraph;
use crate::linear::judge::{judge, linear_path};
use crate::linear::on_the_fly::Query;
use crate::linear::path::{Ending, GraphPath};
use crate::linear::property_automaton::PropertyAutomaton;
use crate::linear::together::{Together, judge_together};
use crate::search::explore::{Exploration, ExplorationEnd, Explored};
use crate::search::growing::{GrowingGraph, Growth};
use crate::search::{invariant, trace};
use crate::state_table::StateId;
use crate::stepper::Stepper;
use entail_automata::AutomataError;
use entail_budget::{Budget, Progress};
use entail_evidence::{
    Because, CheckOptions, DeadEnds, Engine, Evidence, Exhaustive, Guarantee, ModelError, Outcome, Quantity,
    Searched, Session, Statistics, Verdict, Warning, WarningKind,
};
use entail_logic::{Formula, Fragment, Interval, Logic, Node, Property, Quantifier, Question, Unary};
use entail_model::{TermId, TransitionSystem};
use entail_search::{Order, SearchOptions, Storage};

/// Explicit-state search.
#[derive(Clone, Debug, Default)]
pub struct Explicit {
    /// How invariants are searched. Formulas are decided on graphs, which are kept exactly and built on one thread.
    pub search: SearchOptions,
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn description(&self) -> &'static str {
        "finite-state systems, one state at a time: invariants, CTL, LTL with past, CTL*, shortest and longest paths"
    }

    fn check(
        &self,
        system: &TransitionSystem,
        property: &Property<TermId>,
        options: &CheckOptions,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ModelError> {
        self.open(system, options).check(property, budget, progress)
    }

    fn open<'a>(&'a self, system: &'a TransitionSystem, options: &'a CheckOptions) -> Box<dyn Session + 'a> {
        Box::new(Work {
            system,
            options,
            search: &self.search,
            known: None,
            growing: None,
        })
    }
}

/// A session on one system.
struct Work<'a> {
    system: &'a TransitionSystem,
    options: &'a CheckOptions,
    search: &'a SearchOptions,
    known: Option<Known>,
    growing: Option<Growing>,
}

/// What is kept between properties.
struct Known {
    stepper: Stepper,
    graph: StateGraph,
}

/// What searches on the fly have seen.
struct Growing {
    stepper: Stepper,
    graph: GrowingGraph,
}

impl Session for Work<'_> {
    fn check(
        &mut self,
        property: &Property<TermId>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ModelError> {
        let decided = match &property.question {
            Question::Invariant(condition) => self.invariant(*condition, budget, progress),
            _ if self.search.order == Order::Random => {
                return Ok(Outcome::unknown(
                    "random paths are for invariants: they are followed for a while",
                ));
            }
            Question::Formula(formula) => self.formula(formula, property.logic, budget, progress),
            Question::ShortestPath(start, goal) => self.quantity(true, *start, *goal, budget, progress),
            Question::LongestPath(start, goal) => self.quantity(false, *start, *goal, budget, progress),
            Question::Mu(_) => return Ok(Outcome::unknown("the mu-calculus is for the engine `bdd`")),
        };
        let mut outcome = decided.or_else(|halt| match halt {
            ExplorationEnd::Error(error) => Err(*error),
            ExplorationEnd::Unknown { reason, statistics } => {
                let mut outcome = Outcome::unknown(reason);
                outcome.statistics = statistics;
                Ok(outcome)
            }
        })?;
        if !matches!(property.question, Question::Invariant(_))
            && !matches!(self.search.storage, Storage::Auto | Storage::Exact)
        {
            outcome.warnings.push(STORAGE_OF_FORMULAS.into());
        }
        Ok(outcome)
    }
}

/// What is said where another storage was asked for than formulas are decided with.
const STORAGE_OF_FORMULAS: &str = "only invariants are searched with the storage that was asked for: the states of this property were kept as they are, with their steps";

impl Work<'_> {
    fn exploration<'s>(
        &self,
        stepper: &'s Stepper,
        budget: &'s Budget,
        progress: &'s dyn Progress,
    ) -> Exploration<'s> {
        Exploration {
            stepper,
            bound: self.options.bound,
            dead_ends: self.options.dead_ends,
            most_states: None,
            budget,
            progress,
        }
    }

    fn hazards(&self) -> impl Iterator<Item = TermId> + '_ {
        self.system.hazards.iter().map(|hazard| hazard.condition)
    }

    // ----- invariants -----

    fn invariant(
        &mut self,
        condition: TermId,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ExplorationEnd> {
        if let Some(known) = &self.known
            && known.graph.explored.is_complete()
            && !is_about_steps(self.system, condition)
        {
            return known_invariant(known, condition, budget);
        }
        let mut observed: Vec<TermId> = self.hazards().collect();
        observed.push(condition);
        let stepper = Stepper::new(self.system, &observed)?;
        let options = SearchOptions {
            depth_bound: self.options.bound,
            order: match (self.options.bound, self.search.order) {
                (_, Order::Random) => Order::Random,
                (Some(_), _) => Order::BreadthFirst,
                (None, order) => order,
            },
            ..self.search.clone()
        };
        let dead_ends = self.options.dead_ends;
        let (mut outcome, dead_end) =
            invariant::check(&stepper, condition, dead_ends, &options, budget, progress)?;
        let warning = dead_end.map(|state| not_total(&stepper, &state));
        outcome.warnings.extend(warning);
        Ok(outcome)
    }

    // ----- formulas -----

    /// The graph, with the terms about steps kept on its edges.
    fn known(
        &mut self,
        observed: &[TermId],
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<&Known, ExplorationEnd> {
        let observed = self.step_terms(observed);
        let suffices = |known: &Known| observed.iter().all(|&term| known.graph.step_bit(term).is_some());
        if !self.known.as_ref().is_some_and(suffices) {
            self.known = None;
            let read: Vec<TermId> = observed.iter().copied().chain(self.hazards()).collect();
            let stepper = Stepper::new(self.system, &read)?;
            let graph = StateGraph::build(&self.exploration(&stepper, budget, progress), &observed)?;
            self.known = Some(Known { stepper, graph });
        }
        Ok(self.known.as_ref().expect("just built"))
    }

    /// The terms about steps among the atoms and the fairness conditions.
    fn step_terms(&self, atoms: &[TermId]) -> Vec<TermId> {
        let mut terms = atoms.to_vec();
        terms.extend(&self.system.justice);
        terms.extend(self.system.compassion.iter().flat_map(|&(p, q)| [p, q]));
        terms.retain(|&term| is_about_steps(self.system, term));
        terms
    }

    /// LTL on infinite paths, on the fly; none if the question is another one, or its automaton is out of reach.
    fn linear(
        &mut self,
        formula: &Formula<TermId>,
        atoms: &[TermId],
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Option<Outcome>, ExplorationEnd> {
        let policy = self.options.dead_ends;
        let infinite = matches!(policy, DeadEnds::Infinite | DeadEnds::Stutter);
        let Some(path) = linear_path(formula).filter(|_| infinite && self.options.bound.is_none()) else {
            return Ok(None);
        };
        let violating = match PropertyAutomaton::new(&path.not(), budget) {
            Ok(automaton) => automaton,
            Err(AutomataError::Spent(spent)) => {
                return Err(ExplorationEnd::Unknown {
                    reason: format!("{spent} while the property was translated"),
                    statistics: Statistics::default(),
                });
            }
            Err(_) => return Ok(None),
        };
        let step_terms = self.step_terms(atoms);
        let query = |stepper| Query {
            stepper,
            justice: &self.system.justice,
            compassion: &self.system.compassion,
            budget,
        };
        let knows = |known: &Known| {
            let mut terms = step_terms.iter();
            known.graph.explored.is_complete() && terms.all(|&term| known.graph.step_bit(term).is_some())
        };
        if let Some(known) = self.known.as_ref().filter(|known| knows(known)) {
            let mut rows = &known.graph;
            let outcome = judge(&query(&known.stepper), &mut rows, formula, violating, policy)?;
            return Ok(Some(with_dead_end(
                outcome,
                &known.stepper,
                &known.graph.explored,
            )));
        }
        if self.search.cycle_threads > 1 && step_terms.is_empty() && self.system.compassion.is_empty() {
            let read: Vec<TermId> = self.hazards().collect();
            let stepper = Stepper::new(self.system, &read)?;
            let asked = Together {
                stepper: &stepper,
                justice: &self.system.justice,
                dead_ends: policy,
                options: self.search,
                budget,
                progress,
            };
            if let Some((mut outcome, dead_end)) = judge_together(&asked, formula, &violating)? {
                let warning = dead_end.map(|state| not_total(&stepper, &state));
                outcome.warnings.extend(warning);
                return Ok(Some(outcome));
            }
        }
        let serves = |growing: &Growing| {
            let mut terms = step_terms.iter();
            terms.all(|&term| growing.graph.step_bit(term).is_some())
        };
        let mut growing = match self.growing.take().filter(serves) {
            Some(growing) => growing,
            None => {
                let read: Vec<TermId> = step_terms.iter().copied().chain(self.hazards()).collect();
                let stepper = Stepper::new(self.system, &read)?;
                let search = self.exploration(&stepper, budget, progress);
                let graph = GrowingGraph::new(&search, &step_terms)?;
                Growing { stepper, graph }
            }
        };
        let search = self.exploration(&growing.stepper, budget, progress);
        let mut rows = Growth::new(&search, &mut growing.graph);
        let outcome = judge(&query(&growing.stepper), &mut rows, formula, violating, policy);
        let outcome =
            outcome.map(|outcome| with_dead_end(outcome, &growing.stepper, &growing.graph.explored));
        self.growing = Some(growing);
        outcome.map(Some)
    }

    fn formula(
        &mut self,
        formula: &Formula<TermId>,
        logic: Logic,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ExplorationEnd> {
        let mut atoms = Vec::new();
        formula.for_each_atom(&mut |&atom| atoms.push(atom));
        let system = self.system;
        let classes = formula.classify();
        // CTL looks at justice only, as in NuSMV.
        let ignores_compassion = logic.ignores_compassion();
        let compassion: &[_] = if ignores_compassion {
            &[]
        } else {
            &system.compassion
        };
        if !ignores_compassion && let Some(outcome) = self.linear(formula, &atoms, budget, progress)? {
            return Ok(outcome);
        }
        let known = self.known(&atoms, budget, progress)?;
        let complete = known.graph.explored.is_complete();
        if !complete && !classes.contains(Fragment::ActlStar) {
            return Err(ExplorationEnd::Unknown {
                reason: format!(
                    "within depth {} only universal formulas can be judged",
                    known.graph.explored.depth
                ),
                statistics: known.graph.explored.statistics(),
            });
        }
        let mut labelling =
            Labelling::new(&known.stepper, &known.graph, &system.justice, compassion, budget)?;
        let satisfying = labelling.states(formula)?;
        let fair_initial: Vec<u32> = (0..known.graph.explored.initial as u32)
            .filter(|&state| labelling.fair.contains(state as usize))
            .collect();
        let failing: Vec<u32> = fair_initial
            .iter()
            .copied()
            .filter(|&state| !satisfying.contains(state as usize))
            .collect();
        let exhaustive = Evidence::Exhaustive(Exhaustive {
            states: known.graph.len() as u64,
            satisfying: complete.then(|| satisfying.count_ones(..) as u64),
            searched: Searched::Model,
        });
        let mut outcome = if !failing.is_empty() {
            let tree = Explainer::new(&mut labelling).explain(formula, &failing)?;
            Outcome::complete(Verdict::Fails, Evidence::Explanation(tree))
        } else {
            let mut evidence = exhaustive;
            // An initial state without a fair path is not asked: there the formula may even be false.
            let is_asked = fair_initial == [0];
            if complete
                && is_asked
                && known.graph.explored.initial == 1
                && !classes.contains(Fragment::ActlStar)
            {
                // Something existential may be shown; a search that was exhaustive may not.
                let tree = Explainer::new(&mut labelling).explain(formula, &[0])?;
                if tree.because != Because::Exhaustion {
                    evidence = Evidence::Explanation(tree);
                }
            }
            Outcome::complete(Verdict::Holds, evidence)
        };
        if !complete && failing.is_empty() {
            outcome.guarantee = Guarantee::Bounded(known.graph.explored.depth);
        }
        outcome.statistics = known.graph.explored.statistics();
        outcome
            .warnings
            .extend(dead_end_warning(&known.stepper, &known.graph.explored));
        if fair_initial.is_empty() && complete {
            outcome.warnings.push(no_fair_path(system));
        }
        if ignores_compassion && !system.compassion.is_empty() {
            let ignored = "compassion constraints are ignored for CTL properties; write the property in LTL to use them";
            outcome.warnings.push(ignored.into());
        }
        if complete && failing.is_empty() && !fair_initial.is_empty() {
            outcome.warnings.extend(vacuity_warning(&mut labelling, formula)?);
        }
        Ok(outcome)
    }

    // ----- quantities -----

    fn quantity(
        &mut self,
        shortest: bool,
        start: TermId,
        goal: TermId,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ExplorationEnd> {
        let system = self.system;
        let known = self.known(&[], budget, progress)?;
        let (stepper, graph) = (&known.stepper, &known.graph);
        if !graph.explored.is_complete() {
            return Err(ExplorationEnd::Unknown {
                reason: "lengths of paths are not computed within a bound".into(),
                statistics: graph.explored.statistics(),
            });
        }
        let mut labelling = Labelling::new(stepper, graph, &system.justice, &[], budget)?;
        let start = graph.states_where(stepper, start, budget)?;
        let goal = graph.states_where(stepper, goal, budget)?;
        let (value, states) = match shortest {
            true => distance::shortest_path(&labelling, &start, &goal)?,
            false => distance::longest_path(&labelling, &start, &goal)?,
        };
        let evidence = if states.is_empty() {
            Evidence::Exhaustive(Exhaustive {
                states: graph.len() as u64,
                satisfying: None,
                searched: Searched::Model,
            })
        } else {
            let path = path_along(graph, states);
            Evidence::Trace(Explainer::new(&mut labelling).trace(&path)?)
        };
        let mut outcome = Outcome::complete(Verdict::Holds, evidence);
        let is_undefined = value == Quantity::Undefined;
        outcome.value = Some(value);
        outcome.statistics = graph.explored.statistics();
        outcome
            .warnings
            .extend(dead_end_warning(stepper, &graph.explored));
        if labelling.fair.is_clear() {
            outcome.warnings.push(no_fair_path(system));
        } else if is_undefined {
            let nothing = "no reachable fair state satisfies the start condition, or none the final one";
            outcome.warnings.push(nothing.into());
        }
        Ok(outcome)
    }
}

/// An invariant on states that were all searched before; they are numbered by distance.
fn known_invariant(known: &Known, condition: TermId, budget: &Budget) -> Result<Outcome, ExplorationEnd> {
    let (stepper, graph) = (&known.stepper, &known.graph);
    let holding = graph.states_where(stepper, condition, budget)?;
    let evidence = match holding.zeroes().next() {
        Some(state) => {
            let violation = trace::to_state(stepper, &graph.explored.table, StateId(state as u32), budget);
            Evidence::Trace(violation.ok_or_else(|| ExplorationEnd::Unknown {
                reason: "a violation was found, but the budget was spent before its trace was".into(),
                statistics: graph.explored.statistics(),
            })?)
        }
        None => Evidence::Exhaustive(Exhaustive {
            states: graph.len() as u64,
            satisfying: Some(graph.len() as u64),
            searched: Searched::Model,
        }),
    };
    let verdict = match evidence {
        Evidence::Trace(_) => Verdict::Fails,
        _ => Verdict::Holds,
    };
    let mut outcome = Outcome::complete(verdict, evidence);
    outcome.statistics = graph.explored.statistics();
    outcome
        .warnings
        .extend(dead_end_warning(stepper, &graph.explored));
    Ok(outcome)
}

fn path_along(graph: &StateGraph, states: Vec<u32>) -> GraphPath {
    let edge = |pair: &[u32]| {
        graph
            .edges(pair[0])
            .find(|&edge| graph.edge_target(edge) == pair[1])
    };
    GraphPath {
        edges: states.windows(2).filter_map(edge).collect(),
        states,
        ending: Ending::Open,
    }
}

fn with_dead_end(mut outcome: Outcome, stepper: &Stepper, explored: &Explored) -> Outcome {
    outcome.warnings.extend(dead_end_warning(stepper, explored));
    outcome
}

fn dead_end_warning(stepper: &Stepper, explored: &Explored) -> Option<Warning> {
    let state = explored.dead_end?;
    Some(not_total(stepper, &explored.table.state(&stepper.layout, state)))
}

fn not_total(stepper: &Stepper, state: &[u64]) -> Warning {
    let values = stepper.layout.values(state);
    let state = describe::state(&stepper.system, &values);
    let text = format!("the transition relation is not total: the state {state} has no successor");
    Warning::new(WarningKind::DeadEnd, text)
}

fn no_fair_path(system: &TransitionSystem) -> Warning {
    let kind = if system.has_fairness() { "fair" } else { "infinite" };
    let text = format!("no {kind} path starts in an initial state: the property holds vacuously");
    Warning::new(WarningKind::NoFairPath, text)
}

/// `A G (p -> q)` where no reachable state satisfies `p`.
fn vacuity_warning(
    labelling: &mut Labelling<'_>,
    formula: &Formula<TermId>,
) -> Result<Option<Warning>, ExplorationEnd> {
    let Node::Quantified(Quantifier::Forall, path) = formula.node() else {
        return Ok(None);
    };
    let Node::Unary(Unary::Globally, Interval::ALWAYS, body) = path.node() else {
        return Ok(None);
    };
    match body.node() {
        Node::Implies(antecedent, _) if labelling.is_about_state(antecedent) => {
            let mut met = (*labelling.states(antecedent)?).clone();
            met.intersect_with(&labelling.fair);
            let vacuous = "the property holds vacuously: its antecedent is true in no reachable state";
            Ok(met
                .is_clear()
                .then(|| Warning::new(WarningKind::Vacuous, vacuous)))
        }
        _ => Ok(None),
    }
}
