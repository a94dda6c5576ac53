//! Sequences (SEREs): `;` binds weakest, then `:`, `|`, `&` and `&&`, `within`, repetition. In formulas `->` and `<->` between conditions come before `|`, `xor` after it.

use super::token;
use super::{Parser, Result, not_yet, wrong};
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

    /// Implication and equivalence of conditions, grouped to the right.
    fn implications(&mut self) -> Result<Sequence<A>> {
        let begin = self.span();
        let left = self.alternatives()?;
        let is_iff = self.is("<->");
        if !self.is_formula() || !(self.take("->") || self.take("<->")) {
            return Ok(left);
        }
        self.deeper()?;
        let right = self.implications()?;
        self.depth -= 1;
        let (Sequence::Guard(left), Sequence::Guard(right)) = (left, right) else {
            return Err(wrong("between sequences there is no implication", begin));
        };
        let forth = left.negated().or(&right);
        Ok(Sequence::Guard(match is_iff {
            true => forth.and(&right.negated().or(&left)),
            false => forth,
        }))
    }

    fn exclusives(&mut self) -> Result<Sequence<A>> {
        let begin = self.span();
        let mut left = self.conjunctions()?;
        while self.is_formula() && (self.take("xor") || self.take("^")) {
            let (Sequence::Guard(one), Sequence::Guard(other)) = (left, self.conjunctions()?) else {
                return Err(wrong("`xor` is about conditions", begin));
            };
            let first = one.and(&other.negated());
            left = Sequence::Guard(first.or(&one.negated().and(&other)));
        }
        Ok(left)
    }

    fn alternatives(&mut self) -> Result<Sequence<A>> {
        let mut left = self.exclusives()?;
        while self.take("|") || self.take("||") {
            let right = self.exclusives()?;
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
        let mut whole = self.implications()?;
        while self.take(":") {
            let next = self.implications()?;
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
            false => self
                .first_match()?
                .map_or_else(|| self.group(), |first| Ok(Some(first)))?,
        };
        // What stands in brackets has its clock already.
        let is_about_letters = group.is_some();
        let mut sequence = match group {
            Some(sequence) => sequence,
            None if is_bare => Sequence::anything(),
            None => Sequence::Guard(self.condition()?),
        };
        loop {
            let signs = ["[*]", "[+]", "[*", "[->", "[=", "[:*]", "[:+]", "[:*"];
            let count = if self.is_formula() { 8 } else { 5 };
            let Some(sign) = signs[..count].iter().copied().find(|sign| self.take(sign)) else {
                break;
            };
            let (least, most) = match sign {
                "[*]" => (0, None),
                "[+]" => (1, None),
                "[:*]" => (0, None),
                "[:+]" => (1, None),
                // `b[->]` is `b[->1]`.
                "[->" if self.take("]") => (1, Some(1)),
                _ => self.range()?,
            };
            sequence = match (sign, sequence) {
                ("[->", Sequence::Guard(condition)) => Sequence::goto(&condition, least, most),
                ("[=", Sequence::Guard(condition)) => Sequence::nonconsecutive(&condition, least, most),
                ("[->" | "[=", _) => return Err(wrong("`[->` and `[=` repeat Boolean expressions", begin)),
                ("[:*]" | "[:+]" | "[:*", sequence) => fused(sequence, least, most)
                    .ok_or_else(|| not_yet("a fusion without end, or of too many, is not read", begin))?,
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

    /// `first_match(r)`, if it stands here.
    fn first_match(&mut self) -> Result<Option<Sequence<A>>> {
        let is_call = self.tokens.get(self.at + 1).is_some_and(|next| next.text == "(");
        if !(self.is_formula() && is_call && self.take("first_match")) {
            return Ok(None);
        }
        self.deeper()?;
        self.expect("(")?;
        let inner = self.concatenation()?;
        self.expect(")")?;
        self.depth -= 1;
        Ok(Some(Sequence::FirstMatch(Arc::new(inner))))
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
        let stops = ["|", "||", "&", "&&", "->", "<->", "xor", "^"];
        self.boolean(&stops[..if self.is_formula() { 8 } else { 6 }])
    }
}

/// Most copies of a sequence that are written out.
const MOST_FUSED: u32 = 64;

/// `r[:*least:most]`: as many copies, each beginning with the last letter of the one before; of none, any letter is left. Nothing if there is no end.
fn fused<A: Clone>(body: Sequence<A>, least: u32, most: Option<u32>) -> Option<Sequence<A>> {
    let most = match (&body, most) {
        // (A letter fused with itself is that letter.)
        (Sequence::Guard(_), None) => least.max(1),
        (_, most) => most.filter(|most| *most <= MOST_FUSED)?,
    };
    // (A single copy may be empty, fused ones are not.)
    let may_be_empty = body.is_nullable() && least <= 1 && most >= 1;
    let body = Arc::new(body);
    let next = |whole: Sequence<A>| Sequence::Fusion(body.clone(), Arc::new(whole));
    let mut optional = Sequence::anything();
    for _ in least..most {
        optional = Sequence::Union(Arc::new(Sequence::anything()), Arc::new(next(optional)));
    }
    let whole = (0..least).fold(optional, |whole, _| next(whole));
    Some(match may_be_empty {
        true => Sequence::Union(Arc::new(Sequence::Empty), Arc::new(whole)),
        false => whole,
    })
}
