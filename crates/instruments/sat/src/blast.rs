//! Bit-blasting: terms as signals of an and-inverter graph.
//!
//! Terms are translated in id order, operands first, so depth is no concern; each term once a [`Blaster`]. The meaning is that of
//! `entail_model::evaluate`, defaults of partial operations included, provided every leaf's bits are a value of its sort.

use crate::aig::{Aig, Signal};
use crate::arithmetic::{Bits, Sign, number, resize};
use crate::encoding::{NotEncoded, array_length, constant, encode_first, shape};
use entail_budget::Budget;
use entail_model::{Op, Sort, TermId, Terms, Value, VarId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Sorts with more values than this are not compared value by value with sorts of another kind.
const MAX_CASES: u64 = 1 << 12;

/// The most nodes a graph may grow to.
const MAX_NODES: usize = 1 << 28;

/// Which occurrence of a variable a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leaf {
    /// The variable.
    pub variable: VarId,
    /// Its value after the step, not before.
    pub next: bool,
}

/// Translates terms of one store; remembers what it has translated.
#[derive(Clone, Debug, Default)]
pub struct Blaster {
    codes: FxHashMap<TermId, Bits>,
    leaves: FxHashMap<Leaf, Bits>,
    /// Looked at between terms, if there is one.
    budget: Option<Arc<Budget>>,
}

impl Blaster {
    /// A translator that knows no leaf yet.
    pub fn new() -> Blaster {
        Blaster::default()
    }

    /// From now on, translating ends with [`NotEncoded::Spent`] when the budget is.
    pub fn watch(&mut self, budget: Arc<Budget>) {
        self.budget = Some(budget);
    }

    /// Says what the bits of a leaf are. Must come before any term that uses it.
    pub fn bind(&mut self, leaf: Leaf, bits: Bits) {
        self.leaves.insert(leaf, bits);
    }

    /// The bits of a leaf, if it was bound.
    pub fn leaf(&self, leaf: Leaf) -> Option<&Bits> {
        self.leaves.get(&leaf)
    }

    /// The signal of a Boolean term.
    pub fn signal(&mut self, aig: &mut Aig, terms: &Terms, term: TermId) -> Result<Signal, NotEncoded> {
        let bits = self.bits(aig, terms, term)?;
        match bits.as_slice() {
            [signal] => Ok(*signal),
            _ => Err(NotEncoded::Malformed("a Boolean term was expected")),
        }
    }

