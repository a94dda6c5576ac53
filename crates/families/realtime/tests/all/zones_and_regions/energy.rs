//! Accumulated weights within bounds, beside naive computations: levels of small automata without clocks one by one; least needs by iteration on a grid of times, which are exact where rates are -1, 0 and 1 and bounds weak, and never too
//! small elsewhere; least and largest weights of walks on a grid for questions about every run.

use super::long_runs::{Grid, closed};
use super::{Features, effort, network};
use entail_answer::{Answer, Quantity, Verdict};
use entail_budget::Budget;
use entail_clocks::evidence::{Because, Proof, Sustained, Time};
use entail_clocks::{
    Clock, ClockName, Comparison, Condition, Edge, Energy, Expression, Formula, Location, Network, Process,
    Query, Rational, Statement, Upper,
};
use entail_source::Span;
use entail_timed::{Engine, Settings};
use entail_timed_checker::judge;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

/// What small automata may have.
#[derive(Clone, Copy)]
struct Shape {
    clock: bool,
    rates: i64,
    weights: i64,
    strict: bool,
}

fn comparison(random: &mut StdRng, shape: Shape, upper_only: bool) -> Condition {
    let all: &[Comparison] = match (upper_only, shape.strict) {
        (true, false) => &[Comparison::LessEqual],
        (true, true) => &[Comparison::LessEqual, Comparison::Less],
        (false, false) => &[Comparison::LessEqual, Comparison::GreaterEqual, Comparison::Equal],
        (false, true) => &[
            Comparison::LessEqual,
            Comparison::GreaterEqual,
            Comparison::Equal,
            Comparison::Less,
            Comparison::Greater,
        ],
    };
    Condition::Clock {
        left: ClockName::one(1),
        right: ClockName::one(0),
        comparison: *all.choose(random).expect("some"),
        bound: Expression::Constant(random.random_range(0..=2)),
    }
}

/// A process with weights of either sign.
fn automaton(random: &mut StdRng, shape: Shape) -> Network {
    let count = random.random_range(2..=4);
    let mut network = Network {
        name: "random".to_owned(),
        events: vec!["a".to_owned()],
        clocks: match shape.clock {
            true => vec![Clock { name: "x".to_owned() }],
            false => Vec::new(),
        },
        processes: vec![Process {
            name: "P".to_owned(),
            locations: (0..count).collect(),
            initial: vec![0],
            priority: 0,
        }],
        ..Network::default()
    };
    for number in 0..count {
        let invariant = match shape.clock && random.random_bool(0.5) {
            true => vec![comparison(random, shape, true)],
            false => Vec::new(),
        };
        let rate = random.random_range(-shape.rates..=shape.rates);
        network.locations.push(Location {
            name: format!("l{number}"),
            process: 0,
            invariant,
            rate: (rate != 0).then_some(Expression::Constant(rate)),
            committed: false,
            urgent: random.random_bool(if shape.clock { 0.15 } else { 0.5 }),
            labels: Vec::new(),
            outgoing: Vec::new(),
            span: Span::default(),
        });
    }
    for edge in 0..random.random_range(count..=2 * count + 1) {
        let source = random.random_range(0..count);
        let mut guard = Vec::new();
        let mut action = Vec::new();
        if shape.clock {
            (0..random.random_range(0..=2)).for_each(|_| guard.push(comparison(random, shape, false)));
            if random.random_bool(0.55) {
                let offset = if random.random_bool(0.85) {
                    0
                } else {
                    random.random_range(1..=3)
                };
                action.push(Statement::Clock {
                    target: ClockName::one(1),
                    source: ClockName::one(0),
                    offset: Expression::Constant(offset),
                    span: Span::default(),
                });
            }
        }
        let weight = random.random_range(-shape.weights..=shape.weights);
        if random.random_bool(0.7) && weight != 0 {
            action.push(Statement::Cost(Expression::Constant(weight), Span::default()));
        }
        network.locations[source].outgoing.push(edge);
        network.edges.push(Edge {
            process: 0,
            source,
            target: random.random_range(0..count),
            signal: None,
            event: 0,
            guard,
            action,
            controllable: true,
            span: Span::default(),
        });
    }
    network.check().expect("random networks are networks");
    network
}

fn asked(within: Formula, every: bool, lower: i64, upper: Option<Upper>, credit: Option<i64>) -> Query {
    Query::Energy(Box::new(Energy {
        within,
        every,
        lower,
        upper,
        credit: credit.map(Rational::from),
    }))
}

