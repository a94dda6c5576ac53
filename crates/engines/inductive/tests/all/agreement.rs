//! Random small systems: every engine against naive reachability, every piece of evidence against the independent checkers.

use crate::random_system;
use entail_budget::{Budget, Silent};
use entail_evidence::{
    CheckOptions, DeadEnds, Engine, Evidence, Exhaustive, Outcome, Searched, Verdict, json,
};
use entail_inductive::{InductiveEngine, Method};
use entail_logic::{Node, Property, Question};
use entail_model::{TermId, Terms, TransitionSystem};
use entail_proof::Refusal;
use entail_systems_checker::check_outcome;
use random_system::{Expected, Random, expected, random_path_formula, random_system};

fn invariant(atom: TermId) -> Property<TermId> {
    Property {
        name: None,
        text: String::new(),
        logic: entail_logic::Logic::Invariant,
        question: Question::Invariant(atom),
    }
}

fn is_about_states(system: &TransitionSystem, terms: &Terms, formula: TermId) -> bool {
    let (current, next) = terms.support(&[formula]);
    next.is_empty()
        && current
            .iter()
            .all(|&id| system.variable(id).kind != entail_model::VarKind::Input)
}

fn check_one(method: Method, system: &TransitionSystem, atom: TermId, expected: &Expected, seed: u64) {
    let options = CheckOptions {
        bound: (method == Method::Bmc).then_some(300),
        ..CheckOptions::default()
    };
    let budget = Budget::unlimited();
    let property = invariant(atom);
    let found = InductiveEngine::new(method).check(system, &property, &options, &budget, &Silent);
    let context = format!("{method:?} on seed {seed}");
    match (expected, found) {
        (Expected::NoInitialState, Err(error)) => {
            assert!(error.message.contains("no initial state"), "{context}")
        }
        (Expected::Hazard, Err(error)) => {
            let trace = error.trace.expect("a way to the hazard");
            // It is a path as far as the rest of the model is concerned.
            let mut harmless = system.clone();
            harmless.hazards.clear();
            assert_eq!(
                entail_systems_checker::replay(&harmless, &trace, true),
                Ok(()),
                "{context}"
            );
        }
        (Expected::Fails { depth }, Ok(outcome)) => {
            assert_eq!(outcome.verdict, Verdict::Fails, "{context}: {:?}", outcome.reason);
            assert!(outcome.warnings.is_empty(), "{context}");
            let Some(Evidence::Trace(trace)) = &outcome.evidence else {
                panic!("{context}: no trace");
            };
            if method == Method::Bmc {
                assert_eq!(trace.steps.len() - 1, *depth, "{context}: not a shortest trace");
            }
            let report = check_outcome(system, &property, &outcome, &options, &budget);
            assert!(report.is_accepted(), "{context}: {report:?}");
        }
        (Expected::Holds { .. }, Ok(outcome)) if method == Method::Bmc => {
            assert_eq!(outcome.verdict, Verdict::Unknown, "{context}");
            assert_eq!(
                outcome.guarantee,
                entail_evidence::Guarantee::Bounded(300),
                "{context}"
            );
        }
        (Expected::Holds { .. }, Ok(outcome)) => {
            assert_eq!(outcome.verdict, Verdict::Holds, "{context}: {:?}", outcome.reason);
            let Some(Evidence::Invariant(certificate)) = &outcome.evidence else {
                panic!("{context}: no invariant");
            };
            let accepted = entail_proof::check_invariant(system, certificate, atom, &budget);
            assert!(
                matches!(accepted, Ok(()) | Err(entail_proof::Refusal::NotEncoded(_))),
                "{context}: {accepted:?}"
            );
            if accepted.is_ok() {
                let saved = json::save(
                    system,
                    ("random", "none"),
                    &property,
                    &outcome,
                    DeadEnds::Infinite,
                    "ic3",
                );
                let read = json::SavedEvidence::read(&saved).expect("a document");
                let (again, _) = json::resolve(system, &property, &read).expect("evidence about this model");
                let Some(Evidence::Invariant(certificate)) = &again.evidence else {
                    panic!("{context}: no invariant was read back");
                };
                let accepted = entail_proof::check_invariant(system, certificate, atom, &budget);
                assert_eq!(accepted, Ok(()), "{context}: {saved}");
            }
            // The enumerating checker also asks an atom about steps of states without steps, where its value is decided; of invariants
            // it only knows those about states.
            let about_states = is_about_states(system, &system.terms, atom)
                && is_about_states(system, &certificate.terms, certificate.invariant);
            if seed.is_multiple_of(4) && about_states {
                let report = check_outcome(system, &property, &outcome, &options, &budget);
                assert!(report.is_accepted(), "{context}: {report:?}");
            }
        }
        (expected, found) => panic!("{context}: expected {expected:?}, found {found:?}"),
    }
}

