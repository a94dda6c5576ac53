//! Instances of modules: their names, their parameters, and what they declare.

use super::{Domain, Kind, Reader, Reported, Variable};
use crate::syntax::ast::{Expr, ExprId, Item, Module, TypeExpr, TypeKind, VarKind};
use crate::syntax::interner::Symbol;
use entail_first_order::{Sort, SortId};
use entail_source::Span;
use rustc_hash::FxHashMap;

/// How many instances and elements of arrays a model may have.
const MOST: usize = 100_000;

pub(super) type ScopeId = usize;

/// What a name in a scope stands for.
#[derive(Clone, Debug)]
pub(super) enum Member {
    Variable(usize),
    /// An array of variables, by its lowest index.
    Array(i64, Vec<Member>),
    Define(ExprId),
    /// A function as a frozen array, and how many arguments it takes.
    Function(usize, usize),
    /// An expression of the instance's parent.
    Parameter(ExprId, ScopeId),
    Instance(ScopeId),
}

#[derive(Default)]
pub(super) struct Scope {
    pub prefix: String,
    pub members: FxHashMap<Symbol, Member>,
}

/// All instances; `main` is the first.
#[derive(Default)]
pub(super) struct Scopes {
    pub all: Vec<Scope>,
    /// Variables to be declared, in order.
    pub declared: Vec<(ScopeId, Symbol, VarKind, TypeExpr)>,
    /// Functions to be declared: instance, module and item.
    pub functions: Vec<Statement>,
}

/// A statement of an instance: its scope, its module and its item.
pub(super) type Statement = (ScopeId, usize, usize);

