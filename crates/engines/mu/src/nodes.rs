//! A formula as a table of nodes, and their priorities.
//!
//! The priority of a fixpoint is the least that is not below those of the fixpoints inside it and is even for greatest, odd for least ones: an outer fixpoint outranks an inner one of the
//! other kind, and alternation, not nesting, decides how many priorities there are.

use crate::MuError;
use entail_logic::mu::{Fixpoint, Modality, Mu, MuNode, MuVar};
use entail_model::{ActionId, Lts};

/// What a node is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// True, or false.
    Constant(bool),
    /// For each colour of the graph, whether it is true there.
    Literal(Vec<bool>),
    And,
    Or,
    /// A modality over all steps, or those with one of these actions (an action may not occur).
    Modal(Modality, Option<Vec<ActionId>>),
    Fixpoint,
    /// The fixpoint of a variable.
    Variable(u32),
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub kind: Kind,
    pub operands: Vec<u32>,
    pub priority: u32,
}

/// The nodes, in the order in which they are written.
pub(crate) struct Nodes(pub Vec<Node>);

impl Nodes {
    /// The nodes of a formula on a graph.
    pub fn new(formula: &Mu<String>, lts: &Lts) -> Result<Nodes, MuError> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut kinds: Vec<Option<Fixpoint>> = Vec::new();
        let mut parents: Vec<Option<usize>> = Vec::new();
        let mut waiting = vec![(formula, None)];
        let mut names: Vec<Option<&MuVar>> = Vec::new();
        while let Some((formula, parent)) = waiting.pop() {
            let number = nodes.len();
            if let Some(parent) = parent {
                let above: &mut Node = &mut nodes[parent];
                above.operands.push(number as u32);
            }
            let (mut fixpoint, mut name) = (None, None);
            let kind = match formula.node() {
                MuNode::Constant(truth) => Kind::Constant(*truth),
                MuNode::Literal(atom, positive) => {
                    let has = |colour: &Vec<std::sync::Arc<str>>| colour.iter().any(|one| **one == **atom);
                    Kind::Literal(
                        lts.colours()
                            .iter()
                            .map(|colour| has(colour) == *positive)
                            .collect(),
                    )
                }
                MuNode::Variable(variable) => {
                    let mut at = parent;
                    let binder = loop {
                        let Some(up) = at else {
                            return Err(MuError::Free(variable.to_string()));
                        };
                        if names[up] == Some(variable) {
                            break up;
                        }
                        at = parents[up];
                    };
                    Kind::Variable(binder as u32)
                }
                MuNode::And(_) => Kind::And,
                MuNode::Or(_) => Kind::Or,
                MuNode::Modal(modality, action, _) => {
                    let named = |action: &std::sync::Arc<str>| {
                        (0..lts.actions().len() as u32)
                            .map(ActionId::new)
                            .filter(|&id| lts.action_name(id) == action)
                            .collect()
                    };
                    Kind::Modal(*modality, action.as_ref().map(named))
                }
                MuNode::Fixpoint(kind, variable, _) => {
                    fixpoint = Some(*kind);
                    name = Some(variable);
                    Kind::Fixpoint
                }
            };
            nodes.push(Node {
                kind,
                operands: Vec::new(),
                priority: 0,
            });
            kinds.push(fixpoint);
            parents.push(parent);
            names.push(name);
            for operand in formula.operands().iter().rev() {
                waiting.push((operand, Some(number)));
            }
        }
        // Operands come after their nodes, so that going backwards meets inner fixpoints first.
        let mut inside = vec![0; nodes.len()];
        for at in (0..nodes.len()).rev() {
            let mut highest: u32 = inside[at];
            if let Some(kind) = kinds[at] {
                highest += u32::from(highest.is_multiple_of(2) != (kind == Fixpoint::Greatest));
                nodes[at].priority = highest;
            }
            if let Some(parent) = parents[at] {
                inside[parent] = highest.max(inside[parent]);
            }
        }
        Ok(Nodes(nodes))
    }
}
