//! Claims that all states were searched: the naive reference searches them again, and counts.

use super::outcome::Checker;
use crate::condition::Condition;
use crate::reference::{CheckLimits, Evaluation, Graph, NotRechecked, satisfying};
use entail_answer::CheckReport;
use entail_evidence::{Exhaustive, Guarantee, Searched, Truth};
use entail_logic::{Formula, Question};
use entail_model::{TermId, Valuation, cone_of_influence};

/// A model with at most so many states and steps is searched as a whole, even if a part of it has been.
const SMALL_STATES: usize = 2_000;
const SMALL_STEPS: usize = 20_000;

impl Checker<'_> {
    /// A search of the whole model is repeated, and its states are counted.
    pub(super) fn exhaustive(
        &self,
        question: &Question<TermId>,
        holds: bool,
        claim: &Exhaustive,
        guarantee: &Guarantee,
    ) -> CheckReport {
        let bound = match guarantee {
            Guarantee::Complete => None,
            Guarantee::Bounded(bound) => Some(*bound),
            Guarantee::Partial { .. } | Guarantee::Statistical { .. } | Guarantee::Approximate { .. } => {
                return CheckReport::unchecked("the states a lossy search has seen");
            }
        };
        let tried = match claim.searched {
            Searched::Model => self.try_exhaustive(question, holds, Some(claim), bound),
            Searched::Cone => self.try_on_cone(question, holds, claim, bound),
        };
        match tried {
            Ok(report) => report,
            Err(why) => CheckReport::unchecked(format!("the search of all reachable states ({why})")),
        }
    }

    /// A claim whose states cannot be counted again: the model itself is searched.
    pub(super) fn searched_again(&self, question: &Question<TermId>, holds: bool) -> CheckReport {
        match self.try_exhaustive(question, holds, None, None) {
            Ok(report) => report,
            Err(why) => CheckReport::unchecked(format!("the search of all abstract states ({why})")),
        }
    }

    /// The same for a claim about the part of the model that the question depends on, which is found anew here.
    fn try_on_cone(
        &self,
        question: &Question<TermId>,
        holds: bool,
        claim: &Exhaustive,
        bound: Option<u64>,
    ) -> Result<CheckReport, NotRechecked> {
        let mut cone = cone_of_influence(self.system, &question.atoms());
        let asked = question.map_atoms(&mut |&atom| {
            cone.import(self.system, atom)
                .expect("the cone keeps what its roots depend on")
        });
        let mut part = Checker::new(&cone.system, self.dead_ends, self.limits, self.budget);
        part.counted = self.counted;
        let report = part.try_exhaustive(&asked, holds, Some(claim), bound)?;
        // Whoever searched the cone found it by the same function: where the whole model is small, it has the last word.
        let limits = CheckLimits {
            states: SMALL_STATES.min(self.limits.states),
            steps: SMALL_STEPS.min(self.limits.steps),
            ..self.limits
        };
        let mut whole = Checker::new(self.system, self.dead_ends, limits, self.budget);
        whole.known = self.known;
        Ok(report.and_then(|| {
            let searched = whole.try_exhaustive(question, holds, None, bound);
            searched.unwrap_or(CheckReport::Accepted)
        }))
    }

    fn try_exhaustive(
        &self,
        question: &Question<TermId>,
        holds: bool,
        claim: Option<&Exhaustive>,
        bound: Option<u64>,
    ) -> Result<CheckReport, NotRechecked> {
        let graph = self.graph(question.atoms(), &[], bound)?;
        if let Some(problem) = self.meaningless(&graph) {
            return Ok(CheckReport::rejected(problem));
        }
        let states = graph.states.len() as u64;
        if let Some(claim) = claim
            && states != claim.states
        {
            return Ok(CheckReport::rejected(format!(
                "{} reachable states are claimed, a recount gives {states}",
                claim.states
            )));
        }
        let (found, count) = match question {
            Question::Invariant(atom) => self.invariant_on(&graph, *atom)?,
            Question::Formula(formula) => {
                if graph.cut {
                    return Err(NotRechecked::Undefined(
                        "the answer is for paths of bounded length".into(),
                    ));
                }
                let mut evaluation = Evaluation::new(self.system, &graph, self.limits, self.budget)?;
                let truths = evaluation.states(formula)?;
                let satisfying = truths.iter().filter(|&&truth| truth).count() as u64;
                // Initial states without a fair path are not asked.
                let asked = evaluation.states(&Formula::constant(true).globally().exists())?;
                let initial = 0..graph.initial;
                (
                    initial.into_iter().all(|state| truths[state] || !asked[state]),
                    Some(satisfying),
                )
            }
            Question::ShortestPath(..) | Question::LongestPath(..) => (holds, None),
            Question::Mu(formula) => {
                let truths = satisfying(self.system, &graph, formula, self.budget)?;
                let count = truths.iter().filter(|&&truth| truth).count() as u64;
                (truths[..graph.initial].iter().all(|&truth| truth), Some(count))
            }
        };
        if found != holds {
            return Ok(CheckReport::rejected(if found {
                "searching again, the property holds"
            } else {
                "searching again, the property fails"
            }));
        }
        Ok(match (claim.and_then(|claim| claim.satisfying), count) {
            (Some(claimed), Some(counted)) if claimed != counted => CheckReport::rejected(format!(
                "{claimed} satisfying states are claimed, a recount gives {counted}"
            )),
            _ => CheckReport::Accepted,
        })
    }

    /// Whether the atom is true in all states (or steps), and in how many states.
    fn invariant_on(&self, graph: &Graph, atom: TermId) -> Result<(bool, Option<u64>), NotRechecked> {
        if self.is_about_steps(atom) {
            let mut real_steps = (0..graph.step_count()).map(|step| graph.term_at(atom, step));
            return Ok((real_steps.all(|truth| truth != Truth::False), None));
        }
        let condition = Condition::new(&self.system.terms, atom);
        let mut satisfying = 0;
        for state in &graph.states {
            match condition.truth(Valuation::state(state)) {
                Truth::True => satisfying += 1,
                Truth::False => {}
                Truth::Unknown => {
                    return Err(NotRechecked::Undefined(
                        "the property is not decided in a state".into(),
                    ));
                }
            }
        }
        Ok((satisfying == graph.states.len() as u64, Some(satisfying)))
    }
}
