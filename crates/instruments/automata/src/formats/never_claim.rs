//! SPIN's never claims: Büchi automata with acceptance on states, as Promela.
//!
//! Written from a Büchi automaton whose marks are on states: accepting states are named `accept_…`, the first state
//! `…init`, and a state that accepts everything is `accept_all: skip`. Read back from the same shape, and from what SPIN
//! and its relatives write (`if`/`do`, `:: atomic { (c) -> assert(!(c)) }` for "violated here", `goto`). A condition that is no Boolean formula over names is kept as one
//! proposition with its text as name.

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::label::{Label, Labels};
use crate::ltl::syntax::{Syntax, boolean_label, parse};
use entail_logic::Formula;
use entail_source::{Diagnostic, Diagnostics, Span};
use std::fmt::Write;

/// The automaton as a never claim. It needs one mark (or none) and acceptance on states.
pub fn to_never_claim(automaton: &Automaton) -> Result<String> {
    let accepts_all = *automaton.acceptance() == Acceptance::True;
    if !accepts_all && *automaton.acceptance() != Acceptance::buchi() {
        return Err(AutomataError::NotApplicable("never claims are Büchi automata"));
    }
    if !automaton.is_state_based() {
        return Err(AutomataError::NotApplicable(
            "never claims have acceptance on states",
        ));
    }
    let mut labels = automaton.labels.clone();
    let mut out = String::from("never {");
    if let Some(name) = &automaton.name {
        let _ = write!(out, " /* {} */", name.replace("*/", "* /"));
    }
    out.push('\n');
    let accepting = |state: State| {
        automaton
            .edges(state)
            .first()
            .is_some_and(|edge| accepts_all || edge.marks.has(0))
    };
    // SPIN starts in the first state of the text; several initial states get one in front.
    let single = match automaton.initial() {
        [only] => Some(*only),
        _ => None,
    };
    let name = |state: State| {
        if accepting(state) && automaton.universal_sink(state) && Some(state) != single {
            return "accept_all".to_string();
        }
        let kind = if accepting(state) { "accept" } else { "T0" };
        if Some(state) == single {
            format!("{kind}_init")
        } else {
            format!("{kind}_S{}", state.0)
        }
    };
    let mut body = |list: &[crate::automaton::Edge], out: &mut String| {
        if list.is_empty() {
            out.push_str("  false;\n");
            return;
        }
        out.push_str("  if\n");
        for edge in list {
            let _ = writeln!(
                out,
                "  :: ({}) -> goto {}",
                condition(&mut labels, edge.label, automaton),
                name(edge.target)
            );
        }
        out.push_str("  fi;\n");
    };
    if single.is_none() {
        out.push_str("T0_init:\n");
        let all: Vec<_> = automaton
            .initial()
            .iter()
            .flat_map(|state| automaton.edges(*state))
            .copied()
            .collect();
        body(&all, &mut out);
    }
    let mut order: Vec<State> = single.into_iter().collect();
    order.extend(automaton.states().filter(|state| Some(*state) != single));
    let mut all_accepted = false;
    for state in order {
        let own = name(state);
        if own == "accept_all" {
            all_accepted = true;
            continue;
        }
        let _ = writeln!(out, "{own}:");
        body(automaton.edges(state), &mut out);
    }
    // A claim that runs off its end accepts; anywhere else `skip` would run into the state written next.
    if all_accepted {
        out.push_str("accept_all:\n  skip\n");
    }
    out.push_str("}\n");
    Ok(out)
}

fn condition(labels: &mut Labels, label: Label, automaton: &Automaton) -> String {
    if label == Label::TRUE {
        return "1".into();
    }
    let name = |var: u32| {
        let name = &automaton.propositions()[var as usize];
        if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            name.clone()
        } else {
            format!("({name})")
        }
    };
    let cubes = labels.cubes(label);
    let texts: Vec<String> = cubes
        .iter()
        .map(|cube| {
            let literals: Vec<String> = (0..64)
                .filter(|var| (cube.positive | cube.negative) >> var & 1 == 1)
                .map(|var| {
                    if cube.positive >> var & 1 == 1 {
                        name(var)
                    } else {
                        format!("!{}", name(var))
                    }
                })
                .collect();
            format!("({})", literals.join(" && "))
        })
        .collect();
    texts.join(" || ")
}

fn error(message: impl Into<String>, at: usize, length: usize) -> Diagnostics {
    Diagnostic::error("never::syntax", message, Span::new(at, at + length), "here").into()
}

/// A place in the claim's text.
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn skip(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            self.at = self.text.len()
                - rest
                    .trim_start_matches(|c: char| c.is_whitespace() || c == ';')
                    .len();
            let rest = &self.text[self.at..];
            if rest.starts_with("/*") {
                self.at = rest.find("*/").map_or(self.text.len(), |end| self.at + end + 2);
            } else if rest.starts_with("//") {
                self.at = rest.find('\n').map_or(self.text.len(), |end| self.at + end + 1);
            } else {
                return;
            }
        }
    }

    fn eat(&mut self, word: &str) -> bool {
        self.skip();
        let found = self.text[self.at..].starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn name(&mut self) -> Option<&'t str> {
        self.skip();
        let rest = &self.text[self.at..];
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        if length == 0 {
            return None;
        }
        self.at += length;
        Some(&rest[..length])
    }

    /// The text up to `->` at bracket depth 0.
    fn until_arrow(&mut self) -> Option<&'t str> {
        self.skip();
        let rest = &self.text[self.at..];
        let mut depth = 0i32;
        for (offset, c) in rest.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                '-' if depth <= 0 && rest[offset..].starts_with("->") => {
                    self.at += offset + 2;
                    return Some(rest[..offset].trim());
                }
                ':' if rest[offset..].starts_with("::") => return None,
                _ => {}
            }
        }
        None
    }
}

