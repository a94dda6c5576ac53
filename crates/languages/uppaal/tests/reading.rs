//! What UPPAAL files say, and what is said about wrong ones, with the place.

use entail_source::{Diagnostics, Source};
use entail_uppaal::{Translation, parse, queries};

/// A file with one template of two locations.
fn xml(declarations: &str, invariant: &str, labels: &str, system: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_2.dtd'>\n<nta>\n<declaration>{declarations}</declaration>\n<template>\n<name>P</name>\n<location id=\"id0\"><name>A</name><label kind=\"invariant\">{invariant}</label></location>\n<location id=\"id1\"><name>B</name></location>\n<init ref=\"id0\"/>\n<transition><source ref=\"id0\"/><target ref=\"id1\"/>{labels}</transition>\n</template>\n<system>{system}</system>\n</nta>\n"
    )
}

fn read(text: &str) -> Result<entail_clocks::Network, Diagnostics> {
    let source = Source::new("m.xml", text);
    let parsed = parse(&source)?;
    Translation::new(&parsed.model, "m").map(|translation| translation.network().clone())
}

/// The code of the first problem and its line and column.
fn problem(text: &str) -> (&'static str, usize, usize) {
    let source = Source::new("m.xml", text);
    let problems = read(text).err().unwrap_or_else(|| panic!("accepted: {text}"));
    let first = &problems.0[0];
    let place = source.place(first.span().start);
    (first.code, place.line, place.column)
}

fn guard(text: &str) -> String {
    format!("<label kind=\"guard\">{text}</label>")
}

#[test]
fn labels_with_entities_are_read() {
    let labels = format!(
        "{}<label kind=\"assignment\">x = 0, n := n + 1 // count\n</label>",
        guard("x &gt;= 1 &amp;&amp; n &lt; 3")
    );
    let network = read(&xml("clock x; int n;", "x &lt;= 5", &labels, "system P;")).expect("a model");
    assert_eq!((network.clocks.len(), network.integers.len()), (1, 1));
    assert_eq!(network.edges[0].guard.len(), 2);
    assert_eq!(network.edges[0].action.len(), 2);
    assert_eq!(network.locations[0].invariant.len(), 1);
}

#[test]
fn mistakes_behind_entities_are_told_at_their_true_column() {
    let text = xml("clock x;", "", &guard("x &lt;= 5 &amp;&amp; q"), "system P;");
    let line = text.lines().nth(9).expect("the edge");
    let column = line.chars().take_while(|letter| *letter != 'q').count() + 1;
    assert_eq!(problem(&text), ("uppaal::unknown", 10, column));
}

#[test]
fn mistakes_have_their_kinds() {
    let with = |guard_text: &str| {
        xml(
            "clock x, y; int n; int a[2]; chan c;",
            "",
            &guard(guard_text),
            "system P;",
        )
    };
    assert_eq!(problem(&with("n +")).0, "uppaal::syntax");
    assert_eq!(problem(&with("c")).0, "uppaal::type");
    assert_eq!(problem(&with("n = 3")).0, "uppaal::effect");
    assert_eq!(problem(&with("x != 3")).0, "uppaal::guard");
    assert_eq!(problem(&with("x &lt; 3 || y &lt; 3")).0, "uppaal::guard");
    assert_eq!(problem(&with("!(x &lt; 3)")).0, "uppaal::guard");
    assert_eq!(problem(&with("a[2] == 0")).0, "uppaal::range");
    assert_eq!(problem(&with("a == 0")).0, "uppaal::type");
    assert_eq!(problem(&with("x + y &lt; 3")).0, "uppaal::type");
    assert_eq!(problem(&with("x &lt; 100000000")).0, "uppaal::range");
    assert_eq!(problem(&with("99999999999 == n")).0, "uppaal::range");
    let lower = xml("clock x;", "x &gt;= 1", "", "system P;");
    assert_eq!(problem(&lower).0, "uppaal::invariant");
    let twice = xml("int n; bool n;", "", "", "system P;");
    assert_eq!(problem(&twice), ("uppaal::duplicate", 4, 26));
    assert_eq!(problem(&xml("", "", "", "system Q;")).0, "uppaal::unknown");
    assert_eq!(problem(&xml("", "", "", "")).0, "uppaal::system");
    let calls = |functions: &str| xml(functions, "", &guard("f(1) == 1"), "system P;");
    let recursive = calls("int f(int n) { return f(n); }");
    assert_eq!(problem(&recursive).0, "uppaal::recursion");
    // A name is known from its declaration on.
    let late = calls("int f(int n) { return g(n); } int g(int n) { return f(n); }");
    assert_eq!(problem(&late).0, "uppaal::unknown");
    let missing = xml("", "", "", "system P;").replace("<init ref=\"id0\"/>", "");
    assert_eq!(problem(&missing), ("uppaal::xml", 5, 1));
    let broken = xml("", "", "", "system P;").replace("</template>", "");
    assert_eq!(problem(&broken).0, "uppaal::xml");
    let unknown = xml("", "", "", "system P;").replace("target ref=\"id1\"", "target ref=\"id9\"");
    assert_eq!(problem(&unknown).0, "uppaal::unknown");
    let double = xml("", "", "", "system P;").replace("id=\"id1\"", "id=\"id0\"");
    assert_eq!(problem(&double).0, "uppaal::duplicate");
    // Words of the language are no names, and the signs of older versions no signs.
    assert_eq!(
        problem(&xml("int for;", "", "", "system P;")),
        ("uppaal::syntax", 4, 18)
    );
    assert_eq!(
        problem(&xml("clock exp;", "", "", "system P;")).0,
        "uppaal::syntax"
    );
    assert_eq!(problem(&with("n =&gt; 3")).0, "uppaal::syntax");
    // An argument of an instance is a constant.
    let instance = |parameter: &str| xml("", "", "", &format!("Q({parameter} i) = R(i); system Q;"));
    let text = |parameter: &str| {
        instance(parameter).replace("<system>", "<template><name>R</name><parameter>int[0,2] k</parameter><location id=\"a\"/><init ref=\"a\"/></template><system>")
    };
    assert_eq!(problem(&text("int[0,2]")).0, "uppaal::parameter");
    assert!(read(&text("const int[0,2]")).is_ok());
}

