//! Systems written in Rust: known numbers, and random systems against formulas judged in the plainest way.

use entail_explicit::{Checker, Order, Reply, SearchOptions, Storage, System};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

#[path = "../../examples/two_phase_commit.rs"]
#[allow(dead_code, reason = "the example has a program of its own")]
mod two_phase_commit;

#[test]
fn two_phase_commit_has_its_known_numbers_of_states() {
    for (managers, expected) in [(3, 288), (4, 1_568), (5, 8_832)] {
        let system = two_phase_commit::system(managers, false);
        let replies = Checker::new(&system)
            .no_dead_ends("goes on")
            .always("true", |_| true)
            .check();
        assert_eq!(replies[1].states, expected, "{managers} managers");
        let system = two_phase_commit::system(managers, true);
        let fewer = Checker::new(&system).always("true", |_| true).check();
        assert!(
            fewer[0].states < expected / 2,
            "{managers} managers: {}",
            fewer[0].states
        );
    }
}

/// A random graph whose states have two colours.
struct Graph {
    follows: Vec<Vec<usize>>,
}

impl System for Graph {
    type State = usize;
    type Action = usize;

    fn initial(&self) -> Vec<usize> {
        vec![0]
    }

    fn actions(&self, state: &usize) -> Vec<usize> {
        self.follows[*state].clone()
    }

    fn step(&self, _: &usize, to: &usize) -> Option<usize> {
        Some(*to)
    }
}

/// The states from which some path stays for ever where a condition holds: the greatest fixpoint, by taking away.
fn can_stay(graph: &Graph, holds: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut stays: Vec<bool> = (0..graph.follows.len()).map(&holds).collect();
    loop {
        let before = stays.clone();
        for (stays, follows) in stays.iter_mut().zip(&graph.follows) {
            *stays &= follows.is_empty() || follows.iter().any(|&next| before[next]);
        }
        if stays == before {
            return stays;
        }
    }
}

fn reachable(graph: &Graph, from: usize) -> Vec<bool> {
    let mut seen = vec![false; graph.follows.len()];
    let mut pending = vec![from];
    while let Some(state) = pending.pop() {
        if !std::mem::replace(&mut seen[state], true) {
            pending.extend(&graph.follows[state]);
        }
    }
    seen
}

#[test]
fn random_systems_are_judged_as_by_fixpoints() {
    let mut dice = StdRng::seed_from_u64(7);
    let (mut held, mut failed) = (0, 0);
    for _ in 0..1_000 {
        let count = dice.random_range(1..12);
        let follows = (0..count)
            .map(|_| {
                (0..dice.random_range(0..3))
                    .map(|_| dice.random_range(0..count))
                    .collect()
            })
            .collect();
        let graph = Graph { follows };
        let (p, q) = (|state: &usize| state % 3 == 1, |state: &usize| state % 4 == 2);
        let storage = [Storage::Exact, Storage::Tree, Storage::Disk][dice.random_range(0..3)];
        let options = SearchOptions {
            threads: dice.random_range(1..3),
            cycle_threads: dice.random_range(1..3),
            storage,
            order: match storage {
                Storage::Disk => Order::BreadthFirst,
                _ => [Order::BreadthFirst, Order::DepthFirst, Order::BestFirst][dice.random_range(0..3)],
            },
            wide_level: 1,
            ..SearchOptions::default()
        };
        let checker = Checker::new(&graph)
            .searching(options)
            .always("p never", |state| !p(state))
            .sometimes("q", q)
            .eventually("p", p)
            .formula(
                "answered",
                "G (p -> F q)",
                vec![("p", Box::new(p)), ("q", Box::new(q))],
            )
            .no_dead_ends("goes on");
        let replies = checker.check();
        ranks_show_what_holds(&checker, &replies, &mut dice);
        let seen = reachable(&graph, 0);
        let any = |wanted: &dyn Fn(usize) -> bool| (0..count).any(|state| seen[state] && wanted(state));
        let without_p = can_stay(&graph, |state| !p(&state));
        let without_q = can_stay(&graph, |state| !q(&state));
        let expected = [
            !any(&|state| p(&state)),
            any(&|state| q(&state)),
            !without_p[0],
            !any(&|state| p(&state) && without_q[state]),
            !any(&|state| graph.follows[state].is_empty()),
        ];
        for (reply, expected) in replies.iter().zip(expected) {
            assert_eq!(
                reply.holds,
                Some(expected),
                "{}: {:?} {:?}",
                reply.name,
                graph.follows,
                reply.reason
            );
            held += usize::from(expected);
            failed += usize::from(!expected);
        }
    }
    assert!(held > 500 && failed > 500, "{held} hold, {failed} fail");
}

