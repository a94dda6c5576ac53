//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod compare;
mod formulas;
mod game;
mod mutation;
mod partitions;
mod reference;
