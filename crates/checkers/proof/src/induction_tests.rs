//! Proofs that must be accepted and proofs that must be refused.

use crate::{Refusal, check_invariant};
use entail_budget::Budget;
use entail_evidence::Certificate;
use entail_model::{Hazard, Sort, TermId, TransitionSystem, VarId, VarKind};

/// A counter 0..7 that starts at 0 and adds 2 until it reaches 6, then starts again.
fn even_counter() -> (TransitionSystem, TermId) {
    let mut system = TransitionSystem::new();
    let x = system.add_variable("x", Sort::range(0, 7), VarKind::State);
    let (now, next) = (system.current(x), system.next(x));
    let terms = &mut system.terms;
    let (zero, two, six) = (terms.integer(0), terms.integer(2), terms.integer(6));
    let start = terms.equal(now, zero).expect("integers");
    let sum = terms.add(now, two).expect("integers");
    let at_end = terms.equal(now, six).expect("integers");
    let value = terms.ite(at_end, zero, sum).expect("integers");
    let step = terms.equal(next, value).expect("integers");
    system.init.push(start);
    system.transition.push(step);
    (system, now)
}

fn odd(system: &mut TransitionSystem, x: TermId) -> TermId {
    let terms = &mut system.terms;
    let two = terms.integer(2);
    let one = terms.integer(1);
    let remainder = terms.remainder(x, two).expect("integers");
    terms.equal(remainder, one).expect("integers")
}

fn certificate(system: &TransitionSystem, invariant: TermId) -> Certificate {
    Certificate {
        terms: system.terms.clone(),
        invariant,
    }
}

#[test]
fn an_inductive_invariant_is_accepted() {
    let (mut system, x) = even_counter();
    let odd = odd(&mut system, x);
    let even = system.terms.not(odd);
    let five = system.terms.integer(5);
    let safe = system.terms.differ(x, five).expect("integers");
    assert_eq!(
        check_invariant(&system, &certificate(&system, even), safe, &Budget::unlimited()),
        Ok(())
    );
}

#[test]
fn true_but_not_inductive_is_refused_with_the_reason() {
    let (mut system, x) = even_counter();
    let five = system.terms.integer(5);
    let not_five = system.terms.differ(x, five).expect("integers");
    let refused = check_invariant(
        &system,
        &certificate(&system, not_five),
        not_five,
        &Budget::unlimited(),
    );
    assert_eq!(refused, Err(Refusal::Consecution));
    let odd = odd(&mut system, x);
    let refused = check_invariant(
        &system,
        &certificate(&system, odd),
        not_five,
        &Budget::unlimited(),
    );
    assert_eq!(refused, Err(Refusal::Initiation));
    let everything = system.terms.truth(true);
    let refused = check_invariant(
        &system,
        &certificate(&system, everything),
        not_five,
        &Budget::unlimited(),
    );
    assert_eq!(refused, Err(Refusal::Safety));
}

#[test]
fn a_hazard_inside_the_invariant_is_refused() {
    let (mut system, x) = even_counter();
    let four = system.terms.integer(4);
    let condition = system.terms.equal(x, four).expect("integers");
    system.hazards.push(Hazard {
        condition,
        message: "four".into(),
        place: None,
    });
    let odd = odd(&mut system, x);
    let even = system.terms.not(odd);
    let refused = check_invariant(&system, &certificate(&system, even), even, &Budget::unlimited());
    assert_eq!(refused, Err(Refusal::Hazard("four".into())));
}

/// Two bits that change in step, an input, and "the bit that the input points at is the first".
fn twins() -> (TransitionSystem, TermId) {
    let mut system = TransitionSystem::new();
    let show = system.add_variable("show", Sort::Bool, VarKind::Input);
    let twins = ["a", "b"].map(|name| {
        let twin = system.add_variable(name, Sort::Bool, VarKind::State);
        let (now, next) = (system.current(twin), system.next(twin));
        let start = system.terms.not(now);
        let step = system.terms.equal(next, start).expect("truth values");
        system.init.push(start);
        system.transition.push(step);
        now
    });
    let show = system.current(show);
    let shown = system.terms.ite(show, twins[0], twins[1]).expect("truth values");
    let agree = system.terms.equal(shown, twins[0]).expect("truth values");
    (system, agree)
}

#[test]
fn an_invariant_about_inputs_is_claimed_for_all_of_them() {
    let (mut system, agree) = twins();
    let check = |system: &TransitionSystem, invariant| {
        check_invariant(
            system,
            &certificate(system, invariant),
            agree,
            &Budget::unlimited(),
        )
    };
    let [show, a, b] = [0, 1, 2].map(|id| system.current(VarId::new(id)));
    let same = system.terms.equal(a, b).expect("truth values");
    let inductive = system.terms.and([same, agree]);
    assert_eq!(check(&system, inductive), Ok(()));
    // Alone it is too weak: with an input that points at the first bit it says nothing about the second.
    assert_eq!(check(&system, agree), Err(Refusal::Consecution));
    // True for some inputs only: initially, or after a step.
    assert_eq!(check(&system, show), Err(Refusal::Initiation));
    let not_yet = system.terms.not(a);
    let sometimes = system.terms.or([show, not_yet]);
    let both = system.terms.and([sometimes, inductive]);
    assert_eq!(check(&system, both), Err(Refusal::Consecution));
}

#[test]
fn an_invariant_about_next_values_is_refused() {
    let (mut system, agree) = twins();
    let next = system.next(VarId::new(1));
    let refused = check_invariant(&system, &certificate(&system, next), agree, &Budget::unlimited());
    assert_eq!(refused, Err(Refusal::NotAboutStates));
}
