//! Boolean expressions and clocks of PSL, handed on to the elaborator as those of SystemVerilog's properties are.
//!
//! The functions of PSL are SystemVerilog's under other names; `ended` is an end point. A clock is an edge of a signal, or an expression: then the letters on which that is
//! true are ticks. A name that is replicated (`forall`) is a wire that nothing drives, which later becomes a constant of any value.

use super::bound::PslCheck;
use super::directive::{branching, meaning};
use super::unit::{Said, is_of_systemc, systemc};
use super::{unsupported, wrong};
use crate::design::{Claim, EVERY_STEP, Timing, free_wire, replicated_wire};
use crate::expression::{after_group, span_of, split};
use crate::property::{Parser, Result};
use crate::token::{Kind, Token, tokens};
use entail_logic::psl::{self, Flavour, Layer, ReplicatedValues, Replicator};
use entail_logic::{Assertion, Formula, Guard};
use entail_source::{Diagnostic, Span};
use std::fmt::Write as _;

/// Functions that are SystemVerilog's under other names.
const FUNCTIONS: [(&str, &str); 8] = [
    ("prev", "$past"),
    ("rose", "$rose"),
    ("fell", "$fell"),
    ("stable", "$stable"),
    ("onehot", "$onehot"),
    ("onehot0", "$onehot0"),
    ("countones", "$countones"),
    ("isunknown", "$isunknown"),
];

/// Functions whose values depend on the clock.
const SAMPLED: [&str; 4] = ["prev", "rose", "fell", "stable"];

/// Functions that are recognised.
const NOT_READ: [&str; 1] = ["nondet_vector"];

/// What a check of a PSL file says.
pub(crate) fn specification(parser: &mut Parser<'_>, check: &PslCheck) -> Result<Claim> {
    let text = check.expanded.text.as_str();
    let placed = |mut problem: Diagnostic| {
        for label in &mut problem.labels {
            label.span = check.expanded.place(label.span);
        }
        problem
    };
    let (replicators, begin) = psl::replicators(text).map_err(placed)?;
    let mut range = Guard::Constant(true);
    for (number, replicator) in replicators.iter().enumerate() {
        if check.said != Said::Assert {
            let message = "`forall` is read in `assert` only";
            return Err(placed(unsupported(message, replicator.span)));
        }
        range = range.and(&declared(parser, number, replicator).map_err(placed)?);
    }
    let mut layer = ElaboratedLayer {
        parser,
        check,
        replicators: &replicators,
        base: begin,
        clocks: Vec::new(),
        problem: None,
    };
    let read = match branching(check.said, &text[begin..], &mut layer) {
        Some(formula) => formula.and_then(|formula| layer.in_steps().map(|()| Claim::Branching(formula))),
        None => meaning(check.said, &text[begin..], &mut layer).map(Claim::Linear),
    };
    let claim = match (read, layer.problem) {
        (Ok(claim), _) => claim,
        // (What the layer says is at its place in the file already.)
        (Err(_), Some(problem)) => return Err(problem),
        (Err(mut problem), None) => {
            for label in &mut problem.labels {
                let moved = Span::new(label.span.start + begin, label.span.end + begin);
                label.span = check.expanded.place(moved);
            }
            return Err(problem);
        }
    };
    Ok(match (range, claim) {
        (Guard::Constant(true), claim) => claim,
        (range, Claim::Linear(assertion)) => Claim::Linear(Assertion::guard(range.negated()).or(assertion)),
        // (The value never changes.)
        (range, Claim::Branching(formula)) => Claim::Branching(Formula::from(&range).implies(&formula)),
    })
}

