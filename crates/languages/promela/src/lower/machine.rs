//! From control flow to guarded edges.
//!
//! Two of SPIN's reductions are made here, because they decide what a state is:
//! - *Statement merging* (Holzmann, *The engineering of a model checker*, 1999): steps that cannot block and that no other process can
//!   notice are joined with the step before them.
//! - *Dead variables*: a local variable that is written before it is read on every way on is set to zero after its last use.
//!
//! Both are switched off where SPIN does: merging with `provided` clauses, both with references to variables of other processes.

use super::Lowering;
use super::expression::Where;
use super::flow::{ElementId, Flow, Node};
use crate::syntax::ast::*;
use crate::syntax::parser::{Fail, wrong};
use entail_program::{Action, CellType, Edge, Expression, Location, LocationId, Pattern, Place, Scope};

/// What an element does, and how it may be joined with others.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub actions: Vec<Action>,
    pub class: Class,
    /// It touches what other processes can see.
    pub is_global: bool,
    reads: Vec<u32>,
    writes: Vec<u32>,
}

/// Kinds of steps, as far as joining goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// May block; what follows may be joined to it.
    Guard,
    Receive,
    Send,
    /// Cannot block.
    Plain,
    /// Neither is joined nor joins.
    Apart,
}

/// An edge that is offered at some element.
#[derive(Clone, Debug)]
struct Offer {
    edge: Edge,
    /// The statement.
    element: ElementId,
    /// Where the escape begins, if it is one.
    escape: Option<ElementId>,
}

/// Makes the locations of one process type.
pub struct Machine<'a> {
    lowering: &'a Lowering,
    flow: &'a Flow,
    lowered: Vec<Option<Lowered>>,
    merges: bool,
    /// Where sender and receiver meet, sends join nothing.
    has_rendezvous: bool,
    /// SPIN's number of the first element; the others follow.
    first_number: u32,
}

/// What is not done for never claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    pub merging: bool,
    pub dead_variables: bool,
}

impl Reductions {
    pub const NONE: Reductions = Reductions {
        merging: false,
        dead_variables: false,
    };
}

impl<'a> Machine<'a> {
    /// The locations of a process type; location and element have the same number.
    pub fn locations(
        lowering: &'a Lowering,
        flow: &'a Flow,
        reductions: Reductions,
        first_number: u32,
    ) -> Result<Vec<Location>, Fail> {
        let mut machine = Machine {
            lowering,
            flow,
            lowered: Vec::new(),
            merges: reductions.merging,
            has_rendezvous: lowering
                .program
                .channels
                .iter()
                .any(|channel| channel.capacity == 0),
            first_number,
        };
        for id in 0..flow.elements.len() {
            let lowered = machine.lower(id)?;
            machine.lowered.push(lowered);
        }
        if reductions.dead_variables {
            machine.forget_dead_variables();
        }
        if let Some(trace) = &lowering.trace {
            for (lowered, element) in machine.lowered.iter_mut().zip(&flow.elements) {
                let Some(lowered) = lowered else { continue };
                trace.watch(lowering, &mut lowered.actions).ok_or_else(|| {
                    wrong(
                        element.origin,
                        "promela::trace",
                        "a message that depends on the content of a channel cannot be checked against a trace",
                        "this one",
                        "compute it in the statement before",
                    )
                })?;
            }
        }
        let mut locations = Vec::with_capacity(flow.elements.len());
        for (offers, element) in machine.offers().into_iter().zip(&flow.elements) {
            let labelled = |prefix: &str| element.labels.iter().any(|label| label.starts_with(prefix));
            locations.push(Location {
                edges: Machine::edges(offers),
                is_end: labelled("end") || matches!(element.node, Node::End),
                is_progress: labelled("progress"),
                is_accepting: labelled("accept"),
                is_observed: element.observed,
                origin: element.origin,
            });
        }
        Ok(locations)
    }

    fn blocks(&self) -> &[Option<u32>] {
        &self.lowering.symbols.blocks
    }

    fn location(&self, id: ElementId) -> LocationId {
        match self.flow.elements[id].node {
            Node::Done => LocationId::DONE,
            _ => LocationId(id as u16),
        }
    }

    fn successor(&self, id: ElementId) -> Option<ElementId> {
        self.flow.successor(id, self.blocks())
    }

