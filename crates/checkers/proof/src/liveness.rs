//! The certificate of k-liveness: the model with monitor and counter is built anew, and the invariant checked on it.

use crate::induction::{Refusal, check_invariant};
use crate::monitor::Monitor;
use entail_budget::Budget;
use entail_evidence::{Certificate, DeadEnds, LivenessCertificate};
use entail_logic::Formula;
use entail_model::{Op, Sort, TermId, TransitionSystem, VarId, VarKind};
use entail_systems_checker::{CheckLimits, Graph};

/// Bounded operators are written out up to this bound, as by whoever makes certificates.
const MAX_WRITTEN_OUT: u32 = 256;

/// A bound above this is not counted out.
const MAX_BOUND: u64 = 1 << 16;

/// Accepts a certificate that no fair infinite path violates the path formula.
pub fn check_liveness(
    system: &TransitionSystem,
    certificate: &LivenessCertificate,
    path: &Formula<TermId>,
    dead_ends: DeadEnds,
    budget: &Budget,
) -> Result<(), Refusal> {
    if matches!(dead_ends, DeadEnds::Maximal | DeadEnds::Stutter) && !is_total_by_shape(system) {
        no_path_ends(system, budget)?;
    }
    if certificate.bound > MAX_BOUND {
        return Err(Refusal::NotEncoded(format!(
            "a counter up to {}",
            certificate.bound
        )));
    }
    let mut monitor = watch(system, certificate.hazards.as_ref(), path, budget)?;
    let exceeded = monitor.exceeds(certificate.bound);
    let mut watched = monitor.system;
    let within = watched.terms.not(exceeded);
    check_invariant(&watched, &certificate.invariant, within, budget)
}

/// The model beside a monitor of the fair paths that violate a path formula, once no undefined value can be met: by the invariant given for that.
pub(crate) fn watch(
    system: &TransitionSystem,
    hazards: Option<&Certificate>,
    path: &Formula<TermId>,
    budget: &Budget,
) -> Result<Monitor<TransitionSystem>, Refusal> {
    if !system.hazards.is_empty() {
        let Some(hazards) = hazards else {
            return Err(Refusal::NoHazardInvariant);
        };
        let mut whole = system.clone();
        let truth = whole.terms.truth(true);
        check_invariant(&whole, hazards, truth, budget)?;
    }
    let written_out = path
        .expand_bounds(MAX_WRITTEN_OUT)
        .map_err(|reason| Refusal::NotEncoded(reason.to_string()))?;
    let violation = written_out.negated_normal_form();
    let mut watched = system.clone();
    watched.hazards.clear();
    let mut monitor = Monitor::new(watched);
    monitor
        .require_at_start(&violation)
        .map_err(|_| Refusal::NotEncoded("a path quantifier inside the formula".into()))?;
    monitor.require_fairness();
    Ok(monitor)
}

/// Searches all reachable states of a small model for one without successors. (Whoever made the certificate may have seen in another way that there
/// is none.)
pub(crate) fn no_path_ends(system: &TransitionSystem, budget: &Budget) -> Result<(), Refusal> {
    match Graph::of(system, CheckLimits::default(), budget) {
        Ok(graph) if graph.dead_end().is_none() => Ok(()),
        Ok(_) => Err(Refusal::FinitePaths),
        Err(why) => Err(Refusal::NotEncoded(format!("that no path ends ({why})"))),
    }
}

/// Whether every state has a successor because each condition of a step defines the next value of a variable of its own.
pub(crate) fn is_total_by_shape(system: &TransitionSystem) -> bool {
    let terms = &system.terms;
    let mut defined: Vec<VarId> = Vec::new();
    let defines = |conjunct: TermId| -> Option<VarId> {
        let (positive, condition) = match terms.op(conjunct) {
            Op::Not => (false, terms.operands(conjunct)[0]),
            _ => (true, conjunct),
        };
        let (variable, value) = match (terms.op(condition), terms.operands(condition)) {
            (Op::Next(variable), _) => return Some(*variable),
            (Op::Equal, &[a, b]) => match (terms.op(a), terms.op(b)) {
                (Op::Next(variable), _) => (*variable, b),
                (_, Op::Next(variable)) => (*variable, a),
                _ => return None,
            },
            _ => return None,
        };
        let sort = &system.variable(variable).sort;
        let fits = terms.sort(value) == sort && (positive || *sort == Sort::Bool);
        (fits && terms.support(&[value]).1.is_empty()).then_some(variable)
    };
    for &conjunct in &system.transition {
        match defines(conjunct) {
            Some(variable) if system.variable(variable).kind == VarKind::State => defined.push(variable),
            _ => return false,
        }
    }
    let count = defined.len();
    defined.sort_unstable();
    defined.dedup();
    defined.len() == count && system.invariant.is_empty()
}
