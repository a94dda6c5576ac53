//! Expressions of the format: labels over propositions, with aliases, and acceptance conditions. `|` binds loosest, then `&`, then `!`.

use super::{Header, Parser, Read};
use crate::acceptance::Acceptance;
use crate::formats::hoa_lexer::{Token, error};
use crate::label::Label;
use crate::ltl::arena::deep;

/// The deepest nesting of label and acceptance expressions.
const MAX_NESTING: usize = 2_000;

impl Parser<'_, '_> {
    fn deeper<T>(&mut self, step: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(error(
                "this expression is nested too deeply",
                self.span,
                "too deep",
            ));
        }
        let result = deep(|| step(self));
        self.nesting -= 1;
        result
    }

    /// A label expression: `|` loosest, then `&`, then `!`.
    pub(super) fn label(&mut self, header: &mut Header) -> Read<Label> {
        let mut any = self.label_conjunction(header)?;
        while self.token == Token::Symbol('|') {
            self.advance()?;
            let operand = self.label_conjunction(header)?;
            any = header.labels.or(any, operand);
        }
        Ok(any)
    }

    fn label_conjunction(&mut self, header: &mut Header) -> Read<Label> {
        let mut all = self.label_atom(header)?;
        while self.token == Token::Symbol('&') {
            self.advance()?;
            let operand = self.label_atom(header)?;
            all = header.labels.and(all, operand);
        }
        Ok(all)
    }

    fn label_atom(&mut self, header: &mut Header) -> Read<Label> {
        let span = self.span;
        match self.token.clone() {
            Token::Symbol('!') => {
                self.advance()?;
                Ok(self.deeper(|parser| parser.label_atom(header))?.not())
            }
            Token::Symbol('(') => {
                self.advance()?;
                let inner = self.deeper(|parser| parser.label(header))?;
                self.symbol(')')?;
                Ok(inner)
            }
            Token::Number(number) => {
                let known = header.propositions.as_ref().map_or(0, Vec::len) as u64;
                if number >= known {
                    return Err(error(
                        format!("there is no proposition {number}"),
                        span,
                        format!("{known} are declared"),
                    ));
                }
                self.advance()?;
                Ok(header.labels.literal(number as u32, true))
            }
            Token::Identifier(name) if name == "t" || name == "f" => {
                self.advance()?;
                Ok(if name == "t" { Label::TRUE } else { Label::FALSE })
            }
            Token::Alias(name) => {
                let label = header.aliases.get(&name).copied();
                let label = label
                    .ok_or_else(|| error(format!("unknown alias `@{name}`"), span, "not defined above"))?;
                self.advance()?;
                Ok(label)
            }
            _ => Err(self.expected("a label expression")),
        }
    }

    /// An acceptance condition over so many sets; negated sets are collected.
    pub(super) fn acceptance(&mut self, count: u32, complements: &mut Vec<(u32, u32)>) -> Read<Acceptance> {
        let mut parts = vec![self.acceptance_conjunction(count, complements)?];
        while self.token == Token::Symbol('|') {
            self.advance()?;
            parts.push(self.acceptance_conjunction(count, complements)?);
        }
        Ok(Acceptance::any(parts))
    }

    fn acceptance_conjunction(&mut self, count: u32, complements: &mut Vec<(u32, u32)>) -> Read<Acceptance> {
        let mut parts = vec![self.acceptance_atom(count, complements)?];
        while self.token == Token::Symbol('&') {
            self.advance()?;
            parts.push(self.acceptance_atom(count, complements)?);
        }
        Ok(Acceptance::all(parts))
    }

    fn acceptance_atom(&mut self, count: u32, complements: &mut Vec<(u32, u32)>) -> Read<Acceptance> {
        match self.token.clone() {
            Token::Symbol('(') => {
                self.advance()?;
                let inner = self.deeper(|parser| parser.acceptance(count, complements))?;
                self.symbol(')')?;
                Ok(inner)
            }
            Token::Identifier(name) => match name.as_str() {
                "t" | "f" => {
                    self.advance()?;
                    Ok(if name == "t" {
                        Acceptance::True
                    } else {
                        Acceptance::False
                    })
                }
                "Inf" | "Fin" => {
                    self.advance()?;
                    self.symbol('(')?;
                    let negated = self.token == Token::Symbol('!');
                    if negated {
                        self.advance()?;
                    }
                    let span = self.span;
                    let mut mark = self.number()?;
                    if mark >= u64::from(count) {
                        let label = format!("{count} are declared");
                        return Err(error(format!("there is no acceptance set {mark}"), span, label));
                    }
                    self.symbol(')')?;
                    if negated {
                        let known = complements
                            .iter()
                            .find(|(_, of)| u64::from(*of) == mark)
                            .map(|(own, _)| *own);
                        mark = match known {
                            Some(own) => u64::from(own),
                            None => {
                                let fresh = count + complements.len() as u32;
                                complements.push((fresh, mark as u32));
                                u64::from(fresh)
                            }
                        };
                    }
                    let mark = mark as u32;
                    Ok(if name == "Inf" {
                        Acceptance::Inf(mark)
                    } else {
                        Acceptance::Fin(mark)
                    })
                }
                _ => Err(self.expected("`Inf`, `Fin`, `t` or `f`")),
            },
            _ => Err(self.expected("an acceptance condition")),
        }
    }
}
