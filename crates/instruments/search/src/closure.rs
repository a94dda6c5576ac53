//! All reachable states, one after the other, for sets that others check.
//!
//! A search with reduction has not met all of them, a lossy one does not have them, and trees take them apart. So they are searched once more, plainly: every step of every state, on one thread,
//! with states kept as they are; the store is the queue. Nothing is judged here, but where a step goes wrong there is no closed set.

use crate::model::{Explorer, Searchable, Successors};
use crate::store::exact::Exact;
use crate::store::{StateNumber, Store};
use entail_budget::Budget;

/// Calls `visit` with each reachable state, in the order of their distance from the initial ones, and gives their number. Nothing if there are more than `most`, a step goes wrong, or the budget is spent.
pub fn closure<M: Searchable>(
    model: &M,
    most: u64,
    budget: &Budget,
    mut visit: impl FnMut(&[u8]),
) -> Option<u64> {
    let mut explorer = model.explorer(budget);
    let mut out = <M::Explorer<'_> as Explorer>::Successors::default();
    let mut store = Exact::new();
    let mut pen = store.pen(1);
    let mut state = Vec::new();
    let (mut next, mut count) = (0, 0u64);
    explorer.initial(&mut out).ok()?;
    loop {
        if out.first_flaw().is_some() {
            return None;
        }
        for position in 0..out.len() {
            let (_, is_new) = store.insert(&mut pen, out.state(position), None).ok()?;
            count += u64::from(is_new);
        }
        if count > most {
            return None;
        }
        budget.check().ok()?;
        while next < store.numbers() && !store.open(&mut pen, StateNumber(next), &mut state) {
            next += 1;
        }
        if next >= store.numbers() {
            return Some(count);
        }
        next += 1;
        visit(&state);
        explorer.expand(&state, &mut out).ok()?;
    }
}
