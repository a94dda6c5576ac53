//! Explicit Kripke structures: numbered states, edges, propositions, fairness as sets of states.
//!
//! The edges are kept in compressed rows: the successors of state `s` are one slice of one vector, sorted and without
//! repetition, found through an offset table. A proposition, a justice set and each side of a compassion pair is a bit set
//! over the states. A [`Kripke`] is built once by a [`KripkeBuilder`], which checks it, and never changes.
//!
//! [`Kripke::to_system`] writes the same structure symbolically, so that every engine can be run on it. A state without
//! successors stays one.

use crate::{Define, Sort, TermId, TransitionSystem, VarKind};
use fixedbitset::FixedBitSet;
use hashbrown::HashSet;
use std::fmt;
use std::sync::Arc;

/// A state of one [`Kripke`] structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(u32);

impl StateId {
    /// The state with this number.
    #[inline]
    pub fn new(index: u32) -> StateId {
        StateId(index)
    }

    /// Its number.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A set of states, bit `s` for state `s`; as long as the structure has states.
pub type StateSet = FixedBitSet;

/// A named set of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposition {
    /// Its name, different from that of every other proposition.
    pub name: Arc<str>,
    /// Where it is true.
    pub states: StateSet,
}

/// An explicit fair Kripke structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kripke {
    offsets: Vec<u32>,
    targets: Vec<StateId>,
    initial: Vec<StateId>,
    propositions: Vec<Proposition>,
    justice: Vec<StateSet>,
    compassion: Vec<(StateSet, StateSet)>,
}

/// Why something is not a Kripke structure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KripkeError {
    /// There is no state at all.
    #[error("a structure needs at least one state")]
    NoState,
    /// There are more states than can be numbered in memory.
    #[error("{0} states are too many: at most {MAX_STATES} are supported")]
    TooManyStates(u64),
    /// There are more edges than can be numbered.
    #[error("{0} edges are too many: at most 4294967295 are supported")]
    TooManyEdges(usize),
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
    /// Two propositions have one name.
    #[error("the proposition `{0}` is defined twice")]
    DuplicateProposition(String),
}

/// The largest number of states.
pub const MAX_STATES: u64 = 1 << 28;

/// Collects the parts of a structure in any order.
#[derive(Clone, Debug, Default)]
pub struct KripkeBuilder {
    states: u64,
    edges: Vec<(StateId, StateId)>,
    initial: Vec<StateId>,
    propositions: Vec<(Arc<str>, Vec<StateId>)>,
    justice: Vec<Vec<StateId>>,
    compassion: Vec<(Vec<StateId>, Vec<StateId>)>,
}

impl KripkeBuilder {
    /// A structure with so many states, numbered from 0, and nothing else yet.
    pub fn new(states: u64) -> KripkeBuilder {
        KripkeBuilder {
            states,
            ..KripkeBuilder::default()
        }
    }

    /// Adds a state.
    pub fn add_state(&mut self) -> StateId {
        let id = StateId(u32::try_from(self.states).unwrap_or(u32::MAX));
        self.states += 1;
        id
    }

    /// Adds an edge.
    pub fn edge(&mut self, from: StateId, to: StateId) -> &mut Self {
        self.edges.push((from, to));
        self
    }

    /// Adds edges given by state numbers.
    pub fn edges(&mut self, edges: impl IntoIterator<Item = (u32, u32)>) -> &mut Self {
        self.edges
            .extend(edges.into_iter().map(|(from, to)| (StateId(from), StateId(to))));
        self
    }

    /// Makes a state initial.
    pub fn initial(&mut self, state: StateId) -> &mut Self {
        self.initial.push(state);
        self
    }

    /// Adds a proposition that is true in these states.
    pub fn proposition(
        &mut self,
        name: impl AsRef<str>,
        states: impl IntoIterator<Item = StateId>,
    ) -> &mut Self {
        self.propositions
            .push((Arc::from(name.as_ref()), states.into_iter().collect()));
        self
    }

    /// Adds a justice requirement: fair paths visit the set infinitely often.
    pub fn justice(&mut self, states: impl IntoIterator<Item = StateId>) -> &mut Self {
        self.justice.push(states.into_iter().collect());
        self
    }

    /// Adds a compassion requirement: fair paths that visit the first set infinitely often visit the second so.
    pub fn compassion(
        &mut self,
        often: impl IntoIterator<Item = StateId>,
        then: impl IntoIterator<Item = StateId>,
    ) -> &mut Self {
        self.compassion
            .push((often.into_iter().collect(), then.into_iter().collect()));
        self
    }

