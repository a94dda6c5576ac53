//! Functions: each is translated once for each process and each choice of variables it is given by reference.
//!
//! A function has slots of its own for parameters and local variables; functions do not call themselves, so these are never in use twice. A function that changes no variable of the
//! model is an expression, another one a statement. One that sets clocks is put in place of its call.

use crate::compiler::{Compiler, Typed, elements, unsupported, wrong};
use crate::conditional::without_returns;
use crate::names::{Entity, Reference, Root, ScopeId};
use crate::parser::Read;
use crate::reals::{marked, stored};
use crate::types::{CHANNELS, CLOCKS, INTEGERS, Type};
use entail_clocks::{Binary, Comparison, Expression, Function, Place, Statement};
use entail_source::Span;
use entail_uppaal_tree::{
    self as tree, Declaration, Declarator, Expr, ExprKind, Initial, StatementKind, TypeExpr,
};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What a function does beside having a result.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deeds {
    pub writes: bool,
    pub sets_clocks: bool,
    /// Whether it reads the value of a clock as a number.
    pub reads_clocks: bool,
    /// Whether it changes slots of other functions.
    writes_elsewhere: bool,
    /// One less than the first slot that it changes, counted from the last: so 0 means none.
    lowest: usize,
}

impl Deeds {
    /// Slots from here on are changed.
    pub fn changes(&mut self, slot: usize) {
        self.lowest = self.lowest.max(usize::MAX - slot);
    }

    /// Whether a slot before this one is changed.
    fn changes_before(&self, first: usize) -> bool {
        self.lowest > usize::MAX - first
    }
}

/// A translated function.
#[derive(Debug)]
pub(crate) struct Translated {
    function: Arc<Function>,
    does: Deeds,
    result: Type,
}

type Key = (usize, ScopeId, Vec<Option<Reference>>, bool);

/// Translated functions, and those that are being translated.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    done: HashMap<Key, Rc<Translated>>,
    calling: Vec<usize>,
}

impl Cache {
    /// Whether a function is being translated.
    pub fn is_inside(&self) -> bool {
        !self.calling.is_empty()
    }
}

/// The result of a function, as a typed expression.
fn result_of(of: &Type, value: Expression) -> Typed {
    match of {
        Type::Double => Typed::Real(marked(value)),
        Type::Ignored => Typed::Unknown,
        of => Typed::Integer(value, *of == Type::Bool),
    }
}

impl<'m> Compiler<'m> {
    /// A call of a function.
    pub fn call(&mut self, function: &Expr, arguments: &[Expr], span: Span, scope: ScopeId) -> Read<Typed> {
        let (name, found) = match &function.kind {
            ExprKind::Name(name) => (name, self.scopes.find(scope, name).cloned()),
            // `P(1).f()`, which only queries have.
            ExprKind::Field(owner, name) => match self.entity(owner, scope)? {
                Some(Entity::Process(process)) => {
                    let found = self.scopes.own(self.processes[process].scope, name).cloned();
                    match found {
                        Some(_) => (name, found),
                        None => return Err(self.unknown(name, function.span)),
                    }
                }
                _ => return Err(wrong("uppaal::type", "this is no function", function.span)),
            },
            _ => return Err(wrong("uppaal::type", "this is no function", function.span)),
        };
        let (callee, home) = match found {
            Some(Entity::Function(callee, home, known)) => (callee, (home, known)),
            Some(_) => {
                return Err(wrong(
                    "uppaal::type",
                    format!("`{name}` is no function"),
                    function.span,
                ));
            }
            None => return self.built_in(name, arguments, span, scope),
        };
        if callee.parameters.len() != arguments.len() {
            let message = format!(
                "`{name}` has {} parameters, and {} arguments are given",
                callee.parameters.len(),
                arguments.len()
            );
            return Err(wrong("uppaal::type", message, span));
        }
        let mut references = Vec::new();
        let mut values = Vec::new();
        let known_there = self.scopes.behind(Some(home));
        for (parameter, argument) in callee.parameters.iter().zip(arguments) {
            let of = self.declared(&parameter.of, &parameter.declarator, known_there)?;
            if parameter.by_reference {
                let (given, mut reference) = self.reference(argument, scope)?;
                if given.sizes() != of.sizes() {
                    let message = format!("this is {}, and {} is expected", given.name(), of.name());
                    return Err(wrong("uppaal::type", message, argument.span));
                }
                if self.effects.is_some() {
                    for kind in 0..3 {
                        let offset = reference.offset[kind].clone();
                        reference.offset[kind] = self.fixed(offset, argument.span)?;
                    }
                }
                references.push(Some(reference));
                continue;
            }
            references.push(None);
            let before = self.effects.as_ref().map_or(0, Vec::len);
            let read = self.value(argument, scope)?;
            if self.effects.as_ref().map_or(0, Vec::len) > before && !values.is_empty() {
                // What was read before is kept.
                let later = self
                    .effects
                    .as_mut()
                    .map(|list| list.split_off(before))
                    .unwrap_or_default();
                let earlier = std::mem::take(&mut values);
                for value in earlier {
                    values.push(self.fixed(value, argument.span)?);
                }
                self.effects.get_or_insert_default().extend(later);
            }
            self.arguments(&of, read, argument.span, &mut values)?;
        }
        let translated = self.translated(callee, home, references.clone(), span)?;
        if translated.does.reads_clocks {
            match self.functions.is_inside() {
                true => self.does.reads_clocks = true,
                false => self.expect_moment(span)?,
            }
        }
        if translated.does.sets_clocks {
            return self.in_place(callee, home, references, values, span);
        }
        let arguments: Box<[Expression]> = values.into();
        let function = Arc::clone(&translated.function);
        let result_type = translated.result.clone();
        let is_pure = !translated.does.writes && !translated.does.writes_elsewhere;
        if is_pure && translated.result != Type::Void {
            return Ok(result_of(&result_type, Expression::Call(function, arguments)));
        }
        self.does.writes |= translated.does.writes;
        if translated.does.writes_elsewhere {
            self.does.lowest = self.does.lowest.max(translated.does.lowest);
        }
        let result = match translated.result {
            Type::Void | Type::Ignored => None,
            _ => Some(Place::variable(self.slot(1))),
        };
        let statement = Statement::Call {
            function,
            arguments,
            result: result.clone(),
            span,
        };
        self.emit(statement, span)?;
        Ok(match result {
            Some(place) => result_of(&result_type, Expression::Read(place)),
            None if result_type == Type::Ignored => Typed::Unknown,
            None => Typed::Nothing,
        })
    }

