//! Which complement is the smallest, and how complements and deterministic automata grow.
//!
//! `cargo run --release --example complements -- [SECONDS]`: random Büchi automata with each construction; Michel's family (complements need `n!`
//! states); the doubly exponential family of chapter 4 (deterministic automata need `2^2^n` states). Each question has so many seconds, 10 unless told.

use entail_automata::algebra::complement::complement_deterministic;
use entail_automata::algebra::determinize::to_deterministic_parity;
use entail_automata::algebra::rank_complement::rank_complement;
use entail_automata::algebra::remove_fin::to_generalized_buchi;
use entail_automata::algebra::semi_deterministic_complement::ncsb_complement;
use entail_automata::algebra::slice_complement::slice_complement;
use entail_automata::ltl::random::Random;
use entail_automata::ltl::syntax::{Syntax, parse};
use entail_automata::random_automaton::RandomAutomaton;
use entail_automata::reduce::degeneralize::{Placement, degeneralize};
use entail_automata::{
    Acceptance, Automaton, Label, Marks, Preference, State, Target, Translation, translate,
};
use entail_budget::Budget;
use std::time::{Duration, Instant};

const NAMES: [&str; 4] = ["determinisation", "ranks", "NCSB", "slices"];

/// The states of each complement, as built and reduced; nothing where a construction does not apply or takes too long.
fn sizes(automaton: &Automaton, seconds: u64) -> [Option<(usize, usize)>; 4] {
    let budget = || Budget::unlimited().with_timeout(Some(Duration::from_secs(seconds)));
    let determinised = || {
        let budget = budget();
        let parity = to_deterministic_parity(automaton, &budget).ok()?;
        let dual = to_generalized_buchi(&complement_deterministic(&parity).ok()?).ok()?;
        degeneralize(&dual, Placement::Edges, &budget).ok()
    };
    let most = 50_000;
    let semi_deterministic = automaton.is_semi_deterministic();
    let all = [
        determinised(),
        rank_complement(automaton, most, &budget()).ok().flatten(),
        semi_deterministic
            .then(|| ncsb_complement(automaton, most, &budget()).ok().flatten())
            .flatten(),
        slice_complement(automaton, most, &budget()).ok().flatten(),
    ];
    all.map(|complement| {
        let mut complement = complement?;
        let built = complement.state_count();
        complement.reduce_buchi(false, &budget()).ok()?;
        Some((built, complement.state_count()))
    })
}

/// Michel's automaton: from the hub by letter `i` to a state that only letter `i` leads back from.
fn michel(n: u64) -> Automaton {
    let bits = (n + 1).next_power_of_two().trailing_zeros() as usize;
    let names = (0..bits).map(|bit| format!("p{bit}")).collect();
    let mut automaton = Automaton::new(names, Acceptance::buchi(), 1).expect("few propositions");
    let hub = automaton.add_state();
    automaton.add_initial(hub);
    for letter in 1..=n {
        let label = automaton.labels.minterm(letter, bits);
        let state: State = automaton.add_state();
        automaton.add_edge(hub, label, state, Marks::one(0));
        automaton.add_edge(state, label, hub, Marks::NONE);
        automaton.add_edge(state, Label::TRUE, state, Marks::NONE);
    }
    automaton
}

/// Words `…#w#…$w###…` with `|w| = n`, over the letters 0, 1, # (hash) and $ (dollar), told apart by two propositions.
fn doubly_exponential(n: usize) -> String {
    let (zero, one, hash, dollar) = ("(!a & !b)", "(a & !b)", "(!a & b)", "(a & b)");
    let later = |steps: usize, what: &str| format!("{}({what})", "X ".repeat(steps));
    let mut tail = format!("X G {hash}");
    for _ in 0..n {
        tail = format!("X (({zero} | {one}) & {tail})");
    }
    let copied = (1..=n).map(|i| {
        let bit = |value: &str| format!("({} & G({dollar} -> {}))", later(i, value), later(i, value));
        format!("({} | {})", bit(zero), bit(one))
    });
    let copied = copied.collect::<Vec<_>>().join(" & ");
    format!(
        "(!{dollar} U ({dollar} & {tail})) & F({hash} & {} & {copied})",
        later(n + 1, hash)
    )
}

fn show(sizes: &[Option<(usize, usize)>; 4]) -> String {
    let one = |size: &Option<(usize, usize)>| {
        size.map_or_else(|| "-".into(), |(built, reduced)| format!("{built}→{reduced}"))
    };
    let each = NAMES.iter().zip(sizes);
    each.map(|(name, size)| format!("{name} {}", one(size)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn main() {
    let seconds: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10);
    let mut random = Random::new(1);
    for states in [3, 4, 5] {
        let (mut wins, mut sums, mut drawn) = ([0; 4], [0; 4], 0);
        while drawn < 40 {
            let shape = RandomAutomaton {
                states,
                propositions: 1,
                edges: 3,
                acceptance: (Acceptance::buchi(), 1),
                marked: 30,
            };
            let mut automaton = shape.draw(&mut random).expect("small");
            automaton
                .reduce_buchi(false, &Budget::unlimited())
                .expect("small");
            if automaton.is_deterministic() || automaton.is_weak() {
                continue;
            }
            drawn += 1;
            let sizes = sizes(&automaton, seconds);
            let best = sizes.iter().flatten().map(|(_, reduced)| *reduced).min();
            for (kind, size) in sizes.iter().enumerate() {
                let reduced = size.map(|(_, reduced)| reduced);
                wins[kind] += usize::from(reduced.is_some() && reduced == best);
                sums[kind] += reduced.unwrap_or(0);
            }
        }
        println!("{states} states, {drawn} automata: smallest {wins:?}, states in all {sums:?} ({NAMES:?})");
    }
    for n in 1..=4 {
        println!("Michel {n}: {}", show(&sizes(&michel(n), seconds)));
    }
    for n in 1..=2 {
        let formula = parse(&doubly_exponential(n), Syntax::Spot).expect("well formed");
        let size = |target| {
            let how = Translation {
                target,
                preference: Preference::default(),
            };
            let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(6 * seconds)));
            let start = Instant::now();
            let answer = translate(&formula, how, &budget);
            let states =
                answer.map_or_else(|error| error.to_string(), |found| found.state_count().to_string());
            format!("{states} in {:.2} s", start.elapsed().as_secs_f64())
        };
        println!(
            "doubly exponential {n}: generalized Büchi {}, deterministic parity {}",
            size(Target::GeneralizedBuchi),
            size(Target::Parity)
        );
    }
}
