//! Invariants and edges of processes: conditions as conjunctions, channels, actions.

use crate::compiler::{Compiler, unsupported, wrong};
use crate::names::{Entity, Reference, ScopeId};
use crate::parser::Read;
use crate::reals::{Moment, random_only};
use crate::types::{CHANNELS, Type};
use entail_clocks::{
    ClockName, Condition, Direction, Edge, Expression, Formula, Signal, Statement, Stopwatch,
};
use entail_source::{Diagnostic, Span};
use entail_uppaal_tree::{self as tree, Expr, ExprKind, Operator, Quantifier, Select, Template};
use std::sync::Arc;

/// Edges of a model, at most.
const MOST_EDGES: usize = 1 << 18;

/// A rate that does not stand by itself in a conjunction.
fn hidden_rate(expr: &Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Binary(Operator::And, left, right) => hidden_rate(left).or_else(|| hidden_rate(right)),
        ExprKind::Quantified(Quantifier::ForAll, _, _, inner) => hidden_rate(inner),
        ExprKind::Binary(_, left, right) if matches!(left.kind, ExprKind::Rate(_)) => any_rate(right),
        _ => any_rate(expr),
    }
}

fn any_rate(expr: &Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Rate(_) => Some(expr.span),
        ExprKind::Unary(_, inner) | ExprKind::Quantified(_, _, _, inner) => any_rate(inner),
        ExprKind::Binary(_, left, right) => any_rate(left).or_else(|| any_rate(right)),
        ExprKind::Choice(parts) => parts.iter().find_map(any_rate),
        _ => None,
    }
}

/// What an edge is called in messages.
pub(crate) fn edge_place(template: &Template, source: usize, target: usize) -> String {
    let name = |location: usize| match template.locations.get(location) {
        Some(location) => location.name.as_str(),
        None => "a branch point",
    };
    format!(
        "on the edge {} → {} of `{}`",
        name(source),
        name(target),
        template.name
    )
}

/// A problem with the part of the model in which it lies, where it says no more than that it is there.
pub(crate) fn placed(mut problem: Diagnostic, part: Span, place: String) -> Diagnostic {
    let inside = |span: Span| part.start <= span.start && span.end <= part.end;
    if let Some(first) = problem.labels.first_mut()
        && first.message == "here"
        && inside(first.span)
    {
        first.message = place;
    }
    problem
}

impl<'m> Compiler<'m> {
    /// Invariants and edges of a process.
    pub fn process_body(&mut self, process: usize, template: &'m Template) -> Read<()> {
        let scope = self.processes[process].scope;
        let first = self.network.processes[process].locations[0];
        for (number, location) in template.locations.iter().enumerate() {
            let span = location
                .invariant
                .as_ref()
                .map_or(location.span, |invariant| invariant.span);
            let place = || format!("at the location {} of `{}`", location.name, template.name);
            let done = self.location(location, first + number, scope);
            done.map_err(|problem| placed(problem, span, place()))?;
        }
        for edge in &template.edges {
            let place = || edge_place(template, edge.source, edge.target);
            let done = self.edges(edge, process, first, scope);
            done.map_err(|problem| placed(problem, edge.span, place()))?;
        }
        Ok(())
    }

    /// The rate and the invariant of a location.
    fn location(&mut self, location: &'m tree::Location, id: usize, scope: ScopeId) -> Read<()> {
        if let Some(rate) = &location.exponential {
            self.exponential(id, rate, scope)?;
        }
        let Some(invariant) = &location.invariant else {
            return Ok(());
        };
        if let Some(span) = hidden_rate(invariant) {
            return Err(unsupported("rates (`x'`) that depend on a condition", span));
        }
        self.rates = Some(Vec::new());
        let formula = self.formula(invariant, scope);
        let rates = self.rates.take().unwrap_or_default();
        let mut conditions = Vec::new();
        conditions_of(formula?, invariant.span, &mut conditions)?;
        for condition in &conditions {
            refuse_lower_bounds(condition, invariant.span)?;
        }
        let stopwatch = |(clock, rate): (ClockName, Expression)| Stopwatch {
            location: id,
            clock,
            rate,
        };
        let clock_rates = std::mem::take(&mut self.clock_rates);
        (self.network.stopwatches).extend(clock_rates.into_iter().map(stopwatch));
        let location = &mut self.network.locations[id];
        location.invariant = conditions;
        location.rate =
            (rates.into_iter()).reduce(|sum, rate| Expression::binary(entail_clocks::Binary::Add, sum, rate));
        Ok(())
    }

