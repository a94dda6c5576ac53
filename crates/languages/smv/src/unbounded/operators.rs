//! Operators and functions on numbers, words and truth values.

use super::scopes::ScopeId;
use super::{Kind, Reader, Reported, Typed};
use crate::syntax::ast::{Binary, ExprId, Function, Nary};
use entail_first_order::{Op, SortId, TermId};
use entail_source::Span;
use num_bigint::BigUint;

impl Reader<'_> {
    fn misfit(&mut self, span: Span) -> Reported {
        let text = self.text_of(span);
        self.wrong("smv::sort", format!("the operands of `{text}` do not fit"), span)
    }

    /// Two values of one kind: an integer becomes a real beside a real.
    pub(super) fn alike(&mut self, a: Typed, b: Typed, span: Span) -> Result<(Typed, Typed), Reported> {
        match (a.kind, b.kind) {
            (x, y) if x == y => Ok((a, b)),
            (Kind::Int, Kind::Real) => Ok((self.real(a), b)),
            (Kind::Real, Kind::Int) => Ok((a, self.real(b))),
            _ => Err(self.misfit(span)),
        }
    }

    fn real(&mut self, value: Typed) -> Typed {
        Typed {
            term: self.terms.to_real(value.term),
            kind: Kind::Real,
        }
    }

    pub(super) fn negation(&mut self, value: Typed, span: Span) -> Result<Typed, Reported> {
        let term = match value.kind {
            Kind::Bool => self.terms.not(value.term),
            Kind::Word { .. } => self.terms.word_unary(Op::WordNot, value.term),
            _ => return Err(self.misfit(span)),
        };
        Ok(Typed { term, ..value })
    }

    pub(super) fn minus(&mut self, value: Typed, span: Span) -> Result<Typed, Reported> {
        let term = match value.kind {
            Kind::Int | Kind::Real => self.terms.neg(value.term),
            Kind::Word { .. } => self.terms.word_unary(Op::WordNeg, value.term),
            _ => return Err(self.misfit(span)),
        };
        Ok(Typed { term, ..value })
    }

    /// Conjunctions, disjunctions and sums of any number of operands.
    pub(super) fn fold(&mut self, operator: Nary, values: &[Typed], span: Span) -> Result<Typed, Reported> {
        let parts: Vec<TermId> = values.iter().map(|value| value.term).collect();
        let (Some(&first), true) = (values.first(), values.len() > 1) else {
            return values.first().copied().ok_or(Reported);
        };
        let all_are = |kind: Kind| values.iter().all(|value| value.kind == kind);
        if operator != Nary::Add && all_are(Kind::Bool) {
            let term = match operator {
                Nary::And => self.terms.and(&parts),
                _ => self.terms.or(&parts),
            };
            return Ok(Typed { term, ..first });
        }
        let mut result = first;
        for &value in &values[1..] {
            let (a, b) = self.alike(result, value, span)?;
            let term = match (operator, a.kind) {
                (Nary::Add, Kind::Int) => self.terms.add(&[a.term, b.term], SortId::INT),
                (Nary::Add, Kind::Real) => self.terms.add(&[a.term, b.term], SortId::REAL),
                (Nary::Add, Kind::Word { .. }) => self.terms.word_binary(Op::WordAdd, a.term, b.term),
                (Nary::And, Kind::Word { .. }) => self.terms.word_binary(Op::WordAnd, a.term, b.term),
                (Nary::Or, Kind::Word { .. }) => self.terms.word_binary(Op::WordOr, a.term, b.term),
                _ => return Err(self.misfit(span)),
            };
            result = Typed { term, kind: a.kind };
        }
        Ok(result)
    }

    pub(super) fn binary(
        &mut self,
        operator: Binary,
        left: Typed,
        right: Typed,
        span: Span,
    ) -> Result<Typed, Reported> {
        match operator {
            Binary::ShiftLeft | Binary::ShiftRight | Binary::Concat => {
                return self.word_pair(operator, left, right, span);
            }
            _ => {}
        }
        let (a, b) = self.alike(left, right, span)?;
        let formula = |term: TermId| {
            Ok(Typed {
                term,
                kind: Kind::Bool,
            })
        };
        let is_formula = a.kind == Kind::Bool;
        match operator {
            Binary::Equal => formula(self.terms.eq(a.term, b.term)),
            Binary::NotEqual => {
                let same = self.terms.eq(a.term, b.term);
                formula(self.terms.not(same))
            }
            Binary::Implies if is_formula => formula(self.terms.implies(a.term, b.term)),
            Binary::Iff if is_formula => formula(self.terms.eq(a.term, b.term)),
            Binary::Xor if is_formula => formula(self.terms.xor(a.term, b.term)),
            Binary::Xnor if is_formula => formula(self.terms.eq(a.term, b.term)),
            Binary::Less => formula(self.less(a, b, span)?),
            Binary::Greater => formula(self.less(b, a, span)?),
            Binary::LessEqual => {
                let above = self.less(b, a, span)?;
                formula(self.terms.not(above))
            }
            Binary::GreaterEqual => {
                let below = self.less(a, b, span)?;
                formula(self.terms.not(below))
            }
            Binary::Xor | Binary::Xnor => match a.kind {
                Kind::Word { .. } => {
                    let term = self.terms.word_binary(Op::WordXor, a.term, b.term);
                    let differ = Typed { term, kind: a.kind };
                    match operator {
                        Binary::Xor => Ok(differ),
                        _ => self.negation(differ, span),
                    }
                }
                _ => Err(self.misfit(span)),
            },
            Binary::Subtract => {
                let negated = self.minus(b, span)?;
                self.fold(Nary::Add, &[a, negated], span)
            }
            Binary::Multiply => {
                let term = match a.kind {
                    Kind::Int => self.terms.mul(&[a.term, b.term], SortId::INT),
                    Kind::Real => self.terms.mul(&[a.term, b.term], SortId::REAL),
                    Kind::Word { .. } => self.terms.word_binary(Op::WordMul, a.term, b.term),
                    _ => return Err(self.misfit(span)),
                };
                Ok(Typed { term, kind: a.kind })
            }
            Binary::Divide | Binary::Modulo => self.quotient(operator == Binary::Divide, a, b, span),
            _ => Err(self.misfit(span)),
        }
    }

    fn less(&mut self, a: Typed, b: Typed, span: Span) -> Result<TermId, Reported> {
        match a.kind {
            Kind::Int | Kind::Real => Ok(self.terms.lt(a.term, b.term)),
            Kind::Word { signed: false, .. } => Ok(self.terms.word_less(a.term, b.term)),
            Kind::Word { signed: true, .. } => Ok(self.terms.word_less_signed(a.term, b.term)),
            _ => Err(self.misfit(span)),
        }
    }

    /// The quotient towards zero, or the remainder with the dividend's sign; a division by zero is an error.
    fn quotient(&mut self, is_quotient: bool, a: Typed, b: Typed, span: Span) -> Result<Typed, Reported> {
        let zero = match a.kind {
            Kind::Int => self.terms.int(0),
            Kind::Real => self.terms.numeral(0.into(), SortId::REAL),
            Kind::Word { width, .. } => self.terms.word(BigUint::default(), width),
            _ => return Err(self.misfit(span)),
        };
        let by_zero = self.terms.eq(b.term, zero);
        self.note_error(by_zero);
        let term = match (a.kind, is_quotient) {
            (Kind::Real, true) => self.terms.divide(a.term, b.term),
            (Kind::Int, _) => {
                // Division is Euclidean: on magnitudes both agree.
                let (x, y) = (self.terms.abs(a.term), self.terms.abs(b.term));
                let (is_negative, below) = (self.terms.lt(a.term, zero), self.terms.lt(b.term, zero));
                let (size, flips) = match is_quotient {
                    true => (self.terms.int_div(x, y), self.terms.xor(is_negative, below)),
                    false => (self.terms.modulo(x, y), is_negative),
                };
                let negated = self.terms.neg(size);
                self.terms.ite(flips, negated, size)
            }
            (Kind::Word { signed: true, .. }, true) => self.terms.word_signed_divide(a.term, b.term),
            (Kind::Word { signed: true, .. }, false) => self.terms.word_signed_remainder(a.term, b.term),
            (Kind::Word { .. }, true) => self.terms.word_binary(Op::WordDivide, a.term, b.term),
            (Kind::Word { .. }, false) => self.terms.word_binary(Op::WordRemainder, a.term, b.term),
            _ => return Err(self.misfit(span)),
        };
        Ok(Typed { term, kind: a.kind })
    }

    fn word_pair(&mut self, operator: Binary, a: Typed, b: Typed, span: Span) -> Result<Typed, Reported> {
        let Kind::Word { width, signed } = a.kind else {
            return Err(self.misfit(span));
        };
        if operator == Binary::Concat {
            let Kind::Word { width: low, .. } = b.kind else {
                return Err(self.misfit(span));
            };
            return Ok(Typed {
                term: self.terms.concat(a.term, b.term),
                kind: Kind::Word {
                    width: width + low,
                    signed: false,
                },
            });
        }
        let by = match b.kind {
            Kind::Int => {
                let number = self.terms.number(b.term).and_then(|number| number.to_i64());
                let number = number.and_then(|number| u32::try_from(number).ok());
                let number = number.filter(|&number| number <= width);
                let number = number.ok_or_else(|| self.misfit(span))?;
                // The width itself may not fit the word: then nothing is left, as with all ones.
                let value = match BigUint::from(number).bits() > u64::from(width) {
                    true => (BigUint::from(1u32) << width) - 1u32,
                    false => number.into(),
                };
                self.terms.word(value, width)
            }
            Kind::Word { width: other, .. } if other == width => b.term,
            _ => return Err(self.misfit(span)),
        };
        let op = match (operator, signed) {
            (Binary::ShiftLeft, _) => Op::ShiftLeft,
            (_, true) => Op::ShiftRightSigned,
            _ => Op::ShiftRight,
        };
        Ok(Typed {
            term: self.terms.word_binary(op, a.term, by),
            kind: a.kind,
        })
    }

    pub(super) fn bits(&mut self, word: Typed, high: i64, low: i64, span: Span) -> Result<Typed, Reported> {
        let Kind::Word { width, .. } = word.kind else {
            return Err(self.misfit(span));
        };
        match (u32::try_from(high), u32::try_from(low)) {
            (Ok(high), Ok(low)) if low <= high && high < width => Ok(Typed {
                term: self.terms.extract(word.term, high, low),
                kind: Kind::Word {
                    width: high - low + 1,
                    signed: false,
                },
            }),
            _ => Err(self.wrong("smv::bits", "there are no such bits", span)),
        }
    }

    /// A word of another width: of a signed one the sign stays.
    fn resized(&mut self, word: TermId, (width, signed): (u32, bool), to: u32) -> TermId {
        match (to >= width, signed) {
            (true, true) => self.terms.sign_extend(word, to - width),
            (true, false) => self.terms.zero_extend(word, to - width),
            (false, false) => self.terms.extract(word, to - 1, 0),
            (false, true) => {
                let sign = self.terms.extract(word, width - 1, width - 1);
                match to {
                    1 => sign,
                    _ => {
                        let rest = self.terms.extract(word, to - 2, 0);
                        self.terms.concat(sign, rest)
                    }
                }
            }
        }
    }

    /// A word by its value and its width, both constant.
    fn word_of(&mut self, signed: bool, value: Typed, width: Typed, span: Span) -> Result<Typed, Reported> {
        let constant = |reader: &Self, value: Typed| reader.terms.number(value.term).and_then(|n| n.to_i64());
        let width = constant(self, width).and_then(|width| u32::try_from(width).ok());
        let (Some(value), Some(width @ 1..=64_000)) = (constant(self, value), width) else {
            return Err(self.wrong(
                "smv::constant",
                "constants are needed here: a value and a width",
                span,
            ));
        };
        let magnitude = BigUint::from(value.unsigned_abs());
        let limit = BigUint::from(1u32) << width;
        let half = BigUint::from(1u32) << (width - 1);
        let fits = match (signed, value < 0) {
            (false, false) => magnitude < limit,
            (false, true) => false,
            (true, false) => magnitude < half,
            (true, true) => magnitude <= half,
        };
        if !fits {
            return Err(self.wrong("smv::word-constant", "the value does not fit the word", span));
        }
        let bits = match value < 0 {
            true => limit - magnitude,
            false => magnitude,
        };
        Ok(Typed {
            term: self.terms.word(bits, width),
            kind: Kind::Word { width, signed },
        })
    }

    pub(super) fn call(
        &mut self,
        function: Function,
        arguments: &[ExprId],
        scope: ScopeId,
        primed: bool,
        span: Span,
    ) -> Result<Typed, Reported> {
        let mut values = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            values.push(self.value(argument, scope, primed)?);
        }
        let typed = |term: TermId, kind: Kind| Ok(Typed { term, kind });
        match (function, values.as_slice()) {
            (Function::Abs, &[a]) if matches!(a.kind, Kind::Int) => typed(self.terms.abs(a.term), Kind::Int),
            (Function::Abs, &[a]) if matches!(a.kind, Kind::Real) => {
                let zero = self.terms.numeral(0.into(), SortId::REAL);
                let (is_negative, negated) = (self.terms.lt(a.term, zero), self.terms.neg(a.term));
                typed(self.terms.ite(is_negative, negated, a.term), Kind::Real)
            }
            (Function::Min | Function::Max, &[a, b]) => {
                let (a, b) = self.alike(a, b, span)?;
                let is_less = self.less(a, b, span)?;
                let (first, second) = match function {
                    Function::Min => (a.term, b.term),
                    _ => (b.term, a.term),
                };
                typed(self.terms.ite(is_less, first, second), a.kind)
            }
            (Function::Floor, &[a]) if matches!(a.kind, Kind::Int) => Ok(a),
            (Function::Floor, &[a]) if matches!(a.kind, Kind::Real) => {
                typed(self.terms.to_int(a.term), Kind::Int)
            }
            (Function::ToInt, &[a]) => match a.kind {
                Kind::Int => Ok(a),
                Kind::Bool => {
                    let (one, zero) = (self.terms.int(1), self.terms.int(0));
                    typed(self.terms.ite(a.term, one, zero), Kind::Int)
                }
                Kind::Word { signed: false, .. } => typed(self.terms.word_to_int(a.term), Kind::Int),
                Kind::Word { width, signed: true } => {
                    let unsigned = self.terms.word_to_int(a.term);
                    let sign = self.terms.extract(a.term, width - 1, width - 1);
                    let one = self.terms.word(1u32.into(), 1);
                    let is_negative = self.terms.eq(sign, one);
                    let size = entail_first_order::Rational::from_big((BigUint::from(1u32) << width).into());
                    let size = self.terms.numeral(size, SortId::INT);
                    let size = self.terms.neg(size);
                    let negative = self.terms.add(&[unsigned, size], SortId::INT);
                    typed(self.terms.ite(is_negative, negative, unsigned), Kind::Int)
                }
                _ => Err(self.misfit(span)),
            },
            (Function::Bool, &[a]) => match a.kind {
                Kind::Bool => Ok(a),
                Kind::Word { width: 1, .. } => {
                    let one = self.terms.word(1u32.into(), 1);
                    typed(self.terms.eq(a.term, one), Kind::Bool)
                }
                Kind::Int => {
                    let zero = self.terms.int(0);
                    let is_zero = self.terms.eq(a.term, zero);
                    typed(self.terms.not(is_zero), Kind::Bool)
                }
                _ => Err(self.misfit(span)),
            },
            (Function::Word1, &[a]) if a.kind == Kind::Bool => {
                let (one, zero) = (self.terms.word(1u32.into(), 1), self.terms.word(0u32.into(), 1));
                let kind = Kind::Word {
                    width: 1,
                    signed: false,
                };
                typed(self.terms.ite(a.term, one, zero), kind)
            }
            (Function::Signed | Function::Unsigned, &[a]) => match a.kind {
                Kind::Word { width, .. } => {
                    let signed = function == Function::Signed;
                    typed(a.term, Kind::Word { width, signed })
                }
                _ => Err(self.misfit(span)),
            },
            (Function::Extend, &[a, by]) => {
                let by = self.terms.number(by.term).and_then(|number| number.to_i64());
                match (a.kind, by.and_then(|by| u32::try_from(by).ok())) {
                    (Kind::Word { width, signed }, Some(by)) if by <= 64_000 => {
                        let term = match signed {
                            true => self.terms.sign_extend(a.term, by),
                            false => self.terms.zero_extend(a.term, by),
                        };
                        typed(
                            term,
                            Kind::Word {
                                width: width + by,
                                signed,
                            },
                        )
                    }
                    _ => Err(self.misfit(span)),
                }
            }
            (Function::Resize, &[a, to]) => {
                let to = self.terms.number(to.term).and_then(|number| number.to_i64());
                match (a.kind, to.and_then(|to| u32::try_from(to).ok())) {
                    (Kind::Word { width, signed }, Some(to @ 1..=64_000)) => {
                        let term = self.resized(a.term, (width, signed), to);
                        typed(term, Kind::Word { width: to, signed })
                    }
                    _ => Err(self.misfit(span)),
                }
            }
            (Function::SizeOf, &[a]) => match a.kind {
                Kind::Word { width, .. } => typed(self.terms.int(i64::from(width)), Kind::Int),
                _ => Err(self.misfit(span)),
            },
            (Function::UwConst | Function::SwConst, &[value, width]) => {
                self.word_of(function == Function::SwConst, value, width, span)
            }
            (Function::Count, values) if values.iter().all(|value| value.kind == Kind::Bool) => {
                let (one, zero) = (self.terms.int(1), self.terms.int(0));
                let parts: Vec<TermId> = values
                    .iter()
                    .map(|value| self.terms.ite(value.term, one, zero))
                    .collect();
                typed(self.terms.add(&parts, SortId::INT), Kind::Int)
            }
            _ => Err(self.wrong(
                "smv::not-yet",
                "this function is not supported with integers",
                span,
            )),
        }
    }
}
