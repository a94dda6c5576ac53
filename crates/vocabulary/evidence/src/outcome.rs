//! What an engine gives back.

use crate::{AbstractProof, Because, Explanation, FixpointProof, LivenessCertificate, ModalModel, Trace};
use entail_answer::{Answer, ClosedSet, RankedSet};
use entail_model::{TermId, Terms};

/// An inductive invariant in a store of its own (variables numbered as the system's): it holds initially, is kept by every
/// step, and implies the property.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The terms of the formula.
    pub terms: Terms,
    /// The invariant, over current state variables. Where it reads inputs, it is claimed for all of them.
    pub invariant: TermId,
}

impl Certificate {
    /// Whether the other is the same formula, built in the same way.
    pub fn is_same(&self, other: &Certificate) -> bool {
        self.invariant == other.invariant
            && self.terms.len() == other.terms.len()
            && self.terms.cone(&[self.invariant]).into_iter().all(|term| {
                self.terms.op(term) == other.terms.op(term)
                    && self.terms.sort(term) == other.terms.sort(term)
                    && self.terms.operands(term) == other.terms.operands(term)
            })
    }
}

/// The claim that a search has seen every reachable state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhaustive {
    /// How many states are reachable.
    pub states: u64,
    /// Number of states in which the subject of the question was found true, where that is meaningful (for a
    /// formula: reachable states that satisfy it).
    pub satisfying: Option<u64>,
    /// What was searched.
    pub searched: Searched,
}

/// What the states of an exhaustive search are states of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Searched {
    /// The model.
    #[default]
    Model,
    /// The model's cone of influence for the property ([`entail_model::cone_of_influence`]).
    Cone,
}

/// Why a verdict should be believed. Plain data.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// A path whose last state (or step) violates an invariant, or which has the length that was asked for.
    Trace(Trace),
    /// A tree of paths and lassos for a CTL* formula.
    Explanation(Explanation),
    /// An inductive invariant.
    Invariant(Certificate),
    /// A bound on how often fairness is met on paths that violate a formula `A ψ`.
    Liveness(LivenessCertificate),
    /// Sets of states with ranks for the operators of a formula.
    Fixpoints(Box<FixpointProof>),
    /// All reachable states, and perhaps more, written by [`crate::encode_state`]: no step leaves them, and an invariant is true in each.
    Closed(ClosedSet),
    /// States with positions of the automaton of the paths that violate a formula `A ψ`, and ranks: no such path is just.
    Ranked(RankedSet),
    /// All reachable states were searched.
    Exhaustive(Exhaustive),
    /// It holds of an abstraction with more paths.
    Abstraction(AbstractProof),
    /// An abstract model decides it.
    Modal(Box<ModalModel>),
}

/// An engine's answer to one property of a transition system.
pub type Outcome = Answer<Evidence>;

impl entail_answer::Evidence for Evidence {
    fn kind(&self) -> &'static str {
        match self {
            Evidence::Trace(trace) => trace.kind(),
            Evidence::Explanation(tree) => match &tree.because {
                Because::Path(witness) if witness.notes.is_empty() => witness.trace.kind(),
                _ => "tree",
            },
            Evidence::Exhaustive(_) => "exhaustive",
            Evidence::Invariant(_) => "invariant",
            Evidence::Liveness(_) => "k-liveness",
            Evidence::Fixpoints(_) => "fixpoints",
            Evidence::Closed(_) => "closed-set",
            Evidence::Ranked(_) => "ranked-set",
            Evidence::Abstraction(_) => "abstraction",
            Evidence::Modal(_) => "modal",
        }
    }

    fn is_search_claim(&self) -> bool {
        match self {
            Evidence::Exhaustive(_) => true,
            Evidence::Explanation(tree) => tree.claims_a_search(),
            _ => false,
        }
    }

    fn is_bare_search_claim(&self) -> bool {
        match self {
            Evidence::Exhaustive(_) => true,
            Evidence::Explanation(tree) => matches!(tree.because, Because::Exhaustion),
            _ => false,
        }
    }
}
