//! Evidence written as JSON.

use super::seal::sealed;
use super::term_list;
use super::value::value_to_json;
use crate::{
    AbstractProof, Abstracted, Because, Certificate, DeadEnds, Evidence, Explanation, Notation, Outcome,
    PathWitness, Predicates, Searched, Trace,
};
use entail_logic::{Formula, Property, Question};
use entail_model::{Sort, TermId, TransitionSystem, Value, VarKind};
use serde_json::{Map, Value as Json, json};

/// The name of a dead-end policy.
pub fn dead_ends_name(dead_ends: DeadEnds) -> &'static str {
    match dead_ends {
        DeadEnds::Infinite => "infinite",
        DeadEnds::Maximal => "maximal",
        DeadEnds::Stutter => "stutter",
        DeadEnds::Error => "error",
    }
}

/// The document of an answer, sealed and pretty-printed. `model` and `language` are what reports call the model and its language.
pub fn save(
    system: &TransitionSystem,
    model_and_language: (&str, &str),
    property: &Property<TermId>,
    outcome: &Outcome,
    dead_ends: DeadEnds,
    engine: &str,
) -> String {
    let document = document(system, model_and_language, property, outcome, dead_ends, engine);
    sealed(document)
}

/// The document of an answer.
pub fn document(
    system: &TransitionSystem,
    (model, language): (&str, &str),
    property: &Property<TermId>,
    outcome: &Outcome,
    dead_ends: DeadEnds,
    engine: &str,
) -> Json {
    let mut document = json!({
        "entail": env!("CARGO_PKG_VERSION"),
        "format": "entail-evidence",
        "model": model,
        "language": language,
        "property": {"name": property.name, "formula": property.text, "logic": property.logic.name()},
        "engine": engine,
        "dead_ends": dead_ends_name(dead_ends),
        "evidence": match &outcome.evidence {
            Some(evidence) => saved_evidence(system, &property.question, evidence),
            None => json!({"kind": "none"}),
        },
    });
    if let Json::Object(map) = &mut document {
        map.extend(outcome.to_json());
    }
    document
}

/// Evidence as it is saved: what reports show, and for certificates all that is needed to check them again
/// ([`super::evidence_from_json`] reads it).
pub fn saved_evidence(system: &TransitionSystem, question: &Question<TermId>, evidence: &Evidence) -> Json {
    let mut json = evidence_to_json(system, evidence);
    let mut add = |key: &str, certificate: &Certificate| {
        if let Some(nodes) = term_list::to_json(system, certificate) {
            json[key] = nodes;
        }
    };
    match evidence {
        Evidence::Invariant(certificate) => add("nodes", certificate),
        Evidence::Liveness(certificate) => {
            add("nodes", &certificate.invariant);
            if let Some(hazards) = &certificate.hazards {
                add("hazards", hazards);
            }
        }
        Evidence::Fixpoints(proof) => {
            if let Some(hazards) = &proof.hazards {
                add("hazards", hazards);
            }
            super::fixpoints::add_to(&mut json, system, proof);
        }
        Evidence::Abstraction(AbstractProof { abstraction, proof }) => {
            // The proof speaks of the abstract system's variables.
            if let Ok(asked) = abstraction.question(system, question, DeadEnds::Infinite) {
                json["proof"] = saved_evidence(&asked.system, &asked.question, proof);
            }
            if let Abstracted::Observed(predicates) = abstraction {
                json["nodes"] = each(predicates)
                    .map(|one| term_list::to_json(system, &one))
                    .collect();
            }
        }
        Evidence::Closed(set) => json["set"] = set.to_text().into(),
        Evidence::Ranked(set) => {
            json["set"] = set.states().to_text().into();
            json["ranks"] = set.ranks_to_text().into();
        }
        Evidence::Trace(_) | Evidence::Explanation(_) | Evidence::Exhaustive(_) | Evidence::Modal(_) => {}
    }
    json
}

/// Evidence as the value of the key `evidence` in reports.
pub fn evidence_to_json(system: &TransitionSystem, evidence: &Evidence) -> Json {
    match evidence {
        Evidence::Trace(trace) => json!({"kind": path_kind(trace), "trace": trace_to_json(system, trace)}),
        Evidence::Explanation(tree) => match &tree.because {
            // The reason is one path: the plain form that other tools expect. The tree says which formula it is about.
            Because::Path(PathWitness { trace, notes }) if notes.is_empty() => {
                json!({"kind": path_kind(trace), "explains": tree_head(system, tree), "trace": trace_to_json(system, trace)})
            }
            _ => json!({"kind": "tree", "tree": tree_to_json(system, tree, &tree.formula)}),
        },
        Evidence::Exhaustive(claim) => {
            let searched = match claim.searched {
                Searched::Model => "model",
                Searched::Cone => "cone",
            };
            json!({"kind": "exhaustive", "states": claim.states, "satisfying": claim.satisfying, "searched": searched})
        }
        Evidence::Closed(set) => json!({"kind": "closed-set", "states": set.len()}),
        Evidence::Ranked(set) => {
            json!({"kind": "ranked-set", "states": set.states().len(), "pairs": set.ranks()})
        }
        Evidence::Invariant(certificate) => {
            json!({"kind": "invariant", "formula": term_text(system, certificate)})
        }
        Evidence::Liveness(certificate) => {
            let formula = term_text(system, &certificate.invariant);
            json!({"kind": "k-liveness", "bound": certificate.bound, "formula": formula})
        }
        Evidence::Fixpoints(proof) => {
            let stages = (proof.operators.iter().chain(&proof.unfair).chain(&proof.fair))
                .flat_map(|set| &set.progress)
                .map(|progress| progress.stages.len());
            let stages: usize = stages.sum();
            json!({"kind": "fixpoints", "monitored": proof.monitored, "sets": proof.operators.len(), "stages": stages})
        }
        Evidence::Abstraction(AbstractProof { abstraction, proof }) => {
            let mut json = json!({"kind": "abstraction"});
            match abstraction {
                Abstracted::Weakened(kept) => {
                    json["proof"] = evidence_to_json(system, proof);
                    json["kept"] = json!({"init": kept.init, "invariant": kept.invariant, "transition": kept.transition});
                }
                Abstracted::Observed(predicates) => {
                    json["predicates"] = each(predicates).map(|one| term_text(system, &one)).collect();
                }
            }
            json
        }
        Evidence::Modal(model) => super::modal::to_json(system, model),
    }
}

