//! Reachability: is something wrong anywhere? How to search and what to keep is chosen here.

use crate::ending::{Counts, Ending};
use crate::model::Searchable;
use crate::options::{Order, SearchOptions, Storage};
use crate::order::breadth_first::{self, Position, Progression};
use crate::order::breadth_first_disk::OnDisk;
use crate::order::random_walk::random_walks;
use crate::order::{best_first, breadth_first_batches, breadth_first_lossy, context_bound};
use crate::order::{depth_first, depth_first_asleep, depth_first_together};
use crate::saved;
use crate::store::exact::Exact;
use crate::store::levels;
use crate::store::lossy::{Bitstate, HashCompact};
use crate::store::sharded::{PARTS, Sharded};
use crate::store::tree::Tree;
use crate::store::{Kept, Store, Visited};
use entail_budget::{Budget, Progress, default_memory_limit, resident_memory_bytes};
use std::io::BufRead;

/// What a search found and needed.
#[derive(Debug)]
pub struct Searched<F> {
    /// How it ended.
    pub ending: Ending<F>,
    /// What was counted.
    pub counts: Counts,
    /// Bytes for the states: of memory, and of files where they are on disk.
    pub bytes: u64,
    /// How states were stored in the end.
    pub storage: &'static str,
    /// If states may have been left out: how many likely were.
    pub omissions: Option<f64>,
    /// A state without successors, if one was seen: of those that are kept the first.
    pub dead_end: Option<Vec<u8>>,
}

impl<F> Searched<F> {
    /// If states may have been left out: the share that likely was seen.
    pub fn coverage(&self) -> Option<f64> {
        let states = self.counts.states as f64;
        self.omissions.map(|omissions| states / (states + omissions))
    }

    /// What is to be said of a search that found nothing, but may have left states out.
    pub fn left_out(&self) -> Option<String> {
        let omissions = self.omissions?;
        let probability = -f64::exp_m1(-omissions);
        Some(format!(
            "no violation found, but {} storage may leave states out: estimated coverage {}, probability that none was left out {}",
            self.storage,
            percent(self.coverage()?),
            percent(1.0 - probability),
        ))
    }
}

/// A share, never rounded up to the whole.
fn percent(share: f64) -> String {
    let missing = 100.0 * (1.0 - share);
    match missing {
        0.0 => "100%".into(),
        missing if missing < 0.01 => format!("100% - {missing:.1e}%"),
        _ => format!("{:.2}%", (100.0 * share * 100.0).floor() / 100.0),
    }
}

/// What is said of a search that is not begun.
fn refused<F>(reason: &'static str) -> Searched<F> {
    Searched {
        ending: Ending::Refused(reason),
        counts: Counts::default(),
        bytes: 0,
        storage: "none",
        omissions: None,
        dead_end: None,
    }
}

/// Where a search goes on.
enum Begun {
    /// In the store, from this position.
    Here(Position),
    /// On disk, where it was saved.
    OnDisk(Box<dyn BufRead + Send>),
}

/// Whether a file has a search that was on disk when it was saved.
fn is_of_disk(file: &mut dyn BufRead) -> bool {
    let begins = |bytes: &[u8]| bytes.starts_with(&levels::SAVED.to_le_bytes());
    file.fill_buf().is_ok_and(begins)
}

/// A search that can be begun.
struct Search<'s, M> {
    model: &'s M,
    options: &'s SearchOptions,
    budget: &'s Budget,
    progress: &'s dyn Progress,
}

