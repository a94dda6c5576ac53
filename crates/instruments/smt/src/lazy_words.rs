//! Products, quotients and remainders of wide words, abstracted first (after Niemetz, Preiner, Zohar 2024).
//!
//! Such a term gets free bits. When an assignment is complete its value is compared with what the operands' values give; a wrong one
//! is excluded by clauses, from cheap to dear: at first what neutral and absorbing operands and the order of numbers say; then, some
//! times, what these operands give; then a product's lowest bits exactly, twice as many each time, up to the whole circuit; a quotient's
//! whole circuit. So a formula that does not depend on a product never pays for its circuit.

use crate::gates::{Bits, Gates};
use crate::solver::{FinalCheck, Solver};
use crate::words::BLASTED;
use entail_first_order::{Atom, Op, TermId, Terms, word_operation};
use entail_sat::Lit;
use num_bigint::BigUint;
use num_traits::Zero;

/// Narrower words are translated at once.
const NARROWEST: usize = 12;
/// A product with a constant of no more ones than these is translated at once.
const FEW_ONES: u64 = 4;
/// How often a wrong value is excluded with the operands' values, before circuits are built.
const MOST_VALUES: usize = 3;

/// A term whose value is not defined by gates yet.
pub(crate) struct LazyWord {
    term: TermId,
    /// How often its value was wrong.
    wrong: usize,
    /// How many of a product's lowest bits are exact.
    exact: usize,
    is_done: bool,
}

/// What a circuit of an operation needs.
type Operands = (Bits, Bits, Bits);

impl Solver {
    /// Whether a term's circuit is put off.
    pub(crate) fn is_put_off(&self, terms: &Terms, term: TermId) -> bool {
        let args = terms.args(term);
        let is_simple = |arg: &TermId| {
            terms
                .word_value(*arg)
                .is_some_and(|value| value.count_ones() <= FEW_ONES)
        };
        match terms.op(term) {
            Op::WordMul => terms.width(term) as usize >= NARROWEST && !args.iter().any(is_simple),
            Op::WordDivide | Op::WordRemainder => terms.width(term) as usize >= NARROWEST,
            _ => false,
        }
    }

    pub(crate) fn put_off(&mut self, term: TermId) {
        self.lazy_words.push(LazyWord {
            term,
            wrong: 0,
            exact: 0,
            is_done: false,
        });
    }

    fn word_of(&self, bits: &[Lit]) -> BigUint {
        let mut value = BigUint::zero();
        for (position, &bit) in bits.iter().enumerate() {
            value.set_bit(position as u64, self.core.value(bit) > 0);
        }
        value
    }

    fn operands(&self, terms: &Terms, term: TermId) -> Option<Operands> {
        let args = terms.args(term);
        Some((
            self.bits.get(&args[0])?.clone(),
            self.bits.get(&args[1])?.clone(),
            self.bits.get(&term)?.clone(),
        ))
    }

    /// Excludes wrong values of terms that were put off. Nothing if there are none.
    pub(crate) fn refine_words(&mut self, terms: &mut Terms) -> Option<FinalCheck> {
        let mut wrong: Vec<(usize, BigUint, BigUint, BigUint)> = Vec::new();
        for (place, lazy) in self.lazy_words.iter().enumerate() {
            if lazy.is_done {
                continue;
            }
            let (a, b, out) = self.operands(terms, lazy.term)?;
            let (a, b) = (self.word_of(&a), self.word_of(&b));
            let right = word_operation(terms.op(lazy.term), &[&a, &b], out.len() as u32)?;
            if right != self.word_of(&out) {
                wrong.push((place, a, b, right));
            }
        }
        if wrong.is_empty() {
            return None;
        }
        self.backtrack(0);
        for (place, a, b, right) in wrong {
            self.exclude(terms, place, &a, &b, &right);
        }
        // What CaDiCaL found is wrong now.
        if self.host_due.is_some() {
            self.host_due = Some(self.core.conflicts);
        }
        Some(FinalCheck::Again)
    }

