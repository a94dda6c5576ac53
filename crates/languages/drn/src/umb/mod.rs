//! UMB, the binary format that PRISM 4.10 and Storm 2.0 share: an archive with an index in JSON and a file for each vector.
//!
//! ```text
//! index.json                               kind, counts, types, annotations, variables
//! state-to-choices.bin                     where the choices of each state begin, and one past the last (absent: one choice a state)
//! choice-to-branches.bin                   the same for the branches of choices
//! branch-to-target.bin, branch-to-probability.bin
//! state-is-initial.bin, state-is-markovian.bin, state-to-exit-rate.bin
//! actions/choices/{values,strings,string-mapping}.bin
//! annotations/{aps,rewards}/NAME/{states,choices,branches}/values.bin
//! valuations/states/valuations.bin         values of variables, packed bit by bit
//! ```
//! Numbers are little-endian. Doubles are read as the shortest decimals that they are the nearest doubles of, as in text formats; fractions are read
//! and written exactly.
//!
//! **Invariants of the reader:** nothing is written to disk; no count of the index is believed before a file of that length was found; an archive that
//! unpacks to more than [`entail_source::MOST_BYTES`] is refused, and so are names that leave the archive.

mod archive;
mod index;
mod numbers;
mod read;
mod valuations;
mod write;

pub use read::{Umb, read_umb};
pub use write::write_umb;
