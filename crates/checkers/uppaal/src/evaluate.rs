//! Expressions: values, clock terms, and conditions on clocks as lists of conjunctions.

use crate::arithmetic::{arithmetic, clock_term};
use crate::real;
use crate::system::Tree;
use crate::value::{Kind, Memory, Spot, Value, fitted, with_cost};
use entail_clocks::Fault;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate};
use entail_uppaal_tree::{Expr, ExprKind, Function, Instance, Operator, Quantifier, Template, Unary};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Conjunctions, one of which holds.
pub(crate) type Cases = Vec<Vec<ClockConstraint>>;

/// Where a name's value is.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Constant(Value),
    Spot(Spot),
}

/// What a name stands for.
#[derive(Clone)]
pub(crate) enum Name<'m> {
    Variable(Kind, Place),
    Type(Kind),
    /// A function, and the names that it knows.
    Function(&'m Function, Rc<Scope<'m>>),
    Template(&'m Template),
    Instance(&'m Instance),
    /// The processes of a name on the system line, by the values of their parameters.
    Processes(Vec<(Vec<i64>, usize)>),
}

/// Names of a part of the text.
pub(crate) struct Scope<'m> {
    names: RefCell<HashMap<String, Name<'m>>>,
    /// How many names it has.
    count: Cell<usize>,
    /// When each name was declared: how many there were before.
    order: RefCell<HashMap<String, usize>>,
    /// The names around it, and how many of them are known here.
    outer: Option<(Rc<Scope<'m>>, usize)>,
}

impl<'m> Scope<'m> {
    pub fn root() -> Rc<Scope<'m>> {
        Rc::new(Scope {
            names: RefCell::default(),
            count: Cell::new(0),
            order: RefCell::default(),
            outer: None,
        })
    }

    pub fn inside(outer: &Rc<Scope<'m>>) -> Rc<Scope<'m>> {
        Scope::after(outer, usize::MAX)
    }

    /// Names inside others, of which only the first so many are known.
    pub fn after(outer: &Rc<Scope<'m>>, known: usize) -> Rc<Scope<'m>> {
        Rc::new(Scope {
            names: RefCell::default(),
            count: Cell::new(0),
            order: RefCell::default(),
            outer: Some((Rc::clone(outer), known)),
        })
    }

    /// How many names were declared so far.
    pub fn count(&self) -> usize {
        self.count.get()
    }

    /// How many names were declared before this one.
    pub fn before(&self, name: &str) -> Option<usize> {
        self.order.borrow().get(name).copied()
    }

    pub fn set(&self, name: &str, meaning: Name<'m>) {
        self.order.borrow_mut().insert(name.to_owned(), self.count.get());
        self.count.set(self.count.get() + 1);
        self.names.borrow_mut().insert(name.to_owned(), meaning);
    }

    pub fn own(&self, name: &str) -> Option<Name<'m>> {
        self.names.borrow().get(name).cloned()
    }

    pub fn get(&self, name: &str) -> Option<Name<'m>> {
        self.first_of(name, usize::MAX)
    }

    /// What a name means where only the first so many names are known.
    fn first_of(&self, name: &str, known: usize) -> Option<Name<'m>> {
        if self.before(name).is_some_and(|before| before < known) {
            return self.own(name);
        }
        let (outer, known) = self.outer.as_ref()?;
        outer.first_of(name, *known)
    }
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum Out {
    Value(Value),
    /// `plus − minus + number`, with 0 for no clock.
    Clocks(usize, usize, i64),
    Condition(Cases),
    Process,
}

impl Out {
    /// As a condition: a number is true if it is not 0.
    pub fn cases(self) -> Result<Cases, Fault> {
        match self {
            Out::Condition(cases) => Ok(cases),
            Out::Value(Value::Number(0)) => Ok(Vec::new()),
            Out::Value(Value::Number(_)) => Ok(vec![Vec::new()]),
            Out::Value(Value::Real(0.0)) => Ok(Vec::new()),
            Out::Value(Value::Real(_)) => Ok(vec![Vec::new()]),
            _ => Err(Fault::Overflow),
        }
    }

    fn number(self) -> Result<i64, Fault> {
        match self {
            Out::Value(Value::Number(number)) => Ok(number),
            _ => Err(Fault::Overflow),
        }
    }

