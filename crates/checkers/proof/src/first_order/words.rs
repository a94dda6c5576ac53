//! Words and floating-point numbers as bits, by this crate's own circuits, and the search of a refutation repeated over them.
//!
//! A solver that translates words to bits has no certificate for each gate. What it claims is checked as a whole instead: the formulas
//! are translated here, the theory lemmas of the refutation (each judged by its own rule before) are added as clauses about the same
//! formulas, and CaDiCaL is asked to refute all that, with a proof whose every step is checked. What is no connective and no word is an
//! atom, the same one wherever the same formula occurs.

use super::fixed_point::{Exact, Modes, grid, round};
use super::floats;
use crate::arithmetic::Bits;
use crate::gates::Gates;
use crate::solver::{Lit, NoAnswer};
use entail_budget::Budget;
use entail_first_order::{FloatOp, Format, Op, Rational, Sort, SortId, TermId, Terms};
use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};

/// Bits of the partial products and partial remainders that are still translated, all together.
const MOST_CELLS: u64 = 12_000_000;

/// What came of repeating a search.
pub(super) enum Repeated {
    /// There is no model, and every step of the proof was accepted.
    Refuted,
    /// There is a model of the propositional part: the claim was wrong, if that part is all.
    Satisfiable,
    /// It was not decided, for this reason.
    Undecided(String),
}

/// Whether formulas and lemmas, clauses of formulas with their truth values, have no model when words mean what they do.
pub(super) fn refute_again(
    terms: &Terms,
    formulas: &[TermId],
    lemmas: &[Vec<(TermId, bool)>],
    budget: &Budget,
) -> Repeated {
    let mut roots = formulas.to_vec();
    roots.extend(lemmas.iter().flatten().map(|(formula, _)| *formula));
    let mut translation = Translation {
        terms,
        gates: Gates::new(),
        formulas: FxHashMap::default(),
        words: FxHashMap::default(),
    };
    let order = ground_cone(terms, &roots);
    let cells: u64 = order.iter().map(|&term| cells(terms, term)).sum();
    if cells > MOST_CELLS {
        return Repeated::Undecided("products are too wide to be translated again".into());
    }
    for term in order {
        if let Err(spent) = budget.check_now() {
            return Repeated::Undecided(spent.to_string());
        }
        if let Err(reason) = translation.meet(term) {
            return Repeated::Undecided(reason.into());
        }
    }
    for formula in formulas {
        let holds = translation.formulas[formula];
        translation.gates.require(holds);
    }
    for lemma in lemmas {
        let clause: Vec<Lit> = (lemma.iter())
            .map(|(formula, value)| translation.formulas[formula].flipped_if(!value))
            .collect();
        translation.gates.clause(&clause);
    }
    match translation.gates.satisfiable(&[], budget) {
        Ok(false) => Repeated::Refuted,
        Ok(true) => Repeated::Satisfiable,
        Err(NoAnswer::Spent(spent)) => Repeated::Undecided(spent.to_string()),
        Err(NoAnswer::BadProof(rejected)) => Repeated::Undecided(rejected.to_string()),
        Err(NoAnswer::TooLarge) => Repeated::Undecided("decision diagrams are too large".into()),
    }
}

/// The terms below the roots, operands first, without the bodies of quantified formulas.
fn ground_cone(terms: &Terms, roots: &[TermId]) -> Vec<TermId> {
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut waiting: Vec<TermId> = roots.to_vec();
    while let Some(term) = waiting.pop() {
        if seen.insert(term) && !matches!(terms.op(term), Op::Forall(_)) {
            waiting.extend(terms.args(term));
        }
    }
    let mut cone: Vec<TermId> = seen.into_iter().collect();
    cone.sort_unstable();
    cone
}

/// How many cells of quadratic circuits a term costs.
pub(super) fn cells(terms: &Terms, term: TermId) -> u64 {
    let width = bit_width(terms, term) as u64;
    match terms.op(term) {
        Op::WordMul => width * width,
        Op::WordDivide | Op::WordRemainder => 3 * width * width,
        // A shift over the exponent's range or two.
        Op::Float(_) => terms.format(term).map_or(width, |format| {
            (u64::from(format.exponent) * 4) << format.exponent.min(20)
        }),
        _ => width,
    }
}

/// How many bits a value has: of a word, a floating-point number or a rounding mode; 0 for others.
fn bit_width(terms: &Terms, term: TermId) -> usize {
    match terms.sort(terms.sort_of(term)) {
        Sort::Word(width) => *width as usize,
        Sort::Float(format) => format.width() as usize,
        Sort::Rounding => 3,
        _ => 0,
    }
}

/// Whether formulas are about truth values, words and floating-point numbers alone, without functions and quantifiers: then their bits
/// say everything.
fn is_all_bits(terms: &Terms, order: &[TermId]) -> bool {
    order.iter().all(|&term| {
        let is_value = terms.sort_of(term) == SortId::BOOL || bit_width(terms, term) > 0;
        let is_open = match terms.op(term) {
            Op::Apply(_) => !terms.args(term).is_empty(),
            Op::Forall(_) | Op::Select => true,
            Op::Number(_) => return true,
            _ => false,
        };
        is_value && !is_open
    })
}

