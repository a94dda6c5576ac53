//! Systems as DOT, for Graphviz.
//!
//! Written is a node for each state, an edge for each transition with its action as label, and an arrow from nowhere to each initial state. A state
//! of a Kripke structure shows the propositions that hold in it, in braces; hidden steps have no label there.
//!
//! Read is what tools write: `digraph NAME { … }` with nodes `s0 [label="…"];` and edges `s0 -> s1 [label="…"];` (chains `a -> b -> c`, too),
//! attributes of the graph and defaults, which are skipped. Initial are nodes to which an arrow leads from a node without a shape (`shape=point`, `none`,
//! `plaintext`, `style=invis`); otherwise those with `peripheries=2` or `shape=doublecircle` (as mCRL2 writes them); otherwise the first. An edge without a label is hidden. A
//! node's label is a list of propositions if it is in braces; other labels are names and say nothing.

use crate::{Hidden, Unreadable};
use entail_model::{Lts, LtsBuilder, StateId, TAU, TAU_NAME};
use entail_source::{Diagnostic, Source, Span};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::Arc;

/// A system as DOT.
pub fn write_dot(name: &str, lts: &Lts) -> String {
    let is_kripke = lts.is_coloured();
    let mut out = format!("digraph {} {{\n", quoted(name));
    out.push_str("  node [shape=ellipse, fontname=monospace];\n  edge [fontname=monospace, fontsize=10];\n");
    for state in lts.states() {
        match is_kripke {
            true => {
                let names: Vec<&str> = lts.propositions(state).iter().map(|name| &**name).collect();
                let _ = writeln!(
                    out,
                    "  {state} [label={}];",
                    quoted(&format!("{{{}}}", names.join(", ")))
                );
            }
            false => {
                let _ = writeln!(out, "  {state};");
            }
        }
    }
    for (position, state) in lts.initial().iter().enumerate() {
        let _ = writeln!(
            out,
            "  start{position} [shape=point, label=\"\"];\n  start{position} -> {state};"
        );
    }
    for step in lts.transitions() {
        let _ = match step.action == TAU && is_kripke {
            true => writeln!(out, "  {} -> {};", step.from, step.to),
            false => writeln!(
                out,
                "  {} -> {} [label={}];",
                step.from,
                step.to,
                quoted(lts.action_name(step.action))
            ),
        };
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Reads a system.
pub fn read_dot(source: &Source, hidden: Hidden) -> Result<Lts, Unreadable> {
    let mut reader = Reader {
        text: source.text(),
        at: 0,
        hidden,
        nodes: Vec::new(),
        numbers: FxHashMap::default(),
        edges: Vec::new(),
    };
    reader
        .graph()
        .and_then(|()| reader.system())
        .map_err(|problem| Unreadable {
            source: source.clone(),
            diagnostics: problem.within(source.text()).into(),
        })
}

type Problem = Box<Diagnostic>;

#[derive(Default)]
struct Node {
    label: Option<String>,
    /// It is drawn without a shape: only the tail of an arrow into an initial state.
    is_nowhere: bool,
    is_initial: bool,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    hidden: Hidden,
    nodes: Vec<Node>,
    numbers: FxHashMap<String, usize>,
    edges: Vec<(usize, Option<String>, usize)>,
}

/// An attribute, with the place of its value.
struct Attribute {
    name: String,
    value: String,
}

impl Reader<'_> {
    fn problem(&self, message: &str, label: &str) -> Problem {
        let end = self.text[self.at..]
            .chars()
            .next()
            .map_or(self.at, |c| self.at + c.len_utf8());
        Diagnostic::error("dot::syntax", message, Span::new(self.at, end), label)
            .with_help("Entail reads `digraph { a -> b [label=\"action\"]; a [label=\"{p, q}\"]; }`")
            .into()
    }

    /// Skips blanks and comments.
    fn blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let skipped = match trimmed {
                rest if rest.starts_with("//") || rest.starts_with('#') => {
                    rest.find('\n').unwrap_or(rest.len())
                }
                rest if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                _ => return,
            };
            self.at += skipped;
        }
    }

    fn accept(&mut self, symbol: &str) -> bool {
        self.blanks();
        let found = self.text[self.at..].starts_with(symbol);
        if found {
            self.at += symbol.len();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<(), Problem> {
        match self.accept(symbol) {
            true => Ok(()),
            false => Err(self.problem(&format!("expected `{symbol}`"), "here")),
        }
    }

    /// A name: quoted, or a word, or a number.
    fn name(&mut self) -> Result<Option<String>, Problem> {
        self.blanks();
        let rest = &self.text[self.at..];
        if rest.starts_with('"') {
            let mut name = String::new();
            let mut chars = rest.char_indices().skip(1);
            while let Some((place, c)) = chars.next() {
                match c {
                    '"' => {
                        self.at += place + 1;
                        return Ok(Some(name));
                    }
                    '\\' => match chars.next() {
                        Some((_, c @ ('"' | '\\'))) => name.push(c),
                        // Line breaks in labels.
                        Some((_, 'n' | 'l' | 'r')) => name.push('\n'),
                        Some((_, c)) => name.extend(['\\', c]),
                        None => break,
                    },
                    c => name.push(c),
                }
            }
            return Err(self.problem("the quote is not closed", "it begins here"));
        }
        let end = rest
            .find(|c: char| {
                !(c.is_alphanumeric()
                    || c == '_'
                    || c == '.'
                    || (c == '-' && !rest.starts_with(char::is_alphabetic)))
            })
            .unwrap_or(rest.len());
        // A minus belongs to a number, not to an arrow.
        let end = rest[..end].find("->").or(rest[..end].find("--")).unwrap_or(end);
        if end == 0 {
            return Ok(None);
        }
        self.at += end;
        Ok(Some(rest[..end].to_owned()))
    }

    fn graph(&mut self) -> Result<(), Problem> {
        let mut word = self.name()?;
        if word
            .as_deref()
            .is_some_and(|word| word.eq_ignore_ascii_case("strict"))
        {
            word = self.name()?;
        }
        if !word.is_some_and(|word| word.eq_ignore_ascii_case("digraph")) {
            self.at = 0;
            return Err(self.problem("expected `digraph`", "here"));
        }
        self.name()?;
        self.expect("{")?;
        while !self.accept("}") {
            self.statement()?;
            self.accept(";");
        }
        self.blanks();
        match self.at == self.text.len() {
            true => Ok(()),
            false => Err(self.problem("there is something behind the graph", "here")),
        }
    }

    fn statement(&mut self) -> Result<(), Problem> {
        let Some(first) = self.name()? else {
            return Err(self.problem("expected a node, an edge or an attribute", "this is none"));
        };
        if ["graph", "node", "edge"]
            .iter()
            .any(|word| first.eq_ignore_ascii_case(word))
        {
            self.attributes()?;
            return Ok(());
        }
        if first.eq_ignore_ascii_case("subgraph") {
            return Err(self.problem("subgraphs are not read", "before this"));
        }
        if self.accept("=") {
            return match self.name()? {
                Some(_) => Ok(()),
                None => Err(self.problem("expected a value", "here")),
            };
        }
        let mut chain = vec![self.node(first)?];
        loop {
            if self.accept("--") {
                return Err(self.problem("edges of a digraph are written `->`", "before this"));
            }
            if !self.accept("->") {
                break;
            }
            let Some(next) = self.name()? else {
                return Err(self.problem("expected a node", "here"));
            };
            chain.push(self.node(next)?);
        }
        let attributes = self.attributes()?;
        let label = (attributes.iter().rev())
            .find(|one| one.name == "label")
            .map(|one| one.value.clone());
        match chain.as_slice() {
            [node] => {
                let node = &mut self.nodes[*node];
                node.label = label.or(node.label.take());
                for Attribute { name, value } in &attributes {
                    match (name.as_str(), value.as_str()) {
                        ("shape", "point" | "none" | "plaintext") => node.is_nowhere = true,
                        ("style", style) if style.contains("invis") => node.is_nowhere = true,
                        ("peripheries", "2") | ("shape", "doublecircle") => node.is_initial = true,
                        _ => {}
                    }
                }
            }
            chain => {
                for pair in chain.windows(2) {
                    self.edges.push((pair[0], label.clone(), pair[1]));
                }
            }
        }
        Ok(())
    }

    fn node(&mut self, name: String) -> Result<usize, Problem> {
        // A port says where an edge is drawn.
        while self.accept(":") {
            if self.name()?.is_none() {
                return Err(self.problem("expected a port", "here"));
            }
        }
        let fresh = self.nodes.len();
        let number = *self.numbers.entry(name).or_insert(fresh);
        if number == fresh {
            self.nodes.push(Node::default());
        }
        Ok(number)
    }

    fn attributes(&mut self) -> Result<Vec<Attribute>, Problem> {
        let mut found = Vec::new();
        while self.accept("[") {
            while !self.accept("]") {
                let Some(name) = self.name()? else {
                    return Err(self.problem("expected an attribute or `]`", "here"));
                };
                let value = match self.accept("=") {
                    true => self.name()?,
                    false => Some("true".to_owned()),
                };
                let Some(value) = value else {
                    return Err(self.problem("expected a value", "here"));
                };
                found.push(Attribute { name, value });
                let _ = self.accept(",") || self.accept(";");
            }
        }
        Ok(found)
    }

    fn system(&self) -> Result<Lts, Problem> {
        let is_state: Vec<bool> = self.nodes.iter().map(|node| !node.is_nowhere).collect();
        let mut count = 0;
        let numbers: Vec<u32> = (is_state.iter())
            .map(|&is_state| {
                count += u32::from(is_state);
                count.saturating_sub(1)
            })
            .collect();
        let mut builder = LtsBuilder::new(count.into());
        let mut initial = Vec::new();
        for (from, label, to) in &self.edges {
            if !is_state[*to] {
                continue;
            }
            if !is_state[*from] {
                initial.push(*to);
                continue;
            }
            let action = match label.as_deref() {
                None | Some("" | TAU_NAME) => TAU,
                Some("i") if self.hidden != Hidden::Tau => TAU,
                Some(label) => builder.action(label),
            };
            builder.transition(StateId::new(numbers[*from]), action, StateId::new(numbers[*to]));
        }
        if initial.is_empty() {
            initial
                .extend((0..self.nodes.len()).filter(|&node| is_state[node] && self.nodes[node].is_initial));
        }
        if initial.is_empty() {
            initial.extend((0..self.nodes.len()).find(|&node| is_state[node]));
        }
        for node in initial {
            builder.initial(StateId::new(numbers[node]));
        }
        let sets: Vec<Option<Vec<Arc<str>>>> = self
            .nodes
            .iter()
            .map(|node| propositions(node.label.as_deref()))
            .collect();
        if sets.iter().any(Option::is_some) {
            for (node, set) in sets.into_iter().enumerate().filter(|(node, _)| is_state[*node]) {
                let colour = builder.colour(set.unwrap_or_default());
                builder.paint(StateId::new(numbers[node]), colour);
            }
        }
        builder.build().map_err(|error| {
            Diagnostic::error(
                "dot::structure",
                error.to_string(),
                Span::new(0, 0),
                "in this graph",
            )
            .into()
        })
    }
}

/// The propositions in a label such as `{p, q}`; commas inside brackets do not count.
fn propositions(label: Option<&str>) -> Option<Vec<Arc<str>>> {
    let inner = label?.trim().strip_prefix('{')?.strip_suffix('}')?;
    let (mut depth, mut start, mut names) = (0i32, 0, Vec::new());
    for (place, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 || place == inner.len() => {
                let name = inner[start..place].trim();
                if !name.is_empty() {
                    names.push(Arc::from(name));
                }
                start = place + 1;
            }
            _ => {}
        }
    }
    Some(names)
}
