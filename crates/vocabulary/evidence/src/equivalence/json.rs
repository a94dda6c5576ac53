//! Saved answers about two systems.
//!
//! ```json
//! {"evidence": "comparison", "relation": "strong", "both_ways": true, "answer": "unrelated",
//!  "formula": {"holds_in": "first", "nodes": [{"operator": "true"}, {"operator": "some", "action": "a", "then": 0}]}}
//! ```
//!
//! Instead of `formula` there may be a `trace`; for `related` there are `blocks` and, by the relation, `pairs`.

use super::{
    Comparison, Hml, HmlId, HmlNode, ObservedStep, ObservedTrace, Related, Relation, RelationQuery, Side,
    Unrelated,
};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

impl Comparison {
    /// The answer to a question as a document.
    pub fn to_json(&self, question: RelationQuery) -> Json {
        let mut document = Map::new();
        document.insert("evidence".into(), "comparison".into());
        document.insert("relation".into(), question.relation.name().into());
        document.insert("both_ways".into(), question.both_ways.into());
        let answer = match self {
            Comparison::Related(_) => "related",
            Comparison::Unrelated(_) => "unrelated",
        };
        document.insert("answer".into(), answer.into());
        match self {
            Comparison::Related(Related::Partition(blocks)) => {
                document.insert("blocks".into(), json!(blocks));
            }
            Comparison::Related(Related::Simulation { blocks, pairs }) => {
                document.insert("blocks".into(), json!(blocks));
                document.insert("pairs".into(), json!(pairs));
            }
            Comparison::Related(Related::Inclusion { blocks, pairs }) => {
                document.insert("blocks".into(), json!(blocks));
                document.insert("pairs".into(), json!(pairs));
            }
            Comparison::Unrelated(Unrelated::Formula { formula, holds_in }) => {
                let nodes: Vec<Json> = formula.nodes().iter().map(node_json).collect();
                let formula = json!({"holds_in": holds_in.to_string(), "nodes": nodes});
                document.insert("formula".into(), formula);
            }
            Comparison::Unrelated(Unrelated::Trace { trace, of }) => {
                document.insert("trace".into(), trace_json(trace, *of));
            }
        }
        Json::Object(document)
    }

    /// Reads such a document; an error says which part is wrong.
    pub fn from_json(document: &Json) -> Result<(RelationQuery, Comparison), String> {
        if document["evidence"] != "comparison" {
            return Err("this is not a saved comparison: `evidence` should be \"comparison\"".into());
        }
        let relation = text(document, "relation")?;
        let relation = Relation::named(relation).ok_or_else(|| format!("unknown `relation` {relation:?}"))?;
        let both_ways = document["both_ways"]
            .as_bool()
            .ok_or("`both_ways` should be true or false")?;
        let question = RelationQuery { relation, both_ways };
        let related = match text(document, "answer")? {
            "related" => true,
            "unrelated" => false,
            other => {
                return Err(format!(
                    "`answer` should be \"related\" or \"unrelated\", not {other:?}"
                ));
            }
        };
        let comparison = match related {
            true => {
                let blocks = numbers(&document["blocks"], "blocks")?;
                Comparison::Related(match relation {
                    Relation::Simulation | Relation::ReadySimulation => Related::Simulation {
                        blocks,
                        pairs: (list(&document["pairs"], "pairs")?.iter())
                            .map(|pair| match numbers(pair, "pairs")?[..] {
                                [smaller, larger] => Ok((smaller, larger)),
                                _ => Err("a pair of `pairs` should have two numbers".to_owned()),
                            })
                            .collect::<Result<_, String>>()?,
                    },
                    Relation::Trace | Relation::WeakTrace => Related::Inclusion {
                        blocks,
                        pairs: (list(&document["pairs"], "pairs")?.iter())
                            .map(|pair| {
                                let block = number(&pair[0], "pairs")?;
                                Ok((block, numbers(&pair[1], "pairs")?))
                            })
                            .collect::<Result<_, String>>()?,
                    },
                    _ => Related::Partition(blocks),
                })
            }
            false if document.get("trace").is_some() => {
                let (trace, of) = trace_from(&document["trace"])?;
                Comparison::Unrelated(Unrelated::Trace { trace, of })
            }
            false => {
                let part = &document["formula"];
                let nodes = list(&part["nodes"], "formula.nodes")?.iter().map(node_from);
                let formula = Hml::new(nodes.collect::<Result<_, String>>()?)
                    .ok_or("`formula.nodes` should list parts before what uses them")?;
                let holds_in = side(part, "holds_in")?;
                Comparison::Unrelated(Unrelated::Formula { formula, holds_in })
            }
        };
        Ok((question, comparison))
    }
}

