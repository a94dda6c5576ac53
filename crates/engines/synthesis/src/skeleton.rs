//! A formula as a Boolean combination of parts.
//!
//! Conjunction and disjunction are taken apart, also under `X`, conjunction under `G` and disjunction under `F`: smaller parts have smaller automata. What
//! cannot be taken apart is a part. A part and its negation are one, with a sign.

use entail_logic::{Binary, Formula, Interval, Node, Unary};

/// A Boolean combination of parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Skeleton {
    Constant(bool),
    /// A part by its number, and whether it is negated.
    Part(u32, bool),
    And(Vec<Skeleton>),
    Or(Vec<Skeleton>),
}

/// What is known about a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Known(bool),
    Open,
}

impl Skeleton {
    /// With what is known about parts put in; what is left does not mention them.
    pub fn simplified(&self, truth: &dyn Fn(u32) -> Truth) -> Skeleton {
        match self {
            Skeleton::Constant(_) => self.clone(),
            Skeleton::Part(part, negated) => match truth(*part) {
                Truth::Known(known) => Skeleton::Constant(known != *negated),
                Truth::Open => self.clone(),
            },
            Skeleton::And(list) => joined(list.iter().map(|one| one.simplified(truth)), true),
            Skeleton::Or(list) => joined(list.iter().map(|one| one.simplified(truth)), false),
        }
    }

    /// Says of each part that occurs that it does.
    pub fn for_each_part(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Skeleton::Constant(_) => {}
            Skeleton::Part(part, _) => visit(*part),
            Skeleton::And(list) | Skeleton::Or(list) => list.iter().for_each(|one| one.for_each_part(visit)),
        }
    }
}

fn joined(parts: impl Iterator<Item = Skeleton>, conjunction: bool) -> Skeleton {
    let mut kept: Vec<Skeleton> = Vec::new();
    for part in parts {
        match part {
            Skeleton::Constant(truth) if truth == conjunction => {}
            Skeleton::Constant(_) => return part,
            Skeleton::And(inner) if conjunction => kept.extend(inner),
            Skeleton::Or(inner) if !conjunction => kept.extend(inner),
            other => kept.push(other),
        }
    }
    match (kept.len(), conjunction) {
        (0, _) => Skeleton::Constant(conjunction),
        (1, _) => kept.remove(0),
        (_, true) => Skeleton::And(kept),
        (_, false) => Skeleton::Or(kept),
    }
}

/// The parts of a formula, and how they are combined.
pub(crate) fn take_apart(formula: &Formula<String>) -> (Skeleton, Vec<Formula<String>>) {
    let mut parts = Vec::new();
    let skeleton = skeleton(&spread(&formula.positive_normal_form()), &mut parts);
    (skeleton, parts)
}

/// Takes operators over lists of operands inside, where that makes parts smaller.
pub(crate) fn spread(formula: &Formula<String>) -> Formula<String> {
    match formula.node() {
        Node::And(list) => Formula::and(list.iter().map(spread)),
        Node::Or(list) => Formula::or(list.iter().map(spread)),
        Node::Unary(operator @ (Unary::Next | Unary::Globally | Unary::Finally), interval, inner)
            if *interval == Interval::ALWAYS =>
        {
            let inner = spread(inner);
            match (operator, inner.node()) {
                (Unary::Next | Unary::Globally, Node::And(list)) => {
                    Formula::and(list.iter().map(|one| spread(&Formula::unary(*operator, one))))
                }
                (Unary::Next | Unary::Finally, Node::Or(list)) => {
                    Formula::or(list.iter().map(|one| spread(&Formula::unary(*operator, one))))
                }
                // G G and F F say no more than one of them.
                (outer, Node::Unary(second, bounds, _))
                    if outer == second && *outer != Unary::Next && *bounds == Interval::ALWAYS =>
                {
                    inner
                }
                _ => Formula::unary(*operator, &inner),
            }
        }
        Node::Binary(operator @ (Binary::Until | Binary::WeakUntil), interval, left, right)
            if *interval == Interval::ALWAYS =>
        {
            let (left, right) = (spread(left), spread(right));
            match left.node() {
                Node::And(list) => {
                    Formula::and(list.iter().map(|one| Formula::binary(*operator, one, &right)))
                }
                _ => Formula::binary(*operator, &left, &right),
            }
        }
        _ => formula.clone(),
    }
}

fn skeleton(formula: &Formula<String>, parts: &mut Vec<Formula<String>>) -> Skeleton {
    match formula.node() {
        Node::Constant(truth) => Skeleton::Constant(*truth),
        Node::And(list) => joined(operands(list, true, parts).into_iter(), true),
        Node::Or(list) => joined(operands(list, false, parts).into_iter(), false),
        _ => part(formula, parts),
    }
}

/// The operands of a conjunction or disjunction. Those without temporal operators are one part: the first letter decides them together.
fn operands(list: &[Formula<String>], conjunction: bool, parts: &mut Vec<Formula<String>>) -> Vec<Skeleton> {
    let (plain, others): (Vec<_>, Vec<_>) = list.iter().cloned().partition(Formula::is_propositional);
    let mut found: Vec<Skeleton> = others.iter().map(|one| skeleton(one, parts)).collect();
    if !plain.is_empty() {
        let together = if conjunction {
            Formula::and(plain)
        } else {
            Formula::or(plain)
        };
        found.push(part(&together, parts));
    }
    found
}

fn part(formula: &Formula<String>, parts: &mut Vec<Formula<String>>) -> Skeleton {
    let negation = formula.negated_normal_form();
    for (number, known) in parts.iter().enumerate() {
        if known == formula {
            return Skeleton::Part(number as u32, false);
        }
        if *known == negation {
            return Skeleton::Part(number as u32, true);
        }
    }
    parts.push(formula.clone());
    Skeleton::Part(parts.len() as u32 - 1, false)
}
