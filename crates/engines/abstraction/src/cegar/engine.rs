//! The loop, as the rest of the program sees it.

use super::concretise::{Concrete, Spurious, Unanswered, concretise};
use super::parts::Parts;
use super::sketch::{Seen, Sketch, Step, Unwinding, View, draw};
use entail_budget::{Budget, Progress, Snapshot};
use entail_evidence::{
    AbstractProof, Abstracted, Certificate, CheckOptions, DeadEnds, Engine, Evidence, ModelError, Outcome,
    Round, Trace, Verdict, Warning, WarningKind,
};
use entail_logic::{Formula, Fragment, Property, Question};
use entail_model::{
    TermId, TransitionSystem, Valuation, Value, VarId, VarKind, cone_of_influence, evaluate_bool,
};
use std::time::{Duration, Instant};

/// Abstraction refinement around other engines.
pub struct CegarEngine {
    engines: Vec<Box<dyn Engine>>,
}

impl CegarEngine {
    /// Asks these engines about abstract models, the first for the longest time.
    pub fn new(engines: Vec<Box<dyn Engine>>) -> CegarEngine {
        CegarEngine { engines }
    }
}

/// Loops of abstract counterexamples are unwound at most so often before the way back is given up.
const MOST_ROUNDS_OF_A_LOOP: usize = 3;

/// The first turn of each engine; later ones are longer.
const FIRST_TURN: Duration = Duration::from_millis(500);

/// If more than this share of the bits is kept, everything is.
const MOST_KEPT: f64 = 0.75;

impl Engine for CegarEngine {
    fn name(&self) -> &'static str {
        "cegar"
    }

    fn description(&self) -> &'static str {
        "invariants, LTL and ACTL* by counterexample-guided abstraction refinement: other engines decide a model that keeps what matters"
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
        let mut refinement = Refinement::new(self, system, property, options, budget, progress);
        match refinement.run() {
            Ok(mut outcome) => {
                outcome.rounds = refinement.rounds;
                Ok(outcome)
            }
            Err(LoopEnd::Model(error)) => Err(*error),
            Err(LoopEnd::Unknown(reason)) => {
                let mut outcome = Outcome::unknown(reason);
                outcome.rounds = refinement.rounds;
                Ok(outcome)
            }
        }
    }
}

/// Why a question is not for abstraction.
pub(super) fn outside(property: &Property<TermId>, options: &CheckOptions) -> Option<&'static str> {
    if options.bound.is_some() {
        return Some("abstraction is about paths of any length; a bound is for `bmc`");
    }
    match &property.question {
        Question::Invariant(_) if options.dead_ends != DeadEnds::Error => None,
        _ if options.dead_ends != DeadEnds::Infinite => {
            Some("paths that end in the model may go on in an abstraction: only endless paths can be treated")
        }
        Question::Formula(formula) if formula.is_in(Fragment::ActlStar) => None,
        _ => Some(
            "an abstraction with more paths says nothing about formulas that are not about all paths (ACTL*)",
        ),
    }
}

/// Why there is no answer from the loop.
pub(super) enum LoopEnd {
    Model(Box<ModelError>),
    Unknown(String),
}

impl From<Unanswered> for LoopEnd {
    fn from(unanswered: Unanswered) -> LoopEnd {
        LoopEnd::Unknown(unanswered.to_string())
    }
}

/// A model without an initial state has no meaning.
pub(super) fn no_initial_state() -> LoopEnd {
    LoopEnd::Model(Box::new(ModelError {
        message: "the model has no initial state".to_owned(),
        place: None,
        trace: None,
        help: Some("check INIT, INVAR and the init() assignments for a contradiction".to_owned()),
    }))
}

/// Whether every state has a successor, seen from the shape of the model: all its conditions are assignments, so that none of
/// them is in the cone of influence of nothing.
pub(super) fn is_total(system: &TransitionSystem) -> bool {
    let mut bare = system.clone();
    bare.justice.clear();
    bare.compassion.clear();
    bare.hazards.clear();
    let rest = cone_of_influence(&bare, &[]).system;
    rest.invariant.is_empty() && rest.transition.is_empty()
}

