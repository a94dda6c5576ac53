//! Deciding properties: engines, then checkers, then the answer.
//!
//! For each property the schedule's engines take turns, or race in processes of their own, until one decides. Its evidence goes to
//! the checkers before anybody sees the verdict. Sessions live across properties, so that what an engine learned about the model is not learned twice.
//!
//! **Time.** A limit for the whole run is shared so that no property starves the others: each may use half of what is left, the
//! last one all of it; `property_timeout` limits each one besides. Checking evidence is paid from the same budget.

use crate::Model;
use crate::choose::{EngineSettings, Runner, Shape, Turn, engines_with, schedule};
use crate::internal::{Fault, InternalError, caught};
use crate::portfolio::{Finish, Launcher, Portfolio};
use crate::sessions::{Sessions, Subject};
use crate::slice::Slices;
use entail_budget::{Budget, Cancellation, Progress};
use entail_evidence::{
    Because, CheckOptions, CheckReport, Evidence, Explanation, ModelError, Outcome, Verdict, check_outcome,
};
use entail_logic::{Formula, Node, Property, Quantifier, Question, Unary};
use entail_model::{TermId, TransitionSystem};
use entail_proof::{KnownInvariant, Refusal, check_invariant_once};
use std::time::{Duration, Instant};

/// What is to be decided, and what it may cost.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Positions of the properties in [`Model::properties`].
    pub properties: Vec<usize>,
    /// The engine; none lets Entail choose.
    pub engine: Option<String>,
    /// What engines are told.
    pub options: CheckOptions,
    /// What single engines are told.
    pub settings: EngineSettings,
    /// Time for the whole run.
    pub timeout: Option<Duration>,
    /// Time for each property.
    pub property_timeout: Option<Duration>,
    /// Resident memory of the process, in bytes.
    pub memory: Option<u64>,
    /// The same where nobody asked for a limit.
    pub default_memory: Option<u64>,
    /// The switch that stops everything.
    pub cancellation: Cancellation,
    /// Whether evidence whose check takes long is checked to the end.
    pub rechecking: Rechecking,
    /// Whether engines see the whole model.
    pub slicing: Slicing,
    /// How processes for racing engines are started; without it engines take turns in this process.
    pub launcher: Option<Launcher>,
    /// A mistake that is to be made about the property at this position.
    pub fault: Option<(usize, Fault)>,
}

impl Request {
    /// The limits of memory and the switch, and this much time.
    pub(crate) fn budget(&self, time: Option<Duration>) -> Budget {
        Budget::unlimited()
            .with_timeout(time)
            .with_memory(self.memory)
            .with_default_memory(self.default_memory)
            .with_cancellation(self.cancellation.clone())
    }
}

/// Which part of the model a property is asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Slicing {
    /// What the property depends on, where that is notably smaller than the model.
    #[default]
    Cone,
    /// The model.
    Whole,
}

/// How long checking an answer's evidence may take. Only exhaustive claims and large proofs ever take long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Rechecking {
    /// In proportion to the time that finding the answer took; what is left unchecked is said.
    #[default]
    WhileItPays,
    /// As long as the time limits allow.
    ToTheEnd,
    /// Not at all, which the answer says.
    Never,
}

/// The answer to one property.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Position of the property in [`Model::properties`].
    pub property: usize,
    /// The engine that answered, or was last tried.
    pub engine: &'static str,
    /// Why this engine was tried.
    pub chosen_because: &'static str,
    /// What it said.
    pub outcome: Outcome,
    /// What the checkers said about its evidence; none for an unknown verdict.
    pub checked: Option<CheckReport>,
    /// Seconds for finding the answer and checking it.
    pub seconds: f64,
    /// The mistake of Entail's because of which the answer is unknown.
    pub internal: Option<InternalError<Outcome>>,
}

impl Answer {
    /// No answer, and why.
    pub fn unknown(property: usize, engine: &'static str, reason: impl Into<String>) -> Answer {
        Answer {
            property,
            engine,
            chosen_because: "",
            outcome: Outcome::unknown(reason),
            checked: None,
            seconds: 0.0,
            internal: None,
        }
    }

    /// No answer, since the engine panicked.
    fn panicked(property: usize, engine: &'static str, message: &str) -> Answer {
        let mut answer = Answer::unknown(property, engine, "");
        answer.retract(format!("the engine `{engine}` panicked: {message}"));
        answer
    }

