//! How to search: the same options for every kind of system.

use std::fmt::Debug;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// How states are searched: all of them in an order, or some along random paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Nearest first: shortest paths.
    #[default]
    BreadthFirst,
    /// Newest first: deep states early, long paths.
    DepthFirst,
    /// No search of all states: along random paths, without keeping any, which finds violations and proves nothing ([`WalkOptions`]).
    Random,
    /// The most promising first, by what the system estimates ([`crate::Explorer::estimate`]).
    BestFirst,
}

/// How states are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Exactly; as trees when memory gets short, and on disk when that does not suffice.
    #[default]
    Auto,
    /// As they are.
    Exact,
    /// With what they share kept once.
    Tree,
    /// In files, sorted: [`DiskOptions`] says where.
    Disk,
    /// Only a hash of each, with so many bits: some may be left out.
    HashCompact(u32),
    /// Only a few bits for each in so many bytes: some may be left out.
    Bitstate(u64),
}

impl Storage {
    /// Whether states may be left out.
    pub fn is_lossy(self) -> bool {
        matches!(self, Storage::HashCompact(_) | Storage::Bitstate(_))
    }
}

/// How random paths are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkOptions {
    /// So many in all.
    pub count: u64,
    /// Each of at most so many steps.
    pub length: u64,
    /// What chance begins with: the same gives the same paths on one thread.
    pub seed: u64,
}

impl Default for WalkOptions {
    fn default() -> WalkOptions {
        WalkOptions {
            count: 10_000,
            length: 10_000,
            seed: 1,
        }
    }
}

/// Where states are that are kept on disk, and what is kept in memory of them.
#[derive(Clone, Debug, Default)]
pub struct DiskOptions {
    /// The folder of the files, which have no names and are gone when the search ends; by default the one for temporary files.
    pub folder: Option<PathBuf>,
    /// Bytes of memory for states that wait to be sorted; by default half of what the memory limit leaves, or an eighth of the machine's memory.
    pub buffer: Option<u64>,
}

/// When a successor function is compiled to machine code, for kinds of systems that can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MachineCode {
    /// Never.
    Never,
    /// What is visited so often that it pays.
    #[default]
    WhenItPays,
    /// All of it, at once.
    Always,
}

/// Where a search is saved on the way, and one that was saved before is found.
pub trait Checkpoints: Debug + Send + Sync {
    /// Whether it is time to save the search.
    fn is_due(&self) -> bool;

    /// Saves what is written. Either all of it is there afterwards, or what was there before; a search that cannot be saved goes on, so whoever implements this says so.
    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>);

    /// The search to go on with, if there is one; it is given out once.
    fn saved(&self) -> Option<Box<dyn BufRead + Send>>;
}

/// How to search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Every action group that can always move from some time on does.
    pub weak_fairness: bool,
    /// Steps that do not get in each other's way are taken in one order where that suffices.
    pub reduction: bool,
    /// Steps are left out that lead where a path through independent steps leads, too (sleep sets): all states are found, along fewer steps.
    pub sleep_sets: bool,
    /// How states are stored.
    pub storage: Storage,
    /// Where states are that are kept on disk.
    pub disk: DiskOptions,
    /// In which order states are searched.
    pub order: Order,
    /// How random paths are taken, where that is the order.
    pub walks: WalkOptions,
    /// The longest paths that are followed, breadth first and at random.
    pub depth_bound: Option<u64>,
    /// The paths with the fewest changes of the moving group first, up to so many changes.
    pub context_bound: Option<u32>,
    /// How many threads there may be.
    pub threads: usize,
    /// How many threads there may be in searches for cycles and depth first. With more than one, which path is found is left to chance, and reduction leaves out less.
    pub cycle_threads: usize,
    /// A level of a breadth-first search with fewer states is left to one thread.
    pub wide_level: u32,
    /// Where the search is saved on the way.
    pub checkpoints: Option<Arc<dyn Checkpoints>>,
    /// When the successor function is compiled to machine code.
    pub machine_code: MachineCode,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            weak_fairness: false,
            reduction: true,
            sleep_sets: false,
            storage: Storage::Auto,
            disk: DiskOptions::default(),
            order: Order::BreadthFirst,
            walks: WalkOptions::default(),
            depth_bound: None,
            context_bound: None,
            threads: 1,
            cycle_threads: 1,
            wide_level: 2048,
            checkpoints: None,
            machine_code: MachineCode::default(),
        }
    }
}
