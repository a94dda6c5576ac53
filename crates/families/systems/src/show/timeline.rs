//! A trace as a timeline: a column for every variable, and where asked for every define.

use super::dress::{Dress, shown_words};
use crate::assertions::OWN;
use entail_evidence::Trace;
use entail_model::{Define, Sort, TermId, TransitionSystem, Valuation, Value, VarKind, evaluate_with};
use entail_show::{Column, ColumnKind, ColumnRole, StateKey, Timeline};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The timeline of a trace; `defines` says whether they are evaluated.
pub(crate) fn timeline(system: &TransitionSystem, trace: &Trace, defines: bool, dress: &Dress) -> Timeline {
    let mut columns: Vec<Column> = Vec::new();
    for (position, variable) in system.variables().iter().enumerate() {
        // Parts of monitors are no part of the design.
        if variable.name.contains(OWN) {
            continue;
        }
        let role = match variable.kind {
            VarKind::State => ColumnRole::State,
            VarKind::Input => ColumnRole::Input,
            VarKind::Frozen => ColumnRole::Frozen,
        };
        let values = (trace.steps.iter()).map(|step| step.get(position).and_then(Option::as_ref));
        let found = match &variable.sort {
            Sort::Array { element, .. } => {
                memory(&variable.name, role, element, &values.collect::<Vec<_>>(), dress)
            }
            sort => vec![column(&variable.name, role, sort, values, dress)],
        };
        columns.extend(found.into_iter().map(|mut column| {
            dress.put_on(&mut column, &variable.name);
            column
        }));
    }
    if defines && !system.defines.is_empty() {
        columns.extend(define_columns(system, trace, dress));
    }
    Timeline {
        columns,
        positions: trace.steps.len(),
        loop_start: trace.loop_start,
        keys: trace.steps.iter().map(|step| state_key(system, step)).collect(),
        ..Timeline::default()
    }
}

/// Identifies a state by the values of the state variables.
pub(crate) fn state_key(system: &TransitionSystem, state: &[Option<Value>]) -> StateKey {
    let mut hasher = FxHasher::default();
    for variable in system.state_variables() {
        state.get(variable.index()).hash(&mut hasher);
    }
    StateKey(hasher.finish())
}

fn column<'v>(
    name: &str,
    role: ColumnRole,
    sort: &Sort,
    values: impl Iterator<Item = Option<&'v Value>>,
    dress: &Dress,
) -> Column {
    let kind = match sort {
        Sort::Bool => ColumnKind::Boolean,
        Sort::Word { width, .. } => ColumnKind::Word(*width),
        sort if sort.is_integer() => ColumnKind::Integer,
        _ => ColumnKind::Text,
    };
    let mut column = Column::new(name, role, kind);
    column.type_text = Some(dress.type_text(sort));
    // Values are made text only where they change.
    let mut before: Option<&Value> = None;
    for (position, value) in values.enumerate() {
        if position == 0 || value != before {
            column.record(position, value.map(|value| dress.cell(value)));
        }
        before = value;
    }
    column
}

/// A memory as a column for each of its words.
fn memory(
    name: &str,
    role: ColumnRole,
    element: &Sort,
    values: &[Option<&Value>],
    dress: &Dress,
) -> Vec<Column> {
    let words = |value: &Option<&'_ Value>| match value {
        Some(Value::Array(words)) => Some(words.clone()),
        _ => None,
    };
    let contents: Vec<Option<Arc<[Value]>>> = values.iter().map(words).collect();
    let by_reference: Vec<Option<&Arc<[Value]>>> = contents.iter().map(Option::as_ref).collect();
    let word = |at: usize| {
        let values = contents.iter().map(|words| words.as_ref()?.get(at));
        column(&format!("{name}[{at}]"), role, element, values, dress)
    };
    shown_words(&by_reference).into_iter().map(word).collect()
}

/// All defines at a step are evaluated together: they share most of what they are built from.
fn define_columns(system: &TransitionSystem, trace: &Trace, dress: &Dress) -> Vec<Column> {
    let roots: Vec<TermId> = system.defines.iter().map(|define| define.term).collect();
    let cone = system.terms.cone(&roots);
    let mut values: Vec<Vec<Option<Value>>> = vec![Vec::with_capacity(trace.steps.len()); roots.len()];
    for step in 0..trace.steps.len() {
        let valuation = match trace.successor(step) {
            Some(next) => Valuation::step(&trace.steps[step], &trace.steps[next]),
            None => Valuation::state(&trace.steps[step]),
        };
        let found = evaluate_with(&system.terms, &cone, valuation);
        for (root, cells) in roots.iter().zip(&mut values) {
            let place = cone.binary_search(root).ok();
            cells.push(place.and_then(|place| found[place].clone()));
        }
    }
    let column_of = |(define, cells): (&Define, &Vec<Option<Value>>)| {
        let sort = system.terms.sort(define.term);
        let cells = cells.iter().map(Option::as_ref);
        let mut column = column(&define.name, ColumnRole::Define, sort, cells, dress);
        dress.put_on(&mut column, &define.name);
        column
    };
    system.defines.iter().zip(&values).map(column_of).collect()
}
