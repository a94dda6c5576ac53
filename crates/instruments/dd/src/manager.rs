//! The manager: owner of the nodes, the variables and their order; runs operations and mends what interrupts them.
//!
//! An operation runs on the locked kernel until it ends or unwinds (see [`crate::recursion`]). Between attempts
//! the manager grows the tables, collects garbage or improves the order, so callers see none of this: a handle is
//! the same function before and after.
//!
//! **When what happens.** Garbage is collected at the start of an operation, once the nodes made since the last
//! collection outnumber the survivors (and a floor); inside an operation only when the store is full. Reordering
//! happens, if switched on, when the nodes outgrow a threshold, also in the middle of an operation; the threshold
//! then becomes a multiple of the size reached. An operation that makes many nodes from few is not interrupted for
//! the same operands twice; what it may make doubles with each interruption, so its work at most doubles too.
//!
//! **Memory.** The limit is turned into a node capacity: a node costs 16 bytes, its share of hash table, handle
//! counts and computed cache about 28 more.

use crate::bdd::Bdd;
use crate::edge::{Edge, Var};
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Step, Stop};
use crate::recursion::{Recursion, Watch, stack_bytes};
use crate::reorder::{self, Groups, Method, ReorderLimits, ReorderReport};
use entail_budget::Budget;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard};

/// Bytes of memory planned for one node: itself, hash bucket, handle count, cache entries, reordering's counts.
const BYTES_PER_NODE: u64 = 48;
/// Memory assumed if none is given.
const DEFAULT_MEMORY: u64 = 6 << 30;
/// Variables per manager.
pub(crate) const MAX_VARIABLES: usize = 1 << 24;
/// Fewer new nodes than this never cause a collection.
const COLLECTION_FLOOR: usize = 1 << 16;

/// New nodes that never cause a thought about reordering (unless the threshold is lower still).
const TRIGGER_SLACK: usize = 1 << 10;

/// Visits of a node in reordering that cost as much as a cache miss of an operation.
const STEPS_PER_STEP: f64 = 4.0;

/// When the manager looks after its tables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum During {
    /// Before an operation.
    Pause,
    /// In the middle of one, which is then run again.
    Operation,
}

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

/// When the order is improved without being asked.
#[derive(Clone, Debug)]
pub struct AutoReorder {
    /// How.
    pub method: Method,
    /// The first reordering happens when this many nodes are in use.
    pub first_at: usize,
    /// The next reordering happens when the nodes in use have grown by this factor since the last.
    pub growth: f64,
    /// What one reordering may cost.
    pub limits: ReorderLimits,
}

