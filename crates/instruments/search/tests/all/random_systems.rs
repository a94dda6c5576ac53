//! Random successor systems: every search, store and number of threads agrees with a naive one.

use entail_budget::{Budget, Silent, Spent};
use entail_search::{
    Cause, Ending, Explorer, GroupSet, Order, SearchOptions, Searchable, Steps, Storage, search,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A system of counters that add modulo small numbers: state `i` has byte `i` of each counter, and some filling so that lengths differ.
struct Random {
    initial: Vec<Vec<u8>>,
    steps: BTreeMap<Vec<u8>, Vec<(u8, Vec<u8>)>>,
    /// States that are wrong.
    bad: BTreeSet<Vec<u8>>,
    /// States from which a step goes wrong.
    faulty: BTreeSet<Vec<u8>>,
    /// Ends that are not allowed.
    stuck: BTreeSet<Vec<u8>>,
}

fn name(number: usize) -> Vec<u8> {
    let mut state = vec![7; number % 23];
    state.extend_from_slice(&(number as u16).to_le_bytes());
    state
}

impl Random {
    fn new(seed: u64) -> Random {
        let random = &mut StdRng::seed_from_u64(seed);
        let size = [3, 20, 300, 4000][random.random_range(0..4)];
        let wrong = random.random_bool(0.5);
        let mut system = Random {
            initial: Vec::new(),
            steps: BTreeMap::new(),
            bad: BTreeSet::new(),
            faulty: BTreeSet::new(),
            stuck: BTreeSet::new(),
        };
        for _ in 0..random.random_range(1..4) {
            system.initial.push(name(random.random_range(0..size)));
        }
        for number in 0..size {
            let count = random.random_range(0..5);
            // Mostly near by, so that there are many levels.
            let steps = (0..count).map(|_| {
                let to = match random.random_bool(0.9) {
                    true => (number + random.random_range(1..8)) % size,
                    false => random.random_range(0..size),
                };
                (random.random_range(0..3), name(to))
            });
            system.steps.insert(name(number), steps.collect());
            if wrong {
                let set = match random.random_range(0..3 * size) {
                    0 => &mut system.bad,
                    1 => &mut system.faulty,
                    2 => &mut system.stuck,
                    _ => continue,
                };
                set.insert(name(number));
            }
        }
        system
    }
}

impl Searchable for Random {
    type Flaw = &'static str;
    type Explorer<'m> = &'m Random;

    fn explorer<'m>(&'m self, _: &'m Budget) -> &'m Random {
        self
    }
}

impl Explorer for &Random {
    type Flaw = &'static str;
    type Successors = Steps<&'static str>;

    fn initial(&mut self, out: &mut Steps<&'static str>) -> Result<(), Spent> {
        out.clear();
        self.initial.iter().for_each(|state| out.push(0, state));
        Ok(())
    }

    fn estimate(&mut self, state: &[u8]) -> u64 {
        state.iter().map(|&byte| u64::from(byte % 5)).sum()
    }

    fn expand(&mut self, state: &[u8], out: &mut Steps<&'static str>) -> Result<(), Spent> {
        out.clear();
        for (group, next) in &self.steps[state] {
            out.push(*group, next);
        }
        if self.faulty.contains(state) {
            out.push_flaw(1, "step");
        }
        Ok(())
    }

    fn inspect(&mut self, state: &[u8]) -> Option<&'static str> {
        self.bad.contains(state).then_some("state")
    }

    fn choices(&mut self, _: &Steps<&'static str>) -> &[(usize, GroupSet)] {
        &[]
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        !self.stuck.contains(state)
    }
}

/// What a naive breadth-first search finds: the states by distance, the steps, and the least number of states on a path to something wrong.
struct Naive {
    distance: BTreeMap<Vec<u8>, u64>,
    transitions: u64,
    wrong: Option<u64>,
}

