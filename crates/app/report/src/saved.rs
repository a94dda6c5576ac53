//! Saved evidence: one JSON document holds the answer to one property with its evidence, and all that is shown about it, so that it can be
//! looked at without the model.
//!
//! ```json
//! {"entail": "0.1.0", "format": "entail-evidence", "model": "mutex.smv", "language": "smv",
//!  "property": {"name": "live", "formula": "G (p1 = trying -> F p1 = critical)", "logic": "ltl"},
//!  "verdict": "fails", "guarantee": "complete", "engine": "explicit", "dead_ends": "infinite", "value": null,
//!  "evidence": {"kind": "lasso", "trace": {…}},
//!  "view": {"shown": {"exhibits": […]}, "check": {"status": "accepted"}, "seconds": 0.02, "because": "…", "source": {"text": "…", "place": [0, 9]}}}
//! ```
//!
//! The key `evidence` is the family's: `certify` reads it, with the model. The key `view` is written here and read here: what the
//! family showed when the document was written, what the checker said, and the model's text if it is not long. It is for eyes only. A document
//! without a property is a walk. Keys are only ever added; readers ignore keys they do not know.

use crate::report::{AnswerReport, Report};
use entail_answer::{Answer, CheckReport, Statistics};
use entail_family::Heading;
use entail_logic::Logic;
use entail_show::Shown;
use entail_source::{Source, Span};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

/// Longer model texts are not saved.
const LONGEST_SOURCE: usize = 1 << 18;

/// What is saved for `view`.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Looks {
    shown: Shown,
    check: Option<CheckReport>,
    seconds: f64,
    because: String,
    source: Option<Text>,
}

/// The model's text, and where the property stands in it.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Text {
    text: String,
    place: Option<(usize, usize)>,
}

/// Adds to the document of an answer what is shown of it.
pub fn add_answer(document: &mut Json, source: &Source, answer: &AnswerReport<'_>) {
    let fits = !source.text().is_empty() && source.text().len() <= LONGEST_SOURCE;
    let looks = Looks {
        shown: answer.shown.for_file(),
        check: answer.checked.cloned(),
        seconds: answer.seconds,
        because: answer.because.to_owned(),
        source: fits.then(|| Text {
            text: source.text().to_owned(),
            place: answer.heading.place.map(|span| (span.start, span.end)),
        }),
    };
    add(document, &looks);
}

/// Adds to the document of a walk what is shown of it.
pub fn add_walk(document: &mut Json, shown: &Shown) {
    let looks = Looks {
        shown: shown.for_file(),
        ..Looks::default()
    };
    add(document, &looks);
}

fn add(document: &mut Json, looks: &Looks) {
    if let Json::Object(map) = document {
        map.insert("view".into(), json!(looks));
    }
}

/// A saved answer or walk, with all that reports need of it.
#[derive(Debug)]
pub struct Saved {
    /// What the property says; nothing if the document is a walk.
    pub heading: Option<Heading>,
    /// What is shown.
    pub shown: Shown,
    /// The model's text, with its name; empty if it was not saved.
    pub source: Source,
    language: String,
    engine: String,
    because: String,
    answer: Answer,
    checked: Option<CheckReport>,
    seconds: f64,
    evidence: Option<Map<String, Json>>,
    details: Map<String, Json>,
    figures: Statistics,
}

impl Saved {
    /// The report of a run that decided this property alone; nothing for a walk.
    pub fn report(&self) -> Option<Report<'_>> {
        let answer = AnswerReport {
            heading: self.heading.as_ref()?,
            position: 0,
            engine: &self.engine,
            because: &self.because,
            answer: &self.answer,
            checked: self.checked.as_ref(),
            seconds: self.seconds,
            shown: &self.shown,
            evidence: self.evidence.as_ref(),
            details: &self.details,
            failure: None,
        };
        Some(Report {
            name: self.source.name(),
            language: &self.language,
            settings: &self.details,
            figures: &self.figures,
            source: &self.source,
            answers: vec![answer],
            graph: None,
            coverage: None,
            seconds: self.seconds,
            peak_memory_bytes: None,
        })
    }
}

/// Reads a saved answer or a saved walk. An error says what is wrong and where.
pub fn read(text: &str) -> Result<Saved, String> {
    let document: Json = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        let (line, column) = (error.line(), error.column());
        format!("not a JSON document: {message} at line {line}, column {column}")
    })?;
    saved(&document).map_err(|problem| format!("not saved evidence: {problem}"))
}

fn saved(document: &Json) -> Result<Saved, String> {
    if !document.is_object() {
        return Err("expected an object".into());
    }
    let format = &document["format"];
    if !format.is_null() && format.as_str() != Some("entail-evidence") {
        return Err("at `format`: expected \"entail-evidence\"".into());
    }
    let text = |key: &str| document[key].as_str().unwrap_or("").to_owned();
    let heading = match &document["property"] {
        Json::Null => None,
        property => Some(heading(property)?),
    };
    let answer = match heading.is_some() {
        true => Answer::from_json(document, None).map_err(|problem| format!("at {problem}"))?,
        false => Answer::unknown(String::new()),
    };
    if document["view"].is_null() {
        return Err("at `view`: this is missing; what an earlier version saved is judged with its model by `entail certify`".into());
    }
    let looks: Looks =
        serde_json::from_value(document["view"].clone()).map_err(|error| format!("at `view`: {error}"))?;
    let shown = looks.shown;
    shown.check().map_err(|what| format!("at `view.shown`: {what}"))?;
    let source = looks.source.unwrap_or_default();
    let place = source.place.filter(|(start, end)| start <= end);
    Ok(Saved {
        heading: heading.map(|heading| Heading {
            place: place.map(|(start, end)| Span::new(start, end)),
            ..heading
        }),
        shown,
        source: Source::new(text("model"), source.text),
        language: text("language"),
        engine: text("engine"),
        because: looks.because,
        answer,
        checked: looks.check,
        seconds: looks.seconds,
        evidence: document["evidence"].as_object().cloned(),
        details: Map::new(),
        figures: Statistics::default(),
    })
}

fn heading(property: &Json) -> Result<Heading, String> {
    let formula = property["formula"].as_str();
    let formula = formula.ok_or("at `property.formula`: expected a string")?;
    let logic = property["logic"].as_str().and_then(Logic::named);
    let logic = logic.ok_or("at `property.logic`: expected the name of a logic")?;
    let mut heading = Heading::new(formula, logic, None);
    heading.name = property["name"].as_str().map(String::from);
    Ok(heading)
}