    /// What every element offers. As SPIN does, edges are first pulled to where they are offered (a selection offers the first
    /// statements of its options); then, element by element, the escapes of the statements that are offered are put before them. An
    /// escape comes before those of inner `unless` statements, except that what escapes from it is offered along with it
    /// where it has been put together before: at blocks that begin with an `unless`.
    fn offers(&self) -> Vec<Vec<Offer>> {
        let elements = &self.flow.elements;
        let mut offers: Vec<Vec<Offer>> = (0..elements.len())
            .map(|id| {
                let mut own = Vec::new();
                self.plain_offers(id, &mut own);
                own
            })
            .collect();
        for id in 0..elements.len() {
            let mut all = offers[id].clone();
            for offer in &offers[id] {
                let from = &elements[offer.element];
                if matches!(from.node, Node::Dot) {
                    continue;
                }
                for escape in from.escapes.iter().rev() {
                    let start = self.flow.hunt(escape.first, from.atomic, self.blocks());
                    for way_out in &offers[start] {
                        if all.iter().all(|known| known.edge.number != way_out.edge.number) {
                            let escape = Some(start);
                            all.insert(
                                0,
                                Offer {
                                    escape,
                                    ..way_out.clone()
                                },
                            );
                        }
                    }
                }
            }
            offers[id] = all;
        }
        offers
    }

    /// The edges of an element: while one escape can be executed, what follows it cannot.
    fn edges(offers: Vec<Offer>) -> Vec<Edge> {
        let mut rank = 0;
        let mut last = None;
        let rank = |offer: &Offer| {
            rank += u16::from(
                last.replace(offer.escape)
                    .is_some_and(|last| last != offer.escape),
            );
            rank
        };
        let ranks: Vec<u16> = offers.iter().map(rank).collect();
        let ranked = |(offer, rank): (Offer, u16)| Edge { rank, ..offer.edge };
        offers.into_iter().zip(ranks).map(ranked).collect()
    }

    /// What an element offers, escapes left out.
    fn plain_offers(&self, id: ElementId, offers: &mut Vec<Offer>) {
        let element = &self.flow.elements[id];
        match &element.node {
            Node::Choice => {
                for option in &element.runs {
                    let start = self.flow.hunt_start(option.first);
                    if !self.is_dead_end(start) {
                        self.plain_offers(start, offers);
                    }
                }
            }
            Node::Block | Node::Atomic | Node::Unless => {
                self.plain_offers(self.flow.hunt_start(element.runs[0].first), offers);
            }
            Node::Done => {}
            _ => offers.extend(self.edge(id).map(|edge| Offer {
                edge,
                element: id,
                escape: None,
            })),
        }
    }

    /// An option that can never be taken.
    fn is_dead_end(&self, id: ElementId) -> bool {
        let guard = self.lowered[id]
            .as_ref()
            .and_then(|lowered| lowered.actions.first());
        matches!(guard, Some(Action::Guard(guard)) if guard.is_constant(0))
            && self.flow.elements[id].escapes.is_empty()
    }

    fn edge(&self, id: ElementId) -> Option<Edge> {
        let element = &self.flow.elements[id];
        let lowered = self.lowered[id].as_ref()?;
        let mut edge = Edge {
            actions: lowered.actions.clone(),
            target: LocationId(id as u16),
            keeps_control: element.atomic,
            rank: 0,
            number: self.first_number + id as u32,
            origin: element.origin,
            joined: Vec::new(),
        };
        let Some(mut target) = self.successor(id) else {
            return matches!(element.node, Node::End).then_some(edge);
        };
        if self.merges && !element.in_d_step && self.joins_others(id) {
            let mut joined = vec![id];
            let mut next = self.flow.early_successor(id, self.blocks());
            while let Some(at) = next
                && self.can_be_joined(at)
                && !joined.contains(&at)
            {
                joined.push(at);
                if matches!(self.flow.elements[at].node, Node::Step(..)) {
                    edge.joined.push(self.flow.elements[at].origin);
                }
                if let Some(lowered) = &self.lowered[at] {
                    edge.actions.extend(
                        lowered
                            .actions
                            .iter()
                            .filter(|action| **action != Action::Skip)
                            .cloned(),
                    );
                }
                edge.keeps_control = self.flow.elements[at].atomic;
                next = self.flow.early_successor(at, self.blocks());
                target = next.unwrap_or(at);
            }
        }
        edge.target = self.location(target);
        Some(edge)
    }

