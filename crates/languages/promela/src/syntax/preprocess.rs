//! The preprocessor: macros, conditional parts, included files.
//!
//! It works on tokens, not on text, so that everything that follows knows where in the file before preprocessing it stands. Macros are
//! expanded as in C: arguments first, then the body; a macro does not expand inside itself (each token carries the names it came from).

use super::token::{Kind, Token, tokens};
use crate::Trouble;
use entail_program::Origin;
use entail_source::{Diagnostic, Source, Span};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How an included file is found: the file that asks, the name it asks for; the name of the file found and its text.
pub type Include<'a> = &'a dyn Fn(&str, &str) -> Option<(String, String)>;

struct Macro {
    parameters: Option<Vec<Rc<str>>>,
    body: Vec<Token>,
}

/// The names of the macros a token came from.
type Hidden = Option<Rc<Names>>;

/// Tokens with where they came from.
type Words = Vec<(Token, Hidden)>;

struct Names {
    name: Rc<str>,
    others: Hidden,
}

fn hides(hidden: &Hidden, name: &str) -> bool {
    let mut at = hidden;
    while let Some(names) = at {
        if &*names.name == name {
            return true;
        }
        at = &names.others;
    }
    false
}

/// More tokens than this no program has; macros that grow without end do.
const MOST_TOKENS: usize = 2_000_000;
const DEEPEST_INCLUDE: usize = 32;

/// Expands a file.
pub struct Preprocessor<'a> {
    include: Include<'a>,
    macros: FxHashMap<Rc<str>, Macro>,
    /// The files, as they were met.
    pub sources: Vec<Source>,
    output: Vec<Token>,
}

/// One `#if`: whether the part that is read now counts, and whether one of its parts has counted.
struct Conditional {
    counts: bool,
    done: bool,
    opened: Origin,
}

impl<'a> Preprocessor<'a> {
    /// Expands a text, and formulas that come with it.
    pub fn run(
        source: &Source,
        formulas: &[String],
        include: Include<'a>,
    ) -> Result<(Vec<Token>, Vec<Source>), Trouble> {
        let mut preprocessor = Preprocessor {
            include,
            macros: FxHashMap::default(),
            sources: Vec::new(),
            output: Vec::new(),
        };
        let mut result = preprocessor.file(source.clone(), 0);
        for formula in formulas {
            let formula = Source::new("--spec", format!("ltl {{ {formula} }}"));
            result = result.and_then(|()| preprocessor.file(formula, 0));
        }
        let Preprocessor {
            mut output, sources, ..
        } = preprocessor;
        match result {
            Ok(()) => {
                let end = source.text().len();
                output.push(Token {
                    kind: Kind::End,
                    origin: Origin {
                        file: 0,
                        span: Span::new(end, end),
                    },
                    starts_line: true,
                    spaced: true,
                });
                Ok((output, sources))
            }
            Err((file, diagnostic)) => Err(Trouble::new(&sources, file, diagnostic)),
        }
    }

    fn file(&mut self, source: Source, depth: usize) -> Result<(), (u32, Diagnostic)> {
        let file = self.sources.len() as u32;
        self.sources.push(source.clone());
        let found = tokens(source.text(), file).map_err(|diagnostic| (file, diagnostic))?;
        let mut conditionals: Vec<Conditional> = Vec::new();
        let mut at = 0;
        let mut pending: Vec<Token> = Vec::new();
        while at < found.len() {
            if found[at].is("#") && found[at].starts_line {
                let end = found[at + 1..]
                    .iter()
                    .position(|token| token.starts_line)
                    .map_or(found.len(), |length| at + 1 + length);
                let counts = conditionals.iter().all(|conditional| conditional.counts);
                if counts {
                    self.flush(&mut pending)?;
                }
                self.directive(&found[at + 1..end], &found[at], &mut conditionals, depth)?;
                at = end;
                continue;
            }
            if conditionals.iter().all(|conditional| conditional.counts) {
                pending.push(found[at].clone());
            }
            at += 1;
        }
        if let Some(open) = conditionals.last() {
            return Err(wrong(
                open.opened,
                "promela::open-if",
                "this conditional part has no end",
                "it begins here",
                "close it with `#endif`",
            ));
        }
        self.flush(&mut pending)
    }

