//! Tokens of the SMV language, as NuSMV's scanner cuts them.
//!
//! Three of its habits matter. Identifiers are greedy and may contain `-`, `$` and `#`, so `a->b` begins with the
//! identifier `a-`; `--` opens a comment only where no identifier is under way; a `#` line marker left by a
//! preprocessor is skipped. Keywords are recognised after the fact, from [`KEYWORDS`], so that the list stays data.

use entail_source::{Diagnostic, Span};
use logos::{FilterResult, Lexer, Logos};

/// The kinds of token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[logos(skip r"[ \n\t\r\f]+")]
#[logos(skip(r"--[^\n]*", allow_greedy = true))]
pub enum Token {
    /// `/-- ... --/` is skipped; what remains of this token is an unterminated one.
    #[token("/--", block_comment)]
    UnterminatedComment,
    /// A `#` line: line markers are skipped, anything else is an error.
    #[regex(r"#[^\n]*", line_marker, allow_greedy = true)]
    PreprocessorDirective,

    /// An identifier (also a quoted one).
    #[regex(r"[A-Za-z_][A-Za-z0-9_$#-]*")]
    #[regex(r#""[^"]*""#)]
    Identifier,
    /// A decimal integer.
    #[regex(r"[0-9]+")]
    Number,
    /// A word constant such as `0ud8_255`.
    #[regex(r"0[us]?[bBoOdDhH][0-9]*_[0-9a-fA-F][0-9a-fA-F_]*")]
    WordNumber,
    /// A real, fractional or exponential constant: recognised to be refused politely.
    #[regex(r"[fF]'[0-9]+/[0-9]+")]
    #[regex(r"[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+")]
    #[regex(r"[0-9]+\.[0-9]+")]
    RealNumber,

    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token(":=")]
    Becomes,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Times,
    #[token("/")]
    Divide,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("<<<")]
    RotateLeft,
    #[token(">>>")]
    RotateRight,
    #[token("=")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<=")]
    LessEqual,
    #[token(">=")]
    GreaterEqual,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("..")]
    DotDot,
    #[token(".")]
    Dot,
    #[token("->")]
    Implies,
    #[token("<->")]
    Iff,
    #[token("|")]
    Or,
    #[token("&")]
    And,
    #[token("!")]
    Not,
    #[token("?")]
    Question,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token("::")]
    Concat,

    // Keywords; made from identifiers by `KEYWORDS`.
    Module,
    Process,
    Define,
    MDefine,
    Var,
    Fun,
    #[token("@TIME_DOMAIN")]
    TimeDomain,
    FrozenVar,
    IVar,
    Init,
    Trans,
    Invar,
    Spec,
    CtlSpec,
    LtlSpec,
    PslSpec,
    Compute,
    InvarSpec,
    Name,
    Constants,
    In,
    Fairness,
    Justice,
    Compassion,
    Isa,
    Assign,
    Array,
    Of,
    Boolean,
    Word,
    Bool,
    Word1,
    Signed,
    Unsigned,
    Extend,
    UwConst,
    SwConst,
    Resize,
    SizeOf,
    ToInt,
    Count,
    Read,
    Write,
    ConstArray,
    TypeOf,
    CtlEX,
    CtlAX,
    CtlEF,
    CtlAF,
    CtlEG,
    CtlAG,
    PathE,
    PathA,
    Future,
    Once,
    Globally,
    Historically,
    NextTime,
    Previous,
    WeakPrevious,
    Until,
    Since,
    Releases,
    Triggered,
    BoundedUntil,
    CtlEBF,
    CtlABF,
    CtlEBG,
    CtlABG,
    ComputeMin,
    ComputeMax,
    False,
    True,
    Case,
    Esac,
    Mod,
    Next,
    SmallInit,
    SelfRef,
    Union,
    SetIn,
    Abs,
    Min,
    Max,
    Xor,
    Xnor,
    /// Words that only NuSMV's command line uses, yet reserves.
    CommandWord,

    /// The end of the text.
    End,
    /// A character that begins no token.
    Illegal,
}

