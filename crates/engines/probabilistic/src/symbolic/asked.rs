//! What a property asks of decision diagrams: one operator over sets of states without inner operators.

use crate::check::{Trouble, effective};
use entail_markov::{
    BinaryOp, Bounds, Comparison, Kind, Optimum, Path, Property, Query, RewardKind, Threshold, UnaryOp,
};

/// A property that diagrams can answer.
pub(super) enum Asked<'n> {
    /// An operator over sets of states.
    Probability(Optimum, &'n Path),
    /// The reward until a set of states, by a structure.
    Reward(Optimum, &'n Path, usize),
    /// The reward over a time, at a time, for ever, or in the long run, by a structure.
    Earned(Optimum, usize, &'n RewardKind),
    /// The share of time in a set of states, in the long run.
    LongRun(Optimum, &'n Property),
}

/// What a property asks, if diagrams can answer it.
pub(super) fn asked_by<'n>(kind: Kind, property: &'n Property) -> Result<(Query, Asked<'n>), Trouble> {
    match property {
        Property::Probability { optimum, query, path } => {
            match path {
                Path::Finally(set, bounds) | Path::Globally(set, bounds) => {
                    is_set(set)?;
                    are_counted(kind, bounds.as_ref())?;
                }
                Path::Until(left, right, bounds)
                | Path::WeakUntil(left, right, bounds)
                | Path::Release(left, right, bounds) => {
                    is_set(left)?;
                    is_set(right)?;
                    are_counted(kind, bounds.as_ref())?;
                }
                Path::Next(set) => is_set(set)?,
                _ => return Err(unsupported("this path formula")),
            }
            Ok((
                query.clone(),
                Asked::Probability(effective(*optimum, query), path),
            ))
        }
        Property::Reward {
            optimum,
            query,
            structure,
            kind: over,
        } => {
            let optimum = effective(*optimum, query);
            let asked = match over {
                RewardKind::Reach(path @ Path::Finally(goal, None)) => {
                    is_set(goal)?;
                    Asked::Reward(optimum, path, *structure)
                }
                RewardKind::Reach(_) => return Err(unsupported("rewards until a path formula")),
                over => Asked::Earned(optimum, *structure, over),
            };
            Ok((query.clone(), asked))
        }
        Property::SteadyState {
            optimum,
            query,
            states,
        } => {
            if !is_plain(states) {
                return Err(unsupported("nested operators"));
            }
            let asked = Asked::LongRun(effective(*optimum, query), states);
            Ok((query.clone(), asked))
        }
        // A number compared with a constant, as JANI writes bounds.
        Property::Binary(op, left, right) => {
            let comparison = match op {
                BinaryOp::Lt => Comparison::Lt,
                BinaryOp::Le => Comparison::Le,
                BinaryOp::Gt => Comparison::Gt,
                BinaryOp::Ge => Comparison::Ge,
                _ => return Err(unsupported("this operator")),
            };
            let bound = match &**right {
                Property::Expr(expr) => expr.constant().and_then(|value| value.number()),
                _ => None,
            };
            let ((Query::Value, asked), Some(bound)) = (asked_by(kind, left)?, bound) else {
                return Err(unsupported("this comparison"));
            };
            Ok((Query::Compare(Threshold { comparison, bound }), asked))
        }
        _ => Err(unsupported("this property")),
    }
}

/// Refuses bounds other than those on time, or on a number of steps that has an end.
fn are_counted(kind: Kind, bounds: Option<&Bounds>) -> Result<(), Trouble> {
    match bounds {
        Some(bounds) if !bounds.is_time() => Err(unsupported("bounds on rewards")),
        Some(bounds) if !kind.is_timed() && bounds.upper.is_none() => {
            Err(unsupported("a least number of steps without a greatest one"))
        }
        _ => Ok(()),
    }
}

/// Whether a property is about states, without operators of probability.
fn is_plain(property: &Property) -> bool {
    match property {
        Property::Expr(_) | Property::Init | Property::Deadlock => true,
        Property::Unary(UnaryOp::Not, operand) => is_plain(operand),
        Property::Binary(_, left, right) => is_plain(left) && is_plain(right),
        _ => false,
    }
}

/// Refuses path formulas that are not about sets of states without operators of probability.
fn is_set(path: &Path) -> Result<(), Trouble> {
    match path.as_state() {
        Some(states) if is_plain(states) => Ok(()),
        Some(_) => Err(unsupported("nested operators")),
        None => Err(unsupported("a path formula with several operators")),
    }
}

pub(super) fn unsupported(what: &str) -> Trouble {
    Trouble::Unsupported(format!(
        "{what}: not supported by --engine symbolic, use --engine sparse"
    ))
}
