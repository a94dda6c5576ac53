//! Checking on an abstract model, and splitting what leaves the answer open.
//!
//! A round builds the modal system of the abstraction, evaluates the property on it with three truth values, and ends with *holds* if it is
//! true in all initial abstract states, *fails* if it is false in one (each stands for some concrete initial state). Otherwise, if that is
//! asked for, the cause of the unknown becomes one more observation: the atom nobody knows, or "has a successor in that abstract state".
//! Either splits an abstract state properly, so that on a finite model the rounds end; hyper-transitions are inherited, so that what was known
//! stays known.

use super::classes::Classes;
use super::construction::{MaySteps, Wanted, construct};
use super::evaluation::Modalities;
use super::explain::Explainer;
use super::labels::{Label, is_about_steps, labels};
use super::options::{AbstractOptions, Mode, States};
use super::question::{asked, propositions};
use super::split::{Split, split};
use entail_budget::{Budget, Progress, Snapshot};
use entail_dd::Bdd;
use entail_evidence::{
    CheckOptions, DeadEnds, Engine, Evidence, ModalModel, ModelError, Notation, Outcome, Round, Verdict,
    Warning, WarningKind,
};
use entail_fixpoint::EvaluateError;
use entail_logic::{Property, Question};
use entail_model::{Abstraction, Kmts, Observation, TermId, TransitionSystem};
use entail_symbolic::{Attempt, NotComputed, StateSpace};
use std::time::Instant;

/// Decides CTL, invariants and the mu-calculus on abstract models.
#[derive(Clone, Debug, Default)]
pub struct AbstractEngine {
    /// How the model is abstracted.
    pub options: AbstractOptions,
}

impl Engine for AbstractEngine {
    fn name(&self) -> &'static str {
        "abstract"
    }

    fn description(&self) -> &'static str {
        "finite-state models; CTL, invariants, mu-calculus on abstract states: may and must steps, three truth values, refinement"
    }

    /// The user's observations are terms of the whole model.
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
        let mut rounds = Vec::new();
        let outcome = self.decide(system, property, options, budget, progress, &mut rounds);
        let mut outcome = match outcome {
            Ok(outcome) => outcome,
            Err(NotComputed::Model(error)) => return Err(*error),
            Err(NotComputed::Unsupported(reason)) => Outcome::unknown(reason),
            Err(NotComputed::Diagram(error)) => {
                Outcome::unknown(format!("{error} in round {}", rounds.len() + 1))
            }
        };
        outcome.rounds = rounds;
        Ok(outcome)
    }
}

/// What stays the same in all rounds.
struct Task<'t> {
    system: &'t TransitionSystem,
    budget: &'t Budget,
    labels: Vec<Label>,
    warnings: Vec<Warning>,
}

