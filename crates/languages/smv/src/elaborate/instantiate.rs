//! The hierarchy: one scope per instance, every declared name entered, nothing evaluated yet.
//!
//! Instances are expanded where they are declared, so that variables come out in the order NuSMV lists them. A
//! module that contains itself is an error, as are more than [`MOST_INSTANCES`] instances (a few lines of SMV can
//! ask for 2^40). Constants of enumerations share one name space with everything else that is declared.

use super::Elaborator;
use super::lower::instance_of;
use super::names::{Entity, EntityId, EntityKind, Names, Scope, ScopeId};
use crate::syntax::ast::{Expr, ExprId, Ident, Item, Module, TypeExpr, TypeKind};
use crate::syntax::interner::Symbol;
use entail_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How many instances a model may have.
const MOST_INSTANCES: usize = 1_000_000;

/// How many ISA declarations are followed: two modules may name each other.
const MOST_INHERITED: usize = 100_000;

/// One step of the expansion: go on with a module's items from a position, into a scope.
struct Work {
    scope: ScopeId,
    module: usize,
    from: usize,
}

/// How far the items of a module were entered.
enum Items {
    /// To the end.
    Done,
    /// To one that opens another module: what is in there, and then the rest.
    Inside { inner: Work, rest: Work },
    /// Modules inherit from each other without end.
    Endless,
}

/// A statement of an instance: which scope, which module, which item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statement {
    pub scope: ScopeId,
    pub module: usize,
    pub item: usize,
}

