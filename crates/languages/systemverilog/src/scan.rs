//! The outline of a text: modules, declarations of sequences and properties, procedures, and the assertions in them.
//!
//! Only as much of the language is understood as is needed to find assertions and to know where they stand. Each is replaced by declarations on the
//! line it began on, the lines it took are kept, so places in the new text are places in the old one. A property in a procedure moves in front
//! of the procedure; under a condition it is not read. Immediate assertions stay in their procedures, under labels of ours.

use crate::design::{
    Check, Design, Directive, EVERY_STEP, Edge, Form, IMMEDIATE, clock_wire, gate_wire, marker_wire,
};
use crate::emitted::Emitted;
use crate::expression::{after_group, rewrite};
use crate::locals::DeclaredLocal;
use crate::property::{Bounds, Parser, UNSUPPORTED, not_read, unsupported};
use crate::token::{Kind, Token, tokens};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// A named sequence or property.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub(crate) is_property: bool,
    /// Names of arguments, with what they are if they are not given.
    pub(crate) formals: Vec<(String, Option<Vec<Token>>)>,
    /// Variables that each attempt has for itself.
    pub(crate) locals: Vec<DeclaredLocal>,
    pub(crate) body: Vec<Token>,
}

/// What modules declare for their assertions; outside modules, the module has no name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declarations {
    pub(crate) named: HashMap<(String, String), Declaration>,
    /// The events of clocking blocks, by module and name; the default one has no name.
    pub(crate) clocking: HashMap<(String, String), String>,
    /// The default resets.
    pub(crate) disable: HashMap<String, Vec<Token>>,
}

impl Declarations {
    pub(crate) fn find(&self, module: &str, name: &str) -> Option<&Declaration> {
        let of = |module: &str| self.named.get(&(module.to_owned(), name.to_owned()));
        of(module).or_else(|| of(""))
    }
}

/// Reads a text.
pub fn read(source: &Source) -> Result<Design, Diagnostics> {
    let text = source.text();
    let mut scanner = Scanner {
        text,
        tokens: tokens(text),
        ..Scanner::default()
    };
    scanner.declarations();
    scanner.items();
    if !scanner.problems.is_empty() {
        return Err(Diagnostics(scanner.problems));
    }
    let (modules, roots) = scanner.hierarchy();
    Ok(Design {
        text: scanner.edited(),
        plain: scanner.edits.len() == scanner.plain,
        checks: scanner.checks,
        warnings: scanner.warnings,
        roots,
        modules,
        demanding: scanner.demanding,
        declarations: scanner.declared,
    })
}

#[derive(Default)]
pub(crate) struct Scanner<'s> {
    pub(crate) text: &'s str,
    pub(crate) tokens: Vec<Token>,
    /// Parts of the text and what stands there instead.
    pub(crate) edits: Vec<(usize, usize, String)>,
    /// How many of these need not be made: immediate assertions that the elaborator reads as they stand.
    pub(crate) plain: usize,
    pub(crate) checks: Vec<Check>,
    pub(crate) problems: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) declared: Declarations,
    /// For each module, how many of its assertions have had no name.
    pub(crate) unnamed: HashMap<String, usize>,
    /// The module around, and those around it.
    pub(crate) modules: Vec<String>,
    /// The first expression that only a complete elaborator understands.
    pub(crate) demanding: Option<Diagnostic>,
}

/// What surrounds a statement.
#[derive(Clone, Default)]
pub(crate) struct Around {
    /// Where the procedure begins in the text.
    pub(crate) procedure: usize,
    /// It runs once, at the beginning.
    pub(crate) initial: bool,
    /// The statement is not always reached.
    pub(crate) conditional: bool,
    /// The clock of the procedure.
    pub(crate) clock: Option<String>,
    /// Names of blocks.
    pub(crate) blocks: Vec<String>,
    /// How deep the statement is nested.
    pub(crate) depth: u32,
    /// Assertions are passed over.
    pub(crate) pass_over: bool,
}

