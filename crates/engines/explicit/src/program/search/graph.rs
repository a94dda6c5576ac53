//! The states of a program and the steps between them, made as a search asks for them.
//!
//! What a watcher is at plays no part here: the same state has the same steps whatever the watcher has seen. That is what makes reduction
//! sound together with a watcher (Siegel, *What's wrong with on-the-fly partial order reduction*, CAV 2019, shows what goes wrong otherwise), and
//! each state is expanded once.
//!
//! A state may have fewer steps than all if its set suffices and no cycle consists of such states only (condition C3 of Peled's ample sets). For
//! that, a state is called *secure* if it has all its steps or if all it leads to are secure; whatever leads on from a secure state comes, before it
//! closes a cycle, to a state that has all its steps. Fewer steps are taken only to states that are secure or have not been asked for yet: of a cycle of
//! states with fewer steps, the one that was asked for last would have to lead to one that is neither.

use super::advised::{Advised, GoesOn};
use super::watch::{Letter, Watch};
use crate::program::reduction::Reducer;
use crate::program::steps::space::{Space, Successors};
use entail_budget::Spent;
use entail_program::{Fault, Taken};
use entail_search::{GroupSet, Refusal, StateNumber, Store};
use rustc_hash::FxHashSet;

/// The steps of a state, once they are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    Unknown,
    /// From here in the list of all, so many.
    Known(u32, u32),
}

const NO_LETTER: u32 = u32::MAX;

/// Who says which steps suffice in a state.
pub enum Reducing<'s> {
    /// All are taken.
    No,
    Own(Box<Reducer>),
    /// Those who will check what comes of it.
    Advised(Advised<'s>),
}

/// The graph.
pub struct Graph<'s, 'a, S: Store> {
    pub space: &'s mut Space<'a>,
    reducing: Reducing<'s>,
    store: S,
    pen: S::Pen,
    /// The state that is looked at.
    state: Vec<u8>,
    steps: Vec<Steps>,
    secure: Vec<bool>,
    /// By state: the position of its letter, if that was asked for.
    letters: Vec<u32>,
    alphabet: Vec<Letter>,
    targets: Vec<StateNumber>,
    /// Who moves in each step, and by state who can move, if anybody wants to know.
    movers: Option<Vec<u64>>,
    enabled: Option<Vec<u64>>,
    /// States in which nobody can move.
    last: FxHashSet<StateNumber>,
    out: Successors,
    /// An atomic sequence can go on for ever.
    pub diverges: bool,
    /// The most processes there were in a state.
    pub most_processes: usize,
}

/// Why a state has no steps.
pub enum Trouble {
    Spent(Spent),
    Full,
    Fault(Fault),
}

impl From<Spent> for Trouble {
    fn from(spent: Spent) -> Trouble {
        Trouble::Spent(spent)
    }
}

impl From<Refusal> for Trouble {
    fn from(_: Refusal) -> Trouble {
        Trouble::Full
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Fault(fault)
    }
}

impl<'s, 'a, S: Store> Graph<'s, 'a, S> {
    /// A graph without states.
    pub fn new(
        space: &'s mut Space<'a>,
        reducing: Reducing<'s>,
        store: S,
        with_movers: bool,
    ) -> Graph<'s, 'a, S> {
        Graph {
            space,
            reducing,
            pen: store.pen(1),
            store,
            state: Vec::new(),
            steps: Vec::new(),
            secure: Vec::new(),
            letters: Vec::new(),
            alphabet: Vec::new(),
            enabled: with_movers.then(Vec::new),
            targets: Vec::new(),
            movers: with_movers.then(Vec::new),
            last: FxHashSet::default(),
            out: Successors::default(),
            diverges: false,
            most_processes: 0,
        }
    }

    /// The initial state.
    pub fn initial(&mut self) -> Result<StateNumber, Trouble> {
        let initial = self.space.compiled.initial()?.bytes;
        self.insert(&initial)
    }

    fn insert(&mut self, state: &[u8]) -> Result<StateNumber, Trouble> {
        let (number, new) = self.store.insert(&mut self.pen, state, None)?;
        if new {
            self.steps.push(Steps::Unknown);
            self.secure.push(false);
            self.letters.push(NO_LETTER);
            if let Some(enabled) = &mut self.enabled {
                enabled.push(0);
            }
        }
        Ok(number)
    }

    /// The number of what a watcher sees in a state.
    pub fn letter(&mut self, watch: &Watch, state: StateNumber) -> u32 {
        if self.letters[state.index()] == NO_LETTER {
            self.store.open(&mut self.pen, state, &mut self.state);
            let letter = watch.letter(self.space, &self.state);
            let known = self.alphabet.iter().position(|&other| other == letter);
            let number = known.unwrap_or_else(|| {
                self.alphabet.push(letter);
                self.alphabet.len() - 1
            });
            self.letters[state.index()] = number as u32;
        }
        self.letters[state.index()]
    }

    /// The bytes of a state.
    pub fn copy(&self, state: StateNumber) -> Vec<u8> {
        self.store.copy(state)
    }

    /// Bytes of memory for the states and steps.
    pub fn bytes(&self) -> u64 {
        let by_state = size_of::<Steps>()
            + size_of::<bool>()
            + size_of::<u32>()
            + self.enabled.as_ref().map_or(0, |_| 8);
        let by_step = size_of::<StateNumber>() + self.movers.as_ref().map_or(0, |_| 8);
        self.store.bytes() + (self.steps.len() * by_state + self.targets.len() * by_step) as u64
    }

