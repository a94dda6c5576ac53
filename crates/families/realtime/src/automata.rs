//! The automata of a network as a drawing: where their author drew them, with a run marked.
//!
//! UPPAAL's files have coordinates of locations and of the nails of edges; automata without them are laid out in rows, a row for each number of steps from the beginning. Each process is drawn below the one before it. Of a run
//! the locations that are visited and the edges that are taken stand out, and edges carry the numbers of their steps. Where there is a run, processes that do not move in it are left out.

use crate::model::TimedModel;
use crate::trace::Stop;
use entail_clocks::{EdgeId, LocationId, Network, Process, ProcessId};
use entail_show::{Drawing, Place, Shape, Tone};
use entail_source::Span;
use entail_uppaal_tree::{Item, Template};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Processes and edges of a drawing, at most.
const MOST_PROCESSES: usize = 16;
const MOST_EDGES: usize = 200;
/// The radius of a location, and the distance between those that nobody placed.
const RADIUS: f64 = 13.0;
const APART: (f64, f64) = (190.0, 110.0);
/// Room between the processes.
const BETWEEN: f64 = 90.0;
/// Letters of a text, at most.
const LONGEST: usize = 44;

/// What stands out.
#[derive(Default)]
struct Marks {
    visited: BTreeSet<LocationId>,
    /// Edges with the numbers of the steps by which they are taken.
    taken: BTreeMap<EdgeId, Vec<usize>>,
    moving: BTreeSet<ProcessId>,
}

impl Marks {
    fn of(network: &Network, stops: &[Stop]) -> Marks {
        let mut marks = Marks::default();
        for (number, stop) in stops.iter().enumerate() {
            marks.visited.extend(stop.discrete.locations.iter().copied());
            for &edge in stop.edges.iter().filter(|edge| **edge < network.edges.len()) {
                marks.taken.entry(edge).or_default().push(number);
                marks.moving.insert(network.edges[edge].process);
            }
        }
        marks
    }
}

/// The automata of a model, with a run marked where there is one; nothing where that would be too much.
pub(crate) fn drawing(model: &TimedModel, stops: Option<&[Stop]>) -> Option<Drawing> {
    let network = &model.network;
    let marks = stops.map(|stops| Marks::of(network, stops));
    let mut drawing = Drawing {
        about: "the automata".to_owned(),
        shapes: Vec::new(),
    };
    let mut known: BTreeSet<(usize, usize)> = BTreeSet::new();
    let (mut processes, mut edges, mut top) = (0, 0, 0.0);
    for (number, process) in network.processes.iter().enumerate() {
        let Some(&first) = process.locations.first() else {
            continue;
        };
        let span = network.locations[first].span;
        let template = template_of(model, span);
        let title = match (&marks, template) {
            (Some(marks), _) if !marks.moving.contains(&number) => continue,
            (None, Some(template)) => {
                // Processes of one template look the same.
                if !known.insert((span.start, span.end)) {
                    continue;
                }
                template.name.clone()
            }
            _ => process.name.clone(),
        };
        processes += 1;
        edges += network.edges.iter().filter(|edge| edge.process == number).count();
        if processes > MOST_PROCESSES || edges > MOST_EDGES {
            return None;
        }
        let mut own = Vec::new();
        automaton(model, number, template, marks.as_ref(), &mut own);
        top = below(&mut drawing, own, title, top);
    }
    (!drawing.shapes.is_empty()).then_some(drawing)
}

/// Adds the shapes of a process below what is there, with a title; gives the next free place.
fn below(drawing: &mut Drawing, shapes: Vec<Shape>, title: String, top: f64) -> f64 {
    let own = Drawing {
        about: String::new(),
        shapes,
    };
    let (mut low, mut high) = ((f64::INFINITY, f64::INFINITY), f64::NEG_INFINITY);
    for (x, y) in own.places() {
        low = (low.0.min(x), low.1.min(y));
        high = high.max(y);
    }
    if low.0 > high {
        return top;
    }
    let moved = |(x, y): Place| (x - low.0, y - low.1 + top + 24.0);
    let half = title.chars().count() as f64 * 4.0;
    drawing.shapes.push(Shape::Text {
        at: (half, top),
        text: title,
        tone: Tone::Title,
    });
    drawing
        .shapes
        .extend(own.shapes.into_iter().map(|shape| match shape {
            Shape::Circle { at, radius, tone } => Shape::Circle {
                at: moved(at),
                radius,
                tone,
            },
            Shape::Line { through, arrow, tone } => Shape::Line {
                through: through.into_iter().map(moved).collect(),
                arrow,
                tone,
            },
            Shape::Area { corners, tone } => Shape::Area {
                corners: corners.into_iter().map(moved).collect(),
                tone,
            },
            Shape::Text { at, text, tone } => Shape::Text {
                at: moved(at),
                text,
                tone,
            },
        }));
    top + high - low.1 + BETWEEN
}

