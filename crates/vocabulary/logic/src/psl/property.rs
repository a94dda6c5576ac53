//! Properties (the foundation language), by recursive descent.
//!
//! From weakest to tightest: `always never G F`; `->` `<->` (grouped by brackets); `until before U W` and their kind; `|`; `&`; `!`, `next` and its kind; suffix
//! implication and sequences. In formulas (`Flavour::Formula`) `->` `<->` group to the right, `xor` binds between `|` and `&`, and `U W R M` bind tighter than these, `F G X` tightest.

use super::token;
use super::{LONGEST_RANGE, Parser, Result, not_yet, wrong};
use crate::{Assertion, Guard, Sequence, over_letters};
use std::sync::Arc;

/// How many of the operators of the kind of `until` are words.
const NAMED: usize = 8;

impl<A: Clone + PartialEq> Parser<'_, '_, A> {
    /// A property of any precedence.
    pub(super) fn property(&mut self) -> Result<Assertion<A>> {
        self.deeper()?;
        let left = self.binary()?;
        let property = match () {
            () if self.take("->") => left.negated().or(self.behind_implication()?),
            () if self.take("<->") => {
                let right = self.behind_implication()?;
                let forth = left.clone().negated().or(right.clone());
                forth.and(right.negated().or(left))
            }
            () => left,
        };
        // Tools group these differently.
        if self.is("->") || self.is("<->") {
            return Err(wrong(
                "brackets are needed to say how this is grouped",
                self.span(),
            ));
        }
        self.depth -= 1;
        Ok(property)
    }

    fn behind_implication(&mut self) -> Result<Assertion<A>> {
        match self.is_formula() {
            true => self.property(),
            false => self.binary(),
        }
    }

    /// `until`, `before` and their kind.
    fn binary(&mut self) -> Result<Assertion<A>> {
        let left = self.disjunction()?;
        let names = [
            "until", "until!", "until_", "until!_", "before", "before!", "before_", "before!_", "U", "W",
            "V", "R",
        ];
        let count = if self.is_formula() { NAMED } else { names.len() };
        let Some(name) = names[..count].iter().copied().find(|name| self.take(name)) else {
            let is_sync = self.is("sync_abort");
            return match self.take("abort") || self.take("async_abort") || self.take("sync_abort") {
                true => {
                    let mut condition = self.boolean(&["|", "||", "&", "&&"])?;
                    if is_sync && let Some(tick) = self.layer.tick()? {
                        condition = condition.and(&tick);
                    }
                    Ok(Assertion::Abort {
                        condition,
                        accept: true,
                        body: Arc::new(left),
                    })
                }
                false => Ok(left),
            };
        };
        self.deeper()?;
        let right = self.binary()?;
        self.depth -= 1;
        self.until_of(name, left, right)
    }

    /// What an operator of the kind of `until` says.
    fn until_of(&mut self, name: &str, left: Assertion<A>, right: Assertion<A>) -> Result<Assertion<A>> {
        let strong = name.contains('!') || matches!(name, "U" | "M");
        let tick = self.layer.tick()?;
        let until = |left: Assertion<A>, right: Assertion<A>, strong: bool| {
            left.until_tick(right, strong, tick.as_ref())
        };
        Ok(match name {
            "U" | "W" | "until" | "until!" => until(left, right, strong),
            // Up to and with the letter that ends it.
            "until_" | "until!_" => until(left.clone(), left.and(right), strong),
            // `p R q`: q up to and with the letter of p.
            "R" | "V" | "M" => until(right.clone(), right.and(left), strong),
            // `p before q`: q is false until p is true (and q not yet, or with it).
            "before" | "before!" => until(right.clone().negated(), left.and(right.negated()), strong),
            _ => until(right.negated(), left, strong),
        })
    }

    fn disjunction(&mut self) -> Result<Assertion<A>> {
        let mut left = self.exclusive()?;
        while self.take("|") || self.take("||") {
            let right = self.exclusive()?;
            left = left.or(right);
        }
        Ok(left)
    }

