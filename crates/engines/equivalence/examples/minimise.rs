//! Systems that are made for measuring, and how long their minimisation takes.
//!
//! `minimise` alone prints a table of growth. `minimise FAMILY TRANSITIONS FILE.aut` writes a system, for peers.

use entail_budget::{Budget, peak_memory_bytes};
use entail_equivalence::{Bisimulation, bisimulation};
use entail_model::{Lts, LtsBuilder, StateId};
use entail_relations_checker::check_partition;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::io::{BufWriter, Write};
use std::time::Instant;

/// Processor time of this thread, where the operating system tells; otherwise the clock.
struct Clock(Option<u64>, Instant);

impl Clock {
    fn used() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok()
    }

    fn start() -> Clock {
        Clock(Clock::used(), Instant::now())
    }

    fn seconds(&self) -> f64 {
        match (self.0, Clock::used()) {
            (Some(before), Some(after)) => (after - before) as f64 * 1e-9,
            _ => self.1.elapsed().as_secs_f64(),
        }
    }
}

/// Name, what it is, and how a system with about so many transitions is made.
type Family = (&'static str, &'static str, fn(u64) -> Lts);

const FAMILIES: [Family; 6] = [
    (
        "random",
        "random graph: three steps a state, 4 actions; nearly all states differ",
        |m| random(m / 3, m, 4, 0.0),
    ),
    (
        "sparse",
        "random graph: 1.1 steps a state, one action; deep refinement",
        |m| random(m * 10 / 11, m, 1, 0.0),
    ),
    (
        "silent",
        "random graph: two steps a state, half of them hidden; large cycles of hidden steps",
        |m| random(m / 2, m, 4, 0.5),
    ),
    (
        "queues",
        "three queues of bits in a row, passing on is hidden",
        queues,
    ),
    (
        "tree",
        "complete binary tree, two actions; all leaves alike, one block a level",
        tree,
    ),
    (
        "stairs",
        "chains of hidden steps with a choice on each stair, of all lengths; new bottom states again and again",
        stairs,
    ),
];

fn random(states: u64, transitions: u64, actions: u32, hidden: f64) -> Lts {
    let mut random = StdRng::seed_from_u64(1);
    let mut builder = LtsBuilder::new(states);
    let names: Vec<_> = (0..actions)
        .map(|action| builder.action(&format!("a{action}")))
        .collect();
    builder.reserve(transitions as usize);
    for _ in 0..transitions {
        let state = |random: &mut StdRng| StateId::new(random.random_range(0..states as u32));
        let action = match random.random_bool(hidden) {
            true => entail_model::TAU,
            false => names[random.random_range(0..names.len())],
        };
        let (from, to) = (state(&mut random), state(&mut random));
        builder.transition(from, action, to);
    }
    builder.initial(StateId::new(0));
    builder.build().expect("states are in range")
}

/// Queues of `n` bits: put a bit into the first, pass one on, take one out of the third.
fn queues(transitions: u64) -> Lts {
    // A queue of up to n bits has 2^(n+1) - 1 contents; three have that to the third, with about 4 steps each.
    let mut n = 1u32;
    while ((1u64 << (n + 2)) - 1).pow(3) * 4 < transitions {
        n += 1;
    }
    // A content is its bits behind a leading one.
    let size = 1u64 << (n + 1);
    let number = |contents: [u64; 3]| ((contents[0] * size + contents[1]) * size + contents[2]) as u32;
    let push = |content: u64, bit: u64| (content < size / 2).then_some(content << 1 | bit);
    let pop = |content: u64| {
        // The oldest bit is behind the leading one.
        let length = content.ilog2();
        (length > 0).then(|| {
            let bit = content >> (length - 1) & 1;
            let rest = content & ((1 << (length - 1)) - 1) | 1 << (length - 1);
            (bit, rest)
        })
    };
    let mut builder = LtsBuilder::new(size.pow(3));
    let put = [builder.action("put0"), builder.action("put1")];
    let get = [builder.action("get0"), builder.action("get1")];
    for a in 1..size {
        for b in 1..size {
            for c in 1..size {
                let from = StateId::new(number([a, b, c]));
                for bit in 0..2 {
                    if let Some(a) = push(a, bit) {
                        builder.transition(from, put[bit as usize], StateId::new(number([a, b, c])));
                    }
                }
                if let Some((bit, rest)) = pop(a)
                    && let Some(b) = push(b, bit)
                {
                    builder.transition(from, entail_model::TAU, StateId::new(number([rest, b, c])));
                }
                if let Some((bit, rest)) = pop(b)
                    && let Some(c) = push(c, bit)
                {
                    builder.transition(from, entail_model::TAU, StateId::new(number([a, rest, c])));
                }
                if let Some((bit, rest)) = pop(c) {
                    builder.transition(from, get[bit as usize], StateId::new(number([a, b, rest])));
                }
            }
        }
    }
    builder.initial(StateId::new(number([1, 1, 1])));
    builder.build().expect("states are in range")
}