/// For every formula: there are ranks, which are accepted if and only if it holds, and not with a rank that is missing or another.
fn ranks_show_what_holds(checker: &Checker<'_, Graph>, replies: &[Reply<usize, usize>], dice: &mut StdRng) {
    for reply in replies {
        let Some(formula) = checker.asked_formula(&reply.name) else {
            continue;
        };
        let observer = entail_linear_checker::violations(&formula).expect("a small formula");
        let set = checker
            .ranked_set(&reply.name, &observer)
            .expect("there are few states");
        let accepted = checker.accepts_ranks(&reply.name, &observer, &set);
        assert_eq!(
            Some(accepted.is_ok()),
            reply.holds,
            "{}: {accepted:?}",
            reply.name
        );
        if accepted.is_err() {
            continue;
        }
        let mut pairs = set.pairs();
        let place = dice.random_range(0..pairs.len());
        let rank = dice.random_range(0..pairs[place].1.len());
        // All pairs are reachable, so each is needed.
        pairs[place].1.remove(rank);
        pairs.retain(|(_, ranks)| !ranks.is_empty());
        let fewer = entail_explicit::RankedSet::new(pairs).expect("few ranks");
        assert!(checker.accepts_ranks(&reply.name, &observer, &fewer).is_err());
        let mut pairs = set.pairs();
        pairs.iter_mut().for_each(|(_, ranks)| {
            ranks.iter_mut().for_each(|rank| {
                rank.level = 0;
                rank.missing = 0;
            });
        });
        // Without levels, only where no step meets the mark.
        let flat = entail_explicit::RankedSet::new(pairs).expect("few ranks");
        let levels = set
            .pairs()
            .iter()
            .any(|(_, ranks)| ranks.iter().any(|rank| rank.level > 0));
        let is_flat = checker.accepts_ranks(&reply.name, &observer, &flat).is_ok();
        assert!(!(is_flat && levels), "levels are needed where there are some");
    }
}

#[test]
fn the_page_shows_the_programs_that_are_built() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/rust-models.md");
    let page = std::fs::read_to_string(page).expect("the page");
    for (name, text) in [
        ("lock", include_str!("../../examples/lock.rs")),
        ("asking", include_str!("../../examples/asking.rs")),
    ] {
        assert!(
            page.contains(text),
            "docs/rust-models.md and examples/{name}.rs differ"
        );
    }
}

#[test]
fn a_closed_set_is_accepted_and_not_if_a_state_is_missing_or_wrong() {
    for symmetric in [false, true] {
        let system = two_phase_commit::system(4, symmetric);
        let checker = Checker::new(&system).always("true", |_| true);
        let set = checker.closed_set().expect("there are few states");
        assert_eq!(set.len(), checker.check()[0].states);
        assert_eq!(checker.accepts(&set), Ok(()));
        let states = set.states();
        for missing in (0..states.len()).step_by(1 + states.len() / 50) {
            let mut fewer = states.clone();
            fewer.remove(missing);
            let fewer = entail_explicit::ClosedSet::new(fewer);
            assert!(checker.accepts(&fewer).is_err(), "without state {missing}");
        }
        let mut more = states.clone();
        more.push(vec![0xff; 40].into());
        assert!(checker.accepts(&entail_explicit::ClosedSet::new(more)).is_err());
        // What does not hold everywhere is not shown by the set.
        let first = std::sync::atomic::AtomicBool::new(true);
        let wrong = |_: &two_phase_commit::State| !first.swap(false, std::sync::atomic::Ordering::Relaxed);
        let asked = Checker::new(&system).always("not in the first state", wrong);
        assert!(asked.accepts(&set).is_err());
    }
}

/// Numbers that are counted up or doubled.
struct Numbers;

impl System for Numbers {
    type State = u32;
    type Action = u32;

    fn initial(&self) -> Vec<u32> {
        vec![1]
    }

    fn actions(&self, _: &u32) -> Vec<u32> {
        vec![1, 2]
    }

    fn step(&self, number: &u32, action: &u32) -> Option<u32> {
        let next = match action {
            1 => number + 1,
            _ => number * 2,
        };
        (next <= 200_000).then_some(next)
    }
}

#[test]
fn a_good_estimate_finds_what_is_looked_for_after_few_states() {
    let far = |number: &u32| u64::from(number.abs_diff(65_536));
    let is_it = |number: &u32| *number == 65_536;
    let blind = Checker::new(&Numbers).sometimes("it", is_it).check();
    let guided = Checker::new(&Numbers)
        .guided_by(far)
        .sometimes("it", is_it)
        .always("small", |number| *number <= 200_000)
        .check();
    assert_eq!((blind[0].holds, guided[0].holds), (Some(true), Some(true)));
    assert!(
        guided[0].states < 100 && blind[0].states > 1_000,
        "{} {}",
        guided[0].states,
        blind[0].states
    );
    // Whatever the estimate says, all states are searched.
    assert_eq!((guided[1].holds, guided[1].states), (Some(true), 200_000));
}
