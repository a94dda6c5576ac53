//! How searches for violations of safety end.

use crate::program::store::Refusal;
use entail_answer::Statistics;
use entail_budget::Spent;
use entail_program::Fault;

/// How a search ended.
#[derive(Debug)]
pub enum Ending {
    /// All states were seen.
    Finished,
    /// Something goes wrong.
    Violation(Violation),
    /// Time or memory is spent.
    Spent(Spent),
    /// There are more states than can be numbered.
    TooMany,
    /// There is no memory for a storage of so many bytes.
    NoMemory(u64),
    /// A file could not be used: which, and why.
    File(&'static str, std::io::Error),
    /// All was seen that can be reached with so many changes of the moving process; there is more.
    Bound(u32),
}

impl Ending {
    /// Something goes wrong before there is an initial state.
    pub fn no_beginning(fault: Fault) -> Ending {
        Ending::Violation(Violation {
            path: Vec::new(),
            fault: Some(fault),
        })
    }
}

impl From<std::io::Error> for Ending {
    fn from(error: std::io::Error) -> Ending {
        Ending::File("a temporary file", error)
    }
}

impl From<Spent> for Ending {
    fn from(spent: Spent) -> Ending {
        Ending::Spent(spent)
    }
}

impl From<Refusal> for Ending {
    fn from(_: Refusal) -> Ending {
        Ending::TooMany
    }
}

/// Something that goes wrong.
#[derive(Debug)]
pub struct Violation {
    /// The states from the initial one to the last; empty if there is no initial state.
    pub path: Vec<Vec<u8>>,
    /// What goes wrong in a step from the last state; none if the model must not stop there.
    pub fault: Option<Fault>,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    /// Some atomic sequence can go on for ever.
    pub diverges: bool,
}

impl Counts {
    /// The same as an answer's counters.
    pub fn statistics(self) -> Statistics {
        Statistics::default()
            .with("states", self.states)
            .with("transitions", self.transitions)
            .with("depth", self.depth)
    }

    /// Adds what another thread has counted.
    pub fn add(&mut self, other: Counts) {
        self.states += other.states;
        self.transitions += other.transitions;
        self.depth = self.depth.max(other.depth);
        self.diverges |= other.diverges;
    }
}
