//! Mistakes of Entail's: noted when they happen, and saved as files that people can send.
//!
//! A case is one JSON document with all that is needed to see the mistake again: the model's text, the property, the engine, what it claimed, the
//! command line, and where the program panicked, if it did.

use crate::failure::INTERNAL;
use crate::terminal::note;
use entail::{Fault, read_file, write_file};
use entail_report::InternalReport;
use entail_source::Digest;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What the last panic said, and where. Threads panic anywhere; there is one hook for all of them.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// From now on a panic is one line on standard error, and is remembered for the case.
pub fn note_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or("a panic without a message");
        let place = panic.location().map(|place| format!(" ({place})"));
        let text = format!("{message}{}", place.unwrap_or_default());
        note!("entail: internal error: {text}");
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = Some(text);
        }
    }));
}

/// The status of a program that panicked outside of any property.
pub fn crashed() -> u8 {
    note!("entail: this is a mistake in Entail; please report it, with the input and the command line");
    INTERNAL
}

/// The mistake that is to be made on purpose, and the number of its property: `ENTAIL_FAULT=panic:2` or `lie:2`. For tests of what becomes of mistakes.
pub fn fault() -> Option<(usize, Fault)> {
    let text = std::env::var("ENTAIL_FAULT").ok()?;
    let (kind, number) = text.split_once(':')?;
    let fault = match kind {
        "panic" => Fault::Panic,
        "lie" => Fault::Lie,
        _ => return None,
    };
    Some((number.parse::<usize>().ok()?.checked_sub(1)?, fault))
}

/// Where a mistake was made.
pub struct Case<'a> {
    /// What happened.
    pub message: &'a str,
    /// The model's file.
    pub model: &'a Path,
    /// Its language.
    pub language: &'a str,
    /// The property: name, formula, logic.
    pub property: Json,
    /// The engine that was at work.
    pub engine: &'a str,
    /// What it claimed, if it did, as saved evidence is.
    pub claim: Option<Json>,
    /// The folder that the user gave for evidence.
    pub folder: Option<&'a Path>,
}

impl Case<'_> {
    /// Saves the case.
    pub fn save(self) -> InternalReport {
        let (text, bytes) = match read_file(self.model).map(String::from_utf8) {
            Ok(Ok(text)) => (Some(text), None),
            Ok(Err(error)) => (None, Some(hexadecimal(error.as_bytes()))),
            Err(_) => (None, None),
        };
        let command: Vec<String> = std::env::args_os()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        let document = json!({
            "entail": env!("CARGO_PKG_VERSION"), "format": "entail-case", "error": self.message,
            "panic": LAST_PANIC.lock().map_or(None, |mut last| last.take()),
            "command": command, "model": self.model.display().to_string(), "language": self.language,
            "text": text, "bytes": bytes, "property": self.property, "engine": self.engine, "claim": self.claim,
        });
        let text = format!("{document:#}\n");
        let digest = Digest::of(text.as_bytes()).to_string();
        let number = digest.trim_start_matches("sha256:").get(..12).unwrap_or("case");
        let name = format!("entail-case-{number}.json");
        let folders = self
            .folder
            .map(PathBuf::from)
            .into_iter()
            .chain([std::env::temp_dir()]);
        let saved = folders.map(|folder| folder.join(&name)).find(|path| {
            let folder = path.parent().map(std::fs::create_dir_all);
            folder.is_none_or(|made| made.is_ok()) && write_file(path, text.as_bytes()).is_ok()
        });
        InternalReport {
            message: self.message.to_owned(),
            case: saved.map(|path| path.display().to_string()),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
