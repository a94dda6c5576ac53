//! Fixpoints over sets of states, whatever the sets are made of.
//!
//! **Here:** [`RegionAlgebra`], what a representation of sets of states must offer (chapter 31, section 2.3); the
//! mu-calculus evaluated over any of them ([`evaluate`]); CTL with justice and bounded operators ([`CtlEvaluator`]), which
//! keeps the approximants from which witnesses are built; the first algebra, bit sets over an explicit graph
//! ([`GraphAlgebra`]).
//!
//! **Not here:** other representations (decision diagrams, zones, … bring their own algebra), traces (engines follow
//! the approximants to build them), games.
//!
//! **Invariants a caller may rely on**
//! - Evaluators touch regions through the algebra only and pass every error of an operation on at once. An algebra that
//!   polls a budget in its operations makes every loop here interruptible.
//! - `pre` and `dpre` are those of the relation the algebra was given: a state without successors is in `dpre` of everything
//!   and in `pre` of nothing. What a dead end means for paths is decided by [`CtlEvaluator`]'s policy or, before, by the
//!   relation (a loop added at every dead end).
//!
//! ```
//! use entail_fixpoint::{Graph, GraphAlgebra, evaluate};
//! use entail_logic::mu::parse_mu;
//!
//! let mut algebra = GraphAlgebra::new(Graph::new(3, [(0, 1), (1, 2), (2, 2)])).with_atom("goal", [2]);
//! let reach = parse_mu("mu X. goal | <>X").unwrap();
//! assert_eq!(evaluate(&mut algebra, &reach).unwrap().region.count_ones(..), 3);
//! ```

mod bounded;
mod ctl;
mod graph;
mod mu;
mod region;

pub use bounded::BoundedSteps;
pub use ctl::{Approximants, CtlError, CtlEvaluator, Labelled};
pub use graph::{Graph, GraphAlgebra, UnknownAtom};
pub use mu::{EvaluateError, Evaluation, NoObserver, Observer, Strategy, evaluate, evaluate_with};
pub use region::RegionAlgebra;