/// The answer, whose evidence the checker accepts.
fn ask(network: &Network, query: &Query) -> Answer<Proof> {
    let answer = Engine::new(network, Settings::default())
        .check(query, &Budget::unlimited())
        .expect("no fault");
    if let Some(proof) = &answer.evidence {
        let report = judge(network, query, answer.verdict, proof, &Budget::unlimited());
        assert!(
            report.is_accepted(),
            "{report}\n{query:?}\n{:?}\n{proof:#?}\n{network:#?}",
            answer.verdict
        );
    }
    answer
}

fn sustained(answer: &Answer<Proof>) -> &Sustained {
    match &answer.evidence {
        Some(Proof::Energy { sustained }) => sustained,
        other => panic!("another kind of evidence: {other:?}, {:?}", answer.reason),
    }
}

/// The least credit that an answer gives; nothing if none is enough.
fn least(answer: &Answer<Proof>) -> Option<Rational> {
    assert_ne!(answer.verdict, Verdict::Unknown, "{:?}", answer.reason);
    assert_eq!(answer.verdict == Verdict::Holds, sustained(answer).holds);
    match &answer.value {
        Some(Quantity::Exact(value)) => Some(value.clone()),
        None => None,
        other => panic!("{other:?}"),
    }
}

/// Edges between numbered points with weights, and the points at which the level can be made as large as one likes.
struct Naive {
    count: usize,
    edges: Vec<(usize, usize, i64)>,
    pumps: Vec<bool>,
    /// Waits: they are no steps.
    waits: Vec<(usize, usize, i64)>,
}

impl Naive {
    /// An automaton without clocks.
    fn untimed(network: &Network) -> Naive {
        let rate = |location: &Location| match &location.rate {
            Some(Expression::Constant(rate)) => *rate,
            _ => 0,
        };
        let weight = |edge: &Edge| match edge.action.as_slice() {
            [Statement::Cost(Expression::Constant(weight), _)] => *weight,
            _ => 0,
        };
        Naive {
            count: network.locations.len(),
            edges: network
                .edges
                .iter()
                .map(|edge| (edge.source, edge.target, weight(edge)))
                .collect(),
            pumps: network
                .locations
                .iter()
                .map(|one| !one.urgent && rate(one) > 0)
                .collect(),
            waits: Vec::new(),
        }
    }

    /// The least level from 0 on from which a run can go on for ever above 0, by iteration from below; beyond a bound it is infinite.
    fn needs(&self, bound: i64) -> Vec<Option<i64>> {
        let mut needs = vec![Some(0i64); self.count];
        loop {
            let mut next = vec![None; self.count];
            for &(from, to, weight) in &self.edges {
                if let Some(need) = needs[to] {
                    let need = if self.pumps[from] {
                        0
                    } else {
                        (need - weight).max(0)
                    };
                    next[from] = Some(next[from].map_or(need, |known: i64| known.min(need)));
                }
            }
            // Waits are acyclic but for loops at pumps, which are known.
            for _ in 0..self.count {
                let mut changed = false;
                for &(from, to, weight) in &self.waits {
                    if let Some(need) = next[to].filter(|_| from != to) {
                        let need = (need - weight).max(0);
                        if next[from].is_none_or(|known| need < known) {
                            next[from] = Some(need);
                            changed = true;
                        }
                    }
                }
                if !changed {
                    break;
                }
            }
            for need in &mut next {
                *need = need.filter(|&need| need <= bound);
            }
            if next == needs {
                return needs;
            }
            needs = next;
        }
    }
}

fn shift(least: Option<i64>, lower: i64) -> Option<Rational> {
    least.map(|least| Rational::from(least + lower))
}

#[test]
fn least_credits_without_clocks_agree_with_iteration() {
    let (mut found, mut none) = (0, 0);
    for number in 0..1500 * effort() {
        let mut random = StdRng::seed_from_u64(95_000_000 + number);
        let rates = if number % 3 == 0 { 1 } else { 0 };
        let shape = Shape {
            clock: false,
            rates,
            weights: 5,
            strict: false,
        };
        let network = automaton(&mut random, shape);
        let lower = random.random_range(-3..=3);
        let naive = Naive::untimed(&network).needs(60)[0];
        let truth = Formula::Constant(true);
        let answer = ask(&network, &asked(truth.clone(), false, lower, None, None));
        assert_eq!(
            least(&answer),
            shift(naive, lower),
            "automaton {number}\n{network:#?}"
        );
        match naive {
            Some(naive) => {
                found += 1;
                for (credit, enough) in [(naive + lower, true), (naive + lower - 1, false)] {
                    let answer = ask(&network, &asked(truth.clone(), false, lower, None, Some(credit)));
                    assert_eq!(answer.verdict == Verdict::Holds, enough, "automaton {number}");
                }
            }
            None => {
                none += 1;
                let answer = ask(
                    &network,
                    &asked(truth.clone(), false, lower, None, Some(lower + 1000)),
                );
                assert_eq!(answer.verdict, Verdict::Fails, "automaton {number}");
            }
        }
    }
    assert!(found > 100 && none > 100, "{found} found, {none} without");
}

