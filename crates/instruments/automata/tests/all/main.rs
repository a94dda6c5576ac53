//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod algebra;
mod crosscheck;
mod formats;
mod handbook;
mod printing;
mod simplification;
mod tester;
mod translation;