    /// A value kept in a slot, if it is no constant.
    fn fixed(&mut self, value: Expression, span: Span) -> Read<Expression> {
        if matches!(value, Expression::Constant(_)) {
            return Ok(value);
        }
        let target = Place::variable(self.slot(1));
        let statement = Statement::Assign {
            target: target.clone(),
            value,
            span,
        };
        self.emit(statement, span)?;
        Ok(Expression::Read(target))
    }

    /// The integers of an argument given by value, within the ranges of the parameter.
    fn arguments(&mut self, of: &Type, read: Typed, span: Span, values: &mut Vec<Expression>) -> Read<()> {
        let mut ranges = Vec::new();
        of.leaves(&mut ranges);
        let all = match read {
            Typed::Integer(value, is_truth) if of.is_integer() => match (of, is_truth) {
                (Type::Bool, false) => vec![Expression::binary(
                    Binary::Compare(Comparison::Different),
                    value,
                    Expression::Constant(0),
                )],
                _ => vec![value],
            },
            read @ (Typed::Integer(..) | Typed::Real(_) | Typed::Unknown | Typed::Clock(_))
                if of.is_real() =>
            {
                let value = self.as_real(read, span)?;
                match of {
                    Type::Double => vec![stored(self.known(value, span)?)],
                    _ => Vec::new(),
                }
            }
            Typed::Value(given, reference) if given.sizes() == of.sizes() => {
                elements(&reference, ranges.len())
            }
            other => {
                let message = format!("this is {}, and {} is expected", other.name(), of.name());
                return Err(wrong("uppaal::type", message, span));
            }
        };
        for (value, (low, high)) in all.into_iter().zip(ranges) {
            values.push(match value {
                Expression::Constant(number) if (low..=high).contains(&number) => value,
                value if (low, high) == (i64::MIN, i64::MAX) => value,
                other => Expression::Ranged(Box::new(other), low, high),
            });
        }
        Ok(())
    }

    fn built_in(&mut self, name: &str, arguments: &[Expr], span: Span, scope: ScopeId) -> Read<Typed> {
        if let Some(read) = self.real_function(name, arguments, span, scope)? {
            return Ok(read);
        }
        let ("abs", [argument]) = (name, arguments) else {
            let message = format!("there is no function `{name}` here");
            return Err(wrong("uppaal::unknown", message, span));
        };
        let value = self.integer(argument, scope)?;
        let is_negative = Expression::binary(
            Binary::Compare(Comparison::Less),
            value.clone(),
            Expression::Constant(0),
        );
        let negated = Expression::Negate(Box::new(value.clone()));
        Ok(Typed::Integer(
            Expression::Choice(Box::new([is_negative, negated, value])),
            false,
        ))
    }

