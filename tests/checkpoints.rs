//! Whole-program tests of saved searches: gone on with after whatever happened, refused when they are not what was saved.

mod program;

use program::{Program, Run, text_file};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Three counters; counting to the end of the last breaks the assertion if there is one.
fn counters(most: u32, assertion: &str) -> String {
    let process = |name: &str, extra: &str| {
        format!(
            "active proctype p{name}() {{ end: do :: {name} < {most} -> {name} = {name} + 1 {extra} od }}\n"
        )
    };
    format!(
        "byte a, b, c;\n{}{}{}",
        process("a", ""),
        process("b", ""),
        process("c", assertion)
    )
}

fn property(run: &Run) -> Value {
    let json = run
        .json()
        .unwrap_or_else(|| panic!("{}{}", run.stdout, run.stderr));
    json["properties"][0].clone()
}

fn counts(run: &Run) -> Vec<u64> {
    let answer = property(run);
    ["states", "transitions", "depth"]
        .iter()
        .map(|count| answer["statistics"][count].as_u64().expect("a number"))
        .collect()
}

const OPTIONS: [&str; 2] = ["--no-reduction", "--json"];

fn resume(model: &Path, file: &Path) -> Run {
    Program::check(model)
        .args(OPTIONS)
        .arg("--resume")
        .arg(file)
        .run()
}

/// A search that ran out of time, saved.
struct Saved {
    model: tempfile::TempPath,
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl Saved {
    fn new(most: u32) -> Saved {
        let model = text_file(&counters(most, ""), ".pml");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("search.saved");
        // Soon, but not before there is something to save.
        for milliseconds in [2, 5, 10, 20, 50, 100, 200] {
            let run = Program::check(&model)
                .args(OPTIONS)
                .args(["--timeout", &format!("{milliseconds}ms"), "--checkpoint"])
                .arg(&file)
                .run();
            assert_eq!(property(&run)["verdict"], "unknown", "{}", run.stdout);
            let size = std::fs::metadata(&file).map_or(0, |metadata| metadata.len());
            if size > 20_000 {
                break;
            }
        }
        Saved { model, folder, file }
    }

    /// What else is in its folder.
    fn others(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.path()).expect("it is there");
        let paths = entries.map(|entry| entry.expect("it is there").path());
        paths.filter(|path| *path != self.file).collect()
    }
}

