//! A winner's choices with as little memory as can be seen to do.
//!
//! What the solver leaves is a relation: in each state and memory that is won, all that may be written, and the memory after it. Whatever is picked from it wins. Most of the state is there to judge
//! plays, not to win them: an arbiter that gives each client its turn need not know what the automata of its guarantees know. So latches are *hidden*: if for every state that is left, and whatever is
//! read, something can be written that is right for all values of the hidden latches with which that state is reached, then a machine without them wins. What is hidden first has the largest number
//! of latches behind it that nothing else needs. A strategy with fewer choices reaches fewer states, and with fewer states to mind more can be hidden: so it goes in turns.
//!
//! States that are not reached, and those in which the game is won for good, do not matter.

use super::Won;
use super::condition::Memory;
use super::game::Game;
use super::image::Image;
use crate::problem::SynthesisError;
use entail_budget::Budget;
use entail_dd::{Bdd, Manager, Var};
use entail_game::Player;
use rustc_hash::FxHashMap;

/// How the condition's memory is kept in latches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Numbers.
    Binary,
    /// A latch for each value.
    OneHot,
}

/// Turns of reaching and hiding.
const TURNS: usize = 3;

/// The memory's bits.
pub(crate) struct Store {
    pub now: Vec<Var>,
    pub after: Vec<Var>,
    /// The bits of each value.
    codes: Vec<Vec<bool>>,
    start: usize,
}

impl Store {
    fn new(manager: &Manager, memory: &Memory, coding: Coding) -> Result<Store, SynthesisError> {
        let count = memory.moves.len();
        let bits = match coding {
            Coding::Binary => count.next_power_of_two().trailing_zeros() as usize,
            Coding::OneHot if count > 1 => count,
            Coding::OneHot => 0,
        };
        let code = |value: usize| match coding {
            Coding::Binary => (0..bits).map(|bit| value >> bit & 1 == 1).collect(),
            Coding::OneHot => (0..bits).map(|bit| bit == value).collect(),
        };
        let both = manager.new_vars(2 * bits)?;
        Ok(Store {
            now: both.iter().copied().step_by(2).collect(),
            after: both.iter().copied().skip(1).step_by(2).collect(),
            codes: (0..count).map(code).collect(),
            start: memory.start,
        })
    }

    fn is(&self, manager: &Manager, variables: &[Var], value: usize) -> Result<Bdd, SynthesisError> {
        let code = self.codes[value].iter().copied();
        Ok(manager.cube(variables.iter().copied().zip(code))?)
    }

    /// The first value of each bit.
    pub fn first(&self) -> &[bool] {
        &self.codes[self.start]
    }
}

/// A strategy with the choices it leaves.
pub(crate) struct Strategy<'g> {
    pub game: &'g Game,
    pub store: Store,
    pub reads: Vec<Var>,
    pub writes: Vec<Var>,
    pub moves_first: bool,
    image: Image,
    first: Bdd,
    /// The states that are won for good.
    over: Bdd,
    /// Over latches, memory, signals and the next memory: what may be done.
    pub may: Bdd,
    /// The states that matter, latches and memory.
    pub care: Bdd,
    budget: &'g Budget,
}

