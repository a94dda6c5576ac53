//! Parity conditions: the four conventions, and fewer priorities.
//!
//! Inside this library a parity automaton is *max even*: the largest mark seen infinitely often decides and even is good.
//! Conversions renumber the marks; where the number of priorities has the wrong parity one is left unused. Priorities that
//! no component needs are squeezed out (Carton and Maceiras) component by component.

use crate::acceptance::{Acceptance, Extreme, Kind, Marks, Winner};
use crate::automaton::Automaton;
use crate::error::{AutomataError, Result};
use crate::reduce::components::Components;

/// The priority of an edge's marks under a convention: the extreme one, if any.
fn priority(marks: Marks, extreme: Extreme) -> Option<u32> {
    match extreme {
        _ if marks.is_empty() => None,
        Extreme::Max => Some(63 - marks.0.leading_zeros()),
        Extreme::Min => Some(marks.0.trailing_zeros()),
    }
}

/// Brings any parity condition into max even with exactly one mark on each edge and few priorities.
pub fn normalise_parity(automaton: &mut Automaton) -> Result<()> {
    let kind = automaton.kind();
    let shape = automaton.acceptance.as_parity(automaton.mark_count);
    let (extreme, winner, count) = match (kind, shape) {
        (Kind::Buchi | Kind::CoBuchi | Kind::All | Kind::None, _) => (Extreme::Max, Winner::Even, 0),
        (_, Some(shape)) => shape,
        _ => return Err(AutomataError::NotApplicable("not a parity condition")),
    };
    for edge in automaton.edges.iter_mut().flatten() {
        let value = match kind {
            Kind::All => 0,
            Kind::None => 1,
            Kind::Buchi => {
                if edge.marks.has(0) {
                    2
                } else {
                    1
                }
            }
            Kind::CoBuchi => {
                if edge.marks.has(0) {
                    1
                } else {
                    0
                }
            }
            _ => {
                let good = |p: u32| (p % 2 == 1) == (winner == Winner::Odd);
                match (priority(edge.marks.common(Marks::first(count)), extreme), extreme) {
                    // Without a mark: as if one more, least important priority were seen.
                    (None, Extreme::Max) => u32::from(!(winner == Winner::Odd)),
                    (None, Extreme::Min) => u32::from(good(count - 1)),
                    (Some(p), Extreme::Max) => p + 2 + u32::from((p % 2 == 0) != good(p)),
                    (Some(p), Extreme::Min) => {
                        let up = count - p;
                        up + 1 + u32::from(((up + 1).is_multiple_of(2)) != good(p))
                    }
                }
            }
        };
        edge.marks = Marks(
            1u64.checked_shl(value)
                .ok_or(AutomataError::TooManyMarks(value as usize))?,
        );
    }
    let top = automaton
        .edges
        .iter()
        .flatten()
        .map(|edge| edge.marks.0.trailing_zeros())
        .max()
        .unwrap_or(0);
    automaton.acceptance = Acceptance::parity(Extreme::Max, Winner::Even, top + 1);
    automaton.mark_count = top + 1;
    squeeze(automaton);
    Ok(())
}

/// Lowers priorities as far as the cycles allow: afterwards each is the least possible of its parity.
fn squeeze(automaton: &mut Automaton) {
    let mut lowered: Vec<Vec<u32>> = automaton.edges.iter().map(|list| vec![0; list.len()]).collect();
    let all: Vec<_> = automaton.states().collect();
    let mut alive: Vec<Vec<bool>> = automaton
        .edges
        .iter()
        .map(|list| vec![true; list.len()])
        .collect();
    lower(automaton, &all, &mut alive, &mut lowered);
    for (list, values) in automaton.edges.iter_mut().zip(&lowered) {
        for (edge, value) in list.iter_mut().zip(values) {
            edge.marks = Marks::one(*value);
        }
    }
    let top = lowered.iter().flatten().copied().max().unwrap_or(0);
    automaton.acceptance = Acceptance::parity(Extreme::Max, Winner::Even, top + 1);
    automaton.mark_count = top + 1;
    automaton.merge_edges();
}

