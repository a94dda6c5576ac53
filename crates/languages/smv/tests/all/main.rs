//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod abstraction_map;
mod benchmarks;
mod branches;
mod errors;
mod psl;
mod robustness;
mod round_trip;
mod semantics;
mod support;