#[test]
fn names_of_usual_limits_and_constants_are_known() {
    assert!(
        read(&xml(
            "int8_t a; const int big = INT32_MAX; const double c = 2 * M_PI; bool b[uint8_t];",
            "",
            "",
            "system P;"
        ))
        .is_ok()
    );
    assert!(
        read(&xml(
            "typedef int[0,5] int8_t; int8_t a = 5; const int M_PI = 3;",
            "",
            "",
            "system P;"
        ))
        .is_ok()
    );
    assert_eq!(
        problem(&xml("int8_t a = 128;", "", "", "system P;")).0,
        "uppaal::range"
    );
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let refused = |declarations: &str, invariant: &str, labels: &str| {
        let text = xml(declarations, invariant, labels, "system P;");
        let problems = read(&text).err().unwrap_or_else(|| panic!("accepted: {text}"));
        assert_eq!(problems.0[0].code, "uppaal::unsupported", "{problems:?}");
        problems.0[0].message.clone()
    };
    // (A hybrid clock may be there as long as nothing depends on it.)
    let hybrid = |invariant: &str| read(&xml("hybrid clock h;", invariant, "", "system P;"));
    assert!(hybrid("").is_ok());
    let problems = hybrid("h &lt; 3").expect_err("a condition on it");
    assert!(problems.0[0].message.contains("hybrid"), "{problems:?}");
    // So may a floating-point variable.
    assert!(read(&xml("double d = 1.5;", "", "", "system P;")).is_ok());
    for (declarations, invariant, labels, message) in [
        ("double d;", "", guard("d &gt; 1"), "floating-point"),
        ("clock x;", "x' == 2", String::new(), "rates of clocks"),
    ] {
        let problems = read(&xml(declarations, invariant, &labels, "system P;")).expect_err("refused");
        assert_eq!(problems.0[0].code, entail_uppaal::RANDOM_ONLY);
        assert!(problems.0[0].message.contains(message), "{problems:?}");
    }
    assert!(refused("dynamic D();", "", "").contains("dynamic"));
    assert!(refused("import \"lib.so\" { int f(); };", "", "").contains("external"));
    let labels = format!("{}<label kind=\"synchronisation\">u!</label>", guard("x &gt; 1"));
    assert!(refused("clock x; urgent chan u;", "", &labels).contains("urgent"));
}

#[test]
fn queries_stand_one_a_line_with_comments() {
    let source = Source::new(
        "m.q",
        "// safety\nA[] not P.B\n\n/* two\nlines */ E<> P.B and \\\n x > 3\nP.A --> P.B\nsup: x\nPr[<=10](<> P.B)\n",
    );
    let all = queries(&source).expect("queries");
    let texts: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts.len(), 5, "{texts:?}");
    assert_eq!(texts[0], "A[] not P.B");
    assert!(queries(&Source::new("m.q", "E <> P.A")).is_err());
    assert!(queries(&Source::new("m.q", "E<> P.A +")).is_err());
}

#[test]
fn damaged_files_are_read_or_refused() {
    let text = xml(
        "const int N = 3; typedef int[0, N] id_t; struct { int u; } s; int f(int a) { for (i : id_t) a += i; return a; }",
        "x &lt;= N",
        &guard("f(2) &gt; 3"),
        "Q(const id_t i) = P(); system P;",
    );
    for cut in (0..text.len()).step_by(3) {
        let _ = read(&text[..cut]);
        let mut swapped = text.clone().into_bytes();
        swapped.swap(cut, text.len() - 1 - cut);
        if let Ok(damaged) = String::from_utf8(swapped) {
            let _ = read(&damaged);
        }
    }
    let deep = xml("", "", &guard(&"(".repeat(100_000)), "system P;");
    assert_eq!(problem(&deep).0, "uppaal::syntax");
    let long = xml("int n;", "", &guard(&vec!["n"; 100_000].join(" + ")), "system P;");
    assert_eq!(problem(&long).0, "uppaal::syntax");
}

#[test]
fn a_query_that_cannot_be_read_does_not_keep_the_others_from_being_asked() {
    let queries = "<queries><query><formula>E&lt;&gt; P.B )</formula></query><query><formula>E&lt;&gt; P.B</formula></query></queries></nta>";
    let text = xml("clock x;", "x &lt;= 5", "", "system P;").replace("</nta>", queries);
    let parsed = entail_uppaal::parse(&Source::new("m.xml", &text)).expect("a model");
    assert_eq!(parsed.properties.len(), 1);
    assert_eq!(parsed.properties[0].text, "E<> P.B");
    let [warning] = parsed.warnings.as_slice() else {
        panic!("{:?}", parsed.warnings);
    };
    assert_eq!(&text[warning.span().start..warning.span().end], ")");
}
