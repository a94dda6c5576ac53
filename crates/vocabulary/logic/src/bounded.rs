//! Bounded operators written with `X` (and `Y`, `Z`): `F[1,2] p` is `X (p | X p)`.
//!
//! The expansion follows the fixpoint equation of each operator once per step of the bound, from the last step inwards
//! (see [`Interval`] for the meanings):
//!
//! - `p U[a,b] q` at step `k` is `q | (p & next)` inside the interval and `p & next` before it, `next` being the
//!   expansion one step on; the other operators that ask for some step are instances of it;
//! - `p V[a,b] q` is `q & (p | next)` inside and `p | next` before.
//!
//! Directly under a quantifier and over state formulas, as CTL uses them, `next` is quantified again and the result is CTL:
//! `EBF 0..1 p` is `E p | EX E p`. The quantifiers in front of `p` are there because `E p` also says that a fair
//! path begins here; where every state begins one, `E p` and `A p` are `p`.
//!
//! The result shares its parts: memory is linear in the sum of the bounds. Read as a tree it is as deep as their sum.

use crate::nesting::deep;
use crate::{Binary, Formula, Interval, Node, Quantifier, Unary};

/// A bound larger than the caller is willing to write out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bound {bound} is too large to be written out step by step (the limit is {limit})")]
pub struct BoundTooLarge {
    /// The bound.
    pub bound: u32,
    /// What the caller allowed.
    pub limit: u32,
}

impl<A: Clone> Formula<A> {
    /// The equivalent formula without bounded operators. No single bound may exceed `limit`.
    pub fn expand_bounds(&self, limit: u32) -> Result<Formula<A>, BoundTooLarge> {
        deep(|| match self.node() {
            Node::Quantified(quantifier, path) if is_ctl_step(path) => {
                expand_operator(path, limit, Some(*quantifier))
            }
            Node::Unary(_, interval, _) | Node::Binary(_, interval, ..) if !interval.is_always() => {
                expand_operator(self, limit, None)
            }
            _ => {
                let operands: Result<Vec<_>, _> = self
                    .operands()
                    .into_iter()
                    .map(|operand| operand.expand_bounds(limit))
                    .collect();
                Ok(self.with_operands(operands?))
            }
        })
    }
}

/// Whether this is a bounded future operator over state formulas.
fn is_ctl_step<A>(path: &Formula<A>) -> bool {
    let (interval, past) = match path.node() {
        Node::Unary(op, interval, _) => (interval, op.is_past()),
        Node::Binary(op, interval, ..) => (interval, op.is_past()),
        _ => return false,
    };
    !interval.is_always() && !past && path.operands().into_iter().all(Formula::is_state_formula)
}

/// Both kinds of operator, by what they do at each step. `F` and `G` have nothing `aside`.
enum Shape {
    /// `goal` at some step, `aside` at all steps before: `aside U goal`.
    Some,
    /// `goal` at every step, unless `aside` at a step before: `aside V goal`.
    Every,
}

