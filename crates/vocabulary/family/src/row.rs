//! A kind of system as one row of the app's table.

use crate::{Input, LoadError, Model, OptionSpec};
use entail_logic::Logic;
use std::path::Path;

/// A kind of system.
#[derive(Debug)]
pub struct Family {
    /// Its name, a plural noun ("systems", "programs").
    pub name: &'static str,
    /// One line about what its models are.
    pub about: &'static str,
    /// The languages its models are written in.
    pub languages: &'static [Language],
    /// The options that it understands beside those that all kinds do.
    pub options: &'static [OptionSpec],
    /// Its engines, in the order in which they are listed.
    pub engines: &'static [EngineInfo],
    /// Reads a model.
    pub load: fn(&Input<'_>) -> Result<Box<dyn Model>, LoadError>,
}

impl Family {
    /// Its engine of a name.
    pub fn engine(&self, name: &str) -> Option<&EngineInfo> {
        self.engines.iter().find(|engine| engine.name == name)
    }

    /// Its option of a name.
    pub fn option(&self, name: &str) -> Option<&OptionSpec> {
        self.options.iter().find(|option| option.name == name)
    }
}

/// A language that models are written in.
#[derive(Debug)]
pub struct Language {
    /// Its name, as `--language` takes it.
    pub name: &'static str,
    /// What it is called in sentences ("SMV").
    pub title: &'static str,
    /// The extensions of its files, in lower case; an empty one stands for files without extension.
    pub extensions: &'static [&'static str],
    /// Where several languages have the same extension, or files have none: whether a file that begins like this is in this one.
    pub recognises: Option<fn(&[u8]) -> bool>,
}

impl Language {
    /// A language whose files are told by their extension alone.
    pub const fn new(
        name: &'static str,
        title: &'static str,
        extensions: &'static [&'static str],
    ) -> Language {
        Language {
            name,
            title,
            extensions,
            recognises: None,
        }
    }

    /// Whether files with names like this one can be in this language.
    pub fn has_extension_of(&self, path: &Path) -> bool {
        let extension = match path.extension() {
            None => Some(""),
            Some(extension) => extension.to_str(),
        };
        extension.is_some_and(|extension| self.extensions.contains(&extension.to_ascii_lowercase().as_str()))
    }

    /// Whether a file's name, and where that does not suffice its beginning, tell this language; without a beginning, whether it may be in it.
    pub fn claims(&self, path: &Path, beginning: Option<&[u8]>) -> bool {
        let is_recognised =
            (self.recognises.zip(beginning)).is_none_or(|(recognises, beginning)| recognises(beginning));
        self.has_extension_of(path) && is_recognised
    }
}

/// An engine, as it is listed.
#[derive(Clone, Copy, Debug)]
pub struct EngineInfo {
    /// Its name, as `--engine` takes it.
    pub name: &'static str,
    /// One line: which models it decides, by which method.
    pub about: &'static str,
    /// The logics of the properties that it decides.
    pub logics: &'static [Logic],
}

impl EngineInfo {
    /// An engine for properties of these logics.
    pub const fn new(name: &'static str, about: &'static str, logics: &'static [Logic]) -> EngineInfo {
        EngineInfo { name, about, logics }
    }
}
