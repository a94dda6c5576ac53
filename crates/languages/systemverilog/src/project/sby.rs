//! SymbiYosys projects (`design.sby`).
//!
//! `[tasks]`, `[options]` with `mode` and `depth`, `[engines]` (passed over: Entail has its own), `[script]`, `[files]` and `[file NAME]`, with lines for some
//! tasks only. Files are known to the script by the last part of their names, or by the name before theirs.

use super::script::Reading;
use super::sections::{Section, sections, tasks};
use super::{Word, told, unread, wrong};
use entail_source::{Diagnostic, Diagnostics, Source, Span};

/// What a task asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Assertions, on short paths.
    Bmc,
    /// Assertions.
    Prove,
    /// Covers, on short paths.
    Cover,
    /// Assertions about what happens in the end.
    Live,
}

/// A project, as one of its tasks has it.
#[derive(Clone, Debug)]
pub struct SbyProject {
    /// What is asked.
    pub mode: Mode,
    /// How many steps paths have, where they are bounded.
    pub depth: u32,
    /// What the script reads.
    pub reading: Reading,
    /// Files: the name that the script knows, and where the file is.
    pub files: Vec<(Word, Word)>,
    /// Files that stand in the project: name and text.
    pub inline: Vec<(Word, String)>,
    /// What was passed over.
    pub warnings: Vec<Diagnostic>,
    /// The task that was read, if the project has tasks.
    pub task: Option<String>,
}

/// Depths of the modes where nothing is said.
const USUAL_DEPTH: u32 = 20;

/// Reads a project for a task. Without one, the only task, or the only one that is marked as default.
pub fn read_sby(source: &Source, task: Option<&str>) -> Result<SbyProject, Diagnostics> {
    let all = tasks(source);
    let one = |problem: Diagnostic| Diagnostics(vec![problem]);
    let names: Vec<&str> = all.iter().map(|task| task.name.as_str()).collect();
    let defaults: Vec<_> = all.iter().filter(|task| task.is_default).collect();
    let place = Span::new(0, 0);
    let chosen = match (task, &all[..], &defaults[..]) {
        (Some(name), _, _) => match all.iter().find(|task| task.name == name) {
            Some(task) => Some(task),
            None => {
                let message = match names.is_empty() {
                    true => format!("there is no task `{name}`: the project has no tasks"),
                    false => format!("there is no task `{name}`, but {}", names.join(", ")),
                };
                return Err(one(wrong(message, place)));
            }
        },
        (None, [], _) => None,
        (None, [only], _) => Some(only),
        (None, _, [only]) => Some(*only),
        (None, ..) => {
            let message = format!("the project has several tasks: {}", names.join(", "));
            return Err(one(
                wrong(message, place).with_help("--task NAME says which one is meant")
            ));
        }
    };
    let mut problems = Vec::new();
    let sections = sections(source, &all, chosen, &mut problems);
    let mut project = SbyProject {
        mode: Mode::Prove,
        depth: USUAL_DEPTH,
        reading: Reading::default(),
        files: Vec::new(),
        inline: Vec::new(),
        warnings: Vec::new(),
        task: chosen.map(|task| task.name.clone()),
    };
    let mut mode = None;
    for section in &sections {
        if let Err(problem) = project.section(section, &mut mode) {
            problems.push(problem);
        }
    }
    match mode {
        Some(mode) => project.mode = mode,
        None if problems.is_empty() => {
            let message = "there is no `mode` in the section `[options]`";
            problems.push(
                wrong(message, place).with_help("`mode prove`, `mode bmc`, `mode cover` or `mode live`"),
            );
        }
        None => {}
    }
    match problems.is_empty() {
        true => Ok(project),
        false => Err(Diagnostics(problems)),
    }
}

impl SbyProject {
    fn section(&mut self, section: &Section, mode: &mut Option<Mode>) -> Result<(), Diagnostic> {
        match section.name.as_str() {
            "tasks" | "autotune" => Ok(()),
            "options" => {
                for entry in section.entries() {
                    self.option(&entry, mode)?;
                }
                Ok(())
            }
            "engines" => {
                for entry in section.entries() {
                    let message = format!(
                        "`{}` is passed over: Entail has engines of its own",
                        entry[0].text
                    );
                    self.warnings.push(told(message, entry[0].span));
                }
                Ok(())
            }
            "script" => {
                for entry in section.entries() {
                    self.reading.line(&entry, &mut self.warnings)?;
                }
                Ok(())
            }
            "files" => {
                for entry in section.entries() {
                    self.files.push(file(&entry)?);
                }
                Ok(())
            }
            "file" => {
                let [name] = &section.arguments[..] else {
                    return Err(wrong("`[file NAME]` has one name", section.span));
                };
                let lines = section.lines.iter().map(|(_, line)| format!("{line}\n"));
                self.inline.push((name.clone(), lines.collect()));
                Ok(())
            }
            other => Err(unread(
                format!("the section `[{other}]` is not read"),
                section.span,
            )),
        }
    }

