//! Several objectives beside a naive reference: with goals that are never left, schedulers without memory are enough, and what can be achieved
//! is mixed from their points.

use crate::support;
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_markov::{
    Certificate, Comparison, Explicit, Kind, Network, Optimum, Path, Property, Query, Rational, RewardKind,
    Threshold, explore, naive,
};
use entail_numeric::simplex::{Program, Solution, solve};
use entail_probabilistic::{Exactness, Values, Workshop};
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use support::{at, effort, random_network, settings, state};

/// The points of all schedulers without memory: the probabilities of reaching two states.
fn points(model: &Explicit, first: &[bool], second: &[bool]) -> Vec<(Rational, Rational)> {
    let counts: Vec<usize> = model.rows.iter().map(Vec::len).collect();
    let mut chosen = vec![0; counts.len()];
    let mut found = Vec::new();
    let everywhere = vec![true; counts.len()];
    loop {
        let mut chain = model.clone();
        for (rows, &at) in chain.rows.iter_mut().zip(&chosen) {
            *rows = vec![rows[at].clone()];
        }
        found.push((
            naive::probability(&chain, &everywhere, first, Optimum::Max)[0].clone(),
            naive::probability(&chain, &everywhere, second, Optimum::Max)[0].clone(),
        ));
        let Some(at) = (0..chosen.len()).find(|&at| chosen[at] + 1 < counts[at]) else {
            return found;
        };
        chosen[at] += 1;
        chosen[..at].fill(0);
    }
}

/// The greatest first coordinate of a mixture whose second is at least a bound.
fn best(points: &[(Rational, Rational)], bound: &Rational) -> Option<Rational> {
    let mut found: Option<Rational> = None;
    let mut note = |value: Rational| {
        if found.as_ref().is_none_or(|found| value > *found) {
            found = Some(value);
        }
    };
    for a in points {
        if a.1 >= *bound {
            note(a.0.clone());
        }
        for b in points {
            if a.1 >= *bound && b.1 < *bound {
                let share = (bound - &b.1) / (&a.1 - &b.1);
                note(&share * &a.0 + (Rational::ONE - &share) * &b.0);
            }
        }
    }
    found
}

/// A process whose last two states are never left.
fn two_ends(random: &mut StdRng) -> (Network, i64) {
    ends(random, 2)
}

/// A process whose last states, so many, are never left.
fn ends(random: &mut StdRng, count: i64) -> (Network, i64) {
    loop {
        let mut network = random_network(random, Kind::Mdp);
        let entail_markov::Domain::Range(_, last) = network.variables[0].domain else {
            continue;
        };
        if last < count {
            continue;
        }
        let ends = (1..count).fold(at(last), |ends, before| ends.or(at(last - before)));
        for command in &mut network.components[0].commands {
            let stay = |state: i64| command.guard == at(state);
            if (0..count).any(|before| stay(last - before)) {
                for branch in &mut command.branches {
                    branch.assignments.clear();
                }
            }
        }
        // Ends earn nothing.
        for item in &mut network.rewards[0].states {
            item.guard = item.guard.clone().and(entail_markov::Expr::unary(
                entail_markov::UnaryOp::Not,
                ends.clone(),
            ));
        }
        for item in &mut network.rewards[0].transitions {
            item.guard = item.guard.clone().and(entail_markov::Expr::unary(
                entail_markov::UnaryOp::Not,
                ends.clone(),
            ));
        }
        return (network, last);
    }
}

fn members(model: &Explicit, state: i64) -> Vec<bool> {
    model.states.iter().map(|values| values[0] == state).collect()
}

fn ask(network: &Network, parts: Vec<Property>) -> Values {
    asked(network, &Property::Multi(parts))
}

