//! How a model is to be abstracted.

use super::construction::MaySteps;
use entail_model::Abstraction;
use entail_symbolic::SymbolicOptions;

/// Which verdicts are wanted of an abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Existential abstraction: only steps that may be there. Proves formulas about all paths.
    May,
    /// Only steps that must be there. Proves formulas about some path.
    Must,
    /// Both, and a third truth value for what neither shows.
    #[default]
    ThreeValued,
}

/// Which concrete states an abstract state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum States {
    /// All that satisfy the model's invariants.
    #[default]
    All,
    /// Only the reachable ones, which are computed first.
    Reachable,
}

/// How far a new observation reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Splitting {
    /// It splits every abstract state that it can split.
    #[default]
    All,
    /// It splits only the state that is to blame.
    One,
}

/// How the model is abstracted.
#[derive(Clone, Debug)]
pub struct AbstractOptions {
    /// What is observed, in terms of the model's store.
    pub abstraction: Abstraction,
    /// Which verdicts are wanted.
    pub mode: Mode,
    /// How the relation is computed.
    pub relation: MaySteps,
    /// Which concrete states count.
    pub states: States,
    /// Whether abstract states are split when the answer is unknown. If so, the property's atoms are observed, too.
    pub refine: bool,
    /// How far a split reaches.
    pub splitting: Splitting,
    /// Settings of decision diagrams.
    pub diagrams: SymbolicOptions,
}

impl Default for AbstractOptions {
    fn default() -> AbstractOptions {
        AbstractOptions {
            abstraction: Abstraction::default(),
            mode: Mode::default(),
            relation: MaySteps::default(),
            states: States::default(),
            refine: true,
            splitting: Splitting::default(),
            diagrams: SymbolicOptions::default(),
        }
    }
}
