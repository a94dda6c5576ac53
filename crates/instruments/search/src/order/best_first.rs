//! Best-first search: states that promise most first.
//!
//! An explorer estimates how far a state is from what is looked for ([`Explorer::estimate`]); the state with the smallest estimate is expanded next, the older one of two. A good estimate leads to violations after few states (Edelkamp,
//! Lluch Lafuente, Leue, *Directed explicit model checking with HSF-SPIN*, 2001), a bad one costs a logarithm; whatever it says, all states are searched unless something is found. Paths need not be shortest.
//! Nothing is left out by reduction: the order has no levels that would show that a step is put off for ever.

use super::breadth_first::path_to;
use crate::ending::{Cause, Counts, Ending, Violation};
use crate::model::{Explorer, Searchable, Successors};
use crate::store::{StateNumber, Store};
use entail_budget::{Budget, Progress, Snapshot};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Searches all states.
pub fn search<M: Searchable, S: Store>(
    model: &M,
    store: &mut S,
    counts: &mut Counts,
    budget: &Budget,
    progress: &dyn Progress,
) -> Ending<M::Flaw> {
    run(model, store, counts, budget, progress).unwrap_or_else(|ending| ending)
}

fn run<M: Searchable, S: Store>(
    model: &M,
    store: &mut S,
    counts: &mut Counts,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Ending<M::Flaw>, Ending<M::Flaw>> {
    let mut explorer = model.explorer(budget);
    let mut out = <M::Explorer<'_> as Explorer>::Successors::default();
    let mut pen = store.pen(1);
    let mut open: BinaryHeap<Reverse<(u64, StateNumber)>> = BinaryHeap::new();
    let mut state = Vec::new();
    let mut parent: Option<StateNumber> = None;
    // By number, how many steps its path has.
    let mut depths: Vec<u32> = Vec::new();
    explorer.initial(&mut out)?;
    loop {
        if let Some(flaw) = out.first_flaw() {
            let path = parent.map_or_else(Vec::new, |parent| path_to(store, parent));
            let cause = Cause::Step(flaw.clone());
            return Ok(Ending::Violation(Violation { path, cause }));
        }
        for position in 0..out.len() {
            let (number, is_new) = store.insert(&mut pen, out.state(position), parent)?;
            if !is_new {
                continue;
            }
            counts.states += 1;
            let depth = parent.map_or(0, |parent| depths[parent.index()] + 1);
            depths.resize(number.index() + 1, depth);
            counts.depth = counts.depth.max(depth.into());
            if let Some(flaw) = explorer.inspect(out.state(position)) {
                let (path, cause) = (path_to(store, number), Cause::State(flaw));
                return Ok(Ending::Violation(Violation { path, cause }));
            }
            open.push(Reverse((explorer.estimate(out.state(position)), number)));
        }
        let Some(Reverse((estimate, number))) = open.pop() else {
            return Ok(Ending::Finished);
        };
        if counts.states.is_multiple_of(8192) {
            progress.report(&Snapshot {
                phase: "searching the most promising states",
                depth: Some(estimate),
                states: Some(counts.states),
                frontier: Some(open.len() as u64),
                nodes: None,
            });
        }
        budget.check()?;
        store.open(&mut pen, number, &mut state);
        parent = Some(number);
        explorer.expand(&state, &mut out)?;
        counts.diverges |= out.diverges();
        counts.transitions += out.len() as u64;
        if out.is_empty() && !out.diverges() {
            if !explorer.may_end(&state) {
                let (path, cause) = (path_to(store, number), Cause::End);
                return Ok(Ending::Violation(Violation { path, cause }));
            }
            counts.dead_end.get_or_insert(number);
        }
    }
}
