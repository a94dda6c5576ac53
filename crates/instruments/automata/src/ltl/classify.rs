//! Where a property stands in the temporal hierarchy (Manna and Pnueli), by syntax and by meaning.
//!
//! Safety, guarantee, obligation, recurrence, persistence, reactivity. The syntax gives a quick answer that may be too
//! high; the automata of the formula and of its negation give the exact one:
//! safety iff the closure (the automaton with all acceptance dropped) has no word in common with the negation; guarantee iff the negation is a safety property; obligation
//! iff there is an equivalent weak deterministic automaton; recurrence iff a deterministic Büchi automaton exists, persistence iff the negation is
//! a recurrence property (typeness of a deterministic parity automaton). Also: is the property insensitive to stuttering?

use crate::acceptance::{Acceptance, Marks};
use crate::algebra::product::intersection;
use crate::algebra::typeness::deterministic_buchi;
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::label::Label;
use crate::ltl::arena::Arena;
use crate::ltl::expand::to_arena;
use crate::reduce::weak_minimization::minimal_weak;
use crate::translate::past::has_past;
use crate::translate::pipeline::{Translation, translate};
use crate::word::LassoWord;
use entail_budget::Budget;
use entail_logic::Formula;
use rustc_hash::FxHashMap;

/// A class of the hierarchy; each but the first two contains those it is drawn above.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Class {
    /// Both safety and guarantee.
    SafetyAndGuarantee,
    /// A violation shows in a finite prefix.
    Safety,
    /// A satisfaction shows in a finite prefix.
    Guarantee,
    /// A Boolean combination of safety and guarantee.
    Obligation,
    /// Both recurrence and persistence would be an obligation; this is `G F` of something about the past.
    Recurrence,
    /// `F G` of something about the past.
    Persistence,
    /// A Boolean combination of recurrence and persistence.
    Reactivity,
}

impl Class {
    /// Its name in the literature.
    pub fn name(self) -> &'static str {
        match self {
            Class::SafetyAndGuarantee => "safety and guarantee",
            Class::Safety => "safety",
            Class::Guarantee => "guarantee",
            Class::Obligation => "obligation",
            Class::Recurrence => "recurrence",
            Class::Persistence => "persistence",
            Class::Reactivity => "reactivity",
        }
    }

    fn from(safety: bool, guarantee: bool, obligation: bool, recurrence: bool, persistence: bool) -> Class {
        match () {
            () if safety && guarantee => Class::SafetyAndGuarantee,
            () if safety => Class::Safety,
            () if guarantee => Class::Guarantee,
            () if obligation || (recurrence && persistence) => Class::Obligation,
            () if recurrence => Class::Recurrence,
            () if persistence => Class::Persistence,
            () => Class::Reactivity,
        }
    }
}

/// What is known of a formula's class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// By the shape of the (simplified) formula; `None` if it has past operators.
    pub syntactic: Option<Class>,
    /// Exactly.
    pub semantic: Class,
    /// No `X` and no bound occurs in the simplified formula.
    pub next_free: bool,
    /// Repeating letters does not change its truth.
    pub stutter_invariant: bool,
}

/// The class of a formula, by syntax and exactly.
pub fn classify(formula: &Formula<String>, budget: &Budget) -> Result<Classification> {
    let (syntactic, next_free) = if has_past(formula) {
        (None, false)
    } else {
        let mut arena = Arena::new();
        let raw = to_arena(formula, &mut arena)?;
        let simple = arena.simplify(raw);
        let traits = arena.traits(simple);
        let class = Class::from(
            traits.safety,
            traits.guarantee,
            traits.obligation,
            traits.recurrence,
            traits.persistence,
        );
        (Some(class), traits.next_free)
    };
    let positive = translate(formula, Translation::default(), budget)?;
    let negative = translate(&formula.not(), Translation::default(), budget)?;
    let semantic = classify_automaton(&positive, &negative, budget)?;
    let stutter_invariant = next_free || stutter_difference(&positive, &negative)?.is_none();
    Ok(Classification {
        syntactic,
        semantic,
        next_free,
        stutter_invariant,
    })
}

