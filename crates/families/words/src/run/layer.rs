//! Properties in PSL about the signals of a recorded run.
//!
//! A property with one clock is about the word of that clock's ticks (IEEE 1850-2010, B.4: `f@c` is true of a word iff `f` is true of its ticks). One with several clocks is rewritten:
//! letters are the times at which some of them ticks, and each clock is a condition on them.

use super::ticks::{Clock, constant, named};
use entail_logic::psl::Flavour;
use entail_logic::psl::{self, Layer, ReplicatedValues, Replicator};
use entail_logic::{Assertion, Guard, Sequence, View};
use entail_source::{Diagnostic, Span};
use entail_systems_checker::AssertionWord;
use entail_systemverilog::{Said, clock_event, meaning};
use entail_waves::{Expression, Leaf, Recording, Word, parse};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::sync::Arc;

type Result<T> = std::result::Result<T, Diagnostic>;

/// Most values that the names of `forall` may have together.
const MOST_VALUES: u64 = 4_096;

/// A property with the word it is asked of.
#[derive(Debug)]
pub(crate) struct RunCheck {
    pub(crate) assertion: Assertion<usize>,
    /// The truth of atoms at every step.
    pub(crate) letters: Vec<Vec<bool>>,
    /// The numbers of the times of steps, and of those at which values are taken.
    pub(crate) times: Vec<(usize, usize)>,
    /// The signals that it reads.
    pub(crate) signals: Vec<usize>,
    pub(crate) view: View,
    /// Whether it asks for something that is met.
    pub(crate) is_cover: bool,
}

/// A property and what is around it.
pub(crate) struct Asked<'a> {
    pub(crate) recording: &'a Recording,
    pub(crate) scope: &'a [String],
    pub(crate) said: Said,
    pub(crate) text: &'a str,
    /// The default clock.
    pub(crate) clock: Option<&'a str>,
    pub(crate) view: View,
}

fn unsupported(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("psl::unsupported", message.into(), span, "here")
}

/// Reads a property and the word it is about; places are those of its text.
pub(crate) fn read(asked: &Asked<'_>) -> Result<RunCheck> {
    let whole = Span::new(0, asked.text.len());
    if matches!(asked.said, Said::Fairness | Said::StrongFairness) {
        return Err(unsupported("fairness is about runs that do not end", whole));
    }
    let (replicators, begin) = psl::replicators(asked.text)?;
    if let Some(first) = replicators.first().filter(|_| asked.said != Said::Assert) {
        return Err(unsupported("`forall` is read in `assert` only", first.span));
    }
    // (What follows stays at its place.)
    let text = format!("{}{}", " ".repeat(begin), &asked.text[begin..]);
    let mut layer = RunLayer {
        asked,
        values: Vec::new(),
        clock: asked.clock.map(str::to_owned),
        around: Vec::new(),
        clocks: Vec::new(),
        has_unclocked: false,
        by_edges: false,
        atoms: Vec::new(),
        ends: Vec::new(),
    };
    let mut assertion = layer.all(&text, &replicators)?;
    if layer.has_unclocked && !layer.clocks.is_empty() {
        let message = "a part of this property has a clock and another has none";
        return Err(unsupported(message, whole).with_help("give it a default clock: --clock"));
    }
    if layer.clocks.len() > 1 {
        layer.by_edges = true;
        layer.atoms.clear();
        layer.ends.clear();
        assertion = layer.all(&text, &replicators)?;
    }
    layer.word(assertion)
}

/// A condition: its expression, and the number of its clock.
#[derive(Clone, PartialEq)]
enum Atom {
    Truth(Expression, Option<usize>),
    Tick(usize),
}

struct RunLayer<'a> {
    asked: &'a Asked<'a>,
    /// Values of replicated names.
    values: Vec<(String, Word)>,
    /// The clock in force, and those around it.
    clock: Option<String>,
    around: Vec<Option<String>>,
    /// The clocks that were met.
    clocks: Vec<String>,
    has_unclocked: bool,
    /// Whether letters are edges of several clocks.
    by_edges: bool,
    atoms: Vec<Atom>,
    /// Sequences whose ends are conditions (`ended`), each with the number of atoms that are known before.
    ends: Vec<(Arc<Sequence<usize>>, usize)>,
}