    /// The letter of a number.
    pub fn spell(&self, number: u32) -> Letter {
        self.alphabet[number as usize]
    }

    /// The positions of a state's steps.
    pub fn steps(&mut self, state: StateNumber) -> Result<std::ops::Range<usize>, Trouble> {
        let (begin, count) = match self.steps[state.index()] {
            Steps::Known(begin, count) => (begin, count),
            Steps::Unknown => self.expand(state)?,
        };
        Ok(begin as usize..(begin + count) as usize)
    }

    /// Where a step leads.
    pub fn target(&self, step: usize) -> StateNumber {
        self.targets[step]
    }

    /// Who moves in a step; nobody where that is not kept.
    pub fn movers(&self, step: usize) -> u64 {
        self.movers.as_ref().map_or(0, |movers| movers[step])
    }

    /// Whether nobody can move in a state whose steps are known.
    pub fn is_last(&self, state: StateNumber) -> bool {
        self.last.contains(&state)
    }

    /// Who can move in a state whose steps are known.
    pub fn enabled(&self, state: StateNumber) -> u64 {
        self.enabled.as_ref().map_or(0, |enabled| enabled[state.index()])
    }

    /// Says that a search has come back from a state.
    pub fn leave(&mut self, state: StateNumber) {
        if let (false, Steps::Known(begin, count)) = (self.secure[state.index()], self.steps[state.index()]) {
            let targets = &self.targets[begin as usize..(begin + count) as usize];
            self.secure[state.index()] = targets.iter().all(|target| self.secure[target.index()]);
        }
    }

    fn expand(&mut self, state: StateNumber) -> Result<(u32, u32), Trouble> {
        let mut out = std::mem::take(&mut self.out);
        self.store.open(&mut self.pen, state, &mut self.state);
        // Who can move is who takes part in a first small step; who only follows in an atomic sequence cannot move yet.
        self.space.records_steps = self.enabled.is_some();
        let expanded = self.space.expand(&self.state, &mut out);
        self.space.records_steps = false;
        expanded?;
        self.diverges |= out.diverges;
        self.most_processes = self
            .most_processes
            .max(self.space.entered().records.processes.len());
        if out.list.is_empty() && !out.diverges {
            self.last.insert(state);
        }
        if let Some(enabled) = &mut self.enabled {
            let movers = (0..out.list.len()).map(|position| out.first_movers(position));
            enabled[state.index()] = movers.fold(0, |all, movers| all | movers);
        }
        let begin = u32::try_from(self.targets.len()).map_err(|_| Trouble::Full)?;
        // From here on the state is known, and not secure.
        self.steps[state.index()] = Steps::Known(begin, 0);
        let faultless = out.list.iter().all(|successor| successor.fault.is_none());
        let choices: Vec<(Option<u8>, GroupSet)> = match &mut self.reducing {
            Reducing::Own(reducer) if faultless => {
                let sets = reducer.choices(self.space.compiled, self.space.entered(), &out);
                sets.iter().map(|(_, set)| (None, *set)).collect()
            }
            Reducing::Advised(advised) if faultless => {
                advised.choices(self.space.compiled, &self.state, &out)
            }
            _ => Vec::new(),
        };
        let mut reduced = None;
        for (begins_with, set) in &choices {
            if self.suffices(begin, &out, set)? {
                reduced = Some(*begins_with);
                break;
            }
        }
        if reduced.is_none() {
            self.forget(begin);
            for position in 0..out.list.len() {
                if out.list[position].fault.is_none() {
                    let target = self.insert(out.state(position))?;
                    self.note(target, out.list[position].movers);
                }
            }
            self.secure[state.index()] = true;
        }
        if let Reducing::Advised(advised) = &mut self.reducing {
            advised.note(state, reduced.flatten());
        }
        self.out = out;
        let count = u32::try_from(self.targets.len()).map_err(|_| Trouble::Full)? - begin;
        self.steps[state.index()] = Steps::Known(begin, count);
        Ok((begin, count))
    }

    /// Takes the steps of some processes; whether it is enough to take these. What was taken before from `begin` on is forgotten.
    fn suffices(&mut self, begin: u32, out: &Successors, set: &GroupSet) -> Result<bool, Trouble> {
        self.forget(begin);
        let (mut some, mut all) = (false, true);
        for position in 0..out.list.len() {
            if set.contains(out.list[position].process) {
                let target = self.insert(out.state(position))?;
                let goes_on = self.secure[target.index()] || self.steps[target.index()] == Steps::Unknown;
                some |= goes_on;
                all &= goes_on;
                self.note(target, out.list[position].movers);
            }
        }
        Ok(match &self.reducing {
            Reducing::Advised(advised) if advised.goes_on == GoesOn::Once => some,
            _ => some && all,
        })
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// What was taken of the steps of a state.
    pub fn taken(&self, state: StateNumber) -> Taken {
        match &self.reducing {
            Reducing::Advised(advised) => advised.taken(state),
            _ => Taken {
                begins_with: None,
                order: state.0,
            },
        }
    }

    fn note(&mut self, target: StateNumber, moved: u64) {
        self.targets.push(target);
        if let Some(movers) = &mut self.movers {
            movers.push(moved);
        }
    }

    fn forget(&mut self, begin: u32) {
        self.targets.truncate(begin as usize);
        if let Some(movers) = &mut self.movers {
            movers.truncate(begin as usize);
        }
    }
}
