//! States behind which nothing matters: where the value of a property is settled.
//!
//! The value of `stay U goal` is settled where the goal is reached or the way is left, and a reward until a goal is settled at the goal. If a
//! property asks for one such value in the initial states, the states behind need not be explored.
//! A mistake of the model behind these states is not found, so this is done only where the whole model is too large.

use entail_markov::{Bounds, Expr, Path, Property, RewardKind};

/// The states in which the value of a property is settled; nothing if the property does not say which these are.
pub fn settled(property: &Property) -> Option<Expr> {
    match property {
        Property::Probability { path, .. } => settled_by(path),
        Property::Reward {
            kind: RewardKind::Reach(Path::Finally(goal, None)),
            ..
        } => expression(goal),
        _ => None,
    }
}

/// The states in which it is known whether a path fulfils a formula.
fn settled_by(path: &Path) -> Option<Expr> {
    // With a lower bound on the time a goal that is reached early may have to be left and reached again.
    let at_once = |bounds: &Option<Bounds>| !bounds.as_ref().is_some_and(Bounds::has_lower);
    match path {
        Path::Finally(goal, bounds) if at_once(bounds) => expression(goal),
        Path::Until(stay, goal, bounds) if at_once(bounds) => {
            Some(expression(goal)?.or(expression(stay)?.negated()))
        }
        Path::Globally(stay, bounds) if at_once(bounds) => Some(expression(stay)?.negated()),
        _ => None,
    }
}

/// The expression that describes some states.
fn expression(path: &Path) -> Option<Expr> {
    match path.as_state()? {
        Property::Expr(expr) => Some(expr.clone()),
        _ => None,
    }
}
