//! Comparing networks: the handbook's examples, small ones by hand, and random ones, each answer judged by the checker, which also rejects damaged evidence.

mod drawing;

use drawing::{ALL, CLOSED, ONE_CLOCK, OPEN, PLAIN, one, random_pair, random_process, random_text, widened};
use entail_budget::Budget;
use entail_clocks::interpreter::{self, State};
use entail_clocks::pairs::{Challenge, Correspondence, Loss, Play, TimedRelation};
use entail_clocks::region_pairs::are_related;
use entail_clocks::{Network, Rational};
use entail_source::Source;
use entail_timed::relation::{Refusal, at_whole_times, compare};
use entail_timed_checker::Objection;
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

fn judged(
    first: &Network,
    second: &Network,
    relation: TimedRelation,
    found: &Correspondence,
) -> Result<(), Objection> {
    judge_pairs(
        [first, second],
        [first, second],
        relation,
        found,
        &Budget::unlimited(),
    )
}

fn is_yes(found: &Correspondence) -> bool {
    !matches!(
        found,
        Correspondence::Unrelated { .. } | Correspondence::Excluded { .. }
    )
}

/// The answer, which the checker accepts, and which regions give as well where they can.
fn found(first: &Network, second: &Network, relation: TimedRelation) -> Correspondence {
    let found = compare(first, second, relation, &Budget::unlimited())
        .unwrap_or_else(|refusal| panic!("{refusal:?}"));
    let found = found.correspondence;
    let judged = judged(first, second, relation, &found);
    assert_eq!(judged, Ok(()), "{relation:?}: {found:?}");
    if let Ok(known) = are_related(first, second, relation) {
        assert_eq!(is_yes(&found), known, "{relation:?}");
    }
    found
}

