//! The zones of a search, each row of their matrices once.
//!
//! Zones of different discrete states are often the same: each is stored once, with the number of its users. Zones that differ have mostly rows in common, since a row says how one clock
//! lies to the others: so rows are numbered, each is stored once and for good, and a zone is as many numbers as it has rows. This is the table of subtrees of tree compression (Laarman, van de Pol,
//! Weber, SPIN 2011) with one level.
//!
//! Numbers of rows are kept in 16 bits as long as all of them fit, which is so in most models. Zones are compared row by row as they are stored.

use entail_zones::{Bound, LowerUpper, Zone, covers_by_rows, is_subset};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Where a zone is.
pub type Slot = u32;

/// Zones of one dimension.
#[derive(Debug)]
pub struct ZoneStore {
    dimension: usize,
    rows: Rows,
    /// The rows of each zone, by number.
    zones: Words,
    /// How often each is in use.
    users: Vec<u32>,
    /// The slots in use, by the hashes of their zones.
    known: HashTable<Slot>,
    /// Slots that may be used again.
    free: Vec<Slot>,
    /// The rows of a zone that is looked up.
    scratch: Vec<u32>,
}

/// Rows of matrices, each once.
#[derive(Debug, Default)]
struct Rows {
    /// Their bounds, one row after the other.
    bounds: Vec<Bound>,
    known: HashTable<u32>,
}

/// Numbers in 16 bits as long as all of them fit.
#[derive(Debug, Default)]
struct Words {
    narrow: Vec<u16>,
    wide: Vec<u32>,
    is_wide: bool,
}

impl Words {
    fn len(&self) -> usize {
        self.narrow.len() + self.wide.len()
    }

    /// Writes numbers from a place on, which is the end or before it.
    fn put(&mut self, start: usize, numbers: impl Iterator<Item = u32> + Clone) {
        if !self.is_wide && numbers.clone().any(|number| number > u32::from(u16::MAX)) {
            self.wide = self.narrow.iter().map(|&number| u32::from(number)).collect();
            self.narrow = Vec::new();
            self.is_wide = true;
        }
        match (self.is_wide, start == self.len()) {
            (false, true) => self.narrow.extend(numbers.map(|number| number as u16)),
            (true, true) => self.wide.extend(numbers),
            (false, false) => (self.narrow[start..].iter_mut().zip(numbers))
                .for_each(|(place, number)| *place = number as u16),
            (true, false) => {
                (self.wide[start..].iter_mut().zip(numbers)).for_each(|(place, number)| *place = number)
            }
        }
    }

    #[inline]
    fn at(&self, place: usize) -> u32 {
        match self.is_wide {
            true => self.wide[place],
            false => u32::from(self.narrow[place]),
        }
    }

    fn are(&self, start: usize, numbers: impl ExactSizeIterator<Item = u32>) -> bool {
        let end = start + numbers.len();
        match self.is_wide {
            true => self.wide[start..end].iter().copied().eq(numbers),
            false => (self.narrow[start..end].iter())
                .map(|&number| u32::from(number))
                .eq(numbers),
        }
    }

    fn hash(&self, start: usize, count: usize) -> u64 {
        hash_of((start..start + count).map(|place| self.at(place)))
    }
}

fn hash_of<T: Hash>(all: impl Iterator<Item = T>) -> u64 {
    let mut hasher = FxHasher::default();
    all.for_each(|one| one.hash(&mut hasher));
    hasher.finish()
}

impl Rows {
    #[inline]
    fn get(&self, number: u32, size: usize) -> &[Bound] {
        &self.bounds[number as usize * size..(number as usize + 1) * size]
    }

    fn find(&self, row: &[Bound]) -> Option<u32> {
        let is_it = |&number: &u32| self.get(number, row.len()) == row;
        self.known.find(hash_of(row.iter()), is_it).copied()
    }

    fn number(&mut self, row: &[Bound]) -> u32 {
        if let Some(number) = self.find(row) {
            return number;
        }
        let (size, number) = (row.len(), (self.bounds.len() / row.len()) as u32);
        self.bounds.extend_from_slice(row);
        let bounds = &self.bounds;
        let rehash = |&number: &u32| {
            let start = number as usize * size;
            hash_of(bounds[start..start + size].iter())
        };
        self.known.insert_unique(hash_of(row.iter()), number, rehash);
        number
    }
}

impl ZoneStore {
    /// No zones of so many clocks, with the reference clock.
    pub fn new(dimension: usize) -> ZoneStore {
        ZoneStore {
            dimension,
            rows: Rows::default(),
            zones: Words::default(),
            users: Vec::new(),
            known: HashTable::new(),
            free: Vec::new(),
            scratch: Vec::new(),
        }
    }

    fn known(&self, rows: &[u32]) -> Option<Slot> {
        let rows = rows.iter().copied();
        let is_it = |&slot: &Slot| self.zones.are(self.start(slot), rows.clone());
        self.known.find(hash_of(rows.clone()), is_it).copied()
    }

    fn start(&self, slot: Slot) -> usize {
        slot as usize * self.dimension
    }

