//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod ch02;
mod ch26;
mod ch31;
mod ctl;
mod mu_laws;
mod reference;
