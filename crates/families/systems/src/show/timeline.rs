//! A trace as a timeline: a column for every variable, and where asked for every define.

use crate::assertions::OWN;
use entail_evidence::Trace;
use entail_model::{Define, Sort, TermId, TransitionSystem, Valuation, Value, VarKind, evaluate_with};
use entail_show::{Cell, Column, ColumnKind, ColumnRole, StateKey, Timeline};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The timeline of a trace; `defines` says whether they are evaluated.
pub(crate) fn timeline(system: &TransitionSystem, trace: &Trace, defines: bool) -> Timeline {
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
        columns.push(column(&variable.name, role, &variable.sort, values));
    }
    if defines && !system.defines.is_empty() {
        columns.extend(define_columns(system, trace));
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
) -> Column {
    let kind = match sort {
        Sort::Bool => ColumnKind::Boolean,
        Sort::Word { width, .. } => ColumnKind::Word(*width),
        sort if sort.is_integer() => ColumnKind::Integer,
        _ => ColumnKind::Text,
    };
    let mut column = Column::new(name, role, kind);
    column.type_text = Some(sort.to_string());
    // Values are made text only where they change.
    let mut before: Option<&Value> = None;
    for (position, value) in values.enumerate() {
        if position == 0 || value != before {
            column.record(position, value.map(cell));
        }
        before = value;
    }
    column
}

fn cell(value: &Value) -> Cell {
    let bits = match value {
        Value::Word(word) => {
            let bits = (0..word.width())
                .rev()
                .map(|bit| if word.bit(bit) { '1' } else { '0' });
            Some(Arc::from(bits.collect::<String>()))
        }
        _ => None,
    };
    Cell {
        text: Arc::from(value.to_string()),
        bits,
    }
}

/// All defines at a step are evaluated together: they share most of what they are built from.
fn define_columns(system: &TransitionSystem, trace: &Trace) -> Vec<Column> {
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
        column(&define.name, ColumnRole::Define, sort, cells)
    };
    system.defines.iter().zip(&values).map(column_of).collect()
}
