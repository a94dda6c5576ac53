//! The grammar of sequences and properties (IEEE 1800-2017, A.2.10, with the precedences of table 16-3), by recursive descent.
//!
//! Operators of sequences and of properties share names (`and`, `or`): what a piece is, is told by its operands. A Boolean expression is the longest run of
//! tokens outside brackets that are not operators of this layer; a bracket belongs to an expression unless it contains such operators. Names of
//! sequences and properties are replaced by their bodies with the arguments put in. Every number that bounds a delay or a repetition and is not written
//! as a number becomes a wire; the property is read again when its value is known.

use crate::cursor::Cursor;
use crate::design::{Directive, Timing, atom_wire, tick_wire};
use crate::expression::{after_group, rewrite, split};
use crate::instance::expanded;
use crate::scan::{Declaration, Declarations};
use crate::token::{Kind, Token};
use entail_logic::{Assertion, Guard, Sequence};
use entail_source::{Diagnostic, Span};
use std::fmt::Write as _;
use std::sync::Arc;

pub(crate) type Result<T> = std::result::Result<T, Diagnostic>;

/// An error about something that is not read.
pub(crate) fn not_read(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error("sva::syntax", message, span, "here")
}

/// An error about something that is well formed, but not read: a check that has it stays open, the others are decided.
pub(crate) fn unsupported(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error(UNSUPPORTED, message, span, "here")
}

/// The code of errors about single checks.
pub(crate) const UNSUPPORTED: &str = "sva::unsupported";

/// What is known of the constants that bound delays and repetitions.
pub(crate) enum Bounds<'d> {
    /// Nothing yet: they become wires.
    Unknown,
    /// Their values.
    Known(&'d dyn Fn(usize) -> Option<u32>),
}

/// The declarations that stand for a check's expressions.
#[derive(Default)]
pub(crate) struct Emitted {
    pub(crate) text: String,
    check: usize,
    registers: usize,
    /// The event at which past values are taken; without one, every step of the model.
    pub(crate) clock: Option<String>,
    has_tick: bool,
    /// The first expression whose size only a complete elaborator knows.
    pub(crate) demanding: Option<Diagnostic>,
}

impl Emitted {
    /// The event at which registers change.
    fn event(&mut self) -> String {
        let edge = self.clock.as_deref().and_then(single_edge);
        edge.unwrap_or_else(|| {
            // An event of its own: it is no clock of the design, and every step has it.
            let name = tick_wire(self.check);
            if !std::mem::replace(&mut self.has_tick, true) {
                let _ = write!(self.text, "wire \\{name} ; ");
            }
            format!("posedge \\{name} ")
        })
    }

    /// The value of an expression some ticks ago.
    pub(crate) fn past(&mut self, expression: &str, count: u32) -> String {
        let event = if count > 0 { self.event() } else { String::new() };
        let mut value = expression.to_owned();
        for _ in 0..count {
            let name = format!("\\entail$p{}$r{} ", self.check, self.registers);
            self.registers += 1;
            let _ = write!(
                self.text,
                "reg [$bits({{{expression}}})-1:0] {name}; initial {name} = 0; always @({event}) {name} <= {value}; "
            );
            value = name;
        }
        match count {
            0 => value,
            // The register is a word without a sign; with the expression as the other choice the whole has a sign where the expression has one.
            _ => format!("(1'b1 ? $signed({value}) : {expression})"),
        }
    }
}

/// The first edge of an event, if it is one of a signal.
fn single_edge(event: &str) -> Option<String> {
    let first = event.split(" or ").next()?.split(',').next()?.trim();
    let is_edge = first.starts_with("posedge ") || first.starts_with("negedge ");
    is_edge.then(|| format!("{first} "))
}

/// A sequence or a property.
pub(crate) enum Piece {
    /// A sequence over the ticks of the clock in force.
    Sequence(Sequence<usize>),
    /// A sequence over letters.
    Clocked(Sequence<usize>),
    Assertion(Assertion<usize>),
}

