//! Random small systems: every engine against naive reachability, every piece of evidence against the independent checkers.

mod random_system;

use entail_budget::{Budget, Silent};
use entail_evidence::{CheckOptions, Engine, Evidence, Exhaustive, Outcome, Verdict, check_outcome};
use entail_inductive::{InductiveEngine, Method};
use entail_logic::{Property, Question};
use entail_model::{TermId, TransitionSystem};
use random_system::{Expected, Random, expected, random_path_formula, random_system};

fn invariant(atom: TermId) -> Property<TermId> {
    Property {
        name: None,
        text: String::new(),
        logic: "invariant",
        question: Question::Invariant(atom),
    }
}

fn is_about_states(system: &TransitionSystem, atom: TermId) -> bool {
    let (current, next) = system.terms.support(&[atom]);
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
                entail_evidence::replay(&harmless, &trace, true),
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
            // No hazard is reachable. The replay would still see one in a dead end whose hazard is about a step but is
            // true whatever the step.
            let mut harmless = system.clone();
            harmless.hazards.clear();
            let report = check_outcome(&harmless, &property, &outcome, &options, &budget);
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
            // The enumerating checker also asks an atom about steps of states without steps, where its value is decided.
            if seed.is_multiple_of(4) && is_about_states(system, atom) {
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
fn bounded_model_checking_agrees_with_naive_reachability() {
    agree(Method::Bmc, 0..400);
}

#[test]
fn k_induction_agrees_with_naive_reachability() {
    agree(Method::KInduction, 0..800);
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

#[test]
fn lassos_are_found_where_the_reference_says_there_are_some_and_nowhere_else() {
    let (mut refuted, mut not_refuted, mut fair) = (0, 0, 0);
    for seed in 0..900 {
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
            logic: "ltl",
            question: Question::Formula(path.forall()),
        };
        let budget = Budget::unlimited();
        let options = CheckOptions::default();
        let context = format!("seed {seed}");
        let engine = InductiveEngine::new(Method::Ic3);
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
                    matches!(outcome.evidence, Some(Evidence::Invariant(_))),
                    "{context}"
                );
                assert!(
                    reference_says(&system, &property, reachable, Verdict::Holds),
                    "{context}"
                );
            }
            Verdict::Unknown => {
                not_refuted += 1;
                let reason = outcome.reason.unwrap_or_default();
                assert!(reason.contains("no fair path violates"), "{context}: {reason}");
                assert!(
                    reference_says(&system, &property, reachable, Verdict::Holds),
                    "{context}"
                );
            }
        }
    }
    assert!(
        refuted > 150 && not_refuted > 100 && fair > 200,
        "{refuted} {not_refuted} {fair}"
    );
}