    fn translated(
        &mut self,
        callee: &'m tree::Function,
        home: (ScopeId, usize),
        references: Vec<Option<Reference>>,
        span: Span,
    ) -> Read<Rc<Translated>> {
        let own = std::ptr::from_ref(callee) as usize;
        let key = (own, home.0, references.clone(), self.constant);
        if let Some(done) = self.functions.done.get(&key) {
            return Ok(Rc::clone(done));
        }
        if self.functions.calling.contains(&own) {
            let message = format!("the function `{}` calls itself", callee.name);
            return Err(wrong("uppaal::recursion", message, span));
        }
        self.functions.calling.push(own);
        let frame = self.next_slot[usize::from(self.constant)];
        let (does, effects) = (self.does, self.effects.take());
        self.does = Deeds::default();
        let built = self.body(callee, home, references);
        let mut own_deeds = std::mem::replace(&mut self.does, does);
        // A variable of whoever calls it may be given by reference.
        own_deeds.writes_elsewhere = own_deeds.changes_before(frame);
        self.effects = effects;
        self.functions.calling.pop();
        let (arguments, body, result) = built?;
        let function = Arc::new(Function {
            name: callee.name.clone(),
            arguments,
            end: self.next_slot[usize::from(self.constant)],
            body,
            result: result.range().unwrap_or((0, 0)),
        });
        let translated = Rc::new(Translated {
            function,
            does: own_deeds,
            result,
        });
        self.functions.done.insert(key, Rc::clone(&translated));
        Ok(translated)
    }

    /// The slots of the parameters, the code, the type of the result.
    fn body(
        &mut self,
        callee: &'m tree::Function,
        home: (ScopeId, usize),
        references: Vec<Option<Reference>>,
    ) -> Read<(Vec<usize>, Vec<Statement>, Type)> {
        let home = self.scopes.behind(Some(home));
        let result = self.resolve(&callee.result, home)?;
        if !matches!(result, Type::Void) && !result.is_integer() && !result.is_real() {
            let what = "functions whose result is an array, a record or a clock";
            return Err(unsupported(what, callee.result.span));
        }
        let scope = self.scopes.inside(Some(home));
        let mut slots = Vec::new();
        for (parameter, reference) in callee.parameters.iter().zip(references) {
            let of = self.declared(&parameter.of, &parameter.declarator, home)?;
            let reference = match reference {
                Some(reference) => reference,
                None => {
                    let size = self.local_size(&of, parameter.declarator.span)?;
                    let base = self.slot(size);
                    slots.extend(base..base + size);
                    Reference::whole(Root::Local, [base, 0, 0], [size, 0, 0])
                }
            };
            if !self
                .scopes
                .enter(scope, &parameter.declarator.name, Entity::Value(of, reference))
            {
                let message = format!("the parameter `{}` is declared twice", parameter.declarator.name);
                return Err(wrong("uppaal::duplicate", message, parameter.declarator.span));
            }
        }
        self.effects = Some(Vec::new());
        let done = self.statements(&callee.body, scope, &result);
        let body = self.effects.take().unwrap_or_default();
        done.map(|()| (slots, body, result))
    }

    fn local_size(&self, of: &Type, span: Span) -> Read<usize> {
        let sizes = of.sizes().unwrap_or([0; 3]);
        match sizes[CLOCKS] + sizes[CHANNELS] {
            0 => Ok(sizes[INTEGERS]),
            _ => Err(wrong(
                "uppaal::type",
                "clocks and channels are given by reference",
                span,
            )),
        }
    }

    /// The code of a function that sets clocks, where it is called.
    fn in_place(
        &mut self,
        callee: &'m tree::Function,
        home: (ScopeId, usize),
        references: Vec<Option<Reference>>,
        values: Vec<Expression>,
        span: Span,
    ) -> Read<Typed> {
        let effects = self.effects.take();
        if effects.is_none() {
            let message = format!("`{}` sets clocks, which is not allowed here", callee.name);
            return Err(wrong("uppaal::effect", message, span));
        }
        let built = self.body(callee, home, references);
        self.effects = effects;
        let (slots, body, result) = built?;
        let has_place = !matches!(result, Type::Void | Type::Ignored);
        let place = has_place.then(|| Place::variable(self.slot(1)));
        let body = without_returns(&body, place.as_ref(), span)?;
        for (slot, value) in slots.into_iter().zip(values) {
            let target = Place::variable(slot);
            self.emit(Statement::Assign { target, value, span }, span)?;
        }
        for statement in body {
            self.emit(statement, span)?;
        }
        Ok(match place {
            Some(place) => result_of(&result, Expression::Read(place)),
            None if result == Type::Ignored => Typed::Unknown,
            None => Typed::Nothing,
        })
    }

