//! Terms of floating-point numbers: written values, operations, and what IEEE 754 leaves open.
//!
//! Where an operation is not determined (a number that fits no word, the bits of NaN, the lesser of two zeros), the value is an
//! application of a symbol that stands for the choice: the same operands give the same value.

use crate::floats::operand_format;
use crate::{FloatOp, Format, Op, Rounding, Sort, SortId, SymbolId, TermId, Terms, Value, float_operation};
use num_bigint::BigUint;

impl Terms {
    /// The sort of a format's numbers.
    pub fn float_sort(&mut self, format: Format) -> SortId {
        self.sort_id(Sort::Float(format))
    }

    /// The format of a term's sort, if it is a floating-point number.
    pub fn format(&self, id: TermId) -> Option<Format> {
        operand_format(self, self.sort_of(id))
    }

    /// The number of these bits.
    pub fn float(&mut self, bits: BigUint, format: Format) -> TermId {
        let sort = self.float_sort(format);
        let word = self.word(format.canonical(bits), format.width());
        self.make(Op::Float(FloatOp::FromBits), &[word], sort)
    }

    /// A rounding mode.
    pub fn rounding(&mut self, mode: Rounding) -> TermId {
        let sort = self.sort_id(Sort::Rounding);
        self.make(Op::Rounding(mode), &[], sort)
    }

    /// The value a term is written as, for numbers, words, floating-point numbers and rounding modes.
    pub fn literal(&self, id: TermId) -> Option<Value> {
        let node = self.node(id);
        match &node.op {
            Op::True => Some(Value::Bool(true)),
            Op::False => Some(Value::Bool(false)),
            Op::Number(value) => Some(Value::Number(value.clone())),
            Op::Word(bits) => Some(Value::Word(bits.clone())),
            Op::Rounding(mode) => Some(Value::Word(mode.index().into())),
            Op::Float(FloatOp::FromBits) => {
                let bits = self.word_value(node.args[0])?;
                let format = operand_format(self, node.sort)?;
                (!format.is_nan(bits) || *bits == format.nan()).then(|| Value::Word(bits.clone()))
            }
            _ => None,
        }
    }

    /// The term that writes a value of such a sort.
    pub fn literal_term(&mut self, value: &Value, sort: SortId) -> Option<TermId> {
        match (value, self.sort(sort).clone()) {
            (Value::Array(default, exceptions), Sort::Array(index, element)) => {
                let default = self.literal_term(default, element)?;
                let mut array = self.make(Op::ConstantArray, &[default], sort);
                for (at, what) in exceptions {
                    let (at, what) = (self.literal_term(at, index)?, self.literal_term(what, element)?);
                    array = self.store(array, at, what);
                }
                Some(array)
            }
            (Value::Bool(value), Sort::Bool) => Some(self.bool(*value)),
            (Value::Number(value), Sort::Int | Sort::Real) => Some(self.numeral(value.clone(), sort)),
            (Value::Word(bits), Sort::Word(width)) => Some(self.word(bits.clone(), width)),
            (Value::Word(bits), Sort::Float(format)) => Some(self.float(bits.clone(), format)),
            (Value::Word(bits), Sort::Rounding) => {
                let mode = *Rounding::ALL.get(usize::try_from(bits).ok()?)?;
                Some(self.rounding(mode))
            }
            _ => None,
        }
    }

    /// An operation on floating-point numbers, computed if the operands are written out.
    pub fn float_term(&mut self, op: FloatOp, args: &[TermId], result: SortId) -> TermId {
        let values: Option<Vec<Value>> = args.iter().map(|&arg| self.literal(arg)).collect();
        if let Some(values) = values {
            let sorted: Vec<(&Value, SortId)> = values
                .iter()
                .zip(args)
                .map(|(value, &arg)| (value, self.sort_of(arg)))
                .collect();
            let value = float_operation(self, op, &sorted, result);
            if let Some(term) = value.and_then(|value| self.literal_term(&value, result)) {
                return term;
            }
        }
        match (op, args) {
            // Reading bits back.
            (FloatOp::FromBits, &[a]) if *self.op(a) == Op::Float(FloatOp::ToBits) => self.args(a)[0],
            _ => self.make(Op::Float(op), args, result),
        }
    }

    /// An operation whose value is not determined everywhere: where it is not, it is some function of its operands.
    pub fn partial_float_term(&mut self, op: FloatOp, args: &[TermId], result: SortId) -> TermId {
        let total = self.float_term(op, args, result);
        let is_determined = match op {
            FloatOp::ToUnsigned(width) => self.float_term(FloatOp::FitsUnsigned(width), args, SortId::BOOL),
            FloatOp::ToSigned(width) => self.float_term(FloatOp::FitsSigned(width), args, SortId::BOOL),
            FloatOp::ToReal => {
                let nan = self.float_term(FloatOp::IsNan, args, SortId::BOOL);
                let infinite = self.float_term(FloatOp::IsInfinite, args, SortId::BOOL);
                let neither = self.or(&[nan, infinite]);
                self.not(neither)
            }
            _ => return total,
        };
        if is_determined == self.truth() {
            return total;
        }
        let sorts: Vec<SortId> = args.iter().map(|&arg| self.sort_of(arg)).collect();
        let name = format!("{op:?} undetermined {sorts:?} {result:?}");
        let symbol = self.choice(name, &sorts, result);
        let anything = self.make(Op::Apply(symbol), args, result);
        self.ite(is_determined, total, anything)
    }

    /// The symbol of this name for what is not determined.
    fn choice(&mut self, name: String, arguments: &[SortId], result: SortId) -> SymbolId {
        if let Some(&known) = self.undetermined.get(&name) {
            return known;
        }
        let fresh = self.declare(&name, arguments, result);
        self.undetermined.insert(name, fresh);
        fresh
    }

    /// Some word that may be the bits of NaN in this format.
    pub fn nan_pattern(&mut self, format: Format) -> TermId {
        let name = format!("bits of NaN {format:?}");
        let sort = self.word_sort(format.width());
        let symbol = self.choice(name, &[], sort);
        self.make(Op::Apply(symbol), &[], sort)
    }

    /// The lesser or greater; of two zeros of different signs, either.
    pub fn float_extreme(&mut self, op: FloatOp, a: TermId, b: TermId) -> TermId {
        let sort = self.sort_of(a);
        let plain = self.float_term(op, &[a, b], sort);
        let Some(format) = self.format(a) else {
            return plain;
        };
        let zeros = [a, b].map(|one| self.float_term(FloatOp::IsZero, &[one], SortId::BOOL));
        let signs = [a, b].map(|one| self.float_term(FloatOp::IsNegative, &[one], SortId::BOOL));
        let differ = self.xor(signs[0], signs[1]);
        let is_open = self.and(&[zeros[0], zeros[1], differ]);
        if is_open == self.falsehood() {
            return plain;
        }
        let name = format!("{op:?} of zeros {format:?}");
        let symbol = self.choice(name, &[sort, sort], SortId::BOOL);
        let takes_first = self.make(Op::Apply(symbol), &[a, b], SortId::BOOL);
        let either = self.ite(takes_first, a, b);
        self.ite(is_open, either, plain)
    }
}
