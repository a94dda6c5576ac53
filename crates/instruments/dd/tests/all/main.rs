//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod handbook_ch07;
mod limits;
mod models_and_domains;
mod operations;
mod reordering;
mod stress;
mod truth_table;
