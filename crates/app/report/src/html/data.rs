//! What the page shows, as JSON.
//!
//! Every timeline of an answer (by itself, or in a tree) is an entry of `paths`: signals with a dictionary of their
//! values and an index a step, moves, and the truth of each subformula at each step. Exhibits refer to paths and pictures by number.

use super::HtmlOptions;
use super::graph::drawn;
use super::sources::Sources;
use crate::clean::clipped;
use crate::json::coverage_json;
use crate::report::{AnswerReport, Report};
use crate::steps::{changes, loop_start, stays, violation};
use crate::text::seconds;
use crate::{chart, dot, drawing, schedule, sequence};
use entail_answer::{CheckReport, Round, Statistics};
use entail_family::{Coverage, Part};
use entail_show::{
    Column, ColumnKind, Exhibit, FormulaRow, Graph, Move, Shown, Support, Timeline, Tree, View,
};
use entail_source::Source;
use serde_json::{Value as Json, json};

/// What is inside a page.
pub(super) struct Page {
    /// What the script shows.
    pub data: Json,
    /// Drawings that it only has to put in their places.
    pub pictures: Vec<String>,
}

/// The page of a report.
pub(super) fn report(report: &Report<'_>, options: &HtmlOptions) -> Page {
    let graph = report.graph.as_ref();
    let (drawing, reason) = match graph {
        Some(Ok(graph)) if graph.nodes.len() <= options.graph_states => (Some(graph), Json::Null),
        Some(Ok(graph)) => {
            let reason = format!(
                "The state graph is too large to be drawn: it has {} states.",
                graph.nodes.len()
            );
            (None, json!({"reason": reason}))
        }
        Some(Err(reason)) => (None, json!({"reason": reason})),
        None => (None, Json::Null),
    };
    let is_uncovered = (report.coverage.as_ref()).is_some_and(|found| {
        let unneeded = found
            .proofs
            .as_ref()
            .is_some_and(|proofs| !proofs.unneeded.is_empty());
        !found.unreached.is_empty() || unneeded
    });
    let has_places = is_uncovered || (report.answers.iter()).any(|answer| answer.heading.place.is_some());
    let shown = report.answers.iter().map(|answer| answer.shown);
    let mut page = Builder {
        graph: drawing,
        sources: Sources::new(report.source, has_places, shown, options),
        most_nodes: options.graph_states,
        pictures: Vec::new(),
        paths: Vec::new(),
    };
    let answers = report.answers.iter();
    let properties: Vec<Json> = answers
        .map(|answer| property(&mut page, report, answer))
        .collect();
    let memory = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    let data = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "model": report.name,
        "language": report.language,
        "seconds": seconds(report.seconds),
        "memory": report.peak_memory_bytes.map(memory),
        "figures": counters(report.figures),
        "settings": report.settings,
        "properties": properties,
        "graph": drawing.map_or(reason, drawn),
        "coverage": report.coverage.as_ref().map(|coverage| page.coverage(coverage)),
        "sources": page.sources.json(),
    });
    Page {
        data,
        pictures: page.pictures,
    }
}

/// The page of what is shown without an answer.
pub(super) fn shown(title: &str, shown: &Shown, options: &HtmlOptions) -> Page {
    let nothing = Source::new(title, "");
    let mut page = Builder {
        graph: None,
        sources: Sources::new(&nothing, false, std::iter::once(shown), options),
        most_nodes: options.graph_states,
        pictures: Vec::new(),
        paths: Vec::new(),
    };
    let exhibits = page.exhibits(shown);
    let data = json!({
        "version": env!("CARGO_PKG_VERSION"), "model": title, "language": "", "figures": [], "settings": {},
        "graph": null, "sources": page.sources.json(), "alone": true,
        "properties": [{"text": title, "verdict": "unknown", "paths": page.paths, "exhibits": exhibits}],
    });
    Page {
        data,
        pictures: page.pictures,
    }
}

