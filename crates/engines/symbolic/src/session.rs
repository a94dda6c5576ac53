//! The engine and its sessions: from a property to an outcome.

use crate::certificate::certificate;
use crate::machine::{Point, counts_finite_paths};
use crate::model::{EncodedSystem, is_about_steps};
use crate::options::SymbolicOptions;
use crate::proof_sets::trivial_proof;
use crate::reachability::{Onion, Watch};
use crate::regions::Regions;
use crate::stop::{Attempt, NotComputed};
use entail_budget::{Budget, Progress};
use entail_dd::Bdd;
use entail_evidence::{
    Because, CheckOptions, DeadEnds, Engine, Evidence, Exhaustive, Explanation, ModelError, Outcome,
    PathWitness, Quantity, Searched, Session, Statistics, Verdict, Warning, WarningKind,
};
use entail_fixpoint::EvaluateError;
use entail_logic::mu::Mu;
use entail_logic::{Formula, Interval, Node, Paths, Property, Quantifier, Question, Unary};
use entail_model::{TermId, TransitionSystem};
use num_traits::ToPrimitive;
use std::time::{Duration, Instant};

/// Writing down why a formula holds may take this much longer than deciding it took.
const PROOF_AT_LEAST: Duration = Duration::from_millis(300);

/// Decides CTL, LTL with past, CTL* and invariants of finite-state models by fixpoints on decision diagrams.
#[derive(Clone, Debug, Default)]
pub struct SymbolicEngine {
    /// Settings.
    pub options: SymbolicOptions,
}

impl SymbolicEngine {
    /// An engine with other settings than the default ones.
    pub fn with_options(options: SymbolicOptions) -> SymbolicEngine {
        SymbolicEngine { options }
    }
}

impl Engine for SymbolicEngine {
    fn name(&self) -> &'static str {
        "bdd"
    }

    fn description(&self) -> &'static str {
        "finite-state models; invariants, CTL, LTL with past, CTL* under justice and compassion: fixpoints on decision diagrams"
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
        Box::new(SymbolicSession {
            system,
            options,
            settings: &self.options,
            model: None,
        })
    }
}

struct SymbolicSession<'a> {
    system: &'a TransitionSystem,
    options: &'a CheckOptions,
    settings: &'a SymbolicOptions,
    model: Option<EncodedSystem<'a>>,
}

impl Session for SymbolicSession<'_> {
    fn check(
        &mut self,
        property: &Property<TermId>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ModelError> {
        let watch = Watch { budget, progress };
        let outcome = self.decide(property, watch);
        let mut outcome = match outcome {
            Ok(outcome) => outcome,
            Err(NotComputed::Model(error)) => return Err(*error),
            Err(NotComputed::Unsupported(reason)) => Outcome::unknown(reason),
            Err(NotComputed::Diagram(error)) => Outcome::unknown(self.how_far(&error.to_string())),
        };
        if let Some(model) = &mut self.model {
            model.annotate(&mut outcome);
        }
        Ok(outcome)
    }
}

impl SymbolicSession<'_> {
    fn decide(&mut self, property: &Property<TermId>, watch: Watch<'_>) -> Attempt<Outcome> {
        watch.budget.check_now()?;
        if self.model.is_none() {
            self.model = Some(EncodedSystem::build(
                self.system,
                self.options,
                self.settings,
                watch,
            )?);
        }
        let model = self.model.as_mut().expect("just built");
        model.manager().watch(watch.budget);
        match &property.question {
            Question::Invariant(atom) => match model.invariant(*atom, watch) {
                Err(NotComputed::Diagram(full @ entail_dd::Error::OutOfMemory { .. })) => {
                    model.hunt_violation(*atom, &full.to_string(), watch)
                }
                decided => decided,
            },
            Question::Formula(formula) => model.formula(formula, watch),
            Question::ShortestPath(start, goal) => model.shortest_path(*start, *goal, watch),
            Question::LongestPath(start, goal) => model.longest_path(*start, *goal, watch),
            Question::Mu(formula) => model.mu_calculus(formula, watch),
        }
    }

    fn how_far(&self, reason: &str) -> String {
        match &self.model {
            None => format!("{reason} while building the transition relation"),
            Some(model) if !model.reached.complete => {
                format!(
                    "{reason} after {} rounds of reachability",
                    model.reached.rings.len() - 1
                )
            }
            Some(_) => reason.to_string(),
        }
    }
}

