//! PGSolver's format of parity games and of their solutions.
//!
//! **Here:** [`read`] for games (`.pg`, `.gm`), [`read_solution`] for solutions, and the printers of both.
//!
//! ```text
//! parity 4;                       optional: the highest identifier (PGSolver), or the number of vertices (Oink)
//! start 2;                        optional: the vertex that matters most
//! 0 6 1 4,2 "Africa";             identifier, priority, owner (0: even, 1: odd), successors, a name if you like
//! paritysol 4;                    of solutions: the same header
//! 0 1 2;                          identifier, winner, and the winner's move where the vertex is the winner's
//! ```
//!
//! Identifiers may have gaps and come in any order; vertices are numbered by ascending identifier. White space may stand anywhere between tokens.
//! What neither program reads is refused: a vertex without successors, one that is defined twice, a successor that is not defined, a priority above
//! 2³¹ − 1, an identifier beyond the header's.
//!
//! **Not here:** what is done with games. Compressed files are unpacked before they come here.
//!
//! **Invariant:** the reader never panics, and allocates no more than a constant times what it reads, whatever the header says.

mod print;
mod read;
mod scanner;
mod solution;

pub use print::{print_game, print_solution};
pub use read::{PgGame, looks_like_game, read};
pub use solution::{looks_like_solution, read_solution};
