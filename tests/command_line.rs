//! Every command, option and exit status of the program.

mod program;

use program::{Program, example, model_file};
use serde_json::Value;

const COUNTER: &str = "MODULE main
VAR x : 0..5;
ASSIGN init(x) := 0; next(x) := x < 5 ? x + 1 : 0;
INVARSPEC NAME below_five := x < 5;
LTLSPEC NAME returns := G F x = 0;
CTLSPEC EF x = 3;
";

#[test]
fn the_exit_status_tells_the_worst_verdict() {
    let model = model_file(COUNTER);
    assert_eq!(Program::check(&model).run().status, 1, "one property fails");
    let holds = Program::check(&model).args(["--property", "returns"]).run();
    assert_eq!(holds.status, 0, "{}", holds.stderr);
    let unknown = Program::check(&model)
        .args(["--property", "returns", "--timeout", "0s"])
        .run();
    assert_eq!(unknown.status, 2, "{}", unknown.stdout);
    assert!(unknown.stdout.contains("time limit"), "{}", unknown.stdout);
}

#[test]
fn wrong_usage_is_64_and_names_what_exists() {
    let model = model_file(COUNTER);
    let run = Program::check(&model).args(["--engine", "oracle"]).run();
    assert_eq!(run.status, 64);
    assert!(run.stderr.contains("explicit"), "{}", run.stderr);
    let run = Program::check(&model).args(["--property", "nothing"]).run();
    assert_eq!(run.status, 64);
    assert!(run.stderr.contains("below_five"), "{}", run.stderr);
    assert_eq!(
        Program::check(&model).args(["--timeout", "soon"]).run().status,
        64
    );
    assert_eq!(
        Program::check(&model).args(["--language", "cobol"]).run().status,
        64
    );
    assert_eq!(Program::new().args(["frobnicate"]).run().status, 64);
    assert_eq!(Program::new().args(["check", "model.unknown"]).run().status, 64);
    assert_eq!(Program::new().args(["--help"]).run().status, 0);
    assert_eq!(Program::new().args(["--version"]).run().status, 0);
}

#[test]
fn properties_are_chosen_by_name_number_or_formula() {
    let model = model_file(COUNTER);
    let run = Program::check(&model)
        .args([
            "--json",
            "--property",
            "3",
            "--property",
            "below_five",
            "--spec",
            "AG x <= 5",
            "--spec",
            "F x = 4",
        ])
        .run();
    assert_eq!(run.verdicts(), ["holds", "fails", "holds", "holds"]);
    let json = run.json().expect("JSON");
    assert_eq!(json["properties"][0]["formula"], "EF x = 3");
    assert_eq!(json["properties"][2]["formula"], "AG x <= 5");
    let run = Program::check(&model).args(["--spec", "AG y"]).run();
    assert_eq!(run.status, 65);
    assert!(run.stderr.contains('y'), "{}", run.stderr);
}

#[test]
fn answers_that_nobody_wants_checked_say_so() {
    let run = Program::check(&example("mutex.smv"))
        .args(["--json", "--no-certify"])
        .run();
    let json = run.json().expect("one JSON document");
    for property in json["properties"].as_array().expect("a list") {
        assert_eq!(property["evidence"]["checked"], false, "{property}");
    }
    let both = Program::check(&example("mutex.smv"))
        .args(["--recheck", "--no-certify"])
        .run();
    assert_eq!(both.status, 64);
}

#[test]
fn json_has_the_keys_that_are_promised_and_nothing_else_on_stdout() {
    let run = Program::check(&example("mutex.smv"))
        .args(["--json", "--recheck"])
        .run();
    let json = run.json().expect("one JSON document");
    for key in [
        "entail",
        "model",
        "language",
        "properties",
        "seconds",
        "peak_memory_bytes",
    ] {
        assert!(json.get(key).is_some(), "{key} is missing");
    }
    for property in json["properties"].as_array().expect("a list") {
        for key in [
            "name",
            "formula",
            "logic",
            "verdict",
            "guarantee",
            "engine",
            "seconds",
            "evidence",
            "reason",
        ] {
            assert!(property.get(key).is_some(), "{key} is missing in {property}");
        }
        assert_eq!(property["evidence"]["checked"], true, "{property}");
    }
    assert_eq!(json["properties"][0]["name"], "safe");
    assert_eq!(json["properties"][0]["logic"], "ctl");
    assert!(
        json["properties"][3]["evidence"]["trace"]["steps"][0]
            .get("p1")
            .is_some()
    );
}

