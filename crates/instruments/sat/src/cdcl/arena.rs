//! Clauses in one flat vector.
//!
//! A clause is three header words (length; flags and glue; activity) followed by its literals. Deleting marks; the space is
//! won back by [`Arena::compact`], which moves the living clauses together and tells where each went.

use crate::Lit;

/// A clause: the position of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ClauseRef(u32);

const HEADER: usize = 3;
const DELETED: u32 = 1;
const LEARNED: u32 = 2;

/// Why a clause is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Given from outside.
    Given,
    /// Derived from conflicts; may be forgotten.
    Learned {
        /// Number of decision levels in the clause when it was learned (LBD).
        glue: u32,
    },
}

#[derive(Clone, Debug, Default)]
pub(super) struct Arena {
    words: Vec<u32>,
    wasted: usize,
}

impl Arena {
    pub(super) fn add(&mut self, literals: &[Lit], origin: Origin) -> ClauseRef {
        let clause = ClauseRef(self.words.len() as u32);
        let flags = match origin {
            Origin::Given => 0,
            Origin::Learned { glue } => LEARNED | glue << 8,
        };
        self.words.push(literals.len() as u32);
        self.words.push(flags);
        self.words.push(0f32.to_bits());
        self.words
            .extend(literals.iter().map(|literal| literal.index() as u32));
        clause
    }

    #[inline]
    pub(super) fn len(&self, clause: ClauseRef) -> usize {
        self.words[clause.0 as usize] as usize
    }

    /// The literals as raw numbers, for the inner loop.
    #[inline]
    pub(super) fn raw_mut(&mut self, clause: ClauseRef) -> &mut [u32] {
        let start = clause.0 as usize;
        let len = self.words[start] as usize;
        &mut self.words[start + HEADER..start + HEADER + len]
    }

    pub(super) fn literals(&self, clause: ClauseRef) -> impl Iterator<Item = Lit> + '_ {
        let start = clause.0 as usize + HEADER;
        let len = self.len(clause);
        self.words[start..start + len]
            .iter()
            .map(|&word| Lit::from_index(word as usize))
    }

    pub(super) fn literal(&self, clause: ClauseRef, at: usize) -> Lit {
        Lit::from_index(self.words[clause.0 as usize + HEADER + at] as usize)
    }

    #[inline]
    pub(super) fn is_deleted(&self, clause: ClauseRef) -> bool {
        self.words[clause.0 as usize + 1] & DELETED != 0
    }

    pub(super) fn is_learned(&self, clause: ClauseRef) -> bool {
        self.words[clause.0 as usize + 1] & LEARNED != 0
    }

    pub(super) fn glue(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize + 1] >> 8
    }

    pub(super) fn activity(&self, clause: ClauseRef) -> f32 {
        f32::from_bits(self.words[clause.0 as usize + 2])
    }

    pub(super) fn set_activity(&mut self, clause: ClauseRef, activity: f32) {
        self.words[clause.0 as usize + 2] = activity.to_bits();
    }

    pub(super) fn delete(&mut self, clause: ClauseRef) {
        let flags = &mut self.words[clause.0 as usize + 1];
        if *flags & DELETED == 0 {
            *flags |= DELETED;
            self.wasted += HEADER + self.words[clause.0 as usize] as usize;
        }
    }

    /// Whether so much is deleted that compacting pays.
    pub(super) fn is_wasteful(&self) -> bool {
        self.wasted * 3 > self.words.len() && self.wasted > 4096
    }

    /// Every living clause.
    pub(super) fn living(&self) -> Vec<ClauseRef> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.words.len() {
            let clause = ClauseRef(at as u32);
            if !self.is_deleted(clause) {
                found.push(clause);
            }
            at += HEADER + self.len(clause);
        }
        found
    }

    /// Moves living clauses together; the result gives old and new place, in order.
    pub(super) fn compact(&mut self) -> Vec<(ClauseRef, ClauseRef)> {
        let mut moved = Vec::new();
        let mut to = 0;
        for clause in self.living() {
            let (from, size) = (clause.0 as usize, HEADER + self.len(clause));
            self.words.copy_within(from..from + size, to);
            moved.push((clause, ClauseRef(to as u32)));
            to += size;
        }
        self.words.truncate(to);
        self.wasted = 0;
        moved
    }
}