fn naive(system: &Random) -> Naive {
    let mut distance: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    let mut queue = VecDeque::new();
    for state in &system.initial {
        if distance.insert(state.clone(), 0).is_none() {
            queue.push_back(state.clone());
        }
    }
    let (mut transitions, mut wrong) = (0, None);
    while let Some(state) = queue.pop_front() {
        let steps = &system.steps[&state];
        let ends_wrong = steps.is_empty() && system.stuck.contains(&state);
        if system.bad.contains(&state) || system.faulty.contains(&state) || ends_wrong {
            wrong = wrong.or(Some(distance[&state] + 1));
        }
        for (_, next) in steps {
            transitions += 1;
            if !distance.contains_key(next) {
                distance.insert(next.clone(), distance[&state] + 1);
                queue.push_back(next.clone());
            }
        }
    }
    Naive {
        distance,
        transitions,
        wrong,
    }
}

/// Whether a path is one, and ends as it is said to.
fn replay(system: &Random, path: &[Vec<u8>], cause: &Cause<&'static str>) {
    assert!(system.initial.contains(&path[0]));
    for pair in path.windows(2) {
        assert!(system.steps[&pair[0]].iter().any(|(_, next)| *next == pair[1]));
    }
    let last = path.last().expect("a path has a state");
    match cause {
        Cause::State("state") => assert!(system.bad.contains(last)),
        Cause::Step("step") => assert!(system.faulty.contains(last)),
        Cause::End => assert!(system.steps[last].is_empty() && system.stuck.contains(last)),
        other => panic!("{other:?}"),
    }
}

fn effort() -> u64 {
    let wanted = std::env::var("ENTAIL_EFFORT").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(1)
}

#[test]
fn all_searches_stores_and_thread_counts_agree_with_a_naive_search() {
    for seed in 0..150 * effort() {
        let system = Random::new(seed);
        let expected = naive(&system);
        for storage in [
            Storage::Auto,
            Storage::Exact,
            Storage::Tree,
            Storage::HashCompact(64),
            Storage::Bitstate(1 << 20),
        ] {
            for (order, threads, context_bound) in [
                (Order::BreadthFirst, 1, None),
                (Order::BreadthFirst, 3, None),
                (Order::DepthFirst, 1, None),
                (Order::DepthFirst, 2, None),
                (Order::BreadthFirst, 1, Some(u32::MAX)),
                (Order::BestFirst, 1, None),
            ] {
                let needs_states = context_bound.is_some() || order == Order::BestFirst;
                if needs_states && storage.is_lossy() {
                    continue;
                }
                let options = SearchOptions {
                    storage,
                    order,
                    threads,
                    cycle_threads: threads,
                    context_bound,
                    wide_level: 1,
                    ..SearchOptions::default()
                };
                let searched = search(&system, &options, &Budget::unlimited(), &Silent);
                let about = format!("seed {seed}, {storage:?}, {order:?}, {threads}, {context_bound:?}");
                match (&searched.ending, expected.wrong) {
                    (Ending::Finished, None) => {
                        // Pairs of a state and who moves are counted otherwise.
                        if context_bound.is_none() {
                            let states = expected.distance.len() as u64;
                            assert_eq!(searched.counts.states, states, "{about}");
                            assert_eq!(searched.counts.transitions, expected.transitions, "{about}");
                        }
                        if order == Order::BreadthFirst && context_bound.is_none() {
                            let depth = expected.distance.values().max().copied();
                            assert_eq!(Some(searched.counts.depth), depth, "{about}");
                        }
                        let has_end = expected
                            .distance
                            .keys()
                            .any(|state| system.steps[state].is_empty());
                        if context_bound.is_none() {
                            assert_eq!(searched.dead_end.is_some(), has_end, "{about}");
                        }
                        assert_eq!(searched.omissions.is_some(), storage.is_lossy());
                    }
                    (Ending::Violation(violation), Some(nearest)) => {
                        replay(&system, &violation.path, &violation.cause);
                        let length = violation.path.len() as u64;
                        if order == Order::BreadthFirst && context_bound.is_none() {
                            assert_eq!(length, nearest, "{about}");
                        }
                    }
                    (ending, wrong) => panic!("{about}: {ending:?} beside {wrong:?}"),
                }
            }
        }
    }
}

