//! The grammar of sequences: what binds tighter than the operators of properties.

use crate::cursor::Cursor;
use crate::design::bound_wire;
use crate::expression::{after_group, rewrite, span_of, split};
use crate::locals::Join;
use crate::property::{Bounds, Parser, Piece, Result, not_read};
use crate::token::{Kind, Token};
use entail_logic::Sequence;
use entail_source::Span;
use std::fmt::Write as _;
use std::sync::Arc;

impl Parser<'_> {
    pub(crate) fn intersect(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        let begin = cursor.span();
        let before = self.emitted.locals.assigned();
        let mut left = self.within(cursor)?;
        while cursor.take("intersect") {
            let place = cursor.span();
            let first = self.branch(&before);
            let right = self.within(cursor)?;
            self.emitted.locals.join(&before, &first, Join::Both, place)?;
            let (first, second) = (self.sequence(left, begin)?, self.sequence(right, place)?);
            left = Piece::Sequence(Sequence::Intersection(Arc::new(first), Arc::new(second)));
        }
        Ok(left)
    }

    pub(crate) fn within(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        let begin = cursor.span();
        let before = self.emitted.locals.assigned();
        let mut left = self.throughout(cursor)?;
        while cursor.take("within") {
            let place = cursor.span();
            let first = self.branch(&before);
            let right = self.throughout(cursor)?;
            self.emitted.locals.join(&before, &first, Join::Both, place)?;
            let (first, second) = (self.sequence(left, begin)?, self.sequence(right, place)?);
            left = Piece::Sequence(first.within(second));
        }
        Ok(left)
    }

    pub(crate) fn throughout(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        let begin = cursor.span();
        let left = self.delays(cursor)?;
        if !cursor.take("throughout") {
            return Ok(left);
        }
        self.deeper(begin)?;
        let place = cursor.span();
        let right = self.throughout(cursor)?;
        self.depth -= 1;
        match left {
            Piece::Sequence(Sequence::Guard(condition)) => Ok(Piece::Sequence(
                self.sequence(right, place)?.throughout(condition),
            )),
            _ => Err(not_read("before `throughout` stands a Boolean expression", begin)),
        }
    }

    pub(crate) fn delays(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        let begin = cursor.span();
        let mut whole = match cursor.take("##") {
            true => {
                let (least, most) = self.delay(cursor)?;
                let place = cursor.span();
                let item = self.repeated(cursor)?;
                Piece::Sequence(self.sequence(item, place)?.after(least, most))
            }
            false => self.repeated(cursor)?,
        };
        while cursor.take("##") {
            let range = self.delay(cursor)?;
            let place = cursor.span();
            let before = self.clock.clone();
            let item = self.repeated(cursor)?;
            whole = self.joined(whole, before, range, item, (begin, place))?;
        }
        Ok(whole)
    }

    /// What stands after `##`.
    pub(crate) fn delay(&mut self, cursor: &mut Cursor<'_>) -> Result<(u32, Option<u32>)> {
        if cursor.take("[*]") {
            return Ok((0, None));
        }
        if cursor.take("[+]") {
            return Ok((1, None));
        }
        if cursor.take("[") {
            return self.range(cursor);
        }
        let span = cursor.span();
        let count = match cursor.is("(") {
            true => {
                let tokens = cursor.group()?;
                self.bound(tokens, span)?
            }
            false => {
                let begin = cursor.at;
                cursor.at = (begin + 1).min(cursor.tokens.len());
                // `##pk::n`
                while cursor.is("::") && cursor.at + 1 < cursor.tokens.len() {
                    cursor.at += 2;
                }
                self.bound(&cursor.tokens[begin..cursor.at], span)?
            }
        };
        match count {
            Some(count) => Ok((count, Some(count))),
            None => Err(not_read("`$` stands in ranges", span)),
        }
    }

    /// `least:most]`, or `count]`.
    pub(crate) fn range(&mut self, cursor: &mut Cursor<'_>) -> Result<(u32, Option<u32>)> {
        let span = cursor.span();
        let mut depth = 1;
        let begin = cursor.at;
        while let Some(token) = cursor.peek() {
            depth += crate::expression::depth_change(token);
            cursor.at += 1;
            if depth == 0 {
                break;
            }
        }
        if depth != 0 {
            return Err(not_read("this range is not closed", span));
        }
        let tokens = &cursor.tokens[begin..cursor.at - 1];
        let parts = split(tokens, ":");
        let (least, most) = match parts[..] {
            [count] => {
                let count = self.bound(count, span)?;
                (count, count)
            }
            [least, most] => (self.bound(least, span)?, self.bound(most, span)?),
            _ => return Err(not_read("a range has two ends", span_of(tokens))),
        };
        match (least, most) {
            (None, _) => Err(not_read("a range does not begin with `$`", span)),
            (Some(least), Some(most)) if most < least => {
                if matches!(self.bounds, Bounds::Unknown) {
                    // One of them may not be known yet.
                    return Ok((least, Some(least)));
                }
                Err(not_read(
                    &format!("the range from {least} to {most} is empty"),
                    span_of(tokens),
                ))
            }
            (Some(least), most) => Ok((least, most)),
        }
    }

    /// A constant: a number, `$`, or what the elaborator makes of it.
    pub(crate) fn bound(&mut self, tokens: &[Token], span: Span) -> Result<Option<u32>> {
        match tokens {
            [] => Err(not_read("a number is expected", span)),
            [one] if one.is("$") => Ok(None),
            [one]
                if one.kind == Kind::Number && one.text.bytes().all(|b| b.is_ascii_digit() || b == b'_') =>
            {
                match one.text.replace('_', "").parse() {
                    Ok(number) => Ok(Some(number)),
                    Err(_) => Err(not_read("this number is too large", one.span)),
                }
            }
            _ => {
                let number = self.bound_count;
                self.bound_count += 1;
                match &self.bounds {
                    Bounds::Unknown => {
                        let text = rewrite(tokens, &mut self.emitted, 0)?;
                        let wire = bound_wire(self.check, number);
                        let _ = write!(self.emitted.text, "(* keep *) wire [31:0] \\{wire} = {text}; ");
                        Ok(Some(1))
                    }
                    Bounds::Known(value) => match value(number) {
                        Some(value) => Ok(Some(value)),
                        None => Err(not_read("this is not a constant", span_of(tokens))),
                    },
                }
            }
        }
    }

    pub(crate) fn repeated(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        let begin = cursor.span();
        let (start, before) = (cursor.at, self.emitted.locals.assigned());
        let mut piece = self.primary(cursor)?;
        loop {
            let end = cursor.at;
            let signs = ["[*]", "[+]", "[*", "[->", "[="];
            let Some(sign) = signs.into_iter().find(|sign| cursor.take(sign)) else {
                return Ok(piece);
            };
            let constants = self.bound_count;
            let (least, most) = match sign {
                "[*]" => (0, None),
                "[+]" => (1, None),
                _ => self.range(cursor)?,
            };
            let sequence = self.sequence(piece, begin)?;
            // (A number that the elaborator gives may be another in each instance.)
            if constants == self.bound_count && self.unrolls(&sequence, least, most) {
                let tokens = &cursor.tokens[start..end];
                let most = most.unwrap_or(least);
                piece = Piece::Sequence(self.unrolled(tokens, &before, sequence, (least, most))?);
                continue;
            }
            piece = Piece::Sequence(match (sign, sequence) {
                ("[->", Sequence::Guard(condition)) => Sequence::goto(&condition, least, most),
                ("[=", Sequence::Guard(condition)) => Sequence::nonconsecutive(&condition, least, most),
                ("[->" | "[=", _) => {
                    return Err(not_read("`[->` and `[=` repeat Boolean expressions", begin));
                }
                (_, sequence) => sequence.repeated(least, most),
            });
        }
    }

    pub(crate) fn primary(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        self.clocking(cursor)?;
        let span = cursor.span();
        if cursor.take("first_match") {
            let tokens = cursor.group()?;
            // (Match items are about the first match, not about all.)
            let inner = split(tokens, ",")[0];
            let piece = self.all_of(inner)?;
            let sequence = self.sequence(piece, span)?;
            let first = Piece::Sequence(Sequence::FirstMatch(Arc::new(sequence)));
            let mut items = Cursor::new(tokens);
            items.at = inner.len();
            return self.match_items(first, &mut items);
        }
        if cursor.is("(") {
            let close = after_group(cursor.tokens, cursor.at);
            let inner = &cursor.tokens[cursor.at + 1..close.max(cursor.at + 2) - 1];
            if self.is_temporal(inner) {
                let inner = cursor.group()?;
                self.deeper(span)?;
                let piece = self.all_of(inner)?;
                self.depth -= 1;
                return Ok(piece);
            }
        }
        let is_end = self.end_length(&cursor.tokens[cursor.at..]).is_some();
        if let Some((declaration, name)) = self.declared(cursor).filter(|_| !is_end) {
            cursor.at += 1;
            let arguments = match cursor.is("(") {
                true => Some(cursor.group()?),
                false => None,
            };
            let (mut body, first) = self.instance(declaration, arguments, name.span)?;
            while body.last().is_some_and(|last| last.is(";")) {
                body.pop();
            }
            self.deeper(name.span)?;
            let first = self.first_values(&first)?;
            let piece = self.all_of(&body)?;
            self.depth -= 1;
            return self.beginning(first, piece);
        }
        let tokens = self.run(cursor)?;
        Ok(Piece::Sequence(Sequence::Guard(self.guard(tokens)?)))
    }
}
