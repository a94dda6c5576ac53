//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod beside_answers;
mod by_size;
mod filters;
mod functions;
mod left_out;
mod questions;
mod regions;
mod sampling;
mod timed_automata;