    fn flush(&mut self, pending: &mut Vec<Token>) -> Result<(), (u32, Diagnostic)> {
        let expanded = self.expand(std::mem::take(pending))?;
        self.output.extend(expanded);
        Ok(())
    }

    fn directive(
        &mut self,
        words: &[Token],
        hash: &Token,
        conditionals: &mut Vec<Conditional>,
        depth: usize,
    ) -> Result<(), (u32, Diagnostic)> {
        let Some(Kind::Name(name)) = words.first().map(|word| &word.kind) else {
            // A lone `#`, or a line marker `# 3 "file"` of another preprocessor.
            return Ok(());
        };
        let counts = conditionals.iter().all(|conditional| conditional.counts);
        let rest = &words[1..];
        match &**name {
            "if" | "ifdef" | "ifndef" => {
                let holds = counts
                    && match &**name {
                        "if" => self.condition(rest, hash)?,
                        wanted => {
                            let defined = matches!(rest.first().map(|word| &word.kind), Some(Kind::Name(name)) if self.macros.contains_key(name));
                            defined == (wanted == "ifdef")
                        }
                    };
                conditionals.push(Conditional {
                    counts: holds,
                    done: holds || !counts,
                    opened: hash.origin,
                });
            }
            "elif" | "else" | "endif" => {
                let Some(mut last) = conditionals.pop() else {
                    let message = format!("`#{name}` without `#if`");
                    return Err(wrong(
                        hash.origin,
                        "promela::stray-directive",
                        message,
                        "here",
                        "remove it, or open the part with `#if`",
                    ));
                };
                if &**name != "endif" {
                    let holds = !last.done && (&**name == "else" || self.condition(rest, hash)?);
                    last.counts = holds;
                    last.done |= holds;
                    conditionals.push(last);
                }
            }
            _ if !counts => {}
            "define" => self.define(rest, hash)?,
            "undef" => {
                if let Some(Kind::Name(name)) = rest.first().map(|word| &word.kind) {
                    self.macros.remove(name);
                }
            }
            "include" => {
                let Some(Kind::Text(wanted)) = rest.first().map(|word| &word.kind) else {
                    return Err(wrong(
                        hash.origin,
                        "promela::include",
                        "the name of a file is missing",
                        "here",
                        "write `#include \"file\"`",
                    ));
                };
                if depth >= DEEPEST_INCLUDE {
                    return Err(wrong(
                        rest[0].origin,
                        "promela::include",
                        "files include each other without end",
                        "here",
                        "break the circle with `#ifndef`",
                    ));
                }
                let asking = self.sources[hash.origin.file as usize].name().to_owned();
                let Some((name, text)) = (self.include)(&asking, wanted) else {
                    return Err(wrong(
                        rest[0].origin,
                        "promela::include",
                        format!("cannot read the file \"{wanted}\""),
                        "included here",
                        "the name is relative to the file that includes it",
                    ));
                };
                self.file(Source::new(name, text), depth + 1)?;
            }
            "pragma" | "line" | "ident" | "warning" => {}
            "error" => {
                return Err(wrong(
                    hash.origin,
                    "promela::error-directive",
                    "the text itself reports an error",
                    "here",
                    "see the text of the directive",
                ));
            }
            other => {
                let message = format!("unknown directive `#{other}`");
                return Err(wrong(
                    hash.origin,
                    "promela::directive",
                    message,
                    "here",
                    "known are #define, #undef, #include, #if, #ifdef, #ifndef, #elif, #else, #endif",
                ));
            }
        }
        Ok(())
    }

