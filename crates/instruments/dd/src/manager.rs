//! The manager: owner of the nodes, the variables and their order.
//!
//! Everything behind it is locked as a whole while an operation runs; what an operation needs besides computing
//! (room in the tables, garbage collection, a better order) is the business of [`crate::upkeep`].
//!
//! **Memory.** The limit is turned into a node capacity: a node costs 16 bytes, its share of hash table, handle
//! counts and computed cache about 28 more.

use crate::bdd::Bdd;
use crate::edge::{Edge, Var};
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Step, Unwind};
use crate::recursion::Recursion;
use crate::reorder::{Groups, Method, ReorderLimits, ReorderReport};
use crate::upkeep::{AutoReorder, State};
use entail_budget::Budget;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard};

/// Bytes of memory planned for one node: itself, hash bucket, handle count, cache entries, reordering's counts.
const BYTES_PER_NODE: u64 = 48;
/// Memory assumed if none is given.
const DEFAULT_MEMORY: u64 = 6 << 30;
/// Variables per manager.
const MAX_VARIABLES: usize = 1 << 24;

/// How a manager is set up.
#[derive(Clone, Debug)]
pub struct Config {
    /// Memory for nodes and tables, in bytes. Only what is used is taken from the system.
    pub memory: u64,
    /// Threads that work on one operation.
    pub threads: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            memory: DEFAULT_MEMORY,
            threads: 1,
        }
    }
}

/// Numbers about a manager, for progress reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Nodes in the table, dead ones included.
    pub nodes: usize,
    /// The largest number of nodes so far.
    pub peak_nodes: usize,
    /// Nodes that fit into the memory limit.
    pub capacity: usize,
    /// Entries of the computed cache.
    pub cache_entries: usize,
    /// Variables.
    pub variables: usize,
    /// Garbage collections so far.
    pub collections: usize,
    /// Reorderings so far.
    pub reorderings: usize,
    /// Seconds spent in reorderings.
    pub reordering_seconds: f64,
    /// Level swaps so far.
    pub swaps: u64,
}

/// Owner of decision diagrams over one set of variables. Clones are the same manager.
#[derive(Clone)]
pub struct Manager(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) external: Arc<Box<[AtomicU32]>>,
    pub(crate) state: Mutex<State>,
    pool: Option<rayon::ThreadPool>,
}

impl Manager {
    /// A manager without variables. If the system refuses to reserve the memory, half of it is tried, and so on.
    pub fn new(config: &Config) -> Result<Manager> {
        let mut capacity = (config.memory / BYTES_PER_NODE).max(1 << 10) as usize;
        let kernel = loop {
            let cache_bits = capacity.ilog2();
            match Kernel::new(capacity, cache_bits) {
                Some(kernel) => break kernel,
                None if capacity > 1 << 16 => capacity /= 2,
                None => return Err(Error::OutOfMemory { capacity: 0 }),
            }
        };
        let pool = if config.threads > 1 {
            rayon::ThreadPoolBuilder::new()
                .num_threads(config.threads)
                .build()
                .ok()
        } else {
            None
        };
        let forks = if pool.is_some() {
            4 + usize::BITS - config.threads.leading_zeros()
        } else {
            0
        };
        Ok(Manager(Arc::new(Shared {
            external: kernel.external.clone(),
            state: Mutex::new(State::new(kernel, forks)),
            pool,
        })))
    }

    /// A manager whose tables fit the memory of a budget, and whose operations watch the budget.
    pub fn for_budget(budget: &Budget, threads: usize) -> Result<Manager> {
        // Three quarters: the process has other needs too.
        let memory = budget
            .memory_limit()
            .map_or(DEFAULT_MEMORY, |limit| limit - limit / 4);
        let manager = Manager::new(&Config { memory, threads })?;
        manager.watch(budget);
        Ok(manager)
    }

    /// From now on operations end with [`Error::Spent`] when this budget is spent.
    pub fn watch(&self, budget: &Budget) {
        self.state().watch(budget);
    }

    /// A new variable, last in the order.
    pub fn new_var(&self) -> Result<Var> {
        let mut state = self.state();
        let kernel = &mut state.kernel;
        let index = kernel.level_of.len();
        if index >= MAX_VARIABLES {
            return Err(Error::TooManyVariables { limit: MAX_VARIABLES });
        }
        kernel.level_of.push(index as u32);
        kernel.var_at.push(index as u32);
        Ok(Var(index as u32))
    }

    /// Several new variables, last in the order.
    pub fn new_vars(&self, count: usize) -> Result<Vec<Var>> {
        (0..count).map(|_| self.new_var()).collect()
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.state().kernel.level_of.len()
    }

    /// The function that is always true.
    pub fn one(&self) -> Bdd {
        self.constant(true)
    }

