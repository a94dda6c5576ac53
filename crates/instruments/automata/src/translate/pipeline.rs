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
use crate::reduce::merging::{Keep, merge_against};
use crate::reduce::weak_minimization::{minimal_weak, minimal_weak_candidate};
use crate::translate::containment::{commit_late, simplify_by_containment};
use crate::translate::deterministic::deterministic_parity;
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
    let mut automaton = match how.target {
        Target::Parity => deterministic_parity(formula, budget)?,
        Target::GeneralizedBuchi => small(formula, how, budget, Ok)?,
        Target::Buchi => small(formula, how, budget, |found| {
            degeneralize(&found, Placement::Edges, budget)
        })?,
        Target::StateBuchi => small(formula, how, budget, |found| {
            degeneralize(&found, Placement::States, budget)
        })?,
    };
    crate::algebra::projection::remove_unused_propositions(&mut automaton);
    automaton.labels.end_watch()?;
    automaton.name = crate::ltl::print::print(formula, crate::ltl::syntax::Syntax::Spot)
        .ok()
        .or_else(|| Some(formula.to_string()));
    Ok(automaton)
}

/// The smallest candidate once its acceptance is as asked for.
fn small(
    formula: &Formula<String>,
    how: Translation,
    budget: &Budget,
    finish: impl Fn(Automaton) -> Result<Automaton>,
) -> Result<Automaton> {
    let found = candidates(formula, how.preference, budget)?;
    let finished = found.automata.into_iter().map(finish);
    let smallest = smallest(finished.collect::<Result<Vec<_>>>()?);
    merge_if_small(smallest, found.complement.as_ref(), how, budget)
}

/// Automata up to this size are merged against the automaton of the negation.
const LARGEST_MERGED: usize = 12;

fn merge_if_small(
    automaton: Automaton,
    complement: Option<&Automaton>,
    how: Translation,
    budget: &Budget,
) -> Result<Automaton> {
    let Some(complement) = complement else {
        return Ok(automaton);
    };
    if automaton.state_count() > LARGEST_MERGED || complement.state_count() > 4 * LARGEST_MERGED {
        return Ok(automaton);
    }
    let state_based = how.target == Target::StateBuchi;
    let keep = Keep {
        state_based,
        deterministic: how.preference == Preference::Deterministic && automaton.is_deterministic(),
    };
    let mut merged = merge_against(&automaton, complement, keep, budget)?;
    if merged.state_count() == automaton.state_count() {
        return Ok(automaton);
    }
    merged.reduce_as(state_based, budget)?;
    Ok(merged)
}

/// Generalized Büchi automata of a formula, and of its negation where that was needed.
pub(crate) struct Candidates {
    /// What the preference allows.
    pub automata: Vec<Automaton>,
    complement: Option<Automaton>,
}

/// The one with the fewest states, then transitions.
pub(crate) fn smallest(candidates: Vec<Automaton>) -> Automaton {
    candidates
        .into_iter()
        .min_by(|a, b| {
            let size = |automaton: &Automaton| (automaton.state_count(), automaton.transition_count());
            size(a).partial_cmp(&size(b)).expect("sizes are numbers")
        })
        .expect("there is always a candidate")
}

