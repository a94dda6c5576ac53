//! What a term denotes: functions from the bits of a step to its values.
//!
//! - Booleans are one function.
//! - Enumerations and small integers are *cases*: for each value the set of points where the term has it. Arithmetic on them
//!   goes through all pairs of values, which is what multi-terminal diagrams do, and keeps small counters small.
//! - Words, and integers with more than [`MANY`] values, are vectors of bits; integers in two's complement, wide enough for
//!   the bounds of their sort.
//! - Arrays are lists of elements.
//!
//! Cases are disjoint and together cover at least all points where every variable has a valid code; elsewhere anything may be
//! denoted, and validity is conjoined by whoever uses the result.

use crate::bit_vector::{self as vector, Bits};
use crate::stop::{Attempt, NotComputed};
use entail_dd::{Bdd, Manager};
use entail_model::{Op, Sort, Value};
use rustc_hash::FxHashMap;

/// Integers with more values than this are vectors of bits.
pub(crate) const MANY: u64 = 128;
/// Longest arrays.
const LONGEST_ARRAY: u64 = 1 << 12;

#[derive(Clone, Debug)]
pub(crate) enum Denotation {
    Bool(Bdd),
    Cases(Vec<(Value, Bdd)>),
    /// Two's complement.
    Integer(Bits),
    Word {
        bits: Bits,
        signed: bool,
    },
    Array(Vec<Denotation>),
}

/// Bits of two's complement for all integers of the sort.
pub(crate) fn integer_width(sort: &Sort) -> usize {
    let (low, high) = sort.integer_bounds().unwrap_or((0, 0));
    let bits = |number: i64| 65 - (if number < 0 { !number } else { number }).leading_zeros() as usize;
    bits(low).max(bits(high))
}

impl Denotation {
    pub fn truth(&self) -> Attempt<&Bdd> {
        match self {
            Denotation::Bool(truth) => Ok(truth),
            _ => Err(mismatch("a Boolean")),
        }
    }

    pub fn constant(manager: &Manager, value: &Value, sort: &Sort) -> Attempt<Denotation> {
        Ok(match value {
            Value::Bool(truth) => Denotation::Bool(manager.constant(*truth)),
            Value::Int(_) | Value::Symbol(_) => Denotation::Cases(vec![(value.clone(), manager.one())]),
            Value::Word(word) => Denotation::Word {
                bits: vector::constant(manager, word.width() as usize, |place| word.bit(place as u32)),
                signed: word.is_signed(),
            },
            Value::Array(elements) => {
                let Sort::Array { element, .. } = sort else {
                    return Err(mismatch("an array"));
                };
                let elements = elements
                    .iter()
                    .map(|value| Denotation::constant(manager, value, element));
                Denotation::Array(elements.collect::<Attempt<_>>()?)
            }
        })
    }

    /// The values of a variable of this sort, whose bits are given.
    pub fn variable(manager: &Manager, sort: &Sort, bits: &[Bdd]) -> Attempt<Denotation> {
        Ok(match sort {
            Sort::Bool => Denotation::Bool(bits[0].clone()),
            Sort::Word { signed, .. } => Denotation::Word {
                bits: bits.to_vec(),
                signed: *signed,
            },
            Sort::Range { low, .. } if sort.size().is_none_or(|size| size > MANY) => {
                let width = integer_width(sort).max(bits.len() + 1);
                let position = vector::resize(manager, bits, width, false);
                let base = vector::constant(manager, width, |place| low >> place.min(63) & 1 == 1);
                Denotation::Integer(vector::add(&position, &base, manager.zero())?)
            }
            Sort::Range { .. } | Sort::Enum(_) => {
                let mut cases = Vec::new();
                for (position, value) in sort.values().enumerate() {
                    let mut guard = manager.one();
                    for (place, bit) in bits.iter().enumerate() {
                        guard = if position >> place & 1 == 1 {
                            guard.and(bit)?
                        } else {
                            guard.minus(bit)?
                        };
                    }
                    cases.push((value, guard));
                }
                Denotation::Cases(cases)
            }
            Sort::Array { index, element } => {
                let length = array_length(index)?;
                let width = bits.len() / length.max(1);
                let elements = (0..length)
                    .map(|at| Denotation::variable(manager, element, &bits[at * width..(at + 1) * width]));
                Denotation::Array(elements.collect::<Attempt<_>>()?)
            }
        })
    }

