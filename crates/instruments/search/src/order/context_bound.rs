//! Iterative context bounding: paths with few changes of the moving action group first.
//!
//! Musuvathi, Qadeer, *Iterative context bounding for systematic testing of multithreaded programs* (PLDI 2007): most errors of concurrent programs need few changes
//! from one process to another. States are searched together with the group that moves; a step of another one costs a
//! change, and what costs one more waits for the next round. Without anything that waits, all states were seen.
//!
//! Where several groups take part in a step, none of them is a change, and the first goes on after one.

use crate::ending::{Cause, Counts, Ending, Violation};
use crate::model::{Explorer, Searchable, Successors};
use crate::store::{StateNumber, Store};
use entail_budget::{Budget, Progress, Snapshot};
use fixedbitset::FixedBitSet;
use std::collections::VecDeque;

/// No group has moved yet; so there can be 255 of them.
const NOBODY: u8 = 255;

/// What was reached: pairs of a state and the group that moves.
struct Pairs<'s, S: Store> {
    store: &'s mut S,
    pen: S::Pen,
    /// The pair before, in a path with the fewest changes, plus one; 0 before initial states.
    parents: Vec<u32>,
    /// Those that are expanded, or will be in this round.
    taken: FixedBitSet,
}

impl<S: Store> Pairs<'_, S> {
    /// A pair that can be reached from another: now, or after one more change. Whether it is to be kept for then.
    fn reach<F>(
        &mut self,
        pair: &[u8],
        parent: Option<StateNumber>,
        now: Option<&mut VecDeque<StateNumber>>,
    ) -> Result<Option<StateNumber>, Ending<F>> {
        let parent = parent.map_or(0, |parent| parent.0 + 1);
        let (number, new) = self.store.insert(&mut self.pen, pair, None)?;
        if new {
            self.parents.push(parent);
            self.taken.grow(number.index() + 1);
        }
        match now {
            Some(queue) if !self.taken.put(number.index()) => {
                self.parents[number.index()] = parent;
                queue.push_back(number);
            }
            None if new => return Ok(Some(number)),
            _ => {}
        }
        Ok(None)
    }

    /// The states that lead to a pair.
    fn violation<F>(&self, goal: StateNumber, cause: Cause<F>) -> Ending<F> {
        let mut path = Vec::new();
        let mut at = Some(goal);
        while let Some(number) = at {
            let mut state = self.store.copy(number);
            state.pop();
            path.push(state);
            at = self.parents[number.index()].checked_sub(1).map(StateNumber);
        }
        path.reverse();
        Ending::Violation(Violation { path, cause })
    }
}

/// Searches all states that can be reached with so many changes.
pub fn search<M: Searchable, S: Store>(
    model: &M,
    store: &mut S,
    bound: u32,
    counts: &mut Counts,
    budget: &Budget,
    progress: &dyn Progress,
) -> Ending<M::Flaw> {
    run(model, store, bound, counts, budget, progress).unwrap_or_else(|ending| ending)
}

fn run<M: Searchable, S: Store>(
    model: &M,
    store: &mut S,
    bound: u32,
    counts: &mut Counts,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Ending<M::Flaw>, Ending<M::Flaw>> {
    let mut state = Vec::new();
    let mut explorer = model.explorer(budget);
    let mut out = <M::Explorer<'_> as Explorer>::Successors::default();
    explorer.initial(&mut out)?;
    if let Some(flaw) = out.first_flaw() {
        let (path, cause) = (Vec::new(), Cause::Step(flaw.clone()));
        return Ok(Ending::Violation(Violation { path, cause }));
    }
    let mut pairs = Pairs {
        pen: store.pen(1),
        store,
        parents: Vec::new(),
        taken: FixedBitSet::new(),
    };
    let mut now = VecDeque::new();
    let mut later: Vec<StateNumber> = Vec::new();
    // A step that goes wrong after one more change.
    let mut flaw_later: Option<(StateNumber, M::Flaw)> = None;
    let mut pair = Vec::new();
    for position in 0..out.len() {
        pair.clear();
        pair.extend_from_slice(out.state(position));
        pair.push(NOBODY);
        pairs.reach(&pair, None, Some(&mut now))?;
    }
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
            // A state is inspected once for each group that leads to it.
            if let Some(flaw) = explorer.inspect(&state) {
                return Ok(pairs.violation(number, Cause::State(flaw)));
            }
            explorer.expand(&state, &mut out)?;
            counts.diverges |= out.diverges();
            if out.is_empty() && !out.diverges() && !explorer.may_end(&state) {
                return Ok(pairs.violation(number, Cause::End));
            }
            counts.transitions += out.len() as u64;
            for position in 0..out.len() {
                let goes_on = moving == NOBODY || out.takes_part(position, moving);
                if let Some(flaw) = out.flaw(position) {
                    if goes_on {
                        return Ok(pairs.violation(number, Cause::Step(flaw.clone())));
                    }
                    flaw_later.get_or_insert_with(|| (number, flaw.clone()));
                    continue;
                }
                pair.clear();
                pair.extend_from_slice(out.state(position));
                match goes_on {
                    true => {
                        pair.push(if moving == NOBODY {
                            out.group(position)
                        } else {
                            moving
                        });
                        pairs.reach(&pair, Some(number), Some(&mut now))?;
                    }
                    false => {
                        pair.push(out.group(position));
                        later.extend(pairs.reach(&pair, Some(number), None)?);
                    }
                }
            }
        }
        later.retain(|number| !pairs.taken.contains(number.index()));
        if later.is_empty() && flaw_later.is_none() {
            return Ok(Ending::Finished);
        }
        if changes == bound {
            return Ok(Ending::ContextBound(bound));
        }
        if let Some((number, flaw)) = flaw_later {
            return Ok(pairs.violation(number, Cause::Step(flaw)));
        }
        for number in later.drain(..) {
            pairs.taken.insert(number.index());
            now.push_back(number);
        }
    }
    Ok(Ending::Finished)
}