    /// A scope for each choice of selected values, and how they are written.
    pub(crate) fn chosen(
        &mut self,
        selects: &[Select],
        scope: ScopeId,
        span: Span,
    ) -> Read<Vec<(ScopeId, String)>> {
        let mut scopes = vec![(scope, String::new())];
        for select in selects {
            let mut finer = Vec::new();
            for (outside, chosen) in scopes {
                let of = self.resolve(&select.of, outside)?;
                let Some((low, high)) = of.range().filter(|(low, high)| high - low < MOST_EDGES as i64)
                else {
                    let message = "the values of this type cannot be chosen";
                    return Err(wrong("uppaal::type", message, select.of.span));
                };
                for value in low..=high {
                    let inside = self.scopes.inside(Some(outside));
                    let constant = Reference::constant(Arc::new([value]));
                    self.scopes
                        .enter(inside, &select.name, Entity::Value(of.clone(), constant));
                    finer.push((inside, format!("{chosen} {}={value}", select.name)));
                }
                if finer.len() + self.network.edges.len() > MOST_EDGES {
                    return Err(wrong("uppaal::limit", "the system has very many edges", span));
                }
            }
            scopes = finer;
        }
        Ok(scopes)
    }

    /// An edge for each choice of selected values.
    fn edges(&mut self, edge: &'m tree::Edge, process: usize, first: usize, scope: ScopeId) -> Read<()> {
        let scopes = self.chosen(&edge.selects, scope, edge.span)?;
        for (copy, (scope, chosen)) in scopes.into_iter().enumerate() {
            let guard = match &edge.guard {
                Some(guard) => {
                    let formula = self.formula(guard, scope)?;
                    let mut conditions = Vec::new();
                    conditions_of(formula, guard.span, &mut conditions)?;
                    conditions
                }
                None => Vec::new(),
            };
            let (signal, label) = match &edge.sync {
                Some(sync) => {
                    let (signal, name) = self.signal(sync, scope)?;
                    (Some(signal), name)
                }
                None => (None, "τ".to_owned()),
            };
            if let Some(signal) = &signal {
                self.refuse_clocks_on_urgent(signal, &guard, edge)?;
            }
            let action = self.hooked(signal.as_ref(), &edge.update, scope)?;
            let label = format!("{label}{chosen}");
            let event = match self.network.events.iter().position(|event| *event == label) {
                Some(event) => event,
                None => {
                    self.network.events.push(label);
                    self.network.events.len() - 1
                }
            };
            let number = self.network.edges.len();
            if let Some(branch) = &edge.branch {
                self.branch(number, branch, copy, scope)?;
            }
            let source = first + edge.source;
            self.network.locations[source].outgoing.push(number);
            self.network.edges.push(Edge {
                process,
                source,
                target: first + edge.target,
                event,
                signal,
                guard,
                action,
                controllable: edge.controllable,
                span: edge.span,
            });
        }
        Ok(())
    }

    fn action(&mut self, update: &[tree::Expr], scope: ScopeId) -> Read<Vec<Statement>> {
        self.effects = Some(Vec::new());
        self.moment = Moment::Step;
        let mut done = Ok(());
        for expr in update {
            done = self.value(expr, scope).map(|_| ());
            if done.is_err() {
                break;
            }
        }
        let action = self.effects.take().unwrap_or_default();
        self.moment = Moment::Other;
        done.map(|()| action)
    }

    /// An update with what every step does before the first and after the last of its updates.
    fn hooked(
        &mut self,
        signal: Option<&Signal>,
        update: &[tree::Expr],
        scope: ScopeId,
    ) -> Read<Vec<Statement>> {
        let broadcast = signal.is_some_and(|signal| self.network.channels[signal.base].broadcast);
        let receives = signal.is_some_and(|signal| signal.direction == Direction::Receive);
        let mut action = Vec::new();
        for hook in self.hooks.clone() {
            if receives && broadcast {
                return Err(unsupported(
                    "`before_update` and `after_update` beside receivers of broadcasts",
                    hook.span,
                ));
            }
            if hook.before && !receives {
                action.extend(self.action(&hook.update, 0)?);
            }
        }
        action.extend(self.action(update, scope)?);
        for hook in self.hooks.clone() {
            // Of two edges the receiver's is the last.
            if !hook.before && (receives || broadcast || signal.is_none()) {
                action.extend(self.action(&hook.update, 0)?);
            }
        }
        Ok(action)
    }