#[test]
fn saved_evidence_is_accepted_and_corrupted_evidence_is_rejected() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = model_file(COUNTER);
    let run = Program::check(&model).arg("--evidence").arg(folder.path()).run();
    assert_eq!(run.status, 1);
    for name in ["below_five.json", "returns.json", "property-3.json"] {
        let evidence = folder.path().join(name);
        let run = Program::new().arg("certify").arg(&model).arg(&evidence).run();
        assert_eq!(run.status, 0, "{name}: {} {}", run.stdout, run.stderr);
    }
    let trace = folder.path().join("below_five.json");
    let text = std::fs::read_to_string(&trace).expect("saved");
    let mut document: Value = serde_json::from_str(&text).expect("JSON");
    document["evidence"]["trace"]["steps"][3]["x"] = Value::from(2);
    let corrupted = folder.path().join("corrupted.json");
    std::fs::write(&corrupted, document.to_string()).expect("writable");
    let run = Program::new().arg("certify").arg(&model).arg(&corrupted).run();
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert!(run.stdout.contains("rejected"), "{}", run.stdout);
    let garbage = folder.path().join("garbage.json");
    std::fs::write(&garbage, "[1, 2").expect("writable");
    assert_eq!(
        Program::new()
            .arg("certify")
            .arg(&model)
            .arg(&garbage)
            .run()
            .status,
        65
    );
}

#[test]
fn traces_are_saved_in_the_format_of_the_name_and_viewed_without_the_model() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = model_file(COUNTER);
    for (name, mark) in [
        ("t.json", "\"steps\""),
        ("t.vcd", "$enddefinitions"),
        ("t.dot", "digraph"),
        ("t.txt", "step 5"),
    ] {
        let file = folder.path().join(name);
        let run = Program::check(&model).arg("--trace").arg(&file).run();
        assert_eq!(run.status, 1, "{}", run.stderr);
        let text = std::fs::read_to_string(&file).expect("written");
        assert!(text.contains(mark), "{name}: {text}");
    }
    let run = Program::new().arg("view").arg(folder.path().join("t.json")).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("x = 5"), "{}", run.stdout);
    let vcd = folder.path().join("viewed.vcd");
    let run = Program::new()
        .arg("view")
        .arg(folder.path().join("t.json"))
        .arg("-o")
        .arg(&vcd)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(vcd.exists());
}

#[test]
fn the_report_is_one_file_without_the_network() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = folder.path().join("report.html");
    let run = Program::check(&example("mutex.smv"))
        .arg("--report")
        .arg(&page)
        .run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    let text = std::fs::read_to_string(&page).expect("written");
    assert!(text.contains("no_overtaking"));
    assert!(!text.contains("src=\"http") && !text.contains("href=\"http"));
}

#[test]
fn a_random_walk_depends_on_its_seed_only() {
    let model = example("puzzles/river_crossing.smv");
    let walk = |seed: &str| {
        let run = Program::new()
            .arg("simulate")
            .arg(&model)
            .args(["--steps", "6", "--seed", seed])
            .run();
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.stdout
    };
    assert_eq!(walk("7"), walk("7"));
    assert!(
        (0..20).any(|seed| walk(&seed.to_string()) != walk("7")),
        "seeds make a difference"
    );
}

#[test]
fn an_interactive_walk_goes_on_back_prints_and_saves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let saved = folder.path().join("walk.json");
    let script = format!("1\nb\n1\nr\np\nt\nnonsense\n99\ns {}\nq\n", saved.display());
    let run = Program::new()
        .arg("simulate")
        .arg(example("mutex.smv"))
        .input(&script)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("turn = 1"), "{}", run.stdout);
    let run = Program::new().arg("view").arg(&saved).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let run = Program::new()
        .arg("simulate")
        .arg(example("mutex.smv"))
        .args(["--steps", "2", "--from"])
        .arg(&saved)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("step 4"), "{}", run.stdout);
}

#[test]
fn a_flat_model_has_the_same_verdicts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let models = [
        "mutex.smv",
        "concurrency/peterson.smv",
        "concurrency/semaphore.smv",
        "concurrency/philosophers.smv",
        "hardware/counter.smv",
        "puzzles/river_crossing.smv",
        "logic/linear_or_branching.smv",
    ];
    for name in models {
        let flat = folder.path().join("flat.smv");
        let run = Program::new().arg("convert").arg(example(name)).arg(&flat).run();
        assert_eq!(run.status, 0, "{name}: {}", run.stderr);
        let original = Program::check(&example(name)).args(["--json"]).run().verdicts();
        assert_eq!(
            Program::check(&flat).args(["--json"]).run().verdicts(),
            original,
            "{name}"
        );
    }
    let run = Program::new()
        .arg("convert")
        .arg(example("mutex.smv"))
        .arg(folder.path().join("m.xyz"))
        .run();
    assert_eq!(run.status, 64);
}

