//! eqy projects (`design.eqy`): two scripts, and what belongs together.
//!
//! `[gold]` and `[gate]` (and `[script]`, which is run for both) read the two designs; `[match …]` names signals that belong together; `[collect …]`, `[partition …]`, `[recode …]` and
//! `[strategy …]` say how eqy shall take the comparison apart, which Entail does in its own way.

use super::script::Reading;
use super::sections::{Section, sections};
use super::{Word, told, unread, wrong};
use entail_source::{Diagnostic, Diagnostics, Source, Span};

/// A project.
#[derive(Clone, Debug, Default)]
pub struct EqyProject {
    /// What is read for the design that counts.
    pub gold: Reading,
    /// What is read for the design that is compared with it.
    pub gate: Reading,
    /// Names that belong together: of gold, of gate.
    pub matches: Vec<(Word, Word)>,
    /// What was passed over.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a project.
pub fn read_eqy(source: &Source) -> Result<EqyProject, Diagnostics> {
    let mut problems = Vec::new();
    let mut project = EqyProject::default();
    let sections = sections(source, &[], None, &mut problems);
    let mut common: Vec<Vec<Word>> = Vec::new();
    for section in sections.iter().filter(|section| section.name == "script") {
        common.extend(section.entries());
    }
    for section in &sections {
        if let Err(problem) = project.section(section, &common) {
            problems.push(problem);
        }
    }
    for name in ["gold", "gate"] {
        if !sections.iter().any(|section| section.name == name) && problems.is_empty() {
            problems.push(wrong(format!("there is no section `[{name}]`"), Span::new(0, 0)));
        }
    }
    match problems.is_empty() {
        true => Ok(project),
        false => Err(Diagnostics(problems)),
    }
}

impl EqyProject {
    fn section(&mut self, section: &Section, common: &[Vec<Word>]) -> Result<(), Diagnostic> {
        let passed = |what: &str| {
            let message = format!("`[{what}]` is passed over: it says how eqy shall work");
            told(message, section.span)
        };
        match section.name.as_str() {
            "gold" | "gate" => {
                let reading = match section.name == "gold" {
                    true => &mut self.gold,
                    false => &mut self.gate,
                };
                for entry in section.entries().iter().chain(common) {
                    reading.line(entry, &mut self.warnings)?;
                }
                Ok(())
            }
            "script" => Ok(()),
            "match" => {
                for entry in section.entries() {
                    self.belongs(&entry)?;
                }
                Ok(())
            }
            "options" | "collect" | "partition" | "strategy" => {
                self.warnings.push(passed(&section.name));
                Ok(())
            }
            // (Codes of states are found.)
            "recode" => {
                self.warnings.push(passed("recode"));
                Ok(())
            }
            other => Err(unread(
                format!("the section `[{other}]` is not read"),
                section.span,
            )),
        }
    }

    /// `gold-match a b`: names that belong together.
    fn belongs(&mut self, entry: &[Word]) -> Result<(), Diagnostic> {
        let is_plain =
            |word: &Word| !word.text.contains(['*', '?', '\\', '(']) && !word.text.starts_with('/');
        match entry {
            [kind, gold, gate] if kind.text == "gold-match" => match is_plain(gold) && is_plain(gate) {
                true => {
                    self.matches.push((gold.clone(), gate.clone()));
                    Ok(())
                }
                false => Err(unread("patterns of names are not read", gold.span)),
            },
            [kind, name] if kind.text == "gold-match" && is_plain(name) => {
                self.matches.push((name.clone(), name.clone()));
                Ok(())
            }
            [kind, gate, gold] if kind.text == "gate-match" && is_plain(gold) && is_plain(gate) => {
                self.matches.push((gold.clone(), gate.clone()));
                Ok(())
            }
            [kind, ..] if matches!(kind.text.as_str(), "gate-nomatch" | "gold-nomatch") => {
                self.warnings.push(told(
                    format!("`{}` is passed over: what agrees is proved", kind.text),
                    kind.span,
                ));
                Ok(())
            }
            [kind, ..] => Err(unread(format!("`{}` is not read here", kind.text), kind.span)),
            [] => Ok(()),
        }
    }
}
