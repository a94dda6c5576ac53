//! Event traces: an automaton over sends and receives that runs along with the program.
//!
//! `trace { q!a; q?a }` says in which order the messages of the channels it names are sent and received. As in SPIN, every such event
//! must match an edge at the automaton's location, and only one; the location is part of the state; a run that ends must end at an end location.
//! `notrace` turns it round: it is an error if its end is reached, and after the first event that does not match nothing counts any more.
//!
//! The automaton's location is a global variable. What moves it is put behind the send or receive, as a case distinction over its
//! edges. A receive stores what it gets in variables of the trace's first, so that the message can be looked at before the process's own
//! variables change.

use super::Lowering;
use super::machine::{Machine, Reductions};
use crate::syntax::ast::*;
use crate::syntax::declaration::constant_value;
use crate::syntax::parser::{Fail, wrong};
use entail_program::{
    Action, Binary, Cell, CellType, Expression, Fault, Initial, Location, LocationId, Origin, Pattern, Place,
    ProcessTypeId, Scope, Unary,
};
use rustc_hash::FxHashMap;

/// Whether something is sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Send,
    Receive,
}

/// What an edge of the automaton waits for; nothing if any event will do.
#[derive(Clone, Debug)]
struct Event {
    direction: Direction,
    channel: Place,
    /// The fields of the channel's messages.
    kinds: Vec<CellType>,
    /// What they must be, where it matters.
    wanted: Vec<Option<Expression>>,
}

/// An edge of the automaton.
#[derive(Clone, Debug)]
struct Move {
    from: LocationId,
    event: Option<Event>,
    to: LocationId,
}

/// The automaton.
#[derive(Clone, Debug)]
pub struct Trace {
    moves: Vec<Move>,
    end: Option<LocationId>,
    is_negated: bool,
    /// The cell of the automaton's location.
    location: Place,
    /// Cells for the fields of a message that is received.
    fields: Vec<Place>,
}

/// A `trace` as a process type. Sends become receives that keep the message, which stands for sending: so both have the same kind of arguments.
pub fn prepared(proctype: &Proctype) -> Result<Proctype, Fail> {
    let mut prepared = proctype.clone();
    prepared.body = sequence(&proctype.body)?;
    Ok(prepared)
}

fn sequence(statements: &[Statement]) -> Result<Sequence, Fail> {
    statements.iter().map(statement).collect()
}

fn statement(given: &Statement) -> Result<Statement, Fail> {
    if let Some((_, at)) = given
        .labels
        .iter()
        .find(|(name, _)| name.starts_with("accept") || name.starts_with("progress"))
    {
        return Err(wrong(
            *at,
            "promela::trace",
            "a trace with acceptance or progress labels is not supported",
            "here",
            "say the same with a never claim",
        ));
    }
    let options = |options: &[Sequence]| -> Result<Vec<Sequence>, Fail> {
        options.iter().map(|option| sequence(option)).collect()
    };
    let kind = match &given.kind {
        StatementKind::Send(channel, fields, _) => StatementKind::Receive {
            channel: channel.clone(),
            arguments: fields.iter().map(argument).collect(),
            anywhere: false,
            keep: true,
        },
        StatementKind::Receive {
            channel,
            arguments,
            keep: false,
            ..
        } => StatementKind::Receive {
            channel: channel.clone(),
            arguments: arguments.clone(),
            anywhere: false,
            keep: false,
        },
        StatementKind::If(inner) => StatementKind::If(options(inner)?),
        StatementKind::Do(inner) => StatementKind::Do(options(inner)?),
        StatementKind::Block(inner) => StatementKind::Block(sequence(inner)?),
        StatementKind::Goto(_) | StatementKind::Break => given.kind.clone(),
        _ => {
            return Err(wrong(
                given.at,
                "promela::trace",
                "a trace is made of sends and receives, `if`, `do`, `goto` and `break`",
                "this is none of them",
                "say it with an assertion or a never claim",
            ));
        }
    };
    Ok(Statement {
        kind,
        ..given.clone()
    })
}

