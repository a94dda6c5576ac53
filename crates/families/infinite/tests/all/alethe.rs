//! Refutations as Alethe proofs: each is in order, and accepted by the checker that `ENTAIL_CARCARA` names, if it does.

use entail_first_order::sexpr::{Node, Reader, Sexpr};
use entail_first_order::{Refutation, TermId, Terms};
use entail_proof::first_order::{AletheProof, alethe};
use std::collections::HashSet;
use std::process::Command;

fn parts(expression: &Sexpr) -> &[Sexpr] {
    expression.list().unwrap_or_default()
}

fn word(expression: &Sexpr) -> &str {
    match &expression.node {
        Node::Atom(_, text) => text,
        Node::List(_) => "",
    }
}

/// Whether every premise is a step before, the last step is the empty clause, and as many steps are holes as it says.
fn is_in_order(proof: &AletheProof) -> Result<(), String> {
    let mut known: HashSet<String> = HashSet::new();
    let (mut holes, mut ends) = (0, false);
    for step in Reader::new(&proof.steps)
        .all()
        .map_err(|error| error.to_string())?
    {
        let step = parts(&step);
        if word(&step[0]) == "define-fun" {
            continue;
        }
        if word(&step[0]) == "step" {
            ends = parts(&step[2]).len() == 1;
            for pair in step[3..].chunks(2) {
                holes += usize::from(word(&pair[0]) == ":rule" && word(&pair[1]) == "hole");
                if word(&pair[0]) == ":premises"
                    && let Some(stranger) = parts(&pair[1]).iter().find(|one| !known.contains(word(one)))
                {
                    return Err(format!("{} is no step before", word(stranger)));
                }
            }
        }
        if !known.insert(word(&step[1]).to_owned()) {
            return Err(format!("{} is there twice", word(&step[1])));
        }
    }
    match (ends, holes == proof.holes) {
        (false, _) => Err("the last clause is not empty".into()),
        (true, false) => Err(format!("{holes} holes, and it says {}", proof.holes)),
        (true, true) => Ok(()),
    }
}

/// Writes a refutation as an Alethe proof, and has it judged.
pub fn judge(terms: &Terms, formulas: &[TermId], refutation: &Refutation, name: &str) {
    let proof = alethe(terms, formulas, refutation);
    if let Err(why) = is_in_order(&proof) {
        panic!("{name}: {why}\n{}{}", proof.problem, proof.steps);
    }
    let Ok(carcara) = std::env::var("ENTAIL_CARCARA") else {
        return;
    };
    let place = tempfile::tempdir().expect("a folder");
    let (steps, problem) = (place.path().join("proof"), place.path().join("problem.smt2"));
    std::fs::write(&steps, &proof.steps).expect("written");
    std::fs::write(&problem, &proof.problem).expect("written");
    let said = Command::new(carcara)
        .args(["check", "--expand-let-bindings", "--ignore-unknown-rules"])
        .args([&steps, &problem])
        .output()
        .expect("the checker runs");
    let verdict = String::from_utf8_lossy(&said.stdout);
    let is_accepted = match proof.holes {
        0 => verdict.trim() == "valid",
        _ => verdict.trim() == "holey",
    };
    let complaint = String::from_utf8_lossy(&said.stderr);
    assert!(
        is_accepted,
        "{name}: {verdict}{complaint}\n{}{}",
        proof.problem, proof.steps
    );
}
