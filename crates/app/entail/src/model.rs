//! A model file that has been read.
//!
//! Whatever the language, a model is a transition system with properties, and formulas about it are read as SMV's. What a
//! language adds (for circuits: which variables are registers, in which order) is kept beside.

use crate::Language;
use crate::files::read_file;
use crate::verilog::{Translation, translate};
use entail_budget::{Budget, Spent};
use entail_logic::mu::{Fairness, Mu, parse_mu};
use entail_logic::{Formula, Property, Question};
use entail_model::{Registers, TermId, TransitionSystem};
use entail_smv::{Logic, Scope};
use entail_source::{
    Diagnostic, Diagnostics, Digest, Source, Span, decode, decode_lossy, without_byte_order_mark,
};
use std::path::{Path, PathBuf};

/// A model: its text, the system it denotes, the properties it asks about.
#[derive(Debug)]
pub struct Model {
    pub(crate) source: Source,
    /// The digest of the file.
    digest: Digest,
    pub(crate) language: Language,
    pub(crate) content: Content,
    /// The design in BTOR2, if it was translated.
    translation: Option<Translation>,
}

/// What a language's reader makes of a text.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub system: TransitionSystem,
    pub properties: Vec<Property<TermId>>,
    pub warnings: Vec<Diagnostic>,
    /// Specifications that were recognised but cannot be decided yet: their text, and why.
    pub not_yet: Vec<(String, String)>,
    /// What names mean in formulas; made when the first formula comes, if the language has no scope of its own.
    pub scope: Option<Scope>,
    /// What a circuit has beyond a system.
    pub circuit: Option<Circuit>,
}

impl Content {
    fn of_circuit(
        system: TransitionSystem,
        properties: Vec<Property<TermId>>,
        registers: Registers,
        bad: usize,
    ) -> Content {
        let justice = properties.len() - bad;
        Content {
            system,
            properties,
            circuit: Some(Circuit {
                registers,
                bad,
                justice,
            }),
            ..Content::default()
        }
    }
}

/// What the witness format of a circuit counts by.
#[derive(Clone, Debug)]
pub(crate) struct Circuit {
    /// Registers and inputs, in the order of the text.
    pub registers: Registers,
    /// The properties about bad states come first; there are so many.
    pub bad: usize,
    /// So many about just loops follow.
    pub justice: usize,
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
    /// It is a program, not a transition system.
    #[error("{name} is a program of communicating processes; this command works on transition systems only")]
    Program {
        /// The file.
        name: String,
    },
    /// Another program has to read it, and could not.
    #[error("cannot read {}: {reason}", path.display())]
    Translation {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// There was not enough time or memory.
    #[error("cannot read {}: {spent}", path.display())]
    Spent {
        /// The file.
        path: PathBuf,
        /// What is spent.
        spent: Spent,
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
        Model::load_top(path, language, None, &Budget::unlimited())
    }

    /// Reads a file; in a language of modules, `top` is the one that is checked. The budget is watched while other programs translate it.
    pub fn load_top(
        path: &Path,
        language: Option<Language>,
        top: Option<&str>,
        budget: &Budget,
    ) -> Result<Model, LoadError> {
        let language = language_of(path, language)?;
        if language == Language::Verilog {
            let translation = translate(path, top, budget)?;
            let bytes = read_bytes(&translation.file())?;
            let mut model = Model::of_bytes(&path.to_string_lossy(), bytes, Language::Btor2)?;
            model.language = Language::Verilog;
            model.translation = Some(translation);
            // A bad state has the name of the assertion that it violates.
            for property in &mut model.content.properties {
                if let Some(name) = &property.name {
                    property.text = format!("assert {name}");
                }
            }
            return Ok(model);
        }
        let bytes = read_bytes(path)?;
        Model::of_bytes(&path.to_string_lossy(), bytes, language)
    }

    /// Reads the bytes of a file.
    pub fn of_bytes(name: &str, bytes: Vec<u8>, language: Language) -> Result<Model, LoadError> {
        if language == Language::Aiger {
            return Model::of_aiger(name, &bytes);
        }
        let digest = Digest::of(&bytes);
        let text = match language {
            // Comments may contain any bytes, as in NuSMV.
            Language::Smv => decode_lossy(bytes),
            _ => decode(bytes).map_err(|error| LoadError::Unreadable {
                path: PathBuf::from(name),
                reason: error.to_string(),
            })?,
        };
        let mut model = Model::read(Source::new(name, text), language)?;
        model.digest = digest;
        Ok(model)
    }

    /// Reads a text.
    pub fn read(source: Source, language: Language) -> Result<Model, LoadError> {
        let content = match language {
            Language::Aiger => return Model::of_aiger(source.name(), source.text().as_bytes()),
            // A design arrives here translated.
            Language::Btor2 | Language::Verilog => read_btor2(&source),
            Language::Smv => read_smv(&source),
            Language::Promela => {
                return Err(LoadError::Program {
                    name: source.name().to_owned(),
                });
            }
        };
        match content {
            Ok(content) => Ok(Model {
                digest: Digest::of(source.text().as_bytes()),
                source,
                language,
                content,
                translation: None,
            }),
            Err(diagnostics) => Err(LoadError::Invalid {
                source_text: source,
                diagnostics,
            }),
        }
    }

    fn of_aiger(name: &str, bytes: &[u8]) -> Result<Model, LoadError> {
        let circuit = entail_aiger::read(name, without_byte_order_mark(bytes)).map_err(|unreadable| {
            LoadError::Invalid {
                source_text: unreadable.source,
                diagnostics: unreadable.diagnostics,
            }
        })?;
        // The text is not kept: nothing is said about it any more, and it may be large.
        let source = Source::new(name, "");
        let model = entail_aiger::lower(&circuit).map_err(|reason| {
            let problem = Diagnostic::error("aiger::too-large", reason, Span::new(0, 0), "");
            LoadError::Invalid {
                source_text: source.clone(),
                diagnostics: problem.into(),
            }
        })?;
        Ok(Model {
            source,
            digest: Digest::of(bytes),
            language: Language::Aiger,
            content: Content::of_circuit(model.system, model.properties, model.registers, model.bad),
            translation: None,
        })
    }

    /// The text (of a circuit in AIGER, only its name).
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The digest of the file's bytes.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The language it is written in.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The file that the model was translated to, if it was; it exists as long as the model does.
    pub fn translation(&self) -> Option<PathBuf> {
        self.translation.as_ref().map(Translation::file)
    }

    /// What the text denotes.
    pub fn system(&self) -> &TransitionSystem {
        &self.content.system
    }

    /// What is asked about it, in the order of the text; properties added later come last.
    pub fn properties(&self) -> &[Property<TermId>] {
        &self.content.properties
    }

    /// What the reader wondered about.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.content.warnings
    }

