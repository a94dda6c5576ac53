//! A saved document read against a model and its property: the outcome an engine would have given.
//!
//! Names are looked up, values read by the sorts of their variables, formulas found by their operand paths. Nothing is believed:
//! the result goes to the checkers like an engine's.

use super::document::{ReadError, SavedEvidence, SavedTrace, field, index, join, list, object, text_of};
use super::term_list;
use super::value::value_from_json;
use crate::{
    AbstractProof, Abstracted, Because, Certificate, DeadEnds, Evidence, Exhaustive, Explanation,
    LivenessCertificate, Note, Outcome, PathWitness, Predicates, Searched, Trace,
};
use entail_answer::{ClosedSet, RankedSet};
use entail_logic::{Formula, Property, Question};
use entail_model::{Kept, TermId, TransitionSystem, Value, VarKind};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

/// More variables of a monitor than any reduction adds; which there are is the checker's business.
const MOST_MONITORS: usize = 1 << 20;

/// The path of a saved document as a trace of a model, whatever it was saved for.
pub fn resolve_trace(system: &TransitionSystem, saved: &SavedEvidence) -> Result<Trace, ReadError> {
    let evidence = object(&saved.evidence, "evidence")?;
    Reader::new(system).trace(field(evidence, "evidence", "trace")?, "evidence.trace")
}

/// A trace written by [`super::trace_to_json`], read against a model.
pub fn trace_from_json(system: &TransitionSystem, json: &Json) -> Result<Trace, ReadError> {
    Reader::new(system).trace(json, "trace")
}

/// Evidence written by [`super::saved_evidence`], read against a model and a property; nothing if the document says that there is none.
pub fn evidence_from_json(
    system: &TransitionSystem,
    property: &Property<TermId>,
    json: &Json,
) -> Result<Option<Evidence>, ReadError> {
    Reader::new(system).evidence(property, json)
}

/// What a saved document claims about a property of a model.
pub fn resolve(
    system: &TransitionSystem,
    property: &Property<TermId>,
    saved: &SavedEvidence,
) -> Result<(Outcome, DeadEnds), ReadError> {
    let reader = Reader::new(system);
    let dead_ends = match saved.dead_ends.as_str() {
        "infinite" => DeadEnds::Infinite,
        "maximal" => DeadEnds::Maximal,
        "stutter" => DeadEnds::Stutter,
        "error" => DeadEnds::Error,
        _ => {
            return Err(ReadError::shape(
                "dead_ends",
                "expected infinite, maximal, stutter or error",
            ));
        }
    };
    let evidence = reader.evidence(property, &saved.evidence)?;
    let outcome =
        Outcome::from_json(&saved.document, evidence).map_err(|message| ReadError::shape("", &message))?;
    Ok((outcome, dead_ends))
}

struct Reader<'a> {
    system: &'a TransitionSystem,
    names: FxHashMap<&'a str, usize>,
}

