use crate::{Claim, Design, Directive, Surroundings, Timing, read_with};
use entail_logic::{Assertion, Guard, Sequence};
use entail_source::{Diagnostics, Source, Span};

const DESIGN: &str = "module top (input clk, input a, input b, input [3:0] d);\nendmodule\n";

fn read(psl: &str) -> Result<Design, Diagnostics> {
    let files = [Source::new("top.sv", DESIGN), Source::new("top.psl", psl)];
    let source = Source::joined("top.sv", files);
    let end = DESIGN.len();
    let file = Span::new(end, source.text().len());
    let around = Surroundings {
        defines: Vec::new(),
        include: &|_, _| None,
    };
    read_with(&source, end, &[file], None, &around)
}

fn unit(items: &str) -> Result<Design, Diagnostics> {
    read(&format!(
        "vunit u (top) {{ default clock = (posedge clk);\n{items} }}"
    ))
}

/// What the only check of a unit says.
fn meaning(items: &str) -> Assertion<usize> {
    let design = unit(items).unwrap_or_else(|problems| panic!("{items}: {problems}"));
    let read = design.assertion(0, Timing::Ticks, &|_| None);
    match read.unwrap_or_else(|problem| panic!("{items}: {problem}")).claim {
        Claim::Linear(assertion) => assertion,
        Claim::Branching(formula) => panic!("{items}: {formula:?}"),
    }
}

/// The expressions that the elaborator gets, in order.
fn atoms(items: &str) -> Vec<String> {
    let design = unit(items).unwrap_or_else(|problems| panic!("{items}: {problems}"));
    let parts = design.text.split("(* keep *) wire \\entail$p0$a").skip(1);
    let atom = |part: &str| {
        part.split_once("= |(")
            .map(|(_, rest)| rest.split(");").next().unwrap_or("").replace(' ', ""))
    };
    parts.filter_map(atom).collect()
}

#[test]
fn directives_become_checks_of_the_module() {
    let design = unit(
        "no_b: assert always (a -> next b);\nassume never {a; b};\ncover {a; b[*2]; a};\nrestrict {a; b[*]};\nfairness a;",
    )
    .expect("units");
    let known: Vec<(&str, Directive)> = (design.checks.iter())
        .map(|check| (check.name.as_str(), check.directive))
        .collect();
    assert_eq!(
        known,
        [
            ("u.no_b", Directive::Assert),
            ("u.assume.1", Directive::Assume),
            ("u.cover.2", Directive::Cover),
            ("u.restrict.3", Directive::Assume),
            ("u.fairness.4", Directive::Assume),
        ]
    );
    assert!(design.checks.iter().all(|check| check.module == "top"));
    // The lines of the design are where they were, and the units are gone.
    assert!(design.text.starts_with("module top (input clk"));
    assert!(
        design
            .text
            .lines()
            .nth(1)
            .is_some_and(|line| line.contains("entail$p0$a0") && line.ends_with("endmodule"))
    );
    assert!(!design.text.contains("vunit"));
    assert_eq!(design.checks[0].text, "no_b: assert always (a -> next b)");
}

#[test]
fn a_property_is_asked_once_and_a_cover_at_every_time() {
    let guard = |number: usize| Assertion::guard(Guard::Atom(number));
    assert_eq!(meaning("assert a;"), guard(0));
    assert_eq!(meaning("assert always a;"), guard(0).always());
    let matched = Assertion::Sequence {
        sequence: std::sync::Arc::new(Sequence::Guard(Guard::Atom(0))),
        strong: true,
    };
    assert_eq!(meaning("cover {a};"), matched.eventually());
}

#[test]
fn expressions_are_verilogs() {
    assert_eq!(atoms("assert always (d & 4'hC);"), ["(d&4'hC)"]);
    assert_eq!(atoms("assert always (d & 4'hC) -> a | b;"), ["(d&4'hC)", "a|b"]);
    assert_eq!(atoms("assert always a && b ? b : a;"), ["a&&b?b:a"]);
    assert_eq!(atoms("assert always {a, b} == 2'b01;"), ["{a,b}==2'b01"]);
    assert_eq!(atoms("assert always (d == {2{a}});"), ["(d=={2{a}})"]);
    assert_eq!(
        atoms("assert always {a && b[*2]; a} |-> b;"),
        ["a", "b", "a", "b"]
    );
    assert_eq!(atoms("assert always a && next b;"), ["a", "b"]);
    assert_eq!(atoms("assert always d[2] || |d;"), ["d[2]|||d"]);
    assert_eq!(atoms("assert always rose(a) -> prev(d, 2) == d;").len(), 2);
    for text in [
        "assert always {a | b[*2]};",
        "assert always a ? b : a && next b;",
        "assert always d & a & {b; a};",
    ] {
        let problem = unit(text).expect_err(text);
        assert!(
            problem.to_string().contains("brackets are needed"),
            "{text}: {problem}"
        );
    }
}

