//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod beside_answers;
mod by_size;
mod comparing;
mod critical_parts;
mod filters;
mod functions;
mod left_out;
mod many_runs;
mod partitions;
mod questions;
mod regions;
mod sampling;
mod timed_automata;
mod value_iteration;