    /// The structure, if all parts fit together. It may have dead ends and no initial state.
    pub fn build(&self) -> Result<Kripke, KripkeError> {
        if self.states == 0 {
            return Err(KripkeError::NoState);
        }
        if self.states > MAX_STATES {
            return Err(KripkeError::TooManyStates(self.states));
        }
        if u32::try_from(self.edges.len()).is_err() {
            return Err(KripkeError::TooManyEdges(self.edges.len()));
        }
        let last = (self.states - 1) as u32;
        let known = |state: StateId, place: &dyn Fn() -> String| match state.0 <= last {
            true => Ok(()),
            false => Err(KripkeError::UnknownState {
                place: place(),
                state: state.0,
                last,
            }),
        };
        let set = |states: &[StateId], place: &dyn Fn() -> String| {
            let mut bits = StateSet::with_capacity(self.states as usize);
            for &state in states {
                known(state, place)?;
                bits.insert(state.index());
            }
            Ok(bits)
        };
        for &(from, to) in &self.edges {
            let place = || format!("the edge from {from} to {to}");
            known(from, &place)?;
            known(to, &place)?;
        }
        let initial = set(&self.initial, &|| "the list of initial states".to_string())?;
        let mut names = HashSet::new();
        let mut propositions = Vec::new();
        for (name, states) in &self.propositions {
            if !names.insert(name) {
                return Err(KripkeError::DuplicateProposition(name.to_string()));
            }
            propositions.push(Proposition {
                name: name.clone(),
                states: set(states, &|| format!("the proposition `{name}`"))?,
            });
        }
        let mut justice = Vec::new();
        for states in &self.justice {
            justice.push(set(states, &|| "a justice set".to_string())?);
        }
        let mut compassion = Vec::new();
        for (often, then) in &self.compassion {
            let place = || "a compassion pair".to_string();
            compassion.push((set(often, &place)?, set(then, &place)?));
        }
        let (offsets, targets) = compress(self.states as usize, &self.edges);
        Ok(Kripke {
            offsets,
            targets,
            initial: members(&initial).collect(),
            propositions,
            justice,
            compassion,
        })
    }
}

/// The rows of an edge list: offsets of each source's targets, and the targets, sorted and without repetition.
fn compress(states: usize, edges: &[(StateId, StateId)]) -> (Vec<u32>, Vec<StateId>) {
    let mut edges = edges.to_vec();
    edges.sort_unstable();
    edges.dedup();
    let mut offsets = vec![0u32; states + 1];
    for (from, _) in &edges {
        offsets[from.index() + 1] += 1;
    }
    for state in 0..states {
        offsets[state + 1] += offsets[state];
    }
    (offsets, edges.into_iter().map(|(_, to)| to).collect())
}

fn members(set: &StateSet) -> impl Iterator<Item = StateId> {
    set.ones().map(|index| StateId(index as u32))
}

