//! Markov models that are written down state by state: Storm's DRN, PRISM's explicit files, and UMB archives.
//!
//! **Here:** [`read_drn`], [`read_transitions`] with the files beside it ([`Beside`]); the network that a [`Table`] stands for; archives of tables, read and
//! written ([`read_umb`], [`write_umb`]).
//!
//! **Not here:** writing texts (the family writes what its networks mean), properties, anything that decides.
//!
//! **Invariants:** no text makes the readers panic or reserve memory that its own length does not justify; errors have places. Parameters,
//! intervals, observations and players are refused by name.

mod drn;
mod network;
mod prism_files;
mod table;
mod umb;
mod words;

pub use drn::read_drn;
pub use prism_files::{Beside, read_beside, read_transitions};
pub use table::{Choice, Earned, Outcome, State, Table};
pub use umb::{Umb, read_umb, write_umb};
