//! Why a bound on a probability is violated, small enough to look at: the most probable paths, and a part of the model that is enough by itself.

use crate::bracket::Bracket;
use serde::{Deserialize, Serialize};

/// A path from the initial state to a goal, of a chain or of the chain that a scheduler makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LikelyPath {
    /// Its states, in the numbers of the reference interpreter.
    pub states: Vec<u32>,
    /// The product of its probabilities, as a fraction.
    pub probability: String,
}

/// What shows that a probability is too great.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Critical {
    /// Paths that fulfil the formula, the most probable first.
    pub paths: Vec<LikelyPath>,
    /// States, in increasing order, among which alone the bound is violated already.
    pub states: Vec<u32>,
    /// The choice that is taken in each of these states, where there are choices; otherwise empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<u32>,
    /// The certificate of that: values of the probability to reach the goal without leaving these states.
    pub bracket: Bracket,
}

impl Critical {
    /// The position of the choice that is taken in a state.
    pub fn choice(&self, state: u32) -> usize {
        let own = self.states.binary_search(&state).ok().and_then(|at| self.choices.get(at));
        own.map_or(0, |&choice| choice as usize)
    }
}
