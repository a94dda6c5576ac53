//! The expressions inside of a property, in the order in which they are written.

use crate::expr::Expr;
use crate::property::{Path, Property, RewardKind};

impl Property {
    /// Visits every expression.
    pub fn for_each_expression(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match self {
            Property::Expr(expr) => visit(expr),
            Property::Init | Property::Deadlock | Property::Unexplored => {}
            Property::Unary(_, inner) | Property::Robust(inner) => inner.for_each_expression(visit),
            Property::Binary(_, left, right) => {
                left.for_each_expression(visit);
                right.for_each_expression(visit);
            }
            Property::If(condition, yes, no) => {
                for part in [condition, yes, no] {
                    part.for_each_expression(visit);
                }
            }
            Property::Probability { path, .. } | Property::Exists(path) | Property::ForAll(path) => {
                path.for_each_expression(visit);
            }
            Property::Reward { kind, .. } => {
                if let RewardKind::Reach(path) = kind {
                    path.for_each_expression(visit);
                }
            }
            Property::SteadyState { states, .. } => states.for_each_expression(visit),
            Property::Filter { property, states, .. } => {
                property.for_each_expression(visit);
                states.for_each_expression(visit);
            }
            Property::Multi(parts) | Property::Lexicographic(parts) => {
                parts.iter_mut().for_each(|part| part.for_each_expression(visit));
            }
            Property::Quantile { property, .. } => property.for_each_expression(visit),
            Property::Conditional {
                event, condition, ..
            } => {
                event.for_each_expression(visit);
                condition.for_each_expression(visit);
            }
        }
    }
}

impl Path {
    /// Visits every expression.
    pub fn for_each_expression(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match self {
            Path::State(states) => states.for_each_expression(visit),
            Path::Not(inner) | Path::Next(inner) | Path::Finally(inner, _) | Path::Globally(inner, _) => {
                inner.for_each_expression(visit);
            }
            Path::And(a, b) | Path::Or(a, b) | Path::Implies(a, b) | Path::Iff(a, b) => {
                a.for_each_expression(visit);
                b.for_each_expression(visit);
            }
            Path::Until(a, b, _) | Path::WeakUntil(a, b, _) | Path::Release(a, b, _) => {
                a.for_each_expression(visit);
                b.for_each_expression(visit);
            }
        }
    }
}
