//! Times of comparisons by the preorders, on random and structured systems. Prints a table; `bench/equivalence/preorders.md` has one.
//!
//! `cargo run --profile quick -p entail-equivalence --example preorders [transitions [seconds [skipped cases]]]`

use entail_budget::Budget;
use entail_equivalence::compare;
use entail_evidence::equivalence::{Comparison, Related, Relation, RelationQuery, Unrelated};
use entail_model::{Lts, LtsBuilder, StateId};
use entail_relations_checker::check_comparison;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::time::Duration;

/// Everything at random.
fn random(states: u32, degree: u32, actions: u32, hidden: bool, seed: u64) -> Lts {
    let mut random = StdRng::seed_from_u64(seed);
    let mut builder = LtsBuilder::new(states.into());
    let names: Vec<_> = (0..actions).map(|a| builder.action(&format!("a{a}"))).collect();
    let tau = builder.action("tau");
    for from in 0..states {
        for _ in 0..degree {
            let action = match hidden && random.random_range(0..4) == 0 {
                true => tau,
                false => names[random.random_range(0..names.len())],
            };
            let to = random.random_range(0..states);
            builder.transition(StateId::new(from), action, StateId::new(to));
        }
    }
    builder.initial(StateId::new(0));
    builder.build().expect("states in range")
}

/// The system with some transitions left out: smaller by every preorder, mostly strictly.
fn thinned(lts: &Lts, keep: f64, seed: u64) -> Lts {
    let mut random = StdRng::seed_from_u64(seed);
    let mut builder = LtsBuilder::new(lts.state_count() as u64);
    for step in lts.transitions() {
        if random.random_bool(keep) {
            let action = builder.action(lts.action_name(step.action));
            builder.transition(step.from, action, step.to);
        }
    }
    builder.initial(lts.initial()[0]);
    builder.build().expect("states in range")
}

/// A buffer of `places`, each empty or with one of `values`; a value moves on by a hidden step. The loss of values may be possible.
fn buffer(places: u32, values: u32, lossy: bool) -> Lts {
    let base = values + 1;
    let states = base.pow(places);
    let mut builder = LtsBuilder::new(states.into());
    let tau = builder.action("tau");
    let input: Vec<_> = (1..=values)
        .map(|v| builder.action(&format!("in({v})")))
        .collect();
    let output: Vec<_> = (1..=values)
        .map(|v| builder.action(&format!("out({v})")))
        .collect();
    for state in 0..states {
        let digit = |place: u32| state / base.pow(place) % base;
        let from = StateId::new(state);
        for v in 1..=values {
            if digit(0) == 0 {
                builder.transition(from, input[v as usize - 1], StateId::new(state + v));
                if lossy {
                    builder.transition(from, input[v as usize - 1], from);
                }
            }
            if digit(places - 1) == v {
                let to = state - v * base.pow(places - 1);
                builder.transition(from, output[v as usize - 1], StateId::new(to));
            }
        }
        for place in 0..places - 1 {
            let v = digit(place);
            if v != 0 && digit(place + 1) == 0 {
                let to = state - v * base.pow(place) + v * base.pow(place + 1);
                builder.transition(from, tau, StateId::new(to));
            }
        }
    }
    builder.initial(StateId::new(0));
    builder.build().expect("states in range")
}

/// A chain of steps `a` with a `b` at the end.
fn chain(length: u32, end: &str) -> Lts {
    let mut builder = LtsBuilder::new(u64::from(length) + 2);
    let a = builder.action("a");
    for state in 0..length {
        builder.transition(StateId::new(state), a, StateId::new(state + 1));
    }
    builder.transitions([(length, end, length + 1)]);
    builder.initial(StateId::new(0));
    builder.build().expect("states in range")
}

/// Processor time of this process so far: times are the same on a machine that does other things, too.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|first| first.parse::<f64>().ok())
        .map_or(0.0, |nanoseconds| nanoseconds / 1e9)
}