    /// A condition that does not depend on clocks is a number.
    fn simplified(cases: Cases) -> Out {
        match cases.as_slice() {
            [] => Out::Value(Value::Number(0)),
            all if all.iter().any(Vec::is_empty) => Out::Value(Value::Number(1)),
            _ => Out::Condition(cases),
        }
    }
}

/// Whether an expression is the cost: a name that means something only if nothing else has it.
fn is_cost(expr: &Expr, scope: &Scope<'_>) -> bool {
    matches!(&expr.kind, ExprKind::Name(name) if name == "cost") && scope.get("cost").is_none()
}

/// All of both.
pub(crate) fn all_of(left: &Cases, right: &Cases) -> Result<Cases, Fault> {
    if left.len() * right.len() > 1 << 14 {
        return Err(Fault::Cases);
    }
    let mut found = Vec::new();
    for one in left {
        for other in right {
            found.push([one.as_slice(), other].concat());
        }
    }
    Ok(found)
}

/// Where no case holds.
pub(crate) fn none_of(cases: &Cases) -> Result<Cases, Fault> {
    let mut found: Cases = vec![Vec::new()];
    for case in cases {
        let opposites: Cases = case
            .iter()
            .map(|one| {
                vec![ClockConstraint {
                    left: one.right,
                    right: one.left,
                    bound: -one.bound,
                    strict: !one.strict,
                }]
            })
            .collect();
        found = all_of(&found, &opposites)?;
    }
    Ok(found)
}

impl<'m> Tree<'m> {
    /// The value of an expression that is neither a clock term nor a condition on clocks.
    pub(crate) fn value(
        &self,
        expr: &'m Expr,
        scope: &Rc<Scope<'m>>,
        memory: &mut Memory,
    ) -> Result<Value, Fault> {
        match self.evaluate(expr, scope, memory)? {
            Out::Value(value) => Ok(value),
            Out::Clocks(clock, 0, 0) => Ok(Value::Clock(clock)),
            _ => Err(Fault::Overflow),
        }
    }

    fn integer(&self, expr: &'m Expr, scope: &Rc<Scope<'m>>, memory: &mut Memory) -> Result<i64, Fault> {
        self.evaluate(expr, scope, memory)?.number()
    }

    /// Where an expression's value is stored, with its type; nothing for expressions that are not stored.
    pub(crate) fn place(
        &self,
        expr: &'m Expr,
        scope: &Rc<Scope<'m>>,
        memory: &mut Memory,
    ) -> Result<Option<(Kind, Place)>, Fault> {
        match &expr.kind {
            ExprKind::Name(name) => Ok(match scope.get(name) {
                Some(Name::Variable(kind, place)) => Some((kind, place)),
                _ => None,
            }),
            ExprKind::Index(array, index) => {
                let Some((Kind::Array(of, count, low), place)) = self.place(array, scope, memory)? else {
                    return Ok(None);
                };
                let index = self.integer(index, scope, memory)? - low;
                if index < 0 || index >= count as i64 {
                    return Err(Fault::Index { index, size: count });
                }
                Ok(Some((*of, inside(place, index as usize)?)))
            }
            ExprKind::Field(record, field) => {
                if let Some((kind, place)) = self.place(record, scope, memory)? {
                    let Kind::Record(fields) = kind else {
                        return Ok(None);
                    };
                    let at = fields.iter().position(|(name, _)| name == field);
                    let at = at.ok_or(Fault::Overflow)?;
                    return Ok(Some((fields[at].1.clone(), inside(place, at)?)));
                }
                if let Some(process) = self.process_of(record, scope, memory)?
                    && let Some(Name::Variable(kind, place)) = self.processes[process].scope.own(field)
                {
                    return Ok(Some((kind, place)));
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// The process that an expression names.
    fn process_of(
        &self,
        expr: &'m Expr,
        scope: &Rc<Scope<'m>>,
        memory: &mut Memory,
    ) -> Result<Option<usize>, Fault> {
        let (name, values) = match &expr.kind {
            ExprKind::Name(name) => (name, Vec::new()),
            ExprKind::Call(callee, arguments) => {
                let ExprKind::Name(name) = &callee.kind else {
                    return Ok(None);
                };
                if self.global.own(&format!(" {name}")).is_none() {
                    return Ok(None);
                }
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.integer(argument, scope, memory)?);
                }
                (name, values)
            }
            _ => return Ok(None),
        };
        Ok(match self.global.own(&format!(" {name}")) {
            Some(Name::Processes(members)) => {
                let member = members.iter().find(|(own, _)| *own == values);
                member.map(|(_, process)| *process)
            }
            _ => None,
        })
    }

    /// Evaluates.
    pub(crate) fn evaluate(
        &self,
        expr: &'m Expr,
        scope: &Rc<Scope<'m>>,
        memory: &mut Memory,
    ) -> Result<Out, Fault> {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            memory.tick()?;
            self.evaluate_inside(expr, scope, memory)
        })
    }

