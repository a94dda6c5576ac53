//! The nodes of a cover, to be looked up by discrete state, and whether one of them covers a zone.
//!
//! Discrete states are compared as the bytes that evidence keeps them in. Nodes stand in the order of the hashes of these: hashes are spread evenly, so a hash is found near its share of the nodes.
//!
//! Zones of evidence need not be closed: each is closed by shortest ways, which is most of the work here, and shared by threads.

use crate::Objection;
use crate::cover::is_of_model;
use crate::matrix::Matrix;
use crate::stored::{Limits, Matrices, Stored};
use entail_budget::Budget;
use entail_clocks::evidence::{Cover, CoverNodes};
use entail_clocks::{LocationId, Network};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::thread;

/// Nodes that a thread judges together, at most: a model may have a single discrete state.
const MOST_OF_RUN: usize = 256;

/// What each of so many threads makes of its number, in order.
pub(crate) fn by_threads<T: Send>(threads: usize, part: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let part = &part;
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|thread| scope.spawn(move || part(thread)))
            .collect();
        let own = part(0);
        let ended = others.into_iter().map(|thread| thread.join());
        let panics = |panic| std::panic::resume_unwind(panic);
        std::iter::once(own)
            .chain(ended.map(|ended| ended.unwrap_or_else(panics)))
            .collect()
    })
}

/// The nodes of a cover, to be looked up.
pub(crate) struct Table<'c> {
    pub network: &'c Network,
    pub cover: &'c Cover,
    pub nodes: &'c CoverNodes,
    /// Runs of so many nodes, which a thread each has read.
    share: usize,
    parts: Vec<Part>,
    /// What each location compares clocks with, the reference clock first.
    limits: Vec<Vec<Limits>>,
    /// Nodes by the hash of their discrete state and sides, and by rank.
    order: Vec<(u64, u32)>,
    /// Where the nodes begin whose hashes have so many and more leading bits.
    heads: Vec<u32>,
    /// Bits of a hash behind those that heads are for.
    rest: u32,
}

/// A run of nodes.
struct Part {
    matrices: Matrices,
    /// The matrix of each node.
    numbers: Vec<u32>,
    /// The hash of each node's discrete state and sides; then they are in the table's order.
    hashes: Vec<u64>,
}

/// Nodes at the same discrete state and on the same sides have the same.
fn hash_of(key: &[u8], sides: &[bool]) -> u64 {
    let mut hasher = FxHasher::default();
    (key, sides).hash(&mut hasher);
    hasher.finish()
}

