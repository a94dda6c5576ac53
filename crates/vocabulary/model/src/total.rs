//! Conditions that some value of one variable always satisfies, whatever the other variables are.
//!
//! This is how assignments are recognised after a language has turned them into conditions: `next(x) = f`, a choice
//! `next(x) = f | next(x) = g`, a case of such. The recognition is syntactic and errs on the side of "no": one pass over the
//! condition's cone in id order, without recursion.

use crate::enumerate::Leaf;
use crate::{Op, Sort, TermId, Terms, Valuation, Value, VarId, evaluate_with};
use hashbrown::HashMap;

/// Domains up to this size are searched for a value.
const MAX_DOMAIN: u64 = 256;

/// Whether for all values of everything else there is a value of the leaf's sort that makes the condition true.
pub(crate) fn always_satisfiable(terms: &Terms, condition: TermId, leaf: Leaf, sort: &Sort) -> bool {
    let cone = terms.cone(&[condition]);
    let mut known: HashMap<TermId, Known> = HashMap::with_capacity(cone.len());
    for &term in &cone {
        let operands: Vec<Known> = terms
            .operands(term)
            .iter()
            .map(|operand| known[operand])
            .collect();
        let found = Leaf::of(terms, term);
        let uses_leaf = found == Some(leaf) || operands.iter().any(|operand| operand.uses_leaf);
        let uses_others =
            found.is_some_and(|found| found != leaf) || operands.iter().any(|operand| operand.uses_others);
        let total = *terms.sort(term) == Sort::Bool
            && match terms.op(term) {
                Op::Constant(value) => *value == Value::Bool(true),
                Op::Or => operands.iter().any(|operand| operand.total),
                Op::Ite => !operands[0].uses_leaf && operands[1].total && operands[2].total,
                Op::Equal => is_definition(terms, term, leaf, sort, &operands),
                // On truth values, "differs from" is an assignment too.
                Op::Not if operands[0].is_definition => *sort == Sort::Bool,
                _ => false,
            };
        let is_definition = *terms.op(term) == Op::Equal && total;
        let total = total || uses_leaf && !uses_others && has_solution(terms, term, leaf, sort);
        known.insert(
            term,
            Known {
                uses_leaf,
                uses_others,
                total,
                is_definition,
            },
        );
    }
    known[&condition].total
}

/// What is known of a term.
#[derive(Clone, Copy)]
struct Known {
    uses_leaf: bool,
    uses_others: bool,
    total: bool,
    /// It is `leaf = f`.
    is_definition: bool,
}

/// Whether the equality is `leaf = f` with every value of `f` among those of the leaf.
fn is_definition(terms: &Terms, equality: TermId, leaf: Leaf, sort: &Sort, operands: &[Known]) -> bool {
    let sides = terms.operands(equality);
    [(0, 1), (1, 0)].into_iter().any(|(this, other)| {
        Leaf::of(terms, sides[this]) == Some(leaf)
            && !operands[other].uses_leaf
            && includes(sort, terms.sort(sides[other]))
    })
}

/// Whether every value of one sort is a value of the other; in doubt, no.
fn includes(large: &Sort, small: &Sort) -> bool {
    if large == small {
        return true;
    }
    if let (Sort::Range { low, high }, Some((least, most))) = (large, small.integer_bounds()) {
        return *low <= least && most <= *high;
    }
    small.size().is_some_and(|size| size <= MAX_DOMAIN) && small.values().all(|value| large.contains(&value))
}

/// Whether some value of the leaf makes a condition on it alone true.
fn has_solution(terms: &Terms, condition: TermId, leaf: Leaf, sort: &Sort) -> bool {
    if *terms.sort(condition) != Sort::Bool || sort.size().is_none_or(|size| size > MAX_DOMAIN) {
        return false;
    }
    // In a store of its own the variable is the first: there are no others to be given values, or even to be counted.
    let mut alone = Terms::new();
    let condition = alone.import(terms, &[condition], |_| VarId::new(0))[0];
    let cone = alone.cone(&[condition]);
    sort.values().any(|value| {
        let values = [Some(value)];
        let valuation = match leaf {
            Leaf::Current(_) => Valuation::state(&values),
            Leaf::Next(_) => Valuation::step(&[], &values),
        };
        evaluate_with(&alone, &cone, valuation).pop().flatten() == Some(Value::Bool(true))
    })
}
