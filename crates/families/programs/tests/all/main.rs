//! The tests of this crate, in one program: it is linked once, and its tests run side by side.

mod closed_sets;
mod promela;
mod promela_beside_spin;
mod promela_distributed;
mod promela_handbook;
mod promela_language;
mod promela_machine_code;
mod promela_storage;
mod promela_verifier;
mod random_programs;
mod ranked_sets;
mod reduced_sets;
mod reduction;
mod seam;
mod search_again;
mod structure;
mod symmetry;
mod tape;
mod told;
