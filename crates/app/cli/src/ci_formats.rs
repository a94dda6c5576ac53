//! The results of several models in the forms that CI systems read: JUnit's XML and SARIF.

use crate::batch::{Checked, judged, missing};
use crate::failure::FAILS;
use serde_json::{Value as Json, json};

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(letter),
            letter if letter.is_control() => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

/// The form that CI systems read test results in.
pub fn junit(all: &[Checked]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"entail\">\n");
    for checked in all {
        let name = escaped(&checked.job.file.display().to_string());
        let mut cases = String::new();
        let (mut tests, mut failures, mut errors) = (0, 0, 0);
        if let Some(document) = &checked.document {
            for (property, label, verdict, wanted) in judged(&checked.job, document) {
                tests += 1;
                let seconds = property["seconds"].as_f64().unwrap_or(0.0);
                let formula = property["formula"].as_str().unwrap_or("");
                let title = escaped(&format!("{label}: {formula}"));
                cases +=
                    &format!("    <testcase classname=\"{name}\" name=\"{title}\" time=\"{seconds:.3}\"");
                if verdict == wanted {
                    cases += "/>\n";
                    continue;
                }
                failures += 1;
                let reason = property["reason"].as_str().unwrap_or("");
                let message = escaped(format!("{verdict}, expected: {wanted}. {reason}").trim_end());
                cases += &format!(">\n      <failure message=\"{message}\"/>\n    </testcase>\n");
            }
            // A strict run fails for other reasons than verdicts.
            if failures == 0 && missing(&checked.job, document).is_empty() && checked.status() == FAILS {
                (tests, failures) = (tests + 1, failures + 1);
                let warnings = judged(&checked.job, document)
                    .flat_map(|(property, ..)| property["warnings"].as_array().into_iter().flatten())
                    .filter_map(Json::as_str);
                let warnings: Vec<&str> = warnings.collect();
                let message = match warnings.is_empty() {
                    true => "the model has no properties".to_owned(),
                    false => warnings.join("; "),
                };
                cases += &format!(
                    "    <testcase classname=\"{name}\" name=\"strict\">\n      <failure message=\"{}\"/>\n    </testcase>\n",
                    escaped(&message)
                );
            }
            for label in missing(&checked.job, document) {
                (tests, failures) = (tests + 1, failures + 1);
                let label = escaped(label);
                cases += &format!(
                    "    <testcase classname=\"{name}\" name=\"{label}\">\n      <failure message=\"there is no such property\"/>\n    </testcase>\n"
                );
            }
        }
        if let Some(error) = checked.error() {
            (tests, errors) = (tests + 1, errors + 1);
            let error = escaped(&error);
            cases += &format!(
                "    <testcase classname=\"{name}\" name=\"read\">\n      <error message=\"{error}\"/>\n    </testcase>\n"
            );
        }
        out += &format!(
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">\n{cases}  </testsuite>\n"
        );
    }
    out + "</testsuites>\n"
}

/// SARIF 2.1.0: what fails, what is unknown, what was warned of, what is wrong with texts.
pub fn sarif(all: &[Checked]) -> Json {
    let mut results = Vec::new();
    for checked in all {
        let file = checked.job.file.display().to_string();
        let mut add = |rule: &str, level: &str, text: String, place: &Json| {
            let line = place["line"].as_u64().unwrap_or(1);
            let column = place["column"].as_u64().unwrap_or(1);
            let file = place["file"].as_str().unwrap_or(&file);
            results.push(json!({
                "ruleId": rule, "level": level, "message": {"text": text},
                "locations": [{"physicalLocation": {
                    "artifactLocation": {"uri": file},
                    "region": {"startLine": line, "startColumn": column},
                }}],
            }));
        };
        let Some(document) = &checked.document else {
            add("error", "error", checked.error().unwrap_or_default(), &Json::Null);
            continue;
        };
        for (property, name, verdict, wanted) in judged(&checked.job, document) {
            let formula = property["formula"].as_str().unwrap_or("");
            let place = &property["place"];
            if verdict != wanted {
                let level = if verdict == "unknown" { "warning" } else { "error" };
                add(verdict, level, format!("{verdict}: {formula} ({name})"), place);
            }
            let kinds = property["warning_kinds"].as_array();
            let warnings = property["warnings"].as_array().into_iter().flatten();
            for (number, warning) in warnings.enumerate() {
                let kind = kinds
                    .and_then(|kinds| kinds.get(number)?.as_str())
                    .unwrap_or("other");
                let text = warning.as_str().unwrap_or("");
                add(kind, "warning", format!("{formula} ({name}): {text}"), place);
            }
        }
        for error in document["errors"].as_array().into_iter().flatten() {
            let text = |key: &str| error[key].as_str().unwrap_or("").to_owned();
            add(&text("code"), "error", text("message"), error);
        }
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "entail", "version": env!("CARGO_PKG_VERSION")}},
            "results": results,
        }],
    })
}
