//! Checking on an abstract model, and splitting what leaves the answer open.
//!
//! A round builds the modal system of the abstraction, evaluates the property on it with three truth values, and ends with *holds* if it is
//! true in all initial abstract states, *fails* if it is false in one (each stands for some concrete initial state). Otherwise, if that is
//! asked for, the cause of the unknown becomes one more observation: the atom nobody knows, or "has a successor in that abstract state".
//! Either splits an abstract state properly, so that on a finite model the rounds end; hyper-transitions are inherited, so that what was known
//! stays known.

use super::cause::{Cause, cause};
use super::classes::Classes;
use super::construction::{Label, Relation, Wanted, construct};
use super::evaluation::{Known, Modalities, three_valued};
use super::explain::Explainer;
use super::question::to_mu;
use entail_budget::{Budget, Progress, Snapshot};
use entail_dd::Bdd;
use entail_evidence::{
    CheckOptions, DeadEnds, Engine, Evidence, ModalModel, ModelError, Outcome, Round, Verdict,
};
use entail_fixpoint::EvaluateError;
use entail_logic::Property;
use entail_logic::mu::Mu;
use entail_model::{Abstraction, Kmts, Observation, TermId, TransitionSystem, VarKind};
use entail_symbolic::{Attempt, StateSpace, Stop, SymbolicOptions};
use std::sync::Arc;
use std::time::Instant;

/// Which verdicts are wanted of an abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Existential abstraction: only steps that may be there. Proves formulas about all paths.
    May,
    /// Only steps that must be there. Proves formulas about some path.
    Must,
    /// Both, and a third truth value for what neither shows.
    #[default]
    ThreeValued,
}

/// Which concrete states an abstract state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum States {
    /// All that satisfy the model's invariants.
    #[default]
    All,
    /// Only the reachable ones, which are computed first.
    Reachable,
}

/// How far a new observation reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Splitting {
    /// It splits every abstract state that it can split.
    #[default]
    All,
    /// It splits only the state that is to blame.
    One,
}

/// How the model is abstracted.
#[derive(Clone, Debug)]
pub struct AbstractOptions {
    /// What is observed, in terms of the model's store.
    pub abstraction: Abstraction,
    /// Which verdicts are wanted.
    pub mode: Mode,
    /// How the relation is computed.
    pub relation: Relation,
    /// Which concrete states count.
    pub states: States,
    /// Whether abstract states are split when the answer is unknown. If so, the property's atoms are observed, too.
    pub refine: bool,
    /// How far a split reaches.
    pub splitting: Splitting,
    /// Settings of decision diagrams.
    pub diagrams: SymbolicOptions,
}

impl Default for AbstractOptions {
    fn default() -> AbstractOptions {
        AbstractOptions {
            abstraction: Abstraction::default(),
            mode: Mode::default(),
            relation: Relation::default(),
            states: States::default(),
            refine: true,
            splitting: Splitting::default(),
            diagrams: SymbolicOptions::default(),
        }
    }
}

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
            Err(Stop::Model(error)) => return Err(*error),
            Err(Stop::Unsupported(reason)) => Outcome::unknown(reason),
            Err(Stop::Diagram(error)) => Outcome::unknown(format!("{error} in round {}", rounds.len() + 1)),
        };
        outcome.rounds = rounds;
        Ok(outcome)
    }
}

