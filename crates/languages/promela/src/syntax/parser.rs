//! Recursive descent over units and declarations. Statements are in `statement`, expressions in `expression`.
//!
//! Nesting is limited, so that no text overflows the stack. Inline functions are expanded where they are called: their tokens, with
//! arguments put for parameters, are read as a block there.

use super::ast::*;
use super::inline::Inline;
use super::token::{Kind, Token};
use entail_program::Origin;
use entail_source::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// An error with the file it is about.
pub type Fail = (u32, Diagnostic);

/// Names that are known while the text is read, because they decide how it is read.
#[derive(Default)]
pub(super) struct Known {
    pub inlines: FxHashMap<Name, Rc<Inline>>,
    pub records: FxHashSet<Name>,
    pub proctypes: FxHashSet<Name>,
    /// Tokens read so far in inline functions.
    pub inlined: usize,
    /// What was wrong in statements that were left out.
    pub errors: Vec<Fail>,
}

/// Reads tokens.
pub struct Parser<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) at: usize,
    pub(super) known: &'a mut Known,
    pub(super) depth: usize,
    /// `->` is implication.
    pub(super) in_formula: bool,
    /// The tokens are those of an inline function.
    pub(super) in_inline: bool,
    /// Of an inline function: where each token stands in its body, parameters where arguments are put for them; and the call.
    pub(super) inlined: Option<(&'a [Origin], Origin)>,
    /// What gets the value that the inline function returns.
    pub(super) returns: Option<Variable>,
    /// The labels of the blocks around, the innermost last.
    pub(super) labels: Vec<FxHashSet<Name>>,
    /// How deep the tree of the operand is that was read last.
    pub(super) height: usize,
}

/// Deeper nesting is refused.
pub(super) const DEEPEST: usize = 120;

/// Reads a program.
///
/// After an error it goes on with the next statement, or the next unit, so that one run tells of several errors.
pub fn parse(tokens: &[Token]) -> Result<Vec<Unit>, Vec<Fail>> {
    let mut known = Known::default();
    // Proctypes may be referred to before they are declared.
    for pair in tokens.windows(2) {
        if let ([first, second], true) = (pair, pair[0].is_name("proctype") || pair[0].is_name("D_proctype"))
            && let (Kind::Name(_), Kind::Name(name)) = (&first.kind, &second.kind)
        {
            known.proctypes.insert(name.clone());
        }
    }
    let mut parser = Parser {
        tokens,
        at: 0,
        known: &mut known,
        depth: 0,
        in_formula: false,
        in_inline: false,
        inlined: None,
        returns: None,
        labels: Vec::new(),
        height: 0,
    };
    let mut units = Vec::new();
    while parser.peek().kind != Kind::End {
        let before = parser.at;
        if let Err(error) = parser.unit(&mut units) {
            parser.known.errors.push(error);
            if parser.known.errors.len() >= MOST_ERRORS {
                break;
            }
            parser.labels.clear();
            parser.in_formula = false;
            parser.depth = 0;
            parser.skip_to_unit(before);
        }
    }
    match known.errors.is_empty() {
        true => Ok(units),
        false => Err(known.errors),
    }
}

/// After so many errors the text is not read on.
pub const MOST_ERRORS: usize = 20;