/// Declares the wire of a replicated name; the condition that its value is one of those it ranges over.
fn declared(parser: &mut Parser<'_>, number: usize, replicator: &Replicator) -> Result<Guard<usize>> {
    let wire = replicated_wire(parser.check, number);
    let width = match &replicator.values {
        ReplicatedValues::Boolean => 1,
        ReplicatedValues::Words(width) => *width,
        ReplicatedValues::Numbers(_) => 32,
    };
    let _ = write!(
        parser.emitted.text,
        "(* keep *) wire [{}:0] \\{wire} ; ",
        width - 1
    );
    parser.replicated.push(replicator.name.clone());
    let ReplicatedValues::Numbers(ranges) = &replicator.values else {
        return Ok(Guard::Constant(true));
    };
    let mut texts = Vec::with_capacity(ranges.len());
    for (low, high) in ranges {
        match (u32::try_from(*low), u32::try_from(*high)) {
            (Ok(low), Ok(high)) => {
                texts.push(format!("(\\{wire} >= 32'd{low} && \\{wire} <= 32'd{high})"));
            }
            _ => {
                let message = "numbers that a name ranges over have no sign and 32 bits";
                return Err(unsupported(message, replicator.span));
            }
        }
    }
    Ok(parser.atom(&texts.join(" || ")))
}

/// The event that a text names as a clock, as SystemVerilog writes it.
pub fn clock_event(text: &str) -> Result<String> {
    event(&tokens(text))
}

/// The event that tokens name as a clock: an edge of a signal, or an expression that is true at ticks.
pub(crate) fn event(tokens: &[Token]) -> Result<String> {
    let mut inner = tokens;
    while inner.len() > 2 && inner[0].is("(") && after_group(inner, 0) == inner.len() {
        inner = &inner[1..inner.len() - 1];
    }
    match inner {
        [] => Err(wrong("a clock is expected", span_of(tokens))),
        [word, _, ..] if word.is("posedge") || word.is("negedge") => Ok(joined(inner)),
        [word, open, signal @ .., close]
            if (word.is("rose") || word.is("fell")) && open.is("(") && close.is(")") =>
        {
            let edge = if word.is("rose") { "posedge" } else { "negedge" };
            Ok(format!("{edge} {}", joined(signal)))
        }
        other if other.iter().any(|one| is_of_systemc(&one.text)) => Err(systemc(span_of(other))),
        other
            if other
                .iter()
                .any(|one| FUNCTIONS.iter().any(|(name, _)| one.is(name))) =>
        {
            Err(unsupported(
                "a clock is an edge of a signal or an expression without functions of PSL",
                span_of(other),
            ))
        }
        other => Ok(format!("{EVERY_STEP} iff {}", joined(other))),
    }
}

/// Tokens as a text.
fn joined(tokens: &[Token]) -> String {
    let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    texts.join(" ")
}

/// The number that a token is.
fn number_of(tokens: &[Token]) -> Option<u32> {
    match tokens {
        [one] => one.text.parse().ok(),
        _ => None,
    }
}

struct ElaboratedLayer<'l, 'd> {
    parser: &'l mut Parser<'d>,
    check: &'l PslCheck,
    replicators: &'l [Replicator],
    /// Where the text that is read begins in that of the check.
    base: usize,
    /// The clocks around the one in force.
    clocks: Vec<Option<String>>,
    /// What was said here, with its place in the file.
    problem: Option<Diagnostic>,
}

impl ElaboratedLayer<'_, '_> {
    /// Notes what is wrong, with its place.
    fn noted<T>(&mut self, result: Result<T>) -> Result<T> {
        if let Err(problem) = &result {
            let mut problem = problem.clone();
            for label in &mut problem.labels {
                if label.span.is_empty() {
                    label.span = self.check.span;
                }
            }
            self.problem.get_or_insert(problem);
        }
        result
    }

    /// The tokens of a part of the text, at their places in the file.
    fn tokens(&self, text: &str, at: usize) -> Vec<Token> {
        let mut found = tokens(text);
        for token in &mut found {
            let start = self.base + at + token.span.start;
            token.span = self
                .check
                .expanded
                .place(Span::new(start, start + token.span.len()));
        }
        found
    }

