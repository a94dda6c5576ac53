//! The engines as the rest of the program sees them.
//!
//! `Question::Invariant` is decided as it stands: it is about all reachable states, fair or not. `A G p` is decided by the same
//! search where that is enough: a proof of the invariant always proves it; a run to a violation refutes it only where every
//! reachable state lies on a path that counts, which is known for systems without fairness that are total by their shape (or where
//! finite maximal paths count). Where it is not, and for `A ψ` with any path formula, a fair lasso that violates it is
//! looked for, and a proof that there is none (`fair_paths.rs`). Everything else is outside
//! the class of these engines and is answered unknown, with the reason.

use crate::abstraction::{End, Localization, WhenLarge, localized};
use crate::answer::SafetyAnswer;
use crate::bmc::{Interrupted, bounded_search};
use crate::glance::Glance;
use crate::ic3::ic3;
use crate::interpolation::interpolation;
use crate::interpolation_sequence::interpolation_sequence;
use crate::k_induction::{Induction, k_induction};
use crate::random_runs::random_run;
use crate::reduction::{Patience, Reduced, Telling};
use crate::task::{Ending, Task};
use entail_budget::{Budget, Progress};
use entail_evidence::{
    Certificate, CheckOptions, DeadEnds, Engine, Evidence, Guarantee, ModelError, Outcome, Round, Session,
    Verdict,
};
use entail_logic::{Formula, Interval, Node, Property, Quantifier, Question, Unary};
use entail_model::{TermId, TransitionSystem};
use entail_sat::{Cadical, NotEncoded, Reads, SatSolver, Signal};

/// The methods of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Bounded model checking.
    Bmc,
    /// k-induction with simple paths.
    KInduction,
    /// IC3.
    Ic3,
    /// Interpolation.
    Interpolation,
    /// Interpolation sequences.
    InterpolationSequence,
    /// IC3 on an abstraction that grows by counterexamples.
    GateLevel,
    /// IC3 on an abstraction that grows by proofs.
    ProofBased,
    /// All signals that agree, then IC3.
    Sweep,
    /// What one step decides, or a few.
    Glance,
}

impl Method {
    /// The abstraction a method works on, if it does.
    pub(crate) fn localization(self) -> Option<Localization> {
        match self {
            Method::GateLevel => Some(Localization::GateLevel),
            Method::ProofBased => Some(Localization::ProofBased),
            _ => None,
        }
    }
}

/// Name and description of each method.
const METHODS: [(Method, &str, &str); 9] = [
    (
        Method::Bmc,
        "bmc",
        "counterexamples to invariants and LTL up to a bound, by SAT on an unrolled circuit: shortest ones; proves nothing beyond the bound",
    ),
    (
        Method::KInduction,
        "kind",
        "invariants and A G p by k-induction with simple paths; LTL as ic3",
    ),
    (
        Method::Ic3,
        "ic3",
        "invariants and A G p by IC3: an inductive invariant or a counterexample; LTL by k-liveness and lassos",
    ),
    (
        Method::Interpolation,
        "interpolation",
        "invariants and A G p by interpolants of bounded model checking; LTL as ic3",
    ),
    (
        Method::InterpolationSequence,
        "interpolation-sequence",
        "invariants and A G p by sequences of interpolants, one for each step; LTL as ic3",
    ),
    (
        Method::GateLevel,
        "gla",
        "as ic3, on an abstraction: the latches and gates that counterexamples and their refutations ask for",
    ),
    (
        Method::ProofBased,
        "pba",
        "as ic3, on an abstraction: the latches that proofs of bounded model checking use",
    ),
    (
        Method::Sweep,
        "sweep",
        "invariants and A G p of circuits with much that is twice there: all signals that agree are found and told, then ic3 on what is left; LTL as ic3",
    ),
    (
        Method::Glance,
        "glance",
        "invariants and A G p that every state satisfies, or that a run of a few steps violates: one encoding for all properties",
    ),
];

/// An engine of this crate.
#[derive(Clone, Copy, Debug)]
pub struct InductiveEngine {
    method: Method,
    when_large: WhenLarge,
    name: &'static str,
    description: &'static str,
}

impl InductiveEngine {
    /// The engine of a method.
    pub fn new(method: Method) -> InductiveEngine {
        let (method, name, description) = METHODS
            .into_iter()
            .find(|(known, _, _)| *known == method)
            .unwrap_or(METHODS[0]);
        InductiveEngine {
            method,
            when_large: WhenLarge::default(),
            name,
            description,
        }
    }

