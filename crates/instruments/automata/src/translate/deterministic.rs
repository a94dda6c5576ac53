//! Deterministic parity automata of formulas: several ways, the smallest result.
//!
//! 1. The formula's own automaton, made deterministic if it is not (Safra); for obligations and for `G F` of guarantees
//!    it is deterministic from the start.
//! 2. The same for the negation, with the dual condition: `F G p` is hard, `G F !p` is not.
//! 3. A Boolean combination of simpler formulas: each gets its deterministic automaton, and their product carries the
//!    combination of their conditions, which is then brought to parity (Zielonka tree). A formula and its negation
//!    share one automaton, and parts that are obligations together are one part. This is what keeps combinations of `G F`
//!    and `F G` small, where one construction for the whole formula would mix their bookkeeping (Müller and Sickert 2017).

use crate::acceptance::{Acceptance, Marks};
use crate::algebra::complement::complement_deterministic;
use crate::algebra::determinize::to_deterministic_parity;
use crate::algebra::product::intersection;
use crate::algebra::zielonka::to_parity;
use crate::automaton::Automaton;
use crate::error::{AutomataError, Result};
use crate::label::Label;
use crate::ltl::arena::{Arena, Ltl, LtlNode, deep};
use crate::ltl::expand::{from_arena, to_arena};
use crate::reduce::weak_minimization::minimal_weak_candidate;
use crate::translate::containment::simplify_by_containment;
use crate::translate::past::has_past;
use crate::translate::pipeline::{Preference, candidates, smallest};
use entail_budget::Budget;
use entail_logic::{Formula, Node};

/// Products of parts are given up beyond this many states.
const LARGEST_PRODUCT: usize = 2_000;

/// A deterministic, complete parity automaton (max even) of the formula.
pub(crate) fn deterministic_parity(formula: &Formula<String>, budget: &Budget) -> Result<Automaton> {
    let mut found = vec![whole(formula, budget)?];
    found[0].labels.check_watch()?;
    // A weak one has a state for each residual language: no way of taking the formula apart gives fewer.
    if found[0].state_count() > 1
        && !found[0].is_weak()
        && let Some(combined) = combined(formula, budget)?
    {
        found.push(combined);
    }
    Ok(smallest_parity(found))
}

fn smallest_parity(found: Vec<Automaton>) -> Automaton {
    found
        .into_iter()
        .min_by_key(|automaton| (automaton.state_count(), automaton.mark_count()))
        .expect("there is always an automaton")
}

/// Without taking the formula apart: it or its negation, whichever is deterministic or gives the smaller result.
fn whole(formula: &Formula<String>, budget: &Budget) -> Result<Automaton> {
    let (own, own_is_deterministic) = best_source(formula, budget)?;
    if own_is_deterministic && own.is_weak() {
        // Again minimal when it is complete: the sink may be one of its states.
        let complete = minimal_weak_candidate(&own, own.state_count() + 1, budget)?;
        return to_deterministic_parity(&complete, budget);
    }
    let (other, other_is_deterministic) = best_source(&formula.not(), budget)?;
    let mut found = Vec::new();
    if own_is_deterministic || !other_is_deterministic {
        found.push(to_deterministic_parity(&own, budget)?);
    }
    if other_is_deterministic || !own_is_deterministic {
        let dual = complement_deterministic(&to_deterministic_parity(&other, budget)?)?;
        let mut dual = to_parity(&dual, budget)?;
        dual.reduce_bisimilar(budget)?;
        found.push(dual);
    }
    Ok(smallest_parity(found))
}

/// The smallest deterministic automaton that the translation gives, or the smallest one, and whether it is deterministic.
fn best_source(formula: &Formula<String>, budget: &Budget) -> Result<(Automaton, bool)> {
    let found = candidates(formula, Preference::Deterministic, budget)?.automata;
    let (deterministic, others): (Vec<Automaton>, Vec<Automaton>) =
        found.into_iter().partition(Automaton::is_deterministic);
    Ok(if deterministic.is_empty() {
        (smallest(others), false)
    } else {
        (smallest(deterministic), true)
    })
}

/// The parts of a Boolean combination, with their automata side by side in one product.
struct Parts<'b> {
    /// Each formula and the first mark of its automaton in the product.
    known: Vec<(Formula<String>, u32, Acceptance)>,
    product: Option<Automaton>,
    budget: &'b Budget,
}

