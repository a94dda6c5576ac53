//! Which part of a failing property is violated.
//!
//! A property is often a conjunction; the user wants to know which conjunct a counterexample breaks. For an invariant the
//! conjuncts of its term are evaluated where the trace ends; for `A (p & q)` and `A G (p & q)` the conjuncts are evaluated on
//! the path.

use crate::report::{ModelReport, PropertyReport, path_end};
use entail_evidence::{Notation, PathWord, Trace, Truth, Verdict};
use entail_logic::{Formula, Node, Quantifier, Question, Unary};
use entail_model::{Op, TermId, TransitionSystem, Valuation, evaluate_bool};

/// The violated conjuncts as text; empty if the property is no conjunction or fails as a whole.
pub(crate) fn violated_parts(model: &ModelReport<'_>, property: &PropertyReport<'_>) -> Vec<String> {
    if property.outcome.verdict != Verdict::Fails {
        return Vec::new();
    }
    let Some(trace) = property.trace() else {
        return Vec::new();
    };
    let notation = Notation::new(model.system);
    match &property.property.question {
        Question::Invariant(atom) => {
            let parts = term_conjuncts(model.system, *atom);
            let false_at_end = |term: &TermId| false_at_the_end(model.system, *term, trace);
            let violated: Vec<&TermId> = parts.iter().filter(|term| false_at_end(term)).collect();
            if violated.len() == parts.len() {
                return Vec::new();
            }
            violated.into_iter().map(|&term| notation.term(term)).collect()
        }
        Question::Formula(formula) => {
            let Node::Quantified(Quantifier::Forall, path) = formula.node() else {
                return Vec::new();
            };
            let parts = path_conjuncts(model.system, path);
            let Some(mut word) = PathWord::new(model.system, trace, path_end(trace, model.dead_ends)) else {
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

fn false_at_the_end(system: &TransitionSystem, term: TermId, trace: &Trace) -> bool {
    let last = trace.steps.len().saturating_sub(1);
    let at = |step: usize| match (trace.steps.get(step), trace.successor(step)) {
        (Some(now), Some(next)) => {
            evaluate_bool(&system.terms, term, Valuation::step(now, &trace.steps[next])).ok()
        }
        (Some(now), None) => evaluate_bool(&system.terms, term, Valuation::state(now)).ok(),
        _ => None,
    };
    match at(last) {
        Some(truth) => !truth,
        // About a step: the last one taken.
        None => last.checked_sub(1).and_then(at) == Some(false),
    }
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
