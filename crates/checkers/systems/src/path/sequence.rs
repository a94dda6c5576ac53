//! Temporal operators on ultimately periodic sequences of truth values.
//!
//! Along a lasso every formula's truth is, from some position on, periodic with the length of the loop. For atoms and
//! future operators that position is the start of the loop. A past operator remembers how the path got here, so it can
//! settle later: `Y Y Y p` is different in the first round of a one-state loop from the third. Evaluating on the lasso's
//! own positions is therefore wrong for past operators. Here each sequence says itself where it has settled: `values` holds
//! the positions up to `settled` and one period more, and each operator computes where its result settles:
//!
//! - future operators: where the operands do;
//! - `Y`: one position later; `O[a,b]`, `S[a,b]`: `b` positions later;
//! - unbounded `S`: its value at the end of a round is a monotone function of the value at the end of the round before, on a
//!   chain of three values; such an iteration is constant after at most two rounds, and we stop when it is.
//!
//! A path may end ([`Horizon`]): positions past the end do not exist, and whether a position exists is itself three-valued.
//! Strong next and until ask for existing positions; all other operators are defined by duality, so that `G` and `R` need
//! hold only up to the end.
//!
//! Bounds may be huge. Future bounds are reduced modulo the period. Past bounds cannot be (an event in the prefix leaves the
//! window only after so many steps); beyond [`LONGEST`] positions the answer is `Unknown`, which is always sound.

use entail_evidence::Truth;
use entail_logic::Interval;

/// Sequences longer than this are not computed.
const LONGEST: usize = 1 << 18;
/// Bounded past operators that need more elementary steps than this are not computed.
const MOST_WORK: usize = 1 << 26;

/// An ultimately periodic sequence: after `values` it goes on with the last `period` of them, for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sequence {
    pub values: Vec<Truth>,
}

/// What all sequences of one path share: the period, and which positions exist.
#[derive(Clone, Debug)]
pub(super) struct Horizon {
    pub period: usize,
    /// Positions before the period in an atom's sequence.
    pub settled: usize,
    pub exists: Sequence,
}

impl Horizon {
    /// A truth value at each position: `settled` positions and then one period, repeated.
    pub fn tabulate(&self, settled: usize, mut value: impl FnMut(usize) -> Truth) -> Sequence {
        Sequence {
            values: (0..settled + self.period).map(&mut value).collect(),
        }
    }

    /// The same truth everywhere.
    pub fn constant(&self, truth: Truth) -> Sequence {
        self.tabulate(self.settled, |_| truth)
    }

    /// Where the sequence has become periodic.
    fn settled(&self, sequence: &Sequence) -> usize {
        sequence.values.len() - self.period
    }

    /// The value at any position.
    pub fn at(&self, sequence: &Sequence, position: usize) -> Truth {
        let length = sequence.values.len();
        if position < length {
            sequence.values[position]
        } else {
            let settled = length - self.period;
            sequence.values[settled + (position - settled) % self.period]
        }
    }

    pub fn not(&self, p: &Sequence) -> Sequence {
        Sequence {
            values: p.values.iter().map(|&truth| !truth).collect(),
        }
    }

    pub fn pointwise(&self, p: &Sequence, q: &Sequence, combine: impl Fn(Truth, Truth) -> Truth) -> Sequence {
        let settled = self.settled(p).max(self.settled(q));
        self.tabulate(settled, |position| {
            combine(self.at(p, position), self.at(q, position))
        })
    }

    /// `X p`: there is a next position and `p` is true there.
    pub fn next(&self, p: &Sequence) -> Sequence {
        self.tabulate(self.settled(p).max(self.settled), |position| {
            self.at(&self.exists, position + 1).and(self.at(p, position + 1))
        })
    }

