//! What is asked about a network: conditions on states, and queries about runs.

use crate::discrete::{ClockConstraint, Discrete, constraints};
use crate::{
    Binary, Branching, Chance, ClockName, Comparison, Condition, Energy, Expression, Fault, Linear,
    LocationId, Network, Runs,
};

/// A condition on states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// True or false.
    Constant(bool),
    /// Some process is at a location with this label.
    Label(usize),
    /// A process is at this location.
    At(LocationId),
    /// No step can be taken, now or after any delay.
    Deadlock,
    /// The value is not 0.
    Integer(Expression),
    /// A clock, or the difference of two, compared with an integer.
    Clock {
        /// The clock.
        left: ClockName,
        /// The clock that is subtracted; the reference clock where there is none.
        right: ClockName,
        /// How.
        comparison: Comparison,
        /// With what.
        bound: Expression,
    },
    /// The opposite.
    Not(Box<Formula>),
    /// All of them.
    And(Vec<Formula>),
    /// One of them.
    Or(Vec<Formula>),
}

impl Formula {
    /// Whether clocks occur in it.
    pub fn mentions_clocks(&self) -> bool {
        match self {
            Formula::Clock { .. } => true,
            Formula::Not(inner) => inner.mentions_clocks(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(Formula::mentions_clocks),
            _ => false,
        }
    }

    /// Whether deadlocks are asked for in it.
    pub fn mentions_deadlock(&self) -> bool {
        match self {
            Formula::Deadlock => true,
            Formula::Not(inner) => inner.mentions_deadlock(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(Formula::mentions_deadlock),
            _ => false,
        }
    }

    /// Calls `visit` with the clock comparisons in it, as conditions of guards.
    pub fn visit_clocks(&self, visit: &mut dyn FnMut(&ClockName, &ClockName, Comparison, &Expression)) {
        match self {
            Formula::Clock {
                left,
                right,
                comparison,
                bound,
            } => visit(left, right, *comparison, bound),
            Formula::Not(inner) => inner.visit_clocks(visit),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| part.visit_clocks(visit));
            }
            _ => {}
        }
    }

    /// The clock values that satisfy it in a discrete state: one of these conjunctions holds. What is asked about deadlocks stands among the constraints
    /// ([`ClockConstraint::about_deadlock`]). Without clocks in it there is one empty conjunction, or none.
    pub fn satisfying(
        &self,
        network: &Network,
        state: &Discrete,
    ) -> Result<Vec<Vec<ClockConstraint>>, Fault> {
        self.conjunctions(network, state, true)
    }

    fn conjunctions(
        &self,
        network: &Network,
        state: &Discrete,
        wanted: bool,
    ) -> Result<Vec<Vec<ClockConstraint>>, Fault> {
        let plain = |truth: bool| {
            if truth == wanted {
                vec![Vec::new()]
            } else {
                Vec::new()
            }
        };
        let (parts, is_and) = match self {
            Formula::Constant(truth) => return Ok(plain(*truth)),
            Formula::Label(label) => return Ok(plain(network.carries(&state.locations, *label))),
            Formula::At(location) => {
                let process = network.locations[*location].process;
                return Ok(plain(state.locations[process] == *location));
            }
            Formula::Integer(expression) => return Ok(plain(expression.value(&state.integers)? != 0)),
            Formula::Deadlock => return Ok(vec![vec![ClockConstraint::deadlock(wanted)]]),
            Formula::Not(inner) => return inner.conjunctions(network, state, !wanted),
            Formula::Clock {
                left,
                right,
                comparison,
                bound,
            } => {
                let one = |comparison| {
                    let condition = Condition::Clock {
                        left: left.clone(),
                        right: right.clone(),
                        comparison,
                        bound: bound.clone(),
                    };
                    let mut found = Vec::new();
                    constraints(&[condition], &state.integers, &mut found).map(|_| found)
                };
                let comparison = match (wanted, comparison) {
                    (true, same) => *same,
                    (false, Comparison::Less) => Comparison::GreaterEqual,
                    (false, Comparison::LessEqual) => Comparison::Greater,
                    (false, Comparison::Greater) => Comparison::LessEqual,
                    (false, Comparison::GreaterEqual) => Comparison::Less,
                    (false, Comparison::Equal) => Comparison::Different,
                    (false, Comparison::Different) => Comparison::Equal,
                };
                return Ok(match comparison {
                    Comparison::Different => vec![one(Comparison::Less)?, one(Comparison::Greater)?],
                    other => vec![one(other)?],
                });
            }
            Formula::And(parts) => (parts, wanted),
            Formula::Or(parts) => (parts, !wanted),
        };
        if !is_and {
            let mut all = Vec::new();
            for part in parts {
                all.extend(part.conjunctions(network, state, wanted)?);
            }
            return Ok(all);
        }
        let mut all = vec![Vec::new()];
        for part in parts {
            let more = part.conjunctions(network, state, wanted)?;
            let longer = |one: &Vec<ClockConstraint>| {
                let one = one.clone();
                more.clone()
                    .into_iter()
                    .map(move |other| [one.as_slice(), &other].concat())
            };
            all = all.iter().flat_map(longer).collect();
            if all.is_empty() {
                break;
            }
        }
        Ok(all)
    }
}

