//! Decision diagrams: Boolean functions as canonical graphs (chapter 7).
//!
//! **Here:** [`Manager`], the owner of nodes, variables and their order; [`Bdd`], a Boolean function, with the
//! operations symbolic model checking needs (relational product, substitution, generalized cofactors, models,
//! counts); dynamic reordering ([`Method`], [`AutoReorder`]) of single variables and groups; finite-domain
//! variables ([`FiniteVar`]); families of sets ([`SetFamily`], ZDDs) and numeric functions ([`Mtbdd`]);
//! orders computed beforehand and order files ([`order`]); drawings and dumps ([`export`]).
//!
//! **Not here:** what the variables mean, transition relations and fixpoints (engines), formulas (vocabulary).
//!
//! **What a caller may rely on**
//! * Two functions are equal iff their handles are (`==`, constant time).
//! * Handles survive garbage collection and reordering, which happen at any operation; levels do not, so nothing
//!   outside should remember them.
//! * Every operation that may make nodes returns a `Result`; after an error the operands and the manager are as
//!   good as before. Operations on any thread; one runs at a time, each possibly on several cores.
//! * With a budget ([`Manager::watch`]), no operation outlasts it by more than about a second.
//!
//! **Why a package of our own for BDDs.** Reordering decides on models of realistic size, and it has to happen in
//! the middle of operations, within limits. The library for the other diagrams (OxiDD) cannot interrupt an
//! operation, ends the process when memory runs out during a level swap, and spends three to four times as long
//! on a swap; see `README.md` for the measurements.

mod apply;
mod approximate;
mod bdd;
mod cofactor;
mod computed_cache;
mod consistency;
mod domain;
mod edge;
mod error;
pub mod export;
mod frozen;
mod kernel;
mod manager;
mod models;
mod mtbdd;
pub mod order;
mod quantify;
mod recursion;
mod reorder;
mod structure;
mod substitute;
mod transfer;
mod upkeep;
mod zdd;

pub use bdd::{Bdd, FunctionId, Substitution};
pub use domain::FiniteVar;
pub use edge::Var;
pub use error::{Error, Result};
pub use frozen::{Frozen, FrozenNode};
pub use manager::{Config, Manager, Statistics};
pub use models::{Cube, Cubes, Models};
pub use mtbdd::{F64, Integer, Leaf, Mtbdd, MtbddManager, NumberBase};
pub use reorder::{EXACT_LIMIT, Method, ReorderLimits, ReorderReport};
pub use structure::shared_node_count;
pub use upkeep::AutoReorder;
pub use zdd::{SetFamily, Sets, ZddManager};
