//! Re-checking saved evidence alone: no engine takes part.

use crate::saved;
use entail_answer::{Answer, CheckReport, Verdict};
use entail_budget::Budget;
use entail_family::{Claim, Model, Options, ReadError, Usage};

/// A saved claim, re-checked.
#[derive(Debug)]
pub struct Certified {
    /// Position of the property it is about.
    pub property: usize,
    /// What it claims.
    pub answer: Answer,
    /// What the checker says.
    pub report: CheckReport,
    /// What a user should know about the file.
    pub notes: Vec<String>,
}

/// What is said of a file without a checksum.
pub const NO_SEAL: &str = "has no checksum: whether it is as it was written is not known";

/// Checks saved evidence (the text of a file) against a model: a JSON document of ours, or a file in a format of the field, which may be about
/// several properties. `options` are the user's; what the document's verdict depends on comes from the document.
pub fn certify(
    model: &mut dyn Model,
    digest: &str,
    text: &str,
    options: &Options,
    budget: &Budget,
) -> Result<Vec<Certified>, ReadError> {
    let usage = |usage: Usage| ReadError::NotEvidence(usage.to_string());
    let foreign = model.checker(options).map_err(usage)?.import(text);
    if let Some(claims) = foreign {
        return judged(model, claims?, &Vec::new(), options, budget);
    }
    let saved = saved::read(text)?;
    let mut notes = Vec::new();
    if !saved.is_sealed {
        notes.push(NO_SEAL.to_owned());
    }
    let made_of = saved.document["digest"].as_str();
    if made_of.is_some_and(|made_of| made_of != digest) {
        notes.push("was made for another version of the model; it is checked against this one".to_owned());
    }
    let property = saved::property(model, &saved.document)?;
    let mut own = model.options_of(&saved.document)?;
    let missing: Vec<_> = options.iter().filter(|(name, _)| !own.has(name)).collect();
    for (name, values) in missing {
        values.iter().for_each(|value| own.give(name, value.as_str()));
    }
    let read = saved::answer(&saved.document, property, &*model.checker(&own).map_err(usage)?);
    match read {
        Ok(answer) => judged(model, vec![Claim { property, answer }], &notes, &own, budget),
        Err(ReadError::False(reason)) => Ok(vec![Certified {
            property,
            answer: Answer::from_json(&saved.document, None)?,
            report: CheckReport::Rejected { reason },
            notes,
        }]),
        Err(error) => Err(error),
    }
}

fn judged(
    model: &dyn Model,
    claims: Vec<Claim>,
    notes: &[String],
    options: &Options,
    budget: &Budget,
) -> Result<Vec<Certified>, ReadError> {
    let mut checker = model
        .checker(options)
        .map_err(|usage| ReadError::NotEvidence(usage.to_string()))?;
    let certified = claims.into_iter().map(|Claim { property, answer }| {
        let report = match answer.verdict {
            Verdict::Unknown => CheckReport::Accepted,
            _ => checker.check(property, &answer, budget),
        };
        Certified {
            property,
            answer,
            report,
            notes: notes.to_vec(),
        }
    });
    Ok(certified.collect())
}
