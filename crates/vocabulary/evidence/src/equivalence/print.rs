//! Separating formulas as text: in Hennessy–Milner logic with fixpoints, as `entail_logic::mu` reads it, or for Kripke structures
//! in CTL.
//!
//! Negation is pushed inwards where the logic has a dual. A formula that is large as a tree is written as a list of definitions,
//! each of which may use those before it.

use super::{Hml, HmlId, HmlNode};
use entail_model::TAU_NAME;
use std::fmt::Write;

/// In which logic a formula is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `<a>f`, `[a]f`, `mu X. f`.
    Modal,
    /// `EX f`, `E [f U g]`, `EG f`: all steps are hidden.
    Ctl,
}

/// A formula as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Names and what they stand for, in terms of earlier ones.
    pub definitions: Vec<(String, String)>,
    /// The formula.
    pub formula: String,
}

/// Formulas with more nodes than this, as trees, are written with definitions.
const LARGEST_TREE: u64 = 1_000;

/// Shared parts with fewer nodes than this are written out.
const SMALLEST_DEFINITION: u64 = 6;

impl Hml {
    /// The formula as text.
    pub fn printed(&self, style: Style) -> Printed {
        let sizes = self.tree_sizes();
        let mut names: Vec<Option<String>> = vec![None; self.nodes().len()];
        let mut definitions = Vec::new();
        if self.tree_size() > LARGEST_TREE {
            let mut uses = vec![0u32; self.nodes().len()];
            for node in self.nodes() {
                for operand in node.operands() {
                    uses[operand as usize] += 1;
                }
            }
            // The size of a part as it is written, where defined parts count as one.
            let mut written = vec![1u64; self.nodes().len()];
            for (place, node) in self.nodes().iter().enumerate() {
                let below = node
                    .operands()
                    .iter()
                    .map(|&operand| written[operand as usize])
                    .sum::<u64>();
                written[place] = 1 + below;
                let shared = uses[place] > 1 && sizes[place] >= SMALLEST_DEFINITION;
                let long = written[place] > LARGEST_TREE / 10;
                let negation = matches!(node, HmlNode::Not { .. });
                if place as HmlId != self.root() && !negation && (shared || long) {
                    let writer = Writer {
                        formula: self,
                        style,
                        names: &names,
                    };
                    let text = writer.text(place as HmlId);
                    let name = format!("F{}", definitions.len() + 1);
                    definitions.push((name.clone(), text));
                    names[place] = Some(name);
                    written[place] = 1;
                }
            }
        }
        let writer = Writer {
            formula: self,
            style,
            names: &names,
        };
        Printed {
            formula: writer.text(self.root()),
            definitions,
        }
    }

    /// The formula as one text, however long.
    pub fn text(&self, style: Style) -> String {
        let names = vec![None; self.nodes().len()];
        Writer {
            formula: self,
            style,
            names: &names,
        }
        .text(self.root())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Fixpoint,
    Or,
    And,
    Prefix,
}

struct Writer<'a> {
    formula: &'a Hml,
    style: Style,
    names: &'a [Option<String>],
}