/// Lets engines take turns on an abstract model until one decides; turns grow longer.
pub(super) fn ask(
    engines: &[Box<dyn Engine>],
    system: &TransitionSystem,
    property: &Property<TermId>,
    options: &CheckOptions,
    budget: &Budget,
    progress: &dyn Progress,
) -> (&'static str, Result<Outcome, ModelError>) {
    let mut last = ("none", Ok(Outcome::unknown("there is no engine to ask")));
    let mut willing: Vec<&dyn Engine> = engines.iter().map(|engine| &**engine).collect();
    let mut turn = FIRST_TURN;
    while !willing.is_empty() && budget.check_now().is_ok() {
        let mut still_willing = Vec::new();
        for &engine in &willing {
            let part = match willing.len() {
                1 => budget.same_limits(),
                _ => budget.part(turn),
            };
            let answer = engine.check(system, property, options, &part, progress);
            let decided = !matches!(&answer, Ok(outcome) if outcome.verdict == Verdict::Unknown);
            last = (engine.name(), answer);
            if decided {
                return last;
            }
            // Who stops before the time is up will not know better later.
            if part.check_now().is_err() {
                still_willing.push(engine);
            }
        }
        willing = still_willing;
        turn *= 2;
    }
    last
}

/// The warnings about an abstraction that are true of the model: what has no fair path there has none in the model either.
pub(super) fn transferable(warnings: Vec<Warning>) -> Vec<Warning> {
    let is_about_paths =
        |warning: &Warning| matches!(warning.kind, WarningKind::NoFairPath | WarningKind::Vacuous);
    warnings.into_iter().filter(is_about_paths).collect()
}

/// One property's refinement.
struct Refinement<'a> {
    engines: &'a [Box<dyn Engine>],
    system: &'a TransitionSystem,
    property: &'a Property<TermId>,
    options: &'a CheckOptions,
    budget: &'a Budget,
    progress: &'a dyn Progress,
    parts: Parts,
    kept: Vec<bool>,
    /// Atoms about steps.
    step_atoms: Vec<TermId>,
    atoms: Vec<TermId>,
    added: Vec<usize>,
    rounds: Vec<Round>,
    begun: Instant,
}

