//! All reachable states of a safe program, for others to check that no step leaves them.
//!
//! A search with reduction has not seen all of them, and one with trees or hashes does not have them at hand, so a program that was found to be safe is searched once more, plainly, if that takes
//! about as long as the search before; states that are unpacked and written as the interpreter has them say nothing of how this engine packs them.

use crate::program::explorer::ProgramSteps;
use crate::program::steps::action::Compiled;
use crate::program::steps::space::Successors;
use crate::program::steps::unpack::unpack;
use entail_budget::Budget;
use entail_program::Program;
use entail_program::closed_set::{ClosedSet, encode};
use entail_search::{Explorer, Searchable};
use rustc_hash::FxHashSet;

/// More states than this are not written down.
const MOST_STATES: usize = 400_000;

/// All reachable states; nothing if there are too many, or there is no time.
pub fn closed_set(program: &Program, compiled: &Compiled, budget: &Budget) -> Option<ClosedSet> {
    if program.has_unseen {
        return None;
    }
    let model = ProgramSteps {
        compiled,
        reducer: None,
    };
    let mut explorer = model.explorer(budget);
    let mut out = Successors::default();
    explorer.initial(&mut out).ok()?;
    let mut known: FxHashSet<Box<[u8]>> = FxHashSet::default();
    let mut pending: Vec<Box<[u8]>> = Vec::new();
    loop {
        for position in 0..out.list.len() {
            if out.list[position].fault.is_some() {
                return None;
            }
            let state = out.state(position);
            if !known.contains(state) {
                known.insert(state.into());
                pending.push(state.into());
            }
        }
        if known.len() > MOST_STATES {
            return None;
        }
        let Some(state) = pending.pop() else {
            break;
        };
        budget.check().ok()?;
        explorer.expand(&state, &mut out).ok()?;
    }
    let mut written = Vec::with_capacity(known.len());
    let mut bytes = Vec::new();
    for state in known {
        budget.check().ok()?;
        encode(&unpack(program, compiled, &state), &mut bytes);
        written.push(bytes.as_slice().into());
    }
    Some(ClosedSet::new(written))
}