/// Every reserved word and its token.
pub const KEYWORDS: &[(&str, Token)] = &[
    ("MODULE", Token::Module),
    ("process", Token::Process),
    ("DEFINE", Token::Define),
    ("MDEFINE", Token::MDefine),
    ("VAR", Token::Var),
    ("FUN", Token::Fun),
    ("FROZENVAR", Token::FrozenVar),
    ("IVAR", Token::IVar),
    ("INIT", Token::Init),
    ("TRANS", Token::Trans),
    ("INVAR", Token::Invar),
    ("SPEC", Token::Spec),
    ("CTLSPEC", Token::CtlSpec),
    ("LTLSPEC", Token::LtlSpec),
    ("PSLSPEC", Token::PslSpec),
    ("COMPUTE", Token::Compute),
    ("INVARSPEC", Token::InvarSpec),
    ("NAME", Token::Name),
    ("CONSTANTS", Token::Constants),
    ("IN", Token::In),
    ("FAIRNESS", Token::Fairness),
    ("JUSTICE", Token::Justice),
    ("COMPASSION", Token::Compassion),
    ("ISA", Token::Isa),
    ("ASSIGN", Token::Assign),
    ("array", Token::Array),
    ("of", Token::Of),
    ("boolean", Token::Boolean),
    ("word", Token::Word),
    ("Word", Token::Word),
    ("bool", Token::Bool),
    ("word1", Token::Word1),
    ("signed", Token::Signed),
    ("unsigned", Token::Unsigned),
    ("extend", Token::Extend),
    ("uwconst", Token::UwConst),
    ("swconst", Token::SwConst),
    ("resize", Token::Resize),
    ("sizeof", Token::SizeOf),
    ("toint", Token::ToInt),
    ("count", Token::Count),
    ("READ", Token::Read),
    ("WRITE", Token::Write),
    ("CONSTARRAY", Token::ConstArray),
    ("typeof", Token::TypeOf),
    ("EX", Token::CtlEX),
    ("AX", Token::CtlAX),
    ("EF", Token::CtlEF),
    ("AF", Token::CtlAF),
    ("EG", Token::CtlEG),
    ("AG", Token::CtlAG),
    ("E", Token::PathE),
    ("A", Token::PathA),
    ("F", Token::Future),
    ("O", Token::Once),
    ("G", Token::Globally),
    ("H", Token::Historically),
    ("X", Token::NextTime),
    ("Y", Token::Previous),
    ("Z", Token::WeakPrevious),
    ("U", Token::Until),
    ("S", Token::Since),
    ("V", Token::Releases),
    ("T", Token::Triggered),
    ("BU", Token::BoundedUntil),
    ("EBF", Token::CtlEBF),
    ("ABF", Token::CtlABF),
    ("EBG", Token::CtlEBG),
    ("ABG", Token::CtlABG),
    ("MIN", Token::ComputeMin),
    ("MAX", Token::ComputeMax),
    ("FALSE", Token::False),
    ("TRUE", Token::True),
    ("case", Token::Case),
    ("esac", Token::Esac),
    ("mod", Token::Mod),
    ("next", Token::Next),
    ("init", Token::SmallInit),
    ("self", Token::SelfRef),
    ("union", Token::Union),
    ("in", Token::SetIn),
    ("abs", Token::Abs),
    ("min", Token::Min),
    ("max", Token::Max),
    ("xor", Token::Xor),
    ("xnor", Token::Xnor),
    ("CONSTRAINT", Token::CommandWord),
    ("ITYPE", Token::CommandWord),
    ("SIMPWFF", Token::CommandWord),
    ("NEXTWFF", Token::CommandWord),
    ("CTLWFF", Token::CommandWord),
    ("LTLWFF", Token::CommandWord),
    ("COMPWFF", Token::CommandWord),
    ("COMPID", Token::CommandWord),
];

/// The reserved word's token, if `text` is one.
pub fn keyword(text: &str) -> Option<Token> {
    thread_local! {
        static TABLE: rustc_hash::FxHashMap<&'static str, Token> = KEYWORDS.iter().copied().collect();
    }
    TABLE.with(|table| table.get(text).copied())
}

impl Token {
    /// Whether this token is a reserved word.
    pub fn is_keyword(self) -> bool {
        KEYWORDS.iter().any(|&(_, token)| token == self)
    }

    /// Whether this token can only begin a section of a module (or a module): where recovery from an error stops.
    pub fn opens_section(self) -> bool {
        use Token::*;
        matches!(
            self,
            Module
                | Define
                | MDefine
                | Var
                | Fun
                | FrozenVar
                | IVar
                | Init
                | Trans
                | Invar
                | Spec
                | CtlSpec
                | LtlSpec
                | PslSpec
                | Compute
                | InvarSpec
                | Constants
                | Fairness
                | Justice
                | Compassion
                | Isa
                | Assign
        )
    }
}

fn block_comment(lexer: &mut Lexer<Token>) -> FilterResult<(), ()> {
    match lexer.remainder().find("--/") {
        Some(length) => {
            lexer.bump(length + 3);
            FilterResult::Skip
        }
        None => {
            let rest = lexer.remainder().len();
            lexer.bump(rest);
            FilterResult::Emit(())
        }
    }
}