fn agree(method: Method, seeds: std::ops::Range<u64>) -> [usize; 4] {
    let mut seen = [0; 4];
    for seed in seeds {
        let mut random = Random::new(seed);
        let (system, atom) = random_system(&mut random);
        let expected = expected(&system, atom);
        seen[match expected {
            Expected::NoInitialState => 0,
            Expected::Hazard => 1,
            Expected::Fails { .. } => 2,
            Expected::Holds { .. } => 3,
        }] += 1;
        check_one(method, &system, atom, &expected, seed);
    }
    seen
}

#[test]
fn ic3_agrees_with_naive_reachability() {
    let seen = agree(Method::Ic3, 0..2500);
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}

#[test]
fn interpolation_agrees_with_naive_reachability() {
    agree(Method::Interpolation, 0..800);
}

#[test]
fn bounded_model_checking_agrees_with_naive_reachability() {
    agree(Method::Bmc, 0..400);
}

#[test]
fn k_induction_agrees_with_naive_reachability() {
    agree(Method::KInduction, 0..800);
}

#[test]
fn gate_level_abstraction_agrees_with_naive_reachability() {
    agree(Method::GateLevel, 0..1500);
}

#[test]
fn proof_based_abstraction_agrees_with_naive_reachability() {
    agree(Method::ProofBased, 0..800);
}

/// Whether the formula is true, by the reference evaluation of all paths.
fn reference_says(
    system: &TransitionSystem,
    property: &Property<TermId>,
    reachable: usize,
    verdict: Verdict,
) -> bool {
    let claim = Exhaustive {
        states: reachable as u64,
        satisfying: None,
        searched: Searched::Model,
    };
    let outcome = Outcome::complete(verdict, Evidence::Exhaustive(claim));
    check_outcome(
        system,
        property,
        &outcome,
        &CheckOptions::default(),
        &Budget::unlimited(),
    )
    .is_accepted()
}

/// The evidence of a proof is accepted, also after it was saved and read back; what is made of it by damage is not.
fn proved(system: &TransitionSystem, property: &Property<TermId>, outcome: &Outcome, context: &str) {
    let budget = Budget::unlimited();
    let Question::Formula(formula) = &property.question else {
        panic!("a formula was asked");
    };
    let path = formula.operands()[0];
    let accepts = |evidence: &Option<Evidence>| match evidence {
        Some(Evidence::Liveness(certificate)) => {
            entail_proof::check_liveness(system, certificate, path, DeadEnds::Infinite, &budget)
        }
        Some(Evidence::Invariant(certificate)) => {
            let Node::Atom(atom) = path.operands()[0].node() else {
                panic!("{context}: an invariant for a formula that is none");
            };
            entail_proof::check_invariant(system, certificate, *atom, &budget)
        }
        other => panic!("{context}: {other:?}"),
    };
    let accepted = accepts(&outcome.evidence);
    if matches!(accepted, Err(Refusal::NotEncoded(_))) {
        return;
    }
    assert_eq!(accepted, Ok(()), "{context}");
    let saved = json::save(
        system,
        ("random", "none"),
        property,
        outcome,
        DeadEnds::Infinite,
        "ic3",
    );
    let read = json::SavedEvidence::read(&saved).expect("a document");
    let (again, _) = json::resolve(system, property, &read).expect("evidence about this model");
    assert_eq!(accepts(&again.evidence), Ok(()), "{context}: {saved}");

    let Some(Evidence::Liveness(certificate)) = &outcome.evidence else {
        return;
    };
    let mut empty = certificate.clone();
    empty.invariant.invariant = empty.invariant.terms.truth(false);
    assert_eq!(
        accepts(&Some(Evidence::Liveness(empty))),
        Err(Refusal::Initiation),
        "{context}"
    );
    if certificate.bound > 0 {
        let mut tighter = certificate.clone();
        tighter.bound -= 1;
        assert!(accepts(&Some(Evidence::Liveness(tighter))).is_err(), "{context}");
    }
    let finite = entail_proof::check_liveness(system, certificate, path, DeadEnds::Maximal, &budget);
    assert!(
        matches!(finite, Ok(()) | Err(Refusal::FinitePaths)),
        "{context}: {finite:?}"
    );
}

