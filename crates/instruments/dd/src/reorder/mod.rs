//! Dynamic reordering: what a caller can ask for, and the frame around every method.
//!
//! A reordering collects garbage, takes the nodes out of the common hash table into one table per variable
//! ([`level_tables`]), changes the order by swaps of adjacent levels, and puts the nodes back. Nodes are rewritten
//! in place, so edges and handles keep their meaning (chapter 7, section 7; Rudell 1993). The computed cache
//! forgets everything.
//!
//! All methods move *blocks* of adjacent variables. A block is a group chosen by the caller or a single variable.

mod exact;
mod interaction;
mod level_tables;
mod sift;

use crate::edge::Var;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use entail_budget::Budget;
use level_tables::LevelTables;
use std::cell::Cell;
use std::time::{Duration, Instant};

pub use exact::EXACT_LIMIT;

/// How to find a better order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// Each block in turn is moved through all positions and left at the best (Rudell's sifting; group sifting if
    /// there are groups).
    Sift,
    /// Sifting again and again until it gains less than one per cent.
    SiftToConvergence,
    /// The best order of all, by dynamic programming over sets of variables; for at most [`EXACT_LIMIT`]
    /// variables in use, ignoring groups.
    Exact,
    /// Exactly this order.
    Order(Vec<Var>),
    /// The blocks in a random order, from a seed; for tests.
    Random(u64),
}

/// What a reordering may cost. Whatever limit is met first ends it in a consistent state.
#[derive(Clone, Debug)]
pub struct ReorderLimits {
    /// While one block moves, the diagrams may grow to this multiple of their size.
    pub max_growth: f64,
    /// Level swaps in all, those that cost nothing not counted.
    pub max_swaps: u64,
    /// How many blocks are sifted, largest first.
    pub max_blocks: usize,
    /// Time in all.
    pub time: Option<Duration>,
}

impl Default for ReorderLimits {
    fn default() -> ReorderLimits {
        ReorderLimits {
            max_growth: 1.2,
            max_swaps: 2_000_000,
            max_blocks: 4000,
            time: None,
        }
    }
}

impl ReorderLimits {
    /// No limit but memory and the budget.
    pub fn unlimited() -> ReorderLimits {
        ReorderLimits {
            max_growth: f64::INFINITY,
            max_swaps: u64::MAX,
            max_blocks: usize::MAX,
            time: None,
        }
    }
}

/// What a reordering did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReorderReport {
    /// Nodes in use before.
    pub nodes_before: usize,
    /// Nodes in use after.
    pub nodes_after: usize,
    /// Swaps of adjacent levels.
    pub swaps: u64,
    /// Swaps of levels whose variables occur in no function together, which cost nothing.
    pub free_swaps: u64,
    /// Nodes looked at in swaps: a measure of cost that does not depend on the machine.
    pub visits: u64,
    /// Time it took.
    pub seconds: f64,
}

/// The partition of the variables into blocks: for each variable its group, if any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    group_of: Vec<u32>,
}

const ALONE: u32 = u32::MAX;

impl Groups {
    /// The groups, and the present order changed so that each group is contiguous below its topmost member.
    pub(crate) fn gather(groups: &[Vec<Var>], kernel: &Kernel) -> Result<(Vec<Var>, Groups)> {
        let mut group_of = vec![ALONE; kernel.level_of.len()];
        for (number, group) in groups.iter().enumerate() {
            for &var in group {
                match group_of.get_mut(var.index()) {
                    Some(slot) if *slot == ALONE => *slot = number as u32,
                    _ => return Err(Error::BadGroup(var)),
                }
            }
        }
        let mut order = Vec::new();
        let mut placed = vec![false; groups.len()];
        for &var in &kernel.var_at {
            match group_of[var as usize] {
                ALONE => order.push(Var(var)),
                number if !placed[number as usize] => {
                    placed[number as usize] = true;
                    order.extend_from_slice(&groups[number as usize]);
                }
                _ => {}
            }
        }
        Ok((order, Groups { group_of }))
    }

    fn of(&self, var: u32) -> u32 {
        self.group_of.get(var as usize).copied().unwrap_or(ALONE)
    }

    /// The sizes of the blocks from the top of the order down. Members that an order given by the caller tore
    /// apart form blocks of their own.
    fn block_sizes(&self, order: &[u32]) -> Vec<usize> {
        let mut sizes: Vec<usize> = Vec::new();
        let mut last = ALONE;
        for &var in order {
            let group = self.of(var);
            match sizes.last_mut() {
                Some(size) if group != ALONE && group == last => *size += 1,
                _ => sizes.push(1),
            }
            last = group;
        }
        sizes
    }
}

