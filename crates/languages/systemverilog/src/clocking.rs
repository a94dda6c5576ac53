//! Clocks of properties: which is in force, and properties rewritten so that they are about letters.
//!
//! Where letters are ticks of the one clock there is, nothing is rewritten. Where they are steps of the model, or where a clock counts under a condition only
//! (`iff`), a clock is an atom, and properties are rewritten as `entail_logic` does it. Of several clocks in one sequence each part is rewritten with its own; between them stands `##1` (the next tick of the other) or `##0` (the same, or the next).

use crate::cursor::Cursor;
use crate::design::{Edge, Timing};
use crate::property::{Parser, Piece, Result, not_read, unsupported};
use crate::token::Token;
use entail_logic::{Assertion, Guard, Sequence, over_letters};
use entail_source::Span;
use std::sync::Arc;

/// The clock that is in force where a sequence or property is used.
const INFERRED: &str = "$inferred_clock";

impl Parser<'_> {
    /// Sets the clock that holds where none is written.
    pub(crate) fn inherits(&mut self, clock: Option<String>) {
        self.emitted.clock.clone_from(&clock);
        self.clock = clock;
    }

    /// A clocking event, if there is one.
    pub(crate) fn clocking(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        while cursor.is("@") {
            let span = cursor.span();
            cursor.at += 1;
            let tokens: Vec<Token> = match cursor.is("(") {
                true => cursor.group()?.to_vec(),
                false => match cursor.peek() {
                    Some(name) => {
                        cursor.at += 1;
                        vec![name.clone()]
                    }
                    None => return Err(not_read("a clock is expected", span)),
                },
            };
            let mut texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
            while texts.len() > 2 && texts[0] == "(" && texts[texts.len() - 1] == ")" {
                texts = texts[1..texts.len() - 1].to_vec();
            }
            let mut clock = texts.join(" ");
            if clock == INFERRED {
                if self.clock.is_none() {
                    return Err(not_read("there is no clock here that could be inferred", span));
                }
                continue;
            }
            if let Some(event) = self
                .declarations
                .clocking
                .get(&(self.module.to_owned(), clock.clone()))
            {
                clock.clone_from(event);
            }
            self.inherits(Some(clock));
        }
        Ok(())
    }

    /// Notes that something has the clock in force.
    pub(crate) fn meet_clock(&mut self) {
        if let Some(clock) = &self.clock
            && !self.clocks.contains(clock)
        {
            self.clocks.push(clock.clone());
        }
    }

    /// The condition under which a letter is a tick of the clock in force; nothing if every letter is.
    pub(crate) fn tick(&mut self) -> Result<Option<Guard<usize>>> {
        self.meet_clock();
        let Some(clock) = &self.clock else {
            return match self.timing {
                Timing::Ticks => Ok(None),
                Timing::Edges => {
                    let message = "the design has several clocks, and this property has none";
                    Err(unsupported(message, Span::new(0, 0)))
                }
            };
        };
        let Some(edge) = Edge::of(clock) else {
            return Ok(None);
        };
        let number = self.clocks.iter().position(|known| known == clock);
        let counts = edge.gate.is_some() || (self.timing == Timing::Edges && edge.rises.is_some());
        Ok(number
            .filter(|_| counts)
            .map(|number| Guard::Atom(self.first_clock + number)))
    }

    /// A sequence over letters from one over ticks of the clock in force.
    pub(crate) fn clocked(&mut self, sequence: Sequence<usize>) -> Result<Sequence<usize>> {
        Ok(match self.tick()? {
            None => sequence,
            Some(tick) => over_letters(&sequence, &tick),
        })
    }

    /// A condition at the next tick, which may be now.
    pub(crate) fn condition(&mut self, condition: Guard<usize>) -> Result<Assertion<usize>> {
        Ok(Assertion::at_tick(condition, self.tick()?.as_ref()))
    }

    /// `nexttime [count]`.
    pub(crate) fn later(
        &mut self,
        body: Assertion<usize>,
        count: u32,
        strong: bool,
    ) -> Result<Assertion<usize>> {
        Ok(body.later(count, strong, self.tick()?.as_ref()))
    }

    /// `always`.
    pub(crate) fn every_time(&mut self, body: Assertion<usize>) -> Result<Assertion<usize>> {
        Ok(body.every_tick(self.tick()?.as_ref()))
    }

    /// `s_eventually`.
    pub(crate) fn some_time(&mut self, body: Assertion<usize>) -> Result<Assertion<usize>> {
        Ok(body.some_tick(self.tick()?.as_ref()))
    }

    /// `until` and `s_until`.
    pub(crate) fn until_tick(
        &mut self,
        left: Assertion<usize>,
        right: Assertion<usize>,
        strong: bool,
    ) -> Result<Assertion<usize>> {
        Ok(left.until_tick(right, strong, self.tick()?.as_ref()))
    }

    /// `left ##[least:most] right`, where `before` is the clock of the left part and the right one has the clock in force.
    pub(crate) fn joined(
        &mut self,
        left: Piece,
        before: Option<String>,
        (least, most): (u32, Option<u32>),
        right: Piece,
        spans: (Span, Span),
    ) -> Result<Piece> {
        let same = before == self.clock;
        if let (Piece::Sequence(_), Piece::Sequence(_), true) = (&left, &right, same) {
            let (first, second) = (self.sequence(left, spans.0)?, self.sequence(right, spans.1)?);
            return Ok(Piece::Sequence(first.delayed(least, most, second)));
        }
        if !same && (most != Some(least) || least > 1) {
            let message = "between two clocks stands `##1` or `##0`";
            return Err(not_read(message, spans.1));
        }
        let now = std::mem::replace(&mut self.clock, before);
        let first = self.ready(left, spans.0)?;
        self.clock = now;
        let fused = |first: &Sequence<usize>, second: Sequence<usize>| {
            Sequence::Fusion(Arc::new(first.clone()), Arc::new(second))
        };
        if most == Some(0) {
            let second = self.ready(right, spans.1)?;
            return Ok(Piece::Clocked(fused(&first, second)));
        }
        let gap = (least.max(1) - 1, most.map(|most| most - 1));
        let (second, at_once) = match right {
            Piece::Sequence(sequence) => {
                let at_once = match least {
                    0 => Some(self.clocked(sequence.clone())?),
                    _ => None,
                };
                (self.clocked(sequence.after(gap.0, gap.1))?, at_once)
            }
            other if gap == (0, Some(0)) && least == 1 => (self.ready(other, spans.1)?, None),
            _ => {
                return Err(unsupported(
                    "a sequence with two clocks is not read here",
                    spans.1,
                ));
            }
        };
        let later = first.clone().then(second);
        Ok(Piece::Clocked(match at_once {
            None => later,
            Some(second) => Sequence::Union(Arc::new(fused(&first, second)), Arc::new(later)),
        }))
    }
}
