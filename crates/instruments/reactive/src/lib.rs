//! Reactive machines made small.
//!
//! **Here:** [`LooseMachine`], a strategy with the freedom it leaves; its [`Table`] of states and classes of letters; [`fold`] and [`fewest`], which merge states; [`encode`], from a table and codes of
//! its states to a circuit; [`shrink`], which makes any circuit smaller; [`small_circuit`], all of it within a share of time.
//!
//! **Not here:** where strategies come from (`entail-synthesis`), formats, judging.
//!
//! **Invariant:** every step only resolves freedom or keeps the sequential function: a run of the result is a run that the loose machine allows, and a circuit before and after
//! [`shrink`] writes the same for all inputs from the first state on. A spent share of time gives the smallest that was found so far.

mod affinity;
mod cover;
mod encode;
mod fewest;
mod fold;
mod loose;
mod mapping;
mod netlist;
mod reachable;
mod resubstitute;
mod share;
mod shrink;
mod small_formulas;
mod table;

pub use cover::{Covering, Realized, narrowed};
pub use encode::{Codes, encode};
pub use fewest::fewest;
pub use fold::fold;
pub use loose::{LooseMachine, LooseNode, OutputSet, OutputSets};
pub use netlist::Netlist;
pub use share::small_circuit;
pub use shrink::shrink;
pub use table::{Cell, Table};
