//! Expressions with types, translated to the integer code of networks.
//!
//! What an expression does beside having a value (assignments, functions that change variables) is put into a list of statements that runs before; operands that were
//! read before such a statement are kept in slots of their own, so that the order of evaluation stays from left to right. Where nothing may be changed there is no such list.

use crate::names::{Entity, Reference, Root, ScopeId, Scopes};
use crate::parser::Read;
use crate::types::{CHANNELS, CLOCKS, INTEGERS, PLAIN, Type};
use entail_clocks::{Binary, ClockName, Comparison, Expression, Formula, Network, Place, Statement};
use entail_source::{Diagnostic, Span};
use entail_uppaal_tree::{
    ArraySize, Declarator, Expr, ExprKind, Operator, Quantifier, TypeExpr, TypeKind, Unary,
};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Cases of one quantifier, at most.
const MOST_CASES: i64 = 1 << 14;

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
    pub functions: crate::functions::Cache,
    /// What the function that is translated does so far.
    pub does: crate::functions::Deeds,
    /// Sets of scalars by the place of their type.
    pub scalars: HashMap<(usize, i64), usize>,
}

pub(crate) fn wrong(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error(code, message, span, "here")
}

pub(crate) fn unsupported(what: &str, span: Span) -> Diagnostic {
    wrong("uppaal::unsupported", format!("{what} are not supported"), span)
}

/// The value, where all operands are constants.
pub(crate) fn folded(expression: Expression) -> Expression {
    let constant = |one: &Expression| matches!(one, Expression::Constant(_));
    let is_constant = match &expression {
        Expression::Negate(inner) | Expression::Not(inner) | Expression::Table(_, inner) => constant(inner),
        Expression::Binary(_, left, right) => constant(left) && constant(right),
        Expression::Choice(parts) => parts.iter().all(constant),
        Expression::Call(_, arguments) => arguments.is_empty() && false,
        _ => false,
    };
    match is_constant.then(|| expression.value(&[])) {
        Some(Ok(value)) => Expression::Constant(value),
        _ => expression,
    }
}

fn sum(left: Expression, right: Expression) -> Expression {
    match (&left, &right) {
        (Expression::Constant(0), _) => right,
        (_, Expression::Constant(0)) => left,
        _ => folded(Expression::binary(Binary::Add, left, right)),
    }
}

fn scaled(index: &Expression, stride: usize) -> Expression {
    match stride {
        0 => Expression::Constant(0),
        1 => index.clone(),
        _ => folded(Expression::binary(
            Binary::Multiply,
            index.clone(),
            Expression::Constant(stride as i64),
        )),
    }
}

/// A balanced tree of one operator.
fn balanced(operator: Binary, mut all: Vec<Expression>, empty: i64) -> Expression {
    if all.is_empty() {
        return Expression::Constant(empty);
    }
    while all.len() > 1 {
        let mut next = Vec::with_capacity(all.len().div_ceil(2));
        let mut rest = all.into_iter();
        while let Some(left) = rest.next() {
            next.push(match rest.next() {
                Some(right) => folded(Expression::binary(operator, left, right)),
                None => left,
            });
        }
        all = next;
    }
    all.remove(0)
}

/// 1 if a value is not 0.
fn truth(expression: Expression, is_truth: bool) -> Expression {
    match is_truth {
        true => expression,
        false => folded(Expression::binary(
            Binary::Compare(Comparison::Different),
            expression,
            Expression::Constant(0),
        )),
    }
}

impl Typed {
    pub fn name(&self) -> &'static str {
        match self {
            Typed::Integer(..) => "an integer",
            Typed::Clock(_) => "a clock",
            Typed::Formula(_) => "a condition on clocks or locations",
            Typed::Value(of, _) => of.name(),
            Typed::Process => "a process",
            Typed::Nothing => "nothing",
        }
    }
}

impl<'m> Compiler<'m> {
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

    fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        wrong("uppaal::unknown", format!("there is no `{name}` here"), span)
    }

    /// An integer.
    pub fn integer(&mut self, expr: &Expr, scope: ScopeId) -> Read<Expression> {
        match self.value(expr, scope)? {
            Typed::Integer(expression, _) => Ok(expression),
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

    fn as_formula(&self, read: Typed, span: Span) -> Read<Formula> {
        match read {
            Typed::Integer(Expression::Constant(number), _) => Ok(Formula::Constant(number != 0)),
            Typed::Integer(expression, _) => Ok(Formula::Integer(expression)),
            Typed::Formula(formula) => Ok(formula),
            other => {
                let message = format!("this is {}, and a condition is expected", other.name());
                Err(wrong("uppaal::type", message, span))
            }
        }
    }

    /// A type.
    pub fn resolve(&mut self, of: &TypeExpr, scope: ScopeId) -> Read<Type> {
        if of.prefix.hybrid {
            return Err(unsupported("hybrid clocks", of.span));
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
            TypeKind::Double => return Err(unsupported("floating-point numbers", of.span)),
            TypeKind::Text => return Err(unsupported("texts", of.span)),
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
            all = Type::Array(Rc::new(all), count as usize, low);
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
    fn entity(&mut self, expr: &Expr, scope: ScopeId) -> Read<Option<Entity<'m>>> {
        Ok(Some(match &expr.kind {
            ExprKind::Name(name) => match self.scopes.find(scope, name) {
                Some(entity) => entity.clone(),
                None => return Err(self.unknown(name, expr.span)),
            },
            ExprKind::Index(array, index) => {
                let Some(Entity::Value(of, reference)) = self.entity(array, scope)? else {
                    return Err(wrong("uppaal::type", "this is no array", array.span));
                };
                let Type::Array(of, count, low) = of else {
                    let message = format!("this is {}, not an array", of.name());
                    return Err(wrong("uppaal::type", message, array.span));
                };
                let position = sum(self.integer(index, scope)?, Expression::Constant(-low));
                let position = match position {
                    Expression::Constant(number) if !(0..count as i64).contains(&number) => {
                        let number = number + low;
                        let message = format!("the index {number} is beyond an array of {count}");
                        return Err(wrong("uppaal::range", message, index.span));
                    }
                    Expression::Constant(_) => position,
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
                            for kind in 0..3 {
                                let offset =
                                    std::mem::replace(&mut reference.offset[kind], Expression::Constant(0));
                                reference.offset[kind] = sum(offset, Expression::Constant(before[kind]));
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
                    let own = self.scopes.0[info.scope].names.get(name).cloned();
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
                            return Err(wrong("uppaal::unknown", message, expr.span));
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

    fn read(&mut self, of: Type, reference: Reference, span: Span) -> Read<Typed> {
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
            of if of.is_integer() => {
                let value = match &reference.root {
                    Root::Constant(table) => match &reference.offset[INTEGERS] {
                        Expression::Constant(at) => Expression::Constant(table[*at as usize]),
                        other => Expression::Table(Arc::clone(table), Box::new(other.clone())),
                    },
                    _ => Expression::Read(place(&reference)),
                };
                Typed::Integer(value, of == Type::Bool)
            }
            of => Typed::Value(of, reference),
        })
    }

    /// Translates an expression.
    pub fn value(&mut self, expr: &Expr, scope: ScopeId) -> Read<Typed> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.value_inside(expr, scope))
    }

    fn value_inside(&mut self, expr: &Expr, scope: ScopeId) -> Read<Typed> {
        match &expr.kind {
            ExprKind::Number(number) => Ok(Typed::Integer(Expression::Constant(*number), false)),
            ExprKind::Truth(truth) => Ok(Typed::Integer(Expression::Constant(i64::from(*truth)), true)),
            ExprKind::Double(_) => Err(unsupported("floating-point numbers", expr.span)),
            ExprKind::Text(_) => Err(unsupported("texts", expr.span)),
            ExprKind::Deadlock => Ok(Typed::Formula(Formula::Deadlock)),
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Field(..) => self.named(expr, scope),
            ExprKind::Call(function, arguments) => match self.entity(expr, scope)? {
                Some(Entity::Process(_)) => Ok(Typed::Process),
                _ => self.call(function, arguments, expr.span, scope),
            },
            ExprKind::Rate(_) => {
                let message = "rates of clocks (`x'`) can only be compared in invariants";
                Err(wrong("uppaal::type", message, expr.span))
            }
            ExprKind::Unary(operator, inner) => self.unary(*operator, inner, scope),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, expr.span, scope),
            ExprKind::Choice(parts) => self.choice(parts, scope),
            ExprKind::Assign(operator, target, value) => {
                self.assign(*operator, target, value, expr.span, scope)
            }
            ExprKind::Step { after, by, target } => {
                let before = self.value(target, scope)?;
                let Typed::Integer(before, _) = before else {
                    return Err(wrong(
                        "uppaal::type",
                        "only integers can be counted up or down",
                        target.span,
                    ));
                };
                let kept = match after {
                    true => Some(self.kept(before.clone(), target.span)?),
                    false => None,
                };
                let value = Expression::binary(Binary::Add, before, Expression::Constant(*by));
                let (of, reference) = self.reference(target, scope)?;
                self.store(&of, &reference, value, false, expr.span)?;
                match kept {
                    Some(kept) => Ok(Typed::Integer(kept, false)),
                    None => self.read(of, reference, expr.span),
                }
            }
            ExprKind::Quantified(quantifier, name, of, inner) => {
                self.quantified(*quantifier, name, of, inner, scope)
            }
        }
    }

    fn named(&mut self, expr: &Expr, scope: ScopeId) -> Read<Typed> {
        match self.entity(expr, scope)? {
            Some(Entity::Value(of, reference)) => self.read(of, reference, expr.span),
            Some(Entity::Location(location)) => Ok(Typed::Formula(Formula::At(location))),
            Some(Entity::Process(_)) => Ok(Typed::Process),
            Some(Entity::Type(_)) => Err(wrong("uppaal::type", "a type has no value", expr.span)),
            _ => Err(wrong("uppaal::type", "this has no value", expr.span)),
        }
    }

    /// A value kept in a slot of its own.
    fn kept(&mut self, value: Expression, span: Span) -> Read<Expression> {
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

    fn emitted(&self) -> usize {
        self.effects.as_ref().map_or(0, Vec::len)
    }

    /// Operands in order; those that are read before a later one changes something are kept.
    pub fn operands(&mut self, all: &[&Expr], scope: ScopeId) -> Read<Vec<Typed>> {
        let mut done: Vec<Typed> = Vec::new();
        for expr in all {
            let before = self.emitted();
            let value = self.value(expr, scope)?;
            if self.emitted() > before {
                let later = self
                    .effects
                    .as_mut()
                    .map(|list| list.split_off(before))
                    .unwrap_or_default();
                for earlier in &mut done {
                    if let Typed::Integer(expression, _) = earlier {
                        *expression = self.kept(expression.clone(), expr.span)?;
                    }
                }
                self.effects.get_or_insert_default().extend(later);
            }
            done.push(value);
        }
        Ok(done)
    }

    fn pair(&mut self, left: &Expr, right: &Expr, scope: ScopeId) -> Read<(Typed, Typed)> {
        let mut both = self.operands(&[left, right], scope)?;
        let right = both.pop().unwrap_or(Typed::Nothing);
        Ok((both.pop().unwrap_or(Typed::Nothing), right))
    }

    fn unary(&mut self, operator: Unary, inner: &Expr, scope: ScopeId) -> Read<Typed> {
        let value = self.value(inner, scope)?;
        Ok(match (operator, value) {
            (Unary::Minus, Typed::Integer(value, _)) => {
                Typed::Integer(folded(Expression::Negate(Box::new(value))), false)
            }
            (Unary::Plus, Typed::Integer(value, _)) => Typed::Integer(value, false),
            (Unary::Not, Typed::Integer(value, _)) => {
                Typed::Integer(folded(Expression::Not(Box::new(value))), true)
            }
            (Unary::Not, Typed::Formula(formula)) => Typed::Formula(Formula::Not(Box::new(formula))),
            (_, other) => {
                let message = format!("this operator cannot be used on {}", other.name());
                return Err(wrong("uppaal::type", message, inner.span));
            }
        })
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        span: Span,
        scope: ScopeId,
    ) -> Read<Typed> {
        use Operator as O;
        match operator {
            O::And | O::Or | O::Imply | O::Xor => return self.connective(operator, left, right, scope),
            O::Less | O::LessEqual | O::Equal | O::Different | O::GreaterEqual | O::Greater => {
                return self.comparison(operator, left, right, span, scope);
            }
            _ => {}
        }
        let binary = match operator {
            O::Add => Binary::Add,
            O::Subtract => Binary::Subtract,
            O::Multiply => Binary::Multiply,
            O::Divide => Binary::Divide,
            O::Remainder => Binary::Remainder,
            O::ShiftLeft => Binary::ShiftLeft,
            O::ShiftRight => Binary::ShiftRight,
            O::Minimum => Binary::Minimum,
            O::Maximum => Binary::Maximum,
            O::BitAnd => Binary::BitAnd,
            O::BitXor => Binary::BitXor,
            O::BitOr => Binary::BitOr,
            _ => return Err(unsupported("powers", span)),
        };
        let minus = |value: Expression| folded(Expression::Negate(Box::new(value)));
        Ok(match (self.pair(left, right, scope)?, binary) {
            ((Typed::Integer(left, _), Typed::Integer(right, _)), _) => {
                Typed::Integer(folded(Expression::binary(binary, left, right)), false)
            }
            ((Typed::Clock(clock), Typed::Integer(number, _)), Binary::Add)
            | ((Typed::Integer(number, _), Typed::Clock(clock)), Binary::Add) => Typed::Clock(Linear {
                offset: sum(clock.offset, number),
                ..clock
            }),
            ((Typed::Clock(clock), Typed::Integer(number, _)), Binary::Subtract) => Typed::Clock(Linear {
                offset: sum(clock.offset, minus(number)),
                ..clock
            }),
            ((Typed::Clock(one), Typed::Clock(other)), Binary::Subtract) => {
                Typed::Clock(difference(one, other, span)?)
            }
            ((left, right), _) => {
                let message = format!("{} and {} cannot be combined so", left.name(), right.name());
                return Err(wrong("uppaal::type", message, span));
            }
        })
    }

    fn connective(&mut self, operator: Operator, left: &Expr, right: &Expr, scope: ScopeId) -> Read<Typed> {
        let first = self.value(left, scope)?;
        let before = self.emitted();
        let second = self.value(right, scope)?;
        if self.emitted() > before {
            let message =
                "a change of variables inside a condition that may not be evaluated is not supported";
            return Err(wrong("uppaal::unsupported", message, right.span));
        }
        let not = |formula: Formula| Formula::Not(Box::new(formula));
        Ok(match (first, second) {
            (Typed::Integer(first, is_truth), Typed::Integer(second, other_is_truth)) => {
                let whole = match operator {
                    Operator::And => Expression::binary(Binary::And, first, second),
                    Operator::Or => Expression::binary(Binary::Or, first, second),
                    Operator::Imply => {
                        Expression::binary(Binary::Or, folded(Expression::Not(Box::new(first))), second)
                    }
                    _ => Expression::binary(
                        Binary::Compare(Comparison::Different),
                        truth(first, is_truth),
                        truth(second, other_is_truth),
                    ),
                };
                Typed::Integer(folded(whole), true)
            }
            (first, second) => {
                let (first, second) = (
                    self.as_formula(first, left.span)?,
                    self.as_formula(second, right.span)?,
                );
                Typed::Formula(match operator {
                    Operator::And => both(first, second),
                    Operator::Or => either(first, second),
                    Operator::Imply => either(negated(first), second),
                    _ => Formula::Or(vec![
                        Formula::And(vec![first.clone(), not(second.clone())]),
                        Formula::And(vec![not(first), second]),
                    ]),
                })
            }
        })
    }

    fn comparison(
        &mut self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        span: Span,
        scope: ScopeId,
    ) -> Read<Typed> {
        let comparison = match operator {
            Operator::Less => Comparison::Less,
            Operator::LessEqual => Comparison::LessEqual,
            Operator::Equal => Comparison::Equal,
            Operator::Different => Comparison::Different,
            Operator::GreaterEqual => Comparison::GreaterEqual,
            _ => Comparison::Greater,
        };
        if let ExprKind::Rate(clock) = &left.kind {
            return self.rate(clock, comparison, right, span, scope);
        }
        let linear = |read: Typed| match read {
            Typed::Clock(linear) => Ok(linear),
            Typed::Integer(offset, _) => Ok(Linear {
                plus: ClockName::one(0),
                minus: ClockName::one(0),
                offset,
            }),
            other => Err(other),
        };
        match self.pair(left, right, scope)? {
            (Typed::Integer(left, _), Typed::Integer(right, _)) => {
                let whole = Expression::binary(Binary::Compare(comparison), left, right);
                Ok(Typed::Integer(folded(whole), true))
            }
            (Typed::Value(of, one), Typed::Value(other_of, other))
                if matches!(comparison, Comparison::Equal | Comparison::Different)
                    && of.sizes() == other_of.sizes() =>
            {
                self.same(&of, &one, &other, comparison == Comparison::Equal, span)
            }
            (first, second) => {
                let names = (first.name(), second.name());
                let (Ok(first), Ok(second)) = (linear(first), linear(second)) else {
                    let message = format!("{} and {} cannot be compared", names.0, names.1);
                    return Err(wrong("uppaal::type", message, span));
                };
                let whole = difference(first, second, span)?;
                let bound = folded(Expression::Negate(Box::new(whole.offset)));
                if let Expression::Constant(number) = bound
                    && number.abs() >= entail_clocks::discrete::MOST_CONSTANT
                {
                    let message = format!("the constant {number} is too large for a clock");
                    let help = format!(
                        "constants of clocks are below {}",
                        entail_clocks::discrete::MOST_CONSTANT
                    );
                    return Err(wrong("uppaal::range", message, span).with_help(help));
                }
                Ok(Typed::Formula(Formula::Clock {
                    left: whole.plus,
                    right: whole.minus,
                    comparison,
                    bound,
                }))
            }
        }
    }

    /// `x' == 1` says nothing; other rates are refused.
    fn rate(
        &mut self,
        clock: &Expr,
        comparison: Comparison,
        right: &Expr,
        span: Span,
        scope: ScopeId,
    ) -> Read<Typed> {
        if let ExprKind::Name(name) = &clock.kind
            && name == "cost"
        {
            return Err(unsupported("costs (`cost'`)", span));
        }
        self.reference(clock, scope)?;
        match (comparison, self.value(right, scope)) {
            (Comparison::Equal, Ok(Typed::Integer(Expression::Constant(1), _))) => {
                Ok(Typed::Integer(Expression::Constant(1), true))
            }
            _ => Err(unsupported("stopwatches and other rates of clocks (`x'`)", span)),
        }
    }

    /// Whether two arrays or records are equal.
    fn same(
        &mut self,
        of: &Type,
        one: &Reference,
        other: &Reference,
        wanted: bool,
        span: Span,
    ) -> Read<Typed> {
        if self.constant && (one.root == Root::Variable || other.root == Root::Variable) {
            return Err(wrong("uppaal::constant", "a constant is expected", span));
        }
        let sizes = of.sizes().unwrap_or([0; 3]);
        if sizes[CLOCKS] + sizes[CHANNELS] > 0 {
            return Err(wrong(
                "uppaal::type",
                "clocks and channels cannot be compared so",
                span,
            ));
        }
        let elements = |reference: &Reference| elements(reference, sizes[INTEGERS]);
        let pairs = elements(one).into_iter().zip(elements(other));
        let equal = |(one, other)| Expression::binary(Binary::Compare(Comparison::Equal), one, other);
        let all = balanced(Binary::And, pairs.map(equal).collect(), 1);
        let all = if wanted {
            all
        } else {
            Expression::Not(Box::new(all))
        };
        Ok(Typed::Integer(folded(all), true))
    }

    fn choice(&mut self, parts: &[Expr; 3], scope: ScopeId) -> Read<Typed> {
        let [condition, then, otherwise] = parts;
        let condition = self.integer(condition, scope)?;
        let before = self.emitted();
        let values = (self.value(then, scope)?, self.value(otherwise, scope)?);
        if self.emitted() > before {
            let message = "a change of variables inside a part that may not be evaluated is not supported";
            return Err(wrong(
                "uppaal::unsupported",
                message,
                then.span.to(otherwise.span),
            ));
        }
        Ok(match values {
            (Typed::Integer(one, is_truth), Typed::Integer(other, other_is_truth)) => Typed::Integer(
                folded(Expression::Choice(Box::new([condition, one, other]))),
                is_truth && other_is_truth,
            ),
            (one, other) => {
                let one = self.as_formula(one, then.span)?;
                let other = self.as_formula(other, otherwise.span)?;
                let not = Formula::Integer(folded(Expression::Not(Box::new(condition.clone()))));
                both(either(not, one), either(Formula::Integer(condition), other)).into()
            }
        })
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        name: &str,
        of: &TypeExpr,
        inner: &Expr,
        scope: ScopeId,
    ) -> Read<Typed> {
        let resolved = self.resolve(of, scope)?;
        let Some((low, high)) = resolved.range() else {
            let message = format!("the values of {} cannot be enumerated", resolved.name());
            return Err(wrong("uppaal::type", message, of.span));
        };
        if high - low >= MOST_CASES {
            return Err(wrong(
                "uppaal::limit",
                "a quantifier with very many values",
                of.span,
            ));
        }
        let mut all = Vec::new();
        let effects = self.effects.take();
        for value in low..=high {
            let inside = self.scopes.inside(Some(scope));
            let constant = Reference::constant(Arc::new([value]));
            self.scopes
                .enter(inside, name, Entity::Value(resolved.clone(), constant));
            let read = self.value(inner, inside);
            match read {
                Ok(read) => all.push(read),
                Err(problem) => {
                    self.effects = effects;
                    return Err(problem);
                }
            }
        }
        self.effects = effects;
        let is_integer = |read: &Typed| matches!(read, Typed::Integer(..));
        if all.iter().all(is_integer) {
            let values = all.into_iter().filter_map(|read| match read {
                Typed::Integer(value, _) => Some(value),
                _ => None,
            });
            let values: Vec<Expression> = values.collect();
            return Ok(match quantifier {
                Quantifier::ForAll => Typed::Integer(balanced(Binary::And, values, 1), true),
                Quantifier::Exists => Typed::Integer(balanced(Binary::Or, values, 0), true),
                Quantifier::Sum => Typed::Integer(balanced(Binary::Add, values, 0), false),
            });
        }
        if quantifier == Quantifier::Sum {
            return Err(wrong(
                "uppaal::type",
                "only integers can be summed up",
                inner.span,
            ));
        }
        let mut formulas = Vec::new();
        for read in all {
            formulas.push(self.as_formula(read, inner.span)?);
        }
        Ok(Typed::Formula(match quantifier {
            Quantifier::ForAll => Formula::And(formulas),
            _ => Formula::Or(formulas),
        }))
    }

    fn assign(
        &mut self,
        operator: Option<Operator>,
        target: &Expr,
        value: &Expr,
        span: Span,
        scope: ScopeId,
    ) -> Read<Typed> {
        if let Some(operator) = operator {
            let whole = self.binary(operator, target, value, span, scope)?;
            let (of, reference) = self.reference(target, scope)?;
            let Typed::Integer(whole, is_truth) = whole else {
                return Err(wrong("uppaal::type", "only integers can be changed so", span));
            };
            self.store(&of, &reference, whole, is_truth, span)?;
            return self.read(of, reference, span);
        }
        let before = self.emitted();
        let (of, reference) = self.reference(target, scope)?;
        let index_changes = self.emitted() > before;
        let middle = self.emitted();
        let read = self.value(value, scope)?;
        if self.emitted() > middle && (index_changes || !is_fixed(&reference)) {
            let message = "an assignment whose value changes variables, to an element with a variable index, is not supported";
            return Err(wrong("uppaal::unsupported", message, span));
        }
        match (&of, read) {
            (Type::Clock, read) => self.set_clock(&reference, read, span)?,
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

    /// An integer gets a value.
    pub fn store(
        &mut self,
        of: &Type,
        reference: &Reference,
        value: Expression,
        is_truth: bool,
        span: Span,
    ) -> Read<()> {
        let Some((low, high)) = of.range() else {
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
            Root::Local if *of == Type::Bool => value,
            Root::Local => Expression::Ranged(Box::new(value), low, high),
        };
        let statement = Statement::Assign {
            target: place(reference),
            value,
            span,
        };
        self.emit(statement, span)
    }

    fn set_clock(&mut self, reference: &Reference, read: Typed, span: Span) -> Read<()> {
        let (source, offset) = match read {
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

impl From<Formula> for Typed {
    fn from(formula: Formula) -> Typed {
        Typed::Formula(formula)
    }
}

fn both(first: Formula, second: Formula) -> Formula {
    match (first, second) {
        (Formula::And(mut all), Formula::And(more)) => {
            all.extend(more);
            Formula::And(all)
        }
        (Formula::And(mut all), one) => {
            all.push(one);
            Formula::And(all)
        }
        (first, second) => Formula::And(vec![first, second]),
    }
}

fn either(first: Formula, second: Formula) -> Formula {
    match (first, second) {
        (Formula::Or(mut all), one) => {
            all.push(one);
            Formula::Or(all)
        }
        (first, second) => Formula::Or(vec![first, second]),
    }
}

/// The opposite; of integers an integer.
fn negated(formula: Formula) -> Formula {
    match formula {
        Formula::Integer(value) => Formula::Integer(folded(Expression::Not(Box::new(value)))),
        Formula::Constant(truth) => Formula::Constant(!truth),
        other => Formula::Not(Box::new(other)),
    }
}

/// The difference of two linear terms.
fn difference(left: Linear, right: Linear, span: Span) -> Read<Linear> {
    let nobody = ClockName::one(0);
    let mut plus = vec![left.plus, right.minus];
    let mut minus = vec![left.minus, right.plus];
    plus.retain(|one| *one != nobody);
    minus.retain(|one| *one != nobody);
    // The same clock on both sides cancels out.
    if let Some(at) = plus.iter().position(|one| minus.contains(one)) {
        let same = plus.remove(at);
        if let Some(at) = minus.iter().position(|one| *one == same) {
            minus.remove(at);
        }
    }
    if plus.len() > 1 || minus.len() > 1 {
        let message = "only one clock, or the difference of two, can be compared with an integer";
        return Err(wrong("uppaal::type", message, span));
    }
    let negative = folded(Expression::Negate(Box::new(right.offset)));
    Ok(Linear {
        plus: plus.pop().unwrap_or(nobody.clone()),
        minus: minus.pop().unwrap_or(nobody),
        offset: sum(left.offset, negative),
    })
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

fn is_fixed(reference: &Reference) -> bool {
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
