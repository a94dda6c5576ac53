//! The network of a table: one component over the number of the state.
//!
//! A command for each state would make exploring quadratic wherever commands are tried one after the other, as the reference interpreter does.
//! Instead there is one command for all choices with the same position in their states, the same action and equally many outcomes. Its guard,
//! weights and targets are functions of the state: balanced trees of comparisons `s < k`, with one leaf for a run of states with the same
//! value. Where a guard is false the other functions may have any value; runs are continued over such states. Evaluating costs the logarithm
//! of the number of runs; all trees together have about as many leaves as the model has transitions.

use crate::table::{Choice, Table};
use entail_markov::{
    ActionId, BinaryOp, Branch, Command, CommandKind, Component, DeadEnds, Domain, Expr, Initial, Kind,
    Network, Rational, RewardStructure, StateReward, Synchronisation, VarId, Variable,
};
use entail_source::Span;
use std::collections::BTreeMap;

/// What commands are made for: the position among a state's choices, the action, whether it takes time, the number of outcomes.
type Shape = (usize, Option<u32>, bool, usize);

/// The variable that holds the number of the state.
const NUMBER: VarId = VarId(0);

impl Table {
    /// The network.
    pub fn network(&self) -> Network {
        let top = (self.states.len() as i64 - 1).max(0);
        let number = Variable {
            name: self.free_name(),
            domain: Domain::Range(0, top),
            hidden: false,
        };
        let mut shapes: BTreeMap<Shape, Vec<(u32, &Choice)>> = BTreeMap::new();
        for (at, state) in self.states.iter().enumerate() {
            for (position, choice) in state.choices.iter().enumerate() {
                let delayed = self.kind == Kind::Ctmc || choice.rate.is_some();
                let shape = (position, choice.action, delayed, choice.outcomes.len());
                shapes.entry(shape).or_default().push((at as u32, choice));
            }
        }
        let commands = shapes
            .iter()
            .map(|(shape, choices)| self.command(*shape, choices))
            .collect();
        // A component alone synchronises with nobody: its actions only have names.
        let synchronisations = (0..self.actions.len() as u32).map(|action| Synchronisation {
            parts: vec![(0, ActionId(action))],
            action: Some(ActionId(action)),
        });
        let state_reward = |earned: &[(u32, Rational)]| StateReward {
            guard: Expr::truth(),
            value: with_gaps(earned, &Rational::ZERO),
            place: Span::new(0, 0),
        };
        let mut rewards: Vec<RewardStructure> = (self.rewards.iter())
            .map(|(name, earned)| RewardStructure {
                name: name.clone(),
                states: if earned.is_empty() {
                    Vec::new()
                } else {
                    vec![state_reward(earned)]
                },
                ..RewardStructure::default()
            })
            .collect();
        for (structure, ..) in (self.states.iter())
            .flat_map(|state| &state.choices)
            .flat_map(|choice| &choice.earned)
        {
            rewards[*structure].on_branches = true;
        }
        Network {
            kind: self.kind,
            variables: std::iter::once(number)
                .chain(self.variables.iter().map(|(variable, _)| variable.clone()))
                .collect(),
            components: vec![Component {
                name: "states".to_owned(),
                commands,
            }],
            actions: self.actions.clone(),
            synchronisations: synchronisations.collect(),
            initial: match self.initial[..] {
                [first] => Initial::Values(self.values_in(first)),
                _ => Initial::Predicate(member(&self.initial), Span::new(0, 0)),
            },
            labels: (self.labels.iter())
                .map(|(name, states)| (name.clone(), member(states)))
                .collect(),
            rewards,
            dead_ends: DeadEnds::Stay,
        }
    }

    /// A name for the number of the state that no variable has.
    fn free_name(&self) -> String {
        let mut name = "s".to_owned();
        while self.variables.iter().any(|(variable, _)| variable.name == name) {
            name.push('_');
        }
        name
    }

    fn values_in(&self, state: u32) -> Vec<i64> {
        let known = self.variables.iter().map(|(_, values)| values[state as usize]);
        std::iter::once(i64::from(state)).chain(known).collect()
    }