impl RunLayer<'_> {
    /// The property for all values of replicated names.
    fn all(&mut self, text: &str, replicators: &[Replicator]) -> Result<Assertion<usize>> {
        let Some((first, rest)) = replicators.split_first() else {
            return meaning(self.asked.said, text, self);
        };
        let (width, ranges) = match &first.values {
            ReplicatedValues::Boolean => (1, vec![(0, 1)]),
            ReplicatedValues::Words(width) if *width < 16 => (*width, vec![(0, (1_i64 << width) - 1)]),
            ReplicatedValues::Words(_) => (0, vec![(0, i64::from(u32::MAX))]),
            ReplicatedValues::Numbers(ranges) => (32, ranges.clone()),
        };
        let count = |(low, high): &(i64, i64)| u64::try_from(high.saturating_sub(*low)).unwrap_or(0) + 1;
        let others: u64 = self.values.iter().map(|(_, word)| u64::from(word.width())).sum();
        let values: u64 = ranges.iter().map(count).sum();
        if values.saturating_mul(others.max(1)) > MOST_VALUES {
            let message = format!("`forall` over more than {MOST_VALUES} values is not evaluated on a run");
            return Err(unsupported(message, first.span));
        }
        let mut whole: Option<Assertion<usize>> = None;
        for number in ranges.iter().flat_map(|(low, high)| *low..=*high) {
            let word = Word::of_number(&BigInt::from(number), width);
            self.values.push((first.name.clone(), word));
            let one = self.all(text, rest);
            self.values.pop();
            let one = one?;
            whole = Some(match whole {
                None => one,
                Some(before) => before.and(one),
            });
        }
        Ok(whole.unwrap_or_else(|| Assertion::guard(Guard::Constant(true))))
    }

    fn clock_number(&mut self) -> Option<usize> {
        let Some(clock) = &self.clock else {
            self.has_unclocked = true;
            return None;
        };
        let known = self.clocks.iter().position(|known| known == clock);
        Some(known.unwrap_or_else(|| {
            self.clocks.push(clock.clone());
            self.clocks.len() - 1
        }))
    }

    fn expression(&self, text: &str, at: usize) -> Result<Expression> {
        let asked = self.asked;
        let read = parse(text, &mut |name, span| {
            if let Some(number) = name.strip_prefix(END) {
                return Ok(Leaf::Given(number.parse().unwrap_or(0)));
            }
            let value = self.values.iter().rev().find(|(known, _)| known == name);
            match value {
                Some((_, word)) => Ok(Leaf::Value(word.clone())),
                None => named(asked.recording, asked.scope, name, span),
            }
        });
        read.map_err(|mut problem| {
            for label in &mut problem.labels {
                label.span = Span::new(label.span.start + at, label.span.end + at);
            }
            problem
        })
    }

    fn atom(&mut self, atom: Atom) -> Guard<usize> {
        let known = self.atoms.iter().position(|known| *known == atom);
        Guard::Atom(known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        }))
    }

    /// The text of an expression with a name in the place of each end point, as long as before.
    fn with_ends(&mut self, text: &str, at: usize) -> Result<String> {
        let mut text = text.to_owned();
        while let Some(begin) = word_at(&text, "ended") {
            let place = |end: usize| Span::new(at + begin, at + end);
            let group = text[begin..].find('(').map(|open| begin + open);
            let close = group.and_then(|open| closing(&text, open));
            let (Some(open), Some(close)) = (group, close) else {
                let message = "`ended` has a sequence in brackets";
                return Err(Diagnostic::error(
                    "psl::syntax",
                    message,
                    place(text.len()),
                    "here",
                ));
            };
            if self.by_edges {
                let message = "`ended` is not evaluated where a property has several clocks";
                return Err(unsupported(message, place(close + 1)));
            }
            let inner = format!("{}{}", " ".repeat(at + open + 1), &text[open + 1..close]);
            let sequence = psl::read_sequence_in(&inner, Flavour::Verilog, self)?;
            let name = format!("\\{END}{}", self.ends.len());
            let length = close + 1 - begin;
            text.replace_range(begin..=close, &format!("{name:<length$} "));
            self.ends.push((Arc::new(sequence), self.atoms.len()));
        }
        Ok(text)
    }

    /// The word that an assertion is about.
    fn word(self, assertion: Assertion<usize>) -> Result<RunCheck> {
        let recording = self.asked.recording;
        let clocks: Vec<Clock> = match self.clocks.is_empty() {
            true => vec![Clock::every_time(recording)],
            false => (self.clocks.iter())
                .map(|event| Clock::of(event, recording, self.asked.scope))
                .collect::<Result<_>>()?,
        };
        if self.by_edges && clocks.iter().any(|clock| !clock.samples_before) {
            let message = "clocks that are conditions are not evaluated together with others";
            return Err(unsupported(message, Span::new(0, self.asked.text.len())));
        }
        let mut steps: Vec<usize> = clocks
            .iter()
            .flat_map(|clock| clock.ticks.iter().copied())
            .collect();
        steps.sort_unstable();
        steps.dedup();
        if steps.is_empty() {
            let message = "this run has no step";
            return Err(Diagnostic::error("psl::clock", message, Span::new(0, 0), "here"));
        }
        let mut letters: Vec<Vec<bool>> = vec![Vec::new(); steps.len()];
        let mut ends: Vec<Vec<bool>> = Vec::new();
        for (number, atom) in self.atoms.iter().enumerate() {
            // Where matches end follows from the atoms before, by definition.
            while let Some((sequence, _)) = self.ends.get(ends.len()).filter(|(_, known)| *known <= number) {
                let found = AssertionWord::new(letters.clone(), None).ends(sequence, false);
                ends.push(found.unwrap_or_else(|| vec![false; steps.len()]));
            }
            for (time, letter) in steps.iter().zip(&mut letters) {
                letter.push(match atom {
                    Atom::Truth(expression, clock) => {
                        let moment = clocks[clock.unwrap_or(0)].moment(recording, *time);
                        expression.truth(&moment.knowing(&ends))
                    }
                    Atom::Tick(clock) => clocks[*clock].ticks.binary_search(time).is_ok(),
                });
            }
        }
        let mut signals = Vec::new();
        for atom in &self.atoms {
            if let Atom::Truth(expression, _) = atom {
                expression.signals(&mut signals);
            }
        }
        signals.sort_unstable();
        signals.dedup();
        let before = usize::from(clocks[0].samples_before);
        Ok(RunCheck {
            assertion,
            letters,
            times: steps.iter().map(|&time| (time, time - before)).collect(),
            signals,
            is_cover: self.asked.said == Said::Cover,
            // What is covered is met in the run.
            view: match self.asked.said {
                Said::Cover => View::Strong,
                _ => self.asked.view,
            },
        })
    }
}

