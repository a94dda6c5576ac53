//! Message sequence charts: a run with the processes side by side and the messages as arrows between them. A row is a step.

mod svg;
mod text;

pub use svg::svg;
pub(crate) use svg::{embedded, is_small};
pub use text::text;
pub(crate) use text::write;