impl Reader<'_> {
    /// Makes the scopes of all instances; the statements in order.
    pub(super) fn instantiate(&mut self, modules: &[Module]) -> Vec<Statement> {
        let by_name: FxHashMap<Symbol, usize> = modules
            .iter()
            .enumerate()
            .map(|(index, module)| (module.name.symbol, index))
            .collect();
        let main = (self.arena.names.find("main")).and_then(|symbol| by_name.get(&symbol).copied());
        let Some(main) = main else {
            self.wrong("smv::no-main", "there is no module `main`", Span::new(0, 0));
            return Vec::new();
        };
        self.scopes.all.push(Scope::default());
        let mut statements = Vec::new();
        let mut waiting = vec![(0, main, 0usize)];
        while let Some((scope, module, depth)) = waiting.pop() {
            for (index, item) in modules[module].items.iter().enumerate() {
                match item {
                    Item::Variable { kind, name, ty } => {
                        if let TypeKind::Instance {
                            module: called,
                            arguments,
                            process,
                        } = &ty.kind
                        {
                            let Some(&target) = by_name.get(&called.symbol) else {
                                self.wrong("smv::no-module", "there is no such module", called.span);
                                continue;
                            };
                            if *process {
                                self.wrong(
                                    "smv::not-yet",
                                    "processes are not supported with integers",
                                    ty.span,
                                );
                            }
                            if arguments.len() != modules[target].parameters.len() {
                                self.wrong("smv::arity", "the module has other parameters", ty.span);
                                continue;
                            }
                            if self.scopes.all.len() > MOST || depth > 1000 {
                                self.wrong(
                                    "smv::too-many-instances",
                                    "there are too many instances",
                                    ty.span,
                                );
                                return Vec::new();
                            }
                            let prefix = format!(
                                "{}{}.",
                                self.scopes.all[scope].prefix,
                                self.arena.names.text(name.symbol)
                            );
                            let mut inner = Scope {
                                prefix,
                                members: FxHashMap::default(),
                            };
                            for (parameter, &argument) in modules[target].parameters.iter().zip(arguments) {
                                inner
                                    .members
                                    .insert(parameter.symbol, Member::Parameter(argument, scope));
                            }
                            let id = self.scopes.all.len();
                            self.scopes.all.push(inner);
                            self.enter(scope, name.symbol, Member::Instance(id), name.span);
                            waiting.push((id, target, depth + 1));
                        } else {
                            self.scopes.declared.push((scope, name.symbol, *kind, ty.clone()));
                        }
                    }
                    Item::Define { name, body } => {
                        self.enter(scope, name.symbol, Member::Define(*body), name.span);
                    }
                    Item::Isa(name) => {
                        self.wrong("smv::not-yet", "ISA is not supported with integers", name.span);
                    }
                    Item::Constants(names) => {
                        for name in names {
                            let text = self.arena.names.text(name.symbol).to_owned();
                            self.symbol_number(text);
                        }
                    }
                    Item::Function { .. } => self.scopes.functions.push((scope, module, index)),
                    _ => statements.push((scope, module, index)),
                }
            }
        }
        statements
    }

    fn enter(&mut self, scope: ScopeId, name: Symbol, member: Member, span: Span) {
        if self.scopes.all[scope].members.insert(name, member).is_some() {
            self.wrong("smv::redeclared", "this name is declared twice", span);
        }
    }

    /// The number of a symbolic constant.
    fn symbol_number(&mut self, name: String) -> i64 {
        let fresh = self.symbols.len() as i64;
        *self.symbols.entry(name).or_insert(fresh)
    }

    /// Declares the variables and the functions.
    pub(super) fn declare(&mut self, modules: &[Module]) {
        for (scope, module, item) in std::mem::take(&mut self.scopes.functions) {
            if let Item::Function {
                name,
                arguments,
                result,
            } = &modules[module].items[item]
            {
                let text = self.arena.names.text(name.symbol);
                let title = format!("{}{text}", self.scopes.all[scope].prefix);
                if let Ok(member) = self.declare_function(&title, scope, arguments, result) {
                    self.enter(scope, name.symbol, member, name.span);
                }
            }
        }
        for (scope, name, kind, ty) in std::mem::take(&mut self.scopes.declared) {
            let title = format!("{}{}", self.scopes.all[scope].prefix, self.arena.names.text(name));
            if let Ok(member) = self.declare_one(&title, scope, kind, &ty) {
                self.enter(scope, name, member, ty.span);
            }
        }
    }

    fn declare_one(
        &mut self,
        title: &str,
        scope: ScopeId,
        kind: VarKind,
        ty: &TypeExpr,
    ) -> Result<Member, Reported> {
        if let TypeKind::Array(dimensions, element) = &ty.kind {
            let mut bounds = Vec::new();
            for &(low, high) in dimensions {
                bounds.push((self.constant(low, scope)?, self.constant(high, scope)?));
            }
            return self.declare_elements(title, scope, kind, &bounds, element);
        }
        let (value_kind, domain) = self.resolve(scope, ty)?;
        let variable = self.declare_variable(title, kind, value_kind, domain, ty.span)?;
        if matches!(ty.kind, TypeKind::Clock) {
            if kind != VarKind::State {
                return Err(self.wrong("smv::clock", "clocks are declared in VAR", ty.span));
            }
            self.variables[variable].is_clock = true;
        }
        Ok(Member::Variable(variable))
    }

    pub(super) fn declare_variable(
        &mut self,
        title: &str,
        kind: VarKind,
        value_kind: Kind,
        domain: Domain,
        span: Span,
    ) -> Result<usize, Reported> {
        let sort = self.sort_of(value_kind);
        let current = self.terms.constant(title, sort);
        let next = match kind {
            VarKind::Input => None,
            _ => Some(self.terms.constant(&format!("next({title})"), sort)),
        };
        self.variables.push(Variable {
            name: title.to_owned(),
            kind: value_kind,
            domain,
            current,
            next,
            is_frozen: kind == VarKind::Frozen,
            is_clock: false,
        });
        if self.variables.len() > MOST {
            return Err(self.wrong("smv::too-large", "there are too many variables", span));
        }
        Ok(self.variables.len() - 1)
    }

    fn declare_elements(
        &mut self,
        title: &str,
        scope: ScopeId,
        kind: VarKind,
        bounds: &[(i64, i64)],
        element: &TypeExpr,
    ) -> Result<Member, Reported> {
        let Some((&(low, high), inner)) = bounds.split_first() else {
            return self.declare_one(title, scope, kind, element);
        };
        if low > high || (high - low) as usize > MOST {
            return Err(self.wrong("smv::bounds", "an array has no such bounds", element.span));
        }
        let mut members = Vec::new();
        for index in low..=high {
            let name = format!("{title}[{index}]");
            members.push(self.declare_elements(&name, scope, kind, inner, element)?);
        }
        Ok(Member::Array(low, members))
    }

    pub(super) fn sort_of(&mut self, kind: Kind) -> SortId {
        match kind {
            Kind::Bool => SortId::BOOL,
            Kind::Int | Kind::Symbol => SortId::INT,
            Kind::Real => SortId::REAL,
            Kind::Word { width, .. } => self.terms.sort_id(Sort::Word(width)),
            Kind::Map(map) => {
                let sort = self.map_sort(map);
                self.terms.sort_id(sort)
            }
        }
    }

    pub(super) fn resolve(&mut self, scope: ScopeId, ty: &TypeExpr) -> Result<(Kind, Domain), Reported> {
        Ok(match &ty.kind {
            TypeKind::Boolean => (Kind::Bool, Domain::All),
            TypeKind::Integer => (Kind::Int, Domain::All),
            TypeKind::Real => (Kind::Real, Domain::All),
            TypeKind::Clock if self.is_timed => (Kind::Real, Domain::All),
            TypeKind::Clock => {
                let message = "clocks need time: begin the text with `@TIME_DOMAIN continuous`";
                return Err(self.wrong("smv::clock", message, ty.span));
            }
            TypeKind::Map(index, element) => (self.map_kind(scope, index, element)?, Domain::All),
            TypeKind::Range(low, high) => {
                let (low, high) = (self.constant(*low, scope)?, self.constant(*high, scope)?);
                if low > high {
                    return Err(self.wrong("smv::empty-range", "the range is empty", ty.span));
                }
                (Kind::Int, Domain::Range(low, high))
            }
            TypeKind::Word { signed, width } => {
                let width = self.constant(*width, scope)?;
                match u32::try_from(width) {
                    Ok(width @ 1..=64_000) => (
                        Kind::Word {
                            width,
                            signed: *signed,
                        },
                        Domain::All,
                    ),
                    _ => return Err(self.wrong("smv::width", "a word has at least one bit", ty.span)),
                }
            }
            TypeKind::Enum(values) => {
                let mut numbers = Vec::new();
                let mut kinds = Vec::new();
                for &value in values {
                    match self.arena.get(value) {
                        Expr::Number(number) => {
                            numbers.push(number);
                            kinds.push(Kind::Int);
                        }
                        Expr::Name(symbol) => {
                            let name = self.arena.names.text(symbol).to_owned();
                            numbers.push(self.symbol_number(name));
                            kinds.push(Kind::Symbol);
                        }
                        _ => {
                            let span = self.arena.span(value);
                            return Err(self.wrong(
                                "smv::not-yet",
                                "this constant is not supported here",
                                span,
                            ));
                        }
                    }
                }
                if kinds.windows(2).any(|pair| pair[0] != pair[1]) {
                    let message = "enumerations of names and numbers are not supported with integers";
                    return Err(self.wrong("smv::not-yet", message, ty.span));
                }
                (kinds[0], Domain::Values(numbers))
            }
            TypeKind::Array(..) | TypeKind::Instance { .. } => {
                return Err(self.wrong("smv::not-yet", "this type is not supported here", ty.span));
            }
        })
    }
}
