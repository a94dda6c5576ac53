//! Communicating processes as guarded transitions, and what they mean.
//!
//! **Here:** [`Program`], plain data: typed cells, channels, process types whose control locations carry guarded edges;
//! the questions asked about it ([`Requirement`]); and the [reference interpreter](interpret) that says which steps are possible in a
//! state and what they do. [`StateGraph`] is all of them, for small programs. [`replay()`] repeats a [`Run`] with it.
//!
//! **Not here:** searching (engines), judging what engines claim (`crates/checkers/programs`), any syntax (languages), how a run looks (`entail-report`).
//!
//! **What a caller may rely on**
//! - The interpreter is written for clarity: values are decoded, states are copied. It shares no code with any engine, so that an engine
//!   and it can be compared.
//! - A run is a list of steps, not of states: whoever replays it computes the states anew.
//! - Nothing here panics on a well-formed program: what goes wrong at run time is a [`Fault`].

mod evidence;
mod expression;
mod fault;
mod graph;
pub mod interpret;
mod program;
mod reduced_set;
mod replay;
mod requirement;
mod run;
pub mod state_bytes;

pub use evidence::{ProgramEvidence, Reduction};
pub use expression::{Binary, Expression, Index, Pattern, Place, Probe, Scope, Unary};
pub use fault::Fault;
pub use graph::{GraphEdge, StateGraph};
pub use interpret::{Channel, Event, Process, State};
pub use program::{
    Action, Cell, CellType, ChannelType, Edge, Initial, Location, LocationId, Origin, ProcessType,
    ProcessTypeId, Program,
};
pub use reduced_set::{Advisor, Choice, ReducedSet, Taken};
pub use replay::{Replayed, Situation, replay};
pub use requirement::{Requirement, RequirementKind};
pub use run::{Run, Step};
