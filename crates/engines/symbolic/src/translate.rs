//! From terms to what they denote.
//!
//! A walk over the term's graph with an explicit stack, each term once; results are kept until [`Translator::forget`], so that
//! conjuncts share their subterms. Long conjunctions and disjunctions are combined in a balanced way.

use crate::bit_vector as vector;
use crate::denotation::{Denotation, array_length, mismatch};
use crate::encoding::{Bit, Encoding};
use crate::stop::Attempt;
use entail_dd::Bdd;
use entail_model::{Op, Sort, TermId, Terms, Value, VarId};
use rustc_hash::FxHashMap;

pub(crate) struct Translator<'a> {
    pub encoding: &'a Encoding,
    terms: &'a Terms,
    known: FxHashMap<TermId, Denotation>,
}

impl<'a> Translator<'a> {
    pub fn new(encoding: &'a Encoding, terms: &'a Terms) -> Translator<'a> {
        Translator {
            encoding,
            terms,
            known: FxHashMap::default(),
        }
    }

    /// Drops what was kept, so that it is not carried through reorderings.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// The points where a Boolean term is true.
    pub fn condition(&mut self, term: TermId) -> Attempt<Bdd> {
        Ok(self.denotation(term)?.truth()?.clone())
    }

    pub fn denotation(&mut self, term: TermId) -> Attempt<Denotation> {
        let mut stack = vec![(term, false)];
        while let Some((term, ready)) = stack.pop() {
            if self.known.contains_key(&term) {
                continue;
            }
            if ready {
                let denotation = self.combine(term)?;
                self.known.insert(term, denotation);
            } else {
                stack.push((term, true));
                stack.extend(self.terms.operands(term).iter().map(|&operand| (operand, false)));
            }
        }
        Ok(self.known[&term].clone())
    }

    fn leaf(&self, variable: VarId, bit: impl Fn(&Bit) -> Option<entail_dd::Var>) -> Attempt<Denotation> {
        let layout = &self.encoding.layouts[variable.index()];
        let mut bits = Vec::with_capacity(layout.bits.len());
        for pair in &layout.bits {
            let var = bit(pair).ok_or_else(|| mismatch("a state variable"))?;
            bits.push(self.encoding.manager.var(var)?);
        }
        Denotation::variable(&self.encoding.manager, &layout.sort, &bits)
    }

    fn combine(&self, term: TermId) -> Attempt<Denotation> {
        let manager = &self.encoding.manager;
        let operands: Vec<&Denotation> = self
            .terms
            .operands(term)
            .iter()
            .map(|operand| &self.known[operand])
            .collect();
        let sort = self.terms.sort(term);
        let word = |at: usize| match operands.get(at) {
            Some(Denotation::Word { bits, signed }) => Ok((bits, *signed)),
            _ => Err(mismatch("a word")),
        };
        let op = self.terms.op(term);
        Ok(match op {
            Op::Constant(value) => Denotation::constant(manager, value, sort)?,
            Op::Current(variable) => self.leaf(*variable, |bit| Some(bit.current))?,
            Op::Next(variable) => self.leaf(*variable, |bit| bit.next)?,
            Op::Not => Denotation::Bool(operands[0].truth()?.not()),
            Op::And | Op::Or => {
                let mut list = Vec::with_capacity(operands.len());
                for operand in &operands {
                    list.push(operand.truth()?.clone());
                }
                Denotation::Bool(match op {
                    Op::And => balanced(list, manager.one(), Bdd::and)?,
                    _ => balanced(list, manager.zero(), Bdd::or)?,
                })
            }
            Op::Ite => Denotation::choose(manager, operands[0].truth()?, operands[1], operands[2])?,
            Op::Equal => Denotation::Bool(Denotation::equal(manager, operands[0], operands[1])?),
            Op::Less => Denotation::Bool(Denotation::less(manager, operands[0], operands[1])?),
            Op::Add | Op::Subtract | Op::Negate | Op::Multiply | Op::Divide | Op::Remainder => {
                match operands[0] {
                    Denotation::Word { .. } => self.word_arithmetic(op, &operands)?,
                    _ => Denotation::arithmetic(manager, op, &operands, sort)?,
                }
            }
            Op::BitNot => {
                let (bits, signed) = word(0)?;
                Denotation::Word {
                    bits: vector::complement(bits),
                    signed,
                }
            }
            Op::BitAnd | Op::BitOr | Op::BitXor => {
                let ((a, signed), (b, _)) = (word(0)?, word(1)?);
                let operation = match op {
                    Op::BitAnd => Bdd::and,
                    Op::BitOr => Bdd::or,
                    _ => Bdd::xor,
                };
                let bits = a
                    .iter()
                    .zip(b)
                    .map(|(a, b)| operation(a, b))
                    .collect::<entail_dd::Result<_>>()?;
                Denotation::Word { bits, signed }
            }
            Op::ShiftLeft | Op::ShiftRight => self.shift(*op == Op::ShiftLeft, operands[0], operands[1])?,
            Op::Concat => {
                let (mut bits, high) = (word(1)?.0.clone(), word(0)?.0);
                bits.extend(high.iter().cloned());
                Denotation::Word { bits, signed: false }
            }
            Op::Extract { high, low } => Denotation::Word {
                bits: word(0)?.0[*low as usize..=*high as usize].to_vec(),
                signed: false,
            },
            Op::Extend { by } => {
                let (bits, signed) = word(0)?;
                Denotation::Word {
                    bits: vector::resize(manager, bits, bits.len() + *by as usize, signed),
                    signed,
                }
            }
            Op::Reinterpret { signed } => Denotation::Word {
                bits: word(0)?.0.clone(),
                signed: *signed,
            },
            Op::BoolToWord => Denotation::Word {
                bits: vec![operands[0].truth()?.clone()],
                signed: false,
            },
            Op::WordToInt => {
                let (bits, signed) = word(0)?;
                Denotation::Integer(vector::resize(manager, bits, bits.len() + 1, signed))
            }
            Op::IntToWord { width, signed } => operands[0].to_word(manager, *width as usize, *signed)?,
            Op::AsInteger => operands[0].clone(),
            Op::Read => self.read(operands[0], operands[1], term)?,
            Op::Write => {
                let Denotation::Array(elements) = operands[0] else {
                    return Err(mismatch("an array"));
                };
                let mut written = Vec::with_capacity(elements.len());
                for (guard, element) in self
                    .index_guards(operands[1], self.terms.operands(term)[0])?
                    .iter()
                    .zip(elements)
                {
                    written.push(Denotation::choose(manager, guard, operands[2], element)?);
                }
                Denotation::Array(written)
            }
            Op::ConstantArray => match sort {
                Sort::Array { index, .. } => {
                    Denotation::Array(vec![operands[0].clone(); array_length(index)?])
                }
                _ => return Err(mismatch("an array")),
            },
        })
    }

    fn word_arithmetic(&self, op: &Op, operands: &[&Denotation]) -> Attempt<Denotation> {
        let manager = &self.encoding.manager;
        let words: Vec<(&Vec<Bdd>, bool)> = operands
            .iter()
            .map(|operand| match operand {
                Denotation::Word { bits, signed } => Ok((bits, *signed)),
                _ => Err(mismatch("a word")),
            })
            .collect::<Attempt<_>>()?;
        let signed = words[0].1;
        let divide = if signed {
            vector::divide_signed
        } else {
            vector::divide
        };
        let bits = match (op, words.as_slice()) {
            (Op::Add, [(a, _), (b, _)]) => vector::add(a, b, manager.zero())?,
            (Op::Subtract, [(a, _), (b, _)]) => vector::subtract(manager, a, b)?,
            (Op::Negate, [(a, _)]) => vector::negate(manager, a)?,
            (Op::Multiply, [(a, _), (b, _)]) => vector::multiply(manager, a, b)?,
            (Op::Divide, [(a, _), (b, _)]) => divide(manager, a, b)?.0,
            (Op::Remainder, [(a, _), (b, _)]) => divide(manager, a, b)?.1,
            _ => return Err(mismatch("an operation on words")),
        };
        Ok(Denotation::Word { bits, signed })
    }

    fn shift(&self, left: bool, word: &Denotation, amount: &Denotation) -> Attempt<Denotation> {
        let manager = &self.encoding.manager;
        let Denotation::Word { bits, signed } = word else {
            return Err(mismatch("a word"));
        };
        let fill = match bits.last() {
            Some(sign) if *signed && !left => sign.clone(),
            _ => manager.zero(),
        };
        let by = |amount: &[Bdd]| vector::shift(manager, bits, amount, left, &fill);
        let shifted = match amount {
            Denotation::Word { bits: amount, .. } => by(amount)?,
            // Negative amounts count as none.
            Denotation::Cases(cases) => {
                let mut shifted = bits.clone();
                for (value, guard) in cases {
                    let places = value.as_int().unwrap_or(0).max(0) as u64;
                    let constant = vector::constant(manager, 63, |place| places >> place & 1 == 1);
                    shifted = vector::choose(guard, &by(&constant)?, &shifted)?;
                }
                shifted
            }
            Denotation::Integer(amount) => match amount.split_last() {
                Some((sign, magnitude)) => vector::choose(sign, bits, &by(magnitude)?)?,
                None => bits.clone(),
            },
            _ => return Err(mismatch("an amount to shift by")),
        };
        Ok(Denotation::Word {
            bits: shifted,
            signed: *signed,
        })
    }

    /// For each position of an array the points where the index is there.
    fn index_guards(&self, index: &Denotation, array: TermId) -> Attempt<Vec<Bdd>> {
        let Sort::Array { index: sort, .. } = self.terms.sort(array) else {
            return Err(mismatch("an array"));
        };
        array_length(sort)?;
        sort.values()
            .map(|value: Value| index.is(&self.encoding.manager, &value))
            .collect()
    }

    fn read(&self, array: &Denotation, index: &Denotation, term: TermId) -> Attempt<Denotation> {
        let manager = &self.encoding.manager;
        let Denotation::Array(elements) = array else {
            return Err(mismatch("an array"));
        };
        let sort = self.terms.sort(term);
        let mut value = Denotation::constant(manager, &sort.value_at(0), sort)?;
        for (guard, element) in self
            .index_guards(index, self.terms.operands(term)[0])?
            .iter()
            .zip(elements)
        {
            value = Denotation::choose(manager, guard, element, &value)?;
        }
        Ok(value)
    }
}

/// Combines a list pairwise, neighbours first.
pub(crate) fn balanced(
    mut list: Vec<Bdd>,
    neutral: Bdd,
    combine: impl Fn(&Bdd, &Bdd) -> entail_dd::Result<Bdd>,
) -> Attempt<Bdd> {
    while list.len() > 1 {
        let mut halved = Vec::with_capacity(list.len().div_ceil(2));
        for pair in list.chunks(2) {
            halved.push(match pair {
                [a, b] => combine(a, b)?,
                _ => pair[0].clone(),
            });
        }
        list = halved;
    }
    Ok(list.pop().unwrap_or(neutral))
}
