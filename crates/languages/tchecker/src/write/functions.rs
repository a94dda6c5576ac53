//! Code without calls: functions that have a result only become expressions, the others statements where they are called.
//!
//! A function that changes nothing but its own slots is run on expressions instead of numbers: an assignment replaces what is known of a slot, a decision on something that is not known makes a
//! choice of what both parts know, and a loop is run as long as its condition is a number. What such a function would have found wrong about a value that it then does not use is lost. A function that
//! changes variables is put in place of its call, with `return` as the last thing that happens in each case.
//!
//! Cost: what is written grows with the number of cases; beyond [`MOST_NODES`] it is refused.

use entail_clocks::{Binary, ClockName, Condition, Expression, Function, Place, Statement};
use std::collections::BTreeMap;

/// Nodes of expressions that are made for one network, at most.
const MOST_NODES: usize = 1 << 20;
/// Rounds of loops that are run, at most.
const MOST_ROUNDS: usize = 1 << 14;

/// What is known of slots: expressions over those that are not in it.
type Known = BTreeMap<usize, Expression>;

/// An expression that has no value.
pub(super) fn fault() -> Expression {
    Expression::Ranged(Box::new(Expression::Constant(-1)), 0, 0)
}

/// Takes calls away.
pub(super) struct Expander {
    nodes: usize,
    rounds: usize,
}

impl Expander {
    pub fn new() -> Expander {
        Expander {
            nodes: MOST_NODES,
            rounds: MOST_ROUNDS,
        }
    }

    /// An expression without calls.
    pub fn plain(&mut self, expression: &Expression) -> Result<Expression, String> {
        self.expression(expression, &Known::new())
    }

    /// Conditions without calls.
    pub fn conditions(&mut self, conditions: &[Condition]) -> Result<Vec<Condition>, String> {
        conditions
            .iter()
            .map(|condition| {
                Ok(match condition {
                    Condition::Integer(expression) => Condition::Integer(self.plain(expression)?),
                    Condition::Clock {
                        left,
                        right,
                        comparison,
                        bound,
                    } => Condition::Clock {
                        left: self.clock(left)?,
                        right: self.clock(right)?,
                        comparison: *comparison,
                        bound: self.plain(bound)?,
                    },
                    Condition::When(when, inner) => {
                        Condition::When(self.plain(when)?, self.conditions(inner)?)
                    }
                })
            })
            .collect()
    }

    fn clock(&mut self, name: &ClockName) -> Result<ClockName, String> {
        let index = name.index.as_ref().map(|index| self.plain(index)).transpose()?;
        Ok(match index {
            Some(Expression::Constant(at)) if (0..name.size as i64).contains(&at) => {
                ClockName::one(name.base + at as usize)
            }
            index => ClockName {
                base: name.base,
                size: name.size,
                index,
            },
        })
    }

    /// Statements without calls.
    pub fn action(&mut self, statements: &[Statement]) -> Result<Vec<Statement>, String> {
        self.straight(statements, &None)
    }

    fn spend(&mut self) -> Result<(), String> {
        self.nodes = (self.nodes.checked_sub(1))
            .ok_or("what its functions compute is too large to be written as expressions")?;
        Ok(())
    }

    fn expression(&mut self, expression: &Expression, known: &Known) -> Result<Expression, String> {
        self.spend()?;
        Ok(match expression {
            Expression::Constant(_) => expression.clone(),
            Expression::Read(place) => self.read(place, known)?,
            Expression::Negate(inner) => folded(Expression::Negate(Box::new(self.expression(inner, known)?))),
            Expression::Not(inner) => folded(Expression::Not(Box::new(self.expression(inner, known)?))),
            Expression::Binary(operator, left, right) => {
                let left = self.expression(left, known)?;
                match (operator, &left) {
                    (Binary::And, Expression::Constant(0)) => return Ok(left),
                    (Binary::Or, Expression::Constant(number)) if *number != 0 => {
                        return Ok(Expression::Constant(1));
                    }
                    _ => {}
                }
                folded(Expression::binary(
                    *operator,
                    left,
                    self.expression(right, known)?,
                ))
            }
            Expression::Choice(parts) => {
                let [condition, then, otherwise] = &**parts;
                match self.expression(condition, known)? {
                    Expression::Constant(0) => self.expression(otherwise, known)?,
                    Expression::Constant(_) => self.expression(then, known)?,
                    condition => Expression::Choice(Box::new([
                        condition,
                        self.expression(then, known)?,
                        self.expression(otherwise, known)?,
                    ])),
                }
            }
            Expression::Index(inner, size) => match self.expression(inner, known)? {
                Expression::Constant(at) if (0..*size as i64).contains(&at) => Expression::Constant(at),
                inner => Expression::Index(Box::new(inner), *size),
            },
            Expression::Ranged(inner, low, high) => match self.expression(inner, known)? {
                Expression::Constant(at) if (*low..=*high).contains(&at) => Expression::Constant(at),
                inner => Expression::Ranged(Box::new(inner), *low, *high),
            },
            Expression::Table(table, index) => match self.expression(index, known)? {
                Expression::Constant(at) if (0..table.len() as i64).contains(&at) => {
                    Expression::Constant(table[at as usize])
                }
                index => Expression::Table(table.clone(), Box::new(index)),
            },
            Expression::Call(function, arguments) => self.call(function, arguments, known)?,
            Expression::Real(..) => return Err("it has floating-point numbers".to_owned()),
        })
    }

