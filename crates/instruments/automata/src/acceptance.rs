//! Acceptance: Emerson–Lei conditions over marks on edges.
//!
//! A run is judged by the set of [`Marks`] that occur infinitely often on its edges; an [`Acceptance`] is a positive Boolean
//! formula over `Inf(m)` ("m infinitely often") and `Fin(m)` ("m only finitely often"). Büchi, generalized Büchi, co-Büchi,
//! Rabin, Streett, parity in its four conventions, and Muller are shapes of this one formula: built by the constructors and
//! recognised by [`Acceptance::kind`].

use std::fmt;

/// A set of up to 64 acceptance marks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// No mark.
    pub const NONE: Marks = Marks(0);

    /// Only this mark.
    pub fn one(mark: u32) -> Marks {
        Marks(1 << mark)
    }

    /// The marks `0..count`.
    pub fn first(count: u32) -> Marks {
        Marks(crate::label::low_bits(count as usize))
    }

    /// Whether the mark is in the set.
    pub fn has(self, mark: u32) -> bool {
        self.0 >> mark & 1 == 1
    }

    /// The union.
    pub fn with(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// The marks in both.
    pub fn common(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }

    /// The marks that are not in `other`.
    pub fn without(self, other: Marks) -> Marks {
        Marks(self.0 & !other.0)
    }

    /// Whether every mark is in `other`.
    pub fn subset(self, other: Marks) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The marks in increasing order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let mark = rest.trailing_zeros();
                rest &= rest - 1;
                mark
            })
        })
    }

    /// All marks moved up by `offset`.
    pub fn shifted(self, offset: u32) -> Marks {
        Marks(self.0.checked_shl(offset).unwrap_or(0))
    }
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A positive Boolean formula over `Inf` and `Fin`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Acceptance {
    /// Every run.
    True,
    /// No run.
    False,
    /// Runs with this mark infinitely often.
    Inf(u32),
    /// Runs with this mark finitely often.
    Fin(u32),
    /// All of them.
    And(Vec<Acceptance>),
    /// Some of them.
    Or(Vec<Acceptance>),
}

/// Which extreme priority decides a parity condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Extreme {
    /// The largest seen infinitely often.
    Max,
    /// The smallest seen infinitely often.
    Min,
}

/// Which priorities are good in a parity condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Winner {
    /// Odd ones.
    Odd,
    /// Even ones.
    Even,
}

/// The named shapes of acceptance conditions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Kind {
    /// Every run.
    All,
    /// No run.
    None,
    /// `Inf(0)`
    Buchi,
    /// `Fin(0)`
    CoBuchi,
    /// `Inf(0) & … & Inf(n-1)`
    GeneralizedBuchi(u32),
    /// `Fin(0) | … | Fin(n-1)`
    GeneralizedCoBuchi(u32),
    /// `(Fin(0) & Inf(1)) | …`, `n` pairs
    Rabin(u32),
    /// `(Fin(0) | Inf(1)) & …`, `n` pairs
    Streett(u32),
    /// Priorities `0..n` under a convention.
    Parity(Extreme, Winner, u32),
    /// Anything else.
    Other,
}

impl Acceptance {
    /// `Inf(0)`
    pub fn buchi() -> Acceptance {
        Acceptance::Inf(0)
    }

    /// `Fin(0)`
    pub fn co_buchi() -> Acceptance {
        Acceptance::Fin(0)
    }

    /// All of the marks `0..count` infinitely often.
    pub fn generalized_buchi(count: u32) -> Acceptance {
        Acceptance::all((0..count).map(Acceptance::Inf))
    }

    /// Some of the marks `0..count` finitely often.
    pub fn generalized_co_buchi(count: u32) -> Acceptance {
        Acceptance::any((0..count).map(Acceptance::Fin))
    }

