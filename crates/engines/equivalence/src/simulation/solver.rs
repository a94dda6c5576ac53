//! Simulation by looking only at the pairs that matter.
//!
//! A pair `(s, t)` says that `t` can do what `s` can, again and again. It needs, for every step `s -a-> s'`, an answer `t -a-> t'`
//! with `(s', t')`. Starting from the pairs asked for, each needed answer *watches* one pair that would do, which is added and
//! looked at in turn; when a watched pair turns out to be wrong, the next answer is tried, and where none is left, all pairs
//! that need it are wrong, too. When nothing is left to do, the remaining pairs are a simulation. (The local fixpoint of Liu and
//! Smolka 1998; the counters of Henzinger, Henzinger and Kopke 1995 replaced by watches, so that pairs that nobody needs are never
//! made.) What a pair needs depends on the target `s'` and on the steps of `t` with action `a` only, so the need is shared between
//! all `s` that lead there.
//!
//! The system is reduced by strong bisimulation before, so that a state simulates itself and nothing else is known: pairs
//! `(s, s)` are never made. Time and memory are at most O(n m), and in practice follow the number of pairs reached.

use super::likeness::{Likeness, menus};
use super::matrix::Matrix;
use entail_budget::{Budget, Spent};
use entail_model::{ActionId, Lts, StateId};
use rustc_hash::{FxHashMap, FxHashSet};

const NONE: u32 = u32::MAX;

/// Why a pair is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// The states look different.
    Looks,
    /// The second can do an action that the first cannot, or the other way round (for ready simulation).
    Ready,
    /// Nothing answers this step.
    Step(ActionId, StateId),
}

struct Pair {
    s: StateId,
    t: StateId,
    /// [`NONE`], or the need that cannot be met, or one of the marks below.
    failed: u32,
    /// The first of the needs that watch this pair.
    watched_by: u32,
}

const LOOKS: u32 = NONE - 1;
const READY: u32 = NONE - 2;

/// That some step of `t` with an action leads to a state that simulates `target`.
struct Need {
    target: StateId,
    t: StateId,
    action: ActionId,
    /// The answers before this position among the successors have been tried in order.
    at: u32,
    /// The pair that is being watched; [`NONE`] if it needs no watching.
    watching: u32,
    /// The next need that watches the same pair.
    next_watcher: u32,
    /// The first of the pairs that have this need, in `dependents`.
    dependent: u32,
    hopeless: bool,
}

pub(crate) struct Solver<'a> {
    lts: &'a Lts,
    /// For ready simulation: the number of the set of actions of each state.
    menu: Option<Vec<u32>>,
    likeness: Likeness,
    /// What is known to hold, if that is known: then only wrong pairs are made.
    known: Option<&'a Matrix>,
    pairs: Vec<Pair>,
    numbers: FxHashMap<(StateId, StateId), u32>,
    needs: Vec<Need>,
    need_numbers: FxHashMap<(StateId, ActionId, StateId), u32>,
    dependents: Vec<(u32, u32)>,
    /// Pairs that have been made and not been looked at.
    queue: std::collections::VecDeque<u32>,
    /// Pairs that were found wrong, and whose watchers have not been told.
    wrong: Vec<u32>,
}

