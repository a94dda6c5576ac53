//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod ch02_equivalences;
mod ch26;
mod deep;
mod lasso;
mod laws;