    /// For some `i < pairs`, mark `2i` finitely and `2i+1` infinitely often.
    pub fn rabin(pairs: u32) -> Acceptance {
        Acceptance::any(
            (0..pairs).map(|i| Acceptance::all([Acceptance::Fin(2 * i), Acceptance::Inf(2 * i + 1)])),
        )
    }

    /// For every `i < pairs`, mark `2i` finitely or `2i+1` infinitely often.
    pub fn streett(pairs: u32) -> Acceptance {
        Acceptance::all(
            (0..pairs).map(|i| Acceptance::any([Acceptance::Fin(2 * i), Acceptance::Inf(2 * i + 1)])),
        )
    }

    /// The extreme mark among those seen infinitely often is odd/even. A run that sees no mark for ever is judged as HOA
    /// defines the shape: it is accepted iff the least important priority is a losing one.
    pub fn parity(extreme: Extreme, winner: Winner, priorities: u32) -> Acceptance {
        // HOA's definition, built from the least important priority outwards.
        let order: Vec<u32> = match extreme {
            Extreme::Max => (0..priorities).collect(),
            Extreme::Min => (0..priorities).rev().collect(),
        };
        let good = |priority: u32| (priority % 2 == 1) == (winner == Winner::Odd);
        // Whether a run with no mark at all is accepted: as if the next priority beyond the least important were seen.
        let accepted = match extreme {
            Extreme::Max => winner == Winner::Odd,
            Extreme::Min => !good(priorities.wrapping_sub(1)),
        };
        let mut condition = if accepted {
            Acceptance::True
        } else {
            Acceptance::False
        };
        if priorities == 0 {
            let all = matches!(
                (extreme, winner),
                (Extreme::Max, Winner::Odd) | (Extreme::Min, Winner::Even)
            );
            return if all { Acceptance::True } else { Acceptance::False };
        }
        for priority in order {
            condition = if good(priority) {
                Acceptance::any([Acceptance::Inf(priority), condition])
            } else {
                Acceptance::all([Acceptance::Fin(priority), condition])
            };
        }
        condition
    }

    /// The set of marks seen infinitely often is one of these (Muller), among the marks `0..count`.
    pub fn muller(count: u32, sets: &[Marks]) -> Acceptance {
        Acceptance::any(sets.iter().map(|set| {
            Acceptance::all((0..count).map(|mark| {
                if set.has(mark) {
                    Acceptance::Inf(mark)
                } else {
                    Acceptance::Fin(mark)
                }
            }))
        }))
    }

    /// The conjunction, flattened and without constants.
    pub fn all(parts: impl IntoIterator<Item = Acceptance>) -> Acceptance {
        let mut list = Vec::new();
        for part in parts {
            match part {
                Acceptance::True => {}
                Acceptance::False => return Acceptance::False,
                Acceptance::And(inner) => list.extend(inner),
                other => list.push(other),
            }
        }
        dedup(&mut list);
        match list.len() {
            0 => Acceptance::True,
            1 => list.remove(0),
            _ => Acceptance::And(list),
        }
    }

    /// The disjunction, flattened and without constants.
    pub fn any(parts: impl IntoIterator<Item = Acceptance>) -> Acceptance {
        let mut list = Vec::new();
        for part in parts {
            match part {
                Acceptance::False => {}
                Acceptance::True => return Acceptance::True,
                Acceptance::Or(inner) => list.extend(inner),
                other => list.push(other),
            }
        }
        dedup(&mut list);
        match list.len() {
            0 => Acceptance::False,
            1 => list.remove(0),
            _ => Acceptance::Or(list),
        }
    }

    /// Whether a run that sees exactly these marks infinitely often is accepted.
    pub fn accepts(&self, infinitely: Marks) -> bool {
        match self {
            Acceptance::True => true,
            Acceptance::False => false,
            Acceptance::Inf(mark) => infinitely.has(*mark),
            Acceptance::Fin(mark) => !infinitely.has(*mark),
            Acceptance::And(parts) => parts.iter().all(|part| part.accepts(infinitely)),
            Acceptance::Or(parts) => parts.iter().any(|part| part.accepts(infinitely)),
        }
    }

