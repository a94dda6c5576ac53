//! What a property asks, as an operator on sets of states.

use super::Diagrams;
use super::asked::{Asked, unsupported};
use crate::check::Trouble;
use entail_dd::Bdd;
use entail_markov::{BinaryOp, Bounds, Optimum, Path, Property, RewardKind, UnaryOp};

/// What an operator asks, on sets of states.
pub(super) enum Operator {
    Reach {
        optimum: Optimum,
        stay: Bdd,
        goal: Bdd,
        bounds: Option<Bounds>,
        /// Whether the value is one minus the probability.
        complemented: bool,
    },
    Reward {
        optimum: Optimum,
        structure: usize,
        goal: Bdd,
    },
    /// The probability of being in a set after one step.
    Next { optimum: Optimum, goal: Bdd },
    /// A reward that no goal ends.
    Earned {
        optimum: Optimum,
        structure: usize,
        kind: RewardKind,
    },
    /// The share of time in a set.
    LongRun { optimum: Optimum, states: Bdd },
}

impl Operator {
    /// Whether the bounds of all states are the certificate. Long-run averages have more in it.
    pub fn is_certified_by_values(&self) -> bool {
        match self {
            Operator::Reach { .. } | Operator::Reward { .. } | Operator::Next { .. } => true,
            Operator::Earned { kind, .. } => {
                matches!(kind, RewardKind::Cumulative(_) | RewardKind::Instant(_))
            }
            Operator::LongRun { .. } => false,
        }
    }
}

impl<'n> Diagrams<'n> {
    /// What is asked, on sets of states.
    pub(super) fn operator(&self, asked: &Asked<'n>) -> Result<Operator, Trouble> {
        let (optimum, path, structure) = match asked {
            Asked::Probability(optimum, path) => (*optimum, *path, None),
            Asked::Reward(optimum, path, structure) => (*optimum, *path, Some(*structure)),
            Asked::Earned(optimum, structure, kind) => {
                return Ok(Operator::Earned {
                    optimum: *optimum,
                    structure: *structure,
                    kind: (*kind).clone(),
                });
            }
            Asked::LongRun(optimum, states) => {
                return Ok(Operator::LongRun {
                    optimum: *optimum,
                    states: self.set(states)?,
                });
            }
        };
        let all = self.space.states.clone();
        let reach = |optimum, stay, goal, bounds: &Option<Bounds>, complemented| Operator::Reach {
            optimum,
            stay,
            goal,
            bounds: bounds.clone(),
            complemented,
        };
        Ok(match (path, structure) {
            (Path::Finally(goal, _), Some(structure)) => Operator::Reward {
                optimum,
                structure,
                goal: self.path_set(goal)?,
            },
            (Path::Finally(goal, bounds), None) => reach(optimum, all, self.path_set(goal)?, bounds, false),
            (Path::Until(stay, goal, bounds), _) => {
                reach(optimum, self.path_set(stay)?, self.path_set(goal)?, bounds, false)
            }
            (Path::Globally(stay, bounds), _) => {
                let bad = all.minus(&self.path_set(stay)?)?;
                reach(optimum.dual(), all, bad, bounds, true)
            }
            (Path::WeakUntil(stay, goal, bounds), _) => {
                let (stay, goal) = (self.path_set(stay)?, self.path_set(goal)?);
                let bad = all.minus(&stay)?.minus(&goal)?;
                reach(optimum.dual(), stay.minus(&goal)?, bad, bounds, true)
            }
            (Path::Release(first, second, bounds), _) => {
                let (first, second) = (self.path_set(first)?, self.path_set(second)?);
                reach(
                    optimum.dual(),
                    all.minus(&first)?,
                    all.minus(&second)?,
                    bounds,
                    true,
                )
            }
            (Path::Next(goal), _) => Operator::Next {
                optimum,
                goal: self.path_set(goal)?,
            },
            _ => return Err(unsupported("this path formula")),
        })
    }

    fn path_set(&self, path: &'n Path) -> Result<Bdd, Trouble> {
        match path.as_state() {
            Some(states) => self.set(states),
            None => Err(unsupported("a path formula with several operators")),
        }
    }

    /// The states that satisfy a property without operators of probability.
    fn set(&self, property: &'n Property) -> Result<Bdd, Trouble> {
        let states = &self.space.states;
        Ok(match property {
            Property::Expr(expr) => self.space.set(expr)?,
            Property::Init => self.space.initial.clone(),
            Property::Deadlock => self.space.deadlocks.clone(),
            Property::Unary(UnaryOp::Not, operand) => states.minus(&self.set(operand)?)?,
            Property::Binary(op, left, right) => {
                let (left, right) = (self.set(left)?, self.set(right)?);
                match op {
                    BinaryOp::And => left.and(&right)?,
                    BinaryOp::Or => left.or(&right)?,
                    BinaryOp::Implies => left.implies(&right)?.and(states)?,
                    BinaryOp::Iff | BinaryOp::Eq => left.iff(&right)?.and(states)?,
                    _ => return Err(unsupported("this operator between sets of states")),
                }
            }
            _ => return Err(unsupported("nested operators")),
        })
    }
}