fn property(page: &mut Builder<'_>, report: &Report<'_>, answer: &AnswerReport<'_>) -> Json {
    let given = answer.answer;
    page.paths = Vec::new();
    let exhibits = page.exhibits(answer.shown);
    let place = answer.heading.place.map(|span| {
        let (file, span) = report.source.part(span);
        let line = file.place(span.start).line;
        json!({"text": format!("line {line}"), "source": page.sources.number(file.name()), "line": line})
    });
    json!({
        "name": answer.heading.name,
        "text": answer.heading.text,
        "logic": answer.heading.logic.name(),
        "place": place,
        "verdict": given.verdict.name(),
        "guarantee": match given.guarantee.caveat() {
            Some(caveat) => format!("{}: {caveat}", given.guarantee.name()),
            None => given.guarantee.name().to_owned(),
        },
        "engine": answer.engine,
        "because": answer.because,
        "seconds": seconds(answer.seconds),
        "reason": given.reason,
        "failure": answer.failure,
        "warnings": given.warnings.iter().map(|warning| &warning.text).collect::<Vec<_>>(),
        "value": given.value.as_ref().map(ToString::to_string),
        "violated": answer.shown.violated,
        "evidence": evidence(answer),
        "check": match answer.checked {
            None => Json::Null,
            Some(CheckReport::Accepted) => json!({"status": "checked"}),
            Some(CheckReport::Partly { unchecked }) => json!({"status": "partly", "details": unchecked}),
            Some(CheckReport::Rejected { reason }) => json!({"status": "rejected", "details": [reason]}),
        },
        "statistics": counters(&given.statistics),
        "rounds": given.rounds.iter().map(round).collect::<Vec<Json>>(),
        "paths": std::mem::take(&mut page.paths),
        "exhibits": exhibits,
    })
}

/// Counters with their names as people read them.
fn counters(statistics: &Statistics) -> Json {
    let counter = |(name, figure): (&str, &entail_answer::Figure)| json!([name.replace('_', " "), figure]);
    statistics.iter().map(counter).collect()
}

/// The kind of the evidence, with the formula or the number of states that it has.
fn evidence(answer: &AnswerReport<'_>) -> Json {
    let Some(evidence) = answer.evidence else {
        return Json::Null;
    };
    let kind = evidence.get("kind").and_then(Json::as_str).unwrap_or("evidence");
    let formula = evidence.get("formula").and_then(Json::as_str);
    let states = evidence.get("states").and_then(Json::as_u64);
    match (formula, states) {
        (Some(formula), _) => format!("{kind}: {formula}").into(),
        (None, Some(states)) => format!("{kind}: {states} states").into(),
        (None, None) => kind.into(),
    }
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

/// Gathers what a page needs.
struct Builder<'a> {
    /// The state graph in which paths are marked.
    graph: Option<&'a Graph>,
    sources: Sources,
    most_nodes: usize,
    pictures: Vec<String>,
    /// The paths of the answer at hand.
    paths: Vec<Json>,
}

