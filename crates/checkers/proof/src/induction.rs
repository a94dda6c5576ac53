//! The four questions that make a formula an inductive proof.

use crate::arrangement::{Arrangement, Copies, Way};
use crate::encode::{Encoder, NotEncoded};
use crate::solver::{Lit, NoAnswer};
use entail_budget::{Budget, Spent};
use entail_evidence::Certificate;
use entail_model::{Op, Supports, TermId, Terms, TransitionSystem};

/// Why an invariant was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// An initial state lies outside the invariant.
    #[error("an initial state lies outside the invariant")]
    Initiation,
    /// A step leaves the invariant.
    #[error("a step leaves the invariant")]
    Consecution,
    /// A state (or step) inside the invariant violates the property.
    #[error("a state inside the invariant violates the property")]
    Safety,
    /// A hazard of the model can happen inside the invariant.
    #[error("inside the invariant the model can go wrong: {0}")]
    Hazard(String),
    /// Finite paths count, and the certificate is about infinite ones.
    #[error("the certificate is about infinite paths, but finite ones count")]
    FinitePaths,
    /// The model has hazards, and nothing excludes them.
    #[error("nothing excludes the model's hazards")]
    NoHazardInvariant,
    /// The formula speaks of next values, or of variables that the system does not have.
    #[error("the invariant is not a formula about states and inputs of the model")]
    NotAboutStates,
    /// A condition of a proof by sets of states is broken.
    #[error("the sets prove nothing: {0}")]
    Unproved(&'static str),
    /// The condition of a rule is not met.
    #[error("the rules prove nothing: {0}")]
    Underived(&'static str),
    /// Some values of the variables violate a trajectory assertion.
    #[error("for some values of the variables a demanded value is not there")]
    Comparison,
    /// The SAT solver's answer came with a wrong proof.
    #[error("the SAT solver's proof was rejected: {0}")]
    BadProof(crate::Rejected),
    /// Decision diagrams are too large for a question. (It is then asked of a solver, so nobody outside is told.)
    #[error("not re-checked: decision diagrams are too large")]
    TooLarge,
    /// Not refuted, but the checker cannot express it.
    #[error("not re-checked: {0}")]
    NotEncoded(String),
    /// Not refuted, but the checker ran out of time or memory.
    #[error("not re-checked: {0}")]
    Spent(Spent),
}

impl From<NotEncoded> for Refusal {
    fn from(reason: NotEncoded) -> Refusal {
        Refusal::NotEncoded(reason.to_string())
    }
}

impl From<NoAnswer> for Refusal {
    fn from(reason: NoAnswer) -> Refusal {
        match reason {
            NoAnswer::Spent(spent) => Refusal::Spent(spent),
            NoAnswer::BadProof(rejected) => Refusal::BadProof(rejected),
            NoAnswer::TooLarge => Refusal::TooLarge,
        }
    }
}

/// Consecution is given so many conflicts before it is taken apart. (Measured on invariants of IC3: more is wasted on those that
/// have to be taken apart, and the others do not need more.)
const CONFLICTS_AT_ONCE: i32 = 100;

fn conjuncts(terms: &Terms, term: TermId) -> Vec<TermId> {
    match terms.op(term) {
        Op::And => terms.operands(term).to_vec(),
        _ => vec![term],
    }
}

/// The invariant of a system that was last shown to be inductive and free of hazards. An engine that proves many properties by
/// the same invariant (the reachable states) need not have it checked more than once.
#[derive(Debug, Default)]
pub struct KnownInvariant {
    inductive: Option<Certificate>,
    /// The last one for which decision diagrams were too large: about other properties a solver is asked at once.
    too_large: Option<Certificate>,
}

/// Accepts an inductive invariant that proves `safe` (a term of the system; it may use inputs and next values, and is then
/// asked of every step). Each question gets a fresh solver, but for safety of steps, which is asked of the solver of consecution.
///
/// An invariant that reads inputs claims to be true in every reachable state whatever the inputs are: it must hold initially for all
/// inputs, and after a step, taken with inputs for which it held, for all inputs again.
pub fn check_invariant(
    system: &TransitionSystem,
    certificate: &Certificate,
    safe: TermId,
    budget: &Budget,
) -> Result<(), Refusal> {
    check_invariant_once(system, certificate, safe, &mut KnownInvariant::default(), budget)
}

/// Initiation: init ∧ state-invariant ∧ ¬I is unsatisfiable.
fn initiation(
    system: &TransitionSystem,
    certificate: &Certificate,
    arrangement: &Arrangement,
    budget: &Budget,
) -> Result<(), Refusal> {
    let Certificate { terms, invariant } = certificate;
    let mut encoder = Encoder::arranged(system, arrangement, Copies::Now)?;
    let mut start = encoder.literals(&system.terms, &system.init, false)?;
    start.extend(encoder.literals(&system.terms, &system.invariant, false)?);
    start.push(!encoder.literals(terms, &[*invariant], false)?[0]);
    match encoder.gates.satisfiable(&start, budget)? {
        true => Err(Refusal::Initiation),
        false => Ok(()),
    }
}

/// Consecution: I ∧ T ∧ ¬I' is unsatisfiable. Where that is hard, it is asked of one conjunct of I' after the other: these are the
/// questions by which such invariants are found. What all of them share is required for good, so that it is propagated once; the
/// solver that knows it is given back.
fn consecution<'s>(
    system: &'s TransitionSystem,
    certificate: &Certificate,
    arrangement: &Arrangement,
    budget: &Budget,
) -> Result<Encoder<'s>, Refusal> {
    let Certificate { terms, invariant } = certificate;
    let mut encoder = Encoder::arranged(system, arrangement, Copies::NowAndNext)?;
    let mut shared = encoder.literals(terms, &[*invariant], false)?;
    shared.extend(encoder.literals(&system.terms, &system.invariant, false)?);
    shared.extend(encoder.literals(&system.terms, &system.transition, false)?);
    shared.extend(encoder.literals(&system.terms, &system.invariant, true)?);
    for literal in shared {
        encoder.gates.require(literal);
    }
    let leaving = !encoder.literals(terms, &[*invariant], true)?[0];
    match encoder.gates.try_for(CONFLICTS_AT_ONCE, &[leaving], budget)? {
        Some(false) => {}
        Some(true) => return Err(Refusal::Consecution),
        None => {
            for kept in encoder.literals(terms, &conjuncts(terms, *invariant), true)? {
                if encoder.gates.satisfiable(&[!kept], budget)? {
                    return Err(Refusal::Consecution);
                }
            }
        }
    }
    Ok(encoder)
}

