//! Labelled transition systems: numbered states, actions on the edges, and what can be seen in a state.
//!
//! The transitions are kept in compressed rows: those of state `s` are one slice of two parallel vectors (actions, targets),
//! sorted by action, then target, and without repetition; 8 bytes a transition. Actions are interned; action 0 is always
//! [`TAU`], the hidden one, whether or not it is used.
//!
//! A state may have a *colour*: the number of the set of propositions that hold there. A process has one colour, the empty set; a
//! Kripke structure is a system all of whose edges are `τ` and whose colours tell the states apart ([`Lts::from_kripke`]). So strong
//! bisimulation of systems and of structures is one notion, and branching bisimulation of the latter is stuttering equivalence.

use crate::kripke::MAX_STATES;
use crate::{Kripke, StateId};
use hashbrown::HashMap;
use std::fmt;
use std::sync::Arc;

/// An action of one [`Lts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActionId(u32);

/// The hidden action.
pub const TAU: ActionId = ActionId(0);

/// How the hidden action is written.
pub const TAU_NAME: &str = "tau";

impl ActionId {
    /// The action with this number.
    #[inline]
    pub fn new(index: u32) -> ActionId {
        ActionId(index)
    }

    /// Its number.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a set of propositions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Colour(u32);

impl Colour {
    /// The colour with this number.
    #[inline]
    pub fn new(index: u32) -> Colour {
        Colour(index)
    }

    /// Its number.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Transition {
    /// Where it starts.
    pub from: StateId,
    /// Its action.
    pub action: ActionId,
    /// Where it leads.
    pub to: StateId,
}

/// A labelled transition system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lts {
    offsets: Vec<u32>,
    labels: Vec<ActionId>,
    targets: Vec<StateId>,
    initial: Vec<StateId>,
    actions: Vec<Arc<str>>,
    /// The sets of propositions there are, each sorted; never empty.
    colours: Vec<Vec<Arc<str>>>,
    /// The colour of each state; empty if all have colour 0.
    colour_of: Vec<Colour>,
}

/// Why something is not a labelled transition system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LtsError {
    /// There is no state at all.
    #[error("a system needs at least one state")]
    NoState,
    /// There are more states than can be numbered in memory.
    #[error("{0} states are too many: at most {MAX_STATES} are supported")]
    TooManyStates(u64),
    /// There are more transitions than can be numbered.
    #[error("{0} transitions are too many: at most 4294967295 are supported")]
    TooManyTransitions(usize),
    /// A state is mentioned that does not exist.
    #[error("{place} mentions state {state}, but the states are 0 to {last}")]
    UnknownState {
        /// Where it is mentioned.
        place: String,
        /// The state.
        state: u32,
        /// The last state there is.
        last: u32,
    },
}

/// Collects the parts of a system in any order.
#[derive(Clone, Debug)]
pub struct LtsBuilder {
    states: u64,
    initial: Vec<StateId>,
    actions: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, ActionId>,
    transitions: Vec<Transition>,
    colours: Vec<Vec<Arc<str>>>,
    colour_numbers: HashMap<Vec<Arc<str>>, Colour>,
    colour_of: Vec<(StateId, Colour)>,
}

impl LtsBuilder {
    /// A system with so many states, numbered from 0, and nothing else yet.
    pub fn new(states: u64) -> LtsBuilder {
        let tau: Arc<str> = Arc::from(TAU_NAME);
        LtsBuilder {
            states,
            initial: Vec::new(),
            actions: vec![tau.clone()],
            numbers: HashMap::from([(tau, TAU)]),
            transitions: Vec::new(),
            colours: vec![Vec::new()],
            colour_numbers: HashMap::from([(Vec::new(), Colour(0))]),
            colour_of: Vec::new(),
        }
    }

    /// Adds a state.
    pub fn add_state(&mut self) -> StateId {
        let id = StateId::new(u32::try_from(self.states).unwrap_or(u32::MAX));
        self.states += 1;
        id
    }