impl Builder<'_> {
    fn exhibits(&mut self, shown: &Shown) -> Vec<Json> {
        shown
            .exhibits
            .iter()
            .map(|exhibit| self.exhibit(exhibit))
            .collect()
    }

    fn exhibit(&mut self, exhibit: &Exhibit) -> Json {
        let title = exhibit.title.as_deref();
        let mut json = match &exhibit.view {
            View::Timeline(timeline) => json!({"kind": "path", "path": self.path(timeline, title)}),
            View::Tree(tree) => json!({"kind": "tree", "tree": self.claim(tree)}),
            View::Table(table) => json!({"kind": "table", "heads": table.heads, "rows": table.rows}),
            View::Graph(graph) if graph.nodes.len() <= self.most_nodes => {
                json!({"kind": "graph", "graph": drawn(graph)})
            }
            View::Graph(graph) => {
                let note = format!("A graph of {} nodes, too large to be drawn.", graph.nodes.len());
                json!({"kind": "notes", "lines": [note]})
            }
            View::Chart(chart) => self.picture("chart", chart::embedded(chart)),
            View::Schedule(schedule) => self.picture("schedule", schedule::embedded(schedule)),
            View::Drawing(drawing) => self.picture("drawing", drawing::embedded(drawing)),
            View::Sequence(chart) if sequence::is_small(chart) => {
                self.picture("sequence", sequence::embedded(chart))
            }
            View::Sequence(chart) => {
                let note = format!("A chart of {} steps, too long to be drawn.", chart.rows.len());
                json!({"kind": "notes", "lines": [note]})
            }
            View::Source(marked) => json!({"kind": "source", "source": self.sources.marks(marked)}),
            View::Notes(lines) => json!({"kind": "notes", "lines": lines}),
        };
        json["title"] = title.into();
        json
    }

    /// What no run reaches and no proof needed, each with its place.
    fn coverage(&self, coverage: &Coverage) -> Json {
        let mut json = coverage_json(coverage);
        let places = |parts: &[Part]| -> Json {
            let places = parts
                .iter()
                .map(|one| self.sources.place(one.source_place().as_ref()));
            places.collect()
        };
        json["places"] = places(&coverage.unreached);
        if let Some(proofs) = &coverage.proofs {
            json["proofs"]["places"] = places(&proofs.unneeded);
        }
        json
    }

    fn picture(&mut self, kind: &str, svg: String) -> Json {
        self.pictures.push(svg);
        json!({"kind": kind, "picture": self.pictures.len() - 1})
    }

    fn claim(&mut self, tree: &Tree) -> Json {
        let mut json = json!({"text": tree.text, "truth": tree.truth});
        json["because"] = match &tree.support {
            Support::Evaluation => "evaluation".into(),
            Support::Exhaustion => "exhaustion".into(),
            Support::Operands => "operands".into(),
            Support::Rule(rule) => {
                json["rule"] = rule.clone().into();
                "rule".into()
            }
            Support::Path(timeline) => {
                json["path"] = self.path(timeline, None).into();
                "path".into()
            }
        };
        let children = tree.children.iter();
        let children =
            children.map(|child| json!({"position": child.position, "claim": self.claim(&child.claim)}));
        json["children"] = children.collect();
        json
    }

    /// Adds a path and gives its number.
    fn path(&mut self, timeline: &Timeline, title: Option<&str>) -> usize {
        let steps = timeline.positions;
        let nodes = match self.graph {
            Some(graph) if !timeline.keys.is_empty() => json!(dot::positions(graph, timeline)),
            _ => Json::Null,
        };
        let columns = timeline.columns.iter();
        let moves = timeline.moves.iter().enumerate();
        let path = json!({
            "title": title,
            "steps": steps,
            "loop": loop_start(timeline),
            "stays": stays(timeline),
            "signals": columns.map(|column| self.signal(column, steps)).collect::<Vec<Json>>(),
            "formulas": timeline.formulas.iter().map(formula).collect::<Vec<Json>>(),
            "moves": moves.map(|(at, step)| self.step(timeline, at, step)).collect::<Vec<Json>>(),
            "violation": violation(timeline),
            "ending": timeline.ending,
            "nodes": nodes,
        });
        self.paths.push(path);
        self.paths.len() - 1
    }

    /// A signal with the different values it takes, and for each step which of them (-1: none).
    fn signal(&self, column: &Column, steps: usize) -> Json {
        let mut dictionary: Vec<&str> = Vec::new();
        let mut positions: rustc_hash::FxHashMap<&str, i64> = rustc_hash::FxHashMap::default();
        let at: Vec<i64> = (0..steps)
            .map(|step| match column.value(step) {
                None => -1,
                Some(text) => *positions.entry(text).or_insert_with(|| {
                    dictionary.push(text);
                    dictionary.len() as i64 - 1
                }),
            })
            .collect();
        json!({
            "name": column.name,
            "place": self.sources.place(column.place.as_ref()),
            "generated": !column.nature.is_own(),
            "kind": column.role,
            "sort": column.type_text.as_deref().map(|text| clipped(text, 60)),
            "bool": column.kind == ColumnKind::Boolean,
            "changes": column.varies(),
            "values": dictionary,
            "at": at,
        })
    }

    fn step(&self, timeline: &Timeline, position: usize, step: &Move) -> Json {
        let partner = step.partner.as_ref().map(|partner| {
            json!({"lane": partner.lane, "place": self.sources.place(partner.place.as_ref()), "text": partner.text})
        });
        json!({
            "lane": step.lane,
            "place": self.sources.place(step.place.as_ref()),
            "text": step.text,
            "partner": partner,
            "remarks": step.remarks,
            "printed": step.printed,
            "changes": changes(timeline, timeline.columns.iter(), position),
        })
    }
}

fn formula(row: &FormulaRow) -> Json {
    let letter = |truth: &Option<bool>| match truth {
        Some(true) => '1',
        Some(false) => '0',
        None => '?',
    };
    let truths: String = row.truth.iter().map(letter).collect();
    json!({"text": row.text, "depth": row.depth, "at": truths})
}
