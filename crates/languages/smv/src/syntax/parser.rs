//! The parser's frame: the cursor over tokens, error reporting, recovery, and the two entry points.
//!
//! Recursive descent with precedence climbing for expressions. A failed construct reports one diagnostic and returns
//! [`Failed`]; the section parsers then skip to the next `;` (the right one: an error inside a `case` skips the rest
//! of that `case`) or to the next section keyword and go on, so that one run reports several mistakes.

use super::ast::{Arena, ExprId, Module, SpecKind};
use super::lexer::{Lexeme, Token, tokenise};
use super::placement;
use entail_source::{Diagnostic, Diagnostics, Source, Span};

/// A construct could not be parsed; the diagnostic has been recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed;

pub(super) type Parse<T> = Result<T, Failed>;

/// How many errors are reported before the parser gives up.
const MOST_ERRORS: usize = 20;

/// How deep constructs may nest in the text (parentheses, cases, …); the tree's depth has its own limit.
pub(super) const MAX_NESTING: u32 = super::ast::MAX_DEPTH;

pub(super) struct Parser<'s> {
    pub(super) source: &'s Source,
    pub(super) arena: Arena,
    pub(super) diagnostics: Vec<Diagnostic>,
    lexemes: Vec<Lexeme>,
    pub(super) position: usize,
    pub(super) nesting: u32,
    pub(super) case_depth: u32,
    /// Whether path quantifiers may stand before any path formula, and `R` is release.
    pub(super) ctl_star: bool,
    /// Whether PSL's words are operators.
    pub(super) psl: bool,
}

/// A parsed model.
#[derive(Debug)]
pub struct Parsed {
    /// Its expressions.
    pub arena: Arena,
    /// Its modules in order.
    pub modules: Vec<Module>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Where it says that time is continuous (`@TIME_DOMAIN continuous`), if it does.
    pub continuous_time: Option<Span>,
}

/// Parses a whole model.
pub fn parse_model(source: &Source) -> Result<Parsed, Diagnostics> {
    let mut parser = Parser::new(source, Arena::default());
    let continuous_time = parser.time_domain();
    let modules = parser.model();
    if parser.has_errors() {
        return Err(Diagnostics(parser.diagnostics));
    }
    placement::check_model(&parser.arena, &modules, &mut parser.diagnostics);
    if parser.has_errors() {
        return Err(Diagnostics(parser.diagnostics));
    }
    Ok(Parsed {
        arena: parser.arena,
        modules,
        warnings: parser.diagnostics,
        continuous_time,
    })
}

/// A formula and the instance it is to be read in, if one was named.
pub type ParsedFormula = (ExprId, Option<ExprId>);

/// Parses one formula, as given on the command line; its expressions are added to `arena`, which is handed back.
pub fn parse_formula(
    source: &Source,
    arena: Arena,
    kind: SpecKind,
) -> (Arena, Result<ParsedFormula, Diagnostics>) {
    let mut parser = Parser::new(source, arena);
    parser.ctl_star = kind == SpecKind::CtlStar;
    let result = parser.formula_alone(kind);
    if let (Ok((formula, _)), false) = (&result, parser.has_errors()) {
        placement::check_formula(&parser.arena, *formula, kind, &mut parser.diagnostics);
    }
    let result = match result {
        Ok(parsed) if !parser.has_errors() => Ok(parsed),
        _ => Err(Diagnostics(parser.diagnostics)),
    };
    (parser.arena, result)
}

