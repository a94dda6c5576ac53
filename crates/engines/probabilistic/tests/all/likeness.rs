//! Whether two random models behave alike: as the definition says, with evidence that the checker accepts, and rejects when it is changed.

use crate::random_time::random_automaton;
use crate::support;
use entail_answer::CheckReport;
use entail_budget::{Budget, Silent};
use entail_markov::{
    Domain, Explicit, Expr, Fractions, Kind, Likeness, Network, Observation, Rational, Value, explore,
};
use entail_probabilistic::{Extent, Settings, compare};
use entail_stochastic_checker::likeness::judge_likeness;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use support::{STATE, at, effort, random_network};

/// Some states of a network of one variable.
fn set_of(states: &[i64]) -> Expr {
    (states.iter()).fold(Expr::from(false), |set, &state| set.or(at(state)))
}

fn size_of(network: &Network) -> i64 {
    match network.variables[0].domain {
        Domain::Range(_, last) => last + 1,
        _ => panic!("a range"),
    }
}

/// A network with one label.
fn labelled(random: &mut StdRng) -> (Network, Vec<i64>) {
    let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc, Kind::Ma][random.random_range(0..4usize)];
    let mut network = match kind {
        Kind::Ma => random_automaton(random),
        _ => random_network(random, kind),
    };
    if random.random_bool(0.5) {
        network.rewards.clear();
    }
    let states: Vec<i64> = (0..size_of(&network))
        .filter(|_| random.random_bool(0.4))
        .collect();
    network.labels = vec![("a".to_owned(), set_of(&states))];
    (network, states)
}

/// Each state twice; steps lead to one of the two, as it happens.
fn doubled(random: &mut StdRng, network: &Network, label: &[i64]) -> Network {
    let size = size_of(network);
    let mut double = network.clone();
    double.variables[0].domain = Domain::Range(0, 2 * size - 1);
    let both = |guard: &Expr, copy: i64| -> Expr {
        let states: Vec<i64> = (0..size)
            .filter(|&state| network.holds(guard, &[state]).expect("a set"))
            .map(|state| state + copy * size)
            .collect();
        set_of(&states)
    };
    let commands = network.components[0].commands.clone();
    double.components[0].commands = (0..2)
        .flat_map(|copy| commands.iter().map(move |command| (copy, command)))
        .map(|(copy, command)| {
            let mut command = command.clone();
            command.guard = both(&command.guard, copy);
            for branch in &mut command.branches {
                let Expr::Value(Value::Int(target)) = branch.assignments[0].1 else {
                    panic!("a constant")
                };
                let copy = random.random_range(0..2i64);
                branch.assignments = vec![(STATE, Expr::from(target + copy * size))];
            }
            command
        })
        .collect();
    for (structure, own) in double.rewards.iter_mut().zip(&network.rewards) {
        structure.states = Vec::new();
        structure.transitions = Vec::new();
        for copy in 0..2 {
            structure.states.extend(own.states.iter().map(|item| {
                let mut item = item.clone();
                item.guard = both(&item.guard, copy);
                item
            }));
            structure.transitions.extend(own.transitions.iter().map(|item| {
                let mut item = item.clone();
                item.guard = both(&item.guard, copy);
                item
            }));
        }
    }
    let label: Vec<i64> = label.iter().flat_map(|&state| [state, state + size]).collect();
    double.labels = vec![("a".to_owned(), set_of(&label))];
    double
}

/// The same network but for one thing.
fn changed(random: &mut StdRng, network: &Network) -> Network {
    let mut other = network.clone();
    let size = size_of(network);
    let commands = &mut other.components[0].commands;
    if commands.is_empty() || random.random_bool(0.2) {
        other.labels[0].1 = other.labels[0].1.clone().or(at(random.random_range(0..size)));
        return other;
    }
    let command = random.random_range(0..commands.len());
    let branches = &mut commands[command].branches;
    let branch = random.random_range(0..branches.len());
    if network.kind == Kind::Ctmc && random.random_bool(0.5) {
        branches[branch].weight = Expr::from(Rational::from(3) / Rational::from(7));
    } else if network.kind != Kind::Ma {
        branches[branch].assignments = vec![(STATE, Expr::from(random.random_range(0..size)))];
    }
    other
}