/// Whether repeating letters does not change a formula's truth.
pub fn is_stutter_invariant(formula: &Formula<String>, budget: &Budget) -> Result<bool> {
    if !has_past(formula) {
        let mut arena = Arena::new();
        let raw = to_arena(formula, &mut arena)?;
        let simple = arena.simplify(raw);
        if arena.traits(simple).next_free {
            return Ok(true);
        }
    }
    let positive = translate(formula, Translation::default(), budget)?;
    let negative = translate(&formula.not(), Translation::default(), budget)?;
    Ok(stutter_difference(&positive, &negative)?.is_none())
}

/// The exact class of a language given by generalized Büchi automata for it and for its complement.
pub fn classify_automaton(positive: &Automaton, negative: &Automaton, budget: &Budget) -> Result<Class> {
    let safety = is_safety(positive, negative)?;
    let guarantee = is_safety(negative, positive)?;
    if safety || guarantee {
        return Ok(Class::from(safety, guarantee, true, true, true));
    }
    if minimal_weak(positive, negative, 100_000, budget)?.is_some() {
        return Ok(Class::Obligation);
    }
    let recurrence = deterministic_buchi(positive, budget)?.is_some();
    let persistence = deterministic_buchi(negative, budget)?.is_some();
    Ok(Class::from(false, false, false, recurrence, persistence))
}

/// Whether every word all of whose prefixes can be continued into the language is in it.
pub fn is_safety(positive: &Automaton, negative: &Automaton) -> Result<bool> {
    Ok(intersection(&closure(positive), negative)?.0.is_empty())
}

/// The smallest safety property around the language: productive states, every run accepting.
pub fn closure(automaton: &Automaton) -> Automaton {
    let mut result = automaton.clone();
    result.prune();
    for edge in result.edges.iter_mut().flatten() {
        edge.marks = Marks::NONE;
    }
    // A pruned empty automaton has a state without edges, which stays empty.
    result.merge_edges();
    result.with_acceptance(Acceptance::True, 0)
}

/// A word that, up to stuttering, is both in the language and in its complement, if there is one.
pub fn stutter_difference(positive: &Automaton, negative: &Automaton) -> Result<Option<LassoWord>> {
    let left = stutter_expanded(positive)?;
    let right = stutter_expanded(negative)?;
    Ok(intersection(&left, &right)?.0.accepted_word())
}

/// Accepts the words of the language with any letters repeated any number of times.
fn stutter_expanded(automaton: &Automaton) -> Result<Automaton> {
    let count = automaton.propositions().len();
    if count > 10 {
        return Err(AutomataError::NotApplicable(
            "stuttering is checked for at most 10 propositions",
        ));
    }
    let progress = automaton.mark_count();
    if progress >= 64 {
        return Err(AutomataError::TooManyMarks(65));
    }
    let acceptance = Acceptance::all([automaton.acceptance().clone(), Acceptance::Inf(progress)]);
    let mut result = Automaton::new(automaton.propositions().to_vec(), acceptance, progress + 1)?;
    // A state remembers the letter that led to it; that letter may be read again.
    let mut number: FxHashMap<(State, Option<u64>), State> = FxHashMap::default();
    let mut pending: Vec<(State, Option<u64>)> = Vec::new();
    for &state in automaton.initial() {
        let fresh = result.add_state();
        number.insert((state, None), fresh);
        pending.push((state, None));
        result.add_initial(fresh);
    }
    let mut at = 0;
    while at < pending.len() {
        let (state, last) = pending[at];
        let own = State(at as u32);
        if let Some(letter) = last {
            let label = result.labels.minterm(letter, count);
            result.add_edge(own, label, own, Marks::NONE);
        }
        for letter in 0..1u64 << count {
            let label: Label = result.labels.minterm(letter, count);
            for (target, marks) in automaton.successors(state, letter) {
                let next = *number.entry((target, Some(letter))).or_insert_with(|| {
                    pending.push((target, Some(letter)));
                    result.add_state()
                });
                result.add_edge(own, label, next, marks.with(Marks::one(progress)));
            }
        }
        at += 1;
    }
    Ok(result)
}
