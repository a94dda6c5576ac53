//! Re-checking saved evidence alone: no engine takes part.

use crate::Model;
use crate::check::check_evidence;
use crate::sessions::Subject;
use crate::witness::{certify_witnesses, is_witness};
use entail_budget::Budget;
use entail_evidence::json::{ReadError, SavedEvidence, resolve};
use entail_evidence::{CheckOptions, CheckReport, Verdict};
use entail_logic::Property;
use entail_model::TermId;

/// A saved claim, re-checked.
#[derive(Clone, Debug)]
pub struct Certified {
    /// The property it is about.
    pub property: Property<TermId>,
    /// What it claims.
    pub verdict: Verdict,
    /// What the checkers say.
    pub report: CheckReport,
}

/// Why a saved claim could not even be checked.
#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// The file is not saved evidence, or not about this model.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// The property is not one of the model's, nor can it be read as one.
    #[error(
        "the evidence is about `{text}`, which is neither a property of this model nor a formula about it"
    )]
    ForeignProperty {
        /// Its text.
        text: String,
    },
    /// A document about a program that is not right.
    #[error("{message}")]
    Document {
        /// What is wrong.
        message: String,
    },
    /// A witness file that is not right, or not one of this model.
    #[error("{message}")]
    Witness {
        /// What is wrong.
        message: String,
    },
}

/// Checks saved evidence (the text of a file) against a model: a JSON document of ours, or for a circuit a witness file, which may
/// be about several properties.
pub fn certify(model: &mut Model, text: &str, budget: &Budget) -> Result<Vec<Certified>, CertifyError> {
    if is_witness(text) {
        return certify_witnesses(model, text, budget);
    }
    let saved = SavedEvidence::read(text)?;
    let property = find_property(model, &saved)?;
    let (outcome, dead_ends) = resolve(model.system(), &property, &saved)?;
    let options = CheckOptions {
        dead_ends,
        ..CheckOptions::default()
    };
    // What is certified is about the system that the engine was asked about: to CTL, compassion is nothing.
    let subject = Subject::new(model.system());
    let report = check_evidence(subject.of(&property), &property, &outcome, &options, budget);
    Ok(vec![Certified {
        property,
        verdict: outcome.verdict,
        report,
    }])
}

/// The property a document speaks of: by name and text, by text, or read anew (it came from `--spec`).
fn find_property(model: &mut Model, saved: &SavedEvidence) -> Result<Property<TermId>, CertifyError> {
    let same_text = |property: &&Property<TermId>| property.text == saved.property_text;
    let same_name = |property: &&Property<TermId>| property.name == saved.property_name;
    let known = model.properties();
    let found = known
        .iter()
        .find(|property| same_text(property) && same_name(property));
    if let Some(property) = found.or_else(|| known.iter().find(same_text)) {
        return Ok(property.clone());
    }
    let foreign = |_| CertifyError::ForeignProperty {
        text: saved.property_text.clone(),
    };
    let position = model.add_property(&saved.property_text).map_err(foreign)?;
    Ok(model.properties()[position].clone())
}