    /// The action of this name; [`TAU_NAME`] is the hidden one.
    pub fn action(&mut self, name: &str) -> ActionId {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let action = ActionId(u32::try_from(self.actions.len()).expect("fewer than 2^32 actions"));
        let name: Arc<str> = Arc::from(name);
        self.actions.push(name.clone());
        self.numbers.insert(name, action);
        action
    }

    /// Makes room for so many more transitions.
    pub fn reserve(&mut self, transitions: usize) -> &mut Self {
        self.transitions.reserve(transitions);
        self
    }

    /// Adds a transition.
    #[inline]
    pub fn transition(&mut self, from: StateId, action: ActionId, to: StateId) -> &mut Self {
        self.transitions.push(Transition { from, action, to });
        self
    }

    /// Adds transitions given by state numbers and action names.
    pub fn transitions<'a>(&mut self, all: impl IntoIterator<Item = (u32, &'a str, u32)>) -> &mut Self {
        for (from, action, to) in all {
            let action = self.action(action);
            self.transition(StateId::new(from), action, StateId::new(to));
        }
        self
    }

    /// Makes a state initial.
    pub fn initial(&mut self, state: StateId) -> &mut Self {
        self.initial.push(state);
        self
    }

    /// The number of a set of propositions.
    pub fn colour(&mut self, propositions: impl IntoIterator<Item = Arc<str>>) -> Colour {
        let mut set: Vec<Arc<str>> = propositions.into_iter().collect();
        set.sort_unstable();
        set.dedup();
        if let Some(&known) = self.colour_numbers.get(&set) {
            return known;
        }
        let colour = Colour(u32::try_from(self.colours.len()).expect("fewer than 2^32 colours"));
        self.colours.push(set.clone());
        self.colour_numbers.insert(set, colour);
        colour
    }

    /// Says what holds in a state; the last word counts.
    pub fn paint(&mut self, state: StateId, colour: Colour) -> &mut Self {
        self.colour_of.push((state, colour));
        self
    }

    /// Forgets the initial states.
    pub(crate) fn clear_initial(&mut self) {
        self.initial.clear();
    }

    /// Forgets the propositions of all states.
    pub(crate) fn leave_unpainted(&mut self) {
        self.colour_of.clear();
    }

    /// The system, if all parts fit together. It may have no initial state.
    pub fn build(self) -> Result<Lts, LtsError> {
        if self.states == 0 {
            return Err(LtsError::NoState);
        }
        if self.states > MAX_STATES {
            return Err(LtsError::TooManyStates(self.states));
        }
        if u32::try_from(self.transitions.len()).is_err() {
            return Err(LtsError::TooManyTransitions(self.transitions.len()));
        }
        let states = self.states as usize;
        let known = |state: StateId, place: &dyn Fn() -> String| match state.index() < states {
            true => Ok(()),
            false => Err(LtsError::UnknownState {
                place: place(),
                state: state.index() as u32,
                last: (states - 1) as u32,
            }),
        };
        for transition in &self.transitions {
            let Transition { from, action, to } = *transition;
            let place = || format!("the transition ({from}, {}, {to})", self.actions[action.index()]);
            known(from, &place)?;
            known(to, &place)?;
        }
        let mut initial = self.initial;
        initial.sort_unstable();
        initial.dedup();
        for &state in &initial {
            known(state, &|| "the list of initial states".to_string())?;
        }
        let mut colour_of = Vec::new();
        for (state, colour) in self.colour_of {
            known(state, &|| "a set of propositions".to_string())?;
            if colour_of.is_empty() {
                colour_of = vec![Colour(0); states];
            }
            colour_of[state.index()] = colour;
        }
        let (offsets, labels, targets) = compress(states, self.transitions);
        Ok(Lts {
            offsets,
            labels,
            targets,
            initial,
            actions: self.actions,
            colours: self.colours,
            colour_of,
        })
    }
}

