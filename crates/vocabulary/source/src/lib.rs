//! Source texts, places in them, and what we say about them.
//!
//! **Here:** [`Source`] (a named text), [`Span`] (a byte range in it), [`Diagnostic`] (an error or a warning
//! with places, an explanation and advice), [`read_file`] (files, no devices), [`decode`] (bytes as text), [`Digest`] (whether a text is the one it was). Every
//! language's reader reports through these types, so that the app can show all of them alike.
//!
//! **Not here:** rendering (the app's job), parsing (the languages' job).
//!
//! **Invariants:** a `Span` is a byte range `start <= end`; it may be stale or lie outside the text it is shown
//! with, so everything that slices a text by a span goes through [`Source::slice`], which never panics. What a reader says of its text has places of whole
//! letters in it ([`Diagnostics::within`]).

mod decode;
mod diagnostic;
mod digest;
mod reading;
mod suggestion;
mod text;

pub use decode::{NotText, decode, decode_in_place, decode_lossy, without_byte_order_mark};
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use digest::Digest;
pub use reading::{MOST_BYTES, open_file, read_file};
pub use suggestion::nearest;
pub use text::{Place, Source, Span};
