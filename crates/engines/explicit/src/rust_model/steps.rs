//! A system written in Rust as searches see it: states are packed with `serde`.

use super::System;
use super::checker::{Condition, Estimate};
use entail_automata::{Automaton, State};
use entail_budget::{Budget, Spent};
use entail_search::cycles::product::{LinearModel, Watcher};
use entail_search::{Explorer, Searchable, Steps};

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

impl<S: System> Searchable for RustSteps<'_, S> {
    type Flaw = Flaw;
    type Explorer<'m>
        = &'m RustSteps<'m, S>
    where
        Self: 'm;

    fn explorer<'m>(&'m self, _: &'m Budget) -> &'m RustSteps<'m, S> {
        self
    }
}

impl<S: System> Explorer for &RustSteps<'_, S> {
    type Flaw = Flaw;
    type Successors = Steps<Flaw>;

    fn initial(&mut self, out: &mut Steps<Flaw>) -> Result<(), Spent> {
        out.clear();
        self.system
            .initial()
            .iter()
            .for_each(|state| self.add(state, out));
        Ok(())
    }

    fn expand(&mut self, state: &[u8], out: &mut Steps<Flaw>) -> Result<(), Spent> {
        out.clear();
        let Some(state) = unpack::<S>(state) else {
            out.push_flaw(0, Flaw::Packing);
            return Ok(());
        };
        for action in self.system.actions(&state) {
            if let Some(next) = self.system.step(&state, &action) {
                self.add(&next, out);
            }
        }
        Ok(())
    }

    fn inspect(&mut self, bytes: &[u8]) -> Option<Flaw> {
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

    fn estimate(&mut self, bytes: &[u8]) -> u64 {
        let state = self
            .estimate
            .and_then(|estimate| Some((estimate, unpack::<S>(bytes)?)));
        state.map_or(0, |(estimate, state)| estimate(&state))
    }

    fn may_end(&mut self, _: &[u8]) -> bool {
        let asked = |(_, shown): &(usize, Shown<'_, S::State>)| matches!(shown, Shown::NoDeadEnds);
        !self.watched.iter().any(asked)
    }
}

impl<S: System> LinearModel for RustSteps<'_, S> {
    type Watcher<'m>
        = &'m RustSteps<'m, S>
    where
        Self: 'm;

    fn watcher<'m>(&'m self, _: &'m Budget) -> &'m RustSteps<'m, S> {
        self
    }
}

impl<S: System> Watcher for &RustSteps<'_, S> {
    fn initial(&self) -> Vec<u16> {
        let Some(watching) = &self.automaton else {
            return Vec::new();
        };
        let places = watching.automaton.initial().iter();
        places.map(|state| state.0 as u16).collect()
    }

    fn marks(&self) -> u32 {
        self.automaton.as_ref().map_or(0, |watching| watching.marks)
    }

    fn letter(&mut self, state: &[u8]) -> Result<u64, String> {
        let state = unpack::<S>(state).ok_or("a state cannot be unpacked")?;
        let conditions = self.automaton.iter().flat_map(|watching| &watching.conditions);
        Ok((conditions.enumerate()).fold(0, |letter, (place, condition)| {
            letter | u64::from(condition(&state)) << place
        }))
    }

    fn moves(&mut self, at: u16, letter: u64, out: &mut Vec<(u16, u64)>) -> Result<(), String> {
        if let Some(watching) = &self.automaton {
            let moves = watching.automaton.successors(State(at.into()), letter);
            out.extend(moves.map(|(next, marks)| (next.0 as u16, marks.0)));
        }
        Ok(())
    }
}
