//! Any automaton under another acceptance condition.
//!
//! | goal | way | states |
//! |---|---|---|
//! | generalized Büchi | guess a disjunct of the condition ([`remove_fin`](crate::algebra::remove_fin)) | `n (1 + d)` |
//! | Büchi | the same, then levels | `n (1 + d) k` |
//! | co-Büchi | typeness of the deterministic parity automaton; an error if the language is not co-Büchi recognisable | |
//! | parity | Zielonka tree | `n` times its leaves |
//! | Rabin, Streett | the condition alone where the kind allows, else a pair for each priority of the parity automaton | |
//! | Muller | the accepting sets of marks, one by one | `n` |
//!
//! Determinism is kept wherever the way allows (all but the first two). Conditions that another shape expresses over the
//! same marks (chapter 4, §4.3.1.1) change nothing but the condition.

use crate::acceptance::{Acceptance, Kind, Marks};
use crate::algebra::parity::{parity_to_rabin, parity_to_streett};
use crate::algebra::remove_fin::to_generalized_buchi;
use crate::algebra::typeness::deterministic_co_buchi;
use crate::algebra::zielonka::to_parity;
use crate::automaton::Automaton;
use crate::error::{AutomataError, Result};
use crate::reduce::degeneralize::{Placement, degeneralize};
use entail_budget::Budget;

/// An acceptance condition to aim for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Several marks, all infinitely often.
    GeneralizedBuchi,
    /// One mark infinitely often.
    Buchi,
    /// One mark finitely often.
    CoBuchi,
    /// Priorities, max even.
    Parity,
    /// Pairs, one of which is satisfied.
    Rabin,
    /// Pairs, all of which are satisfied.
    Streett,
    /// Exactly one of some sets of marks infinitely often.
    Muller,
}

/// Muller conditions list sets of marks: more marks than this are not tried.
const MOST_MULLER_MARKS: u32 = 12;

/// An equivalent automaton with the acceptance asked for.
pub fn convert(automaton: &Automaton, goal: Goal, budget: &Budget) -> Result<Automaton> {
    match goal {
        Goal::GeneralizedBuchi => to_generalized_buchi(automaton),
        Goal::Buchi => degeneralize(&to_generalized_buchi(automaton)?, Placement::Edges, budget),
        Goal::CoBuchi if automaton.kind() == Kind::CoBuchi => Ok(automaton.clone()),
        Goal::CoBuchi => deterministic_co_buchi(automaton, budget)?.ok_or(AutomataError::NotApplicable(
            "no co-Büchi automaton accepts this language: some words need a mark infinitely often",
        )),
        Goal::Parity => to_parity(automaton, budget),
        Goal::Rabin => match automaton.kind() {
            Kind::Rabin(_) => Ok(automaton.clone()),
            Kind::Buchi => Ok(with_first_mark_free(automaton, 1, Acceptance::rabin(1))),
            _ => parity_to_rabin(&to_parity(automaton, budget)?),
        },
        Goal::Streett => match automaton.kind() {
            Kind::Streett(_) => Ok(automaton.clone()),
            Kind::GeneralizedBuchi(count) if 2 * count <= 64 => Ok(every_mark_wanted(automaton, count)),
            _ => parity_to_streett(&to_parity(automaton, budget)?),
        },
        Goal::Muller => to_muller(automaton),
    }
}

/// Moves mark 0 to `place` under a condition in which the marks before it never occur.
fn with_first_mark_free(automaton: &Automaton, place: u32, acceptance: Acceptance) -> Automaton {
    let mut result = automaton.clone();
    for edge in result.edges.iter_mut().flatten() {
        edge.marks = edge.marks.common(Marks::one(0)).shifted(place);
    }
    result.with_acceptance(acceptance, place + 1)
}

/// Streett pairs "if anything infinitely often, then this mark": the first marks of the pairs are on every edge.
fn every_mark_wanted(automaton: &Automaton, count: u32) -> Automaton {
    let mut result = automaton.clone();
    for edge in result.edges.iter_mut().flatten() {
        edge.marks = (0..count).fold(Marks::NONE, |all, mark| {
            let all = all.with(Marks::one(2 * mark));
            if edge.marks.has(mark) {
                all.with(Marks::one(2 * mark + 1))
            } else {
                all
            }
        });
    }
    result.with_acceptance(Acceptance::streett(count), 2 * count)
}

/// The same structure; the condition lists the accepting sets of marks.
fn to_muller(automaton: &Automaton) -> Result<Automaton> {
    let count = automaton.mark_count();
    if count > MOST_MULLER_MARKS {
        return Err(AutomataError::NotApplicable(
            "a Muller condition is written for at most 12 marks",
        ));
    }
    let accepting: Vec<Marks> = (0..1u64 << count)
        .map(Marks)
        .filter(|marks| automaton.acceptance().accepts(*marks))
        .collect();
    Ok(automaton
        .clone()
        .with_acceptance(Acceptance::muller(count, &accepting), count))
}
