//! Lasso words: a finite prefix and a cycle repeated for ever.
//!
//! Every non-empty ω-regular language contains one, so they are the witnesses of this library. Written
//! `p; !q & r; cycle{p; 1}`: steps separated by `;`, each a conjunction of literals (`1` or nothing: all false but free).
//! A step may also be a Boolean formula when read; a letter satisfying it is chosen, unmentioned propositions being false.

use crate::label::{Labels, Letter};
use entail_source::{Diagnostic, Diagnostics, Span};
use std::fmt;

/// An ultimately periodic word over named propositions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LassoWord {
    /// Proposition `i` is bit `i` of each letter.
    pub propositions: Vec<String>,
    /// The letters before the loop.
    pub prefix: Vec<Letter>,
    /// The letters of the loop; never empty.
    pub cycle: Vec<Letter>,
}

impl LassoWord {
    /// A word; an empty cycle is read as one repeating the letter in which everything is false.
    pub fn new(propositions: Vec<String>, prefix: Vec<Letter>, mut cycle: Vec<Letter>) -> LassoWord {
        if cycle.is_empty() {
            cycle.push(0);
        }
        LassoWord {
            propositions,
            prefix,
            cycle,
        }
    }

    /// Number of positions before the word repeats.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// Never: the cycle has a letter.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The letter at a position below [`LassoWord::len`].
    pub fn letter(&self, position: usize) -> Letter {
        if position < self.prefix.len() {
            self.prefix[position]
        } else {
            self.cycle[(position - self.prefix.len()) % self.cycle.len()]
        }
    }

    /// The position after `position`, where the last one leads back to the start of the cycle.
    pub fn next(&self, position: usize) -> usize {
        if position + 1 < self.len() {
            position + 1
        } else {
            self.prefix.len()
        }
    }

    /// The same word over another list of propositions; those it does not know are false.
    pub fn over(&self, propositions: &[String]) -> LassoWord {
        let positions: Vec<Option<usize>> = propositions
            .iter()
            .map(|name| self.propositions.iter().position(|own| own == name))
            .collect();
        let translate = |letter: &Letter| {
            positions
                .iter()
                .enumerate()
                .filter(|(_, own)| own.is_some_and(|own| letter >> own & 1 == 1))
                .fold(0, |sum, (bit, _)| sum | 1u64 << bit)
        };
        LassoWord {
            propositions: propositions.to_vec(),
            prefix: self.prefix.iter().map(translate).collect(),
            cycle: self.cycle.iter().map(translate).collect(),
        }
    }

    /// An equal word with a primitive cycle and the shortest prefix.
    pub fn shortened(&self) -> LassoWord {
        let mut word = self.clone();
        let length = word.cycle.len();
        for period in 1..length {
            if length.is_multiple_of(period)
                && (period..length).all(|i| word.cycle[i] == word.cycle[i - period])
            {
                word.cycle.truncate(period);
                break;
            }
        }
        while let (Some(last), Some(end)) = (word.prefix.last(), word.cycle.last()) {
            if last != end {
                break;
            }
            word.prefix.pop();
            word.cycle.rotate_right(1);
        }
        word
    }

    /// Reads `p; cycle{!p; q}`. Propositions appear in the order of their first mention.
    pub fn parse(text: &str) -> Result<LassoWord, Diagnostics> {
        parse_word(text).map_err(|problem| problem.within(text).into())
    }
}

fn error(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("word::syntax", message, span, "here")
}

