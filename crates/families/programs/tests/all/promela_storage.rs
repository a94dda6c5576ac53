//! Storages, orders and threads beside each other, on random programs and on some whose answers are known.

use entail_explicit::{Order, SearchOptions, Storage, WalkOptions};
use entail_programs::ProgramModel;
use entail_source::Source;
use std::time::Duration;
use told::{Outcome, ProgramRequest, check_program};

use crate::random_programs;
use crate::told;

/// Without reduction, so that counts can be compared.
fn whole() -> SearchOptions {
    SearchOptions {
        reduction: false,
        ..SearchOptions::default()
    }
}

fn safety(text: &str, options: SearchOptions) -> Outcome {
    safety_within(None, text, options)
}

/// A look at a random program, which may be large: those without an answer are passed over.
fn look(text: &str) -> Outcome {
    safety_within(Some(Duration::from_secs(3)), text, whole())
}

fn safety_within(timeout: Option<Duration>, text: &str, options: SearchOptions) -> Outcome {
    let model =
        ProgramModel::read(Source::new("model.pml", text)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let request = ProgramRequest {
        requirements: vec![0],
        options,
        timeout,
    };
    let answers = check_program(&model, &request).unwrap_or_else(|error| panic!("{error}\n{text}"));
    answers[0].clone()
}

fn counts(outcome: &Outcome) -> (u64, u64, u64) {
    (outcome.states, outcome.transitions, outcome.depth)
}

fn length(outcome: &Outcome) -> usize {
    outcome.run.as_ref().map_or(0, |run| run.steps.len())
}

/// Wide levels, tables that grow while threads are in them.
#[test]
fn threads_count_what_one_thread_counts() {
    let text = "byte a, b, c; active proctype p() { end: do :: a < 50 -> a = a + 1 od } active proctype q() { end: do :: b < 50 -> b = b + 1 od } active proctype r() { end: do :: c < 20 -> c = c + 1 od }";
    for storage in [Storage::Exact, Storage::Tree] {
        let with = |threads| {
            let options = SearchOptions {
                storage,
                threads,
                wide_level: 500,
                ..whole()
            };
            safety(text, options)
        };
        let alone = with(1);
        // Looking and counting are two steps.
        assert_eq!(alone.states, 101 * 101 * 41);
        assert_eq!(counts(&with(4)), counts(&alone), "{storage:?}");
    }
}

/// Two counters of so many bits, each counted up by a process of its own.
fn counters(bits: u32) -> String {
    format!(
        "unsigned a : {bits}; unsigned b : {bits}; active proctype p() {{ end: do :: a = a + 1 od }} active proctype q() {{ end: do :: b = b + 1 od }}"
    )
}

/// Handbook, chapter 5, E2: two counters of k bits have 2^(2k) states.
#[test]
fn two_counters_have_the_square_of_states() {
    for storage in [
        Storage::Exact,
        Storage::Tree,
        Storage::Disk,
        Storage::HashCompact(64),
        Storage::Bitstate(1 << 22),
    ] {
        for threads in [1, 3] {
            let options = SearchOptions {
                storage,
                threads,
                ..whole()
            };
            let outcome = safety(&counters(8), options);
            assert_eq!(outcome.states, 65_536, "{storage:?}");
            assert_eq!(outcome.transitions, 2 * 65_536, "{storage:?}");
            assert_eq!(outcome.depth, 510, "{storage:?}");
            let holds = if storage.is_lossy() { None } else { Some(true) };
            assert_eq!(outcome.holds, holds, "{storage:?}");
            assert_eq!(outcome.coverage.is_some(), storage.is_lossy());
        }
    }
}

#[test]
fn a_lossy_search_that_finds_nothing_is_not_sure() {
    let storage = Storage::Bitstate(4096);
    let outcome = safety(&counters(8), SearchOptions { storage, ..whole() });
    assert_eq!(outcome.holds, None);
    assert!(outcome.states < 65_536);
    assert!(outcome.coverage.is_some_and(|coverage| coverage < 0.99));
    let reason = outcome.reason.expect("it says why");
    assert!(
        reason.contains("bitstate") && reason.contains("coverage"),
        "{reason}"
    );
}

const LARGE: u64 = 5_000;

#[test]
fn all_storages_orders_and_threads_agree_on_random_programs() {
    let storages = [
        Storage::Exact,
        Storage::Tree,
        Storage::Disk,
        Storage::HashCompact(64),
        Storage::Bitstate(1 << 21),
    ];
    let orders = [
        (Order::BreadthFirst, 1),
        (Order::BreadthFirst, 3),
        (Order::DepthFirst, 1),
    ];
    let (mut holding, mut failing) = (0, 0);
    for seed in 3_000..3_200 {
        let text = random_programs::program(seed);
        let plain = look(&text);
        let Some(holds) = plain.holds.filter(|_| plain.states < LARGE) else {
            continue;
        };
        match holds {
            true => holding += 1,
            false => failing += 1,
        }
        // Most of them fail.
        if !holds && failing > 20 {
            continue;
        }
        for (storage, (order, threads)) in storages
            .into_iter()
            .flat_map(|storage| orders.map(|order| (storage, order)))
        {
            if (storage, order) == (Storage::Disk, Order::DepthFirst) {
                continue;
            }
            let options = SearchOptions {
                storage,
                order,
                threads,
                wide_level: 2,
                ..whole()
            };
            let outcome = safety(&text, options);
            let what = format!("seed {seed}, {storage:?}, {order:?}, {threads} threads\n{text}");
            // A violation is found by every search: nothing is left out where there is much room.
            let expected = if holds && storage.is_lossy() {
                None
            } else {
                Some(holds)
            };
            assert_eq!(outcome.holds, expected, "{what}");
            match order {
                Order::BreadthFirst if holds => assert_eq!(counts(&outcome), counts(&plain), "{what}"),
                Order::BreadthFirst => assert_eq!(outcome.depth, plain.depth, "{what}"),
                Order::DepthFirst if holds => {
                    assert_eq!(outcome.states, plain.states, "{what}");
                    assert_eq!(outcome.transitions, plain.transitions, "{what}");
                }
                Order::DepthFirst | Order::BestFirst | Order::Random => {}
            }
        }
    }
    assert!(holding > 15 && failing > 10, "{holding} hold, {failing} fail");
}

#[test]
fn reduction_gives_the_same_answer_in_every_search() {
    let (mut holding, mut reduced, mut fewer_on_disk) = (0, 0, 0);
    for seed in 3_200..3_400 {
        let text = random_programs::program(seed);
        let plain = look(&text);
        let Some(holds) = plain.holds.filter(|_| plain.states < LARGE) else {
            continue;
        };
        let with = |storage, order, threads| {
            let options = SearchOptions {
                storage,
                order,
                threads,
                walks: WalkOptions {
                    count: 50,
                    length: 100,
                    seed,
                },
                wide_level: 2,
                ..SearchOptions::default()
            };
            safety(&text, options)
        };
        let alone = with(Storage::Exact, Order::BreadthFirst, 1);
        assert_eq!(alone.holds, Some(holds), "seed {seed}\n{text}");
        holding += usize::from(holds);
        reduced += usize::from(alone.states < plain.states);
        for storage in [Storage::Exact, Storage::Tree] {
            let many = with(storage, Order::BreadthFirst, 3);
            assert_eq!(many.holds, Some(holds), "seed {seed}\n{text}");
            if holds {
                assert_eq!(counts(&many), counts(&alone), "seed {seed}\n{text}");
            }
        }
        // Which states are known is seen late, so less may be left out, but the same on any number of threads.
        let on_disk = with(Storage::Disk, Order::BreadthFirst, 1);
        assert_eq!(on_disk.holds, Some(holds), "seed {seed}\n{text}");
        let together = with(Storage::Disk, Order::BreadthFirst, 2);
        assert_eq!(together.holds, Some(holds), "seed {seed}\n{text}");
        if holds {
            assert_eq!(counts(&together), counts(&on_disk), "seed {seed}\n{text}");
            assert!(on_disk.states <= plain.states, "seed {seed}\n{text}");
            fewer_on_disk += usize::from(on_disk.states < plain.states);
        }
        let walked = with(Storage::Auto, Order::Random, 2);
        assert!(
            walked.holds.is_none_or(|walked| !walked && !holds),
            "seed {seed}\n{text}"
        );
        let deep = with(Storage::Exact, Order::DepthFirst, 1);
        assert_eq!(deep.holds, Some(holds), "seed {seed}\n{text}");
        let lossy = with(Storage::HashCompact(64), Order::BreadthFirst, 1);
        assert_eq!(lossy.holds, Some(false).filter(|_| !holds), "seed {seed}\n{text}");
    }
    assert!(
        holding > 15 && reduced > 50 && fewer_on_disk > 5,
        "{holding} hold, {reduced} have fewer states, {fewer_on_disk} on disk"
    );
}

#[test]
fn enough_changes_of_the_process_find_what_the_whole_search_finds() {
    for seed in 3_100..3_150 {
        let text = random_programs::program(seed);
        let plain = look(&text);
        let bounded = |bound| SearchOptions {
            context_bound: Some(bound),
            ..whole()
        };
        let all = safety(&text, bounded(1_000));
        assert_eq!(all.holds, plain.holds, "seed {seed}\n{text}");
        // With a smaller bound, a violation is a violation, and nothing else is said.
        let few = safety(&text, bounded(1));
        match few.holds {
            Some(holds) => assert_eq!(Some(holds), plain.holds, "seed {seed}\n{text}"),
            None => assert_eq!(few.bound, Some(1), "seed {seed}: {:?}\n{text}", few.reason),
        }
    }
}

/// The violation needs three changes: p, q, p, q.
#[test]
fn changes_of_the_process_are_counted() {
    let text = "byte x; active proctype p() { x == 0 -> x = 1; x == 2 -> x = 3 } active proctype q() { x == 1 -> x = 2; x == 3 -> assert(false) }";
    for (bound, holds) in [
        (0, None),
        (1, None),
        (2, None),
        (3, Some(false)),
        (9, Some(false)),
    ] {
        let outcome = safety(
            text,
            SearchOptions {
                context_bound: Some(bound),
                ..whole()
            },
        );
        assert_eq!(outcome.holds, holds, "{bound} changes: {:?}", outcome.reason);
    }
}

/// Handbook, chapter 5, E6: breadth first finds a nearest violation; depth first some.
#[test]
fn breadth_first_runs_are_no_longer_than_depth_first_runs() {
    let text = "byte x; active proctype p() { do :: x < 40 -> x++ :: x == 3 -> assert(false) :: x == 40 -> assert(false) od }";
    let run = |order| length(&safety(text, SearchOptions { order, ..whole() }));
    // Looking and counting are two steps.
    assert_eq!(run(Order::BreadthFirst), 8);
    assert!(run(Order::DepthFirst) >= 8);
}
