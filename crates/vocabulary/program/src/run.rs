//! Runs as plain data: which process took which edge.

/// One step: a process takes an edge; where sender and receiver meet, the receiver takes one too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The number of the process.
    pub process: u8,
    /// The position of its edge in its location.
    pub edge: u16,
    /// The receiver's number and edge, if the step is a meeting.
    pub receiver: Option<(u8, u16)>,
}

/// A run from the initial state: its steps, and where it goes on after the last, if it is infinite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The steps.
    pub steps: Vec<Step>,
    /// The run returns to the state before this step. If it is the number of steps, the last state is repeated for ever.
    pub loop_start: Option<usize>,
}