    /// Takes back what is claimed: it is a mistake.
    fn retract(&mut self, message: String) {
        let unknown = Outcome::unknown(format!("internal error: {message}"));
        let claim = std::mem::replace(&mut self.outcome, unknown);
        self.internal = Some(InternalError {
            message,
            claim: (claim.verdict != Verdict::Unknown).then(|| Box::new(claim)),
        });
        self.checked = None;
    }
}

/// Why there is no answer at all.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There is no engine of this name.
    #[error("there is no engine `{name}`; there are: {}", crate::engine_names().join(", "))]
    NoSuchEngine {
        /// The name asked for.
        name: String,
    },
    /// The model has no meaning.
    #[error("{0}")]
    Model(ModelError),
    /// Workers of a cluster could not work together.
    #[error("the workers cannot work together: {0}")]
    Cluster(String),
}

/// Decides the requested properties in order, calling `on_answer` as each is decided.
pub fn check(
    model: &Model,
    request: &Request,
    progress: &dyn Progress,
    mut on_answer: impl FnMut(&Answer),
) -> Result<Vec<Answer>, Failure> {
    let mut answers = Vec::with_capacity(request.properties.len());
    check_each(model, request, progress, |answer| {
        on_answer(&answer);
        answers.push(answer);
    })?;
    Ok(answers)
}

