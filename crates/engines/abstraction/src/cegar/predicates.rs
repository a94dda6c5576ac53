//! Predicate abstraction (Graf, Saïdi 1997) with refinement by interpolants.
//!
//! The abstraction observes the property's atoms and the guards that decide what they depend on, and nothing else; the existential abstraction
//! is written down as a system ([`existential_abstraction`]) and given to other engines. A spurious counterexample adds the interpolants of its
//! contradiction as predicates, or where there are none (trees, loops that do not close) the variables that the contradiction needed.
//! Each round observes more; when all variables are observed, nothing is abstracted any more.

use super::concretise::{Concrete, concretise};
use super::engine::{
    LoopEnd, ask, has_open_end, in_words, is_total, no_initial_state, outside, transferable,
};
use super::existential::{Existential, existential_abstraction};
use super::interpolate::interpolants;
use super::parts::Parts;
use super::sketch::{Seen, Sketch, Unwinding, View, draw};
use crate::CegarEngine;
use entail_budget::{Budget, Progress, Snapshot};
use entail_evidence::{
    AbstractProof, Abstracted, Certificate, CheckOptions, DeadEnds, Engine, Evidence, Exhaustive,
    LivenessCertificate, ModelError, Notation, Outcome, Predicates, Round, Searched, Verdict,
};
use entail_logic::{Formula, Node, Property, Quantifier, Question, Unary};
use entail_model::{Op, Sort, TermId, TransitionSystem, Value, VarId, VarKind};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Predicate abstraction around other engines.
pub struct PredicateEngine {
    engines: Vec<Box<dyn Engine>>,
    /// Excludes the model's hazards first.
    hazards: CegarEngine,
}

impl PredicateEngine {
    /// Asks these engines about abstract models; `hazards` shows first that the model has a meaning.
    pub fn new(engines: Vec<Box<dyn Engine>>, hazards: CegarEngine) -> PredicateEngine {
        PredicateEngine { engines, hazards }
    }
}

/// At most so many guards are observed from the start.
const MOST_GUARDS: usize = 8;

/// Loops of abstract counterexamples are unwound at most so often before the way back is given up.
const MOST_ROUNDS_OF_A_LOOP: usize = 4;

impl Engine for PredicateEngine {
    fn name(&self) -> &'static str {
        "predicates"
    }

    fn description(&self) -> &'static str {
        "invariants, LTL and ACTL* by predicate abstraction, refined by interpolants: other engines decide what the predicates can tell apart"
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
        if let Some(reason) = outside(property, options) {
            return Ok(Outcome::unknown(reason));
        }
        let question = as_invariant(&property.question);
        let mut excluded = None;
        if !system.hazards.is_empty() {
            let mut whole = system.clone();
            let nothing = Property {
                question: Question::Invariant(whole.terms.truth(true)),
                ..property.clone()
            };
            let harmless = self.hazards.check(&whole, &nothing, options, budget, progress)?;
            match (harmless.verdict, harmless.evidence, &question) {
                (Verdict::Holds, Some(Evidence::Invariant(certificate)), Question::Invariant(_)) => {
                    excluded = Some(certificate);
                }
                (Verdict::Holds, ..) => {
                    let reason =
                        "of a model with hazards, predicate abstraction proves invariants only; try `cegar`";
                    return Ok(Outcome::unknown(reason));
                }
                (_, _, _) => {
                    let reason = harmless.reason.unwrap_or_default();
                    return Ok(Outcome::unknown(format!(
                        "the model's hazards were not excluded: {reason}"
                    )));
                }
            }
        }
        let mut loop_ = PredicateLoop::new(
            &self.engines,
            system,
            (property, question),
            excluded,
            options,
            budget,
        );
        match loop_.run(progress) {
            Ok(mut outcome) => {
                outcome.rounds = loop_.rounds;
                Ok(outcome)
            }
            Err(LoopEnd::Model(error)) => Err(*error),
            Err(LoopEnd::Unknown(reason)) => {
                let mut outcome = Outcome::unknown(reason);
                outcome.rounds = loop_.rounds;
                Ok(outcome)
            }
        }
    }
}

