//! Replicators: `forall i in {0:7}: …` in front of a property (IEEE 1850-2010, 6.2.3).
//!
//! A property that is replicated is true if it is true for each value of the name. The values are not written out here: whoever looks for a word on which the property is
//! false may guess one of them and keep it, so sixty-four bits cost no more than sixty-four registers.

use super::Flavour;
use super::token::{Token, tokens};
use super::{Result, not_yet, wrong};
use entail_source::Span;

/// The values of a replicated name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicatedValues {
    /// `boolean`.
    Boolean,
    /// `name[l:r] in boolean`: all words of so many bits.
    Words(u32),
    /// `{1, 3:5}`: numbers, each range with its ends.
    Numbers(Vec<(i64, i64)>),
}

/// A name in front of a property, for each value of which the property is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replicator {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Its values.
    pub values: ReplicatedValues,
}

/// Most bits of a replicated word.
const WIDEST: i64 = 4_096;

/// The replicators that a text begins with, and where the property begins.
pub fn replicators(text: &str) -> Result<(Vec<Replicator>, usize)> {
    let tokens = tokens(text, Flavour::Plain);
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        end: text.len(),
    };
    let mut found: Vec<Replicator> = Vec::new();
    while reader.take("forall") {
        let replicator = reader.replicator()?;
        if found.iter().any(|known| known.name == replicator.name) {
            return Err(wrong("this name is replicated twice", replicator.span));
        }
        found.push(replicator);
    }
    Ok((found, reader.span().start))
}

struct Reader<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    end: usize,
}

impl<'t> Reader<'t> {
    fn span(&self) -> Span {
        let end = Span::new(self.end, self.end);
        self.tokens.get(self.at).map_or(end, |token| token.span)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|token| token.text == text);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        match self.take(text) {
            true => Ok(()),
            false => Err(wrong(&format!("`{text}` is expected"), self.span())),
        }
    }

    fn word(&mut self) -> Option<&'t Token<'t>> {
        let token = self.tokens.get(self.at)?;
        let is_word = token.text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        self.at += usize::from(is_word);
        is_word.then_some(token)
    }

    fn number(&mut self) -> Result<i64> {
        let span = self.span();
        let negative = self.take("-");
        let text = self.tokens.get(self.at).map_or("", |token| token.text);
        match text.parse::<i64>() {
            Ok(number) => {
                self.at += 1;
                Ok(if negative { -number } else { number })
            }
            Err(_) => Err(wrong("a number is expected", span)),
        }
    }

    /// `low:high`, `low..high` or `low to high`; or one number.
    fn range(&mut self) -> Result<(i64, i64)> {
        let low = self.number()?;
        match self.take(":") || self.take("..") || self.take("to") {
            true => Ok((low, self.number()?)),
            false => Ok((low, low)),
        }
    }

    fn replicator(&mut self) -> Result<Replicator> {
        let span = self.span();
        let Some(name) = self.word() else {
            return Err(wrong("the name that is replicated is expected", span));
        };
        let width = match self.take("[") {
            true => {
                let (left, right) = self.range()?;
                self.expect("]")?;
                Some(left.abs_diff(right).saturating_add(1))
            }
            false => None,
        };
        self.expect("in")?;
        let place = self.span();
        let values = if self.take("boolean") {
            match width {
                None => ReplicatedValues::Boolean,
                Some(width) if width <= WIDEST as u64 => ReplicatedValues::Words(width as u32),
                Some(_) => return Err(wrong(&format!("a word has at most {WIDEST} bits"), span)),
            }
        } else if width.is_some() {
            return Err(not_yet(
                "a word that is replicated ranges over `boolean` only",
                place,
            ));
        } else {
            ReplicatedValues::Numbers(self.set()?)
        };
        self.expect(":")?;
        Ok(Replicator {
            name: name.text.to_owned(),
            span: name.span,
            values,
        })
    }

    fn set(&mut self) -> Result<Vec<(i64, i64)>> {
        self.expect("{")?;
        let mut ranges = Vec::new();
        loop {
            let span = self.span();
            let (low, high) = self.range()?;
            if high < low {
                return Err(wrong(&format!("the range from {low} to {high} is empty"), span));
            }
            ranges.push((low, high));
            if !self.take(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicators_stand_in_front_of_a_property() {
        let text = "forall i in {0:7, 9}: forall w[63:0] in boolean: forall b in boolean: always {i}";
        let (found, begin) = replicators(text).expect("replicators");
        let values: Vec<&ReplicatedValues> = found.iter().map(|one| &one.values).collect();
        let numbers = ReplicatedValues::Numbers(vec![(0, 7), (9, 9)]);
        assert_eq!(
            values,
            [&numbers, &ReplicatedValues::Words(64), &ReplicatedValues::Boolean]
        );
        assert_eq!(&text[begin..], "always {i}");
        assert_eq!(replicators("always a"), Ok((Vec::new(), 0)));
        for wrong in [
            "forall i in {3:1}: a",
            "forall i: a",
            "forall in {1}: a",
            "forall i in {}: a",
            "forall i in {1} a",
            "forall i in boolean: forall i in boolean: a",
            "forall i[9999:0] in boolean: a",
            "forall i[3:0] in {1}: a",
            "forall",
        ] {
            assert!(replicators(wrong).is_err(), "{wrong}");
        }
    }
}