    /// Where a zone is, if it is stored.
    pub fn find(&self, cells: &[Bound]) -> Option<Slot> {
        let rows = cells.chunks_exact(self.dimension).map(|row| self.rows.find(row));
        self.known(&rows.collect::<Option<Vec<u32>>>()?)
    }

    /// Stores a zone.
    pub fn put(&mut self, cells: &[Bound]) -> Slot {
        let mut rows = std::mem::take(&mut self.scratch);
        rows.clear();
        rows.extend(
            cells
                .chunks_exact(self.dimension)
                .map(|row| self.rows.number(row)),
        );
        let slot = self.known(&rows).unwrap_or_else(|| self.put_new(&rows));
        self.users[slot as usize] += 1;
        self.scratch = rows;
        slot
    }

    fn put_new(&mut self, rows: &[u32]) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.users.push(0);
            self.users.len() as Slot - 1
        });
        self.zones.put(self.start(slot), rows.iter().copied());
        let (zones, count) = (&self.zones, self.dimension);
        let rehash = |&slot: &Slot| zones.hash(slot as usize * count, count);
        self.known
            .insert_unique(hash_of(rows.iter().copied()), slot, rehash);
        slot
    }

    /// Forgets one use of a zone.
    pub fn release(&mut self, slot: Slot) {
        let users = &mut self.users[slot as usize];
        *users -= 1;
        if *users == 0 {
            let hash = self.zones.hash(self.start(slot), self.dimension);
            if let Ok(entry) = self.known.find_entry(hash, |&other| other == slot) {
                entry.remove();
            }
            self.free.push(slot);
        }
    }

    /// A row of a zone.
    #[inline]
    pub fn row(&self, slot: Slot, row: usize) -> &[Bound] {
        let number = self.zones.at(self.start(slot) + row);
        self.rows.get(number, self.dimension)
    }

    /// Forgets what is needed to store more zones: they are only read from now on.
    pub fn end_search(&mut self) {
        self.known = HashTable::new();
        self.rows.known = HashTable::new();
        self.users = Vec::new();
    }

    /// Whether a stored zone covers another one: as a set, or up to simulation where there are constants.
    pub fn covers(&self, slot: Slot, small: &Zone, constants: Option<&[LowerUpper]>) -> bool {
        match constants {
            Some(constants) => covers_by_rows(|row| small.row(row), |row| self.row(slot, row), constants),
            None => (0..self.dimension).all(|row| is_subset(small.row(row), self.row(slot, row))),
        }
    }

    /// Whether a stored zone is covered by another one.
    pub fn is_covered(&self, slot: Slot, large: &Zone, constants: Option<&[LowerUpper]>) -> bool {
        match constants {
            Some(constants) => covers_by_rows(|row| self.row(slot, row), |row| large.row(row), constants),
            None => (0..self.dimension).all(|row| is_subset(self.row(slot, row), large.row(row))),
        }
    }

    /// Reads a zone into a place of the right size.
    pub fn read(&self, slot: Slot, into: &mut [Bound]) {
        for (row, place) in into.chunks_exact_mut(self.dimension).enumerate() {
            place.copy_from_slice(self.row(slot, row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    #[test]
    fn zones_come_back_as_they_were_also_when_one_of_them_is_large() {
        let mut store = ZoneStore::new(2);
        let small = [
            Bound::at_most(-16000),
            Bound::NONE,
            Bound::below(3),
            Bound::at_most(16382),
        ];
        let large = [
            Bound::below(16384),
            Bound::ZERO,
            Bound::NONE,
            Bound::below(-16384),
        ];
        let mut read = [Bound::ZERO; 4];
        let first = store.put(&small);
        let second = store.put(&[Bound::ZERO; 4]);
        store.release(second);
        let again = store.put(&large);
        assert_eq!(again, second);
        store.read(first, &mut read);
        assert_eq!(read, small);
        store.read(again, &mut read);
        assert_eq!(read, large);
        // One zone, used twice: it is there until both have let it go.
        assert_eq!(store.put(&large), again);
        store.release(again);
        store.read(again, &mut read);
        assert_eq!(read, large);
        store.release(again);
        assert_eq!(store.find(&large), None);
        assert_eq!(store.put(&small), first);
        assert_eq!(store.put(&[Bound::ZERO; 4]), again);
    }

    #[test]
    fn many_zones_with_many_rows_come_back() {
        let mut random = StdRng::seed_from_u64(3);
        let mut store = ZoneStore::new(3);
        let mut zones = std::collections::HashMap::new();
        // More rows than 16 bits can number.
        for _ in 0..40_000 {
            let mut cell = |_| match random.random_range(0..5) {
                0 => Bound::NONE,
                1 => Bound::below(random.random_range(-100_000..100_000)),
                _ => Bound::at_most(random.random_range(-9..9)),
            };
            let zone: [Bound; 9] = std::array::from_fn(&mut cell);
            let slot = store.put(&zone);
            assert_eq!(*zones.entry(zone).or_insert(slot), slot);
        }
        let mut read = [Bound::ZERO; 9];
        for (zone, slot) in zones {
            store.read(slot, &mut read);
            assert_eq!(read, zone);
            assert_eq!(store.find(&zone), Some(slot));
        }
    }
}
