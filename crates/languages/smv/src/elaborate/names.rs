//! What names mean: one scope per module instance, one entity per declared name.
//!
//! A scope maps the names declared in its module to entities. NuSMV also lets a module declare composite names such as
//! `a.b` or `a[3]` outright: beside an instance `a`, `a.b` becomes a member of that instance; otherwise it is a name of
//! its own (NuSMV's flattened models consist of them). So a path `a.b[3]` may be one name, a member of an instance, an
//! element of an array, or a mixture; [`Names::find_path`] finds the first two.

use super::value::{Lowered, Sets};
use crate::syntax::ast::{Arena, Expr, ExprId, TypeExpr, TypeKind, Unary, VarKind};
use crate::syntax::interner::Symbol;
use entail_model::{Sort, TermId, Value};
use entail_source::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;

use super::failure::Failure;

/// A module instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ScopeId(pub(super) u32);

/// A declared name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EntityId(pub(super) u32);

/// A module instance with its names.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// Full name; empty for `main`.
    pub name: Arc<str>,
    /// Position among the parsed modules.
    pub module: usize,
    /// The nearest process this instance belongs to (`main` itself is one).
    pub process: ScopeId,
    /// The instance that contains this one.
    pub parent: Option<ScopeId>,
    pub members: FxHashMap<Symbol, EntityId>,
}

/// What a name meant in each scope before it was given another meaning.
#[derive(Debug)]
pub struct Hidden {
    symbol: Symbol,
    meant: Vec<Option<EntityId>>,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum EntityKind {
    Variable {
        kind: VarKind,
        ty: TypeExpr,
    },
    Define {
        body: ExprId,
    },
    /// A formal parameter: an expression of the instantiating scope.
    Parameter {
        actual: ExprId,
    },
    Instance(ScopeId),
    /// `running` of a process.
    Running(ScopeId),
}

/// The value of an entity, computed on first use.
#[derive(Clone, Debug, Default)]
pub(crate) enum Cache {
    #[default]
    Empty,
    InProgress,
    Done(Lowered, Arc<[Failure]>),
}

/// A declared name with what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct Entity {
    pub kind: EntityKind,
    /// Full name.
    pub name: Arc<str>,
    /// Where declared.
    pub span: Span,
    /// The scope its expressions are read in.
    pub scope: ScopeId,
    /// Its value now, and in the next state.
    pub values: [Cache; 2],
}

/// All names of a model.
#[derive(Debug)]
pub(crate) struct Names {
    pub arena: Arena,
    pub scopes: Vec<Scope>,
    pub entities: Vec<Entity>,
    /// Symbolic constants and where they were first mentioned.
    pub constants: FxHashMap<Symbol, Span>,
    /// The sets that values refer to.
    pub sets: Sets,
    /// Whether any declared name is composite.
    pub has_composite: bool,
    /// For each expression, whether a temporal operator occurs in it.
    pub temporal: Vec<bool>,
}

impl Names {
    /// Names of nothing yet, all in one scope.
    pub(crate) fn flat() -> Names {
        Names {
            arena: Arena::default(),
            scopes: vec![Scope {
                name: Arc::from(""),
                module: 0,
                process: Names::MAIN,
                parent: None,
                members: FxHashMap::default(),
            }],
            entities: Vec::new(),
            constants: FxHashMap::default(),
            sets: Sets::default(),
            has_composite: true,
            temporal: Vec::new(),
        }
    }

    /// Enters a term under its name, plain and in quotes, in the main scope; what has no next value must not be asked for it.
    pub(crate) fn enter(&mut self, name: &str, sort: &Sort, now: TermId, next: Option<TermId>) {
        if matches!(sort, Sort::Array { .. }) {
            return;
        }
        let id = self.add_term(name, now, next);
        for text in [name, &format!("\"{name}\"")] {
            let symbol = self.arena.names.intern(text);
            self.scopes[0].members.entry(symbol).or_insert(id);
        }
        for value in symbolic_constants(sort) {
            let symbol = self.arena.names.intern(&value);
            self.constants.entry(symbol).or_default();
        }
    }

    /// Makes a name mean a term in all scopes; gives what it meant before.
    pub(crate) fn bind(&mut self, name: &str, now: TermId, next: TermId) -> Hidden {
        let symbol = self.arena.names.intern(name);
        let id = self.add_term(name, now, Some(next));
        let scopes = self.scopes.iter_mut();
        let meant = scopes.map(|scope| scope.members.insert(symbol, id)).collect();
        Hidden { symbol, meant }
    }

    /// Makes a name mean what it meant before.
    pub(crate) fn unbind(&mut self, hidden: Hidden) {
        for (scope, meant) in self.scopes.iter_mut().zip(hidden.meant) {
            match meant {
                Some(meant) => scope.members.insert(hidden.symbol, meant),
                None => scope.members.remove(&hidden.symbol),
            };
        }
    }

