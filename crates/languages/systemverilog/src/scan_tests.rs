use crate::{Claim, Design, Timing, read};
use entail_logic::{Assertion, Guard, Sequence};
use entail_source::Source;
fn design(text: &str) -> Design {
    read(&Source::new("design.sv", text)).expect("a design")
}

#[test]
fn an_assertion_becomes_wires_on_its_line() {
    let design = design(
        "module m(input clk, a, b);\n  p: assert property (@(posedge clk)\n    a |=> b[*2]);\nendmodule\n",
    );
    let check = &design.checks[0];
    assert_eq!((check.name.as_str(), check.atoms), ("p", 2));
    assert_eq!(check.clocks, ["posedge clk"]);
    assert!(
        design.text.contains("wire \\entail$p0$a0 = |( a);"),
        "{}",
        design.text
    );
    assert_eq!(design.text.lines().count(), 4);
    assert!(
        design
            .text
            .lines()
            .nth(1)
            .is_some_and(|line| line.contains("entail$p0$here"))
    );
    assert_eq!(design.roots, ["m"]);
    let assertion = design.assertion(0, Timing::Ticks, &|_| None).expect("a property");
    assert!(format!("{assertion:?}").contains("Implication"));
}

#[test]
fn what_the_elaborator_reads_itself_is_left_to_it() {
    let plain = |text: &str| design(text).plain;
    assert!(plain("module m; endmodule"));
    assert!(plain(
        "module m(input a); always @(posedge c) p: assert (a && !b); endmodule"
    ));
    assert!(!plain(
        "module m(input a); always @* assert (a) else $error(); endmodule"
    ));
    assert!(!plain("module m(input a); assert property (a); endmodule"));
}

#[test]
fn past_values_have_the_signs_of_expressions_and_clocks_are_known() {
    let design = design("module m; assert property (@(posedge clk) $past(a) < 0); endmodule");
    let text = &design.text;
    assert!(
        text.contains("(1'b1 ? $signed(\\entail$p0$r0 ) : ( a))"),
        "{text}"
    );
    assert!(text.contains("wire \\entail$p0$clock0 = clk;"), "{text}");
    assert_eq!(design.clock_of("u.entail$p0$clock0"), Some(true));
    assert_eq!(design.clock_of("u.entail$p0$a0"), None);
}

#[test]
fn a_delay_by_a_parameter_is_asked_back() {
    let design = design("module m; parameter N = 3; p: assert property (a ##N b); endmodule");
    assert!(
        design.text.contains("wire [31:0] \\entail$p0$b0 =  N;"),
        "{}",
        design.text
    );
    assert!(design.assertion(0, Timing::Ticks, &|_| None).is_err());
    assert!(design.assertion(0, Timing::Ticks, &|_| Some(3)).is_ok());
}

#[test]
fn what_is_not_understood_is_an_error_at_its_place() {
    for (text, wrong) in [
        ("module m; assert property (a ##1); endmodule", ")"),
        ("module m; assert property (a |-> (b, v = 1)); endmodule", ","),
        (
            "module m; always @* if (a) assert property (b); endmodule",
            "assert",
        ),
        (
            "module m; always @(posedge c) begin a = d; if (a) assert property (b); end endmodule",
            "assert",
        ),
        (
            "module m; always @(posedge c) casez (a) 0: assert property (b); endcase endmodule",
            "assert",
        ),
        (
            "module m; always @(posedge c) if (a) assert property (@(posedge d) b); endmodule",
            "@",
        ),
        (
            "module m; assert property (@(posedge c) $past(a, 1, , @(posedge d))); endmodule",
            "@",
        ),
        (
            "module m; assert property (@(posedge c) $past(a, 1, b, , d)); endmodule",
            "d",
        ),
        (
            "module m; assert property (@(posedge c) a ##2 @(posedge d) b); endmodule",
            "@",
        ),
        ("module m; assert property (a[*3:1]); endmodule", ""),
        (
            "module m; assert property (@(posedge c or posedge d) a); endmodule",
            "assert",
        ),
    ] {
        let source = Source::new("design.sv", text);
        let problems = match read(&source) {
            Err(problems) => problems,
            Ok(design) => match (
                &design.checks[0].problem,
                design.assertion(0, Timing::Ticks, &|_| None),
            ) {
                (Some(problem), _) => problem.clone().into(),
                (None, Err(problem)) => problem.into(),
                (None, Ok(_)) => panic!("{text} is read"),
            },
        };
        let at = problems.0[0].span();
        assert!(
            wrong.is_empty() || text[at.start..].starts_with(wrong) || at.start > 20,
            "{text}: {at:?}"
        );
    }
}

#[test]
fn what_is_not_read_leaves_the_other_checks_alone() {
    let text = "module m; p: assert property (@(posedge c or posedge d) a); q: assert property (@(posedge c) b); endmodule";
    let design = design(text);
    assert!(design.checks[0].problem.is_some() && design.checks[1].problem.is_none());
    assert!(!design.text.contains("entail$p0"), "{}", design.text);
    // An assumption that is left out would make failures of others worthless.
    let text = "module m; p: assume property (@(posedge c or posedge d) a); endmodule";
    assert!(read(&Source::new("design.sv", text)).is_err());
}

