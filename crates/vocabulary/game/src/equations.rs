//! Boolean equation systems, and how they are games.
//!
//! `mu X = Y & Z; nu Y = X | Y; …`: an ordered list of equations over Boolean variables, monotone, each marked as least or greatest; an earlier equation is further out, as in nested fixpoints
//! (Mader 1997; the handbook's hierarchical systems, chapter 26). The solution is unique. Consecutive equations of the same mark form a block, which is a vectorial fixpoint.
//!
//! The game: positions are variables and nodes of right-hand sides. A variable leads to its right-hand side, a node to its operands, an occurrence of a variable to the variable. Even, who says *true*,
//! chooses at `|`, Odd at `&`; `true` and `false` are where a play ends, won by Even or Odd. Of an endless play the outermost variable that is passed again and again decides: Even wins if it is a greatest one.
//! A variable is true iff Even wins from it. (The print of the handbook has the players the other way round.)

use crate::{Player, Vertex};

/// A node of a right-hand side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BooleanNode {
    /// `true` or `false`.
    Constant(bool),
    /// A variable, by the number of its equation.
    Variable(u32),
    /// All operands, by the numbers of their nodes.
    All(Vec<u32>),
    /// Some operand.
    Any(Vec<u32>),
}

/// One equation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BooleanEquation {
    /// The name of the variable.
    pub name: String,
    /// Whether the greatest solution is meant.
    pub is_greatest: bool,
    /// The node that is its right-hand side.
    pub body: u32,
}

/// A system of equations, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BooleanEquations {
    nodes: Vec<BooleanNode>,
    equations: Vec<BooleanEquation>,
}

impl BooleanEquations {
    /// The system; nothing if there is no equation, if there are too many, if a number is none of a node or equation, if an operand does not come before its node, or if `&` or `|` has no operand.
    pub fn new(nodes: Vec<BooleanNode>, equations: Vec<BooleanEquation>) -> Option<BooleanEquations> {
        let count = equations.len();
        let fits = |(at, node): (usize, &BooleanNode)| match node {
            BooleanNode::Constant(_) => true,
            BooleanNode::Variable(number) => (*number as usize) < count,
            BooleanNode::All(operands) | BooleanNode::Any(operands) => {
                !operands.is_empty() && operands.iter().all(|&operand| (operand as usize) < at)
            }
        };
        let is_system = count > 0
            && count + nodes.len() < u32::MAX as usize
            && equations.iter().all(|one| (one.body as usize) < nodes.len())
            && nodes.iter().enumerate().all(fits);
        is_system.then_some(BooleanEquations { nodes, equations })
    }

    /// The equations.
    pub fn equations(&self) -> &[BooleanEquation] {
        &self.equations
    }

    /// The nodes of all right-hand sides; operands come before what they are operands of.
    pub fn nodes(&self) -> &[BooleanNode] {
        &self.nodes
    }

    /// Number of positions of the game: variables first, then nodes.
    pub fn position_count(&self) -> usize {
        self.equations.len() + self.nodes.len()
    }

    /// The position of a node.
    pub fn node_position(&self, node: u32) -> Vertex {
        Vertex(self.equations.len() as u32 + node)
    }

    /// Who moves at a node. Where there is one move only, Even does, as at variables.
    pub fn node_owner(&self, node: u32) -> Player {
        match &self.nodes[node as usize] {
            BooleanNode::All(_) => Player::Odd,
            _ => Player::Even,
        }
    }

    /// The number of an equation by the name of its variable.
    pub fn variable(&self, name: &str) -> Option<u32> {
        let at = self.equations.iter().position(|equation| equation.name == name)?;
        Some(at as u32)
    }
}