    fn add_term(&mut self, name: &str, now: TermId, next: Option<TermId>) -> EntityId {
        let done = |value: Lowered| Cache::Done(value, Arc::from([]));
        let id = EntityId(self.entities.len() as u32);
        self.entities.push(Entity {
            kind: EntityKind::Variable {
                kind: VarKind::State,
                ty: TypeExpr {
                    kind: TypeKind::Boolean,
                    span: Span::default(),
                },
            },
            name: Arc::from(name),
            span: Span::default(),
            scope: Names::MAIN,
            values: [
                done(Lowered::Term(now)),
                done(next.map_or(Lowered::Error, Lowered::Term)),
            ],
        });
        id
    }

    pub(super) fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    pub(super) fn entity(&self, id: EntityId) -> &Entity {
        &self.entities[id.0 as usize]
    }

    pub(super) fn entity_mut(&mut self, id: EntityId) -> &mut Entity {
        &mut self.entities[id.0 as usize]
    }

    pub(super) fn text(&self, symbol: Symbol) -> &str {
        self.arena.names.text(symbol)
    }

    /// The full name of a member of a scope.
    pub(super) fn full_name(&self, scope: ScopeId, local: &str) -> Arc<str> {
        match &*self.scope(scope).name {
            "" => Arc::from(local),
            prefix => Arc::from(format!("{prefix}.{local}")),
        }
    }

    /// The main scope.
    pub(super) const MAIN: ScopeId = ScopeId(0);

    /// The entity a path denotes as a whole, seen from `scope`: `a`, `a.b`, `a[3].b`. `instance` resolves an entity to
    /// the instance it denotes, if it does.
    pub(super) fn find_path(
        &self,
        expr: ExprId,
        scope: ScopeId,
        instance: impl Fn(&Names, EntityId) -> Option<ScopeId>,
    ) -> Option<EntityId> {
        if let Expr::Name(symbol) = self.arena.get(expr) {
            return self.scope(scope).members.get(&symbol).copied();
        }
        let segments = self.segments(expr)?;
        let mut scope = scope;
        let mut from = usize::from(segments.first().is_some_and(|first| first == "self"));
        'descend: loop {
            let mut text = String::new();
            for (at, segment) in segments.iter().enumerate().skip(from) {
                if at > from && !segment.starts_with('[') {
                    text.push('.');
                }
                text.push_str(segment);
                let Some(symbol) = self.arena.names.find(&text) else {
                    continue;
                };
                let Some(&entity) = self.scope(scope).members.get(&symbol) else {
                    continue;
                };
                if at + 1 == segments.len() {
                    return Some(entity);
                }
                if let Some(inner) = instance(self, entity) {
                    scope = inner;
                    from = at + 1;
                    continue 'descend;
                }
            }
            return None;
        }
    }

    /// The parts of a path, if every index in it is an integer constant.
    fn segments(&self, expr: ExprId) -> Option<Vec<String>> {
        let mut segments = Vec::new();
        let mut expr = expr;
        loop {
            match self.arena.get(expr) {
                Expr::Name(symbol) => {
                    segments.push(self.text(symbol).to_string());
                    break;
                }
                Expr::SelfRef => {
                    segments.push("self".to_string());
                    break;
                }
                Expr::Dot(base, symbol) => {
                    segments.push(self.text(symbol).to_string());
                    expr = base;
                }
                Expr::Index(base, index) => {
                    let number = match self.arena.get(index) {
                        Expr::Number(number) => number,
                        Expr::Unary(Unary::Negate, inner) => match self.arena.get(inner) {
                            Expr::Number(number) => -number,
                            _ => return None,
                        },
                        _ => return None,
                    };
                    segments.push(format!("[{number}]"));
                    expr = base;
                }
                _ => return None,
            }
        }
        segments.reverse();
        Some(segments)
    }

    /// Names in reach of `scope` that look like `wanted`.
    pub(super) fn suggestion(&self, scope: ScopeId, wanted: &str) -> Option<String> {
        let members = self.scope(scope).members.keys();
        let known = members.chain(self.constants.keys());
        entail_source::nearest(wanted, known.map(|&symbol| self.text(symbol))).map(String::from)
    }

    /// Extends the table of temporal expressions to those added since.
    pub(super) fn mark_temporal(&mut self) {
        for index in self.temporal.len()..self.arena.len() {
            let id = self.arena.id_at(index);
            let expr = self.arena.get(id);
            let mut temporal = matches!(
                expr,
                Expr::Temporal(..)
                    | Expr::Bounded(..)
                    | Expr::TemporalBinary(..)
                    | Expr::BoundedUntil { .. }
                    | Expr::Compute(..)
            );
            let table = &self.temporal;
            self.arena
                .children(expr, |child| temporal |= table[child.index()]);
            self.temporal.push(temporal);
        }
    }
}

/// The named constants of a sort.
fn symbolic_constants(sort: &Sort) -> Vec<Arc<str>> {
    match sort {
        Sort::Enum(values) => values
            .iter()
            .filter_map(|value| match value {
                Value::Symbol(name) => Some(name.clone()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}
