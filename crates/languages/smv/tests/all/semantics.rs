//! What models mean: small systems enumerated from the definition.

use crate::support;
use entail_logic::Question;
use support::{graph, read, successors};

#[test]
fn sets_on_the_right_of_an_assignment_are_choices() {
    let model = read(
        "MODULE main
         VAR x : 0..3; c : boolean;
         ASSIGN init(x) := {0, 2}; next(x) := case c : 1..2; x = 3 : {x, 0}; TRUE : x; esac;
         INIT c; TRANS next(c) = c;",
    );
    let graph = graph(&model.system, &[]);
    assert_eq!(graph.initial, ["0 TRUE", "2 TRUE"]);
    assert_eq!(successors(&graph, "0 TRUE"), ["1 TRUE", "2 TRUE"]);
    assert_eq!(successors(&graph, "3 FALSE"), ["0 FALSE", "3 FALSE"]);
    assert_eq!(successors(&graph, "2 FALSE"), ["2 FALSE"]);
}

#[test]
fn what_is_not_assigned_floats_and_what_is_frozen_stays() {
    let model = read("MODULE main VAR x : 0..1; FROZENVAR f : 0..1;");
    let graph = graph(&model.system, &[]);
    assert_eq!(graph.initial.len(), 4);
    assert_eq!(successors(&graph, "0 1"), ["0 1", "1 1"]);
}

#[test]
fn a_process_changes_only_what_it_assigns_and_the_rest_keeps_its_value() {
    let model = read(
        "MODULE main
         VAR x : 0..2; free : boolean; p : process up(x); q : process zero(x);
         MODULE up(y) VAR t : boolean; ASSIGN next(y) := (y + 1) mod 3; next(t) := !t; FAIRNESS running
         MODULE zero(y) ASSIGN next(y) := 0; FAIRNESS running",
    );
    assert_eq!(model.system.justice.len(), 2);
    let graph = graph(&model.system, &["x", "p.t"]);
    // main runs: nothing changes; p runs: both change; q runs: x becomes 0.
    assert_eq!(successors(&graph, "1 TRUE"), ["0 TRUE", "1 TRUE", "2 FALSE"]);
}

#[test]
fn instances_see_their_parameters_and_may_assign_them() {
    let model = read(
        "MODULE main VAR x : 0..3; p : inc(x, 2); q : watcher(self);
         MODULE inc(v, by) ASSIGN init(v) := by - 1; next(v) := (v + by) mod 4;
         MODULE watcher(top) DEFINE high := top.x > 1; INVARSPEC NAME low := !high;",
    );
    let graph = graph(&model.system, &[]);
    assert_eq!(graph.initial, ["1"]);
    assert_eq!(successors(&graph, "1"), ["3"]);
    let property = &model.properties[0];
    assert_eq!(property.name.as_deref(), Some("q.low"));
    assert_eq!(property.text, "!high IN q");
}

#[test]
fn a_name_declared_beside_an_instance_belongs_to_it() {
    let model = read(
        "MODULE main VAR u : user; DEFINE u.ack := u.req;
         MODULE user VAR req : boolean; ASSIGN init(req) := FALSE; next(req) := !ack;",
    );
    let graph = graph(&model.system, &[]);
    assert_eq!(
        graph.steps,
        [
            ("FALSE".to_string(), "TRUE".to_string()),
            ("TRUE".to_string(), "FALSE".to_string())
        ]
    );
}

#[test]
fn arrays_are_element_variables_with_dynamic_indices() {
    let model = read(
        "MODULE main
         VAR a : array 0..1 of 0..1; i : 0..1;
         ASSIGN next(a[0]) := a[i]; next(a[1]) := a[1]; next(i) := i;
         DEFINE table := [[1, 0], [0, 1]];
         INVARSPEC table[i][1 - i] = 0;",
    );
    let names: Vec<&str> = model
        .system
        .variables()
        .iter()
        .map(|variable| &*variable.name)
        .collect();
    assert_eq!(names, ["a[0]", "a[1]", "i"]);
    let graph = graph(&model.system, &[]);
    assert_eq!(successors(&graph, "0 1 1"), ["1 1 1"]);
    let Question::Invariant(atom) = model.properties[0].question else {
        panic!("an invariant")
    };
    assert_eq!(model.system.terms.as_truth(atom), None);
}

#[test]
fn assignments_to_the_current_value_hold_in_every_state() {
    let model =
        read("MODULE main VAR x : 0..3; even : boolean; ASSIGN even := x mod 2 = 0; next(x) := 3 - x;");
    let graph = graph(&model.system, &[]);
    assert_eq!(graph.initial.len(), 4);
    assert_eq!(successors(&graph, "1 FALSE"), ["2 TRUE"]);
}

