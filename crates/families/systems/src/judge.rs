//! Whether evidence establishes a verdict: each kind goes to the checker that understands it.
//!
//! Inductive invariants, bounds of k-liveness and sets with ranks go to the SAT-based checkers of `entail-proof`; a proof about an abstraction is judged
//! against the abstraction, which is built here anew; everything else goes to the checkers of `entail-evidence`. No engine takes part.

use entail_budget::Budget;
use entail_evidence::{CheckOptions, CheckReport, Evidence, Outcome, Verdict};
use entail_logic::{Node, Property, Quantifier, Question};
use entail_model::{TermId, TransitionSystem};
use entail_proof::pair::{KnownProof, Pair, check_difference, check_equivalence};
use entail_proof::{KnownInvariant, Refusal, check_fixpoints, check_invariant_once, check_liveness};
use entail_systems_checker::{KnownGraph, check_outcome_once};

/// What was established about a system for earlier answers.
#[derive(Default)]
pub(crate) struct Known {
    /// The invariant that was last shown to be inductive.
    invariant: KnownInvariant,
    /// The reachable states, as the reference found them.
    graph: KnownGraph,
    /// The last proof about two circuits.
    pair: KnownProof,
}

/// Judges an answer about a property of a system (of the system that the property is about: without compassion where it ignores that). An
/// invariant that is known already is not proved inductive again.
pub(crate) fn judge(
    system: &TransitionSystem,
    property: &Property<TermId>,
    outcome: &Outcome,
    options: &CheckOptions,
    known: &mut Known,
    budget: &Budget,
) -> CheckReport {
    if outcome.verdict == Verdict::Holds {
        match &outcome.evidence {
            Some(Evidence::Invariant(certificate)) => {
                if let Some(&safe) = property.question.implied_by_invariant() {
                    return reported(check_invariant_once(
                        system,
                        certificate,
                        safe,
                        &mut known.invariant,
                        budget,
                    ));
                }
            }
            Some(Evidence::Liveness(certificate)) => {
                if let Question::Formula(formula) = &property.question
                    && let Node::Quantified(Quantifier::Forall, path) = formula.node()
                {
                    let dead_ends = options.dead_ends;
                    return reported(check_liveness(system, certificate, path, dead_ends, budget));
                }
            }
            Some(Evidence::Fixpoints(proof)) => {
                if let Question::Formula(formula) = &property.question {
                    let formula = match formula.is_state_formula() {
                        true => formula.clone(),
                        false => formula.forall(),
                    };
                    let dead_ends = options.dead_ends;
                    return reported(check_fixpoints(
                        system,
                        proof,
                        &formula,
                        dead_ends,
                        &mut known.invariant,
                        budget,
                    ));
                }
            }
            // (That all abstract states were searched is not repeated on the abstraction.)
            Some(Evidence::Abstraction(proof)) if !matches!(*proof.proof, Evidence::Exhaustive(_)) => {
                return match proof
                    .abstraction
                    .question(system, &property.question, options.dead_ends)
                {
                    Err(report) => report,
                    Ok(asked) => {
                        let property = Property {
                            question: asked.question,
                            ..property.clone()
                        };
                        let holds = Outcome::complete(Verdict::Holds, (*proof.proof).clone());
                        // What is inductive of the model need not be of the abstraction.
                        let known = &mut Known::default();
                        judge(&asked.system, &property, &holds, options, known, budget)
                    }
                };
            }
            _ => {}
        }
    }
    check_outcome_once(system, property, outcome, options, &known.graph, budget)
}

/// Judges an answer about outputs of two circuits. `both` is their product, which only says what variables there are.
pub(crate) fn judge_pair(
    both: &TransitionSystem,
    pair: &Pair,
    outputs: &[usize],
    outcome: &Outcome,
    known: &mut Known,
    budget: &Budget,
) -> CheckReport {
    match (outcome.verdict, &outcome.evidence) {
        (Verdict::Fails, Some(Evidence::Trace(trace))) => {
            match check_difference(pair, outputs, trace, budget) {
                Ok(_) => CheckReport::Accepted,
                Err(_) if budget.check_now().is_err() => CheckReport::unchecked("there was no time"),
                Err(reason) => CheckReport::rejected(reason),
            }
        }
        (Verdict::Holds, Some(Evidence::Invariant(proof))) => reported(check_equivalence(
            pair,
            both,
            outputs,
            proof,
            &mut known.pair,
            budget,
        )),
        _ => CheckReport::unchecked(
            "only proofs by invariants and runs are judged on the two circuits themselves",
        ),
    }
}

/// What the SAT-based checkers say, as a report.
pub(crate) fn reported(verdict: Result<(), Refusal>) -> CheckReport {
    match verdict {
        Ok(()) => CheckReport::Accepted,
        Err(Refusal::NotEncoded(what)) => CheckReport::unchecked(what),
        Err(Refusal::Spent(spent)) => CheckReport::unchecked(spent.to_string()),
        Err(refusal) => CheckReport::rejected(refusal.to_string()),
    }
}