#[test]
fn clocks_are_atoms_where_letters_are_steps() {
    let design = design(
        "module m; p: assert property (@(posedge c) a |=> @(posedge d) b); q: assert property (@(posedge c iff e) a); endmodule",
    );
    assert_eq!(design.checks[0].clocks, ["posedge c", "posedge d"]);
    assert!(
        design.text.contains("wire \\entail$p1$gate0 = |(e);"),
        "{}",
        design.text
    );
    let text = |check: usize, timing: Timing| {
        let assertion = design.assertion(check, timing, &|_| None).expect("a property");
        format!("{assertion:?}")
    };
    assert!(!text(0, Timing::Ticks).contains("Atom(2)"));
    let edges = text(0, Timing::Edges);
    assert!(edges.contains("Atom(2)") && edges.contains("Atom(3)"), "{edges}");
    assert!(text(1, Timing::Ticks).contains("Atom(1)"));
}

#[test]
fn names_come_from_labels_blocks_and_numbers() {
    let design = design(
        "module m(input a); assume property (a); assert final (a); initial begin : blk q: assert (a); cover (a); end\nalways assert old: a; endmodule",
    );
    let names: Vec<&str> = design.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(
        names,
        ["assume.1", "assert.2", "blk.q", "blk.cover.3", "property.old"]
    );
    assert!(
        design.text.contains("entail_immediate_2: assert"),
        "{}",
        design.text
    );
}

#[test]
fn named_properties_are_put_in_with_their_arguments() {
    let design = design(
        "module m; sequence s(x, y = 2); x[*y]; endsequence property p(z); @(posedge clk) disable iff (r) s(z) |-> ok; endproperty\nassert property (p(a && b)); endmodule",
    );
    assert!(!design.text.contains("endproperty"));
    assert_eq!(design.checks[0].atoms, 3);
    assert!(design.text.contains("a && b"), "{}", design.text);
    assert!(matches!(
        design
            .assertion(0, Timing::Ticks, &|_| None)
            .map(|meaning| meaning.claim),
        Ok(Claim::Linear(Assertion::Until { .. }))
    ));
}

#[test]
fn conditions_of_a_procedure_are_conditions_of_its_properties() {
    let reached = "module m; always @(posedge c or negedge r) if (!r) q <= 0; else if (a) begin p: assert property (b |=> d); end endmodule";
    let design = design(reached);
    assert!(
        design.checks[0].problem.is_none(),
        "{:?}",
        design.checks[0].problem
    );
    assert_eq!(design.checks[0].clocks, ["posedge c"]);
    // `b`, `d`, then the conditions: `!r` is false and `a` true.
    let Ok(meaning) = design.assertion(0, Timing::Ticks, &|_| None) else {
        panic!("it is read");
    };
    let Claim::Linear(Assertion::Until { left, .. }) = meaning.claim else {
        panic!("always");
    };
    let Assertion::Implication { antecedent, .. } = &*left else {
        panic!("where it is reached");
    };
    let atom = |number: usize| Guard::Atom(number);
    let expected = atom(2).negated().and(&atom(3));
    assert_eq!(**antecedent, Sequence::Guard(expected));
}

#[test]
fn a_gate_holds_past_values_back() {
    let design = design("module m; assert property (@(posedge c) $past(a, 2, b) == a); endmodule");
    let text = &design.text;
    assert_eq!(text.matches("always @(posedge c ) if ( b)").count(), 2, "{text}");
    let same = super::read(&Source::new(
        "design.sv",
        "module m; assert property (@(posedge c) $past(a, , , @(posedge c)) == a); endmodule",
    ));
    assert!(same.is_ok_and(|design| design.checks[0].problem.is_none()));
}

#[test]
fn rounds_that_assign_are_written_out() {
    let read = |body: &str| {
        let text = format!(
            "module m; property p; logic v; {body} |-> v; endproperty assert property (p); endmodule"
        );
        design(&text)
    };
    let numbers = |body: &str| read(body).checks[0].locals.len();
    // One number before, one for each round; and one for all endings, where there are several.
    assert_eq!(numbers("(a, v = d) ##1 (b, v = v & d)[*3]"), 4);
    assert_eq!(numbers("(a, v = d) ##1 (b, v = v & d)[*1:3]"), 5);
    // Without an end, or where it may be left out, it stays a repetition.
    assert_eq!(numbers("(a, v = d) ##1 (b, v = v & d)[*1:$]"), 2);
    assert_eq!(numbers("(a, v = d) ##1 (b, v = v & d)[*0:3]"), 2);
}

#[test]
fn distributions_are_sets_and_no_bit_is_unknown() {
    let design =
        design("module m; assert property (a + 1 dist {0 := 3, [2:b] :/ 1} |-> !$isunknown(c)); endmodule");
    let text = design.text.replace(' ', "");
    let set = "((a+1)==(0))||((a+1)>=(2)&&(a+1)<=(b))";
    assert!(text.contains(set), "{text}");
    assert!(text.contains("(1'b0&(|(c)))"), "{text}");
    let wrong = super::read(&Source::new(
        "design.sv",
        "module m; assume property (a dist b); endmodule",
    ));
    assert!(wrong.is_err());
}
