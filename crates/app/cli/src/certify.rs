//! `entail certify`: saved evidence against a model, without any engine.

use crate::Context;
use crate::arguments::Certify;
use crate::failure::{CommandError, FAILS, HOLDS, UNKNOWN};
use crate::load::{origin, read_text};
use crate::terminal::{note, print, print_json};
use entail_answer::{CheckReport, Verdict};
use entail_budget::Budget;
use entail_family::{Command, ReadError};
use serde_json::json;

pub fn run(options: &Certify, context: &Context) -> Result<u8, CommandError> {
    let budget = Budget::unlimited().with_timeout(options.timeout);
    let origin = origin(&options.model, options.language.as_deref());
    let mut loaded = context
        .table
        .load(&origin, Command::Certify, &context.options, &budget)?;
    let text = read_text(&options.evidence)?;
    let name = options.evidence.display();
    let digest = loaded.digest.to_string();
    let certified = entail::certify(&mut *loaded.model, &digest, &text, &context.options, &budget);
    let certified = match certified {
        Ok(certified) => certified,
        Err(ReadError::False(reason)) => {
            return Ok(show(
                "",
                Verdict::Unknown,
                &CheckReport::Rejected { reason },
                options.json,
            ));
        }
        Err(error) => return Err(CommandError::input(format!("{name}: {error}"))),
    };
    for text in certified.iter().flat_map(|one| &one.notes) {
        note!("entail: {name} {text}");
    }
    let statuses: Vec<u8> = certified
        .iter()
        .map(|one| {
            let formula = &loaded.model.properties()[one.property].text;
            show(formula, one.answer.verdict, &one.report, options.json)
        })
        .collect();
    // A rejected claim is worse than one that could not be checked.
    let worst = [FAILS, UNKNOWN]
        .into_iter()
        .find(|status| statuses.contains(status));
    Ok(worst.unwrap_or(HOLDS))
}

/// Prints what became of one claim; gives the exit status it calls for.
fn show(formula: &str, verdict: Verdict, report: &CheckReport, as_json: bool) -> u8 {
    let claim = verdict.name();
    let (word, status, detail) = match (report, verdict) {
        (CheckReport::Rejected { reason }, _) => ("rejected", FAILS, reason.clone()),
        (_, Verdict::Unknown) => ("unknown", UNKNOWN, "the file claims nothing".to_owned()),
        (CheckReport::Accepted, _) => ("accepted", HOLDS, String::new()),
        (CheckReport::Partly { unchecked }, _) => ("partly", UNKNOWN, unchecked.join("; ")),
    };
    if as_json {
        let document = json!({"formula": formula, "verdict": claim, "evidence": word, "detail": detail});
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