/// What stays the same in all rounds.
struct Task<'t> {
    system: &'t TransitionSystem,
    property: &'t Property<TermId>,
    dead_ends: DeadEnds,
    budget: &'t Budget,
    labels: Vec<Label>,
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
        to_mu(system, &property.question, options.dead_ends, true).map_err(Stop::Unsupported)?;
        let atoms = property.question.atoms();
        if let Some(&atom) = atoms.iter().find(|&&atom| is_about_steps(system, atom)) {
            let atom = entail_evidence::Notation::new(system).term(atom);
            return Err(Stop::Unsupported(format!(
                "`{atom}` is about inputs or next values, which abstract states do not have"
            )));
        }
        let mut space = StateSpace::open(system, options, &self.options.diagrams, budget)?;
        space.watch(budget);
        let universe = match (self.options.states, options.dead_ends) {
            (States::All, DeadEnds::Infinite | DeadEnds::Maximal | DeadEnds::Stutter) => {
                space.states().clone()
            }
            _ => space.reachable(budget, progress)?,
        };
        let mut task = Task {
            system,
            property,
            dead_ends: options.dead_ends,
            budget,
            labels: Vec::new(),
        };
        for &atom in &atoms {
            let states = space.condition(&system.terms, atom)?;
            task.labels.push(Label {
                atom,
                possible: states.clone(),
                holds: states,
            });
        }
        for &atom in system.justice.iter().filter(|atom| !atoms.contains(atom)) {
            let condition = space.condition(&system.terms, atom)?;
            task.labels.push(match is_about_steps(system, atom) {
                true => Label {
                    atom,
                    holds: space.manager().zero(),
                    possible: space.states_before(&condition)?,
                },
                false => Label {
                    atom,
                    possible: condition.clone(),
                    holds: condition,
                },
            });
        }
        let mut abstraction = self.options.abstraction.clone();
        if self.options.refine || abstraction.observations.is_empty() {
            for &atom in &atoms {
                abstraction.add(Observation {
                    name: entail_evidence::Notation::new(system).term(atom).into(),
                    term: atom,
                });
            }
        }
        let mut classes = Classes::new(&mut space, system.terms.clone(), &abstraction, universe)?;
        let mut added: Vec<String> = names(&abstraction);
        let mut coarser = None;
        let mut hazards_excluded = system.hazards.is_empty();
        loop {
            let begun = Instant::now();
            let wanted = Wanted {
                relation: self.options.relation,
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
            let total = task.is_total(&classes)?;
            let question = to_mu(system, &property.question, options.dead_ends, total);
            let formula = task.by_position(&question.map_err(Stop::Unsupported)?);
            let modalities = match self.options.mode {
                Mode::Must => Modalities::MustOnly,
                _ => Modalities::Both,
            };
            let explainer = Explainer {
                mode: self.options.mode,
                classes: &classes,
                kmts: &kmts,
                formula: &formula,
                system,
                labels: &task.labels,
            };
            if self.options.mode != Mode::ThreeValued
                && let Some(reason) = explainer.inappropriate(atoms.len())
            {
                return Ok(Outcome::unknown(reason));
            }
            let known = three_valued(&kmts, &formula, modalities, budget).map_err(stopped)?;
            let verdict = verdict(&kmts, &known);
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
                task.annotate(&mut outcome, &classes, rounds.len(), total);
                return Ok(outcome);
            }
            let state = kmts
                .initial()
                .iter()
                .copied()
                .find(|&state| known.at(state).is_none());
            let blamed = match state {
                Some(state) => cause(&kmts, &formula, modalities, state, budget).map_err(stopped)?,
                None => None,
            };
            let reason = explainer.reason(&known, blamed, budget)?;
            let split = match blamed.filter(|_| self.options.refine) {
                Some(blamed) => split(
                    &mut classes,
                    &task.labels,
                    blamed,
                    self.options.splitting,
                    rounds.len(),
                )?,
                None => None,
            };
            round.outcome = match &split {
                Some(observation) => format!("{}; split by {}", reason.short, observation.name),
                None => reason.short.clone(),
            };
            round.seconds = begun.elapsed().as_secs_f64();
            rounds.push(round);
            let Some(observation) = split else {
                let mut outcome = Outcome::unknown(reason.long);
                task.annotate(&mut outcome, &classes, rounds.len(), total);
                return Ok(outcome);
            };
            added.push(observation.name.to_string());
            coarser = Some(classes.coarser(kmts));
            if !classes.observe(observation)? {
                return Ok(Outcome::unknown(reason.long));
            }
        }
    }
}

