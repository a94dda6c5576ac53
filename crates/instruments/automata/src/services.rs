//! What a user asks about formulas and automata, each in one call.
//!
//! The command line is a thin layer over these: satisfiability, validity, implication and equivalence of formulas with a
//! word where the answer is "no" (or, for satisfiability, "yes"), and the cross-check of an automaton against a formula.

use crate::acceptance::Marks;
use crate::algebra::product::intersection;
use crate::alternating::{Alternating, very_weak};
use crate::automaton::Automaton;
use crate::error::Result;
use crate::ltl::arena::Arena;
use crate::ltl::evaluate::holds;
use crate::ltl::expand::{from_arena, to_arena};
use crate::ltl::random::{Random, random_word};
use crate::ltl::simplify_path::simplify_path;
use crate::reduce::weak_minimization::minimal_weak;
use crate::translate::containment::simplify_by_containment;
use crate::translate::past::has_past;
use crate::translate::pipeline::{Translation, satisfying_automaton, translate};
use crate::word::LassoWord;
use entail_budget::Budget;
use entail_logic::Formula;

/// A word that satisfies the formula, if there is one.
pub fn satisfying_word(formula: &Formula<String>, budget: &Budget) -> Result<Option<LassoWord>> {
    Ok(satisfying_automaton(formula, budget)?.accepted_word())
}

/// A word on which the formula is false, if there is one.
pub fn falsifying_word(formula: &Formula<String>, budget: &Budget) -> Result<Option<LassoWord>> {
    satisfying_word(&formula.not(), budget)
}

/// A word that satisfies `f` and not `g`, if there is one.
pub fn word_against_implication(
    f: &Formula<String>,
    g: &Formula<String>,
    budget: &Budget,
) -> Result<Option<LassoWord>> {
    satisfying_word(&Formula::and([f.clone(), g.not()]), budget)
}

/// A word that satisfies exactly one of the two, if there is one.
pub fn word_against_equivalence(
    f: &Formula<String>,
    g: &Formula<String>,
    budget: &Budget,
) -> Result<Option<LassoWord>> {
    match word_against_implication(f, g, budget)? {
        Some(word) => Ok(Some(word)),
        None => word_against_implication(g, f, budget),
    }
}

/// A word on which the automaton and the formula disagree, if one is found: the automaton must exclude the formula's
/// negation, and agree with the definitions on `samples` random words.
pub fn cross_check(
    formula: &Formula<String>,
    automaton: &Automaton,
    samples: usize,
    seed: u64,
    budget: &Budget,
) -> Result<Option<LassoWord>> {
    let negation = translate(&formula.not(), Translation::default(), budget)?;
    if let Some(word) = intersection(automaton, &negation)?.0.accepted_word() {
        return Ok(Some(word));
    }
    let mut names: Vec<String> = Vec::new();
    formula.for_each_atom(&mut |name| {
        if !names.contains(name) {
            names.push(name.clone());
        }
    });
    let mut random = Random::new(seed);
    for _ in 0..samples {
        budget.check()?;
        let mut word = random_word(names.len(), 5, &mut random);
        word.propositions = names.clone();
        if automaton.accepts(&word) != holds(formula, &word) {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// An equivalent formula that is simpler: by laws, then (without past operators) by redundancies that automata find.
pub fn simplify_formula(formula: &Formula<String>, budget: &Budget) -> Result<Formula<String>> {
    if has_past(formula) {
        return Ok(simplify_path(formula));
    }
    let mut arena = Arena::watched(budget);
    let raw = to_arena(formula, &mut arena)?;
    let simple = arena.simplify(raw);
    let simple = simplify_by_containment(&mut arena, simple, budget);
    arena.check_watch()?;
    Ok(from_arena(&arena, simple))
}

/// The very weak alternating automaton of a future-time formula, with a state for each temporal subformula.
pub fn alternating_automaton(formula: &Formula<String>, budget: &Budget) -> Result<Alternating> {
    let mut arena = Arena::watched(budget);
    let raw = to_arena(formula, &mut arena)?;
    let simple = arena.simplify(raw);
    let mut automaton = very_weak(&mut arena, simple, budget)?;
    automaton.name = Some(formula.to_string());
    automaton.labels.end_watch()?;
    Ok(automaton)
}

/// A random word (up to `samples` of them are tried) on which the automaton does not answer as it should.
pub fn disagreement(
    automaton: &Automaton,
    meaning: &dyn Fn(&LassoWord) -> bool,
    samples: usize,
    budget: &Budget,
) -> Result<Option<LassoWord>> {
    let mut random = Random::new(1);
    let propositions = automaton.propositions();
    for _ in 0..samples {
        budget.check_now()?;
        let mut word = random_word(propositions.len(), 5, &mut random);
        word.propositions = propositions.to_vec();
        if automaton.accepts(&word) != meaning(&word) {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// A language-preserving reduction with everything that is affordable: pruning, simulations (delayed ones, for Büchi automata), and for small deterministic
/// or weak automata the minimal weak automaton. Keeps generalized Büchi conditions so; other conditions keep their kind.
pub fn simplify(automaton: &Automaton, budget: &Budget) -> Result<Automaton> {
    let mut reduced = automaton.clone();
    reduced.reduce(budget)?;
    if reduced.acceptance().as_generalized_buchi().is_some() && !reduced.is_deterministic() {
        // Only merges: a state-based automaton stays one.
        let state_based = reduced.is_state_based() && reduced.acceptance().marks() != Marks::NONE;
        reduced.reduce_buchi(state_based, budget)?;
    }
    let cheap = reduced.is_deterministic() || reduced.is_weak();
    if cheap && reduced.state_count() <= 200 && reduced.acceptance().as_generalized_buchi().is_some() {
        let complement = crate::algebra::complement::complement(&reduced, budget)?;
        if let Some(mut weak) = minimal_weak(&reduced, &complement, 2_000, budget)? {
            weak.prune_marks();
            if weak.state_count() <= reduced.state_count() {
                weak.name = automaton.name.clone();
                return Ok(weak);
            }
        }
    }
    Ok(reduced)
}
