//! The preprocessor (IEEE 1800-2017, 22): macros, conditional parts, included files.
//!
//! Assertions are often written by macros, so they are found in the text that is left when there are none. Every line stays where it was: what a macro stands for is written in the line
//! where its use begins, an included file in the line of its directive, and what is left out leaves its line ends. So places in messages about the text are right, and for each part of it
//! [`Origins`] knows the place in the user's text (of an argument: where that is written; of the rest of a macro's body: where the macro is used).
//!
//! It is ours, and not the crate `sv-parser-pp`, because lines have to stay: yosys tells lines of the text that it is given, and that crate puts included files in with their lines.
//!
//! A text is cut into pieces once, and a macro's body is a list of pieces; what is used is put in as a list again, and looked through for further uses. The work is linear
//! in what comes out, which is limited; macros that use themselves are refused.

mod lexeme;
mod macros;
mod origins;
#[cfg(test)]
mod tests;

use entail_source::{Diagnostic, Diagnostics, Source, Span, nearest};
use lexeme::{Kind, Lexeme, lexemes};
use macros::{Macro, trimmed};
pub(crate) use origins::Origins;
use std::collections::{HashMap, HashSet};

/// What is known about a text from outside of it.
pub struct Surroundings<'s> {
    /// Macros that are defined already, with what they stand for.
    pub defines: Vec<(String, String)>,
    /// A file that is included, by its name and that of the file which includes it.
    pub include: &'s Include<'s>,
}

/// A file by its name and that of the file which includes it: its own name, and its text.
pub type Include<'s> = dyn Fn(&str, &str) -> Option<(String, String)> + 's;

/// Macros use each other, and files include each other, so deep at most.
const DEEPEST: usize = 100;

/// The longest text.
const LONGEST: usize = 1 << 28;

/// Directives for the elaborator, and whether the rest of the line belongs to them.
const HANDED_ON: [(&str, bool); 13] = [
    ("timescale", true),
    ("default_nettype", true),
    ("line", true),
    ("pragma", true),
    ("begin_keywords", true),
    ("unconnected_drive", true),
    ("default_decay_time", true),
    ("default_trireg_strength", true),
    ("resetall", false),
    ("celldefine", false),
    ("endcelldefine", false),
    ("nounconnected_drive", false),
    ("end_keywords", false),
];

pub(super) fn wrong(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error("sva::preprocessor", message, span, "here")
}

/// A text without macros.
#[derive(Debug)]
pub(crate) struct Preprocessed {
    pub(crate) text: String,
    pub(crate) origins: Origins,
}

/// Whether there is anything to do in a text.
pub(crate) fn is_needed(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('`') {
        rest = &rest[at + 1..];
        let word = &rest[..lexeme::word_length(rest)];
        if !word.is_empty() && !HANDED_ON.iter().any(|(known, _)| *known == word) {
            return true;
        }
    }
    false
}

/// The first part of a text without macros, and the rest of it as it stands.
pub(crate) fn preprocess(
    source: &Source,
    end: usize,
    around: &Surroundings<'_>,
) -> Result<Preprocessed, Diagnostics> {
    let mut preprocessor = Preprocessor {
        all: source.text().to_owned(),
        macros: HashMap::new(),
        around,
        source,
        conditions: Vec::new(),
        files: Vec::new(),
        written: 0,
        included: HashSet::new(),
    };
    for (name, value) in &around.defines {
        let begin = preprocessor.write(value, Kind::Other, Span::new(0, 0)).start;
        let body = lexemes(
            &preprocessor.all,
            begin,
            preprocessor.all.len(),
            Some(Span::new(0, 0)),
        );
        let formals = None;
        preprocessor.macros.insert(name.clone(), Macro { formals, body });
    }
    let pieces = lexemes(&preprocessor.all, 0, end, None);
    let mut found = Vec::with_capacity(pieces.len());
    let done = preprocessor.expand(&pieces, false, &mut Vec::new(), &mut found);
    let done = done.and_then(|()| match preprocessor.conditions.last() {
        None => Ok(()),
        Some(open) => Err(wrong("there is no `endif` for this", open.span)),
    });
    done.map_err(|problem| Diagnostics(vec![problem]))?;
    let Preprocessor { all, included, .. } = preprocessor;
    let mut text = String::with_capacity(end);
    let mut origins = Origins::default();
    for piece in found {
        let is_itself = piece.start == piece.origin.start && piece.end == piece.origin.end;
        let is_included = included.contains(&(piece.origin.start, piece.origin.end));
        origins.push(text.len(), piece.origin, is_itself, is_included);
        text.push_str(piece.text(&all));
    }
    let rest = Span::new(end, source.text().len());
    origins.push(text.len(), rest, true, false);
    text.push_str(&source.text()[end..]);
    Ok(Preprocessed { text, origins })
}