impl AbstractEngine {
    fn decide(
        &self,
        system: &TransitionSystem,
        property: &Property<TermId>,
        options: &CheckOptions,
        budget: &Budget,
        progress: &dyn Progress,
        rounds: &mut Vec<Round>,
    ) -> Attempt<Outcome> {
        // Whether the question can be asked at all does not depend on the abstraction.
        let asked = asked(system, &property.question).map_err(NotComputed::Unsupported)?;
        let atoms = atoms_of_states(system, &property.question)?;
        let mut space = StateSpace::open(system, options, &self.options.diagrams, budget)?;
        space.watch(budget);
        let (universe, warnings) =
            self.universe(&mut space, system, property, options, (budget, progress))?;
        let task = Task {
            system,
            budget,
            labels: labels(system, &space, &propositions(system, &property.question))?,
            warnings,
        };
        let abstraction = self.first_abstraction(system, &atoms);
        let mut classes = Classes::new(&mut space, system.terms.clone(), &abstraction, universe)?;
        let mut added: Vec<String> = names(&abstraction);
        let mut coarser = None;
        let mut relation = self.options.relation;
        let mut hazards_excluded = system.hazards.is_empty();
        loop {
            let begun = Instant::now();
            let wanted = Wanted {
                relation,
                must: self.options.mode != Mode::May,
                stutters: options.dead_ends == DeadEnds::Stutter,
                labels: &task.labels,
                coarser: coarser.as_ref(),
            };
            let kmts = construct(&mut classes, &wanted, budget)?;
            progress.report(&Snapshot {
                phase: "abstract states",
                depth: Some(rounds.len() as u64 + 1),
                states: Some(kmts.state_count() as u64),
                frontier: None,
                nodes: Some(classes.space.manager().statistics().nodes as u64),
            });
            if !hazards_excluded {
                if task.may_meet_hazards(&classes)? {
                    classes.space.reachable(budget, progress)?;
                }
                hazards_excluded = true;
            }
            let explainer = Explainer {
                mode: self.options.mode,
                classes: &classes,
                kmts: &kmts,
                asked: &asked,
                system,
                labels: &task.labels,
            };
            if self.options.mode != Mode::ThreeValued
                && let Some(reason) = explainer.inappropriate(atoms.len())
            {
                return Ok(Outcome::unknown(reason));
            }
            let finding = asked.decide(&kmts, self.modalities(), budget)?;
            let verdict = finding.verdict;
            let mut round = Round {
                kept: names(&classes.abstraction),
                added: std::mem::take(&mut added),
                size: explainer.size(),
                found: explainer.found(verdict),
                outcome: String::new(),
                seconds: 0.0,
            };
            if verdict != Verdict::Unknown {
                round.outcome = "so it does in the model".into();
                round.seconds = begun.elapsed().as_secs_f64();
                rounds.push(round);
                let mut outcome = Outcome::complete(verdict, task.evidence(&classes, kmts));
                task.annotate(&mut outcome, &classes, rounds.len());
                return Ok(outcome);
            }
            let reason = explainer.reason(&finding);
            let split = match finding.cause.filter(|_| self.options.refine) {
                Some(blamed) => {
                    let splitting = self.options.splitting;
                    split(&mut classes, &task.labels, blamed, splitting, rounds.len())?
                }
                None => Split::Nothing,
            };
            round.outcome = split_in_words(&split, &reason.short);
            round.seconds = begun.elapsed().as_secs_f64();
            rounds.push(round);
            let coarse = classes.coarser(kmts);
            match split {
                Split::By(observation) => {
                    added.push(observation.name.to_string());
                    if classes.observe(observation)? {
                        coarser = Some(coarse);
                        continue;
                    }
                }
                Split::NoSuchStep if relation == MaySteps::Approximated => {
                    relation = MaySteps::Exact;
                    coarser = Some(coarse);
                    continue;
                }
                Split::NoSuchStep | Split::Nothing => {}
            }
            let mut outcome = Outcome::unknown(reason.long);
            task.annotate(&mut outcome, &classes, rounds.len());
            outcome
                .statistics
                .set_count("states", Some(coarse.kmts.state_count() as u64));
            return Ok(outcome);
        }
    }

    /// The steps that count.
    fn modalities(&self) -> Modalities {
        match self.options.mode {
            Mode::Must => Modalities::MustOnly,
            _ => Modalities::Both,
        }
    }

    /// The states that abstract states stand for, and what the user should know about those that are left out: formulas are about infinite
    /// paths.
    fn universe(
        &self,
        space: &mut StateSpace<'_>,
        system: &TransitionSystem,
        property: &Property<TermId>,
        options: &CheckOptions,
        (budget, progress): (&Budget, &dyn Progress),
    ) -> Attempt<(Bdd, Vec<Warning>)> {
        let universe = match (self.options.states, options.dead_ends) {
            (States::All, DeadEnds::Infinite | DeadEnds::Maximal | DeadEnds::Stutter) => {
                space.states().clone()
            }
            _ => space.reachable(budget, progress)?,
        };
        let mut warnings = Vec::new();
        if !matches!(property.question, Question::Formula(_)) {
            return Ok((universe, warnings));
        }
        let live = with_infinite_paths(space, &universe, budget)?;
        if live != universe && options.dead_ends == DeadEnds::Maximal {
            return Err(NotComputed::Unsupported(
                "some paths end, and are to count: abstract models have only infinite ones".into(),
            ));
        }
        if live != universe {
            if !system.hazards.is_empty() {
                // They may be met on the paths that end, of which abstract states say nothing.
                space.reachable(budget, progress)?;
            }
            let text =
                "from some state (perhaps not a reachable one) all paths end; only infinite paths count";
            warnings.push(Warning::new(WarningKind::DeadEnd, text));
        }
        if live.is_disjoint_from(space.initial())? {
            let text = "no infinite path starts in an initial state: the property holds of nothing";
            warnings.push(Warning::new(WarningKind::NoFairPath, text));
        }
        Ok((live, warnings))
    }