    fn signal(&mut self, sync: &tree::Sync, scope: ScopeId) -> Read<(Signal, String)> {
        let (of, reference) = self.reference(&sync.channel, scope)?;
        if of.channel().is_none() || !matches!(of, Type::Channel { .. }) {
            let message = format!("this is {}, and a channel is expected", of.name());
            return Err(wrong("uppaal::type", message, sync.channel.span));
        }
        let direction = if sync.sends {
            Direction::Send
        } else {
            Direction::Receive
        };
        let sign = if sync.sends { "!" } else { "?" };
        let (base, size) = (reference.base[CHANNELS], reference.size[CHANNELS]);
        Ok(match &reference.offset[CHANNELS] {
            Expression::Constant(offset) => {
                let base = base + *offset as usize;
                let name = format!("{}{sign}", self.network.channels[base].name);
                let signal = Signal {
                    base,
                    size: 1,
                    index: None,
                    direction,
                };
                (signal, name)
            }
            index => {
                let whole = &self.network.channels[base].name;
                let name = format!("{}[…]{sign}", whole.split('[').next().unwrap_or(whole));
                let signal = Signal {
                    base,
                    size,
                    index: Some(index.clone()),
                    direction,
                };
                (signal, name)
            }
        })
    }

    fn refuse_clocks_on_urgent(&self, signal: &Signal, guard: &[Condition], edge: &tree::Edge) -> Read<()> {
        let channels = &self.network.channels[signal.base..signal.base + signal.size];
        let is_urgent = channels.iter().any(|channel| channel.urgent);
        // In random runs a broadcast is sent as soon as its guard holds, and nobody has to receive it.
        let is_broadcast = channels.iter().all(|channel| channel.broadcast);
        match is_urgent && !Condition::clock_conditions(guard).is_empty() {
            true if self.is_random() && is_broadcast => Ok(()),
            true => {
                let span = edge.guard.as_ref().map_or(edge.span, |guard| guard.span);
                Err(match is_broadcast {
                    true => random_only(
                        "clock guards on edges over urgent channels are supported in random runs only",
                        span,
                    ),
                    false => unsupported("clock guards on edges over urgent channels", span),
                })
            }
            false => Ok(()),
        }
    }
}

/// A condition as a conjunction, with the clock part where an integer condition asks for it.
pub(crate) fn conditions_of(formula: Formula, span: Span, found: &mut Vec<Condition>) -> Read<()> {
    let refused = |what: &str| {
        let message = format!("{what} cannot be a guard or an invariant");
        wrong("uppaal::guard", message, span)
    };
    match formula {
        Formula::Constant(true) => Ok(()),
        Formula::Constant(false) => {
            found.push(Condition::Integer(Expression::Constant(0)));
            Ok(())
        }
        Formula::Integer(expression) => {
            found.push(Condition::Integer(expression));
            Ok(())
        }
        Formula::Clock {
            comparison: entail_clocks::Comparison::Different,
            ..
        } => Err(refused("a clock compared with `!=`")),
        Formula::Clock {
            left,
            right,
            comparison,
            bound,
        } => {
            found.push(Condition::Clock {
                left,
                right,
                comparison,
                bound,
            });
            Ok(())
        }
        Formula::And(parts) => parts
            .into_iter()
            .try_for_each(|part| conditions_of(part, span, found)),
        Formula::Or(parts) => {
            let mut integers = Expression::Constant(0);
            let mut others = Vec::new();
            for part in parts {
                match part {
                    Formula::Integer(one) => {
                        integers = Expression::binary(entail_clocks::Binary::Or, integers, one);
                    }
                    Formula::Constant(true) => return Ok(()),
                    Formula::Constant(false) => {}
                    other => others.push(other),
                }
            }
            if others.len() > 1 {
                return Err(refused("a disjunction of conditions on clocks"));
            }
            let mut inner = Vec::new();
            for other in others {
                conditions_of(other, span, &mut inner)?;
            }
            if inner.is_empty() {
                found.push(Condition::Integer(integers));
            } else {
                found.push(Condition::When(Expression::Not(Box::new(integers)), inner));
            }
            Ok(())
        }
        Formula::Not(_) => Err(refused("a negated condition on clocks")),
        Formula::At(_) | Formula::Label(_) => Err(refused("a location")),
        Formula::Deadlock => Err(refused("`deadlock`")),
    }
}

fn refuse_lower_bounds(condition: &Condition, span: Span) -> Read<()> {
    use entail_clocks::Comparison;
    let mut is_lower = false;
    condition.visit_clocks(&mut |left, right, comparison, _| {
        let reference = entail_clocks::ClockName::one(0);
        is_lower |= match (*left == reference, *right == reference) {
            (_, true) => !matches!(comparison, Comparison::Less | Comparison::LessEqual),
            (true, _) => !matches!(comparison, Comparison::Greater | Comparison::GreaterEqual),
            _ => comparison == Comparison::Equal,
        };
    });
    match is_lower {
        true => {
            let message = "an invariant can bound clocks from above only";
            Err(wrong("uppaal::invariant", message, span))
        }
        false => Ok(()),
    }
}
