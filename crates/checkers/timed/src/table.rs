//! The nodes of a cover, to be looked up by discrete state, and whether one of them covers a zone.
//!
//! Zones of evidence need not be closed: each is closed by shortest ways, which is most of the work here, and shared by threads.

use crate::Objection;
use crate::cover::is_of_model;
use crate::matrix::Matrix;
use crate::stored::Stored;
use entail_budget::Budget;
use entail_clocks::discrete::Discrete;
use entail_clocks::evidence::{ClockBounds, Cover, CoverNodes};
use entail_clocks::{LocationId, Network};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
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
    pub matrices: Vec<Arc<Stored>>,
    /// Nodes by the hash of their discrete state and sides, and by rank.
    order: Vec<(u64, u32)>,
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
            matrices: Vec::with_capacity(nodes.len()),
            order: Vec::with_capacity(nodes.len()),
        };
        let size = network.dimension();
        let is_cut = |&(left, right, _): &(usize, usize, i32)| left != right && left.max(right) < size;
        if !cover.cuts.iter().all(is_cut) {
            return Err("zones are cut along clocks that do not exist".into());
        }
        if u32::try_from(nodes.len()).is_err() {
            return Err("the cover has too many nodes".into());
        }
        // Each thread has a run of nodes, so that what they make of them is in order.
        let share = nodes.len().div_ceil(threads.max(1));
        let part = |thread: usize| -> Result<Vec<(u64, Arc<Stored>)>, Objection> {
            let first = (share * thread).min(nodes.len());
            let last = (first + share).min(nodes.len());
            let mut found: Vec<(u64, Arc<Stored>)> = Vec::with_capacity(last - first);
            // Zones that stand at nodes of other threads.
            let mut elsewhere: HashMap<usize, Arc<Stored>> = HashMap::new();
            for node in first..last {
                budget.check()?;
                let alike = nodes.first_alike(node);
                let known = match alike.checked_sub(first) {
                    Some(own) => found.get(own).map(|one| Arc::clone(&one.1)),
                    None => elsewhere.get(&alike).map(Arc::clone),
                };
                let read = table.read(node, known)?;
                if alike < first {
                    elsewhere.insert(alike, Arc::clone(&read.1));
                }
                found.push(read);
            }
            Ok(found)
        };
        for part in by_threads(threads, part) {
            for (hash, matrix) in part? {
                table.order.push((hash, table.matrices.len() as u32));
                table.matrices.push(matrix);
            }
        }
        let rank = |node: u32| (nodes.rank(node as usize), node);
        table
            .order
            .sort_unstable_by(|one, other| one.0.cmp(&other.0).then_with(|| rank(one.1).cmp(&rank(other.1))));
        Ok(table)
    }

    /// A node's zone, unless it is known, and the hash of its discrete state and sides.
    fn read(&self, node: usize, known: Option<Arc<Stored>>) -> Result<(u64, Arc<Stored>), Objection> {
        let discrete = self.nodes.discrete(node);
        is_of_model(self.network, &discrete.locations, &discrete.integers)?;
        let stored = match known {
            Some(known) => known,
            None => {
                let (size, zone) = (self.network.dimension(), self.nodes.zone(node));
                let matrix = Matrix::read(size, &zone).ok_or("a zone is empty or malformed")?;
                Arc::new(Stored::of(&matrix).ok_or("a zone is out of range")?)
            }
        };
        let sides = self.sides(&stored)?;
        Ok((hash_of(&discrete, &sides), stored))
    }

    /// The sides of the tracked differences that a zone lies on.
    fn sides(&self, zone: &Stored) -> Result<Vec<bool>, Objection> {
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
                && self.sides(&self.matrices[node]).is_ok_and(|own| own == sides)
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
