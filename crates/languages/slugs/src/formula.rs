//! Formulas in prefix notation.
//!
//! They are read from left to right with a stack of operators that still wait for operands, so that nesting is bounded by memory only.

use entail_logic::Formula;
use entail_source::{Diagnostic, Span};
use std::collections::HashMap;

/// Which next values a formula may speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Primes {
    None,
    Inputs,
    All,
}

/// The signals, and whether each is an input.
pub(crate) type Signals = HashMap<String, bool>;

/// A word of a line, with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// Something that waits for operands.
enum Waiting {
    Not,
    /// The operator, and its first operand when it is there.
    Binary(char, Option<Formula<String>>),
    /// The formulas of a buffer so far, and how many there are to be.
    Buffer(Vec<Formula<String>>, usize),
}

/// Buffers with more formulas are refused.
const MOST_IN_BUFFER: usize = 1_000_000;

/// The formula of a line.
pub(crate) fn parse(
    words: &[Word<'_>],
    signals: &Signals,
    primes: Primes,
) -> Result<Formula<String>, Diagnostic> {
    let mut waiting: Vec<Waiting> = Vec::new();
    let mut words = words.iter();
    let mut last = Span::new(0, 0);
    while let Some(word) = words.next() {
        last = word.span;
        let mut value = match word.text {
            "!" => {
                waiting.push(Waiting::Not);
                continue;
            }
            "&" | "|" | "^" => {
                let operator = word.text.chars().next().unwrap_or('&');
                waiting.push(Waiting::Binary(operator, None));
                continue;
            }
            "$" => {
                let count = number(words.next(), word.span, "a buffer's number of formulas")?;
                if count == 0 || count > MOST_IN_BUFFER {
                    let message = format!("a buffer of {count} formulas");
                    return Err(
                        Diagnostic::error("slugs::buffer", message, word.span, "begins here").with_help(
                            "a buffer has at least one formula, which is its value, and at most a million",
                        ),
                    );
                }
                waiting.push(Waiting::Buffer(Vec::new(), count));
                continue;
            }
            "?" => {
                let wanted = number(words.next(), word.span, "the number of a buffer's formula")?;
                let buffer = waiting.iter().rev().find_map(|one| match one {
                    Waiting::Buffer(list, _) => Some(list),
                    _ => None,
                });
                let found = buffer.and_then(|list| list.get(wanted));
                found.cloned().ok_or_else(|| {
                    let message = format!("there is no formula {wanted} before this in the buffer around it");
                    Diagnostic::error("slugs::buffer", message, word.span, "wanted here")
                        .with_help("`? i` stands inside of `$ n …`; formulas are numbered from 0")
                })?
            }
            "0" => Formula::constant(false),
            "1" => Formula::constant(true),
            name => signal(name, word.span, signals, primes)?,
        };
        // The value completes what waits for it.
        loop {
            match waiting.pop() {
                None => {
                    return match words.next() {
                        None => Ok(value),
                        Some(more) => Err(Diagnostic::error(
                            "slugs::rest",
                            format!("`{}` stands after the end of the formula", more.text),
                            more.span,
                            "not part of it",
                        )
                        .with_help("operators come before their operands; a line is one formula")),
                    };
                }
                Some(Waiting::Not) => value = value.not(),
                Some(Waiting::Binary(operator, None)) => {
                    waiting.push(Waiting::Binary(operator, Some(value)));
                    break;
                }
                Some(Waiting::Binary(operator, Some(first))) => {
                    value = match operator {
                        '&' => Formula::and([first, value]),
                        '|' => Formula::or([first, value]),
                        _ => first.xor(&value),
                    };
                }
                Some(Waiting::Buffer(mut list, count)) => {
                    if list.len() + 1 < count {
                        list.push(value);
                        waiting.push(Waiting::Buffer(list, count));
                        break;
                    }
                }
            }
        }
    }
    Err(
        Diagnostic::error("slugs::end", "the formula ends too early", last, "after this")
            .with_help("`&`, `|` and `^` have two operands, `!` has one, `$ n` has n"),
    )
}

/// Whether the words are a formula in prefix notation, as Slugs' compiler decides it: from right to left one value is left over.
pub(crate) fn is_prefix(words: &[Word<'_>], signals: &Signals) -> bool {
    if words.iter().any(|word| word.text == "$") {
        return true;
    }
    let mut values = 0;
    for word in words.iter().rev() {
        match word.text {
            "&" | "|" | "^" if values < 2 => return false,
            "&" | "|" | "^" => values -= 1,
            "!" => {}
            "0" | "1" => values += 1,
            name if signals.contains_key(name.strip_suffix('\'').unwrap_or(name)) => values += 1,
            _ => return false,
        }
    }
    values == 1
}

fn number(word: Option<&Word<'_>>, before: Span, what: &str) -> Result<usize, Diagnostic> {
    let span = word.map_or(before, |word| word.span);
    let value = word.and_then(|word| word.text.parse().ok());
    value.ok_or_else(|| {
        Diagnostic::error("slugs::number", format!("expected {what}"), span, "here")
            .with_help("a number from 0")
    })
}

/// A signal, or with `'` its next value.
pub(crate) fn signal(
    word: &str,
    span: Span,
    signals: &Signals,
    primes: Primes,
) -> Result<Formula<String>, Diagnostic> {
    let (name, is_next) = match word.strip_suffix('\'') {
        Some(name) => (name, true),
        None => (word, false),
    };
    let Some(&is_input) = signals.get(name) else {
        return Err(Diagnostic::error(
            "slugs::signal",
            format!("`{name}` is neither an input nor an output"),
            span,
            "used here",
        )
        .with_help("signals are declared in [INPUT] and [OUTPUT]"));
    };
    let atom = Formula::atom(name.to_owned());
    match (is_next, primes, is_input) {
        (false, ..) => Ok(atom),
        (true, Primes::All, _) | (true, Primes::Inputs, true) => Ok(atom.next()),
        (true, Primes::Inputs, false) => Err(Diagnostic::error(
            "slugs::prime",
            format!("the next value of the output `{name}` is decided after this"),
            span,
            "used here",
        )
        .with_help("transitions of the environment speak of next inputs only")),
        (true, Primes::None, _) => Err(Diagnostic::error(
            "slugs::prime",
            "an initial condition is about the first step only",
            span,
            "a next value",
        )
        .with_help("leave out the prime")),
    }
}
