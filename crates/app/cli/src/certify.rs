//! `entail certify`: the checkers alone.

use crate::arguments::Certify;
use crate::failure::{FAILS, HOLDS, Stop, UNKNOWN};
use crate::load::{Warnings, load, read_text};
use crate::terminal::print;
use entail::Certified;
use entail_budget::Budget;
use entail_evidence::{CheckReport, Verdict};
use serde_json::json;

pub fn run(options: &Certify) -> Result<u8, Stop> {
    let mut model = load(&options.model, options.language.as_deref(), Warnings::Silent)?;
    let text = read_text(&options.evidence)?;
    let budget = Budget::unlimited().with_timeout(options.timeout);
    let certified = entail::certify(&mut model, &text, &budget)
        .map_err(|error| Stop::input(format!("{}: {error}", options.evidence.display())))?;
    let statuses: Vec<u8> = certified.iter().map(|one| show(one, options.json)).collect();
    // A rejected claim is worse than one that could not be checked.
    let worst = [FAILS, UNKNOWN]
        .into_iter()
        .find(|status| statuses.contains(status));
    Ok(worst.unwrap_or(HOLDS))
}

/// Prints what became of one claim; gives the exit status it calls for.
fn show(certified: &Certified, as_json: bool) -> u8 {
    let claim = match certified.verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
        Verdict::Unknown => "unknown",
    };
    let (word, status, detail) = match (&certified.report, certified.verdict) {
        (_, Verdict::Unknown) => ("unknown", UNKNOWN, "the file claims nothing".to_owned()),
        (CheckReport::Accepted, _) => ("accepted", HOLDS, String::new()),
        (CheckReport::Partly { unchecked }, _) => ("partly", UNKNOWN, unchecked.join("; ")),
        (CheckReport::Rejected { reason }, _) => ("rejected", FAILS, reason.clone()),
    };
    if as_json {
        let document = json!({
            "formula": certified.property.text, "verdict": claim, "evidence": word, "detail": detail,
        });
        print(&format!("{document}\n"));
    } else {
        print(&format!("{word}: {claim}  {}\n", certified.property.text));
        if !detail.is_empty() {
            print(&format!("  {detail}\n"));
        }
    }
    status
}