#[test]
fn names_stand_for_their_bodies() {
    let written = "assert always {a; b; a && b} |-> (next (a -> b));";
    let named = "sequence s (boolean x, y) = {x; y; x && y};\nproperty p (boolean x; property q) = next (x -> q);\nassert always s(a, b) |-> p(a, b);";
    assert_eq!(atoms(named).len(), atoms(written).len());
    assert_eq!(format!("{:?}", meaning(named)), format!("{:?}", meaning(written)));
    let read = unit("sequence s = {a; s};\nassert s;").expect_err("a circle");
    assert!(read.to_string().contains("refers to itself"), "{read}");
    let read = unit("sequence s (boolean x) = {x};\nassert s;").expect_err("no argument");
    assert!(read.to_string().contains("arguments"), "{read}");
}

#[test]
fn units_inherit_names_clocks_and_directives() {
    let base = "vunit base { default clock = (posedge clk); sequence s = {a; b}; never_both: assert never (a && b); }\n";
    let design = read(&format!(
        "{base}vunit u (top) {{ inherit base; assert always s |=> a; }}"
    ))
    .expect("units");
    let names: Vec<&str> = design.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, ["u.assert.1", "base.never_both"]);
    assert!(design.checks.iter().all(|check| check.clocks == ["posedge clk"]));
    // A unit that nobody inherits is about the only root.
    assert_eq!(read(base).expect("a unit").checks.len(), 1);
    for (wrong, said) in [
        ("vunit u (top) { inherit other; }", "there is no unit `other`"),
        ("vunit u (tob) { assert a; }", "there is no module `tob`"),
        ("vunit u (top) { } vunit u (top) { }", "two units"),
    ] {
        let problem = read(wrong).expect_err(wrong).to_string();
        assert!(problem.contains(said), "{problem}");
    }
}

#[test]
fn end_points_and_replicated_names_have_wires() {
    let design = unit("endpoint e = {a; b};\nassert always e -> a;").expect("a unit");
    let read = design.assertion(0, Timing::Ticks, &|_| None).expect("a property");
    assert_eq!(read.ends.len(), 1);
    assert!(design.text.contains("wire \\entail$p0$t0 ;"), "{}", design.text);
    let design = unit("assert forall i in {0:7}: always (d == i -> next d != i);").expect("a unit");
    assert_eq!(design.checks[0].replicated, ["i"]);
    assert!(design.text.contains("d == \\entail$p0$f0 "), "{}", design.text);
    let problem = unit("assume forall i in {0:7}: always d != i;").expect_err("an assumption");
    assert!(problem.to_string().contains("`forall`"), "{problem}");
}

