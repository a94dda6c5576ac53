//! Whole-program tests of what people see of Promela models: walks, trails, charts.

mod program;

use program::{Program, Run, example, text_file};

fn walk(text: &str, arguments: &[&str]) -> Run {
    let model = text_file(text, ".pml");
    Program::new().arg("simulate").arg(&model).args(arguments).run()
}

#[test]
fn a_random_walk_prints_as_spin_does_and_ends_where_nobody_can_move() {
    let run = walk(
        "mtype = { ack }; active proctype p() { skip; printf(\"one %d %e\\n\", 1, ack) }
         active proctype q() { timeout -> printf(\"late\\n\") }",
        &["--steps", "100"],
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    for line in [
        "\n      one 1 ack\n",
        "\n      timeout\n",
        "\n          late\n",
        "valid end state",
    ] {
        assert!(run.stdout.contains(line), "{line:?} in {}", run.stdout);
    }
}

#[test]
fn a_walk_says_how_it_went_wrong() {
    let failing = walk(
        "byte x; active proctype p() { x = 3; assert(x == 2) }",
        &["--steps", "9"],
    );
    assert_eq!(failing.status, 1);
    assert!(
        failing
            .stdout
            .contains("error: assertion violated: p(0)  line 1  assert(x == 2)"),
        "{}",
        failing.stdout
    );
    let stuck = walk(
        "chan c = [0] of { byte };\nactive proctype p() { c?_ }",
        &["--steps", "9"],
    );
    assert_eq!(stuck.status, 1);
    assert!(
        stuck.stdout.contains("invalid end state") && stuck.stdout.contains("p(0) is stuck at line 2: c?_"),
        "{}",
        stuck.stdout
    );
    let open = walk("active proctype p() { do :: skip od }", &["--steps", "9"]);
    assert_eq!(open.status, 0);
    assert!(open.stdout.contains("stops after 9 steps"), "{}", open.stdout);
    let early = walk(
        "byte a[2]; byte i = 5; byte b = a[i]; active proctype p() { b = a[i] }",
        &["--steps", "9"],
    );
    assert_eq!(early.status, 1, "{} {}", early.stdout, early.stderr);
}

#[test]
fn the_seed_decides_the_walk() {
    let walk = |seed: &str| {
        Program::new()
            .arg("simulate")
            .arg(example("promela/handover.pml"))
            .args(["--steps", "50", "--seed", seed])
            .run()
            .stdout
    };
    assert_eq!(walk("3"), walk("3"));
    assert!((0..20).any(|seed| walk(&seed.to_string()) != walk("3")));
}

#[test]
fn an_interactive_walk_through_a_program_goes_on_back_prints_and_saves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let saved = folder.path().join("walk.json");
    let script = format!(
        "1\nb\n1\n\np\nt\nnonsense\n99\ns {}\ns x.vcd\nq\n",
        saved.display()
    );
    let run = Program::new()
        .arg("simulate")
        .arg(example("promela/handover.pml"))
        .input(&script)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("receiver(1)  line 22  ready!0  →  sender(0)"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("choose a number from 1 to"), "{}", run.stdout);
    assert!(run.stderr.contains("not as .vcd"), "{}", run.stderr);
    let text = std::fs::read_to_string(&saved).expect("the walk was saved");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["trace"]["steps"].as_array().map(Vec::len), Some(2));
}