    fn expression(&mut self, text: &str, at: usize) -> Result<Guard<usize>> {
        let (placed, plain) = (self.tokens(text, at), tokens(text));
        let mut found = Vec::with_capacity(placed.len());
        let mut place = 0;
        while let Some(token) = placed.get(place) {
            let is_call = placed.get(place + 1).is_some_and(|next| next.is("("));
            let is_part = place > 0 && placed[place - 1].is(".");
            let name = match token.kind {
                Kind::Name if !is_part => token.text.as_str(),
                _ => "",
            };
            let mut text_of = token.text.clone();
            if name == "ended" && is_call {
                let close = after_group(&placed, place + 1);
                let inner =
                    plain[place + 1].span.end..plain[close - 1].span.start.max(plain[place + 1].span.end);
                let wire = self.end_point(&text[inner.clone()], at + inner.start, token.span)?;
                found.push(Token {
                    text: wire,
                    ..token.clone()
                });
                place = close;
                continue;
            }
            if name == "nondet" && is_call {
                let close = after_group(&placed, place + 1);
                let values = &placed[place + 2..close.max(place + 3) - 1];
                let text = self.any_of(values, token.span)?;
                found.push(Token {
                    text,
                    ..token.clone()
                });
                place = close;
                continue;
            }
            if is_call && NOT_READ.contains(&name) {
                return Err(unsupported(&format!("`{name}` is not read"), token.span));
            }
            if let Some((_, other)) = FUNCTIONS.iter().find(|(known, _)| *known == name && is_call) {
                if SAMPLED.contains(&name) && self.is_gated() {
                    let message = format!("`{name}` under a clock that is an expression is not read");
                    return Err(unsupported(&message, token.span));
                }
                text_of = (*other).to_owned();
            }
            if let Some(number) = self.replicators.iter().position(|one| one.name == name) {
                text_of = format!("\\{} ", replicated_wire(self.parser.check, number));
            }
            text_of = match name {
                "true" => "1'b1".to_owned(),
                "false" => "1'b0".to_owned(),
                _ => text_of,
            };
            found.push(Token {
                text: text_of,
                ..token.clone()
            });
            place += 1;
        }
        let found = self.with_unions(&found);
        self.parser.guard(&found)
    }

    /// `a union b`: at every step one of the two, chosen by a wire that nothing drives. It binds looser than the operators of the language around, so an operand reaches to the bracket.
    fn with_unions(&mut self, tokens: &[Token]) -> Vec<Token> {
        let mut operands = vec![Vec::new()];
        let mut place = 0;
        while let Some(token) = tokens.get(place) {
            let operand = operands.len() - 1;
            if token.is("union") {
                operands.push(Vec::new());
            } else if token.is("(") {
                let close = after_group(tokens, place);
                let inner = self.with_unions(&tokens[place + 1..close.max(place + 2) - 1]);
                operands[operand].push(token.clone());
                operands[operand].extend(inner);
                operands[operand].extend(tokens.get(close - 1).cloned());
                place = close;
                continue;
            } else {
                operands[operand].push(token.clone());
            }
            place += 1;
        }
        let mut whole = operands.remove(0);
        for operand in operands {
            let span = whole.first().or(operand.first()).map(|token| token.span);
            let sign = |kind: Kind, text: &str| Token {
                kind,
                text: text.to_owned(),
                span: span.unwrap_or(Span::new(0, 0)),
            };
            let wire = self.free_bit();
            let mut joined = vec![
                sign(Kind::Sign, "("),
                sign(Kind::Name, &wire),
                sign(Kind::Sign, "?"),
            ];
            for (part, after) in [(whole, ":"), (operand, ")")] {
                joined.push(sign(Kind::Sign, "("));
                joined.extend(part);
                joined.push(sign(Kind::Sign, ")"));
                joined.push(sign(Kind::Sign, after));
            }
            whole = joined;
        }
        whole
    }

    /// A wire of one bit that nothing drives.
    fn free_bit(&mut self) -> String {
        let wire = free_wire(self.parser.check, self.parser.free);
        self.parser.free += 1;
        let _ = write!(self.parser.emitted.text, "(* keep *) wire \\{wire} ; ");
        format!("\\{wire} ")
    }

