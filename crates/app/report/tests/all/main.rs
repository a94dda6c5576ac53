//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod compare;
mod exports;
mod html_report;
mod json_report;
mod sample;
mod schema;
mod text_report;
