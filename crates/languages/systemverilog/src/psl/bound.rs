//! Units bound to modules: their directives become checks of the modules.
//!
//! A unit without a module that others inherit is bound where these are; one that nobody inherits is bound to the top module. What a unit inherits are names, the default clock
//! where it has none, and the directives of units without a module.

use super::layer::{event, specification};
use super::names::{Expanded, unknown};
use super::unit::{Directed, Named, Said, Unit};
use super::{UNSUPPORTED, unsupported, wrong};
use crate::design::{Check, Directive, Edge, Form, level_wire, marker_wire};
use crate::expression::after_group;
use crate::preprocess::Origins;
use crate::property::{self, Bounds, Parser};
use crate::scan::Scanner;
use crate::token::{Kind, Token, tokens};
use entail_source::{Diagnostic, Span};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What a check of a PSL file is made from.
#[derive(Clone, Debug)]
pub(crate) struct PslCheck {
    pub(crate) said: Said,
    pub(crate) expanded: Expanded,
    pub(crate) span: Span,
}

/// Checks that stand before an `endmodule`.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    /// Where that begins in the text.
    offset: usize,
    checks: Vec<usize>,
    /// The units' own declarations and statements.
    modelling: Vec<Token>,
}

impl Bound {
    /// Notes where that is in the user's text.
    pub(crate) fn stands_at(&mut self, place: impl Fn(Span) -> Span) {
        self.offset = place(Span::new(self.offset, self.offset + 1)).start;
    }

    /// Whether a place is that of something which the units declare themselves.
    pub(crate) fn declares_at(&self, span: Span, origins: &Origins) -> bool {
        self.modelling.iter().any(|token| origins.of(token.span) == span)
    }

    /// If the line of something that the elaborator says is that of the `endmodule`: the place in the PSL file that it is about.
    pub(crate) fn blamed(
        &self,
        line: Span,
        message: &str,
        checks: &[Check],
        origins: &Origins,
    ) -> Option<Span> {
        if !(line.start..=line.end).contains(&self.offset) {
            return None;
        }
        let quoted = message
            .split(['`', '\'', '"'])
            .map(|word| word.trim_start_matches('\\'));
        let quoted: Vec<&str> = quoted
            .filter(|word| !word.is_empty() && !word.contains(' '))
            .collect();
        let own = || self.checks.iter().filter_map(|&check| checks.get(check));
        // (What it complains about comes before what it suggests.)
        for name in quoted {
            let is_name = |token: &&Token| token.kind == Kind::Name && token.text == name;
            if let Some(token) = self.modelling.iter().find(is_name) {
                return Some(origins.of(token.span));
            }
            for psl in own().filter_map(|check| check.psl.as_ref()) {
                let mut found = tokens(&psl.expanded.text).into_iter();
                if let Some(token) = found.find(|token| token.kind == Kind::Name && token.text == name) {
                    return Some(origins.of(psl.expanded.place(token.span)));
                }
            }
        }
        let first = self.modelling.first().map(|token| origins.of(token.span));
        first.or_else(|| own().next().map(|check| check.span))
    }
}

/// Where a unit's directives are bound.
pub(crate) struct Binding<'u, M> {
    pub(crate) unit: &'u Unit,
    pub(crate) module: M,
    /// The default clock of the unit that inherits it.
    clock: Option<&'u [Token]>,
}

impl<'u, M> Binding<'u, M> {
    /// What is declared for the unit, and the default clock it has.
    pub(crate) fn scope(&self, units: &'u [Unit]) -> (Vec<&'u Named>, Option<&'u [Token]>) {
        let all = with_inherited(self.unit, units);
        let own = all.iter().find_map(|unit| unit.clock.as_deref());
        (
            all.iter().flat_map(|unit| &unit.named).collect(),
            own.or(self.clock),
        )
    }

