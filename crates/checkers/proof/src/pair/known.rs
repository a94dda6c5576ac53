//! Which bits of a circuit have a value although some of its sources are X.
//!
//! The meaning of X here is that of SystemVerilog's operators, as yosys simulates them, with conditional operators for `if`: a circuit runs with 0 for every X, and beside each value goes a *mask* that says which
//! of its bits are known, that is, the same whatever the X are by the shape of the operators.
//!
//! - Bitwise operators and connectives: an absorbing bit that is known decides; otherwise both bits have to be known.
//! - A choice whose condition is X is known where both branches are, and agree.
//! - Two words are equal or not if they are known, and different if a bit is that is known in both.
//! - What only moves bits moves masks; a shift does if it is known by how much.
//! - Everything else (arithmetic, comparisons, memories) is known if all bits of all operands are.
//!
//! The rules are written once, for truth values (where a run is judged) and for gates (where a proof is). The cost is linear in the circuit's.

use crate::gates::Gates;
use crate::solver::Lit;
use entail_model::{Op, Sort, TermId, Terms, VarId};
use rustc_hash::FxHashMap;

/// What bits are, and what is done with them.
pub(super) trait Algebra {
    /// A bit.
    type Bit: Copy;

    fn constant(&mut self, truth: bool) -> Self::Bit;
    fn not(&mut self, a: Self::Bit) -> Self::Bit;
    fn and(&mut self, a: Self::Bit, b: Self::Bit) -> Self::Bit;

    fn or(&mut self, a: Self::Bit, b: Self::Bit) -> Self::Bit {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    fn choice(&mut self, condition: Self::Bit, then: Self::Bit, otherwise: Self::Bit) -> Self::Bit {
        let against = self.not(condition);
        let (high, low) = (self.and(condition, then), self.and(against, otherwise));
        self.or(high, low)
    }

    fn differ(&mut self, a: Self::Bit, b: Self::Bit) -> Self::Bit {
        let not_b = self.not(b);
        self.choice(a, not_b, b)
    }

    fn all(&mut self, bits: &[Self::Bit]) -> Self::Bit {
        let truth = self.constant(true);
        bits.iter().fold(truth, |all, &bit| self.and(all, bit))
    }

    fn any(&mut self, bits: &[Self::Bit]) -> Self::Bit {
        let falsity = self.constant(false);
        bits.iter().fold(falsity, |any, &bit| self.or(any, bit))
    }
}

/// Truth values.
pub(super) struct Truth;

impl Algebra for Truth {
    type Bit = bool;

    fn constant(&mut self, truth: bool) -> bool {
        truth
    }

    fn not(&mut self, a: bool) -> bool {
        !a
    }

    fn and(&mut self, a: bool, b: bool) -> bool {
        a && b
    }
}

impl Algebra for Gates {
    type Bit = Lit;

    fn constant(&mut self, truth: bool) -> Lit {
        Gates::constant(self, truth)
    }

    fn not(&mut self, a: Lit) -> Lit {
        !a
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        Gates::and(self, a, b)
    }

    fn choice(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        self.mux(condition, then, otherwise)
    }

    fn differ(&mut self, a: Lit, b: Lit) -> Lit {
        self.xor(a, b)
    }
}

/// For each term that may be X, which of its bits are known; what is no word and no truth value has one bit for all of it.
pub(super) type Masks<B> = FxHashMap<TermId, Vec<B>>;

/// How many bits the mask of a term has.
fn width(sort: &Sort) -> usize {
    match sort {
        Sort::Word { width, .. } => *width as usize,
        _ => 1,
    }
}

fn has_bits(sort: &Sort) -> bool {
    matches!(sort, Sort::Bool | Sort::Word { .. })
}

/// The masks of the terms of a cone, given the bits of their values and the masks of variables that may be X.
pub(super) fn masks<A: Algebra>(
    algebra: &mut A,
    terms: &Terms,
    cone: &[TermId],
    value: impl Fn(TermId) -> Vec<A::Bit>,
    of_variable: impl Fn(VarId) -> Option<Vec<A::Bit>>,
) -> Masks<A::Bit> {
    let mut found: Masks<A::Bit> = Masks::default();
    for &term in cone {
        let mask = match terms.op(term) {
            Op::Current(variable) => of_variable(*variable),
            _ if !terms
                .operands(term)
                .iter()
                .any(|operand| found.contains_key(operand)) =>
            {
                None
            }
            _ => {
                let mut rule = Rule {
                    algebra,
                    terms,
                    found: &found,
                    value: &value,
                    term,
                };
                Some(rule.mask())
            }
        };
        if let Some(mask) = mask {
            found.insert(term, mask);
        }
    }
    found
}

/// The rule of one term.
struct Rule<'r, A: Algebra, V> {
    algebra: &'r mut A,
    terms: &'r Terms,
    found: &'r Masks<A::Bit>,
    value: &'r V,
    term: TermId,
}

