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

fn formula(text: &str) -> std::result::Result<Assertion<String>, Diagnostic> {
    read_formula(text, &mut |text: &str, _| Ok(Guard::Atom(text.to_owned())))
}

#[test]
fn in_formulas_operators_of_one_letter_bind_tighter_than_connectives() {
    let same = |one: &str, other: &str| assert_eq!(formula(one).expect(one), formula(other).expect(other));
    same("G a & {b}", "(G a) & {b}");
    same("a U b | {c}", "(a U b) | {c}");
    same("G a U b", "(G a) U b");
    same("a U b U c", "a U (b U c)");
    same("a -> b -> {c}", "a -> (b -> {c})");
    same("{a} & b xor {c}", "({a} & b) xor {c}");
    same("{a}! M b", "b U (b & {a}!)");
    same("{a;b}[]-> c", "{a;b} |-> c");
    same("{a;b}<>=> c U a | b", "!({a;b} |=> !((c U a) | b))");
    same("{a & b xor c -> d}", "{{{a & b} xor c} -> d}");
    same("{a[:*2]}", "{a:{a:1}}");
    same("{{a;b}[:*0..1]}", "{1|{{a;b}:1}}");
    assert!(matches!(
        formula("{first_match(a[*1..2];b)}"),
        Ok(Assertion::Sequence { sequence, .. }) if matches!(&*sequence, Sequence::FirstMatch(_))
    ));
    assert_eq!(
        formula("{{a;b}[:*]}").expect_err("no end").code,
        "psl::unsupported"
    );
    // In PSL itself `G` is `always`, and `M` is a name.
    assert_eq!(parsed("G a & {b}"), parsed("G (a & {b})"));
    assert!(parsed("M & {b}").is_ok() && parsed("{a}<>-> c").is_err());
}
