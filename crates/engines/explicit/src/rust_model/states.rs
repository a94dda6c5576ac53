//! The states of a system, breadth first, and the ways to them.

use super::System;
use entail_budget::{Budget, Spent};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A way through a system: where it begins, what is done and where that leads; and where it goes on after the last step, if it is infinite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path<State, Action> {
    /// Where it begins.
    pub initial: State,
    /// What is done, and the state after it.
    pub steps: Vec<(Action, State)>,
    /// The path returns to the state before this step; if it is the number of steps, the last state is repeated for ever.
    pub loop_start: Option<usize>,
}

impl<State, Action> Path<State, Action> {
    /// The state before a step; the last state for the number of steps.
    pub fn state(&self, position: usize) -> &State {
        match position {
            0 => &self.initial,
            position => &self.steps[position - 1].1,
        }
    }
}

/// The states that were reached, with the numbers of those they were first reached from, and the steps between them.
pub struct States<'s, S: System> {
    system: &'s S,
    pub states: Vec<S::State>,
    parents: Vec<Option<u32>>,
    index: HashTable<u32>,
    /// Where the successors of each expanded state begin in `targets`.
    begins: Vec<u32>,
    targets: Vec<u32>,
    /// The number of the deepest level.
    pub depth: u64,
    level_end: usize,
}

impl<'s, S: System> States<'s, S> {
    /// The initial states.
    pub fn new(system: &'s S) -> States<'s, S> {
        let mut states = States {
            system,
            states: Vec::new(),
            parents: Vec::new(),
            index: HashTable::new(),
            begins: vec![0],
            targets: Vec::new(),
            depth: 0,
            level_end: 0,
        };
        for state in system.initial() {
            states.insert(system.representative(&state), None);
        }
        states.level_end = states.states.len();
        states
    }

    fn insert(&mut self, state: S::State, parent: Option<u32>) -> u32 {
        let hash = hash(&state);
        let known = &self.states;
        if let Some(&found) = self.index.find(hash, |&number| known[number as usize] == state) {
            return found;
        }
        let number = self.states.len() as u32;
        self.index
            .insert_unique(hash, number, |&number| self::hash(&known[number as usize]));
        self.states.push(state);
        self.parents.push(parent);
        number
    }

    /// How many states have their successors.
    pub fn expanded(&self) -> usize {
        self.begins.len() - 1
    }

    /// Finds the successors of the next state; false if all have them.
    pub fn expand(&mut self, budget: &Budget) -> Result<bool, Spent> {
        budget.check()?;
        let number = self.expanded();
        if number == self.states.len() {
            return Ok(false);
        }
        if number == self.level_end {
            self.level_end = self.states.len();
            self.depth += 1;
        }
        let state = self.states[number].clone();
        for action in self.system.actions(&state) {
            if let Some(next) = self.system.step(&state, &action) {
                let target = self.insert(self.system.representative(&next), Some(number as u32));
                self.targets.push(target);
            }
        }
        self.begins.push(self.targets.len() as u32);
        Ok(true)
    }

    /// How many steps there are.
    pub fn transitions(&self) -> u64 {
        self.targets.len() as u64
    }

    /// The numbers of the states that an expanded state leads to.
    pub fn successors(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.targets[self.begins[number] as usize..self.begins[number + 1] as usize]
    }

    /// How many initial states there are.
    pub fn initial_count(&self) -> usize {
        self.parents.iter().take_while(|parent| parent.is_none()).count()
    }

    /// The numbers from an initial state to a state.
    pub fn way_to(&self, goal: u32) -> Vec<u32> {
        let mut way = vec![goal];
        while let Some(parent) = way.last().and_then(|&number| self.parents[number as usize]) {
            way.push(parent);
        }
        way.reverse();
        way
    }

    /// A path along numbers, made by doing what leads from one to the next; nothing if that is not possible, which would be an error here.
    pub fn path(&self, way: &[u32]) -> Option<Path<S::State, S::Action>> {
        let (&first, rest) = way.split_first()?;
        let wanted = &self.states[first as usize];
        let mut initial = self.system.initial().into_iter();
        let initial = initial.find(|state| self.system.representative(state) == *wanted)?;
        let mut path = Path {
            initial,
            steps: Vec::new(),
            loop_start: None,
        };
        for &next in rest {
            self.go(&mut path, next)?;
        }
        Some(path)
    }

    /// Goes on to a state. One in which nothing can be done is repeated without a step.
    pub fn go(&self, path: &mut Path<S::State, S::Action>, next: u32) -> Option<()> {
        let wanted = &self.states[next as usize];
        let state = path.state(path.steps.len());
        let actions = self.system.actions(state);
        let stuck = actions
            .iter()
            .all(|action| self.system.step(state, action).is_none());
        if stuck && self.system.representative(state) == *wanted {
            return Some(());
        }
        let step = actions.into_iter().find_map(|action| {
            let after = self.system.step(state, &action)?;
            (self.system.representative(&after) == *wanted).then_some((action, after))
        })?;
        path.steps.push(step);
        Some(())
    }
}

fn hash<T: Hash>(value: &T) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
