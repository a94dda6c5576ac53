//! Diagrams as text: DOT for Graphviz, SVG for browsers and reports, DDDMP for other packages.
//!
//! Lo branches are dashed and hi branches solid, as in the books. A drawing can show the complement edges as they
//! are stored (a ring at the head), or the plain diagram with two leaves that textbooks show.

mod dddmp;
mod dot;
mod picture;
mod svg;

pub use dddmp::to_dddmp;
pub use dot::to_dot;
pub use picture::Drawing;
pub use svg::to_svg;
