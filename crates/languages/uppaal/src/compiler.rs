//! The translator: types, names and the memory they stand for.
//!
//! What an expression does beside having a value (assignments, functions that change variables) is put into a list of statements that runs before; operands that were
//! read before such a statement are kept in slots of their own, so that the order of evaluation stays from left to right. Where nothing may be changed there is no such list.

use crate::instances::Constancy;
use crate::names::{Entity, Reference, Root, ScopeId, Scopes};
use crate::parser::Read;
use crate::reals::{Moment, RandomRuns, marked, real, real_constant};
use crate::scalars::{Path, Paths};
use crate::terms::{scaled, sum};
use crate::types::{CLOCKS, INTEGERS, PLAIN, Type};
use entail_clocks::{ClockName, Comparison, Expression, Formula, Network, Place, Real, Statement};
use entail_source::{Diagnostic, Span};
use entail_uppaal_tree::{ArraySize, Declarator, Expr, ExprKind, Hook, TypeExpr, TypeKind};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A clock or difference of clocks, with an integer added.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    pub plus: ClockName,
    pub minus: ClockName,
    pub offset: Expression,
}

/// A translated expression.
#[derive(Clone, Debug)]
pub(crate) enum Typed {
    /// An integer, and whether it is 0 or 1 only.
    Integer(Expression, bool),
    /// A floating-point number, marked as one.
    Real(Expression),
    /// A floating-point number that is left out in this translation.
    Unknown,
    Clock(Linear),
    /// A condition on clocks or locations.
    Formula(Formula),
    /// An array, a record or a channel.
    Value(Type, Reference),
    Process,
    Nothing,
}

/// A process of the system.
#[derive(Debug)]
pub(crate) struct ProcessInfo {
    /// The name on the system line, and the values of the parameters that were left.
    pub family: String,
    pub values: Vec<i64>,
    pub scope: ScopeId,
    /// Its named locations, which only queries name.
    pub locations: HashMap<String, usize>,
}

/// Translates.
pub(crate) struct Compiler<'m> {
    pub network: Network,
    pub scopes: Scopes<'m>,
    pub processes: Vec<ProcessInfo>,
    /// The next free slot, for code that runs in the network and for constants.
    pub next_slot: [usize; 2],
    /// Whether only constants may be read.
    pub constant: bool,
    /// Where statements go; nothing where nothing may be changed.
    pub effects: Option<Vec<Statement>>,
    /// Where the rates of the cost go; nothing outside invariants.
    pub rates: Option<Vec<Expression>>,
    /// The rates of clocks that stand in the invariant that is read.
    pub clock_rates: Vec<(ClockName, Expression)>,
    pub functions: crate::functions::Cache,
    /// What the function that is translated does so far.
    pub does: crate::functions::Deeds,
    /// Sets of scalars by the place of their type.
    pub scalars: HashMap<(usize, i64), usize>,
    /// What everything in the network is called, and what it is inside of.
    pub paths: Paths,
    pub inside: Path,
    /// What every step does before and after its updates.
    pub hooks: Vec<&'m Hook>,
    /// What the translation for random runs has beside the network.
    pub random: Option<RandomRuns>,
    /// Whether something was left out that random runs know.
    pub left_out: bool,
    /// Where the code stands that is translated.
    pub moment: Moment,
    /// What is a constant.
    pub constancy: Constancy,
}

pub(crate) fn wrong(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error(code, message, span, "here")
}

pub(crate) fn unsupported(what: &str, span: Span) -> Diagnostic {
    wrong("uppaal::unsupported", format!("{what} are not supported"), span)
}

impl Typed {
    pub fn name(&self) -> &'static str {
        match self {
            Typed::Integer(..) => "an integer",
            Typed::Real(_) | Typed::Unknown => "a floating-point number",
            Typed::Clock(_) => "a clock",
            Typed::Formula(_) => "a condition on clocks or locations",
            Typed::Value(of, _) => of.name(),
            Typed::Process => "a process",
            Typed::Nothing => "nothing",
        }
    }
}

