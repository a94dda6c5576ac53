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
        }
    }
}
