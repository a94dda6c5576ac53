//! Random small networks: the answers of the zone engine are those of the region graph, whatever the settings, and the checker accepts their evidence; damaged evidence is rejected.

use entail_answer::Verdict;
use entail_budget::Budget;
use entail_clocks::evidence::{Cover, Proof};
use entail_clocks::regions::RegionGraph;
use entail_clocks::{
    Binary, Clock, ClockName, Comparison, Condition, Edge, Expression, Formula, Integer, Location, Measure,
    Network, OutOfRange, Place, Process, Query, Statement, Synchronisation, Synchroniser,
};
use entail_source::Span;
use entail_timed::{Attempts, Bounds, Covering, Engine, Order, Settings};
use entail_timed_checker::{judge, judge_by};
use entail_zones::Extrapolation;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

#[path = "zones_and_regions/branching.rs"]
mod branching;
#[path = "zones_and_regions/costs.rs"]
mod costs;
#[path = "zones_and_regions/energy.rs"]
mod energy;
#[path = "zones_and_regions/games.rs"]
mod games;
#[path = "zones_and_regions/linear.rs"]
mod linear;
#[path = "zones_and_regions/long_runs.rs"]
mod long_runs;
#[path = "zones_and_regions/searches.rs"]
mod searches;
#[path = "zones_and_regions/stopwatches.rs"]
mod stopwatches;
#[path = "zones_and_regions/strategies.rs"]
mod strategies;