/// The rows of a list of transitions: counting sort by source, then each row sorted and without repetition.
fn compress(states: usize, transitions: Vec<Transition>) -> (Vec<u32>, Vec<ActionId>, Vec<StateId>) {
    let mut begin = vec![0u32; states + 1];
    for transition in &transitions {
        begin[transition.from.index() + 1] += 1;
    }
    for state in 0..states {
        begin[state + 1] += begin[state];
    }
    let mut place = begin.clone();
    let mut rows: Vec<(ActionId, StateId)> = vec![(TAU, StateId::new(0)); transitions.len()];
    for transition in transitions {
        let at = &mut place[transition.from.index()];
        rows[*at as usize] = (transition.action, transition.to);
        *at += 1;
    }
    let mut offsets = Vec::with_capacity(states + 1);
    let (mut labels, mut targets) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    offsets.push(0);
    for state in 0..states {
        let row = &mut rows[begin[state] as usize..begin[state + 1] as usize];
        row.sort_unstable();
        let mut last = None;
        for &mut step in row {
            if last.replace(step) != Some(step) {
                labels.push(step.0);
                targets.push(step.1);
            }
        }
        offsets.push(labels.len() as u32);
    }
    (offsets, labels, targets)
}

impl Lts {
    /// Number of states; they are numbered from 0.
    #[inline]
    pub fn state_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// All states.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.state_count() as u32).map(StateId::new)
    }

    /// Number of transitions.
    pub fn transition_count(&self) -> usize {
        self.targets.len()
    }

    /// The initial states, in increasing order.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// The names of the actions; an [`ActionId`] is a position here. The first is that of [`TAU`].
    pub fn actions(&self) -> &[Arc<str>] {
        &self.actions
    }

    /// The name of an action.
    pub fn action_name(&self, action: ActionId) -> &Arc<str> {
        &self.actions[action.index()]
    }

    /// The transitions of a state: actions and targets side by side, sorted by action, then target.
    #[inline]
    pub fn row(&self, state: StateId) -> (&[ActionId], &[StateId]) {
        let row = self.offsets[state.index()] as usize..self.offsets[state.index() + 1] as usize;
        (&self.labels[row.clone()], &self.targets[row])
    }

    /// The transitions of a state, sorted by action, then target.
    #[inline]
    pub fn steps(&self, state: StateId) -> impl Iterator<Item = (ActionId, StateId)> + '_ {
        let (labels, targets) = self.row(state);
        labels.iter().copied().zip(targets.iter().copied())
    }

    /// The states that one action leads to from a state, in increasing order.
    #[inline]
    pub fn successors(&self, state: StateId, action: ActionId) -> &[StateId] {
        let (labels, targets) = self.row(state);
        let start = labels.partition_point(|&label| label < action);
        let end = labels.partition_point(|&label| label <= action);
        &targets[start..end]
    }

    /// All transitions, by source, then action, then target.
    pub fn transitions(&self) -> impl Iterator<Item = Transition> + '_ {
        self.states().flat_map(|from| {
            self.steps(from)
                .map(move |(action, to)| Transition { from, action, to })
        })
    }

    /// The sets of propositions there are; a [`Colour`] is a position here.
    pub fn colours(&self) -> &[Vec<Arc<str>>] {
        &self.colours
    }

    /// The colour of a state.
    #[inline]
    pub fn colour(&self, state: StateId) -> Colour {
        self.colour_of.get(state.index()).copied().unwrap_or(Colour(0))
    }

    /// The propositions that hold in a state, sorted.
    #[inline]
    pub fn propositions(&self, state: StateId) -> &[Arc<str>] {
        &self.colours[self.colour(state).index()]
    }

    /// Whether states have propositions at all: the system is a Kripke structure.
    pub fn is_coloured(&self) -> bool {
        !self.colour_of.is_empty()
    }

    /// A builder that holds everything of this system, to be changed and built again.
    pub fn to_builder(&self) -> LtsBuilder {
        let mut builder = LtsBuilder::new(self.state_count() as u64);
        builder.append(self, 0);
        builder
    }

    /// Two systems side by side: the states of the second follow those of the first, and so do its initial states; actions and
    /// propositions of one name are one. Fails if there are too many states.
    pub fn beside(&self, other: &Lts) -> Result<Lts, LtsError> {
        let first = self.state_count() as u64;
        let states = first + other.state_count() as u64;
        if states > MAX_STATES {
            return Err(LtsError::TooManyStates(states));
        }
        let mut builder = LtsBuilder::new(states);
        builder.append(self, 0);
        builder.append(other, first as u32);
        builder.build()
    }

    /// A Kripke structure as a system: all edges are [`TAU`], the colours are the sets of the observed propositions (all, if
    /// none are named). Fairness is left out. Names that are no proposition are given back.
    pub fn from_kripke(kripke: &Kripke, observed: Option<&[Arc<str>]>) -> Result<Lts, Vec<Arc<str>>> {
        let unknown: Vec<Arc<str>> = (observed.unwrap_or_default().iter())
            .filter(|name| kripke.proposition(name).is_none())
            .cloned()
            .collect();
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let seen: Vec<_> = (kripke.propositions().iter())
            .filter(|proposition| observed.is_none_or(|names| names.contains(&proposition.name)))
            .collect();
        let mut builder = LtsBuilder::new(kripke.state_count() as u64);
        for state in kripke.states() {
            let here = seen
                .iter()
                .filter(|proposition| proposition.states.contains(state.index()))
                .map(|proposition| proposition.name.clone());
            let colour = builder.colour(here);
            builder.paint(state, colour);
        }
        for (from, to) in kripke.edges() {
            builder.transition(from, TAU, to);
        }
        for &state in kripke.initial() {
            builder.initial(state);
        }
        Ok(builder
            .build()
            .expect("a Kripke structure has states, and edges between them"))
    }
}