#[test]
fn limits_give_unknown_with_what_was_reached_and_every_property_its_line() {
    let wide: String = (0..30).map(|i| format!("VAR x{i} : 0..9;\n")).collect();
    let model = model_file(&format!(
        "MODULE main\n{wide}INVARSPEC x0 < 10; SPEC AG EF x1 = 3; LTLSPEC G F x2 = 1;"
    ));
    let run = Program::check(&model)
        .args(["--json", "--engine", "explicit", "--timeout", "1s"])
        .run();
    assert_eq!(run.verdicts().len(), 3);
    for property in run.json().expect("JSON")["properties"]
        .as_array()
        .expect("a list")
    {
        if property["verdict"] == "unknown" {
            assert!(
                property["reason"]
                    .as_str()
                    .is_some_and(|reason| reason.contains("limit")),
                "{property}"
            );
        }
    }
    let run = Program::check(&model)
        .args([
            "--engine",
            "explicit",
            "--whole",
            "--memory",
            "64MiB",
            "--property",
            "2",
        ])
        .run();
    assert_eq!(run.status, 2, "{}", run.stdout);
    assert!(run.stdout.contains("memory limit"), "{}", run.stdout);
}

#[test]
fn a_bound_is_told_with_the_verdict() {
    let model = model_file(COUNTER);
    let arguments = [
        "--json",
        "--engine",
        "explicit",
        "--bound",
        "3",
        "--property",
        "below_five",
    ];
    let run = Program::check(&model).args(arguments).run();
    let json = run.json().expect("JSON");
    assert_eq!(json["properties"][0]["verdict"], "holds");
    assert_eq!(json["properties"][0]["guarantee"], "bounded");
    assert_eq!(json["properties"][0]["bound"], 3);
}

#[test]
fn dead_end_policies_change_the_answer_and_the_warning_names_a_state() {
    let model = model_file(
        "MODULE main VAR x : 0..2; INIT x = 0 TRANS next(x) = x + 1 CTLSPEC AF x = 9 - 8; CTLSPEC EX EX TRUE;",
    );
    let verdicts = |policy: &str| {
        Program::check(&model)
            .args(["--json", "--engine", "explicit", "--dead-ends", policy])
            .run()
    };
    assert_eq!(verdicts("maximal").verdicts(), ["holds", "holds"]);
    assert_eq!(verdicts("stutter").verdicts(), ["holds", "holds"]);
    assert_eq!(verdicts("error").status, 65);
    let run = Program::check(&model).run();
    assert!(
        run.stdout.contains("x = 2"),
        "the dead end is named: {}",
        run.stdout
    );
}

#[test]
fn engines_are_listed() {
    let run = Program::new().arg("engines").run();
    assert_eq!(run.status, 0);
    assert!(run.stdout.contains("explicit"));
}

#[test]
fn reachable_states_are_counted_and_the_order_is_saved_and_read_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let order = folder.path().join("best.ord");
    let model = example("concurrency/philosophers.smv");
    let run = Program::check(&model)
        .args(["--reachable", "--json", "--save-order"])
        .arg(&order)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let found = run.json().expect("JSON");
    assert_eq!(found["reachable"]["complete"], true);
    let by_search = Program::check(&model)
        .args(["--json", "--engine", "explicit", "--whole", "--spec", "AG TRUE"])
        .run();
    let states = by_search.json().expect("JSON")["properties"][0]["evidence"]["states"].clone();
    assert_eq!(
        found["reachable"]["states"].as_str(),
        Some(states.to_string().as_str())
    );
    let run = Program::check(&model)
        .args(["--json", "--engine", "bdd", "--reorder", "none", "--order"])
        .arg(&order)
        .run();
    assert_eq!(run.verdicts(), ["fails", "holds"], "{}", run.stderr);
    let foreign = folder.path().join("foreign.ord");
    std::fs::write(&foreign, "nobody\nnothing\n").expect("writable");
    let run = Program::check(&model).arg("--order").arg(&foreign).run();
    assert_eq!(run.status, 65, "{}", run.stderr);
    assert!(run.stderr.contains("nobody"), "{}", run.stderr);
}