    /// The bits of a term.
    pub fn bits(&mut self, aig: &mut Aig, terms: &Terms, term: TermId) -> Result<Bits, NotEncoded> {
        // Only what is not translated yet is visited.
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.codes.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let missing = |operand: &&TermId| !self.codes.contains_key(*operand);
            stack.extend(terms.operands(top).iter().filter(missing).copied());
            if stack.len() == before {
                if let Some(budget) = &self.budget {
                    budget.check().map_err(NotEncoded::Spent)?;
                }
                if aig.len() > MAX_NODES {
                    return Err(NotEncoded::TooLarge("the model".into()));
                }
                let bits = self.translate(aig, terms, top)?;
                self.codes.insert(top, bits);
                stack.pop();
            }
        }
        Ok(self.codes[&term].clone())
    }

    fn translate(&self, aig: &mut Aig, terms: &Terms, term: TermId) -> Result<Bits, NotEncoded> {
        let operands = terms.operands(term);
        let bits = |at: usize| self.codes[&operands[at]].as_slice();
        let sort = |at: usize| terms.sort(operands[at]);
        let leaf = |variable: VarId, next: bool| {
            let bound = self.leaves.get(&Leaf { variable, next });
            bound
                .cloned()
                .ok_or(NotEncoded::Malformed("a variable that has no place here"))
        };
        let result = terms.sort(term);
        let (width, sign) = shape(result)?;
        Ok(match terms.op(term) {
            Op::Constant(value) => constant(value, result)?,
            Op::Current(variable) => leaf(*variable, false)?,
            Op::Next(variable) => leaf(*variable, true)?,
            Op::Not => vec![!bits(0)[0]],
            Op::And => vec![aig.and_all(operands.iter().map(|operand| self.codes[operand][0]))],
            Op::Or => vec![aig.or_all(operands.iter().map(|operand| self.codes[operand][0]))],
            Op::Ite => {
                let then = recode(aig, bits(1), sort(1), result)?;
                let otherwise = recode(aig, bits(2), sort(2), result)?;
                aig.choose(bits(0)[0], &then, &otherwise)
            }
            Op::Equal => vec![equal(aig, (bits(0), sort(0)), (bits(1), sort(1)))?],
            Op::Less => vec![self.less(aig, (bits(0), sort(0)), (bits(1), sort(1)))?],
            op @ (Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder | Op::Negate) => {
                let operand = |at: usize| (bits(at), sort(at));
                let right = if operands.len() > 1 {
                    operand(1)
                } else {
                    operand(0)
                };
                arithmetic(aig, op, operand(0), right, result)?
            }
            Op::BitNot => bits(0).iter().map(|&bit| !bit).collect(),
            Op::BitAnd => bits(0)
                .iter()
                .zip(bits(1))
                .map(|(&a, &b)| aig.and(a, b))
                .collect(),
            Op::BitOr => bits(0).iter().zip(bits(1)).map(|(&a, &b)| aig.or(a, b)).collect(),
            Op::BitXor => bits(0)
                .iter()
                .zip(bits(1))
                .map(|(&a, &b)| aig.xor(a, b))
                .collect(),
            Op::ShiftLeft => aig.shift(bits(0), bits(1), true, Signal::FALSE),
            Op::ShiftRight => {
                let fill = match (sign, bits(0).last()) {
                    (Sign::Signed, Some(&top)) => top,
                    _ => Signal::FALSE,
                };
                aig.shift(bits(0), bits(1), false, fill)
            }
            Op::Concat => bits(1).iter().chain(bits(0)).copied().collect(),
            Op::Extract { high, low } => bits(0)[*low as usize..=*high as usize].to_vec(),
            Op::Extend { .. } => resize(bits(0), width, sign),
            Op::Reinterpret { .. } | Op::BoolToWord => bits(0).to_vec(),
            Op::WordToInt | Op::IntToWord { .. } => resize(bits(0), width, shape(sort(0))?.1),
            Op::AsInteger => recode(aig, bits(0), sort(0), result)?,
            Op::Read => read(aig, (bits(0), sort(0)), (bits(1), sort(1)))?,
            Op::Write => {
                let Sort::Array { element, .. } = result else {
                    return Err(NotEncoded::Malformed("writing to something that is not an array"));
                };
                let written = recode(aig, bits(2), sort(2), element)?;
                let mut code = Vec::with_capacity(width);
                let step = written.len();
                for (at, hit) in selectors(aig, result, (bits(1), sort(1)))?
                    .into_iter()
                    .enumerate()
                {
                    code.extend(aig.choose(hit, &written, &bits(0)[at * step..(at + 1) * step]));
                }
                code
            }
            Op::ConstantArray => {
                let Sort::Array { element, .. } = result else {
                    return Err(NotEncoded::Malformed("a constant array of another sort"));
                };
                let everywhere = recode(aig, bits(0), sort(0), element)?;
                let length = array_length(result)?;
                std::iter::repeat_n(everywhere, length).flatten().collect()
            }
        })
    }

    fn less(
        &self,
        aig: &mut Aig,
        a: (&[Signal], &Sort),
        b: (&[Signal], &Sort),
    ) -> Result<Signal, NotEncoded> {
        let ((a_bits, a_sort), (b_bits, b_sort)) = (a, b);
        if let Sort::Word { .. } = a_sort {
            return Ok(aig.less(a_bits, b_bits, shape(a_sort)?.1));
        }
        let (a, b) = integers(a_bits, a_sort, b_bits, b_sort, 0)?;
        Ok(aig.less(&a, &b, Sign::Signed))
    }
}

/// Two integers as two's complement of a common width that holds both, and `more` bits.
fn integers(
    a: &[Signal],
    a_sort: &Sort,
    b: &[Signal],
    b_sort: &Sort,
    more: usize,
) -> Result<(Bits, Bits), NotEncoded> {
    let width = a.len().max(b.len()) + 1 + more;
    Ok((
        resize(a, width, shape(a_sort)?.1),
        resize(b, width, shape(b_sort)?.1),
    ))
}

fn arithmetic(
    aig: &mut Aig,
    op: &Op,
    (a, a_sort): (&[Signal], &Sort),
    (b, b_sort): (&[Signal], &Sort),
    result: &Sort,
) -> Result<Bits, NotEncoded> {
    let (width, sign) = shape(result)?;
    let quadratic = matches!(op, Op::Multiply | Op::Divide | Op::Remainder);
    if quadratic && width.saturating_mul(width).saturating_mul(16) > MAX_NODES {
        return Err(NotEncoded::TooLarge(format!("arithmetic on {width} bits")));
    }
    let is_word = matches!(result, Sort::Word { .. });
    let (a, b) = if is_word {
        (a.to_vec(), b.to_vec())
    } else {
        // Room for the operands and for the result; one more bit holds the quotient of the smallest number by -1.
        let room = (width + 1).saturating_sub(a.len().max(b.len()));
        integers(a, a_sort, b, b_sort, room)?
    };
    let inner = if is_word { sign } else { Sign::Signed };
    let computed = match op {
        Op::Add => aig.add(&a, &b),
        Op::Subtract => aig.subtract(&a, &b).0,
        Op::Negate => aig.negate(&a),
        Op::Multiply => aig.multiply(&a, &b),
        Op::Remainder => aig.divide(&a, &b, inner).1,
        _ => {
            let quotient = aig.divide(&a, &b, inner).0;
            if is_word {
                quotient
            } else {
                let zero = number(0, b.len());
                let by_zero = aig.same(&b, &zero);
                aig.choose(by_zero, &zero, &quotient)
            }
        }
    };
    Ok(resize(&computed, width, inner))
}

