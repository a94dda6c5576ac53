//! Searches that go about it in another way: local time, convex hulls, tables of bits. What they say is what the region graph says, or that they do not know.

use super::{Features, effort, network};
use entail_answer::{Guarantee, Verdict};
use entail_budget::Budget;
use entail_clocks::evidence::Proof;
use entail_clocks::regions::RegionGraph;
use entail_clocks::{
    Binary, Clock, ClockName, Comparison, Condition, Edge, Expression, Formula, Integer, Location, Network,
    OutOfRange, Place, Process, Query, Statement, Synchronisation, Synchroniser,
};
use entail_source::Span;
use entail_timed::{Covering, Engine, Order, Settings, Storage, Time};
use entail_timed_checker::judge;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

fn compared(random: &mut StdRng, clock: usize, upper_only: bool) -> Condition {
    let comparisons = [
        Comparison::Less,
        Comparison::LessEqual,
        Comparison::Equal,
        Comparison::GreaterEqual,
        Comparison::Greater,
    ];
    Condition::Clock {
        left: ClockName::one(clock),
        right: ClockName::one(0),
        comparison: comparisons[random.random_range(0..if upper_only { 2 } else { 5 })],
        bound: Expression::Constant(random.random_range(0..=2)),
    }
}

/// Processes with a clock and an integer each, that meet in joint steps only; now and then two share a clock.
fn apart(random: &mut StdRng) -> Network {
    let processes = random.random_range(2..=3);
    let mut network = Network {
        name: "apart".to_owned(),
        events: vec!["a".to_owned(), "b".to_owned(), "c".to_owned()],
        labels: vec!["goal".to_owned()],
        clocks: (0..processes)
            .map(|clock| Clock {
                name: format!("x{clock}"),
            })
            .collect(),
        integers: (0..processes)
            .map(|number| Integer {
                name: format!("n{number}"),
                low: 0,
                high: 1,
                initial: 0,
            })
            .collect(),
        out_of_range: OutOfRange::Disabled,
        ..Network::default()
    };
    for process in 0..processes {
        let own = if random.random_bool(0.1) { 1 } else { process + 1 };
        let count = random.random_range(2..=3);
        let first = network.locations.len();
        for number in 0..count {
            let invariant = match random.random_bool(0.5) {
                true => vec![compared(random, own, true)],
                false => Vec::new(),
            };
            network.locations.push(Location {
                name: format!("l{number}"),
                process,
                invariant,
                rate: None,
                committed: number > 0 && random.random_bool(0.1),
                urgent: number > 0 && random.random_bool(0.1),
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
            let integer = Expression::Read(Place::variable(process));
            let mut guard: Vec<Condition> = (0..random.random_range(0..=2))
                .map(|_| compared(random, own, false))
                .collect();
            if random.random_bool(0.3) {
                let equal = Binary::Compare(Comparison::Equal);
                let number = Expression::Constant(random.random_range(0..=1));
                guard.push(Condition::Integer(Expression::binary(
                    equal,
                    integer.clone(),
                    number,
                )));
            }
            let mut action = Vec::new();
            if random.random_bool(0.5) {
                action.push(Statement::Clock {
                    target: ClockName::one(own),
                    source: ClockName::one(0),
                    offset: Expression::Constant(random.random_range(0..=1)),
                    span: Span::default(),
                });
            }
            if random.random_bool(0.4) {
                let one = Expression::Constant(1);
                action.push(Statement::Assign {
                    target: Place::variable(process),
                    value: Expression::binary(Binary::Subtract, one, integer),
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
                event: random.random_range(0..3),
                guard,
                action,
                controllable: true,
                span: Span::default(),
            });
        }
    }
    for event in 0..2 {
        if random.random_bool(0.6) {
            let mut partner = |process: usize| Synchroniser {
                process,
                event,
                weak: random.random_bool(0.1),
            };
            let other = if processes == 3 && event == 1 { 2 } else { 1 };
            let mut partners = vec![partner(other - 1), partner(other)];
            partners[0].weak = false;
            network.synchronisations.push(Synchronisation { partners });
        }
    }
    network.check().expect("random networks are networks");
    network
}

/// What a state is to be: at some locations, with clocks compared.
fn goal(random: &mut StdRng, network: &Network) -> Query {
    let mut parts = Vec::new();
    for process in &network.processes {
        if random.random_bool(0.7) {
            let location = process.locations.choose(random).expect("some");
            parts.push(Formula::At(*location));
        }
    }
    if random.random_bool(0.4) {
        parts.push(Formula::Clock {
            left: ClockName::one(random.random_range(1..=network.clocks.len())),
            right: ClockName::one(0),
            comparison: *[Comparison::Greater, Comparison::Equal, Comparison::Less]
                .choose(random)
                .expect("three"),
            bound: Expression::Constant(random.random_range(0..=2)),
        });
    }
    if random.random_bool(0.1) {
        parts.push(Formula::Deadlock);
    }
    Query::Reach(Formula::And(parts), random.random_bool(0.5))
}

/// Asks with these settings; says whether there was an answer and whether what is looked for exists.
fn is_right(network: &Network, query: &Query, settings: Settings, limit: usize) -> Option<(bool, bool)> {
    let budget = Budget::unlimited();
    let graph = RegionGraph::explore(network, query, limit).ok()??;
    let exists = graph.exists(query).expect("nothing goes wrong in these networks");
    let answer = Engine::new(network, settings)
        .check(query, &budget)
        .expect("no fault");
    if answer.verdict == Verdict::Unknown {
        return Some((false, exists));
    }
    let expected = if exists == query.wants_it() {
        Verdict::Holds
    } else {
        Verdict::Fails
    };
    assert_eq!(answer.verdict, expected, "{query:?}, {settings:?}\n{network:#?}");
    let proof = answer.evidence.as_ref().expect("evidence");
    let report = judge(network, query, answer.verdict, proof, &budget);
    assert!(
        report.is_accepted(),
        "{query:?}, {settings:?}: {report}\n{network:#?}"
    );
    Some((true, exists))
}

#[test]
fn local_time_agrees_with_regions() {
    let (mut compared, mut found) = (0, 0);
    for number in 0..500 * effort() {
        let mut random = StdRng::seed_from_u64(81_000_000 + number);
        let network = apart(&mut random);
        for _ in 0..3 {
            let query = goal(&mut random, &network);
            let settings = Settings {
                time: Time::Local,
                covering: *[Covering::Alu, Covering::Am, Covering::Alu]
                    .choose(&mut random)
                    .expect("three"),
                order: *[Order::Breadth, Order::Depth, Order::Random(3), Order::Rank]
                    .choose(&mut random)
                    .expect("four"),
                ..Settings::default()
            };
            if let Some((is_decided, exists)) = is_right(&network, &query, settings, 4000) {
                assert!(is_decided, "network {number}, {query:?}\n{network:#?}");
                compared += 1;
                found += u64::from(exists);
            }
        }
    }
    assert!(
        compared > 500 && found > 100 && found < compared,
        "{compared} compared, {found} found"
    );
}

#[test]
fn local_time_agrees_with_regions_where_processes_share_clocks_and_integers() {
    let features = Features {
        differences: false,
        copies: true,
    };
    let mut decided = 0;
    for number in 0..150 * effort() {
        let mut random = StdRng::seed_from_u64(82_000_000 + number);
        let network = network(&mut random, features);
        let query = goal(&mut random, &network);
        let settings = Settings {
            time: Time::Local,
            ..Settings::default()
        };
        let found = is_right(&network, &query, settings, 1500);
        decided += u64::from(found.is_some_and(|(is_decided, _)| is_decided));
    }
    assert!(decided > 100, "{decided} decided");
}

#[test]
fn hulls_agree_with_regions_or_leave_it_open() {
    let (mut decided, mut open) = (0, 0);
    for number in 0..400 * effort() {
        let mut random = StdRng::seed_from_u64(83_000_000 + number);
        let features = Features {
            differences: number % 4 == 0,
            copies: number % 4 == 1,
        };
        let network = match number % 2 {
            0 => network(&mut random, features),
            _ => apart(&mut random),
        };
        let query = goal(&mut random, &network);
        let settings = Settings {
            storage: Storage::Hull,
            threads: if number % 5 == 0 { 2 } else { 1 },
            ..Settings::default()
        };
        match is_right(&network, &query, settings, 3000) {
            Some((true, _)) => decided += 1,
            Some((false, _)) => open += 1,
            None => {}
        }
    }
    assert!(
        decided > 10 * open && decided > 200,
        "{decided} decided, {open} left open"
    );
}

#[test]
fn tables_of_bits_find_what_there_is_and_prove_nothing() {
    let (mut found, mut missed, mut absent) = (0, 0, 0);
    for number in 0..400 * effort() {
        let mut random = StdRng::seed_from_u64(84_000_000 + number);
        let features = Features {
            differences: number % 4 == 0,
            copies: number % 4 == 1,
        };
        let network = match number % 2 {
            0 => network(&mut random, features),
            _ => apart(&mut random),
        };
        let query = goal(&mut random, &network);
        let bits = if number % 3 == 0 { 6 } else { 16 };
        let settings = Settings {
            storage: Storage::Bits(bits),
            ..Settings::default()
        };
        match is_right(&network, &query, settings, 3000) {
            Some((true, exists)) => {
                assert!(exists, "a table of bits proves nothing");
                found += 1;
            }
            Some((false, true)) => missed += 1,
            Some((false, false)) => {
                absent += 1;
                let answer = Engine::new(&network, settings).check(&query, &Budget::unlimited());
                let answer = answer.expect("no fault");
                assert!(
                    matches!(answer.guarantee, Guarantee::Partial { coverage } if coverage > 0.0 && coverage <= 1.0)
                );
            }
            None => {}
        }
    }
    assert!(
        found > 50 && absent > 50 && missed * 20 < found,
        "{found} found, {missed} missed, {absent} absent"
    );
}

#[test]
fn damaged_evidence_of_local_time_and_hulls_is_rejected() {
    let budget = Budget::unlimited();
    let (mut rejected, mut runs) = (0, 0);
    for number in 0..500 * effort() {
        let mut random = StdRng::seed_from_u64(85_000_000 + number);
        let network = apart(&mut random);
        let query = goal(&mut random, &network);
        let settings = match number % 2 {
            0 => Settings {
                time: Time::Local,
                ..Settings::default()
            },
            _ => Settings {
                storage: Storage::Hull,
                ..Settings::default()
            },
        };
        let answer = Engine::new(&network, settings)
            .check(&query, &budget)
            .expect("no fault");
        match answer.evidence {
            Some(Proof::Cover { mut cover }) if cover.nodes.len() > 1 => {
                // Without one of its states it is closed no longer: each one is needed for itself or for what leads to it.
                let without = random.random_range(0..cover.nodes.len());
                let all: Vec<_> = cover.nodes.iter().collect();
                let left = all.into_iter().enumerate().filter(|(place, _)| *place != without);
                cover.nodes = left.map(|(_, node)| node).collect();
                let report = judge(&network, &query, answer.verdict, &Proof::Cover { cover }, &budget);
                rejected += u64::from(!report.is_accepted());
            }
            Some(Proof::Run { mut run }) if !run.steps.is_empty() => {
                run.steps.remove(random.random_range(0..run.steps.len()));
                let report = judge(&network, &query, answer.verdict, &Proof::Run { run }, &budget);
                runs += u64::from(!report.is_accepted());
            }
            _ => {}
        }
    }
    assert!(
        rejected > 20 && runs > 20,
        "{rejected} covers and {runs} runs rejected"
    );
}
