//! What may be asked about a model whose clocks became integers.
//!
//! Digital clocks keep the probabilities and expected rewards of reaching closed sets (Kwiatkowska et al. 2006): what a property says about clocks must be closed too, and a clock must
//! count beyond the largest constant that the property compares it with. A state formula with operators inside of it is known at whole times only, a step is no unit of time, and
//! bounds on what time earns are not kept, but for bounds on the time itself. All of that is refused.

use crate::digital_clocks::{constraints, convex, mentions};
use crate::expr::{BinaryOp, Expr, UnaryOp, Value, VarId};
use crate::interpreter::SemanticError;
use crate::network::{Domain, Network};
use crate::property::{BoundedBy, Bounds, Optimum, Path, Property, Query, RewardKind};
use entail_source::Span;
use std::collections::HashMap;

/// Makes the clocks of a model count as far as a property looks, or says what about the property digital clocks do not keep.
pub fn observe(network: &mut Network, clocks: &[VarId], property: &Property) -> Result<(), SemanticError> {
    if clocks.is_empty() {
        return Ok(());
    }
    let most = |clock: &VarId| match network.variables[clock.index()].domain {
        Domain::Range(_, above) => (*clock, above - 1),
        _ => (*clock, 0),
    };
    let mut observer = Observer {
        network,
        largest: clocks.iter().map(most).collect(),
    };
    observer.property(property, true, false)?;
    let largest = observer.largest;
    for (clock, most) in &largest {
        network.variables[clock.index()].domain = Domain::Range(0, most + 1);
    }
    // The last component lets time pass; invariants compare clocks with constants that they could reach before.
    let ticks = network.components.last_mut().into_iter();
    for branch in ticks
        .flat_map(|last| &mut last.commands)
        .flat_map(|command| &mut command.branches)
    {
        for (clock, value) in &mut branch.assignments {
            if let Some(most) = largest.get(&*clock) {
                let next = Expr::binary(BinaryOp::Add, Expr::Var(*clock), Expr::from(1));
                *value = Expr::binary(BinaryOp::Min, next, Expr::from(most + 1));
            }
        }
    }
    Ok(())
}

/// Whether a reward structure of a network whose clocks became integers counts the time, and nothing else.
pub fn counts_time(network: &Network, structure: usize) -> bool {
    let ticks = (network.components.last()).and_then(|last| last.commands.first()?.action);
    let items = network
        .rewards
        .get(structure)
        .map(|rewards| rewards.transitions.as_slice());
    matches!(items, Some([only]) if only.action == ticks && only.value.constant() == Some(&Value::Int(1)) && only.guard == Expr::truth())
}

struct Observer<'n> {
    network: &'n Network,
    largest: HashMap<VarId, i64>,
}

fn refused<T>(what: &str) -> Result<T, SemanticError> {
    let message = format!("{what} are not supported in models with clocks");
    Err(SemanticError::new(message, Span::default(), None))
}

