//! Reachability with a table of bits (Holzmann 1987; for zones as UPPAAL's bit-state hashing): of each symbolic state only two bits of a table are kept, so that a large model is searched in the memory there is.
//!
//! Symbolic states with the same bits are taken for one another, and what only the second leads to is missed. So a run that is found is exact, and that nothing is found proves nothing: the answer says how much of the
//! state space was seen, estimated by how full the table was when states were looked up. The search is depth first; its stack is the path. Zones are extrapolated, since equal ones are recognised only.

use crate::concrete::{Path, PathStep};
use crate::cover_search::{model_trouble, run_along, split, tame};
use crate::settings::Settings;
use crate::space::{Constraint, Space, StateId, Stepped, Transition};
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_clocks::discrete::Trouble;
use entail_clocks::evidence::Proof;
use entail_zones::{Extrapolation, Zone};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A table of bits.
struct Table {
    words: Vec<u64>,
    /// A mask of the positions.
    mask: u64,
    set: u64,
    stored: u64,
    /// How many states were probably taken for others.
    missed: f64,
}

impl Table {
    /// An empty table of 2^n bits.
    fn new(n: u32) -> Table {
        let bits = 1u64 << n.clamp(6, 40);
        Table {
            words: vec![0; (bits / 64) as usize],
            mask: bits - 1,
            set: 0,
            stored: 0,
            missed: 0.0,
        }
    }

    /// Stores a state; false if it, or another one with the same bits, was there.
    fn add(&mut self, state: StateId, zone: &Zone) -> bool {
        let place = |seed: u64| {
            let mut hasher = FxHasher::default();
            (seed, state, zone.cells()).hash(&mut hasher);
            // The upper half is mixed best.
            let hash = hasher.finish();
            (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20 & self.mask
        };
        let full = self.set as f64 / (self.mask + 1) as f64;
        let mut is_new = false;
        for place in [place(1), place(0x5851_f42d_4c95_7f2d)] {
            let (word, bit) = ((place / 64) as usize, 1 << (place % 64));
            if self.words[word] & bit == 0 {
                self.words[word] |= bit;
                self.set += 1;
                is_new = true;
            }
        }
        if is_new {
            self.stored += 1;
            self.missed += full * full;
        }
        is_new
    }

    /// The share of the states that was probably seen. What only missed states lead to is not counted.
    fn coverage(&self) -> f64 {
        let stored = self.stored as f64;
        match self.stored {
            0 => 1.0,
            _ => stored / (stored + self.missed),
        }
    }
}

/// A symbolic state on the stack.
struct Frame {
    state: StateId,
    zone: Zone,
    /// How it is reached from the frame below.
    step: Option<PathStep>,
    transitions: Arc<[Transition]>,
    /// The next of them.
    next: usize,
}

/// A depth-first search.
struct Search<'s, 'n> {
    space: &'s mut Space<'n>,
    extrapolation: Option<Extrapolation>,
    table: Table,
    stack: Vec<Frame>,
    /// Parts of what a step leads to that are still to be entered, with the height of the stack below them.
    parts: Vec<(usize, StateId, Zone, Option<PathStep>)>,
    found: Option<Vec<Constraint>>,
    trouble: Option<(Path, u32, Trouble)>,
}

/// Looks for a state that the query's formula describes, with a table of 2^n bits.
pub(crate) fn reach(
    space: &mut Space<'_>,
    settings: Settings,
    bits: u32,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let mut search = Search {
        space,
        extrapolation: Some(settings.extrapolation.unwrap_or(Extrapolation::LuPlus)),
        table: Table::new(bits),
        stack: Vec::new(),
        parts: Vec::new(),
        found: None,
        trouble: None,
    };
    let result = search.run(budget, counters);
    counters.stored = search.table.stored;
    result?;
    if let Some(goal) = search.found.take() {
        let path = search.path();
        return run_along(search.space, &path, &goal);
    }
    match search.trouble.take() {
        Some((path, transition, trouble)) => Err(model_trouble(search.space, &path, transition, trouble)),
        None => Err(Stop::Partial {
            coverage: search.table.coverage(),
        }),
    }
}

impl Search<'_, '_> {
    fn run(&mut self, budget: &Budget, counters: &mut Counters) -> Result<(), Stop> {
        for state in self.space.initial().map_err(Stop::at_start)? {
            if let Some(zone) = self.space.begin(state) {
                self.offer(state, zone, None);
            }
            self.explore(budget, counters)?;
        }
        Ok(())
    }

    fn explore(&mut self, budget: &Budget, counters: &mut Counters) -> Result<(), Stop> {
        while self.found.is_none() {
            if (self.parts.last()).is_some_and(|part| part.0 == self.stack.len()) {
                if let Some((_, state, zone, step)) = self.parts.pop() {
                    self.enter(state, zone, step)?;
                }
                continue;
            }
            budget.check()?;
            let Some(top) = self.stack.last_mut() else { break };
            let Some(&transition) = top.transitions.get(top.next) else {
                self.stack.pop();
                continue;
            };
            let number = top.next as u32;
            top.next += 1;
            counters.steps += 1;
            let mut zone = top.zone.clone();
            match self.space.step(&mut zone, transition) {
                Stepped::Empty => {}
                Stepped::Fault(trouble) => {
                    if self.trouble.is_none() {
                        self.trouble = Some((self.path(), number, trouble));
                    }
                }
                Stepped::To(target) => {
                    counters.visited += 1;
                    self.offer(target, zone, Some(PathStep::of(transition, target)));
                }
            }
        }
        Ok(())
    }

    /// Notes the parts of a zone on either side of the tracked differences.
    fn offer(&mut self, state: StateId, zone: Zone, step: Option<PathStep>) {
        let height = self.stack.len();
        let parts = split(self.space, zone).into_iter();
        self.parts
            .extend(parts.map(|(part, _)| (height, state, part, step)));
    }

    /// Enters a symbolic state, unless it is known.
    fn enter(&mut self, state: StateId, mut zone: Zone, step: Option<PathStep>) -> Result<(), Stop> {
        tame(self.space, self.extrapolation, &mut zone, state)?;
        let goal = self.space.meets(state, 0, &zone);
        if goal.is_none() && !self.table.add(state, &zone) {
            return Ok(());
        }
        self.stack.push(Frame {
            state,
            transitions: self.space.transitions_from(state, Some(&zone)),
            zone,
            step,
            next: 0,
        });
        self.found = goal;
        Ok(())
    }

    /// The path on the stack.
    fn path(&self) -> Path {
        Path {
            first: self.stack[0].state,
            steps: self.stack.iter().filter_map(|frame| frame.step).collect(),
        }
    }
}