/// Generalized Büchi automata for the formula: those the preference allows.
pub(crate) fn candidates(
    formula: &Formula<String>,
    preference: Preference,
    budget: &Budget,
) -> Result<Candidates> {
    if has_past(formula) {
        let plain = base_with_past(formula, budget)?;
        if plain.state_count() > SUBSET_LIMIT {
            return Ok(Candidates {
                automata: vec![plain],
                complement: None,
            });
        }
        let complement = base_with_past(&formula.not(), budget)?;
        let weak = minimal_weak(&plain, &complement, SUBSET_LIMIT, budget)?;
        plain.labels.check_watch()?;
        return Ok(Candidates {
            automata: choose(plain, weak, preference),
            complement: Some(complement),
        });
    }
    let mut arena = Arena::watched(budget);
    let positive = to_arena(formula, &mut arena)?;
    let positive = arena.simplify(positive);
    let positive = simplify_by_containment(&mut arena, positive, budget);
    let plain = base(&mut arena, positive, budget)?;
    let complement = if plain.state_count() <= 64 {
        let negative = arena.negate(positive);
        let negative = arena.simplify(negative);
        Some(reduced(
            expand_to_automaton(&mut arena, negative, budget)?,
            budget,
        )?)
    } else {
        None
    };
    if let Some(deterministic) = recurrence_automata(&mut arena, positive, SUBSET_LIMIT, budget)? {
        arena.check_watch()?;
        let mut automata: Vec<Automaton> = Vec::new();
        if preference == Preference::Small || plain.is_deterministic() {
            automata.push(plain);
        }
        automata.extend(deterministic);
        return Ok(Candidates { automata, complement });
    }
    let weak = if arena.traits(positive).obligation {
        minimal_weak_candidate(&plain, SUBSET_LIMIT, budget).ok()
    } else {
        match &complement {
            Some(complement) => {
                let limit = SUBSET_LIMIT.min(plain.state_count() * 60 + 60);
                minimal_weak(&plain, complement, limit, budget)?
            }
            None => None,
        }
    };
    arena.check_watch()?;
    Ok(Candidates {
        automata: choose(plain, weak, preference),
        complement,
    })
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

/// Automata up to this size are reduced in more than one way.
const LARGEST_VARIED: usize = 80;

/// The reduced generalized Büchi automaton of a simplified formula.
pub(crate) fn base(arena: &mut Arena, formula: Ltl, budget: &Budget) -> Result<Automaton> {
    let mut best = reduced(expand_to_automaton(arena, formula, budget)?, budget)?;
    if best.state_count() > LARGEST_VARIED {
        return Ok(best);
    }
    // Equivalent formulas of another shape may give a smaller automaton.
    let negated = arena.negate(formula);
    let negated = arena.simplify(negated);
    let mut variants = vec![commit_late(arena, formula), arena.negate(negated)];
    variants.retain(|variant| *variant != formula);
    variants.dedup();
    for variant in variants {
        let other = reduced(expand_to_automaton(arena, variant, budget)?, budget)?;
        if size(&other) < size(&best) {
            best = other;
        }
    }
    Ok(best)
}

fn size(automaton: &Automaton) -> (usize, usize) {
    (automaton.state_count(), automaton.edge_count())
}

/// The smallest of what reductions in different orders give.
fn reduced(automaton: Automaton, budget: &Budget) -> Result<Automaton> {
    let mut best = automaton.clone();
    best.reduce(budget)?;
    if automaton.state_count() > LARGEST_VARIED || best.is_deterministic() {
        return Ok(best);
    }
    let openings: [fn(&mut Automaton, &Budget) -> Result<()>; 2] = [
        |variant, budget| variant.reduce_backward(false, budget),
        |variant, budget| {
            variant.fill_passing_marks();
            variant.reduce_forward(budget)
        },
    ];
    for opening in openings {
        let mut variant = automaton.clone();
        variant.prune_marks();
        opening(&mut variant, budget)?;
        variant.reduce(budget)?;
        if size(&variant) < size(&best) {
            best = variant;
        }
    }
    Ok(best)
}

fn base_with_past(formula: &Formula<String>, budget: &Budget) -> Result<Automaton> {
    let rewritten = without_past(formula)?;
    let mut arena = Arena::watched(budget);
    let future = to_arena(&rewritten.formula, &mut arena)?;
    let future = arena.simplify(future);
    let automaton = base(&mut arena, future, budget)?;
    let mut automaton = rewritten.restore(&automaton, budget)?;
    automaton.reduce(budget)?;
    Ok(automaton)
}

/// Some automaton of the formula, unreduced: enough to find a word, and quicker than the smallest one.
pub fn satisfying_automaton(formula: &Formula<String>, budget: &Budget) -> Result<Automaton> {
    let mut automaton = match has_past(formula) {
        true => base_with_past(formula, budget)?,
        false => {
            let mut arena = Arena::watched(budget);
            let raw = to_arena(formula, &mut arena)?;
            let simple = arena.simplify(raw);
            expand_to_automaton(&mut arena, simple, budget)?
        }
    };
    automaton.labels.end_watch()?;
    Ok(automaton)
}
