//! Random small games: who wins is what the region graph says, and the checker accepts the strategies of both sides; damaged ones are rejected.

use super::{Features, condition_on_states, effort, network};
use entail_answer::Verdict;
use entail_budget::Budget;
use entail_clocks::evidence::{CoverNodes, Proof};
use entail_clocks::regions::RegionGraph;
use entail_clocks::{Clock, Formula, Network, Query, TimedGame};
use entail_timed::{Engine, Settings};
use entail_timed_checker::judge;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A network whose edges belong to either side.
pub(super) fn arena(random: &mut StdRng, features: Features) -> Network {
    let mut network = network(random, features);
    let share = random.random_range(0.2..0.8);
    for edge in &mut network.edges {
        edge.controllable = random.random_bool(share);
    }
    network
}

/// Objectives of all four kinds.
pub(super) fn objectives(random: &mut StdRng, network: &Network) -> Vec<Query> {
    let not = |formula: &Formula| Formula::Not(Box::new(formula.clone()));
    let objective = |goal: Formula, until: Formula, must_win: bool| Query::Control {
        formulas: vec![goal.clone(), Formula::And(vec![not(&until), not(&goal)])],
        must_win,
    };
    let (truth, falsity) = (Formula::Constant(true), Formula::Constant(false));
    let mut any = |depth: usize| condition_on_states(random, network, depth);
    let (goal, safe, until, other) = (any(1), any(2), any(2), any(1));
    vec![
        objective(Formula::Label(0), truth.clone(), true),
        objective(goal, truth, true),
        objective(falsity.clone(), not(&Formula::Label(0)), false),
        objective(falsity, safe, false),
        objective(other.clone(), until.clone(), true),
        objective(other, until, false),
    ]
}

fn agree(features: Features, seed: u64, count: u64) {
    let budget = Budget::unlimited();
    let (mut won, mut lost, mut damaged, mut rejected) = (0, 0, 0, 0);
    for number in 0..count * effort() {
        let mut random = StdRng::seed_from_u64(seed * 1_000_000 + number);
        let network = arena(&mut random, features);
        for query in objectives(&mut random, &network) {
            let Ok(Some(graph)) = RegionGraph::explore(&network, &query, 1200) else {
                continue;
            };
            let wins = graph
                .exists(&query)
                .expect("nothing goes wrong in these networks");
            let answer = Engine::new(&network, Settings::default()).check(&query, &budget);
            let answer = answer.expect("no fault");
            let expected = if wins { Verdict::Holds } else { Verdict::Fails };
            assert_eq!(
                answer.verdict, expected,
                "seed {seed}, game {number}, {query:?}\n{network:#?}"
            );
            *if wins { &mut won } else { &mut lost } += 1;
            let proof = answer.evidence.as_ref().expect("evidence");
            let report = judge(&network, &query, answer.verdict, proof, &budget);
            assert!(
                report.is_accepted(),
                "seed {seed}, game {number}, {query:?}: {report}\n{network:#?}"
            );
            let opposite = if wins { Verdict::Fails } else { Verdict::Holds };
            assert!(judge(&network, &query, opposite, proof, &budget).is_rejected());
            if let Some(worse) = damage(&mut random, proof) {
                let report = judge(&network, &query, answer.verdict, &worse, &budget);
                damaged += 1;
                rejected += u64::from(report.is_rejected());
            }
        }
    }
    assert!(won > 0 && lost > 0, "{won} won, {lost} lost");
    // Parts of strategies overlap: not every one is needed.
    assert!(rejected * 2 > damaged, "{rejected} of {damaged} rejected");
}

/// Nodes without one of them.
pub(super) fn without_one(nodes: &CoverNodes, gone: usize) -> CoverNodes {
    let left = nodes.iter().enumerate().filter(|(number, _)| *number != gone);
    left.map(|(_, node)| node).collect()
}

/// Evidence that says nothing of some states of which it said something.
fn damage(random: &mut StdRng, proof: &Proof) -> Option<Proof> {
    let gone = |count: usize, random: &mut StdRng| (count > 0).then(|| random.random_range(0..count));
    let mut damaged = proof.clone();
    match &mut damaged {
        Proof::Strategy { strategy } => {
            let gone = gone(strategy.winning.len(), random)?;
            strategy.winning = without_one(&strategy.winning, gone);
            strategy.choices.remove(gone);
        }
        Proof::Spoiled { losing } => *losing = without_one(losing, gone(losing.len(), random)?),
        _ => return None,
    }
    Some(damaged)
}

#[test]
fn how_soon_games_are_won_agrees_with_regions() {
    let budget = Budget::unlimited();
    let features = Features {
        differences: false,
        copies: false,
    };
    let (mut exact, mut before, mut lost) = (0, 0, 0);
    for number in 0..60 * effort() {
        let mut random = StdRng::seed_from_u64(14_000_000 + number);
        let mut network = arena(&mut random, features);
        let goal = condition_on_states(&mut random, &network, 1);
        let safe = condition_on_states(&mut random, &network, 2);
        network.clocks.push(Clock {
            name: "time".to_owned(),
        });
        let not = |formula: &Formula| Formula::Not(Box::new(formula.clone()));
        let game = TimedGame {
            formulas: vec![goal.clone(), Formula::And(vec![not(&safe), not(&goal)])],
            clock: network.clocks.len(),
            most: Some(3),
            reserve: None,
        };
        let wins = |time: i64, strictly: bool| {
            let query = game.within(time, strictly);
            let graph = RegionGraph::explore(&network, &query, 3000).expect("no fault")?;
            Some(graph.exists(&query).expect("no fault"))
        };
        let Some(at_all) = wins(3, false) else { continue };
        let query = Query::Soonest(game.clone());
        let engine = Engine::new(&network, Settings::default());
        let answer = engine.check(&query, &budget).expect("no fault");
        let expected = if at_all { Verdict::Holds } else { Verdict::Fails };
        assert_eq!(answer.verdict, expected, "game {number}, {query:?}\n{network:#?}");
        let proof = answer.evidence.as_ref().expect("evidence");
        let report = judge(&network, &query, answer.verdict, proof, &budget);
        assert!(
            report.is_accepted(),
            "game {number}, {query:?}: {report}\n{network:#?}"
        );
        let Proof::Soonest { soonest } = proof else {
            lost += 1;
            continue;
        };
        let time = soonest.within;
        assert_eq!(wins(time, soonest.strictly), Some(true), "game {number}");
        let sooner = if soonest.strictly {
            wins(time - 1, false)
        } else {
            wins(time, true)
        };
        assert!(time == 0 || sooner == Some(false), "game {number}");
        *if soonest.strictly { &mut before } else { &mut exact } += 1;
        let mut worse = soonest.clone();
        worse.within -= 1;
        let worse = Proof::Soonest { soonest: worse };
        assert!(judge(&network, &query, answer.verdict, &worse, &budget).is_rejected());
    }
    assert!(
        exact > 0 && lost > 0,
        "{exact} exact, {before} before, {lost} lost"
    );
}

#[test]
fn games_agree_with_regions() {
    let features = Features {
        differences: false,
        copies: false,
    };
    agree(features, 11, 250);
}

#[test]
fn games_agree_with_regions_where_clocks_are_copied_or_differences_compared() {
    let (copies, differences) = (true, true);
    agree(
        Features {
            differences: false,
            copies,
        },
        12,
        60,
    );
    agree(
        Features {
            differences,
            copies: false,
        },
        13,
        60,
    );
}
