//! Bad input: an error with the place, what is wrong and what to do, and exit status 65; never a panic, never a verdict.

mod program;

use program::{Program, model_file};

/// A wrong model, a word the message must contain, and the line it must point at (0: no place).
const WRONG: &[(&str, &str, usize)] = &[
    ("MODULE main\nVAR x : boolean;\nINIT y\n", "y", 3),
    ("MODULE main\nVAR x : boolean;\nINIT x + 1 = 2\n", "boolean", 3),
    (
        "MODULE m(a, b)\nVAR z : boolean;\nMODULE main\nVAR i : m(TRUE);\n",
        "2",
        4,
    ),
    ("MODULE main\nVAR x : 5..2;\n", "5", 2),
    ("MODULE main\nVAR x : boolean;\nVAR x : 0..3;\n", "x", 3),
    ("MODULE main\nDEFINE a := b; b := a;\nINIT a\n", "circular", 2),
    ("MODULE other\nVAR x : boolean;\n", "main", 0),
    (
        "MODULE main\nVAR x : 0..3;\nASSIGN next(x) := 1; next(x) := 2;\n",
        "x",
        3,
    ),
    ("MODULE main\nVAR x : {a, b}\nINIT x = a\n", "", 3),
    ("MODULE main\nVAR next : boolean;\n", "next", 2),
    ("MODULE main\nVAR x : boolean;\nSPEC AG (x\n", "", 3),
    ("MODULE main\nVAR x : word[4];\nINIT x = 0ud8_3\n", "word", 3),
    ("", "main", 0),
];

#[test]
fn every_mistake_is_an_error_at_its_place() {
    for (text, word, line) in WRONG {
        let model = model_file(text);
        let run = Program::check(&model).run();
        assert_eq!(run.status, 65, "{text}\n{}{}", run.stdout, run.stderr);
        assert!(run.stdout.is_empty(), "no verdict is given: {}", run.stdout);
        let message = run.stderr.to_lowercase();
        assert!(
            message.contains(&word.to_lowercase()),
            "{text}\nsays {}",
            run.stderr
        );
        if *line > 0 {
            let place = format!(":{line}:");
            assert!(
                run.stderr.contains(&place),
                "line {line} is not named:\n{}",
                run.stderr
            );
        }
    }
}

#[test]
fn several_mistakes_are_reported_at_once() {
    let model = model_file("MODULE main\nVAR x : boolean;\nINIT y\nINIT x = 3\nTRANS next(z)\n");
    let run = Program::check(&model).run();
    assert_eq!(run.status, 65);
    for line in [":3:", ":4:", ":5:"] {
        assert!(run.stderr.contains(line), "{line} is missing:\n{}", run.stderr);
    }
}

#[test]
fn unreadable_and_binary_files_are_errors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = Program::check(&folder.path().join("missing.smv")).run();
    assert_eq!(missing.status, 65);
    assert!(missing.stderr.contains("missing.smv"), "{}", missing.stderr);
    let garbage = folder.path().join("garbage.smv");
    std::fs::write(
        &garbage,
        (0..10_000u32)
            .map(|i| (i * 7919 % 251) as u8 | 0x80)
            .collect::<Vec<u8>>(),
    )
    .expect("writable");
    let run = Program::check(&garbage).run();
    assert_eq!(run.status, 65);
    assert!(run.stderr.contains("text"), "{}", run.stderr);
    let folder_as_file = Program::check(folder.path()).args(["--language", "smv"]).run();
    assert_eq!(folder_as_file.status, 65);
}

#[test]
fn deep_nesting_is_an_error_not_a_crash() {
    for (open, close) in [("(", ")"), ("!", ""), ("AX ", ""), ("x -> ", "")] {
        let deep = format!("{}x{}", open.repeat(100_000), close.repeat(100_000));
        let model = model_file(&format!("MODULE main\nVAR x : boolean;\nSPEC {deep}\n"));
        let run = Program::check(&model).args(["--timeout", "20s"]).run();
        assert!(
            [0, 1, 2, 65].contains(&run.status),
            "{open}: {} {}",
            run.status,
            run.first_error_line()
        );
    }
}

#[test]
fn a_reachable_error_of_the_model_is_reported_with_the_way_there() {
    let model = model_file(
        "MODULE main\nVAR x : 0..3; y : 0..3;\nASSIGN init(x) := 0; next(x) := x + 1;\nSPEC AG x >= 0;\n",
    );
    let run = Program::check(&model).run();
    assert_eq!(run.status, 65, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains('4'), "the value is named: {}", run.stderr);
}

#[test]
fn no_initial_state_is_an_error_of_the_model() {
    let model = model_file("MODULE main VAR x : boolean; INIT x & !x SPEC AG x;");
    let run = Program::check(&model).run();
    assert_eq!(run.status, 65, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("initial"), "{}", run.stderr);
}
