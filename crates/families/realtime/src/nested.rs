//! Reading nested questions: `A[] (p imply A<>[<=5] q)`, `E[ p U[2,5] q ]`.
//!
//! Only path quantifiers, intervals and what joins formulas (`imply`, `||`, `&&`, `!`, parentheses) are read here; a part without a path quantifier is a condition on states, and whoever reads the model's language reads it.
//! `A<>`, `A[]`, `E<>` and `E[]` reach to the end of what encloses them.

use entail_clocks::{Branching, Formula, Interval, Nested};
use entail_source::{Diagnostic, Span};

/// Formulas nested deeper are refused.
const MOST_DEPTH: usize = 100;

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

/// Whether an interval begins here.
fn is_interval(text: &str) -> bool {
    let mut letters = text.chars();
    matches!(letters.next(), Some('[' | '('))
        && letters
            .next()
            .is_some_and(|one| "<>=".contains(one) || one.is_ascii_digit())
        && text
            .find([']', ')'])
            .is_some_and(|end| text[..end].contains(',') || text[1..end].starts_with(['<', '>', '=']))
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

/// The bracket that closes the one at a place.
pub(crate) fn closing(text: &str, open: usize, end: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.as_bytes().iter().enumerate().take(end).skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The first of these signs or words outside brackets, with its length.
pub(crate) fn top_level(text: &str, start: usize, end: usize, signs: &[&str]) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    let mut depth = 0usize;
    for at in start..end {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let found = signs.iter().find(|sign| {
            let is_here = text.get(at..end).is_some_and(|rest| rest.starts_with(**sign));
            let is_alone = !is_word(sign.as_bytes()[0])
                || ((at == start || !is_word(bytes[at - 1]))
                    && !bytes.get(at + sign.len()).is_some_and(|&next| is_word(next)));
            is_here && is_alone
        });
        if let Some(sign) = found
            && depth == 0
        {
            return Some((at, sign.len()));
        }
    }
    None
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
        let part = text.get(start..end).unwrap_or_default();
        let start = start + (part.len() - part.trim_start().len());
        let part = part.trim();
        let end = start + part.len();
        if part.is_empty() {
            return Err(self.wrong("a formula is missing", start, end.max(start + 1).min(text.len())));
        }
        if depth > MOST_DEPTH {
            return Err(self.wrong("formulas are nested too deeply", start, end));
        }
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

/// An interval, if one begins here, and where it ends; the error is the place of one that is none.
pub(crate) fn read_interval(text: &str, start: usize, end: usize) -> Result<(Option<Interval>, usize), Span> {
    let rest = text.get(start..end).unwrap_or_default();
    let length = rest.find([']', ')']).filter(|_| is_interval(rest));
    let Some(length) = length else {
        return Ok((None, start));
    };
    let place = Span::new(start, start + length + 1);
    let number = |text: &str| -> Result<i64, Span> {
        let number: i64 = text.trim().parse().map_err(|_| place)?;
        match (0..entail_clocks::discrete::MOST_CONSTANT).contains(&number) {
            true => Ok(number),
            false => Err(place),
        }
    };
    let inside = &rest[1..length];
    let compared = ["<=", ">=", "==", "<", ">"]
        .iter()
        .find_map(|sign| Some((*sign, inside.strip_prefix(sign)?)));
    let interval = match compared {
        Some((sign, text)) => {
            let bound = number(text)?;
            let (least, most) = match sign {
                "<=" => ((0, true), Some((bound, true))),
                "<" => ((0, true), Some((bound, false))),
                ">=" => ((bound, true), None),
                ">" => ((bound, false), None),
                _ => ((bound, true), Some((bound, true))),
            };
            Interval { least, most }
        }
        None => {
            let (least, most) = inside.split_once(',').ok_or(place)?;
            Interval {
                least: (number(least)?, rest.starts_with('[')),
                most: match most.trim() {
                    "inf" | "oo" | "∞" => None,
                    most => Some((number(most)?, rest[length..].starts_with(']'))),
                },
            }
        }
    };
    Ok((Some(interval), start + length + 1))
}
