//! An assertion where it stands: taken apart, read, and replaced.
//!
//! Each is replaced by declarations on the line it began on, the lines it took are kept, so places in the new text are places in the old one. A property in a procedure moves in front
//! of the procedure; under a condition it is not read. Immediate assertions stay in their procedures, under labels of ours.

use crate::design::{Check, Directive, EVERY_STEP, Edge, Form, IMMEDIATE, marker_wire};
use crate::emitted::Emitted;
use crate::expression::{after_group, rewrite};
use crate::property::{Bounds, Parser, UNSUPPORTED, not_read, unsupported};
use crate::scan::{Around, Scanner};
use crate::token::Token;
use entail_source::{Diagnostic, Span};

impl Scanner<'_> {
    /// An assertion of a module; what is replaced begins with the token at `begin`.
    pub(crate) fn item(
        &mut self,
        begin: usize,
        directive: usize,
        label: Option<String>,
        always: bool,
    ) -> usize {
        let start = self.start_of(begin);
        let around = Around {
            initial: !always,
            ..Around::default()
        };
        match self.parts(directive) {
            Err(problem) => {
                self.problems.push(problem);
                directive + 1
            }
            Ok(parts) => {
                let label = label.or_else(|| parts.label.clone());
                let (text, end) = self.property(&parts, label, &around, start);
                self.replace(start, end, &text);
                parts.next
            }
        }
    }

    /// An assertion in a procedure; the position after it.
    pub(crate) fn assertion(
        &mut self,
        begin: usize,
        directive: usize,
        label: Option<String>,
        around: &Around,
    ) -> usize {
        let parts = match self.parts(directive) {
            Ok(parts) => parts,
            Err(problem) => {
                self.problems.push(problem);
                return self.simple(directive);
            }
        };
        let start = self.start_of(begin);
        let label = label.or_else(|| parts.label.clone());
        if around.is_final {
            let message = "an assertion in a `final` procedure is not read: runs here have no end";
            let problem = unsupported(message, self.tokens[directive].span);
            self.refuse(&parts, label, around, start, problem);
            self.replace(start, parts.end, ";");
            return parts.next;
        }
        if parts.is_property {
            if around.conditional {
                let problem = under_condition(
                    "a property in a procedure in a loop, or under a `case` with patterns, is not read",
                    self.tokens[directive].span,
                );
                self.refuse(&parts, label, around, start, problem);
                self.replace(start, parts.end, ";");
                return parts.next;
            }
            if let Some(message) = self.conditions_change(around, directive) {
                let problem = under_condition(message, self.tokens[directive].span);
                self.refuse(&parts, label, around, start, problem);
                self.replace(start, parts.end, ";");
                return parts.next;
            }
            let (text, end) = self.property(&parts, label, around, start);
            self.edits.push((around.procedure, around.procedure, text));
            self.replace(start, end, ";");
            return parts.next;
        }
        let mut emitted = Emitted::default();
        emitted.clock.clone_from(&around.clock);
        let rewritten = match rewrite(&parts.tokens, &mut emitted, 0) {
            Ok(text) => text,
            Err(problem) => {
                self.refuse(&parts, label, around, start, problem);
                self.replace(start, parts.end, ";");
                return parts.next;
            }
        };
        self.demanding = self.demanding.take().or(emitted.demanding.take());
        if !emitted.text.is_empty() {
            let text = emitted
                .text
                .replace("entail$p0$", &format!("entail$i{}$", self.checks.len()));
            let rewritten = rewritten.replace("entail$p0$", &format!("entail$i{}$", self.checks.len()));
            self.edits.push((around.procedure, around.procedure, text));
            return self.immediate(&parts, label, around, start, &rewritten);
        }
        self.immediate(&parts, label, around, start, &rewritten)
    }

    /// A check that is not decided: an error of the whole text if it is malformed, or if others depend on it.
    pub(crate) fn refuse(
        &mut self,
        parts: &Parts,
        label: Option<String>,
        around: &Around,
        start: usize,
        problem: Diagnostic,
    ) {
        if problem.code != UNSUPPORTED || parts.directive == Directive::Assume {
            self.problems.push(problem);
            return;
        }
        let name = self.name(parts, label, around);
        self.refuse_named(parts, name, around, start, problem);
    }

    fn refuse_named(
        &mut self,
        parts: &Parts,
        name: String,
        around: &Around,
        start: usize,
        problem: Diagnostic,
    ) {
        if parts.directive == Directive::Assume {
            self.problems.push(problem);
            return;
        }
        self.push(parts, name, around, start, Form::Immediate, 0);
        if let Some(check) = self.checks.last_mut() {
            check.problem = Some(problem);
        }
    }

    /// An immediate assertion, left to the elaborator.
    pub(crate) fn immediate(
        &mut self,
        parts: &Parts,
        label: Option<String>,
        around: &Around,
        start: usize,
        expression: &str,
    ) -> usize {
        // Without a label, an assertion in a named block is called after the block, which the elaborator does not do.
        let is_nameless = label.is_none() && around.blocks.iter().any(|name| !name.is_empty());
        let name = self.name(parts, label, around);
        let number = self.checks.len();
        let text = match parts.directive {
            Directive::Assert => format!("{IMMEDIATE}{number}: assert ({expression});"),
            Directive::Cover => format!("{IMMEDIATE}{number}: assert (!({expression}));"),
            Directive::Assume => format!("assume ({expression});"),
        };
        self.replace(start, parts.end, &text);
        let is_plain = parts.is_simple && !is_nameless && is_same(expression, &parts.tokens);
        self.plain += usize::from(is_plain);
        match parts.directive {
            Directive::Assume => self.assumed.push((self.module(), Span::new(start, parts.end))),
            _ => self.push(parts, name, around, start, Form::Immediate, 0),
        }
        parts.next
    }

    pub(crate) fn push(
        &mut self,
        parts: &Parts,
        name: String,
        around: &Around,
        start: usize,
        form: Form,
        atoms: usize,
    ) {
        let module = self.module();
        self.checks.push(Check {
            directive: parts.directive,
            form,
            name,
            text: one_line(&self.text[start..parts.end]),
            span: Span::new(start, parts.end),
            atoms,
            only: None,
            clocks: Vec::new(),
            locals: Vec::new(),
            replicated: Vec::new(),
            inherited: None,
            problem: None,
            conditions: around.conditions.clone(),
            tokens: parts.tokens.clone(),
            always: !around.initial,
            disable: self
                .declared
                .disable
                .get(&module)
                .cloned()
                .filter(|_| parts.is_property),
            module,
            psl: None,
        });
    }

    /// The name of a check: its label or a number, below the blocks around it.
    pub(crate) fn name(&mut self, parts: &Parts, label: Option<String>, around: &Around) -> String {
        let own = label
            .map(|label| label.trim_start_matches('\\').to_owned())
            .unwrap_or_else(|| {
                let module = self.module();
                let count = self.unnamed.entry(module).or_default();
                *count += 1;
                format!("{}.{count}", parts.word)
            });
        let blocks = around.blocks.iter().filter(|name| !name.is_empty());
        let names: Vec<&str> = blocks.map(String::as_str).chain([own.as_str()]).collect();
        names.join(".")
    }

    /// The declarations that stand for a property, and where it ends in the text.
    pub(crate) fn property(
        &mut self,
        parts: &Parts,
        label: Option<String>,
        around: &Around,
        start: usize,
    ) -> (String, usize) {
        let number = self.checks.len();
        let module = self.module();
        let default = self
            .declared
            .clocking
            .get(&(module.clone(), String::new()))
            .cloned();
        let disable = self.declared.disable.get(&module).filter(|_| parts.is_property);
        let mut parser = Parser::new(&self.declared, &module, number, Bounds::Unknown, parts.directive);
        // What is no property is about every moment, whatever ticks.
        let inherited = match parts.is_property {
            true => around.clock.clone().or(default),
            false => Some(EVERY_STEP.to_owned()),
        };
        parser.inherits(inherited.clone());
        parser.conditions.clone_from(&around.conditions);
        let read = parser.specification(&parts.tokens, disable.map(Vec::as_slice), !around.initial);
        let (atoms, clocks) = (parser.atoms, parser.clocks.clone());
        let locals = parser.emitted.locals.names();
        let demanding = parser.emitted.demanding.take();
        let mut text = format!(
            "(* keep *) wire \\{} = 1'b1; {}",
            marker_wire(number),
            parser.emitted.text
        );
        if let Err(problem) = read {
            self.refuse(parts, label, around, start, problem);
            return (String::new(), parts.end);
        }
        self.demanding = self.demanding.take().or(demanding);
        let name = self.name(parts, label, around);
        for (place, clock) in clocks.iter().enumerate() {
            let Some(edge) = Edge::of(clock) else {
                let message = "the clock of a property is one edge of one signal";
                let span = Span::new(start, parts.end);
                self.refuse_named(parts, name, around, start, unsupported(message, span));
                return (String::new(), parts.end);
            };
            text.push_str(&edge.wires(number, place));
        }
        self.push(parts, name, around, start, Form::Property, atoms);
        if let Some(check) = self.checks.last_mut() {
            (check.clocks, check.inherited, check.locals) = (clocks, inherited, locals);
        }
        (text, parts.end)
    }

    /// The parts of an assertion whose directive stands at a position.
    pub(crate) fn parts(&mut self, at: usize) -> Result<Parts, Diagnostic> {
        let word = self.tokens[at].text.clone();
        let directive = match word.as_str() {
            "assert" => Directive::Assert,
            "cover" => Directive::Cover,
            _ => Directive::Assume,
        };
        let span = self.tokens[at].span;
        let mut place = at + 1;
        let mut is_property = false;
        let mut label = None;
        if self.is(place, "property") || self.is(place, "sequence") {
            is_property = true;
            place += 1;
        } else if self.is(place, "final") {
            place += 1;
        } else if self.is(place, "#") {
            place += 2;
        } else if self.is_name(place) && self.is(place + 1, ":") {
            // The older way, `assert name: expression;`, for which other tools have such names.
            label = Some(format!("property.{}", self.tokens[place].text));
            let begin = place + 2;
            let next = self.simple(begin);
            let tokens = self.tokens[begin..next.max(begin + 1) - 1].to_vec();
            return Ok(Parts {
                word,
                is_simple: false,
                directive,
                is_property,
                label,
                tokens,
                end: self.end_of(next.max(1) - 1),
                next,
            });
        }
        if !self.is(place, "(") {
            return Err(not_read(&format!("this `{word}` is not read"), span));
        }
        let close = after_group(&self.tokens, place);
        if close < place + 2 || !self.is(close - 1, ")") {
            return Err(not_read("this bracket is not closed", self.tokens[place].span));
        }
        let tokens = self.tokens[place + 1..close - 1].to_vec();
        if tokens.is_empty() {
            return Err(not_read(&format!("this `{word}` says nothing"), span));
        }
        let pass_over = Around {
            pass_over: true,
            ..Around::default()
        };
        let mut next = close;
        if self.is(next, ";") {
            next += 1;
        } else {
            if !self.is(next, "else") {
                next = self.statement(next, &pass_over);
            }
            if self.is(next, "else") {
                next = self.statement(next + 1, &pass_over);
            }
        }
        Ok(Parts {
            is_simple: word != "restrict" && place == at + 1 && next == close + 1 && self.is(close, ";"),
            word,
            directive,
            is_property,
            label,
            tokens,
            end: self.end_of(next.max(1) - 1),
            next,
        })
    }
}

/// A property that is not reached at every tick, and is not read.
fn under_condition(message: &str, span: Span) -> Diagnostic {
    unsupported(message, span).with_help("write the condition into the property: `condition |-> …`")
}

/// A text in one line, without the semicolon at its end.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches(';').trim_end().to_owned()
}

/// Whether an expression was handed on as it stood.
fn is_same(expression: &str, tokens: &[Token]) -> bool {
    let written: String = tokens.iter().map(|token| token.text.as_str()).collect();
    expression.split_whitespace().collect::<String>() == written
}

/// An assertion taken apart.
pub(crate) struct Parts {
    word: String,
    /// It is a word, an expression in brackets, and a semicolon.
    is_simple: bool,
    directive: Directive,
    /// It is about behaviour, not about one moment.
    is_property: bool,
    /// The name of the older way.
    label: Option<String>,
    tokens: Vec<Token>,
    /// Where it ends in the text.
    end: usize,
    /// The position after it.
    pub(crate) next: usize,
}
