//! Random successor systems: every search, store and number of threads agrees with a naive one.

use entail_budget::{Budget, Cancellation, Silent, Spent};
use entail_search::{
    Cause, Checkpoints, DiskOptions, Ending, Explorer, GroupSet, Order, SearchOptions, Searchable, Steps,
    Storage, search,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, BufRead, Cursor, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

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

/// So little memory for gathered states that levels are sorted in many parts.
fn small_buffer() -> DiskOptions {
    DiskOptions {
        folder: None,
        buffer: Some(6000),
    }
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
            Storage::Disk,
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
                if storage == Storage::Disk && (needs_states || order == Order::DepthFirst) {
                    continue;
                }
                let options = SearchOptions {
                    storage,
                    disk: small_buffer(),
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
        for (bound, storage) in [0, 1, depth, depth + 1]
            .into_iter()
            .flat_map(|bound| [(bound, Storage::Auto), (bound, Storage::Disk)])
        {
            let options = SearchOptions {
                depth_bound: Some(bound),
                storage,
                disk: small_buffer(),
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
                    let nearest = expected.wrong.expect("something is wrong");
                    let length = violation.path.len() as u64;
                    assert_eq!(length, nearest, "seed {seed}");
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
            Storage::Disk,
            Storage::HashCompact(64),
            Storage::Bitstate(1 << 22),
        ];
        storages.into_iter().flat_map(move |storage| {
            [Order::BreadthFirst, Order::DepthFirst].map(|order| (bad, storage, order))
        })
    }) {
        if (storage, order) == (Storage::Disk, Order::DepthFirst) {
            continue;
        }
        let system = Grid { bad };
        for threads in [1, 2, 4] {
            let options = SearchOptions {
                storage,
                disk: small_buffer(),
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

/// A grid whose search is cancelled when so many states were expanded.
struct Stopping {
    grid: Grid,
    left: AtomicUsize,
    cancellation: Cancellation,
}

struct StoppingExplorer<'m>(&'m Stopping, &'m Grid);

impl Searchable for Stopping {
    type Flaw = &'static str;
    type Explorer<'m> = StoppingExplorer<'m>;

    fn explorer<'m>(&'m self, _: &'m Budget) -> StoppingExplorer<'m> {
        StoppingExplorer(self, &self.grid)
    }
}

impl Explorer for StoppingExplorer<'_> {
    type Flaw = &'static str;
    type Successors = Steps<&'static str>;

    fn initial(&mut self, out: &mut Steps<&'static str>) -> Result<(), Spent> {
        self.1.initial(out)
    }

    fn expand(&mut self, state: &[u8], out: &mut Steps<&'static str>) -> Result<(), Spent> {
        if self.0.left.fetch_sub(1, Ordering::Relaxed) == 0 {
            self.0.cancellation.cancel();
        }
        self.1.expand(state, out)
    }

    fn inspect(&mut self, state: &[u8]) -> Option<&'static str> {
        self.1.inspect(state)
    }
}

/// A search that is saved in memory when it is spent.
#[derive(Debug, Default)]
struct InMemory {
    saved: Mutex<Option<Vec<u8>>>,
    from: Mutex<Option<Vec<u8>>>,
}

impl Checkpoints for InMemory {
    fn is_due(&self) -> bool {
        false
    }

    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut bytes = Vec::new();
        write(&mut bytes).expect("there is memory");
        *self.saved.lock().expect("no thread has failed") = Some(bytes);
    }

    fn saved(&self) -> Option<Box<dyn BufRead + Send>> {
        let from = self.from.lock().expect("no thread has failed").take();
        from.map(|bytes| Box::new(Cursor::new(bytes)) as Box<dyn BufRead + Send>)
    }
}

#[test]
fn searches_go_on_on_disk_from_wherever_they_were_saved() {
    for (from, to) in [
        (Storage::Disk, Storage::Disk),
        (Storage::Disk, Storage::Auto),
        (Storage::Exact, Storage::Disk),
        (Storage::Tree, Storage::Disk),
    ] {
        for (stop, bad) in [0, 1, 700, 5000, 9260]
            .into_iter()
            .flat_map(|stop| [(stop, None), (stop, Some([20, 19, 3]))])
        {
            let checkpoints = Arc::new(InMemory::default());
            let options = |storage, threads| SearchOptions {
                storage,
                disk: small_buffer(),
                threads,
                wide_level: 1,
                checkpoints: Some(checkpoints.clone()),
                ..SearchOptions::default()
            };
            let cancellation = Cancellation::default();
            let system = Stopping {
                grid: Grid { bad },
                left: AtomicUsize::new(stop),
                cancellation: cancellation.clone(),
            };
            let budget = Budget::unlimited().with_cancellation(cancellation);
            let first = search(&system, &options(from, 2), &budget, &Silent);
            let about = format!("{from:?} to {to:?}, stopped after {stop}: {:?}", first.ending);
            let saved = checkpoints.saved.lock().expect("no thread has failed").take();
            let Some(saved) = saved else {
                // It was found before, or nothing was left to do.
                assert!(!matches!(first.ending, Ending::Spent(_)), "{about}");
                continue;
            };
            *checkpoints.from.lock().expect("no thread has failed") = Some(saved.clone());
            let second = search(&Grid { bad }, &options(to, 2), &Budget::unlimited(), &Silent);
            assert_eq!(second.storage, "disk", "{about}");
            match (second.ending, bad) {
                (Ending::Finished, None) => {
                    assert_eq!(second.counts.states, 21 * 21 * 21, "{about}");
                    assert_eq!(second.counts.transitions, 3 * 20 * 21 * 21, "{about}");
                    assert_eq!(second.counts.depth, 60, "{about}");
                    assert_eq!(second.dead_end, Some(vec![20; 3]), "{about}");
                }
                (Ending::Violation(violation), Some(_)) => assert_eq!(violation.path.len(), 43, "{about}"),
                (ending, _) => panic!("{about}: {ending:?}"),
            }
            // What is cut off is not taken for a search.
            for length in [8, saved.len() / 2, saved.len() - 1] {
                *checkpoints.from.lock().expect("no thread has failed") = Some(saved[..length].to_vec());
                let cut = search(&Grid { bad }, &options(to, 1), &Budget::unlimited(), &Silent);
                assert!(
                    matches!(cut.ending, Ending::File("the checkpoint", _)),
                    "{about}: {:?}",
                    cut.ending
                );
            }
        }
    }
}

/// A grid whose counters are known to be independent, so that one of them suffices where it can go on; it must not stop where all are at the end.
struct Independent;

struct IndependentExplorer {
    choices: Vec<(usize, GroupSet)>,
}

impl Searchable for Independent {
    type Flaw = &'static str;
    type Explorer<'m> = IndependentExplorer;

    fn explorer<'m>(&'m self, _: &'m Budget) -> IndependentExplorer {
        IndependentExplorer { choices: Vec::new() }
    }
}

impl Explorer for IndependentExplorer {
    type Flaw = &'static str;
    type Successors = Steps<&'static str>;

    fn initial(&mut self, out: &mut Steps<&'static str>) -> Result<(), Spent> {
        (&Grid { bad: None }).initial(out)
    }

    fn expand(&mut self, state: &[u8], out: &mut Steps<&'static str>) -> Result<(), Spent> {
        (&Grid { bad: None }).expand(state, out)?;
        self.choices.clear();
        for counter in (0..3).filter(|&counter| state[counter] < 20) {
            let mut set = GroupSet::default();
            set.insert(counter as u8);
            self.choices.push((1, set));
        }
        Ok(())
    }

    fn choices(&mut self, _: &Steps<&'static str>) -> &[(usize, GroupSet)] {
        &self.choices
    }

    fn may_end(&mut self, _: &[u8]) -> bool {
        false
    }
}

#[test]
fn reduction_on_disk_leaves_out_much_and_finds_the_end() {
    for threads in [1, 3] {
        let options = SearchOptions {
            storage: Storage::Disk,
            disk: small_buffer(),
            threads,
            wide_level: 1,
            ..SearchOptions::default()
        };
        let searched = search(&Independent, &options, &Budget::unlimited(), &Silent);
        match searched.ending {
            Ending::Violation(violation) => {
                assert_eq!(violation.cause, Cause::End);
                assert_eq!(violation.path.len(), 61);
            }
            other => panic!("{other:?}"),
        }
        assert!(searched.counts.states < 200, "{} states", searched.counts.states);
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let options = SearchOptions {
        storage: Storage::Disk,
        disk: DiskOptions {
            folder: Some("/no/such/folder".into()),
            buffer: None,
        },
        ..SearchOptions::default()
    };
    let searched = search(&Grid { bad: None }, &options, &Budget::unlimited(), &Silent);
    let reason = searched.ending.reason().expect("it is not finished");
    assert!(reason.contains("/no/such/folder"), "{reason}");
}
