//! End points of sequences as conditions: `s.triggered` and `s.matched` (IEEE 1800-2017, 16.9.11 and 16.13.5).
//!
//! `s.triggered` is true where a match of `s` ends, wherever it began; `s.matched` at the first tick after that. In an expression either becomes a wire that
//! nothing drives ([`end_wire`]); whoever has the elaborated design makes it what it should be. The sequence has the clock of the expression, and no
//! local variables.

use crate::design::{EndPoint, Timing, end_wire};
use crate::expression::after_group;
use crate::property::{Parser, Piece, Result, not_read, unsupported};
use crate::token::{Kind, Token};
use entail_logic::Sequence;
use std::fmt::Write as _;

impl Parser<'_> {
    /// How many tokens `s.triggered` or `s(…).matched` takes, if it stands at the beginning.
    pub(crate) fn end_length(&self, tokens: &[Token]) -> Option<usize> {
        let name = tokens.first().filter(|token| token.kind == Kind::Name)?;
        let declared = self.declarations.find(self.module, &name.text)?;
        let dot = match tokens.get(1)?.is("(") {
            true => after_group(tokens, 1),
            false => 1,
        };
        let method = tokens.get(dot + 1)?;
        let is_end = method.is("triggered") || method.is("matched") || method.is("ended");
        (!declared.is_property && tokens[dot].is(".") && is_end).then_some(dot + 2)
    }

    /// Tokens of an expression, with names of wires in the place of end points.
    pub(crate) fn with_ends(&mut self, tokens: &[Token]) -> Result<Vec<Token>> {
        let mut found = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while at < tokens.len() {
            let is_part = at > 0 && tokens[at - 1].is(".");
            match self.end_length(&tokens[at..]).filter(|_| !is_part) {
                None => {
                    found.push(tokens[at].clone());
                    at += 1;
                }
                Some(length) => {
                    let text = self.end_point(&tokens[at..at + length])?;
                    found.push(Token {
                        kind: Kind::Name,
                        text,
                        span: tokens[at].span,
                    });
                    // (Groups before it may have been taken over whole.)
                    at += length;
                }
            }
        }
        Ok(found)
    }

    fn end_point(&mut self, tokens: &[Token]) -> Result<String> {
        let (name, method) = (&tokens[0], &tokens[tokens.len() - 1]);
        if self.timing == Timing::Edges {
            let message = format!("in a design with several clocks `.{}` is not read", method.text);
            return Err(unsupported(&message, method.span));
        }
        let around = self.clock.clone();
        let before = self.emitted.locals.assigned();
        self.deeper(name.span)?;
        let piece = self.all_of(&tokens[..tokens.len() - 2])?;
        self.depth -= 1;
        self.emitted.locals.back_to(&before);
        let sequence = match piece {
            Piece::Sequence(sequence) if self.clock == around => sequence,
            Piece::Sequence(_) | Piece::Clocked(_) => {
                let message = format!(
                    "`{}` has another clock, or clocks with conditions, here",
                    name.text
                );
                return Err(unsupported(&message, name.span));
            }
            Piece::Assertion(_) => {
                return Err(not_read("a sequence is expected; this is a property", name.span));
            }
        };
        if self.tick()?.is_some() {
            let message = format!("under a clock with a condition `.{}` is not read", method.text);
            return Err(unsupported(&message, method.span));
        }
        let mut assigned = std::collections::BTreeSet::new();
        sequence.assigned(&mut assigned);
        if !assigned.is_empty() {
            let message = format!(
                "`.{}` of a sequence with local variables is not read",
                method.text
            );
            return Err(unsupported(&message, method.span));
        }
        Ok(self.end_of(sequence, method.is("matched")))
    }

    /// The wire of the end point of a sequence.
    pub(crate) fn end_of(&mut self, sequence: Sequence<usize>, later: bool) -> String {
        let wire = end_wire(self.check, self.ends.len());
        self.ends.push(EndPoint { sequence, later });
        let _ = write!(self.emitted.text, "(* keep *) wire \\{wire} ; ");
        format!("\\{wire}")
    }
}
