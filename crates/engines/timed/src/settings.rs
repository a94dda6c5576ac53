//! How a search goes about it. Verdicts do not depend on it.

use entail_zones::Extrapolation;

/// Where clock constants hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bounds {
    /// The same constants at all locations.
    Global,
    /// Constants by location, from static analysis.
    #[default]
    Local,
}

/// When a symbolic state makes another superfluous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Covering {
    /// Its zone contains the other's.
    Inclusion,
    /// Its zone simulates the other's, by largest constants.
    Am,
    /// Its zone simulates the other's, by lower and upper constants.
    #[default]
    Alu,
}

/// In which order symbolic states are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// First come, first served.
    #[default]
    Breadth,
    /// Last come, first served.
    Depth,
    /// At random, from this seed.
    Random(u64),
    /// Large zones first (Herbreteau, Tran 2015).
    Rank,
}

/// What is kept of the zones that were met at a discrete state. It matters for what is reachable only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// All that are not superfluous.
    #[default]
    All,
    /// Their convex hull: larger than what is reachable.
    Hull,
    /// Two bits of a table of 2^n bits for each: some may be taken for others.
    Bits(u32),
}

/// How time passes in a search for what is reachable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Time {
    /// In all processes together.
    #[default]
    Global,
    /// In each process on its own; those that move together agree about it.
    Local,
}

/// How many zones the attempts at a question about cycles may have that come before those that go to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempts {
    /// A depth-first search that enters the last successors first.
    pub last_first: usize,
    /// A search breadth first, and the depth-first searches that begin at its zones together.
    pub around: usize,
    /// A covering search, on all threads together.
    pub covering: usize,
    /// A depth-first search that enters the first successors first. That is the order in which edges are written, which is mostly towards a goal.
    pub first_first: usize,
}

impl Default for Attempts {
    fn default() -> Attempts {
        Attempts {
            last_first: 20_000,
            around: 20_000,
            covering: 100_000,
            first_first: 100_000,
        }
    }
}

/// How a search goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Makes zones larger; by default only where entries grow out of range.
    pub extrapolation: Option<Extrapolation>,
    /// Where constants hold.
    pub bounds: Bounds,
    /// When a symbolic state is superfluous.
    pub covering: Covering,
    /// In which order symbolic states are expanded.
    pub order: Order,
    /// Threads that look for reachable states.
    pub threads: usize,
    /// Whether states that differ by a permutation of scalars are explored once, where that is shown to change nothing.
    pub symmetry: bool,
    /// What is kept of zones.
    pub storage: Storage,
    /// How time passes.
    pub time: Time,
    /// What is tried first where cycles are looked for.
    pub attempts: Attempts,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            extrapolation: None,
            bounds: Bounds::default(),
            covering: Covering::default(),
            order: Order::default(),
            threads: 1,
            symmetry: true,
            storage: Storage::default(),
            time: Time::default(),
            attempts: Attempts::default(),
        }
    }
}