fn line_marker(lexer: &mut Lexer<Token>) -> FilterResult<(), ()> {
    let before = &lexer.source()[..lexer.span().start];
    let at_line_start = before.is_empty() || before.ends_with('\n');
    let marker = lexer.slice().strip_prefix("# ").is_some_and(|rest| {
        rest.trim_start()
            .starts_with(|first: char| first.is_ascii_digit())
    });
    if at_line_start && marker {
        FilterResult::Skip
    } else {
        FilterResult::Emit(())
    }
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Lexeme {
    /// Its kind.
    pub token: Token,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Lexeme {
    /// The place as a span.
    pub fn span(self) -> Span {
        Span::new(self.start as usize, self.end as usize)
    }
}

/// What a byte that is not UTF-8 was replaced by; it may stand in comments, where any bytes may.
const NOT_TEXT: char = '\u{fffd}';

/// How many lexical errors are worth reporting: binary garbage would give one a byte.
const MOST_ERRORS: usize = 10;

/// Cuts a text into tokens, the last of which is [`Token::End`]. Illegal characters are reported and left out.
pub fn tokenise(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Lexeme> {
    let mut lexemes = Vec::with_capacity(text.len() / 4 + 1);
    let mut errors = 0;
    let mut lexer = Token::lexer(text);
    while let Some(result) = lexer.next() {
        let range = lexer.span();
        let (start, end) = (range.start as u32, range.end as u32);
        // Different bytes that are not UTF-8 have become the same character: no name may contain it.
        let result = result.and_then(|token| match lexer.slice().contains(NOT_TEXT) {
            true => Err(()),
            false => Ok(token),
        });
        let token = match result {
            Ok(Token::Identifier) => keyword(lexer.slice()).unwrap_or(Token::Identifier),
            Ok(token @ (Token::UnterminatedComment | Token::PreprocessorDirective)) => {
                diagnostics.push(lexical_error(token, lexer.slice(), Span::from(range)));
                continue;
            }
            Ok(token) => token,
            Err(()) => {
                errors += 1;
                if errors <= MOST_ERRORS {
                    diagnostics.push(lexical_error(Token::Illegal, lexer.slice(), Span::from(range)));
                }
                if errors == MOST_ERRORS && looks_binary(text) {
                    break;
                }
                continue;
            }
        };
        lexemes.push(Lexeme { token, start, end });
    }
    // The end of the text is where the last token ends: blank lines after it would hide what is missing there.
    let end = lexemes.last().map_or(0, |last| last.end);
    lexemes.push(Lexeme {
        token: Token::End,
        start: end,
        end,
    });
    lexemes
}

fn looks_binary(text: &str) -> bool {
    text.bytes()
        .take(4096)
        .any(|byte| byte < 9 || (14..32).contains(&byte))
        || text.chars().take(4096).any(|c| c == NOT_TEXT)
}

fn lexical_error(token: Token, slice: &str, span: Span) -> Diagnostic {
    match token {
        Token::UnterminatedComment => Diagnostic::error(
            "smv::unterminated-comment",
            "this comment never ends",
            Span::new(span.start, span.start + 3),
            "opened here",
        )
        .with_help("close it with `--/`"),
        Token::PreprocessorDirective => Diagnostic::error(
            "smv::preprocessor",
            "unexpected preprocessor directive",
            span,
            "SMV itself has no preprocessor",
        )
        .with_help("run the preprocessor first and check its output"),
        _ => {
            let help = match slice.chars().next() {
                _ if slice.contains(NOT_TEXT) => "what is no UTF-8 text may stand in comments only",
                Some('"') => "a quoted identifier needs its closing quote",
                Some('\\') => "identifiers consist of letters, digits, `_`, `$`, `#` and `-`",
                _ => "this character is not part of the language",
            };
            let shown: String = slice.chars().take(1).flat_map(char::escape_default).collect();
            Diagnostic::error(
                "smv::illegal-character",
                format!("illegal character `{shown}`"),
                span,
                "here",
            )
            .with_help(help)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Token> {
        let mut diagnostics = Vec::new();
        let lexemes = tokenise(text, &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        lexemes.iter().map(|lexeme| lexeme.token).collect()
    }

    #[test]
    fn identifiers_swallow_the_minus_of_an_arrow_as_in_nusmv() {
        use Token::*;
        assert_eq!(kinds("a->b"), [Identifier, Greater, Identifier, End]);
        assert_eq!(kinds("a ->b"), [Identifier, Implies, Identifier, End]);
        assert_eq!(kinds("a--b"), [Identifier, End]);
        assert_eq!(kinds("a --b"), [Identifier, End]);
    }

    #[test]
    fn ranges_are_not_reals() {
        use Token::*;
        assert_eq!(kinds("1..3"), [Number, DotDot, Number, End]);
        assert_eq!(kinds("1.5 1e3 f'1/2"), [RealNumber, RealNumber, RealNumber, End]);
    }

    #[test]
    fn word_constants_are_one_token() {
        assert_eq!(
            kinds("0ud8_255 0b_1010 0sh16_FF_00"),
            [
                Token::WordNumber,
                Token::WordNumber,
                Token::WordNumber,
                Token::End
            ]
        );
    }

    #[test]
    fn comments_of_both_kinds_and_line_markers_vanish() {
        assert_eq!(
            kinds("# 1 \"x.smv\"\n-- one\n/-- two\n -- three --/ MODULE"),
            [Token::Module, Token::End]
        );
    }

    #[test]
    fn garbage_is_reported_a_few_times_only() {
        let mut diagnostics = Vec::new();
        tokenise(&"\u{1}@~".repeat(1000), &mut diagnostics);
        assert_eq!(diagnostics.len(), MOST_ERRORS);
    }
}
