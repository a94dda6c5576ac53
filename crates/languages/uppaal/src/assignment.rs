//! Assignments: integers, clocks, whole arrays and records.

use crate::compiler::{Compiler, Typed, clock_name, elements, is_fixed, place, shifted, unsupported, wrong};
use crate::names::{Entity, Reference, Root, ScopeId};
use crate::parser::Read;
use crate::reals::{random_only, stored};
use crate::terms::truth;
use crate::types::{CLOCKS, INTEGERS, Type};
use entail_clocks::{ClockName, Expression, Statement};
use entail_source::Span;
use entail_uppaal_tree::{Expr, ExprKind, Operator};

impl<'m> Compiler<'m> {
    pub(crate) fn assign(
        &mut self,
        operator: Option<Operator>,
        target: &Expr,
        value: &Expr,
        span: Span,
        scope: ScopeId,
    ) -> Read<Typed> {
        if self.is_cost(target, scope) {
            return self.add_cost(operator, value, span, scope);
        }
        if self.is_left_out(target, scope) {
            // What the value does happens all the same.
            self.value(value, scope)?;
            return Ok(Typed::Unknown);
        }
        if let Some(operator) = operator {
            let whole = self.binary(operator, target, value, span, scope)?;
            let (of, reference) = self.reference(target, scope)?;
            if matches!(reference.root, Root::Constant(_)) {
                return Err(self.constant_changed(target, span));
            }
            if of == Type::Double || self.is_random() && of == Type::Clock {
                self.set_real(&of, &reference, whole, span)?;
                return self.read(of, reference, span);
            }
            let Typed::Integer(whole, is_truth) = whole else {
                return Err(wrong("uppaal::type", "only integers can be changed so", span));
            };
            self.store(&of, &reference, whole, is_truth, span)?;
            return self.read(of, reference, span);
        }
        let before = self.emitted();
        let (of, reference) = self.reference(target, scope)?;
        if matches!(reference.root, Root::Constant(_)) {
            return Err(self.constant_changed(target, span));
        }
        let index_changes = self.emitted() > before;
        let middle = self.emitted();
        let read = self.value(value, scope)?;
        if self.emitted() > middle && (index_changes || !is_fixed(&reference)) {
            let message = "an assignment whose value changes variables, to an element with a variable index, is not supported";
            return Err(wrong("uppaal::unsupported", message, span));
        }
        match (&of, read) {
            (Type::Clock | Type::Double, read) => self.set_real(&of, &reference, read, span)?,
            (_, Typed::Integer(value, is_truth)) if of.is_integer() => {
                self.store(&of, &reference, value, is_truth, span)?;
            }
            (_, Typed::Value(other_of, other))
                if of.sizes() == other_of.sizes() && of.channel().is_none() =>
            {
                self.copy(&of, &reference, &other, span)?;
            }
            (_, other) => {
                let message = format!("{} cannot be set to {}", of.name(), other.name());
                return Err(wrong("uppaal::type", message, span));
            }
        }
        self.read(of, reference, span)
    }

    /// Whether something is set that is left out in this translation.
    fn is_left_out(&self, target: &Expr, scope: ScopeId) -> bool {
        matches!(self.shape(target, scope), Some(Type::Hybrid | Type::Ignored))
    }

    /// A clock or a floating-point variable gets a value.
    fn set_real(&mut self, of: &Type, reference: &Reference, read: Typed, span: Span) -> Read<()> {
        if *of == Type::Clock {
            return self.set_clock(reference, read, span);
        }
        let value = self.as_real(read, span)?;
        let value = self.known(value, span)?;
        self.store(of, reference, stored(value), false, span)
    }

