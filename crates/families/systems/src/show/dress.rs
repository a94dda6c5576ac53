//! How the variables and values of a model look to its author.
//!
//! The system behind a model has variables that a translator made, and values in one notation; people know the names and the notation of the
//! language they wrote. A model's dress says for each variable where it is declared and whether it is in the text at all, and
//! how values are written: words in Verilog are `3'd6`, truth values of its wires `0` and `1`. Memories are shown word by word.

use super::Looks;
use crate::assertions::OWN;
use crate::translation::{Names, edges};
use entail_model::{Op, Sort, TermId, TransitionSystem, Value};
use entail_show::{Cell, Column, Nature, SourcePlace, Timeline};
use entail_source::{Source, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Wider words are written in hexadecimal.
const WIDEST_DECIMAL: u32 = 32;

/// Of larger memories only words that change, or differ from the first, are shown; and not more than this.
const MOST_WORDS: usize = 1 << 10;

/// How values are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Notation {
    #[default]
    Smv,
    Verilog,
}

/// What is known about the looks of a model.
#[derive(Debug, Default)]
pub(crate) struct Dress {
    notation: Notation,
    /// The lines on which variables and defines are declared.
    lines: FxHashMap<Arc<str>, usize>,
    /// What is not an ordinary signal of the text.
    natures: FxHashMap<Arc<str>, Nature>,
}

impl Dress {
    /// The dress of an SMV model whose variables are declared at these places.
    pub(crate) fn smv(system: &TransitionSystem, places: &[Span], source: &Source) -> Dress {
        let starts: Vec<usize> = source.lines().map(|(span, _)| span.start).collect();
        let line = |place: &Span| starts.partition_point(|start| *start <= place.start);
        let variables = system.variables().iter().zip(places);
        Dress {
            lines: (variables.map(|(variable, place)| (variable.name.clone(), line(place)))).collect(),
            ..Dress::default()
        }
    }

    /// The dress of a BTOR2 circuit: registers and inputs stand where they are declared with a name.
    pub(crate) fn btor2(source: &Source) -> Dress {
        let named = source.lines().enumerate().filter_map(|(number, (_, line))| {
            let mut words = line.split_whitespace();
            let keyword = words.nth(1)?;
            let name = words.nth(1).filter(|name| !name.starts_with(';'))?;
            matches!(keyword, "state" | "input").then(|| (Arc::from(name), number + 1))
        });
        Dress {
            lines: named.collect(),
            ..Dress::default()
        }
    }

    /// The dress of a Verilog design; `source` is its text.
    pub(crate) fn verilog(system: &TransitionSystem, names: &Names, source: &str) -> Dress {
        let mut dress = Dress {
            notation: Notation::Verilog,
            ..Dress::default()
        };
        let used = used(system);
        let edges = edges(source);
        let mut clocks: Vec<(TermId, Nature)> = Vec::new();
        for (id, variable) in system.variable_ids().zip(system.variables()) {
            let edge = edges.iter().find(|(name, _)| *name == &*variable.name);
            let nature = match edge {
                Some((_, rises)) if !used.contains(&id) && variable.sort == Sort::Bool => {
                    if *rises {
                        Nature::Rising
                    } else {
                        Nature::Falling
                    }
                }
                _ if names.is_own(&variable.name) => Nature::Own,
                _ => Nature::Generated,
            };
            if let (Nature::Rising | Nature::Falling, Some(term)) = (nature, current(system, id)) {
                clocks.push((term, nature));
            }
            dress.learn(&variable.name, nature, names);
        }
        for define in &system.defines {
            let clock = clocks.iter().find(|(term, _)| *term == define.term);
            let nature = match clock {
                // (Wires by which clocks are found again are nobody's clocks.)
                Some(_) if define.name.contains(OWN) => Nature::Generated,
                Some((_, nature)) => *nature,
                None if names.is_own(&define.name) => Nature::Own,
                None => Nature::Generated,
            };
            dress.learn(&define.name, nature, names);
        }
        dress
    }

    fn learn(&mut self, name: &Arc<str>, nature: Nature, names: &Names) {
        if nature != Nature::Own {
            self.natures.insert(name.clone(), nature);
        }
        if let Some(line) = names.line(name) {
            self.lines.insert(name.clone(), line);
        }
    }

    /// Whether the text that people know is another than the one that formulas are printed in.
    pub(crate) fn is_foreign(&self) -> bool {
        self.notation != Notation::Smv
    }

    /// Whether a variable is in the model's text.
    pub(crate) fn is_own(&self, name: &str) -> bool {
        !self.natures.contains_key(name)
    }

    /// The line on which a variable is declared.
    pub(crate) fn line(&self, name: &str) -> Option<usize> {
        self.lines.get(name).copied()
    }

