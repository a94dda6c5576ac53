//! The meaning of LTL on a lasso word, straight from the definitions.
//!
//! This is the yardstick for everything else, so it is written to be obviously right, not fast: the truth of every
//! subformula at every position of the word, as a table. Past operators look back to the start of the word; their truth
//! becomes periodic only after some turns of the cycle, so the cycle is unrolled once for each past operator (and by the
//! length of past bounds) before it is taken to repeat.

use crate::word::LassoWord;
use entail_logic::{Binary, Formula, Interval, Node, Unary};

/// Whether the word satisfies the formula at its first position. Path quantifiers read as "on this path".
pub fn holds(formula: &Formula<String>, word: &LassoWord) -> bool {
    let turns = turns_for_past(formula, word.cycle.len());
    let mut unrolled = word.clone();
    for _ in 0..turns {
        unrolled.prefix.extend_from_slice(&word.cycle);
    }
    table(formula, &unrolled)[0]
}

fn turns_for_past(formula: &Formula<String>, period: usize) -> usize {
    let own = match formula.node() {
        Node::Unary(op, interval, _) if op.is_past() => reach(*interval).div_ceil(period) + 1,
        Node::Binary(op, interval, ..) if op.is_past() => reach(*interval).div_ceil(period) + 1,
        _ => 0,
    };
    own + formula
        .operands()
        .into_iter()
        .map(|operand| turns_for_past(operand, period))
        .sum::<usize>()
}

fn reach(interval: Interval) -> usize {
    interval.to.unwrap_or(0).max(interval.from) as usize
}

/// The truth of the formula at each position.
fn table(formula: &Formula<String>, word: &LassoWord) -> Vec<bool> {
    let size = word.len();
    match formula.node() {
        Node::Constant(truth) => vec![*truth; size],
        Node::Atom(name) => {
            let bit = word.propositions.iter().position(|known| known == name);
            (0..size)
                .map(|i| bit.is_some_and(|bit| word.letter(i) >> bit & 1 == 1))
                .collect()
        }
        Node::Not(a) => table(a, word).into_iter().map(|truth| !truth).collect(),
        Node::And(list) => {
            let tables: Vec<_> = list.iter().map(|operand| table(operand, word)).collect();
            (0..size).map(|i| tables.iter().all(|table| table[i])).collect()
        }
        Node::Or(list) => {
            let tables: Vec<_> = list.iter().map(|operand| table(operand, word)).collect();
            (0..size).map(|i| tables.iter().any(|table| table[i])).collect()
        }
        Node::Implies(a, b) => pointwise(a, b, word, |a, b| !a || b),
        Node::Iff(a, b) => pointwise(a, b, word, |a, b| a == b),
        Node::Xor(a, b) => pointwise(a, b, word, |a, b| a != b),
        Node::Quantified(_, a) => table(a, word),
        Node::Unary(op, interval, a) => {
            let a = table(a, word);
            let yes = vec![true; size];
            let no = vec![false; size];
            match op {
                Unary::Next => (0..size).map(|i| a[word.next(i)]).collect(),
                Unary::Finally => until(word, *interval, &yes, &a),
                Unary::Globally => negated(until(word, *interval, &yes, &negated(a))),
                Unary::Yesterday => (0..size).map(|i| i > 0 && a[i - 1]).collect(),
                Unary::WeakYesterday => (0..size).map(|i| i == 0 || a[i - 1]).collect(),
                Unary::Once => since(*interval, &yes, &a),
                Unary::Historically => {
                    let _ = no;
                    negated(since(*interval, &yes, &negated(a)))
                }
            }
        }
        Node::Binary(op, interval, a, b) => {
            let (a, b) = (table(a, word), table(b, word));
            match op {
                Binary::Until => until(word, *interval, &a, &b),
                Binary::Release => negated(until(word, *interval, &negated(a), &negated(b))),
                Binary::StrongRelease => {
                    let both: Vec<bool> = a.iter().zip(&b).map(|(a, b)| *a && *b).collect();
                    until(word, *interval, &b, &both)
                }
                Binary::WeakUntil => {
                    let neither: Vec<bool> = a.iter().zip(&b).map(|(a, b)| !*a && !*b).collect();
                    negated(until(word, *interval, &negated(b), &neither))
                }
                Binary::Since => since(*interval, &a, &b),
                Binary::Triggered => negated(since(*interval, &negated(a), &negated(b))),
            }
        }
    }
}

fn negated(table: Vec<bool>) -> Vec<bool> {
    table.into_iter().map(|truth| !truth).collect()
}

fn pointwise(
    a: &Formula<String>,
    b: &Formula<String>,
    word: &LassoWord,
    combine: impl Fn(bool, bool) -> bool,
) -> Vec<bool> {
    let (a, b) = (table(a, word), table(b, word));
    a.into_iter().zip(b).map(|(a, b)| combine(a, b)).collect()
}

/// For some `k` in the interval: `b` after `k` steps, `a` on the way there.
fn until(word: &LassoWord, interval: Interval, a: &[bool], b: &[bool]) -> Vec<bool> {
    let size = word.len();
    // Beyond one more round nothing new is seen.
    let horizon = interval.from as usize + size;
    let last = interval.to.map_or(horizon, |to| (to as usize).min(horizon));
    (0..size)
        .map(|start| {
            let mut position = start;
            for step in 0..=last {
                if step >= interval.from as usize && b[position] {
                    return true;
                }
                if !a[position] {
                    return false;
                }
                position = word.next(position);
            }
            false
        })
        .collect()
}

/// The same, looking back over positions that exist.
fn since(interval: Interval, a: &[bool], b: &[bool]) -> Vec<bool> {
    (0..a.len())
        .map(|start| {
            let last = interval.to.map_or(start, |to| (to as usize).min(start));
            for step in 0..=last {
                if step >= interval.from as usize && b[start - step] {
                    return true;
                }
                if !a[start - step] {
                    return false;
                }
            }
            false
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(formula: &str, word: &str) -> bool {
        let formula = entail_logic::parse(formula).expect(formula);
        holds(&formula, &LassoWord::parse(word).expect(word))
    }

    #[test]
    fn operators_mean_what_the_definitions_say() {
        assert!(says("p U q", "p; p; q; cycle{1}"));
        assert!(!says("p U q", "p; p; cycle{p}"));
        assert!(says("p W q", "cycle{p}"));
        assert!(says("G F p", "cycle{p; !p}"));
        assert!(!says("F G p", "cycle{p; !p}"));
        assert!(says("q V p", "p; p; p & q; cycle{1}"));
        assert!(says("F[2,3] p", "1; 1; p; cycle{1}") && !says("F[2,3] p", "1; p; cycle{1}"));
        assert!(says("G (grant -> O request)", "request; cycle{grant}"));
        assert!(says("F (p & Y Y Y p)", "p; cycle{!p; !p; p}"));
        assert!(!says("G H p", "!p; cycle{p}") && says("F (q S p)", "p; q; cycle{q}"));
    }
}
