//! The models of the benchmark folder: those that NuSMV reads are read, those it refuses are refused.

use crate::support;
use entail_source::Source;
use std::collections::BTreeSet;
use std::path::Path;

fn models(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "smv") {
            found.push(path);
        }
    }
}

#[test]
fn every_model_is_accepted_or_refused_as_by_nusmv() {
    let Some(bench) = support::bench() else {
        return;
    };
    let verdicts = std::fs::read_to_string(bench.join("nusmv_verdicts.tsv")).expect("recorded verdicts");
    let (mut refused, mut answered) = (BTreeSet::new(), BTreeSet::new());
    for line in verdicts.lines().skip(1) {
        let mut fields = line.split('\t');
        let (Some(model), Some(_), Some(verdict)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        match verdict {
            "error" => refused.insert(model.to_string()),
            "true" | "false" => answered.insert(model.to_string()),
            _ => false,
        };
    }
    let mut paths = Vec::new();
    models(&bench, &mut paths);
    paths.sort();
    let mut differences = Vec::new();
    for path in paths {
        let name = path
            .strip_prefix(&bench)
            .expect("found below it")
            .to_string_lossy()
            .to_string();
        let bytes = std::fs::read(&path).expect("a readable model");
        let outcome = entail_smv::read(&Source::new(&name, String::from_utf8_lossy(&bytes)));
        match outcome {
            Ok(_) if refused.contains(&name) => {
                differences.push(format!("{name}: accepted, NuSMV refuses it"))
            }
            Err(diagnostics) if answered.contains(&name) => {
                differences.push(format!("{name}: {diagnostics}"))
            }
            _ => {}
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