/// The locations that a process has, for whoever looks for another.
fn known_locations(info: &ProcessInfo) -> String {
    let mut names: Vec<&str> = info.locations.keys().map(String::as_str).collect();
    names.sort_unstable();
    match names.len() {
        0 => "none of its locations has a name".to_owned(),
        1..=12 => format!("its locations are {}", names.join(", ")),
        count => format!("it has {count} locations, among them {}", names[..12].join(", ")),
    }
}

impl<'m> Compiler<'m> {
    /// Enters processes by their names, which only queries and charts use.
    pub fn name_processes(&mut self) {
        for process in 0..self.processes.len() {
            let info = &self.processes[process];
            if info.values.is_empty() {
                let family = info.family.clone();
                self.scopes.enter(0, &family, Entity::Process(process));
            }
        }
    }

    pub fn emit(&mut self, statement: Statement, span: Span) -> Read<()> {
        match &mut self.effects {
            Some(list) => {
                list.push(statement);
                Ok(())
            }
            None => {
                let message = "this changes variables, which is not allowed here";
                Err(wrong("uppaal::effect", message, span))
            }
        }
    }

    /// A free slot.
    pub fn slot(&mut self, count: usize) -> usize {
        let next = &mut self.next_slot[usize::from(self.constant)];
        *next += count;
        *next - count
    }

