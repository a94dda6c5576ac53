//! Assertions whose letters are lines of a circuit, watched: each has its monitor, and one for its antecedent, so that an assertion whose antecedent never matches can be told.

use crate::asked::AskedAssertion;
use crate::attempt_values::LocalPart;
use crate::monitors::{add_monitor, add_signal, described};
use entail_btor2::{Btor2, LineIndex};
use entail_logic::{Assertion, Guard};
use entail_source::Diagnostic;
use entail_systemverilog::Directive;
use std::sync::Arc;

/// What stands before the name of an assertion in the name of the signal that says that its antecedent has matched.
pub(crate) const MATCHED: &str = "entail$matched$";

/// Assertions with their monitors.
#[derive(Default)]
pub(crate) struct Watched {
    pub(crate) asked: Vec<AskedAssertion>,
    /// Assertions without what follows their antecedents: a violation of one shows that the antecedent matches.
    pub(crate) premises: Vec<AskedAssertion>,
    /// Those whose monitors would be too large, with their numbers.
    pub(crate) too_large: Vec<(usize, AskedAssertion, Diagnostic)>,
}

/// Adds the monitors of assertions, each with a number of its own and the lines of its letters; those of antecedents have the numbers from `next` on.
pub(crate) fn watch(
    circuit: &mut Btor2,
    assertions: Vec<(usize, AskedAssertion, Vec<LineIndex>)>,
    next: usize,
) -> Watched {
    let mut watched = Watched::default();
    let mut waiting = Vec::new();
    for (number, mut one, atoms) in assertions {
        match add_monitor(circuit, &one, &atoms, number) {
            Ok(goal) => one.monitor = described(circuit, &atoms, number, goal),
            Err(problem) => {
                watched.too_large.push((number, one, problem));
                continue;
            }
        }
        if let Some(premise) = premise(&one) {
            waiting.push((premise, atoms));
        }
        watched.asked.push(one);
    }
    for (place, (mut premise, atoms)) in waiting.into_iter().enumerate() {
        let number = next + place;
        if let Some(matched) = add_signal(circuit, &premise, &atoms, number) {
            premise.monitor = described(circuit, &atoms, number, Some(matched));
            watched.premises.push(premise);
        }
    }
    watched
}

/// An assertion without what follows its antecedent, if it has one.
fn premise(asked: &AskedAssertion) -> Option<AskedAssertion> {
    if asked.directive != Directive::Assert {
        return None;
    }
    let locals = match &asked.locals {
        None => None,
        Some(part) => Some(LocalPart {
            assertion: without_consequent(&part.assertion)?,
            ..part.clone()
        }),
    };
    Some(AskedAssertion {
        name: format!("{MATCHED}{}", asked.name),
        assertion: Some(without_consequent(asked.assertion.as_ref()?)?),
        monitor: None,
        locals,
        ..asked.clone()
    })
}

/// The assertion with `false` in the place of what follows the first antecedent that all attempts begin with.
fn without_consequent(assertion: &Assertion<usize>) -> Option<Assertion<usize>> {
    Some(match assertion {
        Assertion::Implication { antecedent, .. } => Assertion::Implication {
            antecedent: antecedent.clone(),
            consequent: Arc::new(Assertion::guard(Guard::Constant(false))),
        },
        Assertion::Abort {
            condition,
            accept: true,
            body,
        } => Assertion::Abort {
            condition: condition.clone(),
            accept: true,
            body: Arc::new(without_consequent(body)?),
        },
        // `always`, and attempts at ticks only.
        Assertion::Until {
            left,
            right,
            strong: false,
        } if right.as_guard() == Some(&Guard::Constant(false)) => without_consequent(left)?.always(),
        Assertion::Or(tick, body) if tick.as_guard().is_some() => {
            Assertion::Or(tick.clone(), Arc::new(without_consequent(body)?))
        }
        _ => return None,
    })
}
