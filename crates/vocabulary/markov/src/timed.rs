//! Probabilistic timed automata as they were written, and questions about them as questions of reaching sets of states.
//!
//! A [`Timed`] network has clocks among its variables, whose values are real numbers that grow together. In a state time may pass as long as all invariants hold, and a command can happen if its guard does.
//!
//! [`Timed::question`] brings `F`, `G`, `U`, `W` and `R` over sets of states, perhaps within an interval of time, into one shape: the greatest probability of `stay U goal`, or of missing `goal`, or one
//! minus that. An interval of time becomes a clock that is never reset and that the goal looks at (Kwiatkowska, Norman, Sproston and Wang 2007). *Missing* counts only where time goes on for ever: a
//! scheduler under which infinitely much happens in finite time is none. [`Timed::with_pulse`] adds a clock that is reset whenever it reaches 1, so that time goes on for ever where that happens again and again.

use crate::Rational;
use crate::digital_clocks::Timing;
use crate::expr::{BinaryOp, Expr, UnaryOp, VarId};
use crate::interpreter::SemanticError;
use crate::network::{Branch, Command, CommandKind, Component, Domain, Initial, Network, Variable};
use crate::property::{Bounds, Comparison, Limit, Optimum, Path, Property, Query, Threshold};
use entail_source::Span;

/// A network with clocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// The network; clocks are variables without a range, which begin with what the initial state says.
    pub network: Network,
    /// Its clocks and invariants.
    pub timing: Timing,
}

/// What is to happen: something about sets of states, whose greatest probability is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// States of the second set are reached, and until then one is in the first (or already in the second).
    Reach(Expr, Expr),
    /// That does not happen, although time goes on for ever.
    Miss(Expr, Expr),
}

/// A question about a network with clocks.
#[derive(Clone, Debug)]
pub struct TimedQuestion {
    /// The network, perhaps with another clock.
    pub timed: Timed,
    /// What is to happen with the greatest probability.
    pub event: Event,
    /// Where that is still open, whatever the time is.
    pub open: Expr,
    /// The value is one minus that.
    pub complement: bool,
    /// What is asked of the value.
    pub query: Query,
}

fn refused<T>(what: &str) -> Result<T, SemanticError> {
    let message = format!("{what} are not supported in models with clocks that are not whole numbers");
    Err(SemanticError::new(message, Span::default(), None))
}

/// The expression that a state formula is.
fn states(property: &Property) -> Result<Expr, SemanticError> {
    match property {
        Property::Expr(expr) => Ok(expr.clone()),
        Property::Unary(UnaryOp::Not, operand) => Ok(states(operand)?.negated()),
        Property::Binary(
            op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff),
            left,
            right,
        ) => Ok(Expr::binary(*op, states(left)?, states(right)?)),
        _ => refused("operators inside of other operators"),
    }
}

fn states_of(path: &Path) -> Result<Expr, SemanticError> {
    match path.as_state() {
        Some(property) => states(property),
        None => refused("path formulas with several operators"),
    }
}

/// `stay U goal` or its negation, with bounds.
struct Until<'p> {
    positive: bool,
    stay: Expr,
    goal: Expr,
    bounds: Option<&'p Bounds>,
}

impl<'p> Until<'p> {
    fn of(path: &'p Path) -> Result<Until<'p>, SemanticError> {
        let until = |positive, stay, goal, bounds: &'p Option<Bounds>| Until {
            positive,
            stay,
            goal,
            bounds: bounds.as_ref(),
        };
        Ok(match path {
            Path::Not(inner) => {
                let inner = Until::of(inner)?;
                Until {
                    positive: !inner.positive,
                    ..inner
                }
            }
            Path::State(property) => until(true, Expr::from(false), states(property)?, &None),
            Path::Finally(goal, bounds) => until(true, Expr::truth(), states_of(goal)?, bounds),
            Path::Globally(stay, bounds) => until(false, Expr::truth(), states_of(stay)?.negated(), bounds),
            Path::Until(stay, goal, bounds) => until(true, states_of(stay)?, states_of(goal)?, bounds),
            Path::WeakUntil(stay, goal, bounds) => {
                let (stay, goal) = (states_of(stay)?, states_of(goal)?);
                let neither = stay.clone().negated().and(goal.clone().negated());
                until(false, stay.and(goal.negated()), neither, bounds)
            }
            Path::Release(first, second, bounds) => {
                let (first, second) = (states_of(first)?, states_of(second)?);
                until(false, first.negated(), second.negated(), bounds)
            }
            Path::Next(_) => return refused("single steps"),
            _ => return refused("path formulas with several operators"),
        })
    }
}