impl Elaborator<'_> {
    /// Builds all scopes from `main` on. The statements (everything that is not a declaration) are returned in order, the
    /// declared variables and defines are left in `self.declared`.
    pub(super) fn instantiate(&mut self, modules: &[Module]) -> Vec<Statement> {
        let index = self.index_modules(modules);
        let Some(main) = self.main_module(modules, &index) else {
            return Vec::new();
        };
        self.names.scopes.push(Scope {
            name: Arc::from(""),
            module: main,
            process: Names::MAIN,
            parent: None,
            members: FxHashMap::default(),
        });
        let mut statements = Vec::new();
        let mut work = vec![Work {
            scope: Names::MAIN,
            module: main,
            from: 0,
        }];
        while let Some(here) = work.pop() {
            match self.items(modules, &index, here, &mut statements) {
                Items::Done => {}
                // The rest of this module comes after what it contains.
                Items::Inside { inner, rest } => work.extend([rest, inner]),
                Items::Endless => return statements,
            }
            if self.names.scopes.len() > MOST_INSTANCES {
                self.report(Diagnostic::error(
                    "smv::too-many-instances",
                    format!("the model has more than {MOST_INSTANCES} module instances"),
                    modules[main].name.span,
                    "instantiated from here",
                ));
                return Vec::new();
            }
        }
        self.place_composite_names();
        self.check_constant_clashes();
        statements
    }

    /// The module `main`; mistakes about it are reported.
    fn main_module(&mut self, modules: &[Module], index: &FxHashMap<Symbol, usize>) -> Option<usize> {
        let main = self
            .names
            .arena
            .names
            .find("main")
            .and_then(|symbol| index.get(&symbol).copied());
        let Some(main) = main else {
            let span = modules.first().map_or(Span::new(0, 0), |module| module.name.span);
            self.report(
                Diagnostic::error(
                    "smv::no-main",
                    "there is no module `main`",
                    span,
                    "modules begin here",
                )
                .with_help("the model is the instance of the module called `main`"),
            );
            return None;
        };
        if let Some(parameter) = modules[main].parameters.first() {
            self.report(Diagnostic::error(
                "smv::main-parameters",
                "the module `main` cannot have parameters",
                parameter.span,
                "nobody could give this a value",
            ));
        }
        Some(main)
    }

    /// Enters the items of a module from a position on, up to the first one that opens another module.
    fn items(
        &mut self,
        modules: &[Module],
        index: &FxHashMap<Symbol, usize>,
        here: Work,
        statements: &mut Vec<Statement>,
    ) -> Items {
        let Work { scope, module, from } = here;
        let rest = |position: usize| Work {
            scope,
            module,
            from: position + 1,
        };
        for (position, item) in modules[module].items.iter().enumerate().skip(from) {
            match item {
                Item::Variable { name, ty, kind } => match &ty.kind {
                    TypeKind::Instance {
                        module: wanted,
                        arguments,
                        process,
                    } => {
                        let inner = self.instance(modules, index, scope, *name, *wanted, arguments, *process);
                        if let Some((scope, module)) = inner {
                            return Items::Inside {
                                inner: Work {
                                    scope,
                                    module,
                                    from: 0,
                                },
                                rest: rest(position),
                            };
                        }
                    }
                    _ => {
                        self.collect_constants(ty);
                        let kind = EntityKind::Variable {
                            kind: *kind,
                            ty: ty.clone(),
                        };
                        let declared = self.declare(scope, *name, kind);
                        self.declared.extend(declared);
                    }
                },
                Item::Define { name, body } => {
                    let declared = self.declare(scope, *name, EntityKind::Define { body: *body });
                    self.declared.extend(declared);
                }
                Item::Function { name, .. } => {
                    self.infinite_type::<()>("function", name.span);
                }
                Item::Constants(constants) => {
                    for constant in constants {
                        self.names
                            .constants
                            .entry(constant.symbol)
                            .or_insert(constant.span);
                    }
                }
                Item::Isa(name) => {
                    let Some(&inherited) = index.get(&name.symbol) else {
                        self.unknown_module(*name, index);
                        continue;
                    };
                    if inherited == module {
                        self.recursive_module(*name);
                        continue;
                    }
                    self.isa_depth += 1;
                    if self.isa_depth > MOST_INHERITED {
                        self.recursive_module(*name);
                        return Items::Endless;
                    }
                    return Items::Inside {
                        inner: Work {
                            scope,
                            module: inherited,
                            from: 0,
                        },
                        rest: rest(position),
                    };
                }
                _ => statements.push(Statement {
                    scope,
                    module,
                    item: position,
                }),
            }
        }
        Items::Done
    }

    fn index_modules(&mut self, modules: &[Module]) -> FxHashMap<Symbol, usize> {
        let mut index: FxHashMap<Symbol, usize> = FxHashMap::default();
        for (position, module) in modules.iter().enumerate() {
            if let Some(&first) = index.get(&module.name.symbol) {
                let name = self.names.text(module.name.symbol).to_string();
                self.report(
                    Diagnostic::error(
                        "smv::duplicate",
                        format!("the module `{name}` is declared twice"),
                        module.name.span,
                        "again here",
                    )
                    .with_label(modules[first].name.span, "first declared here"),
                );
                continue;
            }
            index.insert(module.name.symbol, position);
        }
        index
    }

    #[allow(clippy::too_many_arguments)]
    fn instance(
        &mut self,
        modules: &[Module],
        index: &FxHashMap<Symbol, usize>,
        scope: ScopeId,
        name: Ident,
        wanted: Ident,
        arguments: &[ExprId],
        process: bool,
    ) -> Option<(ScopeId, usize)> {
        let Some(&module) = index.get(&wanted.symbol) else {
            self.unknown_module(wanted, index);
            return None;
        };
        let mut ancestor = Some(scope);
        while let Some(above) = ancestor {
            if self.names.scope(above).module == module {
                self.recursive_module(wanted);
                return None;
            }
            ancestor = self.names.scope(above).parent;
        }
        let parameters = &modules[module].parameters;
        if parameters.len() != arguments.len() {
            let text = self.names.text(wanted.symbol).to_string();
            let plural = if parameters.len() == 1 { "" } else { "s" };
            self.report(
                Diagnostic::error(
                    "smv::arity",
                    format!(
                        "module `{text}` takes {} parameter{plural}, not {}",
                        parameters.len(),
                        arguments.len()
                    ),
                    wanted.span,
                    format!("{} given here", arguments.len()),
                )
                .with_label(modules[module].name.span, "declared here"),
            );
            return None;
        }
        let inner = ScopeId(self.names.scopes.len() as u32);
        self.declare(scope, name, EntityKind::Instance(inner))?;
        let local = self.names.text(name.symbol).to_string();
        let full = self.names.full_name(scope, &local);
        let process_scope = if process {
            inner
        } else {
            self.names.scope(scope).process
        };
        self.names.scopes.push(Scope {
            name: full,
            module,
            process: process_scope,
            parent: Some(scope),
            members: FxHashMap::default(),
        });
        if process {
            self.processes.push(inner);
        }
        for (parameter, &actual) in parameters.iter().zip(arguments) {
            let entity = self.declare(inner, *parameter, EntityKind::Parameter { actual });
            if let Some(entity) = entity {
                // Actual parameters are read where the instance is declared.
                self.names.entity_mut(entity).scope = scope;
            }
        }
        Some((inner, module))
    }

    fn unknown_module(&mut self, wanted: Ident, index: &FxHashMap<Symbol, usize>) {
        let text = self.names.text(wanted.symbol).to_string();
        let known: Vec<&str> = index.keys().map(|&symbol| self.names.text(symbol)).collect();
        let close = known
            .iter()
            .find(|candidate| candidate.eq_ignore_ascii_case(&text))
            .map(|candidate| format!("did you mean `{candidate}`?"));
        let mut diagnostic = Diagnostic::error(
            "smv::unknown-module",
            format!("there is no module `{text}`"),
            wanted.span,
            "unknown module",
        );
        diagnostic.help = close;
        self.report(diagnostic);
    }

    fn recursive_module(&mut self, wanted: Ident) {
        let text = self.names.text(wanted.symbol).to_string();
        self.report(Diagnostic::error(
            "smv::recursive-module",
            format!("module `{text}` contains itself"),
            wanted.span,
            "instantiated inside itself here",
        ));
    }

    /// Enters a name in a scope; nothing if it is taken.
    pub(super) fn declare(&mut self, scope: ScopeId, name: Ident, kind: EntityKind) -> Option<EntityId> {
        if let Some(&taken) = self.names.scope(scope).members.get(&name.symbol) {
            let text = self.names.text(name.symbol).to_string();
            let first = self.names.entity(taken).span;
            self.report(
                Diagnostic::error(
                    "smv::duplicate",
                    format!("`{text}` is declared twice"),
                    name.span,
                    "again here",
                )
                .with_label(first, "first declared here"),
            );
            return None;
        }
        let local = self.names.text(name.symbol).to_string();
        let full = self.names.full_name(scope, &local);
        let id = EntityId(self.names.entities.len() as u32);
        if local.contains(['.', '[']) {
            self.names.has_composite = true;
            self.composite.push((scope, name.symbol, id));
        }
        self.names.entities.push(Entity {
            kind,
            name: full,
            span: name.span,
            scope,
            values: Default::default(),
        });
        self.names.scopes[scope.0 as usize]
            .members
            .insert(name.symbol, id);
        Some(id)
    }

    /// A name `u.ack` declared beside an instance (or parameter) `u` belongs to that instance.
    fn place_composite_names(&mut self) {
        for (scope, symbol, entity) in std::mem::take(&mut self.composite) {
            let text = self.names.text(symbol).to_string();
            let Some((prefix, local)) = text.rsplit_once('.') else {
                continue;
            };
            let mut owner = Some(scope);
            for part in prefix.split('.') {
                owner = owner.and_then(|owner| {
                    let part = self.names.arena.names.find(part)?;
                    let member = *self.names.scope(owner).members.get(&part)?;
                    instance_of(self.names, member, 0)
                });
            }
            let Some(owner) = owner else {
                continue;
            };
            let local_symbol = self.names.arena.names.intern(local);
            let span = self.names.entity(entity).span;
            if let Some(&taken) = self.names.scope(owner).members.get(&local_symbol) {
                let first = self.names.entity(taken).span;
                self.report(
                    Diagnostic::error(
                        "smv::duplicate",
                        format!("`{text}` is declared twice"),
                        span,
                        "again here",
                    )
                    .with_label(first, "first declared here"),
                );
                continue;
            }
            let full = self.names.full_name(owner, local);
            self.names.entity_mut(entity).name = full;
            self.names.scopes[scope.0 as usize].members.remove(&symbol);
            self.names.scopes[owner.0 as usize]
                .members
                .insert(local_symbol, entity);
        }
    }

    fn collect_constants(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeKind::Enum(values) => {
                for &value in values {
                    if let Expr::Name(symbol) = self.names.arena.get(value) {
                        let span = self.names.arena.span(value);
                        self.names.constants.entry(symbol).or_insert(span);
                    }
                }
            }
            TypeKind::Array(_, element) => self.collect_constants(element),
            _ => {}
        }
    }

    /// A variable or define must not have the name of a constant: the constant could not be told from it.
    fn check_constant_clashes(&mut self) {
        let mut clashes = Vec::new();
        for scope in &self.names.scopes {
            for (symbol, &entity) in &scope.members {
                if let Some(&constant) = self.names.constants.get(symbol) {
                    let entity = self.names.entity(entity);
                    if !matches!(entity.kind, EntityKind::Parameter { .. }) {
                        clashes.push((*symbol, entity.span, constant));
                    }
                }
            }
        }
        clashes.sort_by_key(|&(_, span, _)| span);
        for (symbol, span, constant) in clashes {
            let text = self.names.text(symbol).to_string();
            self.report(
                Diagnostic::error(
                    "smv::duplicate",
                    format!("`{text}` is both declared here and a symbolic constant"),
                    span,
                    "declared here",
                )
                .with_label(constant, "a constant here"),
            );
        }
    }
}
