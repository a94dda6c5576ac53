//! The nodes of a cover, to be looked up by discrete state, and whether one of them covers a zone.
//!
//! Zones of evidence need not be closed: each is closed by shortest ways, which is most of the work here, and shared by threads.

use crate::Objection;
use crate::cover::is_of_model;
use crate::matrix::Matrix;
use crate::stored::{Matrices, Stored};
use entail_budget::Budget;
use entail_clocks::discrete::Discrete;
use entail_clocks::evidence::{ClockBounds, Cover, CoverNodes};
use entail_clocks::{LocationId, Network};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::thread;

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
    /// Nodes by the hash of their discrete state and sides, and by rank.
    order: Vec<(u64, u32)>,
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
fn hash_of(discrete: &Discrete, sides: &[bool]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (discrete, sides).hash(&mut hasher);
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
            order: Vec::new(),
        };
        let size = network.dimension();
        let is_cut = |&(left, right, _): &(usize, usize, i32)| left != right && left.max(right) < size;
        if !cover.cuts.iter().all(is_cut) {
            return Err("zones are cut along clocks that do not exist".into());
        }
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
            let mut elsewhere: HashMap<usize, u32> = HashMap::new();
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
        Ok(table)
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
        Ok((hash_of(&discrete, &sides), number))
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

    /// The nodes at a discrete state and on some sides, in the order of their ranks.
    pub fn group(&self, discrete: &Discrete, sides: &[bool]) -> impl Iterator<Item = usize> {
        let hash = hash_of(discrete, sides);
        let first = self.order.partition_point(|one| one.0 < hash);
        let alike = self.order[first..].iter().take_while(move |one| one.0 == hash);
        alike.map(|&(_, node)| node as usize).filter(move |&node| {
            self.nodes.discrete(node) == *discrete
                && self.sides(self.zone(node)).is_ok_and(|own| own == sides)
        })
    }

    pub fn tracked(&self) -> &'c [(usize, usize, i32)] {
        if self.cover.plain {
            &[]
        } else {
            &self.cover.diagonals
        }
    }

    pub fn constants(&self, locations: &[LocationId]) -> Vec<ClockBounds> {
        let mut all: Vec<ClockBounds> = vec![(None, None); self.network.clocks.len()];
        for &location in locations {
            for (one, other) in all.iter_mut().zip(&self.cover.bounds[location]) {
                *one = (one.0.max(other.0), one.1.max(other.1));
            }
        }
        all
    }
}
