//! Sets of vectors of counts that are closed downwards, by their maximal elements.

/// A vector of counts: for each state of the automaton the highest count of a run there, -1 where no run may be.
pub(crate) type Counts = Box<[i8]>;

/// Whether no count is higher.
pub(crate) fn is_below(one: &[i8], other: &[i8]) -> bool {
    // Many at a time, so that most comparisons end early and the rest are done without branches.
    let (blocks, rest) = one.as_chunks::<32>();
    let (other_blocks, other_rest) = other.as_chunks::<32>();
    blocks
        .iter()
        .zip(other_blocks)
        .all(|(one, other)| one.iter().zip(other).fold(true, |all, (a, b)| all & (a <= b)))
        && rest.iter().zip(other_rest).all(|(a, b)| a <= b)
}

/// A set that is closed downwards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Antichain {
    pub maximal: Vec<Counts>,
}

impl Antichain {
    pub fn len(&self) -> usize {
        self.maximal.len()
    }

    pub fn contains(&self, counts: &[i8]) -> bool {
        self.above(counts).is_some()
    }

    /// A maximal element that is not below a vector.
    pub fn above(&self, counts: &[i8]) -> Option<usize> {
        self.maximal.iter().position(|known| is_below(counts, known))
    }

    /// Adds a vector with all below it; false if it was there.
    pub fn insert(&mut self, counts: Counts) -> bool {
        if self.contains(&counts) {
            return false;
        }
        self.maximal.retain(|known| !is_below(known, &counts));
        self.maximal.push(counts);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_maximal_vectors_are_kept_and_all_below_are_in_the_set() {
        let mut set = Antichain::default();
        let counts = |list: &[i8]| -> Counts { list.into() };
        assert!(set.insert(counts(&[1, 0])));
        assert!(set.insert(counts(&[0, 1])));
        assert!(!set.insert(counts(&[0, 0])));
        assert_eq!(set.len(), 2);
        assert!(set.insert(counts(&[1, 1])));
        assert_eq!(set.len(), 1);
        assert!(set.contains(&[-1, 1]) && !set.contains(&[2, 0]));
    }

    #[test]
    fn long_vectors_are_compared_in_all_their_entries() {
        for length in [1usize, 31, 32, 33, 64, 70] {
            let low = vec![0i8; length];
            for at in 0..length {
                let mut high = low.clone();
                high[at] = 1;
                assert!(is_below(&low, &high) && !is_below(&high, &low));
            }
        }
    }
}