impl LtsBuilder {
    /// Adds another system's parts, its states moved by an offset. The states are there already.
    fn append(&mut self, lts: &Lts, offset: u32) {
        let moved = |state: StateId| StateId::new(state.index() as u32 + offset);
        let actions: Vec<ActionId> = lts.actions.iter().map(|name| self.action(name)).collect();
        self.reserve(lts.transition_count());
        for Transition { from, action, to } in lts.transitions() {
            self.transition(moved(from), actions[action.index()], moved(to));
        }
        for &state in lts.initial() {
            self.initial(moved(state));
        }
        if lts.is_coloured() {
            let colours: Vec<Colour> = (lts.colours.iter())
                .map(|set| self.colour(set.iter().cloned()))
                .collect();
            for state in lts.states() {
                self.paint(moved(state), colours[lts.colour(state).index()]);
            }
        }
    }
}

impl fmt::Display for Lts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} states, {} transitions, {} actions",
            self.state_count(),
            self.transition_count(),
            self.actions.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_without_repetition() {
        let mut builder = LtsBuilder::new(3);
        builder.transitions([(0, "b", 2), (0, "a", 1), (1, "tau", 2), (0, "b", 2), (0, "b", 1)]);
        builder.initial(StateId::new(0));
        let lts = builder.build().unwrap();
        assert_eq!(lts.transition_count(), 4);
        let b = ActionId::new(1);
        assert_eq!(
            lts.successors(StateId::new(0), b),
            [StateId::new(1), StateId::new(2)]
        );
        assert_eq!(lts.successors(StateId::new(1), TAU), [StateId::new(2)]);
        assert_eq!(lts.to_builder().build(), Ok(lts));
    }

    #[test]
    fn systems_side_by_side_share_names() {
        let one = |names: [&str; 2]| {
            let mut builder = LtsBuilder::new(2);
            builder.transitions([(0, names[0], 1), (1, names[1], 0)]);
            builder.initial(StateId::new(0));
            builder.build().unwrap()
        };
        let both = one(["a", "b"]).beside(&one(["b", "c"])).unwrap();
        assert_eq!(both.initial(), [StateId::new(0), StateId::new(2)]);
        let names: Vec<&str> = both.actions().iter().map(|name| &**name).collect();
        assert_eq!(names, ["tau", "a", "b", "c"]);
    }
}
