//! Pairs of words beside all their values, and the laws that building applies.

use super::word_laws::{LawFault, LawJudge, check_laws};
use entail_budget::Budget;
use entail_first_order::{Evaluator, Interpretation, Op, SortId, TermId, Terms, Value};
use num_bigint::BigUint;

struct Draw {
    terms: Terms,
    state: u64,
}

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.state >> 33) % limit
    }

    /// A random word, built with laws or as it is written.
    fn word(&mut self, leaves: &[TermId], depth: u32, is_built: bool) -> TermId {
        let width = self.terms.width(leaves[0]);
        let sort = self.terms.sort_of(leaves[0]);
        if depth == 0 {
            return match self.below(3) {
                0 => {
                    let value = [0, 1, 2, 3, u64::MAX][self.below(5) as usize];
                    self.terms.word(BigUint::from(value), width)
                }
                _ => leaves[self.below(leaves.len() as u64) as usize],
            };
        }
        let a = self.word(leaves, depth - 1, is_built);
        let b = match self.below(4) {
            0 => a,
            _ => self.word(leaves, depth - 1, is_built),
        };
        let (op, args): (Op, Vec<TermId>) = match self.below(12) {
            0 => (Op::WordNot, vec![a]),
            1 => (Op::WordNeg, vec![a]),
            2 => (Op::WordMul, vec![a, b]),
            3 => (Op::ShiftLeft, vec![a, b]),
            4 => (Op::ShiftRight, vec![a, b]),
            5 => (Op::WordXor, vec![a, b]),
            6 => (Op::WordAnd, vec![a, b]),
            7 => (Op::WordOr, vec![a, b]),
            8 => {
                let low = self.terms.extract(b, 0, 0);
                let high = self.terms.extract(a, width - 1, 1);
                return self.terms.concat(high, low);
            }
            9 => {
                let condition = self.equation(a, b, is_built);
                (Op::Ite, vec![condition, a, b])
            }
            _ => (Op::WordAdd, vec![a, b]),
        };
        match is_built {
            true => self.terms.build(op, &args, sort),
            false => self.terms.make(op, &args, sort),
        }
    }

    fn equation(&mut self, a: TermId, b: TermId, is_built: bool) -> TermId {
        match is_built {
            true => self.terms.eq(a, b),
            false => self.terms.make(Op::Eq, &[a, b], SortId::BOOL),
        }
    }
}

fn two_constants(terms: &mut Terms, width: u32) -> Vec<TermId> {
    let sort = terms.word_sort(width);
    vec![terms.constant("a", sort), terms.constant("b", sort)]
}

#[test]
fn laws_that_building_applies_are_shown_again() {
    let effort: usize = std::env::var("ENTAIL_EFFORT").map_or(1, |text| text.parse().unwrap_or(1));
    let mut draw = Draw {
        terms: Terms::new(),
        state: 3,
    };
    let mut judge = LawJudge::default();
    for width in [1, 3, 8, 32, 64] {
        let leaves = two_constants(&mut draw.terms, width);
        for _ in 0..60 * effort {
            if width == 1 {
                let (a, b) = (leaves[0], leaves[1]);
                draw.equation(a, b, true);
                continue;
            }
            let (a, b) = (draw.word(&leaves, 3, true), draw.word(&leaves, 2, true));
            draw.equation(a, b, true);
        }
        let judged = judge.judge(&draw.terms, usize::MAX, &Budget::unlimited());
        assert_eq!(judged, Ok(()), "width {width}");
    }
    assert!(draw.terms.applied_laws().len() > 200);
}

#[test]
fn pairs_are_believed_exactly_if_all_values_agree() {
    let effort: u64 = std::env::var("ENTAIL_EFFORT").map_or(1, |text| text.parse().unwrap_or(1));
    let (mut right, mut wrong) = (0, 0);
    for seed in 0..250 * effort {
        let mut draw = Draw {
            terms: Terms::new(),
            state: seed,
        };
        let leaves = two_constants(&mut draw.terms, 3);
        let pair = match seed % 3 {
            // Two words that may be equal by accident, a law, or a law whose result is damaged.
            0 => (draw.word(&leaves, 1, false), draw.word(&leaves, 1, false)),
            _ => {
                draw.word(&leaves, 3, true);
                let laws = draw.terms.applied_laws().to_vec();
                match laws.last() {
                    None => continue,
                    Some(&law) if seed % 3 == 1 => law,
                    Some(&(written, built)) if draw.terms.width(built) > 0 => {
                        let one = draw.terms.word(BigUint::from(1u8), draw.terms.width(built));
                        let sort = draw.terms.sort_of(built);
                        (written, draw.terms.make(Op::WordAnd, &[built, one], sort))
                    }
                    Some(&(written, built)) => (written, draw.terms.not(built)),
                }
            }
        };
        let agree = (0..64u32).all(|values| {
            let mut model = Interpretation::default();
            for (constant, value) in leaves.iter().zip([values % 8, values / 8]) {
                let Op::Apply(symbol) = *draw.terms.op(*constant) else {
                    unreachable!("a constant");
                };
                model.set(symbol, Value::Word(BigUint::from(value)));
            }
            let mut evaluator = Evaluator::new(&draw.terms, &model);
            evaluator.value(pair.0) == evaluator.value(pair.1)
        });
        let judged = check_laws(&draw.terms, &[pair], &Budget::unlimited());
        match agree {
            true => assert_eq!(judged, Ok(()), "seed {seed}"),
            false => assert!(
                matches!(judged, Err(LawFault::Wrong(_))),
                "seed {seed}: {judged:?}"
            ),
        }
        right += usize::from(agree);
        wrong += usize::from(!agree);
    }
    assert!(right > 30 && wrong > 30, "{right} {wrong}");
}

#[test]
fn a_law_of_wide_words_that_is_almost_right_is_rejected() {
    let mut terms = Terms::new();
    let leaves = two_constants(&mut terms, 64);
    let sort = terms.sort_of(leaves[0]);
    let (a, b) = (leaves[0], leaves[1]);
    let five = terms.word(BigUint::from(5u8), 64);
    let seven = terms.word(BigUint::from(7u8), 64);
    let scaled = terms.make(Op::WordMul, &[five, a], sort);
    let written = terms.make(Op::WordMul, &[seven, scaled], sort);
    let right = terms.word(BigUint::from(35u8), 64);
    let right = terms.make(Op::WordMul, &[right, a], sort);
    let sum = terms.make(Op::WordAdd, &[a, b], sort);
    let either = terms.make(Op::WordOr, &[a, b], sort);
    let budget = Budget::unlimited();
    assert_eq!(check_laws(&terms, &[(written, right)], &budget), Ok(()));
    for pair in [(sum, either), (sum, a), (scaled, a)] {
        let judged = check_laws(&terms, &[pair], &budget);
        assert!(matches!(judged, Err(LawFault::Wrong(_))), "{judged:?}");
    }
    // A pair of different sorts is no law.
    let part = terms.extract(a, 3, 0);
    assert!(matches!(
        check_laws(&terms, &[(a, part)], &budget),
        Err(LawFault::Wrong(_))
    ));
}
