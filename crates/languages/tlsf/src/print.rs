//! Printing: formulas with TLSF's operators, and specifications as basic TLSF, without anything high level.

use crate::deep;
use crate::specification::{Machine, Specification};
use entail_logic::{Binary, Formula, Node, Unary};
use std::fmt::Write;

/// A formula as text; parentheses are where a reader would want them, not only where the grammar needs them.
pub fn print_ltl(formula: &Formula<String>) -> String {
    let mut text = String::new();
    print(formula, 0, &mut text);
    text
}

/// How tightly an operator binds for this printer: temporal operators between operands always get parentheses inside of others.
fn strength(formula: &Formula<String>) -> u8 {
    match formula.node() {
        Node::Binary(..) => 1,
        Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => 2,
        Node::Or(parts) if parts.len() > 1 => 3,
        Node::And(parts) if parts.len() > 1 => 4,
        _ => 5,
    }
}

fn print(formula: &Formula<String>, around: u8, text: &mut String) {
    deep(|| print_node(formula, around, text));
}

fn print_node(formula: &Formula<String>, around: u8, text: &mut String) {
    let own = strength(formula);
    if own < around {
        text.push('(');
        print(formula, 0, text);
        text.push(')');
        return;
    }
    let mut list = |parts: &[Formula<String>], empty: &str, between: &str, inner: u8| match parts {
        [] => text.push_str(empty),
        _ => {
            for (number, part) in parts.iter().enumerate() {
                if number > 0 {
                    text.push_str(between);
                }
                print(part, if parts.len() > 1 { inner } else { around }, text);
            }
        }
    };
    match formula.node() {
        Node::Constant(truth) => text.push_str(if *truth { "true" } else { "false" }),
        Node::Atom(name) => text.push_str(name),
        Node::And(parts) => list(parts, "true", " && ", 4),
        Node::Or(parts) => list(parts, "false", " || ", 4),
        Node::Not(inner) => {
            text.push('!');
            print(inner, 5, text);
        }
        Node::Implies(left, right) => pair(left, " -> ", right, 3, text),
        Node::Iff(left, right) => pair(left, " <-> ", right, 3, text),
        Node::Xor(left, right) => {
            text.push('!');
            text.push('(');
            pair(left, " <-> ", right, 3, text);
            text.push(')');
        }
        Node::Quantified(_, inner) => print(inner, around, text),
        Node::Unary(operator, _, inner) => {
            text.push_str(match operator {
                Unary::Next => "X ",
                Unary::Finally => "F ",
                Unary::Globally => "G ",
                Unary::Yesterday => "Y ",
                Unary::WeakYesterday => "!Y !",
                Unary::Once => "O ",
                Unary::Historically => "H ",
            });
            print(inner, 5, text);
        }
        Node::Binary(operator, _, left, right) => {
            let between = match operator {
                Binary::Until => " U ",
                Binary::Release => " R ",
                Binary::WeakUntil => " W ",
                Binary::StrongRelease => " M ",
                Binary::Since => " S ",
                Binary::Triggered => " T ",
            };
            pair(left, between, right, 5, text);
        }
    }
}

fn pair(left: &Formula<String>, between: &str, right: &Formula<String>, inner: u8, text: &mut String) {
    print(left, inner, text);
    text.push_str(between);
    print(right, inner, text);
}

/// A specification with nothing high level in it.
pub fn print_basic(specification: &Specification) -> String {
    let name = |machine: Machine| match machine {
        Machine::Mealy => "Mealy",
        Machine::Moore => "Moore",
    };
    // Formulas have been shifted to the target, so it is also how they are meant.
    let mut semantics = name(specification.target).to_owned();
    if specification.semantics.is_strict {
        semantics += ",Strict";
    }
    let quoted = |text: &str| text.replace('"', "\\\"");
    let mut text = format!(
        "INFO {{\n  TITLE:       \"{}\"\n  DESCRIPTION: \"{}\"\n  SEMANTICS:   {semantics}\n  TARGET:      {}\n}}\n\nMAIN {{\n",
        quoted(&specification.title),
        quoted(&specification.description),
        name(specification.target)
    );
    let mut signals = |title: &str, names: &[String]| {
        let _ = writeln!(text, "  {title} {{");
        names.iter().for_each(|name| {
            let _ = writeln!(text, "    {name};");
        });
        text.push_str("  }\n");
    };
    signals("INPUTS", &specification.inputs);
    signals("OUTPUTS", &specification.outputs);
    let sections = [
        ("INITIALLY", &specification.initially),
        ("PRESET", &specification.preset),
        ("REQUIRE", &specification.require),
        ("ASSUME", &specification.assume),
        ("ASSERT", &specification.assert),
        ("GUARANTEE", &specification.guarantee),
    ];
    for (title, formulas) in sections {
        if !formulas.is_empty() {
            let _ = writeln!(text, "  {title} {{");
            for formula in formulas {
                let _ = writeln!(text, "    {};", print_ltl(formula));
            }
            text.push_str("  }\n");
        }
    }
    text.push_str("}\n");
    text
}