    /// A value as the model's language writes it.
    pub(crate) fn text(&self, value: &Value) -> String {
        match (self.notation, value) {
            (Notation::Verilog, Value::Bool(truth)) => u8::from(*truth).to_string(),
            (Notation::Verilog, Value::Word(word)) => {
                let width = word.width();
                match width {
                    ..=WIDEST_DECIMAL => {
                        let number = (0..width)
                            .rev()
                            .fold(0u64, |number, bit| number << 1 | u64::from(word.bit(bit)));
                        format!("{width}'d{number}")
                    }
                    _ => format!("{width}'h{}", hexadecimal(width, |bit| word.bit(bit))),
                }
            }
            (_, value) => value.to_string(),
        }
    }

    /// The type of a signal as the model's language writes it.
    pub(super) fn type_text(&self, sort: &Sort) -> String {
        match (self.notation, sort) {
            (Notation::Verilog, Sort::Bool) => "1 bit".to_owned(),
            (Notation::Verilog, Sort::Word { width, .. }) => format!("[{}:0]", width - 1),
            (_, sort) => sort.to_string(),
        }
    }

    /// A value with its bits.
    pub(super) fn cell(&self, value: &Value) -> Cell {
        let bits = match value {
            Value::Word(word) => {
                let bits = (0..word.width())
                    .rev()
                    .map(|bit| if word.bit(bit) { '1' } else { '0' });
                Some(Arc::from(bits.collect::<String>()))
            }
            _ => None,
        };
        Cell {
            text: Arc::from(self.text(value)),
            bits,
        }
    }

    /// Says of a column what is known about its name; a word of a memory is declared where the memory is.
    pub(super) fn put_on(&self, column: &mut Column, of: &str) {
        column.nature = self.natures.get(of).copied().unwrap_or_default();
        column.place = self.lines.get(of).map(|&line| SourcePlace { file: None, line });
    }

    /// What is said of a trace that ends with a violated assertion, or with what a cover asks for: which, where, and at which step. Of what a
    /// clock edge checks, yosys keeps the result in a register: the values that decide it are those of the step before.
    pub(super) fn close(&self, timeline: &mut Timeline, text: &str, looks: Looks<'_>, is_sampled: bool) {
        let Some(at) = timeline.violation.filter(|_| self.is_foreign()) else {
            return;
        };
        let at = at - usize::from(is_sampled && at > 0);
        timeline.violation = (!looks.is_cover).then_some(at);
        let place = looks.line.map_or(String::new(), |line| format!(" (line {line})"));
        let happens = if looks.is_cover { "is reached" } else { "fails" };
        let edge = match is_sampled {
            true => ", at the clock edge that ends it",
            false => "",
        };
        let sentence = format!("`{text}`{place} {happens} at step {at}{edge}");
        timeline.ending.push(sentence);
    }
}

/// The positions of a memory that are shown, given its contents at each step.
pub(super) fn shown_words(contents: &[Option<&Arc<[Value]>>]) -> Vec<usize> {
    let longest = contents
        .iter()
        .flatten()
        .map(|words| words.len())
        .max()
        .unwrap_or(0);
    if longest <= MOST_WORDS {
        return (0..longest).collect();
    }
    let Some(Some(first)) = contents.first() else {
        return Vec::new();
    };
    let is_special = |at: &usize| {
        let differs = |words: &&Arc<[Value]>| words.get(*at) != first.first();
        contents.iter().flatten().any(differs)
    };
    (0..longest).filter(is_special).take(MOST_WORDS).collect()
}

fn hexadecimal(width: u32, bit: impl Fn(u32) -> bool) -> String {
    let digit = |at: u32| {
        let bits = (0..4).rev().map(|low| 4 * at + low);
        let value = bits.fold(0, |value, position| {
            value << 1 | u32::from(position < width && bit(position))
        });
        char::from_digit(value, 16).unwrap_or('0')
    };
    (0..width.div_ceil(4)).rev().map(digit).collect()
}

/// The variables that conditions of the system speak about.
fn used(system: &TransitionSystem) -> rustc_hash::FxHashSet<entail_model::VarId> {
    let mut roots: Vec<TermId> = Vec::new();
    roots.extend(&system.init);
    roots.extend(&system.invariant);
    roots.extend(&system.transition);
    roots.extend(&system.justice);
    let is_copy = |term: TermId| matches!(system.terms.op(term), Op::Current(_));
    roots.extend(
        system
            .defines
            .iter()
            .map(|define| define.term)
            .filter(|&term| !is_copy(term)),
    );
    let (now, next) = system.terms.support(&roots);
    now.into_iter().chain(next).collect()
}

/// The term of a variable's value, where the system has it.
fn current(system: &TransitionSystem, id: entail_model::VarId) -> Option<TermId> {
    let terms = system.defines.iter().map(|define| define.term);
    let mut copies = terms.filter(|&term| matches!(system.terms.op(term), Op::Current(of) if *of == id));
    copies.next()
}
