//! The stores beside a set of the standard library, and the arithmetic of lossy storage.

use super::exact::Exact;
use super::lossy::{Bitstate, HashCompact};
use super::tree::Tree;
use super::{StateNumber, Store, Visited};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::HashMap;

/// A state that shares much with others; lengths differ.
fn state(random: &mut StdRng) -> Vec<u8> {
    let length = random.random_range(0..90);
    let kind = random.random_range(0..4u8);
    (0..length)
        .map(|at| match random.random_range(0..12) {
            0 => random.random_range(0..3),
            _ => kind * (at / 20) as u8,
        })
        .collect()
}

fn is_a_set<S: Store>(mut store: S) {
    let random = &mut StdRng::seed_from_u64(7);
    let mut known: HashMap<Vec<u8>, StateNumber> = HashMap::new();
    let mut pen = store.pen(1);
    let mut base = Vec::new();
    for round in 0..60_000u32 {
        // Sometimes a state is opened, as a search does; inserting must not depend on it.
        if round % 5 == 0 && round > 0 {
            let number = StateNumber(random.random_range(0..store.numbers()));
            assert!(store.open(&mut pen, number, &mut base));
        }
        let state = match random.random_bool(0.5) && !base.is_empty() {
            true => {
                let mut state = base.clone();
                let at = random.random_range(0..state.len());
                state[at] = random.random_range(0..4);
                state
            }
            false => state(random),
        };
        let parent = known.len().checked_sub(1).map(|last| StateNumber(last as u32));
        let (number, new) = store.insert(&mut pen, &state, parent).expect("room");
        assert_eq!(new, !known.contains_key(&state));
        if new {
            assert_eq!(number.index(), known.len());
            assert_eq!(store.parent(number), parent);
        }
        assert_eq!(*known.entry(state).or_insert(number), number);
    }
    for (state, &number) in &known {
        assert_eq!(&store.copy(number), state);
    }
}

#[test]
fn exact_storage_is_a_set() {
    is_a_set(Exact::new());
}

#[test]
fn tree_storage_is_a_set() {
    is_a_set(Tree::new());
}

fn threads_agree<S: Store>(mut store: S) {
    let key = |at: u32| {
        let mut state = vec![(at % 7) as u8; 20 + (at % 5) as usize * 3];
        state[..4].copy_from_slice(&at.to_le_bytes());
        state
    };
    let (mut next, mut new) = (0, 0);
    while next < 30_000u32 {
        // Each round is a level: threads insert the same keys until they are done or the store is crowded.
        let store_ref = &store;
        let done: Vec<(u32, usize)> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(move || {
                        let mut pen = store_ref.pen(64);
                        let mut new = 0;
                        for at in next..30_000 {
                            let state = key(at);
                            let inserted = store_ref
                                .prepare(&mut pen, &state)
                                .and_then(|key| store_ref.insert_prepared(&mut pen, &state, key, None));
                            match inserted {
                                Ok((_, fresh)) => new += usize::from(fresh),
                                Err(_) => return (at, new),
                            }
                        }
                        (30_000, new)
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .collect()
        });
        next = done.iter().map(|&(at, _)| at).min().expect("three threads");
        new += done.iter().map(|&(_, new)| new).sum::<usize>();
        if next < 30_000 {
            store.grow(2).expect("room");
        }
    }
    assert_eq!(new, 30_000);
    let mut pen = store.pen(1);
    let mut read = Vec::new();
    let mut seen: Vec<Vec<u8>> = Vec::new();
    for number in (0..store.numbers()).map(StateNumber) {
        if store.open(&mut pen, number, &mut read) {
            seen.push(read.clone());
        }
    }
    seen.sort();
    let mut all: Vec<_> = (0..30_000).map(key).collect();
    all.sort();
    assert_eq!(seen, all);
}

#[test]
fn threads_insert_each_state_once_exactly() {
    threads_agree(Exact::new());
}

#[test]
fn threads_insert_each_state_once_into_a_tree() {
    threads_agree(Tree::new());
}

#[test]
fn lossy_sets_with_much_room_leave_nothing_out() {
    let mut sets: [Box<dyn Visited>; 3] = [
        Box::new(HashCompact::new(64)),
        Box::new(HashCompact::new(32)),
        Box::new(Bitstate::new(1 << 24, Bitstate::HASHES).expect("memory for it")),
    ];
    for set in &mut sets {
        for at in 0..20_000u32 {
            assert!(!set.contains(&at.to_le_bytes()));
            assert!(set.insert(&at.to_le_bytes()).expect("room"));
        }
        assert!((0..20_000u32).all(|at| set.contains(&at.to_le_bytes())));
        assert!(set.expected_omissions() < 0.1);
    }
}

/// How many of so many different states are new to a set.
fn new(set: &mut impl Visited, states: u32) -> usize {
    (0..states)
        .filter(|at| set.insert(&at.to_le_bytes()).expect("room"))
        .count()
}

/// Handbook, chapter 5, E3: a million states, one bit each, in 2^30 bits: about 466 collisions.
#[test]
fn one_bit_for_a_million_states_in_128_mib_loses_about_466() {
    let mut filter = Bitstate::new(1 << 27, 1).expect("memory for it");
    let lost = 1_000_000 - new(&mut filter, 1_000_000);
    assert!((380..560).contains(&lost), "{lost}");
    assert!((filter.expected_omissions() - 466.0).abs() < 5.0);
}

#[test]
fn three_bits_lose_next_to_nothing_there() {
    let mut filter = Bitstate::new(1 << 27, 3).expect("memory for it");
    assert_eq!(new(&mut filter, 1_000_000), 1_000_000);
    assert!(filter.expected_omissions() < 0.1);
}

#[test]
fn short_hashes_lose_what_is_expected() {
    let mut set = HashCompact::new(24);
    let lost = (100_000 - new(&mut set, 100_000)) as f64;
    let expected = set.expected_omissions();
    assert!(
        (lost - expected).abs() < 5.0 * expected.sqrt(),
        "{lost} beside {expected}"
    );
}

#[test]
fn a_filter_that_is_larger_than_any_memory_is_refused() {
    assert!(Bitstate::new(99_999 << 30, Bitstate::HASHES).is_none());
    assert!(Bitstate::new(u64::MAX, Bitstate::HASHES).is_none());
}