impl<'a> Solver<'a> {
    pub fn new(lts: &'a Lts, ready: bool, known: Option<&'a Matrix>) -> Solver<'a> {
        Solver {
            lts,
            menu: ready.then(|| menus(lts)),
            likeness: Likeness::of(lts),
            known,
            pairs: Vec::new(),
            numbers: FxHashMap::default(),
            needs: Vec::new(),
            need_numbers: FxHashMap::default(),
            dependents: Vec::new(),
            queue: std::collections::VecDeque::new(),
            wrong: Vec::new(),
        }
    }

    /// Whether `t` simulates `s`; nothing if more pairs than allowed would have to be made.
    pub fn holds(
        &mut self,
        s: StateId,
        t: StateId,
        most_pairs: usize,
        budget: &Budget,
    ) -> Result<Option<bool>, Spent> {
        if s == t {
            return Ok(Some(true));
        }
        let root = self.pair(s, t);
        loop {
            self.tell_watchers();
            if self.pairs[root as usize].failed != NONE {
                return Ok(Some(false));
            }
            let Some(next) = self.queue.pop_front() else {
                return Ok(Some(true));
            };
            budget.check()?;
            if self.pairs.len() > most_pairs {
                self.queue.push_front(next);
                return Ok(None);
            }
            self.look_at(next);
        }
    }

    fn pair(&mut self, s: StateId, t: StateId) -> u32 {
        let fresh = self.pairs.len() as u32;
        let number = *self.numbers.entry((s, t)).or_insert(fresh);
        if number == fresh {
            self.pairs.push(Pair {
                s,
                t,
                failed: NONE,
                watched_by: NONE,
            });
            let menu = self.menu.as_ref();
            if self.lts.colour(s) != self.lts.colour(t) {
                self.fail(fresh, LOOKS);
            } else if menu.is_some_and(|menu| menu[s.index()] != menu[t.index()]) {
                self.fail(fresh, READY);
            } else {
                self.queue.push_back(fresh);
            }
        }
        number
    }

    fn fail(&mut self, pair: u32, reason: u32) {
        let failed = &mut self.pairs[pair as usize].failed;
        if *failed == NONE {
            *failed = reason;
            self.wrong.push(pair);
        }
    }

    /// Finds what a pair needs.
    fn look_at(&mut self, number: u32) {
        let Pair { s, t, failed, .. } = self.pairs[number as usize];
        if failed != NONE {
            return;
        }
        let lts = self.lts;
        for (action, target) in lts.steps(s) {
            let need = self.need(target, action, t);
            if self.needs[need as usize].hopeless {
                self.fail(number, need);
                return;
            }
            if self.needs[need as usize].watching != NONE {
                let before = std::mem::replace(
                    &mut self.needs[need as usize].dependent,
                    self.dependents.len() as u32,
                );
                self.dependents.push((number, before));
            }
        }
    }

    fn need(&mut self, target: StateId, action: ActionId, t: StateId) -> u32 {
        let fresh = self.needs.len() as u32;
        let number = *self.need_numbers.entry((target, action, t)).or_insert(fresh);
        if number == fresh {
            self.needs.push(Need {
                target,
                t,
                action,
                at: 0,
                watching: NONE,
                next_watcher: NONE,
                dependent: NONE,
                hopeless: false,
            });
            let answers = self.lts.successors(t, action);
            let known = |known: &Matrix| answers.iter().any(|&answer| known.holds(target, answer));
            // A state simulates itself: then nothing is to be watched.
            if answers.binary_search(&target).is_err() && !self.known.is_some_and(known) {
                let alike = |&place: &usize| self.likeness.between(target, answers[place]);
                let place = (0..answers.len()).rev().max_by_key(alike).unwrap_or(0);
                self.watch(number, place);
            }
        }
        number
    }

    /// Watches an answer that has not failed, the given one if possible; without any, the need is hopeless.
    fn watch(&mut self, number: u32, preferred: usize) {
        let Need {
            target,
            t,
            action,
            at,
            ..
        } = self.needs[number as usize];
        let answers = self.lts.successors(t, action);
        let preferred = (preferred < answers.len()).then_some(preferred);
        for place in preferred.into_iter().chain(at as usize..answers.len()) {
            let pair = self.pair(target, answers[place]);
            if self.pairs[pair as usize].failed == NONE {
                let next = std::mem::replace(&mut self.pairs[pair as usize].watched_by, number);
                let need = &mut self.needs[number as usize];
                need.at = if Some(place) == preferred {
                    at
                } else {
                    place as u32
                };
                need.watching = pair;
                need.next_watcher = next;
                return;
            }
        }
        let need = &mut self.needs[number as usize];
        need.at = answers.len() as u32;
        need.hopeless = true;
    }

    /// Lets the watchers of wrong pairs look for other answers.
    fn tell_watchers(&mut self) {
        while let Some(pair) = self.wrong.pop() {
            let mut watcher = std::mem::replace(&mut self.pairs[pair as usize].watched_by, NONE);
            while watcher != NONE {
                let next = self.needs[watcher as usize].next_watcher;
                self.watch(watcher, usize::MAX);
                if self.needs[watcher as usize].hopeless {
                    let mut dependent = self.needs[watcher as usize].dependent;
                    while dependent != NONE {
                        let (pair, next) = self.dependents[dependent as usize];
                        self.fail(pair, watcher);
                        dependent = next;
                    }
                }
                watcher = next;
            }
        }
    }

    /// Why a pair that was looked at is wrong, and which pairs that rests on.
    pub fn why(&self, s: StateId, t: StateId) -> Option<Wrong> {
        let number = *self.numbers.get(&(s, t))?;
        match self.pairs[number as usize].failed {
            NONE => None,
            LOOKS => Some(Wrong::Looks),
            READY => Some(Wrong::Ready),
            need => {
                let need = &self.needs[need as usize];
                Some(Wrong::Step(need.action, need.target))
            }
        }
    }

    /// The pairs that a pair which holds rests on, with itself; added to those found already.
    pub fn relation_from(&self, s: StateId, t: StateId, found: &mut FxHashSet<(StateId, StateId)>) {
        let mut pending = vec![(s, t)];
        while let Some((s, t)) = pending.pop() {
            if s == t || !found.insert((s, t)) {
                continue;
            }
            for (action, target) in self.lts.steps(s) {
                let need = self.need_numbers.get(&(target, action, t));
                let watched = need.map(|&need| self.needs[need as usize].watching);
                if let Some(pair) = watched.and_then(|pair| self.pairs.get(pair as usize)) {
                    pending.push((pair.s, pair.t));
                }
            }
        }
    }
}
