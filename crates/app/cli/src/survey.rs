//! What is asked about a model as a whole: `entail check --reachable`, say.

use crate::failure::{CommandError, HOLDS, UNKNOWN, meaningless};
use crate::load::write_text;
use crate::terminal::{note, print, print_json};
use entail_budget::{Budget, Progress};
use entail_family::{Model, Options};
use entail_report::table;
use serde_json::{Value as Json, json};
use std::time::Instant;

/// Makes the survey; prints it, and writes the files it has.
pub fn run(
    model: &dyn Model,
    options: &Options,
    json: bool,
    printed: bool,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<u8, CommandError> {
    let begun = Instant::now();
    let survey = match model.survey(options, budget, progress) {
        None => return Ok(HOLDS),
        Some(survey) => survey.map_err(|error| meaningless(model, &error))?,
    };
    if printed && json {
        let mut document = json!({
            "entail": env!("CARGO_PKG_VERSION"), "model": model.source().name(), "language": model.language(),
            "seconds": begun.elapsed().as_secs_f64(),
        });
        if let Json::Object(map) = &mut document {
            map.extend(survey.json.clone());
        }
        print_json(&format!("{document}\n"));
    } else if printed {
        print(&table::text(&survey.table));
    }
    for (path, text) in &survey.files {
        write_text(path, text)?;
    }
    match &survey.incomplete {
        Some(reason) => {
            note!("entail: {reason}");
            Ok(UNKNOWN)
        }
        None => Ok(HOLDS),
    }
}
