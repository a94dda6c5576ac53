//! Syntax tree to transition system: hierarchy, names, types, constraints, properties.
//!
//! The order of work: `instantiate` makes a scope per instance and enters every name; `types` gives variables their
//! sorts and adds them to the system; `lower` (with `case`, `operators`, `functions`, `sets`) turns expressions into terms and
//! checks their types on the way; `statements` adds the constraints and assignments, with the frame conditions of
//! processes; `circular` looks for assignments that depend on each other; `property` makes the questions.
//!
//! Errors are collected, not thrown: a value that could not be computed is `Lowered::Error`, which every operation
//! passes on in silence. A module instantiated a hundred times still reports its mistake once.

mod case;
mod circular;
mod failure;
mod functions;
mod impossible;
mod instantiate;
mod lower;
pub(crate) mod names;
mod operators;
mod process;
mod property;
mod sets;
mod statements;
mod types;
mod value;

use crate::syntax::Parsed;
use crate::syntax::ast::{ExprId, SpecKind};
use crate::syntax::interner::Symbol;
use entail_logic::Property;
use entail_model::{Op, TermId, TransitionSystem, Value, VarId};
use entail_source::{Diagnostic, Diagnostics, Severity, Source, Span};
use failure::Failure;
use names::{EntityId, EntityKind, Names, ScopeId};
use rustc_hash::{FxHashMap, FxHashSet};

pub use property::Unsupported;

/// How many errors are reported.
const MOST_ERRORS: usize = 50;

/// What became of a model.
pub(crate) struct Elaborated {
    pub system: TransitionSystem,
    pub properties: Vec<Property<TermId>>,
    /// Where each stands.
    pub places: Vec<Span>,
    /// Where each variable is declared.
    pub variable_places: Vec<Span>,
    pub branches: Vec<Branch>,
    pub unsupported: Vec<Unsupported>,
    /// Antecedents that no values make true, each with the position of its property.
    pub impossible: Vec<(usize, String)>,
    pub warnings: Vec<Diagnostic>,
    pub names: Names,
}

/// A branch of a `case`. Those of a module with several instances are listed for each of them, at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Branch {
    /// Where it stands, condition and value.
    pub place: Span,
    /// When it is taken: its own condition is true, and none before it.
    pub condition: TermId,
    /// It is part of an initial value: only initial states matter.
    pub is_initial: bool,
}

/// The work in progress.
pub(crate) struct Elaborator<'a> {
    source: &'a Source,
    names: &'a mut Names,
    system: &'a mut TransitionSystem,
    diagnostics: Vec<Diagnostic>,
    reported: FxHashSet<(&'static str, Span)>,
    failures: Vec<Failure>,
    effort: u64,
    /// Conditions whose satisfiability has been looked into.
    searched: FxHashMap<TermId, failure::Found>,
    /// Blank valuations for those searches, now and next.
    valuations: (Vec<Option<Value>>, Vec<Option<Value>>),
    declared: Vec<EntityId>,
    /// Declared names with a dot or an index in them.
    composite: Vec<(ScopeId, Symbol, EntityId)>,
    variable_spans: Vec<Span>,
    processes: Vec<ScopeId>,
    selector: Option<VarId>,
    isa_depth: usize,
    /// What occurs below each term, as far as computed.
    leaves: FxHashMap<TermId, Leaves>,
    /// The branches of cases, in the order they were met.
    branches: Vec<Branch>,
    known_branches: FxHashSet<Branch>,
    /// An initial value is being lowered.
    is_initial: bool,
    /// While a specification is lowered: its antecedents that no values make true.
    impossible: Option<Vec<String>>,
}

/// Which kinds of leaf a term has besides constants and current state.
#[derive(Clone, Copy, Debug, Default)]
struct Leaves {
    inputs: bool,
    next: bool,
}

