//! eqy projects (`design.eqy`): two scripts, and what belongs together.
//!
//! `[gold]` and `[gate]` (and `[script]`, which is run for both) read the two designs; `[match …]` says which names belong together, `[recode …]` how the values of a register are written
//! in the other design; `[collect …]`, `[partition …]`, `[strategy …]` and the options say how eqy shall take the comparison apart, which Entail does in its own way.

use super::matching::MatchRules;
use super::name_pattern::NamePattern;
use super::script::{Passes, Reading};
use super::sections::{Section, sections};
use super::{Word, told, unread, wrong};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use std::collections::BTreeSet;

/// A project.
#[derive(Clone, Debug, Default)]
pub struct EqyProject {
    /// What is read for the design that counts.
    pub gold: Reading,
    /// What is read for the design that is compared with it.
    pub gate: Reading,
    /// Which names belong together.
    pub matches: MatchRules,
    /// Registers whose values are written differently.
    pub recodes: Vec<Recode>,
    /// What was passed over.
    pub warnings: Vec<Diagnostic>,
}

/// `[recode MODULE NAME]`: values of a register of gold, and how gate writes them.
#[derive(Clone, Debug)]
pub struct Recode {
    module: Word,
    names: Word,
    /// Values of gold and of gate, as many bits each, the highest first.
    pub codes: Vec<(String, String)>,
}

impl Recode {
    /// Where the heading stands.
    pub fn span(&self) -> Span {
        self.names.span
    }

    /// Which of these names of the top module it is about; nothing if it is about another module.
    pub fn among(
        &self,
        top: Option<&str>,
        names: &BTreeSet<String>,
    ) -> Result<Option<Vec<String>>, Diagnostic> {
        if let Some(top) = top
            && !NamePattern::read(&self.module)?.describes(top)
        {
            return Ok(None);
        }
        let found = NamePattern::read(&self.names)?.among(names.iter().map(String::as_str));
        Ok(Some(found.into_iter().map(|found| found.name).collect()))
    }
}

/// Options of eqy; all of them are on or off.
const OPTIONS: [&str; 2] = ["splitnets", "insbuf"];

/// Reads a project.
pub fn read_eqy(source: &Source) -> Result<EqyProject, Diagnostics> {
    let mut problems = Vec::new();
    let mut project = EqyProject::default();
    for reading in [&mut project.gold, &mut project.gate] {
        reading.passes = Passes::Run(Vec::new());
    }
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
                    self.matches.line(section.arguments.first(), &entry)?;
                }
                Ok(())
            }
            "recode" => self.recode(section),
            "options" => {
                for entry in section.entries() {
                    match &entry[..] {
                        [name, value]
                            if OPTIONS.contains(&name.text.as_str())
                                && matches!(value.text.as_str(), "on" | "off") => {}
                        [name, ..] => return Err(unread("this is no option of eqy", name.span)),
                        [] => {}
                    }
                    self.warnings.push(passed("options"));
                }
                Ok(())
            }
            "collect" | "partition" | "strategy" => {
                self.warnings.push(passed(&section.name));
                Ok(())
            }
            other => Err(unread(
                format!("the section `[{other}]` is not read"),
                section.span,
            )),
        }
    }

    fn recode(&mut self, section: &Section) -> Result<(), Diagnostic> {
        let [module, names] = &section.arguments[..] else {
            let message = "`[recode MODULE NAME]` names a module and a register";
            return Err(wrong(message, section.span));
        };
        NamePattern::read(module)?;
        NamePattern::read(names)?;
        let mut codes: Vec<(String, String)> = Vec::new();
        for entry in section.entries() {
            let [gold, gate] = &entry[..] else {
                let message = "a line has a value of gold and one of gate";
                return Err(wrong(message, entry[0].span));
            };
            for word in [gold, gate] {
                if !word.text.bytes().all(|digit| matches!(digit, b'0' | b'1')) {
                    return Err(wrong("a value is written with the digits 0 and 1", word.span));
                }
            }
            if let Some((first_gold, first_gate)) = codes.first() {
                for (word, first) in [(gold, first_gold), (gate, first_gate)] {
                    if word.text.len() != first.len() {
                        return Err(wrong("values of one register have as many digits", word.span));
                    }
                }
            }
            if codes.iter().any(|(_, known)| *known == gate.text) {
                return Err(wrong("this value stands for another one already", gate.span));
            }
            codes.push((gold.text.clone(), gate.text.clone()));
        }
        self.recodes.push(Recode {
            module: module.clone(),
            names: names.clone(),
            codes,
        });
        Ok(())
    }
}
