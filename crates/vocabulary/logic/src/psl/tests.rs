use super::*;
use crate::Sequence;

fn parsed(text: &str) -> std::result::Result<Assertion<String>, Diagnostic> {
    read(text, &mut |text: &str, _| Ok(Guard::Atom(text.to_owned())))
}

#[test]
fn a_suffix_implication_has_a_sequence_and_a_property() {
    let Ok(Assertion::Implication {
        antecedent,
        consequent,
    }) = parsed("{a;b[*3]}|->c")
    else {
        panic!("an implication");
    };
    assert!(matches!(&*antecedent, Sequence::Concatenation(..)));
    assert_eq!(consequent.as_guard(), Some(&Guard::Atom("c".to_owned())));
    assert_eq!(parsed("{a;b[*3..3]}(c)"), parsed("{ a ; b [* 3 : 3] } |-> c"));
}

#[test]
fn expressions_are_handed_on_as_they_stand() {
    let atom = |text: &str| Some(Guard::Atom(text.to_owned()));
    let guard = |text: &str| parsed(text).ok().and_then(|one| one.as_guard().cloned());
    assert_eq!(guard("!x = y"), atom("!x = y"));
    assert_eq!(guard("(a | b) & c in {1, 2}").map(|_| ()), None);
    assert_eq!(guard("c in {1, 2}"), atom("c in {1, 2}"));
    assert_eq!(guard("p.q[3] = -1"), atom("p.q[3] = -1"));
    assert!(parsed("x-y -> always z").is_ok());
}

#[test]
fn operators_are_what_their_definitions_say() {
    let same = |one: &str, other: &str| assert_eq!(parsed(one).expect(one), parsed(other).expect(other));
    same("never {a;b}", "always !{a;b}");
    same("a until! b", "a U b");
    same("a until b", "a W b");
    same("next a", "X a");
    same("eventually! {a;b}", "F ({a;b}!)");
}

#[test]
fn wrong_text_is_an_error_with_a_place() {
    for text in [
        "",
        "{a",
        "{a;}",
        "{a[*3:1]}",
        "always",
        "a until",
        "{a}[->2]",
        "next_a[1:inf] b",
        "a b c )",
        "{a} |->",
    ] {
        let problem = parsed(text).expect_err(text);
        assert!(problem.span().end <= text.len(), "{text}");
    }
    assert!(parsed(&"(".repeat(100_000)).is_err());
    assert!(parsed(&"{".repeat(100_000)).is_err());
    assert!(parsed(&"always ".repeat(100_000)).is_err());
}
