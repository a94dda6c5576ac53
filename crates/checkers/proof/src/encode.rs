//! Terms as vectors of literals.
//!
//! Terms are encoded in id order, operands first, so there is no recursion. A term's bits are read by its sort: one literal for
//! a Boolean, two's complement for a range, the position in the sort for an enumeration, the bits of a word. An array is its
//! elements one after the other, in the order of the index sort.

use crate::arithmetic::Bits;
use crate::arrangement::{Arrangement, Copies};
use crate::gates::{Form, Gates};
use crate::solver::Lit;
use entail_model::{Op, Sort, TermId, Terms, TransitionSystem, Value, VarId, VarKind};
use rustc_hash::FxHashMap;

/// Something this encoder does not handle, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NotEncoded(pub(crate) &'static str);

/// The bits of terms.
pub(crate) type Codes = FxHashMap<TermId, Bits>;

/// The variables of a system and their bits, without the gates.
pub(crate) struct Frame<'a> {
    system: &'a TransitionSystem,
    variables: FxHashMap<(VarId, bool), Bits>,
}

impl<'a> Frame<'a> {
    /// An encoder again.
    pub(crate) fn with(self, gates: Gates) -> Encoder<'a> {
        Encoder {
            gates,
            system: self.system,
            variables: self.variables,
        }
    }
}

/// One current and one next copy of a system's variables in a solver.
pub(crate) struct Encoder<'a> {
    pub(crate) gates: Gates,
    system: &'a TransitionSystem,
    variables: FxHashMap<(VarId, bool), Bits>,
}

/// Bits needed for the two's complement of every value between the bounds.
fn integer_width(low: i64, high: i64) -> usize {
    let needed = |value: i64| 65 - (if value < 0 { !value } else { value }).leading_zeros() as usize;
    needed(low).max(needed(high))
}

fn position_width(size: usize) -> usize {
    (usize::BITS - (size - 1).leading_zeros()).max(1) as usize
}

/// Arrays with more bits are not encoded.
const MOST_ARRAY_BITS: usize = 1 << 16;

/// How many elements an array of the sort has.
fn array_length(sort: &Sort) -> Result<usize, NotEncoded> {
    let Sort::Array { index, .. } = sort else {
        return Err(NotEncoded("something that is no array is read like one"));
    };
    let length = index.size().filter(|&size| size <= MOST_ARRAY_BITS as u64);
    let length = length.ok_or(NotEncoded("an array is too large for the proof checker"))?;
    Ok(length as usize)
}

/// The sorts of an array's index and elements.
fn array_parts(sort: &Sort) -> Result<(&Sort, &Sort), NotEncoded> {
    match sort {
        Sort::Array { index, element } => Ok((index, element)),
        _ => Err(NotEncoded("something that is no array is read like one")),
    }
}

/// Number of bits of a value of the sort, and whether they are a signed number.
fn shape(sort: &Sort) -> Result<(usize, bool), NotEncoded> {
    match sort {
        Sort::Bool => Ok((1, false)),
        Sort::Range { low, high } => Ok((integer_width(*low, *high), true)),
        Sort::Enum(values) => Ok((position_width(values.len()), false)),
        Sort::Word { width, signed } => Ok((*width as usize, *signed)),
        Sort::Array { element, .. } => {
            let bits = array_length(sort)?.checked_mul(shape(element)?.0);
            match bits.filter(|&bits| bits <= MOST_ARRAY_BITS) {
                Some(bits) => Ok((bits, false)),
                None => Err(NotEncoded("an array is too large for the proof checker")),
            }
        }
    }
}

/// How many bits a value of the sort has.
pub(crate) fn bit_width(sort: &Sort) -> Result<usize, NotEncoded> {
    Ok(shape(sort)?.0)
}

/// The bits of all variables of a system; none if some have none.
pub(crate) fn bit_count(system: &TransitionSystem) -> Option<usize> {
    let bits = system
        .variables()
        .iter()
        .map(|variable| Some(shape(&variable.sort).ok()?.0));
    bits.sum()
}