    fn define(&mut self, words: &[Token], hash: &Token) -> Result<(), (u32, Diagnostic)> {
        let help = "write `#define NAME text` or `#define NAME(a, b) text`";
        let Some(Kind::Name(name)) = words.first().map(|word| &word.kind) else {
            return Err(wrong(
                hash.origin,
                "promela::define",
                "the name of the macro is missing",
                "here",
                help,
            ));
        };
        let mut parameters = None;
        let mut body = 1;
        if words.get(1).is_some_and(|word| word.is("(") && !word.spaced) {
            let mut names = Vec::new();
            body = 2;
            loop {
                match words.get(body).map(|word| &word.kind) {
                    Some(Kind::Name(name)) => names.push(name.clone()),
                    Some(Kind::Mark(",")) => {}
                    Some(Kind::Mark(")")) => break,
                    _ => {
                        return Err(wrong(
                            hash.origin,
                            "promela::define",
                            "the list of parameters is not closed",
                            "here",
                            help,
                        ));
                    }
                }
                body += 1;
            }
            body += 1;
            parameters = Some(names);
        }
        let body = words[body..].to_vec();
        self.macros.insert(name.clone(), Macro { parameters, body });
        Ok(())
    }

    /// Replaces macros until there is none left.
    fn expand(&self, input: Vec<Token>) -> Result<Vec<Token>, (u32, Diagnostic)> {
        let mut output = Vec::with_capacity(input.len());
        // The rest of the input, the next token last.
        let mut rest: Vec<(Token, Hidden)> = input.into_iter().rev().map(|token| (token, None)).collect();
        let mut steps = 0usize;
        while let Some((token, hidden)) = rest.pop() {
            steps += 1;
            if steps > MOST_TOKENS {
                return Err(wrong(
                    token.origin,
                    "promela::endless-macro",
                    "macros expand to too much text",
                    "expanding this",
                    "look for macros that use each other",
                ));
            }
            let found = match &token.kind {
                Kind::Name(name) if !hides(&hidden, name) => self.macros.get_key_value(name),
                _ => None,
            };
            let Some((name, found)) = found else {
                output.push(token);
                continue;
            };
            let arguments = match &found.parameters {
                None => Vec::new(),
                Some(parameters) => {
                    if !rest.last().is_some_and(|(next, _)| next.is("(")) {
                        output.push(token);
                        continue;
                    }
                    let arguments = arguments(&mut rest, &token)?;
                    let given = arguments.len();
                    if given != parameters.len() && !(parameters.is_empty() && arguments[0].is_empty()) {
                        let message = format!(
                            "`{name}` has {} parameters, {given} arguments are given",
                            parameters.len()
                        );
                        return Err(wrong(
                            token.origin,
                            "promela::macro-arguments",
                            message,
                            "used here",
                            "give one argument for each parameter",
                        ));
                    }
                    arguments
                }
            };
            let hidden: Hidden = Some(Rc::new(Names {
                name: name.clone(),
                others: hidden,
            }));
            let mut replacement: Vec<(Token, Hidden)> = Vec::new();
            let mut words = found.body.iter().peekable();
            while let Some(word) = words.next() {
                // `#x` is the argument's text.
                if word.is("#")
                    && let Some(Kind::Name(next)) = words.peek().map(|next| &next.kind)
                    && let Some(position) = found.parameters.iter().flatten().position(|name| name == next)
                {
                    words.next();
                    replacement.push((self.text_of(&arguments[position], &token), hidden.clone()));
                    continue;
                }
                let parameter = match (&word.kind, &found.parameters) {
                    (Kind::Name(word), Some(parameters)) => parameters.iter().position(|name| name == word),
                    _ => None,
                };
                match parameter {
                    Some(position) => replacement.extend(arguments[position].iter().cloned()),
                    None => {
                        let mut word = word.clone();
                        word.origin = token.origin;
                        word.starts_line = false;
                        replacement.push((word, hidden.clone()));
                    }
                }
            }
            if let Some((first, _)) = replacement.first_mut() {
                first.starts_line = token.starts_line;
            }
            rest.extend(replacement.into_iter().rev());
        }
        Ok(output)
    }

    /// The text of an argument, as a string.
    fn text_of(&self, argument: &[(Token, Hidden)], name: &Token) -> Token {
        let mut text = String::new();
        for (word, _) in argument {
            if word.spaced && !text.is_empty() {
                text.push(' ');
            }
            let source = &self.sources[word.origin.file as usize];
            text.push_str(source.slice(word.origin.span));
        }
        Token {
            kind: Kind::Text(text.into()),
            ..name.clone()
        }
    }