impl<'a> Reader<'a> {
    fn new(system: &'a TransitionSystem) -> Reader<'a> {
        let names = system.variables().iter().enumerate();
        Reader {
            system,
            names: names
                .map(|(position, variable)| (&*variable.name, position))
                .collect(),
        }
    }
}

impl Reader<'_> {
    fn evidence(&self, property: &Property<TermId>, json: &Json) -> Result<Option<Evidence>, ReadError> {
        let map = object(json, "evidence")?;
        let kind = text_of(map, "evidence", "kind")?;
        Ok(Some(match kind.as_str() {
            "none" => return Ok(None),
            "trace" | "lasso" => {
                let trace = self.trace(field(map, "evidence", "trace")?, "evidence.trace")?;
                self.explained_path(property, map.get("explains"), trace)
            }
            "tree" => {
                let Question::Formula(formula) = &property.question else {
                    return Err(ReadError::foreign(
                        "evidence.kind",
                        "the property is not a formula",
                    ));
                };
                let tree = self.tree(field(map, "evidence", "tree")?, formula, "evidence.tree")?;
                Evidence::Explanation(tree)
            }
            "exhaustive" => Evidence::Exhaustive(Exhaustive {
                states: index(field(map, "evidence", "states")?, "evidence.states")? as u64,
                satisfying: match map.get("satisfying") {
                    None | Some(Json::Null) => None,
                    Some(json) => Some(index(json, "evidence.satisfying")? as u64),
                },
                searched: match map.get("searched").and_then(Json::as_str) {
                    Some("cone") => Searched::Cone,
                    _ => Searched::Model,
                },
            }),
            "closed-set" => {
                let states = index(field(map, "evidence", "states")?, "evidence.states")? as u64;
                let set = ClosedSet::from_text(&text_of(map, "evidence", "set")?, states);
                Evidence::Closed(set.ok_or_else(|| {
                    ReadError::shape(
                        "evidence.set",
                        "expected a sorted set of so many states in base 64",
                    )
                })?)
            }
            "ranked-set" => {
                let states = index(field(map, "evidence", "states")?, "evidence.states")? as u64;
                let set = text_of(map, "evidence", "set")?;
                let set = RankedSet::from_text(&set, &text_of(map, "evidence", "ranks")?, states);
                Evidence::Ranked(set.ok_or_else(|| {
                    let expected = "expected a sorted set of so many states and their ranks in base 64";
                    ReadError::shape("evidence.ranks", expected)
                })?)
            }
            "invariant" => Evidence::Invariant(self.certificate(map, "nodes", 0)?),
            "k-liveness" => Evidence::Liveness(LivenessCertificate {
                bound: index(field(map, "evidence", "bound")?, "evidence.bound")? as u64,
                invariant: self.certificate(map, "nodes", MOST_MONITORS)?,
                hazards: match map.get("hazards") {
                    None | Some(Json::Null) => None,
                    Some(_) => Some(self.certificate(map, "hazards", 0)?),
                },
            }),
            "fixpoints" => {
                let mut proof = super::fixpoints::from_json(self.system, map, MOST_MONITORS)?;
                if let Some(Json::Array(_)) = map.get("hazards") {
                    proof.hazards = Some(self.certificate(map, "hazards", 0)?);
                }
                Evidence::Fixpoints(Box::new(proof))
            }
            "abstraction" => self.abstract_proof(property, map)?,
            "modal" => Evidence::Modal(Box::new(super::modal::from_json(self.system, property, json)?)),
            other => {
                return Err(ReadError::shape(
                    "evidence.kind",
                    format!("there is no evidence of kind `{other}`"),
                ));
            }
        }))
    }

    fn abstract_proof(
        &self,
        property: &Property<TermId>,
        map: &Map<String, Json>,
    ) -> Result<Evidence, ReadError> {
        let abstraction = match map.get("kept") {
            Some(kept) => {
                let kept = object(kept, "evidence.kept")?;
                let positions = |key: &str| {
                    let place = join("evidence.kept", key);
                    let list = list(field(kept, "evidence.kept", key)?, &place)?;
                    list.iter()
                        .map(|json| index(json, &place))
                        .collect::<Result<Vec<usize>, _>>()
                };
                Abstracted::Weakened(Kept {
                    init: positions("init")?,
                    invariant: positions("invariant")?,
                    transition: positions("transition")?,
                })
            }
            None => {
                let mut predicates = Predicates::default();
                for json in list(field(map, "evidence", "nodes")?, "evidence.nodes")? {
                    let one = term_list::term_from_json(self.system, 0, json, "evidence.nodes")?;
                    let root = predicates
                        .terms
                        .import(&one.terms, &[one.invariant], |variable| variable);
                    predicates.list.extend(root);
                }
                Abstracted::Observed(predicates)
            }
        };
        let asked = abstraction
            .question(self.system, &property.question, DeadEnds::Infinite)
            .map_err(|_| ReadError::foreign("evidence", "the property is not one for this abstraction"))?;
        let about_abstract = Property {
            question: asked.question,
            ..property.clone()
        };
        let reader = Reader::new(&asked.system);
        let proof = reader.evidence(&about_abstract, field(map, "evidence", "proof")?)?;
        let proof = proof.ok_or_else(|| ReadError::shape("evidence.proof", "there is no proof"))?;
        Ok(Evidence::Abstraction(AbstractProof {
            abstraction,
            proof: Box::new(proof),
        }))
    }

    fn certificate(
        &self,
        map: &Map<String, Json>,
        key: &str,
        monitors: usize,
    ) -> Result<Certificate, ReadError> {
        let place = join("evidence", key);
        term_list::from_json(self.system, monitors, field(map, "evidence", key)?, &place)
    }

    /// A path that explains the whole property, where the document says that it does.
    fn explained_path(&self, property: &Property<TermId>, explains: Option<&Json>, trace: Trace) -> Evidence {
        match (&property.question, explains) {
            (Question::Formula(formula), Some(head)) => {
                let truth = head.get("truth").and_then(Json::as_bool).unwrap_or(false);
                let mut state = trace.steps[0].clone();
                for input in self.system.input_variables() {
                    state[input.index()] = None;
                }
                Evidence::Explanation(Explanation {
                    formula: formula.clone(),
                    truth,
                    state,
                    because: Because::Path(PathWitness {
                        trace,
                        notes: Vec::new(),
                    }),
                })
            }
            _ => Evidence::Trace(trace),
        }
    }

