//! Probabilistic systems through the program: numbers, verdicts, saved certificates, constants, property files, and bad input.

mod program;

use program::{Program, Run, text_file};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../examples/probabilistic")
        .join(name)
}

fn check(model: &Path, arguments: &[&str]) -> Run {
    Program::new().arg("check").arg(model).args(arguments).run()
}

/// The only property of the JSON report.
fn property(model: &Path, arguments: &[&str]) -> Value {
    let run = Program::new()
        .arg("check")
        .arg(model)
        .arg("--json")
        .args(arguments)
        .run();
    let document: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr));
    document["properties"][0].clone()
}

#[test]
fn the_die_shows_each_number_with_probability_one_sixth() {
    for number in 1..=6 {
        let asked = property(
            &example("die.pm"),
            &["--spec", &format!("P=? [ F s=7 & d={number} ]")],
        );
        assert_eq!(asked["value"]["exact"], "1/6");
        assert_eq!(asked["evidence"]["checked"], true, "{asked}");
    }
    let asked = property(&example("die.pm"), &["--spec", "R{\"flips\"}=? [ F s=7 ]"]);
    assert_eq!(asked["value"]["exact"], "11/3");
}

#[test]
fn thresholds_are_verdicts_and_infinity_is_a_value() {
    let die = example("die.pm");
    assert_eq!(check(&die, &["--spec", "P>0.16 [ F d=3 ]"]).status, 0);
    assert_eq!(check(&die, &["--spec", "P>0.17 [ F d=3 ]"]).status, 1);
    let asked = property(&die, &["--spec", "R{\"flips\"}=? [ F d=6 ]"]);
    assert_eq!(asked["value"], "infinity");
    assert_eq!(asked["evidence"]["checked"], true, "{asked}");
}

#[test]
fn constants_are_given_on_the_command_line() {
    let queue = example("queue.sm");
    let asked = property(&queue, &["--const", "N=3", "--spec", "S=? [ q=N ]"]);
    assert_eq!(asked["value"]["exact"], "8/65");
    let run = check(&queue, &["--spec", "S=? [ q=N ]"]);
    assert_eq!(run.status, 65);
    assert!(
        run.stderr.contains("the constant N has no value") && run.stderr.contains("--const N="),
        "{}",
        run.stderr
    );
    assert_eq!(
        check(&queue, &["--const", "N", "--spec", "S=? [ q=N ]"]).status,
        64
    );
}

#[test]
fn time_bounds_give_an_interval_around_the_known_value() {
    // One state left with rate 3: the probability within 1 is 1 - exp(-3).
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("m.sm");
    std::fs::write(
        &model,
        "ctmc module m s : [0..1] init 0; [] s=0 -> 3 : (s'=1); endmodule",
    )
    .expect("written");
    let asked = property(&model, &["--spec", "P=? [ F<=1 s=1 ]"]);
    let (low, high) = (
        asked["value"]["lower"].as_f64().expect("low"),
        asked["value"]["upper"].as_f64().expect("high"),
    );
    let exact = 1.0 - (-3.0f64).exp();
    assert!(
        low <= exact && exact <= high && high - low < 1e-6,
        "{low} {exact} {high}"
    );
}

#[test]
fn properties_come_from_a_file_with_their_own_constants_and_labels() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("die.props");
    let text = "const int x; label \"x\" = d=x;\n\"is_x\": P=? [ F \"x\" ];\n\"twice\": 2 * \"is_x\";";
    std::fs::write(&file, text).expect("written");
    let file = file.to_str().expect("a path");
    let run = Program::new()
        .arg("check")
        .arg(example("die.pm"))
        .args([file, "--const", "x=4", "--json"])
        .run();
    let document: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr));
    assert_eq!(document["properties"][0]["name"], "is_x");
    assert_eq!(document["properties"][0]["value"]["exact"], "1/6");
    assert_eq!(document["properties"][1]["value"]["exact"], "1/3");
}

