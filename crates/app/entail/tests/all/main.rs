//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod asked;
mod damaged_evidence;
mod random_smv;
mod smv_beside_nusmv;
mod smv_conversions;
mod smv_engines;
mod smv_reported;
mod twins;
