//! `for` and `select` as the loops that SPIN makes of them.

use super::build::Builder;
use super::flow::{ElementId, Node, Run};
use crate::syntax::ast::*;
use crate::syntax::parser::{Fail, wrong};
use entail_program::{Binary, CellType, Initial, Origin, Probe};

/// How a `for` counts: by which variable, from where, while what.
struct Count {
    counter: Variable,
    first: Expr,
    condition: StatementKind,
    /// What every round begins with.
    opening: Vec<StatementKind>,
}

impl Builder<'_> {
    pub(super) fn open_loop(&mut self) {
        let name = format!(":b{}", self.flow.elements.len());
        self.breaks.push(name.into());
    }

    fn jump_out(&mut self, at: Origin) -> ElementId {
        let label = self.breaks.last().cloned().unwrap_or_else(|| "".into());
        let block = self.scope.block;
        self.element(Node::Goto(label, block), at)
    }

    /// `select (x : low .. high)`: `x = low; do :: break :: x < high -> x++ od`.
    pub(super) fn select(
        &mut self,
        variable: &Variable,
        low: &Expr,
        high: &Expr,
        at: Origin,
        run: &mut Option<Run>,
    ) -> Result<ElementId, Fail> {
        let start = self.step(StatementKind::Assign(variable.clone(), low.clone()), at);
        self.append(run, start);
        self.open_loop();
        let mut more = None;
        for kind in [compare(variable, Binary::Less, high.clone()), increment(variable)] {
            let element = self.step(kind, at);
            self.append(&mut more, element);
        }
        let mut leave = None;
        let jump = self.jump_out(at);
        self.append(&mut leave, jump);
        let runs = [leave, more].into_iter().flatten().collect();
        self.choice(runs, true, at, run)
    }

    /// `for (x : low .. high) { … }`: `x = low; do :: else -> break :: x <= high -> …; x++ od`.
    pub(super) fn for_loop(
        &mut self,
        variable: &Variable,
        range: &Range,
        body: &[Statement],
        at: Origin,
        run: &mut Option<Run>,
    ) -> Result<ElementId, Fail> {
        let count = self.count(variable, range, at)?;
        let start = self.step(StatementKind::Assign(count.counter.clone(), count.first), at);
        self.append(run, start);
        self.open_loop();
        let outer = self.scope;
        let mut main = None;
        for kind in std::iter::once(count.condition).chain(count.opening) {
            let element = self.step(kind, at);
            self.append(&mut main, element);
        }
        self.scope.block = self.lowering.symbols.open_block(Some(outer.block));
        let opening = std::mem::replace(&mut self.opening, false);
        for statement in body {
            self.statement(statement, &mut main)?;
        }
        self.opening = opening;
        self.scope = outer;
        let next = self.step(increment(&count.counter), at);
        self.append(&mut main, next);
        let mut leave = None;
        let otherwise = self.element(Node::Else, at);
        self.append(&mut leave, otherwise);
        let jump = self.jump_out(at);
        self.append(&mut leave, jump);
        let runs = [leave, main].into_iter().flatten().collect();
        self.choice(runs, true, at, run)
    }

    fn count(&mut self, variable: &Variable, range: &Range, at: Origin) -> Result<Count, Fail> {
        let number = |value: i32| Expr {
            kind: ExprKind::Number(value),
            at,
        };
        let between = |low: Expr, high: Expr| Count {
            condition: compare(variable, Binary::LessEqual, high),
            counter: variable.clone(),
            first: low,
            opening: Vec::new(),
        };
        let whole = match range {
            Range::Between(low, high) => return Ok(between((**low).clone(), (**high).clone())),
            Range::In(whole) => whole,
        };
        let place = self.lowering.place_of(Some(self.scope));
        let symbols = &self.lowering.symbols;
        let symbol = symbols.symbol(self.lowering.resolve(whole, place)?);
        let counter = symbols.symbol(self.lowering.resolve(variable, place)?);
        let is_channel = symbol.kind == TypeName::Basic(CellType::Channel) && whole.parts.len() == 1;
        // With a record it runs over the messages of one channel, which may be an element of an array, otherwise over an array.
        if is_channel && (symbol.length.is_none() || matches!(counter.kind, TypeName::Record(_))) {
            return self.rotate(variable, whole, at);
        }
        match symbol.length.filter(|_| whole.parts.len() == 1) {
            Some(length) => Ok(between(number(0), number(length as i32 - 1))),
            None => Err(wrong(
                whole.at,
                "promela::for",
                "`for` runs over arrays, channels and ranges only",
                "this is neither",
                "write `for (i : 0 .. n)`",
            )),
        }
    }

    /// `for (m in c)` over the messages of a channel: each is received and sent again, as often as there are messages.
    fn rotate(&mut self, message: &Variable, channel: &Variable, at: Origin) -> Result<Count, Fail> {
        let place = self.lowering.place_of(Some(self.scope));
        let symbols = &self.lowering.symbols;
        let held = symbols.symbol(self.lowering.resolve(channel, place)?);
        let cells = if held.is_global {
            &self.lowering.program.globals
        } else {
            &self.flow.cells
        };
        let kind = match cells[held.base as usize].initial {
            Initial::Channel(kind) => Some(&self.lowering.program.channels[kind]),
            _ => None,
        };
        let target = symbols.symbol(self.lowering.resolve(message, place)?);
        let fields = symbols.fields(std::iter::once(&target.kind), 1);
        let is_record = matches!(target.kind, TypeName::Record(_)) && message.parts.len() == 1;
        if !is_record || kind.is_none_or(|kind| kind.capacity == 0 || Some(&kind.fields) != fields.as_ref()) {
            return Err(wrong(
                at,
                "promela::for",
                "`for` runs over a channel that is declared with room for messages of one `typedef`, with a variable of that type",
                "these do not fit",
                "write `chan c = [4] of { t }`, `t m`, `for (m in c)`",
            ));
        }
        // SPIN has one such counter in every block.
        let name: Name = format!("_f0r_t3mp{}", self.scope.block).into();
        if self.lowering.symbols.find(&name, Some(self.scope)).is_none() {
            let counter = Declared {
                name: name.clone(),
                kind: TypeName::Basic(CellType::Byte),
                length: None,
                initializer: None,
                hidden: true,
                local: false,
                at,
            };
            self.declare(&counter, &mut Vec::new())?;
        }
        let expr = |kind| Expr { kind, at };
        let counter = Variable {
            parts: vec![(name, None)],
            at,
        };
        let length = expr(ExprKind::Probe(Probe::Length, channel.clone()));
        Ok(Count {
            condition: compare(&counter, Binary::Less, length),
            first: expr(ExprKind::Number(0)),
            counter,
            opening: vec![
                StatementKind::Receive {
                    channel: channel.clone(),
                    arguments: vec![Argument::Store(message.clone())],
                    anywhere: false,
                    keep: false,
                },
                StatementKind::Send(
                    channel.clone(),
                    vec![expr(ExprKind::Variable(message.clone()))],
                    false,
                ),
            ],
        })
    }
}

fn compare(variable: &Variable, operator: Binary, bound: Expr) -> StatementKind {
    let value = Expr {
        kind: ExprKind::Variable(variable.clone()),
        at: variable.at,
    };
    StatementKind::Expression(Expr {
        at: variable.at,
        kind: ExprKind::Binary(operator, Box::new(value), Box::new(bound)),
    })
}

fn increment(variable: &Variable) -> StatementKind {
    let at = variable.at;
    let old = Expr {
        kind: ExprKind::Variable(variable.clone()),
        at,
    };
    let one = Expr {
        kind: ExprKind::Number(1),
        at,
    };
    StatementKind::Assign(
        variable.clone(),
        Expr {
            kind: ExprKind::Binary(Binary::Add, Box::new(old), Box::new(one)),
            at,
        },
    )
}
