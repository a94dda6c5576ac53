//! PSL files (IEEE 1850) about designs in Verilog: verification units, bound to modules.
//!
//! `replicated_text.rs` writes `%for` and `%if` out, `unit.rs` reads the units, `modelling.rs` hands on what they declare themselves, `names.rs` puts in what names stand for, `layer.rs` hands Boolean expressions and clocks on to the elaborator, `bound.rs` makes checks
//! of a module of what stands in its units, `signals.rs` makes a design up where there is none; `directive.rs` hands the directives out to those who have signals of their own. Properties and sequences themselves are read by `entail_logic::psl`. A PSL file is a part of the design's text, behind all
//! others; what it becomes stands before the `endmodule` of the module, on the same line.

mod bound;
mod directive;
mod layer;
mod modelling;
mod names;
mod replicated_text;
mod signals;
#[cfg(test)]
mod tests;
mod unit;

pub(crate) use bound::{Bound, PslCheck};
pub use directive::{UnitDirective, branching, directives, meaning};
pub use layer::clock_event;
pub(crate) use layer::specification;
pub use signals::{OUTPUTS, signals};
pub use unit::Said;
pub(crate) use unit::units;

use entail_source::{Diagnostic, Span};

/// The code of errors about something that is well formed, but not read.
pub(crate) const UNSUPPORTED: &str = "psl::unsupported";

pub(crate) fn wrong(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error("psl::syntax", message, span, "here")
}

pub(crate) fn unsupported(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error(UNSUPPORTED, message, span, "here")
}