/// The same, handing out the answers.
pub fn check_each(
    model: &Model,
    request: &Request,
    progress: &dyn Progress,
    mut on_answer: impl FnMut(Answer),
) -> Result<(), Failure> {
    let system = model.system();
    let engines = engines_with(&request.settings);
    let asked_for = match &request.engine {
        None => None,
        Some(name) => {
            let engine = engines
                .iter()
                .find(|engine| engine.name() == name)
                .ok_or_else(|| Failure::NoSuchEngine { name: name.clone() })?;
            Some(Turn::alone(engine.name(), None, "asked for"))
        }
    };
    let subject = Subject::new(system);
    let slices = Slices::new(&subject, model.properties(), request);
    let mut sessions = Sessions::new(&engines, &subject, &slices, &request.options);
    // A bound means something else to every engine: no race then.
    let launcher = request
        .launcher
        .clone()
        .filter(|_| request.options.bound.is_none());
    let racing = launcher.is_some();
    let mut portfolio = launcher.map(Portfolio::new);
    let slots = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MOST_AT_ONCE);
    let shape = Shape::of(system, model.language().is_circuit());

    let mut given_up: Vec<Runner> = Vec::new();
    let mut too_large_to_repeat = false;
    let mut known = KnownInvariant::default();
    let started = Instant::now();
    for (done, &position) in request.properties.iter().enumerate() {
        let share = request.timeout.map(|whole| {
            let left = whole.saturating_sub(started.elapsed());
            if done + 1 == request.properties.len() {
                left
            } else {
                left / 2
            }
        });
        let limit = [share, request.property_timeout].into_iter().flatten().min();
        let property = &model.properties()[position];
        let begun = Instant::now();
        let mut answer: Option<Answer> = None;
        let turns = match &asked_for {
            Some(turn) => vec![turn.clone()],
            None => schedule(property, shape, racing),
        };
        // A short turn that was not enough for two properties is left out for later ones: what it lacks is time for the model.
        // (The last turn of a schedule has no limit of its own, so somebody is always left.)
        for Turn { runners, because } in turns {
            let failures = |runner: &Runner| given_up.iter().filter(|other| *other == runner).count();
            if matches!(runners.as_slice(), [runner] if failures(runner) >= MOST_FAILURES) {
                continue;
            }
            let left = limit.map(|limit| limit.saturating_sub(begun.elapsed()));
            let (engine, outcome) = match (runners.as_slice(), &mut portfolio) {
                ([_, _, ..], Some(portfolio)) => {
                    let subject = (subject.of(property), property, position);
                    match portfolio.race(subject, runners, slots, left, &request.cancellation, progress) {
                        Finish::Answer(engine, outcome) => (engine, *outcome),
                        Finish::Error(error) => return Err(Failure::Model(*error)),
                        Finish::Panicked(engine, message) => {
                            answer = Some(Answer::panicked(position, engine, &message));
                            break;
                        }
                    }
                }
                _ => {
                    let runner = runners[0];
                    let budget = request.budget([left, runner.at_most].into_iter().flatten().min());
                    let asked = caught(|| {
                        if request.fault == Some((position, Fault::Panic)) {
                            panic!("a fault that was asked for");
                        }
                        sessions.ask(runner.engine, (position, property), &budget, progress)
                    });
                    let mut outcome = match asked {
                        Ok(outcome) => outcome.map_err(Failure::Model)?,
                        Err(message) => {
                            sessions.abandon(runner.engine);
                            answer = Some(Answer::panicked(position, runner.engine, &message));
                            break;
                        }
                    };
                    if request.fault == Some((position, Fault::Lie)) {
                        outcome.verdict = opposite(outcome.verdict);
                    }
                    let spent = runner.at_most.is_some() && budget.check_now().is_err();
                    if outcome.verdict == Verdict::Unknown && spent {
                        given_up.push(runner);
                    }
                    (runner.engine, outcome)
                }
            };
            let decided = outcome.verdict != Verdict::Unknown;
            answer = Some(Answer {
                property: position,
                engine,
                chosen_because: because,
                outcome,
                checked: None,
                seconds: 0.0,
                internal: None,
            });
            if decided || request.cancellation.is_cancelled() {
                break;
            }
        }
        let mut answer = answer.expect("every schedule has at least one engine");
        if answer.outcome.verdict != Verdict::Unknown {
            let exhaustive = is_bare_claim(&answer.outcome);
            let patience = match request.rechecking {
                Rechecking::WhileItPays if claims_a_search(&answer.outcome) => {
                    Some(REPEAT_AT_LEAST + begun.elapsed() / 2)
                }
                Rechecking::WhileItPays => Some(PROVE_AT_LEAST + begun.elapsed()),
                Rechecking::ToTheEnd | Rechecking::Never => None,
            };
            let left = limit.map(|limit| limit.saturating_sub(begun.elapsed()));
            let budget = request.budget([left, patience].into_iter().flatten().min());
            let report = if request.rechecking == Rechecking::Never {
                Ok(CheckReport::Partly {
                    unchecked: vec![NOT_ASKED_FOR.to_owned()],
                })
            } else if exhaustive && too_large_to_repeat {
                Ok(CheckReport::Partly {
                    unchecked: vec![NOT_REPEATED.to_owned()],
                })
            } else {
                caught(|| {
                    check_evidence_once(
                        subject.of(property),
                        property,
                        &answer.outcome,
                        &request.options,
                        &mut known,
                        &budget,
                    )
                })
            };
            let engine = answer.engine;
            match report {
                Ok(CheckReport::Rejected { reason }) => {
                    answer.retract(format!(
                        "the evidence of the engine `{engine}` was rejected: {reason}"
                    ));
                }
                Ok(report) => {
                    too_large_to_repeat |= exhaustive && !report.is_accepted() && budget.check_now().is_err();
                    answer.checked = Some(report);
                }
                Err(message) => {
                    known = KnownInvariant::default();
                    answer.retract(format!(
                        "the checker of the evidence of the engine `{engine}` panicked: {message}"
                    ));
                }
            }
        }
        answer.seconds = begun.elapsed().as_secs_f64();
        on_answer(answer);
    }
    Ok(())
}

fn opposite(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Holds => Verdict::Fails,
        Verdict::Fails => Verdict::Holds,
        Verdict::Unknown => Verdict::Unknown,
    }
}

/// A short turn that failed so often is left out.
const MOST_FAILURES: usize = 2;

/// Engines that race at once, where there are so many cores.
const MOST_AT_ONCE: usize = 2;

/// What is said of all answers where nobody wants them checked.
const NOT_ASKED_FOR: &str = "the evidence (as asked)";

/// What is said of an exhaustive claim when repeating an earlier one took too long.
const NOT_REPEATED: &str = "the search of all reachable states (it took too long for an earlier property)";

/// Repeating an exhaustive search naively may take far longer than the search. It may take this, and half of what the engine took.
const REPEAT_AT_LEAST: Duration = Duration::from_millis(300);

/// What checking a proof or a tree may take, besides the time the engine took.
const PROVE_AT_LEAST: Duration = Duration::from_secs(2);

