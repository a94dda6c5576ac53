//! Trees of paths, node by node.
//!
//! Each node is judged by the definitions of its reason (see [`Because`]): a propositional formula is evaluated; a Boolean
//! combination follows from the claims about its operands; a path is replayed, counted as a (fair) path, and its path formula
//! evaluated on it, where quantified subformulas are as the notes claim; the notes are judged in turn. Truth of a state formula
//! depends on the state alone, so a note counts wherever its state is shown. Claims of exhaustive search are collected for the
//! reference.

use super::ending::{Ending, ending};
use super::outcome::{Checker, Obligation};
use super::replay::{replay_stuttering, same_state};
use crate::path::PathWord;
use entail_answer::CheckReport;
use entail_evidence::{Because, Explanation, PathWitness, Truth};
use entail_logic::{Formula, Node, Quantifier};
use entail_model::{TermId, Valuation, evaluate_bool};

/// Judges a tree. What only the reference can decide is added to `obligations`.
pub(super) fn explanation(
    checker: &Checker<'_>,
    claim: &Explanation,
    obligations: &mut Vec<Obligation>,
) -> CheckReport {
    if claim.state.len() != checker.system.variables().len() {
        return CheckReport::rejected("an explained state does not fit the model's variables");
    }
    match &claim.because {
        Because::Evaluation => {
            if !claim.formula.is_propositional() {
                return CheckReport::rejected("a temporal formula is explained by evaluation in a state");
            }
            decided(propositional(checker, &claim.formula, claim), claim.truth)
        }
        Because::Operands(operands) => {
            if operands
                .iter()
                .any(|operand| !same_state(checker.system, &operand.state, &claim.state))
            {
                return CheckReport::rejected("an operand is explained in another state than its formula");
            }
            let mut report = decided(combination(checker, &claim.formula, claim, operands), claim.truth);
            for operand in operands {
                report = report.and_then(|| explanation(checker, operand, obligations));
            }
            report
        }
        Because::Path(witness) => path(checker, claim, witness, obligations),
        Because::Exhaustion => {
            if !claim.formula.is_state_formula() {
                return CheckReport::rejected("a path formula is claimed of a state");
            }
            obligations.push(Obligation::Claim {
                formula: claim.formula.clone(),
                truth: claim.truth,
                state: claim.state.clone(),
            });
            CheckReport::Accepted
        }
    }
}

fn decided(found: Truth, claimed: bool) -> CheckReport {
    match found.known() {
        Some(truth) if truth == claimed => CheckReport::Accepted,
        Some(truth) => CheckReport::rejected(format!(
            "a formula is claimed to be {claimed} in a state where it is {truth}"
        )),
        None => CheckReport::rejected(format!(
            "what is given does not decide that a formula is {claimed}"
        )),
    }
}

fn propositional(checker: &Checker<'_>, formula: &Formula<TermId>, claim: &Explanation) -> Truth {
    combination(checker, formula, claim, &[])
}

/// The truth of a Boolean combination in the state of a claim, where subformulas may be claimed.
fn combination(
    checker: &Checker<'_>,
    formula: &Formula<TermId>,
    claim: &Explanation,
    claimed: &[Explanation],
) -> Truth {
    if let Some(found) = claimed.iter().find(|operand| operand.formula == *formula) {
        return Truth::from(found.truth);
    }
    let of = |operand: &Formula<TermId>| combination(checker, operand, claim, claimed);
    match formula.node() {
        Node::Constant(truth) => Truth::from(*truth),
        Node::Atom(term) => {
            evaluate_bool(&checker.system.terms, *term, Valuation::state(&claim.state)).into()
        }
        Node::Not(p) => !of(p),
        Node::And(list) => list.iter().map(of).min().unwrap_or(Truth::True),
        Node::Or(list) => list.iter().map(of).max().unwrap_or(Truth::False),
        Node::Implies(p, q) => (!of(p)).or(of(q)),
        Node::Iff(p, q) => of(p).iff(of(q)),
        Node::Xor(p, q) => !of(p).iff(of(q)),
        Node::Quantified(..) | Node::Unary(..) | Node::Binary(..) => Truth::Unknown,
    }
}

fn path(
    checker: &Checker<'_>,
    claim: &Explanation,
    witness: &PathWitness,
    obligations: &mut Vec<Obligation>,
) -> CheckReport {
    let (path_formula, wanted) = match (claim.formula.node(), claim.truth) {
        (Node::Quantified(Quantifier::Exists, path), true) => (path, true),
        (Node::Quantified(Quantifier::Forall, path), false) => (path, false),
        _ => {
            return CheckReport::rejected("only a true `E` or a false `A` can be explained by a path");
        }
    };
    let trace = &witness.trace;
    let replayed = match replay_stuttering(checker.system, trace, false) {
        Ok(replayed) => replayed,
        Err(problem) => return CheckReport::rejected(problem.to_string()),
    };
    if !same_state(checker.system, &trace.steps[0], &claim.state) {
        return CheckReport::rejected("a path does not start in the state it explains");
    }
    let mut report = CheckReport::Accepted;
    for note in &witness.notes {
        let Some(step) = trace.steps.get(note.position) else {
            return CheckReport::rejected("a note is attached to a position outside its path");
        };
        if !same_state(checker.system, step, &note.explanation.state) {
            return CheckReport::rejected("a note explains another state than the one it is attached to");
        }
        if !note.explanation.formula.is_state_formula() {
            return CheckReport::rejected("a note claims a path formula of a state");
        }
        report = report.and_then(|| explanation(checker, &note.explanation, obligations));
    }
    let Ending {
        end,
        report: ends,
        obligation,
    } = ending(checker, trace, &replayed);
    obligations.extend(obligation);
    let known = |position: usize, formula: &Formula<TermId>| {
        witness
            .notes
            .iter()
            .find(|note| {
                note.explanation.formula == *formula
                    && same_state(checker.system, &note.explanation.state, &trace.steps[position])
            })
            .map(|note| note.explanation.truth)
    };
    report.and(ends).and_then(|| {
        let Some(word) = PathWord::new(checker.system, trace, end) else {
            return CheckReport::rejected("the loop starts outside the trace");
        };
        match word.with_known(known).holds(path_formula).known() {
            Some(truth) if truth == wanted => CheckReport::Accepted,
            Some(_) => CheckReport::rejected(format!(
                "the path formula is {} on the path that is to show it {wanted}",
                !wanted
            )),
            None => CheckReport::rejected("the path and its notes do not decide the path formula"),
        }
    })
}
