use super::*;

fn with(text: &str, files: &[(&str, &str)]) -> Result<Preprocessed, Diagnostics> {
    let files: HashMap<&str, &str> = files.iter().copied().collect();
    let include = |name: &str, _: &str| Some((name.to_owned(), (*files.get(name)?).to_owned()));
    let around = Surroundings {
        defines: vec![("FORMAL".to_owned(), "1".to_owned())],
        include: &include,
    };
    preprocess(&Source::new("a.sv", text), text.len(), &around)
}

fn words(text: &str) -> String {
    with(text, &[])
        .map(|done| done.text.split_whitespace().collect::<Vec<_>>().join(" "))
        .unwrap_or_else(|problems| format!("{:?}", problems.0[0].message))
}

#[test]
fn macros_stand_for_their_bodies_with_arguments_put_in() {
    assert_eq!(words("`define A b // c\n`A"), "b");
    assert_eq!(
        words("`define P(x, y=2) x + y\n`P(a) `P((a, b), {c, d})"),
        "a + 2 (a, b) + {c, d}"
    );
    assert_eq!(words("`define M(a) (a)\n`M(`M(1))"), "((1))");
    assert_eq!(words("`define N(x) p_``x``_q\n`N(3) `N()"), "p_3_q p__q");
    assert_eq!(
        words("`define S(x) `\"is x `\\`\"y`\\`\"`\"\n`S(a b)"),
        "\"is a b \\\"y\\\"\""
    );
    assert_eq!(words("`define B begin \\\n x; \\\n end\n`B"), "begin x; end");
    assert_eq!(words("`define A 1\n`undef A\n`ifdef A\nx\n`else\ny\n`endif"), "y");
    assert_eq!(words("\"`A\" // `A\n"), "\"`A\" // `A");
}

#[test]
fn parts_are_there_under_their_conditions() {
    assert_eq!(words("`ifdef FORMAL\na\n`else\nb\n`endif\nc"), "a c");
    assert_eq!(
        words("`ifdef X\na `Y\n`elsif FORMAL\nb\n`elsif FORMAL\nd\n`else\nc\n`endif"),
        "b"
    );
    assert_eq!(
        words("`ifdef X\n`ifdef FORMAL\na\n`else\nb\n`endif\n`endif c"),
        "c"
    );
    assert_eq!(
        words("`ifndef X\n`define X\na\n`endif\n`ifndef X\nb\n`endif"),
        "a"
    );
}

#[test]
fn lines_stay_where_they_are_and_places_are_the_users() {
    let text = "`define P(n, x) \\\n n: assert \\\n (x)\nmodule m; // one\n`P(p1,\n   a /* two\n*/ && b);\nc\n`ifdef X\nd\n`endif\ne\n";
    let done = with(text, &[]).expect("a text");
    let line = |word: &str, text: &str| {
        text.lines()
            .position(|line| line.split_whitespace().any(|one| one == word))
    };
    for word in ["module", "c", "e"] {
        assert_eq!(line(word, &done.text), line(word, text), "{word}: {}", done.text);
    }
    assert_eq!(done.text.lines().count(), text.lines().count());
    let place = |word: &str| {
        let at = done.text.find(word).expect("the word");
        let span = done.origins.of(Span::new(at, at + word.len()));
        &text[span.start..span.end]
    };
    assert_eq!(place("&&"), "&&");
    assert_eq!(place("p1"), "p1");
    assert!(place("assert").starts_with("`P(p1,") && place("assert").ends_with("&& b)"));
    assert_eq!(place("e\n"), "e\n");
}

#[test]
fn included_files_are_put_into_one_line() {
    let text = "x\n`include \"b.svh\"\n`OK y\n";
    let done = with(
        text,
        &[(
            "b.svh",
            "`ifndef B // guard\n`define B\n`timescale 1ns/1ps\n`define OK ok\nlogic q;\n`endif\n",
        )],
    );
    let done = done.expect("a text");
    let lines: Vec<&str> = done.text.lines().map(str::trim).collect();
    assert_eq!(lines, ["x", "logic q;", "ok y"]);
    let at = done.text.find("logic").expect("the file");
    let span = done.origins.of(Span::new(at, at + 5));
    assert_eq!(&text[span.start..span.end], "`include \"b.svh\"");
}

#[test]
fn what_is_wrong_is_told_at_its_place() {
    for (text, said, place) in [
        ("a `FORMALL b", "the macro `FORMALL` is not defined", "`FORMALL"),
        ("`define A `A\n`A", "uses itself", "`A"),
        ("`define A(x) x\n`A;", "`(` is expected", "`A"),
        (
            "`define A(x) x\n`A(1,2)",
            "has 1 argument, and 2 are given",
            "`A(1,2)",
        ),
        ("`define A(x,y) x\n`A(1)", "needs the argument `y`", "`A(1)"),
        ("`define A(x,y) x\n`A(1", "not closed", "("),
        ("x\n`ifdef A\ny", "no `endif`", "`ifdef"),
        ("`endif", "no `ifdef`", "`endif"),
        ("`include \"no.svh\"", "is not found", "`include \"no.svh\""),
        ("`include none", "the name of a file", "`include none"),
        ("`define (\n", "the name of a macro", "`define"),
    ] {
        let problems = with(text, &[]).expect_err(text);
        let problem = &problems.0[0];
        assert!(problem.message.contains(said), "{text}: {}", problem.message);
        let span = problem.span();
        assert!(text[span.start..].starts_with(place), "{text}: {span:?}");
    }
}

