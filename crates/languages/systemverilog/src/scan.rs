//! The outline of a text: modules, declarations of sequences and properties, procedures, and the assertions in them.
//!
//! Only as much of the language is understood as is needed to find assertions and to know where they stand; what becomes of each is said in `sites.rs`.

use crate::checkers;
use crate::design::{Check, Design};
use crate::locals::DeclaredLocal;
use crate::preprocess::{self, Origins, Surroundings};
use crate::property::not_read;
use crate::psl::{self, Bound};
use crate::token::{Kind, Token, tokens};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use std::collections::{HashMap, HashSet};

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
        if let Some((package, name)) = name.split_once("::") {
            return self.named.get(&(package.to_owned(), name.to_owned()));
        }
        let of = |module: &str| self.named.get(&(module.to_owned(), name.to_owned()));
        of(module).or_else(|| of(""))
    }
}

/// Reads a text that includes nothing.
pub fn read(source: &Source) -> Result<Design, Diagnostics> {
    let nothing = Surroundings {
        defines: Vec::new(),
        include: &|_, _| None,
    };
    read_with(source, source.text().len(), &[], None, &nothing)
}

/// Reads a design that ends somewhere in a text, and the parts of the text behind it that are PSL files. Units that are bound to no module are about the top module,
/// which may be given.
pub fn read_with(
    source: &Source,
    end: usize,
    properties: &[Span],
    top: Option<&str>,
    around: &Surroundings<'_>,
) -> Result<Design, Diagnostics> {
    let written = Written::of(source, end, around)?;
    let told = |problems: Vec<Diagnostic>| {
        let told = problems.into_iter().map(|problem| written.origins.told(problem));
        Diagnostics(told.collect())
    };
    let text = written.text.as_deref().unwrap_or(source.text());
    // (PSL files stay as they are, behind the design.)
    let moved = |place: usize| (place + text.len()) - source.text().len();
    let end = moved(end);
    let properties: Vec<Span> = properties
        .iter()
        .map(|part| Span::new(moved(part.start), moved(part.end)))
        .collect();
    let mut scanner = Scanner {
        text,
        tokens: tokens(&text[..end]),
        ..Scanner::default()
    };
    scanner.refuse_own_names();
    scanner.tolerate();
    scanner.any_constants();
    scanner.drop_clocking_names();
    scanner.declarations();
    scanner.package_names();
    scanner.items();
    scanner.psl_files(&properties, top);
    if end < text.len() {
        scanner.replace(end, text.len(), "");
    }
    if !scanner.problems.is_empty() {
        return Err(told(scanner.problems));
    }
    let (modules, roots) = scanner.hierarchy();
    let mut design = Design {
        text: scanner.edited(),
        plain: !written.is_other && scanner.edits.len() == scanner.plain + usize::from(end < text.len()),
        constants: scanner.with_constants(end),
        is_yosys_only: scanner.is_yosys_only,
        checks: scanner.checks,
        assumed: scanner.assumed,
        warnings: scanner.warnings,
        roots,
        modules,
        demanding: scanner.demanding,
        declarations: scanner.declared,
        bound: scanner.bound,
        origins: written.origins,
    };
    design.show_as_written(source);
    Ok(design)
}

/// A text as it is gone through: without macros and checkers.
struct Written {
    /// The text, where it is another one.
    text: Option<String>,
    origins: Origins,
    /// The elaborator cannot read the text as it stands.
    is_other: bool,
}