/// Searches for what goes wrong.
pub fn search<M: Searchable>(
    model: &M,
    options: &SearchOptions,
    budget: &Budget,
    progress: &dyn Progress,
) -> Searched<M::Flaw> {
    let search = Search {
        model,
        options,
        budget,
        progress,
    };
    let is_plain = options.order == Order::BreadthFirst
        && options.context_bound.is_none()
        && !options.storage.is_lossy();
    if options.order == Order::Random {
        return match options.context_bound {
            None => search.at_random(),
            Some(_) => refused("random paths have no bound on changes of the moving process"),
        };
    }
    if options.depth_bound.is_some() && !is_plain {
        return refused("a bound on the depth is for breadth-first search with exact or tree storage");
    }
    if options.order == Order::BestFirst && (options.storage.is_lossy() || options.context_bound.is_some()) {
        return refused("best-first search needs exact or tree storage and has no bounds");
    }
    if options.storage == Storage::Disk && !is_plain {
        return refused(
            "states are kept on disk by breadth-first search, without a bound on changes of the moving process",
        );
    }
    if options.sleep_sets
        && let Some(reason) = no_sleep_sets(options)
    {
        return refused(reason);
    }
    if options.order == Order::DepthFirst && options.cycle_threads > 1 && options.context_bound.is_none() {
        return search.depth_first_together();
    }
    match options.storage {
        Storage::HashCompact(bits) => search.with_set(HashCompact::new(bits), "hash-compact"),
        Storage::Bitstate(bytes) => match Bitstate::new(bytes, Bitstate::HASHES) {
            Some(filter) if budget.memory_limit().is_none_or(|limit| bytes <= limit) => {
                search.with_set(filter, "bitstate")
            }
            _ => Searched {
                ending: Ending::NoMemory(bytes),
                counts: Counts::default(),
                bytes: 0,
                storage: "bitstate",
                omissions: None,
                dead_end: None,
            },
        },
        Storage::Disk => search.on_disk(),
        Storage::Tree => search.with_store(Tree::new(), "tree"),
        Storage::Exact => search.with_store(Exact::new(), "exact"),
        Storage::Auto if options.order != Order::BreadthFirst || options.context_bound.is_some() => {
            search.with_store(Exact::new(), "exact")
        }
        Storage::Auto => search.with_any_store(),
    }
}

/// Why a search cannot have sleep sets, if it cannot.
fn no_sleep_sets(options: &SearchOptions) -> Option<&'static str> {
    match options.order {
        _ if options.context_bound.is_some() => {
            Some("sleep sets leave out steps, so changes of the moving process cannot be counted with them")
        }
        _ if options.storage.is_lossy() || options.storage == Storage::Disk => {
            Some("sleep sets need exact or tree storage, beside whose states they are kept")
        }
        Order::BreadthFirst if options.reduction => {
            Some("breadth first, sleep sets go with all steps: with persistent sets, search depth first")
        }
        Order::DepthFirst if options.cycle_threads > 1 => Some("depth first, sleep sets are for one thread"),
        Order::BestFirst => Some("sleep sets are for breadth-first and depth-first search"),
        Order::BreadthFirst | Order::DepthFirst | Order::Random => None,
    }
}

