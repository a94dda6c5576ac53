//! The table of families, and reading a model with it.
//!
//! This is the one place where a file meets its kind: the language tells the family, the family says which options it understands, and
//! its loader makes the model. Nothing behind this file names a kind of system.

use crate::compressed;
use entail_budget::Budget;
use entail_family::{Command, Family, Input, Language, LoadError, Model, OptionSpec, Options, Usage};
use entail_source::{Digest, read_file, without_byte_order_mark};
use std::path::PathBuf;

/// The kinds of systems that this program knows.
#[derive(Clone, Copy, Debug)]
pub struct Table(pub &'static [&'static Family]);

/// A model that has been read, with the row it belongs to.
pub struct Loaded {
    /// Its kind.
    pub family: &'static Family,
    /// The model.
    pub model: Box<dyn Model>,
    /// The digest of the file.
    pub digest: Digest,
}

/// Where a model's text comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The file.
    pub path: PathBuf,
    /// The language's name, where the file's name does not tell it.
    pub language: Option<String>,
    /// The text, where another process has made it from the file.
    pub text: Option<String>,
}

impl Origin {
    /// A file whose name tells its language.
    pub fn file(path: impl Into<PathBuf>) -> Origin {
        Origin {
            path: path.into(),
            language: None,
            text: None,
        }
    }
}

/// Bytes of a file that are looked at to tell its language.
const BEGINNING: usize = 1 << 20;

impl Table {
    /// All languages, each with its family.
    pub fn languages(self) -> impl Iterator<Item = (&'static Family, &'static Language)> {
        let families = self.0.iter().copied();
        families.flat_map(|family| family.languages.iter().map(move |language| (family, language)))
    }

    /// The options of all families for a command, each once.
    pub fn options(self, command: Command) -> Vec<&'static OptionSpec> {
        let mut found: Vec<&'static OptionSpec> = Vec::new();
        for option in self.0.iter().flat_map(|family| family.options) {
            if option.commands.contains(&command) && !found.iter().any(|known| known.name == option.name) {
                found.push(option);
            }
        }
        found
    }

    /// The families that understand an option of a command.
    pub fn families_with(self, option: &str, command: Command) -> Vec<&'static Family> {
        let families = self.0.iter().copied();
        let understands = |family: &&Family| {
            let option = family.option(option);
            option.is_some_and(|option| option.commands.contains(&command))
        };
        families.filter(understands).collect()
    }

    /// Reads a model. The options were given to this command, and all of them must mean something to the model's family.
    pub fn load(
        self,
        origin: &Origin,
        command: Command,
        options: &Options,
        budget: &Budget,
    ) -> Result<Loaded, LoadError> {
        // A name that tells no language is wrong whatever is in the file.
        let named = Origin {
            path: compressed::unpacked_name(&origin.path),
            ..origin.clone()
        };
        self.language_of(&named, None)?;
        let bytes = match &origin.text {
            Some(text) => text.clone().into_bytes(),
            None => read_file(&origin.path).map_err(|error| LoadError::Unreadable {
                path: origin.path.clone(),
                reason: error.to_string(),
            })?,
        };
        let digest = Digest::of(&bytes);
        let bytes = compressed::unpacked(bytes, &origin.path, budget)?;
        let bytes = without_byte_order_mark(&bytes);
        let beginning = &bytes[..bytes.len().min(BEGINNING)];
        let (family, language) = self.language_of(&named, Some(beginning))?;
        self.refuse_foreign(family, command, options)?;
        let name = origin.path.to_string_lossy();
        let input = Input {
            name: &name,
            path: &origin.path,
            bytes,
            language,
            options,
            budget,
        };
        let model = (family.load)(&input)?;
        Ok(Loaded {
            family,
            model,
            digest,
        })
    }

    /// The language of a file: the one that was named, or the one that its name and its beginning tell; without a beginning, the first that it
    /// may be.
    pub fn language_of(
        self,
        origin: &Origin,
        beginning: Option<&[u8]>,
    ) -> Result<(&'static Family, &'static Language), Usage> {
        let names = || -> String {
            let names: Vec<&str> = self.languages().map(|(_, language)| language.name).collect();
            names.join(", ")
        };
        match &origin.language {
            Some(name) => (self.languages())
                .find(|(_, language)| language.name == name)
                .ok_or_else(|| Usage(format!("there is no language `{name}`; there are: {}", names()))),
            None => (self.languages())
                // Only files that may be in a language are looked into for it.
                .find(|(_, language)| {
                    language.has_extension_of(&origin.path) && language.claims(&origin.path, beginning)
                })
                // A file that no language of its extension recognises is explained by the reader of the first.
                .or_else(|| {
                    let named = origin.path.extension().is_some();
                    (self.languages()).find(|(_, language)| named && language.has_extension_of(&origin.path))
                })
                .ok_or_else(|| {
                    Usage(format!(
                        "cannot tell the language of {} from its name; use --language ({})",
                        origin.path.display(),
                        names()
                    ))
                }),
        }
    }

    /// An option that means nothing to this kind of system is refused, and said to be for others.
    fn refuse_foreign(
        self,
        family: &'static Family,
        command: Command,
        options: &Options,
    ) -> Result<(), Usage> {
        for (name, _) in options.iter() {
            let own = family
                .option(name)
                .filter(|option| option.commands.contains(&command));
            if own.is_some() {
                continue;
            }
            let others: Vec<&str> = (self.families_with(name, command).iter())
                .filter(|other| other.name != family.name)
                .map(|other| other.name)
                .collect();
            return Err(Usage(match others.is_empty() {
                true => format!("--{name} means nothing to this command on {}", family.name),
                false => format!(
                    "--{name} is for {}, and this model is one of {}",
                    others.join(" and "),
                    family.name
                ),
            }));
        }
        Ok(())
    }
}

/// The engine of a name, or which engines there are.
pub fn engine_of(family: &'static Family, name: &str) -> Result<&'static str, Usage> {
    match family.engine(name) {
        Some(engine) => Ok(engine.name),
        None => {
            let names: Vec<&str> = family.engines.iter().map(|engine| engine.name).collect();
            Err(Usage(format!(
                "there is no engine `{name}` for {}; there are: {}",
                family.name,
                names.join(", ")
            )))
        }
    }
}

/// Options that an engine does not understand are refused when that engine is asked for by name.
pub fn refuse_for_engine(family: &'static Family, engine: &str, options: &Options) -> Result<(), Usage> {
    for (name, _) in options.iter() {
        let foreign = family
            .option(name)
            .filter(|option| !option.engines.is_empty() && !option.engines.contains(&engine));
        if let Some(option) = foreign {
            return Err(Usage(format!(
                "--{name} is for {}, not for the engine `{engine}`",
                option.engines.join(", ")
            )));
        }
    }
    Ok(())
}