    fn exclusive(&mut self) -> Result<Assertion<A>> {
        let mut left = self.conjunction()?;
        while self.is_formula() && (self.take("xor") || self.take("^")) {
            let right = self.conjunction()?;
            let one = left.clone().and(right.clone().negated());
            left = one.or(left.negated().and(right));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Assertion<A>> {
        let mut left = self.operand()?;
        while self.take("&") || self.take("&&") {
            let right = self.operand()?;
            left = left.and(right);
        }
        Ok(left)
    }

    /// What stands between connectives; in formulas, with `U` and its kind, grouped to the right.
    fn operand(&mut self) -> Result<Assertion<A>> {
        let left = self.unary()?;
        let names = ["U", "W", "V", "R", "M"];
        let name = names
            .into_iter()
            .find(|name| self.is_formula() && self.take(name));
        let Some(name) = name else {
            return Ok(left);
        };
        self.deeper()?;
        let right = self.operand()?;
        self.depth -= 1;
        self.until_of(name, left, right)
    }

    fn unary(&mut self) -> Result<Assertion<A>> {
        self.deeper()?;
        let property = self.operator()?;
        self.depth -= 1;
        Ok(property)
    }

    fn operator(&mut self) -> Result<Assertion<A>> {
        let span = self.span();
        let Some(token) = self.peek() else {
            return Err(wrong("a property is expected", span));
        };
        let name = token.text;
        let strong = name.ends_with('!');
        match name {
            "always" | "G" => {
                self.at += 1;
                let body = match name == "G" && self.is_formula() {
                    true => self.unary()?,
                    false => self.property()?,
                };
                Ok(body.every_tick(self.moments()?.as_ref()))
            }
            "never" => {
                self.at += 1;
                let body = self.property()?.negated();
                Ok(body.every_tick(self.moments()?.as_ref()))
            }
            "eventually!" | "F" => {
                self.at += 1;
                let body = match name {
                    "F" => self.unary()?,
                    _ => self.property()?,
                };
                Ok(made_strong(body).some_tick(self.moments()?.as_ref()))
            }
            "X" | "X!" | "next" | "next!" => {
                self.at += 1;
                let count = match self.take("[") {
                    true => self.range()?.0,
                    false => 1,
                };
                // (On infinite words there always is a next letter.)
                let body = self.unary()?;
                let (count, tick) = (self.short(count, span)?, self.layer.tick()?);
                Ok(body.later(count, strong, tick.as_ref()))
            }
            "next_a" | "next_a!" | "next_e" | "next_e!" => {
                self.at += 1;
                let (least, most) = self.bounded_range()?;
                let body = self.unary()?;
                let all = name.starts_with("next_a");
                let tick = self.layer.tick()?;
                let whole = ranged(&body, most - least, (all, strong), tick.as_ref());
                Ok(whole.later(least, strong, tick.as_ref()))
            }
            "next_event" | "next_event!" | "next_event_a" | "next_event_a!" | "next_event_e"
            | "next_event_e!" => self.next_event(name, strong),
            "!" if !self.is_boolean_negation() => {
                self.at += 1;
                Ok(self.unary()?.negated())
            }
            "{" if self.is_sequence(self.at) => self.sequence_property(),
            "(" if self.is_temporal(self.at + 1, self.after_group(self.at).saturating_sub(1)) => {
                let end = self.after_group(self.at);
                self.under_clock(end, &mut |parser| {
                    parser.at += 1;
                    let inner = parser.property()?;
                    parser.expect(")")?;
                    Ok(inner)
                })
            }
            "@" => Err(wrong("a clock stands behind what it is the clock of", span)),
            _ if self.begins_branch(self.at) => {
                let message = "operators of branching time do not stand among those of linear time";
                Err(wrong(message, span))
            }
            _ if token::is_temporal(name) => Err(not_yet(&format!("`{name}` is not read here"), span)),
            _ => self.condition_property(),
        }
    }

    /// Whether the `!` here belongs to a Boolean expression: what follows it up to a connective is no property.
    fn is_boolean_negation(&self) -> bool {
        let mut at = self.at;
        while self.tokens.get(at).is_some_and(|token| token.text == "!") {
            at += 1;
        }
        match self.tokens.get(at).map(|token| token.text) {
            Some("(") => !self.is_temporal(at + 1, self.after_group(at).saturating_sub(1)),
            Some("{") => !self.is_sequence(at),
            Some(word) => !token::is_temporal(word) && !self.begins_branch(at),
            None => false,
        }
    }

    /// A sequence, strong or weak, or a suffix implication.
    fn sequence_property(&mut self) -> Result<Assertion<A>> {
        let sequence = self.clocked_braces()?;
        if self.is("|->") || self.is("|=>") {
            let overlapping = self.take("|->") || !self.take("|=>");
            let consequent = self.property()?;
            return self.implied(sequence, consequent, overlapping);
        }
        let arrows = [
            ("[]->", true, true),
            ("[]=>", false, true),
            ("<>->", true, false),
            ("<>=>", false, false),
        ];
        let arrow = arrows
            .into_iter()
            .find(|(sign, ..)| self.is_formula() && self.take(sign));
        if let Some((_, overlapping, every)) = arrow {
            let consequent = self.property()?;
            return match every {
                true => self.implied(sequence, consequent, overlapping),
                // Some match leads there: not all lead elsewhere.
                false => Ok(self
                    .implied(sequence, consequent.negated(), overlapping)?
                    .negated()),
            };
        }
        if self.is("(") {
            // The older way to write a suffix implication.
            self.at += 1;
            let consequent = self.property()?;
            self.expect(")")?;
            return Ok(consequent.implied_by(sequence, true));
        }
        let strong = self.take("!");
        Ok(Assertion::Sequence {
            sequence: Arc::new(sequence),
            strong,
        })
    }

    /// `next_event(b)[n](p)`: p at the n-th letter at which b is true, this one counted; with a range at all of these, or at one.
    fn next_event(&mut self, name: &str, strong: bool) -> Result<Assertion<A>> {
        self.at += 1;
        self.expect("(")?;
        let event = self.boolean(&[])?;
        self.expect(")")?;
        let (least, most) = match self.is("[") {
            true => self.bounded_range()?,
            false => (1, 1),
        };
        if least == 0 {
            return Err(wrong("occurrences are counted from 1", self.span()));
        }
        let body = self.unary()?;
        let all = !name.contains("_e");
        let tick = self.layer.tick()?;
        let at = |count: u32| {
            let there = Sequence::goto(&event, count, Some(count));
            let there = match &tick {
                None => there,
                Some(tick) => over_letters(&there, tick),
            };
            match strong {
                false => body.clone().implied_by(there, true),
                true => body.clone().negated().implied_by(there, true).negated(),
            }
        };
        let mut whole = at(least);
        for count in least + 1..=most {
            whole = match all {
                true => whole.and(at(count)),
                false => whole.or(at(count)),
            };
        }
        Ok(whole)
    }

    fn bounded_range(&mut self) -> Result<(u32, u32)> {
        let span = self.span();
        self.expect("[")?;
        let (least, most) = self.range()?;
        match most {
            Some(most) => Ok((least, self.short(most, span)?)),
            None => Err(wrong("this range has an end", span)),
        }
    }

    fn short(&self, count: u32, span: entail_source::Span) -> Result<u32> {
        match count <= LONGEST_RANGE {
            true => Ok(count),
            false => Err(not_yet("this range is too long to be written out", span)),
        }
    }
}

/// At all, or at one, of this letter and so many more ticks.
fn ranged<A: Clone + PartialEq>(
    body: &Assertion<A>,
    more: u32,
    (all, strong): (bool, bool),
    tick: Option<&Guard<A>>,
) -> Assertion<A> {
    let mut whole = body.clone();
    for _ in 0..more {
        let later = whole.later(1, strong, tick);
        whole = match all {
            true => body.clone().and(later),
            false => body.clone().or(later),
        };
    }
    whole
}

/// Under `eventually!` a sequence is strong.
fn made_strong<A: Clone>(property: Assertion<A>) -> Assertion<A> {
    match property {
        Assertion::Sequence { sequence, .. } => Assertion::Sequence {
            sequence,
            strong: true,
        },
        other => other,
    }
}

/// A condition as a property.
impl<A: Clone> From<Guard<A>> for Assertion<A> {
    fn from(guard: Guard<A>) -> Assertion<A> {
        Assertion::guard(guard)
    }
}