impl<A: Algebra, V: Fn(TermId) -> Vec<A::Bit>> Rule<'_, A, V> {
    fn operand(&self, at: usize) -> TermId {
        self.terms.operands(self.term)[at]
    }

    fn known(&mut self, at: usize) -> Vec<A::Bit> {
        let operand = self.operand(at);
        match self.found.get(&operand) {
            Some(mask) => mask.clone(),
            None => {
                let truth = self.algebra.constant(true);
                vec![truth; width(self.terms.sort(operand))]
            }
        }
    }

    fn values(&self, at: usize) -> Vec<A::Bit> {
        (self.value)(self.operand(at))
    }

    fn is_known(&mut self, at: usize) -> A::Bit {
        let mask = self.known(at);
        self.algebra.all(&mask)
    }

    /// Everything is known, or nothing.
    fn all_or_nothing(&mut self) -> Vec<A::Bit> {
        let operands = 0..self.terms.operands(self.term).len();
        let known: Vec<A::Bit> = operands.map(|at| self.is_known(at)).collect();
        let all = self.algebra.all(&known);
        vec![all; width(self.terms.sort(self.term))]
    }

    /// A connective of bits in the same position: a known bit of this value decides.
    fn absorbing(&mut self, value: bool) -> Vec<A::Bit> {
        let operands = self.terms.operands(self.term).len();
        let inputs: Vec<_> = (0..operands)
            .map(|at| (self.known(at), self.values(at)))
            .collect();
        (0..width(self.terms.sort(self.term)))
            .map(|bit| {
                let all: Vec<A::Bit> = inputs.iter().map(|(known, _)| known[bit]).collect();
                let mut deciding = vec![self.algebra.all(&all)];
                for (known, values) in &inputs {
                    let fits = match value {
                        true => values[bit],
                        false => self.algebra.not(values[bit]),
                    };
                    deciding.push(self.algebra.and(known[bit], fits));
                }
                self.algebra.any(&deciding)
            })
            .collect()
    }

    fn both(&mut self) -> Vec<A::Bit> {
        let (left, right) = (self.known(0), self.known(1));
        let pairs = left.into_iter().zip(right);
        pairs.map(|(a, b)| self.algebra.and(a, b)).collect()
    }

    fn choice(&mut self) -> Vec<A::Bit> {
        let (is_known, condition) = (self.is_known(0), self.values(0));
        let (then, otherwise) = (self.known(1), self.known(2));
        let agree: Vec<A::Bit> = match has_bits(self.terms.sort(self.term)) {
            true => {
                let values = self.values(1).into_iter().zip(self.values(2));
                let differ: Vec<A::Bit> = values.map(|(a, b)| self.algebra.differ(a, b)).collect();
                differ.into_iter().map(|bit| self.algebra.not(bit)).collect()
            }
            false => vec![self.algebra.constant(false)],
        };
        let branches = then.into_iter().zip(otherwise).zip(agree);
        branches
            .map(|((then, otherwise), agree)| {
                let taken = self.algebra.choice(condition[0], then, otherwise);
                let both = self.algebra.and(then, otherwise);
                let same = self.algebra.and(both, agree);
                self.algebra.choice(is_known, taken, same)
            })
            .collect()
    }

    fn equality(&mut self) -> Vec<A::Bit> {
        let all = self.all_or_nothing()[0];
        let (left, right) = (self.values(0), self.values(1));
        let mut deciding = vec![all];
        for (known, (a, b)) in self.both().into_iter().zip(left.into_iter().zip(right)) {
            let differ = self.algebra.differ(a, b);
            deciding.push(self.algebra.and(known, differ));
        }
        vec![self.algebra.any(&deciding)]
    }

    /// A word with as many bits more: zeros, or copies of its highest.
    fn extended(&mut self) -> Vec<A::Bit> {
        let mut mask = self.known(0);
        let is_signed = matches!(self.terms.sort(self.operand(0)), Sort::Word { signed: true, .. });
        let fill = match mask.last() {
            Some(&sign) if is_signed => sign,
            _ => self.algebra.constant(true),
        };
        mask.resize(width(self.terms.sort(self.term)), fill);
        mask
    }

    fn shifted(&mut self, left: bool) -> Vec<A::Bit> {
        let (by_known, amount) = (self.is_known(1), self.values(1));
        let mut mask = self.known(0);
        let is_signed = matches!(self.terms.sort(self.term), Sort::Word { signed: true, .. });
        let fill = match mask.last() {
            Some(&sign) if is_signed && !left => sign,
            _ => self.algebra.constant(true),
        };
        for (position, bit) in amount.into_iter().enumerate() {
            let by = 1usize.checked_shl(position as u32).unwrap_or(usize::MAX);
            let moved = (0..mask.len()).map(|at| {
                let from = match left {
                    true => at.checked_sub(by),
                    false => at.checked_add(by),
                };
                from.and_then(|from| mask.get(from)).copied().unwrap_or(fill)
            });
            let moved: Vec<A::Bit> = moved.collect();
            let pairs = mask.into_iter().zip(moved);
            mask = pairs
                .map(|(stays, moves)| self.algebra.choice(bit, moves, stays))
                .collect();
        }
        mask.into_iter()
            .map(|bit| self.algebra.and(by_known, bit))
            .collect()
    }

    fn mask(&mut self) -> Vec<A::Bit> {
        let first = self.terms.sort(self.operand(0)).clone();
        match self.terms.op(self.term) {
            Op::Not | Op::BitNot | Op::Reinterpret { .. } | Op::BoolToWord => self.known(0),
            Op::And | Op::BitAnd => self.absorbing(false),
            Op::Or | Op::BitOr => self.absorbing(true),
            Op::BitXor => self.both(),
            Op::Ite => self.choice(),
            Op::Equal if has_bits(&first) => self.equality(),
            Op::Concat => {
                let mut mask = self.known(1);
                mask.extend(self.known(0));
                mask
            }
            Op::Extract { high, low } => self.known(0)[*low as usize..=*high as usize].to_vec(),
            Op::Extend { .. } => self.extended(),
            Op::ShiftLeft if has_bits(&first) && has_bits(self.terms.sort(self.operand(1))) => {
                self.shifted(true)
            }
            Op::ShiftRight if has_bits(&first) && has_bits(self.terms.sort(self.operand(1))) => {
                self.shifted(false)
            }
            _ => self.all_or_nothing(),
        }
    }
}
