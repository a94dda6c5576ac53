//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod agreement;
mod alethe;
mod endless;
mod integers_in_smv;
mod maps_and_clocks_in_smv;
mod memories;
mod scripts;
mod small_domains;