/// The answer, whose evidence is judged, and rejected once it is damaged.
fn asked(network: &Network, property: &Property) -> Values {
    let budget = Budget::unlimited();
    let mut workshop =
        Workshop::new(network, settings(Exactness::WhereCheap), 1000, &budget, &Silent).expect("small");
    let (values, certificate) = workshop.check(property, &budget).expect("decided");
    let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
    let (verdict, value) = match &values {
        Values::Truth(truth) if !truth.yes.contains(0) => (Verdict::Fails, None),
        Values::Truth(_) => (Verdict::Holds, None),
        Values::Pareto(points) => (Verdict::Holds, Some(Quantity::Points(points.clone()))),
        Values::Numbers(bracket) => (Verdict::Holds, bracket.lower(0).map(Quantity::Exact)),
        Values::Nothing(_) => (Verdict::Fails, Some(Quantity::Undefined)),
    };
    let claim = Claim {
        verdict,
        value: value.as_ref(),
    };
    let judged = |certificate: &Certificate| checker.check(property, &claim, certificate, &budget);
    assert_eq!(judged(&certificate), CheckReport::Accepted, "{values:?}");
    let small = Rational::ONE / Rational::from(1000u64);
    for at in 0..certificate.achievements[0].schedulers.len() {
        let mut other = certificate.clone();
        let scheduler = &mut other.achievements[0].schedulers[at];
        scheduler.values[0].0[0] += &small;
        assert!(judged(&other).is_rejected());
        let mut other = certificate.clone();
        other.achievements[0].schedulers[at].decisions[0] = None;
        assert!(judged(&other).is_rejected());
    }
    for at in 0..certificate.achievements[0].facets.len() {
        let mut other = certificate.clone();
        other.achievements[0].facets[at].values.0[0] -= &small;
        assert!(judged(&other).is_rejected());
    }
    for at in 0..certificate.achievements[0].points.len() {
        let mut other = certificate.clone();
        other.achievements[0].points[at]
            .0
            .iter_mut()
            .for_each(|share| *share += &small);
        assert!(judged(&other).is_rejected());
    }
    // Other points than those that are proved are rejected.
    if let Values::Pareto(points) = &values {
        let mut moved = points.clone();
        moved[0][0] += &small;
        for other in [moved, points[1..].to_vec()] {
            let value = Quantity::Points(other);
            let claim = Claim {
                verdict,
                value: Some(&value),
            };
            assert!(
                checker
                    .check(property, &claim, &certificate, &budget)
                    .is_rejected()
            );
        }
    }
    values
}

fn objective(state_: i64, query: Query) -> Property {
    Property::Probability {
        optimum: Some(Optimum::Max),
        query,
        path: Path::Finally(Box::new(state(&at(state_))), None),
    }
}

fn at_least(bound: &Rational) -> Query {
    Query::Compare(Threshold {
        comparison: Comparison::Ge,
        bound: bound.clone(),
    })
}

#[test]
fn the_best_of_one_objective_under_a_bound_on_another_is_that_of_all_mixtures() {
    let mut random = StdRng::seed_from_u64(21);
    for round in 0..200 * effort() {
        let (network, last) = two_ends(&mut random);
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        let points = points(&model, &members(&model, last), &members(&model, last - 1));
        let bound = Rational::from(random.random_range(0..=10u64)) / Rational::from(10u64);
        let expected = best(&points, &bound);
        let parts = vec![
            objective(last, Query::Value),
            objective(last - 1, at_least(&bound)),
        ];
        match (ask(&network, parts), expected) {
            (Values::Numbers(bracket), Some(expected)) => {
                assert_eq!(bracket.lower(0), Some(expected), "round {round}");
            }
            (Values::Nothing(_), None) => {}
            (found, expected) => panic!("round {round}: {found:?} instead of {expected:?}"),
        }
        // The same with both as bounds, at and just above what can be achieved.
        if let Some(best) = best(&points, &bound) {
            let more = &best + Rational::ONE / Rational::from(1000u64);
            for (wanted, achievable) in [(best, true), (more, false)] {
                let parts = vec![
                    objective(last, at_least(&wanted)),
                    objective(last - 1, at_least(&bound)),
                ];
                let Values::Truth(truth) = ask(&network, parts) else {
                    panic!("a truth value was asked for")
                };
                assert_eq!(truth.yes.contains(0), achievable, "round {round}");
            }
        }
    }
}

#[test]
fn the_front_of_two_objectives_is_the_hull_of_all_schedulers() {
    let mut random = StdRng::seed_from_u64(22);
    for round in 0..150 * effort() {
        let (network, last) = two_ends(&mut random);
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        let points = points(&model, &members(&model, last), &members(&model, last - 1));
        let parts = vec![objective(last, Query::Value), objective(last - 1, Query::Value)];
        let Values::Pareto(front) = ask(&network, parts) else {
            panic!("a front was asked for")
        };
        // Every vertex is a scheduler's point, and is the best for its second coordinate.
        for vertex in &front {
            assert!(
                points.contains(&(vertex[0].clone(), vertex[1].clone())),
                "round {round}"
            );
            assert_eq!(
                best(&points, &vertex[1]),
                Some(vertex[0].clone()),
                "round {round}"
            );
        }
        assert_eq!(
            front.first().map(|point| &point[0]),
            points.iter().map(|point| &point.0).max()
        );
        assert_eq!(
            front.last().map(|point| &point[1]),
            points.iter().map(|point| &point.1).max()
        );
    }
}