/// Operators of this layer: an expression ends before them.
const OPERATORS: [&str; 52] = [
    "##",
    "|->",
    "|=>",
    "#-#",
    "#=#",
    "[*",
    "[*]",
    "[+]",
    "[->",
    "[=",
    "@",
    "and",
    "or",
    "not",
    "intersect",
    "throughout",
    "within",
    "first_match",
    "strong",
    "weak",
    "nexttime",
    "s_nexttime",
    "always",
    "s_always",
    "eventually",
    "s_eventually",
    "until",
    "s_until",
    "until_with",
    "s_until_with",
    "implies",
    "iff",
    "if",
    "else",
    "case",
    "endcase",
    "accept_on",
    "reject_on",
    "sync_accept_on",
    "sync_reject_on",
    "disable",
    "property",
    "endproperty",
    "endsequence",
    "sequence",
    "assert",
    "assume",
    "cover",
    "restrict",
    "default",
    "dist",
    "triggered",
];

/// Properties may be nested so deep.
const DEEPEST: u32 = 200;

/// Ranges of `nexttime`, `always` and `eventually` are written out up to this number.
const LONGEST_RANGE: u32 = 1_000;

/// Reads one property.
pub(crate) struct Parser<'d> {
    pub(crate) declarations: &'d Declarations,
    pub(crate) module: &'d str,
    pub(crate) check: usize,
    pub(crate) bounds: Bounds<'d>,
    directive: Directive,
    pub(crate) emitted: Emitted,
    pub(crate) atoms: usize,
    pub(crate) bound_count: usize,
    /// The clock in force.
    pub(crate) clock: Option<String>,
    /// All clocks that conditions have, in the order in which they are met.
    pub(crate) clocks: Vec<String>,
    pub(crate) timing: Timing,
    /// The number of the atom of the first clock.
    pub(crate) first_clock: usize,
    pub(crate) depth: u32,
}

