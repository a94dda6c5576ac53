//! The conditions of `#if`: C's integer expressions.

use super::preprocess::{Preprocessor, wrong};
use super::token::{Kind, Token};
use entail_source::Diagnostic;

impl Preprocessor<'_> {
    /// The value of an `#if` expression.
    pub(super) fn condition(&self, words: &[Token], hash: &Token) -> Result<bool, (u32, Diagnostic)> {
        let mut known = Vec::new();
        let mut at = 0;
        while at < words.len() {
            if words[at].is_name("defined") {
                let closed = words.get(at + 1).is_some_and(|word| word.is("("));
                let name = words.get(at + 1 + usize::from(closed));
                let defined = matches!(name.map(|word| &word.kind), Some(Kind::Name(name)) if self.macros.is_defined(name));
                known.push(Token {
                    kind: Kind::Number(i32::from(defined)),
                    ..words[at].clone()
                });
                at += if closed { 4 } else { 2 };
            } else {
                known.push(words[at].clone());
                at += 1;
            }
        }
        let expanded = self.expand(known)?;
        let mut reader = Arithmetic {
            words: &expanded,
            at: 0,
        };
        match reader.binary(0, 0) {
            Some(value) if reader.at == expanded.len() => Ok(value != 0),
            _ => Err(wrong(
                hash.origin,
                "promela::if-expression",
                "this condition cannot be evaluated",
                "here",
                "use numbers, macros, `defined(NAME)` and C's operators",
            )),
        }
    }
}

/// C's integer expressions.
struct Arithmetic<'a> {
    words: &'a [Token],
    at: usize,
}

/// Operators by strength, the weakest first.
const STRENGTH: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Arithmetic<'_> {
    fn mark(&self) -> &'static str {
        match self.words.get(self.at).map(|word| &word.kind) {
            Some(Kind::Mark(mark)) => mark,
            _ => "",
        }
    }

    fn binary(&mut self, strength: usize, depth: usize) -> Option<i64> {
        let Some(operators) = STRENGTH.get(strength) else {
            return self.operand(depth);
        };
        let mut left = self.binary(strength + 1, depth)?;
        while let Some(&operator) = operators.iter().find(|operator| **operator == self.mark()) {
            self.at += 1;
            let right = self.binary(strength + 1, depth)?;
            left = match operator {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "<<" => left.wrapping_shl(right as u32),
                ">>" => left.wrapping_shr(right as u32),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        Some(left)
    }

    fn operand(&mut self, depth: usize) -> Option<i64> {
        if depth > 100 {
            return None;
        }
        let word = self.words.get(self.at)?;
        self.at += 1;
        match &word.kind {
            Kind::Number(number) => Some(i64::from(*number)),
            // A name that is no macro is zero.
            Kind::Name(_) => Some(0),
            Kind::Mark("!") => self.operand(depth + 1).map(|value| i64::from(value == 0)),
            Kind::Mark("-") => self.operand(depth + 1).map(i64::wrapping_neg),
            Kind::Mark("~") => self.operand(depth + 1).map(|value| !value),
            Kind::Mark("(") => {
                let value = self.binary(0, depth + 1)?;
                let closed = self.mark() == ")";
                self.at += 1;
                closed.then_some(value)
            }
            _ => None,
        }
    }
}
