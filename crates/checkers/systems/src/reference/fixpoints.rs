//! The mu-calculus on the reachable graph, from the definition.
//!
//! A formula is the set of states where it is true, given sets for its free variables. A least fixpoint is iterated from the
//! empty set, a greatest one from all states, the inner ones anew each time: exponential in the alternation, and obvious. Modalities range
//! over the steps of the graph, whatever fairness says; `[]` is true where there is none.

use super::NotRechecked;
use super::graph::{Graph, Target};
use crate::condition::Condition;
use entail_budget::Budget;
use entail_evidence::Truth;
use entail_logic::mu::{Fixpoint, Modality, Mu, MuNode, MuVar};
use entail_model::{TermId, TransitionSystem, Valuation};

/// The states where a formula without free variables is true.
pub(crate) fn satisfying(
    system: &TransitionSystem,
    graph: &Graph,
    formula: &Mu<TermId>,
    budget: &Budget,
) -> Result<Vec<bool>, NotRechecked> {
    let reading = Reading {
        system,
        graph,
        budget,
    };
    reading.states(formula, &mut Vec::new())
}

struct Reading<'a> {
    system: &'a TransitionSystem,
    graph: &'a Graph,
    budget: &'a Budget,
}

type Sets = Vec<(MuVar, Vec<bool>)>;

impl Reading<'_> {
    fn states(&self, formula: &Mu<TermId>, variables: &mut Sets) -> Result<Vec<bool>, NotRechecked> {
        self.budget.check()?;
        let count = self.graph.states.len();
        match formula.node() {
            MuNode::Constant(truth) => Ok(vec![*truth; count]),
            MuNode::Literal(atom, positive) => {
                let condition = Condition::new(&self.system.terms, *atom);
                let truth = |state: &Vec<_>| match condition.truth(Valuation::state(state)) {
                    Truth::True => Ok(*positive),
                    Truth::False => Ok(!positive),
                    Truth::Unknown => Err(NotRechecked::Undefined(
                        "an atom has no truth in a state".to_owned(),
                    )),
                };
                self.graph.states.iter().map(truth).collect()
            }
            MuNode::Variable(name) => {
                let bound = variables.iter().rev().find(|(known, _)| known == name);
                bound
                    .map(|(_, set)| set.clone())
                    .ok_or_else(|| NotRechecked::Undefined(format!("the variable {name} is free")))
            }
            MuNode::And(operands) => self.combined(operands, variables, true),
            MuNode::Or(operands) => self.combined(operands, variables, false),
            MuNode::Modal(_, actions, _) if !actions.is_any() => Err(NotRechecked::Undefined(format!(
                "steps have no action {}",
                actions.names().join(", ")
            ))),
            MuNode::Modal(modality, _, operand) => {
                let inside = self.states(operand, variables)?;
                let leads_inside = |step: usize| match self.graph.targets[step] {
                    Target::State(state) => Some(inside[state]),
                    Target::End => None,
                };
                let here = |state: usize| {
                    let mut successors = self.graph.steps_of(state).filter_map(leads_inside);
                    match modality {
                        Modality::Some => successors.any(|inside| inside),
                        Modality::Every => successors.all(|inside| inside),
                    }
                };
                Ok((0..count).map(here).collect())
            }
            MuNode::Fixpoint(kind, name, body) => {
                let mut set = vec![*kind == Fixpoint::Greatest; count];
                loop {
                    variables.push((name.clone(), set.clone()));
                    let next = self.states(body, variables);
                    variables.pop();
                    let next = next?;
                    if next == set {
                        return Ok(set);
                    }
                    set = next;
                }
            }
        }
    }

    fn combined(
        &self,
        operands: &[Mu<TermId>],
        variables: &mut Sets,
        conjunction: bool,
    ) -> Result<Vec<bool>, NotRechecked> {
        let mut all = vec![conjunction; self.graph.states.len()];
        for operand in operands {
            let set = self.states(operand, variables)?;
            for (truth, other) in all.iter_mut().zip(set) {
                *truth = if conjunction {
                    *truth && other
                } else {
                    *truth || other
                };
            }
        }
        Ok(all)
    }
}
