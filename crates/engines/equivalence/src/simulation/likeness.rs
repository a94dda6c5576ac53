//! How alike two states are: for how many steps they cannot be told apart. Hashes, so a guess: it says which answer to try first.

use entail_model::{ActionId, Lts, StateId};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

const STEPS: usize = 4;

pub(super) struct Likeness(Vec<[u32; STEPS]>);

impl Likeness {
    pub fn of(lts: &Lts) -> Likeness {
        let mut now: Vec<u32> = lts
            .states()
            .map(|state| lts.colour(state).index() as u32)
            .collect();
        let mut hashes: Vec<[u32; STEPS]> = vec![[0; STEPS]; lts.state_count()];
        let mut steps: Vec<(ActionId, u32)> = Vec::new();
        let mut round = 0;
        while round < STEPS {
            let before = now.clone();
            for state in lts.states() {
                steps.clear();
                steps.extend(lts.steps(state).map(|(action, to)| (action, before[to.index()])));
                steps.sort_unstable();
                steps.dedup();
                let mut hasher = FxHasher::default();
                (before[state.index()], &steps).hash(&mut hasher);
                now[state.index()] = (hasher.finish() >> 32) as u32;
                hashes[state.index()][round] = now[state.index()];
            }
            round += 1;
        }
        Likeness(hashes)
    }

    /// The number of steps for which two states are alike.
    pub fn between(&self, s: StateId, t: StateId) -> usize {
        let (s, t) = (&self.0[s.index()], &self.0[t.index()]);
        s.iter().zip(t).take_while(|(s, t)| s == t).count()
    }
}

/// The number of the set of actions of each state.
pub(super) fn menus(lts: &Lts) -> Vec<u32> {
    let mut numbers: FxHashMap<Vec<ActionId>, u32> = FxHashMap::default();
    let menus = lts.states().map(|state| {
        let mut menu = lts.row(state).0.to_vec();
        menu.dedup();
        let fresh = numbers.len() as u32;
        *numbers.entry(menu).or_insert(fresh)
    });
    menus.collect()
}
