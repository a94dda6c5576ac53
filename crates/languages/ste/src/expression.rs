//! Values of expressions: words of conditions over the symbolic variables, and plain numbers.
//!
//! A number without a width takes the width of what it meets. Words that meet have the same width: nothing is extended silently. Addition, subtraction and multiplication wrap.

use crate::syntax::{Expression, ExpressionKind};
use entail_source::{Diagnostic, Span, nearest};
use entail_trajectories::{ConditionId, Conditions};
use rustc_hash::FxHashMap;

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A number without a width.
    Number(u64),
    /// Bits from the lowest on; nothing for x.
    Word(Vec<Option<ConditionId>>),
}

type Bits = Vec<ConditionId>;

/// What names mean.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub(crate) conditions: Conditions,
    pub(crate) values: FxHashMap<String, Value>,
}

fn problem(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("ste::value", message, span, "here")
}

/// The bits of a number in so many places; nothing if it does not fit.
fn sized(number: u64, width: usize) -> Option<Bits> {
    let fits = width >= 64 || number >> width == 0;
    let bit = |at: usize| ConditionId::constant(at < 64 && number >> at & 1 == 1);
    fits.then(|| (0..width).map(bit).collect())
}

impl Scope {
    /// The value of an expression.
    pub(crate) fn value(&mut self, expression: &Expression) -> Result<Value, Diagnostic> {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Number(number) => Ok(Value::Number(*number)),
            ExpressionKind::Bits(bits) => {
                let bit = |bit: &Option<bool>| bit.map(ConditionId::constant);
                Ok(Value::Word(bits.iter().map(bit).collect()))
            }
            ExpressionKind::Name(name) => match self.values.get(name) {
                Some(value) => Ok(value.clone()),
                None => Err(self.stranger(name, span)),
            },
            ExpressionKind::Unary(operator, inner) => {
                let value = self.value(inner)?;
                self.unary(operator, value, inner.span)
            }
            ExpressionKind::Binary(operator, left, right) => {
                let values = (self.value(left)?, self.value(right)?);
                match values {
                    (Value::Number(left), Value::Number(right)) => numbers(operator, left, right, span),
                    (left, Value::Number(by)) if matches!(*operator, "<<" | ">>") => {
                        let bits = definite(left, expression.span)?;
                        Ok(word(shifted(operator, &bits, by)))
                    }
                    _ if matches!(*operator, "<<" | ">>") => {
                        Err(problem("shifts are by a number", right.span))
                    }
                    values => {
                        let [left, right] = self.met(values, [left.span, right.span], span)?;
                        self.binary(operator, &left, &right, span)
                    }
                }
            }
            ExpressionKind::Choice(parts) => {
                let [when, then, otherwise] = &**parts;
                let when = self.condition(when)?;
                let values = (self.value(then)?, self.value(otherwise)?);
                let [then, otherwise] = self.met(values, [then.span, otherwise.span], span)?;
                let pairs = then.iter().zip(&otherwise);
                let bits = pairs.map(|(&then, &otherwise)| self.conditions.choose(when, then, otherwise));
                Ok(word(bits.collect()))
            }
            ExpressionKind::Concatenation(parts) => {
                let mut bits = Vec::new();
                for part in parts.iter().rev() {
                    match self.value(part)? {
                        Value::Word(word) => bits.extend(word),
                        Value::Number(_) => {
                            return Err(problem(
                                "in a concatenation a number needs a width, as 4'd3 has",
                                part.span,
                            ));
                        }
                    }
                }
                Ok(Value::Word(bits))
            }
            ExpressionKind::Part(inner, upper, lower) => {
                let Value::Word(bits) = self.value(inner)? else {
                    return Err(problem(
                        "a number without a width has no bits to choose from",
                        inner.span,
                    ));
                };
                let (upper, lower) = (self.number(upper)?, self.number(lower)?);
                if lower > upper || upper >= bits.len() as u64 {
                    let message = format!(
                        "there are no bits [{upper}:{lower}] in a word of {} bits",
                        bits.len()
                    );
                    return Err(problem(message, span));
                }
                Ok(Value::Word(bits[lower as usize..=upper as usize].to_vec()))
            }
        }
    }

    fn stranger(&self, name: &str, span: Span) -> Diagnostic {
        let message = format!("`{name}` is no variable and no named value");
        let found = problem(message, span);
        let known = self.values.keys().map(String::as_str);
        match nearest(name, known) {
            Some(known) => found.with_help(format!("did you mean `{known}`?")),
            None => found.with_help(format!(
                "`var {name};` declares a symbolic variable; nodes of the circuit stand only before `is`"
            )),
        }
    }

    /// An expression of one bit.
    pub(crate) fn condition(&mut self, expression: &Expression) -> Result<ConditionId, Diagnostic> {
        let bits = match self.value(expression)? {
            Value::Number(number @ (0 | 1)) => return Ok(ConditionId::constant(number == 1)),
            value => definite(value, expression.span)?,
        };
        match bits.as_slice() {
            [bit] => Ok(*bit),
            _ => Err(problem(
                format!("a condition has one bit, and this has {}", bits.len()),
                expression.span,
            )),
        }
    }

    /// An expression without variables.
    pub(crate) fn number(&mut self, expression: &Expression) -> Result<u64, Diagnostic> {
        match self.value(expression)? {
            Value::Number(number) => Ok(number),
            Value::Word(_) => Err(problem("a plain number is needed here", expression.span)),
        }
    }

    /// The bits of an expression for a word of this width.
    pub(crate) fn word_of(
        &mut self,
        expression: &Expression,
        width: usize,
    ) -> Result<Vec<Option<ConditionId>>, Diagnostic> {
        let bits = match self.value(expression)? {
            Value::Word(bits) => bits,
            Value::Number(number) => match sized(number, width) {
                Some(bits) => bits.into_iter().map(Some).collect(),
                None => {
                    let message = format!("{number} does not fit into {width} bits");
                    return Err(problem(message, expression.span));
                }
            },
        };
        match bits.len() == width {
            true => Ok(bits),
            false => Err(problem(
                format!("this has {} bits, and the nodes have {width}", bits.len()),
                expression.span,
            )),
        }
    }

    /// Two values that meet, with the same width.
    fn met(&mut self, values: (Value, Value), spans: [Span; 2], span: Span) -> Result<[Bits; 2], Diagnostic> {
        let fit = |number: u64, word: &Bits, span: Span| {
            let message = format!("{number} does not fit into {} bits", word.len());
            sized(number, word.len()).ok_or_else(|| problem(message, span))
        };
        let [left, right] = match values {
            (Value::Number(left), right) => {
                let right = definite(right, spans[1])?;
                [fit(left, &right, spans[0])?, right]
            }
            (left, Value::Number(right)) => {
                let left = definite(left, spans[0])?;
                let right = fit(right, &left, spans[1])?;
                [left, right]
            }
            (left, right) => [definite(left, spans[0])?, definite(right, spans[1])?],
        };
        if left.len() != right.len() {
            let message = format!("a word of {} bits meets one of {}", left.len(), right.len());
            let found = problem(message, span);
            return Err(found.with_help("{1'b0, a} has one bit more than a, a[3:0] has four"));
        }
        Ok([left, right])
    }

    fn unary(&mut self, operator: &str, value: Value, span: Span) -> Result<Value, Diagnostic> {
        if let Value::Number(number) = value {
            return match operator {
                "!" => Ok(Value::Number(u64::from(number == 0))),
                _ => Err(problem(
                    format!("`{operator}` needs a word: a number without a width has no highest bit"),
                    span,
                )),
            };
        }
        let bits = definite(value, span)?;
        let conditions = &mut self.conditions;
        let flipped: Bits = bits.iter().map(|&bit| conditions.not(bit)).collect();
        Ok(word(match operator {
            "!" => {
                let none = flipped
                    .iter()
                    .fold(ConditionId::TRUE, |all, &bit| conditions.and(all, bit));
                vec![none]
            }
            "~" => flipped,
            _ => {
                let zero = vec![ConditionId::FALSE; bits.len()];
                self.sum(&zero, &flipped, ConditionId::TRUE).0
            }
        }))
    }

    fn binary(&mut self, operator: &str, left: &Bits, right: &Bits, span: Span) -> Result<Value, Diagnostic> {
        let pairs = || left.iter().copied().zip(right.iter().copied());
        let conditions = &mut self.conditions;
        Ok(word(match operator {
            "&" => pairs().map(|(a, b)| conditions.and(a, b)).collect(),
            "|" => pairs().map(|(a, b)| conditions.or(a, b)).collect(),
            "^" => pairs().map(|(a, b)| conditions.xor(a, b)).collect(),
            "&&" | "||" => {
                let ([a], [b]) = (left.as_slice(), right.as_slice()) else {
                    let message = format!(
                        "`{operator}` is for single bits; `{}` is for words",
                        &operator[..1]
                    );
                    return Err(problem(message, span));
                };
                vec![match operator {
                    "&&" => conditions.and(*a, *b),
                    _ => conditions.or(*a, *b),
                }]
            }
            "==" | "!=" => {
                let mut same = ConditionId::TRUE;
                for (a, b) in pairs() {
                    let differ = conditions.xor(a, b);
                    let agree = conditions.not(differ);
                    same = conditions.and(same, agree);
                }
                vec![match operator {
                    "==" => same,
                    _ => conditions.not(same),
                }]
            }
            "<" => vec![self.less(left, right)],
            ">" => vec![self.less(right, left)],
            ">=" => {
                let less = self.less(left, right);
                vec![self.conditions.not(less)]
            }
            "<=" => {
                let less = self.less(right, left);
                vec![self.conditions.not(less)]
            }
            "+" => self.sum(left, right, ConditionId::FALSE).0,
            "-" => {
                let flipped: Bits = right.iter().map(|&bit| conditions.not(bit)).collect();
                self.sum(left, &flipped, ConditionId::TRUE).0
            }
            "*" => self.product(left, right),
            _ => return Err(problem(format!("`{operator}` is not for words"), span)),
        }))
    }

    fn sum(
        &mut self,
        left: &[ConditionId],
        right: &[ConditionId],
        mut carry: ConditionId,
    ) -> (Bits, ConditionId) {
        let conditions = &mut self.conditions;
        let mut bits = Vec::with_capacity(left.len());
        for (&a, &b) in left.iter().zip(right) {
            let half = conditions.xor(a, b);
            bits.push(conditions.xor(half, carry));
            carry = conditions.choose(half, carry, a);
        }
        (bits, carry)
    }

    /// Whether a number is smaller: taking the other away borrows.
    fn less(&mut self, left: &[ConditionId], right: &[ConditionId]) -> ConditionId {
        let flipped: Bits = right.iter().map(|&bit| self.conditions.not(bit)).collect();
        let (_, carry) = self.sum(left, &flipped, ConditionId::TRUE);
        self.conditions.not(carry)
    }

    fn product(&mut self, left: &[ConditionId], right: &[ConditionId]) -> Bits {
        let width = left.len();
        let mut total = vec![ConditionId::FALSE; width];
        for (shift, &factor) in right.iter().enumerate() {
            let row: Bits = left[..width - shift]
                .iter()
                .map(|&bit| self.conditions.and(bit, factor))
                .collect();
            let (high, _) = self.sum(&total[shift..], &row, ConditionId::FALSE);
            total.splice(shift.., high);
        }
        total
    }
}

