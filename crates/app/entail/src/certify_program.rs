//! Re-checking saved evidence about programs: the interpreter alone repeats a run, or searches a small model again.

use crate::certify::notes;
use crate::{CertifyError, ProgramModel};
use entail_evidence::json::check_seal;
use entail_evidence::{CheckReport, Verdict};
use entail_program::{Question, Replayed, Requirement, Run, StateGraph, Step, judge};
use serde_json::Value as Json;

/// A model with more states than this is not searched again.
const MOST_STATES: usize = 20_000;

/// A saved claim about a program, re-checked.
#[derive(Clone, Debug)]
pub struct CertifiedRun {
    /// What it is about.
    pub requirement: Requirement,
    /// What it claims.
    pub verdict: Verdict,
    /// What the interpreter says.
    pub report: CheckReport,
    /// The run that the document contains, if it can be repeated, with its states.
    pub run: Option<(Run, Replayed)>,
    /// The run as it was saved.
    pub saved: Json,
    /// What else a user should know about the file.
    pub notes: Vec<String>,
}

/// Checks saved evidence (the text of a file) against a program.
pub fn certify_program(model: &mut ProgramModel, text: &str) -> Result<CertifiedRun, CertifyError> {
    let wrong = |message: String| CertifyError::Document { message };
    let document: Json = serde_json::from_str(text).map_err(|error| wrong(format!("no JSON: {error}")))?;
    if document["format"] != "entail-evidence" {
        return Err(wrong("the file is not saved evidence".into()));
    }
    let is_sealed = check_seal(&document)?;
    let verdict = match document["verdict"].as_str() {
        Some("holds") => Verdict::Holds,
        Some("fails") => Verdict::Fails,
        Some("unknown") => Verdict::Unknown,
        _ => return Err(wrong("the file has no verdict".into())),
    };
    let requirement = find_requirement(model, &document["property"])?;
    let evidence = &document["evidence"];
    let fair = match document["fairness"].as_str() {
        Some("weak") => true,
        Some("none") | None => false,
        Some(other) => return Err(wrong(format!("unknown fairness `{other}`"))),
    };
    let rejected = |reason: String| CheckReport::Rejected { reason };
    let mut shown = None;
    let report = match (verdict, evidence["kind"].as_str()) {
        (Verdict::Unknown, _) => CheckReport::Accepted,
        (Verdict::Fails, Some("run")) => {
            let run = run(&evidence["trace"]).map_err(wrong)?;
            match judge(model.program(), &requirement, &run, fair) {
                Ok(replayed) => {
                    shown = Some((run, replayed));
                    CheckReport::Accepted
                }
                Err(reason) => rejected(reason),
            }
        }
        (Verdict::Holds, Some("exhaustive")) => search_again(model, &requirement),
        (_, kind) => {
            let kind = kind.unwrap_or("none");
            rejected(format!("evidence of kind `{kind}` cannot show this verdict"))
        }
    };
    Ok(CertifiedRun {
        requirement,
        verdict,
        report,
        run: shown,
        notes: notes(is_sealed, document["digest"].as_str(), model.digest()),
        saved: evidence["trace"].clone(),
    })
}

/// The requirement a document speaks of: the model's of that name, which must have the same text; without a name, the one of that text, or
/// read anew (it came from `--spec`).
fn find_requirement(model: &mut ProgramModel, property: &Json) -> Result<Requirement, CertifyError> {
    let text = property["formula"].as_str().unwrap_or("");
    let known = model.requirements();
    let is_meant = |requirement: &&Requirement| requirement.text == text;
    if let Some(name) = property["name"].as_str() {
        let named = |requirement: &&Requirement| requirement.name.as_deref() == Some(name);
        let same = known.iter().filter(named).find(is_meant);
        return same.cloned().ok_or_else(|| CertifyError::Misnamed {
            name: name.to_owned(),
            text: text.to_owned(),
            logic: property["logic"].as_str().unwrap_or("").to_owned(),
            known: match known.iter().find(named) {
                Some(other) => format!("in the model this is the name of `{}`", other.text),
                None => "the model has no property of this name".to_owned(),
            },
        });
    }
    if let Some(requirement) = known.iter().find(is_meant) {
        return Ok(requirement.clone());
    }
    let foreign = |_| CertifyError::ForeignProperty {
        text: text.to_owned(),
    };
    let position = model.add_formula(text).map_err(foreign)?;
    Ok(model.requirements()[position].clone())
}

/// The steps of a saved run.
fn run(trace: &Json) -> Result<Run, String> {
    let number = |value: &Json, what: &str| {
        value
            .as_u64()
            .ok_or_else(|| format!("the run has a step without {what}"))
    };
    let small = |value: &Json, what: &str| -> Result<u8, String> {
        u8::try_from(number(value, what)?).map_err(|_| format!("{what} is too large"))
    };
    let edge = |value: &Json| -> Result<u16, String> {
        u16::try_from(number(value, "an edge")?).map_err(|_| "an edge is too large".to_owned())
    };
    let mut run = Run::default();
    for step in trace["steps"].as_array().ok_or("the run has no steps")? {
        let receiver = &step["receiver"];
        run.steps.push(Step {
            process: small(&step["process"], "a process")?,
            edge: edge(&step["edge"])?,
            receiver: match receiver.is_null() {
                true => None,
                false => Some((
                    small(&receiver["process"], "a receiver")?,
                    edge(&receiver["edge"])?,
                )),
            },
        });
    }
    run.loop_start = match &trace["loop_start"] {
        Json::Null => None,
        value => {
            let start = value.as_u64().and_then(|start| usize::try_from(start).ok());
            let start = start.filter(|&start| start <= run.steps.len());
            Some(start.ok_or("the loop begins outside of the run")?)
        }
    };
    Ok(run)
}

fn search_again(model: &ProgramModel, requirement: &Requirement) -> CheckReport {
    let partly = |what: &str| CheckReport::Partly {
        unchecked: vec![what.to_owned()],
    };
    if requirement.question != Question::Safety {
        return partly("that no run violates it was not searched again");
    }
    match StateGraph::explore(model.program(), MOST_STATES) {
        Ok(None) => partly("the model is too large for the interpreter to search it again"),
        Ok(Some(graph)) => match graph.danger(model.program()) {
            Some(reason) => CheckReport::Rejected { reason },
            None => CheckReport::Accepted,
        },
        Err(fault) => CheckReport::Rejected {
            reason: fault.to_string(),
        },
    }
}
