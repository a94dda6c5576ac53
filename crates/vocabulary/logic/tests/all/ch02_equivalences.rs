//! Chapter 2, example E4: equivalences of LTL with past, checked on every short ultimately periodic word.

use crate::lasso;
use entail_logic::{Formula, parse};
use lasso::{Lasso, holds, holds_at, short_lassos};

fn formula(text: &str) -> Formula<String> {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn equivalent(left: &str, right: &str, words: &[Lasso]) -> bool {
    let (left, right) = (formula(left), formula(right));
    words.iter().all(|word| holds(&left, word) == holds(&right, word))
}

fn over(atoms: &[&'static str]) -> Vec<Lasso> {
    short_lassos(atoms, if atoms.len() > 2 { 3 } else { 4 })
}

#[test]
fn response_has_a_past_form_that_is_equivalent_but_not_globally() {
    let (future, past) = ("G (p -> F q)", "G F !(!q S (!q & p))");
    assert!(equivalent(future, past, &over(&["p", "q"])));
    let word = Lasso::new(&[&["p"]], &[&[]]);
    assert!(holds_at(&formula(future), &word, 1));
    assert!(!holds_at(&formula(past), &word, 1));
}

#[test]
fn precedence_can_be_said_with_once_or_with_weak_until() {
    let words = over(&["grant", "request"]);
    assert!(equivalent("G (grant -> O request)", "!grant W request", &words));
}

#[test]
fn staying_until_is_a_property_of_single_steps() {
    let words = over(&["p", "q"]);
    assert!(equivalent("G ((p & !q) -> X (p | q))", "G (p -> p W q)", &words));
    assert!(equivalent("G (p -> G p)", "G (p -> X p)", &words));
}

#[test]
fn weak_until_does_not_associate() {
    let (right, left) = (formula("p W (q W r)"), formula("(p W q) W r"));
    let word = Lasso::new(&[&["p"], &["r"]], &[&[]]);
    assert!(holds(&right, &word) && !holds(&left, &word));
}

#[test]
fn the_light_and_call_formulas_differ_at_the_beginning_only() {
    let words: Vec<Lasso> = over(&["light", "call"])
        .into_iter()
        .filter(|word| holds(&formula("G !(light & call)"), word))
        .collect();
    let (past, step) = ("G (light -> light S call)", "G (X light -> (light | call))");
    assert!(!equivalent(past, step, &words));
    let always_light = Lasso::new(&[], &[&["light"]]);
    assert!(!holds(&formula(past), &always_light) && holds(&formula(step), &always_light));
    let dark_first: Vec<Lasso> = words
        .into_iter()
        .filter(|word| holds(&formula("!light"), word))
        .collect();
    assert!(equivalent(past, step, &dark_first));
}

#[test]
fn next_and_finally_commute_and_until_is_dual_to_weak_until() {
    let words = over(&["p", "q"]);
    assert!(equivalent("X F p", "F X p", &words));
    assert!(equivalent("p U q", "!(!q W (!p & !q))", &words));
    assert!(equivalent("p W q", "p U q | G p", &words));
    assert!(equivalent("p M q", "q U (p & q)", &words));
    assert!(equivalent("p V q", "!(!p U !q)", &words));
    assert!(equivalent("p T q", "!(!p S !q)", &words));
}