fn assert_refused(run: &Run, message: &str) {
    assert_eq!(run.status, 65, "{}{}", run.stdout, run.stderr);
    assert!(run.has_no_answer(), "{}", run.stdout);
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

/// Kills the program when it has saved something, and goes on.
#[test]
fn a_search_that_was_killed_is_gone_on_with() {
    for (assertion, threads) in [("", "1"), (":: c == 40 -> assert(a + b < 60)", "2")] {
        let model = text_file(&counters(40, assertion), ".pml");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("search.saved");
        let options = ["--no-reduction", "--threads", threads, "--json"];
        let whole = Program::check(&model).args(options).run();
        let mut child = Command::new(env!("CARGO_BIN_EXE_entail"))
            .arg("check")
            .arg(&model)
            .args(options)
            .args(["--checkpoint-every", "10ms", "--checkpoint"])
            .arg(&file)
            .stdout(Stdio::null())
            .spawn()
            .expect("the program was built");
        while !file.exists() {
            let ended = child.try_wait().expect("it can be asked");
            assert!(ended.is_none(), "the search ended and saved nothing");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        let resumed = resume(&model, &file);
        assert_eq!(
            property(&resumed)["verdict"],
            property(&whole)["verdict"],
            "{}",
            resumed.stdout
        );
        if assertion.is_empty() {
            assert_eq!(counts(&resumed), counts(&whole));
        }
    }
}

#[test]
fn a_search_that_runs_out_of_time_is_saved() {
    let saved = Saved::new(40);
    let resumed = resume(&saved.model, &saved.file);
    assert_eq!(property(&resumed)["verdict"], "holds", "{}", resumed.stdout);
    assert_eq!(counts(&resumed)[0], 81 * 81 * 81);
}

#[test]
fn what_was_saved_for_something_else_is_refused() {
    let saved = Saved::new(40);
    let with = |model: &Path, arguments: &[&str]| {
        let program = Program::check(model).args(arguments).arg("--resume");
        program.arg(&saved.file).run()
    };
    assert_refused(&with(&saved.model, &["--json"]), "was made for other options");
    let other = text_file(&counters(39, ""), ".pml");
    assert_refused(&with(&other, &OPTIONS), "was made for another model");
    // Another name of the file does not make another model.
    let same = text_file(&counters(40, ""), ".pml");
    assert_eq!(with(&same, &OPTIONS).status, 0);
}

#[test]
fn what_is_no_checkpoint_of_this_version_is_refused() {
    let saved = Saved::new(40);
    let old = b"entail checkpoint 0.1.0 0123456789abcdef\n and so on";
    let whole = std::fs::read(&saved.file).expect("it is there");
    let newer = [b"entail checkpoint 4", &whole[19..]].concat();
    for (content, message) in [
        (&b""[..], "is not a checkpoint"),
        (b"\0", "is not a checkpoint"),
        (b"entail checkpoint 3", "is damaged"),
        (b"entail checkpoint 3\n", "is damaged"),
        (old, "another version of Entail"),
        (&newer, "another version of Entail"),
    ] {
        std::fs::write(&saved.file, content).expect("it can be written");
        assert_refused(&resume(&saved.model, &saved.file), message);
    }
    assert_refused(&resume(&saved.model, saved.folder.path()), "");
    assert_refused(&resume(&saved.model, Path::new("/dev/null")), "");
}

/// Bytes changed, cut off, put in or left out anywhere: never an answer.
#[test]
fn a_damaged_checkpoint_gives_no_answer() {
    let saved = Saved::new(40);
    let whole = std::fs::read(&saved.file).expect("it is there");
    assert!(whole.len() > 1000);
    let expected = {
        let run = Program::check(&saved.model).args(OPTIONS).run();
        counts(&run)
    };
    let told = std::env::var("ENTAIL_EFFORT").ok();
    let effort: u64 = told.and_then(|text| text.parse().ok()).unwrap_or(1).max(1);
    let mut random = StdRng::seed_from_u64(12);
    for case in 0..60 * effort {
        let mut damaged = whole.clone();
        // Every other case is near the beginning, where what counts most stands.
        let most = if case % 2 == 0 { 400 } else { damaged.len() };
        let at = random.random_range(0..most);
        match random.random_range(0..6) {
            0 | 1 => damaged[at] ^= 1 << random.random_range(0..8),
            2 => damaged[at] = damaged[at].wrapping_add(random.random_range(1..=255)),
            3 => damaged.truncate(at),
            4 => {
                damaged.insert(at, random.random());
            }
            _ => {
                damaged.remove(at);
            }
        }
        // Leaving out one of two equal bytes changes only the place of the others.
        if damaged == whole {
            continue;
        }
        std::fs::write(&saved.file, &damaged).expect("it can be written");
        let run = resume(&saved.model, &saved.file);
        assert_eq!(
            run.status, 65,
            "case {case} at {at}: {}{}",
            run.stdout, run.stderr
        );
        assert!(run.has_no_answer(), "case {case} at {at}: {}", run.stdout);
    }
    std::fs::write(&saved.file, &whole).expect("it can be written");
    assert_eq!(counts(&resume(&saved.model, &saved.file)), expected);
}

/// Runs a check with a limit on the size of files: what is written beyond it fails, as on a disk that is full.
fn with_small_files(blocks: u32, model: &Path, arguments: &[&str], file: &Path) -> Run {
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""))
        .args(["sh", env!("CARGO_BIN_EXE_entail"), "check"])
        .arg(model)
        .args(OPTIONS)
        .args(arguments)
        .arg("--checkpoint")
        .arg(file)
        .output()
        .expect("there is a shell");
    Run {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_full_disk_ends_no_search_and_leaves_what_was_there() {
    let model = text_file(&counters(40, ""), ".pml");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("search.saved");
    let often = ["--checkpoint-every", "10ms"];
    let run = with_small_files(8, &model, &often, &file);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(counts(&run)[0], 81 * 81 * 81);
    assert!(run.stderr.contains("cannot save the search in"), "{}", run.stderr);
    assert!(
        run.stderr.contains("it goes on, there is no file"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stderr.matches("cannot save").count(), 1, "{}", run.stderr);
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("it is there").collect();
    assert!(left.is_empty(), "{left:?}");

    // One that was saved before stays as it is.
    let saved = Saved::new(40);
    let before = std::fs::read(&saved.file).expect("it is there");
    let run = with_small_files(8, &saved.model, &often, &saved.file);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stderr.contains("the file is as it was before"),
        "{}",
        run.stderr
    );
    assert!(std::fs::read(&saved.file).expect("it is there") == before);
    assert_eq!(saved.others(), Vec::<PathBuf>::new());
    assert_eq!(counts(&resume(&saved.model, &saved.file))[0], 81 * 81 * 81);
}

#[test]
fn what_can_never_be_written_is_refused_at_once() {
    let model = text_file(&counters(2, ""), ".pml");
    for file in ["/dev/full", "/dev", "/nowhere/at/all"] {
        let run = Program::check(&model).args(["--checkpoint", file]).run();
        assert_refused(&run, "cannot write the checkpoint");
    }
}