/// The levels from which some run stays within the bounds, by taking away those from which no step does.
fn lasting(naive: &Naive, lower: i64, upper: Upper) -> Vec<Vec<bool>> {
    let size = (upper.bound() - lower + 1) as usize;
    let mut lasts = vec![vec![true; size]; naive.count];
    loop {
        let mut next = vec![vec![false; size]; naive.count];
        for &(from, to, weight) in &naive.edges {
            for level in 0..size {
                let mut after = level as i64 + weight;
                if matches!(upper, Upper::Weak(_)) {
                    after = after.min(size as i64 - 1);
                }
                if (0..size as i64).contains(&after) && lasts[to][after as usize] {
                    next[from][level] = true;
                }
            }
        }
        if next == lasts {
            return lasts;
        }
        lasts = next;
    }
}

#[test]
fn levels_between_two_bounds_agree_with_all_levels() {
    let (mut found, mut none) = (0, 0);
    for number in 0..1500 * effort() {
        let mut random = StdRng::seed_from_u64(96_000_000 + number);
        let shape = Shape {
            clock: false,
            rates: 0,
            weights: 5,
            strict: false,
        };
        let network = automaton(&mut random, shape);
        let lower = random.random_range(-3..=3);
        let bound = lower + random.random_range(0..=9);
        let upper = match number % 2 {
            0 => Upper::Limit(bound),
            _ => Upper::Weak(bound),
        };
        let lasts = &lasting(&Naive::untimed(&network), lower, upper)[0];
        let first = lasts.iter().position(|&lasts| lasts).map(|first| first as i64);
        let truth = Formula::Constant(true);
        let answer = ask(&network, &asked(truth.clone(), false, lower, Some(upper), None));
        assert_eq!(
            least(&answer),
            shift(first, lower),
            "automaton {number}\n{network:#?}"
        );
        let credit = random.random_range(lower - 1..=bound + 1);
        let cut = match upper {
            Upper::Weak(bound) => credit.min(bound),
            Upper::Limit(_) => credit,
        };
        let position = usize::try_from(cut - lower).ok();
        let expected = position.and_then(|at| lasts.get(at).copied()).unwrap_or(false);
        let answer = ask(&network, &asked(truth, false, lower, Some(upper), Some(credit)));
        assert_eq!(
            answer.verdict == Verdict::Holds,
            expected,
            "automaton {number} from {credit}"
        );
        match expected {
            true => found += 1,
            false => none += 1,
        }
    }
    assert!(found > 100 && none > 100, "{found} found, {none} without");
}

/// The needs of an automaton with a clock whose delays are multiples of a part of a unit; in parts.
fn on_grid(network: &Network, parts: i64, bound: i64) -> Option<Option<i64>> {
    let grid = Grid::of(network, &[Formula::Constant(true)], parts, 20_000)?;
    let mut naive = Naive {
        count: grid.count,
        edges: Vec::new(),
        pumps: vec![false; grid.count],
        waits: Vec::new(),
    };
    for &(from, to, cost, time) in &grid.edges {
        match time {
            0 => naive.edges.push((from, to, cost)),
            _ => {
                naive.pumps[from] |= from == to && cost > 0;
                naive.waits.push((from, to, cost));
            }
        }
    }
    // Waiting in a pump, a step must follow at once.
    (grid.count > 0).then(|| naive.needs(bound)[0])
}

