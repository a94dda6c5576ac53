//! Reading formulas about single runs: LTL (`G (req -> F ack)`), with intervals MITL (`G (req -> F[0,5] ack)`).
//!
//! Only temporal operators, intervals and what joins formulas are read here; a part without a temporal operator is a condition on states, and whoever reads the model's language reads it. From the weakest on: `->` (`imply`, `<->`), `||`, `&&`, `U` `R` `W`, then `!`, `X`, `F`
//! (`<>`) and `G` (`[]`). `U`, `R` and `W` group to the right.

use crate::formula_text::{closing, read_interval, top_level, trimmed};
use crate::nested::Conditions;
use entail_clocks::{Formula, Interval, Linear, Query, Runs, Temporal};
use entail_source::{Diagnostic, Span};
use entail_timed_checker::linear::{refused, violations};

/// All times.
pub(crate) const ALWAYS: Interval = Interval {
    least: (0, true),
    most: None,
};

/// How other queries begin: words, and signs.
const WORDS: [&str; 8] = [
    "Pr",
    "simulate",
    "sup",
    "inf",
    "bounds",
    "control",
    "control_t",
    "strategy",
];
const SIGNS: [&str; 5] = ["E[", "E<", "A[", "A<", "{"];

/// Whether a text is a formula about single runs.
pub(crate) fn is_linear(text: &str) -> bool {
    let begins = text.trim_start();
    let word: &str = begins
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .next()
        .unwrap_or_default();
    let is_other = WORDS.contains(&word) || SIGNS.iter().any(|sign| begins.starts_with(sign));
    let has_other = ["-->", "control:", " under "]
        .iter()
        .any(|other| text.contains(other));
    !is_other && !has_other && crate::nested::quantifiers(text).is_empty() && has_operator(text)
}

/// Whether a temporal operator occurs in a part.
fn has_operator(part: &str) -> bool {
    let bytes = part.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    let is_one = |at: usize| {
        let is_alone =
            (at == 0 || !is_word(bytes[at - 1])) && !bytes.get(at + 1).is_some_and(|&next| is_word(next));
        (is_alone && b"GFXURW".contains(&bytes[at]))
            || part
                .get(at..)
                .is_some_and(|rest| rest.starts_with("<>") || rest.starts_with("[]"))
    };
    (0..bytes.len()).any(is_one)
}

struct Reader<'r> {
    text: &'r str,
    conditions: Vec<Formula>,
    condition: &'r mut Conditions<'r>,
}

/// Reads a formula that every run is to satisfy.
pub(crate) fn read<'r>(
    text: &'r str,
    part: Span,
    condition: &'r mut Conditions<'r>,
) -> Result<Query, Diagnostic> {
    let mut reader = Reader {
        text,
        conditions: Vec::new(),
        condition,
    };
    let formula = reader.formula(part.start, part.end, 0)?;
    let conditions = reader.conditions;
    question(conditions, formula, false, Runs::Maximal)
        .map_err(|reason| Diagnostic::error("timed::linear", reason, part, "this formula"))
}

/// A question about single runs, with the automaton that reads them.
pub(crate) fn question(
    conditions: Vec<Formula>,
    formula: Temporal,
    wanted: bool,
    runs: Runs,
) -> Result<Query, String> {
    let observer = violations(&formula, runs)?;
    Ok(Query::Linear(Box::new(Linear {
        conditions,
        formula,
        wanted,
        runs,
        observer,
    })))
}

