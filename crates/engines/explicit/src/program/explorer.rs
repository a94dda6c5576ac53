//! What searches know of a model.
//!
//! States are byte strings. A [`Model`] is shared by all threads; each has an [`Explorer`] of its own, which may keep what it needs between states. The searches are
//! generic in the model, so that nothing is called through a pointer where states are made.

use super::reduction::{ProcessSet, Reducer};
use super::steps::action::Compiled;
use super::steps::space::{Space, Successors};
use entail_budget::{Budget, Spent};
use entail_program::Fault;

/// A model whose states can be searched.
pub trait Model: Sync {
    /// What a thread explores it with.
    type Explorer<'m>: Explorer
    where
        Self: 'm;

    /// Another explorer, which watches a budget.
    fn explorer<'m>(&'m self, budget: &'m Budget) -> Self::Explorer<'m>;

    /// The initial state, or what goes wrong before there is one.
    fn initial(&self) -> Result<Vec<u8>, Fault>;
}

/// What a thread explores a model with.
pub trait Explorer: Send {
    /// All successors of a state, always in the same order.
    fn expand(&mut self, state: &[u8], out: &mut Successors) -> Result<(), Spent>;

    /// Sets of processes whose steps suffice in the state that was expanded last, those with the fewest steps first: their sizes, and they.
    /// There may be none.
    fn choices(&mut self, out: &Successors) -> &[(usize, ProcessSet)];

    /// Whether the model may stop in a state that has no successors.
    fn is_valid_end(&mut self, state: &[u8]) -> bool;
}

/// A program of communicating processes.
pub struct ProgramSteps<'p> {
    pub compiled: &'p Compiled,
    pub reducer: Option<Reducer>,
}

/// What a thread explores a program with.
pub struct ProgramExplorer<'m> {
    space: Space<'m>,
    reducer: Option<Reducer>,
}

impl Model for ProgramSteps<'_> {
    type Explorer<'m>
        = ProgramExplorer<'m>
    where
        Self: 'm;

    fn explorer<'m>(&'m self, budget: &'m Budget) -> ProgramExplorer<'m> {
        ProgramExplorer {
            space: Space::new(self.compiled, budget),
            reducer: self.reducer.clone(),
        }
    }

    fn initial(&self) -> Result<Vec<u8>, Fault> {
        self.compiled.initial().map(|state| state.bytes)
    }
}

impl Explorer for ProgramExplorer<'_> {
    fn expand(&mut self, state: &[u8], out: &mut Successors) -> Result<(), Spent> {
        self.space.expand(state, out)
    }

    fn choices(&mut self, out: &Successors) -> &[(usize, ProcessSet)] {
        match &mut self.reducer {
            Some(reducer) => reducer.choices(self.space.compiled, self.space.entered(), out),
            None => &[],
        }
    }

    fn is_valid_end(&mut self, state: &[u8]) -> bool {
        self.space.is_valid_end(state)
    }
}