    /// The function that is always false.
    pub fn zero(&self) -> Bdd {
        self.constant(false)
    }

    /// A constant function.
    pub fn constant(&self, value: bool) -> Bdd {
        Bdd::hold(self, Edge::TRUE.with_parity((!value).into()))
    }

    /// The function that is the value of a variable.
    pub fn var(&self, var: Var) -> Result<Bdd> {
        self.run(|r| {
            let level = r.kernel.level_of[var.index()];
            r.variable(level)
        })
    }

    /// The function that is true iff the variable has the value.
    pub fn literal(&self, var: Var, value: bool) -> Result<Bdd> {
        let positive = self.var(var)?;
        Ok(if value { positive } else { positive.not() })
    }

    /// The conjunction of literals; false if a variable occurs with both values. Costs one node a literal.
    pub fn cube(&self, literals: impl IntoIterator<Item = (Var, bool)>) -> Result<Bdd> {
        let literals: Vec<(Var, bool)> = literals.into_iter().collect();
        self.run(|r| {
            let mut sorted: Vec<(u32, bool)> = literals
                .iter()
                .map(|&(var, value)| (r.kernel.level_of[var.index()], value))
                .collect();
            sorted.sort_unstable();
            sorted.dedup();
            if sorted.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Ok(Edge::FALSE);
            }
            sorted
                .iter()
                .rev()
                .try_fold(Edge::TRUE, |below, &(level, value)| {
                    if value {
                        r.node(level, Edge::FALSE, below)
                    } else {
                        r.node(level, below, Edge::FALSE)
                    }
                })
        })
    }

    /// A set of variables as a positive cube, as quantification wants it.
    pub fn var_set(&self, vars: impl IntoIterator<Item = Var>) -> Result<Bdd> {
        self.cube(vars.into_iter().map(|var| (var, true)))
    }

    /// The level of a variable, 0 being the top.
    pub fn level(&self, var: Var) -> usize {
        self.state().kernel.level_of[var.index()] as usize
    }

    /// The variables from the top level down.
    pub fn order(&self) -> Vec<Var> {
        self.state().kernel.var_at.iter().map(|&var| Var(var)).collect()
    }

    /// Moves the variables into the given order by level swaps. Stops early, with an error, when the nodes no
    /// longer fit or the budget is spent; the diagrams are then right in the order reached.
    pub fn set_order(&self, order: &[Var]) -> Result<ReorderReport> {
        self.state()
            .reorder(Method::Order(order.to_vec()), &ReorderLimits::unlimited())
    }

    /// The sets of variables that move as blocks in reordering, instead of all groups so far. Variables named in no
    /// group move alone. The
    /// members of a group are brought together, in the listed order, below its topmost member.
    pub fn set_groups(&self, groups: &[Vec<Var>]) -> Result<()> {
        let mut state = self.state();
        let (order, groups) = Groups::gather(groups, &state.kernel)?;
        state.groups = groups;
        state.reorder(Method::Order(order), &ReorderLimits::unlimited())?;
        Ok(())
    }

    /// Improves the order now.
    pub fn reorder(&self, method: Method, limits: &ReorderLimits) -> Result<ReorderReport> {
        self.state().reorder(method, limits)
    }

    /// Switches reordering by growth on or off.
    pub fn set_auto_reorder(&self, auto: Option<AutoReorder>) {
        self.state().set_auto_reorder(auto);
    }

    /// Frees the nodes that no handle reaches. Called automatically; costs a pass over all nodes.
    pub fn collect_garbage(&self) {
        self.state().kernel.collect();
    }

    /// The nodes reachable from the handles in existence, the leaf not counted.
    pub fn live_nodes(&self) -> usize {
        let mut state = self.state();
        state.kernel.collect();
        state.kernel.live_after_collection
    }

    /// Numbers for reports.
    pub fn statistics(&self) -> Statistics {
        self.state().statistics()
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // A panic inside an operation leaves at worst unreachable nodes behind.
        self.0
            .state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A number for a new substitution.
    pub(crate) fn next_identity(&self) -> u32 {
        self.state().next_identity()
    }

    /// Runs an operation until it ends or cannot be helped. The operation may run several times, and levels may
    /// change between the runs.
    pub(crate) fn run(&self, operation: impl FnMut(&mut Recursion) -> Step + Send) -> Result<Bdd> {
        let mut state = self.state();
        let edge = state.run(self.0.pool.as_ref(), operation)?;
        // Before the lock is released: otherwise another thread could collect the result.
        Ok(Bdd::hold(self, edge))
    }

    /// Like [`Manager::run`] for operations whose result is no function.
    pub(crate) fn ask<T: Send>(
        &self,
        operation: impl FnMut(&mut Recursion) -> std::result::Result<T, Unwind> + Send,
    ) -> Result<T> {
        self.state().run(self.0.pool.as_ref(), operation)
    }
}