/// Assigns priorities to the living edges among `states`; returns the largest needed.
fn lower(
    automaton: &Automaton,
    states: &[crate::automaton::State],
    alive: &mut Vec<Vec<bool>>,
    lowered: &mut Vec<Vec<u32>>,
) -> u32 {
    let position = |edge: &crate::automaton::Edge, source: crate::automaton::State| {
        automaton
            .edges(source)
            .iter()
            .position(|other| std::ptr::eq(other, edge))
            .expect("the edge is in its source's list")
    };
    let mut inside = vec![false; automaton.state_count()];
    for state in states {
        inside[state.index()] = true;
    }
    let components = Components::within(automaton, states, |source, edge| {
        inside[edge.target.index()] && alive[source.index()][position(edge, source)]
    });
    let mut most = 0;
    for members in &components.members {
        let mut top: Option<u32> = None;
        let mut inner = Vec::new();
        for &state in members {
            for (at, edge) in automaton.edges(state).iter().enumerate() {
                if alive[state.index()][at] && inside[edge.target.index()] && components.inner(state, edge) {
                    let value = edge.marks.0.trailing_zeros();
                    top = Some(top.map_or(value, |known| known.max(value)));
                    inner.push((state, at, value));
                }
            }
        }
        let Some(top) = top else { continue };
        for &(state, at, value) in &inner {
            if value == top {
                alive[state.index()][at] = false;
            }
        }
        let below = lower(automaton, members, alive, lowered);
        // The least number of the top's parity that is not below what is needed underneath.
        let value = if below % 2 == top % 2 { below } else { below + 1 };
        for (state, at, own) in inner {
            if own == top {
                lowered[state.index()][at] = value;
            }
        }
        most = most.max(value);
    }
    most
}

/// The same automaton under another parity convention.
pub fn to_convention(automaton: &Automaton, extreme: Extreme, winner: Winner) -> Result<Automaton> {
    let mut result = automaton.clone();
    normalise_parity(&mut result)?;
    let top = result.mark_count - 1;
    let highest = top + 2;
    for edge in result.edges.iter_mut().flatten() {
        let p = edge.marks.0.trailing_zeros();
        let moved = match (extreme, winner) {
            (Extreme::Max, Winner::Even) => p,
            (Extreme::Max, Winner::Odd) => p + 1,
            // Turn the order around, keeping or changing the parity.
            (Extreme::Min, Winner::Even) => (highest - highest % 2) - p,
            (Extreme::Min, Winner::Odd) => (highest - highest % 2) + 1 - p,
        };
        edge.marks = Marks(
            1u64.checked_shl(moved)
                .ok_or(AutomataError::TooManyMarks(moved as usize))?,
        );
    }
    let count = result
        .edges
        .iter()
        .flatten()
        .map(|edge| edge.marks.0.trailing_zeros() + 1)
        .max()
        .unwrap_or(1);
    result.acceptance = Acceptance::parity(extreme, winner, count);
    result.mark_count = count;
    Ok(result)
}

/// The same automaton with a Rabin condition: a pair for each good priority.
pub fn parity_to_rabin(automaton: &Automaton) -> Result<Automaton> {
    pairs(automaton, true)
}

/// The same automaton with a Streett condition: a pair for each bad priority.
pub fn parity_to_streett(automaton: &Automaton) -> Result<Automaton> {
    pairs(automaton, false)
}

fn pairs(automaton: &Automaton, rabin: bool) -> Result<Automaton> {
    let mut result = automaton.clone();
    normalise_parity(&mut result)?;
    let top = result.mark_count - 1;
    // Rabin: for a good priority g, nothing larger finitely often and g infinitely often.
    // Streett: for a bad priority b, it occurs finitely often or something larger infinitely often.
    let decisive: Vec<u32> = (0..=top).filter(|p| (p % 2 == 0) == rabin).collect();
    let count = 2 * decisive.len() as u32;
    if count > 64 {
        return Err(AutomataError::TooManyMarks(count as usize));
    }
    for edge in result.edges.iter_mut().flatten() {
        let p = edge.marks.0.trailing_zeros();
        edge.marks = decisive
            .iter()
            .enumerate()
            .fold(Marks::NONE, |all, (position, &own)| {
                let pair = 2 * position as u32;
                let (fin, inf) = if rabin {
                    (p > own, p == own)
                } else {
                    (p == own, p > own)
                };
                let all = if fin { all.with(Marks::one(pair)) } else { all };
                if inf { all.with(Marks::one(pair + 1)) } else { all }
            });
    }
    let number = decisive.len() as u32;
    result.acceptance = if rabin {
        Acceptance::rabin(number)
    } else {
        Acceptance::streett(number)
    };
    result.mark_count = count;
    Ok(result)
}
