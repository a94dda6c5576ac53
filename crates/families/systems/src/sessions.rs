//! Engines at work on one model, by name. A session of an engine is opened when it is first asked and lives across properties.

use crate::checker::SystemChecker;
use crate::doubt::is_total_by_shape;
use crate::equivalence::random_difference;
use crate::model::SystemModel;
use crate::options::{Troubles, saved_search};
use crate::workshop::Workshop;
use entail_answer::{Answer, CheckReport, Guarantee, Verdict, Warning, WarningKind};
use entail_budget::{Budget, Progress};
use entail_evidence::{DeadEnds, Engine, Evidence, Outcome};
use entail_explicit::{Explicit, closed_states, ranked_states};
use entail_family::{Checker, ModelError, Options, Scrutiny, Session, Thoroughness, Witness};
use entail_logic::Question;
use entail_model::TransitionSystem;
use entail_proof::pair::first_difference;
use entail_symbolic::SymbolicEngine;
use entail_systems_checker::{Observed, observer_of};
use std::time::{Duration, Instant};

/// The open sessions.
pub(crate) struct Sessions<'m> {
    model: &'m SystemModel,
    workshop: &'m Workshop,
    options: &'m Options,
    /// The property whose search is saved in a checkpoint.
    begun: Option<usize>,
    open: Vec<(Key, Box<dyn entail_evidence::Session + 'm>)>,
    /// Whether some reachable state is known to have no successor, once that was asked.
    dead_end: Option<Option<bool>>,
    /// It was said that this is not known.
    is_doubt_told: bool,
    /// What was found out about paths that count, with and without compassion.
    paths: [Option<Verdict>; 2],
    /// How much is done for evidence.
    thoroughness: Thoroughness,
    /// Judges what properties are warned of.
    judge: SystemChecker<'m>,
}

/// An engine's name, and what it works on.
type Key = (&'static str, Part);

/// The system of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    WithoutCompassion,
    /// A cone of influence, by its number.
    Cone(usize),
}

