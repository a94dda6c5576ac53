//! The engine: fixpoints over sets of states, as bit sets.

use crate::checker::{Satisfying, Strategy};
use crate::model::GraphModel;
use entail_answer::{Answer, Verdict};
use entail_budget::{Budget, Progress};
use entail_family::{ModelError, Session};
use entail_fixpoint::{EvaluateError, Graph, GraphAlgebra, evaluate};
use entail_game::Player;
use entail_mu::decide;

/// The engine on sets of states.
pub(crate) const FIXPOINT: &str = "fixpoint";
/// The engine on the game of formula and graph.
pub(crate) const GAME: &str = "game";

/// The graph as the engine wants it; made when the first formula comes.
pub(crate) struct FixpointSession<'m> {
    model: &'m GraphModel,
    algebra: Option<GraphAlgebra>,
}

impl<'m> FixpointSession<'m> {
    pub fn new(model: &'m GraphModel) -> FixpointSession<'m> {
        FixpointSession { model, algebra: None }
    }

    fn algebra(&mut self) -> &mut GraphAlgebra {
        let lts = &self.model.lts;
        self.algebra.get_or_insert_with(|| {
            let steps = lts.transitions().map(|step| {
                let label: &str = lts.action_name(step.action);
                (step.from.index() as u32, label, step.to.index() as u32)
            });
            let mut algebra = GraphAlgebra::new(Graph::labelled(lts.state_count(), steps));
            let names: std::collections::BTreeSet<_> = lts.colours().iter().flatten().collect();
            for name in names {
                let states = lts
                    .states()
                    .filter(|&state| lts.propositions(state).contains(name));
                let states: Vec<usize> = states.map(|state| state.index()).collect();
                algebra = algebra.with_atom(&**name, states);
            }
            algebra
        })
    }
}

impl Session for FixpointSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        if let Err(spent) = budget.check_now() {
            return Ok(Answer::unknown(spent.to_string()));
        }
        let formula = self.model.formulas[property].clone();
        if engine == GAME {
            return Ok(match decide(&self.model.lts, &formula, budget) {
                Ok(decision) => {
                    let verdict = match decision.strategy.winner {
                        Player::Even => Verdict::Holds,
                        Player::Odd => Verdict::Fails,
                    };
                    let mut answer = Answer::complete(verdict, Strategy(decision.strategy));
                    answer
                        .statistics
                        .set_count("positions", decision.positions as u64);
                    answer
                        .statistics
                        .set_count("priorities", decision.priorities as u64);
                    answer.boxed()
                }
                Err(error) => Answer::unknown(error.to_string()),
            });
        }
        let evaluation = match evaluate(self.algebra(), &formula) {
            Ok(evaluation) => evaluation,
            Err(EvaluateError::UnknownAction(action)) => {
                return Ok(Answer::unknown(format!("no step has the action `{action}`")));
            }
            Err(error) => return Ok(Answer::unknown(error.to_string())),
        };
        let lts = &self.model.lts;
        let holds = lts
            .initial()
            .iter()
            .all(|state| evaluation.region.contains(state.index()));
        let evidence = Satisfying {
            states: lts.state_count() as u64,
            satisfying: evaluation.region.count_ones(..) as u64,
        };
        let verdict = if holds { Verdict::Holds } else { Verdict::Fails };
        let mut answer = Answer::complete(verdict, evidence);
        answer.statistics.set_count("states", lts.state_count() as u64);
        answer
            .statistics
            .set_count("iterations", evaluation.iterations as u64);
        Ok(answer.boxed())
    }
}
