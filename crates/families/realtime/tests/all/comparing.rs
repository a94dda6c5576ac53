//! Comparing networks: the handbook's examples, small ones by hand, and random ones, each answer judged by the checker, which also rejects damaged evidence.

use entail_budget::Budget;
use entail_clocks::Network;
use entail_clocks::pairs::{Challenge, Correspondence, TimedRelation};
use entail_source::Source;
use entail_timed::relation::{Refusal, compare};
use entail_timed_checker::pairs::judge_pairs;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn effort() -> u64 {
    let text = std::env::var("ENTAIL_EFFORT").ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn network(text: &str) -> Network {
    let read = entail_tchecker::read(&Source::new("m.tck", text));
    read.unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
        .network
}

/// One process with two clocks: locations with their invariants, edges `source,target,event,guard,reset`.
fn process(locations: &[(&str, &str)], edges: &[(&str, &str, &str, &str, &str)]) -> String {
    let mut text = "system:s\nevent:a\nevent:b\nevent:c\nclock:1:x\nclock:1:y\nprocess:P\n".to_owned();
    for (position, (name, invariant)) in locations.iter().enumerate() {
        let initial = (position == 0).then(|| "initial:".to_owned());
        let invariant = (!invariant.is_empty()).then(|| format!("invariant: {invariant}"));
        let attributes: Vec<String> = initial.into_iter().chain(invariant).collect();
        text += &format!("location:P:{name}{{{}}}\n", attributes.join(" : "));
    }
    for (from, to, event, guard, set) in edges {
        let guard = (!guard.is_empty()).then(|| format!("provided: {guard}"));
        let set = (!set.is_empty()).then(|| format!("do: {set}"));
        let attributes: Vec<String> = guard.into_iter().chain(set).collect();
        text += &format!("edge:P:{from}:{to}:{event}{{{}}}\n", attributes.join(" : "));
    }
    text
}

/// The answer, which the checker accepts.
fn related(first: &Network, second: &Network, relation: TimedRelation) -> bool {
    let budget = Budget::unlimited();
    let found = compare(first, second, relation, &budget).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    let judged = judge_pairs(
        [first, second],
        [first, second],
        relation,
        &found.correspondence,
        &budget,
    );
    assert_eq!(judged, Ok(()), "{relation:?}: {:?}", found.correspondence);
    assert_eq!(
        found.play.is_empty(),
        matches!(found.correspondence, Correspondence::Related { .. })
    );
    matches!(found.correspondence, Correspondence::Related { .. })
}

use TimedRelation::{
    Inclusion, TimeAbstractBisimulation, TimeAbstractSimulation, TimedBisimulation, TimedSimulation,
};

/// Chapter 29, figure 6.
#[test]
fn the_four_automata_of_the_handbook_are_related_as_it_says() {
    let a = network(&process(&[("A", ""), ("S", "")], &[("A", "S", "a", "y<=1", "")]));
    let x = network(&process(&[("X", ""), ("S", "")], &[("X", "S", "a", "y<=2", "")]));
    let v = ("V", "W", "b", "y>=3", "");
    let u = network(&process(
        &[("U", ""), ("V", ""), ("W", "")],
        &[("U", "V", "a", "", ""), v],
    ));
    let d = network(&process(
        &[("D", ""), ("E", ""), ("G", ""), ("W", "")],
        &[
            ("D", "E", "a", "y<=2", ""),
            ("D", "G", "a", "y>2", ""),
            ("E", "W", "b", "y>=3", ""),
            ("G", "W", "b", "y>=3", ""),
        ],
    ));
    assert!(related(&u, &d, TimedBisimulation));
    // X does `a` at 1.5, and A cannot.
    assert!(!related(&a, &x, TimedBisimulation));
    assert!(related(&a, &x, TimedSimulation) && !related(&x, &a, TimedSimulation));
    assert!(related(&a, &x, TimeAbstractBisimulation));
    for one in [&a, &x] {
        for other in [&u, &d] {
            assert!(related(one, other, TimeAbstractSimulation));
            assert!(!related(one, other, TimeAbstractBisimulation));
            assert!(!related(one, other, TimedBisimulation));
        }
    }
    assert!(related(&a, &x, Inclusion) && !related(&x, &a, Inclusion));
}

#[test]
fn waiting_counts_in_simulations_but_not_at_the_end_of_words() {
    let free = network(&process(&[("A", "")], &[]));
    let bound = network(&process(&[("A", "x<=1")], &[]));
    assert!(!related(&free, &bound, TimedSimulation));
    assert!(related(&bound, &free, TimedSimulation));
    assert!(!related(&free, &bound, TimedBisimulation));
    // Neither does anything: all words are empty.
    assert!(related(&free, &bound, Inclusion));
    let late = network(&process(&[("A", ""), ("B", "")], &[("A", "B", "a", "x>=2", "")]));
    let early = network(&process(&[("A", "x<=1"), ("B", "")], &[("A", "B", "a", "", "")]));
    assert!(!related(&late, &early, Inclusion));
    assert!(!related(&early, &late, Inclusion));
    assert!(related(&late, &late, Inclusion));
}

#[test]
fn clocks_of_both_sides_are_compared_with_each_other() {
    // Both do `a` and then `b` exactly one unit later; one measures it from the beginning, if `a` comes at once.
    let since = network(&process(
        &[("A", ""), ("B", ""), ("C", "")],
        &[("A", "B", "a", "", "x=0"), ("B", "C", "b", "x==1", "")],
    ));
    let beginning = network(&process(
        &[("A", ""), ("B", ""), ("C", "")],
        &[("A", "B", "a", "", ""), ("B", "C", "b", "x==1", "")],
    ));
    assert!(!related(&since, &beginning, TimedBisimulation));
    assert!(!related(&since, &beginning, TimedSimulation));
    assert!(!related(&since, &beginning, Inclusion));
    let other = network(&process(
        &[("A", ""), ("B", ""), ("C", "")],
        &[("A", "B", "a", "", "y=0;x=0"), ("B", "C", "b", "y==1", "")],
    ));
    assert!(related(&since, &other, TimedBisimulation));
    assert!(related(&since, &other, Inclusion));
}

#[test]
fn what_is_not_decided_is_refused_with_the_reason() {
    let refused = |first: &Network, second: &Network, relation| match compare(
        first,
        second,
        relation,
        &Budget::unlimited(),
    ) {
        Err(Refusal::Unsupported(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let twice = network(&process(
        &[("A", ""), ("B", ""), ("C", "")],
        &[("A", "B", "a", "", ""), ("A", "C", "a", "", "x=0")],
    ));
    assert!(refused(&twice, &twice, Inclusion).contains("deterministic"));
    let differences = network(&process(&[("A", ""), ("B", "")], &[("A", "B", "a", "x-y<1", "")]));
    assert!(refused(&differences, &twice, TimedBisimulation).contains("differences"));
    let copies = network(&process(&[("A", ""), ("B", "")], &[("A", "B", "a", "", "x=y+1")]));
    assert!(refused(&twice, &copies, TimedBisimulation).contains("copy"));
}

fn random_process(random: &mut StdRng) -> Network {
    let places = ["A", "B", "C"];
    let invariants: Vec<String> = (places.iter())
        .map(|_| match random.random_range(0..3) {
            0 => format!(
                "{}<={}",
                ["x", "y"][random.random_range(0..2)],
                random.random_range(1..3)
            ),
            _ => String::new(),
        })
        .collect();
    let locations: Vec<(&str, &str)> = places
        .iter()
        .copied()
        .zip(invariants.iter().map(String::as_str))
        .collect();
    let drawn: Vec<_> = (0..random.random_range(2..5))
        .map(|_| {
            let sign = ["<", "<=", ">", ">=", "=="][random.random_range(0..5)];
            let guard = match random.random_range(0..3) {
                0 => String::new(),
                _ => format!(
                    "{}{sign}{}",
                    ["x", "y"][random.random_range(0..2)],
                    random.random_range(0..3)
                ),
            };
            let ends = (
                places[random.random_range(0..3)],
                places[random.random_range(0..3)],
            );
            let set = ["", "x=0", "y=0", "x=1"][random.random_range(0..4)];
            (ends, ["a", "b"][random.random_range(0..2)], guard, set)
        })
        .collect();
    let edges: Vec<_> = (drawn.iter())
        .map(|((from, to), event, guard, set)| (*from, *to, *event, guard.as_str(), *set))
        .collect();
    network(&process(&locations, &edges))
}

#[test]
fn random_networks_are_related_as_the_checker_agrees_and_relations_imply_each_other() {
    let mut random = StdRng::seed_from_u64(1992);
    let mut counts = [0u32; 5];
    for _ in 0..40 * effort() {
        let first = random_process(&mut random);
        let second = match random.random_range(0..3) {
            0 => first.clone(),
            _ => random_process(&mut random),
        };
        let mut holds = [false; 4];
        for (position, relation) in [
            TimedBisimulation,
            TimedSimulation,
            TimeAbstractBisimulation,
            TimeAbstractSimulation,
        ]
        .into_iter()
        .enumerate()
        {
            holds[position] = related(&first, &second, relation);
            counts[position] += u32::from(holds[position]);
        }
        let [timed, simulated, abstractly, abstractly_simulated] = holds;
        assert!(
            !timed || simulated && abstractly,
            "timed bisimulation is the finest"
        );
        assert!(!(simulated || abstractly) || abstractly_simulated);
        assert!(!timed || related(&second, &first, TimedSimulation));
        if first == second {
            assert!(timed);
        }
        match compare(&first, &second, Inclusion, &Budget::unlimited()) {
            Err(Refusal::Unsupported(_)) => {}
            _ => {
                let included = related(&first, &second, Inclusion);
                assert!(included || !simulated);
                counts[4] += u32::from(included);
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
}

#[test]
fn damaged_evidence_about_pairs_is_rejected() {
    let mut random = StdRng::seed_from_u64(2010);
    let budget = Budget::unlimited();
    let mut damaged = 0;
    for _ in 0..30 {
        let (first, second) = (random_process(&mut random), random_process(&mut random));
        for (one, other) in [(&first, &first), (&first, &second)] {
            let found = compare(one, other, TimedBisimulation, &budget)
                .expect("an answer")
                .correspondence;
            let mut wrong = found;
            match &mut wrong {
                // The pair of the beginnings is needed.
                Correspondence::Related { pairs, .. } => drop(pairs.remove(0)),
                Correspondence::Unrelated { pairs, .. } => drop(pairs.pop()),
            }
            let judged = judge_pairs([one, other], [one, other], TimedBisimulation, &wrong, &budget);
            assert!(judged.is_err(), "{wrong:?}");
            // The other answer is no better with the same pairs.
            let opposite = match wrong {
                Correspondence::Related { most, pairs } => Correspondence::Unrelated {
                    most,
                    start: (0, false),
                    pairs: pairs
                        .into_iter()
                        .map(|pair| {
                            (
                                pair,
                                Challenge {
                                    by_second: false,
                                    edges: Vec::new(),
                                },
                            )
                        })
                        .collect(),
                },
                Correspondence::Unrelated { most, pairs, .. } => Correspondence::Related {
                    most,
                    pairs: pairs.into_iter().map(|(pair, _)| pair).collect(),
                },
            };
            let judged = judge_pairs([one, other], [one, other], TimedBisimulation, &opposite, &budget);
            assert!(judged.is_err(), "{opposite:?}");
            damaged += 2;
        }
    }
    assert!(damaged > 100);
}