    /// A step that cannot block and that nobody else can notice.
    fn can_be_joined(&self, id: ElementId) -> bool {
        let element = &self.flow.elements[id];
        let plain = match &element.node {
            Node::Goto(..) | Node::Dot | Node::Exit => true,
            Node::Step(..) => self.lowered[id]
                .as_ref()
                .is_some_and(|lowered| lowered.class == Class::Plain),
            _ => false,
        };
        plain && element.labels.is_empty() && self.is_private(id)
    }

    fn is_private(&self, id: ElementId) -> bool {
        let element = &self.flow.elements[id];
        let is_global = self.lowered[id].as_ref().is_some_and(|lowered| lowered.is_global);
        element.escapes.is_empty()
            && !element.observed
            && (element.atomic || element.ends_atomic || !is_global)
    }

    fn joins_others(&self, id: ElementId) -> bool {
        let class = self.lowered[id].as_ref().map(|lowered| lowered.class);
        match class {
            Some(Class::Guard | Class::Receive) => self.is_private(id),
            Some(Class::Send) => !self.has_rendezvous && self.is_private(id),
            _ => self.can_be_joined(id),
        }
    }

    fn lower(&self, id: ElementId) -> Result<Option<Lowered>, Fail> {
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

    /// Where control can be after an element, for looking ahead: the options of a selection one by one.
    fn ways_on(&self, id: ElementId) -> Vec<ElementId> {
        let element = &self.flow.elements[id];
        let mut ways: Vec<ElementId> = match element.node {
            Node::Choice => element
                .runs
                .iter()
                .map(|option| self.flow.hunt_start(option.first))
                .filter(|&start| !self.is_dead_end(start))
                .collect(),
            Node::Block | Node::Atomic | Node::Deterministic | Node::Unless => {
                vec![self.flow.hunt_start(element.runs[0].first)]
            }
            Node::Done => element.next.into_iter().collect(),
            _ => self.successor(id).into_iter().collect(),
        };
        if !matches!(element.node, Node::Dot | Node::Goto(..)) {
            ways.extend(
                element
                    .escapes
                    .iter()
                    .map(|escape| self.flow.hunt_start(escape.first)),
            );
        }
        ways
    }

    /// Whether on every way on from an element a variable is written before it is read.
    fn is_dead(&self, cell: u32, from: ElementId) -> bool {
        let mut seen = vec![false; self.flow.elements.len()];
        let mut pending = vec![from];
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            if let Some(lowered) = &self.lowered[id] {
                if lowered.reads.contains(&cell) {
                    return false;
                }
                if lowered.writes.contains(&cell) {
                    continue;
                }
            }
            pending.extend(self.ways_on(id));
        }
        true
    }

    fn forget_dead_variables(&mut self) {
        let mut resets: Vec<(ElementId, u32)> = Vec::new();
        for id in 0..self.flow.elements.len() {
            let Some(lowered) = &self.lowered[id] else {
                continue;
            };
            if self.flow.elements[id].in_d_step {
                continue;
            }
            let is_zero =
                matches!(lowered.actions.first(), Some(Action::Assign(_, value)) if value.is_constant(0));
            let may_forget_what_it_reads =
                matches!(
                    lowered.actions.first(),
                    Some(Action::Guard(_) | Action::Receive { .. })
                ) || matches!(lowered.actions.first(), Some(Action::Start { number: None, .. }));
            let Some(next) = self.successor(id) else {
                continue;
            };
            let read = lowered.reads.iter().filter(|_| may_forget_what_it_reads);
            let written = lowered.writes.iter().filter(|_| !is_zero);
            for &cell in read.chain(written) {
                if self.is_dead(cell, next) && !resets.contains(&(id, cell)) {
                    resets.push((id, cell));
                }
            }
        }
        for (id, cell) in resets {
            let place = Place {
                scope: Scope::Local,
                base: cell,
                indices: Vec::new(),
                kind: self.flow.cells[cell as usize].kind,
            };
            if let Some(lowered) = &mut self.lowered[id] {
                lowered
                    .actions
                    .push(Action::Assign(place, Expression::Constant(0)));
            }
        }
    }
}

impl Flow {
    /// Whether a cell is a variable by itself that may be forgotten: no array, no record, no channel.
    pub fn is_scalar(&self, cell: u32) -> bool {
        let cell = &self.cells[cell as usize];
        cell.kind != CellType::Channel && !cell.name.contains(['[', '.'])
    }
}
