//! Command lines of the book are command lines: what stands in `docs/` and in the README as a command is run.
//!
//! The lines of a page that begin with `entail ` (or `$ entail `) inside blocks of code that are shell commands run one after the other in a folder that has the project's
//! examples and a stand-in for every file name that pages use (`model.smv`, `A.hoa`, …). A line passes if the program understands it and its
//! input: any status but wrong usage (64), wrong input (65) and a mistake of Entail's (70). Lines that need what a machine may not have (jq, yosys,
//! other machines) are left out, by name.

mod program;

use program::root;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a line must not contain to be run, with the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    ("jq", "needs jq"),
    ("--distributed", "needs other machines"),
    (".sv ", "needs yosys"),
    (".psl", "needs yosys"),
    (".sby", "needs yosys"),
    (".eqy", "needs yosys"),
    ("family/", "is made by a benchmark's script"),
    ("…", "has a part that the reader fills in"),
    ("~/", "writes to the user's home"),
];

/// Stand-ins: a name that pages use, and an example.
const COPIES: &[(&str, &str)] = &[
    ("mutex.smv", "abstraction/mutex.smv"),
    ("m3.abs", "abstraction/m3.abs"),
    ("m4.abs", "abstraction/m4.abs"),
    ("fifo.btor2", "hardware/fifo.btor2"),
    ("counter.aag", "hardware/counter.aag"),
    ("A.aut", "equivalence/vending.aut"),
    ("B.aut", "equivalence/vending_angry.aut"),
    ("sender.aut", "equivalence/sender.aut"),
    ("receiver.aut", "equivalence/receiver.aut"),
    ("system.aut", "equivalence/vending.aut"),
    ("game.pg", "games/buchi.pg"),
    ("system.bes", "games/mutual_exclusion.bes"),
    ("die.pm", "probabilistic/die.pm"),
    ("robot.nm", "probabilistic/robot.nm"),
    ("halves.pm", "probabilistic/halves.pm"),
    ("overflow.sm", "probabilistic/overflow.sm"),
    ("relay.pm", "probabilistic/relay.pm"),
    ("retry.pm", "probabilistic/retry.pm"),
    ("retry_twice.pm", "probabilistic/retry_twice.pm"),
    ("formula.cnf", "sat/pigeons.cnf"),
    ("system.vmt", "infinite/bakery.vmt"),
    ("spec.tlsf", "synthesis/arbiter.tlsf"),
    ("game.ehoa", "synthesis/elevator.ehoa"),
    ("plant.aag", "synthesis/plant.aag"),
    ("fischer.tck", "timed/fischer.tck"),
    ("gate.tck", "timed/train_gate.tck"),
    ("crossing.xml", "timed/crossing.xml"),
];

/// Stand-ins with a text of their own.
const TEXTS: &[(&str, &str)] = &[
    (
        "model.smv",
        "MODULE main\nVAR x : 0..7; p : boolean; q : boolean; reset : boolean;\nASSIGN init(x) := 0; next(x) := case reset : 0; x < 7 : x + 1; TRUE : x; esac;\n\
         INVARSPEC NAME safe := x <= 7;\nINVARSPEC NAME small := x < 3;\n",
    ),
    ("map.abs", "visible p, q;\n"),
    (
        "entail.toml",
        "[[model]]\nfiles = [\"model.smv\"]\nexpect = { small = \"fails\" }\n",
    ),
    (
        "model.jani",
        "{\"jani-version\":1,\"name\":\"m\",\"type\":\"dtmc\",\"constants\":[{\"name\":\"N\",\"type\":\"int\"}],\"variables\":[{\"name\":\"s\",\"type\":{\"kind\":\"bounded\",\"base\":\"int\",\"lower-bound\":0,\"upper-bound\":\"N\"},\"initial-value\":0}],\
         \"properties\":[{\"name\":\"name\",\"expression\":{\"op\":\"filter\",\"fun\":\"values\",\"states\":{\"op\":\"initial\"},\"values\":{\"op\":\"Pmin\",\"exp\":{\"op\":\"F\",\"exp\":{\"op\":\"=\",\"left\":\"s\",\"right\":\"N\"}}}}}],\
         \"automata\":[{\"name\":\"a\",\"locations\":[{\"name\":\"l\"}],\"initial-locations\":[\"l\"],\"edges\":[{\"location\":\"l\",\"guard\":{\"exp\":{\"op\":\"<\",\"left\":\"s\",\"right\":\"N\"}},\"destinations\":[{\"location\":\"l\",\"assignments\":[{\"ref\":\"s\",\"value\":{\"op\":\"+\",\"left\":\"s\",\"right\":1}}]}]},\
         {\"location\":\"l\",\"guard\":{\"exp\":{\"op\":\"=\",\"left\":\"s\",\"right\":\"N\"}},\"destinations\":[{\"location\":\"l\"}]}]}],\"system\":{\"elements\":[{\"automaton\":\"a\"}]}}\n",
    ),
    ("start.ord", "x\np\nq\nreset\n"),
    (
        "model.pml",
        "byte x, y;\nactive proctype p() { x = 1; y = 1 }\nactive proctype q() { y == 1; assert(x == 2) }\n",
    ),
    (
        "model.nm",
        "mdp\nconst int N; const int K;\nmodule m s : [0..N] init 0; [] s < N -> 0.5 : (s' = s + 1) + 0.5 : (s' = 0); [] s = N -> (s' = s); endmodule\nlabel \"p\" = s = N; label \"q\" = s > K;\n",
    ),
    (
        "model.sm",
        "ctmc\nconst int N; const double T;\nmodule m s : [0..N] init 0; [] s < N -> 2 : (s' = s + 1); [] s > 0 -> 1 : (s' = s - 1); endmodule\nlabel \"full\" = s = N;\n",
    ),
    (
        "model.pm",
        "dtmc\nconst double p;\nmodule m s : [0..2] init 0; [] s = 0 -> p : (s' = 1) + 1 - p : (s' = 2); [] s > 0 -> (s' = s); endmodule\nlabel \"fail\" = s = 1;\n",
    ),
    ("crossing.q", "E<> Train(0).Crossing\n"),
    (
        "A.tck",
        "system:a\nevent:go\nclock:1:x\nprocess:P\nlocation:P:s{initial:}\nlocation:P:t{}\nedge:P:s:t:go{provided:x>=1}\n",
    ),
    (
        "B.tck",
        "system:b\nevent:go\nclock:1:x\nprocess:P\nlocation:P:s{initial:}\nlocation:P:t{}\nedge:P:s:t:go{provided:x>=2}\n",
    ),
    ("props.props", "Pmax=? [ F s = N ]\n"),
    (
        "script.smt2",
        "(set-logic QF_LRA)\n(declare-const x Real)\n(assert (> x 1.0))\n(check-sat)\n",
    ),
];

