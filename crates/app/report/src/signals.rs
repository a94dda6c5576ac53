//! A trace as a table of signals over steps.
//!
//! Every view of a trace (text, waveforms, VCD) starts from this table: one signal a variable and, where asked, one a define;
//! a value or nothing at each step. It is made from a trace and its model, or from a saved trace alone.

use entail_evidence::Trace;
use entail_evidence::json::SavedTrace;
use entail_model::{Sort, TermId, TransitionSystem, Valuation, Value, VarKind, evaluate_with};
use serde_json::Value as Json;

/// What a signal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// A state variable.
    State,
    /// An input: its value at a step belongs to the transition from that step.
    Input,
    /// A frozen variable.
    Frozen,
    /// A define.
    Define,
}

/// A named value over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SignalKind,
    /// Its sort, where the model is known.
    pub sort: Option<Sort>,
    /// Whether its values are truth values.
    pub is_boolean: bool,
    /// Its value at each step, as text; nothing where it has none.
    pub values: Vec<Option<String>>,
    /// Its value at each step, where the model is known.
    pub exact: Vec<Option<Value>>,
}

impl Signal {
    /// Whether it has different values at different steps.
    pub fn changes(&self) -> bool {
        self.values.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// Whether its value at a step differs from the one before (the first step shows everything).
    pub fn changes_at(&self, step: usize) -> bool {
        step == 0 || self.values.get(step) != self.values.get(step - 1)
    }
}

/// A trace as signals.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalTable {
    /// The signals: variables in the model's order, then defines.
    pub signals: Vec<Signal>,
    /// Number of steps.
    pub steps: usize,
    /// Where the path goes on after the last step, if it is infinite.
    pub loop_start: Option<usize>,
}

impl SignalTable {
    /// The signals of a trace of a model; defines are evaluated where `defines` asks for them.
    pub fn of_trace(system: &TransitionSystem, trace: &Trace, defines: bool) -> SignalTable {
        let column = |values: Vec<Option<Value>>| -> (Vec<Option<String>>, Vec<Option<Value>>) {
            let texts = values
                .iter()
                .map(|value| value.as_ref().map(Value::to_string))
                .collect();
            (texts, values)
        };
        let mut signals: Vec<Signal> = Vec::new();
        for (position, variable) in system.variables().iter().enumerate() {
            let at = |step: &Vec<Option<Value>>| step.get(position).cloned().flatten();
            let (values, exact) = column(trace.steps.iter().map(at).collect());
            signals.push(Signal {
                name: variable.name.to_string(),
                kind: match variable.kind {
                    VarKind::State => SignalKind::State,
                    VarKind::Input => SignalKind::Input,
                    VarKind::Frozen => SignalKind::Frozen,
                },
                is_boolean: variable.sort == Sort::Bool,
                sort: Some(variable.sort.clone()),
                values,
                exact,
            });
        }
        if defines {
            // All defines at a step are evaluated together: they share most of what they are built from.
            let roots: Vec<TermId> = system.defines.iter().map(|define| define.term).collect();
            let cone = system.terms.cone(&roots);
            let mut columns: Vec<Vec<Option<Value>>> = vec![Vec::new(); roots.len()];
            for step in 0..trace.steps.len() {
                let valuation = match trace.successor(step) {
                    Some(next) => Valuation::step(&trace.steps[step], &trace.steps[next]),
                    None => Valuation::state(&trace.steps[step]),
                };
                let values = evaluate_with(&system.terms, &cone, valuation);
                for (root, cells) in roots.iter().zip(&mut columns) {
                    let place = cone.binary_search(root).ok();
                    cells.push(place.and_then(|place| values[place].clone()));
                }
            }
            for (define, cells) in system.defines.iter().zip(columns) {
                let (values, exact) = column(cells);
                let sort = system.terms.sort(define.term).clone();
                signals.push(Signal {
                    name: define.name.to_string(),
                    kind: SignalKind::Define,
                    is_boolean: sort == Sort::Bool,
                    sort: Some(sort),
                    values,
                    exact,
                });
            }
        }
        SignalTable {
            signals,
            steps: trace.steps.len(),
            loop_start: trace.loop_start,
        }
    }

    /// The signals of a saved trace, without its model: names in the order they first occur.
    pub fn of_saved(saved: &SavedTrace) -> SignalTable {
        let mut names: Vec<&String> = Vec::new();
        let mut known = rustc_hash::FxHashSet::default();
        for name in saved.steps.iter().flat_map(|step| step.keys()) {
            if known.insert(name) {
                names.push(name);
            }
        }
        let signals = names
            .into_iter()
            .map(|name| {
                let cells: Vec<Option<&Json>> = saved.steps.iter().map(|step| step.get(name)).collect();
                Signal {
                    name: name.clone(),
                    kind: if saved.inputs.contains(name) {
                        SignalKind::Input
                    } else {
                        SignalKind::State
                    },
                    sort: None,
                    is_boolean: cells.iter().flatten().all(|json| json.is_boolean()),
                    values: cells.iter().map(|json| json.map(json_text)).collect(),
                    exact: vec![None; saved.steps.len()],
                }
            })
            .collect();
        SignalTable {
            signals,
            steps: saved.steps.len(),
            loop_start: saved.loop_start,
        }
    }
}

/// A saved value as the model's language prints it.
fn json_text(json: &Json) -> String {
    match json {
        Json::Bool(true) => "TRUE".into(),
        Json::Bool(false) => "FALSE".into(),
        Json::String(text) => text.clone(),
        Json::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(json_text).collect();
            format!("[{}]", elements.join(", "))
        }
        other => other.to_string(),
    }
}
