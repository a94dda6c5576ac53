//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod comparing;
mod converting;
mod meaning;
mod statistical;
mod symmetry;
mod uppaal;
mod zones_and_regions;