/// `A G p` as the question about states that it follows from.
fn as_invariant(question: &Question<TermId>) -> Question<TermId> {
    if let Question::Formula(formula) = question
        && let Node::Quantified(Quantifier::Forall, path) = formula.node()
        && let Node::Unary(Unary::Globally, interval, inner) = path.node()
        && interval.is_always()
        && let Node::Atom(atom) = inner.node()
    {
        return Question::Invariant(*atom);
    }
    question.clone()
}

struct PredicateLoop<'a> {
    engines: &'a [Box<dyn Engine>],
    /// The model, its store growing with the predicates; without hazards.
    system: TransitionSystem,
    property: &'a Property<TermId>,
    question: Question<TermId>,
    /// The property's atoms, then the predicates.
    observed: Vec<TermId>,
    excluded: Option<Certificate>,
    options: &'a CheckOptions,
    budget: &'a Budget,
    rounds: Vec<Round>,
    added: usize,
    begun: Instant,
}

impl<'a> PredicateLoop<'a> {
    fn new(
        engines: &'a [Box<dyn Engine>],
        system: &TransitionSystem,
        (property, question): (&'a Property<TermId>, Question<TermId>),
        excluded: Option<Certificate>,
        options: &'a CheckOptions,
        budget: &'a Budget,
    ) -> PredicateLoop<'a> {
        let mut system = system.clone();
        system.hazards.clear();
        let mut observed = question.atoms();
        let guards = guards(&system, &observed);
        observed.extend(guards);
        PredicateLoop {
            engines,
            system,
            property,
            question,
            added: observed.len(),
            observed,
            excluded,
            options,
            budget,
            rounds: Vec::new(),
            begun: Instant::now(),
        }
    }

    fn run(&mut self, progress: &dyn Progress) -> Result<Outcome, LoopEnd> {
        let start = Sketch {
            positions: vec![Vec::new()],
            ..Sketch::default()
        };
        let parts = Parts::new(&self.system);
        let all = vec![true; parts.len()];
        if let Concrete::Spurious(_) = concretise(&self.system, &parts, &all, &start, self.budget)? {
            return Err(no_initial_state());
        }
        loop {
            self.begun = Instant::now();
            progress.report(&Snapshot {
                phase: "refining predicates",
                depth: Some(self.rounds.len() as u64 + 1),
                ..Snapshot::default()
            });
            let mut asked = existential_abstraction(&self.system, &self.observed).map_err(|problem| {
                LoopEnd::Unknown(format!("the property cannot be observed in states: {problem}"))
            })?;
            let about_abstract = Property {
                question: asked.question(&self.question),
                ..self.property.clone()
            };
            let (engine, answer) = ask(
                self.engines,
                &asked.system,
                &about_abstract,
                self.options,
                self.budget,
                progress,
            );
            let outcome = answer.map_err(|error| {
                LoopEnd::Unknown(format!("an abstraction has an error: {}", error.message))
            })?;
            match (outcome.verdict, outcome.evidence) {
                (Verdict::Holds, Some(evidence)) => {
                    self.close_round(format!("{engine}: holds"), "so it holds of the model".to_owned());
                    let evidence = self.proof(&asked, &evidence, outcome.statistics.states())?;
                    let mut answer = Outcome::complete(Verdict::Holds, evidence);
                    answer.warnings = transferable(outcome.warnings);
                    return Ok(answer);
                }
                (Verdict::Fails, Some(evidence)) => {
                    let found = format!("{engine}: {}", in_words(&evidence));
                    if let Some(outcome) = self.counterexample(&asked, &parts, found, &evidence)? {
                        return Ok(outcome);
                    }
                }
                _ => {
                    let reason = outcome.reason.unwrap_or_default();
                    self.close_round(format!("{engine}: unknown"), reason.clone());
                    return Err(LoopEnd::Unknown(format!(
                        "with {} predicates: {reason}",
                        self.observed.len()
                    )));
                }
            }
        }
    }

