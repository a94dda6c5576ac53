//! Verilog's expressions as lines of a circuit (IEEE 1800-2017, 11.4, 11.6 and 11.8).
//!
//! The reader of expressions and the words they denote are those of recorded runs (`entail_waves`); here an expression becomes lines instead of a value. Operands that belong to one context
//! are extended to its width first, with its sign. A circuit has two values: where Verilog says `x` (a division by zero, a bit that a word does not have) any value is possible, and an input
//! of its own says which; a number that is written with `x` or `z` is read behind `==?` only. An earlier value is a register that begins with zero.
//!
//! **Invariant:** on all values of the signals each bit that `Expression::value` knows is the bit of the lines. The cost is linear in the expression and its earlier values.

use crate::assertions::OWN;
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator};
use entail_waves::{Binary, Expression, Function, Unary, Word};
use num_bigint::BigUint;
use std::sync::Arc;

/// Why an expression has no lines.
pub(crate) type NotLowered = &'static str;

type Lowered = Result<Argument, NotLowered>;

const UNKNOWN_BITS: NotLowered = "a number with `x` or `z` is read behind `==?` and `!=?` only";
const POWER: NotLowered = "`**` is not read in properties of circuits";
const GIVEN: NotLowered = "`ended` is not read in properties of circuits";
const FAR: NotLowered = "the signal has no such bit";

/// A circuit to which expressions about its signals are added.
pub(crate) struct Words<'c> {
    pub(crate) circuit: &'c mut Btor2,
    /// The signals, by their numbers in expressions.
    pub(crate) signals: Vec<Argument>,
    /// Inputs that were added for what Verilog leaves open.
    pub(crate) open: usize,
}