    /// `p U[a,b] q`: some `j` in the interval has `q` at distance `j`, and `p` at every smaller distance.
    pub fn until(&self, p: &Sequence, q: &Sequence, interval: Interval) -> Sequence {
        if interval.is_empty() {
            return self.constant(Truth::False);
        }
        let settled = self.settled(p).max(self.settled(q)).max(self.settled);
        // From this distance on, every position of the loop has been passed: moving a bound by whole rounds changes nothing.
        let saturated = settled + self.period;
        let round =
            |distance: usize| distance - (distance.saturating_sub(saturated) / self.period) * self.period;
        let from = interval.from as usize;
        let shift = from - round(from);
        let from = from - shift;
        match interval.to {
            None => {
                let reached = self.unbounded_until(p, q, settled);
                self.tabulate(settled, |position| {
                    self.all(p, position, from)
                        .and(self.at(&self.exists, position + from))
                        .and(self.at(&reached, position + from))
                })
            }
            Some(to) => {
                let to = (to as usize - shift).min(from.max(saturated) + self.period);
                self.tabulate(settled, |position| {
                    let mut so_far = Truth::True;
                    let mut found = Truth::False;
                    for distance in 0..=to {
                        if distance >= from {
                            let here = self
                                .at(q, position + distance)
                                .and(self.at(&self.exists, position + distance));
                            found = found.or(so_far.and(here));
                        }
                        so_far = so_far.and(self.at(p, position + distance));
                        if so_far == Truth::False || found == Truth::True {
                            break;
                        }
                    }
                    found
                })
            }
        }
    }

    /// `p` at all distances below `length`.
    fn all(&self, p: &Sequence, position: usize, length: usize) -> Truth {
        (0..length)
            .map(|distance| self.at(p, position + distance))
            .min()
            .unwrap_or(Truth::True)
    }

    /// The least solution of `u = q | p & X u`, by going round the loop backwards until nothing changes.
    fn unbounded_until(&self, p: &Sequence, q: &Sequence, settled: usize) -> Sequence {
        let mut reached = self.tabulate(settled, |_| Truth::False);
        loop {
            let mut changed = false;
            for position in (0..reached.values.len()).rev() {
                let later = self
                    .at(&self.exists, position + 1)
                    .and(self.at(&reached, position + 1));
                let value = self.at(q, position).or(self.at(p, position).and(later));
                changed |= reached.values[position] != value;
                reached.values[position] = value;
            }
            if !changed {
                return reached;
            }
        }
    }

    /// `Y p`: there is a previous position and `p` is true there.
    pub fn yesterday(&self, p: &Sequence) -> Sequence {
        self.tabulate(self.settled(p) + 1, |position| match position.checked_sub(1) {
            Some(before) => self.at(p, before),
            None => Truth::False,
        })
    }

    /// `p S[a,b] q`: some `j` in the interval has `q` at distance `j` in the past, and `p` at every smaller distance.
    pub fn since(&self, p: &Sequence, q: &Sequence, interval: Interval) -> Sequence {
        if interval.is_empty() {
            return self.constant(Truth::False);
        }
        let settled = self.settled(p).max(self.settled(q));
        let from = interval.from as usize;
        let Some(to) = interval.to.map(|to| to as usize) else {
            let since = self.unbounded_since(p, q, settled);
            let settled = self.settled(&since) + from;
            if settled > LONGEST || settled.saturating_mul(from) > MOST_WORK {
                return self.constant(Truth::Unknown);
            }
            return self.tabulate(settled, |position| match position.checked_sub(from) {
                Some(then) => self.all(p, then + 1, from).and(self.at(&since, then)),
                None => Truth::False,
            });
        };
        if settled + to > LONGEST || (settled + to + self.period).saturating_mul(to) > MOST_WORK {
            return self.constant(Truth::Unknown);
        }
        self.tabulate(settled + to, |position| {
            let mut so_far = Truth::True;
            let mut found = Truth::False;
            for distance in 0..=to.min(position) {
                if distance >= from {
                    found = found.or(so_far.and(self.at(q, position - distance)));
                }
                so_far = so_far.and(self.at(p, position - distance));
                if so_far == Truth::False || found == Truth::True {
                    break;
                }
            }
            found
        })
    }

    /// `s(i) = q(i) | p(i) & s(i-1)`, computed forwards until a whole round repeats.
    fn unbounded_since(&self, p: &Sequence, q: &Sequence, settled: usize) -> Sequence {
        let mut values: Vec<Truth> = Vec::new();
        let mut last = Truth::False;
        let extend = |values: &mut Vec<Truth>, last: &mut Truth, until: usize| {
            for position in values.len()..until {
                *last = self.at(q, position).or(self.at(p, position).and(*last));
                values.push(*last);
            }
        };
        extend(&mut values, &mut last, settled + self.period);
        loop {
            let length = values.len();
            extend(&mut values, &mut last, length + self.period);
            if values[length - self.period..length] == values[length..] {
                values.truncate(length);
                return Sequence { values };
            }
        }
    }
}