/// A question about runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// `E<> φ`: some reachable state satisfies it. With `false`, `A[] ¬φ`: none does.
    Reach(Formula, bool),
    /// Some infinite run meets each of these again and again; runs in which time does not diverge count. With `false`: no run does. Clocks do not occur in them.
    Repeat(Vec<Formula>, bool),
    /// Some maximal run stays within the first condition: one with infinitely many steps, one that ends where no step is possible any more, or one that waits for ever. With a second
    /// condition, the run may begin in any reachable state that satisfies it, otherwise in an initial one. With `false`: no run does. Deadlocks do not occur in them.
    Stay(Vec<Formula>, bool),
    /// The largest (`up`) or least value of a measure in reachable states that satisfy the condition.
    Extreme {
        /// What is measured.
        measure: Measure,
        /// In which states.
        condition: Formula,
        /// The largest value, or the least.
        up: bool,
    },
    /// A game: does the controller have a strategy by which every maximal run stays out of the second condition until the first holds?
    Control {
        /// What is won at, and what is lost at; both are final, and the first comes first.
        formulas: Vec<Formula>,
        /// Whether the first condition must hold in the end; otherwise the run may also go on for ever, or end, out of the second.
        must_win: bool,
    },
    /// The least cost of a run to a state that satisfies the condition.
    Cheapest(Formula),
    /// The least cost per unit of time, in the long run, of runs that stay within the condition and in which time diverges.
    LongRun(Formula),
    /// Whether the weight that a run accumulates stays within bounds.
    Energy(Box<Energy>),
    /// A question about what is left of the network when the controller plays a strategy that wins a game.
    Under {
        /// The game.
        game: Box<Query>,
        /// The question.
        question: Box<Query>,
    },
    /// A game in which something must be won: how soon can the controller be sure to have won?
    Soonest(TimedGame),
    /// What random runs are asked for; deadlocks do not occur in it.
    Chance(Box<Chance>),
    /// A nested question.
    Branching(Branching),
    /// A question about single runs.
    Linear(Box<Linear>),
}

/// A game against time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedGame {
    /// What is won at, and what is lost at, as in [`Query::Control`].
    pub formulas: Vec<Formula>,
    /// The clock that nothing sets.
    pub clock: usize,
    /// The time that there is at most; nothing: as much as is needed.
    pub most: Option<i64>,
    /// A lower bound of the time that is needed from a state on.
    pub reserve: Option<Expression>,
}

impl TimedGame {
    /// The game without a limit of time.
    pub fn untimed(&self) -> Query {
        Query::Control {
            formulas: self.formulas.clone(),
            must_win: true,
        }
    }

