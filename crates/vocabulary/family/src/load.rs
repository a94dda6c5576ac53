//! What a loader is given, and what it can pass on to other processes.

use crate::{Language, LoadError, Options};
use entail_budget::Budget;
use entail_source::Source;
use std::path::{Path, PathBuf};

/// A model file that is to be read.
#[derive(Debug)]
pub struct Input<'a> {
    /// What the user calls it.
    pub name: &'a str,
    /// Where it is, for languages whose files include others and for translators that read it themselves.
    pub path: &'a Path,
    /// What is in it.
    pub bytes: &'a [u8],
    /// The language it is written in: one of the family's.
    pub language: &'static Language,
    /// What the user asked for.
    pub options: &'a Options,
    /// What reading may spend.
    pub budget: &'a Budget,
}

impl Input<'_> {
    /// The text, where it is one.
    pub fn text(&self) -> Result<Source, LoadError> {
        match std::str::from_utf8(self.bytes) {
            Ok(text) => Ok(Source::new(self.name, text)),
            Err(error) => Err(LoadError::Unreadable {
                path: PathBuf::from(self.name),
                reason: format!(
                    "it is not a text file (byte {} is not valid UTF-8)",
                    error.valid_up_to()
                ),
            }),
        }
    }

    /// The text, with a replacement character for what is not valid UTF-8; for languages that allow any bytes in comments.
    pub fn lossy_text(&self) -> Source {
        Source::new(self.name, String::from_utf8_lossy(self.bytes))
    }

    /// The text of what was read as bytes, to point at: places in the bytes are places in it.
    pub fn text_of_bytes(&self) -> Source {
        Source::new(self.name, entail_source::decode_in_place(self.bytes))
    }
}

/// What another process needs to read the same model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handover {
    /// The file itself.
    File,
    /// A text that was made from the file with effort, in a language of the same family.
    Text {
        /// The language's name.
        language: &'static str,
        /// The text.
        text: String,
    },
}