#[test]
fn one_objective_alone_is_the_ordinary_question() {
    let mut random = StdRng::seed_from_u64(23);
    for round in 0..200 * effort() {
        let (network, last) = two_ends(&mut random);
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        let goal = members(&model, last);
        for optimum in [Optimum::Max, Optimum::Min] {
            let exact = naive::probability(&model, &vec![true; goal.len()], &goal, optimum)[0].clone();
            let part = Property::Probability {
                optimum: Some(optimum),
                query: Query::Value,
                path: Path::Finally(Box::new(state(&at(last))), None),
            };
            let Values::Numbers(bracket) = ask(&network, vec![part]) else {
                panic!("a number was asked for")
            };
            assert_eq!(bracket.lower(0), Some(exact), "round {round}, {optimum:?}");
        }
        // The least total reward, where it is finite, is the same alone and as an objective.
        let reward = Property::Reward {
            optimum: Some(Optimum::Min),
            query: Query::Value,
            structure: 0,
            kind: RewardKind::Total,
        };
        let budget = Budget::unlimited();
        let mut workshop =
            Workshop::new(&network, settings(Exactness::Always), 1000, &budget, &Silent).expect("small");
        let Values::Numbers(alone) = workshop.check(&reward, &budget).expect("decided").0 else {
            panic!("a number was asked for")
        };
        if let Some(value) = alone.lower(0) {
            let Values::Numbers(bracket) = ask(&network, vec![reward]) else {
                panic!("a number was asked for")
            };
            assert_eq!(bracket.lower(0), Some(value), "round {round}");
        }
    }
}

/// How often the first end can be reached while the expected reward, which is positive before the ends, stays below a bound: a linear program over the
/// expected numbers of times that choices are taken.
fn by_frequencies(model: &Explicit, last: i64, most: &Rational) -> Option<Rational> {
    let is_end = |state: usize| model.states[state][0] >= last - 1;
    let mut columns = Vec::new();
    for state in (0..model.rows.len()).filter(|&state| !is_end(state)) {
        columns.extend(model.rows[state].iter().map(|row| (state, row)));
    }
    let into = |row: &entail_markov::Row, wanted: &dyn Fn(usize) -> bool| {
        let there = row.targets.iter().filter(|(target, _)| wanted(*target as usize));
        there.fold(Rational::ZERO, |sum, (_, probability)| sum + probability)
    };
    let goal = |state: usize| model.states[state][0] == last;
    let mut program = Program {
        objective: columns.iter().map(|(_, row)| into(row, &goal)).collect(),
        ..Program::default()
    };
    program.rows.push(
        columns
            .iter()
            .map(|(state, row)| naive::step_value(model, 0, *state, row))
            .collect(),
    );
    program.limits.push(most.clone());
    for state in (0..model.rows.len()).filter(|&state| !is_end(state)) {
        let flow = |(own, row): &(usize, &entail_markov::Row)| {
            Rational::from(u8::from(*own == state)) - into(row, &|target| target == state)
        };
        let row: Vec<Rational> = columns.iter().map(flow).collect();
        let begin = Rational::from(u8::from(state == 0));
        program
            .rows
            .push(row.iter().map(|value| -value.clone()).collect());
        program.limits.push(-begin.clone());
        program.rows.push(row);
        program.limits.push(begin);
    }
    match solve(&program, &Budget::unlimited()).expect("small") {
        Solution::Optimal { value, .. } => Some(value),
        Solution::Infeasible => None,
        Solution::Unbounded => panic!("a probability is bounded"),
    }
}

