//! Why no state of any system satisfies a formula of the mu-calculus, as plain data.
//!
//! Suppose a state satisfies some nodes of a formula, its *duties* (nodes are numbered in the order in which they are written). It then has a way to do so: an operand for every disjunction among
//! its duties and what they come down to. That way ends at literals and modalities. If the literals do not contradict each other, a modality `<A> f` among them is picked: for some
//! action of `A` there is a successor, whose duties are `f` and the operands of all `[B] g` with that action in `B`. And so on; a *trace* is a sequence of nodes, each of which became a duty because of the one
//! before. The nodes are refuted if in every infinite sequence of states that can arise some trace passes a least fixpoint again and again, and no fixpoint around it.
//!
//! Actions are numbers: those that the formula names, in the order of their names, and one more for all others.

/// Sets of duties that no state has, beginning with that of the whole formula.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FormulaRefutation {
    /// The sets; the first is that of the whole formula.
    pub sets: Vec<RefutedSet>,
}

/// A set of duties that no state has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefutedSet {
    /// The nodes of the formula, in order.
    pub duties: Vec<u32>,
    /// What is picked for the ways to satisfy the duties.
    pub replies: Vec<Reply>,
}

/// A modality that is picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The ways that it is picked for: those with all these traces, from a duty to a modality, with the outermost fixpoint that is passed in between.
    pub traces: Vec<(u32, u32, Option<u32>)>,
    /// The modality `<A> f`.
    pub picked: u32,
    /// For each action of `A`, the set that refutes the successor.
    pub next: Vec<(u32, u32)>,
}
