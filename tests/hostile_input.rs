//! Input that is wrong on purpose, for every reader: an answer or an error with one of the statuses that are documented, never a crash.
//!
//! Some of it is written here (very long lines, very many lines, byte-order marks, devices), some is made at random from the examples
//! (`ENTAIL_EFFORT` times as much as usual).

mod program;

use program::{Program, Run, bytes_file, effort, example};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::path::Path;

/// Statuses that are documented: verdicts, the solver's, usage, input, service. No internal error.
const STATUSES: [i32; 9] = [0, 1, 2, 10, 20, 64, 65, 69, 74];

/// A reader: the extension of its files, an example, a text after which `@` is an error on the same line, and how it is run on a file.
struct Reader {
    extension: &'static str,
    example: &'static str,
    /// What goes before the place of the error, on the same line.
    filler: fn(usize) -> String,
    run: fn(&Path) -> Program,
}

fn check(file: &Path) -> Program {
    Program::check(file).args(["--timeout", "5s"])
}

fn minimize(file: &Path) -> Program {
    Program::new().arg("minimize").arg(file).args(["--timeout", "5s"])
}

const READERS: &[Reader] = &[
    Reader {
        extension: "smv",
        example: "mutex.smv",
        filler: |n| format!("MODULE main VAR x : boolean; INIT x{}", " & x".repeat(n / 4)),
        run: check,
    },
    Reader {
        extension: "pml",
        example: "promela/mutex.pml",
        filler: |n| format!("byte x; init {{ x = 1{}", " + 1".repeat(n / 4)),
        run: check,
    },
    Reader {
        extension: "aag",
        example: "hardware/counter.aag",
        filler: |n| format!("aag 1 0 1 0 0{}", " ".repeat(n)),
        run: check,
    },
    Reader {
        extension: "vcd",
        example: "hardware/bus_run.vcd",
        filler: |n| format!("$scope module {} $end $var", "m".repeat(n)),
        run: |file| check(file).args(["--spec", "always gnt[0]"]),
    },
    Reader {
        extension: "blif",
        example: "hardware/retimed_gold.blif",
        filler: |n| format!(".model {}", "m".repeat(n)),
        run: |file| check(file).args(["--spec", "TRUE"]),
    },
    Reader {
        extension: "ste",
        example: "hardware/indexed_memory.ste",
        filler: |n| format!("circuit \"m.btor2\"; var {}", "x".repeat(n)),
        run: |file| {
            let circuit = example("hardware/indexed_memory.btor2");
            check(file).arg("--circuit").arg(circuit)
        },
    },
    Reader {
        extension: "gste",
        example: "hardware/written_memory.gste",
        filler: |n| format!("graph {}", "g".repeat(n)),
        run: |file| {
            let circuit = example("hardware/indexed_memory.btor2");
            check(file).arg("--circuit").arg(circuit)
        },
    },
    Reader {
        extension: "sby",
        example: "hardware/fifo.sby",
        filler: |n| format!("[options{}", " ".repeat(n)),
        run: check,
    },
    Reader {
        extension: "eqy",
        example: "hardware/counters.eqy",
        filler: |n| format!("[gold{}", " ".repeat(n)),
        run: check,
    },
    Reader {
        extension: "f",
        example: "hardware/fifo.f",
        filler: |n| format!("-y {}", "x".repeat(n)),
        run: check,
    },
    Reader {
        extension: "btor2",
        example: "hardware/fifo.btor2",
        filler: |n| format!("1 sort bitvec{}", " ".repeat(n)),
        run: check,
    },
    Reader {
        extension: "vmt",
        example: "infinite/bakery.vmt",
        filler: |n| format!("(declare-fun x () Bool){}", " ".repeat(n)),
        run: check,
    },
    Reader {
        extension: "mcmt",
        example: "infinite/counter.mcmt",
        filler: |n| format!("(define-state-type s ((x Bool))){}", " ".repeat(n)),
        run: check,
    },
    Reader {
        extension: "smt2",
        example: "infinite/loop.smt2",
        filler: |n| format!("(set-logic HORN){}", " ".repeat(n)),
        run: check,
    },
    Reader {
        extension: "tck",
        example: "timed/fischer.tck",
        filler: |n| format!("system:s{}", "x".repeat(n)),
        run: |file| check(file).args(["--spec", "A[] true"]),
    },
    Reader {
        extension: "xml",
        example: "timed/crossing.xml",
        filler: |n| format!("<nta><declaration>{}", "x".repeat(n)),
        run: |file| check(file).args(["--spec", "A[] true"]),
    },
    Reader {
        extension: "hoa",
        example: "automata/response.hoa",
        filler: |n| format!("HOA: v1 States: 1 Start: 0 AP: 1{}", " ".repeat(n)),
        run: |file| Program::new().args(["automaton", "info"]).arg(file),
    },
    Reader {
        extension: "never",
        example: "automata/response.hoa",
        filler: |n| format!("never {{ T0_init:{} if", " ".repeat(n)),
        run: |file| Program::new().args(["automaton", "info"]).arg(file),
    },
    Reader {
        extension: "aut",
        example: "equivalence/vending.aut",
        filler: |n| format!("des (0, 1, 2)\n(0, \"{}\"", "a".repeat(n)),
        run: minimize,
    },
    Reader {
        extension: "json",
        example: "equivalence/mutex.json",
        filler: |n| format!("{{\"states\": [{}", " ".repeat(n)),
        run: minimize,
    },
    Reader {
        extension: "dot",
        example: "equivalence/vending.aut",
        filler: |n| format!("digraph g {{ a{} -> ", "b".repeat(n)),
        run: minimize,
    },
    Reader {
        extension: "cnf",
        example: "sat/pigeons.cnf",
        filler: |n| format!("p cnf 2 1\n1{}", " 2".repeat(n / 2)),
        run: |file| Program::new().arg("sat").arg(file).args(["--timeout", "5s"]),
    },
    Reader {
        extension: "pg",
        example: "games/buchi.pg",
        filler: |n| format!("parity 1; 0 1 0 1{}", ",1".repeat(n / 2)),
        run: check,
    },
    Reader {
        extension: "tlsf",
        example: "synthesis/arbiter.tlsf",
        filler: |n| format!("INFO {{ TITLE: \"{}\"", "a".repeat(n)),
        run: check,
    },
    Reader {
        extension: "pm",
        example: "probabilistic/die.pm",
        filler: |n| format!("dtmc module m x : [0..1]; [] x=0{} -> ", " & x=0".repeat(n / 6)),
        run: check,
    },
    Reader {
        extension: "jani",
        example: "probabilistic/die.pm",
        filler: |n| format!("{{\"jani-version\": 1,{}", " ".repeat(n)),
        run: check,
    },
    Reader {
        extension: "drn",
        example: "probabilistic/errand.drn",
        filler: |n| format!("@type: MDP\n@model\nstate 0 init{}", " a".repeat(n / 2)),
        run: check,
    },
    Reader {
        extension: "umb",
        example: "probabilistic/errand.drn",
        filler: |n| format!("index.json{}", "\0".repeat(n)),
        run: check,
    },
    Reader {
        extension: "tra",
        example: "probabilistic/errand.drn",
        filler: |n| format!("4000000000 9 9\n0 0 0 1{}", "0".repeat(n)),
        run: check,
    },
    Reader {
        extension: "game",
        example: "games/requests.game",
        filler: |n| format!("objective {}", "!(".repeat(n / 2)),
        run: check,
    },
    Reader {
        extension: "bes",
        example: "games/mutual_exclusion.bes",
        filler: |n| format!("mu X = {}", "(X && ".repeat(n / 6)),
        run: check,
    },
    Reader {
        extension: "structuredslugs",
        example: "synthesis/tank.structuredslugs",
        filler: |n| {
            format!(
                "[OUTPUT]\nx: 0...5\n[SYS_INIT]\nx = 1{}",
                " | x = 1".repeat(n / 8)
            )
        },
        run: check,
    },
    Reader {
        extension: "slugsin",
        example: "synthesis/patrol.slugsin",
        filler: |n| format!("[INPUT]\nr\n[ENV_INIT]\n{}", "& r ".repeat(n / 4)),
        run: check,
    },
    Reader {
        extension: "abs",
        example: "abstraction/m3.abs",
        filler: |n| format!("OBSERVE{}", " ".repeat(n)),
        run: |file| {
            check(&example("abstraction/mutex.smv"))
                .arg("--abstract")
                .arg(file)
        },
    },
    Reader {
        extension: "ord",
        example: "mutex.smv",
        filler: |n| format!("a{}", "b".repeat(n)),
        run: |file| check(&example("mutex.smv")).arg("--order").arg(file),
    },
    Reader {
        extension: "evidence",
        example: "equivalence/mutex.json",
        filler: |n| format!("{{\"format\":{}", " ".repeat(n)),
        run: |file| Program::new().arg("certify").arg(example("mutex.smv")).arg(file),
    },
    Reader {
        extension: "wit",
        example: "hardware/counter.aag",
        filler: |n| format!("1\nb0{}", " ".repeat(n)),
        run: |file| {
            Program::new()
                .arg("certify")
                .arg(example("hardware/counter.aag"))
                .arg(file)
        },
    },
    Reader {
        extension: "trail",
        example: "promela/mutex.pml",
        filler: |n| format!("-4:{}", " ".repeat(n)),
        run: |file| {
            let program = Program::new().arg("simulate").arg(example("promela/mutex.pml"));
            program.arg("--trail").arg(file)
        },
    },
];

