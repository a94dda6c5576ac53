//! What the page shows, as JSON.
//!
//! Every path of a property (its trace, or each path of its tree) is an entry of `paths`: signals with a dictionary of their
//! values and an index a step, and the truth of each subformula at each step. Trees refer to paths by number.

use super::state_graph::StateGraph;
use crate::report::{ModelReport, PropertyReport, Report, path_end};
use crate::signals::{Signal, SignalKind, SignalTable};
use crate::text::seconds;
use crate::violated::violated_parts;
use entail_evidence::{
    Because, CheckReport, Evidence, Explanation, Notation, PathWitness, PathWord, Round, Trace, Truth,
};
use entail_logic::{Formula, Node, Question};
use entail_model::{Op, TermId};
use serde_json::{Value as Json, json};

pub(super) fn data(report: &Report<'_>, graph: &StateGraph) -> Json {
    let properties: Vec<Json> = report
        .properties
        .iter()
        .map(|answer| property(&report.model, answer, graph))
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "model": report.model.name,
        "language": report.model.language,
        "seconds": seconds(report.seconds),
        "memory": report.peak_memory_bytes.map(|bytes| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))),
        "variables": report.model.system.variables().len(),
        "properties": properties,
        "graph": graph.json(),
    })
}

fn property(model: &ModelReport<'_>, answer: &PropertyReport<'_>, graph: &StateGraph) -> Json {
    let outcome = answer.outcome;
    let mut paths = Paths {
        model,
        notation: Notation::new(model.system),
        graph,
        list: Vec::new(),
    };
    let mut tree = Json::Null;
    match &outcome.evidence {
        Some(Evidence::Trace(trace)) => {
            let formula = asked(model, answer);
            paths.add(trace, formula.as_ref(), &[]);
        }
        Some(Evidence::Explanation(explanation)) => tree = paths.claim(explanation),
        _ => {}
    }
    let statistics: Vec<Json> = (outcome.statistics.iter())
        .map(|(name, figure)| json!([name.replace('_', " "), figure]))
        .collect();
    json!({
        "name": answer.property.name,
        "text": answer.property.text,
        "logic": answer.property.logic.name(),
        "verdict": outcome.verdict.name(),
        "guarantee": match outcome.guarantee.caveat() {
            Some(caveat) => format!("{}: {caveat}", outcome.guarantee.name()),
            None => outcome.guarantee.name().to_owned(),
        },
        "engine": answer.engine,
        "seconds": seconds(answer.seconds),
        "reason": outcome.reason,
        "warnings": outcome.warnings.iter().map(|warning| &warning.text).collect::<Vec<_>>(),
        "value": outcome.value.as_ref().map(ToString::to_string),
        "violated": violated_parts(model, answer),
        "evidence": evidence(model, &outcome.evidence),
        "check": match answer.checked {
            None => Json::Null,
            Some(CheckReport::Accepted) => json!({"status": "checked"}),
            Some(CheckReport::Partly { unchecked }) => json!({"status": "partly", "details": unchecked}),
            Some(CheckReport::Rejected { reason }) => json!({"status": "rejected", "details": [reason]}),
        },
        "statistics": statistics,
        "rounds": outcome.rounds.iter().map(round).collect::<Vec<Json>>(),
        "paths": paths.list,
        "tree": tree,
    })
}

/// One round of abstraction.
fn round(round: &Round) -> Json {
    json!({
        "kept": round.kept.iter().filter(|name| !round.added.contains(name)).collect::<Vec<_>>(),
        "added": round.added,
        "size": round.size,
        "found": round.found,
        "outcome": round.outcome,
        "seconds": seconds(round.seconds),
    })
}

/// What the evidence is, in words.
fn evidence(model: &ModelReport<'_>, shown: &Option<Evidence>) -> Json {
    match shown {
        None => Json::Null,
        Some(Evidence::Trace(trace)) if trace.loop_start.is_some() => "a lasso".into(),
        Some(Evidence::Trace(_)) => "a trace".into(),
        Some(Evidence::Explanation(tree)) => match &tree.because {
            Because::Path(witness) if witness.notes.is_empty() && witness.trace.loop_start.is_some() => {
                "a lasso".into()
            }
            Because::Path(witness) if witness.notes.is_empty() => "a path".into(),
            _ => "a tree of paths".into(),
        },
        Some(Evidence::Exhaustive(claim)) => format!("all {} reachable states searched", claim.states).into(),
        Some(invariant @ Evidence::Invariant(_)) => {
            let json = entail_evidence::json::evidence_to_json(model.system, invariant);
            format!("inductive invariant: {}", json["formula"].as_str().unwrap_or("?")).into()
        }
        Some(Evidence::Abstraction(abstraction)) => {
            let proof = evidence(model, &Some((*abstraction.proof).clone()));
            format!("on an abstraction: {}", proof.as_str().unwrap_or("?")).into()
        }
        Some(Evidence::Liveness(certificate)) => format!(
            "k-liveness: a path that violates it meets its fairness at most {} times, by an inductive invariant",
            certificate.bound
        )
        .into(),
        Some(Evidence::Modal(abstracted)) => format!(
            "an abstract model of {} states, in which it is decided",
            abstracted.kmts.state_count()
        )
        .into(),
    }
}