/// The automaton by parts, if there are at least two and their product stays small.
fn combined(formula: &Formula<String>, budget: &Budget) -> Result<Option<Automaton>> {
    if has_past(formula) {
        return Ok(None);
    }
    let mut arena = Arena::watched(budget);
    let raw = to_arena(formula, &mut arena)?;
    let simple = arena.simplify(raw);
    let simple = simplify_by_containment(&mut arena, simple, budget);
    arena.check_watch()?;
    if let LtlNode::Next(later) = *arena.node(simple) {
        let later = deterministic_parity(&from_arena(&arena, later), budget)?;
        return after_one_letter(later, budget).map(Some);
    }
    let apart = isolated(&mut arena, simple);
    let simple = from_arena(&arena, apart);
    if !matches!(simple.node(), Node::And(_) | Node::Or(_)) {
        return Ok(None);
    }
    let mut parts = Parts {
        known: Vec::new(),
        product: None,
        budget,
    };
    let acceptance = match parts.condition(&simple) {
        Ok(acceptance) => acceptance,
        // Parts that are too large together are no way to a small automaton.
        Err(
            AutomataError::TooLarge(_) | AutomataError::TooManyMarks(_) | AutomataError::NotApplicable(_),
        ) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let Some(product) = parts.product.filter(|_| parts.known.len() > 1) else {
        return Ok(None);
    };
    let marks = product.mark_count();
    let mut product = product.with_acceptance(acceptance, marks);
    product.reduce_bisimilar(budget)?;
    let mut parity = match to_parity(&product, budget) {
        Ok(parity) => parity,
        Err(AutomataError::Spent(spent)) => return Err(spent.into()),
        Err(_) => return Ok(None),
    };
    parity.reduce_bisimilar(budget)?;
    Ok(Some(parity))
}

/// Accepts a word iff the automaton accepts it without its first letter.
fn after_one_letter(mut automaton: Automaton, budget: &Budget) -> Result<Automaton> {
    let start = automaton.add_state();
    for state in std::mem::take(&mut automaton.initial) {
        automaton.add_edge(start, Label::TRUE, state, Marks::one(0));
    }
    automaton.add_initial(start);
    automaton.reduce_bisimilar(budget)?;
    Ok(automaton)
}

/// Takes out of binary operators what is true everywhere or nowhere along a word (such as `G F p`): it becomes a part of
/// its own.
fn isolated(arena: &mut Arena, formula: Ltl) -> Ltl {
    let positionless = |arena: &Arena, part: Ltl| arena.traits(part).positionless();
    match arena.node(formula).clone() {
        LtlNode::And(list) => {
            let list: Vec<Ltl> = list
                .into_iter()
                .map(|part| deep(|| isolated(arena, part)))
                .collect();
            arena.raw_and(list)
        }
        LtlNode::Or(list) => {
            let list: Vec<Ltl> = list
                .into_iter()
                .map(|part| deep(|| isolated(arena, part)))
                .collect();
            arena.raw_or(list)
        }
        LtlNode::Release(e, g) if positionless(arena, e) => {
            let (now, always) = (arena.raw_and([e, g]), arena.raw_globally(g));
            arena.raw_or([now, always])
        }
        LtlNode::Until(e, g) if positionless(arena, e) => {
            let later = arena.raw_finally(g);
            let waiting = arena.raw_and([e, later]);
            arena.raw_or([g, waiting])
        }
        LtlNode::WeakUntil(e, g) if positionless(arena, e) => arena.raw_or([e, g]),
        LtlNode::StrongRelease(e, g) if positionless(arena, e) => arena.raw_and([e, g]),
        _ => formula,
    }
}

impl Parts<'_> {
    /// The condition under which runs of the product satisfy the formula.
    fn condition(&mut self, formula: &Formula<String>) -> Result<Acceptance> {
        let (list, conjunction) = match formula.node() {
            Node::And(list) => (list, true),
            Node::Or(list) => (list, false),
            _ => return self.part(formula),
        };
        let (obligations, others): (Vec<Formula<String>>, Vec<Formula<String>>) =
            list.iter().cloned().partition(is_obligation);
        if others.is_empty() {
            return self.part(formula);
        }
        let mut conditions = Vec::new();
        if !obligations.is_empty() {
            let together = if conjunction {
                Formula::and(obligations)
            } else {
                Formula::or(obligations)
            };
            conditions.push(self.part(&together)?);
        }
        for other in &others {
            conditions.push(self.condition(other)?);
        }
        Ok(if conjunction {
            Acceptance::all(conditions)
        } else {
            Acceptance::any(conditions)
        })
    }

    /// The condition of a part that is not taken apart.
    fn part(&mut self, formula: &Formula<String>) -> Result<Acceptance> {
        let negation = formula.negated_normal_form();
        for (known, offset, acceptance) in &self.known {
            if known == formula {
                return Ok(acceptance.shifted(*offset));
            }
            if *known == negation {
                return Ok(acceptance.dual().shifted(*offset));
            }
        }
        let mut automaton = match best_source(formula, self.budget)? {
            (automaton, true) => automaton,
            _ => whole(formula, self.budget)?,
        };
        automaton.complete()?;
        let (offset, product) = match self.product.take() {
            None => (0, automaton.clone()),
            Some(product) => {
                if product.state_count() * automaton.state_count() > LARGEST_PRODUCT {
                    return Err(AutomataError::TooLarge("the product of the parts is too large"));
                }
                (product.mark_count(), intersection(&product, &automaton)?.0)
            }
        };
        self.product = Some(product);
        let acceptance = automaton.acceptance().clone();
        self.known.push((formula.clone(), offset, acceptance.clone()));
        Ok(acceptance.shifted(offset))
    }
}

fn is_obligation(formula: &Formula<String>) -> bool {
    let mut arena = Arena::new();
    to_arena(formula, &mut arena).is_ok_and(|own| arena.traits(own).obligation)
}
