//! Networks as UPPAAL's XML.
//!
//! What moves together in UPPAAL is a sender with one receiver, or with all that can receive. So a synchronisation of two partners becomes a binary channel, whose first partner sends, since its statements run first; one of a
//! partner with weak partners becomes a broadcast channel. A weak partner takes part wherever it has an edge of the event, whatever its guard says, and a receiver of a broadcast only if a guard holds: the two are the same where
//! one of its guards always holds, which is shown by trying all values of the comparisons in them. Other synchronisations are refused. An edge whose event is synchronised in several ways becomes several edges; statements with decisions and loops
//! become functions.
//!
//! Every process becomes a template without parameters, and locations keep their names, so that `process.location` means the same. UPPAAL has no labels: they are in the comments of locations.

mod channels;
mod memory;

use channels::channel;
use entail_clocks::{
    Binary, ClockName, Comparison, Condition, EdgeId, Expression, Network, Place, Statement,
};
use memory::{Memory, Names};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Comparisons in the guards of a weak partner, at most: all combinations of their truth are tried.
const MOST_ATOMS: usize = 12;
/// Places of a drawing: columns and the distance between locations.
const COLUMNS: usize = 4;
const STEP: i32 = 200;

/// On which channels an edge sends and receives.
type Signals = BTreeMap<EdgeId, Vec<Signal>>;

/// Words that are no names in UPPAAL.
const KEYWORDS: [&str; 52] = [
    "chan",
    "clock",
    "bool",
    "int",
    "double",
    "string",
    "commit",
    "const",
    "urgent",
    "broadcast",
    "init",
    "process",
    "state",
    "guard",
    "sync",
    "assign",
    "system",
    "trans",
    "deadlock",
    "and",
    "or",
    "not",
    "xor",
    "imply",
    "true",
    "false",
    "for",
    "forall",
    "exists",
    "while",
    "do",
    "if",
    "else",
    "return",
    "typedef",
    "struct",
    "rate",
    "before_update",
    "after_update",
    "meta",
    "priority",
    "progress",
    "scalar",
    "select",
    "void",
    "default",
    "sum",
    "switch",
    "case",
    "continue",
    "break",
    "enum",
];

/// A written model.
#[derive(Clone, Debug)]
pub struct Written {
    /// The text.
    pub text: String,
    /// What it does not say.
    pub notes: Vec<String>,
}

/// What an edge does with a channel: the channel, and whether it sends.
type Signal = (usize, bool);

/// Writes a network, or says what of it UPPAAL's language cannot say.
pub fn write(network: &Network) -> Result<Written, String> {
    if !network.channels.is_empty() || !network.stopwatches.is_empty() || network.has_priorities() {
        return Err("the model is one of UPPAAL's".to_owned());
    }
    let mut names = Names::new(network);
    let mut channels = Vec::new();
    let mut signals = Signals::new();
    for synchronisation in &network.synchronisations {
        channel(network, synchronisation, &mut names, &mut channels, &mut signals)?;
    }
    let memory = Memory::new(network, &mut names);
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.5//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_5.dtd'>\n<nta>\n",
    );
    let mut global = memory.declarations(network);
    for (name, broadcast) in &channels {
        let _ = writeln!(
            global,
            "{}chan {name};",
            if *broadcast { "broadcast " } else { "" }
        );
    }
    let _ = writeln!(text, "<declaration>{}</declaration>", escaped(&global));
    for number in 0..network.processes.len() {
        template(network, number, &names, &memory, (&channels, &signals), &mut text)?;
    }
    let _ = writeln!(
        text,
        "<system>system {};</system>\n<queries/>\n</nta>",
        names.processes.join(", ")
    );
    let mut notes = Vec::new();
    if !network.labels.is_empty() {
        notes.push("labels are in the comments of locations, for UPPAAL has none".to_owned());
    }
    Ok(Written { text, notes })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A template for a process.
