//! The translation a user asks for: simplify, translate, reduce, and keep the smallest of what comes out.
//!
//! 1. The formula is simplified and expanded into a generalized Büchi automaton, which is pruned and reduced by simulation.
//! 2. If the property is an obligation, it has a minimal weak deterministic automaton; whether it is one is told by the
//!    syntax or by comparing the candidate with the automata of the formula and of its negation.
//! 3. By preference the smaller or the deterministic one is kept, and brought to the acceptance asked for.
//!
//! Past operators are removed before and restored after step 1 (see [`crate::translate::past`]).

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::Automaton;
use crate::error::Result;
use crate::ltl::arena::{Arena, Ltl};
use crate::ltl::expand::to_arena;
use crate::reduce::degeneralize::{Placement, degeneralize};
use crate::reduce::weak_minimization::{minimal_weak, minimal_weak_candidate};
use crate::translate::containment::{commit_late, simplify_by_containment};
use crate::translate::expansion::expand_to_automaton;
use crate::translate::past::{has_past, without_past};
use crate::translate::recurrence::recurrence_automata;
use entail_budget::Budget;
use entail_logic::Formula;

/// The acceptance asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Target {
    /// Several marks on edges, all to be seen infinitely often. The smallest automata.
    #[default]
    GeneralizedBuchi,
    /// One mark on edges.
    Buchi,
    /// One mark on states.
    StateBuchi,
    /// Deterministic, with priorities on edges (max even).
    Parity,
}

/// What to aim for where small and deterministic disagree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preference {
    /// Few states.
    #[default]
    Small,
    /// Determinism where it is to be had cheaply.
    Deterministic,
}

/// How to translate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Translation {
    /// The acceptance asked for.
    pub target: Target,
    /// What to aim for.
    pub preference: Preference,
}

/// Subset constructions larger than this are not tried for weak minimisation.
const SUBSET_LIMIT: usize = 4_000;

/// The automaton of an LTL formula.
pub fn translate(formula: &Formula<String>, how: Translation, budget: &Budget) -> Result<Automaton> {
    let mut candidates = candidates(formula, how.preference, budget)?;
    let mut automaton = match how.target {
        Target::GeneralizedBuchi => smallest(candidates),
        Target::Buchi | Target::StateBuchi => {
            let placement = if how.target == Target::Buchi {
                Placement::Edges
            } else {
                Placement::States
            };
            let degeneralized = candidates
                .iter()
                .map(|candidate| degeneralize(candidate, placement))
                .collect::<Result<Vec<_>>>()?;
            smallest(degeneralized)
        }
        Target::Parity => {
            // The deterministic candidate comes last.
            let source = candidates.pop().expect("there is always a candidate");
            crate::algebra::determinize::to_deterministic_parity(&source, budget)?
        }
    };
    crate::algebra::projection::remove_unused_propositions(&mut automaton);
    automaton.name = crate::ltl::print::print(formula, crate::ltl::syntax::Syntax::Spot)
        .ok()
        .or_else(|| Some(formula.to_string()));
    Ok(automaton)
}

fn smallest(candidates: Vec<Automaton>) -> Automaton {
    candidates
        .into_iter()
        .min_by(|a, b| {
            let size = |automaton: &Automaton| (automaton.state_count(), automaton.transition_count());
            size(a).partial_cmp(&size(b)).expect("sizes are numbers")
        })
        .expect("there is always a candidate")
}

/// Generalized Büchi automata for the formula: those the preference allows, the most deterministic last.
fn candidates(formula: &Formula<String>, preference: Preference, budget: &Budget) -> Result<Vec<Automaton>> {
    if has_past(formula) {
        let plain = base_with_past(formula, budget)?;
        let weak = if plain.state_count() <= SUBSET_LIMIT {
            let complement = base_with_past(&formula.not(), budget)?;
            minimal_weak(&plain, &complement, SUBSET_LIMIT, budget)?
        } else {
            None
        };
        return Ok(choose(plain, weak, preference));
    }
    let mut arena = Arena::new();
    let positive = to_arena(formula, &mut arena)?;
    let positive = arena.simplify(positive);
    let positive = simplify_by_containment(&mut arena, positive, budget);
    let plain = base(&mut arena, positive, budget)?;
    if let Some(deterministic) = recurrence_automata(&mut arena, positive, SUBSET_LIMIT, budget)? {
        let mut all: Vec<Automaton> = Vec::new();
        if preference == Preference::Small || plain.is_deterministic() {
            all.push(plain);
        }
        all.extend(deterministic);
        return Ok(all);
    }
    let weak = if arena.traits(positive).obligation {
        minimal_weak_candidate(&plain, SUBSET_LIMIT, budget).ok()
    } else if plain.state_count() <= 64 {
        let negative = arena.negate(positive);
        let negative = arena.simplify(negative);
        let complement = base(&mut arena, negative, budget)?;
        minimal_weak(
            &plain,
            &complement,
            SUBSET_LIMIT.min(plain.state_count() * 60 + 60),
            budget,
        )?
    } else {
        None
    };
    Ok(choose(plain, weak, preference))
}

fn choose(plain: Automaton, weak: Option<Automaton>, preference: Preference) -> Vec<Automaton> {
    match (weak.map(tidy_weak), preference) {
        (None, _) => vec![plain],
        (Some(weak), Preference::Deterministic) => vec![weak],
        (Some(weak), Preference::Small) => vec![plain, weak],
    }
}

/// Drops the rejecting sink, and the mark if every remaining cycle accepts.
fn tidy_weak(mut automaton: Automaton) -> Automaton {
    automaton.prune();
    if automaton
        .edges
        .iter()
        .all(|list| list.iter().all(|edge| !edge.marks.is_empty()))
    {
        for edge in automaton.edges.iter_mut().flatten() {
            edge.marks = Marks::NONE;
        }
        automaton = automaton.with_acceptance(Acceptance::True, 0);
    }
    automaton.prune_marks();
    automaton
}

/// The reduced generalized Büchi automaton of a simplified formula.
pub(crate) fn base(arena: &mut Arena, formula: Ltl, budget: &Budget) -> Result<Automaton> {
    let formula = commit_late(arena, formula);
    let mut automaton = expand_to_automaton(arena, formula, budget)?;
    automaton.reduce();
    Ok(automaton)
}

fn base_with_past(formula: &Formula<String>, budget: &Budget) -> Result<Automaton> {
    let rewritten = without_past(formula)?;
    let mut arena = Arena::new();
    let future = to_arena(&rewritten.formula, &mut arena)?;
    let future = arena.simplify(future);
    let automaton = base(&mut arena, future, budget)?;
    let mut automaton = rewritten.restore(&automaton, budget)?;
    automaton.reduce();
    Ok(automaton)
}

/// Some automaton of the formula, unreduced: enough to find a word, and quicker than the smallest one.
pub fn satisfying_automaton(formula: &Formula<String>, budget: &Budget) -> Result<Automaton> {
    if has_past(formula) {
        return base_with_past(formula, budget);
    }
    let mut arena = Arena::new();
    let raw = to_arena(formula, &mut arena)?;
    let simple = arena.simplify(raw);
    expand_to_automaton(&mut arena, simple, budget)
}
