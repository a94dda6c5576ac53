//! Probabilistic model checking.
//!
//! **Here:** [`Workshop`]: a network explored by compiled code into [`Sparse`] rows, and its properties decided. Graph analysis (what is 0, 1,
//! infinite; end components), sound iteration with directed rounding, exact solutions, bounded operators and uniformisation, long-run
//! averages, path formulas by deterministic automata, CTL; quotients of bisimilar states where they pay;
//! interval models; bounds where only a part of the model is explored; timed automata on zones ([`real_time`]). [`Diagrams`]: the same network as decision diagrams, for models with more states than can be explored.
//!
//! **Not here:** languages; checking certificates (`entail-stochastic-checker`).
//!
//! **Invariants:** a bracket contains the exact value, whatever rounding did; states are numbered as the reference interpreter numbers them;
//! the budget is polled in every unbounded loop.

mod accepting_cycles;
mod achievements;
mod automata;
mod bounded;
mod bounded_by_class;
mod brackets;
mod bytecode;
mod check;
mod combination;
mod compiled;
mod components;
mod condition;
mod conditional;
mod costs;
mod critical;
mod ctl;
mod distance;
mod elimination_of_states;
mod endings;
mod epochs;
mod exact;
mod expand;
mod expansion;
mod few_steps;
mod fronts;
mod functions;
mod gain;
mod generate;
mod graph;
mod iteration;
mod lifting;
mod likeness;
mod linear;
mod long_run;
mod long_run_choices;
mod lumped;
mod method;
mod newcomers;
pub mod numbers;
mod objectives;
mod packing;
mod partial;
mod programs;
mod quantile;
mod reach;
pub mod real_time;
mod relevance;
mod remembering;
mod rewards;
mod rows;
mod sampling;
mod scheduler;
mod selection;
mod signed;
mod simulation;
mod slow_components;
mod sound_iteration;
mod sparse;
mod splitting;
mod store;
mod symbolic;
mod system;
mod together;
mod uncertain;
mod unexplored;
mod weighted_sums;

pub use brackets::Truth;
pub use check::{Exactness, Quotients, Schedulers, Settings, Trouble, Values, Workshop};
pub use endings::settled;
pub use functions::{Function, function};
pub use generate::{Extent, Next, Pause, generate};
pub use iteration::Precision;
pub use lifting::Lifting;
pub use likeness::{Compared, compare};
pub use method::Method;
pub use partial::{Guided, explore_guided};
pub use programs::Operation;
pub use relevance::without_irrelevant;
pub use sampling::{Estimator, Sampled, Sampling, sample};
pub use simulation::{Choosing, Simulated, Simulation, simulate};
pub use sparse::{NONE, Sparse};
pub use store::StateStore;
pub use symbolic::{Diagrams, SymbolicAnswer};