/// Why a reordering ended before it was through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReorderEnd {
    /// A limit of [`ReorderLimits`]: no error.
    Limit,
    /// The budget.
    Budget,
    /// No room for the nodes of another swap.
    Full,
}

/// Node visits after which the budget is looked at in any case.
const VISITS: u64 = 1 << 20;

/// Counts swaps and looks at the clock.
pub(crate) struct Meter<'a> {
    limits: &'a ReorderLimits,
    budget: &'a Budget,
    deadline: Option<Instant>,
    visits: Cell<u64>,
}

impl Meter<'_> {
    fn check(&self, tables: &LevelTables) -> std::result::Result<(), ReorderEnd> {
        if tables.swaps - tables.free_swaps >= self.limits.max_swaps
            || self.deadline.is_some_and(|end| Instant::now() >= end)
        {
            return Err(ReorderEnd::Limit);
        }
        // A swap of large levels takes long enough for a real look, which a cheap one only takes now and then.
        let look = if tables.visits > self.visits.get() + VISITS {
            self.visits.set(tables.visits);
            self.budget.check_now()
        } else {
            self.budget.check()
        };
        look.map_err(|_| ReorderEnd::Budget)
    }
}

/// Runs a reordering. The inner result tells whether it was cut short; the store is consistent in any case.
pub(crate) fn run(
    kernel: &mut Kernel,
    groups: &Groups,
    method: Method,
    limits: &ReorderLimits,
    budget: &Budget,
) -> Result<(ReorderReport, Result<()>)> {
    let started = Instant::now();
    if let Method::Order(order) = &method {
        check_order(order, kernel.level_of.len())?;
    }
    kernel.collect();
    let target = match &method {
        Method::Exact => Some(exact::best_order(kernel)?),
        Method::Order(order) => Some(order.iter().map(|var| var.0).collect()),
        Method::Random(seed) => Some(shuffled(kernel, groups, *seed)),
        Method::Sift | Method::SiftToConvergence => None,
    };
    let meter = Meter {
        visits: Cell::new(0),
        limits,
        budget,
        deadline: limits.time.and_then(|time| started.checked_add(time)),
    };
    let mut tables = LevelTables::open(kernel);
    let nodes_before = tables.total();
    let outcome = match target {
        Some(order) => tables.move_to(&order, &meter),
        None => loop {
            let before = tables.total();
            let pass = sift::sift(&mut tables, groups, &meter);
            let converged = method == Method::Sift || tables.total() * 100 >= before * 99;
            match pass {
                // An order was not found for lack of room; the one reached is as good as any.
                Ok(()) | Err(ReorderEnd::Full) if converged => break Ok(()),
                Ok(()) | Err(ReorderEnd::Full) => {}
                Err(halt) => break Err(halt),
            }
        },
    };
    let report = ReorderReport {
        nodes_before,
        nodes_after: tables.total(),
        swaps: tables.swaps,
        free_swaps: tables.free_swaps,
        visits: tables.visits,
        seconds: started.elapsed().as_secs_f64(),
    };
    tables.close();
    let ended = match outcome {
        Ok(()) | Err(ReorderEnd::Limit) => Ok(()),
        Err(ReorderEnd::Full) => Err(Error::OutOfMemory {
            capacity: kernel.capacity(),
        }),
        Err(ReorderEnd::Budget) => match budget.check_now() {
            Err(spent) => Err(Error::Spent(spent)),
            // Memory that was over the limit for a moment only.
            Ok(()) => Ok(()),
        },
    };
    Ok((report, ended))
}

fn check_order(order: &[Var], variables: usize) -> Result<()> {
    let mut missing = vec![true; variables];
    for &var in order {
        match missing.get_mut(var.index()) {
            Some(slot) if *slot => *slot = false,
            _ => return Err(Error::NotAnOrder(var)),
        }
    }
    match missing.iter().position(|&missing| missing) {
        Some(var) => Err(Error::NotAnOrder(Var::new(var))),
        None => Ok(()),
    }
}

/// A random permutation of the blocks (xorshift; quality hardly matters).
fn shuffled(kernel: &Kernel, groups: &Groups, seed: u64) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below
    };
    let mut blocks: Vec<&[u32]> = Vec::new();
    let mut rest = kernel.var_at.as_slice();
    for size in groups.block_sizes(&kernel.var_at) {
        let (block, below) = rest.split_at(size);
        blocks.push(block);
        rest = below;
    }
    for i in (1..blocks.len()).rev() {
        blocks.swap(i, draw(i + 1));
    }
    blocks.concat()
}
