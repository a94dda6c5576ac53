//! Iterative context bounding: runs with few changes of the moving process first.
//!
//! Musuvathi, Qadeer, *Iterative context bounding for systematic testing of multithreaded programs* (PLDI 2007): most errors of concurrent programs need few changes
//! from one process to another. States are searched together with the process that moves; a step of another one costs a
//! change, and what costs one more waits for the next round. Without anything that waits, all states were seen.
//!
//! Where several processes take part in a step, none of them is a change, and the first goes on after one.

use super::ending::{Counts, Ending, Violation};
use crate::program::explorer::{Explorer, Model};
use crate::program::steps::space::Successors;
use crate::program::store::{StateNumber, Store};
use entail_budget::{Budget, Progress, Snapshot};
use entail_program::Fault;
use fixedbitset::FixedBitSet;
use std::collections::VecDeque;

/// No process has moved yet.
const NOBODY: u8 = 255;

/// What was reached: pairs of a state and the process that moves.
struct Pairs<'s, S: Store> {
    store: &'s mut S,
    pen: S::Pen,
    /// The pair before, in a run with the fewest changes.
    parents: Vec<u32>,
    /// Those that are expanded, or will be in this round.
    taken: FixedBitSet,
}

impl<S: Store> Pairs<'_, S> {
    /// A pair that can be reached from another: now, or after one more change. Whether it is to be kept for then.
    fn reach(
        &mut self,
        pair: &[u8],
        parent: StateNumber,
        now: Option<&mut VecDeque<StateNumber>>,
    ) -> Result<Option<StateNumber>, Ending> {
        let (number, new) = self.store.insert(&mut self.pen, pair, None)?;
        if new {
            self.parents.push(parent.0);
            self.taken.grow(number.index() + 1);
        }
        match now {
            Some(queue) if !self.taken.put(number.index()) => {
                self.parents[number.index()] = parent.0;
                queue.push_back(number);
            }
            None if new => return Ok(Some(number)),
            _ => {}
        }
        Ok(None)
    }

    /// The states that lead to a pair.
    fn violation(&self, goal: StateNumber, fault: Option<Fault>) -> Ending {
        let mut path = Vec::new();
        let mut at = goal;
        loop {
            let mut state = self.store.copy(at);
            state.pop();
            path.push(state);
            if at.0 == 0 {
                break;
            }
            at = StateNumber(self.parents[at.index()]);
        }
        path.reverse();
        Ending::Violation(Violation { path, fault })
    }
}

/// Searches all states that can be reached with so many changes.
pub fn search<M: Model, S: Store>(
    model: &M,
    store: &mut S,
    bound: u32,
    counts: &mut Counts,
    budget: &Budget,
    progress: &dyn Progress,
) -> Ending {
    run(model, store, bound, counts, budget, progress).unwrap_or_else(|ending| ending)
}

fn run<M: Model, S: Store>(
    model: &M,
    store: &mut S,
    bound: u32,
    counts: &mut Counts,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Ending, Ending> {
    let mut state = model.initial().map_err(Ending::no_beginning)?;
    let mut explorer = model.explorer(budget);
    let mut out = Successors::default();
    let mut pairs = Pairs {
        pen: store.pen(1),
        store,
        parents: Vec::new(),
        taken: FixedBitSet::new(),
    };
    let mut now = VecDeque::new();
    let mut later: Vec<StateNumber> = Vec::new();
    // A step that goes wrong after one more change.
    let mut fault_later: Option<(StateNumber, Fault)> = None;
    let mut pair = Vec::new();
    state.push(NOBODY);
    pairs.reach(&state, StateNumber(0), Some(&mut now))?;
    for changes in 0.. {
        while let Some(number) = now.pop_front() {
            if counts.states.is_multiple_of(8192) {
                progress.report(&Snapshot {
                    phase: "searching runs with few changes of the process",
                    depth: Some(changes.into()),
                    states: Some(counts.states),
                    frontier: Some(now.len() as u64),
                    nodes: None,
                });
            }
            budget.check()?;
            counts.states += 1;
            counts.depth = changes.into();
            pairs.store.open(&mut pairs.pen, number, &mut state);
            let moving = state.pop().unwrap_or(NOBODY);
            explorer.expand(&state, &mut out)?;
            counts.diverges |= out.diverges;
            if out.list.is_empty() && !out.diverges && !explorer.is_valid_end(&state) {
                return Ok(pairs.violation(number, None));
            }
            counts.transitions += out.list.len() as u64;
            let goes_on = |position: usize| {
                let successor = &out.list[position];
                let takes_part = 1u64
                    .checked_shl(moving.into())
                    .is_some_and(|bit| successor.movers & bit != 0);
                moving == NOBODY || successor.process == moving || takes_part
            };
            for position in 0..out.list.len() {
                let successor = &out.list[position];
                if let Some(fault) = &successor.fault {
                    if goes_on(position) {
                        return Ok(pairs.violation(number, Some(fault.clone())));
                    }
                    fault_later.get_or_insert_with(|| (number, fault.clone()));
                    continue;
                }
                pair.clear();
                pair.extend_from_slice(out.state(position));
                match goes_on(position) {
                    true => {
                        pair.push(if moving == NOBODY {
                            successor.process
                        } else {
                            moving
                        });
                        pairs.reach(&pair, number, Some(&mut now))?;
                    }
                    false => {
                        pair.push(successor.process);
                        later.extend(pairs.reach(&pair, number, None)?);
                    }
                }
            }
        }
        later.retain(|number| !pairs.taken.contains(number.index()));
        if later.is_empty() && fault_later.is_none() {
            return Ok(Ending::Finished);
        }
        if changes == bound {
            return Ok(Ending::Bound(bound));
        }
        if let Some((number, fault)) = fault_later {
            return Ok(pairs.violation(number, Some(fault)));
        }
        for number in later.drain(..) {
            pairs.taken.insert(number.index());
            now.push_back(number);
        }
    }
    Ok(Ending::Finished)
}
