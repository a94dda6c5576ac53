//! Projects: which files a design is made of, and how it is read.
//!
//! File lists as simulators take them ([`read_file_list`]), SymbiYosys projects ([`read_sby`]) and eqy projects ([`read_eqy`]). What only steers the
//! tool that a project was written for is accepted and told; what would change the answer and is not read is an error at its line.

mod eqy;
mod file_list;
mod matching;
mod name_pattern;
mod sby;
mod script;
mod sections;

pub use eqy::{EqyProject, Recode, read_eqy};
pub use file_list::{FileList, ListItem, read_file_list};
pub use matching::{MatchRules, MatchedNames};
pub use sby::{Mode, SbyProject, read_sby};
pub use script::{Passes, Reading};

use entail_source::{Diagnostic, Span};

/// A word of a project and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it is written.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

pub(crate) fn wrong(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("project::syntax", message.into(), span, "here")
}

pub(crate) fn unread(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("project::unsupported", message.into(), span, "here")
}

pub(crate) fn told(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::warning("project::steering", message.into(), span, "here")
}

/// The words of a part of a text, which begins at an offset. Quotes keep words together.
pub(crate) fn words(text: &str, offset: usize) -> Vec<Word> {
    let mut found = Vec::new();
    let mut current: Option<(usize, String)> = None;
    let mut quote: Option<char> = None;
    for (at, letter) in text.char_indices() {
        match quote {
            Some(mark) if mark == letter => quote = None,
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                current.get_or_insert((at, String::new()));
            }
            None if letter.is_whitespace() => {
                if let Some((start, text)) = current.take() {
                    let span = Span::new(offset + start, offset + at);
                    found.push(Word { text, span });
                }
            }
            _ => current.get_or_insert((at, String::new())).1.push(letter),
        }
    }
    if let Some((start, word)) = current {
        let span = Span::new(offset + start, offset + text.len());
        found.push(Word { text: word, span });
    }
    found
}