    /// The type of a variable, an element or a field. Indices are not evaluated: they may do something.
    pub(crate) fn shape(&self, expr: &Expr, scope: ScopeId) -> Option<Type> {
        match &expr.kind {
            ExprKind::Name(name) => match self.scopes.find(scope, name) {
                Some(Entity::Value(of, _)) => Some(of.clone()),
                _ => None,
            },
            ExprKind::Index(array, _) => match self.shape(array, scope)? {
                Type::Array(of, ..) => Some((*of).clone()),
                _ => None,
            },
            ExprKind::Field(record, name) => match self.shape(record, scope)? {
                Type::Struct(fields) => {
                    let field = fields.iter().find(|(field, _)| field == name);
                    field.map(|(_, of)| of.clone())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `cost += e` on an edge.
    fn add_cost(
        &mut self,
        operator: Option<Operator>,
        value: &Expr,
        span: Span,
        scope: ScopeId,
    ) -> Read<Typed> {
        if operator != Some(Operator::Add) {
            return Err(wrong("uppaal::type", "`cost` can only grow: `cost += e`", span));
        }
        self.does.writes = true;
        let amount = self.integer(value, scope)?;
        self.emit(Statement::Cost(amount, span), span)?;
        Ok(Typed::Integer(Expression::Constant(0), false))
    }

    /// An integer gets a value.
    pub fn store(
        &mut self,
        of: &Type,
        reference: &Reference,
        value: Expression,
        is_truth: bool,
        span: Span,
    ) -> Read<()> {
        let range = match of {
            Type::Double => Some((i64::MIN, i64::MAX)),
            of => of.range(),
        };
        let Some((low, high)) = range else {
            return Err(wrong(
                "uppaal::type",
                format!("{} cannot be set so", of.name()),
                span,
            ));
        };
        let value = match of {
            Type::Bool => truth(value, is_truth),
            _ => value,
        };
        let value = match reference.root {
            Root::Constant(_) => return Err(wrong("uppaal::type", "a constant cannot be changed", span)),
            Root::Variable => {
                if self.constant {
                    return Err(wrong("uppaal::constant", "a constant is expected", span));
                }
                self.does.writes = true;
                value
            }
            Root::Local if matches!(of, Type::Bool | Type::Double) => {
                self.does.changes(reference.base[INTEGERS]);
                value
            }
            Root::Local => {
                self.does.changes(reference.base[INTEGERS]);
                Expression::Ranged(Box::new(value), low, high)
            }
        };
        let statement = Statement::Assign {
            target: place(reference),
            value,
            span,
        };
        self.emit(statement, span)
    }

    pub(crate) fn set_clock(&mut self, reference: &Reference, read: Typed, span: Span) -> Read<()> {
        if self.is_random() && !self.constant {
            return self.set_clock_at_random(reference, read, span);
        }
        let (source, offset) = match read {
            Typed::Real(_) | Typed::Unknown => {
                let message = "clocks are set to floating-point numbers in random runs only";
                return Err(random_only(message, span));
            }
            Typed::Integer(offset, _) => (ClockName::one(0), offset),
            Typed::Clock(linear) if linear.minus == ClockName::one(0) => (linear.plus, linear.offset),
            other => {
                let message = format!("a clock cannot be set to {}", other.name());
                return Err(wrong("uppaal::type", message, span));
            }
        };
        if let (Expression::Constant(number), true) = (&offset, source == ClockName::one(0))
            && !(0..entail_clocks::discrete::MOST_CONSTANT).contains(number)
        {
            let message = format!("a clock cannot be set to {number}");
            return Err(wrong("uppaal::range", message, span));
        }
        if self.constant {
            return Err(wrong("uppaal::constant", "a constant is expected", span));
        }
        self.does.sets_clocks = true;
        let statement = Statement::Clock {
            target: clock_name(reference),
            source,
            offset,
            span,
        };
        self.emit(statement, span)
    }

    /// In random runs a clock may be set to any number. It flows if that is none that clocks have otherwise.
    fn set_clock_at_random(&mut self, reference: &Reference, read: Typed, span: Span) -> Read<()> {
        let target = clock_name(reference);
        self.set_mirror(&target, read.clone(), span)?;
        let plain = match read {
            Typed::Integer(offset, _) => Some((ClockName::one(0), offset)),
            Typed::Clock(linear) if linear.minus == ClockName::one(0) => Some((linear.plus, linear.offset)),
            _ => None,
        };
        let is_plain = |offset: &Expression| match offset {
            Expression::Constant(number) => (0..entail_clocks::discrete::MOST_CONSTANT).contains(number),
            other => !other.is_real(),
        };
        self.does.sets_clocks = true;
        let Some(random) = &mut self.random else {
            return Ok(());
        };
        match plain.filter(|(_, offset)| is_plain(offset)) {
            Some((source, offset)) => {
                random.copies.push((target.clone(), source.clone()));
                let statement = Statement::Clock {
                    target,
                    source,
                    offset,
                    span,
                };
                self.emit(statement, span)
            }
            None => {
                random.flows(&target);
                Ok(())
            }
        }
    }

    /// An array or a record gets the values of another.
    pub fn copy(&mut self, of: &Type, reference: &Reference, other: &Reference, span: Span) -> Read<()> {
        let mut ranges = Vec::new();
        of.leaves(&mut ranges);
        if of.sizes().is_some_and(|sizes| sizes[CLOCKS] > 0) {
            return Err(unsupported("copies of records with clocks", span));
        }
        for (number, ((low, high), value)) in ranges.iter().zip(elements(other, ranges.len())).enumerate() {
            let target = shifted(reference, INTEGERS, number);
            let leaf = Type::Int {
                low: *low,
                high: *high,
            };
            self.store(&leaf, &target, value, false, span)?;
        }
        Ok(())
    }
}
