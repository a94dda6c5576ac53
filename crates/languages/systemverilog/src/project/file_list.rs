//! File lists (`-f rtl.f`), as Verilator and VCS read them.
//!
//! Words between blanks: files, `+incdir+DIR+…`, `+define+NAME=VALUE+…`, `-I`, `-D`, `-f LIST`, `-F LIST`, `-v FILE`, a name of the top module.
//! Comments begin with `//` or `#`, or stand between `/*` and `*/`. What stands in a list that was asked for with `-f` is relative to where the
//! program was started, with `-F` relative to the list; the reader leaves that to whoever opens files.

use super::{Word, told, unread, wrong};
use entail_source::{Diagnostic, Diagnostics, Source, Span};

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListItem {
    /// A file of the design.
    File(Word),
    /// A folder of files that are included.
    Include(Word),
    /// A macro: `NAME` or `NAME=VALUE`.
    Define(Word),
    /// Another list.
    List {
        /// Its file.
        file: Word,
        /// What stands in it is relative to it (`-F`).
        beside: bool,
    },
    /// The top module.
    Top(Word),
}

/// A file list.
#[derive(Clone, Debug, Default)]
pub struct FileList {
    /// Its entries, in order.
    pub items: Vec<ListItem>,
    /// What was passed over.
    pub warnings: Vec<Diagnostic>,
}

/// Options without a value that say how a tool shall work, or what it has already been told.
const STEERING: [&str; 18] = [
    "-sv",
    "-sverilog",
    "--sv",
    "+v2k",
    "-full64",
    "-q",
    "-quiet",
    "-nologo",
    "-lint",
    "--lint-only",
    "--timing",
    "--no-timing",
    "--assert",
    "-assert",
    "--binary",
    "--trace",
    "-debug_access+all",
    "-kdb",
];

/// Beginnings of such options.
const STEERING_BEGINNINGS: [&str; 8] = [
    "-W",
    "+lint",
    "-timescale",
    "--timescale",
    "+nowarn",
    "-suppress",
    "+systemverilogext",
    "+libext",
];

/// Reads a file list.
pub fn read_file_list(source: &Source) -> Result<FileList, Diagnostics> {
    let mut list = FileList::default();
    let mut problems = Vec::new();
    let mut entries = entries(source.text(), &mut problems).into_iter();
    while let Some(entry) = entries.next() {
        if let Err(problem) = list.entry(entry, &mut entries) {
            problems.push(problem);
        }
    }
    match problems.is_empty() {
        true => Ok(list),
        false => Err(Diagnostics(problems)),
    }
}

impl FileList {
    fn entry(&mut self, entry: Word, rest: &mut dyn Iterator<Item = Word>) -> Result<(), Diagnostic> {
        let text = entry.text.as_str();
        if text.contains('$') {
            let message = format!("`{text}` names a variable of the environment, which is not read");
            return Err(unread(message, entry.span));
        }
        for (beginning, item) in [
            ("+incdir+", ListItem::Include as fn(Word) -> ListItem),
            ("+define+", ListItem::Define),
        ] {
            if let Some(parts) = text.strip_prefix(beginning) {
                let parts = parts.split('+').filter(|part| !part.is_empty());
                self.items.extend(parts.map(|part| {
                    item(Word {
                        text: part.to_owned(),
                        span: entry.span,
                    })
                }));
                return Ok(());
            }
        }
        let (name, joined) = match text.get(..2) {
            Some(short @ ("-I" | "-D")) if text.len() > 2 => (short, Some(text[2..].to_owned())),
            _ => match text.split_once('=').filter(|_| text.starts_with('-')) {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (text, None),
            },
        };
        let mut value = || match &joined {
            Some(value) => Ok(Word {
                text: value.clone(),
                span: entry.span,
            }),
            None => rest
                .next()
                .ok_or_else(|| wrong(format!("`{name}` needs a value"), entry.span)),
        };
        let item = match name {
            "-I" => ListItem::Include(value()?),
            "-D" => ListItem::Define(value()?),
            "-f" | "-F" | "-file" => ListItem::List {
                beside: name == "-F",
                file: value()?,
            },
            "-v" => ListItem::File(value()?),
            "-top" | "--top" | "-top-module" | "--top-module" | "-s" => ListItem::Top(value()?),
            "-y" => {
                let folder = value()?;
                let message = format!(
                    "modules are not looked for in `{}`: list their files",
                    folder.text
                );
                return Err(unread(message, entry.span));
            }
            _ if STEERING.contains(&text)
                || STEERING_BEGINNINGS
                    .iter()
                    .any(|beginning| text.starts_with(beginning)) =>
            {
                self.warnings.push(told(
                    format!("`{text}` is passed over: it is about another tool"),
                    entry.span,
                ));
                return Ok(());
            }
            _ if text.starts_with('-') || text.starts_with('+') => {
                return Err(unread(format!("`{text}` is not read in a file list"), entry.span));
            }
            _ => ListItem::File(entry),
        };
        self.items.push(item);
        Ok(())
    }
}

/// The words outside comments.
fn entries(text: &str, problems: &mut Vec<Diagnostic>) -> Vec<Word> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let line_end = rest.find('\n').unwrap_or(rest.len());
        let blank = rest.len() - rest.trim_start().len();
        if blank > 0 {
            at += blank;
        } else if rest.starts_with("//") || rest.starts_with('#') {
            at += line_end;
        } else if let Some(inside) = rest.strip_prefix("/*") {
            match inside.find("*/") {
                Some(end) => at += end + 4,
                None => {
                    let span = Span::new(at, at + 2);
                    problems.push(wrong("this comment is not closed", span));
                    return found;
                }
            }
        } else if let Some(inside) = rest.strip_prefix('"') {
            let Some(end) = inside.find('"') else {
                problems.push(wrong("this quotation mark is not closed", Span::new(at, at + 1)));
                return found;
            };
            let span = Span::new(at, at + end + 2);
            let text = inside[..end].to_owned();
            found.push(Word { text, span });
            at += end + 2;
        } else {
            // (A backslash at the end of a line continues it.)
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let end = rest[..end].find("//").filter(|&at| at > 0).unwrap_or(end);
            if &rest[..end] != "\\" {
                found.push(Word {
                    text: rest[..end].to_owned(),
                    span: Span::new(at, at + end),
                });
            }
            at += end;
        }
    }
    found
}
