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
use entail_source::Digest;

/// A saved claim, re-checked.
#[derive(Clone, Debug)]
pub struct Certified {
    /// The property it is about.
    pub property: Property<TermId>,
    /// What it claims.
    pub verdict: Verdict,
    /// What the checkers say.
    pub report: CheckReport,
    /// What else a user should know about the file.
    pub notes: Vec<String>,
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
    /// The property's name is that of another property, or of none.
    #[error("the evidence is about `{text}` ({logic}) under the name `{name}`; {known}")]
    Misnamed {
        /// The name.
        name: String,
        /// The property's text.
        text: String,
        /// The logic it is said to be in.
        logic: String,
        /// What the model has under this name.
        known: String,
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
    // The system is the one that engines are asked about the property.
    let subject = Subject::new(model.system());
    let system = subject.of(&property);
    let (outcome, dead_ends) = resolve(system, &property, &saved)?;
    let options = CheckOptions {
        dead_ends,
        ..CheckOptions::default()
    };
    let report = check_evidence(system, &property, &outcome, &options, budget);
    Ok(vec![Certified {
        verdict: outcome.verdict,
        report,
        notes: notes(saved.is_sealed, saved.digest.as_deref(), model.digest()),
        property,
    }])
}

/// What is said of a file of an earlier version.
pub const NO_SEAL: &str = "has no checksum: whether it is as it was written is not known";

/// What is to be said about a document that is about this model.
pub(crate) fn notes(is_sealed: bool, digest: Option<&str>, model: Digest) -> Vec<String> {
    let mut notes = Vec::new();
    if !is_sealed {
        notes.push(NO_SEAL.to_owned());
    }
    if digest.is_some_and(|digest| digest != model.to_string()) {
        notes.push("was made for another version of the model; it is checked against this one".to_owned());
    }
    notes
}

/// The property a document speaks of: the model's property of that name, which must be the same formula in the same logic; without a
/// name, the one of that text, or read anew (it came from `--spec` or `--mu`).
fn find_property(model: &mut Model, saved: &SavedEvidence) -> Result<Property<TermId>, CertifyError> {
    let (text, logic) = (&saved.property_text, &saved.logic);
    let is_meant = |property: &&Property<TermId>| property.text == *text && property.logic == logic.as_str();
    let known = model.properties();
    if let Some(name) = &saved.property_name {
        let named = |property: &&Property<TermId>| property.name.as_ref() == Some(name);
        let same = known.iter().filter(named).find(is_meant);
        return same.cloned().ok_or_else(|| CertifyError::Misnamed {
            name: name.clone(),
            text: text.clone(),
            logic: logic.clone(),
            known: match known.iter().find(named) {
                Some(other) => format!(
                    "in the model this is the name of `{}` ({})",
                    other.text, other.logic
                ),
                None => "the model has no property of this name".to_owned(),
            },
        });
    }
    if let Some(property) = known.iter().find(is_meant) {
        return Ok(property.clone());
    }
    let foreign = || CertifyError::ForeignProperty { text: text.clone() };
    let position = match logic.as_str() {
        "mu" => model.add_mu_property(text),
        _ => model.add_property(text),
    };
    let property = model.properties()[position.map_err(|_| foreign())?].clone();
    match property.logic == logic.as_str() {
        true => Ok(property),
        false => Err(foreign()),
    }
}