    pub(crate) fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        wrong("uppaal::unknown", format!("there is no `{name}` here"), span)
    }

    /// An integer.
    pub fn integer(&mut self, expr: &Expr, scope: ScopeId) -> Read<Expression> {
        match self.value(expr, scope)? {
            Typed::Integer(expression, _) => Ok(expression),
            Typed::Unknown => self.known(None, expr.span),
            other => {
                let message = format!("this is {}, and an integer is expected", other.name());
                Err(wrong("uppaal::type", message, expr.span))
            }
        }
    }

    /// A constant.
    pub fn constant(&mut self, expr: &Expr, scope: ScopeId) -> Read<i64> {
        let (was, effects) = (self.constant, self.effects.take());
        self.constant = true;
        let read = self.integer(expr, scope);
        (self.constant, self.effects) = (was, effects);
        let message = |fault| {
            wrong(
                "uppaal::constant",
                format!("this has no value: {fault}"),
                expr.span,
            )
        };
        read?.value(&[]).map_err(message)
    }

    /// A condition.
    pub fn formula(&mut self, expr: &Expr, scope: ScopeId) -> Read<Formula> {
        let read = self.value(expr, scope)?;
        self.as_formula(read, expr.span)
    }

    pub(crate) fn as_formula(&self, read: Typed, span: Span) -> Read<Formula> {
        match read {
            Typed::Integer(Expression::Constant(number), _) => Ok(Formula::Constant(number != 0)),
            Typed::Integer(expression, _) => Ok(Formula::Integer(expression)),
            Typed::Formula(formula) => Ok(formula),
            Typed::Real(number) => {
                let number = self.known(Some(number), span)?;
                let different = Real::Compare(Comparison::Different);
                self.as_formula(
                    Typed::Integer(real(different, vec![number, real_constant(0.0)]), true),
                    span,
                )
            }
            Typed::Unknown => self.known(None, span).map(Formula::Integer),
            other => {
                let message = format!("this is {}, and a condition is expected", other.name());
                Err(wrong("uppaal::type", message, span))
            }
        }
    }

    /// A type.
    pub fn resolve(&mut self, of: &TypeExpr, scope: ScopeId) -> Read<Type> {
        if of.prefix.hybrid {
            return match of.kind {
                TypeKind::Clock if self.is_random() => Ok(Type::Clock),
                TypeKind::Clock => Ok(Type::Hybrid),
                _ => Err(wrong("uppaal::type", "only clocks are hybrid", of.span)),
            };
        }
        Ok(match &of.kind {
            // Constants may be as large as numbers can be written.
            TypeKind::Int if of.prefix.constant => Type::Int {
                low: i64::from(i32::MIN),
                high: i64::from(i32::MAX),
            },
            TypeKind::Int => PLAIN,
            TypeKind::Range(low, high) => {
                let (low, high) = (self.constant(low, scope)?, self.constant(high, scope)?);
                if low > high {
                    let message = format!("the range [{low}, {high}] is empty");
                    return Err(wrong("uppaal::type", message, of.span));
                }
                Type::Int { low, high }
            }
            TypeKind::Bool => Type::Bool,
            TypeKind::Clock => Type::Clock,
            TypeKind::Channel => Type::Channel {
                urgent: of.prefix.urgent,
                broadcast: of.prefix.broadcast,
            },
            TypeKind::Void => Type::Void,
            TypeKind::Double if of.prefix.constant || self.constant || self.is_random() => Type::Double,
            TypeKind::Double => Type::Ignored,
            TypeKind::Text => return Err(unsupported("texts (`string`)", of.span)),
            TypeKind::Scalar(size) => {
                let size = self.constant(size, scope)?;
                if !(1..=1 << 16).contains(&size) {
                    return Err(wrong("uppaal::type", format!("a set of {size} scalars"), of.span));
                }
                let next = self.scalars.len();
                let set = *self.scalars.entry((of.span.start, size)).or_insert(next);
                Type::Scalar { set, size }
            }
            TypeKind::Struct(fields) => {
                let mut all: Vec<(String, Type)> = Vec::new();
                for (of, declarator) in fields {
                    let of = self.declared(of, declarator, scope)?;
                    if all.iter().any(|(name, _)| *name == declarator.name) {
                        let message = format!("the field `{}` is declared twice", declarator.name);
                        return Err(wrong("uppaal::duplicate", message, declarator.span));
                    }
                    all.push((declarator.name.clone(), of));
                }
                Type::Struct(Rc::new(all))
            }
            TypeKind::Named(name) => match self.scopes.find(scope, name) {
                Some(Entity::Type(of)) => of.clone(),
                Some(_) => return Err(wrong("uppaal::type", format!("`{name}` is no type"), of.span)),
                None => return Err(self.unknown(name, of.span)),
            },
        })
    }

    /// The sizes of the sets of scalars.
    pub fn scalar_sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.scalars.len()];
        for (&(_, size), &set) in &self.scalars {
            sizes[set] = size as usize;
        }
        sizes
    }

    /// The type of a declared name.
    pub fn declared(&mut self, of: &TypeExpr, declarator: &Declarator, scope: ScopeId) -> Read<Type> {
        let mut all = self.resolve(of, scope)?;
        for size in declarator.sizes.iter().rev() {
            let named = match size {
                ArraySize::Expr(Expr {
                    kind: ExprKind::Name(name),
                    span,
                }) => match self.scopes.find(scope, name) {
                    Some(Entity::Type(of)) => Some((of.clone(), *span)),
                    _ => None,
                },
                ArraySize::Type(of) => Some((self.resolve(of, scope)?, of.span)),
                ArraySize::Expr(_) => None,
            };
            let set = match &named {
                Some((Type::Scalar { set, .. }, _)) => Some(*set),
                _ => None,
            };
            let (low, count) = match (named, size) {
                (Some((of, span)), _) => match of.range() {
                    Some((low, high)) => (low, high - low + 1),
                    None => {
                        let message = "an array is indexed by integers or scalars";
                        return Err(wrong("uppaal::type", message, span));
                    }
                },
                (None, ArraySize::Expr(size)) => (0, self.constant(size, scope)?),
                (None, ArraySize::Type(of)) => return Err(wrong("uppaal::type", "this is no size", of.span)),
            };
            if !(1..=1 << 20).contains(&count) {
                let message = format!("an array of {count} elements");
                return Err(wrong("uppaal::type", message, declarator.span));
            }
            all = Type::Array(Rc::new(all), count as usize, low, set);
            if all.sizes().is_none() {
                return Err(wrong("uppaal::limit", "this array is too large", declarator.span));
            }
        }
        Ok(all)
    }

    /// What stands before a dot or a bracket, or is assigned to.
    pub fn reference(&mut self, expr: &Expr, scope: ScopeId) -> Read<(Type, Reference)> {
        match self.entity(expr, scope)? {
            Some(Entity::Value(of, reference)) => Ok((of, reference)),
            _ => Err(wrong("uppaal::type", "this is no variable", expr.span)),
        }
    }

    /// What a name, an element or a field stands for; nothing for other expressions.
    pub(crate) fn entity(&mut self, expr: &Expr, scope: ScopeId) -> Read<Option<Entity<'m>>> {
        Ok(Some(match &expr.kind {
            ExprKind::Name(name) => match self.scopes.find(scope, name) {
                Some(entity) => entity.clone(),
                None => return Err(self.unknown(name, expr.span)),
            },
            ExprKind::Index(array, index) => {
                let Some(Entity::Value(of, reference)) = self.entity(array, scope)? else {
                    return Err(wrong("uppaal::type", "this is no array", array.span));
                };
                let Type::Array(of, count, low, _) = of else {
                    let message = format!("this is {}, not an array", of.name());
                    return Err(wrong("uppaal::type", message, array.span));
                };
                let position = sum(self.integer(index, scope)?, Expression::Constant(-low));
                let position = match position {
                    // Where only the instance of a template makes it so, the step may never be taken.
                    Expression::Constant(number)
                        if !(0..count as i64).contains(&number)
                            && (self.constant || matches!(index.kind, ExprKind::Number(_))) =>
                    {
                        let number = number + low;
                        let message = format!("the index {number} is beyond an array of {count}");
                        return Err(wrong("uppaal::range", message, index.span));
                    }
                    Expression::Constant(number) if (0..count as i64).contains(&number) => position,
                    other => Expression::Index(Box::new(other), count),
                };
                let strides = of.sizes().unwrap_or([0; 3]);
                Entity::Value((*of).clone(), moved(reference, &position, strides))
            }
            ExprKind::Field(record, name) => match self.entity(record, scope)? {
                Some(Entity::Value(Type::Struct(fields), mut reference)) => {
                    let mut before = [0; 3];
                    for (field, of) in fields.iter() {
                        if field == name {
                            for (offset, before) in reference.offset.iter_mut().zip(before) {
                                let own = std::mem::replace(offset, Expression::Constant(0));
                                *offset = sum(own, Expression::Constant(before));
                            }
                            return Ok(Some(Entity::Value(of.clone(), reference)));
                        }
                        let sizes = of.sizes().unwrap_or([0; 3]);
                        before
                            .iter_mut()
                            .zip(sizes)
                            .for_each(|(sum, size)| *sum += size as i64);
                    }
                    let message = format!("there is no field `{name}`");
                    return Err(wrong("uppaal::unknown", message, expr.span));
                }
                Some(Entity::Process(process)) => {
                    let info = &self.processes[process];
                    let own = self.scopes.own(info.scope, name).cloned();
                    let location = info
                        .locations
                        .get(name)
                        .map(|&location| Entity::Location(location));
                    match own.or(location) {
                        Some(entity) => entity,
                        None => {
                            let message = format!(
                                "the process `{}` has no `{name}`",
                                self.network.processes[process].name
                            );
                            let problem = wrong("uppaal::unknown", message, expr.span);
                            return Err(problem.with_help(known_locations(info)));
                        }
                    }
                }
                _ => {
                    return Err(wrong(
                        "uppaal::type",
                        "only records and processes have fields",
                        record.span,
                    ));
                }
            },
            ExprKind::Call(name, arguments) => {
                let ExprKind::Name(name) = &name.kind else {
                    return Ok(None);
                };
                if !self
                    .processes
                    .iter()
                    .any(|one| one.family == *name && !one.values.is_empty())
                {
                    return Ok(None);
                }
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.constant(argument, scope)?);
                }
                let is_it = |one: &ProcessInfo| one.family == *name && one.values == values;
                match self.processes.iter().position(is_it) {
                    Some(process) => Entity::Process(process),
                    None => {
                        let message = format!("there is no such process of `{name}`");
                        return Err(wrong("uppaal::unknown", message, expr.span));
                    }
                }
            }
            _ => return Ok(None),
        }))
    }

    pub(crate) fn read(&mut self, of: Type, reference: Reference, span: Span) -> Read<Typed> {
        if self.constant && reference.root == Root::Variable {
            let message = "this is a variable, and a constant is expected";
            return Err(wrong("uppaal::constant", message, span));
        }
        Ok(match of {
            Type::Clock => Typed::Clock(Linear {
                plus: clock_name(&reference),
                minus: ClockName::one(0),
                offset: Expression::Constant(0),
            }),
            Type::Hybrid | Type::Ignored => Typed::Unknown,
            of if of.is_integer() || of == Type::Double => {
                let value = match &reference.root {
                    Root::Constant(table) => match &reference.offset[INTEGERS] {
                        Expression::Constant(at) => Expression::Constant(table[*at as usize]),
                        other => Expression::Table(Arc::clone(table), Box::new(other.clone())),
                    },
                    _ => Expression::Read(place(&reference)),
                };
                match of {
                    Type::Double => Typed::Real(marked(value)),
                    of => Typed::Integer(value, of == Type::Bool),
                }
            }
            of => Typed::Value(of, reference),
        })
    }
}

