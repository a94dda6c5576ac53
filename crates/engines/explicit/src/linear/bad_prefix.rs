//! Shortening a lasso to a prefix that no continuation can mend.
//!
//! A prefix that is bad already is easier to read than a lasso. Whether it is, Kleene's truth values tell: an atom is unknown where it depends on what is
//! chosen behind the prefix, so is everything behind it, and the temporal operators are unrolled from the last position back (future) or from the first on
//! (past). A prefix on which the formula is false stays so, whatever follows; the shortest is found by halving. Linear in the prefix for each operator, times
//! its bounds. This evaluation is the engine's own: the checker judges the prefix by another one.

use super::judge::linear_path;
use entail_evidence::{Trace, Truth};
use entail_logic::{Binary, Formula, Interval, Node, Unary};
use entail_model::{TermId, TransitionSystem, Valuation, evaluate_bool};

/// Lassos longer than this are left as they are.
const LONGEST: usize = 10_000;
/// Bounds above this are not unrolled.
const LARGEST_BOUND: usize = 200;

/// Where every infinite path is fair, the lasso is cut where no continuation can change the answer any more. (That it has an infinite continuation
/// is what the lasso showed.)
pub(crate) fn as_short_as_decided(
    system: &TransitionSystem,
    lasso: Trace,
    formula: &Formula<TermId>,
) -> Trace {
    let whole = lasso.steps.len();
    let Some(path) = linear_path(formula).filter(|_| !system.has_fairness() && whole <= LONGEST) else {
        return lasso;
    };
    let is_bad = |length: usize| {
        let prefix = Prefix {
            system,
            trace: prefix(system, &lasso, length),
        };
        let truths = prefix.truths(path);
        truths.is_some_and(|truths| truths.first() == Some(&Truth::False))
    };
    if !is_bad(whole) {
        return lasso;
    }
    let (mut good, mut bad) = (0, whole);
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        if is_bad(middle) {
            bad = middle;
        } else {
            good = middle;
        }
    }
    prefix(system, &lasso, bad)
}

/// The first states of a trace, as a finite path.
fn prefix(system: &TransitionSystem, lasso: &Trace, length: usize) -> Trace {
    let mut steps = lasso.steps[..length].to_vec();
    // What is chosen in the last state is not part of a finite path.
    if let Some(last) = steps.last_mut() {
        for variable in system.input_variables() {
            last[variable.index()] = None;
        }
    }
    Trace {
        steps,
        loop_start: None,
    }
}

/// A finite path with an unknown continuation.
struct Prefix<'a> {
    system: &'a TransitionSystem,
    trace: Trace,
}

impl Prefix<'_> {
    /// The truth of a formula at each position; nothing for formulas that are not worth it.
    fn truths(&self, formula: &Formula<TermId>) -> Option<Vec<Truth>> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.truths_of(formula))
    }

    fn truths_of(&self, formula: &Formula<TermId>) -> Option<Vec<Truth>> {
        let length = self.trace.steps.len();
        let join = |parts: &[Formula<TermId>], with: fn(Truth, Truth) -> Truth, none: Truth| {
            parts.iter().try_fold(vec![none; length], |all, part| {
                Some(pointwise(&all, &self.truths(part)?, with))
            })
        };
        Some(match formula.node() {
            Node::Constant(truth) => vec![known(*truth); length],
            Node::Atom(term) => (0..length).map(|position| self.atom(*term, position)).collect(),
            Node::Not(part) => not(&self.truths(part)?),
            Node::And(parts) => join(parts, Truth::and, Truth::True)?,
            Node::Or(parts) => join(parts, Truth::or, Truth::False)?,
            Node::Implies(a, b) => pointwise(&not(&self.truths(a)?), &self.truths(b)?, Truth::or),
            Node::Iff(a, b) => not(&exclusive(&self.truths(a)?, &self.truths(b)?)),
            Node::Xor(a, b) => exclusive(&self.truths(a)?, &self.truths(b)?),
            Node::Quantified(..) => return None,
            Node::Unary(op, interval, part) => {
                let part = self.truths(part)?;
                let always = vec![Truth::True; length];
                match op {
                    Unary::Next => (1..=length).map(|next| at(&part, next)).collect(),
                    Unary::Finally => until(&always, &part, *interval)?,
                    Unary::Globally => not(&until(&always, &not(&part), *interval)?),
                    Unary::Yesterday => before(&part, Truth::False),
                    Unary::WeakYesterday => before(&part, Truth::True),
                    Unary::Once => since(&always, &part, *interval)?,
                    Unary::Historically => not(&since(&always, &not(&part), *interval)?),
                }
            }
            Node::Binary(op, interval, a, b) => {
                let (a, b) = (self.truths(a)?, self.truths(b)?);
                match op {
                    Binary::Until => until(&a, &b, *interval)?,
                    Binary::Release => not(&until(&not(&a), &not(&b), *interval)?),
                    Binary::Since => since(&a, &b, *interval)?,
                    Binary::Triggered => not(&since(&not(&a), &not(&b), *interval)?),
                    Binary::WeakUntil | Binary::StrongRelease if *interval != Interval::ALWAYS => {
                        return None;
                    }
                    // p W q is q R (p | q); p M q is q U (p & q).
                    Binary::WeakUntil => {
                        let either = pointwise(&a, &b, Truth::or);
                        not(&until(&not(&b), &not(&either), *interval)?)
                    }
                    Binary::StrongRelease => until(&b, &pointwise(&a, &b, Truth::and), *interval)?,
                }
            }
        })
    }

    fn atom(&self, term: TermId, position: usize) -> Truth {
        let steps = &self.trace.steps;
        let next: &[_] = steps.get(position + 1).map_or(&[], Vec::as_slice);
        let truth = evaluate_bool(&self.system.terms, term, Valuation::step(&steps[position], next));
        truth.map_or(Truth::Unknown, known)
    }
}

