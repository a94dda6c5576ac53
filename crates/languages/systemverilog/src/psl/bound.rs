//! Units bound to modules: their directives become checks of the modules.
//!
//! A unit without a module that others inherit is bound where these are; one that nobody inherits is bound to the top module. What a unit inherits are names, the default clock
//! where it has none, and the directives of units without a module.

use super::layer::{event, specification};
use super::names::{Expanded, unknown};
use super::unit::{Directed, Named, Said, Unit};
use super::{UNSUPPORTED, unsupported, wrong};
use crate::design::{Check, Directive, Edge, Form, level_wire, marker_wire};
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
}

impl Bound {
    /// If the line of something that the elaborator says is that of the `endmodule`: the place in the PSL file that it is about.
    pub(crate) fn blamed(&self, line: Span, message: &str, checks: &[Check]) -> Option<Span> {
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
            for psl in own().filter_map(|check| check.psl.as_ref()) {
                let mut found = tokens(&psl.expanded.text).into_iter();
                if let Some(token) = found.find(|token| token.kind == Kind::Name && token.text == name) {
                    return Some(psl.expanded.place(token.span));
                }
            }
        }
        own().next().map(|check| check.span)
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
            let is_here = std::ptr::eq(one, unit) || one.module.is_none();
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

impl Scanner<'_> {
    /// Binds the units of all PSL files.
    pub(crate) fn bind(&mut self, units: &[Unit], top: Option<&str>) {
        let (modules, roots) = self.hierarchy();
        let bound = bindings(units, &mut |unit, is_inherited| {
            Ok(match (&unit.module, top, &roots[..]) {
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
            })
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

    fn bind_unit(&mut self, binding: &Binding<'_, String>, units: &[Unit]) {
        let Some(offset) = self.end_of_module(&binding.module) else {
            let message = format!("the end of the module `{}` is not found", binding.module);
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
        for (name, directed) in binding.directed() {
            match Expanded::of(&directed.body, &scope) {
                Err(problem) => self.problems.push(problem),
                Ok(expanded) => {
                    let psl = PslCheck {
                        said: directed.said,
                        expanded,
                        span: directed.span,
                    };
                    self.bind_check(psl, name, &binding.module, clock.as_deref(), &mut text);
                }
            }
        }
        self.edits.push((offset, offset, text));
        let checks = (first..self.checks.len()).collect();
        self.bound.push(Bound { offset, checks });
    }

    fn bind_check(
        &mut self,
        psl: PslCheck,
        name: String,
        module: &str,
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
