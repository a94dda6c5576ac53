//! Time shares: hard properties must not starve the others, whatever order they stand in.
//!
//! Properties are tried in rounds. In the first round each gets a small share, so that every easy property of a long list is answered
//! within any limit; what is still open then shares what is left. Whoever is tried again gets at least twice what it had, since less would
//! be wasted on an engine that begins anew; when the time does not suffice for all, the first ones get it.

use std::time::{Duration, Instant};

/// In the first round, this part of an even share.
const FIRST_PART: u32 = 8;

/// The first share of each property where time is not limited.
const FIRST_UNLIMITED: Duration = Duration::from_secs(30);

/// Where time is not limited, shares grow by this factor.
const GROWTH: u32 = 4;

/// The clock of a run.
pub(super) struct Shares {
    begun: Instant,
    whole: Option<Duration>,
    each: Option<Duration>,
}

impl Shares {
    pub fn new(whole: Option<Duration>, each: Option<Duration>) -> Shares {
        Shares {
            begun: Instant::now(),
            whole,
            each,
        }
    }

    /// What is left of the whole.
    pub fn left(&self) -> Option<Duration> {
        self.whole.map(|whole| whole.saturating_sub(self.begun.elapsed()))
    }

    /// Whether nobody can be given anything any more.
    pub fn are_spent(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// What a property may spend now. `open` counts the properties without an answer, `waiting` those of them whose turn in this round has
    /// not been, itself included; it was given `last` before (nothing in the first round) and has spent `spent` in all. No limit for the
    /// only open one, where there is none.
    pub fn next(
        &self,
        (open, waiting): (usize, usize),
        last: Option<Duration>,
        spent: Duration,
    ) -> Option<Duration> {
        let count = |number: usize| u32::try_from(number.max(1)).unwrap_or(u32::MAX);
        let (open, waiting) = (count(open), count(waiting));
        let share = match (self.left(), last) {
            (Some(left), None) if open > 1 => Some(left / open / FIRST_PART),
            (Some(left), None) => Some(left),
            (Some(left), Some(last)) => Some((left / waiting).max(2 * last).min(left)),
            (None, None) if open > 1 => Some(FIRST_UNLIMITED),
            (None, Some(last)) if open > 1 => Some(last.saturating_mul(GROWTH)),
            (None, _) => None,
        };
        let own = self.each.map(|each| each.saturating_sub(spent));
        [share, own].into_iter().flatten().min()
    }

    /// Whether a property has used up its own limit.
    pub fn is_exhausted(&self, spent: Duration) -> bool {
        self.each.is_some_and(|each| spent >= each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn the_only_property_gets_everything() {
        let share = Shares::new(Some(MINUTE), None).next((1, 1), None, Duration::ZERO);
        assert!(share.is_some_and(|share| share > MINUTE * 9 / 10));
        assert_eq!(Shares::new(None, None).next((1, 1), None, Duration::ZERO), None);
    }

    #[test]
    fn the_first_round_of_a_hundred_takes_an_eighth_of_the_time() {
        let share = Shares::new(Some(MINUTE), None).next((100, 100), None, Duration::ZERO);
        assert!(share.is_some_and(|share| share <= MINUTE / 800));
    }

    #[test]
    fn the_last_of_the_first_round_does_not_get_what_the_others_wait_for() {
        let shares = Shares::new(Some(MINUTE), None);
        assert!((shares.next((2, 1), None, Duration::ZERO)).is_some_and(|share| share <= MINUTE / 16));
        let shares = Shares::new(None, None);
        assert_eq!(shares.next((2, 1), None, Duration::ZERO), Some(FIRST_UNLIMITED));
    }

    #[test]
    fn whoever_is_tried_again_gets_at_least_twice_as_much() {
        let shares = Shares::new(Some(MINUTE), None);
        let share = shares.next((50, 50), Some(MINUTE / 20), MINUTE / 20);
        assert_eq!(share, Some(MINUTE / 10));
    }

    #[test]
    fn a_property_never_exceeds_its_own_limit() {
        let shares = Shares::new(None, Some(MINUTE));
        assert_eq!(shares.next((3, 3), None, MINUTE / 2), Some(MINUTE / 2));
        assert!(shares.is_exhausted(MINUTE));
    }
}
