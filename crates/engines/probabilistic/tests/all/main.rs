//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod certificates;
mod earned_in_time;
mod fairness;
mod likeness;
mod long_run_averages;
mod paths;
mod random_models;
mod random_time;
mod sampling;
mod schedulers;
mod several_objectives;
mod support;
mod symbolic;
mod together;