/// A piece of text that is still to be written, or a part of the formula. The list of them is a stack of our own: formulas can
/// be very deep.
enum Task {
    Text(&'static str),
    Owned(String),
    Part {
        id: HmlId,
        positive: bool,
        needed: Level,
        depth: usize,
    },
}

impl Writer<'_> {
    fn text(&self, root: HmlId) -> String {
        let mut out = String::new();
        let mut tasks = vec![Task::Part {
            id: root,
            positive: true,
            needed: Level::Fixpoint,
            depth: 0,
        }];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(text) => out.push_str(text),
                Task::Owned(text) => out.push_str(&text),
                Task::Part {
                    id,
                    positive,
                    needed,
                    depth,
                } => {
                    let defined = (id != root).then(|| self.names[id as usize].as_deref()).flatten();
                    if let Some(name) = defined {
                        let _ = write!(out, "{}{name}", if positive { "" } else { "!" });
                        continue;
                    }
                    let (level, mut pieces) = self.node(id, positive, depth);
                    if level < needed {
                        pieces.insert(0, Task::Text("("));
                        pieces.push(Task::Text(")"));
                    }
                    tasks.extend(pieces.into_iter().rev());
                }
            }
        }
        out
    }

    fn node(&self, id: HmlId, positive: bool, depth: usize) -> (Level, Vec<Task>) {
        match (self.propositional(id, positive, depth), self.style) {
            (Some(done), _) => done,
            (None, Style::Modal) => self.modal(id, positive, depth),
            (None, Style::Ctl) => self.ctl(id, positive, depth),
        }
    }

    /// What both styles have.
    fn propositional(&self, id: HmlId, positive: bool, depth: usize) -> Option<(Level, Vec<Task>)> {
        let part = |id: HmlId, needed: Level| Task::Part {
            id,
            positive,
            needed,
            depth,
        };
        Some(match &self.formula.nodes()[id as usize] {
            HmlNode::True => (
                Level::Prefix,
                vec![Task::Text(if positive { "true" } else { "false" })],
            ),
            HmlNode::Proposition { name } => {
                let sign = if positive { "" } else { "!" };
                (
                    Level::Prefix,
                    vec![Task::Owned(format!("{sign}{}", quoted(name)))],
                )
            }
            HmlNode::Not { of } => self.node(*of, !positive, depth),
            HmlNode::And { of } => {
                let (level, below, symbol) = match positive {
                    true => (Level::And, Level::Prefix, " & "),
                    false => (Level::Or, Level::And, " | "),
                };
                let mut pieces = Vec::new();
                for (place, &operand) in of.iter().enumerate() {
                    if place > 0 {
                        pieces.push(Task::Text(symbol));
                    }
                    pieces.push(part(operand, below));
                }
                (level, pieces)
            }
            _ => return None,
        })
    }

    fn modal(&self, id: HmlId, positive: bool, depth: usize) -> (Level, Vec<Task>) {
        let variable = variable(depth);
        let below = |id: HmlId, needed: Level| Task::Part {
            id,
            positive,
            needed,
            depth: depth + 1,
        };
        let step = |action: &str| match positive {
            true => Task::Owned(format!("<{}>", quoted(action))),
            false => Task::Owned(format!("[{}]", quoted(action))),
        };
        let least = || Task::Owned(format!("{} {variable}. ", if positive { "mu" } else { "nu" }));
        let again = || [step(TAU_NAME), Task::Owned(variable.clone())];
        let (and, or) = match positive {
            true => (" & ", " | "),
            false => (" | ", " & "),
        };
        let mut pieces = Vec::new();
        let level = match &self.formula.nodes()[id as usize] {
            HmlNode::Some { action, then } => {
                pieces.push(step(action));
                pieces.push(Task::Part {
                    id: *then,
                    positive,
                    needed: Level::Prefix,
                    depth,
                });
                Level::Prefix
            }
            HmlNode::Weak { action, then } => {
                let (open, close) = if positive { ("<<", ">>") } else { ("[[", "]]") };
                pieces.push(Task::Owned(format!("{open}{}{close}", quoted(action))));
                pieces.push(Task::Part {
                    id: *then,
                    positive,
                    needed: Level::Prefix,
                    depth,
                });
                Level::Prefix
            }
            HmlNode::Until { along, action, then } if &**action == TAU_NAME => {
                pieces.extend([least(), below(*then, Level::Prefix), Task::Text(or)]);
                if !self.is_true(*along) {
                    pieces.extend([Task::Text("("), below(*along, Level::Prefix), Task::Text(and)]);
                }
                pieces.extend(again());
                if !self.is_true(*along) {
                    pieces.push(Task::Text(")"));
                }
                Level::Fixpoint
            }
            HmlNode::Until { along, action, then } => {
                pieces.push(least());
                if !self.is_true(*along) {
                    pieces.extend([below(*along, Level::Prefix), Task::Text(and), Task::Text("(")]);
                }
                pieces.extend([step(action), below(*then, Level::Prefix), Task::Text(or)]);
                pieces.extend(again());
                if !self.is_true(*along) {
                    pieces.push(Task::Text(")"));
                }
                Level::Fixpoint
            }
            HmlNode::Forever { along } => {
                pieces.push(Task::Owned(format!(
                    "{} {variable}. ",
                    if positive { "nu" } else { "mu" }
                )));
                if !self.is_true(*along) {
                    pieces.extend([below(*along, Level::Prefix), Task::Text(and)]);
                }
                pieces.extend(again());
                Level::Fixpoint
            }
            _ => Level::Prefix,
        };
        (level, pieces)
    }

    fn ctl(&self, id: HmlId, positive: bool, depth: usize) -> (Level, Vec<Task>) {
        let part = |id: HmlId, needed: Level| Task::Part {
            id,
            positive,
            needed,
            depth,
        };
        let quantifier =
            |exists: &'static str, every: &'static str| Task::Text(if positive { exists } else { every });
        let pieces = match &self.formula.nodes()[id as usize] {
            HmlNode::Some { then, .. } => vec![quantifier("EX ", "AX "), part(*then, Level::Prefix)],
            HmlNode::Weak { then, .. } => vec![quantifier("<<tau>>", "[[tau]]"), part(*then, Level::Prefix)],
            HmlNode::Until { along, then, .. } if self.is_true(*along) => {
                vec![quantifier("EF ", "AG "), part(*then, Level::Prefix)]
            }
            // The dual of `E [f U g]` is `A [!f V !g]`, which few read with ease.
            HmlNode::Until { along, then, .. } => vec![
                Task::Text(if positive { "E [" } else { "!E [" }),
                Task::Part {
                    id: *along,
                    positive: true,
                    needed: Level::And,
                    depth,
                },
                Task::Text(" U "),
                Task::Part {
                    id: *then,
                    positive: true,
                    needed: Level::And,
                    depth,
                },
                Task::Text("]"),
            ],
            HmlNode::Forever { along } => vec![quantifier("EG ", "AF "), part(*along, Level::Prefix)],
            _ => Vec::new(),
        };
        (Level::Prefix, pieces)
    }

    fn is_true(&self, id: HmlId) -> bool {
        self.formula.nodes()[id as usize] == HmlNode::True
    }
}

fn variable(depth: usize) -> String {
    match depth {
        0 => "X".to_owned(),
        1 => "Y".to_owned(),
        2 => "Z".to_owned(),
        more => format!("X{}", more - 2),
    }
}

/// A name as the readers of formulas want it: in quotes unless it is one plain word that is neither a keyword nor one of our [`variable`]s.
fn quoted(name: &str) -> String {
    let is_variable = ["X", "Y", "Z"].contains(&name)
        || name
            .strip_prefix('X')
            .is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()));
    let mut characters = name.chars();
    let plain = characters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_')
        && !["mu", "nu", "tt", "ff", "true", "false", "TRUE", "FALSE"].contains(&name);
    match plain && !is_variable {
        true => name.to_owned(),
        false => format!("\"{name}\""),
    }
}