/// Words that begin a unit and nothing else.
const UNIT_WORDS: [&str; 9] = [
    "active",
    "proctype",
    "D_proctype",
    "init",
    "never",
    "ltl",
    "typedef",
    "inline",
    "trace",
];

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> &'a Token {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, distance: usize) -> &'a Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + distance).min(last)]
    }

    pub(super) fn next(&mut self) -> &'a Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    pub(super) fn here(&self) -> Origin {
        self.peek().origin
    }

    /// From a place to the last token read.
    pub(super) fn since(&self, start: Origin) -> Origin {
        let last = self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].origin;
        Origin {
            span: if last.file == start.file && last.span.end >= start.span.start {
                start.span.to(last.span)
            } else {
                start.span
            },
            ..start
        }
    }

    /// Where a statement stands that began at a token. In an inline function it stands in the definition, whatever the arguments are, and
    /// is of the call.
    pub(super) fn stated(&self, began: usize, start: Origin) -> Origin {
        let Some((places, call)) = self.inlined else {
            return self.since(start);
        };
        let places = &places[began.min(self.at)..self.at.min(places.len())];
        let (first, last) = match places {
            [first, .., last] => (*first, *last),
            [only] => (*only, *only),
            [] => (start, start),
        };
        let is_whole = first.file == last.file && first.span.start <= last.span.end;
        Origin {
            file: first.file,
            span: if is_whole {
                first.span.to(last.span)
            } else {
                first.span
            },
            call: Some((call.file, call.span)),
        }
    }

    pub(super) fn accept(&mut self, mark: &str) -> bool {
        let found = self.peek().is(mark);
        self.at += usize::from(found);
        found
    }

    pub(super) fn accept_name(&mut self, name: &str) -> bool {
        let found = self.peek().is_name(name);
        self.at += usize::from(found);
        found
    }

    pub(super) fn fail<T>(&self, at: Origin, message: impl Into<String>, help: &str) -> Result<T, Fail> {
        Err(wrong(at, "promela::syntax", message, "here", help))
    }

    pub(super) fn unexpected<T>(&self, wanted: &str) -> Result<T, Fail> {
        let message = format!("expected {wanted}, found {}", self.peek().describe());
        let help = self
            .advice(wanted)
            .unwrap_or_else(|| "see the grammar of Promela at spinroot.com".to_owned());
        self.fail(self.here(), message, &help)
    }

    /// What helps with mistakes that are often made.
    fn advice(&self, wanted: &str) -> Option<String> {
        let token = self.peek();
        let Kind::Name(word) = &token.kind else {
            return match token.kind {
                Kind::Mark("=") if self.in_formula => {
                    Some("`=` assigns; two values are compared with `==`".to_owned())
                }
                Kind::Mark("}") => Some("is a `fi`, an `od` or a `)` missing before it?".to_owned()),
                Kind::End => Some("is a `}`, `fi` or `od` missing?".to_owned()),
                _ => None,
            };
        };
        Some(match &**word {
            word if wanted.contains("name") && is_keyword(word) => {
                format!("`{word}` is a word of Promela and cannot be a name")
            }
            "else" if !self.in_formula => {
                "`else` is an option of its own: `:: else -> …` between `if` and `fi`, or `do` and `od`"
                    .to_owned()
            }
            "while" | "switch" | "case" | "then" | "return" | "void" | "string" | "elif" => {
                format!("Promela has no `{word}`; loops are `do … od`, choices `if … fi`")
            }
            word if UNIT_WORDS.contains(&word) && self.depth > 0 => "is a `}` missing before it?".to_owned(),
            word if is_keyword(word) => format!("`{word}` is a word of Promela and cannot be a name"),
            _ => return None,
        })
    }

    /// Whether a unit begins here for certain.
    pub(super) fn starts_unit(&self) -> bool {
        matches!(&self.peek().kind, Kind::Name(word) if UNIT_WORDS.contains(&&**word))
    }

    /// After an error in a unit that began at a token: goes to where the next may begin.
    fn skip_to_unit(&mut self, began: usize) {
        self.at = self.at.max(began + 1);
        while self.peek().kind != Kind::End && !self.starts_unit() {
            self.at += 1;
        }
    }

    /// After an error in a statement that began at a token: goes to the end of the statement, so that the sequence around it can go on.
    pub(super) fn skip_statement(&mut self, began: usize) {
        self.at = self.at.max(began + 1);
        let mut open = 0usize;
        loop {
            let token = self.peek();
            let opens = token.is("{") || token.is_name("if") || token.is_name("do");
            let closes = token.is("}") || token.is_name("fi") || token.is_name("od");
            let ends = open == 0 && (closes || token.is(";") || token.is("::"));
            if token.kind == Kind::End || self.starts_unit() || ends {
                return;
            }
            open = (open + usize::from(opens)).saturating_sub(usize::from(closes));
            self.at += 1;
        }
    }

    pub(super) fn expect(&mut self, mark: &'static str) -> Result<(), Fail> {
        match self.accept(mark) {
            true => Ok(()),
            false => self.unexpected(&format!("`{mark}`")),
        }
    }

    pub(super) fn name(&mut self, what: &str) -> Result<(Name, Origin), Fail> {
        match &self.peek().kind {
            Kind::Name(name) if !is_keyword(name) => {
                let found = (name.clone(), self.here());
                self.at += 1;
                Ok(found)
            }
            _ => self.unexpected(what),
        }
    }

    /// Runs `inner` one level deeper.
    pub(super) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Fail>) -> Result<T, Fail> {
        if self.depth >= DEEPEST {
            return self.fail(
                self.here(),
                "the nesting is too deep",
                "split the text into parts",
            );
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn unit(&mut self, units: &mut Vec<Unit>) -> Result<(), Fail> {
        let token = self.peek();
        let Kind::Name(word) = &token.kind else {
            if self.accept(";") || self.accept("->") {
                return Ok(());
            }
            return self.unexpected("a declaration");
        };
        match &**word {
            "active" | "proctype" | "D_proctype" => {
                let unit = Unit::Proctype(self.proctype()?);
                units.push(unit);
            }
            "init" => {
                let at = self.next().origin;
                let priority = self.priority()?;
                let (body, end) = self.body()?;
                units.push(Unit::Proctype(Proctype {
                    active: Some(Active::Count(1)),
                    priority,
                    ..unstarted(":init:".into(), body, at, end)
                }));
            }
            "never" => {
                let at = self.next().origin;
                let name = self.optional_name().unwrap_or_else(|| "never".into());
                let (body, end) = self.body()?;
                units.push(Unit::Never(unstarted(name, body, at, end)));
            }
            "ltl" => {
                let unit = self.formula_unit()?;
                units.push(unit);
            }
            "typedef" => {
                let unit = self.record()?;
                units.push(unit);
            }
            "inline" => self.inline()?,
            "mtype" if self.is_message_list() => {
                let unit = self.messages()?;
                units.push(unit);
            }
            "trace" | "notrace" => {
                let name = format!(":{word}:").into();
                let at = self.next().origin;
                let (body, end) = self.body()?;
                units.push(Unit::Trace(unstarted(name, body, at, end)));
            }
            "c_decl" | "c_state" | "c_code" | "c_track" | "c_expr" => return self.embedded(),
            _ if self.starts_declaration() => {
                let mut declared = Vec::new();
                self.declaration(&mut declared)?;
                units.extend(declared.into_iter().map(Unit::Variable));
            }
            _ => return self.unexpected("a declaration, `proctype`, `init`, `never` or `ltl`"),
        }
        Ok(())
    }

    /// A name, if one stands here.
    fn optional_name(&mut self) -> Option<Name> {
        let token = self.peek();
        let Kind::Name(name) = &token.kind else {
            return None;
        };
        let name = name.clone();
        self.at += 1;
        Some(name)
    }

    /// `ltl name { formula }`
    fn formula_unit(&mut self) -> Result<Unit, Fail> {
        self.at += 1;
        let name = self.optional_name();
        self.expect("{")?;
        self.in_formula = true;
        let formula = self.expression();
        self.in_formula = false;
        let formula = formula?;
        while self.accept(";") {}
        self.expect("}")?;
        Ok(Unit::Formula(name, formula))
    }

    /// `typedef name { fields }`
    fn record(&mut self) -> Result<Unit, Fail> {
        self.at += 1;
        let (name, at) = self.name("the name of a type")?;
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.accept("}") {
            if self.accept(";") || self.accept(",") {
                continue;
            }
            if !self.starts_declaration() {
                return self.unexpected("a field's type, or `}`");
            }
            self.declaration(&mut fields)?;
        }
        if fields.is_empty() {
            return self.fail(at, "the record has no field", "give it one");
        }
        // Known from here on: a record cannot contain itself.
        self.known.records.insert(name.clone());
        Ok(Unit::Record(name, fields, at))
    }

    /// `mtype = { names }`
    fn messages(&mut self) -> Result<Unit, Fail> {
        self.at += 1;
        if self.accept(":") {
            self.name("the name of a set of messages")?;
        }
        self.accept("=");
        self.expect("{")?;
        let mut names = Vec::new();
        while !self.accept("}") {
            if self.accept(",") || self.accept(";") {
                continue;
            }
            names.push(self.name("the name of a message, or `}`")?);
        }
        Ok(Unit::Messages(names))
    }

    pub(super) fn embedded<T>(&self) -> Result<T, Fail> {
        self.fail(
            self.here(),
            "embedded C code is not supported",
            "Entail compiles no C: write the same in Promela",
        )
    }

    fn proctype(&mut self) -> Result<Proctype, Fail> {
        let mut active = None;
        if self.accept_name("active") {
            active = Some(Active::Count(1));
            if self.accept("[") {
                active = Some(match &self.peek().kind {
                    Kind::Name(name) => {
                        let named = Active::Named(name.clone(), self.here());
                        self.at += 1;
                        named
                    }
                    _ => Active::Count(self.constant()?),
                });
                self.expect("]")?;
            }
        }
        if !self.accept_name("proctype") && !self.accept_name("D_proctype") {
            return self.unexpected("`proctype`");
        }
        let (name, at) = self.name("the name of the proctype")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.accept(")") {
            if self.accept(";") || self.accept(",") {
                continue;
            }
            if !self.starts_declaration() {
                return self.unexpected("a parameter's type, or `)`");
            }
            self.declaration(&mut parameters)?;
        }
        let priority = self.priority()?;
        let provided = match self.accept_name("provided") {
            true => {
                self.expect("(")?;
                let condition = self.expression()?;
                self.expect(")")?;
                Some(condition)
            }
            false => None,
        };
        let (body, end) = self.body()?;
        Ok(Proctype {
            name,
            active,
            parameters,
            priority,
            provided,
            body,
            at,
            end,
        })
    }

    pub(super) fn priority(&mut self) -> Result<Option<i32>, Fail> {
        match self.accept_name("priority") {
            true => self.constant().map(Some),
            false => Ok(None),
        }
    }

    fn body(&mut self) -> Result<(Sequence, Origin), Fail> {
        let sequence = self.braces()?;
        // Where the closing brace stands.
        let end = self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].origin;
        Ok((sequence, end))
    }
}

pub(crate) fn wrong(
    at: Origin,
    code: &'static str,
    message: impl Into<String>,
    label: &str,
    help: &str,
) -> Fail {
    (
        at.file,
        Diagnostic::error(code, message, at.span, label).with_help(help),
    )
}

/// Words that cannot be names.
const KEYWORDS: [&str; 56] = [
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "chan",
    "d_step",
    "D_proctype",
    "do",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "skip",
    "timeout",
    "trace",
    "true",
    "typedef",
    "unless",
    "unsigned",
];

pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name) || name == "xr" || name == "xs"
}

/// What is written like a process type but is none, or is one that nobody starts: without parameters, priority and condition.
fn unstarted(name: Name, body: Sequence, at: Origin, end: Origin) -> Proctype {
    Proctype {
        name,
        active: None,
        parameters: Vec::new(),
        priority: None,
        provided: None,
        body,
        at,
        end,
    }
}
