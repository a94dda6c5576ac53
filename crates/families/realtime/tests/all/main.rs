//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod comparing;
mod converting;
mod energy_text;
mod matrices;
mod meaning;
mod saved_options;
mod statistical;
mod symmetry;
mod uppaal;
mod uppaal_language;
mod zones_and_regions;