    /// The condition that accepts exactly the other runs.
    pub fn dual(&self) -> Acceptance {
        match self {
            Acceptance::True => Acceptance::False,
            Acceptance::False => Acceptance::True,
            Acceptance::Inf(mark) => Acceptance::Fin(*mark),
            Acceptance::Fin(mark) => Acceptance::Inf(*mark),
            Acceptance::And(parts) => Acceptance::any(parts.iter().map(Acceptance::dual)),
            Acceptance::Or(parts) => Acceptance::all(parts.iter().map(Acceptance::dual)),
        }
    }

    /// The condition with each leaf replaced.
    pub fn map(&self, leaf: &mut impl FnMut(&Acceptance) -> Acceptance) -> Acceptance {
        match self {
            Acceptance::And(parts) => {
                Acceptance::all(parts.iter().map(|part| part.map(leaf)).collect::<Vec<_>>())
            }
            Acceptance::Or(parts) => {
                Acceptance::any(parts.iter().map(|part| part.map(leaf)).collect::<Vec<_>>())
            }
            other => leaf(other),
        }
    }

    /// All marks moved up by `offset`.
    pub fn shifted(&self, offset: u32) -> Acceptance {
        self.map(&mut |leaf| match leaf {
            Acceptance::Inf(mark) => Acceptance::Inf(mark + offset),
            Acceptance::Fin(mark) => Acceptance::Fin(mark + offset),
            other => other.clone(),
        })
    }

    /// What remains to be satisfied if only `present` can be seen infinitely often.
    pub fn restricted_to(&self, present: Marks) -> Acceptance {
        self.map(&mut |leaf| match leaf {
            Acceptance::Inf(mark) if !present.has(*mark) => Acceptance::False,
            Acceptance::Fin(mark) if !present.has(*mark) => Acceptance::True,
            other => other.clone(),
        })
    }

    /// The marks under `Inf`, and those under `Fin`.
    pub fn polarities(&self) -> (Marks, Marks) {
        match self {
            Acceptance::True | Acceptance::False => (Marks::NONE, Marks::NONE),
            Acceptance::Inf(mark) => (Marks::one(*mark), Marks::NONE),
            Acceptance::Fin(mark) => (Marks::NONE, Marks::one(*mark)),
            Acceptance::And(parts) | Acceptance::Or(parts) => {
                parts.iter().fold((Marks::NONE, Marks::NONE), |(inf, fin), part| {
                    let (more_inf, more_fin) = part.polarities();
                    (inf.with(more_inf), fin.with(more_fin))
                })
            }
        }
    }

    /// Every mark that occurs.
    pub fn marks(&self) -> Marks {
        let (inf, fin) = self.polarities();
        inf.with(fin)
    }

    /// The disjunctive normal form: each disjunct is the marks that must stay finite and those that must recur.
    pub fn disjuncts(&self) -> Vec<(Marks, Marks)> {
        let mut result: Vec<(Marks, Marks)> = match self {
            Acceptance::True => vec![(Marks::NONE, Marks::NONE)],
            Acceptance::False => vec![],
            Acceptance::Inf(mark) => vec![(Marks::NONE, Marks::one(*mark))],
            Acceptance::Fin(mark) => vec![(Marks::one(*mark), Marks::NONE)],
            Acceptance::Or(parts) => parts.iter().flat_map(Acceptance::disjuncts).collect(),
            Acceptance::And(parts) => parts.iter().fold(vec![(Marks::NONE, Marks::NONE)], |left, part| {
                let right = part.disjuncts();
                let mut product: Vec<_> = left
                    .iter()
                    .flat_map(|(fin, inf)| right.iter().map(|(f, i)| (fin.with(*f), inf.with(*i))))
                    .filter(|(fin, inf)| fin.common(*inf).is_empty())
                    .collect();
                subsume(&mut product);
                product
            }),
        };
        subsume(&mut result);
        result
    }