/// What a field of a send must be. As in SPIN only constants count.
fn argument(field: &Expr) -> Argument {
    let any = || Variable {
        parts: vec![("_".into(), None)],
        at: field.at,
    };
    match (&field.kind, constant_value(field)) {
        (_, Some(value)) => Argument::Value(Expr {
            kind: ExprKind::Number(value),
            at: field.at,
        }),
        (ExprKind::Variable(variable), None) => Argument::Store(variable.clone()),
        _ => Argument::Store(any()),
    }
}

impl Trace {
    /// The automaton of a prepared process type.
    pub fn new(
        lowering: &mut Lowering,
        id: ProcessTypeId,
        proctype: &Proctype,
        units: &[Unit],
    ) -> Result<Trace, Fail> {
        let flow = &lowering.flows[id.0 as usize];
        let start = flow
            .body
            .map_or(0, |run| flow.hunt(run.first, false, &lowering.symbols.blocks));
        // All events count, those that can never be expected, too: they name channels.
        let all = (0..flow.elements.len()).collect();
        let locations = Machine::locations(lowering, flow, Reductions::NONE, 0, all)?;
        let mut moves = Vec::new();
        let mut end = None;
        for (position, location) in locations.iter().enumerate() {
            let from = LocationId(position as u16);
            for edge in &location.edges {
                let event = match edge.actions.first() {
                    Some(Action::End) => {
                        end = Some(from);
                        continue;
                    }
                    Some(Action::Receive {
                        channel,
                        patterns,
                        keep,
                        ..
                    }) => Some(lowering.event(channel, patterns, *keep, edge.origin)?),
                    _ => None,
                };
                moves.push(Move {
                    from,
                    event,
                    to: edge.target,
                });
            }
        }
        if moves.len() > 500 {
            return Err(wrong(
                proctype.at,
                "promela::trace",
                "the trace has more than 500 events",
                "here",
                "split it, or say it with a never claim",
            ));
        }
        lowering.reassigned = reassigned(lowering, units);
        let events = moves.iter().filter_map(|found| found.event.as_ref());
        if let Some(&at) = events
            .clone()
            .find_map(|event| lowering.reassigned.get(&event.channel.base))
        {
            return Err(wrong(
                at,
                "promela::trace",
                "a variable that a trace names as a channel must keep its channel",
                "it is changed here",
                "use another variable",
            ));
        }
        let longest = events.map(|event| event.kinds.len()).max().unwrap_or(0);
        let mut cell = |name: String, kind: CellType, first: i32| {
            lowering.program.globals.push(Cell {
                name,
                kind,
                initial: Initial::Value(first),
                shown: false,
            });
            Place {
                scope: Scope::Global,
                base: lowering.program.globals.len() as u32 - 1,
                indices: Vec::new(),
                kind,
            }
        };
        let location = cell("_event".into(), CellType::Int, start as i32);
        let fields = (0..longest).map(|field| cell(format!("_event_field[{field}]"), CellType::Int, 0));
        let fields = fields.collect();
        // Where no process is left, SPIN asks nothing.
        let nobody = equal(Expression::ProcessCount, Expression::Constant(0));
        let ends = locations
            .iter()
            .enumerate()
            .filter(|(_, location)| location.is_end);
        let at_end = ends.map(|(position, _)| equal(load(&location), Expression::Constant(position as i32)));
        lowering.program.ends_when = Some(any(at_end.chain([nobody])));
        Ok(Trace {
            moves,
            end,
            is_negated: &*proctype.name == ":notrace:",
            location,
            fields,
        })
    }

