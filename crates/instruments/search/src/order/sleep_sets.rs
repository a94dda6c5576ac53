//! Sleep sets: steps that are left out because they lead where a path that was taken leads, too.
//!
//! Godefroid, *Partial-Order Methods for the Verification of Concurrent Systems* (1996), chapter 5, with the action groups as what sleeps. The groups whose steps are taken in a state are in an order. Behind a step of
//! one of them sleep those before it in that order, and those that were asleep already, as far as they are independent of it: they were or will be taken first, and this step after them, to the same state.
//! So every state is found, along fewer steps; only what is asked of states and single steps can be decided.
//!
//! A state that is reached in several ways has one set: those asleep along all of them. Let *Z(s)* be that set. If for every step of a group *b* from *s* to *t* that was taken, *Z(t)* has only groups from *Z(s)* and from those before *b* that are independent of *b* in *s*,
//! every path *w* from *s* on that can begin with no group of *Z(s)*, whichever of its independent steps are taken first, is found up to such changes: take the first group in the order of *s* that *w* can begin with. It is not asleep, and what is left of *w* behind its step can begin with no group
//! of *Z(t)*, for *w* could have begun with it as well. At the beginning nobody sleeps. (With persistent sets besides, a step of the set that leads to a state of a later level, or visit, is taken where *w* has nothing of the set: that is the condition of the searches against putting off for ever, asked of steps that are awake.)
//!
//! Breadth first with all steps, shortest paths suffice, and changing the order of steps leaves a path as short as it is. So only sets from the level before count, which are all known when a state is expanded: nothing is ever done again, and sets are kept for two levels only ([`Frontier`]).
//! In other orders a state may be reached again with fewer groups asleep: these are then taken, as the first in its order ([`super::depth_first_asleep`]).

use crate::model::{Explorer, GroupSet, Successors};
use crate::store::Refusal;
use crate::store::segments::Segments;
use std::sync::atomic::{AtomicU64, Ordering};

/// Groups that are asleep in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asleep(u64);

impl Asleep {
    /// Nobody.
    pub const NOBODY: Asleep = Asleep(0);

    /// Whether a group sleeps.
    #[inline]
    pub fn contains(self, group: u8) -> bool {
        group < 64 && self.0 >> group & 1 == 1
    }

    /// Whether nobody sleeps.
    pub fn is_nobody(self) -> bool {
        self.0 == 0
    }

    /// As a set of groups.
    pub fn groups(self) -> GroupSet {
        GroupSet::from_low_word(self.0)
    }

    /// Those who sleep in both.
    pub fn both(self, other: Asleep) -> Asleep {
        Asleep(self.0 & other.0)
    }

    /// Those of these who do not sleep in the other.
    pub fn without(self, other: Asleep) -> Asleep {
        Asleep(self.0 & !other.0)
    }

    /// All others below 64.
    pub fn others(self) -> Asleep {
        Asleep(!self.0)
    }

    fn insert(&mut self, group: u8) {
        self.0 |= 1u64.checked_shl(group.into()).unwrap_or(0);
    }
}

/// Who sleeps behind the steps of the state at hand.
#[derive(Debug, Default)]
pub struct Behind {
    independent: Vec<(u8, GroupSet)>,
    found: Vec<(u8, Asleep)>,
}

impl Behind {
    /// Finds out who sleeps behind the steps that are taken from a state in which these are asleep. The order of groups is that of their first steps.
    pub fn settle<E: Explorer>(
        &mut self,
        explorer: &mut E,
        out: &E::Successors,
        asleep: Asleep,
        is_taken: impl Fn(u8) -> bool,
    ) {
        self.found.clear();
        self.independent.clear();
        explorer.independence(out, &asleep.groups(), &mut self.independent);
        let mut before = asleep;
        for position in 0..out.len() {
            let group = out.group(position);
            if !is_taken(group) || self.found.iter().any(|&(known, _)| known == group) {
                continue;
            }
            let independent = self.independent.iter().find(|(known, _)| *known == group);
            let independent = Asleep(independent.map_or(0, |(_, groups)| groups.low_word()));
            self.found.push((group, before.both(independent)));
            before.insert(group);
        }
    }

    /// Who sleeps behind the steps of a group.
    pub fn steps_of(&self, group: u8) -> Asleep {
        let found = self.found.iter().find(|(known, _)| *known == group);
        found.map_or(Asleep::NOBODY, |(_, asleep)| *asleep)
    }
}

/// Who sleeps in the states of a level and of the next, in a breadth-first search. What is kept are those awake, so that what nothing is known of is zero.
pub struct Frontier {
    now: (u32, Segments<AtomicU64, 12>),
    next: (u32, Segments<AtomicU64, 12>),
}

impl Frontier {
    /// In states with numbers less than this nobody sleeps.
    pub fn from(number: u32) -> Frontier {
        Frontier {
            now: (number, Segments::new()),
            next: (number, Segments::new()),
        }
    }

    /// The next level begins, and the one after it with this number.
    pub fn advance(&mut self, level_end: u32) {
        let next = std::mem::replace(&mut self.next, (level_end, Segments::new()));
        self.now = next;
    }

    /// Who sleeps in a state of this level.
    pub fn asleep(&self, number: u32) -> Result<Asleep, Refusal> {
        let (first, awake) = &self.now;
        let Some(place) = number.checked_sub(*first) else {
            return Ok(Asleep::NOBODY);
        };
        awake.reserve(place.into(), u64::from(place) + 1)?;
        Ok(Asleep(!awake.at(place).load(Ordering::Relaxed)))
    }

    /// A state was reached with these asleep. Only what leads to the next level counts.
    pub fn reach(&self, number: u32, asleep: Asleep) -> Result<(), Refusal> {
        let (first, awake) = &self.next;
        if let Some(place) = number.checked_sub(*first) {
            awake.reserve(place.into(), u64::from(place) + 1)?;
            awake.at(place).fetch_or(!asleep.0, Ordering::Relaxed);
        }
        Ok(())
    }
}
