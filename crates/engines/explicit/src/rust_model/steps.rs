//! A system written in Rust as searches see it: states are packed with `serde`.
//!
//! Searches are generic in what they search, for the sake of their inner loops. A system in Rust unpacks a state, calls its author's code and packs the successors, beside
//! which a dynamic call for each state costs nothing; so all such systems share one search ([`Packed`]), made when this crate is compiled. Otherwise each model would take some ten
//! seconds to compile.

use super::System;
use super::checker::{Condition, Estimate};
use entail_automata::{Automaton, State};
use entail_budget::{Budget, Silent, Spent};
use entail_search::cycles::linear::{Judged, accepted_path};
use entail_search::cycles::product::{LinearModel, Watcher};
use entail_search::{Explorer, SearchOptions, Searchable, Searched, Steps, closure, search};

/// What a single state shows about a question.
pub enum Shown<'q, State> {
    /// It is so everywhere unless this is false somewhere.
    Always(&'q Condition<'q, State>),
    /// It is so if this is true somewhere.
    Sometimes(&'q Condition<'q, State>),
    /// It is so unless nothing can be done somewhere.
    NoDeadEnds,
}

/// A system, and what is looked for in its states: questions with their places.
pub struct RustSteps<'q, S: System> {
    pub system: &'q S,
    pub watched: Vec<(usize, Shown<'q, S::State>)>,
    /// How far a state seems to be from what is looked for, if somebody knows.
    pub estimate: Option<&'q Estimate<'q, S::State>>,
    /// What watches infinite paths, if they are asked about.
    pub automaton: Option<Watching<'q, S::State>>,
}

/// An automaton over conditions.
pub struct Watching<'q, State> {
    pub automaton: &'q Automaton,
    pub marks: u32,
    /// By proposition.
    pub conditions: Vec<&'q Condition<'q, State>>,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// The state answers the question at this place.
    Answer(usize),
    /// A state cannot be packed, or not be unpacked again.
    Packing,
}

/// The bytes of a state.
pub fn pack<S: System>(state: &S::State) -> Option<Vec<u8>> {
    postcard::to_allocvec(state).ok()
}

/// The state of such bytes.
pub fn unpack<S: System>(bytes: &[u8]) -> Option<S::State> {
    postcard::from_bytes(bytes).ok()
}

impl<S: System> RustSteps<'_, S> {
    fn add(&self, state: &S::State, out: &mut Steps<Flaw>) {
        let state = self.system.representative(state);
        match pack::<S>(&state) {
            Some(bytes) if bytes.len() <= usize::from(u16::MAX) => out.push(0, &bytes),
            _ => out.push_flaw(0, Flaw::Packing),
        }
    }
}

/// What a search asks of a system, in terms of packed states.
trait Packed: Sync {
    fn initial(&self, out: &mut Steps<Flaw>);
    fn expand(&self, state: &[u8], out: &mut Steps<Flaw>);
    fn inspect(&self, state: &[u8]) -> Option<Flaw>;
    fn estimate(&self, state: &[u8]) -> u64;
    fn may_end(&self) -> bool;
    /// The automaton that watches paths, and the number of its marks.
    fn automaton(&self) -> Option<(&Automaton, u32)>;
    /// The conditions of the automaton that hold.
    fn letter(&self, state: &[u8]) -> Result<u64, String>;
}

impl<S: System> Packed for RustSteps<'_, S> {
    fn initial(&self, out: &mut Steps<Flaw>) {
        out.clear();
        self.system
            .initial()
            .iter()
            .for_each(|state| self.add(state, out));
    }

    fn expand(&self, state: &[u8], out: &mut Steps<Flaw>) {
        out.clear();
        let Some(state) = unpack::<S>(state) else {
            out.push_flaw(0, Flaw::Packing);
            return;
        };
        for action in self.system.actions(&state) {
            if let Some(next) = self.system.step(&state, &action) {
                self.add(&next, out);
            }
        }
    }

    fn inspect(&self, bytes: &[u8]) -> Option<Flaw> {
        if self.watched.is_empty() {
            return None;
        }
        let state = match unpack::<S>(bytes) {
            Some(state) if pack::<S>(&state).is_some_and(|again| again == bytes) => state,
            _ => return Some(Flaw::Packing),
        };
        let answers = |shown: &Shown<'_, S::State>| match shown {
            Shown::Always(condition) => !condition(&state),
            Shown::Sometimes(condition) => condition(&state),
            Shown::NoDeadEnds => false,
        };
        let found = self.watched.iter().find(|(_, shown)| answers(shown));
        found.map(|&(place, _)| Flaw::Answer(place))
    }

    fn estimate(&self, bytes: &[u8]) -> u64 {
        let state = self
            .estimate
            .and_then(|estimate| Some((estimate, unpack::<S>(bytes)?)));
        state.map_or(0, |(estimate, state)| estimate(&state))
    }

    fn may_end(&self) -> bool {
        let asked = |(_, shown): &(usize, Shown<'_, S::State>)| matches!(shown, Shown::NoDeadEnds);
        !self.watched.iter().any(asked)
    }

    fn automaton(&self) -> Option<(&Automaton, u32)> {
        let watching = self.automaton.as_ref()?;
        Some((watching.automaton, watching.marks))
    }

    fn letter(&self, state: &[u8]) -> Result<u64, String> {
        let state = unpack::<S>(state).ok_or("a state cannot be unpacked")?;
        let conditions = self.automaton.iter().flat_map(|watching| &watching.conditions);
        Ok((conditions.enumerate()).fold(0, |letter, (place, condition)| {
            letter | u64::from(condition(&state)) << place
        }))
    }
}