    /// An abstract proof as one about the model: an inductive invariant of the model, or the proof with its abstraction.
    fn proof(
        &self,
        asked: &Existential,
        evidence: &Evidence,
        states: Option<u64>,
    ) -> Result<Evidence, LoopEnd> {
        let lost = || LoopEnd::Unknown("the abstract proof cannot be read back".to_owned());
        let read_back = |certificate: &Certificate, further: usize| {
            (asked.read_back(&self.system, &self.observed, certificate, further)).ok_or_else(lost)
        };
        if let (Evidence::Invariant(certificate), Question::Invariant(_)) = (evidence, &self.question) {
            let Certificate { mut terms, invariant } = read_back(certificate, 0)?;
            let mut conjuncts = vec![invariant];
            if let Some(excluded) = &self.excluded {
                conjuncts.extend(terms.import(&excluded.terms, &[excluded.invariant], |variable| variable));
            }
            let invariant = terms.and(conjuncts);
            return Ok(Evidence::Invariant(Certificate { terms, invariant }));
        }
        if self.excluded.is_some() || self.question != self.property.question {
            return Err(lost());
        }
        let atoms = self.question.atoms().len();
        let abstraction = Abstracted::Observed(Predicates {
            terms: self.system.terms.clone(),
            list: self.observed[atoms..].to_vec(),
        });
        let proof = match evidence {
            Evidence::Liveness(certificate) => {
                // The variables of the monitor come after those of the system that the checker makes.
                let judged = abstraction.question(&self.system, &self.question, DeadEnds::Infinite);
                let further = judged.map_err(|_| lost())?.system.variables().len();
                Evidence::Liveness(LivenessCertificate {
                    bound: certificate.bound,
                    invariant: read_back(&certificate.invariant, further)?,
                    hazards: None,
                })
            }
            Evidence::Exhaustive(claim) => Evidence::Exhaustive(*claim),
            _ => Evidence::Exhaustive(Exhaustive {
                states: states.unwrap_or_default(),
                satisfying: None,
                searched: Searched::Model,
            }),
        };
        Ok(Evidence::Abstraction(AbstractProof {
            abstraction,
            proof: Box::new(proof),
        }))
    }

    fn counterexample(
        &mut self,
        asked: &Existential,
        parts: &Parts,
        found: String,
        evidence: &Evidence,
    ) -> Result<Option<Outcome>, LoopEnd> {
        let observers: Vec<(VarId, TermId)> = (asked.observed.iter().copied())
            .zip(self.observed.iter().copied())
            .collect();
        let facts = |values: &[Option<Value>]| {
            let fact = |&(variable, term): &(VarId, TermId)| {
                Some((Seen::Term(term), values[variable.index()].clone()?))
            };
            observers.iter().filter_map(fact).collect()
        };
        let mut store = asked.system.clone();
        let atom_of: FxHashMap<TermId, TermId> = observers
            .iter()
            .map(|&(variable, term)| (store.current(variable), term))
            .collect();
        let view = View {
            facts: &facts,
            atoms: &|_, _| Vec::new(),
            formula: &|formula: &Formula<TermId>| {
                formula.map_atoms(&mut |atom| atom_of.get(atom).copied().unwrap_or(*atom))
            },
        };
        let nothing = vec![false; parts.len()];
        let mut last = None;
        for rounds in 1..=MOST_ROUNDS_OF_A_LOOP {
            let drawn = |back_to| {
                draw(&self.system, evidence, &view, Unwinding { rounds, back_to })
                    .map_err(|problem| LoopEnd::Unknown(problem.to_string()))
            };
            let open = drawn(None)?;
            // Without the way back: if not even that can be walked, no longer loop can.
            if let Concrete::Spurious(spurious) =
                concretise(&self.system, parts, &nothing, &open.sketch, self.budget)?
            {
                let dies = match spurious.dies_at {
                    None => "not an initial state".to_owned(),
                    Some(step) => format!("spurious, dies at step {}", step + 1),
                };
                let path = open.sketch.is_one_path().then(|| open.sketch.positions.clone());
                self.refine(found, dies, path, parts, &spurious.parts)?;
                return Ok(None);
            }
            for back_to in 0..rounds {
                let closed = drawn(Some(back_to))?;
                match concretise(&self.system, parts, &nothing, &closed.sketch, self.budget)? {
                    Concrete::Real(filled) => {
                        let evidence = closed.filled(&self.system, &view, &filled);
                        return self.real(found, evidence).map(Some);
                    }
                    Concrete::Spurious(spurious) => last = Some(spurious),
                }
            }
            if open.sketch.is_large() {
                break;
            }
        }
        let spurious = last.ok_or_else(|| LoopEnd::Unknown("no counterexample to try".to_owned()))?;
        let dies = "spurious: its loop does not close".to_owned();
        self.refine(found, dies, None, parts, &spurious.parts)?;
        Ok(None)
    }