    /// The condition with operands in a fixed order.
    pub fn normalised(&self) -> Acceptance {
        match self {
            Acceptance::And(parts) | Acceptance::Or(parts) => {
                let mut parts: Vec<Acceptance> = parts.iter().map(Acceptance::normalised).collect();
                parts.sort();
                if matches!(self, Acceptance::And(_)) {
                    Acceptance::all(parts)
                } else {
                    Acceptance::any(parts)
                }
            }
            other => other.clone(),
        }
    }

    /// The named shape of this condition over the marks `0..count`.
    pub fn kind(&self, count: u32) -> Kind {
        let own = self.normalised();
        let same = |other: Acceptance| other.normalised() == own;
        let fixed = [
            (Kind::All, Acceptance::True, 0),
            (Kind::None, Acceptance::False, 0),
            (Kind::Buchi, Acceptance::buchi(), 1),
            (Kind::CoBuchi, Acceptance::co_buchi(), 1),
        ];
        for (kind, condition, marks) in fixed {
            if marks <= count && same(condition) {
                return kind;
            }
        }
        if same(Acceptance::generalized_buchi(count)) {
            return Kind::GeneralizedBuchi(count);
        }
        if same(Acceptance::generalized_co_buchi(count)) {
            return Kind::GeneralizedCoBuchi(count);
        }
        if count.is_multiple_of(2) && same(Acceptance::rabin(count / 2)) {
            return Kind::Rabin(count / 2);
        }
        if count.is_multiple_of(2) && same(Acceptance::streett(count / 2)) {
            return Kind::Streett(count / 2);
        }
        for extreme in [Extreme::Max, Extreme::Min] {
            for winner in [Winner::Odd, Winner::Even] {
                if same(Acceptance::parity(extreme, winner, count)) {
                    return Kind::Parity(extreme, winner, count);
                }
            }
        }
        Kind::Other
    }

    /// The parity convention and number of priorities, if the condition has this shape (which may have other names too).
    pub fn as_parity(&self, count: u32) -> Option<(Extreme, Winner, u32)> {
        let own = self.normalised();
        for extreme in [Extreme::Max, Extreme::Min] {
            for winner in [Winner::Odd, Winner::Even] {
                if Acceptance::parity(extreme, winner, count).normalised() == own {
                    return Some((extreme, winner, count));
                }
            }
        }
        None
    }

    /// If it only asks for marks to recur together: which. (Generalized Büchi over any numbering.)
    pub fn as_generalized_buchi(&self) -> Option<Marks> {
        match self {
            Acceptance::True => Some(Marks::NONE),
            Acceptance::Inf(mark) => Some(Marks::one(*mark)),
            Acceptance::And(parts) => parts.iter().try_fold(Marks::NONE, |marks, part| match part {
                Acceptance::Inf(mark) => Some(marks.with(Marks::one(*mark))),
                _ => None,
            }),
            _ => None,
        }
    }
}

fn dedup(list: &mut Vec<Acceptance>) {
    let mut position = 0;
    while position < list.len() {
        if list[..position].contains(&list[position]) {
            list.remove(position);
        } else {
            position += 1;
        }
    }
}

/// Drops disjuncts that another, weaker one makes superfluous.
fn subsume(disjuncts: &mut Vec<(Marks, Marks)>) {
    disjuncts.sort();
    disjuncts.dedup();
    let all = disjuncts.clone();
    disjuncts.retain(|this| {
        !all.iter()
            .any(|other| other != this && other.0.subset(this.0) && other.1.subset(this.1))
    });
}