    /// `nondet(values)`: at every step one of the values, chosen by a wire that nothing drives.
    fn any_of(&mut self, values: &[Token], span: Span) -> Result<String> {
        let inner = match values {
            [one] if one.is("boolean") => return Ok(self.free_bit()),
            [open, inner @ .., close] if open.is("{") && close.is("}") && !inner.is_empty() => inner,
            _ => {
                let message = "values in braces or `boolean` are expected";
                return Err(wrong(message, span));
            }
        };
        let wire = free_wire(self.parser.check, self.parser.free);
        self.parser.free += 1;
        let _ = write!(self.parser.emitted.text, "(* keep *) wire [31:0] \\{wire} ; ");
        // (The last one stands for all other choices.)
        let parts = split(inner, ",");
        let mut whole = String::new();
        for (place, part) in parts.iter().enumerate() {
            let value = match split(part, ":")[..] {
                [value] if !value.is_empty() => format!("({})", joined(value)),
                [low, high] => match (number_of(low), number_of(high)) {
                    (Some(low), Some(high)) if low <= high && high - low < u32::MAX => {
                        let count = high - low + 1;
                        format!("(32'd{low} + (\\{wire} / 32'd{}) % 32'd{count})", parts.len())
                    }
                    _ => return Err(wrong("a range of numbers is expected: `0:7`", span_of(part))),
                },
                _ => return Err(wrong("a value is expected", span)),
            };
            match place + 1 == parts.len() {
                true => whole.push_str(&value),
                false => {
                    let count = parts.len();
                    let _ = write!(whole, "\\{wire} % 32'd{count} == 32'd{place} ? {value} : ");
                }
            }
        }
        Ok(format!("({whole})"))
    }

    /// Refuses a formula of branching time where steps of the model are not ticks of its clock.
    fn in_steps(&self) -> Result<()> {
        let message = match () {
            () if self.parser.timing == Timing::Edges => {
                "branching time is not read in a design with several clocks"
            }
            () if self.is_gated() => "branching time is not read under a clock that is an expression",
            () => return Ok(()),
        };
        Err(unsupported(message, Span::new(0, 1)))
    }

    fn is_gated(&self) -> bool {
        let clock = self.parser.clock.as_deref();
        clock.is_some_and(|clock| clock.starts_with(EVERY_STEP))
    }

    /// The wire of the end point of a sequence.
    fn end_point(&mut self, text: &str, at: usize, span: Span) -> Result<String> {
        if self.parser.timing == Timing::Edges || self.is_gated() {
            let message = "`ended` is not read in a design with several clocks";
            return Err(unsupported(message, span));
        }
        let base = std::mem::replace(&mut self.base, 0);
        self.base = base + at;
        let read = psl::read_sequence_in(text, Flavour::Verilog, self);
        self.base = base;
        let sequence = read.map_err(|mut problem| {
            for label in &mut problem.labels {
                let start = base + at + label.span.start;
                label.span = self
                    .check
                    .expanded
                    .place(Span::new(start, start + label.span.len()));
            }
            problem
        })?;
        Ok(self.parser.end_of(sequence, false))
    }
}

impl Layer<usize> for ElaboratedLayer<'_, '_> {
    fn boolean(&mut self, text: &str, at: usize) -> Result<Guard<usize>> {
        let read = self.expression(text, at);
        self.noted(read)
    }

    fn constant(&mut self, text: &str, span: Span) -> Result<u32> {
        let tokens = self.tokens(text, span.start);
        let place = self
            .check
            .expanded
            .place(Span::new(self.base + span.start, self.base + span.end));
        let read = self.parser.bound(&tokens, place);
        let number = self.noted(read)?;
        number.ok_or_else(|| wrong("a number is expected", span))
    }

    fn enter_clock(&mut self, text: &str, span: Span) -> Result<()> {
        let tokens = self.tokens(text, span.start);
        let read = event(&tokens);
        let event = self.noted(read)?;
        self.clocks.push(self.parser.clock.clone());
        self.parser.inherits(Some(event));
        Ok(())
    }

    fn leave_clock(&mut self) {
        let around = self.clocks.pop().flatten();
        self.parser.inherits(around);
    }

    fn has_clock(&self) -> bool {
        self.parser.clock.is_some()
    }

    fn tick(&mut self) -> Result<Option<Guard<usize>>> {
        let tick = self.parser.tick();
        self.noted(tick)
    }
}
