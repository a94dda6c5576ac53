//! Searches over several processes: starting those on this machine, and ending all when one is lost.

use crate::arguments::Check;
use crate::failure::{FAILS, HOLDS, LOST, Stop, UNKNOWN};
use crate::terminal::print;
use entail::Cluster;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Who takes part in a search, if it is a distributed one and this is one of its processes.
pub fn cluster(options: &Check) -> Result<Option<Cluster>, Stop> {
    let (Some(hosts), Some(index)) = (&options.distributed, options.index) else {
        return Ok(None);
    };
    let addresses = addresses(hosts)?;
    if index >= addresses.len() {
        return Err(Stop::usage(format!(
            "--index {index}: {} has {} addresses, counted from 0",
            hosts.display(),
            addresses.len()
        )));
    }
    // When another process is lost, threads that carry messages panic, and nothing can be said any more.
    std::panic::set_hook(Box::new(move |panic| {
        let reason = panic.payload_as_str().unwrap_or("an error");
        eprintln!("entail: worker {index} cannot go on, there is no answer: {reason}");
        std::process::exit(LOST.into());
    }));
    Ok(Some(Cluster::Processes {
        addresses,
        index,
        threads: options.threads.unwrap_or(1),
    }))
}

/// The addresses in a file: one a line, `#` begins a comment.
fn addresses(hosts: &Path) -> Result<Vec<String>, Stop> {
    let text = std::fs::read_to_string(hosts)
        .map_err(|error| Stop::input(format!("cannot read {}: {error}", hosts.display())))?;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let address = line.split('#').next().unwrap_or_default().trim();
        if address.is_empty() {
            continue;
        }
        let port = address.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
        if !matches!(port, Some(Ok(1..))) {
            return Err(Stop::input(format!(
                "{}, line {}: `{address}` is no address; write host:port, such as localhost:4100",
                hosts.display(),
                number + 1
            )));
        }
        if found.iter().any(|other| other == address) {
            return Err(Stop::input(format!(
                "{}, line {}: {address} is there twice",
                hosts.display(),
                number + 1
            )));
        }
        found.push(address.to_owned());
    }
    match found.is_empty() {
        true => Err(Stop::input(format!("{} has no addresses", hosts.display()))),
        false => Ok(found),
    }
}

fn is_here(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    host == "localhost" || host.starts_with("127.") || host == "[::1]"
}

/// A process of the search.
struct Started {
    index: usize,
    process: Child,
    status: Option<ExitStatus>,
}

/// After the answer others may take so long to end.
const GRACE: Duration = Duration::from_secs(5);

/// Starts the processes whose addresses are on this machine, and gives the answer of the first. If one is lost, there is none.
pub fn supervise(hosts: &Path) -> Result<u8, Stop> {
    let addresses = addresses(hosts)?;
    let program = std::env::current_exe()
        .map_err(|error| Stop::input(format!("cannot find the program itself: {error}")))?;
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let mut started: Vec<Started> = Vec::new();
    for (index, address) in addresses.iter().enumerate() {
        if !is_here(address) {
            eprintln!("entail: waiting for {address}: run the same command there with --index {index}");
            continue;
        }
        let spawned = Command::new(&program)
            .args(&arguments)
            .args(["--index", &index.to_string()])
            .stdin(Stdio::null())
            .stdout(if index == 0 { Stdio::piped() } else { Stdio::null() })
            .stderr(Stdio::piped())
            .spawn();
        match spawned {
            Ok(process) => started.push(Started {
                index,
                process,
                status: None,
            }),
            Err(error) => {
                end_all(&mut started);
                return Err(Stop::input(format!("cannot start a process: {error}")));
            }
        }
    }
    if started.is_empty() {
        return Err(Stop::usage(
            "none of the addresses is on this machine (localhost); say --index",
        ));
    }
    let answer = started
        .iter_mut()
        .find(|started| started.index == 0)
        .and_then(|first| first.process.stdout.take())
        .map(|mut output| {
            std::thread::spawn(move || {
                let mut text = String::new();
                let _ = output.read_to_string(&mut text);
                text
            })
        });
    let status = wait(&mut started, &addresses);
    end_all(&mut started);
    let status = status?;
    if let Some(text) = answer.and_then(|reader| reader.join().ok()) {
        print(&text);
    }
    Ok(status)
}

/// Waits for the first process, or if it is elsewhere for all.
fn wait(started: &mut [Started], addresses: &[String]) -> Result<u8, Stop> {
    let mut answered: Option<(u8, Instant)> = None;
    loop {
        for started in started.iter_mut().filter(|started| started.status.is_none()) {
            let Ok(Some(status)) = started.process.try_wait() else {
                continue;
            };
            started.status = Some(status);
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            match code {
                Some(code @ (HOLDS | FAILS | UNKNOWN)) if started.index == 0 => {
                    answered = Some((code, Instant::now()));
                }
                Some(HOLDS) => {}
                _ => {
                    let mut said = String::new();
                    if let Some(mut errors) = started.process.stderr.take() {
                        let _ = errors.read_to_string(&mut said);
                    }
                    let said = said.trim().trim_start_matches("entail: ");
                    let reason = match said {
                        "" => format!("it ended with {status}"),
                        said => said.to_owned(),
                    };
                    return Err(Stop::Message(
                        format!(
                            "worker {} ({}) was lost, so there is no answer: {reason}",
                            started.index, addresses[started.index]
                        ),
                        code.filter(|&code| code > UNKNOWN).unwrap_or(LOST),
                    ));
                }
            }
        }
        let all_done = started.iter().all(|started| started.status.is_some());
        match answered {
            Some((code, when)) if all_done || when.elapsed() > GRACE => return Ok(code),
            None if all_done => return Ok(HOLDS),
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

fn end_all(started: &mut [Started]) {
    for started in started {
        if started.status.is_none() {
            let _ = started.process.kill();
            let _ = started.process.wait();
        }
    }
}