    fn trace(&self, json: &Json, place: &str) -> Result<Trace, ReadError> {
        let saved = SavedTrace::read(json, place)?;
        let steps = saved.steps.iter().enumerate().map(|(at, step)| {
            let place = format!("{place}.steps[{at}]");
            self.state(step, &place)
        });
        Ok(Trace {
            steps: steps.collect::<Result<_, _>>()?,
            loop_start: saved.loop_start,
        })
    }

    fn state(&self, values: &Map<String, Json>, place: &str) -> Result<Vec<Option<Value>>, ReadError> {
        let mut state = self.system.blank();
        for (name, json) in values {
            let place = || join(place, name);
            let &position = self
                .names
                .get(name.as_str())
                .ok_or_else(|| ReadError::foreign(place(), "the model has no such variable"))?;
            let sort = &self.system.variables()[position].sort;
            let value =
                value_from_json(json, sort).map_err(|problem| ReadError::foreign(place(), problem))?;
            state[position] = Some(value);
        }
        let missing = self
            .system
            .variables()
            .iter()
            .zip(&state)
            .find(|(variable, value)| variable.kind != VarKind::Input && value.is_none());
        match missing {
            None => Ok(state),
            Some((variable, _)) => Err(ReadError::foreign(
                place,
                format!("`{}` has no value", variable.name),
            )),
        }
    }

    fn tree(&self, json: &Json, above: &Formula<TermId>, place: &str) -> Result<Explanation, ReadError> {
        let map = object(json, place)?;
        let formula = match map.get("operand") {
            None => above.clone(),
            Some(path) => self.operand(path, above, &join(place, "operand"))?,
        };
        let truth = field(map, place, "truth")?
            .as_bool()
            .ok_or_else(|| ReadError::shape(join(place, "truth"), "expected true or false"))?;
        let state_place = join(place, "state");
        let state = self.state(object(field(map, place, "state")?, &state_place)?, &state_place)?;
        let because = match text_of(map, place, "because")?.as_str() {
            "evaluation" => Because::Evaluation,
            "exhaustion" => Because::Exhaustion,
            "operands" => {
                let place = join(place, "operands");
                let operands = list(field(map, &place, "operands")?, &place)?;
                let operand =
                    |(at, json): (usize, &Json)| self.tree(json, &formula, &format!("{place}[{at}]"));
                Because::Operands(
                    operands
                        .iter()
                        .enumerate()
                        .map(operand)
                        .collect::<Result<_, _>>()?,
                )
            }
            "path" => Because::Path(self.witness(map, &formula, place)?),
            other => {
                return Err(ReadError::shape(
                    join(place, "because"),
                    format!("there is no reason `{other}`"),
                ));
            }
        };
        Ok(Explanation {
            formula,
            truth,
            state,
            because,
        })
    }

    fn witness(
        &self,
        map: &Map<String, Json>,
        formula: &Formula<TermId>,
        place: &str,
    ) -> Result<PathWitness, ReadError> {
        let trace = self.trace(field(map, place, "trace")?, &join(place, "trace"))?;
        let notes_place = join(place, "notes");
        let empty = Vec::new();
        let notes = match map.get("notes") {
            None => &empty,
            Some(json) => list(json, &notes_place)?,
        };
        let note = |(at, json): (usize, &Json)| -> Result<Note, ReadError> {
            let place = format!("{notes_place}[{at}]");
            let map = object(json, &place)?;
            Ok(Note {
                position: index(field(map, &place, "position")?, &join(&place, "position"))?,
                explanation: self.tree(
                    field(map, &place, "explanation")?,
                    formula,
                    &join(&place, "explanation"),
                )?,
            })
        };
        Ok(PathWitness {
            trace,
            notes: notes.iter().enumerate().map(note).collect::<Result<_, _>>()?,
        })
    }

    fn operand(
        &self,
        path: &Json,
        above: &Formula<TermId>,
        place: &str,
    ) -> Result<Formula<TermId>, ReadError> {
        let mut formula = above.clone();
        for step in list(path, place)? {
            let at = index(step, place)?;
            let operand = formula.operands().get(at).map(|&operand| operand.clone());
            formula = operand.ok_or_else(|| ReadError::foreign(place, "the formula has no such operand"))?;
        }
        Ok(formula)
    }
}
