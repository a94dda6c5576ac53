//! Reports: what was decided and what families show about it, in the form that is asked for.
//!
//! **Here:** [`Report`], plain data that the app fills in; from it [`text`] for people at a terminal, [`json`] for programs, [`html`] for a
//! browser, a [`picture`], and [`saved`] evidence; the things people look at one by one: timelines as [`vcd`], [`csv`] and [`dot`], graphs as [`dot`],
//! message [`sequence`] charts, [`chart`]s, [`schedule`]s, [`table`]s; what two systems have to do with each other ([`compare`]); errors in a model's
//! text ([`diagnostics`]).
//!
//! **Not here:** any kind of system: all that is shown comes as `entail-show` data. Deciding or checking anything, reading files, writing to
//! the terminal. Every function returns a string.
//!
//! **Invariants:** nothing here claims more than the data says: a verdict that holds only up to a bound is never shown
//! without it, and evidence that was not rechecked is shown as such. Names and values are escaped for the format they go into; no control
//! character of a name reaches a terminal ([`clean()`]).

pub mod chart;
mod clean;
pub mod compare;
pub mod csv;
pub mod diagnostics;
pub mod dot;
mod drawing;
mod excerpt;
pub mod html;
pub mod json;
mod names;
pub mod picture;
mod report;
pub mod saved;
pub mod schedule;
pub mod sequence;
mod steps;
pub mod table;
pub mod text;
pub mod vcd;
mod visible;

use entail_show::View;

pub use clean::clean;
pub use names::matches;
pub use report::{AnswerReport, Report};
pub use visible::{visible, visible_in_colour, visible_json};

/// What is shown as a picture of its own; nothing where it is none.
pub fn svg(view: &View) -> Option<String> {
    match view {
        View::Chart(drawn) => Some(chart::svg(drawn)),
        View::Schedule(drawn) => Some(schedule::svg(drawn)),
        View::Drawing(drawn) => Some(drawing::svg(drawn)),
        View::Sequence(drawn) => Some(sequence::svg(drawn)),
        _ => None,
    }
}
