//! An engine's whole answer to a property: does its evidence establish its verdict?
//!
//! The evidence is judged by the checker of its kind. What no finite witness can show (that all paths were searched, that a
//! finite path has a fair continuation, that a number is the least) is collected as obligations and settled together by
//! the naive reference on one graph. Where the model is too large for it, the report says what was not rechecked.

use super::certificate::certificate;
use super::explanation::explanation;
use super::modal::modal;
use super::replay::{replay, same_state};
use super::state_sets::{closed, ranked};
use crate::reference::{
    CheckLimits, Enumerator, Evaluation, Graph, NotRechecked, Scope, Visit, without_inputs,
};
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_evidence::{
    Abstracted, Because, CheckOptions, DeadEnds, Evidence, Explanation, Outcome, PathWitness, Trace, Truth,
    Verdict,
};
use entail_logic::{Formula, Node, Property, Quantifier, Question};
use entail_model::{TermId, TransitionSystem, Valuation, Value, VarKind, evaluate_bool};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// What only a search of the whole model can establish.
#[derive(Clone, Debug)]
pub(super) enum Obligation {
    /// A state formula has this truth in a state.
    Claim {
        formula: Formula<TermId>,
        truth: bool,
        state: Vec<Option<Value>>,
    },
    /// A fair path starts in a state.
    FairPath { state: Vec<Option<Value>> },
}

/// What the checkers need to know.
pub struct Checker<'a> {
    /// The model.
    pub system: &'a TransitionSystem,
    /// What a dead end means.
    pub dead_ends: DeadEnds,
    /// How much the reference may enumerate.
    pub limits: CheckLimits,
    /// How much time and memory may be spent.
    pub budget: &'a Budget,
    /// How many states the engine has counted: where that is beyond the limits, enumerating is not even begun.
    pub counted: Option<u64>,
    pub(super) known: Option<&'a KnownGraph>,
    enumerator: OnceCell<Enumerator<'a>>,
}

/// Checks an answer to a property of a system, within [`CheckLimits::default`].
pub fn check_outcome(
    system: &TransitionSystem,
    property: &Property<TermId>,
    outcome: &Outcome,
    options: &CheckOptions,
    budget: &Budget,
) -> CheckReport {
    check_outcome_once(system, property, outcome, options, &KnownGraph::default(), budget)
}

/// The reachable states of a system, with what fairness is about as labels, once they were needed. A session that judges many answers about one system need not find them more than once.
#[derive(Default)]
pub struct KnownGraph(RefCell<Option<Rc<Graph>>>);

/// The same; the graph must be of this system and this meaning of dead ends, or unknown.
pub fn check_outcome_once(
    system: &TransitionSystem,
    property: &Property<TermId>,
    outcome: &Outcome,
    options: &CheckOptions,
    known: &KnownGraph,
    budget: &Budget,
) -> CheckReport {
    // CTL's path quantifiers range over just paths; compassion is for linear time.
    let mut just = None;
    if property.logic.ignores_compassion() && !system.compassion.is_empty() {
        let mut without = system.clone();
        without.compassion.clear();
        just = Some(without);
    }
    let system = just.as_ref().unwrap_or(system);
    let mut checker = Checker::new(system, options.dead_ends, CheckLimits::default(), budget);
    checker.counted = outcome.statistics.states();
    checker.known = just.is_none().then_some(known);
    checker.outcome(&property.question, outcome)
}

