//! Simplification: rewriting bottom-up by laws that hold in every model.
//!
//! The laws are the ones that need no search: constants, repeated and complementary operands, absorption, idempotent and
//! absorbed temporal operators (`F F p = F p`, `F G F p = G F p`, `F (p U q) = F q`). They hold at every position of
//! every path, so they may be applied anywhere in a formula.
//!
//! Two traps. `E TRUE` is *not* true: it says that a fair path begins here; so is `A FALSE` not false. And `X TRUE` is true
//! only where every path is infinite, so the caller says which paths count. Everything else here holds for both.
//!
//! Cost: one visit per node; operands of a conjunction are compared pairwise only up to a fixed length.

use crate::nesting::deep;
use crate::{Binary, Formula, Interval, Node, Quantifier, Unary};

/// Which paths a formula is read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Paths {
    /// Infinite ones only.
    #[default]
    Infinite,
    /// Finite ones that end in a dead end too: `X TRUE` says that this is not the end.
    Maximal,
}

/// Longer conjunctions are not searched for repetitions.
const COMPARED: usize = 64;

impl<A: Clone + PartialEq> Formula<A> {
    /// An equivalent formula, usually smaller, never larger.
    pub fn simplify(&self, paths: Paths) -> Formula<A> {
        let operands: Vec<Formula<A>> = self
            .operands()
            .into_iter()
            .map(|operand| deep(|| operand.simplify(paths)))
            .collect();
        let formula = self.with_operands(operands);
        match formula.node() {
            Node::Constant(_) | Node::Atom(_) | Node::Not(_) => formula,
            Node::And(list) => connective(list, false),
            Node::Or(list) => connective(list, true),
            Node::Implies(a, b) => match (truth(a), truth(b)) {
                (Some(true), _) => b.clone(),
                (Some(false), _) | (_, Some(true)) => Formula::constant(true),
                (_, Some(false)) => a.not(),
                _ if a == b => Formula::constant(true),
                _ => formula,
            },
            Node::Iff(a, b) => equivalence(&formula, a, b, true),
            Node::Xor(a, b) => equivalence(&formula, a, b, false),
            Node::Quantified(quantifier, path) => quantified(&formula, *quantifier, path),
            Node::Unary(op, interval, a) => unary(&formula, *op, *interval, a, paths),
            Node::Binary(op, interval, a, b) => binary(&formula, *op, *interval, a, b),
        }
    }
}

fn truth<A>(formula: &Formula<A>) -> Option<bool> {
    match formula.node() {
        Node::Constant(truth) => Some(*truth),
        _ => None,
    }
}

/// A conjunction (`absorbing` false) or disjunction (`absorbing` true) of simplified operands.
fn connective<A: Clone + PartialEq>(operands: &[Formula<A>], absorbing: bool) -> Formula<A> {
    let mut kept: Vec<Formula<A>> = Vec::with_capacity(operands.len());
    for operand in operands {
        match truth(operand) {
            Some(truth) if truth == absorbing => return Formula::constant(absorbing),
            Some(_) => continue,
            None => {}
        }
        if operands.len() <= COMPARED {
            if kept.contains(operand) {
                continue;
            }
            if kept.contains(&operand.not()) {
                return Formula::constant(absorbing);
            }
        }
        kept.push(operand.clone());
    }
    if kept.len() <= COMPARED {
        // `p & (p | q)` is `p`: an operand of the dual connective goes if one of its members stands beside it.
        let dual = |formula: &Formula<A>| match (formula.node(), absorbing) {
            (Node::Or(members), false) | (Node::And(members), true) => Some(members.clone()),
            _ => None,
        };
        let absorbed: Vec<bool> = kept
            .iter()
            .map(|operand| {
                dual(operand).is_some_and(|members| members.iter().any(|member| kept.contains(member)))
            })
            .collect();
        let mut absorbed = absorbed.into_iter();
        kept.retain(|_| !absorbed.next().unwrap_or(false));
    }
    if absorbing {
        Formula::or(kept)
    } else {
        Formula::and(kept)
    }
}

/// `a <-> b`, or with `same` false `a xor b`.
fn equivalence<A: PartialEq>(formula: &Formula<A>, a: &Formula<A>, b: &Formula<A>, same: bool) -> Formula<A> {
    let signed = |formula: &Formula<A>, positive: bool| {
        if positive { formula.clone() } else { formula.not() }
    };
    match (truth(a), truth(b)) {
        (Some(truth), _) => signed(b, truth == same),
        (_, Some(truth)) => signed(a, truth == same),
        _ if a == b => Formula::constant(same),
        _ if *a == b.not() => Formula::constant(!same),
        _ => formula.clone(),
    }
}

fn quantified<A>(formula: &Formula<A>, quantifier: Quantifier, path: &Formula<A>) -> Formula<A> {
    match (quantifier, path.node()) {
        (Quantifier::Forall, Node::Constant(true)) | (Quantifier::Exists, Node::Constant(false)) => {
            path.clone()
        }
        // `E ψ` already says that there is a fair path, `A ψ` is already true if there is none.
        (outer, Node::Quantified(inner, _)) if outer == *inner => path.clone(),
        _ => formula.clone(),
    }
}

