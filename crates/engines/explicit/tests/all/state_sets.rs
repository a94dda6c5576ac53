//! Sets of states, with and without ranks, as evidence about random systems: accepted exactly where the definition says that the property holds, and not if a state or a rank is missing or a level is wrong.

use crate::reference;
use crate::reference::random;
use entail_answer::{ClosedSet, RankedSet};
use entail_budget::Budget;
use entail_evidence::{
    CheckOptions, CheckReport, DeadEnds, Evidence, Outcome, Verdict, decode_state, encode_state,
};
use entail_explicit::{closed_states, ranked_states};
use entail_logic::{Logic, Property, Question};
use entail_model::{TermId, TransitionSystem};
use entail_systems_checker::{Observed, check_outcome, observer_of};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use random::Shape;
use reference::Naive;

fn effort() -> u64 {
    let effort = std::env::var("ENTAIL_EFFORT").ok();
    effort.and_then(|effort| effort.parse().ok()).unwrap_or(1)
}

fn judged(
    system: &TransitionSystem,
    question: &Question<TermId>,
    dead_ends: DeadEnds,
    evidence: Evidence,
) -> CheckReport {
    let logic = match question {
        Question::Invariant(_) => Logic::Invariant,
        _ => Logic::Ltl,
    };
    let property = Property {
        name: None,
        text: String::new(),
        logic,
        question: question.clone(),
    };
    let options = CheckOptions {
        dead_ends,
        ..CheckOptions::default()
    };
    let outcome = Outcome::complete(Verdict::Holds, evidence);
    check_outcome(system, &property, &outcome, &options, &Budget::unlimited())
}

fn shape(random: &mut StdRng, compassion: bool) -> Shape {
    Shape {
        inputs: random.random_bool(0.6),
        fairness: random.random_bool(0.6),
        compassion,
        wide: random.random_bool(0.3),
    }
}

#[test]
fn invariants_have_closed_sets_exactly_where_they_hold() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..400 * effort() {
        let mut random = StdRng::seed_from_u64(50_000 + seed);
        let shape = shape(&mut random, false);
        let mut system = random::system(&mut random, shape);
        let about_steps = random.random_bool(0.3);
        let atom = random::atoms(&mut random, &mut system, about_steps)[0];
        let policy = [DeadEnds::Infinite, DeadEnds::Stutter, DeadEnds::Maximal][seed as usize % 3];
        let naive = Naive::new(&system, policy);
        if naive.initial.is_empty() {
            continue;
        }
        let Some(set) = closed_states(&system, policy, 100_000, &Budget::unlimited()) else {
            continue;
        };
        assert_eq!(set.len(), naive.states.len() as u64, "seed {seed}");
        for state in set.states() {
            let values = decode_state(&system, &state).expect("it was written so");
            let mut again = Vec::new();
            encode_state(&system, &values, &mut again).expect("it can be written");
            assert_eq!(again, state.to_vec());
        }
        let question = Question::Invariant(atom);
        let judge = |set: ClosedSet| judged(&system, &question, policy, Evidence::Closed(set));
        let again = judged(
            &system,
            &question,
            policy,
            Evidence::Exhaustive(entail_evidence::Exhaustive {
                states: set.len(),
                satisfying: None,
                searched: entail_evidence::Searched::Model,
            }),
        );
        match (judge(set.clone()), again) {
            (CheckReport::Accepted, again) => {
                assert_eq!(again, CheckReport::Accepted, "seed {seed}");
                accepted += 1;
                let all = set.states();
                for at in 0..all.len() {
                    let mut fewer = all.clone();
                    fewer.remove(at);
                    assert!(
                        judge(ClosedSet::new(fewer)).is_rejected(),
                        "seed {seed}, without state {at}"
                    );
                }
            }
            (report, again) => {
                assert_ne!(again, CheckReport::Accepted, "seed {seed}: {report}");
                rejected += 1;
            }
        }
    }
    assert!(accepted > 40 && rejected > 40, "{accepted} {rejected}");
}

#[test]
fn formulas_have_ranks_exactly_where_they_hold() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..600 * effort() {
        let mut random = StdRng::seed_from_u64(60_000 + seed);
        let shape = shape(&mut random, seed % 5 == 0);
        let mut system = random::system(&mut random, shape);
        let steps = random.random_bool(0.3);
        let atoms = random::atoms(&mut random, &mut system, steps);
        let formula = random::path(&mut random, &atoms, &mut 4, false, false).forall();
        let policy = [DeadEnds::Infinite, DeadEnds::Stutter][seed as usize % 2];
        let naive = Naive::new(&system, policy);
        if naive.initial.is_empty() || naive.states.len() > 40 || naive.steps.len() > 150 {
            continue;
        }
        let question = Question::Formula(formula.clone());
        let Some(Observed { observer, atoms }) = observer_of(&question) else {
            continue;
        };
        let set = ranked_states(
            &system,
            (&observer, &atoms),
            policy,
            100_000,
            &Budget::unlimited(),
        );
        let Some(set) = set else {
            continue;
        };
        let truths = naive.states_with(&formula, &system.compassion);
        let fair = naive.fair(&system.compassion);
        let holds = naive.initial.iter().all(|&state| truths[state] || !fair[state]);
        let judge = |set: RankedSet| judged(&system, &question, policy, Evidence::Ranked(set));
        if judge(set.clone()) != CheckReport::Accepted {
            rejected += 1;
            // Only where compassion leaves paths out may more hold than there are ranks for.
            assert!(
                !holds || !system.compassion.is_empty(),
                "seed {seed}: {}\n{formula:?}",
                judge(set)
            );
            continue;
        }
        assert!(holds, "seed {seed}: {formula:?}");
        accepted += 1;
        let all = set.pairs();
        let remade = |pairs| RankedSet::new(pairs).expect("few ranks");
        for at in 0..all.len().min(6) {
            let mut fewer = all.clone();
            fewer.remove(at);
            assert!(
                judge(remade(fewer)).is_rejected(),
                "seed {seed}, without state {at}"
            );
            if !all[at].1.is_empty() {
                let mut fewer = all.clone();
                fewer[at].1.pop();
                assert!(
                    judge(remade(fewer)).is_rejected(),
                    "seed {seed}, without a rank of state {at}"
                );
            }
            if all[at].1.iter().any(|rank| rank.level > 0) {
                let mut lower = all.clone();
                let rank = lower[at].1.iter_mut().find(|rank| rank.level > 0);
                rank.expect("there is one").level -= 1;
                assert!(
                    judge(remade(lower)).is_rejected(),
                    "seed {seed}, a rank of state {at} lowered"
                );
            }
        }
    }
    eprintln!("{accepted} accepted, {rejected} rejected");
    assert!(accepted > 60 && rejected > 60, "{accepted} {rejected}");
}
