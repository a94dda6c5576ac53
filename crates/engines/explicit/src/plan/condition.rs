//! Conditions as the scheduler sees them: a literal, and escapes under which it need not hold.
//!
//! Conjunctions are taken apart, also under known escapes, because a condition on one unknown can narrow it down where a
//! condition on many cannot: `c -> x' = 1 & y' = 2` becomes a condition on `x'` and one on `y'`. Where a condition has several
//! open disjuncts it stays whole.

use super::schedule::Scheduler;
use super::{Given, Literal, Plan, Step, Unknown};
use entail_model::{Op, TermId};
use std::rc::Rc;

/// Longer lists of alternative values are not compared with each other.
const MOST_DISTINCT: usize = 16;

/// A condition: one of the escapes, all of them known, or the literal.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub escapes: Rc<[Literal]>,
    pub literal: Literal,
}

impl Scheduler<'_> {
    /// Takes conjunctions apart, also those under known escapes: `e | a & b` is `(e | a) & (e | b)`. False if there is a
    /// contradiction.
    pub(super) fn flatten(&self, mut stack: Vec<(Rc<[Literal]>, Literal)>, out: &mut Vec<Condition>) -> bool {
        while let Some((escapes, literal)) = stack.pop() {
            let literal = literal.stripped(self.terms);
            let operands = self.terms.operands(literal.term);
            let with = |term: TermId| Literal::new(term, literal.positive);
            match (self.terms.op(literal.term), literal.positive) {
                (Op::And, true) | (Op::Or, false) => {
                    let parts = operands.iter().rev();
                    stack.extend(parts.map(|&operand| (Rc::clone(&escapes), with(operand))));
                }
                (Op::Constant(_), positive) => {
                    if self.terms.as_truth(literal.term) == Some(positive) {
                        continue;
                    }
                    match escapes.split_first() {
                        None => return false,
                        Some((first, rest)) => out.push(Condition {
                            escapes: rest.into(),
                            literal: *first,
                        }),
                    }
                }
                (Op::Or, true) | (Op::And, false) if !self.is_known(literal.term) => {
                    let mut open = operands.iter().filter(|&&operand| !self.is_known(operand));
                    match (open.next(), open.next()) {
                        (Some(&only), None) if operands.len() > 1 => {
                            let known = operands.iter().filter(|&&operand| operand != only);
                            let more = escapes.iter().copied().chain(known.map(|&operand| with(operand)));
                            stack.push((more.collect(), with(only)));
                        }
                        _ => out.push(Condition { escapes, literal }),
                    }
                }
                (Op::Ite, _) if self.is_known(operands[0]) && self.branches_differ(operands) => {
                    for (branch, condition_true) in [(operands[2], true), (operands[1], false)] {
                        let escape = Literal::new(operands[0], condition_true);
                        let more = escapes.iter().copied().chain([escape]);
                        stack.push((more.collect(), with(branch)));
                    }
                }
                _ => out.push(Condition { escapes, literal }),
            }
        }
        true
    }

    /// Whether the two branches of a choice speak of different unknowns.
    fn branches_differ(&self, operands: &[TermId]) -> bool {
        !self
            .open_unknowns(operands[1])
            .eq(self.open_unknowns(operands[2]))
    }

    /// Takes apart pending conditions that have become conjunctions under known escapes; whether there was one.
    pub(super) fn distribute(&mut self) -> bool {
        let mut fresh = Vec::new();
        let mut taken = Vec::new();
        let scope = self.scopes.last().expect("inside a conjunction");
        for (number, pending) in scope.pending.iter().enumerate() {
            let condition = &pending.condition;
            let operands = self.terms.operands(condition.literal.term);
            let apart = match (self.terms.op(condition.literal.term), condition.literal.positive) {
                (Op::Or, true) | (Op::And, false) => {
                    operands
                        .iter()
                        .filter(|&&operand| !self.is_known(operand))
                        .count()
                        == 1
                }
                (Op::Ite, _) => self.is_known(operands[0]) && self.branches_differ(operands),
                _ => false,
            };
            if !pending.done && apart {
                // A contradiction among the parts is left to the test of the whole.
                let stack = vec![(Rc::clone(&condition.escapes), condition.literal)];
                let mut parts = Vec::new();
                if self.flatten(stack, &mut parts) {
                    taken.push(number);
                    fresh.append(&mut parts);
                }
            }
        }
        for number in &taken {
            self.scope().pending[*number].done = true;
        }
        self.watch(fresh);
        !taken.is_empty()
    }
}

/// The test of a condition all of whose variables are known.
pub(super) fn test(condition: &Condition) -> Step {
    if condition.escapes.is_empty() {
        return Step::Test(condition.literal);
    }
    Step::Branch {
        any_of: condition.escapes.to_vec(),
        then: Plan::new(),
        otherwise: vec![Step::Test(condition.literal)],
    }
}

/// Values of one unknown given one after the other: each only if it is not among those before, so that `{e, x}` gives one
/// value where `e = x`. Without this a model with `n` such choices has `2^n` solutions for one step.
pub(super) fn make_distinct(alternatives: &mut [Plan]) {
    if alternatives.len() > MOST_DISTINCT {
        return;
    }
    let mut earlier: Vec<(Unknown, Given)> = Vec::new();
    for plan in alternatives {
        let (unknown, given) = match plan.as_slice() {
            [
                Step::Assign {
                    unknown,
                    value,
                    negated,
                },
            ] => (*unknown, Given::Term(*value, *negated)),
            [Step::Decide { unknown, truth }] => (*unknown, Given::Truth(*truth)),
            _ => continue,
        };
        let tests: Plan = earlier
            .iter()
            .filter(|(other, _)| *other == unknown)
            .map(|&(_, before)| Step::Distinct(before, given))
            .collect();
        plan.splice(0..0, tests);
        earlier.push((unknown, given));
    }
}
