//! Whole-program tests: who does not know the secret of a distributed search is turned away, whatever it says and however long it takes, and the search goes on.
//!
//! The handshake is written here a second time, from its description.

mod cluster;
mod program;

use cluster::{MODEL, Running, addresses, assert_all_end, effort};
use hmac::{Hmac, KeyInit, Mac};
use program::{Program, Run, text_file};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sha2::Sha256;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const SECRET: &str = "the secret of the tests";
const CHALLENGE: usize = 40;
const HELLO: usize = 84;
const WELCOME: usize = 40;

fn call(address: &str) -> Option<TcpStream> {
    let socket = TcpStream::connect(address).ok()?;
    socket.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    socket.set_write_timeout(Some(Duration::from_secs(20))).ok()?;
    Some(socket)
}

/// Calls as soon as somebody listens.
fn call_at_last(address: &str) -> TcpStream {
    let begun = Instant::now();
    loop {
        if let Some(socket) = call(address) {
            return socket;
        }
        assert!(begun.elapsed() < cluster::HANG, "nobody listens at {address}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The answer of a caller to a challenge.
fn hello(secret: &str, challenge: &[u8; CHALLENGE], caller: u32, processes: u32) -> Vec<u8> {
    let nonce = [5; 32];
    let mut tagger = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key");
    tagger.update(b"caller");
    tagger.update(challenge);
    tagger.update(&nonce);
    for number in [0, caller, processes, 1] {
        tagger.update(&number.to_be_bytes());
    }
    let mut said = b"entail 2".to_vec();
    for number in [caller, processes, 1] {
        said.extend_from_slice(&number.to_be_bytes());
    }
    said.extend_from_slice(&nonce);
    said.extend_from_slice(&tagger.finalize().into_bytes());
    assert_eq!(said.len(), HELLO);
    said
}

/// Whether the other side closes the connection without another word.
fn is_turned_away(mut socket: TcpStream) -> bool {
    let mut rest = Vec::new();
    match socket.read_to_end(&mut rest) {
        Ok(_) => rest.is_empty(),
        Err(error) => rest.is_empty() && error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

fn challenge(socket: &mut TcpStream) -> Option<[u8; CHALLENGE]> {
    let mut challenge = [0; CHALLENGE];
    socket.read_exact(&mut challenge).ok()?;
    Some(challenge)
}

/// A cluster whose processes are started one by one.
struct ByHand {
    model: tempfile::TempPath,
    hosts: tempfile::TempPath,
    secret: tempfile::TempPath,
    addresses: Vec<String>,
}

impl ByHand {
    fn new(count: usize) -> ByHand {
        let addresses = addresses(count);
        ByHand {
            model: text_file(MODEL, ".pml"),
            hosts: text_file(&addresses.join("\n"), ".hosts"),
            secret: text_file(&format!("{SECRET}\n"), ".secret"),
            addresses,
        }
    }

    fn start(&self, index: usize) -> Running {
        self.start_with(index, &self.hosts, &self.secret, &[])
    }

    fn start_with(&self, index: usize, hosts: &Path, secret: &Path, more: &[&str]) -> Running {
        let (index, secret) = (index.to_string(), secret.to_string_lossy().into_owned());
        let arguments = [&["--json", "--index", &index, "--secret", &secret], more].concat();
        Running::check(&self.model, hosts, &arguments)
    }
}

fn assert_right(run: &Run) {
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.verdicts(), ["holds", "fails", "holds"], "{}", run.stdout);
}

#[test]
fn the_secret_opens_the_door_and_no_other() {
    let cluster = ByHand::new(2);
    let first = cluster.start(0);
    // Another secret; the right one with a changed tag, or for a process that there is not.
    let mut socket = call_at_last(&cluster.addresses[0]);
    let asked = challenge(&mut socket).expect("a challenge");
    assert_eq!(&asked[..8], b"entail 2");
    socket
        .write_all(&hello("another secret of tests", &asked, 1, 2))
        .expect("it is read");
    assert!(is_turned_away(socket));
    let mut socket = call_at_last(&cluster.addresses[0]);
    let asked_again = challenge(&mut socket).expect("a challenge");
    assert_ne!(asked, asked_again, "every challenge is a new one");
    let mut said = hello(SECRET, &asked_again, 1, 2);
    said[HELLO - 1] ^= 1;
    socket.write_all(&said).expect("it is read");
    assert!(is_turned_away(socket));
    // What was right once.
    let mut socket = call_at_last(&cluster.addresses[0]);
    challenge(&mut socket).expect("a challenge");
    socket
        .write_all(&hello(SECRET, &asked, 1, 2))
        .expect("it is read");
    assert!(is_turned_away(socket));
    // The right answer gets one, so what is refused above is refused for what it says.
    let mut socket = call_at_last(&cluster.addresses[0]);
    let asked = challenge(&mut socket).expect("a challenge");
    socket
        .write_all(&hello(SECRET, &asked, 1, 2))
        .expect("it is read");
    let mut welcome = [0; WELCOME];
    socket.read_exact(&mut welcome).expect("an answer");
    assert_eq!(&welcome[..8], &[0, 0, 0, 2, 0, 0, 0, 1]);
    // Whoever knows the secret and then says what is none of our messages ends the search, without an answer.
    socket.write_all(&[0; 1000]).expect("it is read");
    let run = first.end();
    assert_eq!(run.status, 69, "{}", run.stderr);
    assert!(run.has_no_answer(), "{}", run.stdout);
}

#[test]
fn a_recorded_handshake_is_of_no_use() {
    let cluster = ByHand::new(2);
    // The second process calls a recorder, which passes everything on.
    let recorder = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = recorder.local_addr().expect("it listens").to_string();
    let detour = text_file(&format!("{address}\n{}\n", cluster.addresses[1]), ".hosts");
    let (first, second) = (
        cluster.start(0),
        cluster.start_with(1, &detour, &cluster.secret, &[]),
    );
    let (mut from, _) = recorder.accept().expect("it calls");
    let mut to = call_at_last(&cluster.addresses[0]);
    let asked = challenge(&mut to).expect("a challenge");
    from.write_all(&asked).expect("it is read");
    let mut recorded = [0; HELLO];
    from.read_exact(&mut recorded).expect("an answer");
    to.write_all(&recorded).expect("it is read");
    let pass = |mut from: TcpStream, mut to: TcpStream| {
        std::thread::spawn(move || {
            let _ = from.set_read_timeout(None);
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(std::net::Shutdown::Write);
        })
    };
    let back = pass(
        to.try_clone().expect("a handle"),
        from.try_clone().expect("a handle"),
    );
    let forth = pass(from, to);
    assert_right(&first.end());
    assert_eq!(second.end().status, 0);
    let _ = (back.join(), forth.join());
    // The same once more, and somebody says what was right before.
    let first = cluster.start(0);
    let mut socket = call_at_last(&cluster.addresses[0]);
    challenge(&mut socket).expect("a challenge");
    socket.write_all(&recorded).expect("it is read");
    assert!(is_turned_away(socket));
    let second = cluster.start(1);
    assert_right(&first.end());
    assert_eq!(second.end().status, 0);
}

/// Somebody at the door, until told to go.
fn stranger(address: &str, seed: u64, goes: Arc<AtomicBool>) -> JoinHandle<u64> {
    let address = address.to_owned();
    std::thread::spawn(move || {
        let mut random = StdRng::seed_from_u64(seed);
        let mut calls = 0;
        while !goes.load(Ordering::Relaxed) {
            let Some(mut socket) = call(&address) else {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            };
            calls += 1;
            let garbage: Vec<u8> = (0..random.random_range(1..300))
                .map(|_| random.random())
                .collect();
            match random.random_range(0..7) {
                // Silence.
                0 => std::thread::sleep(Duration::from_millis(random.random_range(0..2000))),
                1 => drop(socket.write_all(&garbage)),
                // What was enough before there was a secret.
                2 => drop(socket.write_all(b"entail 1\0\0\0\0\0\0\0\x01")),
                3 => {
                    let asked = challenge(&mut socket).unwrap_or([0; CHALLENGE]);
                    let _ = socket.write_all(&hello("not the secret of the tests", &asked, 1, 3));
                    let _ = is_turned_away(socket);
                }
                // A byte at a time.
                4 => {
                    for byte in hello(SECRET, &[0; CHALLENGE], 1, 3) {
                        if goes.load(Ordering::Relaxed) || socket.write_all(&[byte]).is_err() {
                            break;
                        }
                        std::thread::sleep(Duration::from_millis(random.random_range(0..200)));
                    }
                }
                // Half of an answer, and then no more.
                5 => {
                    let _ = socket.write_all(&b"entail 2 and so on"[..random.random_range(1..18)]);
                    std::thread::sleep(Duration::from_millis(random.random_range(0..2000)));
                }
                // As much as it takes.
                _ => {
                    for _ in 0..100 {
                        if socket.write_all(&[7; 4096]).is_err() {
                            break;
                        }
                    }
                }
            }
        }
        calls
    })
}

#[test]
fn strangers_do_not_disturb_a_search() {
    for round in 0..effort() {
        let cluster = ByHand::new(3);
        let goes = Arc::new(AtomicBool::new(false));
        let strangers: Vec<_> = (0..12)
            .map(|number| {
                stranger(
                    &cluster.addresses[number as usize % 2],
                    100 * round + number,
                    Arc::clone(&goes),
                )
            })
            .collect();
        let first = cluster.start(0);
        let second = cluster.start(1);
        // They have the doors to themselves for a while.
        drop(call_at_last(&cluster.addresses[0]));
        drop(call_at_last(&cluster.addresses[1]));
        std::thread::sleep(Duration::from_secs(1));
        let third = cluster.start(2);
        let run = first.end();
        goes.store(true, Ordering::Relaxed);
        assert_right(&run);
        assert_eq!((second.end().status, third.end().status), (0, 0));
        let calls: u64 = strangers
            .into_iter()
            .map(|stranger| stranger.join().expect("no panic"))
            .sum();
        assert!(calls > 12, "{calls}");
        assert_all_end(&cluster.hosts);
    }
}

#[test]
fn a_crowd_of_silent_callers_keeps_nobody_out() {
    let cluster = ByHand::new(2);
    let first = cluster.start(0);
    let mut crowd = vec![call_at_last(&cluster.addresses[0])];
    crowd.extend((0..200).filter_map(|_| call(&cluster.addresses[0])));
    let second = cluster.start(1);
    assert_right(&first.end());
    assert_eq!(second.end().status, 0);
}

#[test]
fn a_process_believes_no_listener_that_does_not_know_the_secret() {
    let cluster = ByHand::new(2);
    // Silent; with garbage; with a challenge and then garbage.
    for says in [
        &b""[..],
        &[1; 40],
        b"entail 2................................",
        b"entail 2",
    ] {
        let listener = TcpListener::bind(&cluster.addresses[0]);
        let Ok(listener) = listener else { continue };
        listener.set_nonblocking(true).expect("it listens");
        let mut worker = cluster.start_with(1, &cluster.hosts, &cluster.secret, &["--timeout", "2s"]);
        let mut callers = Vec::new();
        while worker.is_running() {
            if let Ok((mut socket, _)) = listener.accept() {
                let _ = socket.write_all(says);
                let _ = socket.write_all(&[3; 50]);
                callers.push(socket);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let run = worker.end();
        assert_eq!(run.status, 69, "{}", run.stderr);
        assert!(run.has_no_answer(), "{}", run.stdout);
    }
}

#[test]
fn processes_with_different_secrets_do_not_find_each_other() {
    let cluster = ByHand::new(2);
    let other = text_file("not the secret of the tests", ".secret");
    let second = cluster.start_with(1, &cluster.hosts, &other, &["--timeout", "3s"]);
    let first = cluster.start_with(0, &cluster.hosts, &cluster.secret, &["--timeout", "3s"]);
    let run = first.end();
    assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.verdicts(), ["unknown"; 3]);
    assert_eq!(second.end().status, 69);
}

#[test]
fn processes_that_check_different_things_say_so() {
    let cluster = ByHand::new(2);
    let other = text_file(&MODEL.replace("a = 0 od", "a = 1 od"), ".pml");
    let first = cluster.start(0);
    let secret = cluster.secret.to_string_lossy().into_owned();
    let second = Running::check(&other, &cluster.hosts, &["--index", "1", "--secret", &secret]);
    for run in [first.end(), second.end()] {
        assert_eq!(run.status, 69, "{}", run.stderr);
        assert!(run.has_no_answer(), "{}", run.stdout);
    }
    let first = cluster.start(0);
    let second = cluster.start_with(1, &cluster.hosts, &cluster.secret, &["--threads", "2"]);
    let said = [first.end(), second.end()].map(|run| {
        assert_eq!(run.status, 69, "{}", run.stderr);
        assert!(run.has_no_answer(), "{}", run.stdout);
        run.stderr
    });
    assert!(said.iter().any(|said| said.contains("threads")), "{said:?}");
}

#[test]
fn a_search_over_other_machines_needs_a_secret() {
    let model = text_file(MODEL, ".pml");
    let (near, far) = (
        text_file("localhost:4000\nlocalhost:4001", ".hosts"),
        text_file("localhost:4000\nfar.example:4001", ".hosts"),
    );
    let check = |hosts: &Path| Program::check(&model).arg("--distributed").arg(hosts);
    for run in [check(&far).run(), check(&near).args(["--index", "1"]).run()] {
        assert_eq!(run.status, 64, "{}", run.stderr);
        assert!(run.stderr.contains("must know the same secret"), "{}", run.stderr);
    }
    let short = check(&far).environment("ENTAIL_SECRET", "short").run();
    assert_eq!(short.status, 65, "{}", short.stderr);
    assert!(
        short.stderr.contains("from 16 to 1024 characters"),
        "{}",
        short.stderr
    );
    let missing = check(&far).args(["--secret", "/nowhere/at/all"]).run();
    assert_eq!(missing.status, 65, "{}", missing.stderr);
    let lines = text_file("a secret of the tests\nand more of it\n", ".secret");
    let lines = check(&far).arg("--secret").arg(&lines).run();
    assert_eq!(lines.status, 65, "{}", lines.stderr);
    assert!(lines.stderr.contains("one line of text"), "{}", lines.stderr);
}

#[test]
fn the_secret_is_on_no_command_line() {
    let hosts = cluster::hosts(2);
    let model = cluster::large_model();
    let secret = "a secret that can be found";
    let file = text_file(secret, ".secret");
    let search = Running::check(&model, &hosts, &["--secret", &file.to_string_lossy()]);
    let worker = cluster::worker(&hosts, 1);
    let line = std::fs::read(format!("/proc/{worker}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).into_owned();
    assert!(line.ends_with("--secret\0-\0"), "{line}");
    assert!(!line.contains(secret), "{line}");
    search.signal("TERM");
    assert_eq!(search.end().status, 130);
    assert_all_end(&hosts);
}
