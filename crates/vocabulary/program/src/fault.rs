//! What can go wrong while a program runs.

/// A mistake of the program that shows at run time. Like a violated assertion, it refutes safety, unless something else is said.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Fault {
    /// An assertion is false.
    #[error("assertion violated")]
    Assertion,
    /// A message is sent or received that the event trace does not allow now.
    #[error("no event of the trace matches")]
    NoMatchingEvent,
    /// All events happened that a `notrace` forbids.
    #[error("all events of the notrace have happened")]
    AllEventsMatched,
    /// Two events of a trace match at the same time.
    #[error("two events of the trace match: a trace must be deterministic")]
    AmbiguousEvent,
    /// An index is outside its array.
    #[error("index {index} is outside an array of length {length}")]
    Index {
        /// The value.
        index: i32,
        /// The length of the array.
        length: u32,
    },
    /// Division by zero, or the remainder of one.
    #[error("division by zero")]
    DivisionByZero,
    /// A channel variable holds no channel.
    #[error("reference to an uninitialized channel")]
    NoChannel,
    /// The number of fields is not the channel's.
    #[error("the message has {given} fields, the channel's have {expected}")]
    Fields {
        /// Fields given.
        given: usize,
        /// Fields of the channel.
        expected: usize,
    },
    /// A rendezvous channel cannot be looked into.
    #[error("a rendezvous channel cannot be polled")]
    PolledRendezvous,
    /// A deterministic sequence blocks after its first step.
    #[error("a d_step blocks after its first statement")]
    BlockedInside,
    /// No process where one is referred to.
    #[error("reference to a process that does not exist")]
    NoProcess,
    /// Too many processes.
    #[error("more than 255 processes")]
    TooManyProcesses,
    /// Too many channels.
    #[error("more than 255 channels")]
    TooManyChannels,
    /// A deterministic sequence comes back to where it was, and goes on so for ever. That refutes nothing: there is no state after it.
    #[error("a d_step never ends")]
    Endless,
    /// A deterministic sequence takes more steps than are wanted.
    #[error("a d_step takes more than {0} steps")]
    TooLong(u64),
    /// A priority outside 1 to 255.
    #[error("priority {0} is outside 1..255")]
    Priority(i32),
}

impl Fault {
    /// Whether a run that ends so violates safety.
    pub fn refutes(&self) -> bool {
        !matches!(self, Fault::Endless | Fault::TooLong(_))
    }
}