fn effort() -> u64 {
    std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

/// What random networks may contain.
#[derive(Clone, Copy)]
struct Features {
    differences: bool,
    copies: bool,
}

fn condition(random: &mut StdRng, clocks: usize, features: Features, upper_only: bool) -> Condition {
    let left = random.random_range(1..=clocks);
    let mut right = 0;
    if features.differences && clocks > 1 && random.random_bool(0.4) {
        right = (left % clocks) + 1;
    }
    let comparisons = [
        Comparison::Less,
        Comparison::LessEqual,
        Comparison::Equal,
        Comparison::GreaterEqual,
        Comparison::Greater,
    ];
    let most = if upper_only { 2 } else { 5 };
    Condition::Clock {
        left: ClockName::one(left),
        right: ClockName::one(right),
        comparison: comparisons[random.random_range(0..most)],
        bound: Expression::Constant(random.random_range(if right == 0 { 0..=3 } else { -2..=2 })),
    }
}

fn network(random: &mut StdRng, features: Features) -> Network {
    let clocks = random.random_range(1..=2);
    let mut network = Network {
        name: "random".to_owned(),
        events: vec!["a".to_owned(), "b".to_owned()],
        labels: vec!["goal".to_owned()],
        clocks: (0..clocks)
            .map(|clock| Clock {
                name: format!("x{clock}"),
            })
            .collect(),
        integers: vec![Integer {
            name: "n".to_owned(),
            low: 0,
            high: 2,
            initial: 0,
        }],
        out_of_range: OutOfRange::Disabled,
        ..Network::default()
    };
    let n = || Expression::Read(Place::variable(0));
    for process in 0..random.random_range(1..=2) {
        let count = random.random_range(2..=3);
        let first = network.locations.len();
        for number in 0..count {
            let invariant = match random.random_bool(0.35) {
                true => vec![condition(random, clocks, features, true)],
                false => Vec::new(),
            };
            network.locations.push(Location {
                name: format!("l{number}"),
                process,
                invariant,
                rate: None,
                committed: random.random_bool(0.05),
                urgent: random.random_bool(0.1),
                labels: if number + 1 == count { vec![0] } else { Vec::new() },
                outgoing: Vec::new(),
                span: Span::default(),
            });
        }
        network.processes.push(Process {
            name: format!("P{process}"),
            locations: (first..first + count).collect(),
            initial: vec![first],
            priority: 0,
        });
        for _ in 0..random.random_range(2..=4) {
            let source = random.random_range(first..first + count);
            let mut guard: Vec<Condition> = (0..random.random_range(0..=2))
                .map(|_| condition(random, clocks, features, false))
                .collect();
            if random.random_bool(0.2) {
                let compare =
                    Binary::Compare(*[Comparison::Less, Comparison::Equal].choose(random).expect("two"));
                guard.push(Condition::Integer(Expression::binary(
                    compare,
                    n(),
                    Expression::Constant(1),
                )));
            }
            let mut action = Vec::new();
            for _ in 0..random.random_range(0..=2) {
                let target = random.random_range(1..=clocks);
                let copied = features.copies && random.random_bool(0.4);
                let source = if copied {
                    random.random_range(1..=clocks)
                } else {
                    0
                };
                let most = if copied && !features.differences { 1 } else { 0 };
                let offset = if source == target {
                    0
                } else {
                    random.random_range(0..=most.max(i64::from(source == 0)))
                };
                action.push(Statement::Clock {
                    target: ClockName::one(target),
                    source: ClockName::one(source),
                    offset: Expression::Constant(offset),
                    span: Span::default(),
                });
            }
            if random.random_bool(0.3) {
                let value = Expression::binary(
                    Binary::Add,
                    n(),
                    Expression::Constant(random.random_range(-1..=1)),
                );
                action.push(Statement::Assign {
                    target: Place::variable(0),
                    value,
                    span: Span::default(),
                });
            }
            let edge = network.edges.len();
            network.locations[source].outgoing.push(edge);
            network.edges.push(Edge {
                process,
                source,
                target: random.random_range(first..first + count),
                signal: None,
                event: random.random_range(0..2),
                guard,
                action,
                controllable: true,
                span: Span::default(),
            });
        }
    }
    if network.processes.len() == 2 && random.random_bool(0.6) {
        let partner = |process: usize, weak: bool| Synchroniser {
            process,
            event: 0,
            weak,
        };
        let partners = vec![partner(0, false), partner(1, random.random_bool(0.3))];
        network.synchronisations.push(Synchronisation { partners });
    }
    network.check().expect("random networks are networks");
    network
}

fn queries(random: &mut StdRng, network: &Network) -> Vec<Query> {
    let label = || Formula::Label(0);
    let at = Formula::At(random.random_range(0..network.locations.len()));
    let clock = Formula::Clock {
        left: ClockName::one(random.random_range(1..=network.clocks.len())),
        right: ClockName::one(0),
        comparison: *[Comparison::Greater, Comparison::Equal, Comparison::Less]
            .choose(random)
            .expect("three"),
        bound: Expression::Constant(random.random_range(0..=3)),
    };
    vec![
        Query::Reach(label(), true),
        Query::Reach(Formula::And(vec![at.clone(), clock]), false),
        Query::Repeat(vec![label()], true),
        Query::Repeat(vec![at, label()], false),
    ]
}

/// A random condition with clocks, of any shape.
fn condition_on_states(random: &mut StdRng, network: &Network, depth: usize) -> Formula {
    let not = |formula: Formula| Formula::Not(Box::new(formula));
    if depth > 0 && random.random_bool(0.5) {
        let parts = (0..2)
            .map(|_| condition_on_states(random, network, depth - 1))
            .collect();
        return match random.random_bool(0.4) {
            true => Formula::And(parts),
            false => Formula::Or(parts),
        };
    }
    match random.random_range(0..5) {
        0 => not(Formula::Label(0)),
        1 => not(Formula::At(random.random_range(0..network.locations.len()))),
        2 => Formula::At(random.random_range(0..network.locations.len())),
        _ => Formula::Clock {
            left: ClockName::one(random.random_range(1..=network.clocks.len())),
            right: ClockName::one(0),
            comparison: *[
                Comparison::Greater,
                Comparison::GreaterEqual,
                Comparison::Equal,
                Comparison::Different,
                Comparison::Less,
                Comparison::LessEqual,
            ]
            .choose(random)
            .expect("six"),
            bound: Expression::Constant(random.random_range(0..=3)),
        },
    }
}

/// Queries about maximal runs.
fn stays(random: &mut StdRng, network: &Network) -> Vec<Query> {
    let not_label = || Formula::Not(Box::new(Formula::Label(0)));
    let mut any = |depth| condition_on_states(random, network, depth);
    vec![
        Query::Stay(vec![not_label()], false),
        Query::Stay(vec![any(2)], true),
        Query::Stay(vec![any(2), any(1)], false),
        Query::Stay(vec![not_label(), any(1)], false),
    ]
}

fn settings() -> Vec<Settings> {
    let mut all = vec![Settings::default()];
    for extrapolation in [
        Extrapolation::M,
        Extrapolation::MPlus,
        Extrapolation::Lu,
        Extrapolation::LuPlus,
    ] {
        all.push(Settings {
            extrapolation: Some(extrapolation),
            covering: Covering::Inclusion,
            ..Settings::default()
        });
    }
    all.push(Settings {
        bounds: Bounds::Global,
        covering: Covering::Am,
        order: Order::Depth,
        ..Settings::default()
    });
    all.push(Settings {
        order: Order::Random(7),
        ..Settings::default()
    });
    all.push(Settings {
        order: Order::Rank,
        ..Settings::default()
    });
    for threads in [2, 3] {
        all.push(Settings {
            threads,
            ..Settings::default()
        });
    }
    // Each attempt at cycles that is mostly spared by the one before it, alone and beside others.
    for (around, covering, first_first) in [
        (20_000, 0, 0),
        (9, 0, 0),
        (0, 20_000, 0),
        (0, 9, 0),
        (0, 0, 20_000),
        (0, 0, 0),
    ] {
        for threads in 1..=3 {
            all.push(Settings {
                threads,
                attempts: Attempts {
                    last_first: 0,
                    around,
                    covering,
                    first_first,
                },
                ..Settings::default()
            });
        }
    }
    all
}

fn agree(features: Features, seed: u64, count: u64, ask: fn(&mut StdRng, &Network) -> Vec<Query>) {
    let budget = Budget::unlimited();
    let (mut compared, mut found) = (0, 0);
    for number in 0..count * effort() {
        let mut random = StdRng::seed_from_u64(seed * 1_000_000 + number);
        let network = network(&mut random, features);
        for query in ask(&mut random, &network) {
            let Ok(Some(graph)) = RegionGraph::explore(&network, &query, 1500) else {
                continue;
            };
            let exists = graph
                .exists(&query)
                .expect("nothing goes wrong in these networks");
            found += u64::from(exists);
            let all = settings();
            // The usual settings always, and one of the others.
            for settings in [all[0], *all.choose(&mut random).expect("some")] {
                let answer = Engine::new(&network, settings)
                    .check(&query, &budget)
                    .expect("no fault");
                let expected = if exists == query.wants_it() {
                    Verdict::Holds
                } else {
                    Verdict::Fails
                };
                assert_eq!(
                    answer.verdict, expected,
                    "seed {seed}, network {number}, {query:?}, {settings:?}: {:?}\n{network:#?}",
                    answer.reason
                );
                let proof = answer.evidence.as_ref().expect("evidence");
                let (threads, network) = (settings.threads, &network);
                let report = judge_by(
                    &|ask| ask(network),
                    threads,
                    network,
                    &query,
                    answer.verdict,
                    proof,
                    &budget,
                );
                assert!(
                    report.is_accepted(),
                    "network {number}, {query:?}, {settings:?}: {report}\n{network:#?}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 0 && found > 0, "{compared} compared, {found} found");
}

#[test]
fn zones_agree_with_regions() {
    let features = Features {
        differences: false,
        copies: false,
    };
    agree(features, 1, 400, queries);
}

#[test]
fn zones_agree_with_regions_where_clocks_are_copied() {
    let features = Features {
        differences: false,
        copies: true,
    };
    agree(features, 2, 300, queries);
}

#[test]
fn zones_agree_with_regions_where_differences_are_compared() {
    let features = Features {
        differences: true,
        copies: false,
    };
    agree(features, 3, 300, queries);
}

#[test]
fn every_attempt_at_cycles_agrees_with_regions() {
    let ask = |random: &mut StdRng, network: &Network| {
        let mut all = queries(random, network);
        all.retain(|query| matches!(query, Query::Repeat(..)));
        all
    };
    for (seed, differences, copies) in [(31, false, false), (32, false, true), (33, true, false)] {
        agree(Features { differences, copies }, seed, 150, ask);
    }
}

#[test]
fn maximal_runs_agree_with_regions() {
    let mut features = Features {
        differences: false,
        copies: false,
    };
    agree(features, 5, 300, stays);
    features.copies = true;
    agree(features, 6, 100, stays);
    features = Features {
        differences: true,
        copies: false,
    };
    agree(features, 7, 100, stays);
}

#[test]
fn extreme_values_agree_with_regions() {
    let budget = Budget::unlimited();
    let (mut exact, mut open, mut endless, mut nothing) = (0, 0, 0, 0);
    for number in 0..400 * effort() {
        let mut random = StdRng::seed_from_u64(8_000_000 + number);
        let features = Features {
            differences: number % 5 == 0,
            copies: number % 5 == 1,
        };
        let network = network(&mut random, features);
        let condition = condition_on_states(&mut random, &network, 1);
        let measure = match random.random_bool(0.3) {
            true => Measure::Integer(Expression::Read(Place::variable(0))),
            false => Measure::Clock(ClockName::one(random.random_range(1..=network.clocks.len()))),
        };
        let up = random.random_bool(0.6);
        let query = Query::Extreme {
            measure,
            condition,
            up,
        };
        let Ok(Some(graph)) = RegionGraph::explore(&network, &query, 1500) else {
            continue;
        };
        let answer = Engine::new(&network, Settings::default()).check(&query, &budget);
        let answer = answer.expect("no fault");
        let Some(Proof::Extreme { extreme }) = &answer.evidence else {
            // A clock that grows from cycle to cycle.
            let is_given_up = answer.verdict == Verdict::Unknown;
            let most = graph.largest_constant();
            let found = graph.extreme(&query).expect("no fault");
            assert!(
                is_given_up && found.is_some_and(|(value, _)| value > most),
                "{number}: {answer:?}"
            );
            continue;
        };
        let expected = graph.extreme(&query).expect("no fault");
        match (expected, extreme.value) {
            (None, None) => {
                assert!(extreme.run.is_none(), "{number}");
                nothing += 1;
            }
            (Some((value, attained)), Some(found)) if value <= graph.largest_constant() => {
                assert_eq!(
                    (found, extreme.attained),
                    (value, attained),
                    "{number}: {query:?}\n{network:#?}"
                );
                exact += i32::from(attained);
                open += i32::from(!attained);
            }
            (Some((value, _)), found) => {
                let most = graph.largest_constant();
                assert!(
                    value > most && found.is_none_or(|found| found >= most),
                    "{number}: {query:?}"
                );
                endless += 1;
            }
            other => panic!("{number}: {other:?} {query:?}\n{network:#?}"),
        }
        let proof = answer.evidence.as_ref().expect("evidence");
        let report = judge(&network, &query, answer.verdict, proof, &budget);
        assert!(report.is_accepted(), "{number}: {report} {query:?}\n{network:#?}");
        if let Some(damaged) = damage(&mut random, proof) {
            let report = judge(&network, &query, answer.verdict, &damaged, &budget);
            let is_needed =
                !matches!(&damaged, Proof::Extreme { extreme: other } if other.cover != extreme.cover);
            assert!(report.is_rejected() || !is_needed, "{number}: {query:?}");
        }
    }
    assert!(
        exact > 0 && open > 0 && endless > 0 && nothing > 0,
        "{exact} {open} {endless} {nothing}"
    );
}

/// Changes evidence in one place, in a way that matters.
fn damage(random: &mut StdRng, proof: &Proof) -> Option<Proof> {
    let mut damaged = proof.clone();
    match &mut damaged {
        Proof::Run { run } => {
            let last = run.steps.len().checked_sub(1)?;
            match random.random_bool(0.5) {
                true => drop(run.steps.remove(random.random_range(0..=last))),
                false => run.first.push(0),
            }
        }
        Proof::Lasso { lasso } => match random.random_range(0..2) {
            0 => lasso.cycle.clear(),
            _ => drop(lasso.zone.pop()),
        },
        Proof::Stay { stay } => match (stay.cycle.is_empty(), random.random_bool(0.5)) {
            (false, true) => stay.cycle = vec![Vec::new(); stay.cycle.len()],
            (false, false) => drop(stay.zone.pop()),
            (true, true) => stay.since = stay.stem.steps.len() + 1,
            // An end where a step is possible.
            (true, false) => drop(stay.stem.steps.pop()?),
        },
        Proof::Extreme { extreme } => match random.random_range(0..3) {
            0 => extreme.value = extreme.value.map(|value| value + 1),
            1 => extreme.attained = extreme.value.map(|_| !extreme.attained)?,
            _ => without_node(extreme.cover.as_mut()?, random)?,
        },
        Proof::Cover { cover } => without_node(cover, random)?,
        // Games and costs have tests of their own.
        _ => return None,
    }
    (damaged != *proof).then_some(damaged)
}

/// Takes a node away, if there is one.
fn without_node(cover: &mut Cover, random: &mut impl Rng) -> Option<()> {
    let last = cover.nodes.len().checked_sub(1)?;
    let gone = random.random_range(0..=last);
    let left = cover
        .nodes
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != gone);
    cover.nodes = left.map(|(_, node)| node).collect();
    Some(())
}

#[test]
fn damaged_evidence_is_rejected() {
    let budget = Budget::unlimited();
    let features = Features {
        differences: false,
        copies: false,
    };
    let (mut tried, mut rejected) = (0, 0);
    for number in 0..300 * effort() {
        let mut random = StdRng::seed_from_u64(4_000_000 + number);
        let network = network(&mut random, features);
        let all = [queries(&mut random, &network), stays(&mut random, &network)].concat();
        for query in all {
            let answer = Engine::new(&network, Settings::default())
                .check(&query, &budget)
                .expect("no fault");
            let proof = answer.evidence.expect("evidence");
            let opposite = match answer.verdict {
                Verdict::Holds => Verdict::Fails,
                _ => Verdict::Holds,
            };
            assert!(judge(&network, &query, opposite, &proof, &budget).is_rejected());
            let Some(damaged) = damage(&mut random, &proof) else {
                continue;
            };
            tried += 1;
            let report = judge(&network, &query, answer.verdict, &damaged, &budget);
            // A run without a step may be a run still, to the same end, and the full graph of zones has nodes that others cover; a covering search keeps no node that is not needed.
            match (&proof, &query) {
                (Proof::Run { .. } | Proof::Stay { .. }, _)
                | (Proof::Cover { .. }, Query::Repeat(..) | Query::Stay(..)) => {
                    rejected += u64::from(report.is_rejected());
                }
                _ => {
                    assert!(report.is_rejected(), "network {number}: {query:?}");
                    rejected += 1;
                }
            }
        }
    }
    assert!(rejected * 10 > tried * 6, "{rejected} of {tried} rejected");
}