#[test]
fn least_credits_with_a_clock_agree_with_iteration_on_a_grid() {
    let (mut exact, mut between, mut none, mut open) = (0, 0, 0, 0);
    for number in 0..700 * effort() {
        let mut random = StdRng::seed_from_u64(97_000_000 + number);
        let shape = Shape {
            clock: true,
            rates: if number % 2 == 0 { 1 } else { 3 },
            weights: 3,
            strict: number % 3 == 0,
        };
        // Now and then several processes, with integers, committed locations and synchronisation.
        let network = match number % 4 {
            3 => with_weights(&mut random, 1),
            _ => automaton(&mut random, shape),
        };
        if network.clocks.len() > 1 {
            continue;
        }
        let network = match shape.strict {
            true => network,
            false => closed(&network),
        };
        // The rates of two processes are added.
        let is_exact = shape.rates == 1 && !shape.strict && network.processes.len() == 1;
        let parts = 4;
        let naive = on_grid(&network, parts, 60 * parts);
        let Some(naive) = naive else { continue };
        let lower = random.random_range(-2..=2);
        let query = asked(Formula::Constant(true), false, lower, None, None);
        let answer = ask(&network, &query);
        if answer.verdict == Verdict::Unknown {
            assert!(
                shape.strict,
                "automaton {number}: {:?}\n{network:#?}",
                answer.reason
            );
            open += 1;
            continue;
        }
        let found = least(&answer);
        let naive = naive.map(|need| Rational::from(need) / Rational::from(parts) + Rational::from(lower));
        match (&found, &naive) {
            (None, None) => none += 1,
            (Some(found), Some(naive)) => {
                assert!(
                    found <= naive,
                    "automaton {number}: {found} > {naive}\n{network:#?}"
                );
                if is_exact {
                    assert_eq!(found, naive, "automaton {number}\n{network:#?}");
                }
                match found == naive {
                    true => exact += 1,
                    false => between += 1,
                }
            }
            (Some(found), None) => {
                // The run that was found has other delays than the grid.
                assert!(!is_exact, "automaton {number}: {found}\n{network:#?}");
                between += 1;
            }
            (None, Some(naive)) => panic!("automaton {number}: not {naive}\n{network:#?}"),
        }
    }
    eprintln!("{exact} exact, {between} between, {none} without, {open} open");
    assert!(
        exact > 100 && none > 50,
        "{exact} exact, {between} between, {none} without, {open} open"
    );
}

/// A network with several clocks, and weights of either sign.
fn with_weights(random: &mut StdRng, most: i64) -> Network {
    let features = Features {
        differences: false,
        copies: random.random_bool(0.2),
    };
    let mut network = network(random, features);
    for location in &mut network.locations {
        if random.random_bool(0.4) {
            location.rate = Some(Expression::Constant(random.random_range(-1..=most)));
        }
    }
    for edge in &mut network.edges {
        if random.random_bool(0.4) {
            let cost = Expression::Constant(random.random_range(-2..=4));
            edge.action.push(Statement::Cost(cost, Span::default()));
        }
    }
    network
}

/// The least weight of walks from where runs begin, or from anywhere; nothing if it has no bound.
fn extreme(grid: &Grid, sign: i64, anywhere: bool) -> Option<i64> {
    let mut least: Vec<Option<i64>> = vec![anywhere.then_some(0); grid.count];
    if let Some(first) = least.first_mut() {
        *first = Some(0);
    }
    for _ in 0..=grid.count {
        let mut changed = false;
        for &(from, to, cost, _) in &grid.edges {
            if let Some(begun) = least[from] {
                let weight = begun + cost * sign;
                if least[to].is_none_or(|known| weight < known) {
                    least[to] = Some(weight);
                    changed = true;
                }
            }
        }
        if !changed {
            return Some(least.into_iter().flatten().min().unwrap_or(0));
        }
    }
    None
}

#[test]
fn what_every_run_accumulates_agrees_with_walks_on_a_grid() {
    let (mut holds, mut fails) = (0, 0);
    for number in 0..700 * effort() {
        let mut random = StdRng::seed_from_u64(98_000_000 + number);
        let strict = with_weights(&mut random, 3);
        let network = closed(&strict);
        let Some(grid) = Grid::of(&network, &[Formula::Constant(true)], 1, 4000) else {
            continue;
        };
        if grid.count == 0 || network.initial().len() > 1 {
            continue;
        }
        let lower = random.random_range(-3..=1);
        let credit = lower + random.random_range(0..=6);
        let bound = credit + random.random_range(0..=15);
        let upper = [None, Some(Upper::Limit(bound)), Some(Upper::Weak(bound))][number as usize % 3];
        let low = extreme(&grid, 1, false).is_some_and(|least| credit + least >= lower);
        let expected = low
            && match upper {
                None => true,
                Some(Upper::Limit(most)) => {
                    extreme(&grid, -1, false).is_some_and(|largest| credit - largest <= most)
                }
                Some(Upper::Weak(most)) => extreme(&grid, 1, true).is_some_and(|least| most + least >= lower),
            };
        let query = asked(Formula::Constant(true), true, lower, upper, Some(credit));
        let answer = ask(&network, &query);
        assert_ne!(answer.verdict, Verdict::Unknown, "{:?}", answer.reason);
        assert_eq!(
            answer.verdict == Verdict::Holds,
            expected,
            "network {number}\n{query:?}\n{network:#?}"
        );
        let answer = ask(&strict, &query);
        assert_ne!(answer.verdict, Verdict::Unknown, "{:?}", answer.reason);
        if expected {
            assert_eq!(
                answer.verdict,
                Verdict::Holds,
                "network {number} with strict bounds"
            );
        }
        match answer.verdict {
            Verdict::Holds => holds += 1,
            _ => fails += 1,
        }
    }
    assert!(holds > 50 && fails > 50, "{holds} hold, {fails} fail");
}

