//! The circuits of `$ENTAIL_BENCH/hw` against what is known about them (`expected.tsv`). No verdict may differ; what is not decided in
//! two seconds is counted, not asserted. Skipped, and said so, where the folder does not exist.

mod program;

use program::{Program, bench_folder};
use std::collections::BTreeMap;

/// Large circuits belong to the benchmark, not to CI.
const LARGEST: u64 = 25_000;

#[test]
fn verdicts_on_small_circuits_are_the_known_ones() {
    let Some(bench) = bench_folder("hw") else {
        println!("skipped: there is no bench folder (set ENTAIL_BENCH)");
        return;
    };
    let table = std::fs::read_to_string(bench.join("expected.tsv")).expect("the table of verdicts");
    // Of each circuit: can some bad state be reached? Rows about single properties use another tool's numbering.
    let mut expected: BTreeMap<&str, bool> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let mut columns = line.split('\t');
        if let (Some(model), Some("bad reachable?"), Some(verdict)) =
            (columns.next(), columns.next(), columns.next())
        {
            match verdict {
                "safe" => expected.insert(model, false),
                "unsafe" => expected.insert(model, true),
                _ => None,
            };
        }
    }
    let (mut agreed, mut undecided, mut wrong) = (0, 0, Vec::new());
    for (model, reachable) in expected {
        let path = bench.join(model);
        if std::fs::metadata(&path).map_or(true, |file| file.len() > LARGEST) {
            continue;
        }
        let run = Program::check(&path).args(["--json", "--timeout", "2s"]).run();
        let Some(properties) = run.json().and_then(|json| json["properties"].as_array().cloned()) else {
            wrong.push(format!(
                "{model}: exit {}: {}",
                run.status,
                run.first_error_line()
            ));
            continue;
        };
        let any = |verdict: &str| properties.iter().any(|property| property["verdict"] == verdict);
        match (any("fails"), any("unknown")) {
            (true, _) if reachable => agreed += 1,
            (true, _) => wrong.push(format!("{model}: a property fails, but the circuit is safe")),
            (false, true) => undecided += 1,
            (false, false) if reachable => wrong.push(format!("{model}: all hold, but a bad state is known")),
            (false, false) => agreed += 1,
        }
    }
    println!("{agreed} agreed, {undecided} undecided");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(agreed > 20, "only {agreed} verdicts were compared");
}
