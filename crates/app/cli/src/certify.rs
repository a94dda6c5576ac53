//! `entail certify`: the checkers alone.

use crate::arguments::Certify;
use crate::failure::{FAILS, HOLDS, Stop, UNKNOWN};
use crate::limits::Limits;
use crate::load::{Warnings, load_any, read_text};
use crate::terminal::{note, print, print_json};
use entail::{AnyModel, CertifyError, ProgramModel, certify_program};
use entail_evidence::json::ReadError;
use entail_evidence::{CheckReport, Verdict};
use entail_report::program::trace;
use serde_json::{Value as Json, json};

pub fn run(options: &Certify) -> Result<u8, Stop> {
    let budget = Limits::new(options.timeout, None).budget();
    let loaded = load_any(
        &options.model,
        options.language.as_deref(),
        None,
        &options.preprocessor,
        Warnings::Silent,
        &budget,
    )?;
    let text = read_text(&options.evidence)?;
    let mut model = match loaded {
        AnyModel::Program(model) => return program(*model, &text, options),
        AnyModel::System(model) => model,
    };
    let certified = match entail::certify(&mut model, &text, &budget) {
        Ok(certified) => certified,
        Err(error) => return refused(&error, options),
    };
    for one in &certified {
        one.notes.iter().for_each(|text| say(options, text));
    }
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

/// Something about the file that does not make it wrong.
fn say(options: &Certify, text: &str) {
    note!("entail: {} {text}", options.evidence.display());
}

/// A file that is not as it was written, or claims one thing under the name of another, is rejected; one that cannot be understood is an error.
fn refused(error: &CertifyError, options: &Certify) -> Result<u8, Stop> {
    match error {
        CertifyError::Read(ReadError::Damaged) | CertifyError::Misnamed { .. } => {
            let report = CheckReport::Rejected {
                reason: error.to_string(),
            };
            Ok(show("", Verdict::Unknown, &report, options.json))
        }
        _ => Err(Stop::input(format!("{}: {error}", options.evidence.display()))),
    }
}

/// Evidence about a program. What the document shows besides the steps must be what the run does.
fn program(mut model: ProgramModel, text: &str, options: &Certify) -> Result<u8, Stop> {
    let mut certified = match certify_program(&mut model, text) {
        Ok(certified) => certified,
        Err(error) => return refused(&error, options),
    };
    certified.notes.iter().for_each(|text| say(options, text));
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
        (CheckReport::Rejected { reason }, _) => ("rejected", FAILS, reason.clone()),
        (_, Verdict::Unknown) => ("unknown", UNKNOWN, "the file claims nothing".to_owned()),
        (CheckReport::Accepted, _) => ("accepted", HOLDS, String::new()),
        (CheckReport::Partly { unchecked }, _) => ("partly", UNKNOWN, unchecked.join("; ")),
    };
    if as_json {
        let document = json!({
            "formula": formula, "verdict": claim, "evidence": word, "detail": detail,
        });
        print_json(&format!("{document}\n"));
    } else {
        match formula {
            "" => print(&format!("{word}\n")),
            formula => print(&format!("{word}: {claim}  {formula}\n")),
        }
        if !detail.is_empty() {
            print(&format!("  {detail}\n"));
        }
    }
    status
}