/// Whether formulas over words and floating-point numbers have no model, by their bits alone.
pub fn refute_by_bits(terms: &Terms, formulas: &[TermId], budget: &Budget) -> Result<(), BitsFault> {
    match refute_again(terms, formulas, &[], budget) {
        Repeated::Refuted => Ok(()),
        Repeated::Satisfiable if is_all_bits(terms, &ground_cone(terms, formulas)) => {
            Err(BitsFault::HasModel)
        }
        Repeated::Satisfiable => Err(BitsFault::Undecided(
            "the formulas are not about bits alone".into(),
        )),
        Repeated::Undecided(reason) => Err(BitsFault::Undecided(reason)),
    }
}

/// Why formulas were not refuted by their bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BitsFault {
    /// The bits have a model, and they are all that the formulas are about.
    HasModel,
    /// It was not decided, for this reason.
    Undecided(String),
}

/// Terms as gates; operands are met before what is made of them.
pub(super) struct Translation<'a> {
    pub terms: &'a Terms,
    pub gates: Gates,
    pub formulas: FxHashMap<TermId, Lit>,
    pub words: FxHashMap<TermId, Bits>,
}

impl Translation<'_> {
    pub fn meet(&mut self, term: TermId) -> Result<(), &'static str> {
        if self.terms.sort_of(term) == SortId::BOOL {
            let literal = self.formula(term)?;
            self.formulas.insert(term, literal);
        } else if bit_width(self.terms, term) > 0 {
            let bits = self.word(term)?;
            if bits.len() != bit_width(self.terms, term) {
                return Err("a word has another width than its sort");
            }
            self.words.insert(term, bits);
        }
        Ok(())
    }

    fn operand(&self, term: TermId, position: usize) -> Result<Lit, &'static str> {
        let arg = self.terms.args(term).get(position);
        (arg.and_then(|arg| self.formulas.get(arg)).copied()).ok_or("a connective has no formula as operand")
    }

    fn bits(&self, term: TermId, position: usize) -> Result<Bits, &'static str> {
        let arg = self.terms.args(term).get(position);
        (arg.and_then(|arg| self.words.get(arg)).cloned()).ok_or("an operation on words has another operand")
    }

    fn formula(&mut self, term: TermId) -> Result<Lit, &'static str> {
        let args = self.terms.args(term);
        let is_about = |sort: SortId| args.first().is_some_and(|&arg| self.terms.sort_of(arg) == sort);
        let is_about_words = args.first().is_some_and(|&arg| bit_width(self.terms, arg) > 0);
        Ok(match self.terms.op(term) {
            Op::True => self.gates.constant(true),
            Op::False => self.gates.constant(false),
            Op::Not => !self.operand(term, 0)?,
            op @ (Op::And | Op::Or) => {
                let inner: Result<Vec<Lit>, _> = (0..args.len()).map(|at| self.operand(term, at)).collect();
                match op {
                    Op::And => self.gates.all(inner?),
                    _ => self.gates.any(inner?),
                }
            }
            Op::Xor => {
                let (a, b) = (self.operand(term, 0)?, self.operand(term, 1)?);
                self.gates.xor(a, b)
            }
            Op::Eq if is_about(SortId::BOOL) => {
                let (a, b) = (self.operand(term, 0)?, self.operand(term, 1)?);
                !self.gates.xor(a, b)
            }
            Op::Ite => {
                let (c, a, b) = (
                    self.operand(term, 0)?,
                    self.operand(term, 1)?,
                    self.operand(term, 2)?,
                );
                self.gates.mux(c, a, b)
            }
            Op::Eq if is_about_words => {
                let (a, b) = (self.bits(term, 0)?, self.bits(term, 1)?);
                self.gates.equal_bits(&a, &b)
            }
            op @ (Op::WordLess | Op::WordLessSigned) => {
                let (a, b) = (self.bits(term, 0)?, self.bits(term, 1)?);
                self.gates.less_bits(&a, &b, *op == Op::WordLessSigned)
            }
            Op::Float(op) => {
                let operands = self.float_operands(term)?;
                (floats::truth(&mut self.gates, *op, &operands)).ok_or("a test of numbers has no circuit")?
            }
            _ => self.gates.fresh(),
        })
    }

    /// The operands of an operation on floating-point numbers that are bits.
    fn float_operands(&self, term: TermId) -> Result<Vec<floats::Operand>, &'static str> {
        let args = self.terms.args(term);
        let operand = |&arg: &TermId| {
            let format = self.terms.format(arg);
            match self.terms.op(term) {
                Op::Float(op) if !floats::is_feasible(*op, format) => Err("a format is too wide"),
                _ => Ok((self.words.get(&arg).cloned().unwrap_or_default(), format)),
            }
        };
        args.iter().map(operand).collect()
    }

    fn float(&mut self, term: TermId, op: FloatOp) -> Result<Bits, &'static str> {
        let own = self.terms.format(term);
        let operands = self.float_operands(term)?;
        if !floats::is_feasible(op, own) {
            return Err("a format is too wide");
        }
        if let (FloatOp::FromReal, Some(format)) = (op, own) {
            let written = (self.terms.args(term).get(1)).and_then(|&arg| self.terms.number(arg));
            let value = written.ok_or("a real number that is not written out is rounded")?;
            return Ok(self.rounded(format, &operands[0].0, value));
        }
        floats::bits(&mut self.gates, op, &operands, own).ok_or("an operation on numbers has no circuit")
    }

    /// A written number, rounded by a mode.
    fn rounded(&mut self, format: Format, mode: &[Lit], value: &Rational) -> Bits {
        let lowest = grid(format) - 2;
        let mut numerator = value.abs().numerator();
        let mut denominator = value.denominator();
        match lowest < 0 {
            true => numerator <<= lowest.unsigned_abs(),
            false => denominator <<= lowest.unsigned_abs(),
        }
        let whole: BigInt = &numerator / &denominator;
        let is_exact = &whole * &denominator == numerator;
        let magnitude = whole.magnitude();
        let number = Exact {
            sign: self.gates.constant(value.is_negative()),
            magnitude: (0..magnitude.bits().max(1))
                .map(|bit| self.gates.constant(magnitude.bit(bit)))
                .collect(),
            lowest,
            sticky: self.gates.constant(!is_exact),
        };
        let modes = Modes::of(&mut self.gates, mode);
        round(&mut self.gates, format, &modes, &number)
    }

    /// Any value of the term's sort.
    fn any_value(&mut self, term: TermId) -> Bits {
        let bits: Bits = (0..bit_width(self.terms, term))
            .map(|_| self.gates.fresh())
            .collect();
        if let Some(format) = self.terms.format(term) {
            return floats::canonical(&mut self.gates, format, &bits);
        }
        if *self.terms.sort(self.terms.sort_of(term)) == Sort::Rounding {
            let five = self.gates.number(5, 3);
            let is_mode = self.gates.less_bits(&bits, &five, false);
            self.gates.require(is_mode);
        }
        bits
    }

    fn word(&mut self, term: TermId) -> Result<Bits, &'static str> {
        let width = bit_width(self.terms, term);
        let op = self.terms.op(term);
        Ok(match op {
            Op::Word(value) => (0..width as u64)
                .map(|bit| self.gates.constant(value.bit(bit)))
                .collect(),
            Op::Ite => {
                let (a, b) = (self.bits(term, 1)?, self.bits(term, 2)?);
                let condition = self.operand(term, 0)?;
                self.gates.mux_bits(condition, &a, &b)
            }
            Op::Concat => {
                let mut bits = self.bits(term, 1)?;
                bits.extend(self.bits(term, 0)?);
                bits
            }
            Op::Extract(high, low) => {
                let bits = self.bits(term, 0)?;
                let part = bits.get(*low as usize..=*high as usize);
                part.ok_or("bits are read that are not there")?.to_vec()
            }
            Op::WordNot => self.bits(term, 0)?.into_iter().map(|bit| !bit).collect(),
            Op::WordAnd | Op::WordOr | Op::WordXor => {
                let (a, b) = (self.bits(term, 0)?, self.bits(term, 1)?);
                let pairs = a.into_iter().zip(b);
                let gates = &mut self.gates;
                pairs
                    .map(|(a, b)| match op {
                        Op::WordAnd => gates.and(a, b),
                        Op::WordOr => gates.or(a, b),
                        _ => gates.xor(a, b),
                    })
                    .collect()
            }
            Op::WordNeg => {
                let a = self.bits(term, 0)?;
                self.gates.negate_bits(&a)
            }
            Op::WordAdd | Op::WordMul => {
                let (a, b) = (self.bits(term, 0)?, self.bits(term, 1)?);
                match op {
                    Op::WordAdd => self.gates.add_bits(&a, &b),
                    _ => self.gates.multiply_bits(&a, &b),
                }
            }
            Op::WordDivide | Op::WordRemainder => {
                let (a, b) = (self.bits(term, 0)?, self.bits(term, 1)?);
                let (quotient, remainder) = self.gates.divide_bits(&a, &b, false);
                if *op == Op::WordDivide {
                    quotient
                } else {
                    remainder
                }
            }
            Op::ShiftLeft | Op::ShiftRight | Op::ShiftRightSigned => {
                let (a, by) = (self.bits(term, 0)?, self.bits(term, 1)?);
                let fill = match (op, a.last()) {
                    (Op::ShiftRightSigned, Some(&sign)) => sign,
                    _ => self.gates.constant(false),
                };
                self.gates.shift_bits(&a, &by, *op == Op::ShiftLeft, fill)
            }
            Op::Rounding(mode) => self.gates.number(mode.index() as i128, width),
            Op::Float(op) => self.float(term, *op)?,
            // A constant, a function's value, an array's element.
            _ => self.any_value(term),
        })
    }
}
