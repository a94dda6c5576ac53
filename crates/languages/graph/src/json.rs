//! Systems as JSON.
//!
//! ```json
//! {"states": 3, "initial": [0],
//!  "transitions": [[0, "coin", 1], [1, "tau", 2]],
//!  "propositions": {"p": [0, 1], "q": [2]}}
//! ```
//!
//! States are the numbers below `states`; a proposition lists the states where it holds. `edges` instead of `transitions` has pairs of states: a
//! Kripke structure, all of whose steps are hidden (see [`entail_model::Kripke`], which is written in the same way). Fairness has no meaning for
//! equivalences: a file with `justice` or `compassion` is refused.

use crate::Unreadable;
use entail_model::{Lts, LtsBuilder, StateId, TAU};
use entail_source::{Diagnostic, Source, Span};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    states: u64,
    #[serde(default)]
    initial: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    edges: Option<Vec<(u32, u32)>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    transitions: Option<Vec<(u32, Cow<'a, str>, u32)>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    propositions: Option<BTreeMap<Cow<'a, str>, Vec<u32>>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    justice: Option<&'a RawValue>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    compassion: Option<&'a RawValue>,
}

/// Reads a system.
pub fn read_json(source: &Source) -> Result<Lts, Unreadable> {
    read(source.text()).map_err(|problem| Unreadable {
        source: source.clone(),
        diagnostics: problem.within(source.text()).into(),
    })
}

fn read(text: &str) -> Result<Lts, Box<Diagnostic>> {
    let document: Document<'_> = serde_json::from_str(text).map_err(|error| {
        let at = offset(text, error.line(), error.column());
        let message = format!("not a system in JSON: {}", without_place(&error.to_string()));
        Diagnostic::error("json::form", message, Span::new(at.saturating_sub(1), at), "here")
            .with_help("the form is {\"states\": N, \"initial\": […], \"transitions\": [[FROM, \"ACTION\", TO], …], \"propositions\": {\"p\": […]}}; `edges` has pairs")
    })?;
    let at_value = |value: &RawValue| {
        let start = value.get().as_ptr() as usize - text.as_ptr() as usize;
        Span::new(start, start + value.get().len())
    };
    if let Some(fairness) = document.justice.or(document.compassion) {
        let message = "fairness has no meaning for equivalences of systems";
        return Err(
            Diagnostic::error("json::fairness", message, at_value(fairness), "this condition")
                .with_help("take it out, or make its set of states a proposition")
                .into(),
        );
    }
    if document.edges.is_some() == document.transitions.is_some() {
        let message = "a system has either `edges` or `transitions`";
        return Err(Diagnostic::error("json::form", message, Span::new(0, 1), "in this document").into());
    }
    if document.states > entail_model::MAX_STATES {
        let message = format!(
            "{} states are too many: at most {} are supported",
            document.states,
            entail_model::MAX_STATES
        );
        return Err(
            Diagnostic::error("json::too-large", message, Span::new(0, 1), "in this document").into(),
        );
    }
    let is_kripke = document.edges.is_some();
    let mut builder = LtsBuilder::new(document.states);
    for &state in &document.initial {
        builder.initial(StateId::new(state));
    }
    for (from, to) in document.edges.into_iter().flatten() {
        builder.transition(StateId::new(from), TAU, StateId::new(to));
    }
    builder.transitions(
        (document.transitions.iter().flatten()).map(|(from, action, to)| (*from, &**action, *to)),
    );
    if is_kripke || document.propositions.is_some() {
        let mut here: Vec<Vec<Arc<str>>> = vec![Vec::new(); document.states as usize];
        for (name, states) in document.propositions.iter().flatten() {
            let name: Arc<str> = Arc::from(&**name);
            for &state in states {
                match here.get_mut(state as usize) {
                    Some(set) => set.push(name.clone()),
                    None => return Err(misplaced(text, document.states).into()),
                }
            }
        }
        for (state, set) in here.into_iter().enumerate() {
            let colour = builder.colour(set);
            builder.paint(StateId::new(state as u32), colour);
        }
    }
    builder.build().map_err(|error| match error {
        entail_model::LtsError::UnknownState { .. } => misplaced(text, document.states).into(),
        error => Diagnostic::error(
            "json::structure",
            error.to_string(),
            Span::new(0, 1),
            "in this document",
        )
        .into(),
    })
}

/// Where a document mentions a state that does not exist.
fn misplaced(text: &str, states: u64) -> Diagnostic {
    #[derive(Deserialize)]
    struct Places<'a> {
        #[serde(borrow, default)]
        initial: Vec<&'a RawValue>,
        #[serde(borrow, default)]
        edges: Vec<Vec<&'a RawValue>>,
        #[serde(borrow, default)]
        transitions: Vec<Vec<&'a RawValue>>,
        #[serde(borrow, default)]
        propositions: BTreeMap<Cow<'a, str>, Vec<&'a RawValue>>,
    }
    let places: Option<Places<'_>> = serde_json::from_str(text).ok();
    let wrong = places.and_then(|places| {
        let in_steps = places.edges.into_iter().chain(places.transitions).flatten();
        (places.initial.into_iter().chain(in_steps))
            .chain(places.propositions.into_values().flatten())
            .find(|value| value.get().parse::<u64>().is_ok_and(|state| state >= states))
    });
    let (span, state) = wrong.map_or((Span::new(0, 1), "a state"), |value| {
        let start = value.get().as_ptr() as usize - text.as_ptr() as usize;
        (Span::new(start, start + value.get().len()), value.get())
    });
    let message = match states {
        0 => "a system needs at least one state".to_owned(),
        _ => format!("state {state} does not exist: the states are 0 to {}", states - 1),
    };
    Diagnostic::error("json::state", message, span, "this state")
}

/// The byte at a line and a column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    (start + column).min(text.len())
}

/// A message of serde's without the place, which is shown otherwise.
fn without_place(message: &str) -> &str {
    message
        .rsplit_once(" at line ")
        .map_or(message, |(message, _)| message)
}

/// Writes a system: with `edges` if all its steps are hidden and its states have propositions, otherwise with `transitions`.
pub fn write_json(lts: &Lts) -> String {
    let number = |state: StateId| state.index() as u32;
    let is_kripke = lts.is_coloured() && lts.transitions().all(|step| step.action == TAU);
    let propositions = lts.is_coloured().then(|| {
        let mut states: BTreeMap<Cow<'_, str>, Vec<u32>> = BTreeMap::new();
        // Propositions that hold nowhere are not known any more.
        for state in lts.states() {
            for name in lts.propositions(state) {
                states.entry(Cow::from(&**name)).or_default().push(number(state));
            }
        }
        states
    });
    let document = Document {
        states: lts.state_count() as u64,
        initial: lts.initial().iter().copied().map(number).collect(),
        edges: is_kripke.then(|| {
            lts.transitions()
                .map(|step| (number(step.from), number(step.to)))
                .collect()
        }),
        transitions: (!is_kripke).then(|| {
            let name = |action| Cow::from(&**lts.action_name(action));
            let steps = lts.transitions();
            steps
                .map(|step| (number(step.from), name(step.action), number(step.to)))
                .collect()
        }),
        propositions,
        justice: None,
        compassion: None,
    };
    serde_json::to_string(&document).expect("numbers, lists and names are JSON")
}