#[test]
fn saved_certificates_are_accepted_again_and_damaged_ones_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let evidence = folder.path().join("evidence");
    let running = example("running.nm");
    let run = check(
        &running,
        &[
            "--spec",
            "Pmax=? [ F s=3 ]",
            "--evidence",
            evidence.to_str().expect("a path"),
        ],
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    let saved = std::fs::read_dir(&evidence)
        .expect("saved")
        .next()
        .expect("one")
        .expect("a file")
        .path();
    let certify = |file: &Path| Program::new().arg("certify").arg(&running).arg(file).run();
    assert_eq!(certify(&saved).status, 0);
    let text = std::fs::read_to_string(&saved).expect("a text");
    let damaged = folder.path().join("damaged.json");
    std::fs::write(&damaged, text.replace("1/2", "2/3")).expect("written");
    assert_ne!(certify(&damaged).status, 0);
}

#[test]
fn errors_of_the_model_show_the_place_and_the_state() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("m.pm");
    let cases = [
        (
            "dtmc\nmodule m s : [0..1]; [] true -> 0.5 : (s'=1) + 0.4 : (s'=0); endmodule",
            "sum to 9/10",
        ),
        (
            "dtmc\nmodule m s : [0..1]; [] true -> (s'=s+1); endmodule",
            "outside of 0..1",
        ),
        (
            "dtmc\nmodule m s : [0..1]; [] true -> (s'=t); endmodule",
            "`t` is not declared",
        ),
        (
            "ctmc\nmodule m s : [0..1]; [] true -> -1 : (s'=1); endmodule",
            "negative",
        ),
    ];
    for (text, message) in cases {
        std::fs::write(&model, text).expect("written");
        let run = check(&model, &["--spec", "P=? [ F s=1 ]"]);
        assert_eq!(run.status, 65, "{text}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{text}: {}", run.stderr);
    }
}

#[test]
fn a_walk_follows_the_commands() {
    let run = Program::new()
        .arg("simulate")
        .arg(example("die.pm"))
        .args(["--steps", "12", "--seed", "3"])
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("s = 7") || run.stdout.contains("s=7"),
        "{}",
        run.stdout
    );
}

/// Work is done at rate 2 in a third of the time; each piece is counted on the edge that ends it.
const LINE: &str = r#"{"jani-version": 1, "name": "line", "type": "ctmc", "actions": [],
 "variables": [{"name": "out", "type": "real", "transient": true, "initial-value": 0}],
 "automata": [{"name": "m", "locations": [{"name": "busy"}, {"name": "idle"}], "initial-locations": ["busy"], "edges": [
  {"location": "busy", "rate": {"exp": 2}, "destinations": [{"location": "idle", "assignments": [{"ref": "out", "value": 1}]}]},
  {"location": "idle", "rate": {"exp": 1}, "destinations": [{"location": "busy"}]}]}],
 "system": {"elements": [{"automaton": "m"}]},
 "properties": [{"name": "throughput", "expression": {"op": "filter", "fun": "max", "values": {"op": "Smax", "exp": "out"}, "states": {"op": "initial"}}}]}"#;

#[test]
fn what_edges_assign_counts_in_long_run_values() {
    let model = text_file(LINE, ".jani");
    let asked = property(&model, &[]);
    assert_eq!(asked["value"]["exact"], "2/3");
    assert_eq!(asked["evidence"]["checked"], true, "{asked}");
}

#[test]
fn a_minimised_model_is_written_read_again_and_has_the_same_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let (small, map) = (folder.path().join("small.drn"), folder.path().join("map.txt"));
    let minimize = |arguments: &[&str]| {
        Program::new()
            .arg("minimize")
            .arg(example("die.pm"))
            .args(arguments)
            .run()
    };
    let (drn, lines) = (small.to_str().expect("a path"), map.to_str().expect("a path"));
    let run = minimize(&[drn, "--map", lines]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stdout
            .contains("checked: the states of a class are equivalent"),
        "{}",
        run.stdout
    );
    // The label tells no end from another: they are one state, and the two halves of the tree are alike.
    let kept = std::fs::read_to_string(&small).expect("written");
    assert!(kept.contains("@nr_states\n5\n"), "{kept}");
    assert_eq!(
        std::fs::read_to_string(&map).expect("written").lines().count(),
        13
    );
    let asked = property(&small, &["--spec", "R{\"flips\"}=? [ C ]"]);
    assert_eq!(asked["value"]["exact"], "11/3", "{asked}");
    assert_eq!(asked["evidence"]["checked"], true, "{asked}");
    assert_eq!(minimize(&[drn, "--relation", "weak"]).status, 64);
    assert_eq!(minimize(&["small.xyz"]).status, 64);
}