type Look = (Option<Rational>, Vec<Rational>, BTreeMap<u32, Rational>);

/// What one can see of a state.
type Seen = (u32, bool, Vec<Rational>, BTreeSet<Look>);

/// The definition: classes are refined from labels and rewards until nothing changes.
fn are_alike(networks: [&Network; 2], models: [&Explicit; 2]) -> bool {
    let mut classes: [Vec<u32>; 2] = [0, 1].map(|side| vec![0; models[side].rows.len()]);
    let mut count = 1;
    loop {
        let mut names: BTreeMap<Seen, u32> = BTreeMap::new();
        let mut next: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
        for side in 0..2 {
            let (network, model) = (networks[side], models[side]);
            for state in 0..model.rows.len() {
                let looks = model.rows[state].iter().map(|row| {
                    let mut sums = BTreeMap::new();
                    for (target, probability) in &row.targets {
                        let class = classes[side][*target as usize];
                        *sums.entry(class).or_insert(Rational::ZERO) += probability;
                    }
                    (row.rate.clone(), row.rewards.clone(), sums)
                });
                let label = network
                    .holds(&network.labels[0].1, &model.states[state])
                    .expect("a set");
                let rewards = model.state_rewards.iter().map(|of| of[state].clone());
                let seen = (classes[side][state], label, rewards.collect(), looks.collect());
                let name = names.len() as u32;
                next[side].push(*names.entry(seen).or_insert(name));
            }
        }
        let same = names.len() == count;
        count = names.len();
        classes = next;
        if same {
            return classes[0][0] == classes[1][0];
        }
    }
}

#[test]
fn models_are_alike_as_the_definition_says_and_formulas_tell_the_others_apart() {
    let mut random = StdRng::seed_from_u64(1789);
    let budget = Budget::unlimited();
    let (mut alike, mut apart) = (0, 0);
    for round in 0..300 * effort() {
        let (first, label) = labelled(&mut random);
        let second = match round % 3 {
            0 => doubled(&mut random, &first, &label),
            1 => changed(&mut random, &first),
            _ => {
                let double = doubled(&mut random, &first, &label);
                changed(&mut random, &double)
            }
        };
        let networks = [&first, &second];
        let models = networks.map(|network| explore(network, 1000, &budget).expect("small"));
        let models = [&models[0], &models[1]];
        let extent = Extent::from(1000);
        let found = compare(networks, Settings::default(), &extent, &budget, &Silent).expect("compared");
        let likeness = found.likeness.expect("small");
        let expected = are_alike(networks, models);
        let judge = |likeness: &Likeness| judge_likeness(networks, models, likeness, &Budget::unlimited());
        assert_eq!(judge(&likeness), CheckReport::Accepted, "{likeness:?}");
        match &likeness {
            Likeness::Alike { classes } => {
                alike += 1;
                assert!(expected);
                // One state more in a class than belongs there, or one class for all.
                let mut wrong = classes.clone();
                wrong.iter_mut().for_each(|of| of.fill(0));
                let differ = classes.iter().flatten().any(|&class| class != classes[0][0]);
                assert_eq!(judge(&Likeness::Alike { classes: wrong }).is_rejected(), differ);
            }
            Likeness::Distinguished { in_second, formulas } => {
                apart += 1;
                assert!(!expected);
                let other = Likeness::Distinguished {
                    in_second: !in_second,
                    formulas: formulas.clone(),
                };
                assert!(judge(&other).is_rejected());
                let nothing = Likeness::Distinguished {
                    in_second: *in_second,
                    formulas: vec![Observation::All(Vec::new())],
                };
                assert!(judge(&nothing).is_rejected());
                // What is certain in both, or in none.
                let mut weak = formulas.clone();
                for formula in &mut weak {
                    if let Observation::Choice { at_least, .. } = formula {
                        *at_least = Fractions(vec![Rational::from(2); at_least.0.len()]);
                    }
                }
                if formulas
                    .iter()
                    .all(|formula| !matches!(formula, Observation::Not(_)))
                    && weak != *formulas
                {
                    let weak = Likeness::Distinguished {
                        in_second: *in_second,
                        formulas: weak,
                    };
                    assert!(judge(&weak).is_rejected());
                }
            }
        }
    }
    assert!(alike > 60 && apart > 40, "{alike} {apart}");
}