impl<'m> Sessions<'m> {
    pub(crate) fn new(model: &'m SystemModel, workshop: &'m Workshop, options: &'m Options) -> Sessions<'m> {
        Sessions {
            model,
            workshop,
            options,
            begun: None,
            open: Vec::new(),
            dead_end: None,
            is_doubt_told: false,
            paths: [None; 2],
            thoroughness: Thoroughness::default(),
            judge: SystemChecker::new(model, workshop.options.clone()),
        }
    }

    fn ask(
        &mut self,
        engine: &'m dyn Engine,
        position: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ModelError> {
        let (model, workshop) = (self.model, self.workshop);
        let Some(property) = model.property(position) else {
            return Ok(Outcome::unknown(format!("there is no property {}", position + 1)));
        };
        if !engine.reduces_itself() {
            let slices = workshop.slices(model, position);
            if let Some(slice) = slices.of(position) {
                let session = self.session(engine, Part::Cone(slice.cone), slices.system(slice));
                let found = session
                    .check(&slice.property, budget, progress)
                    .map_err(|error| model.error(slices.error_carried_back(model, slice, error)))?;
                if let Some(outcome) = slices.carried_back(model, slice, property, found) {
                    return Ok(outcome);
                }
            }
        }
        let part = match model.drops_compassion(property) {
            true => Part::WithoutCompassion,
            false => Part::Whole,
        };
        self.session(engine, part, model.subject(property))
            .check(property, budget, progress)
            .map_err(|error| model.error(error))
    }

    /// The answer of a search that is saved on the way, if that was asked for.
    fn ask_with_checkpoints(
        &mut self,
        engine: &str,
        position: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Option<Outcome>, ModelError> {
        if engine != "explicit" || !(self.options.has("checkpoint") || self.options.has("resume")) {
            return Ok(None);
        }
        let (model, workshop) = (self.model, self.workshop);
        let again = self.begun.replace(position) == Some(position);
        let troubles = Troubles::default();
        let search = match saved_search(model, position, self.options, again, &troubles) {
            Ok(Some(search)) => search,
            Ok(None) => return Ok(None),
            Err(reason) => return Ok(Some(Outcome::unknown(reason))),
        };
        let Some(property) = model.property(position) else {
            return Ok(None);
        };
        let engine = Explicit { search };
        let mut carried = None;
        let slices = workshop.slices(model, position);
        if let Some(slice) = slices.of(position) {
            let found = engine
                .check(
                    slices.system(slice),
                    &slice.property,
                    &workshop.options,
                    budget,
                    progress,
                )
                .map_err(|error| model.error(slices.error_carried_back(model, slice, error)))?;
            carried = slices.carried_back(model, slice, property, found);
        }
        let mut outcome = match carried {
            Some(outcome) => outcome,
            None => engine
                .check(
                    model.subject(property),
                    property,
                    &workshop.options,
                    budget,
                    progress,
                )
                .map_err(|error| model.error(error))?,
        };
        if let Ok(mut troubles) = troubles.lock() {
            outcome.warnings.extend(troubles.drain(..).map(Into::into));
        }
        Ok(Some(outcome))
    }

    fn session(
        &mut self,
        engine: &'m dyn Engine,
        part: Part,
        system: &'m TransitionSystem,
    ) -> &mut (dyn entail_evidence::Session + 'm) {
        let key = (engine.name(), part);
        let position = match self.open.iter().position(|(known, _)| *known == key) {
            Some(position) => position,
            None => {
                self.open.push((key, engine.open(system, &self.workshop.options)));
                self.open.len() - 1
            }
        };
        &mut *self.open[position].1
    }
}

impl Session for Sessions<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let found = self.workshop.engines.iter().find(|one| one.name() == engine);
        let Some(engine) = found else {
            return Ok(Answer::unknown(format!("there is no engine `{engine}`")));
        };
        let begun = Instant::now();
        let mut outcome = match self.ask_with_checkpoints(engine.name(), property, budget, progress)? {
            Some(outcome) => outcome,
            None => self.ask(&**engine, property, budget, progress)?,
        };
        if SHORTENED.contains(&engine.name()) {
            self.shorten(property, &mut outcome, budget, progress);
        }
        if engine.name() == "explicit" {
            self.close(property, &mut outcome, begun.elapsed(), budget);
        }
        if let Some((pair, outputs)) = self.model.compared(property)
            && let Some(Evidence::Trace(trace)) = &outcome.evidence
            && first_difference(pair, outputs, trace, budget) == Ok(None)
        {
            outcome = match random_difference(self.model, property, budget) {
                Some(trace) => Outcome::complete(Verdict::Fails, Evidence::Trace(trace)),
                None => Outcome::unknown("where the outputs differ, that of the first circuit is X"),
            };
        }
        let asked = self.model.property(property);
        if asked.is_some_and(|asked| self.model.drops_compassion(asked)) {
            outcome
                .warnings
                .push("COMPASSION is ignored by CTL and COMPUTE (LTL respects it)".into());
        }
        Ok(self.model.turned(property, outcome.boxed()))
    }

    fn set_thoroughness(&mut self, thoroughness: Thoroughness) {
        self.thoroughness = thoroughness;
    }

    fn scrutinize(
        &mut self,
        engine: &str,
        property: usize,
        answer: &Answer,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Scrutiny {
        let mut scrutiny = Scrutiny::default();
        let is_known = |kind: WarningKind| answer.warnings.iter().any(|known| known.kind == kind);
        // A search that is saved on the way is about one property.
        let is_saved = self.options.has("checkpoint") || self.options.has("resume");
        if is_saved || answer.verdict != Verdict::Holds || answer.guarantee != Guarantee::Complete {
            return scrutiny;
        }
        if !is_known(WarningKind::DeadEnd) {
            scrutiny.warnings.extend(self.dead_ends(engine, budget, progress));
        }
        if is_known(WarningKind::NoFairPath) || is_known(WarningKind::Vacuous) {
            return scrutiny;
        }
        let model = self.model;
        let witness = |position: usize, answer: Answer| Witness {
            position,
            answer,
            is_judged: false,
        };
        let (mut true_ones, mut some_path) = (Vec::new(), None);
        for (number, (position, doubt)) in model.doubts(property).enumerate() {
            if doubt.unless.is_some_and(|other| true_ones.contains(&other)) {
                true_ones.push(number);
                continue;
            }
            let (verdict, found) = self.ask_doubt(engine, position, budget, progress);
            match verdict {
                Verdict::Holds => {
                    true_ones.push(number);
                    let (kind, text) = &doubt.warning;
                    scrutiny.warnings.push(Warning::new(*kind, text.as_str()));
                    if *kind == WarningKind::NoFairPath {
                        break;
                    }
                }
                // That a path exists at all is shown where nothing better is.
                Verdict::Fails => match (found, doubt.warning.0) {
                    (Some(found), WarningKind::NoFairPath) => some_path = Some(witness(position, found)),
                    (Some(found), _) => {
                        scrutiny.witness.get_or_insert(witness(position, found));
                    }
                    (None, _) => {}
                },
                Verdict::Unknown => {
                    let text = doubt.unknown.as_deref().map(Warning::from);
                    scrutiny.warnings.extend(text);
                }
            }
        }
        scrutiny.witness = scrutiny.witness.or(some_path);
        scrutiny
    }
}

/// Engines whose counterexamples may be longer than needed.
const SHORTENED: [&str; 6] = [
    "sweep",
    "ic3",
    "gla",
    "pba",
    "interpolation",
    "interpolation-sequence",
];

/// What looking for a shorter counterexample may take.
const MOMENT: Duration = Duration::from_millis(300);

/// The engine that warns of states without successors whatever it is asked.
const SEES_ALL_STATES: &str = "explicit";

/// Engines that may be asked about paths that count beside the one that answered.
const ASKED_ABOUT_PATHS: [&str; 3] = ["explicit", "bdd", "ic3"];

/// Searches that have seen fewer states are repeated by the checker at once; sets are written of them where evidence is to be saved.
const CLOSED_FROM: u64 = 20_000;

/// More states, and pairs of a state and a position of an automaton, are written down only where evidence is to be saved.
const MOST_CLOSED: usize = 1_000_000;

/// Writing down all states may take this, and as long again as the search.
const CLOSE_AT_LEAST: Duration = Duration::from_millis(500);

impl Sessions<'_> {
    /// Replaces the claim that all states of the model were searched by the set of them, with ranks for a formula about all paths, where that can be done and there is time.
    fn close(&self, position: usize, outcome: &mut Outcome, searched_in: Duration, budget: &Budget) {
        let (Some(property), Some(Evidence::Exhaustive(claim))) =
            (self.model.property(position), &outcome.evidence)
        else {
            return;
        };
        if outcome.verdict != Verdict::Holds || outcome.guarantee != Guarantee::Complete {
            return;
        }
        let part = budget.part(CLOSE_AT_LEAST + searched_in);
        let (most, budget) = match self.thoroughness {
            Thoroughness::Least => return,
            Thoroughness::WhileItPays if claim.states < CLOSED_FROM => return,
            Thoroughness::WhileItPays => (MOST_CLOSED, &part),
            Thoroughness::Whole => (u32::MAX as usize / 2, budget),
        };
        let (system, dead_ends) = (self.model.subject(property), self.workshop.options.dead_ends);
        let evidence = match &property.question {
            Question::Invariant(_) => closed_states(system, dead_ends, most, budget).map(Evidence::Closed),
            question => observer_of(question).and_then(|Observed { observer, atoms }| {
                ranked_states(system, (&observer, &atoms), dead_ends, most, budget).map(Evidence::Ranked)
            }),
        };
        if evidence.is_some() {
            outcome.evidence = evidence;
        }
    }

    /// Replaces a finite trace by a shortest one, if bounded search finds it in a moment.
    fn shorten(&mut self, property: usize, outcome: &mut Outcome, budget: &Budget, progress: &dyn Progress) {
        let length = |outcome: &Outcome| match &outcome.evidence {
            Some(Evidence::Trace(trace)) if trace.loop_start.is_none() => Some(trace.steps.len()),
            _ => None,
        };
        let bounded = self.workshop.engines.iter().find(|engine| engine.name() == "bmc");
        let (Some(bounded), Verdict::Fails, Some(found)) = (bounded, outcome.verdict, length(outcome)) else {
            return;
        };
        if found <= 2 {
            return;
        }
        let shorter = self.ask(&**bounded, property, &budget.part(MOMENT), progress);
        if let Ok(shorter) = shorter
            && shorter.verdict == Verdict::Fails
            && length(&shorter).is_some_and(|length| length < found)
        {
            outcome.evidence = shorter.evidence;
        }
    }

    /// Warns of states without successors where the engine does not, and where they are not allowed.
    fn dead_ends(&mut self, engine: &str, budget: &Budget, progress: &dyn Progress) -> Option<Warning> {
        let (model, options) = (self.model, &self.workshop.options);
        if engine == SEES_ALL_STATES
            || model.syntax.is_circuit()
            || options.dead_ends != DeadEnds::Infinite
            || is_total_by_shape(model.system())
        {
            return None;
        }
        let found = *self.dead_end.get_or_insert_with(|| {
            let engine = SymbolicEngine::default();
            let part = budget
                .time_left()
                .map_or_else(|| budget.same_limits(), |left| budget.part(left / 2));
            let found = engine.explore(model.system(), options, &part, progress).ok()?;
            found.dead_ends.map(|number| number != "0")
        });
        match found {
            Some(true) => Some(Warning::new(
                WarningKind::DeadEnd,
                "the transition relation is not total: paths that end are ignored",
            )),
            Some(false) => None,
            // Said once: it is about the model.
            None if std::mem::replace(&mut self.is_doubt_told, true) => None,
            None => Some("it was not found out whether every reachable state has a successor".into()),
        }
    }

    /// Asks whether a doubt is justified. That it is has been judged: a warning says so. That it is not claims nothing, and is judged by whoever shows it.
    fn ask_doubt(
        &mut self,
        engine: &str,
        position: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> (Verdict, Option<Answer>) {
        let model = self.model;
        let Some(asked) = model.property(position) else {
            return (Verdict::Unknown, None);
        };
        let is_about_paths = asked.question.atoms().is_empty();
        let known = usize::from(model.drops_compassion(asked));
        if let (true, Some(verdict)) = (is_about_paths, self.paths[known]) {
            return (verdict, None);
        }
        // Small models are looked through at once, whatever engine answered.
        let (first, others) = match is_about_paths {
            true => (&ASKED_ABOUT_PATHS[..1], &ASKED_ABOUT_PATHS[1..]),
            false => (&[][..], &[][..]),
        };
        let asked = first
            .iter()
            .copied()
            .chain([engine])
            .chain(others.iter().copied());
        let mut decided = (Verdict::Unknown, None);
        for (turn, name) in asked.enumerate() {
            // The first gets a third of the time, so that something is left for the others.
            let time = budget
                .time_left()
                .filter(|_| is_about_paths && turn == 0)
                .map(|left| budget.part(left / 3));
            let budget = time.as_ref().unwrap_or(budget);
            let Ok(answer) = Session::check(self, name, position, budget, progress) else {
                continue;
            };
            let mut accepted = |answer: &Answer| match answer.verdict {
                Verdict::Unknown => false,
                Verdict::Fails => true,
                Verdict::Holds => !matches!(
                    self.judge.check(position, answer, budget),
                    CheckReport::Rejected { .. }
                ),
            };
            if answer.guarantee == Guarantee::Complete && accepted(&answer) {
                decided = (answer.verdict, Some(answer));
                break;
            }
        }
        if is_about_paths {
            self.paths[known] = Some(decided.0);
        }
        decided
    }
}
