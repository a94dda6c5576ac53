//! Kripke modal transition systems and three-valued answers (chapter 13, sections 13.4 and 13.6).
//!
//! - `classes`: abstract states as sets of concrete ones, by decision diagrams;
//! - `construction`: from a model and what is observed of it to the modal system, without building the concrete structure;
//! - `evaluation`: the mu-calculus with three truth values;
//! - `question`: properties in the mu-calculus, `linear`: about single paths;
//! - `annotation`, `cause`, `path`: what an undecided answer is due to; `explain`: how that is told;
//! - `simulation`: the preorder that says which modal systems tell more;
//! - `partition`: whether the user's classes are one;
//! - `engine`: the loop of checking and splitting (`split`), as `options` ask for.

mod annotation;
mod cause;
mod classes;
mod construction;
mod engine;
mod evaluation;
mod explain;
mod labels;
mod linear;
mod model;
#[cfg(test)]
mod monotone;
mod options;
mod partition;
mod path;
mod question;
mod simulation;
mod split;

pub use cause::{Cause, cause};
pub use construction::MaySteps;
pub use engine::AbstractEngine;
pub use evaluation::{Known, Modalities, three_valued};
pub use model::abstract_model;
pub use options::{AbstractOptions, Mode, Splitting, States};
pub use partition::{NoPartition, check_partition};
pub use path::{AbstractPath, doubtful_path};
pub use simulation::modal_simulation;
