//! Functions and their statements.

use crate::evaluate::{Name, Place, Scope};
use crate::system::Tree;
use crate::value::{Memory, Spot, Value, fitted};
use entail_clocks::Fault;
use entail_uppaal_tree::{Declaration, Expr, Function, Statement, StatementKind};
use std::rc::Rc;

/// How a statement ended.
enum Flow {
    On,
    Back(Value),
}

impl<'m> Tree<'m> {
    /// Calls a function.
    pub(crate) fn call(
        &self,
        function: &'m Function,
        home: &Rc<Scope<'m>>,
        arguments: &'m [Expr],
        scope: &Rc<Scope<'m>>,
        memory: &mut Memory,
    ) -> Result<Value, Fault> {
        let inside = Scope::inside(home);
        let mut given = Vec::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let kind = self.kind(&parameter.of, &parameter.declarator, home)?;
            let place = match parameter.by_reference {
                true => self.place(argument, scope, memory)?.map(|(_, place)| place),
                false => None,
            };
            given.push(match place {
                Some(place) => (kind, Ok(place)),
                None => {
                    let value = self.value(argument, scope, memory)?;
                    let value = fitted(&kind, value)?;
                    (kind, Err(value))
                }
            });
        }
        let mark = memory.cells.len();
        for (parameter, (kind, place)) in function.parameters.iter().zip(given) {
            let place = place.unwrap_or_else(|value| cell(memory, value));
            inside.set(&parameter.declarator.name, Name::Variable(kind, place));
        }
        let ended = self.statements(&function.body, &inside, memory);
        memory.cells.truncate(mark);
        match ended? {
            Flow::On => Ok(Value::Nothing),
            Flow::Back(Value::Nothing) => Ok(Value::Nothing),
            Flow::Back(value) => fitted(&self.base_kind(&function.result, home)?, value),
        }
    }

    fn statements(
        &self,
        all: &'m [Statement],
        scope: &Rc<Scope<'m>>,
        memory: &mut Memory,
    ) -> Result<Flow, Fault> {
        for one in all {
            if let Flow::Back(value) = self.statement(one, scope, memory)? {
                return Ok(Flow::Back(value));
            }
        }
        Ok(Flow::On)
    }

    /// Whether a condition holds.
    fn holds(&self, expr: &'m Expr, scope: &Rc<Scope<'m>>, memory: &mut Memory) -> Result<bool, Fault> {
        match self.value(expr, scope, memory)? {
            Value::Number(number) => Ok(number != 0),
            _ => Err(Fault::Overflow),
        }
    }

    fn statement(
        &self,
        one: &'m Statement,
        scope: &Rc<Scope<'m>>,
        memory: &mut Memory,
    ) -> Result<Flow, Fault> {
        memory.tick()?;
        match &one.kind {
            StatementKind::Declare(Declaration::Variables(of, declarators)) => {
                for declarator in declarators {
                    let kind = self.kind(of, declarator, scope)?;
                    let value = match &declarator.initial {
                        Some(initial) => self.initial(&kind, initial, scope, memory)?,
                        None => Value::first(&kind, &mut 0, &mut 0),
                    };
                    let place = match of.prefix.constant {
                        true => Place::Constant(value),
                        false => cell(memory, value),
                    };
                    scope.set(&declarator.name, Name::Variable(kind, place));
                }
            }
            StatementKind::Declare(Declaration::Types(of, declarators)) => {
                for declarator in declarators {
                    let kind = self.kind(of, declarator, scope)?;
                    scope.set(&declarator.name, Name::Type(kind));
                }
            }
            StatementKind::Declare(Declaration::Function(_)) => return Err(Fault::Overflow),
            StatementKind::Block(inner) => return self.statements(inner, &Scope::inside(scope), memory),
            StatementKind::Expr(expr) => {
                self.evaluate(expr, scope, memory)?;
            }
            StatementKind::If(condition, then, otherwise) => {
                let inside = Scope::inside(scope);
                if self.holds(condition, scope, memory)? {
                    return self.statement(then, &inside, memory);
                }
                if let Some(otherwise) = otherwise {
                    return self.statement(otherwise, &inside, memory);
                }
            }
            StatementKind::While(condition, body) => {
                while self.holds(condition, scope, memory)? {
                    if let Flow::Back(value) = self.statement(body, &Scope::inside(scope), memory)? {
                        return Ok(Flow::Back(value));
                    }
                }
            }
            StatementKind::DoWhile(body, condition) => loop {
                if let Flow::Back(value) = self.statement(body, &Scope::inside(scope), memory)? {
                    return Ok(Flow::Back(value));
                }
                if !self.holds(condition, scope, memory)? {
                    break;
                }
            },
            StatementKind::For(first, condition, step, body) => {
                for expr in first {
                    self.evaluate(expr, scope, memory)?;
                }
                while match condition.last() {
                    Some(condition) => self.holds(condition, scope, memory)?,
                    None => true,
                } {
                    if let Flow::Back(value) = self.statement(body, &Scope::inside(scope), memory)? {
                        return Ok(Flow::Back(value));
                    }
                    for expr in step {
                        self.evaluate(expr, scope, memory)?;
                    }
                }
            }
            StatementKind::Iterate(name, of, body) => {
                let kind = self.base_kind(of, scope)?;
                let (low, high) = kind.bounds().ok_or(Fault::Overflow)?;
                for value in low..=high {
                    let inside = Scope::inside(scope);
                    inside.set(
                        name,
                        Name::Variable(kind.clone(), Place::Constant(Value::Number(value))),
                    );
                    if let Flow::Back(value) = self.statement(body, &inside, memory)? {
                        return Ok(Flow::Back(value));
                    }
                }
            }
            StatementKind::Return(None) => return Ok(Flow::Back(Value::Nothing)),
            StatementKind::Return(Some(value)) => return Ok(Flow::Back(self.value(value, scope, memory)?)),
            StatementKind::Assert(condition) => {
                if !self.holds(condition, scope, memory)? {
                    return Err(Fault::Assertion);
                }
            }
        }
        Ok(Flow::On)
    }
}

/// A new cell.
fn cell(memory: &mut Memory, value: Value) -> Place {
    memory.cells.push(value);
    Place::Spot(Spot {
        cell: memory.cells.len() - 1,
        way: Vec::new(),
    })
}
