//! The outline of a text: modules, declarations of sequences and properties, procedures, and the assertions in them.
//!
//! Only as much of the language is understood as is needed to find assertions and to know where they stand. Each is replaced by declarations on the
//! line it began on, the lines it took are kept, so places in the new text are places in the old one. A property in a procedure moves in front
//! of the procedure; under a condition it is not read. Immediate assertions stay in their procedures, under labels of ours.

use crate::design::{Check, Design, Directive, Form, IMMEDIATE, marker_wire};
use crate::expression::{after_group, rewrite, span_of, split};
use crate::property::{Bounds, Emitted, Parser, not_read};
use crate::token::{Kind, Token, tokens};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use std::collections::HashMap;

/// A named sequence or property.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub(crate) is_property: bool,
    /// Names of arguments, with what they are if they are not given.
    pub(crate) formals: Vec<(String, Option<Vec<Token>>)>,
    pub(crate) body: Vec<Token>,
}

/// What modules declare for their assertions; outside modules, the module has no name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declarations {
    named: HashMap<(String, String), Declaration>,
    /// The events of clocking blocks, by module and name; the default one has no name.
    pub(crate) clocking: HashMap<(String, String), String>,
    /// The default resets.
    disable: HashMap<String, Vec<Token>>,
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
    scanner.warn_of_clocks();
    let (modules, roots) = scanner.hierarchy();
    Ok(Design {
        text: scanner.edited(),
        checks: scanner.checks,
        warnings: scanner.warnings,
        roots,
        modules,
        declarations: scanner.declared,
    })
}

#[derive(Default)]
struct Scanner<'s> {
    text: &'s str,
    tokens: Vec<Token>,
    /// Parts of the text and what stands there instead.
    edits: Vec<(usize, usize, String)>,
    checks: Vec<Check>,
    problems: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    declared: Declarations,
    /// For each module, how many of its assertions have had no name.
    unnamed: HashMap<String, usize>,
    /// The module around, and those around it.
    modules: Vec<String>,
}

/// What surrounds a statement.
#[derive(Clone, Default)]
struct Around {
    /// Where the procedure begins in the text.
    procedure: usize,
    /// It runs once, at the beginning.
    initial: bool,
    /// The statement is not always reached.
    conditional: bool,
    /// The clock of the procedure.
    clock: Option<String>,
    /// Names of blocks.
    blocks: Vec<String>,
    /// Assertions are passed over.
    pass_over: bool,
}

const DIRECTIVES: [&str; 4] = ["assert", "assume", "cover", "restrict"];

