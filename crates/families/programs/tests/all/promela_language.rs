//! What SPIN says about small models of one feature each: verdicts, and numbers of states of a search without reduction
//! (SPIN 6.5.2, `-DNOREDUCE -DSAFETY`), recorded.

use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_explicit::SearchOptions;
use entail_program::StateGraph;
use entail_programs::{Preprocessing, ProgramModel};
use entail_programs_checker::search_again;
use entail_source::Source;
use std::path::Path;
use told::{Outcome, ProgramRequest, check_program};

use crate::told;

/// The answers of a full search; one with reduction gives the same verdicts.
fn outcomes(model: &ProgramModel) -> Vec<Outcome> {
    let search = |reduction: bool| -> Vec<Outcome> {
        let request = ProgramRequest {
            requirements: (0..model.requirements().len()).collect(),
            options: SearchOptions {
                reduction,
                ..SearchOptions::default()
            },
            ..ProgramRequest::default()
        };
        check_program(model, &request)
            .unwrap_or_else(|failure| panic!("{failure}\n{}", model.source().text()))
    };
    let (full, reduced) = (search(false), search(true));
    for (full, reduced) in full.iter().zip(&reduced) {
        assert_eq!(full.holds, reduced.holds, "{}", model.source().text());
    }
    full
}

/// What the reference interpreter says about safety.
fn searched_again(model: &ProgramModel) -> CheckReport {
    search_again(
        model.program(),
        &model.requirements()[0],
        false,
        &Budget::unlimited(),
    )
}

