//! Procedural statements: as much of their grammar as it takes to find the assertions in them.

use crate::expression::{after_group, split};
use crate::property::not_read;
use crate::scan::{Around, Scanner};
use crate::token::{Kind, Token};
use entail_source::{Diagnostic, Span};

/// Statements may be nested so deep.
const DEEPEST: u32 = 300;

/// System tasks that switch assertions on and off while a simulator runs.
const CONTROL: [&str; 10] = [
    "$asserton",
    "$assertoff",
    "$assertkill",
    "$assertcontrol",
    "$assertpasson",
    "$assertpassoff",
    "$assertfailon",
    "$assertfailoff",
    "$assertnonvacuouson",
    "$assertvacuousoff",
];

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
            "case" => match self.has_patterns(at) {
                true => self.case(at, &conditional()),
                false => self.plain_case(at, around),
            },
            "casex" | "casez" => self.case(at, &conditional()),
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
                match self.is_directive(at + 2) && !around.pass_over {
                    true => {
                        let label = token.text.clone();
                        self.assertion(at, at + 2, Some(label), around)
                    }
                    false => self.statement(at + 2, around),
                }
            }
            _ if self.is_directive(at) && !around.pass_over => self.assertion(at, at, None, around),
            _ if self.is_directive(at) => match self.parts(at) {
                Ok(parts) => parts.next.max(at + 1),
                Err(_) => self.simple(at),
            },
            name if CONTROL.contains(&name) => self.control(at, around),
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

    /// A task that switches assertions on or off: it is taken out, and said to be without effect.
    fn control(&mut self, at: usize, around: &Around) -> usize {
        let next = self.simple(at);
        if !around.pass_over {
            let span = self.tokens[at].span;
            let message = format!(
                "`{}` has no effect: assertions are always on",
                self.tokens[at].text
            );
            self.warnings
                .push(Diagnostic::warning("sva::control", message, span, "here"));
            let (start, end) = (self.start_of(at), self.end_of(next.max(at + 1) - 1));
            self.replace(start, end, ";");
        }
        next
    }

    /// Whether the items of a `case` are patterns or ranges.
    fn has_patterns(&self, at: usize) -> bool {
        let after = after_group(&self.tokens, at + 1);
        self.is(after, "inside") || self.is(after, "matches")
    }

    /// A `case` whose items are values: each statement is reached where its values are met and those before it are not.
    fn plain_case(&mut self, at: usize, around: &Around) -> usize {
        let begin = after_group(&self.tokens, at + 1);
        let selector = self.tokens.get(at + 1..begin).unwrap_or_default().to_vec();
        let pass_over = Around {
            pass_over: true,
            ..around.clone()
        };
        let mut items: Vec<(Vec<Token>, usize)> = Vec::new();
        let mut place = begin;
        while place < self.tokens.len() && !self.is(place, "endcase") {
            let colon = self.colon_of_item(place);
            let labels = self.tokens[place..colon.min(self.tokens.len())].to_vec();
            let statement = colon + usize::from(self.is(colon, ":"));
            items.push((labels, statement));
            place = self.statement(statement, &pass_over).max(statement + 1);
        }
        if around.pass_over {
            return place + 1;
        }
        let conditions: Vec<Option<Vec<Token>>> = items
            .iter()
            .map(|(labels, _)| {
                let is_default = labels.first().is_some_and(|first| first.is("default"));
                (!is_default).then(|| met(&selector, labels))
            })
            .collect();
        for (number, (_, statement)) in items.iter().enumerate() {
            let mut inside = around.clone();
            // (`default` is where no other item is met, wherever it stands.)
            let others = match conditions[number] {
                Some(_) => &conditions[..number],
                None => &conditions[..],
            };
            let others = others.iter().flatten();
            inside
                .conditions
                .extend(others.map(|condition| (condition.clone(), false)));
            inside
                .conditions
                .extend(conditions[number].clone().map(|condition| (condition, true)));
            self.statement(*statement, &inside);
        }
        place + 1
    }

    /// The position of the colon behind the values of an item of a `case`, or of the statement if there is none.
    fn colon_of_item(&self, at: usize) -> usize {
        if self.is(at, "default") {
            return at + 1;
        }
        let (mut depth, mut questions) = (0, 0);
        for place in at..self.tokens.len() {
            if depth == 0 && self.is(place, ":") {
                match questions {
                    0 => return place,
                    _ => questions -= 1,
                }
            }
            if self.is(place, "endcase") || self.is(place, ";") {
                return place;
            }
            depth += crate::expression::depth_change(&self.tokens[place]);
            questions += i32::from(depth == 0 && self.is(place, "?"));
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

/// That a value in brackets is one of some others.
fn met(selector: &[Token], labels: &[Token]) -> Vec<Token> {
    let span = labels.first().map_or(Span::new(0, 0), |first| first.span);
    let sign = |text: &str| Token {
        kind: Kind::Sign,
        text: text.to_owned(),
        span,
    };
    let mut found = vec![sign("(")];
    for (number, label) in split(labels, ",").into_iter().enumerate() {
        if number > 0 {
            found.push(sign("||"));
        }
        found.extend([sign("("), sign("(")]);
        found.extend_from_slice(selector);
        found.extend([sign(")"), sign("=="), sign("(")]);
        found.extend_from_slice(label);
        found.extend([sign(")"), sign(")")]);
    }
    found.push(sign(")"));
    found
}