fn word(bits: Bits) -> Value {
    Value::Word(bits.into_iter().map(Some).collect())
}

/// A word without x.
fn definite(value: Value, span: Span) -> Result<Bits, Diagnostic> {
    let Value::Word(bits) = value else {
        return Err(problem("a number needs a width here, as 4'd3 has", span));
    };
    let known: Option<Bits> = bits.into_iter().collect();
    known.ok_or_else(|| problem("x stands only after `is`: it has no value to reckon with", span))
}

fn shifted(operator: &str, bits: &[ConditionId], by: u64) -> Bits {
    let by = by.min(bits.len() as u64) as usize;
    let zeros = std::iter::repeat_n(ConditionId::FALSE, by);
    match operator {
        "<<" => zeros.chain(bits[..bits.len() - by].iter().copied()).collect(),
        _ => bits[by..].iter().copied().chain(zeros).collect(),
    }
}

/// An operator on plain numbers.
fn numbers(operator: &str, left: u64, right: u64, span: Span) -> Result<Value, Diagnostic> {
    let value = match operator {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "&" => Some(left & right),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "<<" => u32::try_from(right).ok().and_then(|by| left.checked_shl(by)),
        ">>" => Some(
            u32::try_from(right)
                .ok()
                .and_then(|by| left.checked_shr(by))
                .unwrap_or(0),
        ),
        "==" => Some(u64::from(left == right)),
        "!=" => Some(u64::from(left != right)),
        "<" => Some(u64::from(left < right)),
        "<=" => Some(u64::from(left <= right)),
        ">" => Some(u64::from(left > right)),
        ">=" => Some(u64::from(left >= right)),
        "&&" => Some(u64::from(left != 0 && right != 0)),
        _ => Some(u64::from(left != 0 || right != 0)),
    };
    value
        .map(Value::Number)
        .ok_or_else(|| problem("this number is below 0 or too large", span))
}