impl Default for AutoReorder {
    fn default() -> AutoReorder {
        AutoReorder {
            method: Method::Sift,
            first_at: 4096,
            growth: 2.0,
            limits: ReorderLimits::default(),
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

pub(crate) struct State {
    pub(crate) kernel: Kernel,
    watch: Watch,
    forks: u32,
    auto: Option<AutoReorder>,
    reorder_at: usize,
    /// Nodes granted to the running operation before it is interrupted for reordering again.
    patience: usize,
    /// Nodes after the last automatic reordering.
    sifted_size: usize,
    pub(crate) groups: Groups,
    next_identity: u32,
    reorderings: usize,
    reordering_seconds: f64,
    swaps: u64,
    /// Cache misses of operations, and node visits of reorderings, so far.
    operation_steps: u64,
    reordering_steps: u64,
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
            state: Mutex::new(State {
                kernel,
                watch: Watch::default(),
                forks,
                auto: None,
                reorder_at: usize::MAX,
                patience: 0,
                sifted_size: 0,
                groups: Groups::default(),
                next_identity: 0,
                reorderings: 0,
                reordering_seconds: 0.0,
                swaps: 0,
                operation_steps: 0,
                reordering_steps: 0,
            }),
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
        self.state().watch.budget = Budget::unlimited()
            .with_timeout(budget.time_left())
            .with_memory(budget.memory_limit())
            .with_cancellation(budget.cancellation().clone());
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

    /// The sets of variables that move as blocks in reordering. Variables named in no group move alone. The
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
        let mut state = self.state();
        state.reorder_at = auto.as_ref().map_or(usize::MAX, |auto| auto.first_at);
        state.auto = auto;
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
        let state = self.state();
        let nodes = state.kernel.used();
        Statistics {
            nodes,
            peak_nodes: state.kernel.peak.max(nodes),
            capacity: state.kernel.capacity(),
            cache_entries: state.kernel.cache.len(),
            variables: state.kernel.level_of.len(),
            collections: state.kernel.collections,
            reorderings: state.reorderings,
            reordering_seconds: state.reordering_seconds,
            swaps: state.swaps,
        }
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
        let mut state = self.state();
        state.next_identity += 1;
        if state.next_identity >= 1 << 31 {
            state.kernel.cache.clear();
            state.next_identity = 0;
        }
        state.next_identity
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
        operation: impl FnMut(&mut Recursion) -> std::result::Result<T, Stop> + Send,
    ) -> Result<T> {
        self.state().run(self.0.pool.as_ref(), operation)
    }
}

impl State {
    fn run<T: Send>(
        &mut self,
        pool: Option<&rayon::ThreadPool>,
        mut operation: impl FnMut(&mut Recursion) -> std::result::Result<T, Stop> + Send,
    ) -> Result<T> {
        self.tidy()?;
        let mut was_full = false;
        let mut forks = 0;
        loop {
            let stock = std::mem::take(&mut self.kernel.stock);
            let may_widen = forks < self.forks;
            let mut recursion = Recursion::new(&self.kernel, &self.watch, stock, forks, may_widen);
            let stack = stack_bytes(&self.kernel);
            let mut attempt = || stacker::maybe_grow(stack, stack * 2, || operation(&mut recursion));
            let outcome = match pool {
                Some(pool) if forks > 0 => pool.install(attempt),
                _ => attempt(),
            };
            self.operation_steps += recursion.steps();
            self.kernel.stock = recursion.stock;
            match outcome {
                Ok(result) => return Ok(result),
                Err(Stop::Spent) => {
                    let spent = self
                        .watch
                        .spent
                        .lock()
                        .expect("no panic while the lock is held")
                        .take();
                    return Err(Error::Spent(
                        spent.expect("a recursion that stops for the budget says why"),
                    ));
                }
                Err(Stop::Widen) => forks = self.forks,
                Err(Stop::Attend) => self.attend(During::Operation)?,
                Err(Stop::Full) if !was_full => {
                    was_full = true;
                    self.kernel.collect();
                }
                Err(Stop::Full) => {
                    return Err(Error::OutOfMemory {
                        capacity: self.kernel.capacity(),
                    });
                }
            }
        }
    }

    /// Work that is due between two operations.
    fn tidy(&mut self) -> Result<()> {
        let used = self.kernel.used();
        let since = used.saturating_sub(self.kernel.live_after_collection);
        if since > self.kernel.live_after_collection.max(COLLECTION_FLOOR) {
            self.kernel.collect();
        }
        self.patience = 0;
        if self.kernel.used() > self.reorder_trigger() || self.kernel.used() > self.kernel.comfortable() / 2 {
            self.attend(During::Pause)?;
        } else {
            self.set_attention();
        }
        Ok(())
    }

    /// The number of nodes that makes an automatic reordering worth a thought: above the threshold, well above
    /// what the last collection left, and above what the running operation was granted.
    fn reorder_trigger(&self) -> usize {
        if self.auto.is_none() {
            return usize::MAX;
        }
        let live = self.kernel.live_after_collection;
        self.reorder_at
            .max(live + live / 4 + TRIGGER_SLACK.min(self.reorder_at))
            .max(self.patience)
    }

    /// Makes room in the tables, and improves the order if that is due.
    fn attend(&mut self, during: During) -> Result<()> {
        let trigger = self.reorder_trigger();
        if self.kernel.used() >= trigger
            && let Some(auto) = self.auto.clone()
        {
            let live = match during {
                During::Pause => {
                    self.kernel.collect();
                    self.kernel.live_after_collection
                }
                // What the operation made so far is not held by anybody, but worth keeping unless the order changes.
                During::Operation => self.kernel.count_live(),
            };
            let due = match during {
                During::Pause => live >= self.reorder_at,
                // The operands are worth another order if they are much of what was counted, and were not just put
                // in order.
                During::Operation => live * 2 >= self.reorder_at && live * 10 > self.sifted_size * 13,
            };
            if due {
                self.reorder(auto.method, &auto.limits)?;
                self.sifted_size = self.kernel.used();
                let next = ((self.sifted_size as f64 * auto.growth) as usize).max(auto.first_at);
                self.reorder_at = next * self.reluctance(live);
            }
            if during == During::Operation {
                // Not again before the operation has made many more nodes.
                self.patience = trigger * 2;
            }
        }
        self.kernel.grow_tables();
        self.set_attention();
        Ok(())
    }

    /// By what factor the next reordering is put off. Where reordering gains little, it is tried half as often; and
    /// also where it has cost much more than the operations it was for. Counted in steps, not seconds, so that runs
    /// can be repeated.
    fn reluctance(&self, before: usize) -> usize {
        let fruitless = self.sifted_size * 10 > before * 9;
        let ratio = self.reordering_steps as f64 / STEPS_PER_STEP / (self.operation_steps + 10_000) as f64;
        (1 + usize::from(fruitless))
            * if ratio > 8.0 {
                4
            } else if ratio > 2.0 {
                2
            } else {
                1
            }
    }

    fn set_attention(&mut self) {
        self.kernel
            .set_attend_at(self.kernel.comfortable().min(self.reorder_trigger()));
    }

    pub(crate) fn reorder(&mut self, method: Method, limits: &ReorderLimits) -> Result<ReorderReport> {
        let outcome = reorder::run(&mut self.kernel, &self.groups, method, limits, &self.watch.budget);
        let (report, ended) = outcome?;
        self.reorderings += 1;
        self.reordering_seconds += report.seconds;
        self.swaps += report.swaps;
        self.reordering_steps += report.visits + report.swaps;
        self.kernel.grow_tables();
        self.set_attention();
        ended?;
        Ok(report)
    }
}
