//! Procedural statements: as much of their grammar as it takes to find the assertions in them.

use crate::expression::after_group;
use crate::property::not_read;
use crate::scan::{Around, Scanner};
use crate::token::{Kind, Token};
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
                let mut reached = around.clone();
                loop {
                    let after = after_group(&self.tokens, next + 1);
                    let condition = self.tokens.get(next + 2..after.saturating_sub(1));
                    let condition = condition.unwrap_or_default().to_vec();
                    let mut inside = reached.clone();
                    inside.conditions.push((condition.clone(), true));
                    reached.conditions.push((condition, false));
                    next = self.statement(after, &inside);
                    match self.is(next, "else") {
                        true if self.is(next + 1, "if") => next += 1,
                        true => return self.statement(next + 1, &reached),
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
                let clock = Some(event.join(" ")).filter(|event| event.contains("edge"));
                let inner = Around {
                    clock: clock.map(|event| self.inferred_clock(event, after)),
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

    /// The clock of a procedure whose event control ends before a position: of several edges the one whose signal the procedure does not read (IEEE 1800-2017, 16.14.6).
    fn inferred_clock(&self, event: String, after: usize) -> String {
        let edges: Vec<&str> = event.split(" or ").flat_map(|part| part.split(" , ")).collect();
        if edges.len() < 2 {
            return event;
        }
        let rest = &self.tokens[after.min(self.tokens.len())..];
        let others = [
            "always",
            "always_ff",
            "always_comb",
            "always_latch",
            "initial",
            "final",
            "endmodule",
        ];
        let end = rest
            .iter()
            .position(|token| others.iter().any(|word| token.is(word)));
        let body = &rest[..end.unwrap_or(rest.len())];
        let is_read = |edge: &&str| {
            let signal = edge.split(' ').nth(1).unwrap_or("");
            body.iter()
                .any(|token| token.kind == Kind::Name && token.text == signal)
        };
        let mut clocks = edges.into_iter().filter(|edge| !is_read(edge));
        match (clocks.next(), clocks.next()) {
            (Some(clock), None) => clock.trim().to_owned(),
            _ => event,
        }
    }

    /// Why the conditions that lead to an assertion cannot be taken into its property, if they cannot: they have the values before the tick only if the procedure has not changed them.
    pub(crate) fn conditions_change(&self, around: &Around, at: usize) -> Option<&'static str> {
        if around.conditions.is_empty() {
            return None;
        }
        if around.clock.is_none() || around.initial {
            return Some("a property under a condition in a procedure without a clock is not read");
        }
        let before = &self.tokens[..at];
        let begin = before
            .iter()
            .rposition(|token| token.span.start <= around.procedure)
            .unwrap_or(0);
        let read = |name: &Token| {
            let mut names = around.conditions.iter().flat_map(|(condition, _)| condition);
            names.any(|token| token.kind == Kind::Name && token.text == name.text)
        };
        // (What is assigned with `=` stands before it, perhaps with bits that are meant.)
        let changes = before[begin..].iter().enumerate().any(|(place, token)| {
            let mut next = begin + place + 1;
            while self.is(next, "[") || self.is(next, ".") {
                next = match self.is(next, "[") {
                    true => after_group(&self.tokens, next),
                    false => next + 2,
                };
            }
            let steps = [
                "=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=",
            ];
            let is_assigned = next < at && steps.iter().any(|sign| self.is(next, sign));
            token.kind == Kind::Name && is_assigned && read(token)
        });
        changes
            .then_some("a property under a condition whose signals the procedure assigns at once is not read")
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
