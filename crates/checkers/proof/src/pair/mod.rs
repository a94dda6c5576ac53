//! The checker of answers about two circuits that should be equivalent.
//!
//! The engines work on one product of both circuits. That product is not believed here: *gold* and *gate* are taken as they were read, each for itself.
//! A difference is run on both by the reference evaluator ([`check_difference`], in `difference.rs`); a proof is an invariant over the registers and inputs of both,
//! and is judged on an encoding in which the two circuits only share what is paired ([`check_equivalence`], in `equivalence.rs`).
//!
//! Where X of gold are don't-cares, gold runs with 0 for each of them, and beside it goes which of its bits are known (`known.rs`): only these are compared.
//!
//! What the question is, is data: which inputs are the same, which registers without an initial value begin alike, which outputs are compared, what of gold
//! is X. A gold output that is X is equal to anything.

mod difference;
mod equivalence;
mod known;

pub use difference::{Difference, check_difference, first_difference};
pub use equivalence::{KnownProof, check_equivalence};

use entail_model::{Registers, TermId, TransitionSystem, VarId};

/// Where the value of a variable of one circuit is found among the variables of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is the value of that variable.
    Whole(VarId),
    /// Its bits, from the lowest on, are these bits of those variables.
    Bits(Vec<(VarId, u32)>),
}

/// One of the two circuits.
#[derive(Clone, Debug, Default)]
pub struct Half {
    /// What it does.
    pub system: TransitionSystem,
    /// Its registers and inputs.
    pub registers: Registers,
    /// Of each of its variables, where its value is.
    pub places: Vec<Place>,
}

/// A bit of a term of one circuit.
pub type BitOf = (TermId, u32);

/// Outputs that should be the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedOutput {
    /// What it is called.
    pub name: String,
    /// Its bits in gold, from the lowest on.
    pub gold: Vec<BitOf>,
    /// Its bits in gate: as many.
    pub gate: Vec<BitOf>,
}

/// A register of gold without an initial value that begins as the gate's registers do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tie {
    /// The register of gold.
    pub gold: VarId,
    /// The registers of gate (by their numbers there) that its bits begin as.
    pub gate: Place,
}

/// How X of gold is dealt with in proofs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DontCares {
    /// It is any value: no output differs whatever it is.
    #[default]
    AnyValue,
    /// It is X, and an output that is X is not compared. The variables of both circuits that hold the masks of registers of gold, by these.
    Masked(Vec<(VarId, VarId)>),
}

/// Two circuits, and what of them is compared.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// The circuit that is right.
    pub gold: Half,
    /// The circuit that should do the same.
    pub gate: Half,
    /// Registers that begin alike.
    pub ties: Vec<Tie>,
    /// Variables of gold that are X: sources without a name, inputs that gate does not have, and, in the first state, registers that are not tied and have no initial value.
    pub unknown: Vec<VarId>,
    /// How X of gold is dealt with in proofs.
    pub dont_cares: DontCares,
    /// What is compared.
    pub outputs: Vec<ComparedOutput>,
}
