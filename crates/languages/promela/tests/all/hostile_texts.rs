//! Texts made to cost memory or time: each is read or refused at once, and without more than a fixed amount of either. A text that took
//! exponential or quadratic work would not let this test come to its end.

use entail_promela::{PromelaModel, Trouble, read};
use entail_source::Source;

/// Reads a text that can include itself.
fn load(text: &str) -> Result<PromelaModel, Trouble> {
    let include = |_: &str, wanted: &str| (wanted == "self").then(|| ("self".to_owned(), text.to_owned()));
    read(&Source::new("hostile.pml", text), &include)
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}

#[track_caller]
fn refused(text: &str) -> &'static str {
    match load(text) {
        Ok(_) => panic!("accepted: {}…", text.chars().take(80).collect::<String>()),
        Err(trouble) => trouble.diagnostics.0[0].code,
    }
}

#[track_caller]
fn accepted(text: &str) -> PromelaModel {
    load(text).unwrap_or_else(|trouble| {
        panic!(
            "{}: {}…",
            trouble.diagnostics,
            text.chars().take(80).collect::<String>()
        )
    })
}

#[test]
fn records_that_contain_themselves_or_multiply_are_refused() {
    refused("typedef T { T t }; T x; init { skip }");
    refused("typedef A { B b }; typedef B { A a }; A x; init { skip }");
    refused("typedef T { byte a }; typedef T { byte b; byte c }; T x; init { skip }");
    refused("typedef T { }; T x[100000]; init { skip }");
    let tenfold = |levels: usize| {
        let records = lines(levels, |level| match level {
            0 => "typedef T0 { byte a[10] };".into(),
            _ => format!("typedef T{level} {{ T{} a[10] }};", level - 1),
        });
        format!("{records} T{} x; init {{ skip }}", levels - 1)
    };
    accepted(&tenfold(4));
    assert_eq!(refused(&tenfold(20)), "promela::too-large");
    let nested = lines(50_000, |level| match level {
        0 => "typedef T0 { byte a };".into(),
        _ => format!("typedef T{level} {{ T{} a }};", level - 1),
    });
    assert_eq!(
        refused(&format!("{nested} T49999 x; init {{ skip }}")),
        "promela::too-large"
    );
}

#[test]
fn variables_channels_and_processes_that_fill_the_memory_are_refused() {
    let record = "typedef T { byte a[1000] }; typedef U { T t[1000] };";
    for text in [
        lines(20, |number| format!("U u{number};")),
        lines(250, |number| format!("proctype p{number}() {{ U u; skip }}")),
        "chan c = [255] of { U };".into(),
        lines(200, |number| format!("chan c{number} = [200] of {{ T }};")),
        "active [250] proctype p() { T t[100]; skip }".into(),
        "proctype p() { chan c[200] = [200] of { T }; skip } active [20] proctype q() { chan c[200] = [200] of { T }; skip }".into(),
    ] {
        let text = format!("{record} {text} init {{ skip }}");
        assert_eq!(refused(&text), "promela::too-large", "{}", &text[..200.min(text.len())]);
    }
    // A record that is sent many times.
    let sends = lines(10_000, |_| "c!r;".into());
    let text = format!("{record} T r; chan c = [1] of {{ T }}; init {{ {sends} skip }}");
    assert_eq!(refused(&text), "promela::too-large");
}