fn main() {
    let size: u32 = std::env::args()
        .nth(1)
        .and_then(|size| size.parse().ok())
        .unwrap_or(1_000_000);
    let limit: u64 = std::env::args()
        .nth(2)
        .and_then(|limit| limit.parse().ok())
        .unwrap_or(60);
    let n = size / 5;
    let dense = random(n, 5, 3, false, 1);
    let small = random(n / 20, 5, 3, false, 1);
    let sparse_labels = random(n, 5, 50, false, 2);
    let hidden = random(n / 10, 5, 8, true, 3);
    let cases: Vec<(&str, Lts, Lts)> = vec![
        (
            "random, 3 actions, 1% left out",
            thinned(&dense, 0.99, 5),
            dense.clone(),
        ),
        (
            "a twentieth of it, 1% left out",
            thinned(&small, 0.99, 5),
            small.clone(),
        ),
        (
            "the large one, the other way round",
            dense.clone(),
            thinned(&dense, 0.99, 5),
        ),
        (
            "random, 50 actions, 10% left out",
            thinned(&sparse_labels, 0.9, 6),
            sparse_labels.clone(),
        ),
        (
            "random, 50 actions, two of them",
            sparse_labels.clone(),
            random(n, 5, 50, false, 9),
        ),
        (
            "random with hidden steps, 1% left out (a tenth)",
            thinned(&hidden, 0.99, 6),
            hidden.clone(),
        ),
        (
            "buffer of 9 places, 3 values, and lossy",
            buffer(9, 3, false),
            buffer(9, 3, true),
        ),
        (
            "lossy buffer of 7 places, 3 values, and not",
            buffer(7, 3, true),
            buffer(7, 3, false),
        ),
        ("chains", chain(n / 2, "b"), chain(n / 2, "c")),
    ];
    println!(
        "| systems | transitions | relation | answer | found | checked | size of evidence |\n|---|---|---|---|---|---|---|"
    );
    let skipped: usize = std::env::args()
        .nth(3)
        .and_then(|count| count.parse().ok())
        .unwrap_or(0);
    for (name, first, second) in cases.iter().skip(skipped) {
        for relation in [
            Relation::Strong,
            Relation::Branching,
            Relation::Simulation,
            Relation::ReadySimulation,
            Relation::Trace,
            Relation::WeakTrace,
        ] {
            let question = RelationQuery::preorder(relation);
            let budget = Budget::unlimited()
                .with_timeout(Some(Duration::from_secs(limit)))
                .with_memory(Some(6 << 30));
            let start = cpu_seconds();
            let comparison = compare(first, second, question, &budget);
            let found = cpu_seconds() - start;
            let start = cpu_seconds();
            let (answer, evidence) = match &comparison {
                Err(error) => (error.to_string(), String::new()),
                Ok(comparison) => {
                    check_comparison(first, second, question, comparison, &budget).expect("accepted");
                    match comparison {
                        Comparison::Related(Related::Partition(_)) => ("yes".to_owned(), String::new()),
                        Comparison::Related(Related::Simulation { pairs, .. }) => {
                            ("yes".into(), format!("{} pairs", pairs.len()))
                        }
                        Comparison::Related(Related::Inclusion { pairs, .. }) => {
                            ("yes".into(), format!("{} pairs", pairs.len()))
                        }
                        Comparison::Unrelated(Unrelated::Formula { formula, .. }) => (
                            "no".into(),
                            format!(
                                "formula of {} parts, depth {}",
                                formula.nodes().len(),
                                formula.depth()
                            ),
                        ),
                        Comparison::Unrelated(Unrelated::Trace { trace, .. }) => {
                            ("no".into(), format!("trace of {} steps", trace.steps.len()))
                        }
                    }
                }
            };
            let checked = cpu_seconds() - start;
            let transitions = first.transition_count() + second.transition_count();
            println!(
                "| {name} | {transitions} | {relation} | {answer} | {found:.2} s | {checked:.2} s | {evidence} |"
            );
        }
    }
}
