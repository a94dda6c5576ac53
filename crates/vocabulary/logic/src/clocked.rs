//! Properties about the ticks of a clock, rewritten into properties about letters.
//!
//! Where every letter is a tick (`tick` is nothing), nothing is rewritten. Else a clock `c` is a condition on letters, and the rules of IEEE 1800-2017 F.5.1 and
//! IEEE 1850-2010 B.4 apply: a condition `b` waits for the tick, `!c[*] ; c && b`; `always p` is about ticks, `always (c -> p)`; `next` counts
//! them; `p until q` is `(c -> p) until (c && q)`. The result is as long as the property, but for one copy of the clock at every operator.

use crate::{Assertion, Guard, Sequence};
use std::sync::Arc;

/// A sequence in which every condition waits for a tick.
pub fn over_letters<A: Clone + PartialEq>(sequence: &Sequence<A>, tick: &Guard<A>) -> Sequence<A> {
    let inner = |one: &Arc<Sequence<A>>| Arc::new(over_letters(one, tick));
    match sequence {
        Sequence::Empty => Sequence::Empty,
        Sequence::Guard(condition) => {
            let wait = Sequence::Guard(tick.negated()).repeated(0, None);
            wait.then(Sequence::Guard(tick.and(condition)))
        }
        Sequence::Concatenation(left, right) => Sequence::Concatenation(inner(left), inner(right)),
        Sequence::Fusion(left, right) => Sequence::Fusion(inner(left), inner(right)),
        Sequence::Union(left, right) => Sequence::Union(inner(left), inner(right)),
        Sequence::Intersection(left, right) => Sequence::Intersection(inner(left), inner(right)),
        Sequence::Both(left, right) => Sequence::Both(inner(left), inner(right)),
        Sequence::Repetition { body, least, most } => Sequence::Repetition {
            body: inner(body),
            least: *least,
            most: *most,
        },
        Sequence::FirstMatch(body) => Sequence::FirstMatch(inner(body)),
        Sequence::Assigning {
            body,
            local,
            value,
            equal,
        } => Sequence::Assigning {
            body: inner(body),
            local: *local,
            value: *value,
            equal: equal.clone(),
        },
    }
}

impl<A: Clone + PartialEq> Assertion<A> {
    /// A condition at the next tick, which may be now.
    pub fn at_tick(condition: Guard<A>, tick: Option<&Guard<A>>) -> Assertion<A> {
        let sequence = Sequence::Guard(condition);
        Assertion::Sequence {
            sequence: Arc::new(match tick {
                None => sequence,
                Some(tick) => over_letters(&sequence, tick),
            }),
            strong: true,
        }
    }

    /// `next [count] self`: so many ticks after the next one.
    #[must_use]
    pub fn later(self, count: u32, strong: bool, tick: Option<&Guard<A>>) -> Assertion<A> {
        let Some(tick) = tick else {
            return self.after(count, strong);
        };
        let there = Sequence::goto(tick, count + 1, Some(count + 1));
        match strong {
            false => self.implied_by(there, true),
            true => self.negated().implied_by(there, true).negated(),
        }
    }

    /// `always self`, at every tick.
    #[must_use]
    pub fn every_tick(self, tick: Option<&Guard<A>>) -> Assertion<A> {
        match tick {
            None => self.always(),
            Some(tick) => Assertion::guard(tick.negated()).or(self).always(),
        }
    }

    /// `eventually! self`, at some tick.
    #[must_use]
    pub fn some_tick(self, tick: Option<&Guard<A>>) -> Assertion<A> {
        match tick {
            None => self.eventually(),
            Some(tick) => Assertion::guard(tick.clone()).and(self).eventually(),
        }
    }

    /// `self until other`, tick by tick.
    #[must_use]
    pub fn until_tick(self, other: Assertion<A>, strong: bool, tick: Option<&Guard<A>>) -> Assertion<A> {
        match tick {
            None => self.until(other, strong),
            Some(tick) => {
                let left = Assertion::guard(tick.negated()).or(self);
                left.until(Assertion::guard(tick.clone()).and(other), strong)
            }
        }
    }
}
