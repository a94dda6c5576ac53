//! The least cost per unit of time in the long run, beside walks on a grid of times. Where no bound is strict, whole times are enough; where bounds are strict, the ratio lies between that of the model with all
//! bounds made weak and that of times in quarters.

use super::{Features, condition_on_states, effort, network};
use entail_answer::{Answer, Quantity, Rational, Verdict};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::Proof;
use entail_clocks::{Comparison, Condition, Expression, Formula, Meaning, Network, Query, Statement};
use entail_source::Span;
use entail_timed::{Engine, Settings};
use entail_timed_checker::judge;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::HashMap;

/// A random network in which time and steps cost something.
fn with_costs(random: &mut StdRng) -> Network {
    let features = Features {
        differences: false,
        copies: random.random_bool(0.2),
    };
    let mut network = network(random, features);
    for location in &mut network.locations {
        if random.random_bool(0.7) {
            location.rate = Some(Expression::Constant(random.random_range(0..=4)));
        }
    }
    for edge in &mut network.edges {
        if random.random_bool(0.4) {
            let cost = Expression::Constant(random.random_range(0..=5));
            edge.action.push(Statement::Cost(cost, Span::default()));
        }
    }
    network
}

/// The same with all bounds weak.
pub(super) fn closed(network: &Network) -> Network {
    let mut network = network.clone();
    let conditions = (network.locations.iter_mut().flat_map(|one| &mut one.invariant))
        .chain(network.edges.iter_mut().flat_map(|one| &mut one.guard));
    for condition in conditions {
        if let Condition::Clock { comparison, .. } = condition {
            *comparison = match *comparison {
                Comparison::Less => Comparison::LessEqual,
                Comparison::Greater => Comparison::GreaterEqual,
                same => same,
            };
        }
    }
    network
}

/// Walks with times that are multiples of a part of a unit.
pub(super) struct Grid {
    pub count: usize,
    /// From, to, cost in parts, time in parts.
    pub edges: Vec<(usize, usize, i64, i64)>,
}

type Point = (Discrete, Vec<i64>);

impl Grid {
    /// Runs begin at the first points; nothing if there are too many points.
    pub fn of(network: &Network, within: &[Formula], parts: i64, limit: usize) -> Option<Grid> {
        let most = 4 * parts;
        let meets = |values: &[i64], constraints: &[ClockConstraint]| {
            constraints.iter().all(|one| {
                let difference = values[one.left] - values[one.right];
                difference < one.bound * parts || (difference == one.bound * parts && !one.strict)
            })
        };
        let allowed = |(discrete, values): &Point| {
            let invariant = Meaning::invariant(network, discrete).expect("no fault");
            let cases = network.satisfying(within, 0, discrete).expect("no fault");
            invariant.is_some_and(|invariant| meets(values, &invariant))
                && cases.iter().any(|case| meets(values, case))
        };
        let mut numbers: HashMap<Point, usize> = HashMap::new();
        let mut points: Vec<Point> = Vec::new();
        let mut edges = Vec::new();
        for discrete in network.initial() {
            let start = (discrete, vec![0; network.dimension()]);
            if allowed(&start) && !numbers.contains_key(&start) {
                numbers.insert(start.clone(), points.len());
                points.push(start);
            }
        }
        let mut here = 0;
        while here < points.len() {
            if points.len() > limit {
                return None;
            }
            let (discrete, values) = points[here].clone();
            let mut next: Vec<(Point, i64, i64)> = Vec::new();
            if Meaning::may_delay(network, &discrete).expect("no fault") {
                let later = values
                    .iter()
                    .enumerate()
                    .map(|(clock, &value)| if clock == 0 { 0 } else { (value + 1).min(most) });
                let rate = Meaning::rate(network, &discrete).expect("no fault");
                next.push(((discrete.clone(), later.collect()), rate, 1));
            }
            for step in network.moves(&discrete).expect("no fault") {
                if meets(&values, &step.guard) {
                    let mut after = values.clone();
                    for update in &step.updates {
                        after[update.target] = (after[update.source] + update.offset * parts).min(most);
                    }
                    next.push(((step.target.expect("no fault"), after), step.cost * parts, 0));
                }
            }
            for (point, cost, time) in next {
                if allowed(&point) {
                    let to = *numbers.entry(point.clone()).or_insert_with(|| {
                        points.push(point);
                        points.len() - 1
                    });
                    edges.push((here, to, cost, time));
                }
            }
            here += 1;
        }
        Some(Grid {
            count: points.len(),
            edges,
        })
    }

    /// Whether some cycle costs less than a ratio.
    fn is_below(&self, cost: i64, time: i64) -> bool {
        let mut distances = vec![0i128; self.count];
        for _ in 0..=self.count {
            let mut changed = false;
            for &(from, to, edge_cost, edge_time) in &self.edges {
                let weight =
                    i128::from(edge_cost) * i128::from(time) - i128::from(edge_time) * i128::from(cost);
                if distances[from] + weight < distances[to] {
                    distances[to] = distances[from] + weight;
                    changed = true;
                }
            }
            if !changed {
                return false;
            }
        }
        true
    }
}

