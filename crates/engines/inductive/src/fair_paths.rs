//! `A ψ`: is there a fair infinite path that violates `ψ`?
//!
//! Three searches take turns, each turn twice as long as the last: for a lasso, by bounded model checking of the liveness-to-safety circuit; for a
//! bound on how often violating paths meet their fairness, by IC3 on the k-liveness circuit; and for either answer, by IC3 on the
//! liveness-to-safety circuit. Only a lasso and a bound of k-liveness are evidence. If the third search finds that there is no lasso, the
//! first and the third stop, and the bound is looked for alone.
//!
//! Lassos are looked for with the simplified formula: they are judged by the model alone. The circuit of k-liveness belongs to its
//! certificate, so it is built from the formula as it is.
//!
//! A verdict needs a model that has a meaning: that its hazards are unreachable is settled first.

use crate::abstraction::{End, localized};
use crate::answer::SafetyAnswer;
use crate::bmc::BoundedSearch;
use crate::engine::{Found, InductiveSession, Method, NO_HELP, Obstacle, bounded, unknown};
use crate::ic3::{Ic3, ic3};
use crate::ltl_monitor::NoMonitor;
use crate::reduction::Reduced;
use crate::task::Ending;
use entail_automata::ltl::simplify_path::simplify_path;
use entail_budget::{Budget, Progress};
use entail_evidence::{Evidence, LivenessCertificate, Outcome, Round, Verdict, Warning, WarningKind};
use entail_logic::Formula;
use entail_model::TermId;
use entail_sat::{Reads, Signal};
use std::time::Duration;

/// Bounded operators are written out up to this bound.
pub(crate) const MAX_BOUND: u32 = 256;

/// Longer chains are not tried; a checker would have to build them, too.
const LARGEST_BOUND: u64 = 10_000;

/// Time for finding out whether any path counts.
const VACUITY: Duration = Duration::from_millis(200);

/// How long the first turn of a search is.
const FIRST_TURN: Duration = Duration::from_millis(50);

