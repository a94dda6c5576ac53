//! Networks of timed automata and what they mean.
//!
//! **Here:** [`Network`] (processes with locations, edges and synchronisations, bounded integers, clocks), [`Expression`] and [`Statement`] (its integer code), the discrete
//! meaning ([`discrete`]: which joint edges a state has, what guards and statements say), [`interpreter`] (states with clock values in exact rational numbers),
//! [`Chances`] (how likely delays and steps are), [`regions`] (the region graph, for small networks and tests), [`Query`], [`Branching`], [`Linear`] and [`Formula`] (what is asked), [`evidence`] (runs, lassos and covers as plain data).
//!
//! **Not here:** zones, search, syntax, judging.
//!
//! **Invariants:** indices in a network are in range (readers build it, [`Network::check`] says whether they did); clock 0 is the reference clock that is always 0, the
//! clocks of the model are numbered from 1; a network is plain data that never changes while it is explored.

mod branching;
mod chances;
mod code;
mod cover_nodes;
pub mod discrete;
mod energy;
pub mod evidence;
mod expression;
mod formula;
pub mod interpreter;
mod joint;
mod linear;
mod meaning;
mod network;
pub mod pairs;
mod region_branching;
mod region_games;
mod region_linear;
pub mod region_pairs;
mod region_strategies;
pub mod regions;
mod scalars;

pub use branching::{Branching, End, Interval, Nested};
pub use chances::{Branch, Chance, Chances, Extent, Ratio, Reading, Trial};
pub use dashu_ratio::RBig as Rational;
pub use energy::{Energy, Upper};
pub use expression::{
    Binary, ClockName, Comparison, Condition, Expression, Fault, Function, MOST_COST, Place, Statement,
};
pub use formula::{Formula, Measure, Measured, Query, TimedGame};
pub use joint::Joint;
pub use linear::{ClockTest, Linear, Literals, Observer, ObserverEdge, ObserverState, Runs, Temporal};
pub use meaning::{Meaning, Move};
pub use network::{
    Channel, Clock, Direction, Edge, EdgeId, EventId, GanttRow, Integer, Location, LocationId, Network,
    OutOfRange, Process, ProcessId, Signal, Stopwatch, Synchronisation, Synchroniser,
};
pub use scalars::{Indexed, Permutation, ScalarSet};