    /// The value of an `#if` expression.
    fn condition(&self, words: &[Token], hash: &Token) -> Result<bool, (u32, Diagnostic)> {
        let mut known = Vec::new();
        let mut at = 0;
        while at < words.len() {
            if words[at].is_name("defined") {
                let closed = words.get(at + 1).is_some_and(|word| word.is("("));
                let name = words.get(at + 1 + usize::from(closed));
                let defined = matches!(name.map(|word| &word.kind), Some(Kind::Name(name)) if self.macros.contains_key(name));
                known.push(Token {
                    kind: Kind::Number(i32::from(defined)),
                    ..words[at].clone()
                });
                at += if closed { 4 } else { 2 };
            } else {
                known.push(words[at].clone());
                at += 1;
            }
        }
        let expanded = self.expand(known)?;
        let mut reader = Arithmetic {
            words: &expanded,
            at: 0,
        };
        match reader.binary(0, 0) {
            Some(value) if reader.at == expanded.len() => Ok(value != 0),
            _ => Err(wrong(
                hash.origin,
                "promela::if-expression",
                "this condition cannot be evaluated",
                "here",
                "use numbers, macros, `defined(NAME)` and C's operators",
            )),
        }
    }
}

/// The arguments of a macro's use; the opening parenthesis is next.
fn arguments(rest: &mut Vec<(Token, Hidden)>, name: &Token) -> Result<Vec<Words>, (u32, Diagnostic)> {
    rest.pop();
    let mut found = vec![Vec::new()];
    let mut depth = 0;
    while let Some((token, hidden)) = rest.pop() {
        match token.kind {
            Kind::Mark("(") => depth += 1,
            Kind::Mark(")") if depth == 0 => return Ok(found),
            Kind::Mark(")") => depth -= 1,
            Kind::Mark(",") if depth == 0 => {
                found.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = found.last_mut() {
            last.push((token, hidden));
        }
    }
    Err(wrong(
        name.origin,
        "promela::macro-arguments",
        "the arguments of this macro are not closed",
        "used here",
        "close them with `)`",
    ))
}

fn wrong(
    origin: Origin,
    code: &'static str,
    message: impl Into<String>,
    label: &str,
    help: &str,
) -> (u32, Diagnostic) {
    (
        origin.file,
        Diagnostic::error(code, message, origin.span, label).with_help(help),
    )
}

/// C's integer expressions.
struct Arithmetic<'a> {
    words: &'a [Token],
    at: usize,
}

/// Operators by strength, the weakest first.
const STRENGTH: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Arithmetic<'_> {
    fn mark(&self) -> &'static str {
        match self.words.get(self.at).map(|word| &word.kind) {
            Some(Kind::Mark(mark)) => mark,
            _ => "",
        }
    }

    fn binary(&mut self, strength: usize, depth: usize) -> Option<i64> {
        let Some(operators) = STRENGTH.get(strength) else {
            return self.operand(depth);
        };
        let mut left = self.binary(strength + 1, depth)?;
        while let Some(&operator) = operators.iter().find(|operator| **operator == self.mark()) {
            self.at += 1;
            let right = self.binary(strength + 1, depth)?;
            left = match operator {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "<<" => left.wrapping_shl(right as u32),
                ">>" => left.wrapping_shr(right as u32),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        Some(left)
    }

    fn operand(&mut self, depth: usize) -> Option<i64> {
        if depth > 100 {
            return None;
        }
        let word = self.words.get(self.at)?;
        self.at += 1;
        match &word.kind {
            Kind::Number(number) => Some(i64::from(*number)),
            // A name that is no macro is zero.
            Kind::Name(_) => Some(0),
            Kind::Mark("!") => self.operand(depth + 1).map(|value| i64::from(value == 0)),
            Kind::Mark("-") => self.operand(depth + 1).map(i64::wrapping_neg),
            Kind::Mark("~") => self.operand(depth + 1).map(|value| !value),
            Kind::Mark("(") => {
                let value = self.binary(0, depth + 1)?;
                let closed = self.mark() == ")";
                self.at += 1;
                closed.then_some(value)
            }
            _ => None,
        }
    }
}