    /// As a vector of at least `width` bits in two's complement.
    fn integer(&self, manager: &Manager, width: usize) -> Attempt<Bits> {
        match self {
            Denotation::Integer(bits) => Ok(vector::resize(manager, bits, width.max(bits.len()), true)),
            Denotation::Cases(cases) => {
                let mut bits = vector::constant(manager, width, |_| false);
                for (value, guard) in cases {
                    let number = value.as_int().ok_or_else(|| mismatch("an integer"))?;
                    for (place, bit) in bits.iter_mut().enumerate() {
                        if number >> place.min(63) & 1 == 1 {
                            *bit = bit.or(guard)?;
                        }
                    }
                }
                Ok(bits)
            }
            _ => Err(mismatch("an integer")),
        }
    }

    /// if condition then a else b
    pub fn choose(manager: &Manager, condition: &Bdd, a: &Denotation, b: &Denotation) -> Attempt<Denotation> {
        if condition.is_true() {
            return Ok(a.clone());
        }
        if condition.is_false() {
            return Ok(b.clone());
        }
        Ok(match (a, b) {
            (Denotation::Bool(a), Denotation::Bool(b)) => Denotation::Bool(condition.ite(a, b)?),
            (Denotation::Cases(a), Denotation::Cases(b)) => {
                let mut cases = Collected::default();
                for (value, guard) in a {
                    cases.add(value.clone(), guard.and(condition)?)?;
                }
                for (value, guard) in b {
                    cases.add(value.clone(), guard.minus(condition)?)?;
                }
                Denotation::Cases(cases.finish())
            }
            (Denotation::Word { bits: a, signed }, Denotation::Word { bits: b, .. }) => Denotation::Word {
                bits: vector::choose(condition, a, b)?,
                signed: *signed,
            },
            (Denotation::Array(a), Denotation::Array(b)) => {
                let elements = a
                    .iter()
                    .zip(b)
                    .map(|(a, b)| Denotation::choose(manager, condition, a, b));
                Denotation::Array(elements.collect::<Attempt<_>>()?)
            }
            (
                Denotation::Integer(_) | Denotation::Cases(_),
                Denotation::Integer(_) | Denotation::Cases(_),
            ) => {
                let width = a.natural_width()?.max(b.natural_width()?);
                let (a, b) = (a.integer(manager, width)?, b.integer(manager, width)?);
                Denotation::Integer(vector::choose(condition, &a, &b)?)
            }
            _ => return Err(mismatch("two terms of one sort")),
        })
    }

    /// Bits of two's complement that hold every value this can have.
    fn natural_width(&self) -> Attempt<usize> {
        match self {
            Denotation::Integer(bits) => Ok(bits.len()),
            Denotation::Cases(cases) => {
                let numbers: Option<Vec<i64>> = cases.iter().map(|(value, _)| value.as_int()).collect();
                let numbers = numbers.ok_or_else(|| {
                    NotComputed::Unsupported(
                        "a choice between symbols and integers from a large range".into(),
                    )
                })?;
                let low = numbers.iter().copied().min().unwrap_or(0);
                let high = numbers.iter().copied().max().unwrap_or(0);
                Ok(integer_width(&Sort::range(low, high)))
            }
            _ => Err(mismatch("an integer")),
        }
    }