/// The same; what does not depend on the property is only asked if the invariant is not the known one of this system.
pub fn check_invariant_once(
    system: &TransitionSystem,
    certificate: &Certificate,
    safe: TermId,
    known: &mut KnownInvariant,
    budget: &Budget,
) -> Result<(), Refusal> {
    let is_large = known
        .too_large
        .as_ref()
        .is_some_and(|known| known.is_same(certificate));
    let way = if is_large { Way::Solver } else { Way::Either };
    way.ask(
        system,
        (&certificate.terms, certificate.invariant),
        |arrangement| {
            let answer = check_invariant_in(arrangement, system, certificate, safe, known, budget);
            if answer == Err(Refusal::TooLarge) {
                known.too_large = Some(certificate.clone());
            }
            answer
        },
    )
}

/// The same, decided in one way.
pub(crate) fn check_invariant_in(
    arrangement: &Arrangement,
    system: &TransitionSystem,
    certificate: &Certificate,
    safe: TermId,
    known: &mut KnownInvariant,
    budget: &Budget,
) -> Result<(), Refusal> {
    let inductive = (known.inductive.as_ref()).is_some_and(|known| known.is_same(certificate));
    let Certificate { terms, invariant } = certificate;
    let invariant = &[*invariant];
    let (current, next) = terms.support(invariant);
    let is_known = |id: &entail_model::VarId| id.index() < system.variables().len();
    if !next.is_empty() || !current.iter().all(is_known) {
        return Err(Refusal::NotAboutStates);
    }

    let mut along_steps = None;
    if !inductive {
        initiation(system, certificate, arrangement, budget)?;
        along_steps = Some(consecution(system, certificate, arrangement, budget)?);
    }

    // Everything else starts inside the invariant, too.
    let mut encoder = Encoder::arranged(system, arrangement, Copies::NowAndNext)?;
    let mut inside = encoder.literals(terms, invariant, false)?;
    inside.extend(encoder.literals(&system.terms, &system.invariant, false)?);
    let mut supports = Supports::new(&system.terms);
    let mut looks_ahead = |term: TermId| !supports.of(&[term]).1.is_empty();
    let reads_inputs = |term: TermId| {
        let (current, _) = system.terms.support(&[term]);
        current
            .iter()
            .any(|id| system.variable(*id).kind == entail_model::VarKind::Input)
    };
    let safe_along_steps = looks_ahead(safe) || reads_inputs(safe);
    let mut step = Vec::new();
    if !inductive || safe_along_steps {
        step.extend(encoder.literals(&system.terms, &system.transition, false)?);
        step.extend(encoder.literals(&system.terms, &system.invariant, true)?);
        step.extend(inside.iter().copied());
    }

    // Safety is asked of states, or of steps where the property reads inputs or the next state. Hazards are asked of states, of
    // states under inputs that can be chosen where the condition reads inputs, or of steps where it looks at the next state.
    let choices: Vec<TermId> = system
        .transition
        .iter()
        .copied()
        .filter(|&conjunct| !looks_ahead(conjunct))
        .collect();
    let mut choosing = encoder.literals(&system.terms, &choices, false)?;
    choosing.extend(inside.iter().copied());
    let mut can_be = |term: TermId, truth: bool, within: &[Lit]| -> Result<bool, Refusal> {
        let mut assumptions = within.to_vec();
        let literal = encoder.literals(&system.terms, &[term], false)?[0];
        assumptions.push(if truth { literal } else { !literal });
        Ok(encoder.gates.satisfiable(&assumptions, budget)?)
    };
    let violated = match along_steps {
        // This solver knows the steps from inside the invariant already, and has learned about them.
        Some(mut encoder) if safe_along_steps => {
            let literal = encoder.literals(&system.terms, &[safe], false)?[0];
            encoder.gates.satisfiable(&[!literal], budget)?
        }
        _ => can_be(safe, false, if safe_along_steps { &step } else { &inside })?,
    };
    if violated {
        return Err(Refusal::Safety);
    }
    if inductive {
        return Ok(());
    }
    for hazard in &system.hazards {
        let within = if looks_ahead(hazard.condition) {
            &step
        } else if reads_inputs(hazard.condition) {
            &choosing
        } else {
            &inside
        };
        if can_be(hazard.condition, true, within)? {
            return Err(Refusal::Hazard(hazard.message.clone()));
        }
    }
    known.inductive = Some(certificate.clone());
    Ok(())
}