#[test]
fn certificates_of_interval_models_are_saved_and_damaged_ones_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let evidence = folder.path().join("evidence");
    let robot = example("robot.nm");
    let arguments = ["--const", "delta=1/10", "--spec", "Pmaxmin=? [ F \"goal\" ]"];
    let saving = [
        "--evidence",
        evidence.to_str().expect("a path"),
        "--bisimulation",
        "always",
    ];
    let run = check(&robot, &[&arguments[..], &saving[..]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let saved = std::fs::read_dir(&evidence)
        .expect("saved")
        .next()
        .expect("one")
        .expect("a file")
        .path();
    let certify = |file: &Path| {
        let program = Program::new().arg("certify").arg(&robot).arg(file);
        program.args(["--const", "delta=1/10"]).run()
    };
    assert_eq!(certify(&saved).status, 0, "{}", certify(&saved).stderr);
    let text = std::fs::read_to_string(&saved).expect("a text");
    // What holds with probabilities that are chosen for the scheduler does not hold with those against it.
    let damaged = folder.path().join("damaged.json");
    std::fs::write(&damaged, text.replace("Pmaxmin", "Pmaxmax")).expect("written");
    assert_ne!(certify(&damaged).status, 0);
}

/// A queue in continuous time, as a probabilistic model and as an UPPAAL model whose delays are exponential: what random runs of the second estimate contains what is proved of the first.
#[test]
fn random_runs_of_exponential_automata_agree_with_chains_in_continuous_time() {
    let chain = text_file(
        "ctmc\nmodule q\n n : [0..3];\n [] n<3 -> 2 : (n'=n+1);\n [] n>0 -> 3 : (n'=n-1);\nendmodule\n",
        ".pm",
    );
    let network = text_file(
        "broadcast chan c; int[0,3] n;\n\
         process In() { state A { ; 2 }; init A; trans A -> A { guard n < 3; assign n++; }; }\n\
         process Out() { state A { ; 3 }; init A; trans A -> A { guard n > 0; assign n--; }; }\nsystem In, Out;\n",
        ".xta",
    );
    let bounds = |asked: &Value| {
        let number = |key: &str| asked["value"][key].as_f64().unwrap_or_else(|| panic!("{asked}"));
        (number("lower"), number("upper"))
    };
    for (formula, query) in [
        ("P=? [ F<=1 n=3 ]", "Pr[<=1](<> n == 3)"),
        ("P=? [ G<=1 n<2 ]", "Pr[<=1]([] n < 2)"),
        ("P=? [ n<2 U<=2 n=2 ]", "Pr[<=2](n < 2 U n == 2)"),
    ] {
        let exact = property(&chain, &["--spec", formula]);
        let given = ["--spec", query, "--error", "0.01", "--confidence", "0.9999"];
        let sampled = property(&network, &given);
        assert_eq!(sampled["guarantee"], "statistical", "{sampled}");
        let ((low, high), (least, most)) = (bounds(&exact), bounds(&sampled));
        assert!(least <= high && low <= most, "{query}: {exact} {sampled}");
    }
}

/// PRISM to JANI to UMB and back to questions: the same numbers, exactly.
#[test]
fn models_go_from_prism_to_jani_to_umb_and_keep_their_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let convert = |from: &Path, to: &str, arguments: &[&str]| {
        let to = folder.path().join(to);
        let run = Program::new()
            .arg("convert")
            .arg(from)
            .arg(&to)
            .args(arguments)
            .run();
        assert_eq!(run.status, 0, "{}", run.stderr);
        to
    };
    for (name, constants, spec, value) in [
        ("die.pm", None, "P=? [ F s=7 & d=1 ]", "1/6"),
        ("running.nm", None, "Pmax=? [ F s=3 ]", "1/2"),
        ("queue.sm", Some("N=3"), "S=? [ q=3 ]", "8/65"),
        ("deadline.ma", None, "Tmin=? [ F s=4 ]", "13/20"),
        ("errands.nm", None, "Pmin=? [ F left=0 ]", "1"),
    ] {
        let constants: Vec<&str> = constants.map_or(Vec::new(), |given| vec!["--const", given]);
        let jani = convert(&example(name), "model.jani", &constants);
        let from_jani = convert(&jani, "jani.umb", &[]);
        let directly = convert(&example(name), "directly.umb", &constants);
        for file in [&from_jani, &directly] {
            let asked = property(file, &["--spec", spec]);
            assert_eq!(
                asked["value"]["exact"],
                value,
                "{name} {}: {asked}",
                file.display()
            );
            assert_eq!(asked["evidence"]["checked"], true, "{name}: {asked}");
        }
    }
    let broken = folder.path().join("broken.umb");
    for bytes in [&b"no archive"[..], &[0x1f, 0x8b, 8, 0, 0], &[0; 1024]] {
        std::fs::write(&broken, bytes).expect("written");
        let run = check(&broken, &["--spec", "P=? [ F s=1 ]"]);
        assert_eq!(run.status, 65, "{}", run.stderr);
    }
}

