//! The preprocessor: macros, conditional parts, included files.
//!
//! It works on tokens, not on text, so that everything that follows knows where in the file before preprocessing it stands. Macros
//! are in `macros`, the expressions of `#if` in `condition`.

use super::macros::Macros;
use super::token::{Kind, Token, tokens};
use crate::Trouble;
use entail_program::Origin;
use entail_source::{Diagnostic, Source, Span};

/// How an included file is found: the file that asks, the name it asks for; the name of the file found and its text.
pub type Include<'a> = &'a dyn Fn(&str, &str) -> Option<(String, String)>;

const DEEPEST_INCLUDE: usize = 32;

/// Files that are included, the same one counted every time: files that include each other twice would otherwise be read without end.
const MOST_INCLUDED: usize = 10_000;

/// Bytes of text in all files together.
const MOST_TEXT: usize = 256 << 20;

/// Expands a file.
pub struct Preprocessor<'a> {
    include: Include<'a>,
    pub(super) macros: Macros,
    /// The files, as they were met.
    pub sources: Vec<Source>,
    /// Bytes of all files.
    text: usize,
    output: Vec<Token>,
}

/// One `#if`: whether the part that is read now counts, together with all parts around it, and whether one of its parts has counted.
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
        definitions: &[String],
        include: Include<'a>,
    ) -> Result<(Vec<Token>, Vec<Source>), Trouble> {
        let mut preprocessor = Preprocessor {
            include,
            macros: Macros::default(),
            sources: Vec::new(),
            text: source.text().len(),
            output: Vec::new(),
        };
        // The main text is the first file.
        preprocessor.sources.push(source.clone());
        let mut result = preprocessor.definitions(definitions);
        result = result.and_then(|()| preprocessor.tokens_of(source, 0, 0));
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
                    origin: Origin::new(0, Span::new(end, end)),
                    starts_line: true,
                    spaced: true,
                });
                Ok((output, sources))
            }
            Err((file, diagnostic)) => Err(Trouble::new(&sources, file, diagnostic)),
        }
    }

    /// Macros given from outside: `N=4`, or `N`, which is 1.
    fn definitions(&mut self, definitions: &[String]) -> Result<(), (u32, Diagnostic)> {
        for definition in definitions {
            let (name, text) = definition.split_once('=').unwrap_or((definition, "1"));
            let line = Source::new("-D", format!("#define {name} {text}\n"));
            self.file(line, 0)?;
        }
        Ok(())
    }

    fn file(&mut self, source: Source, depth: usize) -> Result<(), (u32, Diagnostic)> {
        let file = self.sources.len() as u32;
        self.sources.push(source.clone());
        self.tokens_of(&source, file, depth)
    }

    fn tokens_of(&mut self, source: &Source, file: u32, depth: usize) -> Result<(), (u32, Diagnostic)> {
        let found = tokens(source.text(), file).map_err(|diagnostic| (file, diagnostic))?;
        self.macros.count(found.len(), file)?;
        let mut conditionals: Vec<Conditional> = Vec::new();
        let mut at = 0;
        let mut pending: Vec<Token> = Vec::new();
        while at < found.len() {
            if found[at].is("#") && found[at].starts_line {
                let end = found[at + 1..]
                    .iter()
                    .position(|token| token.starts_line)
                    .map_or(found.len(), |length| at + 1 + length);
                if counts(&conditionals) {
                    self.flush(&mut pending)?;
                }
                self.directive(&found[at + 1..end], &found[at], &mut conditionals, depth)?;
                at = end;
                continue;
            }
            if counts(&conditionals) {
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

    /// The name of a file: `"name"`, `<name>`, or a macro that stands for one of them.
    fn included(&self, words: &[Token]) -> Option<String> {
        match words {
            [word, ..] => match &word.kind {
                Kind::Text(name) => Some(name.to_string()),
                Kind::Mark("<") => {
                    let close = words.iter().position(|word| word.is(">"))?;
                    let whole = word.origin.span.end..words[close].origin.span.start;
                    let text = self.sources[word.origin.file as usize].text();
                    Some(text.get(whole)?.trim().to_owned())
                }
                Kind::Name(name) if self.macros.is_defined(name) => {
                    let expanded = self.expand(words.to_vec()).ok()?;
                    match expanded.first().map(|word| &word.kind) {
                        Some(Kind::Text(name)) => Some(name.to_string()),
                        _ => None,
                    }
                }
                _ => None,
            },
            [] => None,
        }
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
        let counts = counts(conditionals);
        let rest = &words[1..];
        match &**name {
            "if" | "ifdef" | "ifndef" => {
                let holds = counts
                    && match &**name {
                        "if" => self.condition(rest, hash)?,
                        wanted => {
                            let defined = matches!(rest.first().map(|word| &word.kind), Some(Kind::Name(name)) if self.macros.is_defined(name));
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
            "define" => self.macros.define(rest, hash)?,
            "undef" => {
                if let Some(Kind::Name(name)) = rest.first().map(|word| &word.kind) {
                    self.macros.forget(name);
                }
            }
            "include" => {
                let Some(wanted) = self.included(rest) else {
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
                if self.sources.len() > MOST_INCLUDED || self.text > MOST_TEXT {
                    return Err(wrong(
                        rest[0].origin,
                        "promela::include",
                        "too much is included",
                        "here",
                        "break circles with `#ifndef`",
                    ));
                }
                let asking = self.sources[hash.origin.file as usize].name().to_owned();
                let Some((name, text)) = (self.include)(&asking, &wanted) else {
                    return Err(wrong(
                        rest[0].origin,
                        "promela::include",
                        format!("cannot read the file \"{wanted}\""),
                        "included here",
                        "it is looked for beside the file that includes it, and in the folders of -I",
                    ));
                };
                self.text += text.len();
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
}

/// Whether what stands inside of these conditional parts is read.
fn counts(conditionals: &[Conditional]) -> bool {
    conditionals.last().is_none_or(|innermost| innermost.counts)
}

pub(super) fn wrong(
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
