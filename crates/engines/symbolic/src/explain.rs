//! Trees of reasons for the truth of a state formula in a state.
//!
//! Follows the formula: Boolean operators give the operands that decide them, a true `E` or false `A` gives a path with
//! notes on the temporal subformulas it relies on, a false `E` or true `A` is left to the exhaustive search that established it.

use crate::machine::Point;
use crate::model::EncodedSystem;
use crate::reachability::Watch;
use crate::stop::Attempt;
use crate::witness::{Walk, lost};
use entail_evidence::{Because, Explanation, Note, PathWitness};
use entail_logic::{Formula, Node, Quantifier};
use entail_model::TermId;

/// Most notes on a path; a path that relies on more is left with those.
const MOST_NOTES: usize = 64;

impl EncodedSystem<'_> {
    /// Why the formula has its truth value in the state.
    pub fn explain(
        &mut self,
        formula: &Formula<TermId>,
        truth: bool,
        point: &Point,
        watch: Watch<'_>,
    ) -> Attempt<Explanation> {
        stacker::maybe_grow(1 << 16, 1 << 20, || {
            self.explain_node(formula, truth, point, watch)
        })
    }

    fn explain_node(
        &mut self,
        formula: &Formula<TermId>,
        truth: bool,
        point: &Point,
        watch: Watch<'_>,
    ) -> Attempt<Explanation> {
        let because = if formula.is_propositional() {
            Because::Evaluation
        } else {
            match (formula.node(), truth) {
                (Node::Quantified(Quantifier::Exists, path), true)
                | (Node::Quantified(Quantifier::Forall, path), false) => {
                    Because::Path(self.path_witness(path, truth, point, watch)?)
                }
                (Node::Quantified(..), _) => Because::Exhaustion,
                _ => Because::Operands(self.deciding_operands(formula, truth, point, watch)?),
            }
        };
        Ok(Explanation {
            formula: formula.clone(),
            truth,
            state: self.machine.valuation(&self.encoding, point, None),
            because,
        })
    }

    fn path_witness(
        &mut self,
        path: &Formula<TermId>,
        holds: bool,
        point: &Point,
        watch: Watch<'_>,
    ) -> Attempt<PathWitness> {
        let walk = self.walk(path, holds, point, watch)?;
        self.noted(walk, watch)
    }

    /// A walk as plain data, its claims explained.
    pub(crate) fn noted(&mut self, walk: Walk, watch: Watch<'_>) -> Attempt<PathWitness> {
        let trace = self.machine.trace(&self.encoding, &walk.path, walk.loop_start);
        let mut notes = Vec::new();
        let mut noted: Vec<(Point, Formula<TermId>)> = Vec::new();
        for (position, formula, truth) in walk.claims {
            let point = walk.path.points[position].clone();
            if notes.len() >= MOST_NOTES || noted.contains(&(point.clone(), formula.clone())) {
                continue;
            }
            let quantified = quantified_parts(&formula);
            for part in quantified {
                let part_truth = match part == formula {
                    true => truth,
                    false => {
                        let states = self.label(&part, watch)?;
                        self.machine.contains(&states, &point)
                    }
                };
                notes.push(Note {
                    position,
                    explanation: self.explain(&part, part_truth, &point, watch)?,
                });
            }
            noted.push((point, formula));
        }
        Ok(PathWitness { trace, notes })
    }

    fn deciding_operands(
        &mut self,
        formula: &Formula<TermId>,
        truth: bool,
        point: &Point,
        watch: Watch<'_>,
    ) -> Attempt<Vec<Explanation>> {
        let mut holds = |p: &Formula<TermId>| -> Attempt<bool> {
            let states = self.label(p, watch)?;
            Ok(self.machine.contains(&states, point))
        };
        let mut chosen: Vec<(Formula<TermId>, bool)> = Vec::new();
        match formula.node() {
            Node::Not(p) => chosen.push((p.clone(), !truth)),
            Node::And(list) | Node::Or(list) => {
                let conjunction = matches!(formula.node(), Node::And(_));
                if truth == conjunction {
                    chosen.extend(list.iter().map(|p| (p.clone(), truth)));
                } else {
                    // One operand is enough; a propositional one is the shortest reason.
                    let mut best = None;
                    for p in list {
                        if holds(p)? == truth && (best.is_none() || p.is_propositional()) {
                            best = Some(p.clone());
                            if p.is_propositional() {
                                break;
                            }
                        }
                    }
                    chosen.push((best.ok_or_else(|| lost("a deciding operand"))?, truth));
                }
            }
            Node::Implies(p, q) if truth => {
                if holds(q)? {
                    chosen.push((q.clone(), true));
                } else {
                    chosen.push((p.clone(), false));
                }
            }
            Node::Implies(p, q) => chosen.extend([(p.clone(), true), (q.clone(), false)]),
            Node::Iff(p, q) | Node::Xor(p, q) => {
                let (of_p, of_q) = (holds(p)?, holds(q)?);
                chosen.extend([(p.clone(), of_p), (q.clone(), of_q)]);
            }
            _ => {}
        }
        let mut operands = Vec::new();
        for (p, truth) in chosen {
            operands.push(self.explain(&p, truth, point, watch)?);
        }
        Ok(operands)
    }
}

/// The outermost quantified subformulas of a state formula.
fn quantified_parts(formula: &Formula<TermId>) -> Vec<Formula<TermId>> {
    let mut found = Vec::new();
    let mut pending = vec![formula];
    while let Some(formula) = pending.pop() {
        match formula.node() {
            Node::Quantified(..) => found.push(formula.clone()),
            _ => pending.extend(formula.operands()),
        }
    }
    found
}
