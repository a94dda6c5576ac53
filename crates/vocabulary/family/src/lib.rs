//! The seam between the app and every kind of system.
//!
//! **Here:** what a kind of system offers. [`Family`] is its row in the app's table: languages, options, engines, a loader. What is
//! loaded is a [`Model`]: properties, a schedule of engines for each, a [`Session`] in which engines work, a [`Checker`] that shares
//! nothing with them, and where it makes sense a [`Walk`], a labelled transition system, a drawing, other formats. A kind that is given by a
//! step function ([`Stepwise`]) gets walks, timelines, replay and the labelled transition system for that.
//!
//! **Not here:** any kind of system (`crates/families/`), who runs the engines, races them, shares out time and prints (`crates/app/`).
//!
//! **What the app relies on**
//! - A model does not change after its properties are added: sessions and checkers borrow it, several may be open.
//! - Sessions and checkers poll the budget they are given; they do not print, and they read no files but those the user named in an option.
//! - A checker judges an answer from the model's meaning and the evidence alone: no engine takes part.
//! - Evidence survives `to_json` and `evidence_from_json`: races and saved evidence depend on it.

mod checker;
mod conclusion;
mod contest;
mod coverage;
mod error;
mod load;
mod model;
mod options;
mod row;
mod schedule;
mod session;
mod stepwise;
mod structure;
mod survey;
mod walk;

pub use checker::{Checker, Claim, ReadError, evidence_from_document, evidence_to_map};
pub use conclusion::Conclusion;
pub use contest::Contest;
pub use coverage::{Coverage, Part, PartKind, Proofs};
pub use error::{LoadError, ModelError, Usage};
pub use load::{Handover, Input};
pub use model::{Beside, Converted, Heading, Model, Quotient};
pub use options::{Command, OptionSpec, Options, ValueCheck, standard};
pub use row::{EngineInfo, Family, Language};
pub use schedule::{Runner, Turn};
pub use session::{Member, Scrutiny, Session, Thoroughness, Witness};
pub use stepwise::{StateTrace, StepWalk, Stepwise};
pub use structure::{Structure, StructureError};
pub use survey::{Survey, SurveyWish};
pub use walk::Walk;