#[test]
fn engines_agree_on_the_examples() {
    for name in [
        "mutex.smv",
        "concurrency/peterson.smv",
        "concurrency/semaphore.smv",
        "hardware/counter.smv",
    ] {
        let verdicts = |engine: &str| {
            Program::check(&example(name))
                .args(["--json", "--engine", engine])
                .run()
                .verdicts()
        };
        assert_eq!(verdicts("explicit"), verdicts("bdd"), "{name}");
    }
}

#[test]
fn formulas_are_translated_compared_and_classified() {
    let ltl = |arguments: &[&str]| Program::new().arg("ltl").args(arguments).run();
    let hoa = ltl(&["translate", "G(req -> F ack)"]);
    assert_eq!(hoa.status, 0, "{}", hoa.stderr);
    assert!(hoa.stdout.starts_with("HOA: v1"), "{}", hoa.stdout);
    assert!(
        ltl(&["translate", "F G p", "--format", "never"])
            .stdout
            .contains("never")
    );
    assert!(
        ltl(&["translate", "F G p", "--acceptance", "parity"])
            .stdout
            .contains("parity")
    );
    assert_eq!(ltl(&["sat", "G p & F !p"]).status, 1);
    assert_eq!(ltl(&["valid", "p | !p"]).status, 0);
    let different = ltl(&["equivalent", "F G p", "G F p"]);
    assert_eq!(different.status, 1);
    assert!(different.stdout.contains("cycle"), "{}", different.stdout);
    assert_eq!(ltl(&["implies", "F G p", "G F p"]).status, 0);
    assert!(ltl(&["classify", "G F p"]).stdout.contains("recurrence"));
    assert_eq!(ltl(&["word", "p U q", "p; cycle{q}"]).status, 0);
    assert_eq!(ltl(&["sat", "G ("]).status, 65);
}

#[test]
fn a_diagram_is_counted_and_drawn() {
    // Chapter 7, equation 5: three satisfying assignments.
    let formula = "x1 & x2 & !x3 | !x1 & x3";
    let run = Program::new().args(["dd", formula]).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("satisfying       3 of 2^3"), "{}", run.stdout);
    assert!(
        Program::new()
            .args(["dd", formula, "--dot"])
            .run()
            .stdout
            .contains("digraph")
    );
    assert!(
        Program::new()
            .args(["dd", formula, "--svg"])
            .run()
            .stdout
            .contains("<svg")
    );
    let odd_first = "x1 & x2 | x3 & x4 | x5 & x6";
    let run = Program::new()
        .args(["dd", odd_first, "--order", "x1,x3,x5,x2,x4,x6", "--best-order"])
        .run();
    assert!(
        run.stdout.contains("nodes            6"),
        "one node a variable: {}",
        run.stdout
    );
    assert_eq!(Program::new().args(["dd", "G p"]).run().status, 65);
}

/// A file with an automaton, made by the program itself.
fn automaton_file(formula: &str) -> tempfile::TempPath {
    let path = tempfile::Builder::new()
        .suffix(".hoa")
        .tempfile()
        .expect("a temporary file")
        .into_temp_path();
    let run = Program::new()
        .args(["ltl", "translate", formula, "-o"])
        .arg(&path)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    path
}

#[test]
fn automata_are_combined_compared_and_drawn() {
    let (a, b) = (automaton_file("G F p"), automaton_file("F G p"));
    let two = |service: &str| {
        let run = Program::new().args(["automaton", service]);
        run.arg(&a).arg(&b).run()
    };
    let included = Program::new()
        .args(["automaton", "included"])
        .arg(&b)
        .arg(&a)
        .run();
    assert_eq!(included.status, 0, "{}", included.stdout);
    let not_included = two("included");
    assert_eq!(not_included.status, 1);
    assert!(not_included.stdout.contains("cycle{"), "{}", not_included.stdout);
    assert_eq!(two("equivalent").status, 1);
    let product = two("product").stdout;
    let empty = Program::new()
        .args(["automaton", "empty", "-"])
        .input(&product)
        .run();
    assert_eq!(empty.status, 1, "{}{}", empty.stdout, empty.stderr);
    assert!(two("union").stdout.starts_with("HOA: v1"));

    let one = |arguments: &[&str]| {
        let run = Program::new().args(["automaton", arguments[0]]).arg(&a);
        run.args(&arguments[1..]).run()
    };
    let information = one(&["info"]).stdout;
    assert!(information.contains("deterministic       yes"), "{information}");
    assert!(one(&["complement", "--check"]).stdout.contains("co-Buchi"));
    assert!(
        one(&["determinize", "--check"])
            .stdout
            .contains("parity max even")
    );
    assert!(
        one(&["degeneralize", "--format", "never", "--state-based"])
            .stdout
            .contains("never")
    );
    assert!(one(&["simplify", "--format", "dot"]).stdout.contains("digraph"));
    assert!(one(&["simplify", "--format", "svg"]).stdout.starts_with("<svg"));
    assert!(
        one(&["convert", "--acceptance", "rabin", "--check"])
            .stdout
            .contains("Rabin")
    );
    assert_eq!(
        one(&["convert", "--acceptance", "co-buchi"]).status,
        65,
        "G F p is not co-Büchi"
    );
    assert_eq!(one(&["universal"]).status, 1);
    assert_eq!(one(&["accepts", "p; cycle{!p; p}"]).status, 0);
    assert_eq!(one(&["accepts", "p; cycle{!p}"]).status, 1);
    assert_eq!(one(&["accepts", "p; cycle{"]).status, 65);
}