fn template(
    network: &Network,
    number: usize,
    names: &Names,
    memory: &Memory,
    (channels, signals): (&[(String, bool)], &Signals),
    text: &mut String,
) -> Result<(), String> {
    let process = &network.processes[number];
    let [initial] = process.initial.as_slice() else {
        return Err(format!(
            "{}: it begins in one of {} locations, and a UPPAAL process in exactly one",
            process.name,
            process.initial.len()
        ));
    };
    let mut writer = Writer {
        network,
        memory,
        functions: String::new(),
    };
    let mut body = String::new();
    for (position, &id) in process.locations.iter().enumerate() {
        let location = &network.locations[id];
        let told = |reason| format!("{}.{}: {reason}", process.name, location.name);
        if location.invariant.iter().any(bounds_from_below) {
            return Err(told(
                "UPPAAL's invariants bound clocks from above only".to_owned(),
            ));
        }
        let invariant = writer.conditions(&location.invariant).map_err(told)?;
        let (x, y) = (
            STEP * (position % COLUMNS) as i32,
            STEP * (position / COLUMNS) as i32,
        );
        let _ = write!(
            body,
            "<location id=\"id{id}\" x=\"{x}\" y=\"{y}\"><name>{}</name>",
            names.locations[id]
        );
        if !invariant.is_empty() {
            let _ = write!(body, "<label kind=\"invariant\">{}</label>", escaped(&invariant));
        }
        if !location.labels.is_empty() {
            let labels: Vec<&str> = location
                .labels
                .iter()
                .map(|&label| network.labels[label].as_str())
                .collect();
            let labels = escaped(&labels.join(", "));
            let _ = write!(body, "<label kind=\"comments\">labels: {labels}</label>");
        }
        body.push_str(if location.urgent && !location.committed {
            "<urgent/>"
        } else {
            ""
        });
        body.push_str(if location.committed { "<committed/>" } else { "" });
        body.push_str("</location>\n");
    }
    let _ = writeln!(body, "<init ref=\"id{initial}\"/>");
    for (id, edge) in network
        .edges
        .iter()
        .enumerate()
        .filter(|(_, edge)| edge.process == number)
    {
        let name = |location: usize| &network.locations[location].name;
        let told = |reason| {
            format!(
                "{}: {} → {}: {reason}",
                process.name,
                name(edge.source),
                name(edge.target)
            )
        };
        let guard = writer.conditions(&edge.guard).map_err(told)?;
        let update = writer.update(id, &edge.action).map_err(told)?;
        let alone = [None];
        let several: Vec<Option<Signal>> = signals
            .get(&id)
            .into_iter()
            .flatten()
            .copied()
            .map(Some)
            .collect();
        let all = if several.is_empty() {
            &alone[..]
        } else {
            &several[..]
        };
        for signal in all {
            let _ = write!(
                body,
                "<transition><source ref=\"id{}\"/><target ref=\"id{}\"/>",
                edge.source, edge.target
            );
            if !guard.is_empty() {
                let _ = write!(body, "<label kind=\"guard\">{}</label>", escaped(&guard));
            }
            if let Some((channel, sends)) = signal {
                let sign = if *sends { '!' } else { '?' };
                let _ = write!(
                    body,
                    "<label kind=\"synchronisation\">{}{sign}</label>",
                    channels[*channel].0
                );
            }
            if !update.is_empty() {
                let _ = write!(body, "<label kind=\"assignment\">{}</label>", escaped(&update));
            }
            body.push_str("</transition>\n");
        }
    }
    let _ = writeln!(text, "<template><name>{}</name>", names.processes[number]);
    if !writer.functions.is_empty() {
        let _ = writeln!(text, "<declaration>{}</declaration>", escaped(&writer.functions));
    }
    let _ = writeln!(text, "{body}</template>");
    Ok(())
}

