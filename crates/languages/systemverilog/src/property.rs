//! The grammar of sequences and properties (IEEE 1800-2017, A.2.10, with the precedences of table 16-3), by recursive descent.
//!
//! Operators of sequences and of properties share names (`and`, `or`): what a piece is, is told by its operands. A Boolean expression is the longest run of
//! tokens outside brackets that are not operators of this layer; a bracket belongs to an expression unless it contains such operators. Names of
//! sequences and properties are replaced by their bodies with the arguments put in. Every number that bounds a delay or a repetition and is not written
//! as a number becomes a wire; the property is read again when its value is known.

use crate::cursor::Cursor;
use crate::design::{Directive, EndPoint, Timing, atom_wire};
use crate::emitted::Emitted;
use crate::expression::{after_group, rewrite, span_of, split};
use crate::locals::FirstValue;
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

/// A sequence or a property.
pub(crate) enum Piece {
    /// A sequence over the ticks of the clock in force.
    Sequence(Sequence<usize>),
    /// A sequence over letters.
    Clocked(Sequence<usize>),
    Assertion(Assertion<usize>),
}

/// Operators of this layer: an expression ends before them.
const OPERATORS: [&str; 50] = [
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
];

/// Properties may be nested so deep.
const DEEPEST: u32 = 200;

/// Reads one property.
pub(crate) struct Parser<'d> {
    pub(crate) declarations: &'d Declarations,
    pub(crate) module: &'d str,
    pub(crate) check: usize,
    pub(crate) bounds: Bounds<'d>,
    directive: Directive,
    pub(crate) emitted: Emitted,
    /// The end points of sequences that are read as conditions.
    pub(crate) ends: Vec<EndPoint>,
    pub(crate) atoms: usize,
    /// Names that the property is meant for each value of.
    pub(crate) replicated: Vec<String>,
    pub(crate) bound_count: usize,
    /// Number of values that are chosen at every step.
    pub(crate) free: usize,
    /// The conditions under which a procedure gets to the property: expressions that are true, or false.
    pub(crate) conditions: Vec<(Vec<Token>, bool)>,
    /// The default reset.
    pub(crate) default_disable: Option<&'d [Token]>,
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
            emitted: Emitted::new(check),
            ends: Vec::new(),
            atoms: 0,
            replicated: Vec::new(),
            bound_count: 0,
            free: 0,
            conditions: Vec::new(),
            default_disable: None,
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
        disable: Option<&'d [Token]>,
        always: bool,
    ) -> Result<Assertion<usize>> {
        self.default_disable = disable;
        let mut cursor = Cursor::new(tokens);
        let around = self.clock.clone();
        let (assertion, clock) = self.whole(&mut cursor, disable, &[])?;
        self.clock = clock;
        let assertion = match self.conditions.is_empty() {
            true => assertion,
            false if self.clock == around => self.where_reached(assertion)?,
            false => {
                let message = "a property under a condition in a procedure with another clock is not read";
                return Err(unsupported(message, span_of(tokens)));
            }
        };
        match (always, self.directive) {
            (false, _) => Ok(assertion),
            (true, Directive::Cover) => self.some_time(assertion),
            (true, _) => self.every_time(assertion),
        }
    }

    /// The property where the procedure gets to it: attempts begin there only (IEEE 1800-2017, 16.14.6.1).
    fn where_reached(&mut self, assertion: Assertion<usize>) -> Result<Assertion<usize>> {
        let mut reached = Guard::Constant(true);
        for (tokens, truth) in std::mem::take(&mut self.conditions) {
            let condition = self.guard(&tokens)?;
            reached = reached.and(&if truth { condition } else { condition.negated() });
        }
        if reached == Guard::Constant(true) {
            return Ok(assertion);
        }
        let here = self.clocked(Sequence::Guard(reached))?;
        Ok(match self.directive {
            Directive::Cover => assertion.negated().implied_by(here, true).negated(),
            _ => assertion.implied_by(here, true),
        })
    }

    /// All of the tokens, with the reset they begin with or the default one; and the clock they begin with.
    fn whole(
        &mut self,
        cursor: &mut Cursor<'_>,
        disable: Option<&[Token]>,
        first: &[FirstValue],
    ) -> Result<(Assertion<usize>, Option<String>)> {
        self.clocking(cursor)?;
        let explicit = match cursor.take("disable") {
            true => {
                cursor.expect("iff")?;
                // (Without a default there is no reset.)
                Some(match cursor.group()? {
                    [one] if one.is("$inferred_disable") => self
                        .default_disable
                        .map(|tokens| self.guard(tokens))
                        .transpose()?,
                    tokens => Some(self.guard(tokens)?),
                })
            }
            false => None,
        };
        self.clocking(cursor)?;
        let first = self.first_values(first)?;
        // A named property may have the reset: `assert property (p)`; it goes before the default one.
        let body = match explicit {
            None => self.named_with_reset(cursor, disable)?,
            Some(_) => None,
        };
        let reset = match (explicit, &body) {
            (Some(explicit), _) => explicit,
            (None, Some(_)) => None,
            (None, None) => disable.map(|tokens| self.guard(tokens)).transpose()?,
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
        let body = self.beginning_of(first, body)?;
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
        disable: Option<&[Token]>,
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
        let (body, first) = self.instance(declaration, arguments, name.span)?;
        self.deeper(name.span)?;
        let assertion = self.whole(&mut Cursor::new(&body), disable, &first)?;
        self.depth -= 1;
        cursor.at = cursor.tokens.len();
        Ok(Some(assertion))
    }

    pub(crate) fn deeper(&mut self, span: Span) -> Result<()> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(unsupported(
                "this is nested too deeply, or refers to itself",
                span,
            )),
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

    /// The property or sequence that some tokens are.
    pub(crate) fn all_of(&mut self, tokens: &[Token]) -> Result<Piece> {
        let mut cursor = Cursor::new(tokens);
        // A clock does not flow out of brackets; what has another clock than they have is rewritten here.
        let around = self.clock.clone();
        let piece = self.property(&mut cursor)?;
        let mut piece = self.match_items(piece, &mut cursor)?;
        if self.clock != around {
            if let Piece::Sequence(sequence) = piece {
                piece = Piece::Clocked(self.clocked(sequence)?);
            }
            self.inherits(around);
        }
        match cursor.peek() {
            None => Ok(piece),
            Some(_) => Err(not_read("an operator is expected", cursor.span())),
        }
    }

    pub(crate) fn declared(&self, cursor: &Cursor<'_>) -> Option<(&'d Declaration, Token)> {
        let token = cursor.peek().filter(|token| token.kind == Kind::Name)?;
        let found = self.declarations.find(self.module, &token.text)?;
        Some((found, token.clone()))
    }

    /// Whether tokens contain operators of this layer, so that a bracket around them is not one of an expression.
    pub(crate) fn is_temporal(&self, tokens: &[Token]) -> bool {
        // (Behind a comma stands a match item.)
        split(tokens, ",").len() > 1
            || tokens.iter().any(|token| {
                token.kind != Kind::Text
                    && (OPERATORS.contains(&token.text.as_str())
                        || (token.kind == Kind::Name
                            && self.declarations.find(self.module, &token.text).is_some()))
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
        let tokens = self.with_ends(tokens)?;
        let text = rewrite(&tokens, &mut self.emitted, 0)?;
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
