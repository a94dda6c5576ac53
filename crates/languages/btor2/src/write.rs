//! A circuit as text.

use crate::circuit::{Argument, BitSort, Btor2, Node};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The circuit in BTOR2. Lines are numbered anew, each sort is defined where it is first needed.
pub fn write(circuit: &Btor2) -> String {
    let mut writer = Writer {
        circuit,
        out: String::new(),
        sorts: FxHashMap::default(),
        numbers: Vec::with_capacity(circuit.nodes.len()),
        next: 1,
    };
    for position in 0..circuit.nodes.len() {
        writer.line(position);
    }
    writer.out
}

struct Writer<'a> {
    circuit: &'a Btor2,
    out: String,
    /// The numbers of the sorts written so far.
    sorts: FxHashMap<BitSort, u64>,
    /// The number of each node written so far.
    numbers: Vec<u64>,
    next: u64,
}

impl Writer<'_> {
    fn number(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }

    fn sort(&mut self, sort: BitSort) -> u64 {
        if let Some(&number) = self.sorts.get(&sort) {
            return number;
        }
        let line = match sort {
            BitSort::Bits(width) => format!("bitvec {width}"),
            BitSort::Array { index, element } => {
                let (index, element) = (self.sort(BitSort::Bits(index)), self.sort(BitSort::Bits(element)));
                format!("array {index} {element}")
            }
        };
        let number = self.number();
        let _ = writeln!(self.out, "{number} sort {line}");
        self.sorts.insert(sort, number);
        number
    }

    fn argument(&self, argument: Argument) -> String {
        let sign = if argument.negated { "-" } else { "" };
        format!("{sign}{}", self.numbers[argument.line.index()])
    }

    fn line(&mut self, position: usize) {
        let node = &self.circuit.nodes[position];
        let state_sort = |state| self.circuit.sort(state).unwrap_or(BitSort::Bits(1));
        let text = match node {
            Node::Input(sort) => format!("input {}", self.sort(*sort)),
            Node::State(sort) => format!("state {}", self.sort(*sort)),
            Node::Constant { width, bits } => {
                let sort = self.sort(BitSort::Bits(*width));
                let digits = bits.to_str_radix(2);
                format!("const {sort} {digits:0>width$}", width = *width as usize)
            }
            Node::Operation {
                sort,
                operator,
                arguments,
                numbers,
            } => {
                let mut text = format!("{} {}", operator.name(), self.sort(*sort));
                for &argument in arguments {
                    let _ = write!(text, " {}", self.argument(argument));
                }
                for number in numbers {
                    let _ = write!(text, " {number}");
                }
                text
            }
            Node::Init { state, value } | Node::Next { state, value } => {
                let keyword = if matches!(node, Node::Init { .. }) {
                    "init"
                } else {
                    "next"
                };
                let sort = state_sort(*state);
                let sort = self.sort(sort);
                format!(
                    "{keyword} {sort} {} {}",
                    self.numbers[state.index()],
                    self.argument(*value)
                )
            }
            Node::Bad(argument) => format!("bad {}", self.argument(*argument)),
            Node::Constraint(argument) => format!("constraint {}", self.argument(*argument)),
            Node::Fair(argument) => format!("fair {}", self.argument(*argument)),
            Node::Output(argument) => format!("output {}", self.argument(*argument)),
            Node::Justice(conditions) => {
                let mut text = format!("justice {}", conditions.len());
                for &condition in conditions {
                    let _ = write!(text, " {}", self.argument(condition));
                }
                text
            }
        };
        let number = self.number();
        self.numbers.push(number);
        let _ = write!(self.out, "{number} {text}");
        if let Some(symbol) = &self.circuit.symbols[position] {
            // A name is one word.
            let word: String = symbol
                .chars()
                .map(|c| if c.is_whitespace() { '_' } else { c })
                .collect();
            if !word.is_empty() && !word.starts_with(';') {
                let _ = write!(self.out, " {word}");
            }
        }
        self.out.push('\n');
    }
}
