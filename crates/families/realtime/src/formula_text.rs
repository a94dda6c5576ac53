//! The text of a formula that is divided into parts: brackets, operators outside of them, intervals.

use entail_clocks::Interval;
use entail_source::Span;

/// Formulas nested deeper are refused.
const MOST_DEPTH: usize = 100;

/// The place of a part without the space around it; for one that is empty or nested too deeply, what is wrong and where.
pub(crate) fn trimmed(
    text: &str,
    start: usize,
    end: usize,
    depth: usize,
) -> Result<Span, (&'static str, Span)> {
    let part = text.get(start..end).unwrap_or_default();
    let start = start + (part.len() - part.trim_start().len());
    let end = start + part.trim().len();
    if start == end {
        let place = Span::new(start, end.max(start + 1).min(text.len()));
        return Err(("a formula is missing", place));
    }
    let place = Span::new(start, end);
    match depth > MOST_DEPTH {
        true => Err(("formulas are nested too deeply", place)),
        false => Ok(place),
    }
}

/// Whether an interval begins here.
pub(crate) fn is_interval(text: &str) -> bool {
    let mut letters = text.chars();
    matches!(letters.next(), Some('[' | '('))
        && letters
            .next()
            .is_some_and(|one| "<>=".contains(one) || one.is_ascii_digit())
        && text
            .find([']', ')'])
            .is_some_and(|end| text[..end].contains(',') || text[1..end].starts_with(['<', '>', '=']))
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