    /// The unit's directives with their names.
    pub(crate) fn directed(&self) -> impl Iterator<Item = (String, &'u Directed)> {
        let unit = self.unit;
        let mut unnamed = 0;
        unit.directed.iter().map(move |directed| {
            let own = directed.label.clone().unwrap_or_else(|| {
                unnamed += 1;
                format!("{}.{unnamed}", word(directed.said))
            });
            (format!("{}.{own}", unit.name), directed)
        })
    }
}

/// What a unit is bound to, if it is; `true` says that others inherit it.
type ModuleOf<'m, M> = dyn FnMut(&Unit, bool) -> Result<Option<M>, Diagnostic> + 'm;

/// Where units and those they inherit are bound.
pub(crate) fn bindings<'u, M: Clone + PartialEq>(
    units: &'u [Unit],
    module_of: &mut ModuleOf<'_, M>,
) -> Result<Vec<Binding<'u, M>>, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let names: Vec<&str> = units.iter().map(|unit| unit.name.as_str()).collect();
    for (place, unit) in units.iter().enumerate() {
        if units[..place].iter().any(|known| known.name == unit.name) {
            let message = format!("there are two units `{}`", unit.name);
            problems.push(wrong(&message, unit.span));
        }
        for inherited in &unit.inherits {
            if !names.contains(&inherited.text.as_str()) {
                problems.push(unknown("unit", inherited, &names));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let inherited: BTreeSet<&str> = units
        .iter()
        .flat_map(|unit| unit.inherits.iter().map(|name| name.text.as_str()))
        .collect();
    let mut found: Vec<Binding<'u, M>> = Vec::new();
    for unit in units {
        let module = match module_of(unit, inherited.contains(unit.name.as_str())) {
            Ok(Some(module)) => module,
            Ok(None) => continue,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let all = with_inherited(unit, units);
        let clock = all.iter().find_map(|one| one.clock.as_deref());
        for one in all {
            let is_free = one.module.is_none() && one.instance.is_empty();
            let is_here = std::ptr::eq(one, unit) || is_free;
            let is_known = found
                .iter()
                .any(|known| std::ptr::eq(known.unit, one) && known.module == module);
            if is_here && !is_known {
                found.push(Binding {
                    unit: one,
                    module: module.clone(),
                    clock,
                });
            }
        }
    }
    match problems.is_empty() {
        true => Ok(found),
        false => Err(problems),
    }
}

/// A module; and what names of things begin with that are meant, if it is about one instance.
type Target = (String, Option<String>);

impl Scanner<'_> {
    /// Binds the units of all PSL files.
    pub(crate) fn bind(&mut self, units: &[Unit], top: Option<&str>) {
        let (modules, roots) = self.hierarchy();
        let bound = bindings(units, &mut |unit, is_inherited| {
            let named = top.or(match &roots[..] {
                [root] => Some(root.as_str()),
                _ => None,
            });
            if !unit.instance.is_empty() {
                return self.instance_named(unit, named).map(Some);
            }
            let module = match (&unit.module, top, &roots[..]) {
                (Some(name), _, _) if !modules.contains(&name.text) => {
                    let known: Vec<&str> = modules.iter().map(String::as_str).collect();
                    return Err(unknown("module", name, &known));
                }
                (Some(name), _, _) => Some(name.text.clone()),
                (None, _, _) if is_inherited => None,
                (None, Some(top), _) if modules.iter().any(|known| known == top) => Some(top.to_owned()),
                (None, _, [root]) => Some(root.clone()),
                _ => {
                    let message = format!("the unit `{}` is bound to no module", unit.name);
                    let help = format!(
                        "write `vunit {} (module)`, or name the top module: --top",
                        unit.name
                    );
                    return Err(wrong(&message, unit.span).with_help(help));
                }
            };
            Ok(module.map(|module| (module, None)))
        });
        let bindings = match bound {
            Ok(bindings) => bindings,
            Err(problems) => {
                self.problems.extend(problems);
                return;
            }
        };
        for binding in &bindings {
            self.bind_unit(binding, units);
        }
    }

    /// The module of the instance that a unit is bound to, and what names of things in that instance begin with.
    fn instance_named(&self, unit: &Unit, top: Option<&str>) -> Result<Target, Diagnostic> {
        let first = &unit.instance[0];
        let Some(top) = top.filter(|top| first.is(top)) else {
            let message = format!("`{}` is not the top module", first.text);
            let help =
                "an instance is named from the top module on: `vunit v (top.u1)`; --top says which that is";
            return Err(wrong(&message, first.span).with_help(help));
        };
        let mut module = top.to_owned();
        let mut prefix = String::new();
        for part in unit.instance[1..].split(|token| token.is(".")) {
            let (Some(name), Some(last)) = (part.first(), part.last()) else {
                continue;
            };
            let text: String = part.iter().map(|token| token.text.as_str()).collect();
            prefix.push_str(text.trim_start_matches('\\'));
            prefix.push('.');
            match self.type_of(&module, &name.text) {
                Some(inner) => module = inner,
                // (A block around the instance, if more follows.)
                None if !std::ptr::eq(last, &unit.instance[unit.instance.len() - 1]) => {}
                None => {
                    let message = format!("there is no instance `{}` in the module `{module}`", name.text);
                    return Err(wrong(&message, name.span));
                }
            }
        }
        Ok((module, Some(prefix)))
    }

    /// The module that an instance of a name in a module is of.
    fn type_of(&self, module: &str, name: &str) -> Option<String> {
        let is_begin = |at: usize| self.is(at, "module") && self.is(at + 1, module);
        let begin = (0..self.tokens.len()).find(|&at| is_begin(at))?;
        let end = self.find(begin, "endmodule")?;
        let (modules, _) = self.hierarchy();
        for at in begin + 2..end {
            if !self.is_name(at) || !modules.contains(&self.tokens[at].text) {
                continue;
            }
            let mut place = at + 1;
            if self.is(place, "#") {
                place = after_group(&self.tokens, place + 1);
            }
            // Several instances may stand in one statement.
            while place < end {
                if self.is(place, name) {
                    return Some(self.tokens[at].text.clone());
                }
                let mut open = place + 1;
                while self.is(open, "[") {
                    open = after_group(&self.tokens, open);
                }
                if !self.is_name(place) || !self.is(open, "(") {
                    break;
                }
                place = after_group(&self.tokens, open);
                if !self.is(place, ",") {
                    break;
                }
                place += 1;
            }
        }
        None
    }

    fn bind_unit(&mut self, binding: &Binding<'_, Target>, units: &[Unit]) {
        let (module, only) = &binding.module;
        let Some(offset) = self.end_of_module(module) else {
            let message = format!("the end of the module `{module}` is not found");
            self.problems.push(wrong(&message, binding.unit.span));
            return;
        };
        let (scope, clock) = binding.scope(units);
        let clock = match clock.map(event).transpose() {
            Ok(clock) => clock,
            Err(problem) => {
                self.problems.push(problem);
                return;
            }
        };
        let (mut text, first) = (String::new(), self.checks.len());
        for token in binding.unit.modelling.iter().flatten() {
            text.push_str(&token.text);
            text.push(' ');
        }
        for (name, directed) in binding.directed() {
            match Expanded::of(&directed.body, &scope) {
                Err(problem) => self.problems.push(problem),
                Ok(expanded) => {
                    let psl = PslCheck {
                        said: directed.said,
                        expanded,
                        span: directed.span,
                    };
                    let place = (module.as_str(), only.as_deref());
                    self.bind_check(psl, name, place, clock.as_deref(), &mut text);
                }
            }
        }
        self.edits.push((offset, offset, text));
        let checks = (first..self.checks.len()).collect();
        let modelling = binding.unit.modelling.concat();
        self.bound.push(Bound {
            offset,
            checks,
            modelling,
        });
    }

    fn bind_check(
        &mut self,
        psl: PslCheck,
        name: String,
        (module, only): (&str, Option<&str>),
        clock: Option<&str>,
        text: &mut String,
    ) {
        let number = self.checks.len();
        let directive = match psl.said {
            Said::Assert => Directive::Assert,
            Said::Cover => Directive::Cover,
            _ => Directive::Assume,
        };
        let mut parser = Parser::new(&self.declared, module, number, Bounds::Unknown, directive);
        parser.inherits(clock.map(str::to_owned));
        let read = specification(&mut parser, &psl);
        let mut check = Check {
            directive,
            form: Form::Property,
            name,
            text: crate::sites::one_line(&self.text[psl.span.start..psl.span.end]),
            span: psl.span,
            atoms: parser.atoms,
            module: module.to_owned(),
            only: only.map(str::to_owned),
            clocks: parser.clocks.clone(),
            locals: Vec::new(),
            replicated: std::mem::take(&mut parser.replicated),
            inherited: clock.map(str::to_owned),
            problem: None,
            conditions: Vec::new(),
            tokens: Vec::new(),
            always: false,
            disable: None,
            psl: Some(psl),
        };
        let demanding = parser.emitted.demanding.take();
        let written = std::mem::take(&mut parser.emitted.text);
        let read = read.map(|_| ()).and_then(|()| clock_wires(number, &check));
        match read {
            Ok(clocks) => {
                let marker = marker_wire(number);
                let _ = write!(text, "(* keep *) wire \\{marker} = 1'b1; {written}{clocks}");
                self.demanding = self.demanding.take().or(demanding);
            }
            Err(problem) => {
                let is_known = [UNSUPPORTED, property::UNSUPPORTED].contains(&problem.code);
                if !is_known || directive == Directive::Assume {
                    self.problems.push(problem);
                    return;
                }
                check.form = Form::Immediate;
                check.problem = Some(problem);
            }
        }
        self.checks.push(check);
    }

    /// Where the `endmodule` of a module begins.
    fn end_of_module(&self, name: &str) -> Option<usize> {
        let begins = |at: usize| {
            let skip = usize::from(self.is(at + 1, "automatic") || self.is(at + 1, "static"));
            (self.is(at, "module") || self.is(at, "macromodule")) && self.is(at + 1 + skip, name)
        };
        let begin = (0..self.tokens.len()).find(|&at| begins(at))?;
        let end = self.find(begin, "endmodule")?;
        Some(self.start_of(end))
    }
}

/// The wires of a check's clocks.
fn clock_wires(number: usize, check: &Check) -> Result<String, Diagnostic> {
    let mut text = String::new();
    for (place, clock) in check.clocks.iter().enumerate() {
        let Some(edge) = Edge::of(clock) else {
            let message = "a clock is one edge of one signal, or an expression";
            return Err(unsupported(message, check.span));
        };
        text.push_str(&edge.wires(number, place));
        if let Some(gate) = edge.gate.filter(|gate| !gate.contains(' ')) {
            let wire = level_wire(number, place);
            let _ = write!(text, "(* keep *) wire \\{wire} = {gate}; ");
        }
    }
    Ok(text)
}

/// A unit and all it inherits, itself first.
pub(crate) fn with_inherited<'u>(unit: &'u Unit, units: &'u [Unit]) -> Vec<&'u Unit> {
    let mut found = vec![unit];
    let mut at = 0;
    while at < found.len() {
        for name in &found[at].inherits {
            let inherited = units.iter().find(|known| known.name == name.text);
            if let Some(inherited) =
                inherited.filter(|one| !found.iter().any(|known| std::ptr::eq(*known, *one)))
            {
                found.push(inherited);
            }
        }
        at += 1;
    }
    found
}

/// The word of a directive in names.
fn word(said: Said) -> &'static str {
    match said {
        Said::Assert => "assert",
        Said::Assume => "assume",
        Said::Restrict => "restrict",
        Said::Cover => "cover",
        Said::Fairness | Said::StrongFairness => "fairness",
    }
}
