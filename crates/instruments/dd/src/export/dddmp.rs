//! DDDMP 2.0 in text mode, the exchange format of CUDD.
//!
//! Nodes come children first, node 1 is the leaf; a line is number, variable, position of the variable in `.ids`,
//! then and else child, a negative number being a complemented edge. CUDD's canonical form is ours: then edges are
//! never complemented.

use crate::bdd::Bdd;
use crate::edge::{Edge, Var};
use crate::structure::bottom_up;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The functions of one manager, with their names, as a DDDMP document. Names must contain no white space.
pub fn to_dddmp(functions: &[(String, Bdd)], name: &dyn Fn(Var) -> String) -> String {
    let mut text = String::new();
    write_document(&mut text, functions, name).expect("writing to a string cannot fail");
    text
}

fn write_document(
    text: &mut String,
    functions: &[(String, Bdd)],
    name: &dyn Fn(Var) -> String,
) -> std::fmt::Result {
    let Some((_, first)) = functions.first() else {
        return Ok(());
    };
    let manager = first.manager();
    let state = manager.state();
    let kernel = &state.kernel;
    let edges: Vec<Edge> = functions.iter().map(|(_, f)| first.operand(f)).collect();
    let nodes = bottom_up(kernel, edges.iter().copied());
    let mut ids: Vec<u32> = nodes
        .iter()
        .map(|&node| kernel.var_at[kernel.label(node) as usize])
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let position: FxHashMap<u32, usize> = ids.iter().enumerate().map(|(at, &var)| (var, at)).collect();
    let mut number: FxHashMap<u32, i64> = FxHashMap::default();
    number.insert(0, 1);
    for (at, &node) in nodes.iter().enumerate() {
        number.insert(node, at as i64 + 2);
    }
    let signed = |edge: Edge| {
        if edge.is_complemented() {
            -number[&edge.node()]
        } else {
            number[&edge.node()]
        }
    };
    let list =
        |items: &mut dyn Iterator<Item = String>| items.fold(String::new(), |all, item| all + " " + &item);

    writeln!(text, ".ver DDDMP-2.0\n.mode A\n.varinfo 3")?;
    writeln!(
        text,
        ".nnodes {}\n.nvars {}\n.nsuppvars {}",
        nodes.len() + 1,
        kernel.var_at.len(),
        ids.len()
    )?;
    writeln!(
        text,
        ".suppvarnames{}",
        list(&mut ids.iter().map(|&var| name(Var(var))))
    )?;
    writeln!(
        text,
        ".orderedvarnames{}",
        list(&mut kernel.var_at.iter().map(|&var| name(Var(var))))
    )?;
    writeln!(text, ".ids{}", list(&mut ids.iter().map(u32::to_string)))?;
    writeln!(
        text,
        ".permids{}",
        list(&mut ids.iter().map(|&var| kernel.level_of[var as usize].to_string()))
    )?;
    writeln!(text, ".nroots {}", edges.len())?;
    writeln!(
        text,
        ".rootids{}",
        list(&mut edges.iter().map(|&edge| signed(edge).to_string()))
    )?;
    writeln!(
        text,
        ".rootnames{}",
        list(&mut functions.iter().map(|(label, _)| label.clone()))
    )?;
    writeln!(text, ".nodes\n1 T 1 0 0")?;
    for &node in &nodes {
        let var = kernel.var_at[kernel.label(node) as usize];
        let (lo, hi) = kernel.children(node);
        let (then, other) = (signed(hi), signed(lo));
        writeln!(
            text,
            "{} {} {} {then} {other}",
            number[&node],
            name(Var(var)),
            position[&var]
        )?;
    }
    writeln!(text, ".end")
}
