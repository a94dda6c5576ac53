//! Systems from systems: hiding, parallel composition, the reachable part.

use crate::kripke::MAX_STATES;
use crate::lts::{ActionId, Lts, LtsBuilder, LtsError, TAU};
use crate::{Colour, StateId};
use hashbrown::HashMap;
use std::sync::Arc;

/// On which actions two systems move together. Hidden steps are never shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Synchronisation {
    /// On all actions that both have.
    Shared,
    /// On these; where only one system has such an action, that one cannot do it.
    On(Vec<Arc<str>>),
    /// On none: interleaving.
    None,
}

/// The part of a label that names its action: up to the data, as in `send(1)`, `SEND !1` or `send ?x`.
fn gate(label: &str) -> &str {
    label.split(['(', ' ', '!', '?']).next().unwrap_or(label)
}

impl Lts {
    /// The actions that a name means: the label itself, or all labels with data of that name.
    pub fn actions_named(&self, name: &str) -> Vec<ActionId> {
        let all = || self.actions().iter().enumerate().skip(1);
        let number = |(index, _): (usize, &Arc<str>)| ActionId::new(index as u32);
        match all().find(|(_, label)| &***label == name) {
            Some(found) => vec![number(found)],
            None => all()
                .filter(|(_, label)| gate(label) == name)
                .map(number)
                .collect(),
        }
    }

    /// The same system with some actions hidden.
    pub fn hide(&self, actions: &[ActionId]) -> Lts {
        let mut new: Vec<ActionId> = (0..self.actions().len() as u32).map(ActionId::new).collect();
        for action in actions {
            new[action.index()] = TAU;
        }
        self.relabelled(&new)
    }

    /// Each action replaced by another one of the system.
    fn relabelled(&self, new: &[ActionId]) -> Lts {
        let mut builder = self.without_transitions();
        builder.reserve(self.transition_count());
        let mut number: Vec<Option<ActionId>> = vec![None; self.actions().len()];
        number[TAU.index()] = Some(TAU);
        for step in self.transitions() {
            let action = new[step.action.index()];
            let action =
                *number[action.index()].get_or_insert_with(|| builder.action(self.action_name(action)));
            builder.transition(step.from, action, step.to);
        }
        builder.build().expect("the states are those of a system")
    }

    /// The states with their colours, and which are initial.
    fn without_transitions(&self) -> LtsBuilder {
        let mut builder = LtsBuilder::new(self.state_count() as u64);
        for &state in self.initial() {
            builder.initial(state);
        }
        if self.is_coloured() {
            for state in self.states() {
                let colour = builder.colour(self.propositions(state).iter().cloned());
                builder.paint(state, colour);
            }
        }
        builder
    }

    /// The same system with only those propositions that are wanted.
    pub fn observing(&self, wanted: &dyn Fn(&str) -> bool) -> Lts {
        let mut builder = LtsBuilder::new(self.state_count() as u64);
        let actions: Vec<ActionId> = self.actions().iter().map(|name| builder.action(name)).collect();
        builder.reserve(self.transition_count());
        for step in self.transitions() {
            builder.transition(step.from, actions[step.action.index()], step.to);
        }
        for &state in self.initial() {
            builder.initial(state);
        }
        let colours: Vec<Colour> = (self.colours().iter())
            .map(|set| builder.colour(set.iter().filter(|name| wanted(name)).cloned()))
            .collect();
        if self.is_coloured() {
            for state in self.states() {
                builder.paint(state, colours[self.colour(state).index()]);
            }
        }
        builder.build().expect("the states are those of a system")
    }

    /// A system without propositions that is as good: each state has a loop whose action is the set of its propositions, as in `{p, q}`. States are
    /// bisimilar, strongly or branching, with divergence or not, if and only if they were.
    pub fn propositions_as_loops(&self) -> Lts {
        let mut builder = self.observing(&|_| false).to_builder();
        builder.leave_unpainted();
        for state in self.states() {
            let names: Vec<&str> = self.propositions(state).iter().map(|name| &**name).collect();
            let action = builder.action(&format!("{{{}}}", names.join(", ")));
            builder.transition(state, action, state);
        }
        builder.build().expect("the states are those of a system")
    }

    /// A system with one initial state: a new one in front, from which the action `init` leads to each that was initial.
    pub fn with_one_initial_state(&self) -> Lts {
        let mut builder = self.to_builder();
        let first = builder.add_state();
        builder.clear_initial();
        let init = builder.action("init");
        for &state in self.initial() {
            builder.transition(first, init, state);
        }
        builder.initial(first);
        builder.build().unwrap_or_else(|_| self.clone())
    }

    /// The part that the initial states reach, breadth first, and for each of its states the state it was.
    pub fn reachable(&self) -> (Lts, Vec<StateId>) {
        const NONE: u32 = u32::MAX;
        let mut number = vec![NONE; self.state_count()];
        let mut states = Vec::new();
        let mut visit = |state: StateId, states: &mut Vec<StateId>| {
            let number = &mut number[state.index()];
            if *number == NONE {
                *number = states.len() as u32;
                states.push(state);
            }
            StateId::new(*number)
        };
        let mut builder = LtsBuilder::new(0);
        for name in self.actions() {
            builder.action(name);
        }
        for &state in self.initial() {
            let new = visit(state, &mut states);
            builder.initial(new);
        }
        let mut at = 0;
        while at < states.len() {
            let (state, from) = (states[at], builder.add_state());
            for (action, to) in self.steps(state) {
                let to = visit(to, &mut states);
                builder.transition(from, action, to);
            }
            if self.is_coloured() {
                let colour = builder.colour(self.propositions(state).iter().cloned());
                builder.paint(from, colour);
            }
            at += 1;
        }
        if states.is_empty() {
            // A system needs a state.
            states.push(StateId::new(0));
            builder.add_state();
        }
        (
            builder.build().expect("states are added before they are used"),
            states,
        )
    }

