//! Natural numbers of structured slugs, bit by bit, the lowest first. Sums are one bit longer than the longer operand, so nothing overflows; how many bits an expression has matters to
//! `LEASTSIGNIFICANTBITOVERWRITES` only.

use entail_logic::{Formula, Node};

/// A Boolean function of the signals.
type Bit = Formula<String>;

/// A number whose bits depend on the signals.
#[derive(Clone, Debug)]
pub(crate) struct Number(pub Vec<Bit>);

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessEqual,
    Equal,
    Unequal,
    GreaterEqual,
    Greater,
}

impl Number {
    /// A constant, without leading zeros.
    pub fn constant(value: u64) -> Number {
        let bits = 64 - value.leading_zeros();
        Number(
            (0..bits)
                .map(|bit| Formula::constant(value >> bit & 1 == 1))
                .collect(),
        )
    }

    pub fn plus(&self, other: &Number) -> Number {
        let (short, long) = match self.0.len() <= other.0.len() {
            true => (&self.0, &other.0),
            false => (&other.0, &self.0),
        };
        if short.is_empty() {
            return Number(long.clone());
        }
        let mut sum = Vec::with_capacity(long.len() + 1);
        let mut carry = Formula::constant(false);
        for (place, bit) in long.iter().enumerate() {
            let other = short.get(place);
            let half = other.map_or_else(|| bit.clone(), |other| xor(bit, other));
            sum.push(xor(&half, &carry));
            carry = match other {
                Some(other) => or(&and(bit, other), &and(&carry, &or(bit, other))),
                None => and(bit, &carry),
            };
        }
        sum.push(carry);
        Number(sum)
    }

    /// The number with its lowest bits replaced by those of another, if that is shorter.
    pub fn overwritten_by(&self, low: &Number) -> Option<Number> {
        let rest = self.0.get(low.0.len()..).filter(|rest| !rest.is_empty())?;
        Some(Number(low.0.iter().chain(rest).cloned().collect()))
    }

    /// What a comparison says.
    pub fn compared(&self, comparison: Comparison, other: &Number) -> Bit {
        match comparison {
            Comparison::Less => self.is_below(other, false),
            Comparison::LessEqual => self.is_below(other, true),
            Comparison::Greater => other.is_below(self, false),
            Comparison::GreaterEqual => other.is_below(self, true),
            Comparison::Equal => self.is(other),
            Comparison::Unequal => self.is(other).not(),
        }
    }

    /// The bits of both, with zeros above the shorter.
    fn pairs<'a>(&'a self, other: &'a Number) -> impl Iterator<Item = (Bit, Bit)> + 'a {
        let bit =
            |number: &Number, place: usize| number.0.get(place).cloned().unwrap_or(Formula::constant(false));
        (0..self.0.len().max(other.0.len())).map(move |place| (bit(self, place), bit(other, place)))
    }

    fn is(&self, other: &Number) -> Bit {
        self.pairs(other)
            .fold(Formula::constant(true), |same, (own, other)| {
                and(&same, &xor(&own, &other).not())
            })
    }

    fn is_below(&self, other: &Number, or_equal: bool) -> Bit {
        self.pairs(other)
            .fold(Formula::constant(or_equal), |below, (own, other)| {
                let smaller = and(&own.not(), &other);
                let not_larger = or(&own.not(), &other);
                or(&smaller, &and(&not_larger, &below))
            })
    }
}

/// The truth of a constant.
fn constant(bit: &Bit) -> Option<bool> {
    match bit.node() {
        Node::Constant(truth) => Some(*truth),
        _ => None,
    }
}

/// `&` without constants below it.
fn and(one: &Bit, other: &Bit) -> Bit {
    match (constant(one), constant(other)) {
        (Some(false), _) | (_, Some(false)) => Formula::constant(false),
        (Some(true), _) => other.clone(),
        (_, Some(true)) => one.clone(),
        _ => Formula::and([one.clone(), other.clone()]),
    }
}

fn or(one: &Bit, other: &Bit) -> Bit {
    and(&one.not(), &other.not()).not()
}

fn xor(one: &Bit, other: &Bit) -> Bit {
    match (constant(one), constant(other)) {
        (Some(false), _) => other.clone(),
        (_, Some(false)) => one.clone(),
        (Some(true), _) => other.not(),
        (_, Some(true)) => one.not(),
        _ => one.xor(other),
    }
}
