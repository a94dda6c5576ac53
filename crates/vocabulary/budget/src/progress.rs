//! Where an engine tells how far it has come.

use std::fmt;

/// A reading of an engine's counters. Engines fill what they have; the display shows what is filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// What the engine is doing now ("reachability", "fair cycles").
    pub phase: &'static str,
    /// Breadth-first depth, unrolling bound or fixpoint iteration.
    pub depth: Option<u64>,
    /// States stored, where they are counted one by one.
    pub states: Option<u64>,
    /// States still to be expanded, or the size of the frontier.
    pub frontier: Option<u64>,
    /// Nodes of decision diagrams alive.
    pub nodes: Option<u64>,
}

impl Snapshot {
    /// The counters that are filled, by name.
    pub fn counters(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counters = [
            ("depth", self.depth),
            ("states", self.states),
            ("frontier", self.frontier),
            ("nodes", self.nodes),
        ];
        counters
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
    }
}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.phase)?;
        for (name, value) in self.counters() {
            write!(f, ", {name} {value}")?;
        }
        Ok(())
    }
}

/// Receives an engine's counters. Implementations must be cheap: engines report every few thousand steps.
pub trait Progress: Send + Sync {
    /// The engine's counters now.
    fn report(&self, snapshot: &Snapshot);

    /// From now on, reports are about a property (by its position) and an engine, or several that run at once.
    fn begin(&self, _property: usize, _engines: &str) {}

    /// Something that the user should know at once although the work goes on (a search that cannot be saved).
    fn warn(&self, _text: &str) {}
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _: &Snapshot) {}
}
