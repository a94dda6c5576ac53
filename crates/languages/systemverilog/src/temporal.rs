//! The operators of properties, from those that bind least to those that bind most (IEEE 1800-2017, table 16-3).

use crate::cursor::Cursor;
use crate::expression::{rewrite, split};
use crate::locals::{Assigned, Join};
use crate::property::{Parser, Piece, Result, not_read, unsupported};
use crate::token::Kind;
use entail_logic::{Assertion, Guard, Sequence};
use entail_source::Span;
use std::sync::Arc;

/// Ranges of `nexttime`, `always` and `eventually` are written out up to this number.
const LONGEST_RANGE: u32 = 1_000;

impl Parser<'_> {
    /// Begins a branch where another one began; what was assigned at the end of that.
    pub(crate) fn branch(&mut self, before: &Assigned) -> Assigned {
        let first = self.emitted.locals.assigned();
        self.emitted.locals.back_to(before);
        first
    }

    /// A property of any precedence.
    pub(crate) fn property(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        self.deeper(cursor.span())?;
        let begin = cursor.span();
        let left = self.until(cursor)?;
        let sign = ["|->", "|=>", "#-#", "#=#"]
            .into_iter()
            .find(|sign| cursor.take(sign));
        let piece = match sign {
            None => left,
            Some(sign) => {
                let antecedent = self.ready(left, begin)?;
                let overlapping = matches!(sign, "|->" | "#-#");
                let right = self.property(cursor)?;
                let consequent = self.assertion(right)?;
                Piece::Assertion(match sign {
                    "|->" | "|=>" => consequent.implied_by(antecedent, overlapping),
                    _ => consequent.negated().implied_by(antecedent, overlapping).negated(),
                })
            }
        };
        self.depth -= 1;
        Ok(piece)
    }

    fn until(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        let before = self.emitted.locals.assigned();
        let left = self.iff(cursor)?;
        let names = ["until", "s_until", "until_with", "s_until_with", "implies"];
        let Some(name) = names.into_iter().find(|name| cursor.take(name)) else {
            return Ok(left);
        };
        let span = cursor.span();
        self.deeper(span)?;
        let left = self.assertion(left)?;
        let first = self.branch(&before);
        let right = self.until(cursor)?;
        self.emitted.locals.join(&before, &first, Join::Either, span)?;
        self.depth -= 1;
        let right = self.assertion(right)?;
        Ok(Piece::Assertion(match name {
            "implies" => left.negated().or(right),
            "until" | "s_until" => self.until_tick(left, right, name == "s_until")?,
            _ => self.until_tick(left.clone(), left.and(right), name == "s_until_with")?,
        }))
    }

    fn iff(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        let before = self.emitted.locals.assigned();
        let left = self.or(cursor)?;
        if !cursor.take("iff") {
            return Ok(left);
        }
        let span = cursor.span();
        self.deeper(span)?;
        let left = self.assertion(left)?;
        let first = self.branch(&before);
        let right = self.iff(cursor)?;
        self.emitted.locals.join(&before, &first, Join::Either, span)?;
        self.depth -= 1;
        let right = self.assertion(right)?;
        let forth = left.clone().negated().or(right.clone());
        let back = right.negated().or(left);
        Ok(Piece::Assertion(forth.and(back)))
    }

    fn or(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        let before = self.emitted.locals.assigned();
        let mut left = self.and(cursor)?;
        while cursor.take("or") {
            let span = cursor.span();
            let first = self.branch(&before);
            let right = self.and(cursor)?;
            self.emitted.locals.join(&before, &first, Join::Either, span)?;
            left = match (left, right) {
                (Piece::Sequence(left), Piece::Sequence(right)) => {
                    Piece::Sequence(Sequence::Union(Arc::new(left), Arc::new(right)))
                }
                (left, right) => {
                    let left = self.assertion(left)?;
                    Piece::Assertion(left.or(self.assertion(right)?))
                }
            };
        }
        Ok(left)
    }

    fn and(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        let before = self.emitted.locals.assigned();
        let mut left = self.unary(cursor)?;
        while cursor.take("and") {
            let span = cursor.span();
            let first = self.branch(&before);
            let right = self.unary(cursor)?;
            // (Properties give nothing on.)
            let is_sequence = matches!((&left, &right), (Piece::Sequence(_), Piece::Sequence(_)));
            let join = if is_sequence { Join::Both } else { Join::Either };
            self.emitted.locals.join(&before, &first, join, span)?;
            left = match (left, right) {
                (Piece::Sequence(left), Piece::Sequence(right)) => {
                    Piece::Sequence(Sequence::Both(Arc::new(left), Arc::new(right)))
                }
                (left, right) => {
                    let left = self.assertion(left)?;
                    Piece::Assertion(left.and(self.assertion(right)?))
                }
            };
        }
        Ok(left)
    }

    fn unary(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        self.deeper(cursor.span())?;
        let piece = self.unary_inner(cursor)?;
        self.depth -= 1;
        Ok(piece)
    }

    fn unary_inner(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        self.clocking(cursor)?;
        let span = cursor.span();
        let Some(token) = cursor.peek().filter(|token| token.kind == Kind::Name) else {
            return self.intersect(cursor);
        };
        let known = token.text.as_str();
        Ok(Piece::Assertion(match known {
            "not" => {
                cursor.at += 1;
                let operand = self.unary(cursor)?;
                self.assertion(operand)?.negated()
            }
            "nexttime" | "s_nexttime" => {
                cursor.at += 1;
                let count = match cursor.take("[") {
                    true => {
                        let (count, _) = self.range(cursor)?;
                        count
                    }
                    false => 1,
                };
                let operand = self.unary(cursor)?;
                let operand = self.assertion(operand)?;
                let count = self.short(count, span)?;
                self.later(operand, count, known == "s_nexttime")?
            }
            "always" | "s_always" | "eventually" | "s_eventually" => {
                cursor.at += 1;
                let range = match cursor.take("[") {
                    true => Some(self.range(cursor)?),
                    false => None,
                };
                let operand = self.property(cursor)?;
                let operand = self.assertion(operand)?;
                self.ranged(known, range, operand, span)?
            }
            "if" => {
                cursor.at += 1;
                let condition = cursor.group()?;
                let condition = self.guard(condition)?;
                let condition = self.condition(condition)?;
                let before = self.emitted.locals.assigned();
                let yes = self.property(cursor)?;
                let yes = condition.clone().negated().or(self.assertion(yes)?);
                match cursor.take("else") {
                    false => yes,
                    true => {
                        self.emitted.locals.back_to(&before);
                        let no = self.property(cursor)?;
                        yes.and(condition.or(self.assertion(no)?))
                    }
                }
            }
            "case" => self.case(cursor)?,
            "accept_on" | "reject_on" | "sync_accept_on" | "sync_reject_on" => {
                cursor.at += 1;
                let condition = cursor.group()?;
                let mut condition = self.guard(condition)?;
                if known.starts_with("sync")
                    && let Some(tick) = self.tick()?
                {
                    condition = condition.and(&tick);
                }
                let body = self.property(cursor)?;
                Assertion::Abort {
                    condition,
                    accept: known.contains("accept"),
                    body: Arc::new(self.assertion(body)?),
                }
            }
            "strong" | "weak" => {
                cursor.at += 1;
                let tokens = cursor.group()?;
                let piece = self.all_of(tokens)?;
                Assertion::Sequence {
                    sequence: Arc::new(self.ready(piece, span)?),
                    strong: known == "strong",
                }
            }
            _ => return self.intersect(cursor),
        }))
    }

    fn short(&self, count: u32, span: Span) -> Result<u32> {
        match count <= LONGEST_RANGE {
            true => Ok(count),
            false => Err(unsupported("this range is too long to be written out", span)),
        }
    }

    /// `always` and `eventually`, with a range or without.
    fn ranged(
        &mut self,
        name: &str,
        range: Option<(u32, Option<u32>)>,
        operand: Assertion<usize>,
        span: Span,
    ) -> Result<Assertion<usize>> {
        let is_always = name.ends_with("always");
        let Some((least, most)) = range else {
            return match name {
                "always" => self.every_time(operand),
                "s_eventually" => self.some_time(operand),
                _ => Err(not_read(&format!("`{name}` needs a range"), span)),
            };
        };
        let least = self.short(least, span)?;
        let Some(most) = most else {
            return match name {
                "always" => {
                    let always = self.every_time(operand)?;
                    self.later(always, least, false)
                }
                "s_eventually" => {
                    let eventually = self.some_time(operand)?;
                    self.later(eventually, least, true)
                }
                _ => Err(not_read(&format!("the range of `{name}` has an end"), span)),
            };
        };
        let count = self.short(most, span)? - least;
        let mut whole = operand.clone();
        for _ in 0..count {
            let later = self.later(whole, 1, name.starts_with("s_"))?;
            whole = match is_always {
                true => operand.clone().and(later),
                false => operand.clone().or(later),
            };
        }
        self.later(whole, least, name.starts_with("s_"))
    }

    /// `case (e) v: p; … default: q; endcase`: the first item that fits.
    fn case(&mut self, cursor: &mut Cursor<'_>) -> Result<Assertion<usize>> {
        cursor.at += 1;
        let selector = cursor.group()?.to_vec();
        let mut items = Vec::new();
        let mut otherwise = Assertion::guard(Guard::Constant(true));
        let before = self.emitted.locals.assigned();
        while !cursor.take("endcase") {
            if cursor.peek().is_none() {
                return Err(not_read("`endcase` is expected", cursor.span()));
            }
            let condition = match cursor.take("default") {
                true => {
                    cursor.take(":");
                    None
                }
                false => {
                    let begin = cursor.at;
                    let rest = &cursor.tokens[begin..];
                    let labels = split(rest, ":")[0];
                    cursor.at += labels.len();
                    cursor.expect(":")?;
                    let mut condition = Guard::Constant(false);
                    for label in split(labels, ",") {
                        let value = rewrite(label, &mut self.emitted, 0)?;
                        let selector = rewrite(&selector, &mut self.emitted, 0)?;
                        condition = condition.or(&self.atom(&format!("({selector}) == ({value})")));
                    }
                    Some(condition)
                }
            };
            self.emitted.locals.back_to(&before);
            let body = self.property(cursor)?;
            let body = self.assertion(body)?;
            cursor.take(";");
            match condition {
                Some(condition) => items.push((condition, body)),
                None => otherwise = body,
            }
        }
        let mut whole = otherwise;
        for (condition, body) in items.into_iter().rev() {
            let condition = self.condition(condition)?;
            whole = condition.clone().negated().or(body).and(condition.or(whole));
        }
        Ok(whole)
    }
}
