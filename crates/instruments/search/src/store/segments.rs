//! Arrays that grow while others read them.
//!
//! An array is a list of segments, each twice as long as the one before; a segment is made when something in it is first reserved and never moves.
//! Elements are atomic, so that threads share them without locks; memory of zeros costs nothing until it is touched.

use super::Refusal;
use bytemuck::Zeroable;
use entail_machine::{prefer_large_pages, prefetch};
use std::sync::OnceLock;

/// The longest array.
const MOST: u64 = u32::MAX as u64;

/// An array whose first segment has `2^BITS` elements.
#[derive(Debug)]
pub struct Segments<T, const BITS: u32> {
    segments: [OnceLock<Box<[T]>>; 32],
}

impl<T: Zeroable, const BITS: u32> Segments<T, BITS> {
    pub fn new() -> Self {
        Segments {
            segments: [const { OnceLock::new() }; 32],
        }
    }

    /// Which segment an element is in, and where.
    #[inline]
    fn place(at: u32) -> (usize, usize) {
        let shifted = u64::from(at) + (1 << BITS);
        let segment = 63 - shifted.leading_zeros() - BITS;
        (segment as usize, (shifted - (1 << (segment + BITS))) as usize)
    }

    /// Makes sure that the elements from one to before another are there; they are zero.
    pub fn reserve(&self, from: u64, to: u64) -> Result<(), Refusal> {
        if to > MOST {
            return Err(Refusal::Full);
        }
        let (first, _) = Self::place(from as u32);
        let (last, _) = Self::place(to.max(1) as u32 - 1);
        for segment in first..=last {
            if self.segments[segment].get().is_none() {
                let zeros: Box<[T]> =
                    bytemuck::allocation::try_zeroed_slice_box(1 << (segment as u32 + BITS))
                        .map_err(|()| Refusal::Full)?;
                prefer_large_pages(&zeros);
                // Another thread may have been quicker.
                let _ = self.segments[segment].set(zeros);
            }
        }
        Ok(())
    }

    /// The processor begins to fetch an element, if there is one.
    #[inline]
    pub fn prefetch(&self, at: u32) {
        let (segment, offset) = Self::place(at);
        if let Some(segment) = self.segments[segment].get() {
            prefetch(segment, offset);
        }
    }

    /// A reserved element.
    #[inline]
    pub fn at(&self, at: u32) -> &T {
        let (segment, offset) = Self::place(at);
        let segment = self.segments[segment].get();
        &segment.expect("only reserved elements are asked for")[offset]
    }

    /// Reserved elements that lie together.
    #[inline]
    pub fn run(&self, at: u32, length: usize) -> &[T] {
        let (segment, offset) = Self::place(at);
        let segment = self.segments[segment].get();
        &segment.expect("only reserved elements are asked for")[offset..offset + length]
    }

    /// The reserved elements of a segment from one on.
    #[inline]
    pub fn rest(&self, at: u32) -> &[T] {
        let (segment, offset) = Self::place(at);
        let segment = self.segments[segment].get();
        &segment.expect("only reserved elements are asked for")[offset..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn every_element_has_a_place_of_its_own() {
        let array: Segments<AtomicU32, 4> = Segments::new();
        for at in 0..1_000 {
            array.reserve(at.into(), u64::from(at) + 1).expect("room");
            assert_eq!(array.at(at).swap(at + 1, Ordering::Relaxed), 0);
        }
        assert!((0..1_000).all(|at| array.at(at).load(Ordering::Relaxed) == at + 1));
        assert!(array.reserve(MOST, MOST + 1).is_err());
    }
}
