//! From hashes to numbers of states: an open-addressing table that knows nothing of the states.
//!
//! An entry holds 32 bits of the hash and the number, so that a probe looks at a state only where the hashes agree, and growing moves entries without
//! looking at states at all. Entries are placed by the leading bits of the hash, so a doubled table is filled in the order of the old one.
//! The load is between 3/8 and 3/4, unless the table is a small one.

/// The table.
#[derive(Debug)]
pub struct HashIndex {
    /// Hash above, number plus one below; 0 where there is nothing. A power of two of them.
    entries: Vec<u64>,
    used: usize,
}

/// A free entry, for a number that is not there.
#[derive(Clone, Copy, Debug)]
pub struct Vacancy(usize);

impl HashIndex {
    /// An empty table with so many entries, a power of two.
    pub fn new(entries: usize) -> HashIndex {
        HashIndex {
            entries: vec![0; entries],
            used: 0,
        }
    }

    /// The number with this hash that is the right one, or where it belongs.
    #[inline]
    pub fn find(&self, hash: u32, mut is_right: impl FnMut(u32) -> bool) -> Result<u32, Vacancy> {
        let mask = self.entries.len() - 1;
        let mut at = home(hash, self.entries.len());
        loop {
            let entry = self.entries[at];
            if entry == 0 {
                return Err(Vacancy(at));
            }
            if (entry >> 32) as u32 == hash && is_right(entry as u32 - 1) {
                return Ok(entry as u32 - 1);
            }
            at = (at + 1) & mask;
        }
    }

    /// The number in the entry where a search for this hash begins, if it has the same hash: most likely the one that will be found.
    #[inline]
    pub fn likely(&self, hash: u32) -> Option<u32> {
        let entry = self.entries[home(hash, self.entries.len())];
        (entry != 0 && (entry >> 32) as u32 == hash).then(|| entry as u32 - 1)
    }

    /// Puts a number where a search for it has ended.
    #[inline]
    pub fn occupy(&mut self, vacancy: Vacancy, hash: u32, number: u32) {
        self.entries[vacancy.0] = u64::from(hash) << 32 | u64::from(number + 1);
        self.used += 1;
        if self.used > self.entries.len() / 4 * 3 {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.entries);
        self.entries = vec![0; old.len() * 2];
        let mask = self.entries.len() - 1;
        for entry in old.into_iter().filter(|&entry| entry != 0) {
            let mut at = home((entry >> 32) as u32, self.entries.len());
            while self.entries[at] != 0 {
                at = (at + 1) & mask;
            }
            self.entries[at] = entry;
        }
    }

    /// Bytes this table holds.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * 8
    }
}

/// The entry a hash belongs to, by its leading bits.
#[inline]
fn home(hash: u32, entries: usize) -> usize {
    ((u64::from(hash) * entries as u64) >> 32) as usize
}