#[test]
fn precedences_are_those_of_nusmv() {
    // Each pair must be the same term.
    let pairs = [
        ("!a = b", "(!a) = b"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a <-> b -> c", "(a <-> b) -> c"),
        ("a | b xor c | b", "((a | b) xor c) | b"),
        ("a | b & c", "a | (b & c)"),
        ("a & b ? c : a | b -> c", "((a & b) ? c : (a | b)) -> c"),
        ("a ? b : c ? a : b", "a ? b : (c ? a : b)"),
        ("x + 1 * 2 = 3 & a", "((x + (1 * 2)) = 3) & a"),
        ("x in {1, 2} = a", "(x in {1, 2}) = a"),
        ("x = 1 = a", "(x = 1) = a"),
        ("-x mod 2 = 1", "((-x) mod 2) = 1"),
        ("x - 1 - 1 = 0", "((x - 1) - 1) = 0"),
        ("x in 1 union 2 union 3", "x in ((1 union 2) union 3)"),
        ("w << 1 + 1 = w", "(w << (1 + 1)) = w"),
        ("w :: w * w :: w = w :: w", "((w :: w) * (w :: w)) = (w :: w)"),
        ("w[1:0] :: w[2:2] = w", "((w[1:0]) :: (w[2:2])) = w"),
        ("a xnor b xor c", "(a xnor b) xor c"),
    ];
    for (left, right) in pairs {
        let declare = "MODULE main VAR a : boolean; b : boolean; c : boolean; x : 0..3; w : word[3];";
        let model = read(&format!("{declare} INVARSPEC {left} INVARSPEC {right}"));
        assert_eq!(
            model.properties[0].question, model.properties[1].question,
            "{left} is not read as {right}"
        );
    }
}

#[test]
fn temporal_operators_bind_as_in_nusmv() {
    let pairs = [
        ("LTLSPEC", "G a = b", "G (a = b)"),
        ("LTLSPEC", "!G a = b", "!(G (a = b))"),
        ("LTLSPEC", "G a & b", "(G a) & b"),
        ("LTLSPEC", "a U b U c", "(a U b) U c"),
        ("LTLSPEC", "a & b U c", "a & (b U c)"),
        ("LTLSPEC", "G a U X b", "(G a) U (X b)"),
        ("LTLSPEC", "F [1,2] a | b", "(F [1,2] a) | b"),
        ("SPEC", "A [a -> b U c]", "A [(a -> b) U c]"),
        ("SPEC", "AG a -> AF b", "(AG a) -> (AF b)"),
        ("SPEC", "! EF a", "!(EF a)"),
        ("SPEC", "EBF 1..2 a & b", "(EBF 1..2 a) & b"),
    ];
    for (section, left, right) in pairs {
        let declare = "MODULE main VAR a : boolean; b : boolean; c : boolean;";
        let model = read(&format!("{declare} {section} {left} {section} {right}"));
        assert_eq!(
            model.properties[0].question, model.properties[1].question,
            "{left} is not read as {right}"
        );
    }
}

#[test]
fn words_compute_as_in_nusmv() {
    let truths = [
        "-7 / 4 = -1",
        "-7 mod 4 = -3",
        "7 mod -4 = 3",
        "0sd4_7 / -0sd4_2 = -0sd4_3",
        "-0sd4_7 mod 0sd4_4 = -0sd4_3",
        "-0sd4_7 >> 1 = -0sd4_4",
        "-0ud4_3 = 0ud4_13",
        "0ud4_3 - 0ud4_4 = 0ud4_15",
        "!0ud4_3 = 0ud4_12",
        "0sd4_7 + 0sd4_1 = -0sd4_8",
        "0ud4_8 >> 4 = 0ud4_0",
        "extend(0sb2_10, 2) = 0sb4_1110",
        "resize(0sb4_1001, 2) = 0sb2_11",
        "resize(0ub4_1010, 2) = 0ub2_10",
        "resize(0sb4_1010, 6) = 0sb6_111010",
        "sizeof(0ub4_1010) = 4",
        "signed(0ub4_1010) = -0sd4_6",
        "swconst(-3, 4) = -0sd4_3",
        "uwconst(-3, 4) = 0ud4_13",
        "toint(0sb4_1010) = -6",
        "0b2_10 :: 0b1_1 = 0b3_101",
        "0b3_101[0:0] = 0b1_1",
        "(0ub2_10 -> 0ub2_01) = 0ub2_01",
        "(0ub2_10 <-> 0ub2_01) = 0ub2_00",
        "bool(2) & !bool(0) & bool(0ub1_1) & bool(TRUE)",
        "count(TRUE, FALSE, TRUE) = 2",
        "{1, 2} in {1, 2, 3}",
        "!({1, 4} in {1, 2, 3})",
    ];
    for truth in truths {
        let model = read(&format!("MODULE main INVARSPEC {truth}"));
        let Question::Invariant(atom) = model.properties[0].question else {
            panic!("an invariant")
        };
        assert_eq!(model.system.terms.as_truth(atom), Some(true), "{truth}");
    }
}

#[test]
fn impossible_failures_leave_no_trace() {
    for text in [
        "ASSIGN next(x) := case x < 3 : x + 1; TRUE : 0; esac;",
        "ASSIGN next(x) := case y != 0 : x / y; TRUE : 0; esac;",
        "INVARSPEC y = 0 | x / y = 1",
        "INVARSPEC x / y = 1 -> y = 0",
        "INVARSPEC case y = 0 : TRUE; y > 0 : FALSE; esac",
        "INVARSPEC x <= 1 ? a[x] : TRUE",
        "DEFINE unused := x / y;",
    ] {
        let model = read(&format!(
            "MODULE main VAR x : 0..3; y : 0..3; a : array 0..1 of boolean; {text}"
        ));
        assert!(model.system.hazards.is_empty(), "{text}");
    }
}

#[test]
fn failures_too_hard_to_decide_become_hazards() {
    // x * y * z = 7919 * k needs more than the search will spend.
    let model = read(
        "MODULE main VAR x : 0..4000; y : 0..4000; z : 0..4000;
         INVARSPEC 1 / (x * y * z - 7919 * 13 * 7) = 0",
    );
    assert_eq!(model.system.hazards.len(), 1);
    assert!(model.system.hazards[0].message.contains("division by zero"));
}

#[test]
fn further_formulas_may_be_given_in_full_ctl_star() {
    let mut model = read("MODULE main VAR p : boolean; q : m; MODULE m VAR r : 0..1;");
    let mut logic = |text: &str| {
        model
            .parse_property(text, entail_logic::Logic::CtlStar)
            .map(|property| property.logic.name())
    };
    assert_eq!(logic("AG EF p"), Ok("ctl"));
    assert_eq!(logic("G F p"), Ok("ltl"));
    assert_eq!(logic("A (F G p) & E X p"), Ok("ctl*"));
    assert_eq!(logic("p R q.r = 1"), Ok("ltl"));
    assert_eq!(logic("E [p U q.r = 1]"), Ok("ctl"));
    assert!(logic("AG nothing").is_err());
    assert!(logic("AG (").is_err());
    assert!(logic("").is_err());
    let property = model
        .parse_property("AG r = 0 IN q", entail_logic::Logic::Ctl)
        .expect("a context");
    assert_eq!(property.text, "AG r = 0 IN q");
}

#[test]
fn property_texts_lose_comments_and_extra_blanks_only() {
    let model = read("MODULE main VAR a-b : boolean;\nSPEC AG ( a-b -- why\n   ->   AF !a-b )\n;");
    assert_eq!(model.properties[0].text, "AG ( a-b -> AF !a-b )");
}

#[test]
fn legacy_sections_are_read_and_dropped() {
    let model = read(
        "MODULE main VAR x : boolean; PRED x = TRUE; MIRROR x
         VAR PRED : boolean; DEFINE MIRROR := PRED; INVARSPEC MIRROR | x",
    );
    assert_eq!(model.system.variables().len(), 2);
}

#[test]
fn isa_copies_a_module_and_says_that_it_is_obsolete() {
    let model = read(
        "MODULE main VAR p : m; MODULE m ISA base VAR y : boolean; MODULE base VAR x : boolean; ASSIGN next(x) := !x;",
    );
    let names: Vec<&str> = model
        .system
        .variables()
        .iter()
        .map(|variable| &*variable.name)
        .collect();
    assert_eq!(names, ["p.x", "p.y"]);
    assert_eq!(model.warnings.len(), 1);
    assert_eq!(model.warnings[0].code, "smv::isa");
}

#[test]
fn psl_sequences_are_recognised_and_set_aside() {
    let model = read("MODULE main VAR x : boolean; PSLSPEC always (x -> {x; x}); SPEC AG x");
    assert_eq!(model.properties.len(), 1);
    assert_eq!(model.unsupported.len(), 1);
    assert_eq!(model.unsupported[0].text, "always (x -> {x; x})");
}

#[test]
fn formulas_can_be_asked_about_systems_from_elsewhere() {
    use entail_model::{Define, Sort, TransitionSystem, VarKind};
    let mut system = TransitionSystem::new();
    let input = system.add_variable("enable", Sort::Bool, VarKind::Input);
    let latch = system.add_variable("cpu.q[3]", Sort::Bool, VarKind::State);
    let count = system.add_variable("a count", Sort::word(4), VarKind::State);
    let (enable, q, count) = (
        system.current(input),
        system.current(latch),
        system.current(count),
    );
    let both = system.terms.and([enable, q]);
    system.defines.push(Define {
        name: "both".into(),
        term: both,
    });
    let mut scope = entail_smv::Scope::of_system(&mut system);
    let mut ask = |text: &str| scope.parse_property(&mut system, text, entail_logic::Logic::CtlStar);
    assert!(ask("G (cpu.q[3] -> F !both)").is_ok());
    assert!(ask("AG (\"a count\" < 0ud4_7)").is_ok());
    assert!(ask("G (next(cpu.q[3]) -> enable)").is_ok());
    for wrong in [
        "G nothing",
        "G next(enable)",
        "G next(both)",
        "G \"a count\"",
        "G (",
    ] {
        let error = ask(wrong).expect_err(wrong);
        assert!(error.has_errors(), "{wrong}");
    }
    let _ = count;
}
