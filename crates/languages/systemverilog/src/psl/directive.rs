//! The directives of PSL files: what each says of a property or a sequence; and a list of them for those who have signals of their own and no design, names put in, inherited units
//! resolved.

use super::bound::bindings;
use super::layer::event;
use super::names::Expanded;
use super::unit::{Said, needs_design, units};
use super::{unsupported, wrong};
use crate::token::tokens;
use entail_logic::psl::{self, Flavour, Layer};
use entail_logic::{Assertion, Formula, Guard, Sequence};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use std::sync::Arc;

/// A directive of a unit.
#[derive(Clone, Debug)]
pub struct UnitDirective {
    /// `unit.label`, or `unit.assert.1`.
    pub name: String,
    /// The name of the module that the unit is bound to, and its place.
    pub module: Option<(String, Span)>,
    /// What is said.
    pub said: Said,
    /// Where it stands.
    pub span: Span,
    /// The default clock: an event as SystemVerilog writes it.
    pub clock: Option<String>,
    expanded: Expanded,
}

impl UnitDirective {
    /// What it is said about, for `entail_logic::psl`, names put in.
    pub fn text(&self) -> &str {
        &self.expanded.text
    }

    /// The place in the file of a part of the text.
    pub fn place(&self, span: Span) -> Span {
        self.expanded.place(span)
    }
}

/// The directives of all units of a file. A unit without a module that others inherit stands for itself only there.
pub fn directives(source: &Source) -> std::result::Result<Vec<UnitDirective>, Diagnostics> {
    let mut problems = Vec::new();
    let units = units(&tokens(source.text()), &mut problems);
    problems.extend(units.iter().filter_map(needs_design));
    if !problems.is_empty() {
        return Err(Diagnostics(problems));
    }
    let bound = bindings(&units, &mut |unit, is_inherited| {
        let module = unit.module.as_ref().map(|name| (name.text.clone(), name.span));
        Ok((module.is_some() || !is_inherited).then_some(module))
    });
    let mut found = Vec::new();
    for binding in bound.map_err(Diagnostics)? {
        let (scope, clock) = binding.scope(&units);
        let clock = match clock.map(event).transpose() {
            Ok(clock) => clock,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        for (name, directed) in binding.directed() {
            match Expanded::of(&directed.body, &scope) {
                Err(problem) => problems.push(problem),
                Ok(expanded) => found.push(UnitDirective {
                    name,
                    module: binding.module.clone(),
                    said: directed.said,
                    span: directed.span,
                    clock: clock.clone(),
                    expanded,
                }),
            }
        }
    }
    match problems.is_empty() {
        true => Ok(found),
        false => Err(Diagnostics(problems)),
    }
}

type Result<T> = std::result::Result<T, Diagnostic>;

/// What a directive says in branching time (PSL's optional branching extension), if it speaks of branches.
pub fn branching<A: Clone + PartialEq>(
    said: Said,
    text: &str,
    layer: &mut dyn Layer<A>,
) -> Option<Result<Formula<A>>> {
    if !psl::is_branching(text, Flavour::Verilog) {
        return None;
    }
    let whole = Span::new(0, text.len());
    Some(match said {
        Said::Assert => psl::read_branching_in(text, Flavour::Verilog, layer),
        _ => Err(unsupported(
            "formulas of branching time are read in `assert` only",
            whole,
        )),
    })
}

/// What a directive says, as an assertion about the whole behaviour.
pub fn meaning<A: Clone + PartialEq>(
    said: Said,
    text: &str,
    layer: &mut dyn Layer<A>,
) -> Result<Assertion<A>> {
    let is_sequence = text.trim_start().starts_with('{');
    if psl::is_branching(text, Flavour::Verilog) {
        let message = "a formula of branching time is about all runs of a design";
        return Err(unsupported(message, Span::new(0, text.len())));
    }
    match said {
        Said::Assert | Said::Assume => psl::read_in(text, Flavour::Verilog, layer),
        Said::Restrict => {
            let sequence = psl::read_sequence_in(text, Flavour::Verilog, layer)?;
            // The whole behaviour is a beginning of a match: no match ever counts as enough.
            let never = Sequence::Guard(Guard::Constant(false));
            Ok(Assertion::Sequence {
                sequence: Arc::new(sequence.then(never)),
                strong: false,
            })
        }
        Said::Cover if is_sequence => {
            let sequence = psl::read_sequence_in(text, Flavour::Verilog, layer)?;
            let match_of = Assertion::Sequence {
                sequence: Arc::new(sequence),
                strong: true,
            };
            Ok(match_of.some_tick(moments(layer)?.as_ref()))
        }
        Said::Cover => {
            let property = psl::read_in(text, Flavour::Verilog, layer)?;
            Ok(property.some_tick(moments(layer)?.as_ref()))
        }
        Said::Fairness => again_and_again(text, layer),
        Said::StrongFairness => {
            let comma = outside_comma(text)
                .ok_or_else(|| wrong("strong fairness has two conditions", Span::new(0, text.len())))?;
            let left = again_and_again(&text[..comma], layer)?;
            // (What stands behind the comma stays at its place.)
            let behind = format!("{}{}", " ".repeat(comma + 1), &text[comma + 1..]);
            let right = again_and_again(&behind, layer)?;
            Ok(left.negated().or(right))
        }
    }
}

/// That a condition is true at infinitely many ticks.
fn again_and_again<A: Clone + PartialEq>(text: &str, layer: &mut dyn Layer<A>) -> Result<Assertion<A>> {
    let property = psl::read_in(text, Flavour::Verilog, layer)?;
    let tick = moments(layer)?;
    Ok(property.some_tick(tick.as_ref()).every_tick(tick.as_ref()))
}

fn moments<A>(layer: &mut dyn Layer<A>) -> Result<Option<Guard<A>>> {
    match layer.has_clock() {
        true => layer.tick(),
        false => Ok(None),
    }
}

/// The first comma outside brackets.
fn outside_comma(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    text.char_indices().find_map(|(at, letter)| {
        match letter {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
        (letter == ',' && depth == 0).then_some(at)
    })
}