/// The labels of a block and the moves out of it.
type Block = (Vec<String>, Vec<(Formula<String>, Goal)>);

enum Goal {
    Label(String),
    Everything,
}

/// Reads a never claim.
pub fn read_never_claim(text: &str) -> std::result::Result<Automaton, Diagnostics> {
    read_claim(text).map_err(|problems| problems.within(text))
}

fn read_claim(text: &str) -> std::result::Result<Automaton, Diagnostics> {
    let mut cursor = Cursor { text, at: 0 };
    if !cursor.eat("never") {
        return Err(error("expected `never`", cursor.at, 1));
    }
    if !cursor.eat("{") {
        let _ = cursor.name();
        if !cursor.eat("{") {
            return Err(error("expected `{`", cursor.at, 1));
        }
    }
    // Label names with the transitions that follow them; labels without code of their own share the next block.
    let mut blocks: Vec<Block> = Vec::new();
    loop {
        if cursor.eat("}") {
            break;
        }
        let at = cursor.at;
        let mut names = Vec::new();
        loop {
            let saved = cursor.at;
            match cursor.name() {
                Some(name) if !matches!(name, "if" | "do" | "skip" | "false" | "goto") && cursor.eat(":") => {
                    names.push(name.to_string());
                }
                _ => {
                    cursor.at = saved;
                    break;
                }
            }
        }
        if names.is_empty() {
            return Err(error("expected a label or `}`", at.min(text.len()), 1));
        }
        let mut moves = Vec::new();
        if cursor.eat("skip") {
            moves.push((Formula::constant(true), Goal::Everything));
        } else if cursor.eat("false") || cursor.eat("(0)") {
            // No way on.
        } else if cursor.eat("goto") {
            let target = cursor
                .name()
                .ok_or_else(|| error("expected a label", cursor.at, 1))?;
            moves.push((Formula::constant(true), Goal::Label(target.to_string())));
        } else {
            let end = if cursor.eat("if") {
                "fi"
            } else if cursor.eat("do") {
                "od"
            } else {
                return Err(error("expected `if`, `do` or `skip`", cursor.at, 1));
            };
            while !cursor.eat(end) {
                if !cursor.eat("::") {
                    return Err(error(format!("expected `::` or `{end}`"), cursor.at, 1));
                }
                let atomic = cursor.eat("atomic");
                if atomic && !cursor.eat("{") {
                    return Err(error("expected `{`", cursor.at, 1));
                }
                let place = cursor.at;
                let guard = cursor
                    .until_arrow()
                    .ok_or_else(|| error("expected `condition ->`", place, 1))?;
                let guard = match guard {
                    "else" => return Err(error("`else` is not supported in claims", place, 4)),
                    "true" => Formula::constant(true),
                    _ => match parse(guard, Syntax::Spin) {
                        Ok(formula) if formula.is_propositional() => formula,
                        _ => Formula::atom(guard.trim_matches(|c| c == '(' || c == ')').trim().to_string()),
                    },
                };
                if cursor.eat("goto") {
                    let target = cursor
                        .name()
                        .ok_or_else(|| error("expected a label", cursor.at, 1))?;
                    moves.push((guard, Goal::Label(target.to_string())));
                } else if cursor.eat("assert") {
                    let rest = &text[cursor.at..];
                    let close = if atomic { rest.find('}') } else { rest.find('\n') };
                    cursor.at += close.unwrap_or(rest.len());
                    moves.push((guard, Goal::Everything));
                } else if cursor.eat("skip") || cursor.eat("break") {
                    moves.push((guard, Goal::Everything));
                } else {
                    return Err(error("expected `goto`", cursor.at, 1));
                }
                if atomic && !cursor.eat("}") {
                    return Err(error("expected `}`", cursor.at, 1));
                }
            }
        }
        blocks.push((names, moves));
    }
    build(blocks).map_err(|message| error(message, 0, text.len()))
}

fn build(blocks: Vec<Block>) -> std::result::Result<Automaton, String> {
    let mut propositions: Vec<String> = Vec::new();
    for (guard, _) in blocks.iter().flat_map(|(_, moves)| moves) {
        guard.for_each_atom(&mut |name| {
            if !propositions.contains(name) {
                propositions.push(name.clone());
            }
        });
    }
    let mut automaton =
        Automaton::new(propositions.clone(), Acceptance::buchi(), 1).map_err(|e| e.to_string())?;
    for _ in &blocks {
        automaton.add_state();
    }
    let everything = automaton.add_state();
    automaton.add_edge(everything, Label::TRUE, everything, Marks::one(0));
    if blocks.is_empty() {
        return Err("a claim needs a state".into());
    }
    automaton.add_initial(State(0));
    for (source, (names, moves)) in blocks.iter().enumerate() {
        let accepting = names.iter().any(|name| name.starts_with("accept"));
        let marks = if accepting { Marks::one(0) } else { Marks::NONE };
        for (guard, goal) in moves {
            let label = boolean_label(guard, &propositions, &mut automaton.labels);
            let target = match goal {
                Goal::Everything => everything,
                Goal::Label(name) => blocks
                    .iter()
                    .position(|(names, _)| names.contains(name))
                    .map(|position| State(position as u32))
                    .ok_or_else(|| format!("no label `{name}`"))?,
            };
            automaton.add_edge(State(source as u32), label, target, marks);
        }
    }
    automaton.remove_unreachable();
    Ok(automaton)
}