fn no_crash(run: &Run, what: &str) {
    assert!(
        STATUSES.contains(&run.status),
        "{what}: status {}\n{}\n{}",
        run.status,
        run.stdout.chars().take(2_000).collect::<String>(),
        run.stderr.chars().take(2_000).collect::<String>()
    );
    assert!(!run.stderr.contains("panicked"), "{what}: {}", run.stderr);
}

#[test]
fn errors_far_to_the_right_or_far_down_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    for reader in READERS {
        for (far, text) in [
            ("right", (reader.filler)(120_000) + " @@@ ) ] }\n"),
            ("right and unfinished", (reader.filler)(120_000)),
            (
                "down",
                "\n".repeat(200_000) + &(reader.filler)(10) + " @@@ ) ] }\n",
            ),
            (
                "down and to the right",
                "\n".repeat(70_000) + &(reader.filler)(70_000) + " @@@ ) ] }\n",
            ),
        ] {
            let name = format!("far.{}", reader.extension);
            let run = (reader.run)(&bytes_file(folder.path(), &name, text.as_bytes())).run();
            no_crash(&run, &format!("{name}, far {far}"));
            assert!(
                run.stderr.len() < 500_000,
                "{name}: {} bytes of messages",
                run.stderr.len()
            );
        }
    }
    for formula in [
        format!("a{} @", " & a".repeat(30_000)),
        format!("G {}", " ".repeat(120_000)),
    ] {
        let run = Program::new().args(["ltl", "simplify", &formula]).run();
        no_crash(&run, "ltl");
        let run = check(&example("mutex.smv")).args(["--spec", &formula]).run();
        no_crash(&run, "--spec");
        let run = check(&example("mutex.smv")).args(["--mu", &formula]).run();
        no_crash(&run, "--mu");
    }
}