impl fmt::Display for Acceptance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Acceptance::True => f.write_str("t"),
            Acceptance::False => f.write_str("f"),
            Acceptance::Inf(mark) => write!(f, "Inf({mark})"),
            Acceptance::Fin(mark) => write!(f, "Fin({mark})"),
            Acceptance::And(parts) | Acceptance::Or(parts) => {
                let conjunction = matches!(self, Acceptance::And(_));
                for (position, part) in parts.iter().enumerate() {
                    if position > 0 {
                        f.write_str(if conjunction { " & " } else { " | " })?;
                    }
                    match part {
                        Acceptance::Or(_) | Acceptance::And(_) => write!(f, "({part})")?,
                        _ => write!(f, "{part}")?,
                    }
                }
                Ok(())
            }
        }
    }
}

impl Kind {
    /// The `acc-name` of HOA, if the shape has one.
    pub fn hoa_name(self) -> Option<String> {
        Some(match self {
            Kind::All => "all".into(),
            Kind::None => "none".into(),
            Kind::Buchi => "Buchi".into(),
            Kind::CoBuchi => "co-Buchi".into(),
            Kind::GeneralizedBuchi(n) => format!("generalized-Buchi {n}"),
            Kind::GeneralizedCoBuchi(n) => format!("generalized-co-Buchi {n}"),
            Kind::Rabin(n) => format!("Rabin {n}"),
            Kind::Streett(n) => format!("Streett {n}"),
            Kind::Parity(extreme, winner, n) => {
                let extreme = if extreme == Extreme::Max { "max" } else { "min" };
                let winner = if winner == Winner::Odd { "odd" } else { "even" };
                format!("parity {extreme} {winner} {n}")
            }
            Kind::Other => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parity_accepts_by_its_extreme_mark_in_all_four_conventions() {
        for count in 1..6u32 {
            for set in 1u64..1 << count {
                let marks = Marks(set);
                let highest = 63 - set.leading_zeros();
                let lowest = set.trailing_zeros();
                for (extreme, decisive) in [(Extreme::Max, highest), (Extreme::Min, lowest)] {
                    for winner in [Winner::Odd, Winner::Even] {
                        let expected = (decisive % 2 == 1) == (winner == Winner::Odd);
                        let condition = Acceptance::parity(extreme, winner, count);
                        assert_eq!(condition.accepts(marks), expected);
                        assert_eq!(condition.dual().accepts(marks), !expected);
                    }
                }
            }
        }
    }

    #[test]
    fn hoa_prints_parity_as_its_specification_does() {
        let text = |e, w, n| Acceptance::parity(e, w, n).to_string();
        assert_eq!(
            text(Extreme::Min, Winner::Odd, 5),
            "Fin(0) & (Inf(1) | (Fin(2) & (Inf(3) | Fin(4))))"
        );
        assert_eq!(
            text(Extreme::Max, Winner::Odd, 5),
            "Fin(4) & (Inf(3) | (Fin(2) & (Inf(1) | Fin(0))))"
        );
        assert_eq!(
            text(Extreme::Min, Winner::Even, 5),
            "Inf(0) | (Fin(1) & (Inf(2) | (Fin(3) & Inf(4))))"
        );
        assert_eq!(
            text(Extreme::Max, Winner::Even, 5),
            "Inf(4) | (Fin(3) & (Inf(2) | (Fin(1) & Inf(0))))"
        );
    }

    #[test]
    fn shapes_are_recognised_whatever_the_order_of_their_parts() {
        let streett = Acceptance::all([
            Acceptance::any([Acceptance::Inf(3), Acceptance::Fin(2)]),
            Acceptance::any([Acceptance::Fin(0), Acceptance::Inf(1)]),
        ]);
        assert_eq!(streett.kind(4), Kind::Streett(2));
        assert_eq!(streett.dual().kind(4), Kind::Other); // (Inf 0 & Fin 1) | …: the pairs are swapped
        assert_eq!(
            Acceptance::generalized_buchi(3).kind(3),
            Kind::GeneralizedBuchi(3)
        );
        assert_eq!(
            Acceptance::parity(Extreme::Max, Winner::Even, 3).kind(3),
            Kind::Parity(Extreme::Max, Winner::Even, 3)
        );
        assert_eq!(streett.disjuncts().len(), 4);
    }
}
