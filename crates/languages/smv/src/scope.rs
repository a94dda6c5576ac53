//! What names mean when a formula is read: those of an SMV model, or those of any transition system.
//!
//! SMV's formulas are the language in which Entail is asked about every model. A system that came from elsewhere has flat names; they
//! are entered as they are (`cpu.pc`, `mem[3]`) and in quotes, for names that are no identifiers (`"bad thing"`). Arrays have no place in
//! SMV's formulas and are left out.

use crate::elaborate::elaborate_formula;
use crate::elaborate::names::{Hidden, Names};
use crate::syntax::ast::SpecKind;
use crate::syntax::parse_formula;
use entail_logic::{Logic, Property};
use entail_model::{TermId, TransitionSystem, VarKind};
use entail_source::{Diagnostic, Diagnostics, Source, Span};

/// The names a formula may use.
#[derive(Debug)]
pub struct Scope {
    names: Names,
    impossible: Vec<String>,
}

impl Scope {
    pub(crate) fn new(names: Names) -> Scope {
        Scope {
            names,
            impossible: Vec::new(),
        }
    }

    /// The variables and defines of a system.
    pub fn of_system(system: &mut TransitionSystem) -> Scope {
        let mut names = Names::flat();
        for id in system.variable_ids() {
            let variable = system.variable(id).clone();
            let now = system.current(id);
            let next = (variable.kind != VarKind::Input).then(|| system.next(id));
            names.enter(&variable.name, &variable.sort, now, next);
        }
        for define in system.defines.clone() {
            let sort = system.terms.sort(define.term).clone();
            let (current, _) = system.terms.support(&[define.term]);
            let reads_inputs = current
                .iter()
                .any(|&variable| system.variable(variable).kind == VarKind::Input);
            let next = (!reads_inputs).then(|| system.primed(define.term));
            names.enter(&define.name, &sort, define.term, next);
        }
        Scope::new(names)
    }

    /// Reads a formula about the system, in the scope of `main` (or `… IN p`), in CTL, LTL, as an invariant, as COMPUTE has it, or else as
    /// any formula of CTL* with past. Spans in the diagnostics refer to `text`.
    pub fn parse_property(
        &mut self,
        system: &mut TransitionSystem,
        text: &str,
        logic: Logic,
    ) -> Result<Property<TermId>, Diagnostics> {
        let kind = match logic {
            Logic::Ctl => SpecKind::Ctl,
            Logic::Ltl => SpecKind::Ltl,
            Logic::Invariant => SpecKind::Invariant,
            Logic::Compute => SpecKind::Compute,
            // Anything of CTL* with past: the formula's shape decides what it is.
            _ => SpecKind::CtlStar,
        };
        let source = Source::new("formula", text);
        let arena = std::mem::take(&mut self.names.arena);
        let (arena, parsed) = parse_formula(&source, arena, kind);
        self.names.arena = arena;
        let (formula, context) = parsed.map_err(|diagnostics| diagnostics.within(text))?;
        let read = elaborate_formula(&source, &mut self.names, system, formula, context, kind);
        let read = read.map(|(property, impossible)| {
            self.impossible = impossible;
            property
        });
        read.map_err(|diagnostics| match diagnostics.0.is_empty() {
            false => diagnostics.within(text),
            true => Diagnostics::from(Diagnostic::error(
                "smv::input",
                "something that depends on inputs has no next value",
                Span::new(0, text.len()),
                "in this formula",
            )),
        })
    }

    /// Makes a name mean a term, in whatever part of the model it stands, until [`Scope::unbind`].
    pub fn bind(&mut self, name: &str, now: TermId, next: TermId) -> Hidden {
        self.names.bind(name, now, next)
    }

    /// Makes a name mean what it meant before; what was bound last comes first.
    pub fn unbind(&mut self, hidden: Hidden) {
        self.names.unbind(hidden);
    }

    /// Takes the antecedents in the formula read last that no values of the variables make true.
    pub fn take_impossible(&mut self) -> Vec<String> {
        std::mem::take(&mut self.impossible)
    }
}
