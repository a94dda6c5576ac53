//! From tokens to the syntax tree: recursive descent through the sections of a file; [`expressions`] by the strength of their operators.

mod expressions;

use crate::lexer::{Kind, Token, tokens};
use crate::syntax::*;
use entail_source::{Diagnostic, Diagnostics, Span};

/// Parses a file.
pub fn parse(text: &str) -> Result<File, Diagnostics> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        depth: 0,
    };
    let mut file = File::default();
    parser.info(&mut file)?;
    if parser.is_name("GLOBAL") {
        parser.global(&mut file)?;
    }
    parser.main(&mut file)?;
    match parser.peek() {
        Kind::End => Ok(file),
        _ => Err(parser.expected("the end of the file", "MAIN is the last section")),
    }
}

struct Parser<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, Diagnostics>;

impl<'a> Parser<'_, 'a> {
    fn peek(&self) -> Kind<'a> {
        self.tokens[self.at].kind
    }

    fn peek_second(&self) -> Kind<'a> {
        self.tokens.get(self.at + 1).map_or(Kind::End, |token| token.kind)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The end of what was read last.
    fn last_end(&self) -> usize {
        self.at
            .checked_sub(1)
            .map_or(0, |last| self.tokens[last].span.end)
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.tokens[self.at].clone();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    fn expected(&self, what: &str, help: &str) -> Diagnostics {
        let found = match self.peek() {
            Kind::Name(text) => format!("`{text}`"),
            Kind::Number(number) => format!("`{number}`"),
            Kind::Text(_) => "a text".to_owned(),
            Kind::Symbol(symbol) => format!("`{symbol}`"),
            Kind::End => "the end of the file".to_owned(),
        };
        let message = format!("expected {what}, found {found}");
        Diagnostic::error("tlsf::syntax", message, self.span(), "here")
            .with_help(help)
            .into()
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Kind::Symbol(known) if known == symbol)
    }

    fn is_name(&self, name: &str) -> bool {
        matches!(self.peek(), Kind::Name(text) if text == name)
    }

    fn take_symbol(&mut self, symbol: &str) -> bool {
        let here = self.is_symbol(symbol);
        self.at += usize::from(here);
        here
    }

    fn take_name(&mut self, name: &str) -> bool {
        let here = self.is_name(name);
        self.at += usize::from(here);
        here
    }

    fn symbol(&mut self, symbol: &str, help: &str) -> Parsed<()> {
        match self.take_symbol(symbol) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{symbol}`"), help)),
        }
    }

    fn identifier(&mut self, what: &str) -> Parsed<(String, Span)> {
        match self.peek() {
            Kind::Name(name) if !RESERVED.contains(&name) => {
                let span = self.span();
                self.at += 1;
                Ok((name.to_owned(), span))
            }
            Kind::Name(name) => {
                let help = format!("`{name}` is a reserved word: choose another name");
                Err(self.expected(what, &help))
            }
            _ => Err(self.expected(what, "names begin with a letter, `_` or `@`")),
        }
    }

    fn info(&mut self, file: &mut File) -> Parsed<()> {
        let help = "a specification begins with INFO { TITLE: \"…\" DESCRIPTION: \"…\" SEMANTICS: Mealy TARGET: Mealy }";
        if !self.take_name("INFO") {
            return Err(self.expected("`INFO`", help));
        }
        self.symbol("{", help)?;
        while !self.take_symbol("}") {
            let span = self.span();
            let Kind::Name(key) = self.peek() else {
                return Err(self.expected("an entry of INFO, or `}`", help));
            };
            self.at += 1;
            self.symbol(":", help)?;
            let twice = match key {
                "TITLE" => file.title.replace(self.text()?).is_some(),
                "DESCRIPTION" => file.description.replace(self.text()?).is_some(),
                "SEMANTICS" => {
                    let begin = self.span();
                    let mut words = vec![self.word()?];
                    while self.take_symbol(",") {
                        words.push(self.word()?);
                    }
                    let whole = Span::new(begin.start, self.last_end());
                    file.semantics.replace((words, whole)).is_some()
                }
                "TARGET" => {
                    let place = self.span();
                    file.target.replace((self.word()?, place)).is_some()
                }
                "TAGS" => {
                    let mut tags = vec![self.word()?];
                    while self.take_symbol(",") {
                        tags.push(self.word()?);
                    }
                    !std::mem::replace(&mut file.tags, tags).is_empty()
                }
                _ => {
                    self.at -= 2;
                    return Err(self.expected("TITLE, DESCRIPTION, SEMANTICS, TARGET or TAGS", help));
                }
            };
            if twice {
                let message = format!("{key} is given twice");
                return Err(Diagnostic::error("tlsf::info", message, span, "the second time").into());
            }
        }
        let given = [
            ("SEMANTICS", file.semantics.is_some()),
            ("TARGET", file.target.is_some()),
            ("TITLE", file.title.is_some()),
            ("DESCRIPTION", file.description.is_some()),
        ];
        match given.iter().find(|(_, given)| !given) {
            Some((key, _)) => {
                let message = format!("INFO has no {key}");
                let end = Span::new(self.last_end() - 1, self.last_end());
                let problem = Diagnostic::error("tlsf::info", message, end, "INFO ends here");
                Err(problem.with_help(help).into())
            }
            None => Ok(()),
        }
    }

    fn text(&mut self) -> Parsed<String> {
        match self.next().kind {
            Kind::Text(text) => Ok(text.replace("\\\"", "\"")),
            _ => {
                self.at -= 1;
                Err(self.expected("a text in quotes", "write \"…\""))
            }
        }
    }

    fn word(&mut self) -> Parsed<String> {
        match self.peek() {
            Kind::Name(name) => {
                self.at += 1;
                Ok(name.to_owned())
            }
            _ => Err(self.expected("a word", "SEMANTICS and TARGET are Mealy or Moore")),
        }
    }

    fn global(&mut self, file: &mut File) -> Parsed<()> {
        let help = "GLOBAL { PARAMETERS { n = 2; } DEFINITIONS { f(x) = …; } }";
        self.at += 1;
        self.symbol("{", help)?;
        while !self.take_symbol("}") {
            let parameters = self.take_name("PARAMETERS");
            if !parameters && !self.take_name("DEFINITIONS") {
                return Err(self.expected("PARAMETERS, DEFINITIONS or `}`", help));
            }
            self.symbol("{", help)?;
            loop {
                while self.take_symbol(";") {}
                if self.take_symbol("}") {
                    break;
                }
                if !parameters && self.is_name("enum") {
                    let enumeration = self.enumeration()?;
                    file.enumerations.push(enumeration);
                } else {
                    let definition = self.definition()?;
                    match parameters {
                        true => file.parameters.push(definition),
                        false => file.definitions.push(definition),
                    }
                }
                if !self.is_symbol("}") {
                    self.symbol(";", "definitions are separated by `;`")?;
                }
            }
        }
        Ok(())
    }

    fn definition(&mut self) -> Parsed<Definition> {
        let (name, span) = self.identifier("the name of a definition")?;
        let mut arguments = Vec::new();
        if self.take_symbol("(") {
            loop {
                arguments.push(self.identifier("the name of an argument")?.0);
                if !self.take_symbol(",") {
                    break;
                }
            }
            self.symbol(")", "arguments are separated by `,`")?;
        }
        self.symbol("=", "a definition is written as f(x, y) = …;")?;
        let mut cases = vec![self.expression(0)?];
        while !self.is_symbol(";") && !self.is_symbol("}") {
            cases.push(self.expression(0)?);
        }
        Ok(Definition {
            name,
            span,
            arguments,
            cases,
        })
    }

    fn enumeration(&mut self) -> Parsed<Enumeration> {
        let help = "an enumeration is written as enum name = First: 00 Second: 01, 10;";
        self.at += 1;
        let (name, span) = self.identifier("the name of an enumeration")?;
        self.symbol("=", help)?;
        let mut values: Vec<EnumerationValue> = Vec::new();
        while !self.is_symbol(";") && !self.is_symbol("}") {
            let (value, place) = self.identifier("a value")?;
            self.symbol(":", help)?;
            let mut codes = vec![self.code(help)?];
            while self.take_symbol(",") {
                codes.push(self.code(help)?);
            }
            values.push((value, place, codes));
        }
        let size = values.first().map_or(0, |(_, _, codes)| codes[0].len());
        if let Some((value, place, _)) = values
            .iter()
            .find(|(_, _, codes)| codes.iter().any(|code| code.len() != size))
        {
            let message = format!("the code of `{value}` has another length than the first");
            let problem = Diagnostic::error("tlsf::enumeration", message, *place, "this value");
            return Err(problem
                .with_help("all codes of an enumeration have the same number of bits")
                .into());
        }
        if size == 0 {
            return Err(self.expected("a value with its code", help));
        }
        Ok(Enumeration {
            name,
            span,
            size,
            values,
        })
    }

    /// Bits without space between them: `0`, `1`, or `*` for both. The scanner has cut them into numbers and stars.
    fn code(&mut self, help: &str) -> Parsed<Vec<Option<bool>>> {
        let mut bits = Vec::new();
        let begin = self.span().start;
        let mut end = begin;
        loop {
            let token = &self.tokens[self.at];
            if token.span.start != end {
                break;
            }
            match token.kind {
                // A number has lost its leading zeros, but not its length.
                Kind::Number(number) => {
                    let length = token.span.len();
                    let digits = format!("{number:0length$}");
                    if !digits.bytes().all(|digit| matches!(digit, b'0' | b'1')) {
                        return Err(self.expected("bits", help));
                    }
                    bits.extend(digits.bytes().map(|digit| Some(digit == b'1')));
                }
                Kind::Symbol("*") => bits.push(None),
                _ => break,
            }
            end = token.span.end;
            self.at += 1;
        }
        match bits.is_empty() {
            true => Err(self.expected("bits", help)),
            false => Ok(bits),
        }
    }

    fn main(&mut self, file: &mut File) -> Parsed<()> {
        let help = "MAIN { INPUTS { … } OUTPUTS { … } ASSUME { … } GUARANTEE { … } }";
        if !self.take_name("MAIN") {
            return Err(self.expected("`MAIN`", help));
        }
        self.symbol("{", help)?;
        while !self.take_symbol("}") {
            let Kind::Name(name) = self.peek() else {
                return Err(self.expected("a section of MAIN, or `}`", help));
            };
            let section = SECTIONS.iter().position(|names| names.contains(&name));
            if section.is_none() && name != "INPUTS" && name != "OUTPUTS" {
                let all = "INPUTS, OUTPUTS, INITIALLY, PRESET, REQUIRE, ASSUME, ASSERT or GUARANTEE";
                return Err(self.expected(all, help));
            }
            self.at += 1;
            self.symbol("{", help)?;
            loop {
                while self.take_symbol(";") {}
                if self.take_symbol("}") {
                    break;
                }
                match section {
                    Some(section) => {
                        let formula = self.expression(0)?;
                        file.sections[section].push(formula);
                    }
                    None => {
                        let signal = self.signal()?;
                        match name {
                            "INPUTS" => file.inputs.push(signal),
                            _ => file.outputs.push(signal),
                        }
                    }
                }
                if !self.is_symbol("}") {
                    self.symbol(";", "the parts of a section are separated by `;`")?;
                }
            }
        }
        Ok(())
    }

    fn signal(&mut self) -> Parsed<Signal> {
        let (name, span) = self.identifier("the name of a signal")?;
        if self.take_symbol("[") {
            let width = self.expression(0)?;
            self.symbol("]", "a bus is written as name[width]")?;
            let kind = SignalKind::Bus(width);
            return Ok(Signal { name, span, kind });
        }
        match self.peek() {
            Kind::Name(_) => {
                let (signal, place) = self.identifier("the name of a signal")?;
                Ok(Signal {
                    name: signal,
                    span: place,
                    kind: SignalKind::Typed(name),
                })
            }
            _ => Ok(Signal {
                name,
                span,
                kind: SignalKind::Single,
            }),
        }
    }
}