#[test]
fn macros_that_multiply_are_refused() {
    let doubled = lines(60, |number| {
        format!("#define A{} A{number} A{number}", number + 1)
    });
    assert_eq!(refused(&format!("{doubled} A60")), "promela::endless-macro");
    // In many small parts.
    let parts = lines(100, |_| "A18\n#undef NOTHING".into());
    assert_eq!(refused(&format!("{doubled} {parts}")), "promela::endless-macro");
    let chain = lines(100_000, |number| format!("#define B{number} B{}", number + 1));
    assert_eq!(refused(&format!("{chain} B0")), "promela::endless-macro");
    let nested = |inner: &str, times: usize| format!("{}{inner}{}", "D(".repeat(times), ")".repeat(times));
    for definitions in [
        "#define C(x, y) x##y\n#define D(x) C(x, x)\n",
        "#define C(x) #x\n#define E(x) C(x x)\n#define D(x) E(x)\n",
        "#define D(x) x x x x\n",
    ] {
        assert_eq!(
            refused(&format!("{definitions} {}", nested("a", 80))),
            "promela::endless-macro"
        );
    }
    refused(&format!("#define D(x) x\n{}", nested("a", 100_000)));
    refused("#define A A\n#define B B A\nA B");
    refused("#define f(x) f(f(x)) f(x)\ninit { f(f(f(f(f(f(1)))))) }");
    // A parameter that is used often, with a long argument.
    let long = "x ".repeat(50_000);
    refused(&format!("inline f(x) {{ {long} }} init {{ f({long}) }}"));
    refused(&format!("#define f(x) {long}\ninit {{ f({long}) }}"));
}

#[test]
fn files_that_include_each_other_are_refused() {
    assert_eq!(refused("#include \"self\"\ninit { skip }"), "promela::include");
    assert_eq!(
        refused("#include \"self\"\n#include \"self\"\ninit { skip }"),
        "promela::include"
    );
}

#[test]
fn deep_nesting_is_read_in_linear_time_or_refused() {
    let conditions = 100_000;
    let nested = format!(
        "{}init {{ skip }}\n{}",
        lines(conditions, |_| "#if 1".into()),
        lines(conditions, |_| "#endif".into())
    );
    accepted(&nested);
    let skipped = format!(
        "#if 0\n{}nonsense\n{}#endif\ninit {{ skip }}\n",
        lines(conditions, |_| "#if 1\n#else".into()),
        lines(conditions, |_| "#endif".into())
    );
    accepted(&skipped);
    assert_eq!(
        refused(&lines(conditions, |_| "#ifdef A".into())),
        "promela::open-if"
    );
    // Chains of operators inside each other make trees that are deeper than the text is nested.
    let chain = " + 1".repeat(1_500);
    let mut expression = "1".to_owned();
    for _ in 0..100 {
        expression = format!("({expression}{chain})");
    }
    refused(&format!("int x = {expression}; init {{ skip }}"));
    refused(&format!("int x; init {{ x = {expression} }}"));
    refused(&format!("int x; ltl {{ {} }}", expression.replace('+', "&&")));
    for (open, close) in [
        ("{ ", " }"),
        ("if :: ", " fi"),
        ("atomic { ", " }"),
        ("{ skip } unless { ", " }"),
        ("do :: ", " od"),
    ] {
        refused(&format!(
            "init {{ {}skip{} }}",
            open.repeat(50_000),
            close.repeat(50_000)
        ));
    }
}

#[test]
fn long_texts_are_read_in_about_linear_time() {
    let options = |count: usize| lines(count, |number| format!(":: x == {number} -> x = {}", number + 1));
    let model = accepted(&format!("init {{ int x; do {} od }}", options(8_000)));
    assert_eq!(
        model.program.processes[0]
            .locations
            .iter()
            .map(|here| here.edges.len())
            .max(),
        Some(8_000)
    );
    accepted(&format!(
        "init {{ int x; {{ do {} od }} unless {{ x == 8001 }} }}",
        options(8_000)
    ));
    accepted(&format!(
        "init {{ int x; {} }}",
        lines(30_000, |_| "x = x + 1;".into())
    ));
    accepted(&format!(
        "init {{ {} skip }}",
        lines(10_000, |number| format!(
            "int x{number}; x{number} = x{};",
            number / 2
        ))
    ));
    accepted(&format!(
        "init {{ byte y; {} skip }}",
        lines(10_000, |number| format!(
            "{{ byte x; x = {}; y = x }};",
            number % 7
        ))
    ));
    accepted(&format!(
        "init {{ {} }}",
        lines(10_000, |number| format!(
            "L{number}: if :: goto L{} :: skip fi;",
            9_999 - number
        ))
    ));
    accepted(&format!(
        "{} init {{ skip }}",
        lines(5_000, |number| format!(
            "chan c{number} = [{}] of {{ byte }};",
            number % 250
        ))
    ));
    // A long line.
    accepted(&format!("init {{ int x; {} skip }}", "x = 1; ".repeat(10_000)));
    let comment = "x".repeat(5_000_000);
    accepted(&format!("/* {comment} */ init {{ skip }} // {comment}"));
}