fn text<'a>(document: &'a Json, name: &str) -> Result<&'a str, String> {
    document[name]
        .as_str()
        .ok_or_else(|| format!("`{name}` should be a text"))
}

fn list<'a>(value: &'a Json, name: &str) -> Result<&'a Vec<Json>, String> {
    value
        .as_array()
        .ok_or_else(|| format!("`{name}` should be a list"))
}

fn number(value: &Json, name: &str) -> Result<u32, String> {
    (value.as_u64().and_then(|number| u32::try_from(number).ok()))
        .ok_or_else(|| format!("`{name}` should have whole numbers, not {value}"))
}

fn numbers(value: &Json, name: &str) -> Result<Vec<u32>, String> {
    list(value, name)?
        .iter()
        .map(|value| number(value, name))
        .collect()
}

fn names(value: &Json, name: &str) -> Result<Vec<Arc<str>>, String> {
    (list(value, name)?.iter())
        .map(|value| {
            value
                .as_str()
                .map(Arc::from)
                .ok_or_else(|| format!("`{name}` should have texts"))
        })
        .collect()
}

fn side(document: &Json, name: &str) -> Result<Side, String> {
    match text(document, name)? {
        "first" => Ok(Side::First),
        "second" => Ok(Side::Second),
        other => Err(format!(
            "`{name}` should be \"first\" or \"second\", not {other:?}"
        )),
    }
}

fn node_json(node: &HmlNode) -> Json {
    match node {
        HmlNode::True => json!({"operator": "true"}),
        HmlNode::Proposition { name } => json!({"operator": "proposition", "name": &**name}),
        HmlNode::Not { of } => json!({"operator": "not", "of": of}),
        HmlNode::And { of } => json!({"operator": "and", "of": of}),
        HmlNode::Some { action, then } => json!({"operator": "some", "action": &**action, "then": then}),
        HmlNode::Weak { action, then } => json!({"operator": "weak", "action": &**action, "then": then}),
        HmlNode::Until { along, action, then } => {
            json!({"operator": "until", "along": along, "action": &**action, "then": then})
        }
        HmlNode::Forever { along } => json!({"operator": "forever", "along": along}),
    }
}

fn node_from(value: &Json) -> Result<HmlNode, String> {
    let operand = |name: &str| -> Result<HmlId, String> { number(&value[name], name) };
    let action = || text(value, "action").map(Arc::from);
    Ok(match text(value, "operator")? {
        "true" => HmlNode::True,
        "proposition" => HmlNode::Proposition {
            name: Arc::from(text(value, "name")?),
        },
        "not" => HmlNode::Not { of: operand("of")? },
        "and" => HmlNode::And {
            of: numbers(&value["of"], "of")?,
        },
        "some" => HmlNode::Some {
            action: action()?,
            then: operand("then")?,
        },
        "weak" => HmlNode::Weak {
            action: action()?,
            then: operand("then")?,
        },
        "until" => HmlNode::Until {
            along: operand("along")?,
            action: action()?,
            then: operand("then")?,
        },
        "forever" => HmlNode::Forever {
            along: operand("along")?,
        },
        other => return Err(format!("unknown `operator` {other:?}")),
    })
}

fn trace_json(trace: &ObservedTrace, of: Side) -> Json {
    let strings = |names: &[Arc<str>]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let steps = trace
        .steps
        .iter()
        .map(|step| json!({"action": &*step.action, "propositions": strings(&step.propositions)}));
    json!({"of": of.to_string(), "start": strings(&trace.start), "steps": steps.collect::<Vec<_>>()})
}

fn trace_from(value: &Json) -> Result<(ObservedTrace, Side), String> {
    let steps = list(&value["steps"], "trace.steps")?.iter().map(|step| {
        Ok(ObservedStep {
            action: Arc::from(text(step, "action")?),
            propositions: names(&step["propositions"], "trace.steps.propositions")?,
        })
    });
    let trace = ObservedTrace {
        start: names(&value["start"], "trace.start")?,
        steps: steps.collect::<Result<_, String>>()?,
    };
    Ok((trace, side(value, "of")?))
}