/// What stands before the number of an end point in the name that stands for it.
const END: &str = "$";

/// Where a word stands in a text, whole.
fn word_at(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '\\');
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

/// The bracket that closes the one at a position.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_i32;
    text[open..].char_indices().find_map(|(at, letter)| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(open + at)
    })
}

impl Layer<usize> for RunLayer<'_> {
    fn boolean(&mut self, text: &str, at: usize) -> Result<Guard<usize>> {
        for name in ["nondet", "nondet_vector"] {
            if word_at(text, name).is_some() {
                let message = format!("`{name}` is not evaluated on a run");
                return Err(unsupported(message, Span::new(at, at + text.len())));
            }
        }
        let text = self.with_ends(text, at)?;
        let expression = self.expression(&text, at)?;
        let clock = self.clock_number();
        Ok(self.atom(Atom::Truth(expression, clock)))
    }

    fn constant(&mut self, text: &str, span: Span) -> Result<u32> {
        let expression = self.expression(text, span.start)?;
        let word = constant(self.asked.recording, &expression);
        let number = word.and_then(|word| word.number(expression.kind().1)?.to_u32());
        number.ok_or_else(|| Diagnostic::error("psl::syntax", "a number is expected", span, "here"))
    }

    fn enter_clock(&mut self, text: &str, span: Span) -> Result<()> {
        let event = clock_event(text).map_err(|problem| Diagnostic {
            labels: problem
                .labels
                .into_iter()
                .map(|label| entail_source::Label { span, ..label })
                .collect(),
            ..problem
        })?;
        self.around.push(self.clock.replace(event));
        Ok(())
    }

    fn leave_clock(&mut self) {
        self.clock = self.around.pop().flatten();
    }

    fn has_clock(&self) -> bool {
        self.clock.is_some()
    }

    fn tick(&mut self) -> Result<Option<Guard<usize>>> {
        let clock = self.clock_number();
        Ok(clock
            .filter(|_| self.by_edges)
            .map(|clock| self.atom(Atom::Tick(clock))))
    }
}
