//! No text makes the reader panic or overflow the stack, and mistakes are reported at their place.

use entail_promela::{PromelaModel, Trouble, read};
use entail_source::Source;

fn load(text: &str) -> Result<PromelaModel, Trouble> {
    let include = |_: &str, wanted: &str| {
        (wanted == "known.h").then(|| ("known.h".to_owned(), "#define TWO 2\nbyte shared;\n".to_owned()))
    };
    read(&Source::new("test.pml", text), &include)
}

const MODEL: &str = r#"
#include "known.h"
#define N 2
#define both(a, b) (a && b)
#if N > 1
mtype = { ping, pong };
#else
mtype = { none };
#endif
typedef pair { byte a[2]; bit b };
pair p[N];
chan c = [2] of { mtype, pair };
chan meet[N] = [0] of { byte };
unsigned u : 3;
inline twice(x) { x = x + 1; x++ }
proctype worker(byte id; chan in) priority 2 provided (u < 8) {
  byte y = id, z;
  do
  :: in?y -> twice(z)
  :: both(nempty(c), z == TWO) -> atomic { c?ping,p[0]; d_step { y = 1; if :: y > 0 -> z = 3 :: else fi } }
  :: timeout -> break
  od unless { p[1].a[0] == 1 -> goto done };
done: end_here: assert(y < 300); c!!pong(p[1]); select (y : 0 .. 2); for (z : 1 .. 3) { printf("%d\n", z) }
}
init { pid w; atomic { w = run worker(1, meet[0]); run worker(2, meet[1]) }; meet[0]!1; (c?[ping, eval(u)] -> 1 : 0) }
never { accept: do :: !(worker[1]@done) :: worker[1]:y == 2 -> break od }
ltl live { [] (u == 1 -> <> (u == 0)) && !<> np_ }
"#;

#[test]
fn the_model_itself_is_correct() {
    let model = load(MODEL).unwrap_or_else(|trouble| panic!("{}", trouble.diagnostics));
    assert_eq!(model.program.processes.len(), 3);
    assert_eq!(model.requirements.len(), 3);
}

#[test]
fn no_prefix_and_no_changed_byte_makes_the_reader_panic() {
    for end in 0..=MODEL.len() {
        let _ = load(&MODEL[..end]);
    }
    for at in 0..MODEL.len() {
        for byte in *b"({[;:\"#'0x!?@ \n" {
            let mut bytes = MODEL.as_bytes().to_vec();
            bytes[at] = byte;
            let _ = load(&String::from_utf8(bytes).expect("ASCII"));
        }
    }
}

#[test]
fn no_missing_and_no_doubled_word_makes_the_reader_panic() {
    let words: Vec<&str> = MODEL.split_inclusive([' ', '\n', '(', ';']).collect();
    for at in 0..words.len() {
        let without: String = words
            .iter()
            .enumerate()
            .filter(|(position, _)| *position != at)
            .map(|(_, word)| *word)
            .collect();
        let _ = load(&without);
        let doubled: String = words[..=at].iter().chain(&words[at..]).copied().collect();
        let _ = load(&doubled);
    }
}

#[test]
fn depth_and_growth_are_limited() {
    let many = |text: &str| text.repeat(20_000);
    let texts = [
        format!("init {{ x = {}1 }}", many("(")),
        format!("init {{ {} }}", many("do :: ")),
        format!("init {{ {} }}", many("{ ")),
        format!("ltl {{ {} }}", many("[] ")),
        format!("ltl {{ {} }}", many("! ")),
        format!("byte x = {}1;", many("-")),
        format!("int x = 1{};", many(" + 1")),
        "#define A B B\n#define B A A\nbyte A;".into(),
        "#define A(x) A(x) A(x)\ninit { A(A(A(1))) }".into(),
        "inline f() { g() } inline g() { f() } init { f() }".into(),
        "#include \"known.h\"\n#include \"missing.h\"".into(),
        format!("#if {}1\n#endif", many("(")),
        "byte a[100000]; typedef t { byte b[100000] }; t c[100000];".into(),
    ];
    for text in texts {
        assert!(load(&text).is_err(), "{}…", &text[..text.len().min(60)]);
    }
}

#[test]
fn mistakes_are_reported_at_their_place_before_preprocessing() {
    let cases = [
        (
            "#define V unknown\ninit { V = 1 }",
            "promela::unknown-variable",
            "V",
        ),
        ("init { goto nowhere }", "promela::label", "goto nowhere"),
        (
            "init { run nobody() }",
            "promela::unknown-proctype",
            "run nobody()",
        ),
        ("byte x; byte x;", "promela::declared-twice", "x"),
        ("init { break }", "promela::break", "break"),
        ("c_code { int x; }", "promela::syntax", "c_code"),
        ("init { byte x; x.y = 1 }", "promela::field", "x.y"),
        (
            "proctype p(byte a) { skip } init { run p() }",
            "promela::arguments",
            "run p()",
        ),
        ("init { assert(1 }", "promela::syntax", "}"),
    ];
    for (text, code, place) in cases {
        let Err(trouble) = load(text) else {
            panic!("{text} was accepted");
        };
        let diagnostic = &trouble.diagnostics.0[0];
        let found = trouble.source.slice(diagnostic.span());
        assert_eq!((diagnostic.code, found), (code, place), "{text}: {diagnostic}");
    }
}
