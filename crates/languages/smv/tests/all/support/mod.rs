//! What the tests share: naive enumeration of small systems, and the place of the benchmark models.
use entail_model::{TermId, TransitionSystem, Valuation, Value, VarId, VarKind, evaluate_bool};
use entail_smv::SmvModel;
use entail_source::Source;
use std::path::PathBuf;

/// The model, which must be right.
pub fn read(text: &str) -> SmvModel {
    match entail_smv::read(&Source::new("m.smv", text)) {
        Ok(model) => model,
        Err(diagnostics) => panic!("{diagnostics}\n{text}"),
    }
}

/// The errors as `line:column code message`, one a line.
pub fn errors(text: &str) -> String {
    let source = Source::new("m.smv", text);
    match entail_smv::read(&source) {
        Ok(_) => "accepted".to_string(),
        Err(diagnostics) => {
            let lines: Vec<String> = diagnostics
                .0
                .iter()
                .map(|diagnostic| {
                    let place = source.place(diagnostic.span().start);
                    format!(
                        "{}:{} {} {}",
                        place.line, place.column, diagnostic.code, diagnostic.message
                    )
                })
                .collect();
            lines.join("\n")
        }
    }
}

type State = Vec<Option<Value>>;

fn valuations(system: &TransitionSystem, variables: &[VarId]) -> Vec<State> {
    let mut all = vec![system.blank()];
    for &variable in variables {
        let sort = &system.variable(variable).sort;
        all = all
            .into_iter()
            .flat_map(|state| {
                sort.values().map(move |value| {
                    let mut state = state.clone();
                    state[variable.index()] = Some(value);
                    state
                })
            })
            .collect();
    }
    all
}

fn holds(system: &TransitionSystem, conjuncts: &[TermId], valuation: Valuation<'_>) -> bool {
    conjuncts.iter().all(|&conjunct| {
        evaluate_bool(&system.terms, conjunct, valuation).expect("every variable has a value")
    })
}

/// A system with few states, spelled out.
pub struct Graph {
    pub initial: Vec<String>,
    pub steps: Vec<(String, String)>,
}

/// Enumerates the states and steps of a system from the definition, whole valuation by whole valuation. Only the
/// variables named are shown (all state variables if none is).
pub fn graph(system: &TransitionSystem, shown: &[&str]) -> Graph {
    let state_variables: Vec<VarId> = system.state_variables().collect();
    let inputs: Vec<VarId> = system.input_variables().collect();
    let show = |state: &State| {
        let parts: Vec<String> = state_variables
            .iter()
            .filter(|&&id| shown.is_empty() || shown.contains(&&*system.variable(id).name))
            .map(|&id| {
                state[id.index()]
                    .as_ref()
                    .expect("a state is complete")
                    .to_string()
            })
            .collect();
        parts.join(" ")
    };
    let states: Vec<State> = valuations(system, &state_variables)
        .into_iter()
        .filter(|state| holds(system, &system.invariant, Valuation::state(state)))
        .collect();
    let initial = states
        .iter()
        .filter(|state| holds(system, &system.init, Valuation::state(state)));
    let mut initial: Vec<String> = initial.map(&show).collect();
    let choices = valuations(system, &inputs);
    let mut steps = Vec::new();
    for from in &states {
        for to in &states {
            let frozen_kept = state_variables
                .iter()
                .all(|&id| system.variable(id).kind != VarKind::Frozen || from[id.index()] == to[id.index()]);
            let allowed = choices.iter().any(|choice| {
                let mut current = from.clone();
                for &input in &inputs {
                    current[input.index()] = choice[input.index()].clone();
                }
                holds(system, &system.transition, Valuation::step(&current, to))
            });
            if frozen_kept && allowed {
                steps.push((show(from), show(to)));
            }
        }
    }
    initial.sort();
    initial.dedup();
    steps.sort();
    steps.dedup();
    Graph { initial, steps }
}

/// The successors of a state of the graph.
pub fn successors<'g>(graph: &'g Graph, from: &str) -> Vec<&'g str> {
    graph
        .steps
        .iter()
        .filter(|(state, _)| state == from)
        .map(|(_, to)| to.as_str())
        .collect()
}

/// The folder of benchmark models, if it is there.
pub fn bench() -> Option<PathBuf> {
    let folder = match std::env::var_os("ENTAIL_BENCH") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/bench"),
    };
    let folder = folder.join("smv");
    if folder.is_dir() {
        Some(folder)
    } else {
        println!("skipped: no benchmark models at {}", folder.display());
        None
    }
}
