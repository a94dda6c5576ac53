//! Trees of claims as text: which formula is true or false where, and why.
//!
//! A path shows its steps; under a step stand the claims about its state, indented, with their own paths. A path that goes on
//! from a state just shown repeats nothing of it.

use super::{Context, TextOptions, moves, states};
use crate::clean::one_line;
use entail_show::{Child, Support, Timeline, Tree};
use std::fmt::Write;

/// Writes the reasons of the root claim.
pub(super) fn write(tree: &Tree, context: &Context<'_>, options: &TextOptions, out: &mut String) {
    match &tree.support {
        // The line above already says the formula and that it fails.
        Support::Path(timeline) if tree.children.is_empty() => {
            super::write_timeline(timeline, context, options, out);
        }
        _ => claim(tree, context, options, out),
    }
}

fn claim(tree: &Tree, context: &Context<'_>, options: &TextOptions, out: &mut String) {
    let indent = context.indent;
    let formula = one_line(&tree.text);
    let says = match tree.truth {
        Some(truth) => format!("{formula} is {truth}"),
        None => formula,
    };
    let below = format!("{indent}  ");
    let deeper = Context {
        indent: &below,
        ..*context
    };
    let _ = match (&tree.support, tree.truth) {
        (Support::Evaluation, Some(_)) => writeln!(out, "{indent}{says} here"),
        (Support::Exhaustion, Some(_)) => writeln!(out, "{indent}{says} here: all paths were searched"),
        (Support::Exhaustion, None) => writeln!(out, "{indent}{says}: everything was searched"),
        (Support::Operands, Some(_)) => writeln!(out, "{indent}{says} because"),
        (Support::Path(_), Some(true)) => writeln!(out, "{indent}{says}, as on this path:"),
        (Support::Path(_), Some(false)) => writeln!(out, "{indent}{says}, as this path shows:"),
        (Support::Path(_), None) => writeln!(out, "{indent}{says}:"),
        (Support::Rule(rule), _) => writeln!(out, "{indent}{says}, by {}", one_line(rule)),
        (Support::Evaluation | Support::Operands, None) => writeln!(out, "{indent}{says}"),
    };
    if let Support::Path(timeline) = &tree.support {
        path(timeline, &tree.children, &deeper, options, out);
    }
    let is_path = matches!(tree.support, Support::Path(_));
    for child in &tree.children {
        if !is_path || child.position.is_none() {
            claim(&child.claim, &deeper, options, out);
        }
    }
}

fn path(
    timeline: &Timeline,
    children: &[Child],
    context: &Context<'_>,
    options: &TextOptions,
    out: &mut String,
) {
    let remarked: Vec<usize> = children.iter().filter_map(|child| child.position).collect();
    let own = Context {
        remarked: &remarked,
        ..*context
    };
    let about = |step: usize| children.iter().filter(move |child| child.position == Some(step));
    let mut notes = |step: usize, indent: &str, out: &mut String| {
        for child in about(step) {
            let here = Context {
                indent,
                before: Some((timeline, step)),
                remarked: &[],
                ..*context
            };
            claim(&child.claim, &here, options, out);
        }
    };
    if timeline.moves.is_empty() {
        states::write(timeline, &own, options, &mut notes, out);
        return;
    }
    // Claims about states of a run stand below it.
    moves::write(timeline, &own, options, out);
    for step in 0..timeline.positions {
        if about(step).next().is_some() {
            let _ = writeln!(out, "{}after step {step}:", context.indent);
            notes(step, &format!("{}  ", context.indent), out);
        }
    }
}