fn parse_word(text: &str) -> Result<LassoWord, Diagnostic> {
    let Some(start) = text.find("cycle{") else {
        return Err(error(
            "a word needs a part `cycle{…}` that repeats",
            Span::new(0, text.len()),
        ));
    };
    let inside_start = start + "cycle{".len();
    let Some(length) = text[inside_start..].find('}') else {
        return Err(error("`cycle{` is not closed", Span::new(start, text.len())));
    };
    let inside_end = inside_start + length;
    if !text[inside_end + 1..].trim().is_empty() {
        return Err(error(
            "nothing may follow the cycle",
            Span::new(inside_end + 1, text.len()),
        ));
    }
    let mut reader = StepReader::default();
    let before = text[..start].trim_end();
    let mut prefix = Vec::new();
    if !before.is_empty() {
        let Some(steps) = before.strip_suffix(';') else {
            return Err(error(
                "expected `;` before `cycle{`",
                Span::new(before.len(), start),
            ));
        };
        prefix = reader.steps(steps, 0)?;
    }
    let cycle = reader.steps(&text[inside_start..inside_end], inside_start)?;
    Ok(LassoWord {
        propositions: reader.propositions,
        prefix,
        cycle,
    })
}

#[derive(Default)]
struct StepReader {
    propositions: Vec<String>,
}

impl StepReader {
    fn steps(&mut self, text: &str, offset: usize) -> Result<Vec<Letter>, Diagnostic> {
        let mut letters = Vec::new();
        let mut at = offset;
        for step in text.split(';') {
            letters.push(self.step(step, Span::new(at, at + step.len()))?);
            at += step.len() + 1;
        }
        Ok(letters)
    }

    fn step(&mut self, text: &str, span: Span) -> Result<Letter, Diagnostic> {
        if text.trim().is_empty() {
            return Ok(0);
        }
        let formula = crate::ltl::syntax::parse(text, crate::ltl::syntax::Syntax::Spot)
            .map_err(|_| error("a step is a Boolean formula over propositions", span))?;
        if !formula.is_propositional() {
            return Err(error("a step has no temporal operators", span));
        }
        formula.for_each_atom(&mut |name| {
            if !self.propositions.contains(name) {
                self.propositions.push(name.clone());
            }
        });
        if self.propositions.len() > 64 {
            return Err(error("more than 64 propositions", span));
        }
        let mut labels = Labels::default();
        let label = crate::ltl::syntax::boolean_label(&formula, &self.propositions, &mut labels);
        match labels.pick(label) {
            Some(cube) => Ok(cube.positive),
            None => Err(error("no letter satisfies this step", span)),
        }
    }
}

impl LassoWord {
    /// The letters before the cycle.
    pub fn prefix_text(&self) -> String {
        let steps: Vec<String> = self.prefix.iter().map(|&letter| self.step(letter)).collect();
        steps.join("; ")
    }

    fn step(&self, letter: Letter) -> String {
        if self.propositions.is_empty() {
            return "1".to_owned();
        }
        let literal = |(bit, name): (usize, &String)| {
            let sign = if letter >> bit & 1 == 0 { "!" } else { "" };
            format!("{sign}{}", crate::ltl::syntax::quoted_name(name))
        };
        let literals: Vec<String> = self.propositions.iter().enumerate().map(literal).collect();
        literals.join(" & ")
    }
}

impl fmt::Display for LassoWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &letter in &self.prefix {
            write!(f, "{}; ", self.step(letter))?;
        }
        f.write_str("cycle{")?;
        for (position, letter) in self.cycle.iter().enumerate() {
            if position > 0 {
                f.write_str("; ")?;
            }
            f.write_str(&self.step(*letter))?;
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back_as_printed() {
        let word = LassoWord::parse("p; cycle{!p; q & p; 1}").expect("well formed");
        assert_eq!(word.to_string(), "p & !q; cycle{!p & !q; p & q; !p & !q}");
        assert_eq!(LassoWord::parse(&word.to_string()), Ok(word));
    }

    #[test]
    fn shortening_keeps_the_word() {
        let word = LassoWord::new(vec!["a".into()], vec![0, 1, 0], vec![1, 0, 1, 0]);
        assert_eq!(
            word.shortened(),
            LassoWord::new(vec!["a".into()], vec![], vec![0, 1])
        );
    }

    #[test]
    fn malformed_words_are_errors() {
        for text in [
            "",
            "p",
            "cycle{",
            "cycle{p} q",
            "p cycle{p}",
            "cycle{p & !p}",
            "cycle{F p}",
        ] {
            assert!(LassoWord::parse(text).is_err(), "{text}");
        }
    }
}
