//! Processes of a search that were started here.

use crate::failure::{CommandError, HOLDS, LOST, UNKNOWN};
use entail::Secret;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes that are kept of what a process says.
const MOST_SAID: usize = 1 << 14;

/// A process that was started; it ends when this is dropped.
pub struct Started {
    index: usize,
    address: String,
    process: Child,
    /// Open as long as the process is wanted.
    _input: Option<ChildStdin>,
    said: Arc<Mutex<Vec<u8>>>,
    listens: Option<JoinHandle<()>>,
    status: Option<ExitStatus>,
}

impl Started {
    /// Starts the process with a number, with this process's own command line.
    pub fn new(index: usize, address: &str, secret: &Secret) -> Result<Started, CommandError> {
        let trouble =
            |error: std::io::Error| CommandError::Message(format!("cannot start a process: {error}"), LOST);
        let program = std::env::current_exe().map_err(trouble)?;
        let mut process = Command::new(program)
            .args(std::env::args_os().skip(1))
            .args(["--index", &index.to_string(), "--secret", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(trouble)?;
        let mut input = process.stdin.take();
        if let Some(input) = &mut input {
            // If it has ended already, that is seen later, and why.
            let _ = writeln!(input, "{}", secret.line());
        }
        let said = Arc::new(Mutex::new(Vec::new()));
        let listens = process.stderr.take().map(|mut errors| {
            let said = Arc::clone(&said);
            std::thread::spawn(move || {
                let mut bytes = [0; 4096];
                while let Ok(count @ 1..) = errors.read(&mut bytes) {
                    let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
                    let room = MOST_SAID.saturating_sub(said.len());
                    said.extend_from_slice(&bytes[..count.min(room)]);
                }
            })
        });
        Ok(Started {
            index,
            address: address.to_owned(),
            process,
            _input: input,
            said,
            listens,
            status: None,
        })
    }

    /// How it has ended, if it has.
    fn status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.process.try_wait().ok().flatten();
        }
        self.status
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if self.status().is_none() {
            // Also a process that was stopped is killed by this.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// A process that has ended before its work was done, and why.
pub fn lost(started: &mut [Started]) -> Option<CommandError> {
    for process in started {
        let Some(status) = process.status() else {
            continue;
        };
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        if code == Some(HOLDS) {
            continue;
        }
        if let Some(listens) = process.listens.take() {
            let _ = listens.join();
        }
        let said = process.said.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&said);
        let reason = match said.trim().trim_start_matches("entail: ") {
            "" => format!("it ended with {status}"),
            said => said.to_owned(),
        };
        return Some(CommandError::Message(
            format!(
                "worker {} ({}) was lost, so there is no answer: {reason}",
                process.index, process.address
            ),
            code.filter(|&code| code > UNKNOWN).unwrap_or(LOST),
        ));
    }
    None
}

/// Waits until all have ended by themselves, for some time.
pub fn end(started: &mut [Started], grace: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < grace && !started.iter_mut().all(|process| process.status().is_some()) {
        std::thread::sleep(Duration::from_millis(1));
    }
}
