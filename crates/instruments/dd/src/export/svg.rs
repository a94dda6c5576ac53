//! SVG without outside help: one row a level, nodes in a row placed near the mean of their parents.
//!
//! The placement is one downward and one upward sweep of the barycentre heuristic (Sugiyama 1981), good enough for
//! the diagrams people look at. Large diagrams give large pictures; ask [`crate::Bdd::node_count`] first.

use super::picture::{Drawing, Picture, Target};
use crate::bdd::Bdd;
use crate::edge::Var;
use std::fmt::Write;

const COLUMN: f64 = 52.0;
const ROW: f64 = 70.0;
const RADIUS: f64 = 15.0;
const MARGIN: f64 = 30.0;

/// The diagrams of some functions of one manager, with their names, as an SVG document.
pub fn to_svg(functions: &[(String, Bdd)], name: &dyn Fn(Var) -> String, drawing: Drawing) -> String {
    let picture = Picture::new(functions, name, drawing);
    let mut text = String::new();
    write_picture(&mut text, &picture).expect("writing to a string cannot fail");
    text
}

/// Where the nodes and the roots' names are.
struct Layout {
    node: Vec<(f64, f64)>,
    root: Vec<(f64, f64)>,
    left: f64,
    width: f64,
    height: f64,
}

fn layout(picture: &Picture) -> Layout {
    let mut rows: Vec<Vec<usize>> = picture.rows.iter().map(|row| row.nodes.clone()).collect();
    rows.push(picture.leaves.iter().map(|&(node, _)| node).collect());
    let widest = rows
        .iter()
        .map(Vec::len)
        .chain([picture.roots.len()])
        .max()
        .unwrap_or(0);
    let longest = picture
        .rows
        .iter()
        .map(|row| row.label.chars().count())
        .max()
        .unwrap_or(0);
    let left = MARGIN + 8.0 * longest as f64;
    let spread = widest as f64 * COLUMN;
    let x_of = |index: usize, count: usize| left + spread * (index as f64 + 0.5) / count as f64;

    let mut parents: Vec<Vec<usize>> = vec![Vec::new(); picture.branches.len()];
    for (node, branches) in picture.branches.iter().enumerate() {
        if let Some((lo, hi)) = branches {
            parents[lo.node].push(node);
            parents[hi.node].push(node);
        }
    }
    let root_x: Vec<f64> = (0..picture.roots.len())
        .map(|i| x_of(i, picture.roots.len()))
        .collect();
    let mut x = vec![left + spread / 2.0; picture.branches.len()];
    let mut pinned: Vec<Vec<f64>> = vec![Vec::new(); picture.branches.len()];
    for (i, (_, target)) in picture.roots.iter().enumerate() {
        pinned[target.node].push(root_x[i]);
    }
    let mut place = |rows: &mut [Vec<usize>], down: bool| {
        let order: Vec<usize> = if down {
            (0..rows.len()).collect()
        } else {
            (0..rows.len()).rev().collect()
        };
        for r in order {
            // The leaves 0 and 1 keep their sides.
            if r + 1 < rows.len() {
                let wish = |node: usize| {
                    let near: Vec<f64> = if down {
                        parents[node]
                            .iter()
                            .map(|&p| x[p])
                            .chain(pinned[node].iter().copied())
                            .collect()
                    } else {
                        let ends = picture.branches[node].map(|(lo, hi)| [x[lo.node], x[hi.node]]);
                        ends.into_iter().flatten().collect()
                    };
                    near.iter().sum::<f64>() / near.len().max(1) as f64
                };
                let wishes: Vec<(f64, usize)> = rows[r].iter().map(|&node| (wish(node), node)).collect();
                let mut sorted = wishes;
                sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
                rows[r] = sorted.into_iter().map(|(_, node)| node).collect();
            }
            for (i, &node) in rows[r].iter().enumerate() {
                x[node] = x_of(i, rows[r].len());
            }
        }
    };
    place(&mut rows, true);
    place(&mut rows, false);
    place(&mut rows, true);

    let mut node = vec![(0.0, 0.0); picture.branches.len()];
    for (r, row) in rows.iter().enumerate() {
        for &n in row {
            node[n] = (x[n], MARGIN + ROW * (r as f64 + 1.0));
        }
    }
    Layout {
        node,
        root: root_x.into_iter().map(|x| (x, MARGIN)).collect(),
        left,
        width: left + spread + MARGIN,
        height: 2.0 * MARGIN + ROW * rows.len() as f64,
    }
}

