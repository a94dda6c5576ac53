//! The models of `$ENTAIL_BENCH/smv` against NuSMV's own verdicts (`nusmv_verdicts.tsv`). No verdict may differ; what is not
//! decided in a few seconds is counted, not asserted. Skipped, and said so, where the folder does not exist.

mod program;

use program::{Program, bench_folder};
use serde_json::Value;
use std::collections::BTreeMap;

/// Text of a formula without what printers differ in.
fn plain(formula: &str) -> String {
    formula
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '(' && *c != ')')
        .collect::<String>()
        .to_lowercase()
}

/// Large models belong to the benchmark, not to CI.
const LARGEST: u64 = 40_000;

#[test]
fn verdicts_agree_with_nusmv_on_every_small_model() {
    let Some(bench) = bench_folder("smv") else {
        println!("skipped: there is no bench folder (set ENTAIL_BENCH)");
        return;
    };
    let table = std::fs::read_to_string(bench.join("nusmv_verdicts.tsv")).expect("the table of verdicts");
    let mut expected: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let mut columns = line.split('\t');
        if let (Some(model), Some(formula), Some(verdict)) = (columns.next(), columns.next(), columns.next())
        {
            expected.entry(model).or_default().push((formula, verdict));
        }
    }
    let (mut agreed, mut unmatched, mut undecided, mut wrong) = (0, 0, Vec::new(), Vec::new());
    for (model, rows) in expected {
        let path = bench.join(model);
        if std::fs::metadata(&path).map_or(true, |file| file.len() > LARGEST) {
            continue;
        }
        let run = Program::check(&path).args(["--json", "--timeout", "5s"]).run();
        let errors_expected = rows.iter().any(|(_, verdict)| *verdict == "error");
        if errors_expected {
            match run.status {
                65 => agreed += 1,
                other => wrong.push(format!("{model}: NuSMV rejects it, Entail exits with {other}")),
            }
            continue;
        }
        let Some(properties) = run.json().and_then(|json| json["properties"].as_array().cloned()) else {
            if rows
                .iter()
                .any(|(_, verdict)| matches!(*verdict, "true" | "false"))
            {
                wrong.push(format!(
                    "{model}: exit {}: {}",
                    run.status,
                    run.first_error_line()
                ));
            }
            continue;
        };
        for (formula, verdict) in rows {
            let expected = match verdict {
                "true" => "holds",
                "false" => "fails",
                _ => continue,
            };
            // NuSMV prints some formulas rewritten; those are compared where the model has only one.
            let same = |p: &&Value| plain(p["formula"].as_str().unwrap_or("")) == plain(formula);
            let only = if let [only] = properties.as_slice() {
                Some(only)
            } else {
                None
            };
            let Some(found) = properties.iter().find(same).or(only) else {
                unmatched += 1;
                continue;
            };
            match found["verdict"].as_str() {
                Some("unknown") => undecided.push(format!("{model}: {formula}: {}", found["reason"])),
                Some(ours) if ours == expected => agreed += 1,
                ours => wrong.push(format!("{model}: {formula}: {ours:?}, NuSMV says {expected}")),
            }
        }
    }
    println!(
        "{agreed} agreed, {} undecided, {} wrong, {unmatched} without a counterpart",
        undecided.len(),
        wrong.len()
    );
    for line in &undecided {
        println!("undecided: {line}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        unmatched < 20,
        "{unmatched} verdicts of NuSMV have no counterpart"
    );
    assert!(agreed > 200, "only {agreed} verdicts were compared");
}
