//! Reports: what was decided, in the form somebody can use.
//!
//! **Here:** [`Report`], plain data that the app fills in; from it [`text`] for people at a terminal, [`json`] for programs,
//! [`html`] for a browser; traces as [`vcd`], [`dot`] and message sequence [`chart`]s; errors in a model's text ([`diagnostics`]);
//! control characters made [`visible`].
//!
//! **Not here:** deciding or checking anything, reading files, writing to the terminal. Every function returns a string.
//!
//! **Invariants:** nothing here claims more than the data says: a verdict that holds only up to a bound is never shown
//! without it, and evidence that was not rechecked is shown as such. Names and values are escaped for the format they go into.

pub mod chart;
pub mod compare;
pub mod diagnostics;
pub mod dot;
mod excerpt;
pub mod html;
pub mod json;
pub mod program;
pub mod program_dot;
mod report;
mod signals;
pub mod text;
pub mod vcd;
mod violated;
mod visible;

pub use report::{InternalReport, ModelReport, PropertyReport, Report};
pub use signals::{Signal, SignalKind, SignalTable};
pub use visible::{visible, visible_in_colour, visible_json};