fn write_picture(text: &mut String, picture: &Picture) -> std::fmt::Result {
    let layout = layout(picture);
    writeln!(
        text,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.0} {:.0}" width="{:.0}" height="{:.0}" font-family="sans-serif" font-size="13" text-anchor="middle">"##,
        layout.width, layout.height, layout.width, layout.height
    )?;
    writeln!(text, r##"<g fill="none" stroke="#333">"##)?;
    for (i, (_, target)) in picture.roots.iter().enumerate() {
        line(text, layout.root[i], layout.node[target.node], *target, true)?;
    }
    for (node, branches) in picture.branches.iter().enumerate() {
        if let Some((lo, hi)) = branches {
            line(text, layout.node[node], layout.node[hi.node], *hi, true)?;
            line(text, layout.node[node], layout.node[lo.node], *lo, false)?;
        }
    }
    writeln!(text, "</g>")?;
    for (i, (label, _)) in picture.roots.iter().enumerate() {
        let (x, y) = layout.root[i];
        writeln!(
            text,
            r##"<text x="{x:.1}" y="{:.1}" font-weight="bold">{}</text>"##,
            y - 4.0,
            escaped(label)
        )?;
    }
    for row in &picture.rows {
        if let Some(&first) = row.nodes.first() {
            let y = layout.node[first].1 + 4.5;
            writeln!(
                text,
                r##"<text x="{:.1}" y="{y:.1}" text-anchor="end">{}</text>"##,
                layout.left - 8.0,
                escaped(&row.label)
            )?;
        }
        for &node in &row.nodes {
            let (x, y) = layout.node[node];
            writeln!(
                text,
                r##"<circle cx="{x:.1}" cy="{y:.1}" r="{RADIUS}" fill="#fff" stroke="#333"><title>{}</title></circle>"##,
                escaped(&row.label)
            )?;
        }
    }
    for &(node, value) in &picture.leaves {
        let (x, y) = layout.node[node];
        writeln!(
            text,
            r##"<rect x="{:.1}" y="{:.1}" width="28" height="28" fill="#eee" stroke="#333"/><text x="{x:.1}" y="{:.1}">{}</text>"##,
            x - 14.0,
            y - 14.0,
            y + 4.5,
            u8::from(value)
        )?;
    }
    writeln!(text, "</svg>")
}

/// A branch from under its source to above its target, bent so that the two branches of a node stay apart.
fn line(
    text: &mut String,
    from: (f64, f64),
    to: (f64, f64),
    target: Target,
    solid: bool,
) -> std::fmt::Result {
    let lean = if from.1 <= MARGIN {
        0.0
    } else if solid {
        10.0
    } else {
        -10.0
    };
    let dash = if solid { "" } else { r##" stroke-dasharray="5 3""## };
    let (x0, y0, x1, y1) = (from.0, from.1, to.0, to.1 - RADIUS);
    let bend = (y1 - y0) * 0.4;
    writeln!(
        text,
        r##"<path d="M{x0:.1} {y0:.1} C{:.1} {:.1} {:.1} {:.1} {x1:.1} {y1:.1}"{dash}/>"##,
        x0 + lean,
        y0 + bend,
        x1 + lean,
        y1 - bend,
    )?;
    if target.complemented {
        writeln!(
            text,
            r##"<circle cx="{x1:.1}" cy="{:.1}" r="3.5" fill="#fff"/>"##,
            y1 - 3.5
        )?;
    }
    Ok(())
}

fn escaped(label: &str) -> String {
    label
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