impl Observer<'_> {
    /// A property that is needed as it is, or negated; `inside` of a path formula.
    fn property(&mut self, property: &Property, positive: bool, inside: bool) -> Result<(), SemanticError> {
        match property {
            Property::Expr(expr) => {
                constraints(self.network, expr, positive, Span::default(), &mut self.largest)
            }
            Property::Init | Property::Deadlock | Property::Unexplored => Ok(()),
            Property::Unary(UnaryOp::Not, operand) => self.property(operand, !positive, inside),
            Property::Unary(_, operand) => self.property(operand, positive, inside),
            Property::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.property(left, positive, inside)?;
                self.property(right, positive, inside)
            }
            Property::Binary(BinaryOp::Implies, left, right) => {
                self.property(left, !positive, inside)?;
                self.property(right, positive, inside)
            }
            Property::Binary(_, left, right) => {
                self.both_ways(left, inside)?;
                self.both_ways(right, inside)
            }
            Property::If(condition, yes, no) => {
                self.both_ways(condition, inside)?;
                self.property(yes, positive, inside)?;
                self.property(no, positive, inside)
            }
            _ if inside => refused("operators inside of other operators"),
            Property::Probability { optimum, query, path } => self.path(path, is_least(*optimum, query)),
            Property::Exists(path) => self.path(path, false),
            Property::ForAll(path) => self.path(path, true),
            // Whoever wants to earn much avoids the goal.
            Property::Reward {
                optimum, query, kind, ..
            } => match kind {
                RewardKind::Reach(path) => self.path(path, !is_least(*optimum, query)),
                RewardKind::Total => Ok(()),
                RewardKind::Cumulative(_) | RewardKind::Instant(_) => {
                    refused("rewards within a time, or at one,")
                }
                RewardKind::LongRun => refused("long-run averages"),
            },
            Property::SteadyState { .. } => refused("long-run averages"),
            Property::Filter { property, states, .. } => match **states {
                Property::Init => self.property(property, positive, inside),
                _ => refused("filters over other states than the first"),
            },
            Property::Multi(parts) | Property::Lexicographic(parts) => parts
                .iter()
                .try_for_each(|part| self.property(part, true, inside)),
            Property::Quantile { property, .. } => self.property(property, positive, inside),
            Property::Conditional { event, condition, .. } => {
                self.both_ways(event, true)?;
                self.both_ways(condition, true)
            }
            Property::Robust(inner) => self.property(inner, positive, inside),
        }
    }

    fn both_ways(&mut self, property: &Property, inside: bool) -> Result<(), SemanticError> {
        self.property(property, true, inside)?;
        self.property(property, false, inside)
    }

    /// A path formula, over schedulers that are to fulfil it, or to avoid that.
    ///
    /// What is to be reached may be any closed set: if real times reach it, so do whole ones, in all runs of a scheduler at once, since closed comparisons of times keep whole solutions. What is to be avoided is left through an open
    /// set: one run may need times rounded up and another one rounded down. So it must not look at clocks; one end of an interval of time may be avoided, by rounding all times up, or all down.
    fn path(&mut self, path: &Path, avoid: bool) -> Result<(), SemanticError> {
        match path {
            Path::State(states) => self.property(states, true, true),
            Path::Not(inner) => self.path(inner, !avoid),
            Path::Finally(goal, bounds) if goal.as_state().is_some() => {
                self.bounds(bounds.as_ref())?;
                self.states(goal, true)?;
                self.avoided(avoid, bounds.as_ref(), &[goal])
            }
            Path::Globally(stay, bounds) if stay.as_state().is_some() => {
                self.bounds(bounds.as_ref())?;
                self.states(stay, false)?;
                self.avoided(!avoid, bounds.as_ref(), &[stay])
            }
            Path::Until(stay, goal, bounds) if stay.as_state().is_some() && goal.as_state().is_some() => {
                self.bounds(bounds.as_ref())?;
                self.all_the_time(stay, true)?;
                self.states(stay, true)?;
                self.states(goal, true)?;
                self.avoided(avoid, bounds.as_ref(), &[stay, goal])
            }
            // It fails where the first holds until neither does.
            Path::WeakUntil(stay, goal, bounds) if stay.as_state().is_some() && goal.as_state().is_some() => {
                self.bounds(bounds.as_ref())?;
                self.states(stay, true)?;
                self.states(stay, false)?;
                self.states(goal, false)?;
                self.avoided(!avoid, bounds.as_ref(), &[stay, goal])
            }
            Path::Release(first, second, bounds)
                if first.as_state().is_some() && second.as_state().is_some() =>
            {
                self.bounds(bounds.as_ref())?;
                self.all_the_time(first, false)?;
                self.states(first, false)?;
                self.states(second, false)?;
                self.avoided(!avoid, bounds.as_ref(), &[first, second])
            }
            other => self.without_clocks(other),
        }
    }

    /// Whether a state formula looks at clocks; operators inside of it are refused anyway.
    fn looks(&self, states: &Property) -> bool {
        match states {
            Property::Expr(expr) => mentions(expr, &self.largest),
            Property::Unary(_, operand) => self.looks(operand),
            Property::Binary(_, left, right) => self.looks(left) || self.looks(right),
            Property::If(condition, yes, no) => [condition, yes, no].iter().any(|part| self.looks(part)),
            _ => false,
        }
    }

    /// Sets of states that are to be avoided, if they are, must not look at clocks.
    fn avoided(&self, avoid: bool, bounds: Option<&Bounds>, sets: &[&Path]) -> Result<(), SemanticError> {
        let looks = |path: &&Path| path.as_state().is_some_and(|states| self.looks(states));
        let two_ends = bounds.is_some_and(|bounds| {
            bounds.all().any(|bounds| bounds.lower.is_some())
                && bounds.all().any(|bounds| bounds.upper.is_some())
        });
        match avoid && (two_ends || sets.iter().any(looks)) {
            true => refused("conditions on clocks that a scheduler is to avoid, with clocks as integers,"),
            false => Ok(()),
        }
    }

    /// What must hold until something happens must hold between whole times, too.
    fn all_the_time(&self, path: &Path, positive: bool) -> Result<(), SemanticError> {
        match path.as_state() {
            Some(Property::Expr(expr)) => convex(expr, positive, Span::default(), &self.largest),
            _ => Ok(()),
        }
    }

    fn states(&mut self, path: &Path, positive: bool) -> Result<(), SemanticError> {
        match path.as_state() {
            Some(states) => self.property(states, positive, true),
            None => self.without_clocks(path),
        }
    }

    /// A path formula with several operators: it may only be about what stays as it is while time passes.
    fn without_clocks(&mut self, path: &Path) -> Result<(), SemanticError> {
        match path {
            Path::State(states) => self.both_ways(states, true),
            Path::Next(_) => refused("single steps"),
            Path::Not(inner) => self.without_clocks(inner),
            Path::Finally(inner, bounds) | Path::Globally(inner, bounds) => {
                self.bounds(bounds.as_ref())?;
                self.without_clocks(inner)
            }
            Path::Until(a, b, bounds) | Path::WeakUntil(a, b, bounds) | Path::Release(a, b, bounds) => {
                self.bounds(bounds.as_ref())?;
                self.without_clocks(a)?;
                self.without_clocks(b)
            }
            Path::And(a, b) | Path::Or(a, b) | Path::Implies(a, b) | Path::Iff(a, b) => {
                self.without_clocks(a)?;
                self.without_clocks(b)
            }
        }
    }

    /// Bounds must be closed, and on the time itself, or on what steps earn.
    fn bounds(&self, bounds: Option<&Bounds>) -> Result<(), SemanticError> {
        let Some(bounds) = bounds else {
            return Ok(());
        };
        for bound in std::iter::once(bounds).chain(&bounds.others) {
            let mut limits = bound.lower.iter().chain(&bound.upper);
            if limits.any(|limit| limit.strict) {
                return refused("strict bounds");
            }
            let BoundedBy::Reward(structure) = bound.by else {
                return refused("bounds on steps");
            };
            let ticks = self
                .network
                .components
                .last()
                .and_then(|last| last.commands.first()?.action);
            let rewards = self.network.rewards.get(structure);
            let earned = rewards.into_iter().flat_map(|rewards| &rewards.transitions);
            let by_time: Vec<&Expr> = earned
                .filter(|item| item.action == ticks)
                .map(|item| &item.value)
                .collect();
            let is_time = matches!(by_time[..], [value] if value.constant() == Some(&Value::Int(1)));
            if !by_time.is_empty() && !is_time {
                return refused("bounds on what time earns");
            }
        }
        Ok(())
    }
}

/// Whether the least value counts.
fn is_least(optimum: Option<Optimum>, query: &Query) -> bool {
    match (optimum, query) {
        (Some(optimum), _) => optimum == Optimum::Min,
        (None, Query::Compare(threshold)) => !threshold.comparison.is_upper(),
        (None, Query::Value) => false,
    }
}

/// Whether rewards depend on clocks.
pub(crate) fn rewards_mention(network: &Network, clocks: &HashMap<VarId, i64>) -> bool {
    network.rewards.iter().any(|rewards| {
        let states = rewards.states.iter().map(|item| (&item.guard, &item.value));
        let steps = rewards.transitions.iter().map(|item| (&item.guard, &item.value));
        states
            .chain(steps)
            .any(|(guard, value)| mentions(guard, clocks) || mentions(value, clocks))
    })
}
