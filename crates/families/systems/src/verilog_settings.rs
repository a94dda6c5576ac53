//! What the command line says about a Verilog text: macros (`-D`), folders of files that it includes (`-I`), parameters of the top module (`--parameter`).
//!
//! All of it ends in a script for another program, so names and values are words of letters and digits, and nothing else. Included files are copied beside the design:
//! a program in a sandbox need not see the rest of the file system.

use crate::translation::FILE;
use entail_budget::Budget;
use entail_family::{LoadError, Options, Usage};
use entail_source::{decode_lossy, read_file};
use std::path::{Component, Path, PathBuf};

/// What is said about a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// `NAME` or `NAME=VALUE`.
    pub(crate) defines: Vec<String>,
    /// Names and values.
    pub(crate) parameters: Vec<(String, String)>,
    /// Folders whose files may be included.
    includes: Vec<PathBuf>,
    /// Files that lie beside the design: names and contents.
    files: Vec<(String, Vec<u8>)>,
    /// What yosys does with the design once it is read; nothing where only Entail's own passes are run.
    pub(crate) passes: Vec<String>,
    /// A step is any moment, not a tick, even if there is one clock only.
    pub(crate) multiclock: bool,
}

/// Most bytes of files that may be included, and how deep folders may lie in each other.
const MOST_BYTES: u64 = 1 << 28;
const DEEPEST: usize = 16;

fn is_name(text: &str) -> bool {
    let first = text
        .chars()
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Numbers as Verilog writes them (`8`, `-1`, `4'hF`), and names.
fn is_value(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '-' | '.'))
}

/// `NAME` or `NAME=VALUE`.
fn check_define(text: &str) -> Result<(), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    match is_name(name) && is_value(value) {
        true => Ok(()),
        false => Err("NAME or NAME=VALUE is needed, of letters and digits".to_owned()),
    }
}

/// `NAME=VALUE`.
fn check_parameter(text: &str) -> Result<(), String> {
    match text.split_once('=') {
        Some((name, value)) if is_name(name) && is_value(value) => Ok(()),
        _ => Err("NAME=VALUE is needed, of letters and digits".to_owned()),
    }
}

impl Settings {
    /// What the options say.
    pub(crate) fn of(options: &Options) -> Result<Settings, Usage> {
        let defines = options.values("define").to_vec();
        for define in &defines {
            check_define(define).map_err(Usage)?;
        }
        let mut parameters = Vec::new();
        for text in options.values("parameter") {
            check_parameter(text).map_err(Usage)?;
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            parameters.push((name.to_owned(), value.to_owned()));
        }
        let includes = options.values("include").iter().map(PathBuf::from).collect();
        Ok(Settings {
            defines,
            parameters,
            includes,
            files: Vec::new(),
            passes: Vec::new(),
            multiclock: false,
        })
    }

    /// Adds a macro.
    pub(crate) fn define(&mut self, text: &str) -> Result<(), String> {
        check_define(text)?;
        self.defines.push(text.to_owned());
        Ok(())
    }

    /// Gives a parameter a value, unless it has one.
    pub(crate) fn parameter(&mut self, name: &str, value: &str) -> Result<(), String> {
        check_parameter(&format!("{name}={value}"))?;
        if !self.parameters.iter().any(|(known, _)| known == name) {
            self.parameters.push((name.to_owned(), value.to_owned()));
        }
        Ok(())
    }

    /// Adds a folder whose files may be included.
    pub(crate) fn include(&mut self, folder: PathBuf) {
        self.includes.push(folder);
    }

    /// Adds a file that may be included or read by its name.
    pub(crate) fn beside(&mut self, name: &str, content: Vec<u8>) {
        self.files.push((name.to_owned(), content));
    }

    /// The macros that are defined before a design begins: as yosys' reader does it, and as the options say.
    pub(crate) fn macros(&self) -> Vec<(String, String)> {
        let known = ["FORMAL", "YOSYS"].map(|name| (name.to_owned(), "1".to_owned()));
        let own = self.defines.iter().map(|define| {
            let (name, value) = define.split_once('=').unwrap_or((define, "1"));
            (name.to_owned(), value.to_owned())
        });
        known.into_iter().chain(own).collect()
    }

