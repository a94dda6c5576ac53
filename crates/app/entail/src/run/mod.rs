//! The one runner: it decides the properties of any model.
//!
//! - `request`: what is asked, within which limits; what comes back.
//! - `shares`: how the time is shared out, so that no property starves the others.
//! - `attempt`: a property's schedule, one turn after the other, resumed where its last share ended.
//! - `race`: several engines at once, each in a process of its own; `worker` is the other side of it.
//! - `recheck`: evidence goes to the checker before anybody sees the verdict.
//! - `check`: all of it, and what is asked beside properties that hold.

mod attempt;
mod check;
mod race;
mod recheck;
mod request;
mod shares;
mod worker;

pub use check::{Judge, check};
pub use race::Launcher;
pub use recheck::Rechecking;
pub use request::{Decided, Failure, Fault, InternalError, Request, Scrutinizing};
pub use worker::{Assignment, serve};