#[test]
fn the_place_of_an_error_far_to_the_right_is_said_and_the_line_is_cut_around_it() {
    let text = format!(
        "MODULE main VAR x : boolean; INIT x{} & nobody",
        " & x".repeat(30_000)
    );
    let folder = tempfile::tempdir().expect("a folder");
    let file = bytes_file(folder.path(), "wide.smv", text.as_bytes());
    let run = Program::check(&file).run();
    assert_eq!(run.status, 65);
    let column = text.len() - "nobody".len() + 1;
    assert!(run.stderr.contains(&format!(":1:{column}]")), "{}", run.stderr);
    assert!(
        run.stderr.contains("& nobody") && run.stderr.contains('…'),
        "{}",
        run.stderr
    );
}

#[test]
fn a_byte_order_mark_is_no_part_of_any_text() {
    let folder = tempfile::tempdir().expect("a folder");
    for reader in READERS {
        // (Projects name files that are not there.)
        let is_project = ["sby", "eqy", "f"].contains(&reader.extension);
        let extension = Path::new(reader.example).extension();
        if extension.is_none_or(|e| e != reader.extension) || is_project {
            continue;
        }
        let bytes = std::fs::read(example(reader.example)).expect("an example");
        let name = format!("plain.{}", reader.extension);
        let plain = (reader.run)(&bytes_file(folder.path(), &name, &bytes)).run();
        let name = format!("marked.{}", reader.extension);
        let marked = [b"\xef\xbb\xbf", &bytes[..]].concat();
        let marked = (reader.run)(&bytes_file(folder.path(), &name, &marked)).run();
        assert_eq!(plain.status, marked.status, "{name}: {}", marked.stderr);
        assert!(
            [0, 1, 2, 10, 20].contains(&plain.status),
            "{name}: {}",
            plain.stderr
        );
    }
}