    /// The game that is won within a time, or before it.
    pub fn within(&self, time: i64, strictly: bool) -> Query {
        let compared = |comparison: Comparison, bound: Expression| Formula::Clock {
            left: ClockName::one(self.clock),
            right: ClockName::one(0),
            comparison,
            bound,
        };
        let (early, late) = match strictly {
            true => (Comparison::Less, Comparison::GreaterEqual),
            false => (Comparison::LessEqual, Comparison::Greater),
        };
        let most = Expression::Constant(time);
        let last = match &self.reserve {
            Some(reserve) => Expression::binary(Binary::Subtract, most.clone(), reserve.clone()),
            None => most.clone(),
        };
        let goal = Formula::And(vec![self.formulas[0].clone(), compared(early, most)]);
        let lost = Formula::Or(vec![self.formulas[1].clone(), compared(late, last)]);
        let lost = Formula::And(vec![lost, Formula::Not(Box::new(goal.clone()))]);
        Query::Control {
            formulas: vec![goal, lost],
            must_win: true,
        }
    }
}

/// What has extreme values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// An integer.
    Integer(Expression),
    /// A clock.
    Clock(ClockName),
}

/// A measure in a discrete state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    /// It is this number.
    Number(i64),
    /// It is the value of this clock.
    Clock(usize),
}

impl Measure {
    /// The measure in a discrete state.
    pub fn measured(&self, state: &Discrete) -> Result<Measured, Fault> {
        match self {
            Measure::Integer(expression) => expression.value(&state.integers).map(Measured::Number),
            Measure::Clock(clock) => clock.clock(&state.integers).map(Measured::Clock),
        }
    }
}

impl Query {
    /// Whether the property holds when what is looked for exists.
    pub fn wants_it(&self) -> bool {
        match self {
            Query::Reach(_, wanted) | Query::Repeat(_, wanted) | Query::Stay(_, wanted) => *wanted,
            Query::Under { question, .. } => question.wants_it(),
            Query::Linear(asked) => asked.wanted,
            Query::Extreme { .. }
            | Query::Control { .. }
            | Query::Cheapest(_)
            | Query::LongRun(_)
            | Query::Energy(_)
            | Query::Soonest(_)
            | Query::Chance(_)
            | Query::Branching(_) => true,
        }
    }

    /// The clocks of intervals.
    pub fn interval_clocks(&self) -> &[usize] {
        match self {
            Query::Branching(asked) => &asked.clocks,
            _ => &[],
        }
    }

    /// Whether deadlocks are asked for.
    pub fn mentions_deadlock(&self) -> bool {
        self.formulas().iter().any(Formula::mentions_deadlock)
    }

    /// Whether the answer depends on what cannot be done: then states must be bisimilar, not only simulated, to stand for one another.
    pub fn needs_bisimulation(&self) -> bool {
        match self {
            Query::Under { question, .. } => question.needs_bisimulation(),
            // Whether a run may end depends on what cannot be done.
            Query::Linear(asked) => asked.runs == Runs::Maximal,
            _ => self.mentions_deadlock() || matches!(self, Query::Stay(..)),
        }
    }

    /// The conditions in it; those of random runs stand with what is tried.
    pub fn formulas(&self) -> &[Formula] {
        match self {
            Query::Reach(formula, _) | Query::Cheapest(formula) | Query::LongRun(formula) => {
                std::slice::from_ref(formula)
            }
            Query::Extreme { condition, .. } => std::slice::from_ref(condition),
            Query::Repeat(formulas, _) | Query::Stay(formulas, _) | Query::Control { formulas, .. } => {
                formulas
            }
            Query::Energy(asked) => std::slice::from_ref(&asked.within),
            Query::Soonest(game) => &game.formulas,
            Query::Branching(asked) => &asked.conditions,
            Query::Linear(asked) => &asked.conditions,
            Query::Under { question, .. } => question.formulas(),
            Query::Chance(_) => &[],
        }
    }
}
