//! No text, however wrong, deep or large, makes the reader panic, overflow or dawdle.

use entail_source::Source;
use proptest::prelude::*;

fn read(text: &str) -> Result<entail_smv::SmvModel, entail_source::Diagnostics> {
    entail_smv::read(&Source::new("m.smv", text))
}

const SEEDS: &[&str] = &[
    "MODULE main VAR x : 0..3; ASSIGN init(x) := {0, 1}; next(x) := case x < 3 : x + 1; TRUE : 0; esac; SPEC AG EF x = 0",
    "MODULE main VAR a : array 0..2 of boolean; p : process M(a[0], self); MODULE M(b, c) ASSIGN next(b) := !c.a[1]; FAIRNESS running",
    "MODULE main VAR w : word[4]; s : signed word[4]; IVAR i : {a, b, 3}; FROZENVAR f : boolean; INVAR w[3:1] :: word1(f) = resize(w, 4) TRANS i = 3 -> next(w) = w << 1; LTLSPEC G (F [0,3] f | O w = 0ud4_3)",
    "MODULE main DEFINE t := [[1, 2], [3, 4]]; d := count(TRUE, e); e := t[0][1] in 1..3; VAR u.v : boolean; INVARSPEC d = 1 | u.v; COMPUTE MIN [u.v, e] -- done",
    "MODULE main VAR p : A; q : B(p); MODULE A VAR x : {on, off}; MODULE B(z) DEFINE z.y := z.x = on; ISA C MODULE C VAR k : boolean; SPEC A [k U !k] & E [k BU 1..2 k]",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn arbitrary_token_soup_never_panics(words in proptest::collection::vec(0usize..WORDS.len(), 0..120)) {
        let text: Vec<&str> = words.into_iter().map(|word| WORDS[word]).collect();
        let _ = read(&format!("MODULE main VAR x : 0..3; b : boolean; {}", text.join(" ")));
    }

    #[test]
    fn mutated_models_never_panic(seed in 0usize..SEEDS.len(), edits in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..4, 0usize..WORDS.len()), 1..6)) {
        let mut tokens: Vec<&str> = SEEDS[seed].split(' ').collect();
        for (at, action, word) in edits {
            if tokens.is_empty() {
                break;
            }
            let at = at.index(tokens.len());
            match action {
                0 => { tokens.remove(at); }
                1 => tokens.insert(at, WORDS[word]),
                2 => tokens[at] = WORDS[word],
                _ => { let other = (at * 7 + 3) % tokens.len(); tokens.swap(at, other); }
            }
        }
        let text = tokens.join(" ");
        if let Ok(mut model) = read(&text) {
            let printed = entail_smv::print(&model.system, &model.properties).expect("no array values");
            prop_assert!(read(&printed).is_ok(), "{}\n{}", text, printed);
            let _ = model.parse_property(&text, entail_logic::Logic::CtlStar);
        }
    }
}

const WORDS: &[&str] = &[
    "x",
    "b",
    "0",
    "1",
    "-3",
    "0ud4_3",
    "0sb2_10",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ":=",
    ";",
    ",",
    ".",
    "..",
    "=",
    "!=",
    "<",
    "+",
    "-",
    "*",
    "/",
    "mod",
    "<<",
    ">>",
    "::",
    "&",
    "|",
    "xor",
    "->",
    "<->",
    "!",
    "?",
    "in",
    "union",
    "case",
    "esac",
    "next",
    "init",
    "self",
    "TRUE",
    "FALSE",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "ASSIGN",
    "INIT",
    "TRANS",
    "INVAR",
    "SPEC",
    "LTLSPEC",
    "INVARSPEC",
    "COMPUTE",
    "FAIRNESS",
    "COMPASSION",
    "MODULE",
    "main",
    "ISA",
    "CONSTANTS",
    "process",
    "array",
    "of",
    "boolean",
    "word",
    "signed",
    "word1",
    "bool",
    "toint",
    "extend",
    "resize",
    "sizeof",
    "uwconst",
    "count",
    "abs",
    "min",
    "AG",
    "EX",
    "A",
    "E",
    "U",
    "G",
    "F",
    "X",
    "O",
    "H",
    "S",
    "T",
    "V",
    "BU",
    "EBF",
    "MIN",
    "IN",
    "NAME",
    "running",
    "p.q",
    "a[1]",
    "--",
    "/--",
    "\"",
    "PRED",
    "PSLSPEC",
    "R",
    "2147483647",
    "99999999999999999999",
    "0..1",
    "word[2]",
    "typeof",
    "1.5",
];