fn more(time: &mut Time, by: i64) {
    time.0 += Rational::from(by);
}

/// Evidence with something changed that makes it wrong; nothing if there is nothing of that kind in it.
fn damaged(random: &mut StdRng, sustained: &Sustained, damage: usize) -> Option<Sustained> {
    let mut damaged = sustained.clone();
    let because = damaged.because.as_mut();
    match (damage, because) {
        // Another verdict, another credit.
        (0, _) => more(damaged.credit.as_mut()?, -1),
        (1, _) => {
            let run = damaged.run.as_mut().filter(|_| sustained.holds)?;
            run.steps.pop();
        }
        (2, Some(Because::Levels(levels))) if !levels.is_empty() => {
            levels.remove(random.random_range(0..levels.len()));
        }
        (3, Some(Because::Levels(levels))) => {
            let ranked = levels
                .iter_mut()
                .max_by_key(|one| one.rank)
                .filter(|one| one.rank > 0)?;
            ranked.level += 100;
        }
        (4, Some(Because::Potentials(all))) if !all.all.is_empty() => {
            all.all.remove(random.random_range(0..all.all.len()));
        }
        (5, Some(Because::Potentials(all))) => {
            let count = all.all.len();
            let one = &mut all.all[random.random_range(0..count.max(1))];
            one.pieces
                .iter_mut()
                .for_each(|piece| more(&mut piece.level.0, 1));
        }
        (6, Some(Because::Potentials(all))) => {
            let first = all.all.iter_mut().find(|one| one.layer.is_none())?;
            first.layer = Some(0);
        }
        (7, Some(Because::Corners { corners, .. })) => {
            corners.remove(random.random_range(0..corners.len()));
        }
        (8, Some(Because::Corners { corners, .. })) => {
            let position = random.random_range(0..corners.len());
            more(&mut corners[position].least, 1);
        }
        _ => return None,
    }
    Some(damaged)
}

#[test]
fn damaged_evidence_about_energy_is_rejected() {
    let budget = Budget::unlimited();
    let mut rejected = [0; 9];
    let mut accepted = [0; 9];
    for number in 0..600 * effort() {
        let mut random = StdRng::seed_from_u64(99_000_000 + number);
        let shape = Shape {
            clock: number % 2 == 0,
            rates: if number % 2 == 0 { 2 } else { 0 },
            weights: 4,
            strict: false,
        };
        let network = automaton(&mut random, shape);
        let (every, upper) = match number % 4 {
            0 => (number % 8 == 0, None),
            2 => (true, Some(Upper::Limit(20))),
            1 => (false, Some(Upper::Limit(6))),
            _ => (false, None),
        };
        let credit = every.then_some(10);
        let query = asked(Formula::Constant(true), every, 0, upper, credit);
        let answer = ask(&network, &query);
        let Some(Proof::Energy { sustained }) = &answer.evidence else {
            continue;
        };
        for damage in 0..rejected.len() {
            let Some(sustained) = damaged(&mut random, sustained, damage) else {
                continue;
            };
            let proof = Proof::Energy { sustained };
            match judge(&network, &query, answer.verdict, &proof, &budget).is_accepted() {
                true => accepted[damage] += 1,
                false => rejected[damage] += 1,
            }
        }
    }
    // What is not needed may be missing, and a potential or a level may have some room; a wrong credit, run, cover or layer is always noticed.
    assert!(
        rejected.iter().all(|&count| count > 3),
        "{rejected:?}, accepted {accepted:?}"
    );
    for damage in [0, 7] {
        assert_eq!(
            accepted[damage], 0,
            "damage {damage}: {rejected:?}, accepted {accepted:?}"
        );
    }
}