    /// The value of a place, as far as it is known.
    fn read(&mut self, place: &Place, known: &Known) -> Result<Expression, String> {
        let value = |slot: usize| {
            let known = known.get(&slot).cloned();
            known.unwrap_or_else(|| Expression::Read(Place::variable(slot)))
        };
        let Some(index) = &place.index else {
            return Ok(value(place.base));
        };
        let index = self.expression(index, known)?;
        match index {
            Expression::Constant(at) if (0..place.size as i64).contains(&at) => {
                Ok(value(place.base + at as usize))
            }
            index if known.range(place.base..place.base + place.size).next().is_none() => {
                let index = Some(Box::new(index));
                Ok(Expression::Read(Place {
                    index,
                    ..place.clone()
                }))
            }
            index => {
                let mut all = fault();
                for at in (0..place.size).rev() {
                    self.spend()?;
                    all = Expression::Choice(Box::new([is(&index, at), value(place.base + at), all]));
                }
                Ok(all)
            }
        }
    }

    /// The result of a function that changes nothing but its own slots.
    fn call(
        &mut self,
        function: &Function,
        arguments: &[Expression],
        known: &Known,
    ) -> Result<Expression, String> {
        let mut own = known.clone();
        for (slot, argument) in function.arguments.iter().zip(arguments) {
            own.insert(*slot, self.expression(argument, known)?);
        }
        let result = self.run(function.body.iter().rev().collect(), &mut own);
        let told = |reason| format!("the function `{}`: {reason}", function.name);
        Ok(result.map_err(told)?.unwrap_or(Expression::Constant(0)))
    }

    /// Runs code on expressions; its result, if it ends with one. What is to be run lies on a stack, the next statement last, so that a return inside of loops and decisions leaves out all that would follow.
    fn run(&mut self, mut stack: Vec<&Statement>, known: &mut Known) -> Result<Option<Expression>, String> {
        while let Some(statement) = stack.pop() {
            self.spend()?;
            match statement {
                Statement::Assign { target, value, .. } => {
                    let value = self.expression(value, known)?;
                    self.assign(target, value, known)?;
                }
                Statement::Clear(from, count) => {
                    known.extend((*from..from + count).map(|slot| (slot, Expression::Constant(0))));
                }
                Statement::Return(None) => return Ok(Some(Expression::Constant(0))),
                Statement::Return(Some(value)) => return self.expression(value, known).map(Some),
                Statement::If(condition, then, otherwise) => {
                    let condition = self.expression(condition, known)?;
                    if let Expression::Constant(number) = condition {
                        let part = if number == 0 { otherwise } else { then };
                        stack.extend(part.iter().rev());
                    } else if returns(then) || returns(otherwise) {
                        let mut end = |part: &[Statement]| {
                            let mut whole = stack.clone();
                            self.nodes = self.nodes.saturating_sub(whole.len());
                            whole.extend(part.iter().rev());
                            let result = self.run(whole, &mut known.clone())?;
                            Ok::<_, String>(result.unwrap_or(Expression::Constant(0)))
                        };
                        let (one, other) = (end(then)?, end(otherwise)?);
                        return Ok(Some(Expression::Choice(Box::new([condition, one, other]))));
                    } else {
                        let mut others = known.clone();
                        self.run(then.iter().rev().collect(), known)?;
                        self.run(otherwise.iter().rev().collect(), &mut others)?;
                        self.join(&condition, known, others)?;
                    }
                }
                Statement::While(condition, body) => match self.expression(condition, known)? {
                    Expression::Constant(0) => {}
                    Expression::Constant(_) => {
                        self.rounds =
                            (self.rounds.checked_sub(1)).ok_or("its loops have very many rounds")?;
                        stack.push(statement);
                        stack.extend(body.iter().rev());
                    }
                    _ => return Err("it repeats something as long as variables say so".to_owned()),
                },
                Statement::Assert(..) => return Err("it asserts something".to_owned()),
                Statement::Clock { .. }
                | Statement::Call { .. }
                | Statement::Cost(..)
                | Statement::Draw { .. } => {
                    return Err("it changes something".to_owned());
                }
            }
        }
        Ok(None)
    }

