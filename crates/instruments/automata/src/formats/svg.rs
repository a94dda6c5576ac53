//! Automata as SVG pictures, without outside help.
//!
//! A state's column is its distance from the initial states, so edges lead at most one column to the right; inside a column
//! states are ordered by the mean row of their neighbours, sweeping to and fro (the barycentre heuristic of Sugiyama). Edges
//! between the same states share one arrow and list their labels below each other. Edges to the right are nearly straight,
//! all others bend, so that a pair of opposite edges never coincides. The picture grows with the automaton: ask for the number
//! of states first.

use crate::acceptance::Marks;
use crate::automaton::{Automaton, State};
use crate::formats::hoa_writer::{label_text, write_marks};
use std::collections::BTreeMap;
use std::fmt::Write;

const RADIUS: f64 = 20.0;
const ROW: f64 = 130.0;
const MARGIN: f64 = 70.0;
const LETTER: f64 = 6.6;
const LINE: f64 = 14.0;
const SWEEPS: usize = 8;

/// All labels between two states, one a line.
type Arrows = BTreeMap<(usize, usize), Vec<String>>;

/// The automaton as an SVG document.
pub fn to_svg(automaton: &Automaton) -> String {
    let state_based = automaton.is_state_based() && automaton.mark_count() > 0;
    let arrows = arrows(automaton, state_based);
    let columns = columns(automaton, &arrows);
    let middles = middles(automaton.state_count(), &columns, &arrows);
    let mut body = String::new();
    for (&(from, to), lines) in &arrows {
        draw_arrow(&mut body, &middles, from, to, lines);
    }
    for state in automaton.initial() {
        let (x, y) = middles[state.index()];
        let _ = writeln!(
            body,
            "<path class=\"edge\" d=\"M {:.1} {y:.1} L {:.1} {y:.1}\" marker-end=\"url(#tip)\"/>",
            x - RADIUS - 30.0,
            x - RADIUS - 2.0
        );
    }
    for state in automaton.states() {
        draw_state(&mut body, automaton, state, middles[state.index()], state_based);
    }
    let title = automaton.name.clone().unwrap_or_default();
    let caption = format!("[{}]", automaton.acceptance());
    let extent = |pick: fn(&(f64, f64)) -> f64| middles.iter().map(pick).fold(0.0, f64::max);
    let text_width = LETTER * 1.1 * title.chars().count().max(caption.chars().count()) as f64;
    let width = (extent(|middle| middle.0) + MARGIN + RADIUS).max(text_width + 2.0 * MARGIN);
    let height = extent(|middle| middle.1) + MARGIN + RADIUS + 2.0 * LINE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n<style>\
         text{{font:12px sans-serif;text-anchor:middle}}\
         .edge{{fill:none;stroke:#345;stroke-width:1.3}}\
         .state{{fill:#eef4fb;stroke:#345;stroke-width:1.5}}\
         .marked{{stroke-width:4}}\
         .label{{fill:#134;paint-order:stroke;stroke:#fff;stroke-width:3px}}</style>\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#345\"/></marker></defs>\n"
    );
    let _ = writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>");
    for (line, text) in [title, caption].iter().enumerate() {
        text_at(&mut out, "", width / 2.0, LINE * (line as f64 + 1.2), text);
    }
    out + &body + "</svg>\n"
}

fn arrows(automaton: &Automaton, state_based: bool) -> Arrows {
    let mut labels = automaton.labels.clone();
    let name = |p: u32| automaton.propositions()[p as usize].clone();
    let mut arrows = Arrows::new();
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            let mut text = label_text(&mut labels, edge.label, &name);
            if !state_based {
                write_marks(&mut text, edge.marks);
            }
            arrows
                .entry((state.index(), edge.target.index()))
                .or_default()
                .push(text);
        }
    }
    arrows
}

/// The states by distance from the initial ones, ordered inside each column; unreachable states come last.
fn columns(automaton: &Automaton, arrows: &Arrows) -> Vec<Vec<usize>> {
    let count = automaton.state_count();
    let mut distance = vec![usize::MAX; count];
    let mut queue: Vec<usize> = automaton.initial().iter().map(|state| state.index()).collect();
    for &state in &queue {
        distance[state] = 0;
    }
    let mut at = 0;
    while at < queue.len() {
        let state = queue[at];
        at += 1;
        for edge in automaton.edges(State(state as u32)) {
            let target = edge.target.index();
            if distance[target] == usize::MAX {
                distance[target] = distance[state] + 1;
                queue.push(target);
            }
        }
    }
    queue.extend((0..count).filter(|&state| distance[state] == usize::MAX));
    let last = distance.iter().filter(|d| **d != usize::MAX).max().copied();
    let beyond = last.map_or(0, |last| last + 1);
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); beyond + 1];
    for state in queue {
        columns[distance[state].min(beyond)].push(state);
    }
    columns.retain(|column| !column.is_empty());
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(from, to) in arrows.keys() {
        neighbours[from].push(to);
        neighbours[to].push(from);
    }
    let mut row = vec![0.0f64; count];
    for _ in 0..SWEEPS {
        for column in &mut columns {
            let wish = |state: usize| {
                let near = &neighbours[state];
                near.iter().map(|&other| row[other]).sum::<f64>() / near.len().max(1) as f64
            };
            let mut order: Vec<(f64, usize)> = column.iter().map(|&state| (wish(state), state)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            *column = order.into_iter().map(|(_, state)| state).collect();
            let middle = (column.len() as f64 - 1.0) / 2.0;
            for (position, &state) in column.iter().enumerate() {
                row[state] = position as f64 - middle;
            }
        }
        columns.reverse();
    }
    columns
}

fn middles(count: usize, columns: &[Vec<usize>], arrows: &Arrows) -> Vec<(f64, f64)> {
    let tallest = columns.iter().map(Vec::len).max().unwrap_or(0) as f64;
    let widest_of = |column: &[usize]| {
        let leaving = arrows.iter().filter(|((from, _), _)| column.contains(from));
        let lines = leaving.flat_map(|(_, lines)| lines);
        lines.map(|line| line.chars().count()).max().unwrap_or(0) as f64
    };
    let mut middles = vec![(0.0, 0.0); count];
    let mut x = MARGIN;
    for column in columns {
        let top = MARGIN + 2.0 * LINE + ROW * (tallest - column.len() as f64) / 2.0;
        // A loop's label hangs over its state, so half of it needs room on the left.
        let label = LETTER * widest_of(column);
        x += label / 2.0;
        for (position, &state) in column.iter().enumerate() {
            middles[state] = (x, top + ROW * position as f64 + RADIUS);
        }
        x += label.max(60.0) + 3.0 * RADIUS;
    }
    middles
}

fn draw_state(out: &mut String, automaton: &Automaton, state: State, (x, y): (f64, f64), state_based: bool) {
    let marks = match automaton.edges(state).first() {
        Some(edge) if state_based => edge.marks,
        _ => Marks::NONE,
    };
    let class = if marks.is_empty() { "state" } else { "state marked" };
    let _ = writeln!(
        out,
        "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\"/>"
    );
    let mut text = state.0.to_string();
    write_marks(&mut text, marks);
    text_at(out, "", x, y + 4.0, &text);
}

fn draw_arrow(out: &mut String, middles: &[(f64, f64)], from: usize, to: usize, lines: &[String]) {
    let ((x1, y1), (x2, y2)) = (middles[from], middles[to]);
    if from == to {
        let (left, right, top) = (x1 - 10.0, x1 + 10.0, y1 - RADIUS);
        let _ = writeln!(
            out,
            "<path class=\"edge\" d=\"M {left:.1} {:.1} C {:.1} {:.1} {:.1} {:.1} {right:.1} {:.1}\" \
             marker-end=\"url(#tip)\"/>",
            top + 2.0,
            left - 14.0,
            top - 32.0,
            right + 14.0,
            top - 32.0,
            top + 2.0
        );
        lines_at(out, x1, top - 30.0, lines, true);
        return;
    }
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    // Forward edges bend a little upwards, others well downwards.
    let bend = if dx > 0.0 { -0.06 } else { 0.22 } * length;
    let side = if dx > 0.0 { 1.0 } else { -1.0 };
    let (nx, ny) = (-dy / length * side, dx / length * side);
    let (cx, cy) = (
        (x1 + x2) / 2.0 + nx * bend * 2.0,
        (y1 + y2) / 2.0 + ny * bend * 2.0,
    );
    let border = |x: f64, y: f64, gap: f64| {
        let (tx, ty) = (cx - x, cy - y);
        let far = (tx * tx + ty * ty).sqrt().max(1.0);
        (x + tx / far * gap, y + ty / far * gap)
    };
    let (start, end) = (border(x1, y1, RADIUS), border(x2, y2, RADIUS + 2.0));
    let _ = writeln!(
        out,
        "<path class=\"edge\" d=\"M {:.1} {:.1} Q {cx:.1} {cy:.1} {:.1} {:.1}\" marker-end=\"url(#tip)\"/>",
        start.0, start.1, end.0, end.1
    );
    let (lx, ly) = ((x1 + x2) / 4.0 + cx / 2.0, (y1 + y2) / 4.0 + cy / 2.0);
    lines_at(out, lx, ly, lines, dx > 0.0);
}

/// Several lines of text, ending above the place or starting below it.
fn lines_at(out: &mut String, x: f64, y: f64, lines: &[String], above: bool) {
    for (position, line) in lines.iter().enumerate() {
        let down = if above {
            -4.0 - LINE * (lines.len() - 1 - position) as f64
        } else {
            LINE * (position as f64 + 1.0)
        };
        text_at(out, "label", x, y + down, line);
    }
}

fn text_at(out: &mut String, class: &str, x: f64, y: f64, text: &str) {
    let escaped = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{escaped}</text>"
    );
}
