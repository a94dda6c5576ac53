//! States behind which nothing matters, not explored.
//!
//! The value of `stay U goal` is settled where the goal is reached or the way is left, and a reward until a goal is settled at the goal. If a
//! property asks for one such value in the initial states, the states behind may be left out: no command is enabled where the value is settled.
//! A mistake of the model behind these states is not found, so this is done only where the whole model is too large.

use entail_markov::{Bounds, DeadEnds, Expr, Network, Path, Property, RewardKind};

/// The network without what lies behind states that settle a property; nothing if the property does not say which these are.
pub fn without_aftermath(network: &Network, property: &Property) -> Option<Network> {
    // Where time must not stop, a state without commands is a mistake of the model.
    if network.dead_ends != DeadEnds::Stay {
        return None;
    }
    let settled = match property {
        Property::Probability { path, .. } => settled_by(path)?,
        Property::Reward {
            kind: RewardKind::Reach(Path::Finally(goal, None)),
            ..
        } => expression(goal)?,
        _ => return None,
    };
    let going_on = settled.negated();
    let mut network = network.clone();
    for command in network
        .components
        .iter_mut()
        .flat_map(|component| &mut component.commands)
    {
        // In this order an error in a guard stays one where it was.
        command.guard = std::mem::replace(&mut command.guard, Expr::truth()).and(going_on.clone());
    }
    Some(network)
}

/// The states in which it is known whether a path fulfils a formula.
fn settled_by(path: &Path) -> Option<Expr> {
    // With a lower bound on the time a goal that is reached early may have to be left and reached again.
    let at_once = |bounds: &Option<Bounds>| bounds.as_ref().is_none_or(|bounds| bounds.lower.is_none());
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
