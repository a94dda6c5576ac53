//! Running the built program in tests.
#![allow(dead_code)] // each test target uses a part of it

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A run of `entail` to be made.
pub struct Program {
    command: Command,
    input: Option<String>,
}

/// What a run gave.
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Program {
    pub fn new() -> Program {
        Program {
            command: Command::new(env!("CARGO_BIN_EXE_entail")),
            input: None,
        }
    }

    pub fn check(model: &Path) -> Program {
        Program::new().args(["check"]).arg(model)
    }

    pub fn args<S: AsRef<std::ffi::OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Program {
        self.command.args(arguments);
        self
    }

    pub fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Program {
        self.command.arg(argument);
        self
    }

    pub fn environment(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Program {
        self.command.env(name, value);
        self
    }

    pub fn input(mut self, text: &str) -> Program {
        self.input = Some(text.to_owned());
        self
    }

    pub fn folder(mut self, folder: &Path) -> Program {
        self.command.current_dir(folder);
        self
    }

    /// The command itself, for those who need more of the running program than what it prints.
    pub fn command(self) -> Command {
        self.command
    }

    pub fn run(mut self) -> Run {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("the program was built");
        let mut stdin = child.stdin.take().expect("piped");
        if let Some(text) = self.input {
            use std::io::Write;
            // A program that stops reading early closes the pipe; that is its right.
            let _ = stdin.write_all(text.as_bytes());
        }
        drop(stdin);
        let output = child.wait_with_output().expect("the program ends");
        Run {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Run {
    pub fn json(&self) -> Option<Value> {
        serde_json::from_str(&self.stdout).ok()
    }

    pub fn first_error_line(&self) -> &str {
        self.stderr
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("")
    }

    /// Whether nothing was decided: nothing was printed, or as JSON only what went wrong.
    pub fn has_no_answer(&self) -> bool {
        let is_error =
            |json: Value| json["properties"] == serde_json::json!([]) && json["reason"].is_string();
        self.stdout.is_empty() || self.json().is_some_and(is_error)
    }

    /// The verdicts of a JSON answer, in order.
    pub fn verdicts(&self) -> Vec<String> {
        let json = self
            .json()
            .unwrap_or_else(|| panic!("not JSON: {}\n{}", self.stdout, self.stderr));
        let properties = json["properties"].as_array().expect("a list of properties");
        properties
            .iter()
            .map(|p| p["verdict"].as_str().unwrap_or("").to_owned())
            .collect()
    }
}

/// The project's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// An example that is part of the project.
pub fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

/// A folder of models that are not part of the project, where they exist.
pub fn bench_folder(area: &str) -> Option<PathBuf> {
    let bench =
        std::env::var_os("ENTAIL_BENCH").map_or_else(|| root().join("../shared/bench"), PathBuf::from);
    let folder = bench.join(area);
    folder.is_dir().then_some(folder)
}

/// A model written to a temporary file.
pub fn model_file(text: &str) -> tempfile::TempPath {
    text_file(text, ".smv")
}

/// A text written to a temporary file whose name ends so.
pub fn text_file(text: &str, suffix: &str) -> tempfile::TempPath {
    use std::io::Write;
    let mut file = tempfile::Builder::new()
        .suffix(suffix)
        .tempfile()
        .expect("a temporary file");
    file.write_all(text.as_bytes())
        .expect("a writable temporary file");
    file.into_temp_path()
}

/// How much longer than usual random tests run: `ENTAIL_EFFORT`, 1 if it is not set.
pub fn effort() -> u64 {
    let effort = std::env::var("ENTAIL_EFFORT").ok();
    effort.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Bytes written to a file of this name in a folder.
pub fn bytes_file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a writable folder");
    path
}
