//! Clocks: `{…}@clk`, `(…)@(posedge clk)`, `b@rose(clk)`.
//!
//! A clock stands behind what it is about, and holds inside it but where another one is written. What is read under a clock is rewritten at once
//! ([`crate::over_letters`] and its kind), so the clock has to be known before.

use super::{Parser, Result, wrong};
use crate::{Assertion, Guard, Sequence, over_letters};
use std::sync::Arc;

impl<A: Clone + PartialEq> Parser<'_, '_, A> {
    /// The position after the clock whose `@` is at a position.
    fn after_clock(&self, at: usize) -> usize {
        let is = |at: usize, text: &str| self.tokens.get(at).is_some_and(|token| token.text == text);
        if is(at + 1, "(") {
            return self.after_group(at + 1);
        }
        let name = at + 1 + usize::from(is(at + 1, "posedge") || is(at + 1, "negedge"));
        let end = match is(name + 1, "(") && is(name, "rose") | is(name, "fell") {
            true => self.after_group(name + 1),
            false => name + 1,
        };
        end.min(self.tokens.len())
    }

    /// Reads what ends at a position; under the clock that stands there, if one does.
    pub(super) fn under_clock<T>(
        &mut self,
        end: usize,
        read: &mut dyn FnMut(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if self.tokens.get(end).is_none_or(|token| token.text != "@") {
            return read(self);
        }
        let after = self.after_clock(end);
        let at = self.tokens[end].span;
        if after < end + 2 {
            return Err(wrong("a clock is expected behind `@`", at));
        }
        let (text, span) = self.between(end + 1, after);
        self.layer.enter_clock(text, span)?;
        let whole = read(self)?;
        self.layer.leave_clock();
        if self.at != end {
            return Err(wrong("brackets are needed to say what this is the clock of", at));
        }
        self.at = after;
        Ok(whole)
    }

    /// A sequence in braces, with its clock.
    pub(super) fn clocked_braces(&mut self) -> Result<Sequence<A>> {
        let end = self.after_group(self.at);
        self.under_clock(end, &mut |parser| parser.braced())
    }

    /// A sequence about letters, from one about ticks of the clock in force.
    pub(super) fn on_ticks(&mut self, sequence: Sequence<A>) -> Result<Sequence<A>> {
        Ok(match self.layer.tick()? {
            None => sequence,
            Some(tick) => over_letters(&sequence, &tick),
        })
    }

    /// A Boolean expression as a property.
    pub(super) fn condition_property(&mut self) -> Result<Assertion<A>> {
        let stops = ["|", "||", "&", "&&", "xor", "^"];
        let stops = &stops[..if self.is_formula() { 6 } else { 4 }];
        let end = self.expression_end(stops)?;
        self.under_clock(end, &mut |parser| {
            let condition = parser.boolean(stops)?;
            let tick = parser.layer.tick()?;
            Ok(Assertion::at_tick(condition, tick.as_ref()))
        })
    }

    /// The ticks that an operator which is true of all or of one of the moments is about: without a clock, all letters.
    pub(super) fn moments(&mut self) -> Result<Option<Guard<A>>> {
        match self.layer.has_clock() {
            true => self.layer.tick(),
            false => Ok(None),
        }
    }

    /// `sequence |-> consequent` or `|=>`; the sequence is about letters.
    pub(super) fn implied(
        &mut self,
        sequence: Sequence<A>,
        consequent: Assertion<A>,
        overlapping: bool,
    ) -> Result<Assertion<A>> {
        let antecedent = match overlapping {
            true => sequence,
            false => {
                let one = self.on_ticks(Sequence::anything())?;
                sequence.then(one)
            }
        };
        Ok(Assertion::Implication {
            antecedent: Arc::new(antecedent),
            consequent: Arc::new(consequent),
        })
    }
}
