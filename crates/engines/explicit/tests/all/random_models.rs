//! Random systems, random formulas, every dead-end policy: the engine against the naive reference, and its evidence against
//! the independent checkers. Seeds are fixed; set the loop counts higher for a longer run.

use crate::reference;
use crate::reference::random;
use entail_budget::{Budget, Silent};
use entail_evidence::{CheckOptions, CheckReport, DeadEnds, Engine, Evidence, Outcome, Verdict};
use entail_explicit::{Explicit, Order, SearchOptions, Simulator, Storage, WalkOptions};
use entail_logic::{Formula, Property, Question};
use entail_model::{TermId, TransitionSystem, VarId, VarKind};
use entail_systems_checker::check_outcome;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use random::Shape;
use reference::Naive;
use std::collections::HashSet;

const POLICIES: [DeadEnds; 3] = [DeadEnds::Infinite, DeadEnds::Maximal, DeadEnds::Stutter];

fn property(question: Question<TermId>, logic: entail_logic::Logic) -> Property<TermId> {
    Property {
        name: None,
        text: String::new(),
        logic,
        question,
    }
}

fn check(system: &TransitionSystem, property: &Property<TermId>, options: &CheckOptions) -> Outcome {
    Explicit::default()
        .check(system, property, options, &Budget::unlimited(), &Silent)
        .expect("the model has a meaning")
}

/// Compares a formula's verdict and checks the evidence; gives how many comparisons were made.
fn compare(
    system: &TransitionSystem,
    naive: &Naive<'_>,
    formula: &Formula<TermId>,
    logic: entail_logic::Logic,
    policy: DeadEnds,
    what: &str,
) {
    let options = CheckOptions {
        dead_ends: policy,
        ..CheckOptions::default()
    };
    let property = property(Question::Formula(formula.clone()), logic);
    let compassion: &[_] = if logic == entail_logic::Logic::Ctl {
        &[]
    } else {
        &system.compassion
    };
    let fair = naive.fair(compassion);
    let truths = naive.states_with(formula, compassion);
    let expected = naive.initial.iter().all(|&state| truths[state] || !fair[state]);
    let verdict = if expected { Verdict::Holds } else { Verdict::Fails };
    // The checkers read compassion and ask for the formula in unfair initial states, too.
    let mut judged = system.clone();
    judged.compassion = compassion.to_vec();
    let all_fair = naive.initial.iter().all(|&state| fair[state] || truths[state]);
    // What a term about the step says where no step is taken is left open by the checkers.
    let undefined = !naive.dead_ends.is_empty() && speaks_of_steps(system, formula);
    let alone = check(system, &property, &options);
    let mut outcomes = vec![alone];
    if logic == entail_logic::Logic::Ltl {
        let search = SearchOptions {
            threads: 2,
            cycle_threads: 2,
            wide_level: 1,
            ..SearchOptions::default()
        };
        let together = Explicit { search };
        let outcome = together.check(system, &property, &options, &Budget::unlimited(), &Silent);
        outcomes.push(outcome.expect("the model has a meaning"));
    }
    for outcome in &outcomes {
        assert_eq!(outcome.verdict, verdict, "{what}: {formula:?}");
        // Where a search ends early, chance decides what it has seen.
        if expected {
            let kinds = |outcome: &Outcome| -> Vec<_> {
                let warnings = outcome.warnings.iter();
                warnings.map(|warning| warning.kind).collect()
            };
            assert_eq!(kinds(outcome), kinds(&outcomes[0]), "{what}: {formula:?}");
        }
        if all_fair && !undefined {
            let report = check_outcome(&judged, &property, outcome, &options, &Budget::unlimited());
            assert!(
                !matches!(report, CheckReport::Rejected { .. }),
                "{what}: {report}\n{formula:?}\n{:#?}",
                outcome.evidence
            );
        }
    }
}

