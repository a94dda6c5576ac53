//! A formula with the value of each of its subformulas, variables standing for their fixpoints.
//!
//! Whoever wants to know *why* a formula has its value in a state walks through this: from a fixpoint to its body, from a variable back to
//! its fixpoint.

use super::evaluation::{Atom, Known, Modalities, ThreeValuedSets};
use entail_budget::{Budget, Spent};
use entail_fixpoint::{EvaluateError, evaluate};
use entail_logic::mu::{Fixpoint, Modality, Mu, MuNode, MuVar};
use entail_model::Kmts;

/// A subformula with its value.
pub(crate) struct Node {
    pub shape: Shape,
    pub known: Known,
}

/// What a subformula is made of, by the numbers of its operands.
pub(crate) enum Shape {
    Constant,
    Proposition(usize),
    And(Vec<usize>),
    Or(Vec<usize>),
    Modal(Modality, usize),
    /// With its body.
    Fixpoint(Fixpoint, usize),
    /// With its fixpoint.
    Variable(usize),
}

/// All subformulas.
pub(crate) struct Annotated {
    pub nodes: Vec<Node>,
    pub root: usize,
}

/// Evaluates all subformulas.
pub(crate) fn annotate(
    kmts: &Kmts,
    formula: &Mu<usize>,
    modalities: Modalities,
    budget: &Budget,
) -> Result<Annotated, EvaluateError<Spent>> {
    let mut annotation = Annotation {
        sets: ThreeValuedSets::new(kmts, modalities, budget),
        nodes: Vec::new(),
    };
    let formula = formula.map_atoms(&mut |&at| Atom::Proposition(at));
    let root = annotation.annotate(&formula, &mut Vec::new())?;
    Ok(Annotated {
        nodes: annotation.nodes,
        root,
    })
}

/// A binder's variable, its node, and its value.
type Scope = Vec<(MuVar, usize, Known)>;

struct Annotation<'k> {
    sets: ThreeValuedSets<'k>,
    nodes: Vec<Node>,
}

impl Annotation<'_> {
    fn add(&mut self, shape: Shape, known: Known) -> usize {
        self.nodes.push(Node { shape, known });
        self.nodes.len() - 1
    }

    fn annotate(&mut self, formula: &Mu<Atom>, scope: &mut Scope) -> Result<usize, EvaluateError<Spent>> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.annotate_node(formula, scope))
    }

    fn annotate_node(
        &mut self,
        formula: &Mu<Atom>,
        scope: &mut Scope,
    ) -> Result<usize, EvaluateError<Spent>> {
        let value = |sets: &mut ThreeValuedSets<'_>, scope: &Scope| {
            let mut closed = formula.clone();
            for (variable, _, known) in scope.iter().rev() {
                closed = closed.substitute(variable, &Mu::atom(Atom::Value(known.clone())));
            }
            Ok(evaluate(sets, &closed)?.region)
        };
        Ok(match formula.node() {
            MuNode::Constant(_) => {
                let known = value(&mut self.sets, scope)?;
                self.add(Shape::Constant, known)
            }
            MuNode::Literal(Atom::Proposition(at), _) => {
                let known = value(&mut self.sets, scope)?;
                self.add(Shape::Proposition(*at), known)
            }
            MuNode::Literal(Atom::Value(known), _) => self.add(Shape::Constant, known.clone()),
            MuNode::Variable(variable) => {
                let bound = scope.iter().rev().find(|(name, _, _)| name == variable);
                let (_, node, known) = bound.ok_or_else(|| EvaluateError::FreeVariable(variable.clone()))?;
                let (node, known) = (*node, known.clone());
                self.add(Shape::Variable(node), known)
            }
            MuNode::And(list) | MuNode::Or(list) => {
                let known = value(&mut self.sets, scope)?;
                let operands: Result<Vec<usize>, _> =
                    list.iter().map(|operand| self.annotate(operand, scope)).collect();
                let operands = operands?;
                let shape = match formula.node() {
                    MuNode::And(_) => Shape::And(operands),
                    _ => Shape::Or(operands),
                };
                self.add(shape, known)
            }
            MuNode::Modal(modality, _, operand) => {
                let known = value(&mut self.sets, scope)?;
                let operand = self.annotate(operand, scope)?;
                self.add(Shape::Modal(*modality, operand), known)
            }
            MuNode::Fixpoint(fixpoint, variable, body) => {
                let known = value(&mut self.sets, scope)?;
                let node = self.add(Shape::Constant, known.clone());
                scope.push((variable.clone(), node, known));
                let body = self.annotate(body, scope);
                scope.pop();
                self.nodes[node].shape = Shape::Fixpoint(*fixpoint, body?);
                node
            }
        })
    }
}
