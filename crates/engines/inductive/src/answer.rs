//! What the engines say about a circuit, before it is put in the words of the model.

use entail_sat::Run;

/// Latch positions with values, all of which hold at once.
pub type LatchCube = Vec<(usize, bool)>;

/// Whether a bad signal can become true.
#[derive(Clone, Debug)]
pub enum SafetyAnswer {
    /// Never: no state in any of these cubes is reachable, the complement of their union is inductive and excludes bad.
    Safe(Vec<LatchCube>),
    /// After this run.
    Unsafe(Run),
    /// Not within so many steps.
    SafeUpTo(u64),
}
