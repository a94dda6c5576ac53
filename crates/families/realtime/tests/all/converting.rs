//! UPPAAL models written for TChecker, and back: the same steps in every state, as read again.

use crate::uppaal::random_model;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete};
use entail_clocks::{Meaning, Network};
use entail_source::Source;
use entail_uppaal::Translation;
use entail_zones::{Bound, Zone};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::collections::{BTreeSet, HashSet, VecDeque};

fn effort() -> u64 {
    std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

fn uppaal(text: &str) -> Network {
    let parsed = entail_uppaal::parse(&Source::new("m.xta", text));
    let parsed = parsed.unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    let translation = Translation::new(&parsed.model, "m");
    translation
        .unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
        .network()
        .clone()
}

fn tchecker(text: &str) -> Network {
    let read = entail_tchecker::read(&Source::new("m.tck", text));
    read.unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
        .network
}

/// A step: the zone of its guard, its updates, what is left of the target's invariant as a zone, the target.
type Step = (Vec<Bound>, Vec<(usize, usize, i64)>, Vec<Bound>, Option<Discrete>);

fn zone(constraints: &[ClockConstraint], dimension: usize) -> Option<Vec<Bound>> {
    let bound = |one: &ClockConstraint| Bound::new(one.bound as i32, one.strict);
    let all: Vec<_> = constraints
        .iter()
        .map(|one| (one.left, one.right, bound(one)))
        .collect();
    Zone::of_constraints(dimension, &all).map(|zone| zone.cells().to_vec())
}

/// The steps of a state that some clock values allow, whatever their edges are called; integers behind the first ones are the writer's own.
fn steps(network: &Network, state: &Discrete, integers: usize) -> Result<BTreeSet<String>, ()> {
    let mut found = BTreeSet::new();
    for step in Meaning::moves(network, state).map_err(|_| ())? {
        let dimension = network.dimension();
        let Some(guard) = zone(&step.guard, dimension) else {
            continue;
        };
        let updates = |one: &ClockUpdate| (one.target, one.source, one.offset);
        let step: Step = match step.target {
            Err(_) => (guard, Vec::new(), Vec::new(), None),
            Ok(mut target) => {
                target.integers.truncate(integers);
                let invariant = zone(&step.invariant, dimension).unwrap_or_default();
                (
                    guard,
                    step.updates.iter().map(updates).collect(),
                    invariant,
                    Some(target),
                )
            }
        };
        found.insert(format!("{step:?}"));
    }
    Ok(found)
}

/// Compares two networks state by state; how many states were compared.
fn same(one: &Network, other: &Network, context: &str) -> usize {
    let integers = one.integers.len();
    let longer = |state: &Discrete| {
        let mut state = state.clone();
        state
            .integers
            .extend(other.integers[integers..].iter().map(|one| one.initial));
        state
    };
    let starts = Meaning::starts(one).expect("states");
    let others = Meaning::starts(other).expect("states");
    assert_eq!(starts.iter().map(longer).collect::<Vec<_>>(), others, "{context}");
    let mut seen: HashSet<Discrete> = starts.iter().cloned().collect();
    let mut waiting: VecDeque<Discrete> = starts.into();
    let mut compared = 0;
    while let Some(state) = waiting.pop_front().filter(|_| seen.len() < 150) {
        let own = (
            steps(one, &state, integers),
            Meaning::may_delay(one, &state).map_err(|_| ()),
        );
        let its = (
            steps(other, &longer(&state), integers),
            Meaning::may_delay(other, &longer(&state)).map_err(|_| ()),
        );
        assert_eq!(own, its, "{state:?}\n{context}");
        compared += 1;
        for step in Meaning::moves(one, &state).into_iter().flatten() {
            if let Ok(next) = step.target
                && seen.insert(next.clone())
            {
                waiting.push_back(next);
            }
        }
    }
    compared
}

#[test]
fn random_models_mean_the_same_for_tchecker_and_back() {
    let (mut there, mut back, mut compared) = (0, 0, 0);
    for seed in 0..400 * effort() {
        let mut random = StdRng::seed_from_u64(40_000 + seed);
        // Without what TChecker's language cannot say.
        let text = random_model(&mut random)
            .replace("urgent chan e", "chan e")
            .replace("f imply x <= 2", "x <= 2");
        let text: String = text
            .lines()
            .filter(|line| !line.starts_with("chan priority"))
            .map(|line| format!("{line}\n"))
            .collect();
        let text = text.replace("P0 < Q0", "P0, Q0");
        let network = uppaal(&text);
        let Ok(written) = entail_tchecker::write(&network) else {
            continue;
        };
        let read = tchecker(&written.text);
        there += 1;
        compared += same(&network, &read, &format!("seed {seed}\n{text}\n{}", written.text));
        if let Ok(again) = entail_uppaal::write(&read) {
            back += 1;
            let context = format!("seed {seed}\n{}\n{}", written.text, again.text);
            compared += same(&read, &uppaal(&again.text), &context);
        }
    }
    assert!(
        there >= 120 && back >= 100 && compared > 2000,
        "{there} written, {back} back, {compared} states"
    );
}

#[test]
fn functions_become_expressions_and_statements() {
    let text = "int a[3] = { 4, 5, 6 }; int[0, 9] n; clock x;
        int[0, 9] first(int v) { for (i : int[0, 2]) { if (a[i] == v) return i; } return 9; }
        int sorted() { int i, j, t; int b[3] = a; for (i = 0; i < 3; i++) for (j = i + 1; j < 3; j++) if (b[j] > b[i]) { t = b[i]; b[i] = b[j]; b[j] = t; } return b[0]; }
        void turn(int &k, int by) { k = k + by; if (k > 6) { k = 0; return; } if (k == 3) k = 4; }
        process P() { state A { x <= 5 }, B; init A; trans
        A -> A { guard first(5) == 1 && x >= 2; assign turn(n, 3), a[n % 3] = first(6), x = 0; },
        A -> B { guard sorted() > n; assign n = sorted() - 3; }; }
        system P;";
    let network = uppaal(text);
    let written = entail_tchecker::write(&network).expect("it can be written");
    assert!(same(&network, &tchecker(&written.text), &written.text) > 1);
}

#[test]
fn what_tchecker_cannot_say_is_refused_by_name() {
    let refused = |declarations: &str, edge: &str| {
        let text = format!(
            "clock x; int n; {declarations} process P() {{ state A, B; init A; trans A -> B {{ {edge} }}; }} system P;"
        );
        entail_tchecker::write(&uppaal(&text)).expect_err("it cannot be written")
    };
    assert!(refused("urgent broadcast chan u;", "sync u!;").contains("urgent channels, and `u`"));
    assert!(refused("chan c; broadcast chan d; chan priority c < d;", "sync d!;").contains("no priorities"));
    assert!(refused("", "guard n & 1;").contains("P: A → B: operators on bits"));
    let text = "clock x; process P() { state A { x' == 0 }; init A; } system P;";
    assert!(
        entail_tchecker::write(&uppaal(text))
            .expect_err("refused")
            .contains("stand still")
    );
    // A function that repeats something as long as a variable says so has no expression.
    let looping = refused(
        "int[0, 9] k; int f() { int i; while (i < k) i++; return i; }",
        "guard f() == k;",
    );
    assert!(looping.contains("the function `f`: it repeats"), "{looping}");
}

#[test]
fn what_uppaal_cannot_say_is_refused_by_name() {
    let refused = |text: &str| entail_uppaal::write(&tchecker(text)).expect_err("it cannot be written");
    let model = |body: &str| format!("system:m\nevent:a\nevent:b\nclock:1:x\nint:1:0:3:0:n\n{body}");
    let three = model(
        "process:P\nlocation:P:l{initial:}\nedge:P:l:l:a{}\nprocess:Q\nlocation:Q:l{initial:}\nedge:Q:l:l:a{}\nprocess:R\nlocation:R:l{initial:}\nedge:R:l:l:a{}\nsync:P@a:Q@a:R@a",
    );
    assert!(refused(&three).contains("sync:P@a:Q@a:R@a: in UPPAAL two processes"));
    let weak = model(
        "process:P\nlocation:P:l{initial:}\nedge:P:l:l:a{}\nprocess:Q\nlocation:Q:l{initial:}\nedge:Q:l:l:b{provided: n == 1}\nsync:P@a:Q@b?",
    );
    assert!(refused(&weak).contains("a weak partner that cannot move prevents the step"));
    let lower = model("process:P\nlocation:P:l{initial: : invariant: x >= 1}\nedge:P:l:l:a{}");
    assert!(refused(&lower).contains("P.l: UPPAAL's invariants bound clocks from above only"));
    let two = model("process:P\nlocation:P:l{initial:}\nlocation:P:k{initial:}\nedge:P:l:l:a{}");
    assert!(refused(&two).contains("it begins in one of 2 locations"));
}

#[test]
fn a_weak_partner_that_can_always_move_hears_a_broadcast() {
    let text = "system:m\nevent:a\nevent:b\nclock:1:x\nint:1:0:3:0:n\n\
        process:P\nlocation:P:l{initial:}\nedge:P:l:l:a{do: if n < 3 then n = n + 1 else n = 0 end}\n\
        process:Q\nlocation:Q:l{initial: : invariant: x <= 4}\nlocation:Q:k{}\n\
        edge:Q:l:k:b{provided: x <= 2 && n != 1 : do: x = 0}\nedge:Q:l:l:b{provided: x > 2}\nedge:Q:l:l:b{provided: n == 1}\n\
        sync:P@a:Q@b?\n";
    let network = tchecker(text);
    let written = entail_uppaal::write(&network).expect("it can be written");
    assert!(written.text.contains("broadcast chan a;"), "{}", written.text);
    assert!(same(&network, &uppaal(&written.text), &written.text) >= 8);
}
