//! The reference interpreter: which steps a state allows, and what they do.
//!
//! Everything is decoded and copied, nothing is remembered from step to step. Who may move, as SPIN's verifier has it:
//! 1. While a process has *control* (it is inside an atomic sequence), only it moves; if it cannot, control is lost and everybody may.
//! 2. Of a process, the executable edges of the smallest rank (escapes come before what they escape from) may be taken. `else` may
//!    be taken if nothing before it could, a send that needs a partner not counted.
//! 3. Where sender and receiver meet, every receiver that matches gives a step; control goes to the receiver if its edge keeps it.
//! 4. If nobody can move, `timeout` becomes true and everybody tries again.

mod evaluate;
mod event;
mod state;
mod step;

pub use evaluate::{View, evaluate};
pub use event::Event;
pub use state::{Channel, Process, State};
pub use step::{Move, can_move, moves, moves_within};