/// Predicates one by one.
fn each(predicates: &Predicates) -> impl Iterator<Item = Certificate> + '_ {
    let one = |&invariant: &TermId| Certificate {
        terms: predicates.terms.clone(),
        invariant,
    };
    predicates.list.iter().map(one)
}

/// A term for people. The certificate has a store of its own; its variables are numbered as the system's.
pub(super) fn term_text(system: &TransitionSystem, certificate: &Certificate) -> String {
    let mut printed = TransitionSystem::new();
    for variable in system.variables() {
        printed.add_variable(&variable.name, variable.sort.clone(), variable.kind);
    }
    let (current, _) = certificate.terms.support(&[certificate.invariant]);
    let last = current.last().map_or(0, |variable| variable.index() + 1);
    for number in 0..last.saturating_sub(system.variables().len()) {
        printed.add_variable(format!("monitor {number}"), Sort::Bool, VarKind::State);
    }
    printed.terms = certificate.terms.clone();
    Notation::new(&printed).term(certificate.invariant)
}

fn path_kind(trace: &Trace) -> &'static str {
    if trace.loop_start.is_some() {
        "lasso"
    } else {
        "trace"
    }
}

/// A trace as the value of the key `trace`.
pub fn trace_to_json(system: &TransitionSystem, trace: &Trace) -> Json {
    let inputs: Vec<&str> = system
        .input_variables()
        .map(|variable| &*system.variable(variable).name)
        .collect();
    let steps: Vec<Json> = trace
        .steps
        .iter()
        .map(|step| state_to_json(system, step))
        .collect();
    json!({"loop_start": trace.loop_start, "inputs": inputs, "steps": steps})
}

fn state_to_json(system: &TransitionSystem, values: &[Option<Value>]) -> Json {
    let mut map = Map::new();
    for (variable, value) in system.variables().iter().zip(values) {
        if let Some(value) = value {
            map.insert(variable.name.to_string(), value_to_json(value));
        }
    }
    Json::Object(map)
}

fn tree_head(system: &TransitionSystem, tree: &Explanation) -> Json {
    json!({"formula": Notation::new(system).formula(&tree.formula), "truth": tree.truth})
}

/// A claim; `above` is the formula in which its own is found by the operand path.
fn tree_to_json(system: &TransitionSystem, tree: &Explanation, above: &Formula<TermId>) -> Json {
    let mut json = tree_head(system, tree);
    json["operand"] = operand_path(above, &tree.formula).map_or(Json::Null, Json::from);
    json["state"] = state_to_json(system, &tree.state);
    match &tree.because {
        Because::Evaluation => json["because"] = "evaluation".into(),
        Because::Exhaustion => json["because"] = "exhaustion".into(),
        Because::Operands(operands) => {
            json["because"] = "operands".into();
            json["operands"] = operands
                .iter()
                .map(|operand| tree_to_json(system, operand, &tree.formula))
                .collect();
        }
        Because::Path(witness) => {
            json["because"] = "path".into();
            json["trace"] = trace_to_json(system, &witness.trace);
            json["notes"] = witness
                .notes
                .iter()
                .map(|note| {
                    let explanation = tree_to_json(system, &note.explanation, &tree.formula);
                    json!({"position": note.position, "explanation": explanation})
                })
                .collect();
        }
    }
    json
}

/// The way from a formula to a subformula: the shallowest place where it occurs.
fn operand_path(above: &Formula<TermId>, wanted: &Formula<TermId>) -> Option<Vec<usize>> {
    let mut level: Vec<(Vec<usize>, &Formula<TermId>)> = vec![(Vec::new(), above)];
    while !level.is_empty() {
        if let Some((path, _)) = level.iter().find(|(_, formula)| *formula == wanted) {
            return Some(path.clone());
        }
        level = level
            .iter()
            .flat_map(|(path, formula)| {
                formula
                    .operands()
                    .into_iter()
                    .enumerate()
                    .map(move |(at, operand)| {
                        let mut longer = path.clone();
                        longer.push(at);
                        (longer, operand)
                    })
            })
            .collect();
    }
    None
}
