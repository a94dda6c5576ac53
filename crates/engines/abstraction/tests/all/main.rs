//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod cegar_random;
mod handbook;
mod modal_mutation;
mod modal_random;