#[test]
fn damaged_texts_are_read_or_refused() {
    let text = "`define P(n, x=1) `\"n`\" n``_q \\\n x\n`ifdef A\n`P(a, (b))\n`elsif FORMAL `P(\"s\")\n`else\n`endif /* c */ // d\n\\esc `P(1,2)\n";
    for start in 0..text.len() {
        for length in [1, 3, 9] {
            let end = (start + length).min(text.len());
            let damaged = format!("{}{}", &text[..start], &text[end..]);
            if let Ok(done) = with(&damaged, &[]) {
                assert_eq!(
                    done.text.matches('\n').count(),
                    damaged.matches('\n').count(),
                    "{damaged}"
                );
            }
        }
    }
}

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn one<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// What a text uses of macros that are known there.
fn use_of(numbers: &mut Numbers, depth: u32) -> String {
    if depth == 0 {
        return numbers.one(&["x", "(y, z)", "1 + 2", "{a, b}", "w"]).to_owned();
    }
    let (one, other) = (use_of(numbers, depth - 1), use_of(numbers, depth - 1));
    match numbers.below(5) {
        0 => format!("`ONE({one})"),
        1 => format!("`TWO({one}, {other})"),
        2 => format!("`TWO ( {one} )"),
        3 => "`NONE".to_owned(),
        _ => format!("{one} - {other}"),
    }
}

/// A text with macros and conditions.
fn random_text(numbers: &mut Numbers) -> String {
    let mut text = String::from(
        "`define NONE n\n`define ONE(a) [a] ONE(a)\n`define TWO(a, b = NONE + 1) (a) \\\n  * b // said\n",
    );
    let mut open = Vec::new();
    for _ in 0..12 {
        match numbers.below(9) {
            0 => {
                text.push_str(numbers.one(&[
                    "`ifdef NONE\n",
                    "`ifndef NONE\n",
                    "`ifdef OTHER\n",
                    "`ifndef OTHER\n",
                ]));
                open.push(false);
            }
            1 if open.last() == Some(&false) => {
                text.push_str("`else\n");
                open.pop();
                open.push(true);
            }
            2 if open.last() == Some(&false) => text.push_str("`elsif NONE\n"),
            3 | 4 if open.pop().is_some() => text.push_str("`endif\n"),
            5 => text.push_str(numbers.one(&[
                "`define OTHER\n",
                "`undef OTHER\n",
                "`define NONE `ONE(2)\n",
                "`undef NONE\n`define NONE 3 /* c */ 4\n",
            ])),
            6 => text.push_str("\"`NONE\" // `NONE\n"),
            _ => {
                text.push_str(&use_of(numbers, 2));
                text.push_str(";\n");
            }
        }
    }
    text.push_str(&"`endif\n".repeat(open.len()));
    text
}

#[test]
fn texts_are_what_icarus_verilog_makes_of_them() {
    use std::process::Command;
    if !Command::new("iverilog")
        .arg("-V")
        .output()
        .is_ok_and(|said| said.status.success())
    {
        println!("skipped: needs iverilog");
        return;
    }
    let effort: u64 = std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let mut numbers = Numbers(1_800);
    let folder = std::env::temp_dir().join(format!("entail-preprocessor-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (from, to) = (folder.join("a.sv"), folder.join("b.sv"));
    let words = |text: &str| -> String {
        let kept = text.lines().filter(|line| !line.starts_with("`line"));
        let plain = kept.map(|line| line.split("//").next().unwrap_or("").replace("/* c */", " "));
        plain
            .collect::<Vec<String>>()
            .join(" ")
            .split_whitespace()
            .collect()
    };
    for _ in 0..40 * effort {
        let text = random_text(&mut numbers);
        std::fs::write(&from, &text).expect("written");
        let said = Command::new("iverilog")
            .arg("-g2012")
            .arg("-E")
            .arg("-o")
            .arg(&to)
            .arg(&from)
            .output();
        assert!(said.is_ok_and(|said| said.status.success()), "{text}");
        let theirs = std::fs::read_to_string(&to).expect("a text");
        let ours = with(&text, &[]).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
        assert_eq!(words(&ours.text), words(&theirs), "{text}");
        assert_eq!(ours.text.lines().count(), text.lines().count());
    }
    let _ = std::fs::remove_dir_all(&folder);
}
