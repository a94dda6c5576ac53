//! Smaller models that are known to say the truth: abstraction, its refinement, three-valued answers (chapter 13).
//!
//! **Here:** existential abstraction of a symbolic model by what is observed of its states; counterexample-guided refinement
//! around any other engine; Kripke modal transition systems and three-valued checking.
//!
//! **Not here:** deciding abstract models (the engines that are handed in), abstraction of circuits gate by gate
//! (`entail-inductive`), the checkers of what is claimed here (`entail-evidence`, `entail-proof`).

mod cegar;
mod modal;
mod split_path;

pub use cegar::{CegarEngine, PredicateEngine};
pub use modal::{
    AbstractEngine, AbstractOptions, AbstractPath, Cause, Known, MaySteps, Modalities, Mode, NoPartition,
    Splitting, States, abstract_model, cause, check_partition, doubtful_path, modal_simulation, three_valued,
};
pub use split_path::{FailureState, SplitPath, split_path};