const DIRECTIVES: [&str; 4] = ["assert", "assume", "cover", "restrict"];

impl Scanner<'_> {
    pub(crate) fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(text))
    }

    pub(crate) fn is_name(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Name)
    }

    pub(crate) fn is_directive(&self, at: usize) -> bool {
        DIRECTIVES.iter().any(|name| self.is(at, name))
    }

    pub(crate) fn module(&self) -> String {
        self.modules.last().cloned().unwrap_or_default()
    }

    /// The place where the token at a position ends, or the text.
    pub(crate) fn end_of(&self, at: usize) -> usize {
        self.tokens
            .get(at)
            .map_or(self.text.len(), |token| token.span.end)
    }

    pub(crate) fn start_of(&self, at: usize) -> usize {
        self.tokens
            .get(at)
            .map_or(self.text.len(), |token| token.span.start)
    }

    /// Puts something in the place of a part of the text, as many lines long.
    pub(crate) fn replace(&mut self, start: usize, end: usize, by: &str) {
        let lines = self.text[start..end].matches('\n').count();
        self.edits
            .push((start, end, format!("{by}{}", "\n".repeat(lines))));
    }

    pub(crate) fn edited(&self) -> String {
        let mut edits: Vec<&(usize, usize, String)> = self.edits.iter().collect();
        edits.sort_by_key(|(start, end, _)| (*start, *end));
        let mut text = String::new();
        let mut at = 0;
        for (start, end, by) in edits {
            if *start >= at {
                text.push_str(&self.text[at..*start]);
                text.push_str(by);
                at = *end;
            }
        }
        text.push_str(&self.text[at..]);
        text
    }

    /// The position of the first of some tokens from a position on.
    pub(crate) fn find(&self, from: usize, wanted: &str) -> Option<usize> {
        (from..self.tokens.len()).find(|&at| self.is(at, wanted))
    }

    /// Follows modules in and out. True if the token at a position is such a border.
    pub(crate) fn border(&mut self, at: usize) -> bool {
        let begins = [
            "module",
            "macromodule",
            "checker",
            "interface",
            "package",
            "program",
        ];
        let ends = [
            "endmodule",
            "endchecker",
            "endinterface",
            "endpackage",
            "endprogram",
        ];
        if begins.iter().any(|word| self.is(at, word)) {
            let skip = usize::from(self.is(at + 1, "automatic") || self.is(at + 1, "static"));
            let before = at.checked_sub(1);
            let is_port = self.is(at, "interface")
                && before.is_some_and(|before| {
                    self.is(before, "(") || self.is(before, ",") || self.is(before, "virtual")
                });
            if self.is_name(at + 1 + skip) && !is_port {
                self.modules.push(self.tokens[at + 1 + skip].text.clone());
                return true;
            }
        }
        if ends.iter().any(|word| self.is(at, word)) {
            self.modules.pop();
            return true;
        }
        false
    }

    /// Second pass: assertions.
    pub(crate) fn items(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            if self.border(at) {
                at += 1;
                continue;
            }
            let next = match self.tokens[at].text.as_str() {
                _ if self.tokens[at].kind != Kind::Name => at + 1,
                "property" => self.find(at, "endproperty").map_or(at + 1, |end| end + 1),
                "sequence" => self.find(at, "endsequence").map_or(at + 1, |end| end + 1),
                "clocking" => self.find(at, "endclocking").map_or(at + 1, |end| end + 1),
                "function" => self.find(at, "endfunction").map_or(at + 1, |end| end + 1),
                "task" => self.find(at, "endtask").map_or(at + 1, |end| end + 1),
                "always" | "always_comb" | "always_ff" | "always_latch" | "initial" | "final" => {
                    self.procedure(at)
                }
                _ if self.is(at + 1, ":") && self.is_directive(at + 2) => {
                    let label = self.tokens[at].text.clone();
                    self.item(at, at + 2, Some(label), true)
                }
                _ if self.is_directive(at) => self.item(at, at, None, true),
                _ => at + 1,
            };
            at = next.max(at + 1);
        }
    }

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

    /// A procedure; the position after it.
    pub(crate) fn procedure(&mut self, at: usize) -> usize {
        let initial = self.is(at, "initial") || self.is(at, "final");
        let labelled = self.is(at + 2, ":") && self.is_name(at + 1);
        let statement = at + 1 + 2 * usize::from(labelled);
        let is_property = self.is(statement + 1, "property") || self.is(statement + 1, "sequence");
        // (Alone after `initial`, an assertion is one about the first moment.)
        let alone = self.is(at, "initial") || self.is(at, "always");
        let old_style = self.is_name(statement + 1) && self.is(statement + 2, ":");
        if self.is_directive(statement) && (is_property || old_style || alone) {
            let label = labelled.then(|| self.tokens[at + 1].text.clone());
            return self.item(at, statement, label, !initial);
        }
        let around = Around {
            procedure: self.start_of(at),
            initial,
            ..Around::default()
        };
        self.statement(at + 1, &around)
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
        if parts.is_property {
            if around.conditional {
                let message = "a property in a procedure under a condition is not read";
                let span = self.tokens[directive].span;
                let help = "write the condition into the property: `condition |-> …`";
                let problem = unsupported(message, span).with_help(help);
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
        if parts.directive != Directive::Assume {
            self.push(parts, name, around, start, Form::Immediate, 0);
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
        let words: Vec<&str> = self.text[start..parts.end].split_whitespace().collect();
        let text = words.join(" ");
        let module = self.module();
        self.checks.push(Check {
            directive: parts.directive,
            form,
            name,
            text: text.trim_end_matches(';').trim_end().to_owned(),
            span: Span::new(start, parts.end),
            atoms,
            clocks: Vec::new(),
            locals: Vec::new(),
            inherited: None,
            problem: None,
            tokens: parts.tokens.clone(),
            always: !around.initial,
            disable: self
                .declared
                .disable
                .get(&module)
                .cloned()
                .filter(|_| parts.is_property),
            module,
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
            if edge.rises.is_some() {
                let wire = clock_wire(number, place);
                let _ = write!(text, "(* keep *) wire \\{wire} = {}; ", edge.signal);
            }
            if let Some(gate) = edge.gate {
                let wire = gate_wire(number, place);
                let _ = write!(text, "(* keep *) wire \\{wire} = |({gate}); ");
            }
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
            // The older way: `assert name: expression;`.
            label = Some(self.tokens[place].text.clone());
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

    /// The modules, and those that no other one instantiates.
    pub(crate) fn hierarchy(&self) -> (Vec<String>, Vec<String>) {
        let mut modules = Vec::new();
        for at in 0..self.tokens.len() {
            let skip = usize::from(self.is(at + 1, "automatic") || self.is(at + 1, "static"));
            if (self.is(at, "module") || self.is(at, "macromodule")) && self.is_name(at + 1 + skip) {
                modules.push(self.tokens[at + 1 + skip].text.clone());
            }
        }
        let mut used = HashSet::new();
        for at in 1..self.tokens.len() {
            let declares = [
                "module",
                "macromodule",
                "automatic",
                "static",
                ":",
                ".",
                "import",
                "bind",
            ];
            let may_be_one = self.is_name(at) && (self.is_name(at + 1) || self.is(at + 1, "#"));
            if may_be_one && !declares.iter().any(|word| self.is(at - 1, word)) {
                used.insert(self.tokens[at].text.as_str());
            }
        }
        let is_used = |name: &&String| used.contains(name.as_str());
        let roots = modules.iter().filter(|name| !is_used(name)).cloned().collect();
        (modules, roots)
    }
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
    next: usize,
}