    pub fn equal(manager: &Manager, a: &Denotation, b: &Denotation) -> Attempt<Bdd> {
        Ok(match (a, b) {
            (Denotation::Bool(a), Denotation::Bool(b)) => a.iff(b)?,
            (Denotation::Cases(a), Denotation::Cases(b)) => {
                let guards: FxHashMap<&Value, &Bdd> = b.iter().map(|(value, guard)| (value, guard)).collect();
                let mut equal = manager.zero();
                for (value, guard) in a {
                    if let Some(other) = guards.get(value) {
                        equal = equal.or(&guard.and(other)?)?;
                    }
                }
                equal
            }
            (Denotation::Word { bits: a, .. }, Denotation::Word { bits: b, .. }) => {
                vector::equal(manager, a, b)?
            }
            (Denotation::Array(a), Denotation::Array(b)) => {
                let mut equal = manager.one();
                for (a, b) in a.iter().zip(b) {
                    equal = equal.and(&Denotation::equal(manager, a, b)?)?;
                }
                equal
            }
            (Denotation::Integer(a), Denotation::Integer(b)) => {
                let width = a.len().max(b.len());
                let (a, b) = (
                    vector::resize(manager, a, width, true),
                    vector::resize(manager, b, width, true),
                );
                vector::equal(manager, &a, &b)?
            }
            (Denotation::Integer(bits), Denotation::Cases(cases))
            | (Denotation::Cases(cases), Denotation::Integer(bits)) => {
                let bits = vector::resize(manager, bits, bits.len().max(65), true);
                let mut equal = manager.zero();
                for (value, guard) in cases {
                    if let Some(number) = value.as_int() {
                        let number =
                            vector::constant(manager, bits.len(), |place| number >> place.min(63) & 1 == 1);
                        equal = equal.or(&vector::equal(manager, &bits, &number)?.and(guard)?)?;
                    }
                }
                equal
            }
            _ => return Err(mismatch("two comparable terms")),
        })
    }

    pub fn less(manager: &Manager, a: &Denotation, b: &Denotation) -> Attempt<Bdd> {
        match (a, b) {
            (
                Denotation::Word {
                    bits: a,
                    signed: true,
                },
                Denotation::Word { bits: b, .. },
            ) => Ok(vector::less(manager, a, b)?),
            (Denotation::Word { bits: a, .. }, Denotation::Word { bits: b, .. }) => {
                Ok(vector::below(manager, a, b)?)
            }
            (Denotation::Cases(a), Denotation::Cases(b)) => {
                let mut less = manager.zero();
                for (left, guard) in a {
                    let mut above = manager.zero();
                    for (right, other) in b {
                        if left.as_int() < right.as_int() {
                            above = above.or(other)?;
                        }
                    }
                    less = less.or(&guard.and(&above)?)?;
                }
                Ok(less)
            }
            _ => {
                let width = a.natural_width()?.max(b.natural_width()?);
                Ok(vector::less(
                    manager,
                    &a.integer(manager, width)?,
                    &b.integer(manager, width)?,
                )?)
            }
        }
    }