/// The template that a process is made from: its first location stands there in the text.
fn template_of(model: &TimedModel, first: Span) -> Option<&Template> {
    let items = &model.uppaal.as_ref()?.tree.items;
    items.iter().find_map(|item| match item {
        Item::Template(template) if template.locations.first()?.span == first => Some(template),
        _ => None,
    })
}

/// Which of a process's locations one is: models may declare the locations of several processes in turn.
fn position(process: &Process, location: LocationId) -> usize {
    process
        .locations
        .iter()
        .position(|&own| own == location)
        .unwrap_or(0)
}

/// Where the locations of a process are drawn.
fn places(network: &Network, process: ProcessId, template: Option<&Template>) -> Vec<Place> {
    if let Some(template) = template {
        let author = template.locations.iter().map(|location| location.at);
        let all: Option<Vec<Place>> = author
            .map(|at| at.map(|(x, y)| (f64::from(x), f64::from(y))))
            .collect();
        if let Some(all) = all {
            return all;
        }
    }
    let own = &network.processes[process];
    let mut rows: Vec<Option<usize>> = vec![None; own.locations.len()];
    let mut waiting: VecDeque<usize> = own
        .initial
        .iter()
        .map(|&location| position(own, location))
        .collect();
    waiting.iter().for_each(|&at| rows[at] = Some(0));
    while let Some(at) = waiting.pop_front() {
        for &edge in &network.locations[own.locations[at]].outgoing {
            let next = position(own, network.edges[edge].target);
            if rows[next].is_none() {
                rows[next] = rows[at].map(|row| row + 1);
                waiting.push_back(next);
            }
        }
    }
    let last = rows.iter().flatten().max().copied().unwrap_or(0);
    let mut used: BTreeMap<usize, usize> = BTreeMap::new();
    let place = |row: &Option<usize>| {
        let row = row.unwrap_or(last + 1);
        let column = used.entry(row).or_insert(0);
        *column += 1;
        // Every other row is shifted, so that edges between rows do not run over locations.
        let shift = if row % 2 == 1 { 0.35 } else { 0.0 };
        (APART.0 * (*column as f64 + shift), APART.1 * row as f64)
    };
    rows.iter().map(place).collect()
}

/// The shapes of one process.
fn automaton(
    model: &TimedModel,
    process: ProcessId,
    template: Option<&Template>,
    marks: Option<&Marks>,
    shapes: &mut Vec<Shape>,
) {
    let network = &model.network;
    let own = &network.processes[process];
    let places = places(network, process, template);
    // Edges that differ in selected values only are drawn once.
    let mut drawn: BTreeMap<_, (Tone, Vec<usize>, EdgeId)> = BTreeMap::new();
    for (number, edge) in network
        .edges
        .iter()
        .enumerate()
        .filter(|(_, edge)| edge.process == process)
    {
        let steps = marks
            .and_then(|marks| marks.taken.get(&number))
            .cloned()
            .unwrap_or_default();
        let key = (edge.span.start, edge.span.end, edge.source, edge.target);
        let entry = drawn.entry(key).or_insert((Tone::Plain, Vec::new(), number));
        if !steps.is_empty() {
            entry.0 = Tone::Marked;
            entry.1.extend(steps);
            entry.1.sort_unstable();
        }
    }
    let mut loops: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, (tone, steps, number)) in drawn {
        let edge = &network.edges[number];
        let nails = nails_of(template, edge.span, position(own, edge.target));
        let (from, to) = (
            places[position(own, edge.source)],
            places[position(own, edge.target)],
        );
        let mut through = vec![from];
        through.extend(nails);
        if edge.source == edge.target && through.len() == 1 {
            let count = loops.entry(edge.source).or_insert(0);
            *count += 1;
            let far = 26.0 + 14.0 * *count as f64;
            through.extend([(from.0 - 14.0, from.1 + far), (from.0 + 14.0, from.1 + far)]);
        }
        through.push(to);
        let at = middle(&through);
        shorten(&mut through);
        shapes.push(Shape::Line {
            through,
            arrow: true,
            tone,
        });
        let mut text = edge_text(model, template, number);
        if !steps.is_empty() {
            let steps: Vec<String> = steps.iter().take(8).map(usize::to_string).collect();
            text = format!("{}: {text}", steps.join(", "));
        }
        if !text.is_empty() {
            let tone = if tone == Tone::Marked { tone } else { Tone::Faint };
            shapes.push(Shape::Text { at, text, tone });
        }
    }
    for (&id, &at) in own.locations.iter().zip(&places) {
        let location = &network.locations[id];
        let tone = match marks {
            Some(marks) if marks.visited.contains(&id) => Tone::Marked,
            _ => Tone::Plain,
        };
        shapes.push(Shape::Circle {
            at,
            radius: RADIUS,
            tone,
        });
        if own.initial.contains(&id) {
            shapes.push(Shape::Circle {
                at,
                radius: RADIUS - 4.0,
                tone,
            });
        }
        let letter = match (location.committed, location.urgent) {
            (true, _) => "C",
            (_, true) => "U",
            _ => "",
        };
        let mut text = |text: String, down: f64| {
            if !text.is_empty() {
                let at = (at.0, at.1 + down);
                shapes.push(Shape::Text {
                    at,
                    text: shortened(&text),
                    tone,
                });
            }
        };
        text(letter.to_owned(), 4.0);
        let named = template.is_none_or(|template| {
            template
                .locations
                .get(position(own, id))
                .is_none_or(|location| location.is_named)
        });
        text(
            if named {
                location.name.clone()
            } else {
                String::new()
            },
            -RADIUS - 4.0,
        );
        let invariant =
            template.and_then(|template| template.locations.get(position(own, id))?.invariant.as_ref());
        text(
            invariant.map_or_else(String::new, |one| written(model, one.span)),
            RADIUS + 13.0,
        );
    }
}