/// Whether the evidence is nothing but the claim that everything was searched.
fn is_bare_claim(outcome: &Outcome) -> bool {
    match &outcome.evidence {
        Some(Evidence::Exhaustive(_)) => true,
        Some(Evidence::Explanation(tree)) => matches!(tree.because, Because::Exhaustion),
        _ => false,
    }
}

/// Whether some part of the evidence is such a claim.
fn claims_a_search(outcome: &Outcome) -> bool {
    fn claims(tree: &Explanation) -> bool {
        match &tree.because {
            Because::Exhaustion => true,
            Because::Evaluation => false,
            Because::Operands(operands) => operands.iter().any(claims),
            Because::Path(witness) => witness.notes.iter().any(|note| claims(&note.explanation)),
        }
    }
    match &outcome.evidence {
        Some(Evidence::Explanation(tree)) => claims(tree),
        _ => is_bare_claim(outcome),
    }
}

/// Has an outcome's evidence checked by code that shares nothing with the engine.
pub(crate) fn check_evidence(
    system: &TransitionSystem,
    property: &Property<TermId>,
    outcome: &Outcome,
    options: &CheckOptions,
    budget: &Budget,
) -> CheckReport {
    let known = &mut KnownInvariant::default();
    check_evidence_once(system, property, outcome, options, known, budget)
}

/// The same; an invariant that is known already is not proved inductive again.
fn check_evidence_once(
    system: &TransitionSystem,
    property: &Property<TermId>,
    outcome: &Outcome,
    options: &CheckOptions,
    known: &mut KnownInvariant,
    budget: &Budget,
) -> CheckReport {
    if let Some(Evidence::Invariant(certificate)) = &outcome.evidence
        && let Some(safe) = proved_by_invariant(&property.question)
        && outcome.verdict == Verdict::Holds
    {
        return judged(check_invariant_once(system, certificate, safe, known, budget));
    }
    if let Some(Evidence::Liveness(certificate)) = &outcome.evidence
        && let Question::Formula(formula) = &property.question
        && let Node::Quantified(Quantifier::Forall, path) = formula.node()
        && outcome.verdict == Verdict::Holds
    {
        let dead_ends = options.dead_ends;
        return judged(entail_proof::check_liveness(
            system,
            certificate,
            path,
            dead_ends,
            budget,
        ));
    }
    if let Some(Evidence::Abstraction(abstract_proof)) = &outcome.evidence
        && outcome.verdict == Verdict::Holds
        && !matches!(*abstract_proof.proof, Evidence::Exhaustive(_))
    {
        let abstraction = &abstract_proof.abstraction;
        return match abstraction.question(system, &property.question, options.dead_ends) {
            Err(report) => report,
            Ok(asked) => {
                let property = Property {
                    question: asked.question,
                    ..property.clone()
                };
                let holds = Outcome::complete(Verdict::Holds, (*abstract_proof.proof).clone());
                check_evidence(&asked.system, &property, &holds, options, budget)
            }
        };
    }
    check_outcome(system, property, outcome, options, budget)
}

/// What the SAT-based checkers say, as a report.
fn judged(verdict: Result<(), Refusal>) -> CheckReport {
    match verdict {
        Ok(()) => CheckReport::Accepted,
        Err(Refusal::NotEncoded(what)) => CheckReport::Partly {
            unchecked: vec![what],
        },
        Err(Refusal::Spent(spent)) => CheckReport::Partly {
            unchecked: vec![spent.to_string()],
        },
        Err(refusal) => CheckReport::Rejected {
            reason: refusal.to_string(),
        },
    }
}

/// The term that an inductive invariant has to imply: the property is that this term is true in every reachable state, or
/// follows from it.
fn proved_by_invariant(question: &Question<TermId>) -> Option<TermId> {
    let always = |formula: &Formula<TermId>| match formula.node() {
        Node::Unary(Unary::Globally, interval, inner) if interval.is_always() => match inner.node() {
            Node::Atom(atom) => Some(*atom),
            _ => None,
        },
        _ => None,
    };
    match question {
        Question::Invariant(atom) => Some(*atom),
        Question::Formula(formula) => match formula.node() {
            Node::Quantified(Quantifier::Forall, path) => always(path),
            _ => None,
        },
        _ => None,
    }
}
