//! Terms of words as bits.

use crate::gates::{Bits, Gates};
use crate::solver::Solver;
use entail_first_order::{Atom, Op, Rule, TermId, Terms};
use entail_sat::Lit;

/// Why clauses of circuits are true; the checker has no rule for them.
pub(crate) const BLASTED: Rule = Rule::Claimed("words were translated to bits");

impl Solver {
    pub(crate) fn take_gates(&mut self, terms: &mut Terms) -> Gates {
        let mut gates = match self.gates.take() {
            Some(gates) => gates,
            None => {
                let truth = terms.truth();
                let lit = self.internalize(terms, truth);
                Gates::with_truth(lit)
            }
        };
        gates.watch(&self.limits);
        gates
    }

    pub(crate) fn return_gates(&mut self, mut gates: Gates) {
        for clause in std::mem::take(&mut gates.clauses) {
            self.clause(&clause, BLASTED);
        }
        self.stopped = self.stopped.or(gates.stopped);
        self.gates = Some(gates);
    }

    /// Gives a word its bits.
    pub(crate) fn meet_word(&mut self, terms: &mut Terms, term: TermId) {
        if self.bits.contains_key(&term) {
            return;
        }
        let is_put_off = self.is_put_off(terms, term);
        if is_put_off {
            self.put_off(term);
        }
        let mut gates = self.take_gates(terms);
        let node = terms.node(term).clone();
        let width = terms.width(term) as usize;
        let args: Vec<Bits> = (node.args.iter())
            .filter_map(|arg| self.bits.get(arg).cloned())
            .collect();
        let condition = (node.op == Op::Ite).then(|| self.lits[&node.args[0]]);
        let core = std::cell::RefCell::new(self);
        let mut fresh = || core.borrow_mut().new_var(Atom::Free).lit(true);
        let bits: Bits = match &node.op {
            _ if is_put_off => (0..width).map(|_| fresh()).collect(),
            Op::Word(value) => (0..width as u64)
                .map(|bit| gates.constant(value.bit(bit)))
                .collect(),
            Op::Ite => match (condition, args.as_slice()) {
                (Some(c), [a, b]) => (a.iter().zip(b))
                    .map(|(&x, &y)| gates.mux(c, x, y, &mut fresh))
                    .collect(),
                _ => (0..width).map(|_| fresh()).collect(),
            },
            Op::Concat => [args[1].as_slice(), args[0].as_slice()].concat(),
            Op::Extract(high, low) => args[0][*low as usize..=*high as usize].to_vec(),
            Op::WordNot => args[0].iter().map(|&bit| !bit).collect(),
            Op::WordAnd => (args[0].iter().zip(&args[1]))
                .map(|(&a, &b)| gates.and(a, b, &mut fresh))
                .collect(),
            Op::WordOr => (args[0].iter().zip(&args[1]))
                .map(|(&a, &b)| gates.or(a, b, &mut fresh))
                .collect(),
            Op::WordXor => (args[0].iter().zip(&args[1]))
                .map(|(&a, &b)| gates.xor(a, b, &mut fresh))
                .collect(),
            Op::WordNeg => gates.negate(&args[0], &mut fresh),
            Op::WordAdd => {
                let zero = gates.constant(false);
                gates.add(&args[0], &args[1], zero, &mut fresh).0
            }
            Op::WordMul => gates.multiply(&args[0], &args[1], &mut fresh),
            Op::WordDivide => gates.divide(&args[0], &args[1], &mut fresh).0,
            Op::WordRemainder => gates.divide(&args[0], &args[1], &mut fresh).1,
            Op::ShiftLeft | Op::ShiftRight => {
                let zero = gates.constant(false);
                gates.shift(&args[0], &args[1], zero, node.op == Op::ShiftLeft, &mut fresh)
            }
            Op::ShiftRightSigned => {
                let sign = args[0][width - 1];
                gates.shift(&args[0], &args[1], sign, false, &mut fresh)
            }
            _ => (0..width).map(|_| fresh()).collect(),
        };
        let solver = core.into_inner();
        solver.bits.insert(term, bits);
        solver.return_gates(gates);
    }

    /// An atom about words: equality or order.
    pub(crate) fn meet_word_atom(&mut self, terms: &mut Terms, term: TermId) {
        let out = self.atom(term);
        let mut gates = self.take_gates(terms);
        let node = terms.node(term).clone();
        let (Some(mut a), Some(mut b)) = (
            self.bits.get(&node.args[0]).cloned(),
            self.bits.get(&node.args[1]).cloned(),
        ) else {
            self.gates = Some(gates);
            return;
        };
        let core = std::cell::RefCell::new(self);
        let mut fresh = || core.borrow_mut().new_var(Atom::Free).lit(true);
        let result: Lit = match node.op {
            Op::Eq => gates.equal(&a, &b, &mut fresh),
            op => {
                if op == Op::WordLessSigned {
                    // Signed order is unsigned order with the signs swapped.
                    for bits in [&mut a, &mut b] {
                        if let Some(sign) = bits.last_mut() {
                            *sign = !*sign;
                        }
                    }
                }
                gates.less(&a, &b, &mut fresh)
            }
        };
        let solver = core.into_inner();
        solver.return_gates(gates);
        solver.clause(&[!out, result], BLASTED);
        solver.clause(&[out, !result], BLASTED);
    }
}