/// The places between the ends of an edge.
fn nails_of(template: Option<&Template>, span: Span, target: usize) -> Vec<Place> {
    let edges = template.map_or(&[][..], |template| &template.edges);
    let edge = edges
        .iter()
        .find(|edge| edge.span == span && edge.target == target);
    let nails = edge.map_or(&[][..], |edge| &edge.nails);
    nails.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).collect()
}

/// The middle of the middle part of a line.
fn middle(through: &[Place]) -> Place {
    let at = (through.len() - 1) / 2;
    let (from, to) = (through[at], through[(at + 1).min(through.len() - 1)]);
    ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0 - 3.0)
}

/// Ends a line at the circles around its ends.
fn shorten(through: &mut [Place]) {
    let nearer = |end: Place, next: Place| {
        let (x, y) = (next.0 - end.0, next.1 - end.1);
        let length = x.hypot(y);
        match length > RADIUS {
            true => (end.0 + x / length * RADIUS, end.1 + y / length * RADIUS),
            false => end,
        }
    };
    let count = through.len();
    if count >= 2 {
        let (first, last) = (
            nearer(through[0], through[1]),
            nearer(through[count - 1], through[count - 2]),
        );
        through[0] = first;
        through[count - 1] = last;
    }
}

/// Guard, channel and update of an edge as they are written; the event, where there is no template.
fn edge_text(model: &TimedModel, template: Option<&Template>, edge: EdgeId) -> String {
    let network = &model.network;
    let Some(template) = template else {
        return shortened(&network.events[network.edges[edge].event]);
    };
    let wanted = &network.edges[edge];
    let Some(edge) = template.edges.iter().find(|edge| edge.span == wanted.span) else {
        return String::new();
    };
    let mut parts = Vec::new();
    parts.extend(edge.guard.as_ref().map(|guard| written(model, guard.span)));
    if let Some(sync) = &edge.sync {
        parts.push(format!(
            "{}{}",
            written(model, sync.channel.span),
            if sync.sends { "!" } else { "?" }
        ));
    }
    let updates: Vec<String> = edge
        .update
        .iter()
        .map(|update| written(model, update.span))
        .collect();
    if !updates.is_empty() {
        parts.push(updates.join(", "));
    }
    shortened(&parts.join("; "))
}

/// A part of the model's text, without the escapes of XML.
fn written(model: &TimedModel, span: Span) -> String {
    let text = model.source.text().get(span.start..span.end).unwrap_or("");
    let plain = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    let text = plain.iter().fold(text.to_owned(), |text, (escape, letter)| {
        text.replace(escape, letter)
    });
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

fn shortened(text: &str) -> String {
    match text.chars().count() > LONGEST {
        true => text.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}