/// Whether an atom or a fairness constraint reads inputs or next values.
fn speaks_of_steps(system: &TransitionSystem, formula: &Formula<TermId>) -> bool {
    let mut terms: Vec<TermId> = system.justice.clone();
    terms.extend(system.compassion.iter().flat_map(|&(p, q)| [p, q]));
    formula.for_each_atom(&mut |&atom| terms.push(atom));
    let (current, next) = system.terms.support(&terms);
    let is_input = |variable: &VarId| system.variable(*variable).kind == VarKind::Input;
    !next.is_empty() || current.iter().any(is_input)
}

fn shape(random: &mut StdRng, compassion: bool) -> Shape {
    Shape {
        inputs: random.random_bool(0.6),
        fairness: random.random_bool(0.5),
        compassion,
        wide: random.random_bool(0.3),
    }
}

#[test]
fn initial_states_and_steps_are_those_of_the_definition() {
    let mut compared = 0;
    for seed in 0..1500 {
        let mut random = StdRng::seed_from_u64(seed);
        let shape = shape(&mut random, false);
        let system = random::system(&mut random, shape);
        let naive = Naive::new(&system, DeadEnds::Infinite);
        let simulator = Simulator::new(&system).expect("supported");
        let budget = Budget::unlimited();
        let found = simulator.initial_states(usize::MAX, &budget).expect("unlimited");
        let expected: HashSet<_> = naive
            .initial
            .iter()
            .map(|&state| naive.states[state].clone())
            .collect();
        assert_eq!(
            found.iter().cloned().collect::<HashSet<_>>(),
            expected,
            "seed {seed}"
        );
        for (number, state) in naive.states.iter().enumerate() {
            let found = simulator
                .successors(state, usize::MAX, &budget)
                .expect("unlimited");
            let found: HashSet<_> = found.into_iter().map(|step| step.next).collect();
            let expected: HashSet<_> = naive
                .steps
                .iter()
                .filter(|step| step.from == number)
                .map(|step| step.after.clone())
                .collect();
            assert_eq!(found, expected, "seed {seed} state {state:?}");
            compared += 1;
        }
    }
    assert!(compared > 3000, "{compared}");
}

#[test]
fn invariants_agree_and_traces_are_shortest() {
    for seed in 0..600 {
        let mut random = StdRng::seed_from_u64(10_000 + seed);
        let shape = shape(&mut random, false);
        let mut system = random::system(&mut random, shape);
        let about_steps = random.random_bool(0.4);
        let atom = random::atoms(&mut random, &mut system, about_steps)[0];
        let naive = Naive::new(&system, DeadEnds::Infinite);
        if naive.initial.is_empty() {
            continue;
        }
        let options = CheckOptions::default();
        let property = property(Question::Invariant(atom), entail_logic::Logic::Invariant);
        let mut shortest = None;
        for (order, storage, threads) in [
            (Order::BreadthFirst, Storage::Auto, 1),
            (Order::BreadthFirst, Storage::Exact, 3),
            (Order::BreadthFirst, Storage::Tree, 2),
            (Order::BreadthFirst, Storage::Disk, 2),
            (Order::Random, Storage::Auto, 1),
            (Order::DepthFirst, Storage::Tree, 1),
            (Order::DepthFirst, Storage::Exact, 1),
            (Order::BreadthFirst, Storage::HashCompact(64), 1),
            (Order::DepthFirst, Storage::Bitstate(1 << 16), 1),
        ] {
            let search = SearchOptions {
                order,
                storage,
                threads,
                walks: WalkOptions {
                    count: 20,
                    length: 50,
                    seed,
                },
                wide_level: 1,
                ..SearchOptions::default()
            };
            // States may be left out, so that nothing is proved.
            let is_partial = storage.is_lossy() || order == Order::Random;
            let outcome = Explicit { search }
                .check(&system, &property, &options, &Budget::unlimited(), &Silent)
                .expect("the model has a meaning");
            let report = check_outcome(&system, &property, &outcome, &options, &Budget::unlimited());
            assert!(!report.is_rejected(), "seed {seed}: {report}");
            let fails = outcome.verdict == Verdict::Fails;
            if is_partial {
                assert!(outcome.verdict != Verdict::Holds, "seed {seed}");
            }
            match &outcome.evidence {
                Some(Evidence::Trace(trace)) if order == Order::BreadthFirst => {
                    let length = trace.steps.len();
                    assert_eq!(*shortest.get_or_insert(length), length, "seed {seed}");
                }
                _ if !fails && !is_partial => {
                    let states = outcome.statistics.states();
                    assert_eq!(states, Some(naive.states.len() as u64), "seed {seed}");
                }
                _ => {}
            }
            let globally = Formula::atom(atom).globally().forall();
            if is_partial && !fails {
                continue;
            }
            if system.justice.is_empty() && naive.dead_ends.is_empty() {
                let truths = naive.states_with(&globally, &[]);
                let expected = naive.initial.iter().all(|&state| truths[state]);
                assert_eq!(outcome.verdict == Verdict::Holds, expected, "seed {seed}");
            }
        }
    }
}

