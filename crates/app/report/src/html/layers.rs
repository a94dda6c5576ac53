//! A layered drawing of a graph.
//!
//! A node's layer is its distance from the first nodes, so every edge leads at most one layer down: edges are short, or go
//! back up, or sideways, and no dummy nodes are needed. Within a layer nodes are ordered by the mean position of their
//! neighbours, sweeping down and up a few times (the barycentre heuristic of Sugiyama). Edges are cubic curves; those that
//! go back bend outwards so that they do not run through the layers between.

/// What is to be drawn.
pub(super) struct Drawing {
    /// Width and height of each node's box.
    pub boxes: Vec<(f64, f64)>,
    /// Edges from node to node.
    pub edges: Vec<(usize, usize)>,
    /// The nodes of the top layer.
    pub first: Vec<usize>,
}

/// Where everything is.
pub(crate) struct Layout {
    pub width: f64,
    pub height: f64,
    /// The middle of each node.
    pub middles: Vec<(f64, f64)>,
    /// For each edge, the `d` of an SVG path that ends at the border of the target.
    pub curves: Vec<String>,
}

const SWEEPS: usize = 12;
const BETWEEN_NODES: f64 = 26.0;
const BETWEEN_LAYERS: f64 = 58.0;
const MARGIN: f64 = 46.0;

pub(super) fn lay_out(drawing: &Drawing) -> Layout {
    let layers = ordered_layers(drawing);
    let row_width = |layer: &Vec<usize>| -> f64 {
        let boxes: f64 = layer.iter().map(|&node| drawing.boxes[node].0).sum();
        boxes + BETWEEN_NODES * layer.len().saturating_sub(1) as f64
    };
    let widest = layers.iter().map(row_width).fold(0.0, f64::max);
    let mut middles = vec![(0.0, 0.0); drawing.boxes.len()];
    let mut top = MARGIN;
    for layer in &layers {
        let height = layer
            .iter()
            .map(|&node| drawing.boxes[node].1)
            .fold(0.0, f64::max);
        let mut left = MARGIN + (widest - row_width(layer)) / 2.0;
        for &node in layer {
            let width = drawing.boxes[node].0;
            middles[node] = (left + width / 2.0, top + height / 2.0);
            left += width + BETWEEN_NODES;
        }
        top += height + BETWEEN_LAYERS;
    }
    let curves = drawing
        .edges
        .iter()
        .map(|&(from, to)| curve(drawing, &middles, from, to))
        .collect();
    Layout {
        width: widest + 2.0 * MARGIN,
        height: top - BETWEEN_LAYERS + MARGIN,
        middles,
        curves,
    }
}

fn ordered_layers(drawing: &Drawing) -> Vec<Vec<usize>> {
    let count = drawing.boxes.len();
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(from, to) in &drawing.edges {
        below[from].push(to);
        around[from].push(to);
        around[to].push(from);
    }
    let mut layers: Vec<Vec<usize>> = Vec::new();
    let mut seen = vec![false; count];
    let mut layer: Vec<usize> = drawing.first.clone();
    layer.retain(|&node| node < count);
    layer.iter().for_each(|&node| seen[node] = true);
    while !layer.is_empty() {
        let mut next = Vec::new();
        for &node in &layer {
            for &to in &below[node] {
                if !seen[to] {
                    seen[to] = true;
                    next.push(to);
                }
            }
        }
        layers.push(std::mem::replace(&mut layer, next));
    }
    let unreached: Vec<usize> = (0..count).filter(|&node| !seen[node]).collect();
    if !unreached.is_empty() {
        layers.push(unreached);
    }
    let mut depth = vec![0; count];
    for (at, layer) in layers.iter().enumerate() {
        layer.iter().for_each(|&node| depth[node] = at);
    }
    // Positions are relative to the middle of the layer, so that layers of different sizes compare.
    let mut position = vec![0.0; count];
    let place = |layer: &[usize], position: &mut Vec<f64>| {
        for (at, &node) in layer.iter().enumerate() {
            position[node] = at as f64 - (layer.len() as f64 - 1.0) / 2.0;
        }
    };
    layers.iter().for_each(|layer| place(layer, &mut position));
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let order: Vec<usize> = if down {
            (1..layers.len()).collect()
        } else {
            (0..layers.len().saturating_sub(1)).rev().collect()
        };
        for at in order {
            let reference = if down { at - 1 } else { at + 1 };
            let mean = |node: usize| -> f64 {
                let near: Vec<f64> = around[node]
                    .iter()
                    .filter(|&&other| depth[other] == reference)
                    .map(|&other| position[other])
                    .collect();
                if near.is_empty() {
                    position[node]
                } else {
                    near.iter().sum::<f64>() / near.len() as f64
                }
            };
            let mut keyed: Vec<(f64, usize)> = layers[at].iter().map(|&node| (mean(node), node)).collect();
            keyed.sort_by(|left, right| left.0.total_cmp(&right.0));
            layers[at] = keyed.into_iter().map(|(_, node)| node).collect();
            place(&layers[at], &mut position);
        }
    }
    layers
}