#[test]
fn a_bound_on_a_total_reward_is_traded_as_the_linear_program_says() {
    let mut random = StdRng::seed_from_u64(24);
    let mut found = 0;
    for round in 0..150 * effort() {
        let (mut network, last) = two_ends(&mut random);
        network.rewards[0].transitions.clear();
        for item in &mut network.rewards[0].states {
            item.value = entail_markov::Expr::from(random.random_range(1..4i64));
        }
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        if model.states[0][0] >= last - 1 {
            continue;
        }
        let most = Rational::from(random.random_range(1..12u64));
        let expected = by_frequencies(&model, last, &most);
        let budget = Budget::unlimited();
        let parts = vec![
            objective(last, Query::Value),
            Property::Reward {
                optimum: None,
                query: Query::Compare(Threshold {
                    comparison: Comparison::Le,
                    bound: most,
                }),
                structure: 0,
                kind: RewardKind::Total,
            },
        ];
        let mut workshop =
            Workshop::new(&network, settings(Exactness::WhereCheap), 1000, &budget, &Silent).expect("small");
        // Where every scheduler may go round for ever, all rewards are infinite.
        if workshop.check(&Property::Multi(parts.clone()), &budget).is_err() {
            assert_eq!(expected, None, "round {round}");
            continue;
        }
        match (ask(&network, parts), expected) {
            (Values::Numbers(bracket), Some(expected)) => {
                found += 1;
                assert_eq!(bracket.lower(0), Some(expected), "round {round}");
            }
            (Values::Nothing(_), None) => {}
            (found, expected) => panic!("round {round}: {found:?} instead of {expected:?}"),
        }
    }
    assert!(found > 20, "{found}");
}

#[test]
fn in_order_of_importance_the_second_is_the_best_among_the_best_of_the_first() {
    let mut random = StdRng::seed_from_u64(25);
    for round in 0..100 * effort() {
        let (network, last) = two_ends(&mut random);
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        let points = points(&model, &members(&model, last), &members(&model, last - 1));
        let parts = vec![objective(last - 1, Query::Value), objective(last, Query::Value)];
        let Values::Pareto(found) = asked(&network, &Property::Lexicographic(parts)) else {
            panic!("a point was asked for")
        };
        let first = points
            .iter()
            .map(|point| point.1.clone())
            .max()
            .expect("a scheduler");
        let second = best(&points, &first).expect("reached");
        assert_eq!(found, vec![vec![first, second]], "round {round}");
    }
}

#[test]
fn the_front_of_three_objectives_is_the_hull_of_all_schedulers() {
    let mut random = StdRng::seed_from_u64(45);
    let mut corners = 0;
    for round in 0..60 * effort() {
        let (network, last) = ends(&mut random, 3);
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        let goals: Vec<Vec<bool>> = (0..3).map(|before| members(&model, last - before)).collect();
        let parts = (0..3).map(|before| Property::Probability {
            optimum: Some(Optimum::Max),
            query: Query::Value,
            path: Path::Finally(Box::new(state(&at(last - before))), None),
        });
        let Values::Pareto(found) = ask(&network, parts.collect()) else {
            panic!("points are asked for")
        };
        // What schedulers without memory reach, of which there are enough where the ends are never left.
        let counts: Vec<usize> = model.rows.iter().map(Vec::len).collect();
        let mut chosen = vec![0; counts.len()];
        let mut all: Vec<Vec<Rational>> = Vec::new();
        loop {
            let mut chain = model.clone();
            for (rows, &at) in chain.rows.iter_mut().zip(&chosen) {
                *rows = vec![rows[at].clone()];
            }
            let everywhere = vec![true; counts.len()];
            let reach =
                |goal: &Vec<bool>| naive::probability(&chain, &everywhere, goal, Optimum::Max)[0].clone();
            all.push(goals.iter().map(reach).collect());
            let Some(at) = (0..chosen.len()).find(|&at| chosen[at] + 1 < counts[at]) else {
                break;
            };
            chosen[at] += 1;
            chosen[..at].fill(0);
        }
        assert!(
            found.iter().all(|point| all.contains(point)),
            "round {round}: {found:?}"
        );
        for _ in 0..30 {
            let weights: Vec<Rational> = (0..3)
                .map(|_| Rational::from(random.random_range(0..4u8)))
                .collect();
            let worth = |point: &Vec<Rational>| {
                point
                    .iter()
                    .zip(&weights)
                    .fold(Rational::ZERO, |sum, (value, weight)| sum + value * weight)
            };
            assert_eq!(
                found.iter().map(worth).max(),
                all.iter().map(worth).max(),
                "round {round}: {weights:?}"
            );
        }
        corners += u64::from(found.len() > 2);
    }
    assert!(corners > 10, "{corners}");
}