impl Written {
    fn of(source: &Source, end: usize, around: &Surroundings<'_>) -> Result<Written, Diagnostics> {
        let mut written = Written {
            text: None,
            origins: Origins::default(),
            is_other: false,
        };
        let mut end = end;
        if preprocess::is_needed(&source.text()[..end]) {
            let done = preprocess::preprocess(source, end, around)?;
            end = done.text.len() - (source.text().len() - end);
            written = Written {
                text: Some(done.text),
                origins: done.origins,
                is_other: false,
            };
        }
        let text = written.text.as_deref().unwrap_or(source.text());
        let rounds = checkers::written_out(text, end)
            .map_err(|problem| Diagnostics(vec![written.origins.told(problem)]))?;
        for round in rounds.unwrap_or_default() {
            written.origins = written.origins.before(&round.parts);
            written.text = Some(round.text);
            written.is_other = true;
        }
        Ok(written)
    }
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
    /// Immediate assumptions: their modules and places.
    pub(crate) assumed: Vec<(String, Span)>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) declared: Declarations,
    /// For each module, how many of its assertions have had no name.
    pub(crate) unnamed: HashMap<String, usize>,
    /// The module around, and those around it.
    pub(crate) modules: Vec<String>,
    /// The first expression that only a complete elaborator understands.
    pub(crate) demanding: Option<Diagnostic>,
    /// Checks of PSL files, by the modules they are bound to.
    pub(crate) bound: Vec<Bound>,
    /// Edits without which not every elaborator understands the text: constants of any value.
    pub(crate) constants: Vec<(usize, usize, String)>,
    /// There is something that only the elaborator of yosys itself understands.
    pub(crate) is_yosys_only: bool,
}

/// What surrounds a statement.
#[derive(Clone, Default)]
pub(crate) struct Around {
    /// Where the procedure begins in the text.
    pub(crate) procedure: usize,
    /// It runs once, at the beginning.
    pub(crate) initial: bool,
    /// It runs at the end, of which there is none.
    pub(crate) is_final: bool,
    /// The statement is not always reached, for other reasons than its conditions.
    pub(crate) conditional: bool,
    /// Expressions that are true (or false) where the statement is reached.
    pub(crate) conditions: Vec<(Vec<Token>, bool)>,
    /// The clock of the procedure.
    pub(crate) clock: Option<String>,
    /// Names of blocks.
    pub(crate) blocks: Vec<String>,
    /// How deep the statement is nested.
    pub(crate) depth: u32,
    /// Assertions are passed over.
    pub(crate) pass_over: bool,
}

impl Scanner<'_> {
    /// Names that are given to wires here cannot be the user's.
    fn refuse_own_names(&mut self) {
        let is_own = |token: &&Token| token.kind == Kind::Name && token.text.contains("entail$p");
        let problems = self.tokens.iter().filter(is_own).map(|token| {
            let message = format!("`{}` is a name that Entail gives itself", token.text);
            not_read(&message, token.span).with_help("names with `entail$p` in them are reserved")
        });
        self.problems.extend(problems.take(1).collect::<Vec<_>>());
    }

    /// The PSL files at the end of the text: their units become checks, and they are taken out.
    fn psl_files(&mut self, files: &[Span], top: Option<&str>) {
        let mut units = Vec::new();
        for &file in files {
            let text = &self.text[file.start..file.end];
            let mut found = tokens(text);
            for token in &mut found {
                token.span = Span::new(token.span.start + file.start, token.span.end + file.start);
            }
            if let Some(at) = directive_at(text) {
                let span = Span::new(file.start + at, file.start + at + 1);
                let message = "compiler directives are not read in PSL files";
                self.problems.push(psl::unsupported(message, span));
            }
            units.extend(psl::units(&found, &mut self.problems));
        }
        if self.problems.is_empty() {
            self.bind(&units, top);
        }
    }
}

/// Where the first line of a text that is a compiler directive begins.
fn directive_at(text: &str) -> Option<usize> {
    let mut at = 0;
    text.split_inclusive('\n').find_map(|line| {
        let begin = at + line.len() - line.trim_start().len();
        at += line.len();
        line.trim_start().starts_with('`').then_some(begin)
    })
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
        self.with_edits(self.edits.iter().chain(&self.constants).collect())
    }

    /// The text with some edits.
    pub(crate) fn with_edits(&self, mut edits: Vec<&(usize, usize, String)>) -> String {
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
            is_final: self.is(at, "final"),
            ..Around::default()
        };
        self.statement(at + 1, &around)
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
