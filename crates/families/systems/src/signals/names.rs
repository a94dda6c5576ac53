//! The names of a circuit's signals.
//!
//! A signal has the name of its line, or of an output. What is written as single bits (`data[0]`, `data[1]`, … in AIGER and BLIF) is a word as well if none of its bits is missing.

use super::layer::{Result, wrong};
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node};
use entail_source::{Diagnostic, Span, nearest};
use std::collections::BTreeMap;

/// Bits of a signal, the highest first.
pub(crate) type Pieces = Vec<Argument>;

/// A signal: what it is put together from, its width, and the numbers of its highest and lowest bit.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    pub(crate) pieces: Pieces,
    pub(crate) width: u32,
    pub(crate) range: (i64, i64),
}

/// Signals by name.
#[derive(Debug, Default)]
pub(crate) struct Names {
    signals: BTreeMap<String, Signal>,
}

impl Names {
    pub(crate) fn of(circuit: &Btor2) -> Names {
        let mut names = Names::default();
        let width = |line: LineIndex| match circuit.sort(line) {
            Some(BitSort::Bits(width)) => Some(width),
            _ => None,
        };
        let symbol = |line: LineIndex| circuit.symbols[line.index()].as_deref();
        // What has a name of its own counts more than what an output is called.
        for (line, node) in circuit.lines() {
            if let (Some(name), Some(width)) = (symbol(line), width(line)) {
                let is_signal = !matches!(node, Node::Output(_));
                if is_signal {
                    names.add(name, Argument::plain(line), width);
                }
            }
        }
        for (line, node) in circuit.lines() {
            // (Files whose outputs are bad states have no other.)
            if let (Some(name), Node::Output(argument) | Node::Bad(argument)) = (symbol(line), node)
                && let Some(width) = width(argument.line)
            {
                names.add(name, *argument, width);
            }
        }
        names.put_together();
        names
    }

    fn add(&mut self, name: &str, argument: Argument, width: u32) {
        let name = name.trim_start_matches('\\').to_owned();
        self.signals.entry(name).or_insert(Signal {
            pieces: vec![argument],
            width,
            range: (i64::from(width) - 1, 0),
        });
    }

    /// Words of bits that have numbers.
    fn put_together(&mut self) {
        let mut words: BTreeMap<String, BTreeMap<i64, Argument>> = BTreeMap::new();
        for (name, signal) in &self.signals {
            let part = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
            if let (Some((word, number)), [bit], 1) = (part, &signal.pieces[..], signal.width)
                && let Ok(number) = number.parse::<u32>()
            {
                words
                    .entry(word.to_owned())
                    .or_default()
                    .insert(i64::from(number), *bit);
            }
        }
        for (name, bits) in words {
            let (Some((&low, _)), Some((&high, _))) = (bits.first_key_value(), bits.last_key_value()) else {
                continue;
            };
            let is_whole = i64::try_from(bits.len()) == Ok(high - low + 1);
            if is_whole && high > low {
                self.signals.entry(name).or_insert(Signal {
                    width: bits.len() as u32,
                    range: (high, low),
                    pieces: bits.into_values().rev().collect(),
                });
            }
        }
    }

    /// The instance that a unit is about; nothing if it is the whole circuit.
    pub(crate) fn scope(&self, module: Option<&(String, Span)>) -> Result<String> {
        // (Circuits do not say which module they were made from: the name of a unit's module is that of an instance, or of the top module.)
        let Some((name, _)) = module else {
            return Ok(String::new());
        };
        let begin = format!("{name}.");
        let is_instance = self.signals.keys().any(|known| known.starts_with(&begin));
        Ok(if is_instance { name.clone() } else { String::new() })
    }

    /// A signal, by its name in an instance or in the whole circuit.
    pub(crate) fn find(&self, scope: &str, name: &str) -> Option<&Signal> {
        let inside = match scope {
            "" => None,
            scope => self.signals.get(&format!("{scope}.{name}")),
        };
        inside.or_else(|| self.signals.get(name))
    }

    /// That there is no signal of a name.
    pub(crate) fn unknown(&self, scope: &str, name: &str, span: Span) -> Diagnostic {
        let begin = match scope {
            "" => String::new(),
            scope => format!("{scope}."),
        };
        let known = self.signals.keys().filter_map(|known| known.strip_prefix(&begin));
        let known: Vec<&str> = known.filter(|known| !known.contains('$')).collect();
        let problem = wrong("psl::name", format!("the circuit has no signal `{name}`"), span);
        match nearest(name, known.iter().copied()) {
            Some(near) => problem.with_help(format!("did you mean `{near}`?")),
            None if known.is_empty() => problem.with_help("no signal of this circuit has a name"),
            None => problem.with_help(format!(
                "some signals of the circuit: {}",
                known.iter().take(8).copied().collect::<Vec<_>>().join(", ")
            )),
        }
    }
}
