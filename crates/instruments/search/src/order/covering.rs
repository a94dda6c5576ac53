//! Searches of ordered states, where one state can stand for others: zones of timed automata, markings of nets.
//!
//! A state that another one covers can be left out: whatever the small one can do, the large one can do, too, and comes to a state that covers (Abdulla, Čerāns, Jonsson, Tsay, *General
//! decidability theorems for infinite-state systems*, LICS 1996, have the order; Daws, Tripakis, *Model checking of real-time reachability properties using abstractions*, TACAS 1998, the inclusion of zones). What is kept
//! is an antichain for each discrete part: a new state that is covered is dropped, and those that it covers are taken out; they are not expanded if they wait, and stay only for the paths through them.
//!
//! Cost: for each new state a comparison with all that are kept for its discrete part. One thread.

use crate::ending::{Cause, Counts, Ending, Violation};
use crate::model::{Explorer, Searchable, Successors};
use crate::options::Order;
use entail_budget::{Budget, Progress, Snapshot};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// States of which some cover others.
pub trait Ordered: Explorer {
    /// How many bytes at the beginning of a state are its discrete part. A state covers only states with the same.
    fn discrete(&self, state: &[u8]) -> usize;

    /// Whether one state covers another: what goes wrong from the small one on goes wrong from the large one on. A preorder.
    fn covers(&mut self, large: &[u8], small: &[u8]) -> bool;
}

/// What a search of ordered states found and needed.
#[derive(Debug)]
pub struct Covered<F> {
    /// How it ended.
    pub ending: Ending<F>,
    /// What was counted: all states that were new when they were found.
    pub counts: Counts,
    /// States that are covered by no other in the end.
    pub maximal: u64,
    /// Bytes of memory for the states.
    pub bytes: u64,
}

/// A state that was found.
struct Entry {
    begin: usize,
    end: usize,
    /// The state it was reached from, plus one; 0 for initial states.
    parent: u32,
    is_covered: bool,
}

/// The states.
#[derive(Default)]
struct Antichains {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// By discrete part: those that are covered by none.
    kept: FxHashMap<Vec<u8>, Vec<u32>>,
}

impl Antichains {
    fn state(&self, number: u32) -> &[u8] {
        let entry = &self.entries[number as usize];
        &self.bytes[entry.begin..entry.end]
    }

    /// The number of a new state; nothing if it is covered.
    fn insert<E: Ordered>(&mut self, explorer: &mut E, state: &[u8], parent: u32) -> Option<u32> {
        let discrete = &state[..explorer.discrete(state)];
        let number = self.entries.len() as u32;
        let (bytes, entries) = (&self.bytes, &mut self.entries);
        match self.kept.get_mut(discrete) {
            None => {
                self.kept.insert(discrete.to_vec(), vec![number]);
            }
            Some(kept) => {
                let of = |entries: &[Entry], other: u32| {
                    let entry = &entries[other as usize];
                    entry.begin..entry.end
                };
                if kept
                    .iter()
                    .any(|&other| explorer.covers(&bytes[of(entries, other)], state))
                {
                    return None;
                }
                kept.retain(|&other| {
                    let is_covered = explorer.covers(state, &bytes[of(entries, other)]);
                    entries[other as usize].is_covered = is_covered;
                    !is_covered
                });
                kept.push(number);
            }
        }
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(state);
        self.entries.push(Entry {
            begin,
            end: self.bytes.len(),
            parent,
            is_covered: false,
        });
        Some(number)
    }

    fn violation<F>(&self, goal: u32, cause: Cause<F>) -> Ending<F> {
        let mut path = Vec::new();
        let mut at = Some(goal);
        while let Some(number) = at {
            path.push(self.state(number).to_vec());
            at = self.entries[number as usize].parent.checked_sub(1);
        }
        path.reverse();
        Ending::Violation(Violation { path, cause })
    }
}

/// Searches for what goes wrong, leaving out what is covered.
pub fn search_covering<M>(
    model: &M,
    order: Order,
    budget: &Budget,
    progress: &dyn Progress,
) -> Covered<M::Flaw>
where
    M: Searchable,
    for<'m> M::Explorer<'m>: Ordered,
{
    let mut states = Antichains::default();
    let mut counts = Counts::default();
    let ending = run(model, order, &mut states, &mut counts, budget, progress);
    Covered {
        ending: ending.unwrap_or_else(|ending| ending),
        counts,
        maximal: states.kept.values().map(|kept| kept.len() as u64).sum(),
        bytes: (states.bytes.len() + states.entries.len() * (size_of::<Entry>() + 8)) as u64,
    }
}

fn run<M>(
    model: &M,
    order: Order,
    states: &mut Antichains,
    counts: &mut Counts,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Ending<M::Flaw>, Ending<M::Flaw>>
where
    M: Searchable,
    for<'m> M::Explorer<'m>: Ordered,
{
    let mut explorer = model.explorer(budget);
    let mut out = <M::Explorer<'_> as Explorer>::Successors::default();
    let mut waiting: VecDeque<u32> = VecDeque::new();
    let mut state = Vec::new();
    explorer.initial(&mut out)?;
    // The state whose successors are in the list, plus one.
    let mut parent = 0;
    loop {
        if let Some(flaw) = out.first_flaw() {
            let cause = Cause::Step(flaw.clone());
            return Ok(match parent {
                0 => Ending::Violation(Violation {
                    path: Vec::new(),
                    cause,
                }),
                parent => states.violation(parent - 1, cause),
            });
        }
        for position in 0..out.len() {
            let Some(number) = states.insert(&mut explorer, out.state(position), parent) else {
                continue;
            };
            if number == u32::MAX - 1 {
                return Err(Ending::TooMany);
            }
            counts.states += 1;
            if let Some(flaw) = explorer.inspect(out.state(position)) {
                return Ok(states.violation(number, Cause::State(flaw)));
            }
            waiting.push_back(number);
        }
        let next = loop {
            let next = match order {
                Order::BreadthFirst => waiting.pop_front(),
                Order::DepthFirst | Order::BestFirst | Order::Random => waiting.pop_back(),
            };
            match next {
                Some(next) if states.entries[next as usize].is_covered => {}
                next => break next,
            }
        };
        let Some(next) = next else {
            return Ok(Ending::Finished);
        };
        budget.check()?;
        if counts.states.is_multiple_of(1024) {
            progress.report(&Snapshot {
                phase: "searching ordered states",
                states: Some(counts.states),
                frontier: Some(waiting.len() as u64),
                ..Snapshot::default()
            });
        }
        state.clear();
        state.extend_from_slice(states.state(next));
        explorer.expand(&state, &mut out)?;
        counts.transitions += out.len() as u64;
        counts.diverges |= out.diverges();
        if out.is_empty() && !out.diverges() && !explorer.may_end(&state) {
            return Ok(states.violation(next, Cause::End));
        }
        parent = next + 1;
    }
}
