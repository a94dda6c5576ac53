//! Files with sections, `[name arguments]`, and lines in them: what SymbiYosys and eqy have in common.
//!
//! Lines may belong to some tasks only: `task: line`, `~task: line`, or `task:` and the lines up to `--`. What is left for one task is handed on; a section
//! `[file NAME]` keeps its lines as they are.

use super::{Word, unread, words, wrong};
use entail_source::{Diagnostic, Source, Span};
use std::collections::BTreeSet;

/// A section.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) name: String,
    /// What stands behind the name.
    pub(crate) arguments: Vec<Word>,
    pub(crate) span: Span,
    /// Its lines, each with its offset in the text.
    pub(crate) lines: Vec<(usize, String)>,
}

impl Section {
    /// The lines that say something, in words, without comments.
    pub(crate) fn entries(&self) -> Vec<Vec<Word>> {
        let lines = self.lines.iter();
        lines
            .map(|(offset, line)| {
                let words = words(line, *offset);
                let comment = words.iter().position(|word| word.text.starts_with('#'));
                words[..comment.unwrap_or(words.len())].to_vec()
            })
            .filter(|words| !words.is_empty())
            .collect()
    }
}

/// A task: its name, and the groups it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) name: String,
    tags: Vec<String>,
    /// It is run where none is asked for.
    pub(crate) is_default: bool,
}

/// The tasks of a text.
pub(crate) fn tasks(source: &Source) -> Vec<Task> {
    let mut found = Vec::new();
    let mut inside = false;
    for (_, line) in source.lines() {
        let line = line.trim();
        if line.starts_with('[') {
            inside = line == "[tasks]";
            continue;
        }
        if !inside || line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (names, marks) = line.split_once(':').unwrap_or((line, ""));
        let mut names = names.split_whitespace().map(str::to_owned);
        if let Some(name) = names.next() {
            found.push(Task {
                name,
                tags: names.collect(),
                is_default: marks.split_whitespace().any(|mark| mark == "default"),
            });
        }
    }
    found
}

/// The sections, with the lines of one task.
pub(crate) fn sections(
    source: &Source,
    tasks: &[Task],
    task: Option<&Task>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<Section> {
    let all: BTreeSet<&str> = tasks
        .iter()
        .flat_map(|task| task.tags.iter().map(String::as_str).chain([task.name.as_str()]))
        .collect();
    let active: BTreeSet<&str> = task
        .into_iter()
        .flat_map(|task| task.tags.iter().map(String::as_str).chain([task.name.as_str()]))
        .collect();
    let mut found: Vec<Section> = Vec::new();
    let mut skipping = false;
    for (span, line) in source.lines() {
        let line = line.trim_end();
        let keeps_lines = found.last().is_some_and(|section| section.name == "file");
        if line.starts_with("--pycode-") {
            problems.push(unread("lines that Python makes are not read", span));
            continue;
        }
        if line == "--" && !tasks.is_empty() {
            skipping = false;
            continue;
        }
        if skipping {
            continue;
        }
        let (skip, line) = match tagged(line, &all) {
            None => (0, line),
            Some((tag, wanted, rest)) => {
                let is_active = active.contains(tag) == wanted;
                if rest.is_empty() {
                    skipping = !is_active;
                    continue;
                }
                if !is_active {
                    continue;
                }
                (line.len() - rest.len(), rest)
            }
        };
        let heading = line
            .trim()
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        match (heading, found.last_mut()) {
            (Some(heading), _) => {
                let offset = span.start + skip + line.find('[').unwrap_or(0) + 1;
                let mut words = words(heading, offset).into_iter();
                let Some(name) = words.next() else {
                    problems.push(wrong("a section has a name", span));
                    continue;
                };
                found.push(Section {
                    name: name.text,
                    arguments: words.collect(),
                    span,
                    lines: Vec::new(),
                });
            }
            (None, Some(section)) => section.lines.push((span.start + skip, line.to_owned())),
            (None, None) if line.trim().is_empty() || line.starts_with('#') => {}
            (None, None) if keeps_lines => {}
            (None, None) => problems.push(wrong("this line is in no section", span)),
        }
    }
    found
}

/// The tag that a line begins with, whether it is meant to be there, and the rest of the line.
fn tagged<'l>(line: &'l str, known: &BTreeSet<&str>) -> Option<(&'l str, bool, &'l str)> {
    let (before, rest) = line.split_once(':')?;
    let (tag, wanted) = match before.strip_prefix('~') {
        Some(tag) => (tag, false),
        None => (before, true),
    };
    known.contains(tag).then(|| (tag, wanted, rest.trim_start()))
}