    /// Puts what moves the automaton behind a send or receive. `None` if it cannot be done.
    pub fn watch(&self, lowering: &Lowering, actions: &mut Vec<Action>) -> Option<()> {
        let (direction, channel, count) = match actions.first() {
            Some(Action::Send { channel, fields, .. }) => (Direction::Send, channel, fields.len()),
            Some(Action::Receive {
                channel,
                patterns,
                keep: false,
                ..
            }) => (Direction::Receive, channel, patterns.len()),
            _ => return Some(()),
        };
        let concerned: Vec<&Event> = self
            .moves
            .iter()
            .filter_map(|found| found.event.as_ref())
            .filter(|event| event.direction == direction && event.kinds.len() == count)
            .filter(|event| lowering.may_be(channel, &event.channel))
            .collect();
        if concerned.is_empty() {
            return Some(());
        }
        let channel = channel.clone();
        let (values, behind) = match actions.first_mut() {
            Some(Action::Send { fields, .. }) => (fields.clone(), Vec::new()),
            Some(Action::Receive { patterns, .. }) => self.intercept(patterns),
            _ => return Some(()),
        };
        let mut steady = true;
        values.iter().chain([&channel]).for_each(|value| {
            value.visit(&mut |inner| {
                steady &= !matches!(inner, Expression::Probe(..) | Expression::Poll { .. })
            })
        });
        if !steady {
            return None;
        }
        let is_on = |event: &Event| equal(channel.clone(), load(&event.channel));
        let in_scope = any(concerned.iter().map(|event| is_on(event)));
        let matches: Vec<(Expression, LocationId)> = self
            .moves
            .iter()
            .filter_map(|found| {
                let here = equal(load(&self.location), Expression::Constant(found.from.0.into()));
                match &found.event {
                    None => Some((here, found.to)),
                    Some(event) if concerned.iter().any(|other| std::ptr::eq(*other, event)) => {
                        let fits = event.wanted.iter().zip(&event.kinds).zip(&values);
                        let fits = fits.filter_map(|((wanted, kind), value)| {
                            let value = stored(*kind, value.clone());
                            wanted.as_ref().map(|wanted| equal(value, wanted.clone()))
                        });
                        let all = [here, is_on(event)].into_iter().chain(fits);
                        Some((all.reduce(and).unwrap_or(Expression::Constant(1)), found.to))
                    }
                    Some(_) => None,
                }
            })
            .collect();
        let unless_outside = |condition: Expression| {
            let outside = Expression::Unary(Unary::Not, Box::new(in_scope.clone()));
            Expression::Binary(Binary::Or, Box::new(outside), Box::new(condition))
        };
        let conditions = || matches.iter().map(|(condition, _)| condition.clone());
        let number = conditions()
            .reduce(|left, right| Expression::Binary(Binary::Add, Box::new(left), Box::new(right)))
            .unwrap_or(Expression::Constant(0));
        let one_at_most = Expression::Binary(
            Binary::LessEqual,
            Box::new(number),
            Box::new(Expression::Constant(1)),
        );
        let mut watch = vec![Action::Require(
            unless_outside(one_at_most),
            Fault::AmbiguousEvent,
        )];
        let end = self.end.map_or(-1, |end| i32::from(end.0));
        if self.is_negated {
            let ends = matches.iter().filter(|(_, to)| Some(*to) == self.end);
            let ends = any(ends.map(|(condition, _)| condition.clone()));
            let goes_on = Expression::Unary(Unary::Not, Box::new(ends));
            watch.push(Action::Require(unless_outside(goes_on), Fault::AllEventsMatched));
        } else {
            watch.push(Action::Require(
                unless_outside(any(conditions())),
                Fault::NoMatchingEvent,
            ));
        }
        let next = matches
            .iter()
            .rev()
            .fold(Expression::Constant(end), |rest, (condition, to)| {
                choose(condition.clone(), Expression::Constant(to.0.into()), rest)
            });
        watch.push(Action::Assign(
            self.location.clone(),
            choose(in_scope.clone(), next, load(&self.location)),
        ));
        watch.extend(behind);
        actions.splice(1..1, watch);
        Some(())
    }

    /// Lets a receive store its message in the trace's cells. The values of the fields, and what then brings them to where they belong.
    fn intercept(&self, patterns: &mut [Pattern]) -> (Vec<Expression>, Vec<Action>) {
        let (mut values, mut bring, mut clear) = (Vec::new(), Vec::new(), Vec::new());
        for (pattern, cell) in patterns.iter_mut().zip(&self.fields) {
            if let Pattern::Match(value) = pattern {
                values.push(value.clone());
                continue;
            }
            values.push(load(cell));
            clear.push(Action::Assign(cell.clone(), Expression::Constant(0)));
            if let Pattern::Bind(place) = std::mem::replace(pattern, Pattern::Bind(cell.clone())) {
                bring.push(Action::Assign(place, load(cell)));
            }
        }
        bring.extend(clear);
        (values, bring)
    }
}