/// For every value of a discrete sort, whether the bits are that value's.
fn cases(
    aig: &mut Aig,
    bits: &[Signal],
    sort: &Sort,
    other: &Sort,
) -> Result<Vec<(Value, Signal)>, NotEncoded> {
    if sort.size().is_none_or(|size| size > MAX_CASES) {
        return Err(NotEncoded::TooManyValues(sort.to_string(), other.to_string()));
    }
    let mut found = Vec::new();
    for value in sort.values() {
        let code = constant(&value, sort)?;
        let is_value = aig.same(bits, &code);
        found.push((value, is_value));
    }
    Ok(found)
}

/// The same value coded by another sort that contains it.
pub(crate) fn recode(aig: &mut Aig, bits: &[Signal], from: &Sort, to: &Sort) -> Result<Bits, NotEncoded> {
    let (width, _) = shape(to)?;
    match (from, to) {
        (from, to) if from == to => Ok(bits.to_vec()),
        (Sort::Range { .. }, Sort::Range { .. }) => Ok(resize(bits, width, shape(from)?.1)),
        (Sort::Array { element: a, .. }, Sort::Array { element: b, .. }) => {
            let step = shape(a)?.0;
            let mut code = Vec::with_capacity(width);
            for at in 0..array_length(from)? {
                code.extend(recode(aig, &bits[at * step..(at + 1) * step], a, b)?);
            }
            Ok(code)
        }
        _ => {
            let mut columns: Vec<Vec<Signal>> = vec![Vec::new(); width];
            for (value, is_value) in cases(aig, bits, from, to)? {
                if to.contains(&value) {
                    for (column, bit) in columns.iter_mut().zip(crate::encoding::encode(&value, to)?) {
                        if bit {
                            column.push(is_value);
                        }
                    }
                }
            }
            Ok(columns.into_iter().map(|column| aig.or_all(column)).collect())
        }
    }
}

/// Whether two comparable terms have the same value.
fn equal(
    aig: &mut Aig,
    (a, a_sort): (&[Signal], &Sort),
    (b, b_sort): (&[Signal], &Sort),
) -> Result<Signal, NotEncoded> {
    match (a_sort, b_sort) {
        (a_sort, b_sort) if a_sort == b_sort => Ok(aig.same(a, b)),
        (Sort::Range { .. }, Sort::Range { .. }) => {
            let (a, b) = integers(a, a_sort, b, b_sort, 0)?;
            Ok(aig.same(&a, &b))
        }
        (Sort::Array { element: left, .. }, Sort::Array { element: right, .. }) => {
            let (step, other) = (shape(left)?.0, shape(right)?.0);
            let mut equalities = Vec::new();
            for at in 0..array_length(a_sort)? {
                let (a, b) = (&a[at * step..(at + 1) * step], &b[at * other..(at + 1) * other]);
                equalities.push(equal(aig, (a, left), (b, right))?);
            }
            Ok(aig.and_all(equalities))
        }
        _ => {
            // One of them is an enumeration: go through the smaller sort's values.
            let (small, small_sort, large, large_sort) = if a_sort.size() <= b_sort.size() {
                (a, a_sort, b, b_sort)
            } else {
                (b, b_sort, a, a_sort)
            };
            let mut both = Vec::new();
            for (value, is_value) in cases(aig, small, small_sort, large_sort)? {
                if large_sort.contains(&value) {
                    let code = constant(&value, large_sort)?;
                    let same = aig.same(large, &code);
                    both.push(aig.and(is_value, same));
                }
            }
            Ok(aig.or_all(both))
        }
    }
}

/// For every position of an array, whether the index is that position's.
fn selectors(
    aig: &mut Aig,
    array: &Sort,
    (index, index_sort): (&[Signal], &Sort),
) -> Result<Vec<Signal>, NotEncoded> {
    let Sort::Array { index: sort, .. } = array else {
        return Err(NotEncoded::Malformed("an array operation on something else"));
    };
    let mut hits = Vec::new();
    for position in 0..array_length(array)? {
        let value = sort.value_at(position as u64);
        let hit = if index_sort.contains(&value) {
            let code = constant(&value, index_sort)?;
            aig.same(index, &code)
        } else {
            Signal::FALSE
        };
        hits.push(hit);
    }
    Ok(hits)
}

/// The element at an index; outside the index sort, the element sort's first value.
fn read(
    aig: &mut Aig,
    (array, array_sort): (&[Signal], &Sort),
    index: (&[Signal], &Sort),
) -> Result<Bits, NotEncoded> {
    let Sort::Array { element, .. } = array_sort else {
        return Err(NotEncoded::Malformed(
            "reading from something that is not an array",
        ));
    };
    let hits = selectors(aig, array_sort, index)?;
    let first = encode_first(element)?;
    let step = first.len();
    let outside = aig.or_all(hits.iter().copied());
    let outside = !outside;
    let mut code = Vec::with_capacity(step);
    for (bit, &default) in first.iter().enumerate() {
        let mut terms: Vec<Signal> = Vec::with_capacity(hits.len() + 1);
        for (at, &hit) in hits.iter().enumerate() {
            terms.push(aig.and(hit, array[at * step + bit]));
        }
        if default {
            terms.push(outside);
        }
        code.push(aig.or_all(terms));
    }
    Ok(code)
}
