//! State machines as lists of steps.
//!
//! **Here:** [`read`], from a text to a transition system with its properties. **Not here:** deciding anything.

use entail_logic::{Logic, Property, Question};
use entail_model::{Sort, TermId, TransitionSystem, Value, VarKind};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use std::collections::BTreeSet;

/// A machine that has been read.
#[derive(Debug)]
pub struct FsmModel {
    /// The machine: one variable, `at`.
    pub system: TransitionSystem,
    /// Its properties.
    pub properties: Vec<Property<TermId>>,
}

/// Reads a machine, or says what is wrong with its text and where.
pub fn read(source: &Source) -> Result<FsmModel, Diagnostics> {
    let (mut first, mut steps, mut forbidden, mut problems) = (None, Vec::new(), Vec::new(), Vec::new());
    for (span, line) in source.lines() {
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["begin", state] => first = Some(*state),
            ["never", state] => forbidden.push(*state),
            [from, to] => steps.push((*from, *to)),
            _ => problems.push(
                Diagnostic::error("fsm::line", "this is not a line of a machine", span, "here")
                    .with_help("write `begin STATE`, `FROM TO` or `never STATE`"),
            ),
        }
    }
    let Some(first) = first else {
        let nowhere = Span::new(0, 0);
        problems.push(Diagnostic::error(
            "fsm::begin",
            "there is no `begin STATE`",
            nowhere,
            "in this file",
        ));
        return Err(Diagnostics(problems));
    };
    if !problems.is_empty() {
        return Err(Diagnostics(problems));
    }
    let ends = steps.iter().flat_map(|&(from, to)| [from, to]);
    let states: BTreeSet<&str> = ends.chain(forbidden.iter().copied()).chain([first]).collect();

    let mut system = TransitionSystem::new();
    let at = system.add_variable(
        "at",
        Sort::enumeration(states.into_iter().map(Value::symbol)),
        VarKind::State,
    );
    let (here, there) = (system.current(at), system.next(at));
    let terms = &mut system.terms;
    let mut is = |variable: TermId, state: &str| {
        let state = terms.constant(Value::symbol(state));
        terms.equal(variable, state).expect("both are states")
    };
    let init = is(here, first);
    let pairs: Vec<(TermId, TermId)> = steps
        .iter()
        .map(|&(from, to)| (is(here, from), is(there, to)))
        .collect();
    let bad: Vec<TermId> = forbidden.iter().map(|&state| is(here, state)).collect();
    let steps: Vec<TermId> = pairs
        .into_iter()
        .map(|(from, to)| terms.and([from, to]))
        .collect();
    let transition = terms.or(steps);
    let properties = forbidden.iter().zip(bad).map(|(state, bad)| Property {
        name: None,
        text: format!("never {state}"),
        logic: Logic::Invariant,
        question: Question::Invariant(terms.not(bad)),
    });
    let properties = properties.collect();
    system.init.push(init);
    system.transition.push(transition);
    Ok(FsmModel { system, properties })
}
