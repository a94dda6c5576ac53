//! Why a CTL* state formula is true or false in a state: a tree of paths and lassos.
//!
//! A true `E ψ` and a false `A ψ` have a path as their reason. The path shows `ψ` (or its negation) true when the maximal
//! state subformulas of `ψ` are read as atoms; where such a subformula is itself temporal, a [`Note`] at the position
//! explains it in turn. A false `E ψ` and a true `A ψ` have no finite witness: [`Because::Exhaustion`] claims that the engine
//! searched all paths, and a checker has to redo that search or leave the claim unchecked.

use crate::Trace;
use entail_logic::Formula;
use entail_model::{TermId, Value};

/// A claim about a state, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The state formula.
    pub formula: Formula<TermId>,
    /// What it is claimed to be.
    pub truth: bool,
    /// The state: values of all variables, inputs `None`.
    pub state: Vec<Option<Value>>,
    /// Why.
    pub because: Because,
}

/// The reason of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// The formula is propositional: evaluate it in the state.
    Evaluation,
    /// The formula is a Boolean combination: the truth of these operands in the same state decides it. (Enough operands are
    /// given, not necessarily all.)
    Operands(Vec<Explanation>),
    /// A path from the state: it satisfies the path formula of a true `E`, or violates that of a false `A`.
    Path(PathWitness),
    /// All paths were searched.
    Exhaustion,
}

/// A path from a state, with explanations of state subformulas along it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathWitness {
    /// The path; its first step is the state that is explained. A finite path stands for all its continuations; it is
    /// enough only where the path formula is decided by it and the last state is known to have a fair continuation.
    pub trace: Trace,
    /// Explanations of temporal state subformulas at positions of the path.
    pub notes: Vec<Note>,
}

/// An explanation at a position of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Position in the trace.
    pub position: usize,
    /// The claim about the state there.
    pub explanation: Explanation,
}

impl Explanation {
    /// Whether some part of it is the bare claim that all paths were searched.
    pub fn claims_a_search(&self) -> bool {
        match &self.because {
            Because::Exhaustion => true,
            Because::Evaluation => false,
            Because::Operands(operands) => operands.iter().any(Explanation::claims_a_search),
            Because::Path(witness) => witness
                .notes
                .iter()
                .any(|note| note.explanation.claims_a_search()),
        }
    }
}
