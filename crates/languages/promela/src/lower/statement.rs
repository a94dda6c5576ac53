//! Statements as actions, with what decides how they may be joined.

use super::expression::Where;
use super::flow::{ElementId, Node};
use super::machine::{Class, Lowered, Machine};
use crate::syntax::ast::*;
use crate::syntax::parser::{Fail, wrong};
use entail_program::{Action, Expression, LocationId, Pattern, Place, Scope};

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
        let at = self.flow.elements[id].origin;
        let mut is_global = false;
        let (action, class) = match kind {
            StatementKind::Expression(Expr {
                kind: ExprKind::Run(name, arguments, priority),
                at,
            }) => {
                is_global |= arguments
                    .iter()
                    .any(|argument| lowering.looks_around(argument, place));
                let action = lowering.start(None, (name, arguments, *priority), *at, place)?;
                is_global |= lowering.flows[lowering.process_type(name, *at)?.0 as usize].starts_globally;
                (action, Class::Apart)
            }
            StatementKind::Expression(expr) => {
                is_global |= lowering.looks_around(expr, place);
                (Action::Guard(lowering.expression(expr, place)?), Class::Guard)
            }
            StatementKind::Assign(
                variable,
                Expr {
                    kind: ExprKind::Run(name, arguments, priority),
                    at,
                },
            ) => {
                let target = lowering.place(variable, place)?;
                is_global |= lowering.is_shared(variable, place);
                is_global |= lowering.flows[lowering.process_type(name, *at)?.0 as usize].starts_globally;
                is_global |= arguments
                    .iter()
                    .any(|argument| lowering.looks_around(argument, place));
                let action = lowering.start(Some(target), (name, arguments, *priority), *at, place)?;
                (action, Class::Plain)
            }
            StatementKind::Starting(start, then) => {
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
                return Ok(then);
            }
            StatementKind::Assign(variable, value) => {
                let name = &variable.parts[0].0;
                if &**name == "_priority" && lowering.symbols.find(name, place.scope).is_none() {
                    let value = lowering.expression(value, place)?;
                    return Ok(self.with_uses(
                        Action::SetPriority(Expression::ProcessNumber, value),
                        Class::Plain,
                        false,
                    ));
                }
                is_global |= lowering.is_shared(variable, place) || lowering.looks_around(value, place);
                if &**name == "_" {
                    let value = lowering.expression(value, place)?;
                    return Ok(self.with_uses(
                        Action::Print(String::new(), vec![value]),
                        Class::Plain,
                        is_global,
                    ));
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
                (
                    Action::Assign(target, lowering.expression(value, place)?),
                    Class::Plain,
                )
            }
            StatementKind::Change(variable, operator) => {
                is_global |= lowering.is_shared(variable, place);
                let target = lowering.place(variable, place)?;
                let (old, one) = (
                    Expression::Load(Box::new(target.clone())),
                    Expression::Constant(1),
                );
                let value = Expression::Binary(*operator, Box::new(old), Box::new(one));
                (Action::Assign(target, value), Class::Plain)
            }
            StatementKind::Send(channel, fields, sorted) => {
                is_global |= fields.iter().any(|field| lowering.looks_around(field, place));
                is_global |= !lowering
                    .symbols
                    .symbol(lowering.resolve(channel, place)?)
                    .one_sender
                    .get();
                let action = Action::Send {
                    channel: lowering.channel_value(channel, place)?,
                    fields: lowering.values(fields, place)?,
                    sorted: *sorted,
                };
                (action, Class::Send)
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
                is_global |= lowering.arguments_look_around(arguments, place);
                is_global |= !lowering
                    .symbols
                    .symbol(lowering.resolve(channel, place)?)
                    .one_receiver
                    .get();
                let action = Action::Receive {
                    channel: lowering.channel_value(channel, place)?,
                    patterns: lowering.patterns(arguments, place)?,
                    anywhere: *anywhere,
                    keep: *keep,
                };
                (action, Class::Receive)
            }
            StatementKind::Assert(condition) => {
                is_global |= lowering.looks_around(condition, place);
                (
                    Action::Assert(lowering.expression(condition, place)?),
                    Class::Plain,
                )
            }
            StatementKind::Print(text, values) => {
                is_global |= values.iter().any(|value| lowering.looks_around(value, place));
                let values: Result<Vec<Expression>, Fail> = values
                    .iter()
                    .map(|value| lowering.expression(value, place))
                    .collect();
                (Action::Print(text.to_string(), values?), Class::Plain)
            }
            StatementKind::PrintMessage(value) => {
                is_global |= lowering.looks_around(value, place);
                (
                    Action::Print("%e".into(), vec![lowering.expression(value, place)?]),
                    Class::Plain,
                )
            }
            StatementKind::SetPriority(process, value) => {
                is_global = true;
                let action = Action::SetPriority(
                    lowering.expression(process, place)?,
                    lowering.expression(value, place)?,
                );
                (action, Class::Apart)
            }
            _ => {
                return Err(wrong(
                    at,
                    "promela::statement",
                    "this statement cannot stand here",
                    "here",
                    "",
                ));
            }
        };
        Ok(self.with_uses(action, class, is_global))
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