fn moved(mut reference: Reference, position: &Expression, strides: [usize; 3]) -> Reference {
    for (kind, stride) in strides.into_iter().enumerate() {
        let offset = std::mem::replace(&mut reference.offset[kind], Expression::Constant(0));
        reference.offset[kind] = sum(offset, scaled(position, stride));
    }
    reference
}

/// The element some places further.
pub(crate) fn shifted(reference: &Reference, kind: usize, places: usize) -> Reference {
    let mut strides = [0; 3];
    strides[kind] = 1;
    moved(reference.clone(), &Expression::Constant(places as i64), strides)
}

pub(crate) fn is_fixed(reference: &Reference) -> bool {
    let is_constant = |offset: &Expression| matches!(offset, Expression::Constant(_));
    reference.offset.iter().all(is_constant)
}

/// Where the integer at a reference lies.
pub(crate) fn place(reference: &Reference) -> Place {
    match &reference.offset[INTEGERS] {
        Expression::Constant(offset) => Place::variable(reference.base[INTEGERS] + *offset as usize),
        other => Place {
            base: reference.base[INTEGERS],
            size: reference.size[INTEGERS],
            index: Some(Box::new(other.clone())),
        },
    }
}

/// The clock at a reference.
pub(crate) fn clock_name(reference: &Reference) -> ClockName {
    match &reference.offset[CLOCKS] {
        Expression::Constant(offset) => ClockName::one(reference.base[CLOCKS] + *offset as usize),
        other => ClockName {
            base: reference.base[CLOCKS],
            size: reference.size[CLOCKS],
            index: Some(other.clone()),
        },
    }
}

/// The values of the integers from a reference on.
pub(crate) fn elements(reference: &Reference, count: usize) -> Vec<Expression> {
    let element = |number: usize| {
        let one = shifted(reference, INTEGERS, number);
        match &one.root {
            Root::Constant(table) => match &one.offset[INTEGERS] {
                Expression::Constant(at) => Expression::Constant(table[*at as usize]),
                other => Expression::Table(Arc::clone(table), Box::new(other.clone())),
            },
            _ => Expression::Read(place(&one)),
        }
    };
    (0..count).map(element).collect()
}
