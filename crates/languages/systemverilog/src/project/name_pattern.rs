//! Patterns of names as eqy writes them: lists of shell patterns and of regular expressions between slashes, separated by commas.
//!
//! A pattern describes whole names. A name that is the pattern letter for letter is described by it, and no other is then. What `*`, `?` and `[…]` of a shell pattern stand for is remembered by
//! numbers, as groups of a regular expression are; `[]` is a number in brackets, and then everything before it is remembered as well, first. A pattern that depends on another one's names
//! writes `\1` (or `\g<name>`) for what was remembered, `\0` for the whole name.

use super::{Word, unread, wrong};
use entail_source::Diagnostic;
use regex::{Captures, Regex, escape};
use std::collections::BTreeMap;

/// A pattern.
#[derive(Clone, Debug)]
pub(crate) struct NamePattern {
    /// As it is written.
    text: String,
    choices: Vec<Regex>,
}

/// A name with what a pattern remembers of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) name: String,
    groups: Vec<String>,
    named: BTreeMap<String, String>,
}

impl NamePattern {
    /// Reads a pattern that depends on nothing.
    pub(crate) fn read(word: &Word) -> Result<NamePattern, Diagnostic> {
        NamePattern::after(word, &Found::default())
    }

    /// Reads a pattern that depends on a name.
    pub(crate) fn after(word: &Word, found: &Found) -> Result<NamePattern, Diagnostic> {
        let text = filled_in(&word.text, found).map_err(|reason| wrong(reason, word.span))?;
        let mut choices = Vec::new();
        for choice in split(&text).map_err(|reason| wrong(reason, word.span))? {
            if choice.starts_with(['@', '&']) {
                let what = "patterns of attributes and of partitions are not read";
                return Err(unread(what, word.span));
            }
            let inner = match choice.strip_prefix('/') {
                Some(rest) => match (rest.strip_suffix("/i"), rest.strip_suffix('/')) {
                    (Some(inner), _) => format!("(?i){inner}"),
                    (None, Some(inner)) => inner.to_owned(),
                    (None, None) => return Err(wrong("a regular expression ends with `/`", word.span)),
                },
                None => of_shell(&choice).map_err(|reason| wrong(reason, word.span))?,
            };
            let whole = Regex::new(&format!("^(?:{inner})$"));
            choices.push(whole.map_err(|error| {
                let reason = error.to_string();
                let last = reason
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim_start_matches("error: ");
                wrong(format!("this pattern is not read: {last}"), word.span)
            })?);
        }
        Ok(NamePattern { text, choices })
    }

    /// Whether a name is described.
    pub(crate) fn describes(&self, name: &str) -> bool {
        self.text == name || self.choices.iter().any(|choice| choice.is_match(name))
    }

    /// The names that are described, in the order in which they are given.
    pub(crate) fn among<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) -> Vec<Found> {
        let found = |name: &str, captures: Option<Captures<'_>>| {
            let mut found = Found {
                name: name.to_owned(),
                groups: vec![name.to_owned()],
                named: BTreeMap::new(),
            };
            if let Some(captures) = captures {
                let groups = captures.iter().skip(1);
                let groups = groups.map(|group| group.map_or("", |group| group.as_str()).to_owned());
                found.groups.extend(groups);
            }
            found
        };
        if names.clone().any(|name| name == self.text) {
            return vec![found(&self.text, None)];
        }
        let described = names.filter_map(|name| {
            let choice = self.choices.iter().find(|choice| choice.is_match(name))?;
            let mut found = found(name, choice.captures(name));
            let captures = choice.captures(name)?;
            for group in choice.capture_names().flatten() {
                let text = captures.name(group).map_or("", |group| group.as_str());
                found.named.insert(group.to_owned(), text.to_owned());
            }
            Some(found)
        });
        described.collect()
    }
}

/// A pattern with what was remembered in the place of `\1` and `\g<name>`.
fn filled_in(text: &str, found: &Found) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        filled.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (group, length) = match rest.strip_prefix("g<").and_then(|inner| inner.split_once('>')) {
            _ if digits > 0 => {
                let number: Option<usize> = rest[..digits].parse().ok();
                (number.and_then(|number| found.groups.get(number)), digits)
            }
            Some((name, _)) => {
                let group = match name.parse::<usize>() {
                    Ok(number) => found.groups.get(number),
                    Err(_) => found.named.get(name),
                };
                (group, name.len() + 3)
            }
            None => {
                // (The letter behind it is meant as it stands; it may be another backslash.)
                filled.push('\\');
                let next = rest.chars().next().map_or(0, char::len_utf8);
                filled.push_str(&rest[..next]);
                rest = &rest[next..];
                continue;
            }
        };
        let written = &rest[..length];
        let group =
            group.ok_or_else(|| format!("`\\{written}` stands for nothing that a pattern before it has"))?;
        filled.push_str(&escape(group));
        rest = &rest[length..];
    }
    filled.push_str(rest);
    Ok(filled)
}

