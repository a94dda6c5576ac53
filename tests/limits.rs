//! Limits of time and memory, Ctrl-C and SIGTERM: they hold whatever the program is doing, and what is known is still said.

mod program;

use program::{Program, Run, bytes_file, effort, example, model_file, text_file};
use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// The limit that is set.
const LIMIT: &str = "1s";

/// What has not ended so long after a limit or a signal does not keep to it. The clock of a busy machine says little, so this is far from what is
/// promised, and the models are so large that work without an eye on the limit would take longer still.
const HANG: Duration = Duration::from_secs(60);

/// The output of a program that was told to end, or soon will have been.
fn ended(mut child: Child) -> Run {
    let reading = |pipe: Option<Box<dyn Read + Send>>| {
        let mut pipe = pipe.expect("it is a pipe");
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let stdout = reading(child.stdout.take().map(|pipe| Box::new(pipe) as _));
    let stderr = reading(child.stderr.take().map(|pipe| Box::new(pipe) as _));
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status;
        }
        if begun.elapsed() > HANG {
            let _ = child.kill();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    Run {
        status: status.code().unwrap_or(-1),
        stdout: stdout.join().expect("what was written"),
        stderr: stderr.join().expect("what was written"),
    }
}

fn started(program: Program) -> Child {
    program
        .command()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs")
}

fn in_time(program: Program) -> Run {
    ended(started(program.args(["--timeout", LIMIT])))
}

/// A counter over so many bits: nobody gets to the end of it.
fn endless(bits: usize) -> String {
    let mut text = String::from("MODULE main\nVAR a : word[64]; b : word[64]; c : word[64];\n");
    let _ = writeln!(
        text,
        "ASSIGN init(a) := 0ud64_1; init(b) := 0ud64_3; init(c) := 0ud64_5;"
    );
    let _ = writeln!(
        text,
        "next(a) := (a * b) + c; next(b) := (b * c) xor a; next(c) := (c * a) + 0ud64_{bits};"
    );
    let _ = writeln!(
        text,
        "INVARSPEC NAME first := a = a;\nINVARSPEC NAME second := (a xor b) != c * c;"
    );
    let _ = writeln!(text, "LTLSPEC NAME third := G F (a = b * c);");
    text
}

fn booleans(count: usize) -> String {
    let mut text = String::from("MODULE main\nVAR\n");
    for number in 0..count {
        let _ = writeln!(text, "x{number} : boolean;");
    }
    text.push_str("ASSIGN\n");
    for number in 0..count {
        let _ = writeln!(
            text,
            "init(x{number}) := FALSE; next(x{number}) := !x{};",
            (number * 7 + 1) % count
        );
    }
    text + "INVARSPEC NAME p := x0 | !x0;\n"
}

#[test]
fn very_many_variables_are_checked_within_the_time() {
    // Twenty thousand took 23 s when the work was quadratic.
    let model = model_file(&booleans(60_000));
    let run = in_time(Program::check(&model));
    assert!([0, 2].contains(&run.status), "{}{}", run.stdout, run.stderr);
}

#[test]
fn reading_a_model_keeps_to_the_time() {
    let model = model_file(&booleans(300_000));
    let run = in_time(Program::check(&model).args(["--json"]));
    assert_eq!(run.status, 2, "{}{}", run.stdout.len(), run.stderr);
    let answer = run.json().expect("a document");
    let said = answer["reason"]
        .as_str()
        .or(answer["properties"][0]["reason"].as_str());
    assert!(
        said.is_some_and(|reason| reason.contains("time limit")),
        "{answer}"
    );
}

#[test]
fn every_engine_keeps_to_the_time() {
    let model = model_file(&endless(1));
    let engines = Program::new().args(["engines"]).run().stdout;
    let names = engines.lines().filter_map(|line| line.split_whitespace().next());
    let mut count = 0;
    for engine in names {
        let run = in_time(Program::check(&model).args(["--engine", engine, "--json"]));
        if run.status != 64 {
            assert!(
                [0, 1, 2].contains(&run.status),
                "{engine}: {} {}",
                run.status,
                run.stderr
            );
            assert_eq!(run.verdicts().len(), 3, "{engine}");
            count += 1;
        }
    }
    assert!(count >= 5, "there are engines");
}

#[test]
fn memory_that_runs_out_is_an_answer() {
    let model = model_file(&endless(1));
    // Some of them take long to need so much: they are asked where there is time.
    let engines: &[&str] = match effort() {
        1 => &["bmc"],
        _ => &["bmc", "kind", "ic3", "explicit", "bdd", "cegar", "predicates"],
    };
    for engine in engines {
        let run = Program::check(&model)
            .args([
                "--engine",
                engine,
                "--memory",
                "200MiB",
                "--timeout",
                "60s",
                "--json",
            ])
            .run();
        assert!(
            [0, 1, 2].contains(&run.status),
            "{engine}: {} {}",
            run.status,
            run.stderr
        );
        let document = run.json().expect("a document");
        let peak = document["peak_memory_bytes"].as_u64().unwrap_or(0);
        assert!(peak < 1 << 30, "{engine}: {peak} bytes");
    }
    let run = Program::check(&model)
        .args([
            "--engine",
            "bmc",
            "--property",
            "second",
            "--memory",
            "100MiB",
            "--timeout",
            "60s",
        ])
        .run();
    assert_eq!(run.status, 2);
    assert!(run.stdout.contains("memory limit of 100 MiB"), "{}", run.stdout);
    // Twelve states, and paths as long as one likes.
    let run = Program::check(&example("mutex.smv"))
        .args(["--engine", "bmc", "--property", "safe", "--memory", "100MiB"])
        .args(["--timeout", "60s"])
        .run();
    assert_eq!(run.status, 2);
    assert!(run.stdout.contains("memory limit of 100 MiB"), "{}", run.stdout);
    let run = Program::check(&example("mutex.smv"))
        .args(["--memory", "none"])
        .run();
    assert_eq!(run.status, 1, "one property fails: {}{}", run.stdout, run.stderr);
}

#[test]
fn a_storage_for_which_there_is_no_memory_is_an_answer() {
    let program = text_file("byte x; active proctype p() { x = 1; assert(x == 1) }\n", ".pml");
    for model in [
        &*program,
        &*model_file("MODULE main VAR x : 0..3; INVARSPEC x < 4;\n"),
    ] {
        let run = Program::check(model)
            .args(["--engine", "explicit", "--storage", "bitstate:99999GiB"])
            .run();
        assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
        assert!(
            run.stdout.contains("there is no memory for a storage"),
            "{}",
            run.stdout
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn there_is_a_limit_of_memory_where_nobody_sets_one() {
    // As much of the machine as is left is far from what this needs; so it must be the clock that stops it, or the default limit.
    let help = Program::new().args(["check", "--help"]).run().stdout;
    assert!(help.contains("four fifths"), "{help}");
}

#[cfg(unix)]
fn signalled(model: &Path, signal: &str, arguments: &[&str]) -> Run {
    let child = started(Program::check(model).args(arguments));
    std::thread::sleep(Duration::from_millis(700));
    let kill = std::process::Command::new("kill")
        .args([&format!("-{signal}"), &child.id().to_string()])
        .status();
    assert!(kill.is_ok_and(|status| status.success()), "it is still running");
    ended(child)
}

#[cfg(unix)]
#[test]
fn signals_leave_verdicts_and_status_130() {
    let system = model_file(&endless(3));
    let program = text_file(
        "int x, y; active proctype p() { do :: x++ :: y++ :: x = x * 3 :: y = y * 5 + x od }\nltl a { [] (x != 77777777) }\nltl b { <> (y == 5555) }\n",
        ".pml",
    );
    for _ in 0..effort() {
        for signal in ["INT", "TERM"] {
            for (model, count) in [(&system, 3), (&program, 2)] {
                let run = signalled(model, signal, &[]);
                assert_eq!(run.status, 130, "{}{}", run.stdout, run.stderr);
                let verdicts = ["holds", "fails", "unknown"];
                let lines = run
                    .stdout
                    .lines()
                    .filter(|line| verdicts.iter().any(|word| line.starts_with(word)));
                assert!(lines.count() >= count, "{}", run.stdout);
                assert!(run.stdout.contains("interrupted"), "{}", run.stdout);
                let run = signalled(model, signal, &["--json"]);
                assert_eq!(run.status, 130, "{}{}", run.stdout, run.stderr);
                assert!(run.verdicts().len() >= count);
            }
        }
        let large = model_file(&booleans(400_000));
        let run = signalled(&large, "INT", &[]);
        assert_eq!(run.status, 130, "while it is read: {}{}", run.stdout, run.stderr);
    }
}

/// A folder with a program `yosys` that does not end, and writes its number.
#[cfg(unix)]
fn endless_yosys() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#!/bin/sh\necho $$ > \"$(dirname \"$0\")/number\"\nexec sleep 600\n";
    let file = bytes_file(folder.path(), "yosys", text.as_bytes());
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    folder
}

#[cfg(unix)]
#[test]
fn other_programs_end_with_the_time() {
    let folder = endless_yosys();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let model = example("hardware/fifo_count.sv");
    let run = in_time(Program::check(&model).environment("PATH", &path));
    assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("time limit"), "{}", run.stderr);
    let number = std::fs::read_to_string(folder.path().join("number")).expect("it was started");
    let alive = std::process::Command::new("kill")
        .args(["-0", number.trim()])
        .output();
    assert!(
        !alive.expect("kill runs").status.success(),
        "process {number} was left behind"
    );
}