impl<S: System> RustSteps<'_, S> {
    /// Searches the states.
    pub fn search(&self, options: &SearchOptions, budget: &Budget) -> Searched<Flaw> {
        search_packed(self, options, budget)
    }

    /// Looks for a path that the automaton accepts.
    pub fn accepted_path(&self, options: &SearchOptions, budget: &Budget) -> Judged<Flaw> {
        accepted_packed(self, options, budget)
    }

    /// The initial states, packed.
    pub fn initial_packed(&self, out: &mut Steps<Flaw>) {
        Packed::initial(self, out);
    }

    /// Where a packed state leads.
    pub fn expand_packed(&self, state: &[u8], out: &mut Steps<Flaw>) {
        Packed::expand(self, state, out);
    }

    /// All states that can be reached; nothing if the budget does not suffice or a state cannot be packed.
    pub fn all(&self, budget: &Budget) -> Option<Vec<Box<[u8]>>> {
        all_packed(self, budget)
    }
}

fn search_packed(system: &dyn Packed, options: &SearchOptions, budget: &Budget) -> Searched<Flaw> {
    search(&AnySystem(system), options, budget, &Silent)
}

fn accepted_packed(system: &dyn Packed, options: &SearchOptions, budget: &Budget) -> Judged<Flaw> {
    accepted_path(&AnySystem(system), options, budget, &Silent)
}

fn all_packed(system: &dyn Packed, budget: &Budget) -> Option<Vec<Box<[u8]>>> {
    let mut states: Vec<Box<[u8]>> = Vec::new();
    closure(&AnySystem(system), u64::MAX, budget, |state| {
        states.push(state.into())
    })?;
    Some(states)
}

/// Any system, behind a dynamic call for each state.
#[derive(Clone, Copy)]
struct AnySystem<'q>(&'q dyn Packed);

impl Searchable for AnySystem<'_> {
    type Flaw = Flaw;
    type Explorer<'m>
        = AnySystem<'m>
    where
        Self: 'm;

    fn explorer<'m>(&'m self, _: &'m Budget) -> AnySystem<'m> {
        *self
    }
}

impl Explorer for AnySystem<'_> {
    type Flaw = Flaw;
    type Successors = Steps<Flaw>;

    fn initial(&mut self, out: &mut Steps<Flaw>) -> Result<(), Spent> {
        self.0.initial(out);
        Ok(())
    }

    fn expand(&mut self, state: &[u8], out: &mut Steps<Flaw>) -> Result<(), Spent> {
        self.0.expand(state, out);
        Ok(())
    }

    fn inspect(&mut self, state: &[u8]) -> Option<Flaw> {
        self.0.inspect(state)
    }

    fn estimate(&mut self, state: &[u8]) -> u64 {
        self.0.estimate(state)
    }

    fn may_end(&mut self, _: &[u8]) -> bool {
        self.0.may_end()
    }
}

impl LinearModel for AnySystem<'_> {
    type Watcher<'m>
        = AnySystem<'m>
    where
        Self: 'm;

    fn watcher<'m>(&'m self, _: &'m Budget) -> AnySystem<'m> {
        *self
    }
}

impl Watcher for AnySystem<'_> {
    fn initial(&self) -> Vec<u16> {
        let Some((automaton, _)) = self.0.automaton() else {
            return Vec::new();
        };
        automaton.initial().iter().map(|state| state.0 as u16).collect()
    }

    fn marks(&self) -> u32 {
        self.0.automaton().map_or(0, |(_, marks)| marks)
    }

    fn places(&self) -> Option<u32> {
        let (automaton, _) = self.0.automaton()?;
        u32::try_from(automaton.state_count()).ok()
    }

    fn letter(&mut self, state: &[u8]) -> Result<u64, String> {
        self.0.letter(state)
    }

    fn moves(&mut self, at: u16, letter: u64, out: &mut Vec<(u16, u64)>) -> Result<(), String> {
        if let Some((automaton, _)) = self.0.automaton() {
            let moves = automaton.successors(State(at.into()), letter);
            out.extend(moves.map(|(next, marks)| (next.0 as u16, marks.0)));
        }
        Ok(())
    }
}