#[test]
fn deterministic_automata_are_made_minimal_by_sat() {
    let minimal = |formula: &str| {
        let file = automaton_file(formula);
        let run = Program::new().args(["automaton", "simplify", "--sat"]).arg(&file);
        run.run()
    };
    let run = minimal("G F (p & X p)");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("States: 2") && run.stdout.contains("deterministic"),
        "{}",
        run.stdout
    );
    let refused = minimal("F G p");
    assert_ne!(refused.status, 0);
    assert!(
        refused.stderr.contains("no deterministic Büchi automaton"),
        "{}",
        refused.stderr
    );
}

#[test]
fn malformed_automata_are_shown_with_their_place() {
    let info = |text: &str| Program::new().args(["automaton", "info", "-"]).input(text).run();
    let text = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 7\n--END--\n";
    let run = info(text);
    assert_eq!(run.status, 65);
    assert!(run.stderr.contains("standard input:8:5"), "{}", run.stderr);
    assert_eq!(info("").status, 65);
    let nowhere = Program::new().args(["automaton", "info", "nowhere.hoa"]).run();
    assert_eq!(nowhere.status, 65);
    let twice = Program::new().args(["automaton", "product", "-", "-"]).run();
    assert_eq!(twice.status, 64);
}

#[test]
fn formulas_are_simplified_printed_and_drawn_at_random() {
    let ltl = |arguments: &[&str]| Program::new().arg("ltl").args(arguments).run();
    assert_eq!(ltl(&["simplify", "F F a | F F a & G b"]).stdout, "F a\n");
    // `Ga` would be a name there.
    assert_eq!(ltl(&["--syntax", "smv", "simplify", "G a"]).stdout, "G a\n");
    assert_eq!(
        ltl(&["print", "--to", "spin", "G(a -> F b)"]).stdout,
        "[](a -> <> b)\n"
    );
    assert_eq!(
        ltl(&["print", "--to", "lbt", "G(p1 -> F p2)"]).stdout,
        "G i p1 F p2\n"
    );
    assert_eq!(ltl(&["print", "--syntax", "lbt", "G i p1 F p2"]).status, 0);
    let random = |seed: &str| ltl(&["random", "--seed", seed, "-n", "20", "--props", "3"]).stdout;
    assert_eq!(random("1").lines().count(), 20);
    assert_eq!(random("1"), random("1"));
    assert_ne!(random("1"), random("2"));
    for acceptance in ["generalized", "buchi", "parity", "rabin", "streett", "muller"] {
        let run = ltl(&[
            "translate",
            "G F a -> G F b",
            "--acceptance",
            acceptance,
            "--check",
        ]);
        assert_eq!(run.status, 0, "{acceptance}: {}", run.stderr);
    }
    let alternating = ltl(&["translate", "--alternating", "G(a -> F b)"]);
    assert!(
        alternating.stdout.contains("univ-branch"),
        "{}",
        alternating.stdout
    );
    // A formula that is too deep is an error, not a proposition with a strange name.
    let deep = format!("{}p", "F".repeat(10_000));
    assert_eq!(ltl(&["sat", &deep]).status, 65);
    let wide: Vec<String> = (0..5_000)
        .map(|i| format!("(a{} U b{})", i % 20, i % 21))
        .collect();
    assert!(
        [0, 2].contains(&ltl(&["sat", &wide.join(" & "), "--timeout", "1s"]).status),
        "a wide formula is answered or given up in time"
    );
}