#[test]
fn selections_inside_each_other_cost_nothing_and_many_escapes_are_refused() {
    let options = lines(5_000, |number| format!(":: x == {number}"));
    let mut text = format!("if {options} fi");
    for _ in 0..100 {
        text = format!("if :: {text} :: x == 1 fi");
    }
    accepted(&format!("init {{ int x; {text} }}"));
    // Every statement can be escaped from in many ways.
    let body = lines(5_000, |_| "x = 1;".into());
    let text = format!("init {{ int x; {{ {body} x == 2 }} unless {{ if {options} fi }} }}");
    assert_eq!(refused(&text), "promela::too-large");
}

#[test]
fn numbers_of_any_length_are_refused_or_wrap() {
    refused(&format!("int x = {};", "9".repeat(1_000_000)));
    refused("byte a[4294967295]; init { skip }");
    refused("byte a[2147483647]; init { skip }");
    refused("byte a[-1]; init { skip }");
    refused("chan c = [4294967295] of { byte }; init { skip }");
    refused("unsigned u : 33; init { skip }");
    refused("active [4294967295] proctype p() { skip }");
    accepted("init { int x = 4294967295; x = -2147483648 / -1; x = x << 4294967295; x = x % -1 }");
    accepted("#if 4294967295 << 4294967295 || -2147483647 / -1\n#endif\ninit { skip }");
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    let include = |_: &str, wanted: &str| {
        (wanted == "marked.h").then(|| ("marked.h".to_owned(), "\u{feff}#define TWO 2\n".to_owned()))
    };
    let text = "\u{feff}#include \"marked.h\"\ninit { assert(TWO == 2) }";
    let model = read(&Source::new("marked.pml", text), &include);
    assert!(model.is_ok_and(|model| model.program.processes.len() == 1));
    // Elsewhere it is a strange character.
    refused("init \u{feff} { skip }");
}

#[test]
fn what_spin_refuses_is_refused() {
    let cases = [
        ("init { a: skip; a: skip }", "promela::declared-twice"),
        ("init { a: a: skip }", "promela::declared-twice"),
        ("init { a: skip; { skip; a: skip } }", "promela::declared-twice"),
        (
            "init { a: skip; if :: skip; a: skip fi }",
            "promela::declared-twice",
        ),
        (
            "init { skip } never { a: skip; a: skip }",
            "promela::declared-twice",
        ),
        (
            "chan c = [1] of { byte, byte }; byte b; init { c?b,b }",
            "promela::receive",
        ),
        (
            "chan c = [1] of { byte, byte }; byte b; init { c?<b,b> }",
            "promela::receive",
        ),
        (
            "chan c = [1] of { byte, byte }; proctype p() { byte b; c??b,b } init { skip }",
            "promela::receive",
        ),
    ];
    for (text, code) in cases {
        assert_eq!(refused(text), code, "{text}");
    }
    let text = "inline f() { skip; a: skip }";
    for body in [
        "f(); f()",
        "a: skip; f()",
        "{ skip; a: skip }; { skip; a: skip }",
        "{ skip; a: skip }; a: skip",
    ] {
        accepted(&format!("{text} init {{ {body} }}"));
    }
    let declared = "typedef T { byte x; byte y }; chan c = [1] of { byte, byte }; byte b; byte a[2]; T t;";
    for body in [
        "c?a[0],a[0]",
        "c?t.x,t.x",
        "c?_,_",
        "c?[b,b]",
        "c?eval(b),b",
        "d_step { c!1,2; c?b,b }",
    ] {
        accepted(&format!("{declared} init {{ {body} }}"));
    }
}
