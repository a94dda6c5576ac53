//! Why a state formula is true or false in a state: trees of paths, see [`Explanation`].
//!
//! A Boolean combination is explained by the operands that decide it, a true `E` and a false `A` by a path from the state with
//! notes on the temporal state subformulas that matter along it, in turn. A false `E` and a true `A` have no finite
//! reason: exhaustion. Trees are kept to a limit; beyond it, too, the reason given is that the search was exhaustive.

use crate::graph::labelling::Labelling;
use crate::linear::path::GraphPath;
use crate::linear::path_formula::Atom;
use crate::linear::{witness, word};
use crate::search::explore::ExplorationEnd;
use crate::state_table::StateId;
use entail_evidence::{Because, Explanation, Note, PathWitness, Trace};
use entail_logic::{Formula, Node, Quantifier};
use entail_model::{TermId, Value};

/// Paths in one tree.
const MOST_PATHS: usize = 64;

/// Builds explanations from labels.
pub(crate) struct Explainer<'l, 'a> {
    labelling: &'l mut Labelling<'a>,
    paths_left: usize,
}

impl<'l, 'a> Explainer<'l, 'a> {
    pub fn new(labelling: &'l mut Labelling<'a>) -> Explainer<'l, 'a> {
        Explainer {
            labelling,
            paths_left: MOST_PATHS,
        }
    }

    /// Explains the formula in the first of the states, or where a path explains it, in the one with the shortest path.
    pub fn explain(
        &mut self,
        formula: &Formula<TermId>,
        states: &[u32],
    ) -> Result<Explanation, ExplorationEnd> {
        stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.explain_node(formula, states))
    }

    fn truth(&mut self, formula: &Formula<TermId>, state: u32) -> Result<bool, ExplorationEnd> {
        Ok(self.labelling.states(formula)?.contains(state as usize))
    }

    fn explain_node(
        &mut self,
        formula: &Formula<TermId>,
        states: &[u32],
    ) -> Result<Explanation, ExplorationEnd> {
        let first = states[0];
        let truth = self.truth(formula, first)?;
        let because = match formula.node() {
            Node::Quantified(quantifier, path) if (*quantifier == Quantifier::Exists) == truth => {
                if let Some((state, witness)) = self.path(path, truth, states)? {
                    return Ok(self.claim(formula, truth, state, Because::Path(witness)));
                }
                Because::Exhaustion
            }
            Node::Quantified(..) | Node::Unary(..) | Node::Binary(..) => Because::Exhaustion,
            _ if formula.is_propositional() && self.labelling.is_about_state(formula) => Because::Evaluation,
            Node::Atom(_) | Node::Constant(_) => Because::Exhaustion,
            Node::And(list) | Node::Or(list) => {
                // One operand decides a false conjunction and a true disjunction; otherwise all of them do.
                let one_decides = matches!(formula.node(), Node::Or(_)) == truth;
                self.deciding(list, truth, one_decides, first)?
            }
            Node::Implies(p, q) => match (truth, self.truth(q, first)?) {
                (true, true) => self.operands(&[q], first)?,
                (true, false) => self.operands(&[p], first)?,
                (false, _) => self.operands(&[p, q], first)?,
            },
            Node::Not(p) => self.operands(&[p], first)?,
            Node::Iff(p, q) | Node::Xor(p, q) => self.operands(&[p, q], first)?,
        };
        Ok(self.claim(formula, truth, first, because))
    }

    fn claim(&self, formula: &Formula<TermId>, truth: bool, state: u32, because: Because) -> Explanation {
        Explanation {
            formula: formula.clone(),
            truth,
            state: self.values(state),
            because,
        }
    }

    fn values(&self, state: u32) -> Vec<Option<Value>> {
        let Labelling { stepper, graph, .. } = &*self.labelling;
        (stepper.layout).values(&graph.explored.table.state(&stepper.layout, StateId(state)))
    }

    fn operands(&mut self, operands: &[&Formula<TermId>], state: u32) -> Result<Because, ExplorationEnd> {
        let mut explained: Vec<Explanation> = Vec::new();
        for operand in operands {
            let explanation = self.explain(operand, &[state])?;
            if !explained.iter().any(|other| other.formula == explanation.formula) {
                explained.push(explanation);
            }
        }
        Ok(Because::Operands(explained))
    }

    /// The operands that decide a conjunction or disjunction: the easiest one that does it alone, or all.
    fn deciding(
        &mut self,
        list: &[Formula<TermId>],
        truth: bool,
        one_decides: bool,
        state: u32,
    ) -> Result<Because, ExplorationEnd> {
        if !one_decides {
            return self.operands(&list.iter().collect::<Vec<_>>(), state);
        }
        let mut easiest: Option<(usize, &Formula<TermId>)> = None;
        for operand in list {
            if self.truth(operand, state)? == truth {
                let difficulty = difficulty(operand, truth);
                if easiest.is_none_or(|(least, _)| difficulty < least) {
                    easiest = Some((difficulty, operand));
                }
            }
        }
        let chosen: Vec<&Formula<TermId>> = easiest.map(|(_, operand)| operand).into_iter().collect();
        self.operands(&chosen, state)
    }

    // ----- paths -----

    fn path(
        &mut self,
        path_formula: &Formula<TermId>,
        truth: bool,
        states: &[u32],
    ) -> Result<Option<(u32, PathWitness)>, ExplorationEnd> {
        if self.paths_left == 0 {
            return Ok(None);
        }
        self.paths_left -= 1;
        let Some(found) = witness::find(self.labelling, states, path_formula, truth)? else {
            return Ok(None);
        };
        let trace = self.trace(&found.path)?;
        let facts = word::justify(self.labelling.graph, &found.path, &found.formulas, found.root);
        let Some(facts) = facts else {
            return Ok(None);
        };
        let mut notes: Vec<Note> = Vec::new();
        for fact in facts {
            let Atom::State(formula, _) = &found.formulas.atoms[fact.atom as usize] else {
                continue;
            };
            if formula.is_propositional() {
                continue;
            }
            let state = found.path.states[fact.position];
            // A note counts wherever its state is shown.
            let known = notes.iter().any(|note| {
                note.explanation.formula == *formula && found.path.states[note.position] == state
            });
            if !known {
                notes.push(Note {
                    position: fact.position,
                    explanation: self.explain(formula, &[state])?,
                });
            }
        }
        Ok(Some((found.path.states[0], PathWitness { trace, notes })))
    }

    /// The path with its values and inputs.
    pub fn trace(&self, path: &GraphPath) -> Result<Trace, ExplorationEnd> {
        let Labelling {
            stepper,
            graph,
            budget,
            ..
        } = &*self.labelling;
        path.trace(stepper, graph, graph.policy, budget)
    }
}

/// How much there is to explain.
fn difficulty(formula: &Formula<TermId>, truth: bool) -> usize {
    match formula.node() {
        Node::Constant(_) | Node::Atom(_) => 0,
        Node::Quantified(quantifier, path) => {
            let has_path = (*quantifier == Quantifier::Exists) == truth;
            if has_path { 1 + path.size() } else { 1000 }
        }
        Node::Not(p) => difficulty(p, !truth),
        Node::Implies(p, q) => difficulty(p, !truth).max(difficulty(q, truth)),
        _ => formula
            .operands()
            .into_iter()
            .map(|operand| difficulty(operand, truth))
            .max()
            .unwrap_or(0),
    }
}
