//! Glances at random small systems: several properties of one session against naive reachability.

use crate::random_system;
use entail_budget::{Budget, Silent};
use entail_evidence::{CheckOptions, Engine, Evidence, Guarantee, Verdict};
use entail_inductive::{InductiveEngine, Method};
use entail_logic::{Logic, Property, Question};
use entail_model::TermId;
use entail_systems_checker::check_outcome;
use random_system::{Expected, Random, expected, random_system};

fn invariant(atom: TermId) -> Property<TermId> {
    Property {
        name: None,
        text: String::new(),
        logic: Logic::Invariant,
        question: Question::Invariant(atom),
    }
}

#[test]
fn a_glance_is_right_as_far_as_it_goes_whatever_was_asked_before() {
    let (options, budget) = (CheckOptions::default(), Budget::unlimited());
    let mut seen = [0; 3];
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let (mut system, atom) = random_system(&mut random);
        let other = system.terms.not(atom);
        let engine = InductiveEngine::new(Method::Glance);
        let mut session = engine.open(&system, &options);
        // (The first again: what was learned about the others may not change it.)
        for atom in [atom, other, atom] {
            let context = format!("seed {seed}");
            let (asked, expected) = (invariant(atom), expected(&system, atom));
            let outcome = match session.check(&asked, &budget, &Silent) {
                Ok(outcome) => outcome,
                Err(_) => {
                    let is_wrong = matches!(expected, Expected::NoInitialState | Expected::Hazard);
                    assert!(is_wrong, "{context}: {expected:?}");
                    continue;
                }
            };
            match (outcome.verdict, &expected) {
                (Verdict::Fails, Expected::Fails { depth }) => {
                    seen[0] += 1;
                    let Some(Evidence::Trace(trace)) = &outcome.evidence else {
                        panic!("{context}: no trace");
                    };
                    assert_eq!(trace.steps.len() - 1, *depth, "{context}: not a shortest trace");
                    let report = check_outcome(&system, &asked, &outcome, &options, &budget);
                    assert!(report.is_accepted(), "{context}: {report:?}");
                }
                (Verdict::Holds, Expected::Holds { .. }) => {
                    seen[1] += 1;
                    let Some(Evidence::Invariant(certificate)) = &outcome.evidence else {
                        panic!("{context}: no invariant");
                    };
                    let accepted = entail_proof::check_invariant(&system, certificate, atom, &budget);
                    let is_fine = matches!(accepted, Ok(()) | Err(entail_proof::Refusal::NotEncoded(_)));
                    assert!(is_fine, "{context}: {accepted:?}");
                }
                (Verdict::Unknown, Expected::Fails { depth }) => {
                    let Guarantee::Bounded(bound) = outcome.guarantee else {
                        panic!("{context}: {:?}", outcome.guarantee);
                    };
                    assert!(*depth as u64 > bound, "{context}: {depth} steps, {bound} seen");
                }
                (Verdict::Unknown, _) => seen[2] += 1,
                (verdict, expected) => panic!("{context}: {verdict:?}, expected {expected:?}"),
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}