/// The blocks of shell commands of a page: those without a language, or with that of a shell.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<bool> = None;
    for line in page.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = match block {
                Some(_) => None,
                None => Some(matches!(language.trim(), "" | "sh" | "console")),
            };
            continue;
        }
        let line = line.strip_prefix("$ ").unwrap_or(line);
        if block == Some(true) && line.starts_with("entail ") {
            found.push(line.to_owned());
        }
    }
    found
}

fn prepare(folder: &Path) {
    let examples = root().join("examples");
    std::os::unix::fs::symlink(&examples, folder.join("examples")).expect("a link");
    std::fs::create_dir(folder.join("bin")).expect("a folder");
    std::fs::create_dir(folder.join("parts")).expect("a folder");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_entail"), folder.join("bin/entail")).expect("a link");
    for (name, example) in COPIES {
        std::fs::copy(examples.join(example), folder.join(name))
            .unwrap_or_else(|error| panic!("{example}: {error}"));
    }
    for (name, text) in TEXTS {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    let made = [
        "entail ltl translate 'G(p -> F q)' -o A.hoa",
        "entail ltl translate 'F G p' -o B.hoa",
        "entail convert counter.aag cpu.aig",
    ];
    for line in made {
        let (status, said) = run(line, folder);
        assert_eq!(status, Some(0), "{line}: {said}");
    }
}

/// Runs a line in a shell, with little time and nobody to ask.
fn run(line: &str, folder: &Path) -> (Option<i32>, String) {
    let path = format!(
        "{}:{}",
        folder.join("bin").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("timeout")
        .args(["20", "sh", "-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn every_command_line_of_the_book_is_understood() {
    let mut pages: Vec<PathBuf> = std::fs::read_dir(root().join("docs"))
        .expect("the book")
        .map(|page| page.expect("a page").path())
        .filter(|page| page.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.push(root().join("README.md"));
    let (next, ran) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let problems = Mutex::new(Vec::new());
    let work = || {
        while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
            let text = std::fs::read_to_string(page).expect("a page");
            let lines = commands(&text);
            if lines.is_empty() {
                continue;
            }
            let folder = tempfile::tempdir().expect("a folder");
            prepare(folder.path());
            for line in lines {
                if let Some((_, reason)) = LEFT_OUT.iter().find(|(part, _)| line.contains(part)) {
                    println!("left out, it {reason}: {line}");
                    continue;
                }
                let (status, said) = run(&line, folder.path());
                ran.fetch_add(1, Ordering::Relaxed);
                // (124: the time was up, so the line was understood.)
                if matches!(status, None | Some(64 | 65 | 70 | 126 | 127)) {
                    let name = page
                        .file_name()
                        .unwrap_or_default()
                        .to_string_lossy()
                        .into_owned();
                    let mut problems = problems.lock().expect("nobody panicked");
                    problems.push(format!("{name}: status {status:?}: {line}\n{said}"));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    let problems = problems.into_inner().expect("nobody panicked");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(ran.into_inner() > 100, "the command lines are missing");
}
