//! Reading nested questions: `A[] (p imply A<>[<=5] q)`, `E[ p U[2,5] q ]`.
//!
//! Only path quantifiers, intervals and what joins formulas (`imply`, `||`, `&&`, `!`, parentheses) are read here; a part without a path quantifier is a condition on states, and whoever reads the model's language reads it.
//! `A<>`, `A[]`, `E<>` and `E[]` reach to the end of what encloses them.

use crate::formula_text::{closing, is_interval, read_interval, top_level, trimmed};
use entail_clocks::{Branching, Formula, Interval, Nested};
use entail_source::{Diagnostic, Span};

/// Whether a text asks a nested question, or one with an interval or `U`.
pub(crate) fn is_nested(text: &str) -> bool {
    let is_other = text.contains("control") || text.contains(" under ") || text.contains("-->");
    let found = quantifiers(text);
    let is_more = |&at: &usize| {
        let behind = text.get(at + 3..).unwrap_or_default();
        is_until(text, at) || is_interval(behind)
    };
    !is_other && (found.len() > 1 || found.iter().any(is_more))
}

/// Where path quantifiers stand.
pub(crate) fn quantifiers(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    let is_one = |&at: &usize| {
        let begins = matches!(bytes[at], b'A' | b'E') && (at == 0 || !is_word(bytes[at - 1]));
        let behind = text.get(at + 1..).unwrap_or_default();
        begins && (behind.starts_with("[]") || behind.starts_with("<>") || is_until(text, at))
    };
    (0..bytes.len()).filter(is_one).collect()
}

/// Whether `A[ p U q ]` or `E[ p U q ]` begins here.
fn is_until(text: &str, at: usize) -> bool {
    let open = at + 1;
    text.as_bytes().get(open) == Some(&b'[')
        && closing(text, open, text.len())
            .is_some_and(|close| top_level(text, open + 1, close, &["U"]).is_some())
}

/// Reads conditions on states at their places.
pub(crate) type Conditions<'r> = dyn FnMut(Span) -> Result<Formula, Diagnostic> + 'r;

struct Reader<'r> {
    text: &'r str,
    asked: Branching,
    /// Which of the conditions stand in the text; the others are about the clocks of intervals.
    written: Vec<usize>,
    clocks: usize,
    condition: &'r mut Conditions<'r>,
}

/// Reads a nested question about a network with so many clocks; tells too which of its conditions stand in the text, in the order in which they were read.
pub(crate) fn read<'r>(
    text: &'r str,
    part: Span,
    clocks: usize,
    condition: &'r mut Conditions<'r>,
) -> Result<(Branching, Vec<usize>), Diagnostic> {
    let mut reader = Reader {
        text,
        asked: Branching::new(),
        written: Vec::new(),
        clocks,
        condition,
    };
    let formula = reader.formula(part.start, part.end, 0)?;
    reader.asked.formula = formula;
    Ok((reader.asked, reader.written))
}

impl Reader<'_> {
    fn wrong(&self, message: &str, start: usize, end: usize) -> Diagnostic {
        Diagnostic::error("timed::nested", message.to_owned(), Span::new(start, end), "here").with_help(
            "write `A<>`, `A[]`, `E<>` or `E[]` before a formula, or `A[ p U q ]`, `E[ p U q ]`; behind `<>`, `[]` and `U` there may be an interval: `[<=5]`, `[2,5]`, `(2,5)`",
        )
    }

    fn formula(&mut self, start: usize, end: usize, depth: usize) -> Result<Nested, Diagnostic> {
        let text = self.text;
        let place = trimmed(text, start, end, depth)
            .map_err(|(message, place)| self.wrong(message, place.start, place.end))?;
        let (start, end) = (place.start, place.end);
        let part = &text[start..end];
        if quantifiers(part).is_empty() {
            let formula = (self.condition)(Span::new(start, end))?;
            return match formula.mentions_deadlock() {
                true => Err(self.wrong("`deadlock` cannot be asked for in nested questions", start, end)),
                false => {
                    self.written.push(self.asked.conditions.len());
                    Ok(self.asked.condition(formula))
                }
            };
        }
        for sign in ["A<>", "A[]", "E<>", "E[]"] {
            if part.starts_with(sign) {
                return self.quantified(sign, start + sign.len(), end, depth);
            }
        }
        if let Some((at, length)) = top_level(text, start, end, &["imply"]) {
            let left = self.formula(start, at, depth + 1)?;
            let right = self.formula(at + length, end, depth + 1)?;
            return Ok(Nested::Or(vec![left.negated(), right]));
        }
        for (signs, is_or) in [(["||", "or"], true), (["&&", "and"], false)] {
            if let Some((at, length)) = top_level(text, start, end, &signs) {
                let both = vec![
                    self.formula(start, at, depth + 1)?,
                    self.formula(at + length, end, depth + 1)?,
                ];
                return Ok(if is_or {
                    Nested::Or(both)
                } else {
                    Nested::And(both)
                });
            }
        }
        for sign in ["!", "not "] {
            if part.starts_with(sign) {
                return Ok(self.formula(start + sign.len(), end, depth + 1)?.negated());
            }
        }
        let is_whole = |open: usize| closing(text, open, end) == Some(end - 1);
        if part.starts_with('(') && is_whole(start) {
            return self.formula(start + 1, end - 1, depth + 1);
        }
        if part.starts_with(['A', 'E']) && is_until(text, start) && is_whole(start + 1) {
            return self.until(part.starts_with('A'), start + 2, end - 1, depth);
        }
        Err(self.wrong("this is no formula", start, end))
    }

    /// What stands behind `A<>`, `A[]`, `E<>` or `E[]`.
    fn quantified(
        &mut self,
        sign: &str,
        start: usize,
        end: usize,
        depth: usize,
    ) -> Result<Nested, Diagnostic> {
        let (interval, start) = self.interval(start, end)?;
        let inner = self.formula(start, end, depth + 1)?;
        let (all, clocks) = (sign.starts_with('A'), self.clocks);
        Ok(match sign.ends_with("[]") {
            true => self.asked.always(all, inner, interval, clocks),
            false => self
                .asked
                .until(all, Nested::And(Vec::new()), inner, interval, clocks),
        })
    }

    /// What stands between the brackets of `A[ p U q ]`.
    fn until(&mut self, all: bool, start: usize, end: usize, depth: usize) -> Result<Nested, Diagnostic> {
        let Some((at, length)) = top_level(self.text, start, end, &["U"]) else {
            return Err(self.wrong("`U` is missing", start, end));
        };
        let from = self.formula(start, at, depth + 1)?;
        let (interval, behind) = self.interval(at + length, end)?;
        let to = self.formula(behind, end, depth + 1)?;
        let clocks = self.clocks;
        Ok(self.asked.until(all, from, to, interval, clocks))
    }

    fn interval(&self, start: usize, end: usize) -> Result<(Option<Interval>, usize), Diagnostic> {
        read_interval(self.text, start, end)
            .map_err(|place| self.wrong("this is no interval", place.start, place.end))
    }
}
