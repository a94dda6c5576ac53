//! Running the processes of a distributed search in tests: only on this machine, and never for ever.
#![allow(dead_code)] // each test target uses a part of it

use super::program::{self, text_file};
use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Two counters, and a formula that fails.
pub const MODEL: &str = "byte a, b;
active proctype p() { end: do :: a < 60 -> a = a + 1 :: a == 60 -> a = 0 od }
active proctype q() { end: do :: b < 60 -> b = b + 1 od }
ltl f { <> (b == 60) }
ltl g { [] (a <= 60) }
";

/// The same with more states than any test has time for.
pub fn large_model() -> tempfile::TempPath {
    let large = MODEL.replace("byte a, b", "int a, b").replace("60", "30000");
    text_file(&large, ".pml")
}

/// Whatever takes longer hangs. Not a measure of speed: nothing here takes a tenth of it.
pub const HANG: Duration = Duration::from_secs(120);

/// A file with addresses that nobody uses.
pub fn hosts(count: usize) -> tempfile::TempPath {
    text_file(&addresses(count).join("\n"), ".hosts")
}

/// Addresses that nobody uses.
pub fn addresses(count: usize) -> Vec<String> {
    let listeners: Vec<TcpListener> = (0..count)
        .map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"))
        .collect();
    let address = |listener: &TcpListener| listener.local_addr().expect("it listens").to_string();
    listeners.iter().map(address).collect()
}

/// A process that runs.
pub struct Running {
    pub child: Child,
    output: Option<[JoinHandle<String>; 2]>,
}

impl Running {
    /// Starts a check with a file of addresses.
    pub fn check(model: &Path, hosts: &Path, arguments: &[&str]) -> Running {
        let mut child = Command::new(env!("CARGO_BIN_EXE_entail"))
            .arg("check")
            .arg(model)
            .arg("--distributed")
            .arg(hosts)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program was built");
        let read = |mut pipe: Box<dyn Read + Send>| {
            std::thread::spawn(move || {
                let mut text = Vec::new();
                let _ = pipe.read_to_end(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            })
        };
        let output = [
            read(Box::new(child.stdout.take().expect("piped"))),
            read(Box::new(child.stderr.take().expect("piped"))),
        ];
        Running {
            child,
            output: Some(output),
        }
    }

    /// Sends a signal to the process itself.
    pub fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("it is our child").is_none()
    }

    /// Waits for the end.
    pub fn end(mut self) -> program::Run {
        let begun = Instant::now();
        let status = loop {
            match self.child.try_wait().expect("it is our child") {
                Some(status) => break status,
                None if begun.elapsed() > HANG => {
                    let _ = self.child.kill();
                    panic!("the process hangs");
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let [stdout, stderr] = self.output.take().expect("it is taken once");
        program::Run {
            status: status.code().unwrap_or(-1),
            stdout: stdout.join().expect("no panic"),
            stderr: stderr.join().expect("no panic"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.output.is_some() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Sends a signal to a process, which may have ended.
pub fn signal(process: u32, name: &str) {
    let _ = Command::new("kill")
        .args([&format!("-{name}"), &process.to_string()])
        .stderr(Stdio::null())
        .status();
}

/// The processes that have been given this file of addresses, each with its number if it was given one.
pub fn processes(hosts: &Path) -> Vec<(u32, Option<usize>)> {
    let name = hosts.to_string_lossy();
    let all = std::fs::read_dir("/proc").expect("there is /proc");
    let mut found = Vec::new();
    for entry in all.flatten() {
        let Ok(process) = entry.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        // Of a process that has ended and was not yet asked how, this is empty.
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        let words: Vec<&str> = line.split('\0').collect();
        if words.iter().any(|word| *word == name) {
            let number = words.windows(2).find(|pair| pair[0] == "--index");
            found.push((process, number.and_then(|pair| pair[1].parse().ok())));
        }
    }
    found
}

/// The worker with this number, as soon as there is one.
pub fn worker(hosts: &Path, number: usize) -> u32 {
    let begun = Instant::now();
    loop {
        if let Some((process, _)) = processes(hosts).iter().find(|(_, found)| *found == Some(number)) {
            return *process;
        }
        assert!(begun.elapsed() < HANG, "worker {number} does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until nobody is left.
pub fn assert_all_end(hosts: &Path) {
    let begun = Instant::now();
    loop {
        let left = processes(hosts);
        if left.is_empty() {
            return;
        }
        if begun.elapsed() > HANG {
            left.iter().for_each(|(process, _)| signal(*process, "KILL"));
            panic!("processes are left: {left:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// How much more is tried than in every run of the tests: a factor of at least 1.
pub fn effort() -> u64 {
    let told = std::env::var("ENTAIL_EFFORT").ok();
    told.and_then(|text| text.parse().ok()).unwrap_or(1).max(1)
}
