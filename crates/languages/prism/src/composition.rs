//! Who synchronises with whom: `system … endsystem` as a list of synchronisations.
//!
//! A process is a list of joint steps, each with a visible action or none. Parallel composition joins steps with the same action where both
//! sides must take part and keeps the others; hiding takes the name away, renaming changes it. Without a `system`, all modules are composed
//! in full.

use crate::ast::SystemAst;
use crate::expression::Parsed;
use entail_markov::{ActionId, Network, Synchronisation};
use entail_source::{Diagnostic, Span};
use std::collections::BTreeSet;

/// A joint step: its parts, by component and action, and its name.
type Joint = (Vec<(usize, ActionId)>, Option<ActionId>);

/// The synchronisations of a network whose components are given, as the system says.
pub(crate) fn synchronisations(
    network: &mut Network,
    system: Option<&SystemAst>,
) -> Parsed<Vec<Synchronisation>> {
    let joints = match system {
        Some(system) => {
            let mut used = BTreeSet::new();
            let joints = process(network, system, &mut used)?;
            if let Some(missing) = (0..network.components.len()).find(|at| !used.contains(at)) {
                let message = format!(
                    "the module {} does not occur in the system",
                    network.components[missing].name
                );
                return Err(Diagnostic::error(
                    "prism::system",
                    message,
                    Span::new(0, 0),
                    "in this model",
                ));
            }
            joints
        }
        None => {
            let leaves: Vec<Vec<Joint>> = (0..network.components.len())
                .map(|at| leaf(network, at))
                .collect();
            leaves
                .into_iter()
                .reduce(|a, b| parallel(a, b, None))
                .unwrap_or_default()
        }
    };
    let synchronisation = |(mut parts, action): Joint| {
        parts.sort_unstable();
        Synchronisation { parts, action }
    };
    Ok(joints.into_iter().map(synchronisation).collect())
}

fn leaf(network: &Network, at: usize) -> Vec<Joint> {
    let mut actions: Vec<ActionId> = Vec::new();
    for command in &network.components[at].commands {
        if let Some(action) = command.action
            && !actions.contains(&action)
        {
            actions.push(action);
        }
    }
    actions
        .into_iter()
        .map(|action| (vec![(at, action)], Some(action)))
        .collect()
}

fn process(network: &mut Network, system: &SystemAst, used: &mut BTreeSet<usize>) -> Parsed<Vec<Joint>> {
    Ok(match system {
        SystemAst::Module(name, span) => {
            let at = network
                .components
                .iter()
                .position(|component| component.name == *name);
            let Some(at) = at else {
                let message = format!("there is no module `{name}`");
                return Err(Diagnostic::error(
                    "prism::system",
                    message,
                    *span,
                    "unknown module",
                ));
            };
            if !used.insert(at) {
                let message = format!("the module {name} occurs twice in the system");
                return Err(Diagnostic::error("prism::system", message, *span, "again here"));
            }
            leaf(network, at)
        }
        SystemAst::Full(operands) => {
            let mut joints: Option<Vec<Joint>> = None;
            for operand in operands {
                let next = process(network, operand, used)?;
                joints = Some(match joints {
                    None => next,
                    Some(before) => parallel(before, next, None),
                });
            }
            joints.unwrap_or_default()
        }
        SystemAst::Interleaved(operands) => {
            let mut joints = Vec::new();
            for operand in operands {
                joints.extend(process(network, operand, used)?);
            }
            joints
        }
        SystemAst::On(names, left, right) => {
            let (left, right) = (process(network, left, used)?, process(network, right, used)?);
            let actions: Vec<ActionId> = names.iter().map(|name| action(network, name)).collect();
            parallel(left, right, Some(&actions))
        }
        SystemAst::Hide(inner, names) => {
            let mut joints = process(network, inner, used)?;
            let hidden: Vec<ActionId> = names.iter().map(|name| action(network, name)).collect();
            for (_, name) in &mut joints {
                if name.is_some_and(|name| hidden.contains(&name)) {
                    *name = None;
                }
            }
            joints
        }
        SystemAst::Rename(inner, pairs) => {
            let mut joints = process(network, inner, used)?;
            let pairs: Vec<(ActionId, ActionId)> = pairs
                .iter()
                .map(|(old, new)| (action(network, old), action(network, new)))
                .collect();
            for (_, name) in &mut joints {
                if let Some((_, new)) = pairs.iter().find(|(old, _)| Some(*old) == *name) {
                    *name = Some(*new);
                }
            }
            joints
        }
    })
}

fn action(network: &mut Network, name: &str) -> ActionId {
    let at = network
        .actions
        .iter()
        .position(|known| known == name)
        .unwrap_or_else(|| {
            network.actions.push(name.to_owned());
            network.actions.len() - 1
        });
    ActionId(at as u32)
}

/// Both sides together: on the actions given, or on those that both have.
fn parallel(left: Vec<Joint>, right: Vec<Joint>, on: Option<&[ActionId]>) -> Vec<Joint> {
    let common = |action: Option<ActionId>| match (action, on) {
        (None, _) => false,
        (Some(action), Some(on)) => on.contains(&action),
        (Some(_), None) => {
            let has = |side: &[Joint]| side.iter().any(|(_, name)| *name == action);
            has(&left) && has(&right)
        }
    };
    let mut joints: Vec<Joint> = Vec::new();
    for (parts, name) in &left {
        if !common(*name) {
            joints.push((parts.clone(), *name));
            continue;
        }
        for (others, _) in right.iter().filter(|(_, other)| other == name) {
            joints.push(([parts.as_slice(), others.as_slice()].concat(), *name));
        }
    }
    joints.extend(right.iter().filter(|(_, name)| !common(*name)).cloned());
    joints
}