    /// Sums, differences, products, quotients and remainders of integers; `sort` is that of the result.
    pub fn arithmetic(
        manager: &Manager,
        op: &Op,
        operands: &[&Denotation],
        sort: &Sort,
    ) -> Attempt<Denotation> {
        if let [Denotation::Cases(cases)] = operands {
            let mut results = Collected::default();
            for (value, guard) in cases {
                let number = value.as_int().ok_or_else(|| mismatch("an integer"))?;
                results.add(Value::Int(apply(op, number, 0)), guard.clone())?;
            }
            return Ok(Denotation::Cases(results.finish()));
        }
        if let [Denotation::Cases(a), Denotation::Cases(b)] = operands
            && sort.size().is_some_and(|size| size <= MANY * 4)
        {
            let mut results = Collected::default();
            for (left, guard) in a {
                for (right, other) in b {
                    let both = guard.and(other)?;
                    if both.is_false() {
                        continue;
                    }
                    let (Some(left), Some(right)) = (left.as_int(), right.as_int()) else {
                        return Err(mismatch("an integer"));
                    };
                    results.add(Value::Int(apply(op, left, right)), both)?;
                }
            }
            return Ok(Denotation::Cases(results.finish()));
        }
        let mut width = integer_width(sort);
        for operand in operands {
            width = width.max(operand.natural_width()?);
        }
        width += 1;
        let bits: Vec<Bits> = operands
            .iter()
            .map(|operand| operand.integer(manager, width))
            .collect::<Attempt<_>>()?;
        let mut result = match (op, bits.as_slice()) {
            (Op::Add, [a, b]) => vector::add(a, b, manager.zero())?,
            (Op::Subtract, [a, b]) => vector::subtract(manager, a, b)?,
            (Op::Negate, [a]) => vector::negate(manager, a)?,
            (Op::Multiply, [a, b]) => vector::multiply(manager, a, b)?,
            (Op::Divide, [a, b]) => {
                let zero = vector::constant(manager, width, |_| false);
                let by_zero = vector::equal(manager, b, &zero)?;
                vector::choose(&by_zero, &zero, &vector::divide_signed(manager, a, b)?.0)?
            }
            (Op::Remainder, [a, b]) => vector::divide_signed(manager, a, b)?.1,
            _ => return Err(mismatch("an operation on integers")),
        };
        result.truncate(integer_width(sort));
        Ok(Denotation::Integer(result))
    }

    /// The points where the term has the value.
    pub fn is(&self, manager: &Manager, value: &Value) -> Attempt<Bdd> {
        let constant = Denotation::constant(manager, value, &value.sort())?;
        Denotation::equal(manager, self, &constant)
    }

    /// The term's bits as a word of some width, wrapping, if it is an integer.
    pub fn to_word(&self, manager: &Manager, width: usize, signed: bool) -> Attempt<Denotation> {
        let natural = self.natural_width()?.max(width);
        let mut bits = self.integer(manager, natural)?;
        bits.truncate(width);
        Ok(Denotation::Word { bits, signed })
    }
}

pub(crate) fn array_length(index: &Sort) -> Attempt<usize> {
    match index.size() {
        Some(size) if size <= LONGEST_ARRAY => Ok(size as usize),
        _ => Err(NotComputed::Unsupported(format!(
            "arrays indexed by {index} are too long for decision diagrams"
        ))),
    }
}

pub(crate) fn mismatch(expected: &str) -> NotComputed {
    NotComputed::Unsupported(format!("a term is not {expected}, as its operator needs"))
}

/// The reference meaning of integer operators; sorts keep the results within 64 bits.
fn apply(op: &Op, a: i64, b: i64) -> i64 {
    match op {
        Op::Add => a.wrapping_add(b),
        Op::Subtract => a.wrapping_sub(b),
        Op::Negate => a.wrapping_neg(),
        Op::Multiply => a.wrapping_mul(b),
        Op::Divide => a.checked_div(b).unwrap_or(0),
        Op::Remainder => a.checked_rem(b).unwrap_or(a),
        _ => a,
    }
}

/// Cases that are being gathered; guards of equal values are joined.
#[derive(Default)]
struct Collected {
    positions: FxHashMap<Value, usize>,
    cases: Vec<(Value, Bdd)>,
}

impl Collected {
    fn add(&mut self, value: Value, guard: Bdd) -> Attempt<()> {
        if guard.is_false() {
            return Ok(());
        }
        match self.positions.get(&value) {
            Some(&at) => self.cases[at].1 = self.cases[at].1.or(&guard)?,
            None => {
                self.positions.insert(value.clone(), self.cases.len());
                self.cases.push((value, guard));
            }
        }
        Ok(())
    }

    fn finish(self) -> Vec<(Value, Bdd)> {
        self.cases
    }
}
