//! The zones of a search, one after the other in one piece of memory.
//!
//! Zones of different discrete states are often the same: each is stored once, with the number of its users.
//!
//! Bounds are kept in 16 bits as long as all of them fit, which is so in most models; the first that does not makes all of them 32 bits wide. Zones are unpacked before they are compared:
//! that costs as much as a comparison, and halves what a search stores.

use entail_zones::Bound;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Where a zone is.
pub type Slot = u32;

/// No bound, in 16 bits.
const NONE: i16 = i16::MAX;

/// Zones of one dimension.
#[derive(Debug)]
pub struct ZoneStore {
    /// Entries of a zone.
    size: usize,
    narrow: Vec<i16>,
    wide: Vec<Bound>,
    is_wide: bool,
    /// How often each is in use.
    users: Vec<u32>,
    /// The slots in use, by the hashes of their zones.
    known: HashTable<Slot>,
    /// Slots that may be used again.
    free: Vec<Slot>,
}

fn narrowed(bound: Bound) -> Option<i16> {
    match bound.is_none() {
        true => Some(NONE),
        false => i16::try_from(bound.packed())
            .ok()
            .filter(|&number| number != NONE),
    }
}

fn widened(number: i16) -> Bound {
    match number {
        NONE => Bound::NONE,
        number => Bound::from_packed(i32::from(number)).unwrap_or(Bound::NONE),
    }
}

fn hash_of(cells: impl Iterator<Item = Bound>) -> u64 {
    let mut hasher = FxHasher::default();
    cells.for_each(|bound| bound.hash(&mut hasher));
    hasher.finish()
}

impl ZoneStore {
    /// No zones of so many entries.
    pub fn new(size: usize) -> ZoneStore {
        ZoneStore {
            size,
            narrow: Vec::new(),
            wide: Vec::new(),
            is_wide: false,
            users: Vec::new(),
            known: HashTable::new(),
            free: Vec::new(),
        }
    }

    /// Stores a zone.
    pub fn put(&mut self, cells: &[Bound]) -> Slot {
        let hash = hash_of(cells.iter().copied());
        if let Some(&slot) = self
            .known
            .find(hash, |&slot| self.cells(slot).eq(cells.iter().copied()))
        {
            self.users[slot as usize] += 1;
            return slot;
        }
        let slot = self.put_new(cells);
        self.users.resize(self.users.len().max(slot as usize + 1), 0);
        self.users[slot as usize] = 1;
        let mut known = std::mem::take(&mut self.known);
        known.insert_unique(hash, slot, |&slot| hash_of(self.cells(slot)));
        self.known = known;
        slot
    }

    fn put_new(&mut self, cells: &[Bound]) -> Slot {
        if !self.is_wide && cells.iter().any(|&bound| narrowed(bound).is_none()) {
            self.wide = self.narrow.iter().map(|&number| widened(number)).collect();
            self.narrow = Vec::new();
            self.is_wide = true;
        }
        let narrow = cells.iter().map(|&bound| narrowed(bound).unwrap_or(NONE));
        let Some(slot) = self.free.pop() else {
            match self.is_wide {
                true => self.wide.extend_from_slice(cells),
                false => self.narrow.extend(narrow),
            }
            return ((self.narrow.len() + self.wide.len()) / self.size - 1) as Slot;
        };
        let start = slot as usize * self.size;
        match self.is_wide {
            true => self.wide[start..start + self.size].copy_from_slice(cells),
            false => (self.narrow[start..start + self.size].iter_mut())
                .zip(narrow)
                .for_each(|(place, number)| *place = number),
        }
        slot
    }

    /// Forgets one use of a zone.
    pub fn release(&mut self, slot: Slot) {
        let users = &mut self.users[slot as usize];
        *users -= 1;
        if *users == 0 {
            let hash = hash_of(self.cells(slot));
            if let Ok(entry) = self.known.find_entry(hash, |&other| other == slot) {
                entry.remove();
            }
            self.free.push(slot);
        }
    }

    fn cells(&self, slot: Slot) -> impl Iterator<Item = Bound> {
        let range = slot as usize * self.size..(slot as usize + 1) * self.size;
        let (narrow, wide) = match self.is_wide {
            true => (&[][..], &self.wide[range]),
            false => (&self.narrow[range], &[][..]),
        };
        let narrow = narrow.iter().map(|&number| widened(number));
        narrow.chain(wide.iter().copied())
    }

    /// Reads a zone into a place of the right size.
    pub fn read(&self, slot: Slot, into: &mut [Bound]) {
        let start = slot as usize * self.size;
        match self.is_wide {
            true => into.copy_from_slice(&self.wide[start..start + self.size]),
            false => (into.iter_mut().zip(&self.narrow[start..start + self.size]))
                .for_each(|(place, &number)| *place = widened(number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_come_back_as_they_were_also_when_one_of_them_is_large() {
        let mut store = ZoneStore::new(2);
        let small = [Bound::at_most(-16000), Bound::NONE];
        let large = [Bound::below(16384), Bound::ZERO];
        let mut read = [Bound::ZERO; 2];
        let first = store.put(&small);
        let second = store.put(&[Bound::below(3), Bound::at_most(16382)]);
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
        assert_eq!(store.put(&small), first);
        assert_eq!(store.put(&[Bound::ZERO; 2]), again);
    }
}
