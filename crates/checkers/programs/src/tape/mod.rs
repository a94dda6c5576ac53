//! A second interpreter, for passes over many states: it means what the reference interpreter means, and is made to be fast.
//!
//! A state is one row of numbers. Processes and their channels begin and end in stacking order (only the youngest process ends, and its channels with it), so their records lie one after the other, and starting or ending a
//! process changes the end of the row only. A step copies the row once and changes the copy; rows are used again. Expressions are evaluated on the program's own syntax. No engine has or knows this code;
//! `tests/tape.rs` holds it against the reference interpreter, state by state and step by step.
//!
//! - `row`: the row, and its form as bytes;
//! - `value`: expressions;
//! - `act`: what actions do;
//! - `moves`: who can move, and what comes of it.
//!
//! **Not kept:** variables that are no part of the state. Whoever uses this has found out that nothing is computed from them (`unseen`).

mod act;
mod moves;
mod row;
mod value;

pub use moves::{Moves, Small, can_move, moves};
pub use row::{Filling, Row};
pub use value::{Eye, evaluate};