fn expand_operator<A: Clone>(
    formula: &Formula<A>,
    limit: u32,
    quantifier: Option<Quantifier>,
) -> Result<Formula<A>, BoundTooLarge> {
    let expanded: Result<Vec<_>, _> = formula
        .operands()
        .into_iter()
        .map(|operand| operand.expand_bounds(limit))
        .collect();
    let wrap = |formula: &Formula<A>| match quantifier {
        Some(quantifier) => formula.quantified(quantifier),
        None => formula.clone(),
    };
    let (shape, aside, goal, interval, past) = match (formula.node(), expanded?.as_slice()) {
        (Node::Unary(op, interval, _), [a]) => match op {
            Unary::Finally | Unary::Once => (Shape::Some, None, a.clone(), *interval, op.is_past()),
            Unary::Globally | Unary::Historically => (Shape::Every, None, a.clone(), *interval, op.is_past()),
            // The step operators take no bound; whatever stands there is ignored, as everywhere.
            Unary::Next | Unary::Yesterday | Unary::WeakYesterday => {
                return Ok(wrap(&Formula::unary(*op, a)));
            }
        },
        (Node::Binary(op, interval, ..), [a, b]) => {
            let (a, b) = (a.clone(), b.clone());
            match op {
                Binary::Until | Binary::Since => (Shape::Some, Some(a), b, *interval, op.is_past()),
                Binary::Release | Binary::Triggered => (Shape::Every, Some(a), b, *interval, op.is_past()),
                Binary::StrongRelease => {
                    let goal = Formula::and([a, b.clone()]);
                    (Shape::Some, Some(b), goal, *interval, false)
                }
                Binary::WeakUntil => {
                    let goal = Formula::or([a, b.clone()]);
                    (Shape::Every, Some(b), goal, *interval, false)
                }
            }
        }
        _ => unreachable!("a temporal operator with its operands"),
    };
    if interval.is_empty() {
        return Ok(wrap(&Formula::constant(matches!(shape, Shape::Every))));
    }
    let last = interval.to.unwrap_or(interval.from);
    if last > limit {
        return Err(BoundTooLarge { bound: last, limit });
    }
    let step = match (past, &shape) {
        (false, _) => Unary::Next,
        (true, Shape::Some) => Unary::Yesterday,
        (true, Shape::Every) => Unary::WeakYesterday,
    };
    let mut expansion = match interval.to {
        Some(_) => wrap(&goal),
        None => wrap(&unbounded(&shape, past, aside.as_ref(), &goal)),
    };
    let (aside, goal) = (aside.as_ref().map(wrap), wrap(&goal));
    for position in (0..last).rev() {
        let next = wrap(&Formula::unary(step, &expansion));
        let inside = interval.to.is_some() && position >= interval.from;
        expansion = match shape {
            Shape::Some => {
                let held = Formula::and(aside.clone().into_iter().chain([next]));
                if inside {
                    Formula::or([goal.clone(), held])
                } else {
                    held
                }
            }
            Shape::Every => {
                let freed = Formula::or(aside.clone().into_iter().chain([next]));
                if inside {
                    Formula::and([goal.clone(), freed])
                } else {
                    freed
                }
            }
        };
    }
    Ok(expansion)
}

fn unbounded<A>(shape: &Shape, past: bool, aside: Option<&Formula<A>>, goal: &Formula<A>) -> Formula<A> {
    match (shape, past, aside) {
        (Shape::Some, false, None) => goal.finally(),
        (Shape::Some, true, None) => Formula::unary(Unary::Once, goal),
        (Shape::Some, false, Some(aside)) => aside.until(goal),
        (Shape::Some, true, Some(aside)) => Formula::binary(Binary::Since, aside, goal),
        (Shape::Every, false, None) => goal.globally(),
        (Shape::Every, true, None) => Formula::unary(Unary::Historically, goal),
        (Shape::Every, false, Some(aside)) => aside.release(goal),
        (Shape::Every, true, Some(aside)) => Formula::binary(Binary::Triggered, aside, goal),
    }
}

impl Interval {
    /// The largest step that has to be written out: the end, or the beginning if there is no end.
    pub fn last_step(self) -> u32 {
        self.to.unwrap_or(self.from)
    }
}

#[cfg(test)]
mod tests {
    fn expanded(text: &str) -> String {
        crate::parse(text)
            .expect(text)
            .expand_bounds(10)
            .expect("small bounds")
            .to_string()
    }

    #[test]
    fn path_operators_become_nested_steps() {
        assert_eq!(expanded("F[1,2] p"), "X (p | X p)");
        assert_eq!(expanded("G[0,1] p"), "p & X p");
        assert_eq!(expanded("p U[1,2] q"), "p & X (q | p & X q)");
        assert_eq!(expanded("p V[0,1] q"), "q & (p | X q)");
        assert_eq!(expanded("O[1,1] p & H[1,1] p"), "Y p & Z p");
        assert_eq!(expanded("p S[1,+oo) q"), "p & Y (p S q)");
        assert_eq!(expanded("F[3,1] p | G[3,1] p"), "FALSE | TRUE");
        assert_eq!(expanded("G F[0,1] p"), "G (p | X p)");
    }

    #[test]
    fn ctl_operators_become_ctl() {
        assert_eq!(expanded("EBF 0..1 p"), "E p | EX E p");
        assert_eq!(expanded("ABG 1..2 p"), "AX (A p & AX A p)");
        assert_eq!(expanded("A [p BU 1..2 q]"), "A p & AX (A q | A p & AX A q)");
        assert_eq!(expanded("A [p U[1,+oo) q]"), "A p & AX A [p U q]");
        for text in ["EBF 0..1 p", "A [AX p BU 1..2 q]"] {
            let formula = crate::parse(text).expect(text).expand_bounds(10).expect("small");
            assert_eq!(formula.classify().logic(), "ctl");
        }
    }

    #[test]
    fn large_bounds_are_refused_not_written_out() {
        let formula = crate::parse("F[0,4000000000] p").expect("a formula");
        assert_eq!(
            formula.expand_bounds(1000).expect_err("too large").bound,
            4_000_000_000
        );
    }
}