    /// Variables of a block.
    pub fn local_variables(&mut self, of: &TypeExpr, declarators: &[Declarator], scope: ScopeId) -> Read<()> {
        for declarator in declarators {
            let resolved = self.declared(of, declarator, scope)?;
            if of.prefix.constant {
                let data = self.initial_constant(&resolved, declarator, scope)?;
                self.enter(
                    scope,
                    declarator,
                    Entity::Value(resolved, Reference::constant(data)),
                )?;
                continue;
            }
            let size = self.local_size(&resolved, declarator.span)?;
            let base = self.slot(size);
            let reference = Reference::whole(Root::Local, [base, 0, 0], [size, 0, 0]);
            match &declarator.initial {
                Some(Initial::Value(value)) => {
                    let read = self.value(value, scope)?;
                    let mut values = Vec::new();
                    self.arguments(&resolved, read, value.span, &mut values)?;
                    for (slot, value) in (base..).zip(values) {
                        let target = Place::variable(slot);
                        let span = declarator.span;
                        self.emit(Statement::Assign { target, value, span }, span)?;
                    }
                }
                Some(Initial::List(..)) => {
                    let data = self.initial_constant(&resolved, declarator, scope)?;
                    let other = Reference::constant(data);
                    self.copy(&resolved, &reference, &other, declarator.span)?;
                }
                None => {
                    self.emit(Statement::Clear(base, size), declarator.span)?;
                    let mut ranges = Vec::new();
                    resolved.leaves(&mut ranges);
                    for (slot, (low, high)) in (base..).zip(ranges) {
                        let first = 0i64.clamp(low, high);
                        if first != 0 {
                            let statement = Statement::Assign {
                                target: Place::variable(slot),
                                value: Expression::Constant(first),
                                span: declarator.span,
                            };
                            self.emit(statement, declarator.span)?;
                        }
                    }
                }
            }
            self.enter(scope, declarator, Entity::Value(resolved, reference))?;
        }
        Ok(())
    }

    pub fn enter(&mut self, scope: ScopeId, declarator: &Declarator, entity: Entity<'m>) -> Read<()> {
        match self.scopes.enter(scope, &declarator.name, entity) {
            true => Ok(()),
            false => {
                let message = format!("`{}` is declared twice", declarator.name);
                Err(wrong("uppaal::duplicate", message, declarator.span))
            }
        }
    }

    fn statements(&mut self, all: &'m [tree::Statement], scope: ScopeId, result: &Type) -> Read<()> {
        all.iter()
            .try_for_each(|one| stacker::maybe_grow(64 << 10, 1 << 20, || self.statement(one, scope, result)))
    }

    /// The statements of a part, apart.
    fn apart(&mut self, translate: impl FnOnce(&mut Self) -> Read<()>) -> Read<Vec<Statement>> {
        let outside = self.effects.replace(Vec::new());
        let done = translate(self);
        let own = std::mem::replace(&mut self.effects, outside).unwrap_or_default();
        done.map(|()| own)
    }

