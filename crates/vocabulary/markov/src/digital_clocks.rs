//! Probabilistic timed automata as decision processes: digital clocks.
//!
//! For closed constraints that compare clocks with integers (no strict ones, no differences), probabilities and expected rewards are the same when
//! clocks take integer values only (Kwiatkowska et al. 2006). Clocks become bounded integers that stop one above the largest constant they are
//! compared with; time passes in steps of one, as long as all invariants allow it; rewards of states are earned by these steps.

use crate::Rational;
use crate::expr::{BinaryOp, Expr, UnaryOp, Value, VarId};
use crate::interpreter::SemanticError;
use crate::network::{
    ActionId, Branch, Command, CommandKind, Component, Domain, Network, Synchronisation, TransitionReward,
};
use crate::observed_clocks::rewards_mention;
use entail_source::Span;
use std::collections::HashMap;

/// What a network of timed automata has beside its commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timing {
    /// The clocks among its variables.
    pub clocks: Vec<VarId>,
    /// Conditions under which time may pass.
    pub invariants: Vec<(Expr, Span)>,
}

/// The name of the step by which time passes.
pub const TIME: &str = "time";

/// A decision process with integer clocks.
#[derive(Clone, Debug)]
pub struct Digital {
    /// The process.
    pub network: Network,
    /// Why its values are not those of real clocks, if they are not; then nothing may be concluded from it.
    pub refusal: Option<SemanticError>,
}

/// The decision process with integer clocks.
pub fn digital_clocks(mut network: Network, timing: &Timing) -> Result<Digital, SemanticError> {
    let mut largest: HashMap<VarId, i64> = timing.clocks.iter().map(|&clock| (clock, 0)).collect();
    let mut refusal = None;
    let mut note = |found: Result<(), SemanticError>| {
        if let Err(error) = found {
            refusal.get_or_insert(error);
        }
    };
    for (invariant, place) in &timing.invariants {
        note(constraints(&network, invariant, true, *place, &mut largest));
        note(convex(invariant, true, *place, &largest));
    }
    for component in &network.components {
        for command in &component.commands {
            note(constraints(
                &network,
                &command.guard,
                true,
                command.place,
                &mut largest,
            ));
            for branch in &command.branches {
                if mentions(&branch.weight, &largest) {
                    let message = "probabilities do not depend on clocks";
                    return Err(SemanticError::new(message, branch.place, None));
                }
                for (var, value) in &branch.assignments {
                    if !largest.contains_key(var) && mentions(value, &largest) {
                        let message = "variables are not set to values that depend on clocks";
                        return Err(SemanticError::new(message, branch.place, None));
                    }
                    if let Some(most) = largest.get_mut(var) {
                        let Some(Value::Int(value)) = value.constant() else {
                            return Err(SemanticError::new(
                                "clocks are set to constant integers only",
                                branch.place,
                                None,
                            ));
                        };
                        *most = (*most).max(*value);
                    }
                }
            }
        }
    }
    if rewards_mention(&network, &largest) {
        let message =
            "rewards that depend on clocks are not supported: digital clocks know them at whole times only";
        note(Err(SemanticError::new(message, Span::default(), None)));
    }
    for (clock, most) in &largest {
        network.variables[clock.index()].domain = Domain::Range(0, most + 1);
    }
    let later = |var: VarId| {
        largest.get(&var).map(|most| {
            let next = Expr::binary(BinaryOp::Add, Expr::Var(var), Expr::from(1));
            Expr::binary(BinaryOp::Min, next, Expr::from(most + 1))
        })
    };
    // Time may pass if the invariants hold afterwards; that they hold now is the business of the step that led here.
    let mut guard = Expr::truth();
    for (invariant, _) in &timing.invariants {
        guard = guard.and(invariant.substitute(&later));
    }
    let time = ActionId(network.actions.len() as u32);
    let mut name = TIME.to_owned();
    while network.actions.contains(&name) {
        name.push('_');
    }
    network.actions.push(name);
    let assignments = timing
        .clocks
        .iter()
        .filter_map(|&clock| Some((clock, later(clock)?)))
        .collect();
    network.synchronisations.push(Synchronisation {
        parts: vec![(network.components.len(), time)],
        action: Some(time),
    });
    network.components.push(Component {
        name: TIME.to_owned(),
        commands: vec![Command {
            action: Some(time),
            kind: CommandKind::Probabilistic,
            guard,
            branches: vec![Branch {
                weight: Expr::from(Rational::ONE),
                upper: None,
                assignments,
                rewards: Vec::new(),
                place: Span::new(0, 0),
            }],
            place: Span::new(0, 0),
        }],
    });
    for rewards in &mut network.rewards {
        earned_by_time(rewards, time);
    }
    Ok(Digital { network, refusal })
}