    /// Specifications that were recognised but cannot be decided yet, each with the reason. The properties are for showing: their
    /// question is a placeholder.
    pub fn not_yet(&self) -> Vec<(Property<TermId>, String)> {
        let property = |text: &str| Property {
            name: None,
            text: text.to_owned(),
            logic: "unsupported",
            question: Question::Formula(Formula::constant(false)),
        };
        self.content
            .not_yet
            .iter()
            .map(|(text, reason)| (property(text), reason.clone()))
            .collect()
    }

    /// Adds a property in SMV's syntax, over the model's names, and gives its position. The diagnostics are about `text`.
    pub fn add_property(&mut self, text: &str) -> Result<usize, LoadError> {
        let Content {
            system,
            scope,
            properties,
            ..
        } = &mut self.content;
        let scope = scope.get_or_insert_with(|| Scope::of_system(system));
        match scope.parse_property(system, text, Logic::Any) {
            Ok(property) => {
                properties.push(property);
                Ok(properties.len() - 1)
            }
            Err(diagnostics) => Err(LoadError::Invalid {
                source_text: Source::new("--spec", text),
                diagnostics,
            }),
        }
    }

    /// Adds a formula of the mu-calculus ([`entail_logic::mu::parse_mu`]) whose atoms are conditions in the model's own syntax, and gives
    /// its position. The diagnostics are about `text`.
    pub fn add_mu_property(&mut self, text: &str) -> Result<usize, LoadError> {
        let invalid = |text: &str, diagnostics: Diagnostics| LoadError::Invalid {
            source_text: Source::new("--mu", text),
            diagnostics,
        };
        let formula = parse_mu(text).map_err(|diagnostics| invalid(text, diagnostics))?;
        let Content {
            system,
            scope,
            properties,
            ..
        } = &mut self.content;
        let scope = scope.get_or_insert_with(|| Scope::of_system(system));
        let mut problem = None;
        let formula = formula.expand_atoms(&mut |atom: &String| {
            let read = match scope.parse_property(system, atom, Logic::Any) {
                Ok(property) => match property.question {
                    Question::Formula(condition) if condition.is_propositional() => {
                        condition.to_mu(Fairness::Total).ok()
                    }
                    _ => None,
                },
                Err(diagnostics) => {
                    problem.get_or_insert_with(|| invalid(atom, diagnostics));
                    None
                }
            };
            read.unwrap_or_else(|| {
                problem.get_or_insert_with(|| {
                    let whole = Span::new(0, atom.len());
                    let message = "an atom of the mu-calculus is a condition without temporal operators";
                    invalid(
                        atom,
                        Diagnostic::error("mu::atom", message, whole, "this one").into(),
                    )
                });
                Mu::constant(false)
            })
        });
        if let Some(problem) = problem {
            return Err(problem);
        }
        properties.push(Property {
            name: None,
            text: text.to_owned(),
            logic: "mu",
            question: Question::Mu(formula),
        });
        Ok(properties.len() - 1)
    }

    /// The flat model as SMV text; or why SMV cannot express it.
    pub fn to_smv(&self) -> Result<String, String> {
        entail_smv::print(self.system(), self.properties()).map_err(|error| error.to_string())
    }
}

fn read_smv(source: &Source) -> Result<Content, Diagnostics> {
    let model = entail_smv::read(source)?;
    let not_yet = model.unsupported.into_iter().map(|one| (one.text, one.reason));
    Ok(Content {
        system: model.system,
        properties: model.properties,
        warnings: model.warnings,
        not_yet: not_yet.collect(),
        scope: Some(model.scope),
        circuit: None,
    })
}

fn read_btor2(source: &Source) -> Result<Content, Diagnostics> {
    let circuit = entail_btor2::read(source)?;
    let model = entail_btor2::lower(&circuit).map_err(|error| {
        Diagnostic::error("btor2::sort", error.to_string(), Span::new(0, 0), "in this file")
    })?;
    Ok(Content::of_circuit(
        model.system,
        model.properties,
        model.registers,
        model.bad,
    ))
}

/// The language asked for, or the one that the file's name tells.
pub(crate) fn language_of(path: &Path, language: Option<Language>) -> Result<Language, LoadError> {
    language
        .or_else(|| Language::of_file(path))
        .ok_or_else(|| LoadError::UnknownLanguage {
            path: path.to_owned(),
        })
}

/// The bytes of a file.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, LoadError> {
    read_file(path).map_err(|error| LoadError::Unreadable {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}
