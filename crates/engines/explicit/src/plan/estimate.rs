//! How many solutions a condition has, roughly, when one enumerates it by itself.
//!
//! Only the order of magnitude matters: the scheduler splits what branches least. Estimates are kept per term and
//! polarity and do not look at what is known at the moment.

use super::support::Supports;
use super::{Literal, Unknowns};
use entail_model::{Op, Sort, Terms};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// Estimates so far.
#[derive(Debug, Default)]
pub(super) struct Estimates {
    known: HashMap<Literal, f64, FxBuildHasher>,
}

impl Estimates {
    /// The number of alternatives that splitting the condition gives.
    pub fn of(&mut self, literal: Literal, terms: &Terms, unknowns: &Unknowns, supports: &Supports) -> f64 {
        let literal = literal.stripped(terms);
        let support = supports.of(literal.term);
        if support.is_empty() {
            return 1.0;
        }
        if let Some(&estimate) = self.known.get(&literal) {
            return estimate;
        }
        let all: f64 = support
            .iter()
            .map(|&unknown| unknowns.get(unknown).size)
            .product();
        let operands = terms.operands(literal.term);
        let mut below = |term, positive| {
            stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                self.of(Literal::new(term, positive), terms, unknowns, supports)
            })
        };
        let estimate = match (terms.op(literal.term), literal.positive) {
            (Op::Current(_) | Op::Next(_), _) => 1.0,
            (Op::Or, true) | (Op::And, false) => operands
                .iter()
                .map(|&operand| below(operand, literal.positive))
                .sum(),
            (Op::And, true) | (Op::Or, false) => operands
                .iter()
                .map(|&operand| below(operand, literal.positive))
                .product::<f64>()
                .min(all),
            (Op::Ite, positive) => {
                let (then, otherwise) = (below(operands[1], positive), below(operands[2], positive));
                if supports.of(operands[0]).is_empty() {
                    then.max(otherwise)
                } else {
                    then + otherwise
                }
            }
            (Op::Equal, positive) => {
                let boolean = *terms.sort(operands[0]) == Sort::Bool;
                let determines = operands
                    .iter()
                    .find_map(|&operand| unknowns.of_term(terms, operand))
                    .filter(|_| positive || boolean);
                match determines {
                    Some(unknown) => (all / unknowns.get(unknown).size).max(1.0),
                    None => all,
                }
            }
            _ => all,
        };
        self.known.insert(literal, estimate);
        estimate
    }
}