/// Rewards of states become rewards of the passing of time.
pub fn earned_by_time(rewards: &mut crate::network::RewardStructure, time: ActionId) {
    for item in std::mem::take(&mut rewards.states) {
        rewards.transitions.push(TransitionReward {
            action: Some(time),
            guard: item.guard,
            value: item.value,
            place: item.place,
        });
    }
}

pub(crate) fn mentions(expr: &Expr, clocks: &HashMap<VarId, i64>) -> bool {
    let mut found = false;
    expr.for_each_variable(&mut |var| found |= clocks.contains_key(&var));
    found
}

/// Refuses what may hold at two whole times and not between them, where it must hold all the time: a disjunction of which several parts look at clocks and can be true in one state of the other variables.
pub(crate) fn convex(
    expr: &Expr,
    positive: bool,
    place: Span,
    clocks: &HashMap<VarId, i64>,
) -> Result<(), SemanticError> {
    use BinaryOp::*;
    if !mentions(expr, clocks) {
        return Ok(());
    }
    match expr {
        Expr::Unary(UnaryOp::Not, operand) => convex(operand, !positive, place, clocks),
        Expr::If(_, yes, no) => {
            convex(yes, positive, place, clocks)?;
            convex(no, positive, place, clocks)
        }
        Expr::Binary(op @ (And | Or | Implies), left, right) => {
            convex(left, positive != (*op == Implies), place, clocks)?;
            convex(right, positive, place, clocks)?;
            let is_union = positive != (*op == And);
            if !is_union || !mentions(left, clocks) || !mentions(right, clocks) {
                return Ok(());
            }
            let (mut one, mut other) = (Vec::new(), Vec::new());
            parts(left, positive && *op == Or, &mut one);
            parts(right, positive && *op == Or, &mut other);
            let apart = one
                .iter()
                .all(|one| other.iter().all(|other| exclude(one, other)));
            if apart && positive && *op == Or {
                return Ok(());
            }
            let message = "disjunctions of comparisons that must hold while time passes are not supported: digital clocks do not look between whole times";
            Err(SemanticError::new(message, place, None))
        }
        _ => Ok(()),
    }
}

/// The parts of a disjunction, if it is one.
fn parts<'e>(expr: &'e Expr, is_union: bool, found: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Binary(BinaryOp::Or, left, right) if is_union => {
            parts(left, true, found);
            parts(right, true, found);
        }
        other => found.push(other),
    }
}

/// Whether two conditions ask for different values of one variable, each as a part of a conjunction.
fn exclude(one: &Expr, other: &Expr) -> bool {
    fn equalities<'e>(expr: &'e Expr, found: &mut Vec<(VarId, &'e Value)>) {
        match expr {
            Expr::Binary(BinaryOp::And, left, right) => {
                equalities(left, found);
                equalities(right, found);
            }
            Expr::Binary(BinaryOp::Eq, left, right) => {
                if let (Expr::Var(var), Expr::Value(value)) = (&**left, &**right) {
                    found.push((*var, value));
                }
            }
            _ => {}
        }
    }
    let (mut of_one, mut of_other) = (Vec::new(), Vec::new());
    equalities(one, &mut of_one);
    equalities(other, &mut of_other);
    let differs =
        |(var, value): &(VarId, &Value)| of_other.iter().any(|(same, other)| same == var && other != value);
    of_one.iter().any(differs)
}