    /// What it does when an abstraction turns out to keep most of the circuit.
    pub fn when_large(self, when_large: WhenLarge) -> InductiveEngine {
        InductiveEngine { when_large, ..self }
    }

    /// All engines of this crate.
    pub fn all() -> Vec<InductiveEngine> {
        METHODS
            .iter()
            .map(|(method, _, _)| InductiveEngine::new(*method))
            .collect()
    }
}

impl Engine for InductiveEngine {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn reduces_itself(&self) -> bool {
        true
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
        Box::new(InductiveSession {
            method: self.method,
            when_large: self.when_large,
            system,
            options,
            task: None,
            glance: None,
            hazards_excluded: None,
        })
    }
}

pub(crate) struct InductiveSession<'a> {
    pub(crate) method: Method,
    pub(crate) when_large: WhenLarge,
    pub(crate) system: &'a TransitionSystem,
    pub(crate) options: &'a CheckOptions,
    pub(crate) task: Option<Task<'a>>,
    /// What glances at the circuit share.
    glance: Option<Glance>,
    /// A proof that no hazard is reachable, once there is one.
    pub(crate) hazards_excluded: Option<Certificate>,
}

/// What is asked of the circuit.
enum Asked {
    /// An invariant.
    Invariant(TermId),
    /// `A G atom`: the atom, and `G atom`.
    Always(TermId, Formula<TermId>),
    /// `A` in front of another path formula.
    Path(Formula<TermId>),
}

/// What an engine says that gives up.
pub(crate) const NO_HELP: &str = "the abstraction keeps most of the circuit";

/// What a glance says of other properties.
const NO_GLANCE: &str = "a glance tells of invariants only";

/// Why there is no answer: the model is wrong, or the engine cannot.
pub(crate) enum Obstacle {
    Model(Box<ModelError>),
    Unknown(Box<Outcome>),
}

impl Obstacle {
    /// The same, with the rounds of abstraction that came before.
    fn after(mut self, rounds: Vec<Round>) -> Obstacle {
        if let Obstacle::Unknown(outcome) = &mut self {
            outcome.rounds = rounds;
        }
        self
    }
}

impl From<NotEncoded> for Obstacle {
    fn from(reason: NotEncoded) -> Obstacle {
        Obstacle::Unknown(Box::new(Outcome::unknown(reason.to_string())))
    }
}

impl From<Interrupted> for Obstacle {
    fn from(interrupted: Interrupted) -> Obstacle {
        let mut outcome = Outcome::unknown(match interrupted.safe_up_to {
            Some(depth) => format!("{}; no counterexample up to {depth} steps", interrupted.spent),
            None => interrupted.spent.to_string(),
        });
        outcome.statistics.set_count("depth", interrupted.safe_up_to);
        Obstacle::Unknown(Box::new(outcome))
    }
}

fn asked(question: &Question<TermId>) -> Option<Asked> {
    match question {
        Question::Invariant(atom) => Some(Asked::Invariant(*atom)),
        Question::Formula(formula) => match formula.node() {
            Node::Quantified(Quantifier::Forall, path) => Some(match always(path) {
                Some(atom) => Asked::Always(atom, path.clone()),
                None => Asked::Path(path.clone()),
            }),
            _ => None,
        },
        Question::ShortestPath(..) | Question::LongestPath(..) | Question::Mu(_) => None,
    }
}

/// The atom of `G atom`.
fn always(path: &Formula<TermId>) -> Option<TermId> {
    match path.node() {
        Node::Unary(Unary::Globally, interval, inner) if *interval == Interval::ALWAYS => {
            match inner.node() {
                Node::Atom(atom) => Some(*atom),
                _ => None,
            }
        }
        _ => None,
    }
}

impl Session for InductiveSession<'_> {
    fn check(
        &mut self,
        property: &Property<TermId>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ModelError> {
        let Some(asked) = asked(&property.question) else {
            return Ok(Outcome::unknown(
                "this engine decides invariants and formulas A ψ without further path quantifiers",
            ));
        };
        match self.decide(&asked, budget, progress) {
            Ok(outcome) => Ok(outcome),
            Err(Obstacle::Unknown(outcome)) => Ok(*outcome),
            Err(Obstacle::Model(error)) => Err(*error),
        }
    }
}