fn related(first: &Network, second: &Network, relation: TimedRelation) -> bool {
    is_yes(&found(first, second, relation))
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

/// Steps after which the second has a choice to make, without losing a word.
#[test]
fn words_of_networks_with_choices_are_compared() {
    // `a`, and then `b` exactly one unit after some `a`: one clock, which must guess which.
    let guessing = network(&process(
        &[("A", ""), ("B", ""), ("C", "")],
        &[
            ("A", "A", "a", "", ""),
            ("A", "B", "a", "", "x=0"),
            ("B", "B", "a", "", ""),
            ("B", "C", "b", "x==1", ""),
        ],
    ));
    let last = network(&process(
        &[("A", ""), ("B", ""), ("C", "")],
        &[
            ("A", "B", "a", "", "x=0"),
            ("B", "B", "a", "", "x=0"),
            ("B", "C", "b", "x==1", ""),
        ],
    ));
    assert!(related(&last, &guessing, Inclusion));
    let Correspondence::Excluded { run } = found(&guessing, &last, Inclusion) else {
        panic!("`b` may come one unit after the first `a`");
    };
    assert_eq!(run.steps.len(), 3);
    assert!(related(&guessing, &guessing, Inclusion));
    // An event-clock automaton: x is set at every `a`, whatever the choice.
    let events = network(&process(
        &[("A", ""), ("B", ""), ("C", "")],
        &[
            ("A", "A", "a", "", "x=0"),
            ("A", "B", "a", "", "x=0"),
            ("B", "C", "b", "x>=1", ""),
            ("A", "C", "b", "x<1", ""),
        ],
    ));
    let any = network(&process(
        &[("A", ""), ("C", "")],
        &[("A", "A", "a", "", "x=0"), ("A", "C", "b", "", "")],
    ));
    // Before any `a`, `b` comes early in one of them.
    assert!(related(&events, &any, Inclusion) && !related(&any, &events, Inclusion));
}

#[test]
fn differences_and_copies_of_clocks_are_compared() {
    let differences = network(&process(
        &[("A", ""), ("B", ""), ("C", "")],
        &[("A", "B", "a", "", "x=0"), ("B", "C", "b", "y-x<1", "")],
    ));
    // The same, in one clock: the time of `a` is what the two clocks differ by.
    let since = network(&process(
        &[("A", ""), ("B", ""), ("D", ""), ("C", "")],
        &[
            ("A", "B", "a", "y<1", ""),
            ("A", "D", "a", "y>=1", ""),
            ("B", "C", "b", "", ""),
        ],
    ));
    assert!(related(&differences, &since, TimedBisimulation));
    let copies = network(&process(
        &[("A", ""), ("B", ""), ("D", ""), ("C", "")],
        &[
            ("A", "B", "a", "y<1", "x=y"),
            ("A", "D", "a", "y>=1", ""),
            ("B", "C", "b", "x<5", ""),
        ],
    ));
    assert!(!related(&since, &copies, TimedBisimulation) && related(&copies, &since, TimedSimulation));
}

#[test]
fn urgent_locations_do_not_wait() {
    let text = process(&[("A", "")], &[("A", "A", "a", "", "x=0")]);
    let (free, urgent) = (
        network(&text),
        network(&text.replace("{initial:}", "{initial: : urgent:}")),
    );
    assert!(!related(&free, &urgent, TimedSimulation) && related(&urgent, &free, TimedSimulation));
    assert!(related(&free, &urgent, TimeAbstractBisimulation));
    assert!(!related(&free, &urgent, Inclusion) && related(&urgent, &free, Inclusion));
}

#[test]
fn what_is_not_decided_is_refused_with_the_reason() {
    let differences = network(&process(&[("A", ""), ("B", "")], &[("A", "B", "a", "x-y<1", "")]));
    match compare(&differences, &differences, Inclusion, &Budget::unlimited()) {
        Err(Refusal::Unsupported(reason)) => assert!(reason.contains("differences"), "{reason}"),
        other => panic!("{other:?}"),
    }
    // Two clocks that guess: sets of states grow for ever.
    let guessing = network(&process(
        &[("A", ""), ("B", ""), ("C", "")],
        &[
            ("A", "A", "a", "", ""),
            ("A", "A", "a", "", "x=0"),
            ("A", "A", "a", "", "y=0"),
            ("A", "B", "b", "x==1&&y==1", ""),
        ],
    ));
    match compare(&guessing, &guessing, Inclusion, &Budget::unlimited()) {
        Err(Refusal::Spent(reason)) => assert!(reason.contains("undecidable"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

/// Sets of states grow for ever, but the first is closed and the second open: whole times are enough.
#[test]
fn closed_networks_are_compared_with_open_ones_at_whole_times() {
    let guessing = |strict: &str, bound: u32| {
        let guard = format!("x{strict}{bound}&&y{strict}{bound}");
        network(&process(
            &[("A", ""), ("B", "")],
            &[
                ("A", "A", "a", "", ""),
                ("A", "A", "a", "", "x=0"),
                ("A", "A", "a", "", "y=0"),
                ("A", "B", "b", &guard, ""),
            ],
        ))
    };
    let (closed, open) = (guessing("<=", 1), guessing("<", 2));
    assert!(matches!(
        found(&closed, &open, Inclusion),
        Correspondence::Digitized { .. }
    ));
    let late = network(&process(
        &[("A", ""), ("B", "")],
        &[("A", "A", "a", "x<=0", ""), ("A", "B", "b", "x>=2", "")],
    ));
    let Correspondence::Excluded { run } = found(&late, &guessing("<", 1), Inclusion) else {
        panic!("`b` comes too late");
    };
    assert!(!run.steps.is_empty());
    // Comparisons of the other kind make whole times say nothing, and evidence from elsewhere does not help.
    let found = found(&closed, &open, Inclusion);
    assert!(
        judged(&open, &open, Inclusion, &found).is_err()
            && judged(&closed, &closed, Inclusion, &found).is_err()
    );
    match compare(&open, &open, Inclusion, &Budget::unlimited()) {
        Err(Refusal::Spent(reason)) => assert!(reason.contains("undecidable"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

const RELATIONS: [TimedRelation; 4] = [
    TimedBisimulation,
    TimedSimulation,
    TimeAbstractBisimulation,
    TimeAbstractSimulation,
];

fn imply_each_other(first: &Network, second: &Network) -> [bool; 4] {
    let holds = RELATIONS.map(|relation| related(first, second, relation));
    let [timed, simulated, abstractly, abstractly_simulated] = holds;
    assert!(
        !timed || simulated && abstractly,
        "timed bisimulation is the finest"
    );
    assert!(!(simulated || abstractly) || abstractly_simulated);
    assert!(!timed || related(second, first, TimedSimulation));
    assert!(first != second || timed);
    holds
}

#[test]
fn random_networks_are_related_as_their_regions_are_and_relations_imply_each_other() {
    let mut random = StdRng::seed_from_u64(1992);
    let mut counts = [[0u32; 2]; 4];
    for _ in 0..100 * effort() {
        let [first, second] = random_pair(&mut random, PLAIN);
        for (count, holds) in counts.iter_mut().zip(imply_each_other(&first, &second)) {
            count[usize::from(holds)] += 1;
        }
    }
    assert!(counts.iter().flatten().all(|&count| count > 10), "{counts:?}");
}

#[test]
fn random_networks_with_differences_and_copies_of_clocks_are_compared_and_judged() {
    let mut random = StdRng::seed_from_u64(2012);
    for _ in 0..40 * effort() {
        let [first, second] = random_pair(&mut random, ALL);
        imply_each_other(&first, &second);
    }
}

/// Whether a network has a word, by all its states after each step.
fn has_word(network: &Network, word: &[(Rational, String)]) -> bool {
    let mut states = interpreter::initial(network).expect("no faults");
    for (delay, name) in word {
        let mut next: Vec<State> = Vec::new();
        for state in states {
            let Some(state) = interpreter::delay(network, &state, delay).expect("no faults") else {
                continue;
            };
            for joint in network.joints(&state.discrete).expect("no faults") {
                if network.action_name(&joint.edges) == *name
                    && let Some(state) = interpreter::step(network, &state, &joint.edges).expect("no faults")
                    && !next.contains(&state)
                {
                    next.push(state);
                }
            }
        }
        states = next;
    }
    !states.is_empty()
}

/// Words of at most three letters, with delays in halves and a third up to a bit more than the largest constant.
fn random_word(random: &mut StdRng) -> Vec<(Rational, String)> {
    let letter = |_| {
        let delay = Rational::from(random.random_range(0..=15)) / Rational::from(6);
        (delay, one(random, &["a", "b"]).to_owned())
    };
    (0..3).map(letter).collect()
}

#[test]
fn words_of_random_networks_are_those_of_larger_ones() {
    let mut random = StdRng::seed_from_u64(2004);
    let (mut counts, mut open) = ([0u32; 2], 0);
    for number in 0..150 * effort() {
        let drawn = if number % 2 == 0 { ONE_CLOCK } else { PLAIN };
        let [first, second] = random_pair(&mut random, drawn);
        let budget = Budget::unlimited().with_timeout(Some(std::time::Duration::from_secs(5)));
        let included = match compare(&first, &second, Inclusion, &budget) {
            Err(Refusal::Spent(_)) => {
                open += 1;
                continue;
            }
            _ => related(&first, &second, Inclusion),
        };
        counts[usize::from(included)] += 1;
        assert!(included || !related(&first, &second, TimedSimulation));
        for _ in 0..60 {
            let word = random_word(&mut random);
            assert!(
                !included || !has_word(&first, &word) || has_word(&second, &word),
                "{word:?}"
            );
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}, {open} open");
    assert!(open * 10 < counts[0] + counts[1], "{counts:?}, {open} open");
}

#[test]
fn whole_times_decide_what_zones_decide() {
    let mut random = StdRng::seed_from_u64(1992);
    let mut counts = [0u32; 2];
    for number in 0..150 * effort() {
        let first = random_text(&mut random, CLOSED);
        // An open network that is a little larger than the closed one, or any.
        let second = match number % 3 {
            0 => random_text(&mut random, OPEN),
            _ => widened(&first),
        };
        let (first, second) = (network(&first), network(&second));
        let budget = Budget::unlimited().with_timeout(Some(std::time::Duration::from_secs(5)));
        let whole = match at_whole_times(&first, &second, &budget) {
            Ok(whole) => whole.correspondence,
            Err(Refusal::Unsupported(_) | Refusal::Spent(_)) => continue,
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(judged(&first, &second, Inclusion, &whole), Ok(()), "{whole:?}");
        counts[usize::from(is_yes(&whole))] += 1;
        if let Ok(zones) = compare(&first, &second, Inclusion, &budget) {
            assert_eq!(is_yes(&whole), is_yes(&zones.correspondence), "{whole:?}");
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

/// Evidence about two networks says nothing about others, for which the opposite is true.
#[test]
fn evidence_for_the_opposite_of_what_is_true_is_rejected() {
    let mut random = StdRng::seed_from_u64(2010);
    let mut wrong = [0u32; 2];
    for _ in 0..60 * effort() {
        let [first, second] = random_pair(&mut random, ONE_CLOCK);
        let third = random_process(&mut random, ONE_CLOCK);
        for relation in RELATIONS {
            let found = found(&first, &second, relation);
            for other in [&first, &third] {
                if first.locations.len() == other.locations.len()
                    && are_related(&first, other, relation).is_ok_and(|is| is != is_yes(&found))
                {
                    assert!(
                        judged(&first, other, relation, &found).is_err(),
                        "{relation:?}: {found:?}"
                    );
                    wrong[0] += 1;
                }
            }
            let opposite = opposite(&found);
            assert!(
                judged(&first, &second, relation, &opposite).is_err(),
                "{relation:?}: {opposite:?}"
            );
            wrong[1] += 1;
        }
    }
    assert!(wrong.iter().all(|&count| count > 30), "{wrong:?}");
}

/// The other answer, with the same pairs.
fn opposite(found: &Correspondence) -> Correspondence {
    match found {
        Correspondence::Related { pairs } => {
            let loss = |(rank, pairs): (usize, &entail_clocks::pairs::PairZone)| Loss {
                pairs: pairs.clone(),
                rank: rank as u32,
                challenge: Challenge {
                    by_second: false,
                    edges: Vec::new(),
                },
            };
            let start = pairs
                .first()
                .map(|pairs| (pairs.first.clone(), pairs.second.clone()));
            Correspondence::Unrelated {
                start: (0, false),
                losses: pairs.iter().rev().enumerate().map(loss).collect(),
                play: Play {
                    starts: start,
                    turns: Vec::new(),
                },
            }
        }
        Correspondence::Unrelated { losses, .. } => Correspondence::Related {
            pairs: losses.iter().map(|loss| loss.pairs.clone()).collect(),
        },
        other => other.clone(),
    }
}

/// Each part of the evidence that is needed cannot be left out, and none can be changed at will.
#[test]
fn damaged_evidence_about_pairs_is_rejected() {
    let mut random = StdRng::seed_from_u64(2011);
    let (mut rejected, mut damaged) = (0, 0);
    for _ in 0..40 * effort() {
        let [first, second] = random_pair(&mut random, ONE_CLOCK);
        for relation in RELATIONS.into_iter().chain([Inclusion]) {
            let Ok(right) = compare(&first, &second, relation, &Budget::unlimited()) else {
                continue;
            };
            let mut wrong = right.correspondence.clone();
            match &mut wrong {
                // All pairs of the beginnings are needed together.
                Correspondence::Related { pairs } => {
                    let begin = (pairs[0].first.clone(), pairs[0].second.clone());
                    pairs.retain(|pair| (pair.first.clone(), pair.second.clone()) != begin);
                }
                // What is lost at once has the smallest rank, and everything rests on it.
                Correspondence::Unrelated { losses, play, .. } => match random.random_bool(0.5) {
                    true => losses.iter_mut().for_each(|loss| loss.rank = 7),
                    false => drop(play.turns.pop()),
                },
                Correspondence::Included { words } => {
                    let begin = words[0].first.clone();
                    words.retain(|word| word.first != begin);
                }
                Correspondence::Digitized { words, .. } => drop(words.remove(0)),
                Correspondence::Excluded { run } => drop(run.steps.pop()),
            }
            damaged += 1;
            if judged(&first, &second, relation, &wrong).is_err() {
                rejected += 1;
            } else {
                // Moves that win at once need no ranks.
                let is_short =
                    matches!(&wrong, Correspondence::Unrelated { play, .. } if play.turns.len() <= 1);
                assert!(is_short, "{relation:?}: {wrong:?}");
            }
        }
    }
    assert!(
        rejected > 100 && rejected * 10 > damaged * 8,
        "{rejected} of {damaged}"
    );
}