/// The formula that a bare trace speaks about.
fn asked(model: &ModelReport<'_>, answer: &PropertyReport<'_>) -> Option<Formula<TermId>> {
    match &answer.property.question {
        Question::Invariant(atom) => {
            let terms = &model.system.terms;
            Some(match terms.op(*atom) {
                Op::And => Formula::and(terms.operands(*atom).iter().map(|&part| Formula::atom(part))),
                _ => Formula::atom(*atom),
            })
        }
        Question::Formula(formula) => Some(match formula.node() {
            Node::Quantified(_, path) => path.clone(),
            _ => formula.clone(),
        }),
        Question::ShortestPath(start, goal) | Question::LongestPath(start, goal) => {
            Some(Formula::and([Formula::atom(*start), Formula::atom(*goal)]))
        }
        Question::Mu(_) => Some(Formula::and(
            answer.property.question.atoms().into_iter().map(Formula::atom),
        )),
    }
}

struct Paths<'a> {
    model: &'a ModelReport<'a>,
    notation: Notation<'a>,
    graph: &'a StateGraph,
    list: Vec<Json>,
}

impl Paths<'_> {
    fn claim(&mut self, claim: &Explanation) -> Json {
        let mut json = json!({"formula": self.notation.formula(&claim.formula), "truth": claim.truth});
        match &claim.because {
            Because::Evaluation => json["because"] = "evaluation".into(),
            Because::Exhaustion => json["because"] = "exhaustion".into(),
            Because::Operands(operands) => {
                json["because"] = "operands".into();
                json["operands"] = operands.iter().map(|operand| self.claim(operand)).collect();
            }
            Because::Path(witness) => {
                let path = match claim.formula.node() {
                    Node::Quantified(_, path) => path,
                    _ => &claim.formula,
                };
                json["because"] = "path".into();
                json["path"] = self.witness(witness, path).into();
                json["notes"] = witness
                    .notes
                    .iter()
                    .map(|note| json!({"position": note.position, "claim": self.claim(&note.explanation)}))
                    .collect();
            }
        }
        json
    }

    fn witness(&mut self, witness: &PathWitness, path: &Formula<TermId>) -> usize {
        let known: Vec<(usize, &Explanation)> = witness
            .notes
            .iter()
            .map(|note| (note.position, &note.explanation))
            .collect();
        self.add(&witness.trace, Some(path), &known)
    }

    /// Adds a path and gives its number.
    fn add(
        &mut self,
        trace: &Trace,
        formula: Option<&Formula<TermId>>,
        known: &[(usize, &Explanation)],
    ) -> usize {
        let table = SignalTable::of_trace(self.model.system, trace, true);
        let signals: Vec<Json> = table.signals.iter().map(signal).collect();
        let end = path_end(trace, self.model.dead_ends);
        let formulas: Vec<Json> = formula
            .and_then(|formula| Some((formula, PathWord::new(self.model.system, trace, end)?)))
            .map(|(formula, word)| {
                let mut word = word.with_known(|position, formula| {
                    let found = known
                        .iter()
                        .find(|(at, claim)| *at == position && claim.formula == *formula);
                    found.map(|(_, claim)| claim.truth)
                });
                let rows = word.subformulas(formula);
                let truths = |at: &[Truth]| -> String { at.iter().map(|&truth| letter(truth)).collect() };
                rows.iter()
                    .map(|row| {
                        json!({"text": self.notation.formula(&row.formula), "depth": row.depth, "at": truths(&row.at)})
                    })
                    .collect()
            })
            .unwrap_or_default();
        self.list.push(json!({
            "steps": table.steps,
            "loop": table.loop_start,
            "signals": signals,
            "formulas": formulas,
            "nodes": self.graph.nodes(self.model.system, trace),
        }));
        self.list.len() - 1
    }
}

fn letter(truth: Truth) -> char {
    match truth {
        Truth::True => '1',
        Truth::False => '0',
        Truth::Unknown => '?',
    }
}

/// A signal with the different values it takes, and for each step which of them (-1: none).
fn signal(signal: &Signal) -> Json {
    let mut dictionary: Vec<&str> = Vec::new();
    let mut positions: rustc_hash::FxHashMap<&str, i64> = rustc_hash::FxHashMap::default();
    let at: Vec<i64> = signal
        .values
        .iter()
        .map(|value| match value {
            None => -1,
            Some(text) => *positions.entry(text).or_insert_with(|| {
                dictionary.push(text);
                dictionary.len() as i64 - 1
            }),
        })
        .collect();
    json!({
        "name": signal.name,
        "kind": match signal.kind {
            SignalKind::State => "state",
            SignalKind::Input => "input",
            SignalKind::Frozen => "frozen",
            SignalKind::Define => "define",
        },
        "sort": signal.sort.as_ref().map(|sort| {
            let text = sort.to_string();
            if text.chars().count() > 60 { text.chars().take(59).chain(['…']).collect() } else { text }
        }),
        "bool": signal.is_boolean,
        "changes": signal.changes(),
        "values": dictionary,
        "at": at,
    })
}