fn formulas_agree(
    logic: entail_logic::Logic,
    seeds: std::ops::Range<u64>,
    make: impl Fn(&mut StdRng, &mut TransitionSystem) -> Formula<TermId>,
) {
    let mut compared = 0;
    for seed in seeds {
        let mut random = StdRng::seed_from_u64(seed);
        let with_compassion = random.random_bool(0.3);
        let shape = shape(&mut random, with_compassion);
        let mut system = random::system(&mut random, shape);
        let formulas: Vec<Formula<TermId>> = (0..2).map(|_| make(&mut random, &mut system)).collect();
        for policy in POLICIES {
            let naive = Naive::new(&system, policy);
            if naive.initial.is_empty() || naive.states.len() > 40 || naive.steps.len() > 150 {
                continue;
            }
            for formula in &formulas {
                compare(
                    &system,
                    &naive,
                    formula,
                    logic,
                    policy,
                    &format!("{logic} seed {seed} {policy:?}"),
                );
                compared += 1;
            }
        }
    }
    eprintln!("{logic}: {compared} cases");
    assert!(compared > 400, "{compared}");
}

fn random_ctl(random: &mut StdRng, system: &mut TransitionSystem) -> Formula<TermId> {
    let atoms = random::atoms(random, system, false);
    random::ctl(random, &atoms, 3)
}

fn random_ltl(random: &mut StdRng, system: &mut TransitionSystem) -> Formula<TermId> {
    let steps = random.random_bool(0.4);
    let atoms = random::atoms(random, system, steps);
    random::path(random, &atoms, &mut 4, true, false).forall()
}

fn random_ctl_star(random: &mut StdRng, system: &mut TransitionSystem) -> Formula<TermId> {
    let atoms = random::atoms(random, system, false);
    let past = random.random();
    let path = random::path(random, &atoms, &mut 4, past, true);
    if random.random() {
        path.forall()
    } else {
        path.exists()
    }
}

/// So many models from a seed on; `ENTAIL_RANDOM_MODELS=20` makes it twenty times as many, for long runs.
fn seeds(first: u64, count: u64) -> std::ops::Range<u64> {
    let factor = std::env::var("ENTAIL_RANDOM_MODELS").ok();
    first..first + count * factor.and_then(|factor| factor.parse().ok()).unwrap_or(1)
}

#[test]
fn ctl_agrees_with_the_definition() {
    formulas_agree(entail_logic::Logic::Ctl, seeds(20_000, 250), random_ctl);
}

#[test]
fn ltl_with_past_agrees_with_the_definition() {
    formulas_agree(entail_logic::Logic::Ltl, seeds(30_000, 200), random_ltl);
}

#[test]
fn ctl_star_agrees_with_the_definition() {
    formulas_agree(entail_logic::Logic::CtlStar, seeds(40_000, 200), random_ctl_star);
}
