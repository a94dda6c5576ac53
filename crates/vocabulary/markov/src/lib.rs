//! Probabilistic systems and what is asked about them.
//!
//! **Here:** [`Network`] (components with guarded commands whose branches carry probabilities or rates, synchronisations, labels, rewards:
//! what PRISM and JANI lower to), [`Expr`] (expressions over its variables), [`Property`] (P, R, S, CTL and LTL around each other),
//! [`Timed`] (networks with clocks; they become decision processes by [`digital_clocks`](mod@digital_clocks) or by [`region_clocks()`]),
//! [`Explicit`] (all reachable states with exact rational probabilities), built by the reference interpreter [`explore`], and [`naive`]
//! (textbook algorithms in rationals, for tests). [`Bracket`] and [`Certificate`] are evidence as plain data.
//!
//! **Not here:** syntax, fast exploration, numerical methods, judging certificates.
//!
//! **Invariants:** probabilities are exact. States are numbered in the order of breadth-first discovery: initial states first, then for each
//! state its choices in the order of [`choices`](interpreter::choices) and their targets in the order of first mention. Whoever explores a
//! network must number states so; certificates depend on it.

mod achievements;
mod bisimilar;
mod bracket;
pub mod clock_constraints;
mod critical;
pub mod digital_clocks;
pub mod explicit;
mod expr;
pub mod interpreter;
mod listed;
pub mod naive;
mod network;
mod number;
pub mod observed_clocks;
mod observer;
pub mod parametric;
mod property;
mod property_expressions;
mod region_clocks;
mod timed;
mod unfolding;

pub use achievements::{Achievements, Decision, Facet, Fractions, JointScheduler};
pub use bisimilar::{Likeness, Observation};
pub use bracket::{Bracket, Certificate, Memory, Strategy};
pub use critical::{Critical, LikelyPath};
pub use explicit::{Explicit, Exploration, Row, explore, explore_partly, explore_uncertain};
pub use expr::{BinaryOp, EvalError, Expr, Sort, UnaryOp, Value, VarId};
pub use interpreter::SemanticError;
pub use listed::{Listed, ListedValue};
pub use network::{
    ActionId, Branch, Command, CommandKind, Component, DeadEnds, Domain, Initial, Kind, Network,
    RewardStructure, StateReward, Synchronisation, TransitionReward, Variable,
};
pub use number::{decimal, from_float, to_float};
pub use observer::Observer;
pub use property::{
    Aggregate, BoundedBy, Bounds, Comparison, End, Limit, OpenBound, Optimum, Path, Property, Query,
    RewardKind, Threshold,
};
pub use region_clocks::{Regions, largest_constants, region_clocks};
pub use timed::{Event, Timed, TimedQuestion};
pub use unfolding::Unfolding;

/// Exact numbers.
pub use entail_answer::Rational;