fn bounds_from_below(condition: &Condition) -> bool {
    let mut found = false;
    condition.visit_clocks(&mut |left, right, comparison, _| {
        let nobody = ClockName::one(0);
        found |= match (*left == nobody, *right == nobody) {
            (_, true) => !matches!(comparison, Comparison::Less | Comparison::LessEqual),
            (true, _) => !matches!(comparison, Comparison::Greater | Comparison::GreaterEqual),
            _ => comparison == Comparison::Equal,
        };
    });
    found
}

/// Writes the code of a process.
struct Writer<'n> {
    network: &'n Network,
    memory: &'n Memory,
    functions: String,
}

type Text = Result<String, String>;

impl Writer<'_> {
    fn conditions(&self, conditions: &[Condition]) -> Text {
        let mut found = Vec::new();
        for condition in conditions {
            found.push(match condition {
                Condition::Integer(expression) => self.term(expression)?,
                Condition::When(when, inner) => {
                    format!("({} imply ({}))", self.term(when)?, self.conditions(inner)?)
                }
                Condition::Clock {
                    left,
                    right,
                    comparison,
                    bound,
                } => {
                    let nobody = ClockName::one(0);
                    let value = self.term(bound)?;
                    let sign = comparison.sign();
                    match (*left == nobody, *right == nobody) {
                        (_, true) => format!("{} {sign} {value}", self.clock(left)?),
                        (true, false) => {
                            format!("{} {} -{value}", self.clock(right)?, comparison.mirrored().sign())
                        }
                        (false, false) => {
                            format!("{} - {} {sign} {value}", self.clock(left)?, self.clock(right)?)
                        }
                    }
                }
            });
        }
        Ok(found.join(" && "))
    }

    fn clock(&self, name: &ClockName) -> Text {
        match &name.index {
            None => Ok(self.memory.clocks[name.base].clone()),
            Some(index) => {
                let (array, first) = Memory::array(&self.memory.clock_blocks, name.base, name.size)?;
                Ok(match first {
                    0 => format!("{array}[{}]", self.term(index)?),
                    first => format!("{array}[{first} + {}]", self.term(index)?),
                })
            }
        }
    }

    /// A variable, a local one, or an element.
    fn place(&self, place: &Place) -> Text {
        let count = self.network.integers.len();
        match &place.index {
            None if place.base < count => Ok(self.memory.integers[place.base].clone()),
            None => Ok(format!("local_[{}]", place.base - count)),
            Some(index) if place.base >= count => {
                Ok(format!("local_[{} + {}]", place.base - count, self.term(index)?))
            }
            Some(index) => {
                let (array, first) = Memory::array(&self.memory.integer_blocks, place.base, place.size)?;
                Ok(match first {
                    0 => format!("{array}[{}]", self.term(index)?),
                    first => format!("{array}[{first} + {}]", self.term(index)?),
                })
            }
        }
    }

    fn term(&self, expression: &Expression) -> Text {
        Ok(match expression {
            Expression::Constant(value) if *value < 0 => format!("({value})"),
            Expression::Constant(value) => value.to_string(),
            Expression::Read(place) => self.place(place)?,
            Expression::Negate(inner) => format!("(-{})", self.term(inner)?),
            Expression::Not(inner) => format!("!({})", self.term(inner)?),
            Expression::Choice(parts) => {
                let [condition, then, otherwise] = &**parts;
                format!(
                    "({} ? {} : {})",
                    self.term(condition)?,
                    self.term(then)?,
                    self.term(otherwise)?
                )
            }
            Expression::Binary(operator, left, right) => {
                let sign = match operator {
                    Binary::Add => "+",
                    Binary::Subtract => "-",
                    Binary::Multiply => "*",
                    Binary::Divide => "/",
                    Binary::Remainder => "%",
                    Binary::Compare(comparison) => comparison.sign(),
                    Binary::And => "&&",
                    Binary::Or => "||",
                    Binary::BitAnd => "&",
                    Binary::BitOr => "|",
                    Binary::BitXor => "^",
                    Binary::ShiftLeft => "<<",
                    Binary::ShiftRight => ">>",
                    Binary::Minimum => "<?",
                    Binary::Maximum => ">?",
                };
                format!("({} {sign} {})", self.term(left)?, self.term(right)?)
            }
            Expression::Index(..)
            | Expression::Ranged(..)
            | Expression::Table(..)
            | Expression::Call(..)
            | Expression::Real(..) => {
                return Err("the model is one of UPPAAL's".to_owned());
            }
        })
    }

    /// The update of an edge: assignments in a row, or a call of a function.
    fn update(&mut self, edge: EdgeId, action: &[Statement]) -> Text {
        let is_plain = |one: &Statement| matches!(one, Statement::Assign { .. } | Statement::Clock { .. });
        let first = self.network.integers.len();
        let mut slots = first;
        largest_slot(action, &mut slots);
        if action.iter().all(is_plain) && slots <= first {
            let all: Result<Vec<String>, String> = action.iter().map(|one| self.assignment(one)).collect();
            return Ok(all?.join(", "));
        }
        let mut body = String::new();
        self.statements(action, 1, &mut body)?;
        let locals = match slots > first {
            true => format!("    int[-2147483647,2147483647] local_[{}];\n", slots - first),
            false => String::new(),
        };
        let _ = write!(self.functions, "void step_{edge}() {{\n{locals}{body}}}\n");
        Ok(format!("step_{edge}()"))
    }

    fn assignment(&self, statement: &Statement) -> Text {
        match statement {
            Statement::Assign { target, value, .. } => {
                Ok(format!("{} = {}", self.place(target)?, self.term(value)?))
            }
            Statement::Clock {
                target,
                source,
                offset,
                ..
            } => {
                let target = self.clock(target)?;
                Ok(match (*source == ClockName::one(0), offset) {
                    (true, _) => format!("{target} = {}", self.term(offset)?),
                    (false, Expression::Constant(0)) => format!("{target} = {}", self.clock(source)?),
                    (false, _) => format!("{target} = {} + {}", self.clock(source)?, self.term(offset)?),
                })
            }
            _ => Err("the model is one of UPPAAL's".to_owned()),
        }
    }

    fn statements(&self, statements: &[Statement], depth: usize, text: &mut String) -> Result<(), String> {
        let indent = "    ".repeat(depth);
        for statement in statements {
            match statement {
                Statement::If(condition, then, otherwise) => {
                    let _ = writeln!(text, "{indent}if ({}) {{", self.term(condition)?);
                    self.statements(then, depth + 1, text)?;
                    if !otherwise.is_empty() {
                        let _ = writeln!(text, "{indent}}} else {{");
                        self.statements(otherwise, depth + 1, text)?;
                    }
                    let _ = writeln!(text, "{indent}}}");
                }
                Statement::While(condition, body) => {
                    let _ = writeln!(text, "{indent}while ({}) {{", self.term(condition)?);
                    self.statements(body, depth + 1, text)?;
                    let _ = writeln!(text, "{indent}}}");
                }
                Statement::Clear(from, count) => {
                    let first = self.network.integers.len();
                    for slot in *from..from + count {
                        let _ = writeln!(text, "{indent}local_[{}] = 0;", slot - first);
                    }
                }
                other => {
                    let _ = writeln!(text, "{indent}{};", self.assignment(other)?);
                }
            }
        }
        Ok(())
    }
}

/// One more than the largest slot that statements use.
fn largest_slot(statements: &[Statement], slots: &mut usize) {
    for statement in statements {
        match statement {
            Statement::Clear(from, count) => *slots = (*slots).max(from + count),
            Statement::Assign { target, .. } => *slots = (*slots).max(target.base + target.size),
            Statement::If(_, then, otherwise) => {
                largest_slot(then, slots);
                largest_slot(otherwise, slots);
            }
            Statement::While(_, body) => largest_slot(body, slots),
            _ => {}
        }
    }
}
