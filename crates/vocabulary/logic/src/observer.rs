//! Automata that read infinite words of conditions, as plain data: what an engine is handed to write evidence for, and nothing that makes or decides them.

/// A step of an observer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObserverEdge {
    /// The conditions that it looks at, by number, and the value each must have. It may be taken where all have theirs.
    pub literals: Vec<(usize, bool)>,
    /// The position it leads to.
    pub target: u16,
    /// The marks that are met, as a set of bits.
    pub marks: u64,
}

/// A nondeterministic automaton: it begins at position 0, and before each step of the system takes an edge that suits the state at hand. A run is accepted if it can do so for ever, meeting every
/// mark infinitely often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observer {
    /// The edges of each position.
    pub positions: Vec<Vec<ObserverEdge>>,
    /// Number of marks, at most 64.
    pub marks: u32,
}

impl Observer {
    /// The conditions that it looks at, in ascending order.
    pub fn conditions(&self) -> Vec<usize> {
        let edges = self.positions.iter().flatten();
        let mut conditions: Vec<usize> = edges
            .flat_map(|edge| edge.literals.iter().map(|(condition, _)| *condition))
            .collect();
        conditions.sort_unstable();
        conditions.dedup();
        conditions
    }
}