fn tree(transitions: u64) -> Lts {
    let states = transitions as u32 | 1;
    let mut builder = LtsBuilder::new(states.into());
    let names = [builder.action("left"), builder.action("right")];
    for child in 1..states {
        builder.transition(
            StateId::new((child - 1) / 2),
            names[child as usize % 2],
            StateId::new(child),
        );
    }
    builder.initial(StateId::new(0));
    builder.build().expect("states are in range")
}

fn stairs(transitions: u64) -> Lts {
    let stair = (transitions as f64).sqrt() as u32;
    let mut builder = LtsBuilder::new(0);
    let names: Vec<_> = (0..8)
        .map(|action| builder.action(&format!("a{action}")))
        .collect();
    let end = builder.add_state();
    let mut count = 0;
    let mut chain = 1;
    while count < transitions {
        let mut below = end;
        for height in 0..chain {
            let state = builder.add_state();
            builder.transition(state, entail_model::TAU, below);
            builder.transition(state, names[(height / 2 % 8) as usize], end);
            count += 2;
            below = state;
        }
        builder.initial(below);
        chain = chain % stair + 1;
    }
    builder.build().expect("states are in range")
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let family = |name: &str| FAMILIES.iter().find(|family| family.0 == name).expect("a family");
    let size = |text: &str| text.parse::<f64>().expect("a number") as u64;
    match arguments.as_slice() {
        [name, transitions, file] => {
            let lts = family(name).2(size(transitions));
            let out = std::fs::File::create(file).expect("the file can be written");
            let mut out = BufWriter::new(out);
            writeln!(out, "des (0,{},{})", lts.transition_count(), lts.state_count()).expect("written");
            for step in lts.transitions() {
                // The hidden action is `i` to most tools.
                let action = match step.action == entail_model::TAU {
                    true => "i",
                    false => lts.action_name(step.action),
                };
                writeln!(out, "({},\"{action}\",{})", step.from, step.to).expect("written");
            }
        }
        _ => {
            let sizes: Vec<u64> = match arguments.first() {
                Some(largest) => (5..=7)
                    .map(|power| 10u64.pow(power))
                    .filter(|&m| m <= size(largest))
                    .collect(),
                None => vec![100_000, 1_000_000, 10_000_000],
            };
            growth(&sizes, arguments.get(1).map(String::as_str));
        }
    }
}

fn growth(sizes: &[u64], only: Option<&str>) {
    println!(
        "| family | relation | states | transitions | blocks | s | ns / (m log₂ n) | check s |\n|---|---|---:|---:|---:|---:|---:|---:|"
    );
    for (name, what, make) in FAMILIES
        .iter()
        .filter(|family| only.is_none_or(|only| only == family.0))
    {
        eprintln!("{name}: {what}");
        for &size in sizes {
            let lts = make(size);
            for relation in [
                Bisimulation::Strong,
                Bisimulation::Branching,
                Bisimulation::DivergenceBranching,
            ] {
                let (states, transitions) = (lts.state_count(), lts.transition_count());
                let start = Clock::start();
                let partition = bisimulation(&lts, relation, &Budget::unlimited()).expect("no limit");
                let seconds = start.seconds();
                let start = Clock::start();
                check_partition(&lts, &partition, relation, &Budget::unlimited()).expect("a bisimulation");
                println!(
                    "| {name} | {relation} | {states} | {transitions} | {} | {seconds:.3} | {:.2} | {:.3} |",
                    partition.block_count(),
                    seconds * 1e9 / (transitions as f64 * (states as f64).log2()),
                    start.seconds(),
                );
            }
        }
    }
    eprintln!("peak memory: {} MiB", peak_memory_bytes().unwrap_or(0) >> 20);
}