fn curve(drawing: &Drawing, middles: &[(f64, f64)], from: usize, to: usize) -> String {
    let ((ax, ay), (bx, by)) = (middles[from], middles[to]);
    let ((aw, ah), (bw, bh)) = (drawing.boxes[from], drawing.boxes[to]);
    if from == to {
        let (right, top) = (ax + aw / 2.0, ay - ah / 2.0);
        return format!(
            "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            right - 10.0,
            top,
            right - 8.0,
            top - 24.0,
            right + 26.0,
            top - 6.0,
            right,
            top + 12.0
        );
    }
    if by > ay + 1.0 {
        let (start, end) = (ay + ah / 2.0, by - bh / 2.0);
        let bend = (end - start) / 2.0;
        return format!(
            "M{ax:.1} {start:.1}C{ax:.1} {:.1} {bx:.1} {:.1} {bx:.1} {end:.1}",
            start + bend,
            end - bend
        );
    }
    if (by - ay).abs() <= 1.0 {
        // Sideways: an arc under the layer.
        let (start, end) = (ay + ah / 2.0, by + bh / 2.0);
        let depth = 20.0 + 0.06 * (bx - ax).abs();
        let lean = if bx > ax { 6.0 } else { -6.0 };
        return format!(
            "M{:.1} {start:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {end:.1}",
            ax + lean,
            ax + lean,
            start + depth,
            bx - lean,
            end + depth,
            bx - lean
        );
    }
    // Back up: out of one side and into the same side.
    let side = if ax + bx >= 2.0 * ax.min(bx) && bx <= ax {
        1.0
    } else {
        -1.0
    };
    let (start, end) = (ax + side * aw / 2.0, bx + side * bw / 2.0);
    let out = 34.0 + 0.12 * (ay - by);
    let reach = if side > 0.0 {
        start.max(end) + out
    } else {
        start.min(end) - out
    };
    format!("M{start:.1} {ay:.1}C{reach:.1} {ay:.1} {reach:.1} {by:.1} {end:.1} {by:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_a_layer_do_not_overlap_and_lie_inside_the_drawing() {
        let count = 40;
        let drawing = Drawing {
            boxes: (0..count).map(|node| (30.0 + node as f64, 20.0)).collect(),
            edges: (1..count)
                .flat_map(|node| [(node / 3, node), (node, node / 5), (node, node)])
                .collect(),
            first: vec![0],
        };
        let layout = lay_out(&drawing);
        assert_eq!(layout.curves.len(), drawing.edges.len());
        for (a, &(ax, ay)) in layout.middles.iter().enumerate() {
            assert!(ax > 0.0 && ax < layout.width && ay > 0.0 && ay < layout.height);
            for (b, &(bx, by)) in layout.middles.iter().enumerate().skip(a + 1) {
                let apart = (ax - bx).abs() >= (drawing.boxes[a].0 + drawing.boxes[b].0) / 2.0;
                assert!(ay != by || apart, "{a} and {b} overlap");
            }
        }
    }

    #[test]
    fn nothing_and_the_unreached_can_be_drawn() {
        let empty = Drawing {
            boxes: Vec::new(),
            edges: Vec::new(),
            first: Vec::new(),
        };
        assert!(lay_out(&empty).middles.is_empty());
        let apart = Drawing {
            boxes: vec![(10.0, 10.0); 2],
            edges: Vec::new(),
            first: vec![0],
        };
        let layout = lay_out(&apart);
        assert_ne!(layout.middles[0], layout.middles[1]);
    }
}