    /// Two systems in parallel, the reachable part: they move together on some actions and alone on the others. In a state of both
    /// the propositions of both hold.
    pub fn parallel(&self, other: &Lts, together: &Synchronisation) -> Result<Lts, LtsError> {
        let shared: Vec<bool> = (self.actions().iter().enumerate())
            .map(|(action, name)| action != TAU.index() && self.shares(other, name, together))
            .collect();
        let other_shared: Vec<bool> = (other.actions().iter().enumerate())
            .map(|(action, name)| action != TAU.index() && self.shares(other, name, together))
            .collect();
        let partner: Vec<Option<ActionId>> = (self.actions().iter())
            .map(|name| other.actions().iter().position(|own| own == name))
            .map(|position| position.map(|position| ActionId::new(position as u32)))
            .collect();
        let mut builder = LtsBuilder::new(0);
        let names: Vec<ActionId> = self.actions().iter().map(|name| builder.action(name)).collect();
        let other_names: Vec<ActionId> = other.actions().iter().map(|name| builder.action(name)).collect();
        let mut product = Product::default();
        for &left in self.initial() {
            for &right in other.initial() {
                let state = product.number(left, right)?;
                builder.initial(state);
            }
        }
        let coloured = self.is_coloured() || other.is_coloured();
        let mut colours: HashMap<(Colour, Colour), Colour> = HashMap::new();
        let mut at = 0;
        while at < product.pairs.len() {
            let (left, right) = product.pairs[at];
            let from = builder.add_state();
            for (action, to) in self.steps(left) {
                if !shared[action.index()] {
                    builder.transition(from, names[action.index()], product.number(to, right)?);
                } else if let Some(own) = partner[action.index()] {
                    for &other_to in other.successors(right, own) {
                        builder.transition(from, names[action.index()], product.number(to, other_to)?);
                    }
                }
            }
            for (action, to) in other.steps(right) {
                if !other_shared[action.index()] {
                    builder.transition(from, other_names[action.index()], product.number(left, to)?);
                }
            }
            if coloured {
                let pair = (self.colour(left), other.colour(right));
                let colour = *colours.entry(pair).or_insert_with(|| {
                    builder.colour(
                        self.propositions(left)
                            .iter()
                            .chain(other.propositions(right))
                            .cloned(),
                    )
                });
                builder.paint(from, colour);
            }
            at += 1;
        }
        builder.build()
    }

    fn shares(&self, other: &Lts, name: &Arc<str>, together: &Synchronisation) -> bool {
        match together {
            Synchronisation::Shared => self.actions().contains(name) && other.actions().contains(name),
            Synchronisation::On(names) => names.iter().any(|one| one == name || **one == *gate(name)),
            Synchronisation::None => false,
        }
    }
}

/// The pairs of states found so far.
#[derive(Default)]
struct Product {
    numbers: HashMap<(StateId, StateId), StateId>,
    pairs: Vec<(StateId, StateId)>,
}

impl Product {
    fn number(&mut self, left: StateId, right: StateId) -> Result<StateId, LtsError> {
        let count = self.pairs.len() as u64;
        if count >= MAX_STATES {
            return Err(LtsError::TooManyStates(count));
        }
        Ok(*self.numbers.entry((left, right)).or_insert_with(|| {
            self.pairs.push((left, right));
            StateId::new(count as u32)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(states: u64, steps: &[(u32, &str, u32)]) -> Lts {
        let mut builder = LtsBuilder::new(states);
        builder.transitions(steps.iter().copied());
        builder.initial(StateId::new(0));
        builder.build().unwrap()
    }

    #[test]
    fn hidden_actions_become_tau_by_label_or_by_name() {
        let lts = system(2, &[(0, "send(1)", 1), (0, "send(2)", 1), (1, "ack", 0)]);
        let hidden = lts.hide(&lts.actions_named("send"));
        assert_eq!(hidden.transition_count(), 2);
        assert_eq!(hidden.successors(StateId::new(0), TAU), [StateId::new(1)]);
        assert_eq!(lts.hide(&lts.actions_named("send(1)")).transition_count(), 3);
        assert!(lts.actions_named("sen").is_empty());
        assert!(lts.actions_named("tau").is_empty());
    }

    #[test]
    fn systems_move_together_on_shared_actions() {
        let left = system(2, &[(0, "a", 1), (1, "x", 0)]);
        let right = system(2, &[(0, "b", 1), (1, "x", 0)]);
        let both = left.parallel(&right, &Synchronisation::Shared).unwrap();
        // a and b in either order, then x.
        assert_eq!((both.state_count(), both.transition_count()), (4, 5));
        let free = left.parallel(&right, &Synchronisation::None).unwrap();
        assert_eq!((free.state_count(), free.transition_count()), (4, 8));
        let stuck = left
            .parallel(&right, &Synchronisation::On(vec!["a".into()]))
            .unwrap();
        assert_eq!((stuck.state_count(), stuck.transition_count()), (2, 2));
    }

    #[test]
    fn the_reachable_part_is_numbered_breadth_first() {
        let mut builder = LtsBuilder::new(4);
        builder.transitions([(3, "a", 1), (1, "b", 3), (0, "c", 2)]);
        builder.initial(StateId::new(3));
        let (part, were) = builder.build().unwrap().reachable();
        assert_eq!(were, [StateId::new(3), StateId::new(1)]);
        assert_eq!(part.transition_count(), 2);
    }
}
