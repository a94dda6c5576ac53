//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod asking;
mod circuits;
mod coverage;
mod family;
mod linear_time_in_aiger;
mod pairs;
mod replicated;
mod slices;
mod trajectories;
mod units;
