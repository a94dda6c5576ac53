//! Whole-program tests of what people see of Promela models: walks, trails, charts.

mod program;

use std::path::Path;
use std::process::Command;

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
    let waves = folder.path().join("walk.vcd");
    let script = format!(
        "1\nb\n1\n\np\nt\nnonsense\n99\ns {}\ns {}\nq\n",
        saved.display(),
        waves.display()
    );
    let run = Program::new()
        .arg("simulate")
        .arg(example("promela/handover.pml"))
        .input(&script)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("receiver(1)  line 23  ready!0  →  sender(0)"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("choose a number from 1 to"), "{}", run.stdout);
    let waves = std::fs::read_to_string(&waves).expect("the walk was saved");
    assert!(waves.contains("$enddefinitions"), "{waves}");
    let text = std::fs::read_to_string(&saved).expect("the walk was saved");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["trace"]["steps"].as_array().map(Vec::len), Some(2));
}

const FAILING: &str = "chan c = [0] of { byte }; byte x;
active proctype p() { byte i; do :: i < 3 -> c!i; i++ :: else -> break od; atomic { x = 1; x = 2 } }
active proctype q() { byte v; do :: c?v -> printf(\"%d\\n\", v); assert(v < 2) od }
ltl stays { [] (x == 0) }
";

#[test]
fn a_trail_is_written_and_followed_to_the_same_error() {
    let model = text_file(FAILING, ".pml");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trail = folder.path().join("m.trail");
    let run = Program::check(&model).args(["--trace"]).arg(&trail).run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    let text = std::fs::read_to_string(&trail).expect("the trail was written");
    assert!(text.starts_with("-4:-4:-4\n1:0:0\n2:0:1\n3:1:"), "{text}");
    let run = Program::new()
        .arg("simulate")
        .arg(&model)
        .arg("--trail")
        .arg(&trail)
        .run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(
        run.stdout.contains("error: assertion violated: q(1)  line 3"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_trail_that_does_not_fit_is_refused_at_its_line() {
    let model = text_file(FAILING, ".pml");
    let cases = [
        (
            "-4:-4:-4\n1:0:0\n2:1:7\n",
            "process 1 cannot take transition 7 after step 1; possible are 0:1",
        ),
        ("-4:-4:-4\n1:0\n", "this is no line of a trail"),
        ("-9:0:0\n", "this kind of line is not known"),
    ];
    for (text, message) in cases {
        let trail = text_file(text, ".trail");
        let run = Program::new()
            .arg("simulate")
            .arg(&model)
            .arg("--trail")
            .arg(&trail)
            .run();
        assert_eq!(run.status, 65, "{}", run.stdout);
        assert!(run.stderr.contains(message), "{message}: {}", run.stderr);
    }
    let jump = text_file(
        "active proctype p() { byte i; i = 3; here: goto over; over: assert(i < 3) } active proctype q() { p@here -> skip }",
        ".pml",
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = Program::check(&jump)
        .arg("--trace")
        .arg(folder.path().join("x.trail"))
        .run();
    assert_eq!(run.status, 64, "{}", run.stdout);
    assert!(run.stderr.contains("`goto`"), "{}", run.stderr);
}

fn spin(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("spin")
        .args(arguments)
        .current_dir(folder)
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn spin_replays_our_trails_of_its_own_examples_where_it_is_installed() {
    let Some(models) = program::bench_folder("promela/spin/Examples") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (model, trail) = (folder.path().join("m.pml"), folder.path().join("m.pml.trail"));
    for name in [
        "abp",
        "LTL/leader",
        "LTL/mobile2",
        "LTL/zune",
        "leader0",
        "rtos1",
        "manna_pnueli",
    ] {
        let text = std::fs::read(models.join(format!("{name}.pml"))).expect("an example of SPIN");
        std::fs::write(&model, text).expect("a writable folder");
        let run = Program::new()
            .arg("simulate")
            .arg(&model)
            .args(["--steps", "150", "--trace"])
            .arg(&trail)
            .run();
        assert!(run.status <= 1, "{name}: {}", run.stderr);
        let written = std::fs::read_to_string(&trail).expect("the trail was written");
        let last = written
            .lines()
            .last()
            .and_then(|line| line.split(':').next())
            .unwrap_or_default();
        let Some(shown) = spin(folder.path(), &["-t", "m.pml"]) else {
            return;
        };
        assert!(
            shown.contains(&format!("trail ends after {last} steps")),
            "{name}: {shown}"
        );
    }
}

#[test]
fn trails_that_pan_wrote_are_followed() {
    // `spin -a; gcc; ./pan` on FAILING with its formula as the claim, and on the same text without it.
    let model = text_file(FAILING, ".pml");
    let with_claim = "-2:2:-2 -4:-4:-4 1:0:22 2:1:0 3:0:22 4:1:1 5:2:12 6:0:22 7:2:13 8:0:22 9:1:2 10:0:22 11:1:0 12:0:22 13:1:1 14:2:12 15:0:22 16:2:13 17:0:22 18:1:2 19:0:22 20:1:0 21:0:22 22:1:1 23:2:12 24:0:22 25:2:13";
    let without = "-4:-4:-4 1:0:0 2:0:1 3:1:12 4:1:13 5:0:2 6:0:0 7:0:1 8:1:12 9:1:13 10:0:2 11:0:0 12:0:1 13:1:12 14:1:13";
    for lines in [with_claim, without] {
        let text = lines.replace(' ', "\n");
        let trail = text_file(&text, ".trail");
        let run = Program::new()
            .arg("simulate")
            .arg(&model)
            .arg("--trail")
            .arg(&trail)
            .run();
        assert!(
            run.stdout.contains("error: assertion violated: q(1)"),
            "{} {}",
            run.stdout,
            run.stderr
        );
    }
}

const CONVERSATION: &str = "mtype = { data, stop };
chan line = [2] of { mtype, byte };
chan ready = [0] of { byte };
active proctype sender() { ready?0; line!data,7; line!stop,0 }
active proctype receiver() { byte got; ready!0; line?data,got; assert(got == 8) }
";

#[test]
fn a_chart_has_an_arrow_from_where_a_message_is_sent_to_where_it_is_received() {
    let model = text_file(CONVERSATION, ".pml");
    let run = Program::check(&model).args(["--msc", "--property", "1"]).run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    let rows = |text: &str| run.stdout.lines().any(|line| line.contains(text));
    assert!(rows("◀─") && rows("ready 0"), "{}", run.stdout);
    assert!(rows("○ line data,7"), "{}", run.stdout);
    assert!(rows("line data,7──▶") || rows("line data,7─▶"), "{}", run.stdout);
}

#[test]
fn the_html_report_shows_the_chart_the_steps_and_the_text() {
    let model = text_file(CONVERSATION, ".pml");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = folder.path().join("report.html");
    let run = Program::check(&model).arg("--report").arg(&page).run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    let html = std::fs::read_to_string(&page).expect("the report was written");
    for part in [
        "<svg class=\"sequence\"",
        ">sender(0)</text>",
        "class=\"message\"",
        "line data,7</text>",
        "assertion violated",
        // Steps lead to their lines, and lines say which steps they do.
        r#""place":{"text":"line 5","source":0,"line":5}"#,
        r#"[5,"steps 1, 3, 4"]"#,
        "chan line = [2] of { mtype, byte };",
    ] {
        assert!(html.contains(part), "{part}");
    }
}

#[test]
fn whoever_walks_step_by_step_sees_what_each_step_does() {
    let model = text_file(
        "byte x; active proctype p() { x = 1; x = 2; if :: x = 3 :: x = 4 fi; x = x + 5 }",
        ".pml",
    );
    let run = Program::new()
        .arg("simulate")
        .arg(&model)
        .input("g\np\n2\nb 2\nr 9\nnonsense\nr x\nq\n")
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    for line in [
        // On to the choice, which is then shown.
        "\n       2  p(0)  line 1  x = 2  x = 2\nstep 2   p(0) at line 1: if :: x = 3 :: x = 4 fi, x = 2\n    1  p(0)  line 1  x = 3\n    2  p(0)  line 1  x = 4\n",
        "\n  p(0) at line 1: if :: x = 3 :: x = 4 fi\n  x = 2\n",
        "\n       3  p(0)  line 1  x = 4  x = 4\n",
        // Back behind the first step, and on to the end.
        "\nstep 1   p(0) at line 1: x = 2, x = 1\n    1  p(0)  line 1  x = 2\n",
        "(the process ends)",
        "valid end state",
        "r N: N random ones",
    ] {
        assert!(run.stdout.contains(line), "{line:?} in {}", run.stdout);
    }
}