fn model(text: &str) -> ProgramModel {
    ProgramModel::read(Source::new("test.pml", text)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Safety holds, with so many states; the interpreter says the same.
fn holds(text: &str, states: u64) {
    let model = model(text);
    let outcome = &outcomes(&model)[0];
    assert_eq!(
        (outcome.holds, outcome.states),
        (Some(true), states),
        "{outcome:?}\n{text}"
    );
    if let Some(graph) = StateGraph::explore(model.program(), 5_000).expect("an initial state") {
        assert!(searched_again(&model).is_accepted(), "{text}");
        assert_eq!(graph.states.len() as u64, states, "{text}");
    }
}

/// Safety fails, for this reason; the interpreter says that it fails, too.
fn fails(text: &str, reason: &str) {
    let model = model(text);
    let outcome = &outcomes(&model)[0];
    assert_eq!(
        (outcome.holds, outcome.reason.as_deref()),
        (Some(false), Some(reason)),
        "{text}"
    );
    assert!(!searched_again(&model).is_accepted(), "{text}");
}

#[test]
fn select_is_an_if_over_the_values() {
    holds(
        r#"
byte x; 
active [2] proctype p() { byte y; select (y : 1 .. 3); x = x + y; select(y: 0 .. 2); x = x ^ y }
"#,
        643,
    );
}

#[test]
fn select_with_many_values_or_in_an_inline_is_a_loop() {
    holds(
        r#"
#define N 3
byte x; byte big_y;
inline pick(v) { select (v : 0 .. 2) }
active [2] proctype p() { byte y; pick(y); x = x + y; select(y: 0 .. N-1); lab: x = x ^ y; select (big_y : 1 .. 2); select(y : 0 .. 40); if :: x > 200 && y == 40 -> goto lab :: else fi }
"#,
        451_495,
    );
}

#[test]
fn inline_functions_return_values() {
    holds(
        r#"
byte x, z;
inline max(a, b) { if :: a > b -> return a :: else -> return b fi }
inline twice(a) { byte t; t = max(a, z); return t * 2; skip }
active [2] proctype p() { byte y; y = max(x, 1); x = y + 1; z = twice(x); assert(z >= x) }
"#,
        498,
    );
}

#[test]
fn for_runs_over_the_messages_of_a_channel() {
    holds(
        r#"
typedef rec { byte a; bool b };
chan c = [4] of { rec };
byte sum;
active proctype w() { rec m; m.a = 1; c!m; m.a = 2; m.b = 1; c!m; c!m }
active proctype p() { rec m; byte i; byte arr[3];
  len(c) > 1;
  for (m in c) { sum = sum + m.a; if :: m.b -> sum++ :: else fi };
  for (i in arr) { arr[i] = i; }
  for (m in c) { sum = sum + m.a; if :: sum > 10 -> break :: else fi }
  assert(sum < 30) }
"#,
        191,
    );
}

#[test]
fn a_global_that_is_only_written_and_printed_is_no_part_of_the_state() {
    holds(
        r#"
byte w; byte k;
active [2] proctype p() { byte y; do :: y < 3 -> y++; w = y + k; printf("%d %d\n", w, y) :: else -> break od; k++ }
"#,
        157,
    );
}

#[test]
fn expressions_start_processes() {
    holds(
        r#"
byte x, y;
proctype p(byte n) { x = x + n }
init { byte i; i = run p(3) + 1; y = (run p(1)) * 2; assert(i == 2); i = y - 1; assert(run p(i) > 0); i = 3; i = -(run p(i)) + 2; x = i + y }
"#,
        399,
    );
}

#[test]
fn so_do_printf_and_atomic_sequences() {
    holds(
        r#"
byte x, y; byte k = 3;
proctype p(byte n) { byte l = k; x = x + n + l }
init { byte i; i = run p(3) + 1; i = i + 1; printf("%d", run p(i)); i = x; atomic { i = 1; i = run p(2) * 2; x = i } }
"#,
        73,
    );
}

#[test]
fn an_end_inside_atomic_passes_the_exit_of_the_loop() {
    holds(
        r#"
byte x;
inline play() { if :: x < 2 -> x++ :: x < 3 -> x = x + 2 :: else -> break fi }
init {
end: do
	:: atomic { play(); if :: x == 3 -> break :: else -> skip fi }
	od
}
"#,
        9,
    );
}

#[test]
fn a_variable_is_kept_while_a_d_step_runs() {
    holds(
        r#"
byte g;
active proctype p() {
  bit z; byte k;
  do :: k < 3 -> k++; d_step { skip; z = g % 2; g = 1 - g } :: else -> break od;
  skip
}
"#,
        10,
    );
}

#[test]
fn a_trace_that_holds() {
    holds(
        r#"
mtype = { a, b };
chan q = [2] of { mtype, byte };
active proctype s() { byte i; do :: i < 3 -> if :: q!a,1 :: q!b,i ; q!a,i fi; i++ :: break od }
active proctype t() { byte v; end: do :: q?a,v :: q?b,v od }
trace { end: do :: q!a,1 :: q!b,_ ; q!a,_ od }
"#,
        63,
    );
}

#[test]
fn a_trace_over_rendezvous() {
    holds(
        r#"
chan q = [0] of { byte };
active proctype s() { q!1; q!2; q!1; q!2 }
active proctype t() { byte v; end: do :: q?v od }
trace { end: do :: q!1; q?1; q!2 ; q?2 od }
"#,
        5,
    );
}

#[test]
fn a_notrace_that_holds() {
    holds(
        r#"
chan q = [2] of { byte };
byte n;
active proctype s() { byte i; do :: i < 4 -> i++; q!i :: break od }
active proctype t() { byte v; end: do :: q?v -> n = n + v od }
notrace { end0: q!1; end1: q!4 }
"#,
        57,
    );
}

#[test]
fn a_trace_of_a_program_that_ends() {
    holds(
        r#"
mtype = { red, blue };
byte g; bit h; short s; byte a[2];
chan q = [2] of { byte };
chan r = [0] of { byte };
chan t = [1] of { mtype, bit };
active proctype p0() {
  byte x; byte y; bit z;
skip;
  skip
}
active proctype p1() {
  byte x; byte y; bit z;
q!!(y);
  skip
}
trace { q?_; end: do :: q?_ -> end311414: r!_ od }
"#,
        13,
    );
}

#[test]
fn escapes_and_priorities() {
    holds(
        r#"
mtype = { red, blue };
byte g; bit h; short s; byte a[2];
chan q = [2] of { byte };
chan r = [1] of { byte };
chan t = [1] of { mtype, bit };
proctype child(byte n) { byte x; g = n; x = n + 1; s = x }
active proctype p0() priority 3 provided (len(q) < 2) {
  byte x; byte y; bit z;
  here_0:d_step { skip; g = len(q) % 3; a[0] = 0 % 3 };
for (y in a) { z = (z == x) % 3 };
  skip
}
active proctype p1() {
  byte x; byte y; bit z;
x = run child(2);
if :: printf("%d\n", x) -> assert((1 == y) != 7); atomic { { r?x } unless { (1); assert((y > len(q)) != 7); q!(y % 3) } } :: t!blue(1) -> printf("%d\n", x); (_pid) :: else -> skip fi;
x = x % 3;
  skip
}
active proctype p2() priority 3 {
  byte x; byte y; bit z;
  end_0:a[0] = ((_pid <= h) && (len(q) || z)) % 3;
  skip
}
"#,
        103,
    );
}

#[test]
fn an_unless_that_begins_an_atomic_sequence() {
    holds(
        r#"
mtype = { red, blue };
byte g; bit h; short s; byte a[2];
chan q = [2] of { byte };
chan r = [1] of { byte };
chan t = [1] of { mtype, bit };
proctype child(byte n) { byte x; g = n; x = n + 1; s = x }
active proctype p0() priority 2 {
  byte x; byte y; bit z;
r!x;
  skip
}
active proctype p1() provided (h == 0 || s > 0) {
  byte x; byte y; bit z;
  progress_0:atomic { { select (y : 1 .. 2); (len(q)) } unless { assert(a[0] + a[1] < 4); assert((x != len(q)) != 7) }; { printf("%d\n", x); t!blue(1); ((x % 3)) } unless { t?_,z; assert(y != 7) }; { t!blue(1) } unless { assert(true) } };
assert(0 != 7);
  skip
}
"#,
        8,
    );
}

#[test]
fn a_variable_is_kept_for_an_escape_from_what_would_write_it() {
    fails(
        "active proctype p() { byte x; x = 1; { x = 2 } unless { x == 1 -> assert(false) } }",
        "assertion violated",
    );
}

#[test]
fn a_message_too_early_for_the_trace() {
    fails(
        r#"
mtype = { a, b };
chan q = [2] of { mtype, byte };
byte x;
active proctype s() { do :: x < 3 -> q!a,1; x++ :: break od }
active proctype t() { byte v; end: do :: q?a,v od }
trace { end: do :: q!a,1; q?a,_ :: q!b,_ ; q?b od }
"#,
        "no event of the trace matches",
    );
}

#[test]
fn all_events_of_a_notrace() {
    fails(
        r#"
chan q = [2] of { byte };
byte n;
active proctype s() { byte i; do :: i < 4 -> i++; q!i :: i++ :: break od }
active proctype t() { byte v; end: do :: q?v -> n = n + v od }
notrace { end0: q!1; end1: q!2; end2: q!3 }
"#,
        "all events of the notrace have happened",
    );
}

#[test]
fn two_events_match() {
    fails(
        r#"
chan q = [2] of { byte };
byte n;
active proctype s() { byte i; do :: i < 4 -> i++; n = i; q!i :: break od }
active proctype t() { byte v; end: do :: q?v od }
trace { end: do :: q?1 :: q?eval(n) od }
"#,
        "two events of the trace match: a trace must be deterministic",
    );
}

#[test]
fn a_trace_that_is_not_completed() {
    fails(
        r#"
chan q = [2] of { byte };
byte n;
active proctype s() { byte i; do :: i < 4 -> i++; q!i :: break od }
active proctype t() { byte v; end: do :: q?v -> n = n + v od }
notrace { q!1; q!4 }
"#,
        "invalid end state",
    );
}

#[test]
fn a_message_offered_where_nobody_receives_it() {
    fails(
        r#"
chan q = [0] of { byte };
byte n;
active proctype s() { if :: q!1 :: q!2 :: n = 1 fi }
active proctype t() { byte v; if :: q?1 :: n = 2 fi }
trace { end: do :: q!1; q?1 od }
"#,
        "no event of the trace matches",
    );
}

#[test]
fn an_unless_at_the_beginning_of_a_block() {
    fails(
        r#"
chan q = [2] of { byte };
byte x;
active proctype p0() {
 { { x = 1 } unless { q!1; x == 5 }; x = 3 } 
}
"#,
        "invalid end state",
    );
}

#[test]
fn an_unless_at_the_beginning_of_an_atomic_sequence() {
    fails(
        r#"
chan q = [2] of { byte };
byte x;
active proctype p0() {
 atomic { { x = 1 } unless { q!1; x == 5 }; x = 3 } 
}
"#,
        "invalid end state",
    );
}

#[test]
fn nested_unless_at_the_beginning_of_an_atomic_sequence() {
    fails(
        r#"
chan q = [2] of { byte };
byte x;
active proctype p0() {
 atomic { { { x = 1 } unless { q!1; nempty(q); x == 5 }; x = 3 } unless { x == 9 -> x = 4 } } 
}
"#,
        "invalid end state",
    );
}

#[test]
fn an_unless_at_the_beginning_of_an_option() {
    fails(
        r#"
chan q = [2] of { byte };
byte x;
active proctype p0() {
 if :: { x = 1 } unless { q!1; x == 5 }; x = 3 :: x == 7 -> skip fi
}
"#,
        "invalid end state",
    );
}

/// The verdicts of never claims and formulas, as SPIN has them.
#[test]
fn claims_and_formulas_ask_whether_processes_are_enabled() {
    let cases = [
        (
            r#"
chan q = [1] of { byte };
byte x;
active proctype s() { do :: x < 3 -> x++; q!x :: x >= 3 -> break od }
active proctype t() { byte v; do :: q?v :: timeout -> break od }
never { do :: !enabled(0) && !enabled(1) -> break :: true od }
"#,
            false,
        ),
        (
            r#"
chan q = [1] of { byte };
byte x;
active proctype s() { do :: x < 3 -> x++; q!x :: x >= 3 -> break od }
active proctype t() { byte v; do :: q?v :: d_step { v > 1 -> v = 0 } :: timeout -> break od }
never { accept: do :: enabled(0) || enabled(1) od }
"#,
            true,
        ),
        (
            r#"
byte x;
active proctype s() provided (x < 2) { do :: x < 3 -> x++ :: x >= 3 -> break od }
active proctype t() { do :: x > 0 -> x = 0 :: x == 2 -> break od }
never { do :: enabled(0) && x >= 2 -> break :: true od }
"#,
            false,
        ),
        (
            r#"
byte x;
active proctype s() { do :: x < 3 -> x++ :: x >= 3 -> break od }
active proctype t() { do :: x > 0 -> x = 0 :: x == 2 -> break od }
ltl { [] <> enabled(0) }
"#,
            false,
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(outcomes(&model(text))[1].holds, Some(wanted), "{text}");
    }
}

#[test]
fn a_formula_is_process_number_0_to_itself() {
    let text = "byte x; active [2] proctype p() { x = _pid + 1; x = 0 } ltl { [] (_pid == 0) } ltl { [] (_pid == -1) }";
    let verdicts: Vec<Option<bool>> = outcomes(&model(text))
        .iter()
        .map(|outcome| outcome.holds)
        .collect();
    assert_eq!(verdicts, [Some(true), Some(true), Some(false)]);
}

#[test]
fn macros_are_given_and_files_found_from_outside() {
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("parts");
    std::fs::create_dir(&inside).expect("a folder in it");
    let write = |path: &Path, text: &str| std::fs::write(path, text).expect("a file");
    write(&inside.join("limit.h"), "#define LIMIT (N + 1)\n");
    let main = folder.path().join("main.pml");
    write(
        &main,
        "#include <limit.h>\n#ifndef N\n#define N 1\n#endif\nactive [N] proctype p() { assert(_nr_pr < LIMIT && N < 3) }",
    );
    let load = |definitions: &[&str], folders: &[&Path]| {
        let preprocessing = Preprocessing {
            definitions: definitions.iter().map(|&text| text.to_owned()).collect(),
            folders: folders.iter().map(|&folder| folder.to_owned()).collect(),
        };
        ProgramModel::load(&main, preprocessing)
    };
    assert!(load(&[], &[]).is_err());
    for (definitions, wanted) in [
        (&[][..], true),
        (&["N=2"], true),
        (&["N"], true),
        (&["N=3"], false),
    ] {
        let model = load(definitions, &[&inside]).expect("a model");
        assert_eq!(outcomes(&model)[0].holds, Some(wanted), "{definitions:?}");
    }
    assert!(load(&["2=3"], &[&inside]).is_err());
}

/// What `gcc -E` makes of the same text.
#[test]
fn macros_are_expanded_as_c_does() {
    let cases = [
        (
            "#define cat(a, b) a##b\n#define xcat(a, b) cat(a, b)\n#define N 2\nbyte xcat(v, N); init { v2 = 1; assert(cat(v, 2) == 1) }",
            true,
        ),
        (
            "#define PAIR 1, 2\n#define g(a, b) (a + b)\n#define f(x) g(x)\ninit { assert(f(PAIR) == 3) }",
            true,
        ),
        (
            "#define show(text, ...) printf(text, __VA_ARGS__)\ninit { show(\"%d %d\", 1, 2); assert(true) }",
            true,
        ),
        ("byte x = 4;\n#define x (x + 1)\ninit { assert(x == 5) }", true),
        (
            "#define glue(a, b) a##b\nbyte zz; init { glue(, zz) = 1; glue(zz, ) = 2; assert(zz == 2) }",
            true,
        ),
        (
            "#define a b\n#define b a\nbyte a; init { a = 3; assert(a == 3) }",
            true,
        ),
        (
            "#define twice(x) x x\n#define id(x) x\nbyte n; init { id(twice(n++;)) assert(n == 3) }",
            false,
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(outcomes(&model(text))[0].holds, Some(wanted), "{text}");
    }
}

/// What SPIN refuses, with a word about why.
#[test]
fn what_is_refused_is_refused_with_a_reason() {
    let cases = [
        (
            "byte x; active proctype p() { goto in; d_step { x = 1; in: x = 2 } }",
            "d_step",
        ),
        (
            "byte x; active proctype p() { d_step { x = 1; goto out; x = 3 }; out: x = 3 }",
            "d_step",
        ),
        (
            "active proctype p() { do :: d_step { true; break } od }",
            "d_step",
        ),
        (
            "proctype p() { skip } init { (run p() > 1) -> skip }",
            "cannot start a process",
        ),
        (
            "proctype p() { skip } init { byte x; x = run p() + run p() }",
            "one `run`",
        ),
        ("inline f() { return 1 } init { f() }", "no value is asked for"),
        (
            "inline f(a) { byte x; x = a; return x } init { byte x; x = f(1) }",
            "hides",
        ),
        ("init { byte x; select (x : 3 .. 1) }", "the range is empty"),
        (
            "chan c = [2] of { byte }; init { byte x; for (x in c) { skip } }",
            "typedef",
        ),
        ("c_code { int x; } init { skip }", "embedded C"),
        ("c_decl { int x; } init { skip }", "embedded C"),
        ("init { c_expr { x > 1 } -> skip }", "embedded C"),
        ("c_state \"int x\" \"Global\" init { skip }", "embedded C"),
        (
            "active proctype p() { enabled(1) -> skip } active proctype q() { skip }",
            "formulas and never claims",
        ),
        (
            "chan q = [1] of { byte }; trace { q!1 } notrace { q!1 } init { skip }",
            "two traces",
        ),
        ("byte x; trace { x = 1 } init { skip }", "a trace is made of"),
        (
            "chan q = [1] of { byte }; trace { q!1, 2 } init { skip }",
            "all fields of these",
        ),
        (
            "chan q = [1] of { byte }; trace { q!1 } init { q!len(q) }",
            "content of a channel",
        ),
        (
            "chan q = [1] of { byte }; trace { accept: q!1 } init { skip }",
            "acceptance",
        ),
        ("#define f(x) x##+\ninit { f(a) }", "single word"),
    ];
    for (text, wanted) in cases {
        match ProgramModel::read(Source::new("test.pml", text)) {
            Ok(_) => panic!("accepted: {text}"),
            Err(error) => assert!(error.to_string().contains(wanted), "{text}: {error}"),
        }
    }
}

#[test]
fn formulas_without_names_have_those_of_spin() {
    let text = "byte x; active proctype p() { x = 1 }\nltl a { <> (x == 1) }\nltl { [] (x <= 1) }\nltl { [] (x < 5) }\n";
    let mut model = ProgramModel::read(Source::new("model.pml", text)).expect("it is right");
    model.add_formula("[] (x < 7)").expect("it is right");
    let names: Vec<Option<&str>> = model
        .requirements()
        .iter()
        .map(|requirement| requirement.name.as_deref())
        .collect();
    assert_eq!(names, [None, Some("a"), Some("ltl_0"), Some("ltl_1"), None]);
}
