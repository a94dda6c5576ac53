//! Where Boolean expressions end.
//!
//! In the plain flavour the connectives of properties mean the same between expressions, so that expressions need not be told apart. In Verilog `a & b` is about
//! the bits of words, and `a && b ? c : d` is a choice: there an expression is as long as possible. Where what follows belongs to its last operand alone
//! (`a && b[*3]`, `a && next b`) it ends before the first `&&` or `||`, and where that would say something else, brackets are asked for.

use super::{Flavour, Parser, Result, token, wrong};
use crate::Guard;

/// What an expression ends before.
enum Ended {
    /// A token that no expression goes on past.
    Here,
    /// A repetition, which is one of the last operand.
    Repetition,
    /// The connective at a position, which has a property or a sequence behind it.
    Connective(usize),
}

impl<A: Clone + PartialEq> Parser<'_, '_, A> {
    fn text_at(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    /// Whether some tokens are about behaviour, so that a bracket around them is not one of an expression.
    pub(super) fn is_temporal(&self, from: usize, to: usize) -> bool {
        let mut place = from;
        while place < to {
            let text = self.text_at(place);
            if text == "{" && !self.is_sequence(place) {
                place = self.after_group(place);
                continue;
            }
            if text == "{"
                || token::is_temporal(text)
                || self.begins_branch(place)
                || matches!(
                    text,
                    "|->" | "|=>" | ";" | "[*" | "[*]" | "[+]" | "[=" | "[->" | "@" | "[:*" | "[:*]" | "[:+]"
                )
                || (self.is_formula() && matches!(text, "M" | ":" | "first_match"))
            {
                return true;
            }
            place += 1;
        }
        false
    }

    /// Whether a brace opens a sequence, not a set or a word made of others.
    pub(super) fn is_sequence(&self, brace: usize) -> bool {
        let before = brace.checked_sub(1).map_or("", |before| self.text_at(before));
        match self.flavour {
            Flavour::Plain => return !matches!(before, "in" | "union"),
            Flavour::Formula => return true,
            Flavour::Verilog => {}
        }
        let connects = matches!(
            before,
            "" | "&" | "|" | "&&" | "||" | "!" | ";" | ":" | "(" | "{" | "|->" | "|=>" | "->" | "<->"
        );
        if !connects && !token::is_temporal(before) {
            return false;
        }
        let close = self.after_group(brace);
        let mut at = brace + 1;
        while at + 1 < close {
            match self.text_at(at) {
                "," => return false,
                // `{4{a}}`
                "{" if at == brace + 2 && self.ends_operand(at - 1) => return false,
                "(" | "{" | "[" => at = self.after_group(at),
                _ => at += 1,
            }
        }
        true
    }

    /// Whether an operand may end with the token at a position.
    fn ends_operand(&self, at: usize) -> bool {
        let is_end = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ')' | ']' | '}');
        self.text_at(at).chars().next_back().is_some_and(is_end)
    }

    /// Whether a property or a sequence begins at a position.
    fn begins_temporal(&self, mut at: usize) -> bool {
        while self.text_at(at) == "!" {
            at += 1;
        }
        match self.text_at(at) {
            "{" => self.is_sequence(at),
            "(" => self.is_temporal(at + 1, self.after_group(at).saturating_sub(1)),
            text => token::is_temporal(text) || self.begins_branch(at),
        }
    }

    /// The position after the expression that begins here. In the plain flavour `stops` are the connectives that end it.
    pub(super) fn expression_end(&self, stops: &[&str]) -> Result<usize> {
        let (mut conditions, mut is_choice) = (0_u32, false);
        // The first `&&` or `||`, and whether there is an operator on bits.
        let (mut first, mut on_bits) = (None, false);
        let mut at = self.at;
        let ended = loop {
            let Some(token) = self.tokens.get(at) else {
                break Ended::Here;
            };
            match token.text {
                "(" | "[" => {
                    let close = self.after_group(at);
                    if !matches!(self.text_at(close - 1), ")" | "]") {
                        return Err(wrong("this bracket is not closed", token.span));
                    }
                    at = close;
                    continue;
                }
                "{" if at > self.at || !self.is_sequence(at) => {
                    at = self.after_group(at);
                    continue;
                }
                "?" => (conditions, is_choice) = (conditions + 1, true),
                ":" if conditions > 0 => conditions -= 1,
                "case" if self.flavour == Flavour::Plain => {
                    while !matches!(self.text_at(at), "esac" | "") {
                        at += 1;
                    }
                    if at >= self.tokens.len() {
                        break Ended::Here;
                    }
                }
                text if self.flavour != Flavour::Verilog && stops.contains(&text) => break Ended::Here,
                "M" if self.is_formula() => break Ended::Here,
                sign @ ("&" | "|" | "&&" | "||")
                    if self.flavour == Flavour::Verilog && at > self.at && self.ends_operand(at - 1) =>
                {
                    if self.begins_temporal(at + 1) {
                        break Ended::Connective(at);
                    }
                    match sign {
                        "&&" | "||" => first = first.or(Some(at)),
                        _ => on_bits = true,
                    }
                }
                "[*" | "[*]" | "[+]" | "[=" | "[->" | "[:*" | "[:*]" | "[:+]" => break Ended::Repetition,
                text if token::ends_boolean(text) => break Ended::Here,
                _ => {}
            }
            at += 1;
        };
        if self.flavour != Flavour::Verilog {
            return Ok(at);
        }
        let (end, is_clear) = match ended {
            Ended::Here => (at, true),
            Ended::Repetition => (first.unwrap_or(at), !is_choice && !on_bits),
            Ended::Connective(place) => {
                let joins_bits = matches!(self.text_at(place), "&" | "|");
                let is_clear = !is_choice && !(joins_bits && (on_bits || first.is_some()));
                (first.unwrap_or(place), is_clear)
            }
        };
        match is_clear {
            true => Ok(end),
            false => Err(wrong(
                "brackets are needed to say how this is grouped",
                self.between(self.at, at.max(self.at + 1)).1,
            )),
        }
    }

    /// A Boolean expression.
    pub(super) fn boolean(&mut self, stops: &[&str]) -> Result<Guard<A>> {
        let begin = self.at;
        self.at = self.expression_end(stops)?;
        if self.at <= begin {
            let message = match self.peek() {
                Some(token) => format!("an expression is expected before `{}`", token.text),
                None => "an expression is expected".to_owned(),
            };
            return Err(wrong(&message, self.span()));
        }
        let (text, span) = self.between(begin, self.at);
        match text {
            "TRUE" | "true" | "1" => Ok(Guard::Constant(true)),
            "FALSE" | "false" | "0" => Ok(Guard::Constant(false)),
            text => self.layer.boolean(text, span.start),
        }
    }
}
