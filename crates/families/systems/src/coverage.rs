//! What the reachable states and steps of a small model never do.
//!
//! - *Values*: a variable with few values is covered if each of them occurs in some state. What no state has is often a typing mistake in a guard, or a mode
//!   that nothing ever enters.
//! - *Branches* of `case`s: one is taken if in some step its condition is true and none before it is. A branch of a module with several instances is reached if one of
//!   them takes it; one of an initial value, if an initial state does.
//! - *Transitions*: where a condition of the transition relation is a disjunction of steps, each of them.
//!
//! All of them are decided by the checker's own enumeration of states and steps.

use crate::model::SystemModel;
use entail_budget::Budget;
use entail_family::{Coverage, Model, Part, PartKind};
use entail_model::{Op, TermId, TransitionSystem, Valuation, evaluate_bool};
use entail_smv::print_term;
use entail_source::{Source, Span};
use entail_systems_checker::{CheckLimits, NotRechecked, Reached, reached};
use std::collections::{BTreeMap, BTreeSet};

/// Variables with more values are not looked at.
const MOST_VALUES: u64 = 64;
/// Input values enumerated in a state.
const MOST_INPUTS: u64 = 1 << 12;
/// Longer texts of transitions and branches are cut.
const LONGEST: usize = 80;

/// The coverage of a model with at most so many states, or why it is not known.
pub(crate) fn coverage(model: &SystemModel, most_states: usize, budget: &Budget) -> Coverage {
    let limits = CheckLimits {
        states: most_states,
        steps: most_states.saturating_mul(20),
        values: MOST_INPUTS,
    };
    let system = model.system();
    let transitions = transitions(system);
    let branches = &model.content.branches;
    let mut conditions: Vec<TermId> = branches.iter().map(|branch| branch.condition).collect();
    conditions.extend(&transitions);
    let found = match reached(system, &conditions, limits, budget) {
        Ok(found) => found,
        Err(NotRechecked::TooLarge(why)) => return Coverage::unknown(why.to_string()),
        Err(why) => return Coverage::unknown(why.to_string()),
    };
    let mut coverage = Coverage {
        states: Ok(found.states.len() as u64),
        parts: 0,
        unreached: Vec::new(),
        proofs: None,
    };
    let (met_branches, met_transitions) = found.met.split_at(branches.len());
    add_branches(model, met_branches, &found, &mut coverage);
    for (term, met) in transitions.iter().zip(met_transitions) {
        coverage.parts += 1;
        if !met {
            coverage.unreached.push(Part {
                kind: PartKind::Transition,
                of: String::new(),
                place: None,
                text: clipped(&print_term(system, *term)),
            });
        }
    }
    add_values(model, &found, &mut coverage);
    coverage
}

/// The steps that conditions of the transition relation are disjunctions of: each speaks of what comes next.
fn transitions(system: &TransitionSystem) -> Vec<TermId> {
    let terms = &system.terms;
    let looks_ahead = |term: &TermId| !terms.support(&[*term]).1.is_empty();
    let disjunctions = (system.transition.iter())
        .filter(|&&conjunct| matches!(terms.op(conjunct), Op::Or))
        .map(|&conjunct| terms.operands(conjunct))
        .filter(|parts| parts.iter().all(looks_ahead));
    disjunctions.flatten().copied().collect()
}

fn add_branches(model: &SystemModel, met: &[bool], found: &Reached, coverage: &mut Coverage) {
    let system = model.system();
    // By place: those of several instances of a module stand at the same.
    let mut taken: BTreeMap<Span, bool> = BTreeMap::new();
    for (branch, met) in model.content.branches.iter().zip(met) {
        let is_taken = match branch.is_initial {
            false => *met,
            true => found.states[..found.initial].iter().any(|state| {
                evaluate_bool(&system.terms, branch.condition, Valuation::state(state)).unwrap_or(true)
            }),
        };
        *taken.entry(branch.place).or_default() |= is_taken;
    }
    for (place, is_taken) in taken {
        coverage.parts += 1;
        if !is_taken {
            coverage.unreached.push(branch_at(model.source(), place));
        }
    }
}

fn branch_at(source: &Source, place: Span) -> Part {
    Part {
        kind: PartKind::Branch,
        of: String::new(),
        place: Some((None, source.place(place.start).line)),
        text: clipped(source.slice(place)),
    }
}

fn add_values(model: &SystemModel, found: &Reached, coverage: &mut Coverage) {
    let system = model.system();
    let dress = &model.content.dress;
    for id in system.state_variables() {
        let variable = system.variable(id);
        if variable.sort.size().is_none_or(|size| size > MOST_VALUES) || !dress.is_own(&variable.name) {
            continue;
        }
        let values = found.states.iter();
        let values = values.filter_map(|state| state[id.index()].as_ref());
        let seen: BTreeSet<String> = values.map(ToString::to_string).collect();
        for value in variable.sort.values() {
            coverage.parts += 1;
            if !seen.contains(&value.to_string()) {
                coverage.unreached.push(Part {
                    kind: PartKind::Value,
                    of: variable.name.to_string(),
                    place: dress.line(&variable.name).map(|line| (None, line)),
                    text: format!("{} = {}", variable.name, dress.text(&value)),
                });
            }
        }
    }
}

/// A text on one line, not too long.
fn clipped(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