    fn command(&self, (_, action, delayed, outcomes): Shape, choices: &[(u32, &Choice)]) -> Command {
        let states: Vec<u32> = choices.iter().map(|&(state, _)| state).collect();
        let place = choices
            .first()
            .map_or(Span::new(0, 0), |&(state, _)| self.states[state as usize].place);
        let branch = |at: usize| {
            let weight = |choice: &Choice| match &choice.rate {
                Some(rate) => rate * &choice.outcomes[at].weight,
                None => choice.outcomes[at].weight.clone(),
            };
            let target = |choice: &Choice| choice.outcomes[at].target as usize;
            let mut assignments = vec![(NUMBER, function(choices, |choice| target(choice) as i64))];
            for (position, (variable, values)) in self.variables.iter().enumerate() {
                let value = match variable.domain {
                    Domain::Bool => function(choices, |choice| values[target(choice)] != 0),
                    _ => function(choices, |choice| values[target(choice)]),
                };
                assignments.push((VarId(position as u32 + 1), value));
            }
            let mut rewards = Vec::new();
            for structure in 0..self.rewards.len() {
                let mine = |choice: &Choice| {
                    (choice.earned.iter())
                        .filter(|(of, outcome, _)| *of == structure && *outcome == at)
                        .fold(Rational::ZERO, |sum, (.., reward)| sum + reward)
                };
                if choices.iter().any(|(_, choice)| !mine(choice).is_zero()) {
                    rewards.push((structure, function(choices, mine)));
                }
            }
            Branch {
                weight: function(choices, weight),
                upper: None,
                assignments,
                rewards,
                place,
            }
        };
        Command {
            action: action.map(ActionId),
            kind: match delayed {
                true => CommandKind::Markovian,
                false => CommandKind::Probabilistic,
            },
            guard: member(&states),
            branches: (0..outcomes).map(branch).collect(),
            place,
        }
    }
}

/// A function of the state that is only asked where choices are.
fn function<T: PartialEq + Clone + Into<Expr>>(
    choices: &[(u32, &Choice)],
    value: impl Fn(&Choice) -> T,
) -> Expr {
    let mut runs: Vec<(u32, T)> = Vec::new();
    for &(state, choice) in choices {
        let value = value(choice);
        if runs.last().is_none_or(|(_, last)| *last != value) {
            runs.push((state, value));
        }
    }
    tree(&runs)
}

/// A function that has one value wherever no other is given.
fn with_gaps<T: PartialEq + Clone + Into<Expr>>(given: &[(u32, T)], elsewhere: &T) -> Expr {
    let mut runs: Vec<(u32, T)> = vec![(0, elsewhere.clone())];
    let mut next = 0;
    let begin = |runs: &mut Vec<(u32, T)>, state: u32, value: &T| {
        if runs.last().is_some_and(|(from, _)| *from == state) {
            runs.pop();
        }
        if runs.last().is_none_or(|(_, last)| last != value) {
            runs.push((state, value.clone()));
        }
    };
    for (state, value) in given {
        if *state > next {
            begin(&mut runs, next, elsewhere);
        }
        begin(&mut runs, *state, value);
        next = *state + 1;
    }
    begin(&mut runs, next, elsewhere);
    tree(&runs)
}

/// Whether the state is one of some, in increasing order.
fn member(states: &[u32]) -> Expr {
    let given: Vec<(u32, bool)> = states.iter().map(|&state| (state, true)).collect();
    with_gaps(&given, &false)
}

/// The value of the last run that begins at or before the state.
fn tree<T: Clone + Into<Expr>>(runs: &[(u32, T)]) -> Expr {
    match runs {
        [] => Expr::from(0),
        [(_, value)] => value.clone().into(),
        _ => {
            let (before, behind) = runs.split_at(runs.len() / 2);
            let border = Expr::from(i64::from(behind[0].0));
            let condition = Expr::binary(BinaryOp::Lt, Expr::Var(NUMBER), border);
            Expr::choose(condition, tree(before), tree(behind))
        }
    }
}
