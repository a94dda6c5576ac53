//! What an engine gives back.

use crate::{AbstractProof, Explanation, LivenessCertificate, ModalModel, Trace};
use entail_model::{TermId, Terms};
use serde::{Deserialize, Serialize};

/// The answer to "does the model satisfy the property?".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Yes.
    Holds,
    /// No.
    Fails,
    /// Not decided; the outcome's `reason` says why.
    Unknown,
}

/// How far the answer reaches.
#[derive(Clone, Debug, PartialEq)]
pub enum Guarantee {
    /// For all behaviours.
    Complete,
    /// For paths of at most so many steps.
    Bounded(u64),
    /// For the part of the state space that a lossy search has seen: estimated coverage between 0 and 1.
    Partial {
        /// Estimated share of the states seen.
        coverage: f64,
    },
}

/// The answer of a quantitative question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A number.
    Finite(u64),
    /// There is no such path, or it is unboundedly long.
    Infinite,
    /// The question has no meaning here (a longest path where no state satisfies the start or the goal).
    Undefined,
}

/// Counters worth telling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Distinct states stored.
    pub states: Option<u64>,
    /// Transitions explored.
    pub transitions: Option<u64>,
    /// Depth, iterations or bound reached.
    pub depth: Option<u64>,
    /// Largest number of decision-diagram nodes alive.
    pub peak_nodes: Option<u64>,
}

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
    /// All reachable states were searched.
    Exhaustive(Exhaustive),
    /// It holds of an abstraction with more paths.
    Abstraction(AbstractProof),
    /// An abstract model decides it.
    Modal(Box<ModalModel>),
}

/// One round of abstraction and refinement: how an answer was found, for people to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Round {
    /// What the abstraction keeps, by name: variables, predicates, signals. May be left out where they are too many.
    pub kept: Vec<String>,
    /// What of it is new in this round.
    pub added: Vec<String>,
    /// How large the abstraction is ("3 of 17 variables").
    pub size: String,
    /// What the abstract model said ("fails in 4 steps").
    pub found: String,
    /// How the abstract counterexample died, or why the answer stands.
    pub outcome: String,
    /// What the round took.
    pub seconds: f64,
}

/// An engine's answer to one property.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// How far it reaches.
    pub guarantee: Guarantee,
    /// Why it is unknown, or what else is worth knowing about the answer.
    pub reason: Option<String>,
    /// Why it should be believed. Only an unknown verdict has none.
    pub evidence: Option<Evidence>,
    /// The value of a quantitative question.
    pub value: Option<Quantity>,
    /// What the user should look at: vacuity, dead ends, no fair path.
    pub warnings: Vec<String>,
    /// Counters.
    pub statistics: Statistics,
    /// The rounds of abstraction it took; none for answers about the model itself.
    pub rounds: Vec<Round>,
}

impl Outcome {
    /// A complete answer with its evidence.
    pub fn complete(verdict: Verdict, evidence: Evidence) -> Outcome {
        Outcome {
            verdict,
            guarantee: Guarantee::Complete,
            reason: None,
            evidence: Some(evidence),
            value: None,
            warnings: Vec::new(),
            statistics: Statistics::default(),
            rounds: Vec::new(),
        }
    }

    /// No answer, and why.
    pub fn unknown(reason: impl Into<String>) -> Outcome {
        Outcome {
            verdict: Verdict::Unknown,
            guarantee: Guarantee::Complete,
            reason: Some(reason.into()),
            evidence: None,
            value: None,
            warnings: Vec::new(),
            statistics: Statistics::default(),
            rounds: Vec::new(),
        }
    }
}
