//! The whole simulation preorder as a matrix of bits, one row for each block of the bisimulation.
//!
//! Row `s` has the states that may simulate `s`: at first those that look the same and can do at least the same actions. For a step
//! `s -a-> s'`, only states with a step `a` into row `s'` remain in row `s`; when a row has lost states, the rows of the states before it
//! are looked at again, until nothing changes (Bloom, Paige 1995; Henzinger, Henzinger, Kopke 1995, with the sets computed anew in place
//! of counters: n² bits instead of n² numbers). For systems in which nearly everything is related to nearly everything, where
//! single pairs would be too many. Only rows of states that the smaller side reaches are computed, and only states that the
//! larger side reaches are in them.

use super::likeness::menus;
use entail_budget::{Budget, Spent};
use entail_model::{ActionId, Lts, StateId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

pub(super) struct Matrix {
    words: usize,
    bits: Vec<u64>,
}

/// Systems with more states than this would need more than a gigabyte.
pub(super) const MOST_STATES: usize = 90_000;

impl Matrix {
    pub fn holds(&self, s: StateId, t: StateId) -> bool {
        self.bits[s.index() * self.words + t.index() / 64] >> (t.index() % 64) & 1 == 1
    }

    /// For what some states reach, which of the states that others reach simulate it.
    pub fn compute(
        lts: &Lts,
        ready: bool,
        smaller: &[StateId],
        larger: &[StateId],
        budget: &Budget,
    ) -> Result<Matrix, Spent> {
        let words = lts.state_count().div_ceil(64);
        let rows = reached(lts, smaller);
        let mut matrix = Matrix {
            words,
            bits: first_rows(lts, ready, &rows, &reached(lts, larger), words),
        };
        let incoming = Incoming::of(lts);
        let mut queue: VecDeque<StateId> = lts.states().filter(|state| rows[state.index()]).collect();
        let mut queued = rows.clone();
        let mut before = vec![0u64; words];
        while let Some(target) = queue.pop_front() {
            queued[target.index()] = false;
            for group in incoming.row(target).chunk_by(|a, b| a.0 == b.0) {
                budget.check_now()?;
                let action = group[0].0;
                before.fill(0);
                let row = &matrix.bits[target.index() * words..][..words];
                for (place, &word) in row.iter().enumerate() {
                    let mut rest = word;
                    while rest != 0 {
                        let t = place * 64 + rest.trailing_zeros() as usize;
                        rest &= rest - 1;
                        for source in incoming.sources(StateId::new(t as u32), action) {
                            before[source.1.index() / 64] |= 1 << (source.1.index() % 64);
                        }
                    }
                }
                for &(_, s) in group.iter().filter(|(_, s)| rows[s.index()]) {
                    let row = &mut matrix.bits[s.index() * words..][..words];
                    let mut lost = false;
                    for (word, keep) in row.iter_mut().zip(&before) {
                        lost |= *word & !keep != 0;
                        *word &= keep;
                    }
                    if lost && !std::mem::replace(&mut queued[s.index()], true) {
                        queue.push_back(s);
                    }
                }
            }
        }
        Ok(matrix)
    }
}

/// Which states are reached.
fn reached(lts: &Lts, from: &[StateId]) -> Vec<bool> {
    let mut reached = vec![false; lts.state_count()];
    let mut pending = from.to_vec();
    while let Some(state) = pending.pop() {
        if !std::mem::replace(&mut reached[state.index()], true) {
            pending.extend(lts.row(state).1);
        }
    }
    reached
}

/// The states that look the same and have at least (for ready simulation, exactly) the same actions; computed once for each kind.
fn first_rows(lts: &Lts, ready: bool, rows: &[bool], columns: &[bool], words: usize) -> Vec<u64> {
    let menu_of = menus(lts);
    let mut kinds: FxHashMap<(usize, u32), Vec<StateId>> = FxHashMap::default();
    for state in lts.states() {
        let kind = (lts.colour(state).index(), menu_of[state.index()]);
        kinds.entry(kind).or_default().push(state);
    }
    let actions = |state: StateId| lts.row(state).0;
    let mut bits = vec![0; lts.state_count() * words];
    let mut row = vec![0u64; words];
    for (kind, members) in &kinds {
        row.fill(0);
        for (other, larger) in &kinds {
            let more = |action: &ActionId| actions(larger[0]).binary_search(action).is_ok();
            let fits = kind == other || !ready && kind.0 == other.0 && actions(members[0]).iter().all(more);
            for state in larger.iter().filter(|state| fits && columns[state.index()]) {
                row[state.index() / 64] |= 1 << (state.index() % 64);
            }
        }
        for state in members.iter().filter(|state| rows[state.index()]) {
            bits[state.index() * words..][..words].copy_from_slice(&row);
        }
    }
    bits
}

/// The transitions backwards: for each state actions and sources, sorted.
struct Incoming {
    offsets: Vec<u32>,
    steps: Vec<(ActionId, StateId)>,
}

impl Incoming {
    fn of(lts: &Lts) -> Incoming {
        let n = lts.state_count();
        let mut offsets = vec![0u32; n + 1];
        for step in lts.transitions() {
            offsets[step.to.index() + 1] += 1;
        }
        for state in 0..n {
            offsets[state + 1] += offsets[state];
        }
        let mut place = offsets.clone();
        let mut steps = vec![(ActionId::new(0), StateId::new(0)); lts.transition_count()];
        for step in lts.transitions() {
            steps[place[step.to.index()] as usize] = (step.action, step.from);
            place[step.to.index()] += 1;
        }
        for state in 0..n {
            steps[offsets[state] as usize..offsets[state + 1] as usize].sort_unstable();
        }
        Incoming { offsets, steps }
    }

    fn row(&self, state: StateId) -> &[(ActionId, StateId)] {
        &self.steps[self.offsets[state.index()] as usize..self.offsets[state.index() + 1] as usize]
    }

    fn sources(&self, state: StateId, action: ActionId) -> &[(ActionId, StateId)] {
        let row = self.row(state);
        let start = row.partition_point(|step| step.0 < action);
        let end = row.partition_point(|step| step.0 <= action);
        &row[start..end]
    }
}