impl<'g> Strategy<'g> {
    /// The choices of a winner in the states that it wins.
    pub fn new(
        game: &'g Game,
        memory: &Memory,
        won: &Won,
        moves_first: bool,
        coding: Coding,
        budget: &'g Budget,
    ) -> Result<Strategy<'g>, SynthesisError> {
        let manager = &game.manager;
        let store = Store::new(manager, memory, coding)?;
        let (reads, writes) = match won.winner {
            Player::Even => (game.inputs.clone(), game.outputs.clone()),
            Player::Odd => (game.outputs.clone(), game.inputs.clone()),
        };
        let over = match won.winner {
            Player::Even => game.decided[1].clone(),
            Player::Odd => game.decided[0].clone(),
        };
        let (mut may, mut care) = (manager.zero(), manager.zero());
        for (value, moves) in memory.moves.iter().enumerate() {
            budget.check_now()?;
            let here = store.is(manager, &store.now, value)?;
            let mut then = manager.zero();
            for one in moves {
                let next = store.is(manager, &store.after, one.next)?;
                then = then.or(&one.steps.and(&next)?)?;
            }
            may = may.or(&here.and(&won.choices[value])?.and(&then)?)?;
            care = care.or(&here.and(&won.region[value])?)?;
        }
        let latches = game.latches.iter().map(|latch| (latch.variable, latch.first));
        let start = store.now.iter().copied().zip(store.first().iter().copied());
        let others: Vec<Var> = (store.now.iter().chain(&reads).chain(&writes)).copied().collect();
        let moved: Vec<(Var, Var)> = (store.now.iter().copied())
            .zip(store.after.iter().copied())
            .collect();
        Ok(Strategy {
            image: Image::new(manager, &game.latches, &others, &moved)?,
            first: manager.cube(latches.chain(start))?,
            care: care.minus(&over)?,
            over,
            may,
            game,
            store,
            reads,
            writes,
            moves_first,
            budget,
        })
    }

    fn manager(&self) -> &'g Manager {
        &self.game.manager
    }

    /// The states that are reached by what may be done, and are not over.
    pub fn reached(&self, may: &Bdd) -> Result<Bdd, SynthesisError> {
        let reached = self.image.reached(&self.first, may, &self.over, self.budget)?;
        Ok(reached.minus(&self.over)?)
    }

    /// What may be written, of a player who moves first whatever is read afterwards.
    pub fn may_write(&self, may: &Bdd) -> Result<Bdd, SynthesisError> {
        let possible = may.exists(&self.manager().var_set(self.store.after.iter().copied())?)?;
        match self.moves_first {
            true => Ok(possible.forall(&self.manager().var_set(self.reads.iter().copied())?)?),
            false => Ok(possible),
        }
    }

    /// Whether in all states that matter, and whatever is read, something may be done.
    fn is_total(&self, may: &Bdd, care: &Bdd) -> Result<bool, SynthesisError> {
        let writes = self.manager().var_set(self.writes.iter().copied())?;
        let reads = self.manager().var_set(self.reads.iter().copied())?;
        let able = self.may_write(may)?.exists(&writes)?.forall(&reads)?;
        Ok(care.is_subset_of(&able)?)
    }

    /// The choices that are right whatever these variables hold, and the states that are left, if there is always one.
    fn hidden(&self, hidden: &[Var], may: &Bdd, care: &Bdd) -> Result<Option<(Bdd, Bdd)>, SynthesisError> {
        let variables = self.manager().var_set(hidden.iter().copied())?;
        let may = may.or(&care.not())?.forall(&variables)?;
        let care = care.exists(&variables)?;
        Ok(self.is_total(&may, &care)?.then_some((may, care)))
    }

    /// Hides what can be hidden, in turns.
    pub fn with_little_memory(mut self) -> Result<Strategy<'g>, SynthesisError> {
        let all = self.may.clone();
        let mut before = usize::MAX;
        for _ in 0..TURNS {
            self.care = self.reached(&self.may)?;
            let (mut may, mut care) = (self.may.clone(), self.care.clone());
            let after = self.manager().var_set(self.store.after.iter().copied())?;
            // Without the condition's memory, its next value does not matter.
            let memoryless = self.hidden(&self.store.now, &may.exists(&after)?, &care)?;
            if let Some(fewer) = memoryless {
                (may, care) = fewer;
            }
            let mut kept: Vec<Var> = Vec::new();
            for group in self.groups() {
                self.budget.check_now()?;
                // Something that is kept needs it.
                if group.iter().any(|variable| kept.contains(variable)) {
                    continue;
                }
                match self.hidden(&group, &may, &care)? {
                    Some(fewer) => (may, care) = fewer,
                    None => self.keep(&group, &mut kept),
                }
            }
            // What was hidden is right for all that is reached: other states do not come up any more.
            self.may = all.and(&may)?;
            let count = may.support().len();
            if count >= before {
                break;
            }
            before = count;
        }
        self.care = self.reached(&self.may)?;
        Ok(self)
    }

    /// Adds latches to those that are kept, and what their next values need.
    fn keep(&self, group: &[Var], kept: &mut Vec<Var>) {
        let mut waiting = group.to_vec();
        while let Some(variable) = waiting.pop() {
            if kept.contains(&variable) {
                continue;
            }
            kept.push(variable);
            let latch = self.game.latches.iter().find(|latch| latch.variable == variable);
            waiting.extend(latch.into_iter().flat_map(|latch| self.needed(&latch.next)));
        }
    }

    /// The latches that a function needs.
    fn needed(&self, function: &Bdd) -> Vec<Var> {
        let is_latch = |variable: &Var| self.game.latches.iter().any(|latch| latch.variable == *variable);
        function.support().into_iter().filter(is_latch).collect()
    }

    /// Latches that need each other, those with most behind them first: a group comes before what it needs.
    fn groups(&self) -> Vec<Vec<Var>> {
        let latches: Vec<Var> = self.game.latches.iter().map(|latch| latch.variable).collect();
        let mut behind: FxHashMap<Var, Vec<Var>> = FxHashMap::default();
        for &latch in &latches {
            let mut all = Vec::new();
            self.keep(&[latch], &mut all);
            behind.insert(latch, all);
        }
        let mut groups: Vec<Vec<Var>> = Vec::new();
        for &latch in &latches {
            let mutual = |group: &Vec<Var>| {
                let other = group[0];
                behind[&latch].contains(&other) && behind[&other].contains(&latch)
            };
            match groups.iter_mut().find(|group| mutual(group)) {
                Some(group) => group.push(latch),
                None => groups.push(vec![latch]),
            }
        }
        groups.sort_by_key(|group| std::cmp::Reverse(behind[&group[0]].len()));
        groups
    }
}
