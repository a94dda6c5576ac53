//! Statements as actions, with what decides how they may be joined.

use super::expression::Where;
use super::flow::{ElementId, Node};
use super::machine::{Class, Lowered, Machine};
use crate::syntax::ast::*;
use crate::syntax::parser::{Fail, wrong};
use entail_program::{Action, Expression, LocationId, Origin, Pattern, Place, Scope};

impl Machine<'_> {
    pub(super) fn lower(&self, id: ElementId) -> Result<Option<Lowered>, Fail> {
        let element = &self.flow.elements[id];
        let plain = |actions: Vec<Action>, class| Lowered {
            actions,
            class,
            is_global: false,
            reads: Vec::new(),
            writes: Vec::new(),
        };
        Ok(match &element.node {
            Node::Step(kind, scope) => {
                let place = Where { scope: Some(*scope) };
                Some(self.statement(kind, place, id)?)
            }
            Node::Else => {
                // With channels in the other options, it looks at them.
                Some(plain(vec![Action::Else], Class::Apart))
            }
            Node::Goto(..) | Node::Dot | Node::Exit => Some(plain(vec![Action::Skip], Class::Plain)),
            Node::Deterministic => {
                let entry = self.flow.hunt_start(element.runs[0].first);
                let action = Action::Deterministic(LocationId(entry as u16));
                Some(plain(vec![action], Class::Apart))
            }
            Node::End => Some(plain(vec![Action::End], Class::Apart)),
            Node::Choice | Node::Block | Node::Atomic | Node::Done | Node::Unless => None,
        })
    }

    fn statement(&self, kind: &StatementKind, place: Where, id: ElementId) -> Result<Lowered, Fail> {
        let lowering = self.lowering;
        let looks_around = |expr: &Expr| lowering.looks_around(expr, place);
        let (action, class, is_global) = match kind {
            StatementKind::Expression(Expr {
                kind: ExprKind::Run(name, arguments, priority),
                at,
            }) => {
                let (action, is_global) = self.start(None, (name, arguments, *priority), *at, place)?;
                (action, Class::Apart, is_global)
            }
            StatementKind::Expression(expr) => {
                let action = Action::Guard(lowering.expression(expr, place)?);
                (action, Class::Guard, looks_around(expr))
            }
            StatementKind::Assign(
                variable,
                Expr {
                    kind: ExprKind::Run(name, arguments, priority),
                    at,
                },
            ) => {
                let target = Some(lowering.place(variable, place)?);
                let (action, is_global) = self.start(target, (name, arguments, *priority), *at, place)?;
                (
                    action,
                    Class::Plain,
                    is_global || lowering.is_shared(variable, place),
                )
            }
            StatementKind::Starting(start, then) => return self.starting(start, then, place, id),
            StatementKind::Assign(variable, value) => self.assignment(variable, value, place)?,
            StatementKind::Change(variable, operator) => {
                let target = lowering.place(variable, place)?;
                let (old, one) = (
                    Expression::Load(Box::new(target.clone())),
                    Expression::Constant(1),
                );
                let value = Expression::Binary(*operator, Box::new(old), Box::new(one));
                let is_global = lowering.is_shared(variable, place);
                (Action::Assign(target, value), Class::Plain, is_global)
            }
            StatementKind::Send(..) | StatementKind::Receive { .. } => self.message(kind, place, id)?,
            StatementKind::Assert(condition) => {
                let action = Action::Assert(lowering.expression(condition, place)?);
                (action, Class::Plain, looks_around(condition))
            }
            StatementKind::Print(text, values) => {
                let is_global = values.iter().any(looks_around);
                let values: Result<Vec<Expression>, Fail> = values
                    .iter()
                    .map(|value| lowering.expression(value, place))
                    .collect();
                (Action::Print(text.to_string(), values?), Class::Plain, is_global)
            }
            StatementKind::PrintMessage(value) => {
                let action = Action::Print("%e".into(), vec![lowering.expression(value, place)?]);
                (action, Class::Plain, looks_around(value))
            }
            StatementKind::SetPriority(process, value) => {
                let action = Action::SetPriority(
                    lowering.expression(process, place)?,
                    lowering.expression(value, place)?,
                );
                (action, Class::Apart, true)
            }
            _ => {
                return Err(wrong(
                    self.flow.elements[id].origin,
                    "promela::statement",
                    "this statement cannot stand here",
                    "here",
                    "",
                ));
            }
        };
        Ok(self.with_uses(action, class, is_global))
    }

    /// Starting a process, and whether others can notice it.
    fn start(
        &self,
        number: Option<Place>,
        run: (&Name, &[Expr], Option<i32>),
        at: Origin,
        place: Where,
    ) -> Result<(Action, bool), Fail> {
        let lowering = self.lowering;
        let (name, arguments, _) = run;
        let action = lowering.start(number, run, at, place)?;
        let starts_globally = lowering.flows[lowering.process_type(name, at)?.0 as usize].starts_globally;
        let is_global = starts_globally || arguments.iter().any(|one| lowering.looks_around(one, place));
        Ok((action, is_global))
    }

    /// A statement with a `run` inside: the process is started first, and its number is forgotten afterwards.
    fn starting(
        &self,
        start: &StatementKind,
        then: &StatementKind,
        place: Where,
        id: ElementId,
    ) -> Result<Lowered, Fail> {
        let start = self.statement(start, place, id)?;
        let mut then = self.statement(then, place, id)?;
        let cleared = start.actions.iter().filter_map(|action| match action {
            Action::Start {
                number: Some(number), ..
            } => Some(Action::Assign(number.clone(), Expression::Constant(0))),
            _ => None,
        });
        then.actions.extend(cleared);
        then.actions.splice(0..0, start.actions.iter().cloned());
        then.is_global |= start.is_global;
        then.reads.extend(start.reads);
        Ok(then)
    }

    /// An assignment, also to the names that have a meaning of their own.
    fn assignment(
        &self,
        variable: &Variable,
        value: &Expr,
        place: Where,
    ) -> Result<(Action, Class, bool), Fail> {
        let lowering = self.lowering;
        let name = &variable.parts[0].0;
        if &**name == "_priority" && lowering.symbols.find(name, place.scope).is_none() {
            let value = lowering.expression(value, place)?;
            let action = Action::SetPriority(Expression::ProcessNumber, value);
            return Ok((action, Class::Plain, false));
        }
        let is_global = lowering.is_shared(variable, place) || lowering.looks_around(value, place);
        if &**name == "_" {
            let value = lowering.expression(value, place)?;
            let action = Action::Print(String::new(), vec![value]);
            return Ok((action, Class::Plain, is_global));
        }
        if ["_pid", "_nr_pr", "_last"].contains(&&**name) {
            return Err(wrong(
                variable.at,
                "promela::read-only",
                format!("`{name}` cannot be assigned"),
                "here",
                "use a variable of your own",
            ));
        }
        let target = lowering.place(variable, place)?;
        let action = Action::Assign(target, lowering.expression(value, place)?);
        Ok((action, Class::Plain, is_global))
    }

    /// A send or a receive. Others notice it unless the channel has one sender, or one receiver.
    fn message(
        &self,
        kind: &StatementKind,
        place: Where,
        id: ElementId,
    ) -> Result<(Action, Class, bool), Fail> {
        let lowering = self.lowering;
        let symbol = |channel: &Variable| -> Result<_, Fail> {
            Ok(lowering.symbols.symbol(lowering.resolve(channel, place)?))
        };
        match kind {
            StatementKind::Send(channel, fields, sorted) => {
                let is_seen = fields.iter().any(|field| lowering.looks_around(field, place));
                let is_global = !symbol(channel)?.one_sender.get() || is_seen;
                let action = Action::Send {
                    channel: lowering.channel_value(channel, place)?,
                    fields: lowering.values(fields, place)?,
                    sorted: *sorted,
                };
                Ok((action, Class::Send, is_global))
            }
            StatementKind::Receive {
                channel,
                arguments,
                anywhere,
                keep,
            } => {
                if !self.flow.elements[id].in_d_step {
                    lowering.refuse_two_fields(arguments, place)?;
                }
                let is_seen = lowering.arguments_look_around(arguments, place);
                let is_global = !symbol(channel)?.one_receiver.get() || is_seen;
                let action = Action::Receive {
                    channel: lowering.channel_value(channel, place)?,
                    patterns: lowering.patterns(arguments, place)?,
                    anywhere: *anywhere,
                    keep: *keep,
                };
                Ok((action, Class::Receive, is_global))
            }
            _ => unreachable!("only sends and receives are messages"),
        }
    }

    /// The local scalar variables that an action reads and writes.
    fn with_uses(&self, action: Action, class: Class, is_global: bool) -> Lowered {
        let scalar = |place: &Place| {
            let local = matches!(place.scope, Scope::Local) && place.indices.is_empty();
            (local && self.flow.is_scalar(place.base)).then_some(place.base)
        };
        let mut reads: Vec<u32> = Vec::new();
        action.visit(&mut |expression| {
            if let Expression::Load(place) = expression
                && let Some(cell) = scalar(place)
            {
                reads.push(cell);
            }
        });
        let targets: Vec<&Place> = match &action {
            Action::Assign(place, _) => vec![place],
            Action::Start {
                number: Some(place), ..
            } => vec![place],
            Action::Receive { patterns, .. } => patterns
                .iter()
                .filter_map(|pattern| match pattern {
                    Pattern::Bind(place) => Some(place),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        let mut writes: Vec<u32> = targets.into_iter().filter_map(scalar).collect();
        for list in [&mut reads, &mut writes] {
            list.sort_unstable();
            list.dedup();
        }
        Lowered {
            actions: vec![action],
            class,
            is_global,
            reads,
            writes,
        }
    }
}
