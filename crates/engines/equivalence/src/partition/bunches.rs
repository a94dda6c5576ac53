//! Transitions in slices, slices in bunches (Jansen, Groote, Keiren, Wijs 2020).
//!
//! A *slice* is a set of transitions with one action into one block. A *bunch* is a union of slices under which the partition of the states is
//! known to be stable. A bunch of more than one slice is work to do: a slice of at most half its size is taken out of it, so that
//! every transition is taken out at most log₂ m times.

use super::refinable::Refinable;

const NONE: u32 = u32::MAX;

pub(crate) struct Bunches {
    pub slices: Refinable,
    bunch_of: Vec<u32>,
    /// The slices of a bunch are a list.
    head: Vec<u32>,
    next: Vec<u32>,
    /// Bunches that had more than one slice when they were put here.
    work: Vec<u32>,
}

impl Bunches {
    /// Every slice is a bunch of its own.
    pub fn new(slices: Refinable) -> Bunches {
        let count = slices.set_count() as u32;
        Bunches {
            slices,
            bunch_of: (0..count).collect(),
            head: (0..count).collect(),
            next: vec![NONE; count as usize],
            work: Vec::new(),
        }
    }

    /// Splits the slices with marked transitions; the parts stay in their bunch.
    pub fn split_slices(&mut self) {
        let Bunches {
            slices,
            bunch_of,
            head,
            next,
            work,
        } = self;
        slices.split(|old, _| {
            let bunch = bunch_of[old as usize];
            let new = bunch_of.len() as u32;
            bunch_of.push(bunch);
            let first = std::mem::replace(&mut head[bunch as usize], new);
            if next[first as usize] == NONE {
                work.push(bunch);
            }
            next.push(first);
        });
    }

    /// Takes a small slice out of a bunch that has several and makes it a bunch of its own.
    pub fn take_small_slice(&mut self) -> Option<u32> {
        while let Some(&bunch) = self.work.last() {
            let first = self.head[bunch as usize];
            let second = self.next[first as usize];
            if second == NONE {
                self.work.pop();
                continue;
            }
            let small = if self.slices.size(first) <= self.slices.size(second) {
                self.head[bunch as usize] = second;
                first
            } else {
                self.next[first as usize] = self.next[second as usize];
                second
            };
            self.isolate(small);
            return Some(small);
        }
        None
    }

    /// Makes the marked transitions of a slice a slice and a bunch of their own.
    pub fn detach_marked(&mut self, slice: u32) {
        let new = self.slices.detach_marked(slice);
        self.bunch_of.push(NONE);
        self.next.push(NONE);
        self.isolate(new);
    }

    /// A bunch of one slice, which is in no list.
    fn isolate(&mut self, slice: u32) {
        let new = self.head.len() as u32;
        self.next[slice as usize] = NONE;
        self.bunch_of[slice as usize] = new;
        self.head.push(slice);
    }
}
