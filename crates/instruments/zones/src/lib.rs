//! Zones: convex sets of clock values, as difference-bound matrices.
//!
//! **Here:** [`Bound`] (a bound on a difference, packed), [`Zone`] with what forward and backward exploration need, [`Federation`] (unions of zones), [`PricedZone`] (zones with costs), [`Extrapolation`] (ExtraM, M+, LU, LU+),
//! [`covers`] (inclusion up to LU-simulation).
//!
//! **Not here:** automata, search.
//!
//! **Invariants:** a [`Zone`] that is not empty is closed (every entry is the tightest), so that inclusion and equality of zones are comparisons of entries; clock 0 is the
//! reference clock. Finite bounds stay below [`Bound::MOST`] in size: whoever explores asks [`Zone::is_huge`] after each step and extrapolates what grew beyond.

mod apart;
mod bound;
mod cover;
mod extrapolation;
mod federation;
mod priced;
mod zone;

pub use bound::Bound;
pub use cover::{covers, covers_by_rows, is_subset};
pub use extrapolation::{Extrapolation, LowerUpper};
pub use federation::{Federation, is_covered};
pub use priced::{Least, PricedZone, least};
pub use zone::Zone;