    fn exclude(&mut self, terms: &mut Terms, place: usize, a: &BigUint, b: &BigUint, right: &BigUint) {
        let term = self.lazy_words[place].term;
        let op = terms.op(term).clone();
        let Some((x, y, out)) = self.operands(terms, term) else {
            return;
        };
        let wrong = self.lazy_words[place].wrong;
        self.lazy_words[place].wrong += 1;
        let width = out.len();
        let mut exact = 0;
        if wrong > MOST_VALUES {
            exact = match op {
                Op::WordMul => (2 * self.lazy_words[place].exact).max(8).min(width),
                _ => width,
            };
            self.lazy_words[place].exact = exact;
            self.lazy_words[place].is_done = exact == width;
        }
        let mut gates = self.take_gates(terms);
        let core = std::cell::RefCell::new(self);
        let mut fresh = || core.borrow_mut().new_var(Atom::Free).lit(true);
        let mut circuit = Circuit {
            gates: &mut gates,
            fresh: &mut fresh,
            clauses: Vec::new(),
        };
        if wrong == 0 {
            match op {
                Op::WordMul => circuit.easy_factors(&x, &y, &out),
                Op::WordDivide => circuit.easy_quotient(&x, &y, &out),
                _ => circuit.easy_remainder(&x, &y, &out),
            }
        }
        if exact > 0 {
            let result = match op {
                Op::WordMul => circuit.gates.multiply(&x[..exact], &y[..exact], circuit.fresh),
                Op::WordDivide => circuit.gates.divide(&x, &y, circuit.fresh).0,
                _ => circuit.gates.divide(&x, &y, circuit.fresh).1,
            };
            circuit.equal_if(&[], &out[..exact], &result);
        } else {
            let (is_a, is_b) = (circuit.is_value(&x, a), circuit.is_value(&y, b));
            let value = circuit.value(right, width);
            circuit.equal_if(&[is_a, is_b], &out, &value);
        }
        let clauses = circuit.clauses;
        let solver = core.into_inner();
        solver.return_gates(gates);
        for clause in clauses {
            solver.clause(&clause, BLASTED);
        }
    }
}

/// Clauses about the bits of one operation.
struct Circuit<'a> {
    gates: &'a mut Gates,
    fresh: &'a mut dyn FnMut() -> Lit,
    clauses: Vec<Vec<Lit>>,
}

impl Circuit<'_> {
    fn value(&self, value: &BigUint, width: usize) -> Bits {
        (0..width as u64)
            .map(|bit| self.gates.constant(value.bit(bit)))
            .collect()
    }

    /// Whether a word has a value.
    fn is_value(&mut self, bits: &[Lit], value: &BigUint) -> Lit {
        let wanted = self.value(value, bits.len());
        self.gates.equal(bits, &wanted, self.fresh)
    }

    /// Two words are equal if all conditions hold.
    fn equal_if(&mut self, conditions: &[Lit], a: &[Lit], b: &[Lit]) {
        for (&x, &y) in a.iter().zip(b) {
            for sides in [[x, !y], [!x, y]] {
                let mut clause: Vec<Lit> = conditions.iter().map(|&condition| !condition).collect();
                clause.extend(sides);
                self.clauses.push(clause);
            }
        }
    }

    /// Factors zero and one, and the product's lowest bit.
    fn easy_factors(&mut self, a: &[Lit], b: &[Lit], out: &[Lit]) {
        let (zero, one) = (BigUint::zero(), BigUint::from(1u32));
        let nothing = self.value(&zero, out.len());
        for (factor, other) in [(a, b), (b, a)] {
            let is_zero = self.is_value(factor, &zero);
            self.equal_if(&[is_zero], out, &nothing);
            let is_one = self.is_value(factor, &one);
            self.equal_if(&[is_one], out, other);
        }
        let lowest = self.gates.and(a[0], b[0], self.fresh);
        self.equal_if(&[], &out[..1], &[lowest]);
    }

    /// Divisors zero and one, a dividend below the divisor; a quotient is at most the dividend.
    fn easy_quotient(&mut self, a: &[Lit], b: &[Lit], out: &[Lit]) {
        let (zero, one) = (BigUint::zero(), BigUint::from(1u32));
        let by_zero = self.is_value(b, &zero);
        let ones = vec![self.gates.constant(true); out.len()];
        self.equal_if(&[by_zero], out, &ones);
        let by_one = self.is_value(b, &one);
        self.equal_if(&[by_one], out, a);
        let is_less = self.gates.less(a, b, self.fresh);
        let nothing = self.value(&zero, out.len());
        self.equal_if(&[is_less], out, &nothing);
        let is_more = self.gates.less(a, out, self.fresh);
        self.clauses.push(vec![by_zero, !is_more]);
    }

    /// A remainder is below the divisor and at most the dividend, and the dividend itself if that is below the divisor.
    fn easy_remainder(&mut self, a: &[Lit], b: &[Lit], out: &[Lit]) {
        let by_zero = self.is_value(b, &BigUint::zero());
        self.equal_if(&[by_zero], out, a);
        let is_below = self.gates.less(out, b, self.fresh);
        self.clauses.push(vec![by_zero, is_below]);
        let is_less = self.gates.less(a, b, self.fresh);
        self.equal_if(&[is_less], out, a);
        let is_more = self.gates.less(a, out, self.fresh);
        self.clauses.push(vec![!is_more]);
    }
}
