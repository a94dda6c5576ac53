//! Strategies in the game of a formula of the mu-calculus on a graph, as plain data.
//!
//! A position is a state and a node of the formula; nodes are numbered in the order in which they are written (a node before its operands, operands from left to right). Even, who
//! says that the formula is true, moves at disjunctions and `<a>`; Odd at conjunctions and `[a]`. Whoever has to move and cannot loses; a fixpoint goes on to its body and
//! a variable to its fixpoint. An infinite play is won by Even iff the outermost fixpoint that is passed again and again is a greatest one.

use crate::Player;

/// What the winner does in a position that the strategy reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormulaMove {
    /// The state.
    pub state: u32,
    /// The node of the formula.
    pub node: u32,
    /// Where the winner chooses: the number of the operand, or the state that is gone to. Elsewhere it does not matter.
    pub choice: u32,
}

/// A winning strategy: every position that can be reached when it is played, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaStrategy {
    /// Even if the formula is true in the states asked about.
    pub winner: Player,
    /// The positions.
    pub moves: Vec<FormulaMove>,
}