impl<'a> Refinement<'a> {
    fn new(
        cegar: &'a CegarEngine,
        system: &'a TransitionSystem,
        property: &'a Property<TermId>,
        options: &'a CheckOptions,
        budget: &'a Budget,
        progress: &'a dyn Progress,
    ) -> Refinement<'a> {
        let parts = Parts::new(system);
        let atoms = property.question.atoms();
        let is_about_steps = |atom: &TermId| {
            let (current, next) = system.terms.support(&[*atom]);
            let is_input = |variable: &VarId| system.variable(*variable).kind == VarKind::Input;
            !next.is_empty() || current.iter().any(is_input)
        };
        let step_atoms: Vec<TermId> = atoms.iter().copied().filter(is_about_steps).collect();
        let added = parts.about(system, &atoms);
        let mut kept = vec![false; parts.len()];
        for &part in &added {
            kept[part] = true;
        }
        Refinement {
            engines: &cegar.engines,
            system,
            property,
            options,
            budget,
            progress,
            parts,
            kept,
            step_atoms,
            atoms,
            added,
            rounds: Vec::new(),
            begun: Instant::now(),
        }
    }

    fn run(&mut self) -> Result<Outcome, LoopEnd> {
        self.has_initial_state()?;
        loop {
            self.begun = Instant::now();
            self.progress.report(&Snapshot {
                phase: "refining an abstraction",
                depth: Some(self.rounds.len() as u64 + 1),
                ..Snapshot::default()
            });
            if self.kept.iter().all(|kept| *kept) {
                return self.ask_the_model();
            }
            let weakened = (self.parts.kept(&self.kept)).weaken(self.system, &self.stay_states());
            let (engine, answer) = self.ask(&weakened);
            match answer {
                Err(error) => self.model_error(&weakened, engine, error)?,
                Ok(outcome) => match (outcome.verdict, &outcome.evidence) {
                    (Verdict::Unknown, _) => {
                        let reason = outcome.reason.unwrap_or_default();
                        self.close_round(format!("{engine}: unknown"), reason.clone());
                        return Err(LoopEnd::Unknown(format!(
                            "on an abstraction with {}: {reason}",
                            self.size()
                        )));
                    }
                    (Verdict::Holds, Some(evidence)) => {
                        let evidence = self.proof(&weakened, evidence.clone());
                        self.close_round(format!("{engine}: holds"), "so it holds of the model".to_owned());
                        let mut answer = Outcome::complete(Verdict::Holds, evidence);
                        answer.statistics = outcome.statistics;
                        answer.warnings = transferable(outcome.warnings);
                        return Ok(answer);
                    }
                    (Verdict::Fails, Some(evidence)) => {
                        if let Some(outcome) = self.counterexample(&weakened, engine, evidence)? {
                            return Ok(outcome);
                        }
                    }
                    (_, None) => return Err(LoopEnd::Unknown(format!("`{engine}` gave no evidence"))),
                },
            }
        }
    }

    /// Nothing is left out: the answer needs no way back.
    fn ask_the_model(&mut self) -> Result<Outcome, LoopEnd> {
        let (engine, answer) = self.ask(self.system);
        let outcome = answer.map_err(|error| LoopEnd::Model(Box::new(error)))?;
        let found = match (outcome.verdict, &outcome.evidence) {
            (Verdict::Holds, _) => "holds".to_owned(),
            (Verdict::Fails, Some(evidence)) => in_words(evidence),
            _ => "no answer".to_owned(),
        };
        self.close_round(format!("{engine}: {found}"), "nothing was left out".to_owned());
        Ok(outcome)
    }

    /// A model without an initial state has no meaning.
    fn has_initial_state(&self) -> Result<(), LoopEnd> {
        let start = Sketch {
            positions: vec![Vec::new()],
            ..Sketch::default()
        };
        match self.concretise(&start)? {
            Concrete::Real(_) => Ok(()),
            Concrete::Spurious(_) => Err(no_initial_state()),
        }
    }

    fn concretise(&self, sketch: &Sketch) -> Result<Concrete, LoopEnd> {
        Ok(concretise(
            self.system,
            &self.parts,
            &self.kept,
            sketch,
            self.budget,
        )?)
    }

    fn ask(&self, system: &TransitionSystem) -> (&'static str, Result<Outcome, ModelError>) {
        ask(
            self.engines,
            system,
            self.property,
            self.options,
            self.budget,
            self.progress,
        )
    }

    /// Terms whose variables stay part of the state: the atoms, and hazards about states, which count whether or not inputs can be chosen.
    fn stay_states(&self) -> Vec<TermId> {
        let about_states = |condition: &TermId| {
            let (current, next) = self.system.terms.support(&[*condition]);
            let is_state = |&variable: &VarId| self.system.variable(variable).kind != VarKind::Input;
            next.is_empty() && current.iter().all(is_state)
        };
        let hazards = self.system.hazards.iter().map(|hazard| hazard.condition);
        self.atoms
            .iter()
            .copied()
            .chain(hazards.filter(about_states))
            .collect()
    }

    /// A proof about the weakened model as one about the model. An inductive invariant is one of both where it speaks of variables
    /// that are part of both states.
    fn proof(&self, weakened: &TransitionSystem, evidence: Evidence) -> Evidence {
        let transfers = |certificate: &Certificate| {
            let (current, _) = certificate.terms.support(&[certificate.invariant]);
            let same = |variable: &VarId| {
                let known = variable.index() < self.system.variables().len();
                !known || weakened.variable(*variable).kind == self.system.variable(*variable).kind
            };
            current.iter().all(same)
        };
        let as_it_is = match &evidence {
            Evidence::Invariant(certificate) => transfers(certificate),
            Evidence::Liveness(certificate) => {
                transfers(&certificate.invariant) && certificate.hazards.as_ref().is_none_or(transfers)
            }
            _ => false,
        };
        if as_it_is {
            return evidence;
        }
        Evidence::Abstraction(AbstractProof {
            abstraction: Abstracted::Weakened(self.parts.kept(&self.kept)),
            proof: Box::new(evidence),
        })
    }

    /// Tries an abstract counterexample on the model: an answer if it is real, otherwise the abstraction is refined.
    fn counterexample(
        &mut self,
        weakened: &TransitionSystem,
        engine: &'static str,
        evidence: &Evidence,
    ) -> Result<Option<Outcome>, LoopEnd> {
        let facts = visible(weakened);
        let atoms = |trace: &Trace, at: usize| atoms_at(self.system, &self.step_atoms, trace, at);
        let view = View {
            facts: &facts,
            atoms: &atoms,
            formula: &Formula::clone,
        };
        let drawn = |unwinding| {
            draw(self.system, evidence, &view, unwinding)
                .map_err(|problem| LoopEnd::Unknown(problem.to_string()))
        };
        let found = format!("{engine}: {}", in_words(evidence));
        let mut last = None;
        for rounds in 1..=MOST_ROUNDS_OF_A_LOOP {
            let open = drawn(Unwinding {
                rounds,
                back_to: None,
            })?;
            if open.sketch.has_loop {
                // Without the way back: if not even that can be walked, no longer loop can.
                if let Concrete::Spurious(spurious) = self.concretise(&open.sketch)? {
                    last = Some(spurious);
                    break;
                }
            }
            for back_to in 0..rounds {
                let closed = drawn(Unwinding {
                    rounds,
                    back_to: Some(back_to),
                })?;
                match self.concretise(&closed.sketch)? {
                    Concrete::Real(filled) => {
                        let evidence = closed.filled(self.system, &view, &filled);
                        return self.real(found, evidence);
                    }
                    Concrete::Spurious(spurious) => last = Some(spurious),
                }
            }
            if !open.sketch.has_loop || open.sketch.is_large() {
                break;
            }
        }
        let spurious = last.ok_or_else(|| LoopEnd::Unknown("no counterexample to try".to_owned()))?;
        self.refine(found, &spurious);
        Ok(None)
    }

    /// A concrete counterexample. A finite path stands for its continuations: where there may be none that counts, nothing is shown.
    fn real(&mut self, found: String, evidence: Evidence) -> Result<Option<Outcome>, LoopEnd> {
        let finite = has_open_end(&evidence);
        let is_formula = matches!(self.property.question, Question::Formula(_));
        if is_formula && finite && (self.system.has_fairness() || !is_total(self.system)) {
            let open = "a path of the model itself, but it may have no endless fair continuation: the whole model is asked";
            self.close_round(found, open.to_owned());
            self.added.clear();
            self.keep_all();
            return Ok(None);
        }
        self.close_round(found, "a path of the model itself".to_owned());
        Ok(Some(Outcome::complete(Verdict::Fails, evidence)))
    }

    /// The weakened model meets a hazard (or has another error): is that so of the model?
    fn model_error(
        &mut self,
        weakened: &TransitionSystem,
        engine: &'static str,
        error: ModelError,
    ) -> Result<(), LoopEnd> {
        let Some(trace) = error.trace.clone() else {
            return Err(LoopEnd::Model(Box::new(error)));
        };
        let facts = visible(weakened);
        let view = View {
            facts: &facts,
            atoms: &|_, _| Vec::new(),
            formula: &Formula::clone,
        };
        let mut spurious = Vec::new();
        let hazards = self.system.hazards.iter();
        for hazard in hazards.filter(|hazard| hazard.message == error.message && hazard.place == error.place)
        {
            let evidence = Evidence::Trace(trace.clone());
            let unwinding = Unwinding {
                rounds: 1,
                back_to: None,
            };
            let mut drawing = draw(self.system, &evidence, &view, unwinding)
                .map_err(|problem| LoopEnd::Unknown(problem.to_string()))?;
            let (_, next) = self.system.terms.support(&[hazard.condition]);
            let last = drawing.sketch.positions.len() - 1;
            if next.is_empty() {
                drawing.sketch.steps.push(Step {
                    from: last,
                    to: None,
                    atoms: vec![(hazard.condition, true)],
                });
            } else if let Some(step) = drawing.sketch.steps.last_mut() {
                step.atoms.push((hazard.condition, true));
            }
            match self.concretise(&drawing.sketch)? {
                Concrete::Real(filled) => {
                    let trace = match drawing.filled(self.system, &view, &filled) {
                        Evidence::Trace(trace) => Some(trace),
                        _ => None,
                    };
                    return Err(LoopEnd::Model(Box::new(ModelError { trace, ..error })));
                }
                Concrete::Spurious(found) => spurious.push(found),
            }
        }
        let Some(spurious) = spurious.pop() else {
            return Err(LoopEnd::Unknown(format!(
                "an abstraction has an error: {}",
                error.message
            )));
        };
        self.refine(format!("{engine}: {}", error.message), &spurious);
        Ok(())
    }

    /// Keeps what the contradiction needed.
    fn refine(&mut self, found: String, spurious: &Spurious) {
        let place = match spurious.dies_at {
            None => "not an initial state".to_owned(),
            Some(step) => format!("spurious, dies at step {}", step + 1),
        };
        self.close_round(found, place);
        self.added.clear();
        for &part in &spurious.parts {
            debug_assert!(!self.kept[part], "a part that is kept was switched");
            self.kept[part] = true;
            self.added.push(part);
        }
        let bits = |chosen: &dyn Fn(usize) -> bool| -> u64 {
            let parts = (0..self.parts.len()).filter(|&part| chosen(part));
            parts.map(|part| self.parts.list[part].bits).sum()
        };
        // The progress argument says that there is always something new; should it ever be wrong, everything is.
        if spurious.parts.is_empty()
            || bits(&|part| self.kept[part]) as f64 > MOST_KEPT * bits(&|_| true) as f64
        {
            self.keep_all();
        }
    }

    fn keep_all(&mut self) {
        for part in 0..self.parts.len() {
            if !std::mem::replace(&mut self.kept[part], true) {
                self.added.push(part);
            }
        }
    }

    fn size(&self) -> String {
        let kept = |part: &usize| self.kept[*part];
        let count = (0..self.parts.len()).filter(kept).count();
        let bits: u64 = (0..self.parts.len())
            .filter(kept)
            .map(|part| self.parts.list[part].bits)
            .sum();
        let all: u64 = self.parts.list.iter().map(|part| part.bits).sum();
        format!(
            "{count} of {} variables and constraints, {bits} of {all} bits",
            self.parts.len()
        )
    }

    fn close_round(&mut self, found: String, outcome: String) {
        let names = |parts: &mut dyn Iterator<Item = usize>| -> Vec<String> {
            parts
                .take(MOST_NAMES)
                .map(|part| self.parts.name(self.system, part))
                .collect()
        };
        let round = Round {
            kept: names(&mut (0..self.parts.len()).filter(|&part| self.kept[part])),
            added: names(&mut self.added.iter().copied()),
            size: self.size(),
            found,
            outcome,
            seconds: self.begun.elapsed().as_secs_f64(),
        };
        self.rounds.push(round);
    }
}

