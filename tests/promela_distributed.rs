//! Whole-program tests of searches over several processes.

mod program;

use program::{Program, text_file};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Two counters, and a formula that fails.
const MODEL: &str = "byte a, b;
active proctype p() { end: do :: a < 60 -> a = a + 1 :: a == 60 -> a = 0 od }
active proctype q() { end: do :: b < 60 -> b = b + 1 od }
ltl f { <> (b == 60) }
ltl g { [] (a <= 60) }
";

/// A file with addresses that nobody uses.
fn hosts(count: usize) -> tempfile::TempPath {
    let listeners: Vec<TcpListener> = (0..count)
        .map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"))
        .collect();
    let lines: Vec<String> = listeners
        .iter()
        .map(|listener| format!("{}\n", listener.local_addr().expect("it listens")))
        .collect();
    text_file(&lines.concat(), ".txt")
}

#[test]
fn processes_together_answer_as_one_does() {
    let model = text_file(MODEL, ".pml");
    let hosts = hosts(3);
    let alone = Program::check(&model).args(["--no-reduction", "--json"]).run();
    let together = Program::check(&model)
        .args(["--distributed", &hosts.to_string_lossy(), "--json"])
        .run();
    assert_eq!((alone.status, together.status), (1, 1), "{}", together.stderr);
    let verdicts = |run: &program::Run| -> Vec<String> {
        let json = run
            .json()
            .unwrap_or_else(|| panic!("{}{}", run.stdout, run.stderr));
        let properties = json["properties"].as_array().expect("a list").clone();
        properties
            .iter()
            .map(|property| property["verdict"].to_string())
            .collect()
    };
    assert_eq!(verdicts(&alone), verdicts(&together));
    let states = |run: &program::Run| {
        run.json()
            .map(|json| json["properties"][0]["statistics"]["states"].clone())
    };
    assert_eq!(states(&alone), states(&together));
}

#[test]
fn without_one_of_the_processes_there_is_no_verdict() {
    let large = MODEL.replace("byte a, b", "int a, b").replace("60", "3000");
    let (model, hosts) = (text_file(&large, ".pml"), hosts(2));
    let child = Command::new(env!("CARGO_BIN_EXE_entail"))
        .args([
            "check".as_ref(),
            model.as_os_str(),
            "--distributed".as_ref(),
            hosts.as_os_str(),
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // The second process is the one with `--index 1`.
    let begun = Instant::now();
    let worker = loop {
        let all = std::fs::read_dir("/proc").expect("there is /proc");
        let found = all.flatten().find(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            line.contains(&*hosts.to_string_lossy()) && line.contains("--index\0\u{31}\0")
        });
        match found {
            Some(entry) => break entry.file_name(),
            None if begun.elapsed() > Duration::from_secs(20) => panic!("the second process does not start"),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    std::thread::sleep(Duration::from_millis(300));
    let killed = Command::new("kill").arg("-9").arg(&worker).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    let (said, wrong) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert_eq!(output.status.code(), Some(69), "{said}{wrong}");
    assert!(said.is_empty(), "{said}");
    assert!(wrong.contains("was lost, so there is no answer"), "{wrong}");
}

#[test]
fn wrong_addresses_are_refused() {
    let model = text_file(MODEL, ".pml");
    for (text, message) in [
        ("", "has no addresses"),
        ("localhost\n", "line 1: `localhost` is no address"),
        (
            "# two\nlocalhost:4000\nlocalhost:4000\n",
            "line 3: localhost:4000 is there twice",
        ),
    ] {
        let hosts = text_file(text, ".txt");
        let run = Program::check(&model)
            .args(["--distributed", &hosts.to_string_lossy()])
            .run();
        assert_eq!(run.status, 65, "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}
