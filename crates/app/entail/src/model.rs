//! A model file that has been read.

use crate::Language;
use entail_logic::{Formula, Property, Question};
use entail_model::{TermId, TransitionSystem};
use entail_smv::{Logic, SmvModel};
use entail_source::{Diagnostic, Diagnostics, Source};
use std::path::{Path, PathBuf};

/// A model: its text, the system it denotes, the properties it asks about.
#[derive(Debug)]
pub struct Model {
    source: Source,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Smv(SmvModel),
}

/// Why a model could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read at all.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        reason: String,
    },
    /// Nothing tells the language.
    #[error("cannot tell the language of {} from its name; use --language ({})", path.display(), Language::names().join(", "))]
    UnknownLanguage {
        /// The file.
        path: PathBuf,
    },
    /// The text is wrong.
    #[error("{diagnostics}")]
    Invalid {
        /// The text.
        source_text: Source,
        /// What is wrong with it.
        diagnostics: Diagnostics,
    },
}

impl Model {
    /// Reads a file; without a language, the file's name tells it.
    pub fn load(path: &Path, language: Option<Language>) -> Result<Model, LoadError> {
        let unreadable = |reason: String| LoadError::Unreadable {
            path: path.to_owned(),
            reason,
        };
        let language =
            language
                .or_else(|| Language::of_file(path))
                .ok_or_else(|| LoadError::UnknownLanguage {
                    path: path.to_owned(),
                })?;
        let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            unreadable(format!("it is not a text file (byte {at} is not valid UTF-8)"))
        })?;
        Model::read(Source::new(path.to_string_lossy(), text), language)
    }

    /// Reads a text.
    pub fn read(source: Source, language: Language) -> Result<Model, LoadError> {
        let read = match language {
            Language::Smv => entail_smv::read(&source).map(Content::Smv),
        };
        match read {
            Ok(content) => Ok(Model { source, content }),
            Err(diagnostics) => Err(LoadError::Invalid {
                source_text: source,
                diagnostics,
            }),
        }
    }

    /// The text.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The language it is written in.
    pub fn language(&self) -> Language {
        match self.content {
            Content::Smv(_) => Language::Smv,
        }
    }

    /// What the text denotes.
    pub fn system(&self) -> &TransitionSystem {
        match &self.content {
            Content::Smv(model) => &model.system,
        }
    }

    /// What is asked about it, in the order of the text; properties added later come last.
    pub fn properties(&self) -> &[Property<TermId>] {
        match &self.content {
            Content::Smv(model) => &model.properties,
        }
    }

    /// What the reader wondered about.
    pub fn warnings(&self) -> &[Diagnostic] {
        match &self.content {
            Content::Smv(model) => &model.warnings,
        }
    }

    /// Specifications that were recognised but cannot be decided yet, each with the reason. The properties are for showing: their
    /// question is a placeholder.
    pub fn not_yet(&self) -> Vec<(Property<TermId>, String)> {
        let Content::Smv(model) = &self.content;
        let placeholder = || Question::Formula(Formula::constant(false));
        let property = |text: &str| Property {
            name: None,
            text: text.to_owned(),
            logic: "unsupported",
            question: placeholder(),
        };
        model
            .unsupported
            .iter()
            .map(|one| (property(&one.text), one.reason.clone()))
            .collect()
    }

    /// Adds a property in the model's own syntax and gives its position. The diagnostics are about `text`.
    pub fn add_property(&mut self, text: &str) -> Result<usize, LoadError> {
        let parsed = match &mut self.content {
            Content::Smv(model) => model.parse_property(text, Logic::Any),
        };
        match parsed {
            Ok(property) => {
                let Content::Smv(model) = &mut self.content;
                model.properties.push(property);
                Ok(model.properties.len() - 1)
            }
            Err(diagnostics) => Err(LoadError::Invalid {
                source_text: Source::new("--spec", text),
                diagnostics,
            }),
        }
    }

    /// The flat model as SMV text; or why SMV cannot express it.
    pub fn to_smv(&self) -> Result<String, String> {
        entail_smv::print(self.system(), self.properties()).map_err(|error| error.to_string())
    }
}