/// Around the values of an expression without clocks, all of them whole: of constants, variables with a range, and what is computed from these. Nothing if a value may be
/// fractional, or none is known.
pub(crate) fn whole_values(network: &Network, expr: &Expr) -> Option<(i64, i64)> {
    let of = |expr: &Expr| whole_values(network, expr);
    match expr {
        Expr::Value(Value::Int(number)) => Some((*number, *number)),
        Expr::Value(Value::Real(number)) => i64::try_from(number.clone()).ok().map(|number| (number, number)),
        Expr::Var(var) => match network.variables[var.index()].domain {
            Domain::Range(low, high) => Some((low, high)),
            _ => None,
        },
        Expr::If(_, yes, no) => {
            let (yes, no) = (of(yes)?, of(no)?);
            Some((yes.0.min(no.0), yes.1.max(no.1)))
        }
        Expr::Unary(UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round, inner) => of(inner),
        Expr::Unary(UnaryOp::Neg, inner) => {
            let (low, high) = of(inner)?;
            Some((high.checked_neg()?, low.checked_neg()?))
        }
        Expr::Binary(op, left, right) => {
            let (a, b) = (of(left)?, of(right)?);
            Some(match op {
                BinaryOp::Add => (a.0.checked_add(b.0)?, a.1.checked_add(b.1)?),
                BinaryOp::Sub => (a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?),
                BinaryOp::Min => (a.0.min(b.0), a.1.min(b.1)),
                BinaryOp::Max => (a.0.max(b.0), a.1.max(b.1)),
                BinaryOp::Mul => {
                    let mut all = Vec::with_capacity(4);
                    for (x, y) in [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)] {
                        all.push(x.checked_mul(y)?);
                    }
                    (*all.iter().min()?, *all.iter().max()?)
                }
                // Grows with both where the base is at least 1 and the exponent is not negative.
                BinaryOp::Pow if a.0 >= 1 && b.0 >= 0 => {
                    let power = |base: i64, exponent: i64| base.checked_pow(u32::try_from(exponent).ok()?);
                    (power(a.0, b.0)?, power(a.1, b.1)?)
                }
                _ => return None,
            })
        }
        _ => None,
    }
}

/// Collects the constants that clocks are compared with, and refuses what digital clocks cannot do.
pub(crate) fn constraints(
    network: &Network,
    expr: &Expr,
    positive: bool,
    place: Span,
    largest: &mut HashMap<VarId, i64>,
) -> Result<(), SemanticError> {
    use BinaryOp::*;
    if !mentions(expr, largest) {
        return Ok(());
    }
    let refuse = |what: &str| {
        let mut error = SemanticError::new(
            format!("{what} are not supported: digital clocks need closed constraints"),
            place,
            None,
        );
        error.help = Some("compare single clocks with integers by <=, >= or =".to_owned());
        error
    };
    match expr {
        Expr::Unary(UnaryOp::Not, operand) => constraints(network, operand, !positive, place, largest),
        Expr::Binary(And | Or, left, right) => {
            constraints(network, left, positive, place, largest)?;
            constraints(network, right, positive, place, largest)
        }
        Expr::Binary(Implies, left, right) => {
            constraints(network, left, !positive, place, largest)?;
            constraints(network, right, positive, place, largest)
        }
        Expr::Binary(op @ (Le | Ge | Lt | Gt | Eq | Ne), left, right) => {
            let (clock, bound) = match (&**left, &**right) {
                (Expr::Var(clock), bound) if largest.contains_key(clock) => (*clock, bound),
                (bound, Expr::Var(clock)) if largest.contains_key(clock) => (*clock, bound),
                _ => return Err(refuse("sums and differences of clocks")),
            };
            if mentions(bound, largest) {
                return Err(refuse("comparisons of two clocks"));
            }
            let closed = match op {
                Le | Ge | Eq => positive,
                _ => !positive,
            };
            if !closed {
                return Err(refuse("strict comparisons of clocks"));
            }
            let Some((_, bound)) = whole_values(network, bound) else {
                return Err(refuse(
                    "comparisons of clocks with values that may be fractional, or without a limit,",
                ));
            };
            let most = largest.entry(clock).or_insert(0);
            *most = (*most).max(bound);
            Ok(())
        }
        Expr::If(condition, yes, no) if !mentions(condition, largest) => {
            constraints(network, yes, positive, place, largest)?;
            constraints(network, no, positive, place, largest)
        }
        _ => Err(refuse("expressions with clocks other than comparisons")),
    }
}