#[test]
fn comments_in_smv_may_contain_any_bytes_and_nothing_else_may() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = bytes_file(
        folder.path(),
        "latin1.smv",
        b"-- Zust\xe4nde\nMODULE main VAR x : boolean; -- \xff\n/-- \xe9 --/ INVARSPEC x | !x;\n",
    );
    let run = Program::check(&file).run();
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    for text in [
        &b"MODULE main VAR x\xe4 : boolean;"[..],
        b"MODULE main VAR \"x\xe4\" : boolean; INIT \"x\xe9\"",
    ] {
        let run = Program::check(&bytes_file(folder.path(), "wrong.smv", text)).run();
        assert_eq!(run.status, 65, "{}{}", run.stdout, run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_not_read() {
    for language in ["smv", "promela", "aiger", "blif", "btor2", "verilog"] {
        for device in ["/dev/zero", "/dev/urandom"] {
            let run = Program::check(Path::new(device))
                .args(["--language", language])
                .run();
            assert_eq!(run.status, 65, "{language} {device}: {}", run.stderr);
            assert!(run.stderr.contains("device"), "{}", run.stderr);
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    for reader in READERS {
        let link = folder.path().join(format!("endless.{}", reader.extension));
        std::os::unix::fs::symlink("/dev/zero", &link).expect("a link");
        let run = (reader.run)(&link).run();
        assert_eq!(run.status, 65, "{}: {}", reader.extension, run.stderr);
    }
}

/// Pieces that readers look for.
const PIECES: &[&str] = &[
    "",
    "\0",
    "\n",
    "\u{1b}[2J",
    "-1",
    "99999999999999999999",
    "0",
    "\"",
    "'",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "/*",
    "*/",
    "--",
    "/--",
    "//",
    "#",
    "\u{feff}",
    "é",
    "\u{fffd}",
    ":=",
    "..",
    "next(",
    "MODULE",
    "VAR",
    "init",
    "array 0..1000000000 of",
    "word[65536]",
    "AG",
    "->",
    "1e400",
    "\\",
    ",",
    ";",
    "TRUE",
    "proctype",
    "chan",
    "typedef",
    "State:",
    "--END--",
    "--BODY--",
    "Acceptance: 1 Inf(0)",
    "des",
    "p cnf",
    "inline",
    "u",
    "sort",
    "bitvec",
    "0x",
    "NaN",
    "null",
    "true",
];

/// The text with some changes at random places.
fn mutated(original: &[u8], other: &[u8], random: &mut StdRng) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..random.random_range(1..8) {
        let at = random.random_range(0..=bytes.len());
        let end = (at + random.random_range(0..40)).min(bytes.len());
        match random.random_range(0..8) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let piece = bytes[at..end].to_vec();
                let again = random.random_range(1..20);
                bytes.splice(at..at, piece.repeat(again));
            }
            2 if at < bytes.len() => bytes[at] = random.random(),
            3 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(0..8),
            4 => bytes.truncate(at),
            5 if !other.is_empty() => {
                let from = random.random_range(0..other.len());
                let to = (from + random.random_range(0..60)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            6 => {
                let number: u64 = random.random::<u64>() >> random.random_range(0..64);
                bytes.splice(at..end, number.to_string().into_bytes());
            }
            _ => {
                let piece = PIECES.choose(random).expect("there are pieces");
                bytes.splice(at..end, piece.bytes());
            }
        }
    }
    bytes
}

#[test]
fn input_made_at_random_crashes_no_reader() {
    let folder = tempfile::tempdir().expect("a folder");
    let examples: Vec<Vec<u8>> = READERS
        .iter()
        .map(|reader| std::fs::read(example(reader.example)).expect("an example"))
        .collect();
    let mut count = 0;
    for round in 0..3 * effort() {
        for (position, reader) in READERS.iter().enumerate() {
            let mut random = StdRng::seed_from_u64(1_000 * round + position as u64);
            let other = examples.choose(&mut random).expect("there are examples");
            let text = mutated(&examples[position], other, &mut random);
            let name = format!("{round}.{}", reader.extension);
            let file = bytes_file(folder.path(), &name, &text);
            let run = (reader.run)(&file).run();
            count += 1;
            if !STATUSES.contains(&run.status) {
                let kept = std::env::temp_dir().join(format!("entail-hostile-{position}-{name}"));
                std::fs::copy(&file, &kept).expect("a copy");
                no_crash(&run, &kept.display().to_string());
            }
            std::fs::remove_file(file).expect("it is there");
        }
    }
    eprintln!("{count} inputs");
}