    fn statement(&mut self, one: &'m tree::Statement, scope: ScopeId, result: &Type) -> Read<()> {
        match &one.kind {
            StatementKind::Declare(Declaration::Variables(of, declarators)) => {
                self.local_variables(of, declarators, scope)
            }
            StatementKind::Declare(Declaration::Types(of, declarators)) => {
                for declarator in declarators {
                    let resolved = self.declared(of, declarator, scope)?;
                    self.enter(scope, declarator, Entity::Type(resolved))?;
                }
                Ok(())
            }
            StatementKind::Declare(Declaration::Function(function)) => Err(wrong(
                "uppaal::syntax",
                "a function inside a function",
                function.span,
            )),
            StatementKind::Block(inner) => {
                let inside = self.scopes.inside(Some(scope));
                self.statements(inner, inside, result)
            }
            StatementKind::Expr(expr) => self.value(expr, scope).map(|_| ()),
            StatementKind::If(condition, then, otherwise) => {
                let condition = self.integer(condition, scope)?;
                let then = self.apart(|compiler| compiler.inner(then, scope, result))?;
                let otherwise = match otherwise {
                    Some(otherwise) => self.apart(|compiler| compiler.inner(otherwise, scope, result))?,
                    None => Vec::new(),
                };
                self.emit(Statement::If(condition, then, otherwise), one.span)
            }
            StatementKind::While(condition, body) => {
                self.repeat(Some(condition), one.span, scope, |compiler| {
                    compiler.inner(body, scope, result)
                })
            }
            StatementKind::DoWhile(body, condition) => {
                self.inner(body, scope, result)?;
                self.repeat(Some(condition), one.span, scope, |compiler| {
                    compiler.inner(body, scope, result)
                })
            }
            StatementKind::For(first, condition, step, body) => {
                for expr in first {
                    self.value(expr, scope)?;
                }
                let (last, earlier) = match condition.split_last() {
                    Some((last, earlier)) => (Some(last), earlier),
                    None => (None, &[][..]),
                };
                if let Some(extra) = earlier.first() {
                    return Err(unsupported("lists of conditions", extra.span));
                }
                self.repeat(last, one.span, scope, |compiler| {
                    compiler.inner(body, scope, result)?;
                    step.iter()
                        .try_for_each(|expr| compiler.value(expr, scope).map(|_| ()))
                })
            }
            StatementKind::Iterate(name, of, body) => {
                let resolved = self.resolve(of, scope)?;
                let Some((low, high)) = resolved.range() else {
                    return Err(wrong(
                        "uppaal::type",
                        "the values of this type cannot be enumerated",
                        of.span,
                    ));
                };
                let slot = self.slot(1);
                let span = one.span;
                let read = || Expression::Read(Place::variable(slot));
                let assign = |value: Expression| Statement::Assign {
                    target: Place::variable(slot),
                    value,
                    span,
                };
                self.emit(assign(Expression::Constant(low)), span)?;
                let inside = self.scopes.inside(Some(scope));
                let reference = Reference::whole(Root::Local, [slot, 0, 0], [1, 0, 0]);
                self.scopes
                    .enter(inside, name, Entity::Value(resolved, reference));
                let mut inner = self.apart(|compiler| compiler.inner(body, inside, result))?;
                inner.push(assign(Expression::binary(
                    Binary::Add,
                    read(),
                    Expression::Constant(1),
                )));
                let goes_on = Expression::binary(
                    Binary::Compare(Comparison::LessEqual),
                    read(),
                    Expression::Constant(high),
                );
                self.emit(Statement::While(goes_on, inner), span)
            }
            StatementKind::Return(value) => {
                let value = match (value, result) {
                    (None, Type::Void) => None,
                    (Some(value), result) if result.is_integer() || result.is_real() => {
                        let read = self.value(value, scope)?;
                        let mut values = Vec::new();
                        self.arguments(result, read, value.span, &mut values)?;
                        values.pop()
                    }
                    _ => {
                        return Err(wrong(
                            "uppaal::type",
                            "the result is not of the function's type",
                            one.span,
                        ));
                    }
                };
                self.emit(Statement::Return(value), one.span)
            }
            StatementKind::Assert(condition) => {
                let condition = self.integer(condition, scope)?;
                self.emit(Statement::Assert(condition, one.span), one.span)
            }
        }
    }

    fn inner(&mut self, one: &'m tree::Statement, scope: ScopeId, result: &Type) -> Read<()> {
        let inside = self.scopes.inside(Some(scope));
        self.statement(one, inside, result)
    }

    /// A loop, whose condition may change variables itself.
    fn repeat(
        &mut self,
        condition: Option<&Expr>,
        span: Span,
        scope: ScopeId,
        body: impl FnOnce(&mut Self) -> Read<()>,
    ) -> Read<()> {
        let mut value = Expression::Constant(1);
        let before = match condition {
            Some(condition) => self.apart(|compiler| {
                value = compiler.integer(condition, scope)?;
                Ok(())
            })?,
            None => Vec::new(),
        };
        let mut inner = self.apart(body)?;
        if before.is_empty() {
            return self.emit(Statement::While(value, inner), span);
        }
        let flag = Place::variable(self.slot(1));
        let set = Statement::Assign {
            target: flag.clone(),
            value,
            span,
        };
        inner.extend(before.iter().cloned());
        inner.push(set.clone());
        for statement in before {
            self.emit(statement, span)?;
        }
        self.emit(set, span)?;
        self.emit(Statement::While(Expression::Read(flag), inner), span)
    }
}