    fn assign(&mut self, target: &Place, value: Expression, known: &mut Known) -> Result<(), String> {
        let Some(index) = &target.index else {
            known.insert(target.base, value);
            return Ok(());
        };
        match self.expression(index, known)? {
            Expression::Constant(at) if (0..target.size as i64).contains(&at) => {
                known.insert(target.base + at as usize, value);
            }
            index => {
                for at in 0..target.size {
                    self.spend()?;
                    let slot = target.base + at;
                    let before = known.get(&slot).cloned();
                    let before = before.unwrap_or_else(|| Expression::Read(Place::variable(slot)));
                    let whole = Expression::Choice(Box::new([is(&index, at), value.clone(), before]));
                    known.insert(slot, whole);
                }
            }
        }
        Ok(())
    }

    /// What is known after one of two cases.
    fn join(&mut self, condition: &Expression, known: &mut Known, others: Known) -> Result<(), String> {
        let slots: Vec<usize> = known.keys().chain(others.keys()).copied().collect();
        for slot in slots {
            self.spend()?;
            let read = || Expression::Read(Place::variable(slot));
            let one = known.get(&slot).cloned().unwrap_or_else(read);
            let other = others.get(&slot).cloned().unwrap_or_else(read);
            if one != other {
                let whole = Expression::Choice(Box::new([condition.clone(), one, other]));
                known.insert(slot, whole);
            }
        }
        Ok(())
    }

    /// Statements without calls; what they return goes to a place.
    fn straight(
        &mut self,
        statements: &[Statement],
        result: &Option<Place>,
    ) -> Result<Vec<Statement>, String> {
        let mut done = Vec::new();
        for (position, statement) in statements.iter().enumerate() {
            self.spend()?;
            match statement {
                Statement::Assign { target, value, span } => {
                    let index = match &target.index {
                        Some(index) => Some(Box::new(self.plain(index)?)),
                        None => None,
                    };
                    done.push(Statement::Assign {
                        target: Place {
                            index,
                            ..target.clone()
                        },
                        value: self.plain(value)?,
                        span: *span,
                    });
                }
                Statement::Clock {
                    target,
                    source,
                    offset,
                    span,
                } => done.push(Statement::Clock {
                    target: self.clock(target)?,
                    source: self.clock(source)?,
                    offset: self.plain(offset)?,
                    span: *span,
                }),
                Statement::Clear(..) | Statement::Cost(..) => done.push(statement.clone()),
                Statement::Draw { .. } => return Err("it has floating-point numbers".to_owned()),
                Statement::Assert(condition, span) => {
                    done.push(Statement::Assert(self.plain(condition)?, *span));
                }
                Statement::Return(value) => {
                    if let (Some(value), Some(target)) = (value, result) {
                        done.push(Statement::Assign {
                            target: target.clone(),
                            value: self.plain(value)?,
                            span: Default::default(),
                        });
                    }
                    return Ok(done);
                }
                Statement::If(condition, then, otherwise) => {
                    let condition = self.plain(condition)?;
                    let ends = returns(then) || returns(otherwise);
                    let rest = if ends { &statements[position + 1..] } else { &[] };
                    let mut parts = Vec::new();
                    for part in [then, otherwise] {
                        parts.push(self.straight(&[part.as_slice(), rest].concat(), result)?);
                    }
                    let (otherwise, then) = (parts.pop(), parts.pop());
                    done.push(Statement::If(
                        condition,
                        then.unwrap_or_default(),
                        otherwise.unwrap_or_default(),
                    ));
                    if ends {
                        return Ok(done);
                    }
                }
                Statement::While(condition, body) => {
                    if returns(body) {
                        return Err("a loop in which a function returns".to_owned());
                    }
                    done.push(Statement::While(
                        self.plain(condition)?,
                        self.straight(body, &None)?,
                    ));
                }
                Statement::Call {
                    function,
                    arguments,
                    result,
                    span,
                } => {
                    for (slot, argument) in function.arguments.iter().zip(arguments) {
                        done.push(Statement::Assign {
                            target: Place::variable(*slot),
                            value: self.plain(argument)?,
                            span: *span,
                        });
                    }
                    done.extend(self.straight(&function.body, result)?);
                }
            }
        }
        Ok(done)
    }
}

fn is(index: &Expression, at: usize) -> Expression {
    let equal = Binary::Compare(entail_clocks::Comparison::Equal);
    Expression::binary(equal, index.clone(), Expression::Constant(at as i64))
}

fn returns(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Return(_) => true,
        Statement::If(_, then, otherwise) => returns(then) || returns(otherwise),
        Statement::While(_, body) => returns(body),
        _ => false,
    })
}

/// The value, where all operands are constants.
fn folded(expression: Expression) -> Expression {
    let constant = |one: &Expression| matches!(one, Expression::Constant(_));
    let is_constant = match &expression {
        Expression::Negate(inner) | Expression::Not(inner) => constant(inner),
        Expression::Binary(_, left, right) => constant(left) && constant(right),
        _ => false,
    };
    match is_constant.then(|| expression.value(&[])) {
        Some(Ok(value)) => Expression::Constant(value),
        _ => expression,
    }
}
