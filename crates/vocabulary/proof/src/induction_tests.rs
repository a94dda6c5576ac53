//! Proofs that must be accepted and proofs that must be refused.

use crate::{Refusal, check_invariant};
use entail_budget::Budget;
use entail_evidence::Certificate;
use entail_model::{Hazard, Sort, TermId, TransitionSystem, VarKind};

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

#[test]
fn an_invariant_about_inputs_is_refused() {
    let (mut system, _) = even_counter();
    let input = system.add_variable("i", Sort::Bool, VarKind::Input);
    let reads_input = system.current(input);
    let safe = system.terms.truth(true);
    let refused = check_invariant(
        &system,
        &certificate(&system, reads_input),
        safe,
        &Budget::unlimited(),
    );
    assert_eq!(refused, Err(Refusal::NotAboutStates));
}