impl Task<'_> {
    /// The formula with atoms as positions of labels.
    fn by_position(&self, formula: &Mu<TermId>) -> Mu<usize> {
        formula.map_atoms(&mut |atom| {
            let label = self.labels.iter().position(|label| label.atom == *atom);
            label.expect("every atom of the question and every justice condition has a label")
        })
    }

    /// Whether every concrete state behind an abstract one has a successor.
    fn is_total(&self, classes: &Classes<'_, '_>) -> Attempt<bool> {
        let alive = classes.space.preimage(classes.space.states())?;
        for gamma in &classes.gammas {
            if !gamma.is_subset_of(&alive)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

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

    fn annotate(&self, outcome: &mut Outcome, classes: &Classes<'_, '_>, rounds: usize, total: bool) {
        outcome.statistics.states = Some(classes.tuples.len() as u64);
        outcome.statistics.depth = Some(rounds as u64);
        outcome.statistics.peak_nodes = Some(classes.space.manager().statistics().peak_nodes as u64);
        if !total
            && self.dead_ends == DeadEnds::Infinite
            && !matches!(self.property.question, entail_logic::Question::Mu(_))
        {
            outcome.warnings.push(
                "some state (perhaps not a reachable one) has no successor; only infinite paths count".into(),
            );
        }
    }
}

/// True in all initial states, false in one of them, or neither.
fn verdict(kmts: &Kmts, known: &Known) -> Verdict {
    let mut values = kmts.initial().iter().map(|&state| known.at(state));
    if values.clone().any(|value| value == Some(false)) {
        Verdict::Fails
    } else if values.all(|value| value == Some(true)) {
        Verdict::Holds
    } else {
        Verdict::Unknown
    }
}

/// The observation that tells apart what the cause does not; none if nothing does (a justice condition about inputs), or if it is too
/// large to be written down.
fn split(
    classes: &mut Classes<'_, '_>,
    labels: &[Label],
    cause: Cause,
    splitting: Splitting,
    round: usize,
) -> Attempt<Option<Observation>> {
    let (state, set, name) = match cause {
        Cause::Literal { state, proposition } => {
            let label = &labels[proposition];
            if label.holds != label.possible {
                return Ok(None);
            }
            (state, label.holds.clone(), format!("atom {}", proposition + 1))
        }
        Cause::Step { from, to } => {
            let before = classes.preimage(to)?;
            (from, before, format!("EX ({})", classes.show(to)))
        }
    };
    let set = match splitting {
        Splitting::All => set.restrict(&classes.universe)?,
        Splitting::One => set.and(classes.gamma(state))?,
    };
    let name = match splitting {
        Splitting::All => name,
        Splitting::One => format!("{name} in ({})", classes.show(state)),
    };
    let name = match name.chars().count() {
        ..=LONGEST_NAME => name,
        _ => format!("split{}", round + 1),
    };
    let Some(term) = classes.space.term(&set, &mut classes.terms) else {
        return Ok(None);
    };
    Ok(Some(Observation {
        name: Arc::from(name),
        term,
    }))
}

/// Longer names of observations are replaced by short ones.
const LONGEST_NAME: usize = 60;

fn names(abstraction: &Abstraction) -> Vec<String> {
    let names = abstraction.observations.iter();
    names.map(|observation| observation.name.to_string()).collect()
}

fn is_about_steps(system: &TransitionSystem, term: TermId) -> bool {
    let (current, next) = system.terms.support(&[term]);
    let is_input = |id: &entail_model::VarId| system.variable(*id).kind == VarKind::Input;
    !next.is_empty() || current.iter().any(is_input)
}

pub(crate) fn stopped(error: EvaluateError<entail_budget::Spent>) -> Stop {
    match error {
        EvaluateError::Region(spent) => spent.into(),
        other => Stop::Unsupported(other.to_string()),
    }
}