/// How many terms a system's conditions are made of.
pub(crate) fn term_count(system: &TransitionSystem) -> usize {
    let conditions = [&system.init, &system.invariant, &system.transition];
    let roots: Vec<TermId> = conditions.into_iter().flatten().copied().collect();
    system.terms.cone(&roots).len()
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(system: &'a TransitionSystem) -> Encoder<'a> {
        Encoder::with_gates(system, Gates::new())
    }

    /// An encoder of either form; with diagrams the variables have their levels in the given order.
    pub(crate) fn arranged(
        system: &'a TransitionSystem,
        arrangement: &Arrangement,
        copies: Copies,
    ) -> Result<Encoder<'a>, NotEncoded> {
        let mut encoder = Encoder::with_gates(system, Gates::in_form(arrangement.form));
        if arrangement.form == Form::Clauses {
            return Ok(encoder);
        }
        for &id in &arrangement.order {
            let variable = system.variable(id);
            if copies == Copies::Now && variable.kind == VarKind::Input {
                continue;
            }
            let moves = copies == Copies::NowAndNext && variable.kind == VarKind::State;
            let (mut now, mut next) = (Bits::new(), Bits::new());
            for _ in 0..shape(&variable.sort)?.0 {
                now.push(encoder.gates.fresh());
                if moves {
                    next.push(encoder.gates.fresh());
                }
            }
            encoder.declare(id, false, now);
            if moves {
                encoder.declare(id, true, next);
            }
        }
        Ok(encoder)
    }

    /// A variable is any value of its sort.
    fn declare(&mut self, id: VarId, next: bool, bits: Bits) {
        let sort = &self.system.variable(id).sort;
        let valid = self.belongs(&bits, sort);
        self.gates.require(valid);
        self.variables.insert((id, next), bits);
    }

    /// An encoder whose gates are made among others.
    pub(crate) fn with_gates(system: &'a TransitionSystem, gates: Gates) -> Encoder<'a> {
        Encoder {
            gates,
            system,
            variables: FxHashMap::default(),
        }
    }

    /// The gates, for the encoder of another system, and what is left of this one.
    pub(crate) fn apart(self) -> (Gates, Frame<'a>) {
        let frame = Frame {
            system: self.system,
            variables: self.variables,
        };
        (self.gates, frame)
    }

    /// Says which bits a variable has, before anything else is said of it.
    pub(crate) fn place(&mut self, id: VarId, next: bool, bits: Bits) -> Result<(), NotEncoded> {
        let variable = self.system.variables().get(id.index());
        let variable = variable.ok_or(NotEncoded("bits for a variable that is not there"))?;
        if shape(&variable.sort)?.0 != bits.len() || self.variables.contains_key(&(id, next)) {
            return Err(NotEncoded("two values for one variable, or one of another width"));
        }
        self.variables.insert((id, next), bits);
        Ok(())
    }

    /// The bits of a variable.
    pub(crate) fn variable(&mut self, id: VarId, next: bool) -> Result<Bits, NotEncoded> {
        if let Some(bits) = self.variables.get(&(id, next)) {
            return Ok(bits.clone());
        }
        let sort = &self.system.variable(id).sort;
        let (width, _) = shape(sort)?;
        let bits: Bits = (0..width).map(|_| self.gates.fresh()).collect();
        self.declare(id, next, bits.clone());
        Ok(bits)
    }

    /// Whether the bits are those of a value of the sort.
    fn belongs(&mut self, bits: &[Lit], sort: &Sort) -> Lit {
        match sort {
            Sort::Range { low, high } => {
                let (low, high) = (
                    self.gates.number(i128::from(*low), bits.len()),
                    self.gates.number(i128::from(*high), bits.len()),
                );
                let (below, above) = (
                    self.gates.less_bits(bits, &low, true),
                    self.gates.less_bits(&high, bits, true),
                );
                self.gates.and(!below, !above)
            }
            Sort::Enum(values) => {
                let last = self.gates.number(values.len() as i128 - 1, bits.len());
                !self.gates.less_bits(&last, bits, false)
            }
            Sort::Array { element, .. } => {
                let width = bits.len() / array_length(sort).unwrap_or(1).max(1);
                let valid: Vec<Lit> = bits
                    .chunks(width.max(1))
                    .map(|bits| self.belongs(bits, element))
                    .collect();
                self.gates.all(valid)
            }
            Sort::Bool | Sort::Word { .. } => self.gates.constant(true),
        }
    }

    fn constant(&mut self, value: &Value, sort: &Sort) -> Result<Bits, NotEncoded> {
        let (width, _) = shape(sort)?;
        Ok(match (value, sort) {
            (Value::Word(word), _) => (0..width)
                .map(|bit| self.gates.constant(word.bit(bit as u32)))
                .collect(),
            (Value::Int(number), Sort::Range { .. }) => self.gates.number(i128::from(*number), width),
            (Value::Array(elements), Sort::Array { element, .. }) => {
                let mut bits = Bits::new();
                for value in elements.iter() {
                    bits.extend(self.constant(value, element)?);
                }
                bits
            }
            (value, sort) => {
                let position = sort
                    .position(value)
                    .ok_or(NotEncoded("a constant outside its sort"))?;
                self.gates.number(i128::from(position), width)
            }
        })
    }

    /// For every value of a discrete sort, whether the bits are that value's.
    fn indicators(&mut self, bits: &[Lit], sort: &Sort) -> Result<Vec<(Value, Lit)>, NotEncoded> {
        if sort.size().is_none_or(|size| size > 1 << 16) {
            return Err(NotEncoded("an enumeration compared with a very large range"));
        }
        let values: Vec<Value> = sort.values().collect();
        let mut indicators = Vec::with_capacity(values.len());
        for value in values {
            let code = self.constant(&value, sort)?;
            let is_value = self.gates.equal_bits(bits, &code);
            indicators.push((value, is_value));
        }
        Ok(indicators)
    }

    /// The same value coded by another sort that contains it.
    fn recode(&mut self, bits: &[Lit], from: &Sort, to: &Sort) -> Result<Bits, NotEncoded> {
        let (width, signed) = shape(to)?;
        match (from, to) {
            (from, to) if from == to => Ok(bits.to_vec()),
            (Sort::Range { .. }, Sort::Range { .. }) => Ok(self.gates.resize(bits, width, signed)),
            (
                Sort::Array { index, element },
                Sort::Array {
                    index: same,
                    element: other,
                },
            ) if index == same => {
                let mut recoded = Bits::new();
                for bits in bits.chunks(shape(element)?.0) {
                    recoded.extend(self.recode(bits, element, other)?);
                }
                Ok(recoded)
            }
            _ => {
                let indicators = self.indicators(bits, from)?;
                let mut columns: Vec<Vec<Lit>> = vec![Vec::new(); width];
                for (value, is_value) in indicators {
                    if !to.contains(&value) {
                        continue;
                    }
                    let code = self.constant(&value, to)?;
                    for (column, bit) in columns.iter_mut().zip(code) {
                        column.push(self.gates.and(is_value, bit));
                    }
                }
                Ok(columns.into_iter().map(|column| self.gates.any(column)).collect())
            }
        }
    }

    fn equal(&mut self, a: (&[Lit], &Sort), b: (&[Lit], &Sort)) -> Result<Lit, NotEncoded> {
        let ((a, a_sort), (b, b_sort)) = (a, b);
        match (a_sort, b_sort) {
            (a_sort, b_sort) if a_sort == b_sort => Ok(self.gates.equal_bits(a, b)),
            (Sort::Range { .. }, Sort::Range { .. }) => {
                let width = a.len().max(b.len());
                let (a, b) = (
                    self.gates.resize(a, width, true),
                    self.gates.resize(b, width, true),
                );
                Ok(self.gates.equal_bits(&a, &b))
            }
            _ => {
                let (left, right) = (self.indicators(a, a_sort)?, self.indicators(b, b_sort)?);
                let mut cases = Vec::new();
                for (value, is_left) in left {
                    for (_, is_right) in right.iter().filter(|(other, _)| *other == value) {
                        cases.push(self.gates.and(is_left, *is_right));
                    }
                }
                Ok(self.gates.any(cases))
            }
        }
    }

    /// For each position of an array of the sort, whether an index is there; it may be nowhere.
    fn places(&mut self, index: (&[Lit], &Sort), array: &Sort) -> Result<Vec<Lit>, NotEncoded> {
        let (sort, _) = array_parts(array)?;
        array_length(array)?;
        let mut places = Vec::new();
        for value in sort.values() {
            let code = self.constant(&value, sort)?;
            places.push(self.equal(index, (&code, sort))?);
        }
        Ok(places)
    }

    /// The system whose variables are encoded.
    pub(crate) fn system(&self) -> &'a TransitionSystem {
        self.system
    }

    /// Fixes the inputs of the step and the values after it, each as a term over current values, before anything else is said of them. The
    /// literal says whether all of them are values of their sorts.
    pub(crate) fn bind(&mut self, terms: &Terms, values: &[(VarId, TermId)]) -> Result<Lit, NotEncoded> {
        let roots: Vec<TermId> = values.iter().map(|&(_, value)| value).collect();
        let codes = self.codes(terms, &roots, false)?;
        let mut valid = Vec::new();
        for &(id, value) in values {
            let Some(variable) = self.system.variables().get(id.index()) else {
                return Err(NotEncoded("a value for a variable that is not there"));
            };
            let next = match variable.kind {
                VarKind::Input => false,
                VarKind::State => true,
                VarKind::Frozen => return Err(NotEncoded("a new value for a variable that keeps its own")),
            };
            if self.variables.contains_key(&(id, next)) {
                return Err(NotEncoded("two values for one variable"));
            }
            let bits = self.recode(&codes[&value], terms.sort(value), &variable.sort)?;
            valid.push(self.belongs(&bits, &variable.sort));
            self.variables.insert((id, next), bits);
        }
        Ok(self.gates.all(valid))
    }

    /// The literals of Boolean roots. `shifted` reads current variables as next ones (frozen variables stay,
    /// inputs are those of the next step).
    pub(crate) fn literals(
        &mut self,
        terms: &Terms,
        roots: &[TermId],
        shifted: bool,
    ) -> Result<Vec<Lit>, NotEncoded> {
        let codes = self.codes(terms, roots, shifted)?;
        Ok(roots.iter().map(|root| codes[root][0]).collect())
    }

    /// The bits of everything that some terms are made of.
    pub(crate) fn codes(
        &mut self,
        terms: &Terms,
        roots: &[TermId],
        shifted: bool,
    ) -> Result<Codes, NotEncoded> {
        let mut codes = Codes::default();
        for term in terms.cone(roots) {
            let bits = self.code(terms, term, shifted, &codes)?;
            codes.insert(term, bits);
        }
        Ok(codes)
    }

    /// The bits of a term whose operands have theirs.
    pub(crate) fn code(
        &mut self,
        terms: &Terms,
        term: TermId,
        shifted: bool,
        codes: &Codes,
    ) -> Result<Bits, NotEncoded> {
        let operands = terms.operands(term);
        let bits = |at: usize| codes[&operands[at]].as_slice();
        let sort = |at: usize| terms.sort(operands[at]);
        let result = terms.sort(term);
        let (width, signed) = shape(result)?;
        Ok(match terms.op(term) {
            Op::Constant(value) => self.constant(value, result)?,
            Op::Current(id) => {
                let moves = self.system.variable(*id).kind != VarKind::Frozen;
                self.variable(*id, shifted && moves)?
            }
            Op::Next(id) if shifted => {
                let _ = id;
                return Err(NotEncoded("a next value inside a formula about the next state"));
            }
            Op::Next(id) => self.variable(*id, true)?,
            Op::Not => vec![!bits(0)[0]],
            Op::And => vec![self.gates.all(operands.iter().map(|operand| codes[operand][0]))],
            Op::Or => vec![self.gates.any(operands.iter().map(|operand| codes[operand][0]))],
            Op::Ite => {
                let then = self.recode(bits(1), sort(1), result)?;
                let otherwise = self.recode(bits(2), sort(2), result)?;
                self.gates.mux_bits(bits(0)[0], &then, &otherwise)
            }
            Op::Equal => vec![self.equal((bits(0), sort(0)), (bits(1), sort(1)))?],
            Op::Less => {
                let (_, signed) = shape(sort(0))?;
                let width = bits(0).len().max(bits(1).len());
                let (a, b) = (
                    self.gates.resize(bits(0), width, signed),
                    self.gates.resize(bits(1), width, signed),
                );
                vec![self.gates.less_bits(&a, &b, signed)]
            }
            op @ (Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder) => {
                self.arithmetic(op, bits(0), bits(1), result)?
            }
            Op::Negate => {
                let a = self.gates.resize(bits(0), width, signed);
                self.gates.negate_bits(&a)
            }
            Op::BitNot => bits(0).iter().map(|&bit| !bit).collect(),
            Op::BitAnd => bits(0)
                .iter()
                .zip(bits(1))
                .map(|(&a, &b)| self.gates.and(a, b))
                .collect(),
            Op::BitOr => bits(0)
                .iter()
                .zip(bits(1))
                .map(|(&a, &b)| self.gates.or(a, b))
                .collect(),
            Op::BitXor => bits(0)
                .iter()
                .zip(bits(1))
                .map(|(&a, &b)| self.gates.xor(a, b))
                .collect(),
            Op::ShiftLeft | Op::ShiftRight => {
                let left = *terms.op(term) == Op::ShiftLeft;
                let fill = match bits(0).last() {
                    Some(&sign) if signed && !left => sign,
                    _ => self.gates.constant(false),
                };
                self.gates.shift_bits(bits(0), bits(1), left, fill)
            }
            Op::Concat => bits(1).iter().chain(bits(0)).copied().collect(),
            Op::Extract { high, low } => bits(0)[*low as usize..=*high as usize].to_vec(),
            Op::Extend { .. } => self.gates.resize(bits(0), width, signed),
            Op::Reinterpret { .. } | Op::BoolToWord => bits(0).to_vec(),
            Op::WordToInt => {
                let (_, word_signed) = shape(sort(0))?;
                self.gates.resize(bits(0), width, word_signed)
            }
            Op::IntToWord { .. } => self.gates.resize(bits(0), width, true),
            Op::AsInteger => self.recode(bits(0), sort(0), result)?,
            Op::Read => self.read((bits(0), sort(0)), (bits(1), sort(1)), result)?,
            Op::Write => {
                let before = self.recode(bits(0), sort(0), result)?;
                self.write(&before, (bits(1), sort(1)), (bits(2), sort(2)), result)?
            }
            Op::ConstantArray => {
                let (_, element) = array_parts(result)?;
                let value = self.recode(bits(0), sort(0), element)?;
                value.repeat(array_length(result)?)
            }
        })
    }

    /// Numbers and words: the four operations of arithmetic and the remainder.
    fn arithmetic(&mut self, op: &Op, a: &[Lit], b: &[Lit], result: &Sort) -> Result<Bits, NotEncoded> {
        let (width, signed) = shape(result)?;
        // Division needs the operands whole; one more bit holds the quotient of the smallest number by -1.
        let inner = match result {
            Sort::Range { .. } => width.max(a.len()).max(b.len()) + 1,
            _ => width,
        };
        let (a, b) = (
            self.gates.resize(a, inner, signed),
            self.gates.resize(b, inner, signed),
        );
        let computed = match op {
            Op::Add => self.gates.add_bits(&a, &b),
            Op::Subtract => self.gates.subtract_bits(&a, &b),
            Op::Multiply => self.gates.multiply_bits(&a, &b),
            Op::Remainder => self.gates.divide_bits(&a, &b, signed).1,
            _ => {
                let quotient = self.gates.divide_bits(&a, &b, signed).0;
                if matches!(result, Sort::Range { .. }) {
                    let zero = self.gates.number(0, inner);
                    let by_zero = self.gates.equal_bits(&b, &zero);
                    self.gates.mux_bits(by_zero, &zero, &quotient)
                } else {
                    quotient
                }
            }
        };
        Ok(self.gates.resize(&computed, width, signed))
    }

    /// The element of an array at an index.
    fn read(
        &mut self,
        (array, array_sort): (&[Lit], &Sort),
        index: (&[Lit], &Sort),
        result: &Sort,
    ) -> Result<Bits, NotEncoded> {
        let (_, element) = array_parts(array_sort)?;
        let places = self.places(index, array_sort)?;
        let mut value = self.constant(&element.value_at(0), element)?;
        for (place, bits) in places.into_iter().zip(array.chunks(value.len())) {
            value = self.gates.mux_bits(place, bits, &value);
        }
        self.recode(&value, element, result)
    }

    /// An array with another element at an index.
    fn write(
        &mut self,
        before: &[Lit],
        index: (&[Lit], &Sort),
        (value, value_sort): (&[Lit], &Sort),
        result: &Sort,
    ) -> Result<Bits, NotEncoded> {
        let (_, element) = array_parts(result)?;
        let places = self.places(index, result)?;
        let value = self.recode(value, value_sort, element)?;
        let mut written = Bits::new();
        for (place, bits) in places.into_iter().zip(before.chunks(value.len())) {
            written.extend(self.gates.mux_bits(place, &value, bits));
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_hold_both_bounds() {
        assert_eq!(integer_width(0, 0), 1);
        assert_eq!(integer_width(0, 1), 2);
        assert_eq!(integer_width(-1, 0), 1);
        assert_eq!(integer_width(-2, 1), 2);
        assert_eq!(integer_width(-129, 3), 9);
        assert_eq!(integer_width(i64::MIN, i64::MAX), 64);
        assert_eq!(position_width(1), 1);
        assert_eq!(position_width(2), 1);
        assert_eq!(position_width(5), 3);
    }
}
