//! Random networks of one process, as texts.

use super::{network, process};
use entail_clocks::Network;
use rand::Rng;
use rand::rngs::StdRng;

/// One of some things.
pub fn one<T: Copy>(random: &mut StdRng, of: &[T]) -> T {
    of[random.random_range(0..of.len())]
}

/// What a random process may have.
#[derive(Clone, Copy)]
pub struct Drawn {
    pub clocks: &'static [&'static str],
    pub sets: &'static [&'static str],
    /// How clocks are compared in invariants, and in guards.
    pub invariant: &'static str,
    pub guards: &'static [&'static str],
    pub urgent: bool,
    pub differences: bool,
}

pub const PLAIN: Drawn = Drawn {
    clocks: &["x", "y"],
    sets: &["", "x=0", "y=0", "x=1"],
    invariant: "<=",
    guards: &["<", "<=", ">", ">=", "=="],
    urgent: true,
    differences: false,
};
pub const ONE_CLOCK: Drawn = Drawn {
    clocks: &["x"],
    sets: &["", "x=0"],
    ..PLAIN
};
pub const CLOSED: Drawn = Drawn {
    guards: &["<=", ">=", "=="],
    ..PLAIN
};
pub const OPEN: Drawn = Drawn {
    invariant: "<",
    guards: &["<", ">"],
    urgent: false,
    ..PLAIN
};
pub const ALL: Drawn = Drawn {
    clocks: &["x", "y"],
    sets: &["", "x=0", "y=0", "x=y", "y=x"],
    differences: true,
    ..PLAIN
};

pub fn random_text(random: &mut StdRng, drawn: Drawn) -> String {
    let places = ["A", "B", "C"];
    let constraint = |random: &mut StdRng, signs: &[&str]| {
        let clock = one(random, drawn.clocks);
        let difference = drawn.differences && random.random_bool(0.3);
        let left = if difference { "x-y" } else { clock };
        format!("{left}{}{}", one(random, signs), random.random_range(0..3))
    };
    let invariants: Vec<String> = (places.iter())
        .map(|_| match random.random_range(0..3) {
            0 => format!(
                "{}{}{}",
                one(random, drawn.clocks),
                drawn.invariant,
                random.random_range(1..3)
            ),
            _ => String::new(),
        })
        .collect();
    let invariants = invariants.iter().map(String::as_str);
    let locations: Vec<(&str, &str)> = places.iter().copied().zip(invariants).collect();
    let edges: Vec<_> = (0..random.random_range(2..5))
        .map(|_| {
            let guard = match random.random_range(0..3) {
                0 => String::new(),
                _ => constraint(random, drawn.guards),
            };
            let ends = (one(random, &places), one(random, &places));
            (ends, one(random, &["a", "b"]), guard, one(random, drawn.sets))
        })
        .collect();
    let edges: Vec<_> = (edges.iter())
        .map(|((from, to), event, guard, set)| (*from, *to, *event, guard.as_str(), *set))
        .collect();
    let text = process(&locations, &edges);
    match drawn.urgent && random.random_bool(0.1) {
        true => text
            .replace("location:P:B{", "location:P:B{urgent: : ")
            .replace(" : }", "}"),
        false => text,
    }
}

pub fn random_process(random: &mut StdRng, drawn: Drawn) -> Network {
    network(&random_text(random, drawn))
}

/// A process and another one that is drawn anew, the same, or the same with one constant changed.
pub fn random_pair(random: &mut StdRng, drawn: Drawn) -> [Network; 2] {
    let first = random_text(random, drawn);
    let second = match random.random_range(0..4) {
        0 => first.clone(),
        1 | 2 => {
            let (from, to) = one(
                random,
                &[
                    ("<=1", "<=2"),
                    ("<=2", "<=1"),
                    (">=1", ">=2"),
                    ("==1", "==2"),
                    ("<2", "<1"),
                    (">1", ">0"),
                ],
            );
            first.replacen(from, to, 1)
        }
        _ => random_text(random, drawn),
    };
    [network(&first), network(&second)]
}

/// A text with the comparisons of an open network, each met by more values than before.
pub fn widened(text: &str) -> String {
    let wider = |line: &str| {
        let mut line = line.replace("urgent: : ", "").replace("urgent:", "");
        for (from, to) in [
            ("==0", "<1"),
            ("==1", "<2"),
            ("==2", ">1"),
            (">=1", ">0"),
            (">=2", ">1"),
        ] {
            line = line.replace(from, to);
        }
        for (from, to) in [("<=0", "<1"), ("<=2", "<3"), ("<=1", "<2")] {
            line = line.replace(from, to);
        }
        // What is left holds anyway.
        for clock in ["x", "y"] {
            line = line.replace(&format!("provided: {clock}>=0 : "), "");
            line = line.replace(&format!("provided: {clock}>=0"), "");
        }
        line
    };
    text.lines().map(|line| wider(line) + "\n").collect()
}