#[test]
fn a_bound_on_the_depth_ends_a_search_at_that_distance() {
    for seed in 0..100 * effort() {
        let system = Random::new(seed);
        let expected = naive(&system);
        let depth = expected.distance.values().max().copied().unwrap_or(0);
        for bound in [0, 1, depth, depth + 1] {
            let options = SearchOptions {
                depth_bound: Some(bound),
                ..SearchOptions::default()
            };
            let searched = search(&system, &options, &Budget::unlimited(), &Silent);
            match searched.ending {
                Ending::DepthBound(reached) => {
                    assert_eq!(reached, bound);
                    let within = expected.distance.values().filter(|&&distance| distance <= bound);
                    assert_eq!(searched.counts.states, within.count() as u64, "seed {seed}");
                }
                Ending::Finished => assert!(bound > depth && expected.wrong.is_none(), "seed {seed}"),
                Ending::Violation(violation) => {
                    assert_eq!(Some(violation.path.len() as u64), expected.wrong, "seed {seed}");
                }
                other => panic!("seed {seed}: {other:?}"),
            }
        }
    }
}

/// Three counters up to 20 that are counted up one at a time; a state with a given sum may be bad.
struct Grid {
    bad: Option<[u8; 3]>,
}

impl Searchable for Grid {
    type Flaw = &'static str;
    type Explorer<'m> = &'m Grid;

    fn explorer<'m>(&'m self, _: &'m Budget) -> &'m Grid {
        self
    }
}

impl Explorer for &Grid {
    type Flaw = &'static str;
    type Successors = Steps<&'static str>;

    fn initial(&mut self, out: &mut Steps<&'static str>) -> Result<(), Spent> {
        out.clear();
        out.push(0, &[0; 3]);
        Ok(())
    }

    fn expand(&mut self, state: &[u8], out: &mut Steps<&'static str>) -> Result<(), Spent> {
        out.clear();
        for (counter, &value) in state.iter().enumerate() {
            if value < 20 {
                let mut next = [state[0], state[1], state[2]];
                next[counter] += 1;
                out.push(counter as u8, &next);
            }
        }
        Ok(())
    }

    fn inspect(&mut self, state: &[u8]) -> Option<&'static str> {
        (self.bad.is_some_and(|bad| bad == *state)).then_some("bad")
    }
}

#[test]
fn threads_share_larger_searches_of_every_kind() {
    for (bad, storage, order) in [None, Some([20, 19, 3])].into_iter().flat_map(|bad| {
        let storages = [
            Storage::Exact,
            Storage::Tree,
            Storage::HashCompact(64),
            Storage::Bitstate(1 << 22),
        ];
        storages.into_iter().flat_map(move |storage| {
            [Order::BreadthFirst, Order::DepthFirst].map(|order| (bad, storage, order))
        })
    }) {
        let system = Grid { bad };
        for threads in [1, 2, 4] {
            let options = SearchOptions {
                storage,
                order,
                threads,
                cycle_threads: threads,
                wide_level: 1,
                ..SearchOptions::default()
            };
            let searched = search(&system, &options, &Budget::unlimited(), &Silent);
            let about = format!("{storage:?}, {order:?}, {threads} threads");
            match (searched.ending, bad) {
                (Ending::Finished, None) => {
                    // A filter may take new states for visited ones.
                    if !matches!(storage, Storage::Bitstate(_)) {
                        assert_eq!(searched.counts.states, 21 * 21 * 21, "{about}");
                        assert_eq!(searched.counts.transitions, 3 * 20 * 21 * 21, "{about}");
                    }
                    assert!(searched.dead_end.is_some());
                }
                (Ending::Violation(violation), Some(bad)) => {
                    assert_eq!(violation.path.len(), 43, "{about}");
                    assert_eq!(violation.path[0], [0; 3]);
                    assert_eq!(violation.path[42], bad);
                    for pair in violation.path.windows(2) {
                        let steps = pair[0].iter().zip(&pair[1]);
                        let difference: u8 = steps.map(|(before, after)| after - before).sum();
                        assert_eq!(difference, 1, "{about}");
                    }
                }
                (ending, _) => panic!("{about}: {ending:?}"),
            }
        }
    }
}