impl Timed {
    /// The question that a property is; `is_time` says which reward structures count the time.
    pub fn question(
        &self,
        property: &Property,
        is_time: &dyn Fn(usize) -> bool,
    ) -> Result<TimedQuestion, SemanticError> {
        let (optimum, query, path) = match property {
            Property::Probability { optimum, query, path } => (*optimum, query, path),
            Property::Filter { property, states, .. } if **states == Property::Init => {
                return self.question(property, is_time);
            }
            _ => return refused("questions other than a probability of one path formula"),
        };
        let optimum = match (optimum, query) {
            (Some(optimum), _) => optimum,
            (None, Query::Compare(threshold)) if !threshold.comparison.is_upper() => Optimum::Min,
            (None, _) => Optimum::Max,
        };
        let mut timed = self.clone();
        let until = Until::of(path)?;
        let (stay, mut goal) = (until.stay, until.goal);
        // A goal that came too early is none.
        let too_early = until.bounds.is_some_and(Bounds::has_lower);
        let open = match too_early {
            true => stay.clone(),
            false => stay.clone().and(goal.clone().negated()),
        };
        if let Some(bounds) = until.bounds {
            let clock = timed.add_clock("time");
            goal = goal.and(within(clock, bounds, is_time)?);
        }
        // The greatest probability of an event, or one minus that of the opposite.
        let event = match (optimum, until.positive) {
            (Optimum::Max, true) | (Optimum::Min, false) => Event::Reach(stay, goal),
            (Optimum::Min, true) | (Optimum::Max, false) => Event::Miss(stay, goal),
        };
        Ok(TimedQuestion {
            timed,
            event,
            open,
            complement: optimum == Optimum::Min,
            query: query.clone(),
        })
    }

    /// Adds a clock that begins at zero.
    pub fn add_clock(&mut self, name: &str) -> VarId {
        let clock = VarId(self.network.variables.len() as u32);
        let mut name = name.to_owned();
        while self.network.variables.iter().any(|known| known.name == name) {
            name.push('_');
        }
        self.network.variables.push(Variable {
            name,
            domain: Domain::Unbounded,
            hidden: true,
        });
        if let Initial::Values(values) = &mut self.network.initial {
            values.push(0);
        }
        self.timing.clocks.push(clock);
        clock
    }

    /// Adds a clock that is set to 0 whenever it reaches 1. Time goes on for ever where it is 0 again and again and 1 again and again: between 1 and 0 lies its reset, between 0 and 1 a unit of time.
    pub fn with_pulse(&self) -> (Timed, VarId) {
        let mut timed = self.clone();
        let clock = timed.add_clock("pulse");
        let compare = |op| Expr::binary(op, Expr::Var(clock), Expr::from(1));
        let nowhere = Span::default();
        (timed.timing.invariants).push((compare(BinaryOp::Le), nowhere));
        timed.network.components.push(Component {
            name: "pulse".to_owned(),
            commands: vec![Command {
                action: None,
                kind: CommandKind::Probabilistic,
                guard: compare(BinaryOp::Ge),
                branches: vec![Branch {
                    weight: Expr::from(Rational::ONE),
                    upper: None,
                    assignments: vec![(clock, Expr::from(0))],
                    rewards: Vec::new(),
                    place: nowhere,
                }],
                place: nowhere,
            }],
        });
        (timed, clock)
    }
}

/// That a clock that is never reset lies within bounds.
fn within(clock: VarId, bounds: &Bounds, is_time: &dyn Fn(usize) -> bool) -> Result<Expr, SemanticError> {
    let counts = match bounds.by {
        crate::property::BoundedBy::Reward(structure) => is_time(structure),
        crate::property::BoundedBy::Time => false,
    };
    if !counts || !bounds.others.is_empty() {
        return refused("bounds on anything but the time");
    }
    let limit = |limit: &Limit, closed, strict| {
        let Ok(whole) = i64::try_from(limit.value.clone()) else {
            return refused("bounds on the time that are no whole numbers");
        };
        let op = if limit.strict { strict } else { closed };
        Ok(Expr::binary(op, Expr::Var(clock), Expr::from(whole)))
    };
    let mut inside = Expr::truth();
    if let Some(lower) = &bounds.lower {
        inside = inside.and(limit(lower, BinaryOp::Ge, BinaryOp::Gt)?);
    }
    if let Some(upper) = &bounds.upper {
        inside = inside.and(limit(upper, BinaryOp::Le, BinaryOp::Lt)?);
    }
    Ok(inside)
}

impl TimedQuestion {
    /// What is asked of the probability of the event, where the value is perhaps one minus that.
    pub fn query_of_event(&self) -> Query {
        match (&self.query, self.complement) {
            (Query::Compare(threshold), true) => Query::Compare(Threshold {
                comparison: match threshold.comparison {
                    Comparison::Lt => Comparison::Gt,
                    Comparison::Le => Comparison::Ge,
                    Comparison::Gt => Comparison::Lt,
                    Comparison::Ge => Comparison::Le,
                },
                bound: Rational::ONE - &threshold.bound,
            }),
            (query, _) => query.clone(),
        }
    }
}
