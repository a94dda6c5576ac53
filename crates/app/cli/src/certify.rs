//! `entail certify`: the checkers alone.

use crate::arguments::Certify;
use crate::failure::{FAILS, HOLDS, Stop, UNKNOWN};
use crate::load::{Warnings, load_any, read_text};
use crate::terminal::print;
use entail::{AnyModel, ProgramModel, certify_program};
use entail_budget::Budget;
use entail_evidence::{CheckReport, Verdict};
use entail_report::program::trace;
use serde_json::{Value as Json, json};

pub fn run(options: &Certify) -> Result<u8, Stop> {
    let loaded = load_any(
        &options.model,
        options.language.as_deref(),
        None,
        &options.preprocessor,
        Warnings::Silent,
    )?;
    let text = read_text(&options.evidence)?;
    let mut model = match loaded {
        AnyModel::Program(model) => return program(*model, &text, options),
        AnyModel::System(model) => model,
    };
    let budget = Budget::unlimited().with_timeout(options.timeout);
    let certified = entail::certify(&mut model, &text, &budget)
        .map_err(|error| Stop::input(format!("{}: {error}", options.evidence.display())))?;
    let statuses: Vec<u8> = certified
        .iter()
        .map(|one| show(&one.property.text, one.verdict, &one.report, options.json))
        .collect();
    // A rejected claim is worse than one that could not be checked.
    let worst = [FAILS, UNKNOWN]
        .into_iter()
        .find(|status| statuses.contains(status));
    Ok(worst.unwrap_or(HOLDS))
}

/// Evidence about a program. What the document shows besides the steps must be what the run does.
fn program(mut model: ProgramModel, text: &str, options: &Certify) -> Result<u8, Stop> {
    let mut certified = certify_program(&mut model, text)
        .map_err(|error| Stop::input(format!("{}: {error}", options.evidence.display())))?;
    if let (Some((run, replayed)), CheckReport::Accepted) = (&certified.run, &certified.report) {
        let true_one = trace(model.program(), run, replayed);
        if let Some(reason) = difference(&certified.saved, &true_one) {
            certified.report = CheckReport::Rejected { reason };
        }
    }
    let (text, verdict) = (&certified.requirement.text, certified.verdict);
    Ok(show(text, verdict, &certified.report, options.json))
}

/// Where what a document shows of a run is not what the run does. Files may have been moved, and keys be added.
fn difference(saved: &Json, real: &Json) -> Option<String> {
    let differs = |saved: &Json, real: &Json, place: &str| {
        let keys = real.as_object().into_iter().flatten();
        keys.filter(|(key, _)| *key != "file" && *key != "receiver" && *key != "steps")
            .find(|(key, value)| saved[key.as_str()] != **value)
            .map(|(key, value)| format!("{place} says {key}: {}; it is {value}", saved[key.as_str()]))
    };
    let steps = |trace: &Json| trace["steps"].as_array().cloned().unwrap_or_default();
    differs(saved, real, "the run").or_else(|| {
        let mut pairs = steps(saved).into_iter().zip(steps(real)).enumerate();
        pairs.find_map(|(position, (saved, real))| {
            let place = format!("step {}", position + 1);
            differs(&saved, &real, &place).or_else(|| {
                let receiver = format!("the receiver of {place}");
                differs(&saved["receiver"], &real["receiver"], &receiver)
            })
        })
    })
}

/// Prints what became of one claim; gives the exit status it calls for.
fn show(formula: &str, verdict: Verdict, report: &CheckReport, as_json: bool) -> u8 {
    let claim = match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
        Verdict::Unknown => "unknown",
    };
    let (word, status, detail) = match (report, verdict) {
        (_, Verdict::Unknown) => ("unknown", UNKNOWN, "the file claims nothing".to_owned()),
        (CheckReport::Accepted, _) => ("accepted", HOLDS, String::new()),
        (CheckReport::Partly { unchecked }, _) => ("partly", UNKNOWN, unchecked.join("; ")),
        (CheckReport::Rejected { reason }, _) => ("rejected", FAILS, reason.clone()),
    };
    if as_json {
        let document = json!({
            "formula": formula, "verdict": claim, "evidence": word, "detail": detail,
        });
        print(&format!("{document}\n"));
    } else {
        print(&format!("{word}: {claim}  {formula}\n"));
        if !detail.is_empty() {
            print(&format!("  {detail}\n"));
        }
    }
    status
}
