//! Refutations as Alethe proofs: each is in order, and accepted by the checker that `ENTAIL_CARCARA` names, if it does.

use entail_budget::Budget;
use entail_first_order::sexpr::{Node, Reader, Sexpr};
use entail_first_order::{Refutation, Refuter, SortId, TermId, Terms};
use entail_proof::first_order::{AletheProof, alethe};
use entail_smt::ProvingRefuter;
use entail_unbounded::{ScriptOptions, run_script};
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
    judge_proof(&alethe(terms, formulas, refutation), name);
}

fn judge_proof(proof: &AletheProof, name: &str) {
    if let Err(why) = is_in_order(proof) {
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

/// Rows of factors of x, y and z, with the least and the largest value of the sum.
type Rows = [([i64; 3], Option<i64>, Option<i64>)];

#[test]
fn what_is_rounded_is_proved_without_holes() {
    let problems: [&Rows; 5] = [
        &[([3, 3, 0], Some(1), Some(2))],
        &[([4, 6, -2], Some(1), Some(1))],
        &[
            ([6, -10, 15], Some(1), Some(1)),
            ([0, 0, 2], Some(2), Some(2)),
            ([3, -5, 0], Some(-7), Some(-7)),
            ([2, 4, 6], Some(1), Some(1)),
        ],
        &[
            ([2, 2, 0], Some(1), None),
            ([1, 1, 0], None, Some(0)),
            ([1, 0, 0], Some(0), None),
        ],
        &[
            ([2, -3, 0], Some(1), Some(1)),
            ([4, 3, 0], Some(3), Some(4)),
            ([1, 1, 0], Some(-9), Some(9)),
        ],
    ];
    for (number, rows) in problems.iter().enumerate() {
        let mut terms = Terms::new();
        let variables = ["x", "y", "z"].map(|name| terms.constant(name, SortId::INT));
        let mut formulas = Vec::new();
        for (factors, least, most) in rows.iter() {
            let parts: Vec<TermId> = (factors.iter().zip(variables))
                .filter(|(factor, _)| **factor != 0)
                .map(|(&factor, variable)| {
                    let factor = terms.int(factor);
                    terms.mul(&[factor, variable], SortId::INT)
                })
                .collect();
            let sum = terms.add(&parts, SortId::INT);
            if let Some(least) = least {
                let least = terms.int(*least);
                formulas.push(terms.le(least, sum));
            }
            if let Some(most) = most {
                let most = terms.int(*most);
                formulas.push(terms.le(sum, most));
            }
        }
        let refuted = ProvingRefuter.refute(&mut terms, &formulas, &Budget::unlimited());
        let refutation = refuted.unwrap_or_else(|why| panic!("problem {number}: {why}"));
        judge(&terms, &formulas, &refutation, &format!("problem {number}"));
        let proof = alethe(&terms, &formulas, &refutation);
        assert_eq!(
            proof.holes, 0,
            "problem {number}\n{}{}",
            proof.problem, proof.steps
        );
    }
}

#[test]
fn axioms_of_arrays_and_quotients_are_instances_and_no_holes() {
    let declared = "(declare-const a (Array Int Int))(declare-const b (Array Int Int))(declare-const p (Array Int Bool))\
        (declare-const i Int)(declare-const j Int)(declare-const r Real)";
    for formulas in [
        "(= (div i 3) j) (> (* 3 j) i)",
        "(= (div i 3) j) (> (- i (* 3 j)) 2)",
        "(= (mod i (- 5)) 7)",
        "(> (to_real (to_int r)) r)",
        "(<= (+ 1.0 (to_real (to_int r))) r)",
        "(not (select (store p i true) i))",
        "(= p (store p i false)) (select p i)",
        "(not (= (store (store a i 1) j 2) (store (store a j 2) i 1))) (not (= i j))",
        "(= b (store a 1 2)) (not (= (select b 3) (select a 3)))",
        "(= (store a 1 2) ((as const (Array Int Int)) 7)) (> (select a 3) 8)",
        "(= (store a i 1) b) (= (select b i) j) (> j 1)",
    ] {
        let script = format!("{declared}(assert (and {formulas} true))(check-sat)");
        let options = ScriptOptions {
            proof: true,
            ..ScriptOptions::default()
        };
        let mut said = Vec::new();
        let outcome = run_script(&script, options, &Budget::unlimited(), &mut |line| {
            said.push(line.to_owned())
        });
        assert_eq!(said, ["unsat"], "{formulas}");
        let proof = outcome
            .proof
            .unwrap_or_else(|| panic!("{formulas}: there is no proof"));
        judge_proof(&proof, formulas);
        assert_eq!(proof.holes, 0, "{formulas}\n{}{}", proof.problem, proof.steps);
    }
}