    fn option(&mut self, entry: &[Word], mode: &mut Option<Mode>) -> Result<(), Diagnostic> {
        let (name, value) = match entry {
            [name, value, ..] => (name, value),
            _ => return Err(wrong("an option has a name and a value", entry[0].span)),
        };
        let is_on = matches!(value.text.as_str(), "on" | "yes" | "1");
        match name.text.as_str() {
            "mode" => {
                *mode = Some(match value.text.as_str() {
                    "bmc" => Mode::Bmc,
                    "prove" => Mode::Prove,
                    "cover" => Mode::Cover,
                    "live" => Mode::Live,
                    other => return Err(unread(format!("the mode `{other}` is not read"), value.span)),
                });
            }
            "depth" => {
                let depth = value.text.parse::<u32>().ok().filter(|&depth| depth > 0);
                self.depth = depth.ok_or_else(|| {
                    let help = "`depth 20` asks about the first 20 steps; without the line that is what SymbiYosys takes";
                    wrong("a positive number is needed", value.span).with_help(help)
                })?;
            }
            "multiclock" => self.reading.multiclock = is_on,
            "skip" | "aigsmt" | "append" | "vcd" | "fst" | "timeout" | "wait" | "tbtop" | "smtc"
            | "make_model" | "append_assume" | "vcd_sim" | "diagnose_fail" | "expect" | "cover_assert"
            | "assume_early" | "keep_going" | "jobs"
                if name.text != "smtc" && name.text != "skip" && !(name.text == "cover_assert" && is_on) =>
            {
                let message = format!("`{}` is passed over", name.text);
                self.warnings.push(told(message, name.span));
            }
            other => return Err(unread(format!("the option `{other}` is not read"), name.span)),
        }
        Ok(())
    }
}

/// `path`, or `name path`.
fn file(entry: &[Word]) -> Result<(Word, Word), Diagnostic> {
    match entry {
        [path] => {
            let last = path.text.rsplit('/').next().unwrap_or(&path.text).to_owned();
            let name = Word {
                text: last,
                span: path.span,
            };
            Ok((name, path.clone()))
        }
        [name, path] => Ok((name.clone(), path.clone())),
        _ => Err(wrong(
            "a line of `[files]` is a file, or a name and a file",
            entry[0].span,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    const TEXT: &str = "[tasks]\nshort\nlong deep\n\n[options]\nshort: mode bmc\ndeep: mode prove\n~deep: depth 7\n\n[engines]\nsmtbmc\n\n[script]\nread -formal -D W=8 top.sv\nlong:\nchparam -set N 3 top\n--\nprep -top top\n\n[files]\nrtl/top.sv\n[file defs.vh]\n`define A 1 # kept\n";

    #[test]
    fn tasks_choose_lines() {
        let source = Source::new("a.sby", TEXT);
        let short = read_sby(&source, Some("short")).expect("a task");
        assert_eq!((short.mode, short.depth), (Mode::Bmc, 7));
        assert!(short.reading.parameters.is_empty());
        assert_eq!(short.files[0].0.text, "top.sv");
        assert_eq!(short.inline[0].1, "`define A 1 # kept\n");
        assert_eq!(short.reading.defines[0].text, "W=8");
        let long = read_sby(&source, Some("long")).expect("a task");
        assert_eq!((long.mode, long.depth), (Mode::Prove, 20));
        assert_eq!(long.reading.parameters[0].1.text, "3");
        let several = read_sby(&source, None).expect_err("two tasks");
        assert!(several.0[0].message.contains("short, long"), "{several:?}");
        let python = TEXT.replace("[engines]\n", "--pycode-begin--\n[engines]\n");
        assert!(read_sby(&Source::new("a.sby", &python), Some("long")).is_err());
    }

    #[test]
    fn words_of_a_line_keep_their_places() {
        let found = words("a \"b c\" d", 10);
        let texts: Vec<&str> = found.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["a", "b c", "d"]);
        assert_eq!(found[2].span, Span::new(18, 19));
    }
}
