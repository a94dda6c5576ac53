//! Sequences (SEREs): `;` binds weakest, then `:`, `|`, `&` and `&&`, `within`, repetition.

use super::token;
use super::{Parser, Result, wrong};
use crate::{Guard, Sequence};
use std::sync::Arc;

impl<A: Clone + PartialEq> Parser<'_, '_, A> {
    /// A sequence in braces.
    pub(super) fn braced(&mut self) -> Result<Sequence<A>> {
        self.deeper()?;
        self.expect("{")?;
        let sequence = self.concatenation()?;
        self.expect("}")?;
        self.depth -= 1;
        Ok(sequence)
    }

    fn alternatives(&mut self) -> Result<Sequence<A>> {
        let mut left = self.conjunctions()?;
        while self.take("|") || self.take("||") {
            let right = self.conjunctions()?;
            left = match (left, right) {
                // Between conditions this is their disjunction.
                (Sequence::Guard(left), Sequence::Guard(right)) => Sequence::Guard(left.or(&right)),
                (left, right) => Sequence::Union(Arc::new(left), Arc::new(right)),
            };
        }
        Ok(left)
    }

    fn conjunctions(&mut self) -> Result<Sequence<A>> {
        let mut left = self.within()?;
        loop {
            let same_length = self.is("&&");
            if !(self.take("&&") || self.take("&")) {
                return Ok(left);
            }
            let right = self.within()?;
            left = match (left, right, same_length) {
                (Sequence::Guard(left), Sequence::Guard(right), _) => Sequence::Guard(left.and(&right)),
                (left, right, true) => Sequence::Intersection(Arc::new(left), Arc::new(right)),
                (left, right, false) => Sequence::Both(Arc::new(left), Arc::new(right)),
            };
        }
    }

    fn within(&mut self) -> Result<Sequence<A>> {
        let mut left = self.repetition()?;
        while self.take("within") {
            let right = self.repetition()?;
            left = left.within(right);
        }
        Ok(left)
    }

    fn concatenation(&mut self) -> Result<Sequence<A>> {
        let mut whole = self.fusion()?;
        while self.take(";") {
            let next = self.fusion()?;
            whole = whole.then(next);
        }
        Ok(whole)
    }

    fn fusion(&mut self) -> Result<Sequence<A>> {
        let mut whole = self.alternatives()?;
        while self.take(":") {
            let next = self.alternatives()?;
            whole = Sequence::Fusion(Arc::new(whole), Arc::new(next));
        }
        Ok(whole)
    }

    fn repetition(&mut self) -> Result<Sequence<A>> {
        let begin = self.span();
        // `[*]` and `[+]` alone repeat anything.
        let is_bare = self.is("[*]") || self.is("[+]") || self.is("[*");
        let group = match is_bare {
            true => None,
            false => self.group()?,
        };
        // What stands in brackets has its clock already.
        let is_about_letters = group.is_some();
        let mut sequence = match group {
            Some(sequence) => sequence,
            None if is_bare => Sequence::anything(),
            None => Sequence::Guard(self.condition()?),
        };
        loop {
            let signs = ["[*]", "[+]", "[*", "[->", "[="];
            let Some(sign) = signs.into_iter().find(|sign| self.take(sign)) else {
                break;
            };
            let (least, most) = match sign {
                "[*]" => (0, None),
                "[+]" => (1, None),
                // `b[->]` is `b[->1]`.
                "[->" if self.take("]") => (1, Some(1)),
                _ => self.range()?,
            };
            sequence = match (sign, sequence) {
                ("[->", Sequence::Guard(condition)) => Sequence::goto(&condition, least, most),
                ("[=", Sequence::Guard(condition)) => Sequence::nonconsecutive(&condition, least, most),
                ("[->" | "[=", _) => return Err(wrong("`[->` and `[=` repeat Boolean expressions", begin)),
                (_, sequence) => sequence.repeated(least, most),
            };
        }
        if self.is("@") && !is_about_letters {
            return Err(wrong(
                "in a sequence a clock stands behind braces: `{…}@clk`",
                self.span(),
            ));
        }
        match is_about_letters {
            true => Ok(sequence),
            false => self.on_ticks(sequence),
        }
    }

    /// A sequence in brackets, if there is one here.
    fn group(&mut self) -> Result<Option<Sequence<A>>> {
        if self.is("{") && self.is_sequence(self.at) {
            return self.clocked_braces().map(Some);
        }
        if self.is("(") {
            let close = self.after_group(self.at);
            if self.is_temporal(self.at + 1, close.saturating_sub(1)) {
                self.deeper()?;
                self.expect("(")?;
                let inner = self.concatenation()?;
                self.expect(")")?;
                self.depth -= 1;
                return Ok(Some(inner));
            }
        }
        Ok(None)
    }

    /// A Boolean expression in a sequence: `|` and `&` outside brackets are the sequence's, and mean the same between conditions.
    fn condition(&mut self) -> Result<Guard<A>> {
        if self.peek().is_some_and(|one| token::is_temporal(one.text)) {
            return Err(wrong("a sequence is made of Boolean expressions", self.span()));
        }
        self.boolean(&["|", "||", "&", "&&", "->", "<->"])
    }
}
