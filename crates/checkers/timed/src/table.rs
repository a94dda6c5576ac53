//! The nodes of a cover, to be looked up by discrete state, and whether one of them covers a zone.
//!
//! Zones of evidence need not be closed: each is closed by shortest ways, which is most of the work here, and shared by threads.

use crate::Objection;
use crate::cover::is_of_model;
use crate::matrix::{FREE, Matrix, plus};
use entail_budget::Budget;
use entail_clocks::discrete::Discrete;
use entail_clocks::evidence::{ClockBounds, Cover, CoverNodes, NO_BOUND};
use entail_clocks::{LocationId, Network};
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
    pub matrices: Vec<Stored>,
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
        let part = |thread: usize| -> Result<Vec<(u64, Stored)>, Objection> {
            let first = (share * thread).min(nodes.len());
            let last = (first + share).min(nodes.len());
            (first..last)
                .map(|node| {
                    budget.check()?;
                    table.read(node)
                })
                .collect()
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

    /// A node's zone, and the hash of its discrete state and sides.
    fn read(&self, node: usize) -> Result<(u64, Stored), Objection> {
        let node = self.nodes.get(node);
        is_of_model(self.network, &node.locations, &node.integers)?;
        let size = self.network.dimension();
        let matrix = Matrix::read(size, &node.zone).ok_or("a zone is empty or malformed")?;
        let stored = Stored::of(&matrix).ok_or("a zone is out of range")?;
        let sides = self.sides(&stored)?;
        let discrete = Discrete {
            locations: node.locations,
            integers: node.integers,
        };
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

/// A closed matrix in a quarter of the room where its entries are small, otherwise in half of it; there are many.
pub(crate) struct Stored {
    size: usize,
    entries: Entries,
}

enum Entries {
    /// [`i16::MAX`] where there is no bound.
    Small(Box<[i16]>),
    Large(Box<[i32]>),
}

impl Stored {
    fn of(matrix: &Matrix) -> Option<Stored> {
        let entry = |&entry: &i64| match entry >= FREE {
            true => Some(NO_BOUND),
            false => i32::try_from(entry).ok().filter(|&entry| entry != NO_BOUND),
        };
        let entries: Option<Box<[i32]>> = matrix.entries.iter().map(entry).collect();
        let large = entries?;
        let small = |&entry: &i32| match entry {
            NO_BOUND => Some(i16::MAX),
            entry => i16::try_from(entry).ok().filter(|&entry| entry != i16::MAX),
        };
        let small: Option<Box<[i16]>> = large.iter().map(small).collect();
        Some(Stored {
            size: matrix.size,
            entries: small.map_or(Entries::Large(large), Entries::Small),
        })
    }

    fn at(&self, row: usize, column: usize) -> i64 {
        let position = row * self.size + column;
        match &self.entries {
            Entries::Small(entries) if entries[position] == i16::MAX => FREE,
            Entries::Small(entries) => i64::from(entries[position]),
            Entries::Large(entries) if entries[position] == NO_BOUND => FREE,
            Entries::Large(entries) => i64::from(entries[position]),
        }
    }

    pub fn matrix(&self) -> Matrix {
        let entry = |position: usize| self.at(position / self.size, position % self.size);
        Matrix {
            size: self.size,
            entries: (0..self.size * self.size).map(entry).collect(),
        }
    }
}

/// Whether all values of a matrix are in another.
pub(crate) fn is_within(small: &Matrix, large: &Stored) -> bool {
    (0..small.size).all(|row| (0..small.size).all(|column| small.at(row, column) <= large.at(row, column)))
}

/// Whether every value of a zone is LU-simulated by one of another. By Herbreteau, Srivathsan and Walukiewicz it is not exactly if there are clocks x and y such that, with `Z(y, x)` the bound
/// on y − x: some value of the first zone has x at most U(x), the second zone bounds y − x more tightly, and that bound less L(y) is below the bound on −x.
pub(crate) fn is_simulated(small: &Matrix, large: &Stored, constants: &[ClockBounds]) -> bool {
    let lower = |clock: usize| {
        if clock == 0 {
            Some(0)
        } else {
            constants[clock - 1].0
        }
    };
    let upper = |clock: usize| {
        if clock == 0 {
            Some(0)
        } else {
            constants[clock - 1].1
        }
    };
    for x in 0..small.size {
        let Some(upper) = upper(x) else { continue };
        let least = small.at(0, x);
        // x ≤ U(x) is possible: −x may be at least −U(x).
        if least < 1 - 2 * i64::from(upper) {
            continue;
        }
        for y in 0..small.size {
            let Some(lower) = lower(y) else { continue };
            let bound = large.at(y, x);
            if bound < small.at(y, x) && bound < FREE && plus(bound, -2 * i64::from(lower)) < least {
                return false;
            }
        }
    }
    true
}
