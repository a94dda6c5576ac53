//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod operators;
mod reading;