impl InductiveSession<'_> {
    fn decide(
        &mut self,
        asked: &Asked,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, Obstacle> {
        if self.task.is_none() {
            let task = Task::new(self.system, budget)?;
            has_initial_state(&task, budget)?;
            self.task = Some(task);
        }
        let task = self.task.as_mut().expect("just made");
        task.watch(budget);
        if self.options.dead_ends == DeadEnds::Error && !task.is_total_by_shape() {
            return Err(unknown("this engine cannot show that no dead end is reachable"));
        }
        let atom = match asked {
            Asked::Invariant(atom) | Asked::Always(atom, _) => *atom,
            Asked::Path(_) if self.method == Method::Glance => return Err(unknown(NO_GLANCE)),
            Asked::Path(path) => return self.decide_path(path, budget, progress),
        };
        let (violation, place) = task.violation(atom)?;
        if let Asked::Always(..) = asked
            && place != Reads::State
            && !self.only_infinite_paths()
            && !self.task.as_ref().is_some_and(Task::is_total_by_shape)
        {
            return Err(unknown(
                "A G p about inputs or next values where finite paths count, in a model that may have dead ends",
            ));
        }
        let task = self.task.as_mut().expect("just made");
        // Every certificate must exclude the hazards, even if an earlier one did.
        let hazard = task.hazard();
        let bad = task.either(violation, hazard);
        let answer = match self.method {
            Method::Glance => self.glance_at(bad, budget, progress)?,
            method => self.run(bad, method, budget, progress)?,
        };
        self.outcome(answer, asked, place, hazard, budget, progress)
    }

    fn glance_at(
        &mut self,
        bad: Signal,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Found, Obstacle> {
        let task = self.task.as_ref().expect("made before anything is asked");
        let glance = self.glance.get_or_insert_with(|| Glance::new(task.circuit()));
        let answer = glance.at(task.circuit(), bad, self.options.bound, budget, progress)?;
        Ok(Found {
            depth: depth_of(&answer),
            answer,
            rounds: Vec::new(),
        })
    }

    /// Runs a method on the reduced circuit; its answer is about the whole one.
    pub(crate) fn run(
        &self,
        bad: Signal,
        method: Method,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Found, Obstacle> {
        let task = self.task.as_ref().expect("made before anything is asked");
        if let Some(how) = method.localization() {
            return self.run_localized(bad, how, budget, progress);
        }
        if method == Method::Sweep
            && let Some(run) = random_run(task.circuit(), bad, budget)
        {
            let answer = SafetyAnswer::Unsafe(run);
            return Ok(Found {
                depth: depth_of(&answer),
                answer,
                rounds: Vec::new(),
            });
        }
        let observable = task.inputs_of_system();
        let merging = |patience| Reduced::merging(task.circuit(), bad, &observable, patience, budget);
        let reduced = match method {
            Method::Sweep => Reduced::telling(task.circuit(), bad, &observable, Telling::Everything, budget),
            Method::Bmc => merging(Patience::Little),
            _ => merging(Patience::Much),
        };
        let bound = self.options.bound;
        let answer = match method {
            Method::Bmc => bounded_search(&reduced.circuit, reduced.bad, bound, budget, progress)?,
            Method::Ic3 | Method::GateLevel | Method::ProofBased | Method::Sweep | Method::Glance => {
                ic3(&reduced.circuit, reduced.bad, budget, progress)?
            }
            Method::Interpolation => interpolation(&reduced.circuit, reduced.bad, budget, progress)?,
            Method::InterpolationSequence => {
                interpolation_sequence(&reduced.circuit, reduced.bad, budget, progress)?
            }
            Method::KInduction => {
                match k_induction(&reduced.circuit, reduced.bad, bound, budget, progress)? {
                    Induction::Other(answer) => answer,
                    Induction::Inductive(depth) => {
                        // A k-inductive property is no certificate; an inductive invariant is, and IC3 finds one.
                        match ic3(&reduced.circuit, reduced.bad, budget, progress) {
                            Ok(answer) => {
                                return Ok(Found {
                                    answer: reduced.lift(answer),
                                    depth: Some(depth),
                                    rounds: Vec::new(),
                                });
                            }
                            Err(Interrupted { spent, .. }) => {
                                return Err(unknown(format!(
                                    "the property is {depth}-inductive on simple paths, but no certificate was found: {spent}"
                                )));
                            }
                        }
                    }
                }
            }
        };
        Ok(Found {
            depth: depth_of(&answer),
            answer: reduced.lift(answer),
            rounds: Vec::new(),
        })
    }

    /// Runs IC3 on an abstraction. Only what costs nothing is left out before: the abstraction finds out what matters.
    fn run_localized(
        &self,
        bad: Signal,
        how: Localization,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Found, Obstacle> {
        let task = self.task.as_ref().expect("made before anything is asked");
        let reduced = Reduced::new(task.circuit(), bad);
        let observable = reduced.observable(&task.inputs_of_system());
        let how = (how, self.when_large);
        let found = localized(&reduced.circuit, reduced.bad, how, &observable, budget, progress);
        let rounds = task.named(&reduced, found.rounds);
        let obstacle = match found.end {
            End::Answer(answer) => {
                return Ok(Found {
                    depth: depth_of(&answer),
                    answer: reduced.lift(answer),
                    rounds,
                });
            }
            End::NoHelp => unknown(NO_HELP),
            End::Interrupted(interrupted) => Obstacle::from(interrupted),
        };
        Err(obstacle.after(rounds))
    }

    fn outcome(
        &mut self,
        found: Found,
        asked: &Asked,
        place: Reads,
        hazard: Signal,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, Obstacle> {
        let task = self.task.as_ref().expect("made before anything is asked");
        let mut outcome = match found.answer {
            SafetyAnswer::Safe(invariant) => {
                let certificate = task.certificate(&invariant);
                self.hazards_excluded = Some(certificate.clone());
                Outcome::complete(Verdict::Holds, Evidence::Invariant(certificate))
            }
            SafetyAnswer::SafeUpTo(depth) => bounded(depth),
            SafetyAnswer::Unsafe(run) => match task.ending(&run, place) {
                Ending::Error(error) => return Err(Obstacle::Model(error)),
                Ending::Violation(trace) => {
                    if let Asked::Always(_, path) = asked
                        && !self.lies_on_a_path_that_counts()
                    {
                        if self.method == Method::Glance {
                            return Err(unknown(NO_GLANCE));
                        }
                        return self.decide_path(path, budget, progress);
                    }
                    let mut outcome = Outcome::complete(Verdict::Fails, Evidence::Trace(trace));
                    if hazard != Signal::FALSE && self.hazards_excluded.is_none() {
                        outcome
                            .warnings
                            .extend(self.settle_hazards(hazard, budget, progress)?);
                    }
                    outcome
                }
            },
        };
        outcome.statistics.set_count("depth", found.depth);
        outcome.rounds = found.rounds;
        Ok(outcome)
    }

    /// Whether every reachable state is on a path that `A` ranges over.
    fn lies_on_a_path_that_counts(&self) -> bool {
        let total = self.task.as_ref().is_some_and(Task::is_total_by_shape);
        !self.system.has_fairness() && (total || !self.only_infinite_paths())
    }

    pub(crate) fn only_infinite_paths(&self) -> bool {
        matches!(self.options.dead_ends, DeadEnds::Infinite | DeadEnds::Error)
    }
}

/// An answer about the whole circuit.
pub(crate) struct Found {
    pub(crate) answer: SafetyAnswer,
    pub(crate) depth: Option<u64>,
    pub(crate) rounds: Vec<Round>,
}

fn depth_of(answer: &SafetyAnswer) -> Option<u64> {
    match answer {
        SafetyAnswer::SafeUpTo(depth) => Some(*depth),
        SafetyAnswer::Unsafe(run) => Some(run.inputs.len() as u64 - 1),
        SafetyAnswer::Safe(_) => None,
    }
}

/// No counterexample up to a depth.
pub(crate) fn bounded(depth: u64) -> Outcome {
    let mut outcome = Outcome::unknown(format!("no counterexample up to {depth} steps"));
    outcome.guarantee = Guarantee::Bounded(depth);
    outcome.statistics.set_count("depth", Some(depth));
    outcome
}

pub(crate) fn unknown(reason: impl Into<String>) -> Obstacle {
    Obstacle::Unknown(Box::new(Outcome::unknown(reason)))
}

fn has_initial_state(task: &Task<'_>, budget: &Budget) -> Result<(), Obstacle> {
    let mut unrolling = crate::unrolling::Unrolling::new(
        task.circuit(),
        &[],
        crate::unrolling::Start::Initial,
        Cadical::new(),
    );
    unrolling.extend();
    let satisfiable = unrolling.solver.satisfiable(&[], budget);
    match satisfiable {
        Ok(true) => Ok(()),
        Ok(false) => Err(Obstacle::Model(Box::new(ModelError {
            message: "the model has no initial state".into(),
            place: None,
            trace: None,
            help: Some("no state satisfies all initial conditions and invariants".into()),
        }))),
        Err(spent) => Err(unknown(spent.to_string())),
    }
}
