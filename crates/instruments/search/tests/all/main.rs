//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod covering_and_walks;
mod random_systems;
mod random_watchers;
mod sleep_sets;