    /// A file that a design includes: of the project, in one of the folders, or beside the file that includes it. Its name, its text, and whether the elaborator finds it as well.
    pub(crate) fn included(&self, file: &str, from: &str) -> Option<(String, String, bool)> {
        if let Some((name, content)) = self.files.iter().find(|(name, _)| name == file) {
            return Some((name.clone(), decode_lossy(content.clone()), true));
        }
        let beside = Path::new(from).parent().unwrap_or(Path::new(""));
        let folders = self.includes.iter().map(|folder| (folder.as_path(), true));
        for (folder, is_known) in folders.chain([(beside, false)]) {
            let path = folder.join(file);
            let length = std::fs::metadata(&path).map(|known| (known.is_file(), known.len()));
            if length.is_ok_and(|(is_file, length)| is_file && length <= MOST_BYTES)
                && let Ok(content) = read_file(&path)
            {
                return Some((path.display().to_string(), decode_lossy(content), is_known));
            }
        }
        None
    }

    /// Copies the files that may be included into the folder of the design; of files of one name, that of the first folder.
    pub(crate) fn copy_includes(&self, folder: &Path, budget: &Budget) -> Result<(), LoadError> {
        let mut left = MOST_BYTES;
        for (name, content) in &self.files {
            let failed = |reason: String| LoadError::Unreadable {
                path: PathBuf::from(name),
                reason,
            };
            let parts = Path::new(name).components();
            let is_below = parts.clone().all(|part| matches!(part, Component::Normal(_)));
            if !is_below || name == FILE {
                return Err(failed(
                    "a file of a project lies in its folder or below".to_owned(),
                ));
            }
            let place = folder.join(name);
            let parent = place.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent).map_err(|error| failed(error.to_string()))?;
            std::fs::write(&place, content).map_err(|error| failed(error.to_string()))?;
        }
        for include in &self.includes {
            copy(include, folder, 0, &mut left, budget)?;
        }
        Ok(())
    }
}

fn copy(from: &Path, to: &Path, depth: usize, left: &mut u64, budget: &Budget) -> Result<(), LoadError> {
    let failed = |reason: String| LoadError::Unreadable {
        path: from.to_owned(),
        reason,
    };
    if depth > DEEPEST {
        return Err(failed(format!(
            "folders lie more than {DEEPEST} deep in each other"
        )));
    }
    let entries = std::fs::read_dir(from).map_err(|error| failed(error.to_string()))?;
    for entry in entries {
        budget.check()?;
        let entry = entry.map_err(|error| failed(error.to_string()))?;
        let (kind, place) = (entry.file_type(), to.join(entry.file_name()));
        let kind = kind.map_err(|error| failed(error.to_string()))?;
        if kind.is_dir() {
            std::fs::create_dir_all(&place).map_err(|error| failed(error.to_string()))?;
            copy(&entry.path(), &place, depth + 1, left, budget)?;
        } else if kind.is_file() && !place.exists() && entry.file_name() != FILE {
            let size = entry.metadata().map_or(0, |metadata| metadata.len());
            *left = left
                .checked_sub(size)
                .ok_or_else(|| failed("the folder has too many files to include".to_owned()))?;
            std::fs::copy(entry.path(), &place).map_err(|error| failed(error.to_string()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_reach_the_script() {
        for right in ["FAST", "W=8", "V=4'hF", "N=-1"] {
            assert_eq!(check_define(right), Ok(()), "{right}");
        }
        for wrong in ["", "=1", "A=", "A=1; shell ls", "8=A", "A B", "A=\n"] {
            assert!(check_define(wrong).is_err(), "{wrong}");
            assert!(check_parameter(wrong).is_err(), "{wrong}");
        }
        assert!(check_parameter("W").is_err());
    }
}