impl<M: Searchable> Search<'_, M> {
    /// Along random paths.
    fn at_random(&self) -> Searched<M::Flaw> {
        let mut walks = self.options.walks;
        walks.length = walks.length.min(self.options.depth_bound.unwrap_or(u64::MAX));
        let threads = self.options.threads.max(1);
        let (ending, counts) = random_walks(self.model, walks, threads, self.budget, self.progress);
        Searched {
            ending,
            counts,
            ..refused("")
        }
    }

    fn with_set<V: Visited>(&self, mut visited: V, storage: &'static str) -> Searched<M::Flaw> {
        let mut counts = Counts::default();
        let mut dead_end = None;
        let tally = (&mut counts, &mut dead_end);
        let (model, budget, progress) = (self.model, self.budget, self.progress);
        let ending = match (self.options.order, self.options.threads) {
            (Order::BreadthFirst, 0 | 1) => {
                breadth_first_lossy::search(model, &mut visited, tally, budget, progress)
            }
            (Order::BreadthFirst, threads) => {
                breadth_first_batches::search(model, &mut visited, threads, tally, budget, progress)
            }
            (Order::DepthFirst | Order::BestFirst | Order::Random, _) => {
                depth_first::search(model, &mut visited, tally, budget, progress)
            }
        };
        Searched {
            ending,
            counts,
            bytes: visited.bytes(),
            storage,
            omissions: self
                .options
                .storage
                .is_lossy()
                .then(|| visited.expected_omissions()),
            dead_end,
        }
    }

    /// Depth first on several threads, whatever is kept of states.
    fn depth_first_together(&self) -> Searched<M::Flaw> {
        fn parts<V>(count: usize, mut part: impl FnMut() -> V) -> Vec<V> {
            (0..count).map(|_| part()).collect()
        }
        match self.options.storage {
            Storage::HashCompact(bits) => {
                self.with_parts(parts(PARTS, || HashCompact::new(bits)), "hash-compact")
            }
            Storage::Bitstate(bytes) => {
                let fits = self.budget.memory_limit().is_none_or(|limit| bytes <= limit);
                // Asked for as a whole first, so that a size that cannot be had is refused.
                let is_there = fits && Bitstate::new(bytes, Bitstate::HASHES).is_some();
                let part = || Bitstate::new(bytes / PARTS as u64, Bitstate::HASHES).filter(|_| is_there);
                match parts(PARTS, part).into_iter().collect::<Option<Vec<Bitstate>>>() {
                    Some(filters) => self.with_parts(filters, "bitstate"),
                    None => Searched {
                        ending: Ending::NoMemory(bytes),
                        storage: "bitstate",
                        ..refused("")
                    },
                }
            }
            // In few parts, because what states share is kept once in each.
            Storage::Tree => self.with_parts(parts(PARTS / 8, || Kept::new(Tree::new())), "tree"),
            Storage::Exact | Storage::Auto | Storage::Disk => {
                self.with_parts(parts(PARTS, || Kept::new(Exact::new())), "exact")
            }
        }
    }

    fn with_parts<V: Visited + Send>(&self, parts: Vec<V>, storage: &'static str) -> Searched<M::Flaw> {
        let visited = Sharded::new(parts);
        let (mut counts, mut dead_end) = (Counts::default(), None);
        let ending = depth_first_together::search(
            self.model,
            &visited,
            self.options.cycle_threads,
            (&mut counts, &mut dead_end),
            self.budget,
            self.progress,
        );
        Searched {
            ending,
            counts,
            bytes: visited.bytes(),
            storage,
            omissions: (self.options.storage.is_lossy()).then(|| visited.expected_omissions()),
            dead_end,
        }
    }

    fn with_store<S: Store>(&self, mut store: S, storage: &'static str) -> Searched<M::Flaw> {
        if let Some(bound) = self.options.context_bound {
            let mut counts = Counts::default();
            let (budget, progress) = (self.budget, self.progress);
            let ending = context_bound::search(self.model, &mut store, bound, &mut counts, budget, progress);
            return searched(ending, counts, &store, storage);
        }
        if self.options.order == Order::DepthFirst && self.options.sleep_sets {
            let (mut counts, mut dead_end) = (Counts::default(), None);
            let tally = (&mut counts, &mut dead_end);
            let ending =
                depth_first_asleep::search(self.model, &mut store, tally, self.budget, self.progress);
            return Searched {
                dead_end,
                ..searched(ending, counts, &store, storage)
            };
        }
        if self.options.order == Order::DepthFirst {
            return self.with_set(Kept::new(store), storage);
        }
        if self.options.order == Order::BestFirst {
            let mut counts = Counts::default();
            let ending = best_first::search(self.model, &mut store, &mut counts, self.budget, self.progress);
            return searched(ending, counts, &store, storage);
        }
        match self.begin(&mut store) {
            Ok(Begun::OnDisk(_)) => refused("the checkpoint is of a search on disk, which goes on there"),
            Ok(Begun::Here(mut position)) => {
                let ending = self.go_on(&mut store, &mut position, &|| false);
                searched(
                    ending.unwrap_or(Ending::TooMany),
                    position.counts,
                    &store,
                    storage,
                )
            }
            Err(ending) => searched(ending, Counts::default(), &store, storage),
        }
    }

    /// States as they are, until memory gets short; then as trees, then on disk.
    fn with_any_store(&self) -> Searched<M::Flaw> {
        let limit = self.budget.memory_limit().or_else(default_memory_limit);
        let is_above =
            |used: Option<u64>, share: Option<u64>| used.zip(share).is_some_and(|(used, share)| used > share);
        // While states are moved from one store to the other, both are there.
        let is_short = || is_above(resident_memory_bytes(), limit.map(|limit| limit / 2));
        let mut store = Exact::new();
        let mut position = match self.begin(&mut store) {
            Ok(Begun::Here(position)) => position,
            Ok(Begun::OnDisk(mut file)) => return self.resume_on_disk(&mut *file),
            Err(ending) => return searched(ending, Counts::default(), &store, "exact"),
        };
        if let Some(ending) = self.go_on(&mut store, &mut position, &is_short) {
            return searched(ending, position.counts, &store, "exact");
        }
        let mut tree = Tree::new();
        match saved::move_to(&store, &position, &mut tree) {
            Ok(moved) => position = moved,
            Err(refusal) => return searched(refusal.into(), position.counts, &store, "exact"),
        }
        drop(store);
        // What is gathered for the disk needs memory beside the tree.
        let is_short = || is_above(resident_memory_bytes(), limit.map(|limit| limit / 4 * 3));
        match self.go_on(&mut tree, &mut position, &is_short) {
            Some(ending) => searched(ending, position.counts, &tree, "tree"),
            None => self.move_to_disk(tree, &position),
        }
    }

    /// Goes on with a search on disk.
    fn move_to_disk<S: Store>(&self, store: S, position: &Position) -> Searched<M::Flaw> {
        let mut search = OnDisk::new(self.model, self.options, self.budget, self.progress);
        let folder = search.folder().display();
        (self.progress).warn(&format!(
            "memory gets short: the search goes on with its states in files in {folder}"
        ));
        let moved = search.move_here(&store, position);
        let mut counts = Counts {
            dead_end: None,
            ..position.counts
        };
        let mut dead_end = position.counts.dead_end.map(|state| store.copy(state));
        drop(store);
        let ending = match moved {
            Ok(()) => search.go_on((&mut counts, &mut dead_end)),
            Err(ending) => ending,
        };
        on_disk(ending, counts, &search, dead_end)
    }

    /// States on disk from the beginning on.
    fn on_disk(&self) -> Searched<M::Flaw> {
        let mut search = OnDisk::new(self.model, self.options, self.budget, self.progress);
        let (mut counts, mut dead_end) = (Counts::default(), None);
        if let Some(checkpoints) = &self.options.checkpoints
            && let Some(mut file) = checkpoints.saved()
        {
            if is_of_disk(&mut *file) {
                return self.resume_on_disk(&mut *file);
            }
            // Another store's: it comes through a tree.
            let mut tree = Tree::new();
            return match saved::load(&mut *file, &mut tree) {
                Ok(position) => self.move_to_disk(tree, &position),
                Err(error) => on_disk(Ending::File("the checkpoint", error), counts, &search, None),
            };
        }
        let ending = match search.begin() {
            Ok(()) => search.go_on((&mut counts, &mut dead_end)),
            Err(ending) => ending,
        };
        on_disk(ending, counts, &search, dead_end)
    }

    /// Goes on with a search that was saved on disk.
    fn resume_on_disk(&self, file: &mut dyn BufRead) -> Searched<M::Flaw> {
        let mut search = OnDisk::new(self.model, self.options, self.budget, self.progress);
        let (mut counts, mut dead_end) = (Counts::default(), None);
        let ending = match search.load(file, (&mut counts, &mut dead_end)) {
            Ok(()) => search.go_on((&mut counts, &mut dead_end)),
            Err(ending) => ending,
        };
        on_disk(ending, counts, &search, dead_end)
    }

    /// The position from which to go on: the saved one, or the beginning.
    fn begin<S: Store>(&self, store: &mut S) -> Result<Begun, Ending<M::Flaw>> {
        if let Some(checkpoints) = &self.options.checkpoints
            && let Some(mut file) = checkpoints.saved()
        {
            if is_of_disk(&mut *file) {
                return Ok(Begun::OnDisk(file));
            }
            let loaded = saved::load(&mut *file, store).map(Begun::Here);
            return loaded.map_err(|error| Ending::File("the checkpoint", error));
        }
        breadth_first::begin(self.model, store, self.budget).map(Begun::Here)
    }

    /// Goes on until the search ends; nothing if memory is short. What was done is saved on the way, and when time or memory is spent.
    fn go_on<S: Store>(
        &self,
        store: &mut S,
        position: &mut Position,
        is_short: &(dyn Fn() -> bool + Sync),
    ) -> Option<Ending<M::Flaw>> {
        let checkpoints = self.options.checkpoints.as_deref();
        let pauses = || is_short() || checkpoints.is_some_and(|checkpoints| checkpoints.is_due());
        loop {
            let went = breadth_first::go_on(
                self.model,
                store,
                position,
                self.options,
                self.budget,
                self.progress,
                &pauses,
            );
            let saves = match &went {
                Progression::Paused => checkpoints.filter(|checkpoints| checkpoints.is_due()),
                Progression::Ended(Ending::Spent(_)) => checkpoints,
                Progression::Ended(_) => None,
            };
            if let Some(checkpoints) = saves {
                checkpoints.save(&mut |file| saved::save(store, position, file));
            }
            match went {
                Progression::Ended(ending) => return Some(ending),
                Progression::Paused if is_short() => return None,
                Progression::Paused => {}
            }
        }
    }
}

fn on_disk<M: Searchable>(
    ending: Ending<M::Flaw>,
    counts: Counts,
    search: &OnDisk<'_, M>,
    dead_end: Option<Vec<u8>>,
) -> Searched<M::Flaw> {
    Searched {
        ending,
        counts,
        bytes: search.bytes(),
        storage: "disk",
        omissions: None,
        dead_end,
    }
}

fn searched<S: Store, F>(ending: Ending<F>, counts: Counts, store: &S, storage: &'static str) -> Searched<F> {
    Searched {
        ending,
        counts,
        bytes: store.bytes(),
        storage,
        omissions: None,
        dead_end: counts.dead_end.map(|state| store.copy(state)),
    }
}