impl Reader<'_> {
    fn wrong(&self, message: &str, start: usize, end: usize) -> Diagnostic {
        Diagnostic::error("timed::linear", message.to_owned(), Span::new(start, end), "here").with_help(
            "write `G p`, `F p`, `X p`, `p U q`, `p R q`, `p W q`, joined by `!`, `&&`, `||` and `->`; behind `G`, `F`, `U` and `R` there may be an interval: `[0,5]`, `(0,5]`, `[2,inf)`",
        )
    }

    fn formula(&mut self, start: usize, end: usize, depth: usize) -> Result<Temporal, Diagnostic> {
        let text = self.text;
        let place = trimmed(text, start, end, depth)
            .map_err(|(message, place)| self.wrong(message, place.start, place.end))?;
        let (start, end) = (place.start, place.end);
        let part = &text[start..end];
        // No language of models has `->`.
        if !has_operator(part) && !part.contains("->") {
            return self.atom(start, end);
        }
        for signs in [&["<->"][..], &["->", "imply"], &["||", "or"], &["&&", "and"]] {
            if let Some((at, length)) = top_level(text, start, end, signs) {
                let left = self.formula(start, at, depth + 1)?;
                let right = self.formula(at + length, end, depth + 1)?;
                return Ok(match signs[0] {
                    "<->" => Temporal::Or(vec![
                        Temporal::And(vec![left.clone(), right.clone()]),
                        Temporal::And(vec![left.negated(), right.negated()]),
                    ]),
                    "->" => Temporal::Or(vec![left.negated(), right]),
                    "||" => Temporal::Or(vec![left, right]),
                    _ => Temporal::And(vec![left, right]),
                });
            }
        }
        if let Some((at, length)) = top_level(text, start, end, &["U", "R", "W"]) {
            return self.joined(start, at, at + length, end, depth);
        }
        for sign in ["!", "not ", "G", "F", "X", "[]", "<>"] {
            if part.starts_with(sign)
                && top_level(text, start, end, &[sign.trim()]).is_some_and(|(at, _)| at == start)
            {
                return self.prefixed(sign, start + sign.len(), end, depth);
            }
        }
        match part.starts_with('(') && closing(text, start, end) == Some(end - 1) {
            true => self.formula(start + 1, end - 1, depth + 1),
            false => Err(self.wrong("this is no formula", start, end)),
        }
    }

    /// A condition on states.
    fn atom(&mut self, start: usize, end: usize) -> Result<Temporal, Diagnostic> {
        let formula = (self.condition)(Span::new(start, end))?;
        if let Formula::Constant(truth) = formula {
            return Ok(Temporal::Constant(truth));
        }
        if formula.mentions_clocks() {
            let message = "clocks cannot be compared in formulas about single runs";
            let problem = Diagnostic::error("timed::linear", message, Span::new(start, end), "here");
            return Err(problem.with_help(
                "say with an interval how much time may pass (`F[0,5] p`), or ask `A[]`, `A<>`, `E<>` or `E[]`",
            ));
        }
        if formula.mentions_deadlock() {
            return Err(self.wrong("`deadlock` can be asked for in `E<>` and `A[]` only", start, end));
        }
        self.conditions.push(formula);
        Ok(Temporal::Condition(self.conditions.len() - 1))
    }

    /// `p U q` and its like, with an interval behind the operator.
    fn joined(
        &mut self,
        start: usize,
        at: usize,
        behind: usize,
        end: usize,
        depth: usize,
    ) -> Result<Temporal, Diagnostic> {
        let left = self.formula(start, at, depth + 1)?;
        let (interval, behind) = self.interval(behind, end)?;
        let right = self.formula(behind, end, depth + 1)?;
        Ok(match &self.text[at..at + 1] {
            "U" => left.until(right, interval),
            "R" => left.release(right, interval),
            // `p W q` is `q R (p | q)`.
            _ if interval == ALWAYS => {
                let both = Temporal::Or(vec![left, right.clone()]);
                right.release(both, interval)
            }
            _ => return Err(self.wrong("`W` has no interval", at, behind)),
        })
    }

    /// What stands behind a sign.
    fn prefixed(
        &mut self,
        sign: &str,
        start: usize,
        end: usize,
        depth: usize,
    ) -> Result<Temporal, Diagnostic> {
        let (interval, behind) = match sign {
            "G" | "F" | "[]" | "<>" => self.interval(start, end)?,
            _ => (ALWAYS, start),
        };
        let inner = self.formula(behind, end, depth + 1)?;
        Ok(match sign {
            "G" | "[]" => inner.globally(interval),
            "F" | "<>" => inner.finally(interval),
            "X" => Temporal::Next(Box::new(inner)),
            _ => inner.negated(),
        })
    }

    /// An interval, if one begins here, and where it ends.
    fn interval(&self, start: usize, end: usize) -> Result<(Interval, usize), Diagnostic> {
        let read = read_interval(self.text, start, end);
        let (interval, behind) =
            read.map_err(|place| self.wrong("this is no interval", place.start, place.end))?;
        let interval = interval.unwrap_or(ALWAYS);
        match refused(&interval) {
            Some(reason) => Err(self.wrong(reason, start, behind)),
            None => Ok((interval, behind)),
        }
    }
}