    /// What is observed in the first round: what the user says and, where it is to be refined or nothing is said, the atoms of the property.
    fn first_abstraction(&self, system: &TransitionSystem, atoms: &[TermId]) -> Abstraction {
        let mut abstraction = self.options.abstraction.clone();
        if self.options.refine || abstraction.observations.is_empty() {
            for &atom in atoms {
                abstraction.add(Observation {
                    name: Notation::new(system).term(atom).into(),
                    term: atom,
                });
            }
        }
        abstraction
    }
}

/// The atoms of a question, all of which must be about states.
fn atoms_of_states(system: &TransitionSystem, question: &Question<TermId>) -> Attempt<Vec<TermId>> {
    let atoms = question.atoms();
    match atoms.iter().find(|&&atom| is_about_steps(system, atom)) {
        None => Ok(atoms),
        Some(&atom) => {
            let atom = Notation::new(system).term(atom);
            Err(NotComputed::Unsupported(format!(
                "`{atom}` is about inputs or next values, which abstract states do not have"
            )))
        }
    }
}

/// What is done about an unknown answer, after why it is unknown.
fn split_in_words(split: &Split, reason: &str) -> String {
    match split {
        Split::By(observation) => format!("{reason}; split by {}", observation.name),
        Split::NoSuchStep => format!("{reason}; it is not there, steps are computed exactly now"),
        Split::Nothing => reason.to_owned(),
    }
}

impl Task<'_> {
    /// Whether some abstract state stands for one in which a hazard can be met.
    fn may_meet_hazards(&self, classes: &Classes<'_, '_>) -> Attempt<bool> {
        let space = &*classes.space;
        for hazard in &self.system.hazards {
            let condition = space.condition(&self.system.terms, hazard.condition)?;
            let looks_ahead = !self.system.terms.support(&[hazard.condition]).1.is_empty();
            let bad: Bdd = match looks_ahead {
                true => space.states_before(&condition)?,
                false => space.states_choosing(&condition)?,
            };
            for gamma in &classes.gammas {
                self.budget.check()?;
                if !gamma.is_disjoint_from(&bad)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn evidence(&self, classes: &Classes<'_, '_>, kmts: Kmts) -> Evidence {
        Evidence::Modal(Box::new(ModalModel::new(
            &classes.terms,
            &classes.abstraction,
            classes.tuples.clone(),
            kmts,
            self.labels.iter().map(|label| label.atom).collect(),
        )))
    }

    fn annotate(&self, outcome: &mut Outcome, classes: &Classes<'_, '_>, rounds: usize) {
        outcome
            .statistics
            .set_count("states", Some(classes.tuples.len() as u64));
        outcome.statistics.set_count("depth", Some(rounds as u64));
        outcome.statistics.set_count(
            "peak_nodes",
            Some(classes.space.manager().statistics().peak_nodes as u64),
        );
        outcome.warnings = self.warnings.clone();
    }
}

/// The states of a set from which an infinite path stays in it.
fn with_infinite_paths(space: &StateSpace<'_>, states: &Bdd, budget: &Budget) -> Attempt<Bdd> {
    let mut live = states.clone();
    loop {
        budget.check_now()?;
        let still = live.and(&space.preimage(&live)?)?;
        if still == live {
            return Ok(live);
        }
        live = still;
    }
}

fn names(abstraction: &Abstraction) -> Vec<String> {
    let names = abstraction.observations.iter();
    names.map(|observation| observation.name.to_string()).collect()
}

pub(crate) fn stopped(error: EvaluateError<entail_budget::Spent>) -> NotComputed {
    match error {
        EvaluateError::Region(spent) => spent.into(),
        other => NotComputed::Unsupported(other.to_string()),
    }
}