impl Scanner<'_> {
    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(text))
    }

    fn is_name(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Name)
    }

    fn is_directive(&self, at: usize) -> bool {
        DIRECTIVES.iter().any(|name| self.is(at, name))
    }

    fn module(&self) -> String {
        self.modules.last().cloned().unwrap_or_default()
    }

    /// The place where the token at a position ends, or the text.
    fn end_of(&self, at: usize) -> usize {
        self.tokens.get(at).map_or(self.text.len(), |token| token.span.end)
    }

    fn start_of(&self, at: usize) -> usize {
        self.tokens.get(at).map_or(self.text.len(), |token| token.span.start)
    }

    /// Puts something in the place of a part of the text, as many lines long.
    fn replace(&mut self, start: usize, end: usize, by: &str) {
        let lines = self.text[start..end].matches('\n').count();
        self.edits.push((start, end, format!("{by}{}", "\n".repeat(lines))));
    }

    fn edited(&self) -> String {
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
    fn find(&self, from: usize, wanted: &str) -> Option<usize> {
        (from..self.tokens.len()).find(|&at| self.is(at, wanted))
    }

    /// Follows modules in and out. True if the token at a position is such a border.
    fn border(&mut self, at: usize) -> bool {
        let begins = ["module", "macromodule", "checker", "interface", "package", "program"];
        let ends = ["endmodule", "endchecker", "endinterface", "endpackage", "endprogram"];
        if begins.iter().any(|word| self.is(at, word)) {
            let skip = usize::from(self.is(at + 1, "automatic") || self.is(at + 1, "static"));
            let before = at.checked_sub(1);
            let is_port = self.is(at, "interface") && before.is_some_and(|before| self.is(before, "(") || self.is(before, ",") || self.is(before, "virtual"));
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

    /// First pass: sequences, properties, clocking blocks, default resets; they are taken out of the text.
    fn declarations(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            if self.border(at) {
                // The elaborator does not know checkers; they are modules to it.
                if self.is(at, "checker") || self.is(at, "endchecker") {
                    let span = self.tokens[at].span;
                    let word = if self.is(at, "checker") { "module" } else { "endmodule" };
                    self.edits.push((span.start, span.end, word.to_owned()));
                }
                at += 1;
                continue;
            }
            let after_directive = at > 0 && self.is_directive(at - 1);
            let next = match () {
                () if after_directive => None,
                () if self.is(at, "property") || self.is(at, "sequence") => self.declaration(at),
                () if self.is(at, "clocking") || ((self.is(at, "default") || self.is(at, "global")) && self.is(at + 1, "clocking")) => {
                    self.clocking(at)
                }
                () if self.is(at, "default") && self.is(at + 1, "disable") => self.default_disable(at),
                () => None,
            };
            at = next.unwrap_or(at + 1).max(at + 1);
        }
        self.modules.clear();
    }

    fn declaration(&mut self, at: usize) -> Option<usize> {
        let is_property = self.is(at, "property");
        let closing = if is_property { "endproperty" } else { "endsequence" };
        let end = self.find(at, closing)?;
        if !self.is_name(at + 1) {
            return None;
        }
        let name = self.tokens[at + 1].text.clone();
        let mut body = at + 2;
        let mut formals = Vec::new();
        if self.is(body, "(") {
            let close = after_group(&self.tokens, body);
            for part in split(&self.tokens[body + 1..close.max(body + 2) - 1], ",") {
                let mut halves = split(part, "=").into_iter();
                let (declared, default) = (halves.next().unwrap_or_default(), halves.next());
                let is_local = declared.iter().any(|token| token.is("local"));
                // The name comes last, but for dimensions.
                let bracket = declared.iter().skip(1).rposition(|token| token.is("]") || token.kind == Kind::Name);
                match declared.iter().rfind(|token| token.kind == Kind::Name) {
                    Some(name) if !is_local && bracket.is_some() | (declared.len() == 1) => {
                        formals.push((name.text.clone(), default.map(<[Token]>::to_vec)));
                    }
                    _ if part.is_empty() => {}
                    _ => self.problems.push(not_read("this argument is not read", span_of(part))),
                }
            }
            body = close;
        }
        if self.is(body, ";") {
            body += 1;
        }
        let types = ["int", "logic", "bit", "reg", "byte", "integer", "shortint", "longint", "local", "var", "string"];
        if types.iter().any(|word| self.is(body, word)) {
            let span = self.tokens[body].span;
            self.problems.push(not_read("local variables are not read", span));
        }
        let declaration = Declaration {
            is_property,
            formals,
            body: self.tokens[body.min(end)..end].to_vec(),
        };
        self.declared.named.insert((self.module(), name), declaration);
        let last = match self.is(end + 1, ":") && self.is_name(end + 2) {
            true => end + 2,
            false => end,
        };
        self.replace(self.start_of(at), self.end_of(last), "");
        Some(last + 1)
    }

    fn clocking(&mut self, at: usize) -> Option<usize> {
        let is_default = self.is(at, "default");
        let mut place = at + usize::from(!self.is(at, "clocking")) + 1;
        let mut name = String::new();
        if self.is_name(place) {
            name.clone_from(&self.tokens[place].text);
            place += 1;
        }
        let module = self.module();
        if is_default && self.is(place, ";") {
            // `default clocking name;`
            let event = self.declared.clocking.get(&(module.clone(), name.clone())).cloned();
            match event {
                Some(event) => drop(self.declared.clocking.insert((module, String::new()), event)),
                None => self.problems.push(not_read("there is no such clocking block", self.tokens[at].span)),
            }
            self.replace(self.start_of(at), self.end_of(place), "");
            return Some(place + 1);
        }
        if !self.is(place, "@") {
            return None;
        }
        let close = match self.is(place + 1, "(") {
            true => after_group(&self.tokens, place + 1),
            false => place + 2,
        };
        let event = &self.tokens[place + 1..close.min(self.tokens.len())];
        let event = match event {
            [open, inner @ .., _] if open.is("(") => inner,
            other => other,
        };
        let event: Vec<&str> = event.iter().map(|token| token.text.as_str()).collect();
        let event = event.join(" ");
        if is_default {
            self.declared.clocking.insert((module.clone(), String::new()), event.clone());
        }
        if !name.is_empty() {
            self.declared.clocking.insert((module, name), event);
        }
        let end = self.find(place, "endclocking")?;
        let last = match self.is(end + 1, ":") && self.is_name(end + 2) {
            true => end + 2,
            false => end,
        };
        // Sequences and properties may stand inside.
        let mut inside = place;
        while inside < end {
            let next = match self.is(inside, "property") || self.is(inside, "sequence") {
                true => self.declaration(inside),
                false => None,
            };
            inside = next.unwrap_or(inside + 1).max(inside + 1);
        }
        let (start, finish) = (self.start_of(at), self.end_of(last));
        self.edits.retain(|(begin, _, _)| *begin < start || *begin >= finish);
        self.replace(start, finish, "");
        Some(last + 1)
    }

    fn default_disable(&mut self, at: usize) -> Option<usize> {
        if !self.is(at + 2, "iff") {
            return None;
        }
        let end = self.find(at, ";")?;
        let condition = self.tokens[at + 3..end].to_vec();
        let module = self.module();
        self.declared.disable.insert(module, condition);
        self.replace(self.start_of(at), self.end_of(end), "");
        Some(end + 1)
    }

    /// Second pass: assertions.
    fn items(&mut self) {
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
                "always" | "always_comb" | "always_ff" | "always_latch" | "initial" | "final" => self.procedure(at),
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
    fn item(&mut self, begin: usize, directive: usize, label: Option<String>, always: bool) -> usize {
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
    fn procedure(&mut self, at: usize) -> usize {
        let initial = self.is(at, "initial") || self.is(at, "final");
        let labelled = self.is(at + 2, ":") && self.is_name(at + 1);
        let statement = at + 1 + 2 * usize::from(labelled);
        let is_property = self.is(statement + 1, "property") || self.is(statement + 1, "sequence");
        let old_style = self.is_name(statement + 1) && self.is(statement + 2, ":");
        if self.is_directive(statement) && (is_property || old_style || (!initial && self.is(at, "always"))) {
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

    /// A statement; the position after it.
    fn statement(&mut self, at: usize, around: &Around) -> usize {
        // The depth of statements is that of the text's blocks; pathological texts are refused by depth of names.
        if around.blocks.len() > 200 {
            self.problems.push(not_read("blocks are nested too deeply", Span::new(self.start_of(at), self.end_of(at))));
            return self.tokens.len();
        }
        let conditional = || Around {
            conditional: true,
            ..around.clone()
        };
        let Some(token) = self.tokens.get(at).cloned() else {
            return at;
        };
        match token.text.as_str() {
            "(*" => {
                let close = (at..self.tokens.len()).find(|&at| self.is(at, "*") && self.is(at + 1, ")"));
                self.statement(close.map_or(self.tokens.len(), |close| close + 2), around)
            }
            "begin" | "fork" => {
                let mut inner = around.clone();
                let mut at = at + 1;
                let mut name = String::new();
                if self.is(at, ":") && self.is_name(at + 1) {
                    name.clone_from(&self.tokens[at + 1].text);
                    at += 2;
                }
                inner.blocks.push(name);
                while at < self.tokens.len() {
                    if ["end", "join", "join_any", "join_none"].iter().any(|word| self.is(at, word)) {
                        at += 1;
                        return at + 2 * usize::from(self.is(at, ":") && self.is_name(at + 1));
                    }
                    at = self.statement(at, &inner).max(at + 1);
                }
                at
            }
            "if" => {
                let after = after_group(&self.tokens, at + 1);
                let mut next = self.statement(after, &conditional());
                if self.is(next, "else") {
                    next = self.statement(next + 1, &conditional());
                }
                next
            }
            "for" | "while" | "repeat" | "foreach" => {
                let after = after_group(&self.tokens, at + 1);
                self.statement(after, &conditional())
            }
            "forever" => self.statement(at + 1, &conditional()),
            "unique" | "unique0" | "priority" => self.statement(at + 1, around),
            "case" | "casex" | "casez" => self.case(at, &conditional()),
            "@" => {
                let after = match self.is(at + 1, "(") {
                    true => after_group(&self.tokens, at + 1),
                    false => at + 2,
                };
                let event: Vec<&str> = self.tokens[at + 1..after.min(self.tokens.len())]
                    .iter()
                    .map(|token| token.text.as_str())
                    .filter(|text| !matches!(*text, "(" | ")"))
                    .collect();
                let inner = Around {
                    clock: Some(event.join(" ")).filter(|event| event.contains("edge")),
                    ..around.clone()
                };
                self.statement(after, &inner)
            }
            "#" => self.statement(at + 2, around),
            _ if self.is_name(at) && self.is(at + 1, ":") && !self.is_directive(at) => {
                match self.is_directive(at + 2) {
                    true => {
                        let label = token.text.clone();
                        self.assertion(at, at + 2, Some(label), around)
                    }
                    false => self.statement(at + 2, around),
                }
            }
            _ if self.is_directive(at) && !around.pass_over => self.assertion(at, at, None, around),
            _ => self.simple(at),
        }
    }

    /// The position after the next semicolon outside brackets.
    fn simple(&self, at: usize) -> usize {
        let mut depth = 0;
        for place in at..self.tokens.len() {
            depth += crate::expression::depth_change(&self.tokens[place]);
            if depth <= 0 && self.is(place, ";") {
                return place + 1;
            }
            if self.is(place, "end") || self.is(place, "endmodule") {
                return place;
            }
        }
        self.tokens.len()
    }

    fn case(&mut self, at: usize, around: &Around) -> usize {
        let mut at = after_group(&self.tokens, at + 1);
        while at < self.tokens.len() && !self.is(at, "endcase") {
            // Labels up to a colon outside brackets.
            let mut depth = 0;
            let mut questions = 0;
            while at < self.tokens.len() && !self.is(at, "endcase") {
                let colon = depth == 0 && self.is(at, ":");
                let begins_default = depth == 0 && self.is(at, "default");
                depth += crate::expression::depth_change(&self.tokens[at]);
                questions += i32::from(depth == 0 && self.is(at, "?"));
                at += 1;
                if (colon && questions == 0) || (begins_default && !self.is(at, ":")) {
                    break;
                }
                questions -= i32::from(colon);
            }
            if !self.is(at, "endcase") {
                at = self.statement(at, around).max(at + 1);
            }
        }
        at + 1
    }

    /// An assertion in a procedure; the position after it.
    fn assertion(&mut self, begin: usize, directive: usize, label: Option<String>, around: &Around) -> usize {
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
                self.problems.push(not_read(message, span).with_help(help));
                return parts.next;
            }
            let (text, end) = self.property(&parts, label, around, start);
            self.edits.push((around.procedure, around.procedure, text));
            self.replace(start, end, ";");
            return parts.next;
        }
        let mut emitted = Emitted::default();
        let rewritten = match rewrite(&parts.tokens, &mut emitted, 0) {
            Ok(text) => text,
            Err(problem) => {
                self.problems.push(problem);
                return parts.next;
            }
        };
        if !emitted.text.is_empty() {
            let text = emitted.text.replace("entail$p0$", &format!("entail$i{}$", self.checks.len()));
            let rewritten = rewritten.replace("entail$p0$", &format!("entail$i{}$", self.checks.len()));
            self.edits.push((around.procedure, around.procedure, text));
            return self.immediate(&parts, label, around, start, &rewritten);
        }
        self.immediate(&parts, label, around, start, &rewritten)
    }

    /// An immediate assertion, left to the elaborator.
    fn immediate(
        &mut self,
        parts: &Parts,
        label: Option<String>,
        around: &Around,
        start: usize,
        expression: &str,
    ) -> usize {
        let name = self.name(parts, label, around);
        let number = self.checks.len();
        let text = match parts.directive {
            Directive::Assert => format!("{IMMEDIATE}{number}: assert ({expression});"),
            Directive::Cover => format!("{IMMEDIATE}{number}: assert (!({expression}));"),
            Directive::Assume => format!("assume ({expression});"),
        };
        self.replace(start, parts.end, &text);
        if parts.directive != Directive::Assume {
            self.push(parts, name, around, start, Form::Immediate, 0);
        }
        parts.next
    }

    fn push(&mut self, parts: &Parts, name: String, around: &Around, start: usize, form: Form, atoms: usize) {
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
            clock: around.clock.clone(),
            tokens: parts.tokens.clone(),
            always: !around.initial,
            disable: self.declared.disable.get(&module).cloned().filter(|_| parts.is_property),
            module,
        });
    }

    /// The name of a check: its label or a number, below the blocks around it.
    fn name(&mut self, parts: &Parts, label: Option<String>, around: &Around) -> String {
        let own = label.map(|label| label.trim_start_matches('\\').to_owned()).unwrap_or_else(|| {
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
    fn property(
        &mut self,
        parts: &Parts,
        label: Option<String>,
        around: &Around,
        start: usize,
    ) -> (String, usize) {
        let name = self.name(parts, label, around);
        let number = self.checks.len();
        let module = self.module();
        let disable = self.declared.disable.get(&module).filter(|_| parts.is_property);
        let mut parser = Parser::new(&self.declared, &module, number, Bounds::Unknown, parts.directive);
        parser.clock.clone_from(&around.clock);
        let read = parser.specification(&parts.tokens, disable.map(Vec::as_slice), !around.initial);
        let (atoms, clock) = (parser.atoms, parser.clock.clone());
        let text = format!("(* keep *) wire \\{} = 1'b1; {}", marker_wire(number), parser.emitted.text);
        if let Err(problem) = read {
            self.problems.push(problem);
        }
        let clock = clock.or_else(|| {
            let default = (module, String::new());
            self.declared.clocking.get(&default).cloned()
        });
        let around = Around {
            clock,
            ..around.clone()
        };
        self.push(parts, name, &around, start, Form::Property, atoms);
        (text, parts.end)
    }

    /// The parts of an assertion whose directive stands at a position.
    fn parts(&mut self, at: usize) -> Result<Parts, Diagnostic> {
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
            word,
            directive,
            is_property,
            label,
            tokens,
            end: self.end_of(next.max(1) - 1),
            next,
        })
    }

    fn warn_of_clocks(&mut self) {
        let clocked = self.checks.iter().filter_map(|check| Some((check.clock.clone()?, check.span)));
        let mut clocks: Vec<(String, Span)> = Vec::new();
        for (clock, span) in clocked {
            if !clocks.iter().any(|(known, _)| *known == clock) {
                clocks.push((clock, span));
            }
        }
        if let [(first, _), (second, span), ..] = &clocks[..] {
            let message = format!("there are several clocks (`{first}`, `{second}`): all are taken to tick at every step");
            self.warnings.push(Diagnostic::warning("sva::clocks", message, *span, "another clock"));
        }
    }

    /// The modules, and those that no other one instantiates.
    fn hierarchy(&self) -> (Vec<String>, Vec<String>) {
        let mut modules = Vec::new();
        for at in 0..self.tokens.len() {
            let skip = usize::from(self.is(at + 1, "automatic") || self.is(at + 1, "static"));
            if (self.is(at, "module") || self.is(at, "macromodule")) && self.is_name(at + 1 + skip) {
                modules.push(self.tokens[at + 1 + skip].text.clone());
            }
        }
        let is_used = |name: &String| {
            (1..self.tokens.len()).any(|at| {
                let declares = ["module", "macromodule", "automatic", "static", ":", ".", "import", "bind"];
                self.is(at, name)
                    && (self.is_name(at + 1) || self.is(at + 1, "#"))
                    && !declares.iter().any(|word| self.is(at - 1, word))
            })
        };
        let roots = modules.iter().filter(|name| !is_used(name)).cloned().collect();
        (modules, roots)
    }
}

/// An assertion taken apart.
struct Parts {
    word: String,
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
