//! DOT, the language of Graphviz.

use super::picture::{Drawing, Picture, Target};
use crate::bdd::Bdd;
use crate::edge::Var;
use std::fmt::Write;

/// The diagrams of some functions of one manager, with their names, in DOT.
pub fn to_dot(functions: &[(String, Bdd)], name: &dyn Fn(Var) -> String, drawing: Drawing) -> String {
    let picture = Picture::new(functions, name, drawing);
    let mut text = String::from("digraph dd {\n  node [shape=circle];\n");
    write_picture(&mut text, &picture).expect("writing to a string cannot fail");
    text + "}\n"
}

fn write_picture(text: &mut String, picture: &Picture) -> std::fmt::Result {
    for (i, (label, target)) in picture.roots.iter().enumerate() {
        writeln!(text, "  r{i} [shape=plaintext, label={}];", quoted(label))?;
        writeln!(text, "  r{i} -> n{}{};", target.node, style(*target, true))?;
    }
    for row in &picture.rows {
        write!(text, "  {{ rank=same;")?;
        for node in &row.nodes {
            write!(text, " n{node} [label={}];", quoted(&row.label))?;
        }
        writeln!(text, " }}")?;
    }
    for &(node, value) in &picture.leaves {
        writeln!(text, "  n{node} [shape=box, label=\"{}\"];", u8::from(value))?;
    }
    for (node, branches) in picture.branches.iter().enumerate() {
        if let Some((lo, hi)) = branches {
            writeln!(text, "  n{node} -> n{}{};", hi.node, style(*hi, true))?;
            writeln!(text, "  n{node} -> n{}{};", lo.node, style(*lo, false))?;
        }
    }
    Ok(())
}

fn style(target: Target, solid: bool) -> &'static str {
    match (solid, target.complemented) {
        (true, false) => "",
        (true, true) => " [arrowhead=odot]",
        (false, false) => " [style=dashed]",
        (false, true) => " [style=dashed, arrowhead=odot]",
    }
}

fn quoted(label: &str) -> String {
    format!("\"{}\"", label.replace('\\', "\\\\").replace('"', "\\\""))
}
