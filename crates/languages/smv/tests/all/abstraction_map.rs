//! Abstraction maps: what they say, and what is wrong with them.

use entail_model::{Sort, VarKind};
use entail_smv::{AbstractionMap, MapMode, SmvModel, read, read_abstraction_map};
use entail_source::{Diagnostics, Source};

const MODEL: &str = "
MODULE cell(put)
VAR full : boolean;
ASSIGN next(full) := put;
MODULE main
IVAR i : boolean;
VAR x : -4..4; w : unsigned word[3]; p : cell(i); a : array 0..1 of boolean; colour : {red, green};
DEFINE big := x > 2; seen := i & big;
";

fn model() -> SmvModel {
    read(&Source::new("model", MODEL)).expect("a model")
}

fn map(text: &str) -> Result<(AbstractionMap, SmvModel), Diagnostics> {
    let mut model = model();
    let SmvModel { scope, system, .. } = &mut model;
    let map = read_abstraction_map(&Source::new("map", text), scope, system)?;
    Ok((map, model))
}

fn names(text: &str) -> Vec<String> {
    let (map, _) = map(text).expect(text);
    map.abstraction
        .observations
        .iter()
        .map(|seen| seen.name.to_string())
        .collect()
}

/// The first error: its message, its help, and the text it underlines.
fn problem(text: &str) -> (String, String) {
    let diagnostics = map(text).expect_err(text);
    let first = &diagnostics.0[0];
    let place = first.span();
    (first.message.clone(), text[place.start..place.end].to_owned())
}

#[test]
fn observations_are_variables_conditions_and_classes() {
    assert_eq!(
        names("visible x, p.full, a; visible big;"),
        ["x", "p.full", "a[0]", "a[1]", "big"]
    );
    assert_eq!(
        names("predicate x < 2; -- a comment; with ; in it\npredicate low := x < 0;"),
        ["x < 2", "low"]
    );
    assert_eq!(
        names("predicate case x < 0 : TRUE; TRUE : colour in {red}; esac;"),
        ["case x < 0 : TRUE; TRUE : colour in {red}; esac"]
    );
    assert_eq!(names("hidden w, a;"), ["x", "p.full", "colour"]);
    assert_eq!(
        names(
            "map x { low: x < 0; high: x >= 0; } map kind := colour { stop: colour = red; go: colour != red }"
        ),
        ["x", "kind"]
    );
    assert_eq!(
        names("map x by sign; map w by parity; map x by modulo 3; map r := x by ranges -4..0, 1..4;"),
        ["x", "w", "x mod 3", "r"]
    );
    let (map, model) = map("map x by sign;").expect("a map");
    let sort = model.system.terms.sort(map.abstraction.observations[0].term);
    assert!(matches!(sort, Sort::Enum(values) if values.len() == 3), "{sort}");
    assert_eq!(model.system.input_variables().count(), 1);
    assert!(
        model
            .system
            .state_variables()
            .all(|id| model.system.variable(id).kind == VarKind::State)
    );
}

#[test]
fn settings_are_read() {
    let (map, _) = map("mode may; relation approximated; states reachable; split one;").expect("a map");
    assert_eq!(map.mode, Some(MapMode::May));
    assert!(map.approximated && map.reachable && map.split_one);
    let (map, _) = self::map("mode three-valued; relation exact; states all; split all;").expect("a map");
    assert_eq!(map.mode, Some(MapMode::ThreeValued));
    assert!(!map.approximated && !map.reachable && !map.split_one);
    assert_eq!(
        self::map("")
            .expect("nothing is a map")
            .0
            .abstraction
            .observations,
        []
    );
}

#[test]
fn mistakes_have_their_place() {
    for (text, message, place) in [
        ("visible x, z;", "the model has no variable or define `z`", "z"),
        ("visible i;", "`i` is an input", "i"),
        ("visible seen;", "depends on the input `i`", "seen"),
        ("predicate x < y;", "y", "y"),
        ("predicate x + 1;", "", "x + 1"),
        ("predicate i & x < 0;", "depends on the input `i`", "i & x < 0"),
        (
            "predicate next(x) = 0;",
            "depends on the next value of `x`",
            "next(x) = 0",
        ),
        ("predicate G x < 0;", "", "G x < 0"),
        ("observe x;", "`observe` begins no declaration", "observe"),
        ("mode sometimes;", "`sometimes` is no mode", "sometimes"),
        ("map colour by sign;", "`colour` is no number", "colour"),
        ("map x by size;", "there is no map by `size`", "by size"),
        ("map x by modulo 0;", "`0` is no modulus", "by modulo 0"),
        ("map x by ranges 3..1;", "`3..1` is no range", "by ranges 3..1"),
        ("map x;", "`by` or a block of classes is expected", "x"),
        ("map a { low: TRUE; }", "`a` is an array", "a"),
        ("map x { x < 0; }", "the name of a class is expected", "x < 0"),
        (
            "map x { low: x < 0; low: x > 0; }",
            "two classes `low`",
            "low: x > 0",
        ),
        ("map x { }", "has no classes", "x"),
        ("map x { low: x < 0;", "this block is never closed", "{"),
        ("visible x", "a declaration ends with `;`", "visible x"),
        ("visible ;", "a name is expected", "visible"),
        ("§;", "begins no declaration", "§"),
    ] {
        let (found, at) = problem(text);
        assert!(found.contains(message), "{text}: {found}");
        assert_eq!(at, place, "{text}: {found}");
    }
}

#[test]
fn no_text_makes_the_reader_panic() {
    let pieces = [
        "map",
        "x",
        "{",
        "}",
        ";",
        ":",
        ":=",
        "by",
        "ranges",
        "1..",
        "visible",
        "case",
        "esac",
        "ä",
        "--",
        "\n",
        "predicate",
        "(",
    ];
    let mut seed = 7u64;
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..8 {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
            text.push(' ');
        }
        if let Err(diagnostics) = map(&text) {
            for diagnostic in diagnostics.0 {
                for label in diagnostic.labels {
                    assert!(
                        text.get(label.span.start..label.span.end).is_some(),
                        "{text:?} {label:?}"
                    );
                }
            }
        }
    }
}
