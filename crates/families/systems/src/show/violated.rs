//! Which part of a failing property is violated.
//!
//! A property is often a conjunction; the user wants to know which conjunct a counterexample breaks. For an invariant the
//! conjuncts of its term are evaluated where the trace ends; for `A (p & q)` and `A G (p & q)` the conjuncts are evaluated on
//! the path.

use crate::checker::first_trace;
use entail_answer::{Answer, Verdict};
use entail_evidence::{DeadEnds, Evidence, Notation, Trace, Truth};
use entail_logic::{Formula, Interval, Node, Property, Quantifier, Question, Unary};
use entail_model::{Op, TermId, TransitionSystem, Valuation, evaluate_bool};
use entail_systems_checker::{PathEnd, PathWord};

/// The violated conjuncts as text; empty if the property is no conjunction or fails as a whole.
pub(crate) fn violated_parts(
    system: &TransitionSystem,
    property: &Property<TermId>,
    answer: &Answer,
    dead_ends: DeadEnds,
) -> Vec<String> {
    if answer.verdict != Verdict::Fails {
        return Vec::new();
    }
    let Some(trace) = answer.evidence_as::<Evidence>().and_then(first_trace) else {
        return Vec::new();
    };
    let notation = Notation::new(system);
    match &property.question {
        Question::Invariant(atom) => {
            let parts = term_conjuncts(system, *atom);
            let is_false = |term: &&TermId| false_at(system, **term, trace).is_some();
            let violated: Vec<&TermId> = parts.iter().filter(is_false).collect();
            if violated.len() == parts.len() {
                return Vec::new();
            }
            violated.into_iter().map(|&term| notation.term(term)).collect()
        }
        Question::Formula(formula) => {
            let Node::Quantified(Quantifier::Forall, path) = formula.node() else {
                return Vec::new();
            };
            let parts = path_conjuncts(system, path);
            let Some(mut word) = PathWord::new(system, trace, PathEnd::of(trace, dead_ends)) else {
                return Vec::new();
            };
            let violated: Vec<&Formula<TermId>> = parts
                .iter()
                .filter(|part| word.holds(part) == Truth::False)
                .collect();
            if violated.len() == parts.len() {
                return Vec::new();
            }
            violated.into_iter().map(|part| notation.formula(part)).collect()
        }
        Question::ShortestPath(..) | Question::LongestPath(..) | Question::Mu(_) => Vec::new(),
    }
}

/// The position at which a condition is false: the last, or, where it is about a step, the one before.
pub(super) fn false_at(system: &TransitionSystem, term: TermId, trace: &Trace) -> Option<usize> {
    let last = trace.steps.len().checked_sub(1)?;
    let at = |step: usize| match trace.successor(step) {
        Some(next) => {
            let along = Valuation::step(&trace.steps[step], &trace.steps[next]);
            evaluate_bool(&system.terms, term, along).ok()
        }
        None => evaluate_bool(&system.terms, term, Valuation::state(&trace.steps[step])).ok(),
    };
    match at(last) {
        Some(false) => Some(last),
        // About a step, or about a state whose inputs the trace goes on to show: the one before.
        _ => last.checked_sub(1).filter(|&before| at(before) == Some(false)),
    }
}

/// Longer paths are not evaluated position by position.
const LONGEST: usize = 10_000;

/// Of `A G p`, the first position of a path at which `p` is false.
pub(super) fn first_false(
    system: &TransitionSystem,
    formula: &Formula<TermId>,
    trace: &Trace,
    dead_ends: DeadEnds,
) -> Option<usize> {
    let Node::Quantified(Quantifier::Forall, path) = formula.node() else {
        return None;
    };
    let Node::Unary(Unary::Globally, interval, inner) = path.node() else {
        return None;
    };
    if *interval != Interval::ALWAYS || trace.steps.len() > LONGEST {
        return None;
    }
    let mut word = PathWord::new(system, trace, PathEnd::of(trace, dead_ends))?;
    let rows = word.subformulas(inner);
    rows.first()?.at.iter().position(|truth| *truth == Truth::False)
}

fn term_conjuncts(system: &TransitionSystem, term: TermId) -> Vec<TermId> {
    match system.terms.op(term) {
        Op::And => system.terms.operands(term).to_vec(),
        _ => vec![term],
    }
}

fn path_conjuncts(system: &TransitionSystem, path: &Formula<TermId>) -> Vec<Formula<TermId>> {
    match path.node() {
        Node::And(list) => list.clone(),
        Node::Unary(Unary::Globally, interval, inner) => path_conjuncts(system, inner)
            .iter()
            .map(|part| Formula::unary_within(Unary::Globally, *interval, part))
            .collect(),
        Node::Atom(term) => term_conjuncts(system, *term)
            .into_iter()
            .map(Formula::atom)
            .collect(),
        _ => vec![path.clone()],
    }
}