fn unary<A: PartialEq>(
    formula: &Formula<A>,
    op: Unary,
    interval: Interval,
    a: &Formula<A>,
    paths: Paths,
) -> Formula<A> {
    use Unary::*;
    if let Next | Yesterday | WeakYesterday = op {
        return match (op, truth(a)) {
            (Next | Yesterday, Some(false)) | (WeakYesterday, Some(true)) => a.clone(),
            (Next, Some(true)) if paths == Paths::Infinite => a.clone(),
            _ => formula.clone(),
        };
    }
    let asks_for_some = matches!(op, Finally | Once);
    if interval.is_empty() {
        return Formula::constant(!asks_for_some);
    }
    match truth(a) {
        Some(truth) if truth != asks_for_some => return a.clone(),
        // The first step looked at is now, which exists; later ones may not.
        Some(_) if interval.from == 0 => return a.clone(),
        _ => {}
    }
    if interval == Interval::bounded(0, 0) {
        return a.clone();
    }
    if !interval.is_always() {
        return formula.clone();
    }
    match a.node() {
        Node::Unary(inner, Interval::ALWAYS, below) => match (op, *inner, below.node()) {
            (outer, inner, _) if outer == inner => a.clone(),
            (Finally, Globally, Node::Unary(Finally, Interval::ALWAYS, _))
            | (Globally, Finally, Node::Unary(Globally, Interval::ALWAYS, _)) => a.clone(),
            _ => formula.clone(),
        },
        Node::Binary(inner, Interval::ALWAYS, _, goal)
            if matches!(
                (op, inner),
                (Finally, Binary::Until)
                    | (Globally, Binary::Release)
                    | (Once, Binary::Since)
                    | (Historically, Binary::Triggered)
            ) =>
        {
            Formula::unary(op, goal)
        }
        _ => formula.clone(),
    }
}

fn binary<A: PartialEq>(
    formula: &Formula<A>,
    op: Binary,
    interval: Interval,
    a: &Formula<A>,
    b: &Formula<A>,
) -> Formula<A> {
    use Binary::*;
    let asks_for_some = matches!(op, Until | StrongRelease | Since);
    if interval.is_empty() {
        return Formula::constant(!asks_for_some);
    }
    // `p op p` is `p` at the first step, if that is looked at.
    if interval.from == 0 && a == b {
        return a.clone();
    }
    let (some, every) = if op.is_past() {
        (Unary::Once, Unary::Historically)
    } else {
        (Unary::Finally, Unary::Globally)
    };
    let always = interval.is_always();
    match (op, truth(a), truth(b)) {
        // No goal, no truth; a goal at once decides it.
        (Until | Since | StrongRelease, _, Some(false)) => b.clone(),
        (Release | Triggered | WeakUntil, _, Some(true)) => b.clone(),
        (Until | Since, _, Some(true)) if interval.from == 0 => b.clone(),
        (Release | Triggered, _, Some(false)) if interval.from == 0 => b.clone(),
        (WeakUntil, _, Some(false)) => Formula::unary_within(every, interval, a),
        (StrongRelease, _, Some(true)) => Formula::unary_within(some, interval, a),
        (Until | Since, Some(true), _) => Formula::unary_within(some, interval, b),
        (Release | Triggered, Some(false), _) => Formula::unary_within(every, interval, b),
        (Until | Since, Some(false), _) | (Release | Triggered, Some(true), _) if interval.from == 0 => {
            b.clone()
        }
        (WeakUntil, Some(true), _) | (StrongRelease, Some(false), _) => a.clone(),
        (WeakUntil, Some(false), _) | (StrongRelease, Some(true), _) if interval.from == 0 => b.clone(),
        // `p U (p U q)` is `p U q`, and so for the others that end with their right operand.
        (Until | Release | WeakUntil | Since | Triggered, None, None) if always => match b.node() {
            Node::Binary(inner, Interval::ALWAYS, c, _) if *inner == op && a == c => b.clone(),
            _ => formula.clone(),
        },
        _ => formula.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simple(text: &str) -> String {
        crate::parse(text)
            .expect(text)
            .simplify(Paths::Infinite)
            .to_string()
    }

    #[test]
    fn constants_repetitions_and_complements_disappear() {
        for (text, expected) in [
            ("p & TRUE & p", "p"),
            ("p & !p", "FALSE"),
            ("p | q | !p", "TRUE"),
            ("p & (q | p)", "p"),
            ("p | p & q", "p"),
            ("p -> FALSE", "!p"),
            ("p <-> TRUE", "p"),
            ("p xor p", "FALSE"),
            ("F F p", "F p"),
            ("F G F p", "G F p"),
            ("G F G p", "F G p"),
            ("F (p U q)", "F q"),
            ("p U (p U q)", "p U q"),
            ("TRUE U p", "F p"),
            ("FALSE V p", "G p"),
            ("p W FALSE", "G p"),
            ("X (p | TRUE)", "TRUE"),
            ("F[0,0] p", "p"),
            ("F[2,1] p", "FALSE"),
            ("A (X TRUE)", "TRUE"),
        ] {
            assert_eq!(simple(text), expected, "{text}");
        }
    }

    #[test]
    fn the_existence_of_fair_paths_and_of_successors_is_not_simplified_away() {
        assert_eq!(simple("E TRUE"), "E TRUE");
        assert_eq!(simple("AX FALSE"), "A FALSE");
        let formula = crate::parse("AG EX TRUE").expect("a formula");
        assert_eq!(formula.simplify(Paths::Maximal).to_string(), "AG EX TRUE");
        assert_eq!(simple("Y TRUE"), "Y TRUE");
        assert_eq!(simple("O[1,2] TRUE"), "O[1,2] TRUE");
    }
}