impl<'d> Parser<'d> {
    pub(crate) fn new(
        declarations: &'d Declarations,
        module: &'d str,
        check: usize,
        bounds: Bounds<'d>,
        directive: Directive,
    ) -> Parser<'d> {
        Parser {
            declarations,
            module,
            check,
            bounds,
            directive,
            emitted: Emitted {
                check,
                ..Emitted::default()
            },
            atoms: 0,
            bound_count: 0,
            clock: None,
            clocks: Vec::new(),
            timing: Timing::Ticks,
            first_clock: 0,
            depth: 0,
        }
    }

    /// A property specification: a clock, a reset, a property.
    pub(crate) fn specification(
        &mut self,
        tokens: &[Token],
        disable: Option<&[Token]>,
        always: bool,
    ) -> Result<Assertion<usize>> {
        let mut cursor = Cursor::new(tokens);
        let (assertion, clock) = self.whole(&mut cursor, disable)?;
        self.clock = clock;
        match (always, self.directive) {
            (false, _) => Ok(assertion),
            (true, Directive::Cover) => self.some_time(assertion),
            (true, _) => self.every_time(assertion),
        }
    }

    /// All of the tokens, with the reset they begin with or the default one; and the clock they begin with.
    fn whole(
        &mut self,
        cursor: &mut Cursor<'_>,
        disable: Option<&[Token]>,
    ) -> Result<(Assertion<usize>, Option<String>)> {
        self.clocking(cursor)?;
        let reset = match cursor.take("disable") {
            true => {
                cursor.expect("iff")?;
                let tokens = cursor.group()?;
                Some(self.guard(tokens)?)
            }
            false => disable.map(|tokens| self.guard(tokens)).transpose()?,
        };
        self.clocking(cursor)?;
        // A named property may have the reset: `assert property (p)`.
        let body = match reset {
            None => self.named_with_reset(cursor)?,
            Some(_) => None,
        };
        let (body, clock) = match body {
            Some(body) => body,
            None => {
                let piece = self.property(cursor)?;
                // The first clock there is, is that of the attempts.
                let clock = self.clocks.first().cloned().or_else(|| self.clock.clone());
                (self.assertion(piece)?, clock)
            }
        };
        cursor.take(";");
        if cursor.peek().is_some() {
            return Err(not_read("the property ends before this", cursor.span()));
        }
        let body = match reset {
            None => body,
            Some(condition) => Assertion::Abort {
                condition,
                // What is cut short is not covered.
                accept: self.directive != Directive::Cover,
                body: Arc::new(body),
            },
        };
        Ok((body, clock))
    }

    /// The instance of a named property that is all there is, read as a whole: its reset is the check's.
    fn named_with_reset(
        &mut self,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<(Assertion<usize>, Option<String>)>> {
        let begin = cursor.at;
        let mut inner = &cursor.tokens[begin..];
        while inner.first().is_some_and(|one| one.is("("))
            && after_group(inner, 0) == inner.len()
            && inner.len() > 2
        {
            inner = &inner[1..inner.len() - 1];
        }
        let mut alone = Cursor::new(inner);
        let Some((declaration, name)) = self.declared(&alone) else {
            return Ok(None);
        };
        alone.at += 1;
        let arguments = match alone.is("(") {
            true => Some(alone.group()?),
            false => None,
        };
        if alone.peek().is_some() || !declaration.is_property {
            return Ok(None);
        }
        let body = expanded(declaration, arguments, name.span)?;
        self.deeper(name.span)?;
        let assertion = self.whole(&mut Cursor::new(&body), None)?;
        self.depth -= 1;
        cursor.at = cursor.tokens.len();
        Ok(Some(assertion))
    }

    pub(crate) fn deeper(&mut self, span: Span) -> Result<()> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(not_read("this is nested too deeply, or refers to itself", span)),
            false => Ok(()),
        }
    }

    pub(crate) fn assertion(&mut self, piece: Piece) -> Result<Assertion<usize>> {
        Ok(match piece {
            Piece::Assertion(assertion) => assertion,
            Piece::Sequence(sequence) => Assertion::Sequence {
                sequence: Arc::new(self.clocked(sequence)?),
                strong: self.directive == Directive::Cover,
            },
            Piece::Clocked(sequence) => Assertion::Sequence {
                sequence: Arc::new(sequence),
                strong: self.directive == Directive::Cover,
            },
        })
    }

    /// A sequence whose clock is not dealt with yet.
    pub(crate) fn sequence(&self, piece: Piece, span: Span) -> Result<Sequence<usize>> {
        match piece {
            Piece::Sequence(sequence) => Ok(sequence),
            Piece::Clocked(_) => Err(unsupported("a sequence with two clocks is not read here", span)),
            Piece::Assertion(_) => Err(not_read("a sequence is expected; this is a property", span)),
        }
    }

    /// A sequence over letters.
    pub(crate) fn ready(&mut self, piece: Piece, span: Span) -> Result<Sequence<usize>> {
        match piece {
            Piece::Sequence(sequence) => self.clocked(sequence),
            Piece::Clocked(sequence) => Ok(sequence),
            Piece::Assertion(_) => Err(not_read("a sequence is expected; this is a property", span)),
        }
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
        let left = self.iff(cursor)?;
        let names = ["until", "s_until", "until_with", "s_until_with", "implies"];
        let Some(name) = names.into_iter().find(|name| cursor.take(name)) else {
            return Ok(left);
        };
        self.deeper(cursor.span())?;
        let left = self.assertion(left)?;
        let right = self.until(cursor)?;
        self.depth -= 1;
        let right = self.assertion(right)?;
        Ok(Piece::Assertion(match name {
            "implies" => left.negated().or(right),
            "until" | "s_until" => self.until_tick(left, right, name == "s_until")?,
            _ => self.until_tick(left.clone(), left.and(right), name == "s_until_with")?,
        }))
    }

    fn iff(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        let left = self.or(cursor)?;
        if !cursor.take("iff") {
            return Ok(left);
        }
        self.deeper(cursor.span())?;
        let left = self.assertion(left)?;
        let right = self.iff(cursor)?;
        self.depth -= 1;
        let right = self.assertion(right)?;
        let forth = left.clone().negated().or(right.clone());
        let back = right.negated().or(left);
        Ok(Piece::Assertion(forth.and(back)))
    }

    fn or(&mut self, cursor: &mut Cursor<'_>) -> Result<Piece> {
        let mut left = self.and(cursor)?;
        while cursor.take("or") {
            let right = self.and(cursor)?;
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
        let mut left = self.unary(cursor)?;
        while cursor.take("and") {
            let right = self.unary(cursor)?;
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
                let yes = self.property(cursor)?;
                let yes = condition.clone().negated().or(self.assertion(yes)?);
                match cursor.take("else") {
                    false => yes,
                    true => {
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

    /// The property or sequence that some tokens are.
    pub(crate) fn all_of(&mut self, tokens: &[Token]) -> Result<Piece> {
        let mut cursor = Cursor::new(tokens);
        // A clock does not flow out of brackets; what has another clock than they have is rewritten here.
        let around = self.clock.clone();
        let mut piece = self.property(&mut cursor)?;
        if self.clock != around {
            if let Piece::Sequence(sequence) = piece {
                piece = Piece::Clocked(self.clocked(sequence)?);
            }
            self.inherits(around);
        }
        if cursor.is(",") {
            let message = "local variables and match items are not read";
            return Err(unsupported(message, cursor.span()));
        }
        match cursor.peek() {
            None => Ok(piece),
            Some(_) => Err(not_read("an operator is expected", cursor.span())),
        }
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

    pub(crate) fn declared(&self, cursor: &Cursor<'_>) -> Option<(&'d Declaration, Token)> {
        let token = cursor.peek().filter(|token| token.kind == Kind::Name)?;
        let found = self.declarations.find(self.module, &token.text)?;
        Some((found, token.clone()))
    }

    /// Whether tokens contain operators of this layer, so that a bracket around them is not one of an expression.
    pub(crate) fn is_temporal(&self, tokens: &[Token]) -> bool {
        tokens.iter().enumerate().any(|(place, token)| {
            token.kind != Kind::Text
                && (OPERATORS.contains(&token.text.as_str())
                    // A match item: an assignment after a comma.
                    || (token.is("=") && place > 0)
                    || (token.kind == Kind::Name && self.declarations.find(self.module, &token.text).is_some()))
        })
    }

    /// The tokens of an expression.
    pub(crate) fn run<'t>(&self, cursor: &mut Cursor<'t>) -> Result<&'t [Token]> {
        let begin = cursor.at;
        let mut questions = 0;
        while let Some(token) = cursor.peek() {
            let text = token.text.as_str();
            let is_sign = token.kind == Kind::Sign;
            match text {
                "(" | "[" | "{" | "'{" if is_sign => {
                    cursor.at = after_group(cursor.tokens, cursor.at);
                    continue;
                }
                ")" | "]" | "}" | "," | ";" if is_sign => break,
                "?" if is_sign => questions += 1,
                ":" if is_sign && questions == 0 => break,
                ":" if is_sign => questions -= 1,
                _ if token.kind != Kind::Text && OPERATORS.contains(&text) => break,
                _ => {}
            }
            cursor.at += 1;
        }
        match &cursor.tokens[begin..cursor.at] {
            [] => {
                let message = match cursor.peek() {
                    Some(token) => format!("an expression is expected before `{}`", token.text),
                    None => "an expression is expected".to_owned(),
                };
                Err(not_read(&message, cursor.span()))
            }
            tokens => Ok(tokens),
        }
    }

    /// A Boolean expression as a condition.
    pub(crate) fn guard(&mut self, tokens: &[Token]) -> Result<Guard<usize>> {
        self.meet_clock();
        match tokens {
            [] => return Err(not_read("an expression is expected", Span::new(0, 0))),
            [one] if matches!(one.text.as_str(), "1" | "1'b1") => return Ok(Guard::Constant(true)),
            [one] if matches!(one.text.as_str(), "0" | "1'b0") => return Ok(Guard::Constant(false)),
            _ => {}
        }
        let text = rewrite(tokens, &mut self.emitted, 0)?;
        Ok(self.atom(&text))
    }

    pub(crate) fn atom(&mut self, text: &str) -> Guard<usize> {
        let number = self.atoms;
        self.atoms += 1;
        let wire = atom_wire(self.check, number);
        let _ = write!(self.emitted.text, "(* keep *) wire \\{wire} = |({text}); ");
        Guard::Atom(number)
    }
}