impl Words<'_> {
    /// One bit: whether an expression is true.
    pub(crate) fn truth(&mut self, expression: &Expression) -> Lowered {
        let (width, signed) = expression.kind();
        let word = self.inside(expression, width, signed)?;
        Ok(self.reduced(Operator::Redor, word, width))
    }

    /// The value of an expression in the width and with the sign of a context.
    pub(crate) fn inside(&mut self, expression: &Expression, width: u32, signed: bool) -> Lowered {
        match expression {
            Expression::Fill(bit) => match bit.known() {
                Some(truth) => Ok(self.filled(truth, width)),
                None => Err(UNKNOWN_BITS),
            },
            Expression::Unary(Unary::Plus, inner) => self.inside(inner, width, signed),
            Expression::Unary(Unary::Invert, inner) => {
                let inner = self.inside(inner, width, signed)?;
                Ok(self.add(Operator::Not, width, vec![inner], &[]))
            }
            Expression::Unary(Unary::Minus, inner) => {
                let inner = self.inside(inner, width, signed)?;
                Ok(self.add(Operator::Neg, width, vec![inner], &[]))
            }
            Expression::Binary(operator, sides) if !operator.is_truth() => {
                let left = self.inside(&sides.0, width, signed)?;
                match operator {
                    Binary::Power => Err(POWER),
                    Binary::Left | Binary::Right | Binary::SignedRight => {
                        self.shifted(*operator, left, &sides.1, (width, signed))
                    }
                    _ => {
                        let right = self.inside(&sides.1, width, signed)?;
                        Ok(self.computed(*operator, left, right, (width, signed)))
                    }
                }
            }
            Expression::Choice(parts) => {
                let condition = self.truth(&parts[0])?;
                let first = self.inside(&parts[1], width, signed)?;
                let second = self.inside(&parts[2], width, signed)?;
                Ok(self.add(Operator::Ite, width, vec![condition, first, second], &[]))
            }
            other => {
                let alone = self.alone(other)?;
                Ok(self.resized(alone, other.kind().0, width, signed))
            }
        }
    }

    /// The value of what has a width of its own.
    fn alone(&mut self, expression: &Expression) -> Lowered {
        match expression {
            Expression::Number(word, _) => self.number(word),
            Expression::Signal { number, .. } => Ok(self.signals[*number]),
            Expression::Given(_) => Err(GIVEN),
            Expression::Select {
                signal,
                range,
                at,
                count,
                up,
            } => self.selected(*signal, *range, at, *count, *up),
            Expression::Joined(parts) => {
                let mut whole: Option<(Argument, u32)> = None;
                for part in parts {
                    let (width, signed) = part.kind();
                    let word = self.inside(part, width, signed)?;
                    whole = Some(match whole {
                        None => (word, width),
                        Some((high, before)) => {
                            let both = before + width;
                            (self.add(Operator::Concat, both, vec![high, word], &[]), both)
                        }
                    });
                }
                whole.map(|(word, _)| word).ok_or(FAR)
            }
            Expression::Unary(operator, inner) => {
                let (width, signed) = inner.kind();
                let word = self.inside(inner, width, signed)?;
                let (reduction, negated) = match operator {
                    Unary::Not | Unary::Nor => (Operator::Redor, true),
                    Unary::And => (Operator::Redand, false),
                    Unary::Nand => (Operator::Redand, true),
                    Unary::Or => (Operator::Redor, false),
                    Unary::Xnor => (Operator::Redxor, true),
                    _ => (Operator::Redxor, false),
                };
                Ok(flipped(self.reduced(reduction, word, width), negated))
            }
            Expression::Binary(operator, sides) if operator.is_logical() => {
                let (left, right) = (self.truth(&sides.0)?, self.truth(&sides.1)?);
                let (operator, left) = match operator {
                    Binary::Both => (Operator::And, left),
                    Binary::Either => (Operator::Or, left),
                    Binary::Implies => (Operator::Or, flipped(left, true)),
                    _ => (Operator::Xnor, left),
                };
                Ok(self.add(operator, 1, vec![left, right], &[]))
            }
            Expression::Binary(operator, sides) => self.compared(*operator, &sides.0, &sides.1),
            Expression::Call(function, inner) => self.called(*function, inner),
            Expression::Past(inner, count) => {
                let (width, signed) = inner.kind();
                let mut word = self.inside(inner, width, signed)?;
                for _ in 0..*count {
                    word = self.earlier(word, width);
                }
                Ok(word)
            }
            // (Those belong to a context.)
            other => {
                let (width, signed) = other.kind();
                self.inside(other, width, signed)
            }
        }
    }

    fn add(&mut self, operator: Operator, width: u32, arguments: Vec<Argument>, numbers: &[u32]) -> Argument {
        let node = Node::Operation {
            sort: BitSort::Bits(width),
            operator,
            arguments,
            numbers: numbers.to_vec(),
        };
        Argument::plain(self.circuit.add(node, None))
    }

    fn constant(&mut self, bits: BigUint, width: u32) -> Argument {
        let bits = Arc::new(bits);
        Argument::plain(self.circuit.add(Node::Constant { width, bits }, None))
    }

    fn filled(&mut self, truth: bool, width: u32) -> Argument {
        flipped(self.constant(BigUint::ZERO, width), truth)
    }

    fn number(&mut self, word: &Word) -> Lowered {
        let mut bits = BigUint::ZERO;
        for (place, bit) in word.0.iter().enumerate() {
            bits.set_bit(place as u64, bit.known().ok_or(UNKNOWN_BITS)?);
        }
        Ok(self.constant(bits, word.width()))
    }

    /// Any value.
    fn anything(&mut self, width: u32) -> Argument {
        let name = format!("{OWN}x{}", self.open);
        self.open += 1;
        Argument::plain(self.circuit.add(Node::Input(BitSort::Bits(width)), Some(name)))
    }

    fn reduced(&mut self, operator: Operator, word: Argument, width: u32) -> Argument {
        match width {
            1 => word,
            _ => self.add(operator, 1, vec![word], &[]),
        }
    }

    /// A word with more or fewer bits.
    fn resized(&mut self, word: Argument, from: u32, to: u32, signed: bool) -> Argument {
        match (to.cmp(&from), signed) {
            (std::cmp::Ordering::Equal, _) => word,
            (std::cmp::Ordering::Less, _) => self.add(Operator::Slice, to, vec![word], &[to - 1, 0]),
            (_, true) => self.add(Operator::Sext, to, vec![word], &[to - from]),
            (_, false) => self.add(Operator::Uext, to, vec![word], &[to - from]),
        }
    }

    fn computed(
        &mut self,
        operator: Binary,
        left: Argument,
        right: Argument,
        (width, signed): (u32, bool),
    ) -> Argument {
        let known = match (operator, signed) {
            (Binary::And, _) => Operator::And,
            (Binary::Or, _) => Operator::Or,
            (Binary::Xor, _) => Operator::Xor,
            (Binary::Xnor, _) => Operator::Xnor,
            (Binary::Plus, _) => Operator::Add,
            (Binary::Minus, _) => Operator::Sub,
            (Binary::Times, _) => Operator::Mul,
            (Binary::Over, true) => Operator::Sdiv,
            (Binary::Over, false) => Operator::Udiv,
            (_, true) => Operator::Srem,
            (_, false) => Operator::Urem,
        };
        let found = self.add(known, width, vec![left, right], &[]);
        if !matches!(operator, Binary::Over | Binary::Modulo) {
            return found;
        }
        let is_number = self.reduced(Operator::Redor, right, width);
        let open = self.anything(width);
        self.add(Operator::Ite, width, vec![is_number, found, open], &[])
    }

    /// Shifts: how far is a number without a sign that stands by itself.
    fn shifted(
        &mut self,
        operator: Binary,
        left: Argument,
        right: &Expression,
        (width, signed): (u32, bool),
    ) -> Lowered {
        let (count_width, count_signed) = right.kind();
        let count = self.inside(right, count_width, count_signed)?;
        let wide = width.max(count_width);
        let (known, fills_with_sign) = match operator {
            Binary::Left => (Operator::Sll, false),
            Binary::SignedRight if signed => (Operator::Sra, true),
            _ => (Operator::Srl, false),
        };
        let left = self.resized(left, width, wide, fills_with_sign);
        let count = self.resized(count, count_width, wide, false);
        let found = self.add(known, wide, vec![left, count], &[]);
        Ok(self.resized(found, wide, width, false))
    }

    /// Comparisons: the operands are brought to one width and sign.
    fn compared(&mut self, operator: Binary, left: &Expression, right: &Expression) -> Lowered {
        let (first, second) = (left.kind(), right.kind());
        let (width, signed) = (first.0.max(second.0), first.1 && second.1);
        let left = self.inside(left, width, signed)?;
        if let (Binary::Matches | Binary::MatchesNot, Expression::Number(pattern, _)) = (operator, right) {
            let pattern = pattern.clone().extended(width, signed);
            let (mut mask, mut bits) = (BigUint::ZERO, BigUint::ZERO);
            for (place, bit) in pattern.0.iter().enumerate() {
                mask.set_bit(place as u64, bit.known().is_some());
                bits.set_bit(place as u64, bit.known() == Some(true));
            }
            let (mask, bits) = (self.constant(mask, width), self.constant(bits, width));
            let counted = self.add(Operator::And, width, vec![left, mask], &[]);
            let equal = self.add(Operator::Eq, 1, vec![counted, bits], &[]);
            return Ok(flipped(equal, operator == Binary::MatchesNot));
        }
        let right = self.inside(right, width, signed)?;
        let known = match (operator, signed) {
            (Binary::Equal | Binary::Same | Binary::Matches, _) => Operator::Eq,
            (Binary::Unequal | Binary::NotSame | Binary::MatchesNot, _) => Operator::Neq,
            (Binary::Less, true) => Operator::Slt,
            (Binary::Less, false) => Operator::Ult,
            (Binary::AtMost, true) => Operator::Slte,
            (Binary::AtMost, false) => Operator::Ulte,
            (Binary::Greater, true) => Operator::Sgt,
            (Binary::Greater, false) => Operator::Ugt,
            (_, true) => Operator::Sgte,
            (_, false) => Operator::Ugte,
        };
        Ok(self.add(known, 1, vec![left, right], &[]))
    }

    /// Bits of a signal. Around it lie bits of any value, as many as may be meant.
    fn selected(
        &mut self,
        signal: usize,
        range: (i64, i64),
        at: &Expression,
        count: u32,
        up: bool,
    ) -> Lowered {
        let word = self.signals[signal];
        let width = u32::try_from(range.0.abs_diff(range.1) + 1).map_err(|_| FAR)?;
        if let Expression::Number(number, signed) = at {
            let number = number.number(*signed).ok_or(UNKNOWN_BITS)?;
            let number = i64::try_from(number).map_err(|_| FAR)?;
            let lowest = if up { number } else { number - i64::from(count - 1) };
            let place = match range.0 >= range.1 {
                true => lowest - range.1,
                false => range.1 - lowest - i64::from(count - 1),
            };
            let low = u32::try_from(place).map_err(|_| FAR)?;
            let high = low + count - 1;
            return match high < width {
                true => Ok(self.add(Operator::Slice, count, vec![word], &[high, low])),
                false => Err(FAR),
            };
        }
        let (at_width, at_signed) = at.kind();
        // Wide enough for every number that is met on the way.
        let ends = [range.0, range.1, i64::from(count), i64::from(width)];
        let most = ends.iter().map(|end| end.unsigned_abs()).max().unwrap_or(0);
        let wide = (u64::BITS - most.leading_zeros()).max(at_width) + 3;
        let at = self.inside(at, at_width, at_signed)?;
        let at = self.resized(at, at_width, wide, at_signed);
        let whole = |number: i64| {
            let modulus = num_bigint::BigInt::from(1) << wide;
            let number = num_bigint::BigInt::from(number);
            ((number % &modulus + &modulus) % modulus).magnitude().clone()
        };
        // The place of the lowest bit that is meant, counted from the lowest of the bits around the word.
        let around = i64::from(count - 1);
        let (base, adds) = match range.0 >= range.1 {
            true => (if up { 0 } else { -around } - range.1 + around, true),
            false => (range.1 - around + if up { 0 } else { around } + around, false),
        };
        let base = self.constant(whole(base), wide);
        let place = match adds {
            true => self.add(Operator::Add, wide, vec![base, at], &[]),
            false => self.add(Operator::Sub, wide, vec![base, at], &[]),
        };
        let (padded, padded_width) = match count {
            1 => (word, width),
            _ => {
                let (high, low) = (self.anything(count - 1), self.anything(count - 1));
                let upper = self.add(Operator::Concat, width + count - 1, vec![high, word], &[]);
                let all = width + 2 * (count - 1);
                (self.add(Operator::Concat, all, vec![upper, low], &[]), all)
            }
        };
        let last = self.constant(whole(i64::from(padded_width - count)), wide);
        let is_there = self.add(Operator::Ulte, 1, vec![place, last], &[]);
        let common = padded_width.max(wide);
        let padded = self.resized(padded, padded_width, common, false);
        let place = self.resized(place, wide, common, false);
        let moved = self.add(Operator::Srl, common, vec![padded, place], &[]);
        let found = self.resized(moved, common, count, false);
        let open = self.anything(count);
        Ok(self.add(Operator::Ite, count, vec![is_there, found, open], &[]))
    }

    fn called(&mut self, function: Function, inner: &Expression) -> Lowered {
        let (width, signed) = inner.kind();
        if function == Function::Bits {
            return Ok(self.constant(BigUint::from(width), 32));
        }
        let word = self.inside(inner, width, signed)?;
        Ok(match function {
            Function::Signed | Function::Unsigned => word,
            Function::IsUnknown => self.filled(false, 1),
            Function::Lowest => self.resized(word, width, 1, false),
            Function::CountOnes => {
                let mut sum = self.constant(BigUint::ZERO, 32);
                for bit in 0..width {
                    let bit = self.add(Operator::Slice, 1, vec![word], &[bit, bit]);
                    let bit = self.resized(bit, 1, 32, false);
                    sum = self.add(Operator::Add, 32, vec![sum, bit], &[]);
                }
                sum
            }
            Function::OneHot | Function::OneHot0 | Function::Bits => {
                // Without its lowest 1 it has none.
                let one = self.constant(BigUint::from(1_u8), width);
                let less = self.add(Operator::Sub, width, vec![word, one], &[]);
                let others = self.add(Operator::And, width, vec![word, less], &[]);
                let others = self.reduced(Operator::Redor, others, width);
                let none_other = flipped(others, true);
                match function {
                    Function::OneHot0 => none_other,
                    _ => {
                        let some = self.reduced(Operator::Redor, word, width);
                        self.add(Operator::And, 1, vec![some, none_other], &[])
                    }
                }
            }
        })
    }

    /// The value a step before; zero in the first step.
    fn earlier(&mut self, word: Argument, width: u32) -> Argument {
        let zero = self.constant(BigUint::ZERO, width);
        let state = self.circuit.add(Node::State(BitSort::Bits(width)), None);
        self.circuit.add(Node::Init { state, value: zero }, None);
        self.circuit.add(Node::Next { state, value: word }, None);
        Argument::plain(state)
    }

    /// A bit as a line of its own.
    pub(crate) fn line(&mut self, bit: Argument, name: String) -> LineIndex {
        let truth = self.filled(true, 1);
        let node = Node::Operation {
            sort: BitSort::Bits(1),
            operator: Operator::And,
            arguments: vec![bit, truth],
            numbers: Vec::new(),
        };
        self.circuit.add(node, Some(name))
    }
}

fn flipped(bits: Argument, flips: bool) -> Argument {
    Argument {
        negated: bits.negated != flips,
        ..bits
    }
}
