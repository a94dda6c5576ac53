//! What is asked about a network: PRISM's property language without its syntax.
//!
//! One tree for truth values and numbers, because PRISM mixes them (`P=? [ F a ] > 2 * P=? [ F b ]`): operators around expressions over the
//! variables. A path formula may be any LTL formula; which of them an engine decides how is the engine's business.

use crate::Rational;
use crate::expr::{BinaryOp, Expr, UnaryOp};

/// Over all schedulers: the least or the greatest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Optimum {
    /// The least.
    Min,
    /// The greatest.
    Max,
}

impl Optimum {
    /// The other one.
    pub fn dual(self) -> Optimum {
        match self {
            Optimum::Min => Optimum::Max,
            Optimum::Max => Optimum::Min,
        }
    }
}

/// How a value is compared with a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Comparison {
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    /// Whether the comparison holds.
    pub fn holds<T: PartialOrd>(self, value: &T, bound: &T) -> bool {
        match self {
            Comparison::Lt => value < bound,
            Comparison::Le => value <= bound,
            Comparison::Gt => value > bound,
            Comparison::Ge => value >= bound,
        }
    }

    /// Whether all values must be small, so that the greatest counts.
    pub fn is_upper(self) -> bool {
        matches!(self, Comparison::Lt | Comparison::Le)
    }
}

/// A bound on a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// How the value is compared.
    pub comparison: Comparison,
    /// With what.
    pub bound: Rational,
}

/// What is asked of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// How large it is.
    Value,
    /// Whether it meets a bound.
    Compare(Threshold),
}

/// What a path formula's bounds count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoundedBy {
    /// Steps of a discrete model, time of a timed one.
    Time,
    /// The reward of a structure that is earned before.
    Reward(usize),
}

/// One end of an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Where.
    pub value: Rational,
    /// Whether the end itself is outside.
    pub strict: bool,
}

/// When a path formula must be fulfilled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Not before.
    pub lower: Option<Limit>,
    /// Not after.
    pub upper: Option<Limit>,
    /// What is counted.
    pub by: BoundedBy,
    /// Bounds on other counts, which must be met at the same moment; they have no others themselves.
    pub others: Vec<Bounds>,
}

impl Bounds {
    /// These bounds and the others.
    pub fn all(&self) -> impl Iterator<Item = &Bounds> {
        std::iter::once(self).chain(&self.others)
    }

    /// Whether a goal that is reached at once may be too early.
    pub fn has_lower(&self) -> bool {
        self.all().any(|bounds| bounds.lower.is_some())
    }

    /// Whether nothing but steps or time is bounded.
    pub fn is_time(&self) -> bool {
        self.by == BoundedBy::Time && self.others.is_empty()
    }
}

/// Which end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// Not before.
    Lower,
    /// Not after.
    Upper,
}

/// A bound that is asked for rather than given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenBound {
    /// What it is called.
    pub name: String,
    /// Its position in [`Bounds::all`].
    pub position: usize,
    /// Which end.
    pub end: End,
}

/// A path formula.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Path {
    State(Box<Property>),
    Not(Box<Path>),
    And(Box<Path>, Box<Path>),
    Or(Box<Path>, Box<Path>),
    Implies(Box<Path>, Box<Path>),
    Iff(Box<Path>, Box<Path>),
    Next(Box<Path>),
    Until(Box<Path>, Box<Path>, Option<Bounds>),
    WeakUntil(Box<Path>, Box<Path>, Option<Bounds>),
    Release(Box<Path>, Box<Path>, Option<Bounds>),
    Finally(Box<Path>, Option<Bounds>),
    Globally(Box<Path>, Option<Bounds>),
}

impl Path {
    /// The state formula, if the path formula is one.
    pub fn as_state(&self) -> Option<&Property> {
        match self {
            Path::State(property) => Some(property),
            _ => None,
        }
    }
}

impl Path {
    /// Whether it is an operator of CTL: a temporal operator, or the negation of one, over state formulas.
    pub fn is_ctl(&self) -> bool {
        match self {
            Path::State(_) => true,
            Path::Not(inner) => inner.is_ctl(),
            Path::Next(inner) | Path::Finally(inner, _) | Path::Globally(inner, _) => {
                inner.as_state().is_some()
            }
            Path::Until(a, b, _) | Path::WeakUntil(a, b, _) | Path::Release(a, b, _) => {
                a.as_state().is_some() && b.as_state().is_some()
            }
            Path::And(..) | Path::Or(..) | Path::Implies(..) | Path::Iff(..) => false,
        }
    }

    /// Whether every path that fulfils it has done so after finitely many steps, as far as its shape tells.
    pub fn is_co_safe(&self) -> bool {
        is_co_safe(self, true)
    }
}

/// Whether a formula (or its negation) is syntactically co-safe: next, until and finally only, bounded operators aside.
fn is_co_safe(path: &Path, positive: bool) -> bool {
    let bounded = |bounds: &Option<Bounds>| bounds.as_ref().is_some_and(|bounds| bounds.upper.is_some());
    match path {
        Path::State(_) => true,
        Path::Not(inner) => is_co_safe(inner, !positive),
        Path::And(a, b) | Path::Or(a, b) => is_co_safe(a, positive) && is_co_safe(b, positive),
        Path::Implies(a, b) => is_co_safe(a, !positive) && is_co_safe(b, positive),
        Path::Iff(a, b) => {
            is_co_safe(a, true) && is_co_safe(a, false) && is_co_safe(b, true) && is_co_safe(b, false)
        }
        Path::Next(inner) => is_co_safe(inner, positive),
        Path::Finally(inner, bounds) => (positive || bounded(bounds)) && is_co_safe(inner, positive),
        Path::Globally(inner, bounds) => (!positive || bounded(bounds)) && is_co_safe(inner, positive),
        Path::Until(a, b, bounds) => {
            (positive || bounded(bounds)) && is_co_safe(a, positive) && is_co_safe(b, positive)
        }
        Path::WeakUntil(a, b, bounds) | Path::Release(a, b, bounds) => {
            (!positive || bounded(bounds)) && is_co_safe(a, positive) && is_co_safe(b, positive)
        }
    }
}