impl Kripke {
    /// Number of states; they are numbered from 0.
    pub fn state_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// All states.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.state_count() as u32).map(StateId)
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.targets.len()
    }

    /// The initial states, in increasing order.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// The successors of a state, in increasing order.
    pub fn successors(&self, state: StateId) -> &[StateId] {
        let (start, end) = (self.offsets[state.index()], self.offsets[state.index() + 1]);
        &self.targets[start as usize..end as usize]
    }

    /// All edges, by source, then target.
    pub fn edges(&self) -> impl Iterator<Item = (StateId, StateId)> + '_ {
        self.states()
            .flat_map(|from| self.successors(from).iter().map(move |&to| (from, to)))
    }

    /// The propositions, in the order they were added.
    pub fn propositions(&self) -> &[Proposition] {
        &self.propositions
    }

    /// Where the proposition of this name is true.
    pub fn proposition(&self, name: &str) -> Option<&StateSet> {
        self.propositions
            .iter()
            .find(|proposition| &*proposition.name == name)
            .map(|proposition| &proposition.states)
    }

    /// The justice sets.
    pub fn justice(&self) -> &[StateSet] {
        &self.justice
    }

    /// The compassion pairs.
    pub fn compassion(&self) -> &[(StateSet, StateSet)] {
        &self.compassion
    }

    /// The states without successors.
    pub fn dead_ends(&self) -> impl Iterator<Item = StateId> + '_ {
        self.states().filter(|&state| self.successors(state).is_empty())
    }

    /// The states that some initial state reaches.
    pub fn reachable(&self) -> StateSet {
        let mut reached = StateSet::with_capacity(self.state_count());
        let mut frontier: Vec<StateId> = self.initial.clone();
        while let Some(state) = frontier.pop() {
            if !reached.put(state.index()) {
                frontier.extend(self.successors(state));
            }
        }
        reached
    }

    /// The structure with a loop added at every dead end.
    pub fn stuttering(&self) -> Kripke {
        let loops = self.dead_ends().map(|state| (state, state));
        let edges: Vec<(StateId, StateId)> = self.edges().chain(loops).collect();
        let (offsets, targets) = compress(self.state_count(), &edges);
        Kripke {
            offsets,
            targets,
            ..self.clone()
        }
    }

    /// The same structure as a symbolic system.
    ///
    /// Its only variable, the first, is the state's number; it is called `state` (with underscores appended should a
    /// proposition have that name). The transition relation is one disjunction over the sources. Every proposition is a
    /// define under its name, in the order of [`Kripke::propositions`].
    pub fn to_system(&self) -> TransitionSystem {
        let mut system = TransitionSystem::new();
        let mut name = "state".to_string();
        while self.proposition(&name).is_some() {
            name.push('_');
        }
        let last = self.state_count() as i64 - 1;
        let variable = system.add_variable(name, Sort::range(0, last), VarKind::State);
        let (now, after) = (system.current(variable), system.next(variable));
        let among =
            |system: &mut TransitionSystem, term: TermId, states: &mut dyn Iterator<Item = StateId>| {
                let choices: Vec<TermId> = states
                    .map(|state| system.terms.integer(state.index() as i64))
                    .collect();
                system
                    .terms
                    .one_of(term, &choices)
                    .expect("integers are comparable")
            };

        let initial = among(&mut system, now, &mut self.initial.iter().copied());
        system.init.push(initial);

        let mut moves = Vec::new();
        for source in self.states() {
            let here = among(&mut system, now, &mut std::iter::once(source));
            let there = among(&mut system, after, &mut self.successors(source).iter().copied());
            moves.push(system.terms.and([here, there]));
        }
        let transition = system.terms.or(moves);
        system.transition.push(transition);

        for proposition in &self.propositions {
            let term = among(&mut system, now, &mut members(&proposition.states));
            system.defines.push(Define {
                name: proposition.name.clone(),
                term,
            });
        }
        for set in &self.justice {
            let term = among(&mut system, now, &mut members(set));
            system.justice.push(term);
        }
        for (often, then) in &self.compassion {
            let pair = [often, then].map(|set| among(&mut system, now, &mut members(set)));
            system.compassion.push((pair[0], pair[1]));
        }
        system
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Valuation, Value, evaluate_bool};

    fn ids<const N: usize>(states: [u32; N]) -> [StateId; N] {
        states.map(StateId)
    }

    fn diamond() -> Kripke {
        let mut builder = KripkeBuilder::new(4);
        builder
            .edges([(0, 2), (0, 1), (0, 1), (1, 3), (2, 3)])
            .initial(StateId(0))
            .proposition("p", ids([1, 2]))
            .justice(ids([3]))
            .compassion(ids([1]), ids([2]));
        builder.build().expect("a structure")
    }

    #[test]
    fn edges_are_sorted_and_not_repeated() {
        let kripke = diamond();
        assert_eq!(kripke.successors(StateId(0)), ids([1, 2]));
        assert_eq!(kripke.edge_count(), 4);
        assert_eq!(kripke.dead_ends().collect::<Vec<_>>(), ids([3]));
        assert_eq!(kripke.stuttering().successors(StateId(3)), ids([3]));
        assert_eq!(kripke.reachable().count_ones(..), 4);
    }

    #[test]
    fn the_system_has_the_same_steps_and_propositions() {
        let kripke = diamond();
        let system = kripke.to_system();
        let value = |state: StateId| [Some(Value::Int(state.index() as i64))];
        for from in kripke.states() {
            for to in kripke.states() {
                let (now, after) = (value(from), value(to));
                let step = evaluate_bool(&system.terms, system.transition[0], Valuation::step(&now, &after));
                assert_eq!(step, Ok(kripke.successors(from).contains(&to)), "{from} {to}");
            }
            let now = value(from);
            let p = evaluate_bool(&system.terms, system.defines[0].term, Valuation::state(&now));
            assert_eq!(p, Ok(kripke.proposition("p").expect("p")[from.index()]));
            let init = evaluate_bool(&system.terms, system.init[0], Valuation::state(&now));
            assert_eq!(init, Ok(kripke.initial().contains(&from)));
        }
        assert_eq!((system.justice.len(), system.compassion.len()), (1, 1));
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        assert_eq!(KripkeBuilder::new(0).build(), Err(KripkeError::NoState));
        assert_eq!(
            KripkeBuilder::new(1 << 40).build(),
            Err(KripkeError::TooManyStates(1 << 40))
        );
        let error = KripkeBuilder::new(2)
            .edges([(0, 2)])
            .build()
            .expect_err("no state 2");
        assert_eq!(
            error.to_string(),
            "the edge from 0 to 2 mentions state 2, but the states are 0 to 1"
        );
        let twice = KripkeBuilder::new(1)
            .proposition("p", [])
            .proposition("p", [])
            .build();
        assert_eq!(twice, Err(KripkeError::DuplicateProposition("p".to_string())));
    }
}
