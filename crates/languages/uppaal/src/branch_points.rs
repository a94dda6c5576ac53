//! Branch points: an edge that leads to one and an edge that leaves it become one edge of the template, for each of those that leave it.
//!
//! For questions that are not statistical the ways are choices; weights say how likely each is in random runs. While edges are read, branch points are numbered behind the locations.

use crate::parser::Read;
use entail_source::Diagnostic;
use entail_uppaal_tree::{Branch, Edge, Expr};

/// An edge as it is drawn, and its weight where it leaves a branch point.
pub(crate) type Drawn = (Edge, Option<Expr>);

/// The edges between locations, of which there are so many.
pub(crate) fn joined(drawn: &[Drawn], locations: usize) -> Read<Vec<Edge>> {
    let mut all = Vec::new();
    for (number, (edge, _)) in drawn.iter().enumerate() {
        if edge.source >= locations {
            continue;
        }
        if edge.target < locations {
            all.push(edge.clone());
            continue;
        }
        for (leaving, weight) in drawn.iter().filter(|(leaving, _)| leaving.source == edge.target) {
            let refused = |message: &str| {
                let (code, span) = ("uppaal::unsupported", leaving.span);
                Err(Diagnostic::error(code, message, span, "this edge"))
            };
            if leaving.target >= locations {
                return refused("a branch point leads to another one");
            }
            if !leaving.selects.is_empty() {
                return refused("values that are selected behind a branch point are not supported");
            }
            let mut joined = edge.clone();
            joined.target = leaving.target;
            joined.update.extend(leaving.update.iter().cloned());
            joined.nails.extend(&leaving.nails);
            joined.branch = Some(Branch {
                of: number,
                weight: weight.clone(),
            });
            all.push(joined);
        }
    }
    Ok(all)
}
