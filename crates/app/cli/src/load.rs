//! Reading the model a command is about.

use crate::arguments::Preprocessor;
use crate::failure::{OUTPUT, Stop};
use crate::terminal::print_diagnostics;
use entail::{AnyModel, Language, Model, Preprocessing, read_file, write_file};
use entail_budget::Budget;
use entail_source::{Diagnostics, decode};
use std::path::Path;

/// Whether the reader's warnings are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Warnings {
    Shown,
    Silent,
}

/// The language a user named.
pub fn language(name: Option<&str>) -> Result<Option<Language>, Stop> {
    name.map(|name| {
        Language::named(name).ok_or_else(|| {
            Stop::usage(format!(
                "there is no language `{name}`; there are: {}",
                Language::names().join(", ")
            ))
        })
    })
    .transpose()
}

/// Reads a model file of either kind; in a language of modules, `top` is the one that is checked.
pub fn load_any(
    path: &Path,
    language: Option<&str>,
    top: Option<&str>,
    preprocessor: &Preprocessor,
    warnings: Warnings,
    budget: &Budget,
) -> Result<AnyModel, Stop> {
    let preprocessing = Preprocessing {
        definitions: preprocessor.define.clone(),
        folders: preprocessor.include.clone(),
    };
    let model = AnyModel::load(path, self::language(language)?, top, &preprocessing, budget)?;
    if let AnyModel::System(model) = &model {
        if !preprocessor.define.is_empty() || !preprocessor.include.is_empty() {
            return Err(Stop::usage(
                "-D and -I are for Promela, which has a preprocessor; this model's language has none",
            ));
        }
        show_warnings(model, warnings);
    }
    Ok(model)
}

fn show_warnings(model: &Model, warnings: Warnings) {
    if warnings == Warnings::Shown && !model.warnings().is_empty() {
        print_diagnostics(model.source(), &Diagnostics(model.warnings().to_vec()));
    }
}

/// Reads a text file that a command was given.
pub fn read_text(path: &Path) -> Result<String, Stop> {
    let wrong =
        |error: &dyn std::fmt::Display| Stop::input(format!("cannot read {}: {error}", path.display()));
    let bytes = read_file(path).map_err(|error| wrong(&error))?;
    decode(bytes).map_err(|error| wrong(&error))
}

/// Writes a file that a command was asked for.
pub fn write_text(path: &Path, text: &str) -> Result<(), Stop> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file that a command was asked for.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Stop> {
    write_file(path, bytes).map_err(|error| not_written(path, &error))
}

/// A file could not be written.
pub fn not_written(path: &Path, error: &std::io::Error) -> Stop {
    Stop::Message(format!("cannot write {}: {error}", path.display()), OUTPUT)
}

/// Makes a folder that a command was asked to write to.
pub fn make_folder(path: &Path) -> Result<(), Stop> {
    std::fs::create_dir_all(path)
        .map_err(|error| Stop::Message(format!("cannot make {}: {error}", path.display()), OUTPUT))
}
