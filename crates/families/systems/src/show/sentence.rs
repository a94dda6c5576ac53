//! What evidence is, in a sentence.

use entail_evidence::json::evidence_to_json;
use entail_evidence::{Because, Evidence};
use entail_model::TransitionSystem;

/// The sentence.
pub(super) fn sentence(system: &TransitionSystem, evidence: &Evidence) -> String {
    match evidence {
        Evidence::Trace(trace) if trace.loop_start.is_some() => "a lasso".into(),
        Evidence::Trace(_) => "a trace".into(),
        Evidence::Explanation(tree) => match &tree.because {
            Because::Path(witness) if witness.notes.is_empty() && witness.trace.loop_start.is_some() => {
                "a lasso".into()
            }
            Because::Path(witness) if witness.notes.is_empty() => "a path".into(),
            _ => "a tree of paths".into(),
        },
        Evidence::Exhaustive(claim) => format!("all {} reachable states searched", claim.states),
        Evidence::Closed(set) => format!("a set of {} states that no step leaves", set.len()),
        Evidence::Ranked(set) => format!(
            "{} states with {} ranks that go down along every path that violates it",
            set.states().len(),
            set.ranks()
        ),
        Evidence::Invariant(_) => {
            let json = evidence_to_json(system, evidence);
            let formula = json["formula"].as_str().unwrap_or("?");
            format!("inductive invariant: {}", without_empty_parts(formula))
        }
        // The proof speaks of the abstract system's variables, which have other names.
        Evidence::Abstraction(proof) => match &*proof.proof {
            Evidence::Invariant(_) => "on an abstraction: an inductive invariant".into(),
            proof => format!("on an abstraction: {}", sentence(system, proof)),
        },
        Evidence::Liveness(certificate) => format!(
            "k-liveness: a path that violates it meets its fairness at most {} times, by an inductive invariant",
            certificate.bound
        ),
        Evidence::Fixpoints(proof) => {
            let sets = proof.operators.iter().chain(&proof.unfair).chain(&proof.fair);
            let stages: usize = (sets.flat_map(|set| &set.progress))
                .map(|progress| progress.stages.len())
                .sum();
            let of = match proof.monitored {
                true => "no path that violates it is fair",
                false => "a set of states for each operator",
            };
            format!("{of}, with {stages} ranks")
        }
        Evidence::Modal(abstracted) => format!(
            "an abstract model of {} states, in which it is decided",
            abstracted.kmts.state_count()
        ),
    }
}

/// A formula whose last parts were left out, with their number in place of a mark for each.
fn without_empty_parts(formula: &str) -> String {
    let mut rest = formula;
    let mut left_out = 0;
    while let Some(shorter) = rest.strip_suffix(" & …") {
        rest = shorter;
        left_out += 1;
    }
    match left_out {
        0 => formula.to_owned(),
        1 => format!("{rest} & …"),
        many => format!("{rest} & … ({many} parts more)"),
    }
}