impl<'s> Parser<'s> {
    fn new(source: &'s Source, arena: Arena) -> Parser<'s> {
        let mut diagnostics = Vec::new();
        // Places are stored in 32 bits.
        let text = match u32::try_from(source.text().len()) {
            Ok(_) => source.text(),
            Err(_) => {
                diagnostics.push(Diagnostic::error(
                    "smv::too-large",
                    "the text is too large: 4 GiB is the limit",
                    Span::new(0, 0),
                    "here",
                ));
                ""
            }
        };
        let lexemes = tokenise(text, &mut diagnostics);
        Parser {
            source,
            arena,
            diagnostics,
            lexemes,
            position: 0,
            nesting: 0,
            case_depth: 0,
            ctl_star: false,
            psl: false,
        }
    }

    fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == entail_source::Severity::Error)
    }

    /// Whether so much went wrong that going on would only bury the user.
    pub(super) fn given_up(&self) -> bool {
        self.diagnostics.len() >= MOST_ERRORS
    }

    pub(super) fn lexeme(&self) -> Lexeme {
        self.lexemes[self.position]
    }

    pub(super) fn token(&self) -> Token {
        self.lexemes[self.position].token
    }

    /// The token `ahead` places on (0: the current one).
    pub(super) fn peek(&self, ahead: usize) -> Token {
        self.lexemes
            .get(self.position + ahead)
            .map_or(Token::End, |lexeme| lexeme.token)
    }

    /// The place of the token `ahead` places on; of the last, if there are not so many.
    pub(super) fn peek_span(&self, ahead: usize) -> Span {
        let last = self.lexemes.len() - 1;
        self.lexemes[(self.position + ahead).min(last)].span()
    }

    pub(super) fn span(&self) -> Span {
        self.lexeme().span()
    }

    /// The place of the token before the current one.
    pub(super) fn previous_span(&self) -> Span {
        match self.position.checked_sub(1) {
            Some(previous) => self.lexemes[previous].span(),
            None => Span::new(0, 0),
        }
    }

    pub(super) fn text(&self) -> &'s str {
        self.source.slice(self.span())
    }

    pub(super) fn advance(&mut self) -> Lexeme {
        let lexeme = self.lexeme();
        if lexeme.token != Token::End {
            self.position += 1;
        }
        lexeme
    }

    pub(super) fn at(&self, token: Token) -> bool {
        self.token() == token
    }

    /// Takes the token if it is there.
    pub(super) fn eat(&mut self, token: Token) -> bool {
        let there = self.at(token);
        if there {
            self.advance();
        }
        there
    }

    /// Takes the token or reports that `what` was expected.
    pub(super) fn expect(&mut self, token: Token, what: &str) -> Parse<Lexeme> {
        if self.at(token) {
            Ok(self.advance())
        } else {
            Err(self.expected(what))
        }
    }

    /// The current token for a message: what the reader sees in the text.
    pub(super) fn found(&self) -> String {
        match self.token() {
            Token::End => "the end of the text".to_string(),
            _ => format!("`{}`", self.text()),
        }
    }

    /// What helps a reader who knows how another language writes it: the current token with the one before, or the one after.
    fn foreign_notation(&self) -> Option<&'static str> {
        let (before, here) = (self.previous_span(), self.span());
        let text = self.source.text();
        let from = if before.end == here.start {
            before.start
        } else {
            here.start
        };
        let around = text.get(from..)?;
        const KNOWN: [(&str, &str); 8] = [
            ("==", "equality is written `=`"),
            ("&&", "conjunction is written `&`"),
            ("||", "disjunction is written `|`"),
            ("[]", "\"always\" is written `G` in LTL and `AG` in CTL"),
            (
                "<>",
                "\"eventually\" is written `F` in LTL and `EF` or `AF` in CTL",
            ),
            ("=>", "implication is written `->`"),
            ("++", "write `x + 1`"),
            ("=", "an assignment is written `:=`"),
        ];
        KNOWN
            .iter()
            .find(|(sign, _)| around.starts_with(sign))
            .map(|(_, help)| *help)
    }

    /// Reports that `what` was expected here.
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let found = self.found();
        let mut diagnostic = Diagnostic::error(
            "smv::syntax",
            format!("expected {what}, found {found}"),
            self.span(),
            format!("expected {what}"),
        );
        if what.contains("identifier") && self.token().is_keyword() {
            diagnostic.message = format!("{found} is a reserved word and cannot be used as a name");
            diagnostic.help = Some(format!("choose another name, for example `{}_`", self.text()));
            diagnostic.code = "smv::reserved-word";
        } else if self.at(Token::Identifier) && self.text() == "R" {
            diagnostic.help = Some("release is written `V`".to_string());
        } else if self.previous_span().end == self.span().start
            && self.at(Token::Greater)
            && self.source.slice(self.previous_span()).ends_with('-')
        {
            diagnostic.help = Some("identifiers may contain `-`; put a space before `->`".to_string());
        } else {
            diagnostic.help = self.foreign_notation().map(String::from);
        }
        self.report(diagnostic)
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        // One mistake, one message: what follows at the same place is an echo.
        let echo = self
            .diagnostics
            .last()
            .is_some_and(|last| last.span() == diagnostic.span());
        if !echo {
            self.diagnostics.push(diagnostic);
        }
        Failed
    }

    pub(super) fn error(&mut self, code: &'static str, message: &str, span: Span, label: &str) -> Failed {
        self.report(Diagnostic::error(code, message, span, label))
    }

    /// Skips to just behind the `;` that ends the current declaration, or to the next section.
    pub(super) fn recover(&mut self) {
        let mut open_cases = std::mem::take(&mut self.case_depth);
        self.nesting = 0;
        loop {
            match self.token() {
                Token::End => return,
                token if token.opens_section() => return,
                Token::Case => open_cases += 1,
                Token::Esac => open_cases = open_cases.saturating_sub(1),
                Token::Semicolon if open_cases == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }
}
