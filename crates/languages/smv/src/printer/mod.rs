//! Any finite transition system as a flat SMV model that NuSMV accepts.
//!
//! One module `main`; every variable keeps its full name (`p.x`, `a[3]`), shared subterms become defines. A conjunct
//! `next(x) = e` whose value provably stays in the domain of `x` is written as an assignment, everything else as a
//! constraint. A hazard becomes a `case` that fails exactly when the hazard happens. What SMV cannot say (arrays as
//! values, formulas beyond CTL and LTL) is refused or left as a comment, never approximated.

mod name;
mod section;
mod term;

use entail_logic::Property;
use entail_model::{TermId, TransitionSystem};

/// Why a system cannot be written in SMV.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrintError {
    /// A variable or term has an array sort.
    #[error("SMV has no array values, but `{0}` is one")]
    Array(String),
}

/// Writes a system and its properties.
pub fn print(system: &TransitionSystem, properties: &[Property<TermId>]) -> Result<String, PrintError> {
    section::model(system, properties)
}

/// A term in SMV syntax, for messages; long ones are cut.
pub fn print_term(system: &TransitionSystem, term: TermId) -> String {
    term::short(system, term)
}
