//! A program as a labelled transition system.

use entail_budget::Budget;
use entail_explicit::{ListingError, labelled_program};
use entail_family::{Structure, StructureError};
use entail_program::Program;

/// The structure of a program.
pub fn of(program: &Program, budget: &Budget) -> Result<Structure, StructureError> {
    let lts = labelled_program(program, budget).map_err(|error| match error {
        ListingError::Spent(spent) => StructureError::Spent(spent),
        ListingError::TooLarge(error) => StructureError::TooLarge(error),
        ListingError::Unsupported(reason) => StructureError::NotExplored(reason),
    })?;
    let note =
        "statements and messages are actions; --hide hides some, by label or by the word before its data";
    Ok(Structure {
        lts,
        notes: vec![note.to_owned()],
    })
}
