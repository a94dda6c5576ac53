//! The game of two players on two systems (Stirling 1996; for branching bisimulation de Frutos-Escrig, Keiren, Willemse 2017).
//!
//! A position is a state of each system. *Spoiler* makes a step in one of them, in simulation games always in the first;
//! *Duplicator* answers with the same action in the other. Who cannot answer, or ends in a state that looks different, loses; a play
//! that goes on for ever is won by Duplicator. If the systems are related, Duplicator can always stay inside the relation; if they
//! are not, the formula that tells them apart is a strategy for Spoiler.
//!
//! Where hidden steps do not count, Duplicator may take some before the answer, and may answer a hidden step by standing still. Spoiler
//! may then go on from any state that Duplicator passed, with the own step taken back.

mod duplicator;
mod spoiler;

pub use duplicator::Duplicator;
pub use spoiler::{Spoiler, Turn, Won};

use entail_evidence::equivalence::Side;
use entail_model::{ActionId, StateId};

/// A step of one system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The system.
    pub side: Side,
    /// The states from where it is made: hidden steps lead from each to the next.
    pub path: Vec<StateId>,
    /// The action, by its number in that system, and where it leads. None: standing still.
    pub step: Option<(ActionId, StateId)>,
    /// Hidden steps after it (weak bisimulation): where they end.
    pub rest: Option<StateId>,
}

impl Move {
    /// Where it ends.
    pub fn end(&self) -> Option<StateId> {
        let step = self.step.map(|(_, to)| to);
        self.rest.or(step).or(self.path.last().copied())
    }
}
