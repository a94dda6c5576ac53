//! Re-checking saved evidence alone: no engine takes part.

use crate::saved;
use entail_answer::{Answer, CheckReport};
use entail_budget::Budget;
use entail_family::{Claim, Model, Options, ReadError};

/// A saved claim, re-checked.
#[derive(Debug)]
pub struct Certified {
    /// Position of the property it is about.
    pub property: usize,
    /// What it claims.
    pub answer: Answer,
    /// What the checker says.
    pub report: CheckReport,
}

/// Checks saved evidence (the text of a file) against a model: a JSON document of ours, or a file in a format of the field, which may be about
/// several properties. `options` are the user's; what the document's verdict depends on comes from the document.
pub fn certify(
    model: &mut dyn Model,
    text: &str,
    options: &Options,
    budget: &Budget,
) -> Result<(Options, Vec<Certified>), ReadError> {
    let usage = |usage: entail_family::Usage| ReadError(usage.to_string());
    let foreign = model.checker(options).map_err(usage)?.import(text);
    let (options, claims) = match foreign {
        Some(claims) => (options.clone(), claims?),
        None => {
            let document = saved::read(text)?;
            let property = saved::property(model, &document)?;
            let mut own = model.options_of(&document)?;
            let missing: Vec<_> = options.iter().filter(|(name, _)| !own.has(name)).collect();
            for (name, values) in missing {
                values.iter().for_each(|value| own.give(name, value.as_str()));
            }
            let answer = saved::answer(&document, property, &*model.checker(&own).map_err(usage)?)?;
            (own, vec![Claim { property, answer }])
        }
    };
    let mut checker = model.checker(&options).map_err(usage)?;
    let certified = claims
        .into_iter()
        .map(|Claim { property, answer }| {
            let report = match answer.verdict {
                entail_answer::Verdict::Unknown => CheckReport::Accepted,
                _ => checker.check(property, &answer, budget),
            };
            Certified {
                property,
                answer,
                report,
            }
        })
        .collect();
    drop(checker);
    Ok((options, certified))
}
