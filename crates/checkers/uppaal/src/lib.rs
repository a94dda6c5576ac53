//! What UPPAAL models mean, evaluated on the syntax tree.
//!
//! **Here:** [`Tree`], a model with its processes, and [`Asked`], a query about it: together they say what evidence is judged by ([`entail_clocks::Meaning`]).
//!
//! **Not here:** anything of the reader's translation into networks. Values are nested arrays and records instead of slots, names are looked up when they are met, nothing is precompiled: slow,
//! and short enough to be compared with the language's description.
//!
//! **Invariant:** numbers of processes, locations, edges, integers and clocks follow the conventions of `entail-uppaal-tree`; texts were accepted by the reader before.

mod arithmetic;
mod evaluate;
mod moves;
mod real;
mod run;
mod system;
mod value;

pub use moves::Asked;
pub use system::Tree;