    fn real(&mut self, found: String, evidence: Evidence) -> Result<Outcome, LoopEnd> {
        let is_formula = matches!(self.property.question, Question::Formula(_));
        if is_formula && has_open_end(&evidence) && (self.system.has_fairness() || !is_total(&self.system)) {
            let open = "a path of the model itself, but it may have no endless fair continuation";
            self.close_round(found, open.to_owned());
            return Err(LoopEnd::Unknown(format!("{open}; try `cegar` or `bdd`")));
        }
        self.close_round(found, "a path of the model itself".to_owned());
        Ok(Outcome::complete(Verdict::Fails, evidence))
    }

    /// Observes what excludes the counterexample.
    fn refine(
        &mut self,
        found: String,
        dies: String,
        path: Option<Vec<super::sketch::Facts>>,
        parts: &Parts,
        needed: &[usize],
    ) -> Result<(), LoopEnd> {
        self.close_round(found, dies);
        let before = self.observed.len();
        if let Some(path) = path
            && let Some(predicates) = interpolants(&mut self.system, &path, self.budget)?
        {
            self.observe(predicates);
        }
        if self.observed.len() == before {
            let variables = needed
                .iter()
                .flat_map(|&part| parts.list[part].determines.clone());
            let variables: Vec<TermId> = self.states(variables.collect());
            self.observe(variables);
        }
        if self.observed.len() == before {
            let all = self.system.state_variables().collect();
            let all = self.states(all);
            self.observe(all);
        }
        self.added = self.observed.len() - before;
        if self.added == 0 {
            return Err(LoopEnd::Unknown(
                "everything is observed, and the counterexample remains spurious".to_owned(),
            ));
        }
        Ok(())
    }

    fn states(&mut self, variables: Vec<VarId>) -> Vec<TermId> {
        let is_state = |id: &VarId| self.system.variable(*id).kind != VarKind::Input;
        let states: Vec<VarId> = variables.into_iter().filter(is_state).collect();
        states.into_iter().map(|id| self.system.current(id)).collect()
    }

    fn observe(&mut self, terms: Vec<TermId>) {
        for term in terms {
            if !self.observed.contains(&term) {
                self.observed.push(term);
            }
        }
    }

    fn close_round(&mut self, found: String, outcome: String) {
        let notation = Notation::new(&self.system);
        let name = |term: &TermId| notation.term(*term);
        let kept: Vec<String> = self.observed.iter().map(name).collect();
        self.rounds.push(Round {
            added: kept[kept.len() - self.added..].to_vec(),
            kept,
            size: format!("{} predicates", self.observed.len()),
            found,
            outcome,
            seconds: self.begun.elapsed().as_secs_f64(),
        });
    }
}

/// The conditions of cases about states that decide the next values of what the terms read: the guards of the initial abstraction.
fn guards(system: &TransitionSystem, terms: &[TermId]) -> Vec<TermId> {
    let (read, _) = system.terms.support(terms);
    let mut found = Vec::new();
    for &conjunct in &system.transition {
        let (_, next) = system.terms.support(&[conjunct]);
        if !next.iter().any(|variable| read.contains(variable)) {
            continue;
        }
        for term in system.terms.cone(&[conjunct]) {
            if *system.terms.op(term) != Op::Ite {
                continue;
            }
            let guard = system.terms.operands(term)[0];
            let (current, next) = system.terms.support(&[guard]);
            let about_states = next.is_empty()
                && current
                    .iter()
                    .all(|&id| system.variable(id).kind != VarKind::Input)
                && *system.terms.sort(guard) == Sort::Bool;
            if about_states && !terms.contains(&guard) && !found.contains(&guard) && found.len() < MOST_GUARDS
            {
                found.push(guard);
            }
        }
    }
    found
}
