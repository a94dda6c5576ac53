//! What is asked about a program.

use crate::program::ProcessTypeId;
use entail_logic::Formula;

/// A question about the runs of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequirementKind {
    /// No assertion fails, nothing else goes wrong, and whoever stops does so at an end location.
    Safety,
    /// On every infinite run (finite ones repeat their last state) the formula holds; atoms are positions in
    /// [`crate::Program::conditions`].
    Always(Formula<usize>),
    /// The claim, a process type whose edges are guards, neither reaches its end nor passes infinitely often through an accepting
    /// location when it takes one edge before every step of the program.
    NeverClaim(ProcessTypeId),
    /// No run passes infinitely often through accepting locations.
    NoAcceptanceCycle,
    /// Every infinite run passes infinitely often through progress locations.
    Progress,
}

/// A question with what its author calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its text.
    pub text: String,
    /// What is asked.
    pub question: RequirementKind,
}