fn known(truth: bool) -> Truth {
    match truth {
        true => Truth::True,
        false => Truth::False,
    }
}

fn at(truths: &[Truth], position: usize) -> Truth {
    truths.get(position).copied().unwrap_or(Truth::Unknown)
}

fn not(truths: &[Truth]) -> Vec<Truth> {
    truths.iter().map(|&truth| !truth).collect()
}

fn pointwise(a: &[Truth], b: &[Truth], with: impl Fn(Truth, Truth) -> Truth) -> Vec<Truth> {
    a.iter().zip(b).map(|(&a, &b)| with(a, b)).collect()
}

fn exclusive(a: &[Truth], b: &[Truth]) -> Vec<Truth> {
    pointwise(a, b, |a, b| a.and(!b).or((!a).and(b)))
}

fn before(truths: &[Truth], first: Truth) -> Vec<Truth> {
    let shifted = [first].into_iter().chain(truths.iter().copied());
    shifted.take(truths.len()).collect()
}

/// `p U[a,b] q`
fn until(p: &[Truth], q: &[Truth], interval: Interval) -> Option<Vec<Truth>> {
    let length = p.len();
    // How it stands with every position on: first without the bounds, or at their end, then unrolled step by step.
    let mut truths = match interval.to {
        None => {
            let mut truths = vec![Truth::Unknown; length];
            let mut later = Truth::Unknown;
            for position in (0..length).rev() {
                later = q[position].or(p[position].and(later));
                truths[position] = later;
            }
            truths
        }
        Some(to) if to < interval.from => return Some(vec![Truth::False; length]),
        Some(to) => {
            let mut truths = q.to_vec();
            for _ in 0..small(to - interval.from)? {
                truths = (0..length)
                    .map(|position| q[position].or(p[position].and(at(&truths, position + 1))))
                    .collect();
            }
            truths
        }
    };
    for _ in 0..small(interval.from)? {
        truths = (0..length)
            .map(|position| p[position].and(at(&truths, position + 1)))
            .collect();
    }
    Some(truths)
}

/// `p S[a,b] q`: the same backwards, with nothing before the first position.
fn since(p: &[Truth], q: &[Truth], interval: Interval) -> Option<Vec<Truth>> {
    let length = p.len();
    let earlier = |truths: &[Truth], position: usize| {
        position
            .checked_sub(1)
            .map_or(Truth::False, |before| truths[before])
    };
    let mut truths = match interval.to {
        None => {
            let mut truths: Vec<Truth> = Vec::with_capacity(length);
            for position in 0..length {
                let so_far = truths.last().copied().unwrap_or(Truth::False);
                truths.push(q[position].or(p[position].and(so_far)));
            }
            truths
        }
        Some(to) if to < interval.from => return Some(vec![Truth::False; length]),
        Some(to) => {
            let mut truths = q.to_vec();
            for _ in 0..small(to - interval.from)? {
                truths = (0..length)
                    .map(|position| q[position].or(p[position].and(earlier(&truths, position))))
                    .collect();
            }
            truths
        }
    };
    for _ in 0..small(interval.from)? {
        truths = (0..length)
            .map(|position| p[position].and(earlier(&truths, position)))
            .collect();
    }
    Some(truths)
}

fn small(bound: u32) -> Option<usize> {
    usize::try_from(bound)
        .ok()
        .filter(|&bound| bound <= LARGEST_BOUND)
}