impl InductiveSession<'_> {
    /// Decides whether all fair infinite paths satisfy a formula.
    pub(crate) fn decide_path(
        &mut self,
        path: &Formula<TermId>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, Obstacle> {
        let finite_paths_count = !self.only_infinite_paths();
        let task = self.task.as_mut().expect("made before anything is asked");
        if finite_paths_count && !task.is_total_by_shape() {
            return Err(unknown(
                "finite paths count here, and the model may have dead ends",
            ));
        }
        let hazard = task.hazard();
        let mut warnings = Vec::new();
        if hazard != Signal::FALSE && self.hazards_excluded.is_none() {
            warnings.extend(self.settle_hazards(hazard, budget, progress)?);
        }
        let written_out = path
            .expand_bounds(MAX_BOUND)
            .map_err(|reason| unknown(reason.to_string()))?;
        let violation = written_out.negated_normal_form();
        let mut outcome = match self.method {
            Method::Bmc => self.refute(&violation, budget, progress)?,
            _ => self.refute_or_prove(&violation, budget, progress)?,
        };
        if outcome.verdict == Verdict::Holds {
            warnings.extend(self.vacuity(budget, progress));
        }
        outcome.warnings = warnings;
        Ok(outcome)
    }

    /// What to say where all path formulas hold because no path counts, if that is easily seen: k-liveness of "any path".
    fn vacuity(&self, budget: &Budget, progress: &dyn Progress) -> Option<Warning> {
        let task = self.task.as_ref()?;
        if !self.system.has_fairness() && task.is_total_by_shape() {
            return None;
        }
        let slice = budget.part(VACUITY);
        let counter = task.fairness_counter(&Formula::constant(true)).ok()?;
        let none = (0..3u64).any(|bound| {
            let (circuit, exceeded) = counter.exceeding(bound);
            let reduced = Reduced::new(&circuit, exceeded);
            matches!(
                ic3(&reduced.circuit, reduced.bad, &slice, progress),
                Ok(SafetyAnswer::Safe(_))
            )
        });
        let text = "no fair path starts in an initial state: the property holds vacuously";
        none.then(|| Warning::new(WarningKind::NoFairPath, text))
    }

    /// Looks for a lasso only.
    fn refute(
        &self,
        violation: &Formula<TermId>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, Obstacle> {
        let task = self.task.as_ref().expect("made before anything is asked");
        let lassos = task.lasso_circuit(&simplify_path(violation))?;
        let reduced = Reduced::new(&lassos.circuit, lassos.bad);
        let answer = BoundedSearch::new(&reduced.circuit, reduced.bad).advance(
            self.options.bound,
            budget,
            progress,
        )?;
        Ok(match reduced.lift(answer) {
            SafetyAnswer::Unsafe(run) => refuted(task, &lassos, &run),
            SafetyAnswer::SafeUpTo(depth) => bounded(depth),
            SafetyAnswer::Safe(_) => Outcome::unknown("a bounded search proves nothing"),
        })
    }

    /// Looks for a lasso and for a proof that there is none.
    fn refute_or_prove(
        &self,
        violation: &Formula<TermId>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, Obstacle> {
        let task = self.task.as_ref().expect("made before anything is asked");
        let lassos = task.lasso_circuit(&simplify_path(violation))?;
        let shown = Reduced::new(&lassos.circuit, lassos.bad);
        let mut search = BoundedSearch::new(&shown.circuit, shown.bad);
        let mut decision = Ic3::new(&shown.circuit, shown.bad);
        let counter = task.fairness_counter(violation)?;
        let provable = self.system.hazards.is_empty() || self.hazards_excluded.is_some();
        let mut bound = 0u64;
        let mut turn = FIRST_TURN;
        let mut none_exists = false;
        loop {
            if !none_exists {
                let slice = budget.part(turn);
                if let Ok(SafetyAnswer::Unsafe(run)) = search.advance(None, &slice, progress)
                    && let SafetyAnswer::Unsafe(run) = shown.lift(SafetyAnswer::Unsafe(run))
                {
                    return Ok(refuted(task, &lassos, &run));
                }
            }
            let slice = budget.part(turn);
            while provable && bound <= LARGEST_BOUND && slice.check_now().is_ok() {
                let (circuit, exceeded) = counter.exceeding(bound);
                let reduced = Reduced::new(&circuit, exceeded);
                let (end, rounds) = self.decide_safety(&reduced, &slice, progress);
                match end {
                    End::Answer(SafetyAnswer::Safe(found)) => {
                        let SafetyAnswer::Safe(found) = reduced.lift(SafetyAnswer::Safe(found)) else {
                            return Err(unknown("a proof could not be put in the words of the model"));
                        };
                        let certificate = LivenessCertificate {
                            bound,
                            invariant: task.certificate(&found),
                            hazards: self.hazards_excluded.clone(),
                        };
                        let mut outcome = Outcome::complete(Verdict::Holds, Evidence::Liveness(certificate));
                        outcome.statistics.set_count("depth", Some(bound));
                        outcome.rounds = rounds;
                        return Ok(outcome);
                    }
                    End::Answer(_) => bound = longer(bound),
                    End::Interrupted(_) => break,
                    End::NoHelp => return Err(unknown(NO_HELP)),
                }
            }
            if !none_exists {
                let slice = budget.part(turn);
                match decision
                    .advance(&slice, progress)
                    .map(|answer| shown.lift(answer))
                {
                    Ok(SafetyAnswer::Unsafe(run)) => return Ok(refuted(task, &lassos, &run)),
                    Ok(SafetyAnswer::Safe(_)) => none_exists = true,
                    Ok(SafetyAnswer::SafeUpTo(_)) | Err(_) => {}
                }
            }
            if none_exists && !provable {
                return Ok(Outcome::unknown(
                    "no fair path violates the property, but the model's hazards were not excluded",
                ));
            }
            if let Err(spent) = budget.check_now() {
                let depth = search.safe_up_to();
                let mut outcome = Outcome::unknown(match (none_exists, depth) {
                    (true, _) => format!(
                        "{spent}; no fair path violates the property (by IC3 on its liveness-to-safety circuit), but no bound that a checker accepts was found up to {bound}"
                    ),
                    (false, Some(depth)) => format!("{spent}; no lasso up to {depth} steps"),
                    (false, None) => spent.to_string(),
                });
                outcome.statistics.set_count("depth", depth);
                return Ok(outcome);
            }
            turn *= 2;
        }
    }

    /// IC3, on an abstraction if the method has one. No input of the counter's circuit may be in a certificate.
    fn decide_safety(&self, reduced: &Reduced, slice: &Budget, progress: &dyn Progress) -> (End, Vec<Round>) {
        let (circuit, bad) = (&reduced.circuit, reduced.bad);
        let task = self.task.as_ref().expect("made before anything is asked");
        match self.method.localization() {
            None => match ic3(circuit, bad, slice, progress) {
                Ok(answer) => (End::Answer(answer), Vec::new()),
                Err(interrupted) => (End::Interrupted(interrupted), Vec::new()),
            },
            Some(how) => {
                let observable = vec![false; circuit.inputs.len()];
                let found = localized(circuit, bad, (how, self.when_large), &observable, slice, progress);
                (found.end, task.named(reduced, found.rounds))
            }
        }
    }

    /// A violation is a verdict only if the model has a meaning: no hazard may be reachable.
    pub(crate) fn settle_hazards(
        &mut self,
        hazard: Signal,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Option<Warning>, Obstacle> {
        let found = self.run(hazard, Method::Ic3, budget, progress);
        let task = self.task.as_ref().expect("made before anything is asked");
        match found {
            Ok(Found {
                answer: SafetyAnswer::Unsafe(run),
                ..
            }) => match task.ending(&run, Reads::State) {
                Ending::Error(error) => Err(Obstacle::Model(error)),
                Ending::Violation(_) => Ok(None),
            },
            Ok(Found {
                answer: SafetyAnswer::Safe(invariant),
                ..
            }) => {
                self.hazards_excluded = Some(task.certificate(&invariant));
                Ok(None)
            }
            Ok(_) | Err(Obstacle::Unknown(_)) => Ok(Some(
                "it was not established that the model's own errors (hazards) are unreachable".into(),
            )),
            Err(error) => Err(error),
        }
    }
}

impl From<NoMonitor> for Obstacle {
    fn from(reason: NoMonitor) -> Obstacle {
        match reason {
            NoMonitor::Quantifier => unknown("this engine decides no formulas with path quantifiers inside"),
            NoMonitor::Atom(reason) => Obstacle::from(reason),
            NoMonitor::Formula(reason) => unknown(reason.to_string()),
            NoMonitor::Bounds => unknown("the formula's bounds are too large to be written out"),
        }
    }
}

/// The next bound to try: small ones exactly, then in larger steps.
fn longer(bound: u64) -> u64 {
    (bound + 1).max(bound + (bound / 8) * 4)
}

fn refuted(
    task: &crate::task::Task<'_>,
    lassos: &crate::liveness_to_safety::LassoCircuit,
    run: &entail_sat::Run,
) -> Outcome {
    let (run, loop_start) = lassos.lasso(run);
    let mut outcome = Outcome::complete(Verdict::Fails, Evidence::Trace(task.lasso(&run, loop_start)));
    outcome
        .statistics
        .set_count("depth", Some(run.inputs.len() as u64));
    outcome
}