impl<'a> Elaborator<'a> {
    fn new(source: &'a Source, names: &'a mut Names, system: &'a mut TransitionSystem) -> Elaborator<'a> {
        Elaborator {
            source,
            names,
            system,
            diagnostics: Vec::new(),
            reported: FxHashSet::default(),
            failures: Vec::new(),
            effort: 0,
            searched: FxHashMap::default(),
            valuations: Default::default(),
            declared: Vec::new(),
            composite: Vec::new(),
            variable_spans: Vec::new(),
            processes: Vec::new(),
            selector: None,
            isa_depth: 0,
            leaves: FxHashMap::default(),
            branches: Vec::new(),
            known_branches: FxHashSet::default(),
            is_initial: false,
            impossible: None,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MOST_ERRORS && self.reported.insert((diagnostic.code, diagnostic.span()))
        {
            self.diagnostics.push(diagnostic);
        }
    }

    fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The text of a place, blanks removed: composite names.
    fn source_text(&self, span: Span) -> String {
        self.source.slice(span).split_whitespace().collect()
    }

    /// Whether inputs or next values occur in a term. Computed once for every term.
    fn leaves(&mut self, root: TermId) -> Leaves {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.leaves.contains_key(&term) {
                stack.pop();
                continue;
            }
            let mut leaves = match self.system.terms.op(term) {
                Op::Current(variable) => Leaves {
                    inputs: self.system.variable(*variable).kind == entail_model::VarKind::Input,
                    next: false,
                },
                Op::Next(_) => Leaves {
                    inputs: false,
                    next: true,
                },
                _ => Leaves::default(),
            };
            let mut complete = true;
            for operand in self.system.terms.operands(term) {
                match self.leaves.get(operand) {
                    Some(below) => {
                        leaves.inputs |= below.inputs;
                        leaves.next |= below.next;
                    }
                    None => {
                        complete = false;
                        stack.push(*operand);
                    }
                }
            }
            if complete {
                self.leaves.insert(term, leaves);
                stack.pop();
            }
        }
        self.leaves[&root]
    }
}

/// Elaborates a parsed model.
pub(crate) fn elaborate(source: &Source, parsed: Parsed) -> Result<Elaborated, Diagnostics> {
    let Parsed {
        arena,
        modules,
        mut warnings,
        continuous_time: _,
    } = parsed;
    let mut names = Names {
        arena,
        scopes: Vec::new(),
        entities: Vec::new(),
        constants: Default::default(),
        sets: Default::default(),
        has_composite: false,
        temporal: Vec::new(),
    };
    names.mark_temporal();
    let mut system = TransitionSystem::new();
    let mut elaborator = Elaborator::new(source, &mut names, &mut system);
    let statements = elaborator.instantiate(&modules);
    elaborator.add_processes();
    let declared = std::mem::take(&mut elaborator.declared);
    for &entity in &declared {
        elaborator.declare_variable(entity);
    }
    elaborator.failures.clear();
    for &entity in &declared {
        elaborator.check_definition(entity);
    }
    elaborator.add_statements(&modules, &statements);
    // Cases of specifications are no part of the model.
    let branches = std::mem::take(&mut elaborator.branches);
    let specified = elaborator.add_properties(&modules, &statements);
    let variable_places = std::mem::take(&mut elaborator.variable_spans);
    let failed = elaborator.has_errors();
    let mut diagnostics = elaborator.diagnostics;
    diagnostics.sort_by_key(|diagnostic| (diagnostic.severity == Severity::Warning, diagnostic.span()));
    if failed {
        warnings.splice(0..0, diagnostics);
        return Err(Diagnostics(warnings));
    }
    warnings.extend(diagnostics);
    Ok(Elaborated {
        system,
        properties: specified.properties,
        places: specified.places,
        variable_places,
        branches,
        unsupported: specified.unsupported,
        impossible: specified.impossible,
        warnings,
        names,
    })
}

/// Elaborates one formula that came after the model; with the antecedents in it that no values make true.
pub(crate) fn elaborate_formula(
    source: &Source,
    names: &mut Names,
    system: &mut TransitionSystem,
    formula: ExprId,
    context: Option<ExprId>,
    kind: SpecKind,
) -> Result<(Property<TermId>, Vec<String>), Diagnostics> {
    names.mark_temporal();
    let mut elaborator = Elaborator::new(source, names, system);
    let property = elaborator.property(kind, None, formula, context, Names::MAIN);
    match property {
        Some(property) if !elaborator.has_errors() => Ok(property),
        _ => Err(Diagnostics(elaborator.diagnostics)),
    }
}

impl Elaborator<'_> {
    /// Lowers a define even if nobody uses it, for its errors; remembers it for traces. Actual parameters, as in NuSMV, are
    /// looked at only when they are used.
    fn check_definition(&mut self, id: EntityId) {
        let entity = self.names.entity(id);
        let (name, span) = (entity.name.clone(), entity.span);
        if !matches!(entity.kind, EntityKind::Define { .. }) {
            return;
        }
        let value = self.entity_value(id, false, span);
        self.failures.clear();
        if let value::Lowered::Term(term) = value
            && !self.leaves(term).next
        {
            self.system.defines.push(entail_model::Define { name, term });
        }
    }
}
