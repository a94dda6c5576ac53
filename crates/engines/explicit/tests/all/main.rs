//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod actors;
mod contract;
mod handbook;
mod kill_and_resume;
mod random_models;
mod reference;
mod rust_models;
mod state_sets;
