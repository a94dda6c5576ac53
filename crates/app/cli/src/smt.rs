//! `entail smt`: the commands of an SMT-LIB script, answered in the order they come, by us, by another solver, or by all there are.

use crate::arguments::Smt;
use crate::failure::{CommandError, INPUT, INTERNAL};
use crate::load::{read_text, write_text};
use crate::other_solvers::{OtherSolver, answers};
use crate::terminal::{print, print_json, say};
use entail::{AletheProof, ScriptOptions, run_script};
use entail_budget::Budget;
use serde_json::json;
use std::path::Path;

pub fn run(options: &Smt) -> Result<u8, CommandError> {
    let text = read_text(&options.script)?;
    match options.solver.as_deref() {
        None | Some("entail") => {}
        Some("all") => return beside_others(options, &text),
        Some(name) => {
            let solver = OtherSolver::named(name)?;
            let said = solver.run(&text, &budget(options))?;
            print(&said.text);
            if said.is_stopped {
                say(&format!(
                    "entail: {} was stopped: the time is over\n",
                    solver.name
                ));
            }
            return Ok(0);
        }
    }
    let mut said: Vec<String> = Vec::new();
    let (status, proof) = ours(options, &text, &mut |answer| match options.json {
        true => said.push(answer.to_owned()),
        false => print(&format!("{answer}\n")),
    });
    if let Some(path) = &options.proof {
        write_proof(path, proof.as_ref())?;
    }
    if options.json {
        let document = json!({ "solver": "entail", "answers": said, "exit": status });
        print_json(&format!("{document}\n"));
    }
    Ok(status)
}

fn budget(options: &Smt) -> Budget {
    Budget::unlimited().with_timeout(options.timeout)
}

/// Writes a proof, and beside it what it refutes.
fn write_proof(path: &Path, proof: Option<&AletheProof>) -> Result<(), CommandError> {
    let Some(proof) = proof else {
        say("entail: no proof was written: no answer was `unsat`, or not by a proof of this form\n");
        return Ok(());
    };
    let mut problem = path.as_os_str().to_owned();
    problem.push(".smt2");
    write_text(path, &proof.steps)?;
    write_text(Path::new(&problem), &proof.problem)?;
    if proof.holes > 0 {
        say(&format!("entail: {} steps of the proof are holes\n", proof.holes));
    }
    Ok(())
}

/// Our own solver's answers; the exit status, and the last proof if it was asked for.
fn ours(options: &Smt, text: &str, out: &mut dyn FnMut(&str)) -> (u8, Option<AletheProof>) {
    let wanted = ScriptOptions {
        minimal_core: options.minimal_core,
        proof: options.proof.is_some(),
    };
    let outcome = run_script(text, wanted, &budget(options), out);
    for problem in &outcome.internal {
        say(&format!("entail: internal error: {problem}\n"));
    }
    if options.verbose {
        for note in &outcome.notes {
            say(&format!("entail: {note}\n"));
        }
    }
    let status = match (outcome.internal.is_empty(), outcome.errors) {
        (false, _) => INTERNAL,
        (true, 0) => 0,
        (true, _) => INPUT,
    };
    (status, outcome.proof)
}

/// The answers of all solvers side by side; an exit status for contradictions.
fn beside_others(options: &Smt, text: &str) -> Result<u8, CommandError> {
    let mut said = String::new();
    let (status, _) = ours(options, text, &mut |answer| {
        said.push_str(answer);
        said.push('\n');
    });
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    let owned = |answers: Vec<&str>| answers.into_iter().map(str::to_owned).collect::<Vec<_>>();
    rows.push(("entail".into(), owned(answers(&said))));
    for solver in OtherSolver::installed() {
        if options.verbose {
            say(&format!("entail: {}\n", solver.version().unwrap_or_default()));
        }
        let said = solver.run(text, &budget(options))?;
        rows.push((solver.name.clone(), owned(said.answers())));
    }
    let is_contradiction = |a: &String, b: &String| a != b && a != "unknown" && b != "unknown";
    let mut differing: Vec<&str> = Vec::new();
    let mine = &rows[0].1;
    for (name, theirs) in &rows[1..] {
        if mine.iter().zip(theirs).any(|(a, b)| is_contradiction(a, b)) {
            differing.push(name);
        }
    }
    if options.json {
        let table: serde_json::Map<_, _> = (rows.iter().cloned())
            .map(|(name, answers)| (name, json!(answers)))
            .collect();
        print_json(&format!(
            "{}\n",
            json!({ "solvers": table, "contradicted by": differing })
        ));
    } else {
        for (name, answers) in &rows {
            print(&format!("{name}: {}\n", answers.join(" ")));
        }
    }
    if !differing.is_empty() {
        say(&format!("entail: contradicted by {}\n", differing.join(", ")));
        return Ok(INTERNAL);
    }
    Ok(status)
}
