//! Reading the model a command is about.

use crate::failure::{CommandError, OUTPUT};
use crate::terminal::print_diagnostics;
use entail::{Origin, read_file, write_file};
use entail_family::Model;
use entail_source::{Diagnostics, decode};
use std::path::Path;

/// Whether the reader's warnings are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Warnings {
    Shown,
    Silent,
}

/// The model file that a command is about.
pub fn origin(path: &Path, language: Option<&str>) -> Origin {
    Origin {
        language: language.map(String::from),
        ..Origin::file(path)
    }
}

/// Prints what the reader wondered about.
pub fn show_warnings(model: &dyn Model, warnings: Warnings) {
    if warnings == Warnings::Shown && !model.warnings().is_empty() {
        print_diagnostics(model.source(), &Diagnostics(model.warnings().to_vec()));
    }
}

/// Reads a text file that a command was given.
pub fn read_text(path: &Path) -> Result<String, CommandError> {
    let wrong = |error: &dyn std::fmt::Display| {
        CommandError::input(format!("cannot read {}: {error}", path.display()))
    };
    let bytes = read_file(path).map_err(|error| wrong(&error))?;
    decode(bytes).map_err(|error| wrong(&error))
}

/// Writes a file that a command was asked for.
pub fn write_text(path: &Path, text: &str) -> Result<(), CommandError> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file that a command was asked for.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    write_file(path, bytes).map_err(|error| not_written(path, &error))
}

/// A file could not be written.
pub fn not_written(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::Message(format!("cannot write {}: {error}", path.display()), OUTPUT)
}

/// Makes a folder that a command was asked to write to.
pub fn make_folder(path: &Path) -> Result<(), CommandError> {
    std::fs::create_dir_all(path)
        .map_err(|error| CommandError::Message(format!("cannot make {}: {error}", path.display()), OUTPUT))
}
