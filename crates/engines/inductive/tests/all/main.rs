//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod abstraction;
mod agreement;
mod glances;
mod handbook;
mod random_system;