    fn evaluate_inside(
        &self,
        expr: &'m Expr,
        scope: &Rc<Scope<'m>>,
        memory: &mut Memory,
    ) -> Result<Out, Fault> {
        let number = |number: i64| Ok(Out::Value(Value::Number(number)));
        match &expr.kind {
            ExprKind::Number(value) => number(*value),
            ExprKind::Truth(truth) => number(i64::from(*truth)),
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Field(..) => self.stored(expr, scope, memory),
            ExprKind::Call(callee, arguments) => {
                if self.process_of(expr, scope, memory)?.is_some() {
                    return Ok(Out::Process);
                }
                let (name, found) = match &callee.kind {
                    ExprKind::Name(name) => (name, scope.get(name)),
                    ExprKind::Field(owner, name) => {
                        let process = self.process_of(owner, scope, memory)?.ok_or(Fault::Overflow)?;
                        (name, self.processes[process].scope.own(name))
                    }
                    _ => return Err(Fault::Overflow),
                };
                match found {
                    Some(Name::Function(function, home)) => self
                        .call(function, &home, arguments, scope, memory)
                        .map(Out::Value),
                    _ if name == "abs" && arguments.len() == 1 => {
                        number(self.integer(&arguments[0], scope, memory)?.abs())
                    }
                    _ => {
                        let mut given = Vec::new();
                        for argument in arguments {
                            given.push(self.evaluate(argument, scope, memory)?);
                        }
                        Ok(Out::Value(real::function(name, given)?))
                    }
                }
            }
            ExprKind::Unary(operator, inner) => {
                let inner = self.evaluate(inner, scope, memory)?;
                match operator {
                    Unary::Minus | Unary::Plus if !matches!(inner, Out::Value(Value::Number(_))) => {
                        let minus = *operator == Unary::Minus;
                        Ok(Out::Value(match inner {
                            Out::Value(Value::Real(value)) if minus => Value::Real(-value),
                            Out::Value(Value::Real(value)) => Value::Real(value),
                            _ => Value::Nothing,
                        }))
                    }
                    Unary::Minus => number(inner.number()?.checked_neg().ok_or(Fault::Overflow)?),
                    Unary::Plus => number(inner.number()?),
                    Unary::Not => Ok(Out::simplified(none_of(&inner.cases()?)?)),
                }
            }
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, scope, memory),
            ExprKind::Choice(parts) => {
                let [condition, then, otherwise] = &**parts;
                match self.integer(condition, scope, memory)? {
                    0 => self.evaluate(otherwise, scope, memory),
                    _ => self.evaluate(then, scope, memory),
                }
            }
            ExprKind::Assign(Some(Operator::Add), target, value) if is_cost(target, scope) => {
                let more = self.integer(value, scope, memory)?;
                memory.cost = with_cost(memory.cost, more)?;
                number(0)
            }
            ExprKind::Assign(_, target, value) if self.is_hybrid(target, scope) => {
                // What the value does happens all the same.
                self.evaluate(value, scope, memory)?;
                Ok(Out::Value(Value::Nothing))
            }
            ExprKind::Step { target, .. } if self.is_hybrid(target, scope) => Ok(Out::Value(Value::Nothing)),
            ExprKind::Assign(operator, target, value) => {
                let value = match operator {
                    Some(operator) => self.binary(*operator, target, value, scope, memory)?,
                    None => self.evaluate(value, scope, memory)?,
                };
                self.assign(target, value, scope, memory)
            }
            ExprKind::Step { after, by, target } => {
                let before = self.integer(target, scope, memory)?;
                let next = before.checked_add(*by).ok_or(Fault::Overflow)?;
                self.assign(target, Out::Value(Value::Number(next)), scope, memory)?;
                number(if *after { before } else { next })
            }
            ExprKind::Quantified(quantifier, name, of, inner) => {
                let kind = self.base_kind(of, scope)?;
                let (low, high) = kind.bounds().ok_or(Fault::Overflow)?;
                let (mut sum, mut whole) = (0, Out::Value(Value::Number(0)));
                let mut cases: Cases = match quantifier {
                    Quantifier::ForAll => vec![Vec::new()],
                    _ => Vec::new(),
                };
                for value in low..=high {
                    let inside = Scope::inside(scope);
                    let place = Place::Constant(Value::Number(value));
                    inside.set(name, Name::Variable(kind.clone(), place));
                    let out = self.evaluate(inner, &inside, memory)?;
                    match quantifier {
                        Quantifier::Sum if !matches!(out, Out::Value(Value::Number(_))) => {
                            whole = real::combined(Operator::Add, whole, out)?;
                        }
                        Quantifier::Sum => sum += out.number()?,
                        Quantifier::ForAll => cases = all_of(&cases, &out.cases()?)?,
                        Quantifier::Exists => cases.extend(out.cases()?),
                    }
                }
                match quantifier {
                    Quantifier::Sum if !matches!(whole, Out::Value(Value::Number(0))) => {
                        real::combined(Operator::Add, whole, Out::Value(Value::Number(sum)))
                    }
                    Quantifier::Sum => number(sum),
                    _ => Ok(Out::simplified(cases)),
                }
            }
            ExprKind::Deadlock => Ok(Out::Condition(vec![vec![ClockConstraint::deadlock(true)]])),
            ExprKind::Double(text) => match text.parse::<f64>() {
                Ok(value) => Ok(Out::Value(Value::Real(value))),
                Err(_) => Err(Fault::Overflow),
            },
            ExprKind::Rate(_) | ExprKind::Text(_) => Err(Fault::Overflow),
        }
    }

    fn stored(&self, expr: &'m Expr, scope: &Rc<Scope<'m>>, memory: &mut Memory) -> Result<Out, Fault> {
        if let Some((_, place)) = self.place(expr, scope, memory)? {
            let value = match place {
                Place::Constant(value) => value,
                Place::Spot(spot) => memory.get(&spot)?.clone(),
            };
            return Ok(match value {
                Value::Clock(clock) => Out::Clocks(clock, 0, 0),
                other => Out::Value(other),
            });
        }
        if self.process_of(expr, scope, memory)?.is_some() {
            return Ok(Out::Process);
        }
        // A location of a process: where it is stands in the cell behind all variables.
        if let ExprKind::Field(record, field) = &expr.kind
            && let Some(process) = self.process_of(record, scope, memory)?
        {
            let process_now = &self.processes[process];
            let own = process_now.template.locations.iter();
            let at = own
                .clone()
                .position(|location| location.is_named && location.name == *field);
            let at = process_now.first + at.ok_or(Fault::Overflow)?;
            let Some(Value::Array(locations)) = memory.cells.get(self.first.cells.len()) else {
                return Err(Fault::Overflow);
            };
            let is_there = locations.get(process) == Some(&Value::Number(at as i64));
            return Ok(Out::Value(Value::Number(i64::from(is_there))));
        }
        Err(Fault::Overflow)
    }

    fn binary(
        &self,
        operator: Operator,
        left: &'m Expr,
        right: &'m Expr,
        scope: &Rc<Scope<'m>>,
        memory: &mut Memory,
    ) -> Result<Out, Fault> {
        // `x' == 0` stops a clock; `cost' == e` says what time costs.
        if let ExprKind::Rate(clock) = &left.kind {
            if is_cost(clock, scope) {
                let more = self.integer(right, scope, memory)?;
                memory.rate = with_cost(memory.rate, more)?;
                return Ok(Out::Value(Value::Number(1)));
            }
            if self.is_hybrid(clock, scope) {
                return Ok(Out::Value(Value::Number(1)));
            }
            let rate = real::whole(self.evaluate(right, scope, memory)?).number()?;
            match (rate, self.value(clock, scope, memory)?) {
                (1, Value::Clock(_)) => {}
                (0, Value::Clock(clock)) => memory.stopped.push(clock),
                (rate, _) => return Err(Fault::Rate(rate)),
            }
            return Ok(Out::Value(Value::Number(1)));
        }
        let first = self.evaluate(left, scope, memory)?;
        match operator {
            Operator::And | Operator::Or | Operator::Imply | Operator::Xor => {
                let first = first.cases()?;
                let is_true = first.iter().any(Vec::is_empty);
                let decided = match operator {
                    Operator::And if first.is_empty() => Some(false),
                    Operator::Or if is_true => Some(true),
                    Operator::Imply if first.is_empty() => Some(true),
                    _ => None,
                };
                if let Some(truth) = decided {
                    return Ok(Out::Value(Value::Number(i64::from(truth))));
                }
                let second = self.evaluate(right, scope, memory)?.cases()?;
                return Ok(Out::simplified(match operator {
                    Operator::And => all_of(&first, &second)?,
                    Operator::Or => [first, second].concat(),
                    Operator::Imply => [none_of(&first)?, second].concat(),
                    _ => [
                        all_of(&first, &none_of(&second)?)?,
                        all_of(&none_of(&first)?, &second)?,
                    ]
                    .concat(),
                }));
            }
            _ => {}
        }
        let second = self.evaluate(right, scope, memory)?;
        if real::is_about(operator, &first, &second) {
            return real::combined(operator, first, second);
        }
        match (real::whole(first), real::whole(second)) {
            (Out::Value(Value::Number(first)), Out::Value(Value::Number(second))) => {
                arithmetic(operator, first, second).map(|number| Out::Value(Value::Number(number)))
            }
            (Out::Value(first), Out::Value(second)) => match operator {
                Operator::Equal => Ok(Out::Value(Value::Number(i64::from(first == second)))),
                Operator::Different => Ok(Out::Value(Value::Number(i64::from(first != second)))),
                _ => Err(Fault::Overflow),
            },
            (first, second) => clock_term(operator, first, second),
        }
    }

    /// Whether a clock is hybrid. Indices are not evaluated: they may do something.
    fn is_hybrid(&self, clock: &'m Expr, scope: &Rc<Scope<'m>>) -> bool {
        self.shape(clock, scope) == Some(Kind::Nothing)
    }

    /// The type of a variable, an element or a field.
    fn shape(&self, expr: &'m Expr, scope: &Rc<Scope<'m>>) -> Option<Kind> {
        match &expr.kind {
            ExprKind::Name(name) => match scope.get(name) {
                Some(Name::Variable(kind, _)) => Some(kind),
                _ => None,
            },
            ExprKind::Index(array, _) => match self.shape(array, scope)? {
                Kind::Array(of, ..) => Some(*of),
                _ => None,
            },
            ExprKind::Field(record, name) => match self.shape(record, scope)? {
                Kind::Record(fields) => {
                    let own = fields.into_iter().find(|(field, _)| field == name);
                    own.map(|(_, kind)| kind)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn assign(
        &self,
        target: &'m Expr,
        value: Out,
        scope: &Rc<Scope<'m>>,
        memory: &mut Memory,
    ) -> Result<Out, Fault> {
        let Some((kind, Place::Spot(spot))) = self.place(target, scope, memory)? else {
            return Err(Fault::Overflow);
        };
        if let Value::Clock(clock) = memory.get(&spot)? {
            let clock = *clock;
            let (source, offset) = match &value {
                Out::Value(Value::Number(number)) => (0, *number),
                Out::Clocks(source, 0, offset) => (*source, *offset),
                _ => return Err(Fault::Overflow),
            };
            if source == 0 && offset < 0 {
                return Err(Fault::NegativeClock);
            }
            memory.updates.push(ClockUpdate {
                target: clock,
                source,
                offset,
            });
            return Ok(value);
        }
        let Out::Value(value) = value else {
            return Err(Fault::Overflow);
        };
        let value = fitted(&kind, value)?;
        memory.put(&spot, value.clone())?;
        Ok(Out::Value(value))
    }
}

fn inside(place: Place, step: usize) -> Result<Place, Fault> {
    Ok(match place {
        Place::Spot(mut spot) => {
            spot.way.push(step);
            Place::Spot(spot)
        }
        Place::Constant(Value::Array(mut all)) if step < all.len() => Place::Constant(all.swap_remove(step)),
        Place::Constant(Value::Record(mut all)) if step < all.len() => {
            Place::Constant(all.swap_remove(step).1)
        }
        Place::Constant(_) => return Err(Fault::Overflow),
    })
}