#[test]
fn diagrams_answer_as_rows_do_with_the_same_certificates() {
    for (name, arguments) in [
        ("die.pm", &["--spec", "P=? [ F s=7 & d=1 ]"][..]),
        ("die.pm", &["--spec", "R{\"flips\"}=? [ F s=7 ]"]),
        ("running.nm", &["--spec", "R{\"cost\"}min=? [ F s=2 ]"]),
        ("running.nm", &["--spec", "P<=0.4 [ F s=3 ]"]),
        ("queue.sm", &["--const", "N=3", "--spec", "P=? [ q<2 U q=3 ]"]),
        ("errands.nm", &["--spec", "Pmax=? [ F<=3 \"home\" ]"]),
    ] {
        let rows = property(&example(name), arguments);
        let symbolic: Vec<&str> = [arguments, &["--engine", "symbolic"]].concat();
        let diagrams = property(&example(name), &symbolic);
        assert_eq!(rows["verdict"], diagrams["verdict"], "{name}: {diagrams}");
        assert_eq!(rows["value"], diagrams["value"], "{name}: {diagrams}");
        assert_eq!(diagrams["evidence"]["checked"], true, "{name}: {diagrams}");
    }
    // Billions of states: said not to be checked again.
    let model = text_file(
        &format!(
            "dtmc\nmodule m\nt : [0..40];\n{}\n{}\nendmodule\n",
            (0..40).map(|at| format!("b{at} : bool;")).collect::<String>(),
            (0..40)
                .map(|at| format!(
                    "[] t={at} -> 0.5 : (t'={next}) & (b{at}'=true) + 0.5 : (t'={next});\n",
                    next = at + 1
                ))
                .collect::<String>(),
        ),
        ".pm",
    );
    let asked = property(
        &model,
        &["--engine", "symbolic", "--spec", "P=? [ F t=40 & b0 & b1 & b2 ]"],
    );
    assert_eq!(asked["value"]["exact"], "1/8", "{asked}");
    assert_eq!(asked["statistics"]["states"], (1u64 << 41) - 1, "{asked}");
    assert_ne!(asked["evidence"]["checked"], true, "{asked}");
}

/// A die that shows one too often: the paths to it, and the states that are enough to see it.
#[test]
fn a_violated_bound_shows_the_most_probable_paths() {
    let die = example("die.pm");
    let asked = property(&die, &["--spec", "P<=0.15 [ F s=7 & d=1 ]"]);
    assert_eq!(asked["verdict"], "fails");
    assert_eq!(asked["evidence"]["checked"], true, "{asked}");
    let paths = asked["evidence"]["likely_paths"].as_array().expect("paths");
    assert_eq!(paths[0]["probability"], "1/8", "{asked}");
    assert_eq!(paths[1]["probability"], "1/32", "{asked}");
    let run = check(&die, &["--spec", "P<=0.15 [ F s=7 & d=1 ]"]);
    assert!(run.stdout.contains("1/8"), "{}", run.stdout);
    // What is not violated has none.
    let asked = property(&die, &["--spec", "P<=0.2 [ F s=7 & d=1 ]"]);
    assert_eq!(asked["verdict"], "holds");
    assert!(asked["evidence"]["likely_paths"].is_null(), "{asked}");
}