/// The values of the variables that are part of the weakened model's state.
fn visible(weakened: &TransitionSystem) -> impl Fn(&[Option<Value>]) -> Vec<(Seen, Value)> {
    let visible: Vec<VarId> = weakened.state_variables().collect();
    move |values: &[Option<Value>]| {
        let fact = |&variable: &VarId| Some((Seen::Variable(variable), values[variable.index()].clone()?));
        visible.iter().filter_map(fact).collect()
    }
}

/// What the atoms about steps are at a position of an abstract path.
fn atoms_at(system: &TransitionSystem, atoms: &[TermId], trace: &Trace, at: usize) -> Vec<(TermId, bool)> {
    let valuation = match trace.successor(at) {
        Some(next) => Valuation::step(&trace.steps[at], &trace.steps[next]),
        None => Valuation::state(&trace.steps[at]),
    };
    let truth = |&atom: &TermId| Some((atom, evaluate_bool(&system.terms, atom, valuation).ok()?));
    atoms.iter().filter_map(truth).collect()
}

/// A round names at most so many variables.
const MOST_NAMES: usize = 100;

/// Whether the evidence for a formula rests on a state or a finite path that may have no endless continuation. Then it does not count.
pub(super) fn has_open_end(evidence: &Evidence) -> bool {
    use entail_evidence::{Because, Explanation};
    let is_lasso = |tree: &Explanation| matches!(&tree.because, Because::Path(witness) if witness.trace.loop_start.is_some());
    // `endless` says that an endless path through the state is known.
    fn open(tree: &Explanation, endless: bool, is_lasso: &dyn Fn(&Explanation) -> bool) -> bool {
        match &tree.because {
            Because::Evaluation | Because::Exhaustion => !endless,
            Because::Operands(operands) => {
                let endless = endless || operands.iter().any(is_lasso);
                operands.iter().any(|operand| open(operand, endless, is_lasso))
            }
            Because::Path(witness) => {
                witness.trace.loop_start.is_none()
                    || (witness.notes.iter()).any(|note| open(&note.explanation, true, is_lasso))
            }
        }
    }
    match evidence {
        Evidence::Trace(trace) => trace.loop_start.is_none(),
        Evidence::Explanation(tree) => open(tree, false, &is_lasso),
        _ => false,
    }
}

/// A counterexample in a few words.
pub(super) fn in_words(evidence: &Evidence) -> String {
    use entail_evidence::Because;
    let path = |trace: &Trace| match trace.loop_start {
        Some(start) => format!(
            "fails by a lasso of {} + {} steps",
            start,
            trace.steps.len() - start
        ),
        None => format!("fails in {} steps", trace.steps.len() - 1),
    };
    match evidence {
        Evidence::Trace(trace) => path(trace),
        Evidence::Explanation(tree) => match &tree.because {
            Because::Path(witness) if witness.notes.is_empty() => path(&witness.trace),
            Because::Evaluation => "fails at once".to_owned(),
            _ => "fails by a tree of paths".to_owned(),
        },
        _ => "fails".to_owned(),
    }
}