impl EncodedSystem<'_> {
    fn invariant(&mut self, atom: TermId, watch: Watch<'_>) -> Attempt<Outcome> {
        let violation = self.condition(atom)?.not();
        if is_about_steps(self.system, atom) {
            let reachable = self.reachable(watch)?;
            let bad = self
                .machine
                .preimage_of_steps(&self.encoding, &reachable, &violation)?
                .and(&reachable)?;
            if bad.is_false() {
                // A condition on steps says nothing of dead ends, where a checker of states might find it false.
                if self.machine.parts.iter().any(|part| part.inputless) {
                    // Whether a repeated dead end counts as a step here is not for the engine to guess.
                    return Err(NotComputed::Unsupported(
                        "a condition on inputs or next values has no truth at a dead end".into(),
                    ));
                }
                if self.dead_ends(watch)?.is_false() {
                    return self.proved(watch);
                }
                let always = Formula::constant(true).globally().forall();
                return self.exhausted(&always, None, watch);
            }
            let path = self.reached.path_to(&self.encoding, &self.machine, &bad, watch)?;
            let mut path = path.ok_or_else(|| crate::witness::lost("a path to the violation"))?;
            self.extend(&mut path, Some(&violation))?;
            let trace = self.machine.trace(&self.encoding, &path, None);
            return Ok(Outcome::complete(Verdict::Fails, Evidence::Trace(trace)));
        }
        if self.may_stop_early() {
            self.reached.run(&self.machine, Some(&violation), watch)?;
        } else {
            self.reachable(watch)?;
        }
        if self.reached.states.is_disjoint_from(&violation)? {
            self.reachable(watch)?;
            return self.proved(watch);
        }
        let path = self
            .reached
            .path_to(&self.encoding, &self.machine, &violation, watch)?;
        let path = path.ok_or_else(|| crate::witness::lost("a path to the violation"))?;
        let trace = self.machine.trace(&self.encoding, &path, None);
        Ok(Outcome::complete(Verdict::Fails, Evidence::Trace(trace)))
    }

    /// Looks for a violation in as much of the reachable states as fits into memory.
    fn hunt_violation(&mut self, atom: TermId, full: &str, watch: Watch<'_>) -> Attempt<Outcome> {
        if !self.may_stop_early() || is_about_steps(self.system, atom) {
            return Ok(Outcome::unknown(full));
        }
        let violation = self.condition(atom)?.not();
        let hunt = self.hunt(&violation, watch)?;
        Ok(match hunt.path {
            Some(path) => {
                let trace = self.machine.trace(&self.encoding, &path, None);
                Outcome::complete(Verdict::Fails, Evidence::Trace(trace))
            }
            None => Outcome::unknown(format!(
                "{full}; a part of what is reachable was searched: about 2^{} states in {} rounds, none of them violating",
                hunt.log2_states, hunt.rounds
            )),
        })
    }

    /// All reachable states are good: they are the proof.
    fn proved(&mut self, watch: Watch<'_>) -> Attempt<Outcome> {
        let states = self.reachable(watch)?;
        if let Some(certificate) = certificate(self.system, &self.encoding, &states) {
            return Ok(Outcome::complete(
                Verdict::Holds,
                Evidence::Invariant(certificate),
            ));
        }
        let none = Formula::constant(true).globally().forall();
        self.exhausted(&none, None, watch)
    }

    /// The formula was found true by searching everything.
    fn exhausted(
        &mut self,
        formula: &Formula<TermId>,
        satisfying: Option<&Bdd>,
        watch: Watch<'_>,
    ) -> Attempt<Outcome> {
        let states = self.reachable(watch)?;
        let vars = self.machine.vars.clone();
        if let Some(count) = states.count(&vars).to_u64() {
            let evidence = Evidence::Exhaustive(Exhaustive {
                states: count,
                satisfying: satisfying.and_then(|states| states.count(&vars).to_u64()),
                searched: Searched::Model,
            });
            return Ok(Outcome::complete(Verdict::Holds, evidence));
        }
        let point = self.first_initial()?;
        Ok(Outcome::complete(Verdict::Holds, self.claimed(formula, &point)))
    }

    /// The bare claim that the formula is true in a state because everything was searched.
    fn claimed(&self, formula: &Formula<TermId>, point: &Point) -> Evidence {
        Evidence::Explanation(Explanation {
            formula: formula.clone(),
            truth: true,
            state: self.machine.valuation(&self.encoding, point, None),
            because: Because::Exhaustion,
        })
    }

    fn formula(&mut self, formula: &Formula<TermId>, watch: Watch<'_>) -> Attempt<Outcome> {
        let begun = Instant::now();
        let formula = match formula.is_state_formula() {
            true => formula.clone(),
            false => formula.forall(),
        };
        if let Some(atom) = always_atom(&formula)
            && !is_about_steps(self.system, atom)
        {
            return self.always(&formula, atom, watch);
        }
        if self.system.hazards.is_empty()
            && self.dead_end_policy != DeadEnds::Error
            && is_trivial_on_infinite_paths(&formula)
            && !counts_finite_paths(self.dead_end_policy)
        {
            let evidence = match trivial_proof(&formula) {
                Some(proof) if self.system.compassion.is_empty() => Evidence::Fixpoints(Box::new(proof)),
                _ => {
                    let point = self.first_initial()?;
                    self.claimed(&formula, &point)
                }
            };
            let mut outcome = Outcome::complete(Verdict::Holds, evidence);
            outcome.warnings.push(
                "only infinite paths count, and on them every state has a successor: the property says nothing about dead ends"
                    .into(),
            );
            return Ok(outcome);
        }
        if let Node::Quantified(Quantifier::Forall, path) = formula.node()
            && !self.is_stepwise(path, false)
        {
            return self.linear(&formula, path, watch);
        }
        let states = self.label(&formula, watch)?;
        // As in NuSMV, only initial states that begin a fair path are asked.
        let mut violating = self.machine.initial.minus(&states)?;
        if !violating.is_false() {
            violating = violating.and(&self.fair_states(watch)?)?;
        }
        if let Some(point) = self.machine.pick(&violating) {
            let tree = self.explain(&formula, false, &point, watch)?;
            return Ok(Outcome::complete(Verdict::Fails, Evidence::Explanation(tree)));
        }
        let one_state = self.machine.initial.count(&self.machine.vars).to_u64() == Some(1);
        let has_path = has_existential_reason(&formula) && self.machine.initial.is_subset_of(&states)?;
        if has_path && one_state {
            let point = self.first_initial()?;
            let tree = self.explain(&formula, true, &point, watch)?;
            return Ok(Outcome::complete(Verdict::Holds, Evidence::Explanation(tree)));
        }
        if let Some(proof) = self.proof_of(&formula, begun.elapsed(), watch)? {
            return Ok(Outcome::complete(Verdict::Holds, proof));
        }
        if has_path {
            let point = self.first_initial()?;
            let tree = self.explain(&formula, true, &point, watch)?;
            return Ok(Outcome::complete(Verdict::Holds, Evidence::Explanation(tree)));
        }
        self.exhausted(&formula, Some(&states), watch)
    }

    /// Sets of states with ranks that prove a formula which holds, if it has such a proof and that is found in about the time that deciding it took.
    fn proof_of(
        &mut self,
        formula: &Formula<TermId>,
        decided_in: Duration,
        watch: Watch<'_>,
    ) -> Attempt<Option<Evidence>> {
        let limited = watch.budget.part(PROOF_AT_LEAST + decided_in);
        let limited = Watch {
            budget: &limited,
            progress: watch.progress,
        };
        self.manager().watch(limited.budget);
        let proof = match formula.node() {
            Node::Quantified(Quantifier::Forall, path) if !self.is_stepwise(path, false) => {
                self.monitored_proof(path, limited)
            }
            _ => self.fixpoint_proof(formula, limited),
        };
        self.manager().watch(watch.budget);
        watch.budget.check_now()?;
        match proof {
            Ok(proof) => Ok(proof.map(|proof| Evidence::Fixpoints(Box::new(proof)))),
            // The formula is decided: what cannot be proved in this way is said to be searched.
            Err(NotComputed::Unsupported(_) | NotComputed::Diagram(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// `A G atom`, by forward search alone: it fails iff some reachable state that violates it lies on a path that counts.
    fn always(&mut self, formula: &Formula<TermId>, atom: TermId, watch: Watch<'_>) -> Attempt<Outcome> {
        let begun = Instant::now();
        let violation = self.condition(atom)?.not();
        let every_path_counts =
            self.may_stop_early() && !self.system.has_fairness() && self.is_total(watch)?;
        if every_path_counts {
            self.reached.run(&self.machine, Some(&violation), watch)?;
        } else {
            self.reachable(watch)?;
        }
        let violating = self.reached.states.and(&violation)?;
        if violating.is_false() {
            return self.proved(watch);
        }
        if self.compassion_on_steps && self.settings.compassion_in_ctl {
            let Node::Quantified(_, path) = formula.node() else {
                return Err(crate::witness::lost("the quantifier of an A G formula"));
            };
            return self.linear(formula, path, watch);
        }
        let counting = match every_path_counts {
            true => violating,
            false => self.fairly(violating, watch)?,
        };
        if counting.is_false() {
            return match self.proof_of(formula, begun.elapsed(), watch)? {
                Some(proof) => Ok(Outcome::complete(Verdict::Holds, proof)),
                None => self.exhausted(formula, None, watch),
            };
        }
        let path = self
            .reached
            .path_to(&self.encoding, &self.machine, &counting, watch)?;
        let path = path.ok_or_else(|| crate::witness::lost("a path to the violation"))?;
        let point = path.points[0].clone();
        let walk = self.counting_walk(path, watch)?;
        let witness = self.noted(walk, watch)?;
        let tree = Explanation {
            formula: formula.clone(),
            truth: false,
            state: self.machine.valuation(&self.encoding, &point, None),
            because: Because::Path(witness),
        };
        Ok(Outcome::complete(Verdict::Fails, Evidence::Explanation(tree)))
    }

    /// Whether a verdict can be given before all reachable states have been seen: where the model may be meaningless, it cannot.
    fn may_stop_early(&self) -> bool {
        self.system.hazards.is_empty() && self.dead_end_policy != DeadEnds::Error
    }

    fn first_initial(&self) -> Attempt<Point> {
        self.machine
            .pick(&self.machine.initial)
            .ok_or_else(|| crate::witness::lost("an initial state"))
    }

    /// `A path` by searching the product with the tester from the initial states.
    fn linear(
        &mut self,
        formula: &Formula<TermId>,
        path: &Formula<TermId>,
        watch: Watch<'_>,
    ) -> Attempt<Outcome> {
        let begun = Instant::now();
        self.reachable(watch)?;
        let initial = self.machine.initial.clone();
        let Some(walk) = self.search_by_tester(path, false, &initial, watch)? else {
            return match self.proof_of(formula, begun.elapsed(), watch)? {
                Some(proof) => Ok(Outcome::complete(Verdict::Holds, proof)),
                None => self.exhausted(formula, None, watch),
            };
        };
        let witness: PathWitness = self.noted(walk, watch)?;
        let tree = Explanation {
            formula: formula.clone(),
            truth: false,
            state: without_inputs(self.system, &witness.trace.steps[0]),
            because: Because::Path(witness),
        };
        Ok(Outcome::complete(Verdict::Fails, Evidence::Explanation(tree)))
    }

    fn shortest_path(&mut self, start: TermId, goal: TermId, watch: Watch<'_>) -> Attempt<Outcome> {
        let fair = self.states_on_fair_paths(watch)?;
        let start = self.condition(start)?.and(&fair)?;
        let goal = self.condition(goal)?.and(&fair)?;
        if start.is_false() {
            return self.quantity(Quantity::Infinite, None, watch);
        }
        let onion = Onion::toward(&self.encoding, &self.machine, &goal, &fair, &start, watch)?;
        match onion.walk_from_set(&self.encoding, &self.machine, &start)? {
            None => self.quantity(Quantity::Infinite, None, watch),
            Some(path) => {
                let length = path.points.len() as u64 - 1;
                let trace = self.machine.trace(&self.encoding, &path, None);
                self.quantity(Quantity::whole(length), Some(Evidence::Trace(trace)), watch)
            }
        }
    }

    fn longest_path(&mut self, start: TermId, goal: TermId, watch: Watch<'_>) -> Attempt<Outcome> {
        let fair = self.states_on_fair_paths(watch)?;
        let start = self.condition(start)?.and(&fair)?;
        let goal = self.condition(goal)?;
        let open = fair.minus(&goal)?;
        if start.is_false() || goal.is_disjoint_from(&fair)? {
            return self.quantity(Quantity::Undefined, None, watch);
        }
        let mut avoiding = open.clone();
        let mut length = 0;
        loop {
            watch.report("longest path", length as usize, &avoiding)?;
            if avoiding.is_disjoint_from(&start)? {
                return self.quantity(Quantity::whole(length), None, watch);
            }
            let longer = self.machine.preimage(&self.encoding, &avoiding)?.and(&open)?;
            if longer == avoiding {
                return self.quantity(Quantity::Infinite, None, watch);
            }
            avoiding = longer;
            length += 1;
        }
    }

    /// By the evaluator of the mu-calculus, on sets of reachable states.
    fn mu_calculus(&mut self, formula: &Mu<TermId>, watch: Watch<'_>) -> Attempt<Outcome> {
        let mut regions = Regions {
            model: self,
            watch,
            modalities: 0,
        };
        let states = match entail_fixpoint::evaluate(&mut regions, formula) {
            Ok(evaluation) => evaluation.region,
            Err(EvaluateError::Region(stop)) => return Err(stop),
            Err(EvaluateError::UnknownAction(action)) => {
                return Err(NotComputed::Unsupported(format!(
                    "steps have no action `{action}`"
                )));
            }
            Err(EvaluateError::FreeVariable(name)) => {
                return Err(NotComputed::Unsupported(format!(
                    "the variable `{name}` is not bound"
                )));
            }
        };
        let holds = self.machine.initial.is_subset_of(&states)?;
        let truth = Formula::constant(true).globally().forall();
        let mut outcome = self.exhausted(&truth, Some(&states), watch)?;
        if !matches!(outcome.evidence, Some(Evidence::Exhaustive(_))) {
            return Err(NotComputed::Unsupported(
                "more than 2^64 states: there is no evidence for a mu-calculus formula on so many".into(),
            ));
        }
        if !holds {
            outcome.verdict = Verdict::Fails;
        }
        Ok(outcome)
    }

    /// What path lengths are measured in: only states on fair paths count, as in NuSMV.
    fn states_on_fair_paths(&mut self, watch: Watch<'_>) -> Attempt<Bdd> {
        if self.compassion_on_steps && self.settings.compassion_in_ctl {
            let reason = "lengths of paths under compassion that reads inputs or next values";
            return Err(NotComputed::Unsupported(reason.to_owned()));
        }
        self.fair_states(watch)
    }

    fn quantity(
        &mut self,
        value: Quantity,
        evidence: Option<Evidence>,
        watch: Watch<'_>,
    ) -> Attempt<Outcome> {
        let always = Formula::constant(true).globally().forall();
        let mut outcome = self.exhausted(&always, None, watch)?;
        if let Some(evidence) = evidence {
            outcome.evidence = Some(evidence);
        }
        outcome.value = Some(value);
        Ok(outcome)
    }

    /// Counters and what the user should look at.
    fn annotate(&mut self, outcome: &mut Outcome) {
        let diagrams = self.manager().statistics();
        let states = self
            .reached
            .complete
            .then(|| self.reached.states.count(&self.machine.vars));
        outcome.statistics = Statistics::default()
            .with("states", states.and_then(|states| states.to_u64()))
            .with("depth", self.reached.rings.len() as u64 - 1)
            .with("peak_nodes", diagrams.peak_nodes as u64);
        if self.dead_end_policy == DeadEnds::Infinite
            && self.dead_ends.as_ref().is_some_and(|dead| !dead.is_false())
        {
            let text = "the transition relation is not total: paths that end are ignored";
            outcome.warnings.push(Warning::new(WarningKind::DeadEnd, text));
        }
        if let Some(fair) = &self.fair {
            if fair.is_false() {
                let text = "there is no fair path: universal properties hold vacuously";
                outcome.warnings.push(Warning::new(WarningKind::NoFairPath, text));
            } else if self.machine.initial.is_subset_of(fair).is_ok_and(|all| !all) {
                outcome
                    .warnings
                    .push("some initial states begin no fair path".into());
            }
        }
        if !self.system.compassion.is_empty() && !self.settings.compassion_in_ctl {
            outcome
                .warnings
                .push("compassion is respected by LTL only".into());
        }
    }
}

/// The atom of `A G atom`.
fn always_atom(formula: &Formula<TermId>) -> Option<TermId> {
    let Node::Quantified(Quantifier::Forall, path) = formula.node() else {
        return None;
    };
    match path.node() {
        Node::Unary(Unary::Globally, Interval::ALWAYS, operand) => match operand.node() {
            Node::Atom(atom) => Some(*atom),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the formula is true merely because every state on an infinite (fair) path has a successor from which such a path
/// goes on, so that `E X TRUE` is true wherever a path quantifier looks. Searches for deadlocks written this way are.
fn is_trivial_on_infinite_paths(formula: &Formula<TermId>) -> bool {
    fn admitted(formula: &Formula<TermId>, on_a_path: bool) -> Formula<TermId> {
        match formula.node() {
            Node::Constant(_) | Node::Atom(_) => formula.clone(),
            Node::Quantified(Quantifier::Exists, path) if on_a_path && goes_on(path) => {
                Formula::constant(true)
            }
            Node::Quantified(quantifier, path) => admitted(path, true).quantified(*quantifier),
            _ => {
                let operands = formula.operands().into_iter();
                formula.with_operands(operands.map(|operand| admitted(operand, on_a_path)).collect())
            }
        }
    }
    fn goes_on(path: &Formula<TermId>) -> bool {
        match path.node() {
            Node::Constant(truth) => *truth,
            Node::Unary(Unary::Next, _, p) => goes_on(p),
            _ => false,
        }
    }
    // Deep formulas are not worth the stack.
    formula.size() < 5_000
        && matches!(
            admitted(formula, false).simplify(Paths::Infinite).node(),
            Node::Constant(true)
        )
}

/// Whether a true formula has a path as its reason, as `E` formulas and conjunctions of them do.
fn has_existential_reason(formula: &Formula<TermId>) -> bool {
    match formula.node() {
        Node::Quantified(quantifier, _) => *quantifier == Quantifier::Exists,
        Node::Not(p) => matches!(p.node(), Node::Quantified(Quantifier::Forall, _)),
        Node::And(list) => list.iter().any(has_existential_reason),
        _ => false,
    }
}

pub(crate) fn without_inputs(
    system: &TransitionSystem,
    values: &[Option<entail_model::Value>],
) -> Vec<Option<entail_model::Value>> {
    let mut state = values.to_vec();
    for id in system.input_variables() {
        state[id.index()] = None;
    }
    state
}