#[test]
fn a_hundred_thousand_parentheses_are_an_error_not_a_crash() {
    for (open, close) in [
        ("(", ")"),
        ("!", ""),
        ("- ", ""),
        ("{", "}"),
        ("next(", ")"),
        ("AG ", ""),
        ("case TRUE : ", "; esac"),
        ("TRUE ? ", " : TRUE"),
        ("A [ ", " U TRUE ]"),
    ] {
        let text = format!(
            "MODULE main SPEC {}TRUE{}",
            open.repeat(100_000),
            close.repeat(100_000)
        );
        let diagnostics = read(&text).expect_err("too deep");
        assert!(
            diagnostics.0[0].code == "smv::nesting",
            "{open}: {}",
            diagnostics.0[0].message
        );
    }
    for chain in [
        "x - ",
        "x = ",
        "TRUE -> ",
        "TRUE xor ",
        "w :: ",
        "TRUE U ",
        "1 union ",
    ] {
        let text = format!(
            "MODULE main VAR x : 0..1; w : word[1]; LTLSPEC {}1",
            chain.repeat(100_000)
        );
        assert!(read(&text).is_err(), "{chain}");
    }
    let dots = format!("MODULE main VAR x : boolean; SPEC x{}", ".x".repeat(100_000));
    assert!(read(&dots).is_err());
    let dimensions = format!(
        "MODULE main DEFINE d := {}1{};",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert!(read(&dimensions).is_err());
}

#[test]
fn deep_but_allowed_expressions_work() {
    let deep = 9_000;
    let text = format!(
        "MODULE main VAR x : boolean; INVARSPEC {}x{}",
        "(x | ! ".repeat(deep / 3),
        ")".repeat(deep / 3)
    );
    assert!(read(&text).is_ok());
    let chain: String = (1..20_000).map(|i| format!("d{} := !d{};", i - 1, i)).collect();
    let text = format!("MODULE main VAR d19999 : boolean; DEFINE {chain} INVARSPEC d0");
    assert!(read(&text).is_ok());
}

#[test]
fn long_chains_and_long_cases_are_not_deep() {
    let disjuncts: Vec<String> = (0..100_000)
        .map(|i| format!("(x = {} & y = {})", i % 50, i % 7))
        .collect();
    let text = format!(
        "MODULE main VAR x : 0..50; y : 0..6; TRANS {};",
        disjuncts.join(" | ")
    );
    // One term for each disjunct and each disjunction of the chain, and no more: the work is linear in the text.
    let model = read(&text).expect("it is a model");
    assert!(
        model.system.terms.len() < 110_000,
        "{} terms",
        model.system.terms.len()
    );
    let branches: String = (0..20_000)
        .map(|i| format!("x = {i} : {{{}, 0}};", (i + 1) % 20_000))
        .collect();
    let text = format!("MODULE main VAR x : 0..19999; ASSIGN next(x) := case {branches} TRUE : 0; esac;");
    assert!(read(&text).is_ok());
    let sum: Vec<&str> = vec!["toint(b)"; 20_000];
    assert!(
        read(&format!(
            "MODULE main VAR b : boolean; INVARSPEC {} < 5",
            sum.join(" + ")
        ))
        .is_ok()
    );
}

#[test]
fn explosive_hierarchies_and_arrays_are_refused() {
    let mut text = String::from("MODULE main VAR a : m0; b : m0;\n");
    for level in 0..40 {
        text += &format!("MODULE m{level} VAR a : m{0}; b : m{0};\n", level + 1);
    }
    text += "MODULE m40 VAR x : boolean;";
    assert!(read(&text).is_err());
    assert!(read("MODULE main VAR a : array 0..2000000000 of boolean;").is_err());
    assert!(read("MODULE main VAR a : array 0..9999 of array 0..9999 of boolean;").is_err());
    assert!(read("MODULE main VAR w : word[2000000000];").is_err());
    assert!(
        read("MODULE main VAR x : 0..2; INVARSPEC 2147483647 * 2147483647 * 2147483647 * x = 1").is_err()
    );
    assert!(read("MODULE main VAR x : 0..2; INVARSPEC -2147483647..2147483647 in {x}").is_err());
}

#[test]
fn parameters_given_in_terms_of_themselves_are_errors() {
    for text in [
        "MODULE main VAR p : M(p.c); MODULE M(c) VAR x : boolean; INVAR c;",
        "MODULE main VAR p : M(q.c); q : M(p.c); MODULE M(c) VAR x : boolean; INVAR c.x;",
        "MODULE main VAR p : M(p.c.c.c); MODULE M(c) DEFINE c.d := TRUE; ASSIGN next(c) := TRUE;",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn modules_that_inherit_from_each_other_are_an_error() {
    assert!(read("MODULE main ISA a MODULE a ISA b VAR x : boolean; MODULE b ISA a").is_err());
    assert!(read("MODULE main ISA main").is_err());
}

#[test]
fn models_can_move_between_threads() {
    fn movable<T: Send + Sync>() {}
    movable::<entail_smv::SmvModel>();
}

#[test]
fn garbage_of_fifty_megabytes_is_refused_with_a_few_errors_from_its_beginning() {
    let text = "\u{1}%garbage ".repeat(5 << 20);
    let errors = read(&text).expect_err("it is no model").0;
    assert!(errors.len() <= 100, "{} errors", errors.len());
    assert!(errors.iter().all(|error| error.span().end < 10_000));
}