/// A part that is there under a condition.
struct Condition {
    /// Where it begins.
    span: Span,
    /// It is there.
    is_on: bool,
    /// One of its branches has been there.
    was_on: bool,
    /// What stands around it is there.
    around: bool,
    /// There was an `else`.
    is_last: bool,
}

pub(super) struct Preprocessor<'s> {
    /// Everything that has been read, one behind the other, beginning with the user's text.
    all: String,
    macros: HashMap<String, Macro>,
    around: &'s Surroundings<'s>,
    source: &'s Source,
    conditions: Vec<Condition>,
    /// The files that are being included.
    files: Vec<String>,
    written: usize,
    /// The directives that have included files.
    included: HashSet<(usize, usize)>,
}

type Done = Result<(), Diagnostic>;

impl Preprocessor<'_> {
    fn is_on(&self) -> bool {
        self.conditions.last().is_none_or(|inner| inner.is_on)
    }

    /// Writes pieces out without macros. Flat ones stand in one line, and without comments.
    fn expand(
        &mut self,
        pieces: &[Lexeme],
        flat: bool,
        active: &mut Vec<String>,
        out: &mut Vec<Lexeme>,
    ) -> Done {
        let mut at = 0;
        while let Some(piece) = pieces.get(at) {
            at += 1;
            match piece.kind {
                Kind::Directive => at = self.directive(pieces, at - 1, flat, active, out)?,
                Kind::Newline | Kind::Continued if flat => self.put(b' ', piece, out),
                Kind::Newline => self.put(b'\n', piece, out),
                Kind::Continued => self.put(b'\n', piece, out),
                Kind::Comment if !flat && self.is_on() => out.push(*piece),
                Kind::Comment => {
                    let lines = piece.text(&self.all).matches('\n').count();
                    self.put(b' ', piece, out);
                    self.keep_lines(lines, flat, piece.origin, out);
                }
                _ if !self.is_on() => {
                    let lines = piece.text(&self.all).matches('\n').count();
                    self.keep_lines(lines, flat, piece.origin, out);
                }
                _ => {
                    self.written += piece.end - piece.start;
                    if self.written > LONGEST {
                        return Err(wrong("what macros stand for is too long", piece.origin));
                    }
                    out.push(*piece);
                }
            }
        }
        Ok(())
    }

    /// Writes one blank character in the place of a piece.
    fn put(&mut self, blank: u8, piece: &Lexeme, out: &mut Vec<Lexeme>) {
        let text = if blank == b'\n' { "\n" } else { " " };
        match piece.text(&self.all) == text {
            true => out.push(*piece),
            false => {
                let written = self.write(text, Kind::Space, piece.origin);
                out.push(written);
            }
        }
    }

    fn keep_lines(&mut self, lines: usize, flat: bool, origin: Span, out: &mut Vec<Lexeme>) {
        if lines > 0 && !flat {
            let written = self.write(&"\n".repeat(lines), Kind::Space, origin);
            out.push(written);
        }
    }

    /// A directive or the use of a macro; the position behind it.
    fn directive(
        &mut self,
        pieces: &[Lexeme],
        at: usize,
        flat: bool,
        active: &mut Vec<String>,
        out: &mut Vec<Lexeme>,
    ) -> Result<usize, Diagnostic> {
        let piece = pieces[at];
        let name = piece.text(&self.all)[1..].to_owned();
        let line = || line_end(pieces, at);
        let next = match name.as_str() {
            "ifdef" | "ifndef" | "elsif" | "else" | "endif" => {
                let next = match name.as_str() {
                    "else" | "endif" => at + 1,
                    _ => word_after(pieces, at),
                };
                self.conditional(&name, pieces, at, next)?;
                next
            }
            _ if !self.is_on() => return Ok(at + 1),
            "define" => {
                let end = line();
                let (name, defined) = self.declared(&pieces[at + 1..end], piece.origin)?;
                self.macros.insert(name, defined);
                end
            }
            "undef" => {
                let next = word_after(pieces, at);
                let name = trimmed(&pieces[at + 1..next]).first();
                let name = name.map(|one| one.text(&self.all).to_owned());
                self.macros.remove(&name.unwrap_or_default());
                next
            }
            "undefineall" => {
                self.macros.clear();
                at + 1
            }
            "include" => {
                let end = line();
                self.include(&pieces[at + 1..end], piece, active, out)?;
                end
            }
            "__LINE__" => {
                let number = self.source.place(piece.origin.start).line.to_string();
                let written = self.write(&number, Kind::Word, piece.origin);
                out.push(written);
                at + 1
            }
            "__FILE__" => {
                let (file, _) = self.source.part(piece.origin);
                let text = format!("\"{}\"", file.name());
                let written = self.write(&text, Kind::Text, piece.origin);
                out.push(written);
                at + 1
            }
            _ => match HANDED_ON.iter().find(|(known, _)| *known == name) {
                Some((_, has_rest)) => {
                    let end = if *has_rest { line() } else { at + 1 };
                    if !flat {
                        out.extend(&pieces[at..end]);
                        return Ok(end);
                    }
                    if name == "default_nettype" {
                        out.extend(&pieces[at..end]);
                    }
                    end
                }
                None => self.used(pieces, at, &name, active, out)?,
            },
        };
        let lines: usize = pieces[at..next]
            .iter()
            .map(|one| one.text(&self.all).matches('\n').count())
            .sum();
        self.keep_lines(lines, flat, piece.origin, out);
        Ok(next)
    }

    /// The use of a macro; the position behind it.
    fn used(
        &mut self,
        pieces: &[Lexeme],
        at: usize,
        name: &str,
        active: &mut Vec<String>,
        out: &mut Vec<Lexeme>,
    ) -> Result<usize, Diagnostic> {
        let piece = pieces[at];
        let Some(found) = self.macros.get(name).cloned() else {
            let problem = wrong(&format!("the macro `{name}` is not defined"), piece.origin);
            let known = self.macros.keys().map(String::as_str);
            return Err(match nearest(name, known) {
                Some(near) => problem.with_help(format!("did you mean `{near}`?")),
                None => problem.with_help(
                    "-D NAME defines a macro, -I FOLDER says where files are that a design includes",
                ),
            });
        };
        if active.len() >= DEEPEST || active.iter().any(|known| known == name) {
            return Err(wrong(&format!("the macro `{name}` uses itself"), piece.origin));
        }
        let (mut next, mut values) = (at + 1, HashMap::new());
        let mut used = piece.origin;
        if let Some(formals) = &found.formals {
            let open = (next..pieces.len()).find(|&place| !pieces[place].is_blank());
            let Some(open) = open.filter(|&open| self.is(pieces.get(open), "(")) else {
                return Err(wrong(
                    &format!("the macro `{name}` has arguments: `(` is expected"),
                    piece.origin,
                ));
            };
            let (given, end) = self.in_brackets(pieces, open)?;
            next = end;
            let close = pieces[end - 1].origin;
            if close.end > used.start {
                used = Span::new(used.start, close.end.max(used.end));
            }
            values = self.arguments(name, formals, given, used)?;
            for value in values.values_mut() {
                let mut expanded = Vec::new();
                self.expand(value, true, active, &mut expanded)?;
                *value = expanded;
            }
        }
        let instance = self.instance(&found.body, &values, used);
        active.push(name.to_owned());
        self.expand(&instance, true, active, out)?;
        active.pop();
        Ok(next)
    }

    /// `ifdef` and its kind.
    fn conditional(&mut self, word: &str, pieces: &[Lexeme], at: usize, next: usize) -> Done {
        let span = pieces[at].origin;
        let named = trimmed(&pieces[at + 1..next]).first().copied();
        let name = named.map(|one| one.text(&self.all).to_owned());
        let is_defined = match (word, &name) {
            ("else" | "endif", _) => true,
            (_, Some(name)) => self.macros.contains_key(name),
            (_, None) => return Err(wrong("the name of a macro is expected", span)),
        };
        if word == "ifdef" || word == "ifndef" {
            let around = self.is_on();
            let is_on = around && (is_defined == (word == "ifdef"));
            self.conditions.push(Condition {
                span,
                is_on,
                was_on: is_on,
                around,
                is_last: false,
            });
            return Ok(());
        }
        let message = format!("there is no `ifdef` for this `{word}`");
        let Some(open) = self.conditions.last_mut() else {
            return Err(wrong(&message, span));
        };
        if word == "endif" {
            self.conditions.pop();
            return Ok(());
        }
        if open.is_last {
            return Err(wrong("after `else` comes `endif`", span));
        }
        open.is_last = word == "else";
        open.is_on = open.around && !open.was_on && is_defined;
        open.was_on |= open.is_on;
        Ok(())
    }

    /// Puts in a file.
    fn include(
        &mut self,
        named: &[Lexeme],
        directive: Lexeme,
        active: &mut Vec<String>,
        out: &mut Vec<Lexeme>,
    ) -> Done {
        let mut name = Vec::new();
        self.expand(named, true, active, &mut name)?;
        let name: String = trimmed(&name).iter().map(|one| one.text(&self.all)).collect();
        let span = match (trimmed(named).first(), trimmed(named).last()) {
            (Some(first), Some(last)) => Span::new(
                directive.origin.start,
                last.origin.end.max(first.origin.end).max(directive.origin.end),
            ),
            _ => directive.origin,
        };
        let ends = [('"', '"'), ('<', '>')];
        let file = ends
            .iter()
            .find_map(|&(open, close)| name.strip_prefix(open)?.strip_suffix(close));
        let Some(file) = file else {
            return Err(wrong(
                "the name of a file is expected: `include \"file.svh\"`",
                span,
            ));
        };
        let (part, _) = self.source.part(directive.origin);
        let from = self.files.last().map_or(part.name(), String::as_str);
        let Some((path, text)) = (self.around.include)(file, from) else {
            let message = format!("the file `{file}` is not found");
            return Err(
                wrong(&message, span).with_help("-I FOLDER says where files are that a design includes")
            );
        };
        if self.files.len() >= DEEPEST || self.all.len() + text.len() > LONGEST {
            return Err(wrong("files include each other too deeply", span));
        }
        let start = self.all.len();
        self.all.push_str(&text);
        self.included.insert((span.start, span.end));
        let pieces = lexemes(&self.all, start, self.all.len(), Some(span));
        self.files.push(path);
        let depth = self.conditions.len();
        self.expand(&pieces, true, active, out)?;
        self.files.pop();
        match self.conditions.len() == depth {
            true => Ok(()),
            false => Err(wrong(
                &format!("in the file `{file}`, an `ifdef` has no `endif`"),
                span,
            )),
        }
    }
}

/// The position of the end of the line that a position is in.
fn line_end(pieces: &[Lexeme], at: usize) -> usize {
    (at..pieces.len())
        .find(|&place| pieces[place].kind == Kind::Newline)
        .unwrap_or(pieces.len())
}

/// The position behind the first word after a position.
fn word_after(pieces: &[Lexeme], at: usize) -> usize {
    let blanks = pieces[at + 1..]
        .iter()
        .take_while(|one| matches!(one.kind, Kind::Space | Kind::Continued | Kind::Comment));
    let word = at + 1 + blanks.count();
    (word + 1).min(pieces.len())
}
