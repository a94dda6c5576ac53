//! BTOR2: word-level circuits with bit vectors and arrays (Niemetz, Preiner, Wolf, Biere: *Btor2, BtorMC and Boolector 3.0*, CAV 2018).
//!
//! **Here:** [`read`], from a text to [`Btor2`], a list of lines whose sorts have been checked; [`write()`], the way back; [`lower`],
//! the circuit as a transition system with its properties; BTOR2 witnesses ([`read_witnesses`], [`write_witness`]).
//!
//! **Not here:** deciding anything (engines); taking words apart into bits (`entail-sat`).
//!
//! **What a caller may rely on**
//! - Every operator of the format is known, overflow predicates and rotations included; constants may be of any width; arguments may be
//!   negated by a minus sign; a state without `next` is chosen anew at every step, one without `init` begins with any value.
//! - In a [`Btor2`], arguments refer to earlier lines, and every line has the sort it says it has.
//! - No input makes the reader panic. Its memory is bounded by the file's length: constants are the only large values, and they are written out.

mod circuit;
mod lower;
mod memory;
mod numeral;
mod operation;
mod operator;
mod reader;
mod result_sort;
mod tokens;
mod witness;
mod write;

pub use circuit::{Argument, BitSort, Btor2, LineIndex, Node};
pub use entail_model::{Claim, Witness, WitnessError};
pub use lower::{Btor2Model, lower};
pub use memory::has_large_memory;
pub use operator::Operator;
pub use reader::read;
pub use witness::{WitnessFrame, read_witnesses, write_witness};
pub use write::write;