impl<'a> Checker<'a> {
    /// A checker of answers about a system.
    pub fn new(
        system: &'a TransitionSystem,
        dead_ends: DeadEnds,
        limits: CheckLimits,
        budget: &'a Budget,
    ) -> Checker<'a> {
        Checker {
            system,
            dead_ends,
            limits,
            budget,
            counted: None,
            known: None,
            enumerator: OnceCell::new(),
        }
    }

    pub(super) fn enumerator(&self) -> &Enumerator<'a> {
        self.enumerator
            .get_or_init(|| Enumerator::new(self.system, self.limits, self.budget))
    }

    pub(super) fn state(&self, values: &[Option<Value>]) -> Vec<Option<Value>> {
        without_inputs(self.system, values)
    }

    /// Whether the evidence of an answer establishes its verdict.
    pub fn outcome(&self, question: &Question<TermId>, outcome: &Outcome) -> CheckReport {
        if let Question::ShortestPath(start, goal) | Question::LongestPath(start, goal) = question {
            let shortest = matches!(question, Question::ShortestPath(..));
            return match (outcome.verdict, &outcome.value) {
                (Verdict::Unknown, _) => CheckReport::Accepted,
                (Verdict::Fails, _) => CheckReport::rejected("a length can be found, but it cannot fail"),
                (Verdict::Holds, None) => CheckReport::rejected("a quantitative answer has no value"),
                (Verdict::Holds, Some(value)) => {
                    self.quantity(shortest, *start, *goal, value, &outcome.evidence)
                }
            };
        }
        let Some(evidence) = &outcome.evidence else {
            return match outcome.verdict {
                Verdict::Unknown => CheckReport::Accepted,
                _ => CheckReport::rejected("the verdict comes without evidence"),
            };
        };
        let holds = match outcome.verdict {
            Verdict::Unknown => return CheckReport::Accepted,
            Verdict::Holds => true,
            Verdict::Fails => false,
        };
        match (question, evidence) {
            (Question::Invariant(atom), Evidence::Trace(trace)) if !holds => self.refuted(*atom, trace),
            (Question::Invariant(atom), Evidence::Invariant(invariant)) if holds => {
                certificate(self, invariant, *atom)
            }
            (Question::Formula(_), Evidence::Invariant(invariant)) if holds => {
                match question.implied_by_invariant() {
                    Some(&atom) => certificate(self, invariant, atom),
                    None => CheckReport::rejected("an invariant cannot establish this formula"),
                }
            }
            (Question::Invariant(atom), Evidence::Closed(set)) if holds => closed(self, *atom, set),
            (Question::Formula(formula), Evidence::Ranked(set)) if holds => ranked(self, formula, set),
            (Question::Formula(_), Evidence::Liveness(_)) if holds => {
                CheckReport::unchecked("the bound of k-liveness (it is for the SAT-based checker)")
            }
            (Question::Formula(_), Evidence::Fixpoints(_)) if holds => {
                CheckReport::unchecked("the sets with ranks (they are for the SAT-based checker)")
            }
            (Question::Formula(formula), Evidence::Trace(trace)) if !holds => {
                self.counterexample(formula, trace)
            }
            (Question::Formula(formula), Evidence::Explanation(tree)) => self.explained(formula, holds, tree),
            (_, Evidence::Abstraction(proof)) if holds => {
                if let (Abstracted::Observed(_), Evidence::Exhaustive(_)) =
                    (&proof.abstraction, &*proof.proof)
                {
                    return self.searched_again(question, holds);
                }
                match proof.abstraction.question(self.system, question, self.dead_ends) {
                    Err(report) => report,
                    Ok(asked) => {
                        let checker = Checker::new(&asked.system, self.dead_ends, self.limits, self.budget);
                        let proof = (*proof.proof).clone();
                        checker.outcome(&asked.question, &Outcome::complete(Verdict::Holds, proof))
                    }
                }
            }
            (_, Evidence::Modal(model)) => modal(self, question, holds, model),
            (_, Evidence::Exhaustive(claim)) => self.exhaustive(question, holds, claim, &outcome.guarantee),
            _ => CheckReport::rejected("evidence of this kind cannot support this verdict on this property"),
        }
    }

    /// A trace from an initial state whose last state, or last step, violates the atom.
    fn refuted(&self, atom: TermId, trace: &Trace) -> CheckReport {
        if let Err(problem) = replay(self.system, trace, true) {
            return CheckReport::rejected(problem.to_string());
        }
        let last = trace.steps.len() - 1;
        let at = |step: usize| match trace.successor(step) {
            Some(next) => Valuation::step(&trace.steps[step], &trace.steps[next]),
            None => Valuation::state(&trace.steps[step]),
        };
        let candidates = [Some(last), last.checked_sub(1)];
        let truths = candidates
            .into_iter()
            .flatten()
            .map(|step| evaluate_bool(&self.system.terms, atom, at(step)).into());
        let mut truths: Vec<Truth> = truths.collect();
        if !self.is_about_steps(atom) {
            truths.truncate(1);
        }
        if truths.contains(&Truth::False) {
            CheckReport::Accepted
        } else {
            CheckReport::rejected("the property is not violated at the end of the trace")
        }
    }

    /// Whether a term reads inputs or next values.
    pub(super) fn is_about_steps(&self, term: TermId) -> bool {
        let (current, next) = self.system.terms.support(&[term]);
        let is_input =
            |variable: &entail_model::VarId| self.system.variable(*variable).kind == VarKind::Input;
        !next.is_empty() || current.iter().any(is_input)
    }

    /// A bare trace against `A ψ`.
    fn counterexample(&self, formula: &Formula<TermId>, trace: &Trace) -> CheckReport {
        let Some(first) = trace.steps.first() else {
            return CheckReport::rejected("the trace has no step");
        };
        if !matches!(formula.node(), Node::Quantified(Quantifier::Forall, _)) {
            return CheckReport::rejected("a trace alone cannot refute this formula");
        }
        let tree = Explanation {
            formula: formula.clone(),
            truth: false,
            state: self.state(first),
            because: Because::Path(PathWitness {
                trace: trace.clone(),
                notes: Vec::new(),
            }),
        };
        self.explained(formula, false, &tree)
    }

    fn explained(&self, formula: &Formula<TermId>, holds: bool, tree: &Explanation) -> CheckReport {
        if tree.formula != *formula {
            return CheckReport::rejected("the explanation is about another formula than the property");
        }
        if tree.truth != holds {
            return CheckReport::rejected("the explanation shows the opposite of the verdict");
        }
        let start = Trace {
            steps: vec![self.state(&tree.state)],
            loop_start: None,
        };
        if let Err(problem) = replay(self.system, &start, true) {
            return CheckReport::rejected(format!("the explained state: {problem}"));
        }
        let mut obligations = Vec::new();
        let mut report = explanation(self, tree, &mut obligations);
        if holds && !report.is_rejected() {
            report = report.and(self.other_initial_states(formula, tree, &mut obligations));
        }
        report.and_then(|| self.settle(formula, &obligations))
    }

    /// A tree explains one initial state; the property must hold in all of them.
    fn other_initial_states(
        &self,
        formula: &Formula<TermId>,
        tree: &Explanation,
        obligations: &mut Vec<Obligation>,
    ) -> CheckReport {
        let mut count = 0;
        let result = self.enumerator().initial_states(&mut |state| {
            count += 1;
            if count > self.limits.states {
                return Err(NotRechecked::TooLarge("too many initial states".into()));
            }
            if !same_state(self.system, state, &tree.state) {
                obligations.push(Obligation::Claim {
                    formula: formula.clone(),
                    truth: true,
                    state: state.to_vec(),
                });
            }
            Ok(Visit::Continue)
        });
        match result {
            Ok(()) => CheckReport::Accepted,
            Err(why) => CheckReport::unchecked(format!("the other initial states ({why})")),
        }
    }

    pub(super) fn graph(
        &self,
        atoms: Vec<TermId>,
        further: &[Vec<Option<Value>>],
        bound: Option<u64>,
    ) -> Result<Graph, NotRechecked> {
        if let Some(counted) = self.counted
            && counted > self.limits.states as u64
        {
            let limit = self.limits.states;
            return Err(NotRechecked::TooLarge(format!(
                "{counted} states, more than {limit}"
            )));
        }
        let is_about_states = |term: &TermId| !self.is_about_steps(*term);
        if let (Some(known), [], None) = (self.known, further, bound)
            && atoms.iter().all(is_about_states)
        {
            return Ok(self.whole_graph(known)?.observing(self.system, &atoms));
        }
        self.build(atoms, further, bound)
    }

    /// The graph that observes some atoms and what fairness is about.
    fn build(
        &self,
        atoms: Vec<TermId>,
        further: &[Vec<Option<Value>>],
        bound: Option<u64>,
    ) -> Result<Graph, NotRechecked> {
        let mut observed = atoms;
        observed.extend(&self.system.justice);
        observed.extend(self.system.compassion.iter().flat_map(|&(p, q)| [p, q]));
        let scope = Scope {
            further,
            observed,
            dead_ends: self.dead_ends,
            bound,
        };
        Graph::build(self.system, &scope, self.limits, self.budget)
    }

    /// The reachable states, found once.
    fn whole_graph(&self, known: &KnownGraph) -> Result<Rc<Graph>, NotRechecked> {
        if let Some(graph) = known.0.borrow().as_ref() {
            return Ok(Rc::clone(graph));
        }
        let graph = Rc::new(self.build(Vec::new(), &[], None)?);
        known.0.replace(Some(Rc::clone(&graph)));
        Ok(graph)
    }

    /// Settles what is left by the reference.
    fn settle(&self, formula: &Formula<TermId>, obligations: &[Obligation]) -> CheckReport {
        if obligations.is_empty() {
            return CheckReport::Accepted;
        }
        match self.try_settle(formula, obligations) {
            Ok(report) => report,
            Err(why) => {
                let exhausted = obligations
                    .iter()
                    .any(|obligation| matches!(obligation, Obligation::Claim { .. }));
                let what = if exhausted {
                    "the search of all paths"
                } else {
                    "that the path has a fair continuation"
                };
                CheckReport::unchecked(format!("{what} ({why})"))
            }
        }
    }

    fn try_settle(
        &self,
        formula: &Formula<TermId>,
        obligations: &[Obligation],
    ) -> Result<CheckReport, NotRechecked> {
        let further: Vec<Vec<Option<Value>>> = obligations
            .iter()
            .map(|obligation| match obligation {
                Obligation::Claim { state, .. } | Obligation::FairPath { state } => state.clone(),
            })
            .collect();
        let mut atoms = atoms_of(formula);
        for obligation in obligations {
            if let Obligation::Claim { formula, .. } = obligation {
                atoms.extend(atoms_of(formula));
            }
        }
        let graph = self.graph(atoms, &further, None)?;
        if let Some(problem) = self.meaningless(&graph) {
            return Ok(CheckReport::rejected(problem));
        }
        let mut evaluation = Evaluation::new(self.system, &graph, self.limits, self.budget)?;
        for (obligation, state) in obligations.iter().zip(&further) {
            let Some(number) = graph.find(self.system, state) else {
                return Ok(CheckReport::rejected(
                    "an explained state is not a state of the model",
                ));
            };
            match obligation {
                Obligation::Claim { formula, truth, .. } => {
                    if evaluation.states(formula)?[number] != *truth {
                        return Ok(CheckReport::rejected(format!(
                            "searching all paths again, a formula claimed to be {truth} is {}",
                            !truth
                        )));
                    }
                }
                Obligation::FairPath { .. } => {
                    if !evaluation.has_fair_path(number) {
                        return Ok(CheckReport::rejected(
                            "no fair path goes on after the last state of a finite path",
                        ));
                    }
                }
            }
        }
        Ok(CheckReport::Accepted)
    }

    /// Why the model has no meaning, if it has none.
    pub(super) fn meaningless(&self, graph: &Graph) -> Option<String> {
        if let Some(hazard) = &graph.hazard {
            return Some(format!("the model has no meaning: {hazard}"));
        }
        if self.dead_ends == DeadEnds::Error && graph.dead_end.is_some() {
            return Some("a state without successors is reachable, which is an error here".into());
        }
        (graph.initial == 0).then(|| "the model has no initial state".into())
    }
}

fn atoms_of(formula: &Formula<TermId>) -> Vec<TermId> {
    let mut atoms = Vec::new();
    formula.for_each_atom(&mut |&atom| atoms.push(atom));
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}
