//! A formula as a table of nodes, and their priorities.
//!
//! The priority of a fixpoint is the least that is not below those of the fixpoints inside it and is even for greatest, odd for least ones: an outer fixpoint outranks an inner one of the
//! other kind, and alternation, not nesting, decides how many priorities there are.

use crate::MuError;
use entail_logic::mu::{Fixpoint, Mu, MuNode};

/// A node.
pub(crate) struct Node<'f> {
    pub formula: &'f MuNode<String>,
    /// The operands; of a variable, its fixpoint.
    pub operands: Vec<u32>,
    pub priority: u32,
    /// How many fixpoints are around it.
    pub depth: u32,
}

/// The nodes, in the order in which they are written.
pub(crate) struct Nodes<'f>(pub Vec<Node<'f>>);

impl<'f> Nodes<'f> {
    /// The nodes of a formula.
    pub fn new(formula: &'f Mu<String>) -> Result<Nodes<'f>, MuError> {
        let mut nodes: Vec<Node<'f>> = Vec::new();
        let mut parents: Vec<Option<usize>> = Vec::new();
        let mut waiting = vec![(formula, None)];
        while let Some((formula, parent)) = waiting.pop() {
            let number = nodes.len();
            let mut depth = 0;
            if let Some(parent) = parent {
                let above: &mut Node<'f> = &mut nodes[parent];
                above.operands.push(number as u32);
                depth = above.depth + u32::from(matches!(above.formula, MuNode::Fixpoint(..)));
            }
            let mut operands = Vec::new();
            if let MuNode::Variable(variable) = formula.node() {
                let mut at = parent;
                let binder = loop {
                    let Some(up) = at else {
                        return Err(MuError::Free(variable.to_string()));
                    };
                    let above: &Node<'f> = &nodes[up];
                    if matches!(above.formula, MuNode::Fixpoint(_, bound, _) if bound == variable) {
                        break up;
                    }
                    at = parents[up];
                };
                operands.push(binder as u32);
            }
            nodes.push(Node {
                formula: formula.node(),
                operands,
                priority: 0,
                depth,
            });
            parents.push(parent);
            for operand in formula.operands().iter().rev() {
                waiting.push((operand, Some(number)));
            }
        }
        // Operands come after their nodes, so that going backwards meets inner fixpoints first.
        let mut inside = vec![0; nodes.len()];
        for at in (0..nodes.len()).rev() {
            let mut highest: u32 = inside[at];
            if let MuNode::Fixpoint(kind, ..) = nodes[at].formula {
                highest += u32::from(highest.is_multiple_of(2) != (*kind == Fixpoint::Greatest));
                nodes[at].priority = highest;
            }
            if let Some(parent) = parents[at] {
                inside[parent] = highest.max(inside[parent]);
            }
        }
        Ok(Nodes(nodes))
    }
}