/// The parts of a list; commas in brackets and between slashes separate nothing.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut parts = vec![String::new()];
    let (mut in_slashes, mut in_brackets) = (false, false);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let last = parts.len() - 1;
        if letter == ',' && !in_slashes && !in_brackets {
            parts.push(String::new());
            continue;
        }
        match letter {
            '/' if parts[last].is_empty() => in_slashes = true,
            '/' => in_slashes = false,
            '[' if !in_slashes => in_brackets = true,
            ']' if !in_slashes => in_brackets = false,
            _ => {}
        }
        parts[last].push(letter);
        if letter == '\\' {
            parts[last].extend(letters.next());
        }
    }
    if in_slashes {
        return Err("a regular expression ends with `/`".to_owned());
    }
    if in_brackets {
        return Err("a `]` is missing".to_owned());
    }
    // (A comma may stand at the end.)
    if parts.len() > 1 && parts.last().is_some_and(String::is_empty) {
        parts.pop();
    }
    match parts.iter().any(String::is_empty) {
        true => Err("a pattern is missing".to_owned()),
        false => Ok(parts),
    }
}

/// A shell pattern as a regular expression.
fn of_shell(pattern: &str) -> Result<String, String> {
    let mut made = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '*' => made.push_str("(.*)"),
            '?' => made.push_str("(.)"),
            // (Names that another pattern remembered come with their odd letters marked like this.)
            '\\' => match letters.next() {
                Some(next) => made.extend(['\\', next]),
                None => return Err("a letter is missing behind `\\`".to_owned()),
            },
            '[' => {
                let inner: String = letters.by_ref().take_while(|&letter| letter != ']').collect();
                made = match inner.is_empty() {
                    true => format!("({made})\\[([0-9]+)\\]"),
                    false => format!("{made}([{inner}])"),
                };
            }
            // (A point is any letter, as eqy has it.)
            '.' => made.push('.'),
            letter => made.push_str(&escape(letter.encode_utf8(&mut [0; 4]))),
        }
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_source::Span;

    fn word(text: &str) -> Word {
        Word {
            text: text.to_owned(),
            span: Span::new(0, text.len()),
        }
    }

    fn described(pattern: &str, names: &[&str]) -> Vec<String> {
        let pattern = NamePattern::read(&word(pattern)).expect("a pattern");
        let found = pattern.among(names.iter().copied());
        found.into_iter().map(|found| found.name).collect()
    }

    #[test]
    fn patterns_describe_whole_names() {
        let names = ["state", "state_q", "a[0]", "a[12]", "b[1]", "is_x", "instr_x"];
        assert_eq!(described("state", &names), ["state"]);
        assert_eq!(described("state*", &names), ["state", "state_q"]);
        assert_eq!(described("a[]", &names), ["a[0]", "a[12]"]);
        assert_eq!(described("[ab][]", &names), ["a[0]", "a[12]", "b[1]"]);
        assert_eq!(described("/(instr|is)_.*/", &names), ["is_x", "instr_x"]);
        assert_eq!(described("/STATE/i,b*", &names), ["state", "b[1]"]);
        assert_eq!(described("/a\\[1,2]?\\]/,", &["a[,]", "a[1,]"]), ["a[1,]"]);
        // A name that is the pattern itself is the only one.
        assert_eq!(described("a[0]", &["a0", "a[0]"]), ["a[0]"]);
        assert_eq!(described("a[0]", &["a0", "a1"]), ["a0"]);
    }

    #[test]
    fn a_second_pattern_has_what_the_first_remembers() {
        let filled = |first: &str, second: &str, name: &str| {
            let first = NamePattern::read(&word(first)).expect("a pattern");
            let found = first.among([name].into_iter());
            NamePattern::after(&word(second), &found[0]).map(|pattern| pattern.text)
        };
        assert_eq!(
            filled("*_ff[]", "\\2_reg[\\3].Q", "x_ff[3]").expect("groups"),
            "x_reg[3].Q"
        );
        assert_eq!(filled("a[]", "\\0_n", "a[7]").expect("groups"), "a\\[7\\]_n");
        assert_eq!(
            filled("/(?P<n>.)x/", "\\g<n>_\\g<1>", "ax").expect("groups"),
            "a_a"
        );
        assert!(filled("a*", "b\\2", "ab").is_err());
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for wrong in [
            "/a", "/(/", "@keep", "&part", "a,,b", "[", "x\\", "\\1", "/(?=a)/",
        ] {
            assert!(NamePattern::read(&word(wrong)).is_err(), "{wrong}");
        }
    }
}
