//! Complementing semi-deterministic Büchi automata: NCSB (Blahoudek, Heizmann, Schewe, Strejček, Tsai 2016).
//!
//! Runs of the first, nondeterministic part are followed as a set `N`: none of them is accepting by staying there. Runs in
//! the deterministic part are either *checked* (`C`) or declared *safe* (`S`): a safe run never sees a mark again. Each
//! run must be declared safe after its last mark; the set `B` of runs that still wait for that is emptied again and again, which is what
//! acceptance asks for. At most `4^n` states, simply exponential where general complementation is not.

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::{Automaton, State};
use crate::decide::emptiness::accepting_component;
use crate::error::Result;
use crate::label::Label;
use crate::numbering::Numbering;
use crate::reduce::components::Components;
use crate::reduce::powerset::split_letters;
use entail_budget::Budget;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Macro {
    first: Vec<State>,
    checked: Vec<State>,
    safe: Vec<State>,
    waiting: Vec<State>,
}

/// The set that a run comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Origin {
    First,
    Checked,
    Safe,
}

/// A step of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Step {
    origin: Origin,
    from: State,
    to: State,
    is_marked: bool,
}

/// More runs than this are not declared safe in all ways.
const MOST_OPEN: usize = 16;

fn sorted(mut states: Vec<State>) -> Vec<State> {
    states.sort_unstable();
    states.dedup();
    states
}

/// The complement of a semi-deterministic Büchi automaton with the mark on edges; nothing above `limit` states.
pub fn ncsb_complement(automaton: &Automaton, limit: usize, budget: &Budget) -> Result<Option<Automaton>> {
    let everything = *automaton.acceptance() == Acceptance::True;
    let second = deterministic_part(automaton);
    let mut result = Automaton::new(automaton.propositions().to_vec(), Acceptance::buchi(), 1)?;
    result.labels = automaton.labels.clone();
    let (deterministic, first): (Vec<State>, Vec<State>) = automaton
        .initial()
        .iter()
        .partition(|state| second[state.index()]);
    let start = Macro {
        first: sorted(first),
        checked: sorted(deterministic),
        safe: Vec::new(),
        waiting: Vec::new(),
    };
    let mut found = Numbering::new();
    let first = found.state(start, &mut result);
    result.add_initial(first);
    let mut at = 0;
    while let Some(current) = found.get(at) {
        budget.check()?;
        if found.len() > limit {
            return Ok(None);
        }
        let mut parts: Vec<(Label, Step)> = Vec::new();
        for (origin, states) in [
            (Origin::First, &current.first),
            (Origin::Checked, &current.checked),
            (Origin::Safe, &current.safe),
        ] {
            for &from in states {
                for edge in automaton.edges(from) {
                    let step = Step {
                        origin,
                        from,
                        to: edge.target,
                        is_marked: everything || !edge.marks.is_empty(),
                    };
                    parts.push((edge.label, step));
                }
            }
        }
        for (label, taken) in split_letters(parts, &mut result.labels) {
            let Some(successors) = successors(&current, &taken, &second) else {
                return Ok(None);
            };
            for next in successors {
                let marks = match next.waiting.is_empty() {
                    true => Marks::one(0),
                    false => Marks::NONE,
                };
                let target = found.state(next, &mut result);
                result.add_edge(State(at as u32), label, target, marks);
            }
        }
        at += 1;
    }
    result.merge_edges();
    Ok(Some(result))
}

/// The states from which on runs are deterministic: those of accepting components, and what they reach.
fn deterministic_part(automaton: &Automaton) -> Vec<bool> {
    let components = Components::of(automaton);
    let mut second = vec![false; automaton.state_count()];
    for component in (0..components.members.len()).rev() {
        let members = &components.members[component];
        if accepting_component(automaton, &components, component)
            || members.iter().any(|state| second[state.index()])
        {
            for state in members {
                second[state.index()] = true;
                for edge in automaton.edges(*state) {
                    second[edge.target.index()] = true;
                }
            }
        }
    }
    second
}

/// What follows a set of runs on a letter: a choice, for each run that is open, whether it is declared safe now. Nothing if there are too many
/// choices.
fn successors(current: &Macro, taken: &[Step], second: &[bool]) -> Option<Vec<Macro>> {
    // A safe run that sees a mark was declared safe too early.
    if taken
        .iter()
        .any(|step| step.origin == Origin::Safe && step.is_marked)
    {
        return Some(Vec::new());
    }
    let targets = |wanted: &dyn Fn(&Step) -> bool| -> Vec<State> {
        sorted(
            taken
                .iter()
                .filter(|step| wanted(step))
                .map(|step| step.to)
                .collect(),
        )
    };
    let first = targets(&|step| !second[step.to.index()]);
    let safe = targets(&|step| step.origin == Origin::Safe);
    let open =
        targets(&|step| step.origin != Origin::Safe && second[step.to.index()] && !safe.contains(&step.to));
    if open.len() > MOST_OPEN {
        return None;
    }
    let reached = targets(&|step| step.origin == Origin::Checked && current.waiting.contains(&step.from));
    let successor = |choice: u32| {
        let (mut checked, mut declared) = (Vec::new(), safe.clone());
        for (position, state) in open.iter().enumerate() {
            if choice >> position & 1 == 1 {
                declared.push(*state);
            } else {
                checked.push(*state);
            }
        }
        let waits = |state: &State| current.waiting.is_empty() || reached.contains(state);
        Macro {
            first: first.clone(),
            waiting: checked.iter().copied().filter(waits).collect(),
            checked,
            safe: sorted(declared),
        }
    };
    Some((0u32..1 << open.len()).map(successor).collect())
}
