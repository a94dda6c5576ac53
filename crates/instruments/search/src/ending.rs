//! How searches end.

use crate::options::WalkOptions;
use crate::store::Refusal;
use crate::store::StateNumber;
use entail_budget::Spent;

/// How a search ended.
#[derive(Debug)]
pub enum Ending<F> {
    /// All states were seen.
    Finished,
    /// Something goes wrong.
    Violation(Violation<F>),
    /// Time or memory is spent.
    Spent(Spent),
    /// There are more states than can be numbered.
    TooMany,
    /// There is no memory for a storage of so many bytes.
    NoMemory(u64),
    /// A file could not be used: which, and why.
    File(&'static str, std::io::Error),
    /// All was seen that can be reached with so many changes of the moving group; there is more.
    ContextBound(u32),
    /// All was seen that can be reached in so many steps; there is more.
    DepthBound(u64),
    /// So many random paths of at most so many steps were taken.
    Walked(WalkOptions),
    /// This combination of options is not supported; the sentence says which.
    Refused(&'static str),
}

impl<F> From<std::io::Error> for Ending<F> {
    fn from(error: std::io::Error) -> Ending<F> {
        Ending::File("a temporary file", error)
    }
}

impl<F> From<Spent> for Ending<F> {
    fn from(spent: Spent) -> Ending<F> {
        Ending::Spent(spent)
    }
}

impl<F> From<Refusal> for Ending<F> {
    fn from(_: Refusal) -> Ending<F> {
        Ending::TooMany
    }
}

impl<F> Ending<F> {
    /// Why a search says nothing about all states, as a sentence for the user; nothing if it was finished, or found what it looked for.
    pub fn reason(&self) -> Option<String> {
        Some(match self {
            Ending::Finished | Ending::Violation(_) => return None,
            Ending::Spent(spent) => spent.to_string(),
            Ending::TooMany => "there are more states than can be numbered".into(),
            Ending::NoMemory(bytes) => format!("there is no memory for a storage of {bytes} bytes"),
            Ending::File(file, error) => format!("{file} cannot be used: {error}"),
            Ending::Refused(reason) => (*reason).into(),
            Ending::ContextBound(changes) => format!(
                "no violation with at most {changes} changes of the moving process; runs with more were not searched"
            ),
            Ending::Walked(walks) => format!(
                "no violation on {} random paths of at most {} steps; others were not looked at",
                walks.count, walks.length
            ),
            Ending::DepthBound(steps) => {
                format!("no violation in at most {steps} steps; longer runs were not searched")
            }
        })
    }
}

/// Something that goes wrong.
#[derive(Clone, Debug)]
pub struct Violation<F> {
    /// The states from an initial one to the last; empty if something goes wrong before there is one.
    pub path: Vec<Vec<u8>>,
    /// What goes wrong.
    pub cause: Cause<F>,
}

/// What goes wrong at the end of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause<F> {
    /// A step from the last state.
    Step(F),
    /// The last state itself.
    State(F),
    /// The system must not stop in the last state, and has no step there.
    End,
}

impl<F> Cause<F> {
    /// The flaw, where there is one.
    pub fn flaw(&self) -> Option<&F> {
        match self {
            Cause::Step(flaw) | Cause::State(flaw) => Some(flaw),
            Cause::End => None,
        }
    }
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// States.
    pub states: u64,
    /// Steps.
    pub transitions: u64,
    /// Steps to the most distant state.
    pub depth: u64,
    /// Something can go on for ever without coming to another state.
    pub diverges: bool,
    /// Of the states without successors, the one with the least number, where states are kept.
    pub dead_end: Option<StateNumber>,
}

impl Counts {
    /// Adds what another thread has counted.
    pub fn add(&mut self, other: Counts) {
        self.states += other.states;
        self.transitions += other.transitions;
        self.depth = self.depth.max(other.depth);
        self.diverges |= other.diverges;
        self.note_end(other.dead_end);
    }

    /// Notes a state without successors.
    #[inline]
    pub(crate) fn note_end(&mut self, state: Option<StateNumber>) {
        self.dead_end = match (self.dead_end, state) {
            (Some(known), Some(other)) => Some(known.min(other)),
            (known, other) => known.or(other),
        };
    }
}