fn ask(network: &Network, query: &Query) -> Answer<Proof> {
    let answer = Engine::new(network, Settings::default())
        .check(query, &Budget::unlimited())
        .expect("no fault");
    assert_ne!(answer.verdict, Verdict::Unknown, "{:?}", answer.reason);
    let proof = answer.evidence.as_ref().expect("evidence");
    let report = judge(network, query, answer.verdict, proof, &Budget::unlimited());
    assert!(
        report.is_accepted(),
        "{report}\n{query:?}\n{proof:?}\n{network:#?}"
    );
    answer
}

fn ratio(answer: &Answer<Proof>) -> (i64, i64) {
    let Some(Proof::LongRun { long_run }) = &answer.evidence else {
        panic!("another kind of evidence");
    };
    match &answer.value {
        Some(Quantity::Exact(value)) => {
            assert_eq!(
                *value,
                Rational::from(long_run.cost) / Rational::from(long_run.time)
            );
        }
        other => assert!(long_run.time == 0 && matches!(other, Some(Quantity::Undefined))),
    }
    (long_run.cost, long_run.time)
}

/// As many parts of a unit as tell ratios apart.
const FINE: i64 = 1_000_000;

#[test]
fn ratios_agree_with_walks_on_a_grid() {
    let (mut exact, mut between, mut none) = (0, 0, 0);
    for number in 0..300 * effort() {
        let mut random = StdRng::seed_from_u64(91_000_000 + number);
        let strict = with_costs(&mut random);
        let within = match number % 3 {
            0 => condition_on_states(&mut random, &strict, 0),
            _ => Formula::Constant(true),
        };
        let query = Query::LongRun(within.clone());
        let within = [within];
        let network = closed(&strict);
        // A condition on clocks may be strict: then whole times are not enough.
        let is_weak = !within[0].mentions_clocks();
        if is_weak && let Some(grid) = Grid::of(&network, &within, 1, 4000) {
            match ratio(&ask(&network, &query)) {
                (_, 0) => {
                    assert!(
                        !grid.is_below(1, 0),
                        "network {number}: time diverges\n{network:#?}"
                    );
                    none += 1;
                }
                (cost, time) => {
                    assert!(
                        !grid.is_below(cost, time),
                        "network {number}: cheaper than {cost}/{time}\n{network:#?}"
                    );
                    assert!(
                        grid.is_below(cost * FINE + 1, time * FINE),
                        "network {number}: not {cost}/{time}\n{network:#?}"
                    );
                    exact += 1;
                }
            }
        }
        let (Some(weak), Some(fine)) = (
            Grid::of(&network, &within, 1, 4000),
            Grid::of(&strict, &within, 4, 4000),
        ) else {
            continue;
        };
        match ratio(&ask(&strict, &query)) {
            (_, 0) => assert!(
                !fine.is_below(1, 0),
                "network {number}: time diverges\n{strict:#?}"
            ),
            (cost, time) => {
                assert!(
                    !fine.is_below(cost, time),
                    "network {number}: cheaper than {cost}/{time}\n{strict:#?}"
                );
                if is_weak {
                    assert!(
                        weak.is_below(cost * FINE + 1, time * FINE),
                        "network {number}: not {cost}/{time}\n{strict:#?}"
                    );
                }
                between += 1;
            }
        }
    }
    assert!(
        exact > 50 && between > 50 && none > 5,
        "{exact} exact, {between} between, {none} without"
    );
}

#[test]
fn damaged_ratios_are_rejected() {
    let budget = Budget::unlimited();
    let mut rejected = [0; 5];
    for number in 0..150 * effort() {
        let mut random = StdRng::seed_from_u64(92_000_000 + number);
        let network = with_costs(&mut random);
        let query = Query::LongRun(Formula::Constant(true));
        let answer = ask(&network, &query);
        let Some(Proof::LongRun { long_run }) = answer.evidence else {
            panic!("another kind of evidence");
        };
        if long_run.time == 0 || long_run.corners.len() < 3 {
            continue;
        }
        let damage = random.random_range(0..rejected.len());
        let mut damaged = long_run.clone();
        match damage {
            // A smaller ratio, a larger one.
            0 => damaged.time += 1,
            1 => damaged.cost += 1,
            2 => {
                damaged
                    .corners
                    .remove(random.random_range(0..long_run.corners.len()));
            }
            3 => {
                damaged.cycle.pop();
            }
            _ => {
                // Among the corners of the cycle no potential may be larger than it is: all their edges are tight.
                let step = random.random_range(0..long_run.cycle.len());
                damaged.corners[long_run.cycle[step].corner].potential += 1_000;
            }
        }
        let report = judge(
            &network,
            &query,
            answer.verdict,
            &Proof::LongRun {
                long_run: damaged.clone(),
            },
            &budget,
        );
        // A cycle of one corner has no edge that its potential changes.
        let is_loop = damage == 4
            && long_run
                .cycle
                .iter()
                .all(|step| step.corner == long_run.cycle[0].corner);
        assert!(
            is_loop || !report.is_accepted(),
            "network {number}, damage {damage}\n{damaged:?}"
        );
        rejected[damage] += 1;
    }
    assert!(rejected.iter().all(|&count| count > 5), "{rejected:?}");
}
