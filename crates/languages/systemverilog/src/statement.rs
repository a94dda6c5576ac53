//! Procedural statements: as much of their grammar as it takes to find the assertions in them.

use crate::expression::after_group;
use crate::property::not_read;
use crate::scan::{Around, Scanner};
use entail_source::Span;

/// Statements may be nested so deep.
const DEEPEST: u32 = 300;

impl Scanner<'_> {
    /// A statement; the position after it.
    pub(crate) fn statement(&mut self, at: usize, around: &Around) -> usize {
        if around.depth > DEEPEST {
            let span = Span::new(self.start_of(at), self.end_of(at));
            self.problems
                .push(not_read("statements are nested too deeply", span));
            return self.tokens.len();
        }
        let around = &Around {
            depth: around.depth + 1,
            ..around.clone()
        };
        let conditional = || Around {
            conditional: true,
            ..around.clone()
        };
        let Some(token) = self.tokens.get(at).cloned() else {
            return at;
        };
        match token.text.as_str() {
            "(*" => {
                let close = (at..self.tokens.len()).find(|&at| self.is(at, "*") && self.is(at + 1, ")"));
                self.statement(close.map_or(self.tokens.len(), |close| close + 2), around)
            }
            "begin" | "fork" => {
                let mut inner = around.clone();
                let mut at = at + 1;
                let mut name = String::new();
                if self.is(at, ":") && self.is_name(at + 1) {
                    name.clone_from(&self.tokens[at + 1].text);
                    at += 2;
                }
                inner.blocks.push(name);
                while at < self.tokens.len() {
                    if ["end", "join", "join_any", "join_none"]
                        .iter()
                        .any(|word| self.is(at, word))
                    {
                        at += 1;
                        return at + 2 * usize::from(self.is(at, ":") && self.is_name(at + 1));
                    }
                    at = self.statement(at, &inner).max(at + 1);
                }
                at
            }
            "if" => {
                // A long chain of `else if` is not deep.
                let mut next = at;
                loop {
                    let after = after_group(&self.tokens, next + 1);
                    next = self.statement(after, &conditional());
                    match self.is(next, "else") {
                        true if self.is(next + 1, "if") => next += 1,
                        true => return self.statement(next + 1, &conditional()),
                        false => return next,
                    }
                }
            }
            "for" | "while" | "repeat" | "foreach" => {
                let after = after_group(&self.tokens, at + 1);
                self.statement(after, &conditional())
            }
            "forever" => self.statement(at + 1, &conditional()),
            "unique" | "unique0" | "priority" => self.statement(at + 1, around),
            "case" | "casex" | "casez" => self.case(at, &conditional()),
            "@" => {
                let after = match self.is(at + 1, "(") {
                    true => after_group(&self.tokens, at + 1),
                    false => at + 2,
                };
                let event: Vec<&str> = self.tokens[at + 1..after.min(self.tokens.len())]
                    .iter()
                    .map(|token| token.text.as_str())
                    .filter(|text| !matches!(*text, "(" | ")"))
                    .collect();
                let inner = Around {
                    clock: Some(event.join(" ")).filter(|event| event.contains("edge")),
                    ..around.clone()
                };
                self.statement(after, &inner)
            }
            "#" => self.statement(at + 2, around),
            _ if self.is_name(at) && self.is(at + 1, ":") && !self.is_directive(at) => {
                match self.is_directive(at + 2) {
                    true => {
                        let label = token.text.clone();
                        self.assertion(at, at + 2, Some(label), around)
                    }
                    false => self.statement(at + 2, around),
                }
            }
            _ if self.is_directive(at) && !around.pass_over => self.assertion(at, at, None, around),
            _ => self.simple(at),
        }
    }

    /// The position after the next semicolon outside brackets.
    pub(crate) fn simple(&self, at: usize) -> usize {
        let mut depth = 0;
        for place in at..self.tokens.len() {
            depth += crate::expression::depth_change(&self.tokens[place]);
            if depth <= 0 && self.is(place, ";") {
                return place + 1;
            }
            if self.is(place, "end") || self.is(place, "endmodule") {
                return place;
            }
        }
        self.tokens.len()
    }

    pub(crate) fn case(&mut self, at: usize, around: &Around) -> usize {
        let mut at = after_group(&self.tokens, at + 1);
        while at < self.tokens.len() && !self.is(at, "endcase") {
            // Labels up to a colon outside brackets.
            let mut depth = 0;
            let mut questions = 0;
            while at < self.tokens.len() && !self.is(at, "endcase") {
                let colon = depth == 0 && self.is(at, ":");
                let begins_default = depth == 0 && self.is(at, "default");
                depth += crate::expression::depth_change(&self.tokens[at]);
                questions += i32::from(depth == 0 && self.is(at, "?"));
                at += 1;
                if (colon && questions == 0) || (begins_default && !self.is(at, ":")) {
                    break;
                }
                questions -= i32::from(colon);
            }
            if !self.is(at, "endcase") {
                at = self.statement(at, around).max(at + 1);
            }
        }
        at + 1
    }
}
