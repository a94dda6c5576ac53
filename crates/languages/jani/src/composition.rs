//! How automata are put together: which take part, under which names, and which of their actions happen together.

use crate::edges::hand_over;
use crate::json::{Json, Node, Read};
use entail_markov::{ActionId, Network, Synchronisation};

/// An automaton that takes part.
pub(crate) struct Element<'j> {
    pub automaton: &'j Json,
    /// A name of its own, also for copies.
    pub name: String,
}

/// The automata that are composed, copies with names of their own.
pub(crate) fn elements(model: &Json) -> Read<Vec<Element<'_>>> {
    let automata = model.need("automata")?.list()?;
    let mut found: Vec<Element<'_>> = Vec::new();
    for element in model.need("system")?.need("elements")?.list()? {
        let wanted = element.need("automaton")?;
        let name = wanted.text()?;
        if !element.elements("input-enable")?.is_empty() {
            return Err(element.refused("input-enabling is"));
        }
        let mut chosen = None;
        for automaton in automata {
            if automaton.name()? == name {
                chosen = Some(automaton);
            }
        }
        let automaton = chosen.ok_or_else(|| wanted.wrong("the name of an automaton"))?;
        let copies = found
            .iter()
            .filter(|other| other.name == name || other.name.starts_with(&format!("{name}#")))
            .count();
        found.push(Element {
            automaton,
            name: if copies == 0 {
                name.to_owned()
            } else {
                format!("{name}#{copies}")
            },
        });
    }
    Ok(found)
}

/// The number of an action, a new one if it is new.
pub(crate) fn action_id(network: &mut Network, name: &str) -> ActionId {
    let known = network.actions.iter().position(|known| known == name);
    let at = known.unwrap_or_else(|| {
        network.actions.push(name.to_owned());
        network.actions.len() - 1
    });
    ActionId(at as u32)
}

/// The synchronisation vectors; without them every automaton acts for itself.
pub(crate) fn synchronisations(
    model: &Json,
    elements: &[Element<'_>],
    network: &mut Network,
) -> Read<Vec<Synchronisation>> {
    let mut found = Vec::new();
    let Some(syncs) = model.need("system")?.get("syncs") else {
        for (at, component) in network.components.iter().enumerate() {
            let mut seen = Vec::new();
            for action in component.commands.iter().filter_map(|command| command.action) {
                if !seen.contains(&action) {
                    seen.push(action);
                    found.push(Synchronisation {
                        parts: vec![(at, action)],
                        action: Some(action),
                    });
                }
            }
        }
        return Ok(found);
    };
    for sync in syncs.list()? {
        let names = sync.need("synchronise")?.list()?;
        if names.len() != elements.len() {
            return Err(sync.wrong("one action for each element of the system"));
        }
        let mut parts = Vec::new();
        for (at, name) in names.iter().enumerate() {
            if name.node != Node::Null {
                parts.push((at, action_id(network, name.text()?)));
            }
        }
        let action = match sync.get("result") {
            Some(result) if result.node != Node::Null => Some(action_id(network, result.text()?)),
            _ => None,
        };
        found.push(Synchronisation { parts, action });
    }
    Ok(found)
}

/// The edges of each automaton that takes part in a synchronisation.
pub(crate) fn taken_together<'j>(
    elements: &[Element<'j>],
    parts: &[(usize, ActionId)],
    network: &Network,
) -> Read<Vec<Vec<&'j Json>>> {
    let mut found = Vec::new();
    for &(at, action) in parts {
        let name = &network.actions[action.0 as usize];
        let edges = elements[at].automaton.need("edges")?.list()?.iter();
        let takes_part = |edge: &&Json| {
            let own = edge.get("action").and_then(|own| own.text().ok());
            own == Some(name.as_str())
        };
        found.push(edges.filter(takes_part).collect());
    }
    Ok(found)
}

/// Whether some automaton reads what another one assigns earlier in the same step.
pub(crate) fn hands_over(edges: &[Vec<&Json>], globals: &[&str]) -> Read<bool> {
    for (writer, writing) in edges.iter().enumerate() {
        for (reader, reading) in edges.iter().enumerate() {
            if writer != reader && hand_over(writing, reading, globals)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// One of each list, in all ways.
pub(crate) fn in_all_ways<'j>(lists: &[Vec<&'j Json>]) -> Vec<Vec<&'j Json>> {
    let mut found: Vec<Vec<&Json>> = vec![Vec::new()];
    for list in lists {
        found = (found.iter())
            .flat_map(|so_far| list.iter().map(|&one| [so_far.as_slice(), &[one]].concat()))
            .collect();
    }
    found
}