impl<'c> Table<'c> {
    pub fn new(
        network: &'c Network,
        cover: &'c Cover,
        nodes: &'c CoverNodes,
        threads: usize,
        budget: &Budget,
    ) -> Result<Table<'c>, Objection> {
        let mut table = Table {
            network,
            cover,
            nodes,
            share: nodes.len().div_ceil(threads.max(1)),
            parts: Vec::new(),
            limits: Vec::new(),
            order: Vec::new(),
            heads: Vec::new(),
            rest: 64,
        };
        let size = network.dimension();
        let is_cut = |&(left, right, _): &(usize, usize, i32)| left != right && left.max(right) < size;
        if !cover.cuts.iter().all(is_cut) {
            return Err("zones are cut along clocks that do not exist".into());
        }
        let limits = |bounds: &Vec<_>| {
            let clocks = bounds.iter().map(Limits::of);
            std::iter::once(Limits::REFERENCE).chain(clocks).collect()
        };
        table.limits = cover.bounds.iter().map(limits).collect();
        if u32::try_from(nodes.len()).is_err() {
            return Err("the cover has too many nodes".into());
        }
        let share = table.share;
        let part = |thread: usize| -> Result<Part, Objection> {
            let first = (share * thread).min(nodes.len());
            let last = (first + share).min(nodes.len());
            let mut part = Part {
                matrices: Matrices::new(size),
                numbers: Vec::with_capacity(last - first),
                hashes: Vec::with_capacity(last - first),
            };
            // Zones that stand at nodes of other threads.
            let mut elsewhere: FxHashMap<usize, u32> = FxHashMap::default();
            let budget = budget.same_limits();
            for node in first..last {
                budget.check()?;
                let alike = nodes.first_alike(node);
                let known = match alike.checked_sub(first) {
                    Some(own) => part.numbers.get(own).copied(),
                    None => elsewhere.get(&alike).copied(),
                };
                let (hash, number) = table.read(node, known, &mut part.matrices)?;
                if alike < first {
                    elsewhere.insert(alike, number);
                }
                part.numbers.push(number);
                part.hashes.push(hash);
            }
            part.matrices.finish();
            Ok(part)
        };
        let parts = by_threads(threads, part).into_iter();
        let mut parts = parts.collect::<Result<Vec<Part>, Objection>>()?;
        let hashes = parts.iter_mut().flat_map(|part| std::mem::take(&mut part.hashes));
        table.order = hashes.zip(0..).collect();
        table.parts = parts;
        let rank = |node: u32| (nodes.rank(node as usize), node);
        table
            .order
            .sort_unstable_by(|one, other| one.0.cmp(&other.0).then_with(|| rank(one.1).cmp(&rank(other.1))));
        table.find_heads();
        Ok(table)
    }

    /// Notes where hashes begin, by some two of them.
    fn find_heads(&mut self) {
        let bits = (self.order.len() / 2).checked_ilog2().unwrap_or(0);
        self.rest = 64 - bits;
        self.heads = Vec::with_capacity((1 << bits) + 1);
        for (place, &(hash, _)) in self.order.iter().enumerate() {
            let leading = hash.checked_shr(self.rest).unwrap_or(0) as usize;
            self.heads
                .resize((leading + 1).max(self.heads.len()), place as u32);
        }
        self.heads.resize((1 << bits) + 1, self.order.len() as u32);
    }

    /// The hash of a node's discrete state and sides, and the number of its zone, unless that is known.
    fn read(
        &self,
        node: usize,
        known: Option<u32>,
        matrices: &mut Matrices,
    ) -> Result<(u64, u32), Objection> {
        let discrete = self.nodes.discrete(node);
        is_of_model(self.network, &discrete.locations, &discrete.integers)?;
        let number = match known {
            Some(known) => known,
            None => {
                let (size, zone) = (self.network.dimension(), self.nodes.zone(node));
                let matrix = Matrix::read(size, &zone).ok_or("a zone is empty or malformed")?;
                matrices.add(&matrix).ok_or("a zone is out of range")?
            }
        };
        let sides = self.sides(matrices.get(number))?;
        Ok((hash_of(self.nodes.key_of(node), &sides), number))
    }

    /// The zone of a node.
    pub fn zone(&self, node: usize) -> Stored<'_> {
        let part = &self.parts[node / self.share];
        part.matrices.get(part.numbers[node % self.share])
    }

    /// The sides of the tracked differences that a zone lies on.
    fn sides(&self, zone: Stored<'_>) -> Result<Vec<bool>, Objection> {
        let side = |&(left, right, bound): &(usize, usize, i32)| {
            let (inside, outside) = (i64::from(bound), 1 - i64::from(bound));
            match (zone.at(left, right) <= inside, zone.at(right, left) <= outside) {
                (true, _) => Ok(true),
                (_, true) => Ok(false),
                _ => Err("a zone lies on both sides of a tracked difference".into()),
            }
        };
        self.tracked().iter().map(side).collect()
    }

    /// Nodes in the order of their ranks, among them all those of a key and on some sides; few others are.
    pub fn alike(&self, key: &[u8], sides: &[bool]) -> &[(u64, u32)] {
        let hash = hash_of(key, sides);
        let leading = hash.checked_shr(self.rest).unwrap_or(0) as usize;
        let near = &self.order[self.heads[leading] as usize..self.heads[leading + 1] as usize];
        let first = near.partition_point(|one| one.0 < hash);
        let count = near[first..].partition_point(|one| one.0 == hash);
        &near[first..first + count]
    }

    /// Whether a node has a key and lies on some sides.
    pub fn is_at(&self, node: usize, key: &[u8], sides: &[bool]) -> bool {
        self.nodes.has_key(node, key) && self.sides(self.zone(node)).is_ok_and(|own| own == sides)
    }

    /// Nodes of the same discrete state, a limited number together, by their first positions in the order and their numbers. All nodes are in some run; runs come in the order of the evidence, where states that are near each other are alike.
    pub fn runs(&self) -> Vec<(u32, u32)> {
        let is_same = |one: &(u64, u32), other: &(u64, u32)| {
            one.0 == other.0 && (self.nodes).has_key(one.1 as usize, self.nodes.key_of(other.1 as usize))
        };
        let mut runs = Vec::new();
        let mut first = 0;
        for run in (self.order.chunk_by(is_same)).flat_map(|alike| alike.chunks(MOST_OF_RUN)) {
            runs.push((first, run.len() as u32));
            first += run.len() as u32;
        }
        runs.sort_unstable_by_key(|&(first, _)| self.order[first as usize].1);
        runs
    }

    /// The nodes of a run.
    pub fn nodes_of(&self, (first, count): (u32, u32)) -> impl Iterator<Item = usize> {
        let run = &self.order[first as usize..(first + count) as usize];
        run.iter().map(|&(_, node)| node as usize)
    }

    pub fn tracked(&self) -> &'c [(usize, usize, i32)] {
        if self.cover.plain {
            &[]
        } else {
            &self.cover.diagonals
        }
    }

    /// What clocks are compared with at these locations.
    pub fn limits(&self, locations: &[LocationId]) -> Vec<Limits> {
        let mut all = vec![Limits::NONE; self.network.dimension()];
        all[0] = Limits::REFERENCE;
        for &location in locations {
            for (one, other) in all.iter_mut().zip(&self.limits[location]) {
                *one = one.join(*other);
            }
        }
        all
    }
}