impl Lowering {
    fn event(
        &self,
        channel: &Expression,
        patterns: &[Pattern],
        sends: bool,
        at: Origin,
    ) -> Result<Event, Fail> {
        let unknown = || {
            wrong(
                at,
                "promela::trace",
                "a trace names global channels that are declared with their messages, and all fields of these",
                "this is none, or the number of fields differs",
                "write `chan q = [4] of { mtype, byte }` and `q!a,_`",
            )
        };
        let Expression::Load(place) = channel else {
            return Err(unknown());
        };
        let cell = self.program.globals.get(place.base as usize);
        let kinds = match cell.map(|cell| &cell.initial) {
            Some(Initial::Channel(kind)) if place.scope == Scope::Global => {
                &self.program.channels[*kind].fields
            }
            _ => return Err(unknown()),
        };
        if patterns.len() > kinds.len() {
            return Err(unknown());
        }
        let wanted = patterns.iter().map(|pattern| match pattern {
            Pattern::Match(value) => Some(value.clone()),
            Pattern::Bind(_) | Pattern::Ignore => None,
        });
        // Fields that are not named may be anything.
        let wanted = wanted.chain(std::iter::repeat(None)).take(kinds.len()).collect();
        Ok(Event {
            direction: if sends {
                Direction::Send
            } else {
                Direction::Receive
            },
            channel: (**place).clone(),
            kinds: kinds.clone(),
            wanted,
        })
    }

    /// Whether an expression may be the channel that a traced variable holds.
    fn may_be(&self, channel: &Expression, traced: &Place) -> bool {
        match channel {
            Expression::Load(place) if place.scope == Scope::Global => {
                let constant = place.indices.is_empty() && traced.indices.is_empty();
                let declared = self.program.globals.get(place.base as usize);
                let own = declared.is_some_and(|cell| matches!(cell.initial, Initial::Channel(_)));
                !constant || !own || place.base == traced.base || self.reassigned.contains_key(&place.base)
            }
            _ => true,
        }
    }
}

/// The cells of global channel variables that some process changes, and where.
fn reassigned(lowering: &Lowering, units: &[Unit]) -> FxHashMap<u32, Origin> {
    let mut changed = FxHashMap::default();
    let mut note = |variable: &Variable| {
        if let Some(&id) = lowering.symbols.globals.get(&variable.parts[0].0) {
            let symbol = lowering.symbols.symbol(id);
            let count = lowering.symbols.cells_of(&symbol.kind) * symbol.length.unwrap_or(1);
            changed.extend((symbol.base..symbol.base + count).map(|cell| (cell, variable.at)));
        }
    };
    for unit in units {
        let Unit::Proctype(process) = unit else { continue };
        process.body.iter().for_each(|statement| {
            statement.each(&mut |inner| match &inner.kind {
                StatementKind::Assign(variable, _) => note(variable),
                StatementKind::Receive { arguments, .. } => arguments.iter().for_each(|argument| {
                    if let Argument::Store(variable) = argument {
                        note(variable);
                    }
                }),
                _ => {}
            })
        });
    }
    changed
}

/// Locations without their edges: a trace is no process.
pub fn without_edges(locations: &mut [Location]) {
    locations.iter_mut().for_each(|location| location.edges.clear());
}

fn load(place: &Place) -> Expression {
    Expression::Load(Box::new(place.clone()))
}

fn equal(left: Expression, right: Expression) -> Expression {
    Expression::Binary(Binary::Equal, Box::new(left), Box::new(right))
}

fn and(left: Expression, right: Expression) -> Expression {
    Expression::Binary(Binary::And, Box::new(left), Box::new(right))
}

fn any(conditions: impl Iterator<Item = Expression>) -> Expression {
    conditions
        .reduce(|left, right| Expression::Binary(Binary::Or, Box::new(left), Box::new(right)))
        .unwrap_or(Expression::Constant(0))
}

fn choose(condition: Expression, then: Expression, otherwise: Expression) -> Expression {
    Expression::Conditional(Box::new([condition, then, otherwise]))
}

/// What remains of a value in a field of a message.
fn stored(kind: CellType, value: Expression) -> Expression {
    let with = |operator, value, number| {
        Expression::Binary(operator, Box::new(value), Box::new(Expression::Constant(number)))
    };
    match kind {
        CellType::Int => value,
        CellType::Short => with(Binary::ShiftRight, with(Binary::ShiftLeft, value, 16), 16),
        CellType::Unsigned(32..) => value,
        kind => with(Binary::BitAnd, value, kind.store(-1)),
    }
}
