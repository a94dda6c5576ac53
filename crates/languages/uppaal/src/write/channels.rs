//! Synchronisations as channels.
//!
//! A receiver of a broadcast takes part if one of its guards holds, a weak partner wherever it has an edge. That one of several guards always holds is shown by trying all truth values of the comparisons in them.

use super::memory::Names;
use super::{MOST_ATOMS, Signals};
use entail_clocks::{Binary, Comparison, Condition, EdgeId, Expression, Network, Synchronisation};

/// The edges of an event that leave locations of a process.
fn offering(network: &Network, process: usize, event: usize) -> impl Iterator<Item = EdgeId> + '_ {
    let all = network.edges.iter().enumerate();
    let own = all.filter(move |(_, edge)| edge.process == process && edge.event == event);
    own.map(|(number, _)| number)
}

/// The channel of a synchronisation.
pub(super) fn channel(
    network: &Network,
    synchronisation: &Synchronisation,
    names: &mut Names,
    channels: &mut Vec<(String, bool)>,
    signals: &mut Signals,
) -> Result<(), String> {
    let partners = &synchronisation.partners;
    let text = || {
        let one = |partner: &entail_clocks::Synchroniser| {
            let (process, event) = (
                &network.processes[partner.process].name,
                &network.events[partner.event],
            );
            format!("{process}@{event}{}", if partner.weak { "?" } else { "" })
        };
        partners.iter().map(one).collect::<Vec<_>>().join(":")
    };
    let refused = |reason: &str| Err(format!("sync:{}: {reason}", text()));
    let Some((first, others)) = partners.split_first() else {
        return Ok(());
    };
    let is_broadcast = others.iter().all(|partner| partner.weak);
    if first.weak || !is_broadcast && others.len() > 1 {
        return refused("in UPPAAL two processes move together, or one with all that can hear it");
    }
    if is_broadcast && others.windows(2).any(|pair| pair[0].process > pair[1].process) {
        return refused("receivers of a broadcast run their statements in the order of the processes");
    }
    if is_broadcast {
        for partner in others {
            for &location in &network.processes[partner.process].locations {
                let edges = offering(network, partner.process, partner.event);
                let own: Vec<EdgeId> = edges
                    .filter(|&edge| network.edges[edge].source == location)
                    .collect();
                let guards: Vec<&[Condition]> = own
                    .iter()
                    .map(|&edge| network.edges[edge].guard.as_slice())
                    .collect();
                if !own.is_empty() && !always(&guards) {
                    let process = &network.processes[partner.process].name;
                    let location = &network.locations[location].name;
                    return refused(&format!(
                        "a weak partner that cannot move prevents the step, and a receiver of a broadcast does not ({process}.{location})"
                    ));
                }
            }
        }
    }
    let number = channels.len();
    channels.push((names.fresh(&network.events[first.event]), is_broadcast));
    for (position, partner) in partners.iter().enumerate() {
        for edge in offering(network, partner.process, partner.event) {
            signals.entry(edge).or_default().push((number, position == 0));
        }
    }
    Ok(())
}

/// Whether one of several guards holds, whatever the values are. Comparisons are tried as if they had nothing to do with each other, so a yes is right.
fn always(guards: &[&[Condition]]) -> bool {
    let mut atoms: Vec<String> = Vec::new();
    let mut clauses: Vec<Vec<(usize, bool)>> = Vec::new();
    for guard in guards {
        let mut clause = Vec::new();
        for condition in *guard {
            let Some(parts) = literals(condition) else {
                return false;
            };
            for (atom, wanted) in parts {
                let known = atoms.iter().position(|one| *one == atom);
                let number = known.unwrap_or_else(|| {
                    atoms.push(atom);
                    atoms.len() - 1
                });
                clause.push((number, wanted));
            }
        }
        clauses.push(clause);
    }
    if atoms.len() > MOST_ATOMS {
        return clauses.iter().any(Vec::is_empty);
    }
    (0..1u32 << atoms.len()).all(|truth| {
        let holds = |clause: &Vec<(usize, bool)>| {
            clause
                .iter()
                .all(|&(atom, wanted)| (truth >> atom & 1 == 1) == wanted)
        };
        clauses.iter().any(holds)
    })
}

/// A conjunct as comparisons that hold or do not: `<=` and `<` are kept, the others are their opposites.
fn literals(condition: &Condition) -> Option<Vec<(String, bool)>> {
    let compared = |what: String, comparison: Comparison| {
        let less = |sign: &str| format!("{what} {sign}");
        Some(match comparison {
            Comparison::Less => vec![(less("<"), true)],
            Comparison::LessEqual => vec![(less("<="), true)],
            Comparison::Greater => vec![(less("<="), false)],
            Comparison::GreaterEqual => vec![(less("<"), false)],
            Comparison::Equal => vec![(less("<="), true), (less("<"), false)],
            Comparison::Different => return None,
        })
    };
    match condition {
        Condition::Clock {
            left,
            right,
            comparison,
            bound,
        } => compared(format!("{left:?} {right:?} {bound:?}"), *comparison),
        Condition::When(..) => None,
        Condition::Integer(expression) => {
            let (mut inner, mut wanted) = (expression, true);
            while let Expression::Not(deeper) = inner {
                (inner, wanted) = (deeper, !wanted);
            }
            let (atom, wanted) = match inner {
                Expression::Binary(Binary::Compare(comparison), left, right) => {
                    let what = |sign: &str| format!("{left:?} {right:?} {sign}");
                    match comparison {
                        Comparison::Less => (what("<"), wanted),
                        Comparison::LessEqual => (what("<="), wanted),
                        Comparison::Greater => (what("<="), !wanted),
                        Comparison::GreaterEqual => (what("<"), !wanted),
                        Comparison::Equal => (what("=="), wanted),
                        Comparison::Different => (what("=="), !wanted),
                    }
                }
                other => (format!("{other:?}"), wanted),
            };
            Some(vec![(atom, wanted)])
        }
    }
}