/// What a reward is summed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RewardKind {
    /// Until a co-safe path formula is fulfilled; infinite where it may never be.
    Reach(Path),
    /// For ever.
    Total,
    /// So many steps, or so much time.
    Cumulative(Rational),
    /// At one moment.
    Instant(Rational),
    /// On the average, in the long run.
    LongRun,
}

/// How the values of many states become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Aggregate {
    Min,
    Max,
    ArgMin,
    ArgMax,
    Count,
    Sum,
    Avg,
    First,
    Range,
    ForAll,
    Exists,
    Print,
    PrintAll,
    State,
}

/// A property, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// An expression over the variables.
    Expr(Expr),
    /// The initial states.
    Init,
    /// The states that had no way out.
    Deadlock,
    /// The states that were met and not expanded, if the model was explored in part (label `unexplored`).
    Unexplored,
    /// An operator with one operand.
    Unary(UnaryOp, Box<Property>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Property>, Box<Property>),
    /// The second if the first is true, else the third.
    If(Box<Property>, Box<Property>, Box<Property>),
    /// The probability of a path formula.
    Probability {
        /// Over which schedulers, where there are choices.
        optimum: Option<Optimum>,
        /// What is asked of it.
        query: Query,
        /// The path formula.
        path: Path,
    },
    /// An expected reward.
    Reward {
        /// Over which schedulers, where there are choices.
        optimum: Option<Optimum>,
        /// What is asked of it.
        query: Query,
        /// The position of the reward structure.
        structure: usize,
        /// What is summed.
        kind: RewardKind,
    },
    /// The long-run average time in some states.
    SteadyState {
        /// Over which schedulers, where there are choices.
        optimum: Option<Optimum>,
        /// What is asked of it.
        query: Query,
        /// The states.
        states: Box<Property>,
    },
    /// Some path satisfies it, however improbable.
    Exists(Path),
    /// All paths satisfy it.
    ForAll(Path),
    /// One value out of those of many states.
    Filter {
        /// How.
        aggregate: Aggregate,
        /// Which values.
        property: Box<Property>,
        /// Of which states.
        states: Box<Property>,
    },
    /// Several objectives at once.
    Multi(Vec<Property>),
    /// Objectives in order of importance: the best of the first, then of the second among the schedulers that reach it, and so on.
    Lexicographic(Vec<Property>),
    /// The least or greatest bounds for which a probability meets its threshold: whichever separates those that do from those that do not.
    Quantile {
        /// The bounds that are asked for; their limits in the property have no meaning.
        variables: Vec<OpenBound>,
        /// A probability with a threshold, of an operator with bounds.
        property: Box<Property>,
    },
    /// The probability, in the initial state, of reaching some states if others are reached: over all schedulers under which that has a chance.
    Conditional {
        /// Over which schedulers.
        optimum: Option<Optimum>,
        /// What is asked of it.
        query: Query,
        /// The states to be reached.
        event: Box<Property>,
        /// The states that are known to be reached.
        condition: Box<Property>,
    },
    /// The value when the probabilities of an interval model are chosen against the scheduler (PRISM's `Pmaxmin`). Without this they are chosen
    /// with it: for the optimum of chains, and of both for bounds.
    Robust(Box<Property>),
}

impl Property {
    /// The constant true.
    pub fn truth() -> Property {
        Property::Expr(Expr::truth())
    }

    /// An operator applied; expressions stay expressions.
    pub fn binary(op: BinaryOp, left: Property, right: Property) -> Property {
        match (left, right) {
            (Property::Expr(left), Property::Expr(right)) => Property::Expr(Expr::binary(op, left, right)),
            (left, right) => Property::Binary(op, Box::new(left), Box::new(right)),
        }
    }

    /// An operator applied; expressions stay expressions.
    pub fn unary(op: UnaryOp, operand: Property) -> Property {
        match operand {
            Property::Expr(operand) => Property::Expr(Expr::unary(op, operand)),
            operand => Property::Unary(op, Box::new(operand)),
        }
    }

    /// A choice; expressions stay expressions.
    pub fn choose(condition: Property, yes: Property, no: Property) -> Property {
        match (condition, yes, no) {
            (Property::Expr(condition), Property::Expr(yes), Property::Expr(no)) => {
                Property::Expr(Expr::choose(condition, yes, no))
            }
            (condition, yes, no) => Property::If(Box::new(condition), Box::new(yes), Box::new(no)),
        }
    }

    /// What a filter over the initial states asks of each of them, if it is one whose answer is theirs where there is one initial state; otherwise the property itself.
    pub fn of_one_initial_state(&self) -> &Property {
        match self {
            Property::Filter {
                aggregate:
                    Aggregate::Min
                    | Aggregate::Max
                    | Aggregate::Sum
                    | Aggregate::Avg
                    | Aggregate::First
                    | Aggregate::State
                    | Aggregate::ForAll
                    | Aggregate::Exists,
                property,
                states,
            } if **states == Property::Init => property.of_one_initial_state(),
            _ => self,
        }
    }

    /// The same of filters that are true if all initial states are.
    pub fn of_all_initial_states(&self) -> &Property {
        match self {
            Property::Filter {
                aggregate: Aggregate::ForAll,
                property,
                states,
            } if **states == Property::Init => property.of_all_initial_states(),
            _ => self,
        }
    }
}