#[test]
fn path_formulas_are_refuted_or_proved_as_the_reference_says() {
    let [refuted, not_refuted, fair, liveness] = path_formulas(Method::Ic3, 0..900);
    assert!(
        refuted > 150 && not_refuted > 100 && fair > 200 && liveness > 80,
        "{refuted} {not_refuted} {fair} {liveness}"
    );
}

#[test]
fn path_formulas_are_proved_on_abstractions_as_the_reference_says() {
    for method in [Method::GateLevel, Method::ProofBased] {
        let [_, _, _, liveness] = path_formulas(method, 0..150);
        assert!(liveness > 10, "{method:?}: {liveness}");
    }
}

/// How many formulas were refuted, how many proved, in how many systems with fairness, and how many by k-liveness.
fn path_formulas(method: Method, seeds: std::ops::Range<u64>) -> [usize; 4] {
    let (mut refuted, mut not_refuted, mut fair, mut liveness) = (0, 0, 0, 0);
    for seed in seeds {
        let mut random = Random::new(seed + 1_000_000);
        let (mut system, atom) = random_system(&mut random);
        system.hazards.clear();
        let truth = system.terms.truth(true);
        let Expected::Holds { reachable } = expected(&system, truth) else {
            continue;
        };
        let other = system.init.first().copied().unwrap_or(truth);
        let path = random_path_formula(&mut random, &[atom, other], 3);
        for _ in 0..random.below(3) {
            let met = if random.percent(50) { atom } else { other };
            system.justice.push(met);
        }
        if random.percent(20) {
            system.compassion.push((atom, other));
        }
        let property = Property {
            name: None,
            text: String::new(),
            logic: entail_logic::Logic::Ltl,
            question: Question::Formula(path.forall()),
        };
        let budget = Budget::unlimited();
        let options = CheckOptions::default();
        let context = format!("seed {seed}");
        let engine = InductiveEngine::new(method);
        let outcome = engine
            .check(&system, &property, &options, &budget, &Silent)
            .expect("a model with a meaning");
        fair += usize::from(system.has_fairness());
        match outcome.verdict {
            Verdict::Fails => {
                refuted += 1;
                let report = check_outcome(&system, &property, &outcome, &options, &budget);
                assert!(report.is_accepted(), "{context}: {report:?}");
                let bounded = CheckOptions {
                    bound: Some(40),
                    ..CheckOptions::default()
                };
                let shortest = InductiveEngine::new(Method::Bmc)
                    .check(&system, &property, &bounded, &budget, &Silent)
                    .expect("a model with a meaning");
                assert_eq!(shortest.verdict, Verdict::Fails, "{context}");
                let report = check_outcome(&system, &property, &shortest, &options, &budget);
                assert!(report.is_accepted(), "{context}: {report:?}");
            }
            Verdict::Holds => {
                not_refuted += 1;
                assert!(
                    reference_says(&system, &property, reachable, Verdict::Holds),
                    "{context}"
                );
                liveness += usize::from(matches!(outcome.evidence, Some(Evidence::Liveness(_))));
                proved(&system, &property, &outcome, &context);
            }
            Verdict::Unknown => panic!("{context}: {:?}", outcome.reason),
        }
    }
    [refuted, not_refuted, fair, liveness]
}
