//! Source texts, places in them, and what we say about them.
//!
//! **Here:** [`Source`] (a named text), [`Span`] (a byte range in it), [`Diagnostic`] (an error or a warning
//! with places, an explanation and advice). Every language's reader reports through these types, so that the
//! app can show all of them alike.
//!
//! **Not here:** rendering (the app's job), parsing (the languages' job).
//!
//! **Invariants:** a `Span` is a byte range `start <= end`; it may be stale or lie outside the text it is shown
//! with, so everything that slices a text by a span goes through [`Source::slice`], which never panics.

mod diagnostic;
mod text;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use text::{Place, Source, Span};