#[test]
fn wrong_text_has_a_place_in_the_file() {
    for (text, at, said) in [
        ("assert always (a -> ;", "(", "is not closed"),
        ("assert always {a; };", "}", "expression is expected"),
        ("output x;", "output", "no ports"),
        ("property p is always a;", "is", "VHDL"),
        ("%for i in 0..3 do", "%", "`%end`"),
        ("assert always nondet(a);", "nondet", "values in braces"),
        (
            "assert always nondet_vector(2, {0:1});",
            "nondet_vector",
            "not read",
        ),
        ("assert always {a[*3:1]};", "3", "is empty"),
        ("nothing at all;", "nothing", "is expected"),
        ("assert ;", "assert", "says nothing"),
        ("assert always {a}@(posedge clk)(b);", "", ""),
    ] {
        let whole = format!("vunit u (top) {{ {text} }}");
        let Err(problems) = read(&whole) else {
            let design = read(&whole).expect("read");
            let problem = design.checks[0].problem.as_ref();
            assert!(
                said.is_empty() || problem.is_some_and(|one| one.message.contains(said)),
                "{text}"
            );
            continue;
        };
        let first = &problems.0[0];
        assert!(
            said.is_empty() || first.message.contains(said),
            "{text}: {problems}"
        );
        assert!(first.span().start >= DESIGN.len(), "{text}: {:?}", first.span());
        let slice =
            &whole[first.span().start - DESIGN.len()..(first.span().end - DESIGN.len()).min(whole.len())];
        assert!(at.is_empty() || slice.starts_with(&at[..1]), "{text}: `{slice}`");
    }
    for wrong in [
        "vmode u (top) { assert a; }",
        "vprop u (top) { assume a; }",
        "vpkg p { }",
        "assert a;",
        "vunit u (top.x) { }",
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn names_that_are_given_here_are_refused() {
    let source = Source::new("top.sv", "module top;\n  wire \\entail$p0$a0 = 1;\nendmodule\n");
    let problems = crate::read(&source).expect_err("a reserved name");
    assert_eq!(source.place(problems.0[0].span().start).line, 2);
}

#[test]
fn damaged_files_are_read_or_refused() {
    let text = "vunit u (top) { default clock = (posedge clk); sequence s (boolean x) = {x; b[*1:3]; a};\nl: assert always s(a) |=> (a until! b) abort d[0] report \"no\"; cover {a; ended({b; a})}; fairness a; strong fairness a, b; assert forall i in {0:3}: never d == i; wire w = a; reg [1:0] r; always @(posedge clk) begin if (a) r <= 0; else case (b) 0: r <= 1; default: r <= 2; endcase end function f; input x; f = x; endfunction assert always nondet({0, 2:3}) == 0; }";
    assert!(read(text).is_ok(), "{:?}", read(text).err());
    for cut in (0..text.len()).step_by(3) {
        for length in [1, 4, 17] {
            let end = (cut + length).min(text.len());
            let _ = read(&format!("{}{}", &text[..cut], &text[end..]));
            let _ = read(&format!("{}{}{}", &text[..end], &text[cut..end], &text[end..]));
        }
    }
}

#[test]
fn replicated_text_is_as_if_it_were_written_out() {
    let names = |items: &str| -> Vec<String> {
        let design = unit(items).unwrap_or_else(|problems| panic!("{items}: {problems}"));
        design.checks.iter().map(|check| check.name.clone()).collect()
    };
    assert_eq!(
        names("%for i in 0..2 do p%{i}: assert always d[i]; %end"),
        ["u.p0", "u.p1", "u.p2"]
    );
    assert_eq!(
        names("%for i in {b, a} do %{i}_up: assert always i; %end"),
        ["u.b_up", "u.a_up"]
    );
    assert_eq!(
        names(
            "%for i in 3:1 do %if i % 2 == 1 %then odd%{2*i+1}: cover {d[i]}; %else even%{i}: cover {d[i]}; %end %end"
        ),
        ["u.odd7", "u.even2", "u.odd3"]
    );
    assert_eq!(
        atoms("assert always ({a; %for i in 0 to 1 do d[i] && %end b} |=> {b});"),
        ["a", "d[0]&&d[1]&&b", "b"]
    );
    for (items, said) in [
        ("%for i in 0..2 do assert always a;", "`%end`"),
        ("%for i 0..2 do assert always a; %end", "values"),
        ("%for i in x..2 do assert always a; %end", "numbers"),
        ("%for i in 0..2 assert always a; %end", "`do`"),
        ("%if 1 assert always a; %end", "`%then`"),
        ("assert always a; %end", "belongs"),
        ("%for i in 0..99999999 do assert always a; %end", "too long"),
    ] {
        let problems = unit(items).expect_err(items);
        assert!(problems.to_string().contains(said), "{items}: {problems}");
    }
    // What is wrong in a copy stands where it is written.
    let problems = unit("%for i in 0..2 do assert always d[i] until; %end").expect_err("until what");
    assert!(problems.0[0].span().start > DESIGN.len());
}

#[test]
fn what_a_unit_declares_becomes_part_of_the_module() {
    let design = unit(
        "wire [1:0] w = d[1:0];\nreg s; initial s = 0;\nalways @(posedge clk) begin if (a) s <= b; else case (d) 0: s <= 1; default: ; endcase end\nfunction f; input x; f = !x; endfunction\np: assert always (s -> f(w[0]));",
    )
    .expect("a unit");
    let lines: Vec<&str> = design.text.lines().collect();
    assert_eq!(lines.len(), DESIGN.lines().count() + 6, "{}", design.text);
    for part in [
        "wire [ 1 : 0 ] w = d [ 1 : 0 ] ;",
        "default : ; endcase end",
        "endfunction (* keep *)",
    ] {
        assert!(lines[1].contains(part), "{}", lines[1]);
    }
    assert!(lines[1].ends_with("endmodule") && design.checks.len() == 1);
    let design = unit("assert always (nondet({0, 2:3}) == d);").expect("a unit");
    assert!(
        design.text.contains("wire [31:0] \\entail$p0$n0 ;"),
        "{}",
        design.text
    );
}

#[test]
fn a_unit_may_be_bound_to_an_instance() {
    let text = "module leaf (input clk, a); endmodule\nmodule top (input clk, a, b); leaf #(.N(1)) u (clk, a), v [1:0] (clk, b); if (1) begin: g leaf w (clk, b); end endmodule\n";
    let read = |psl: &str| {
        let files = [Source::new("top.sv", text), Source::new("top.psl", psl)];
        let source = Source::joined("top.sv", files);
        let around = Surroundings {
            defines: Vec::new(),
            include: &|_, _| None,
        };
        let file = Span::new(text.len(), source.text().len());
        read_with(&source, text.len(), &[file], None, &around)
    };
    for (path, prefix) in [("top.u", "u."), ("top.v[1]", "v[1]."), ("top.g.w", "g.w.")] {
        let design = read(&format!("vunit x ({path}) {{ assert always a; }}")).expect("a unit");
        assert_eq!(design.checks[0].only.as_deref(), Some(prefix));
        assert_eq!(design.checks[0].module, "leaf");
    }
    for (path, said) in [("leaf.u", "not the top module"), ("top.x", "no instance `x`")] {
        let problems = read(&format!("vunit x ({path}) {{ assert always a; }}")).expect_err("no instance");
        assert!(problems.0[0].message.contains(said), "{problems}");
    }
}
