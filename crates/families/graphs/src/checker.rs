//! Judging answers about graphs.

use crate::model::GraphModel;
use crate::naive;
use entail_answer::{Answer, CheckReport, Evidence, Verdict};
use entail_budget::Budget;
use entail_family::{Checker, ReadError};
use entail_game::{FormulaMove, FormulaStrategy, Player};
use entail_games_checker::formula;
use entail_show::{Prominence, Shown, View};
use serde_json::{Map, Value as Json, json};

/// The claim that the formula is true in so many of the states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Satisfying {
    /// Number of states.
    pub states: u64,
    /// Number of states in which the formula is true.
    pub satisfying: u64,
}

impl Evidence for Satisfying {
    fn kind(&self) -> &'static str {
        "exhaustive"
    }

    fn is_search_claim(&self) -> bool {
        true
    }
}

/// A winning strategy in the game of the formula on the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy(pub FormulaStrategy);

impl Evidence for Strategy {
    fn kind(&self) -> &'static str {
        "strategy"
    }
}

pub(crate) struct GraphChecker<'m> {
    pub model: &'m GraphModel,
}

impl Checker for GraphChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let lts = &self.model.lts;
        if let Some(Strategy(strategy)) = answer.evidence_as::<Strategy>() {
            if (strategy.winner == Player::Even) != (answer.verdict == Verdict::Holds) {
                return CheckReport::rejected("the strategy is not that of the player who is said to win");
            }
            return formula::check(lts, &self.model.formulas[property], strategy, budget);
        }
        let Some(claim) = answer.evidence_as::<Satisfying>() else {
            return CheckReport::rejected("there is no evidence");
        };
        let found = match naive::states_where(lts, &self.model.formulas[property], budget) {
            Ok(found) => found,
            Err(spent) => {
                return CheckReport::unchecked(format!("in which states the formula is true ({spent})"));
            }
        };
        let holds = lts.initial().iter().all(|state| found.contains(state.index()));
        if holds != (answer.verdict == Verdict::Holds) {
            return CheckReport::rejected("evaluating the formula again gives the other verdict");
        }
        let counted = (lts.state_count() as u64, found.count_ones(..) as u64);
        match counted == (claim.states, claim.satisfying) {
            true => CheckReport::Accepted,
            false => CheckReport::rejected(format!(
                "evaluating the formula again finds it true in {} of {} states",
                counted.1, counted.0
            )),
        }
    }

    fn to_json(&self, _property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("kind".into(), evidence.kind().into());
        let any: &dyn std::any::Any = evidence;
        if let Some(claim) = any.downcast_ref::<Satisfying>() {
            map.insert("states".into(), claim.states.into());
            map.insert("satisfying".into(), claim.satisfying.into());
        }
        if let Some(Strategy(strategy)) = any.downcast_ref::<Strategy>() {
            let says = match strategy.winner {
                Player::Even => "true",
                Player::Odd => "false",
            };
            map.insert("of".into(), format!("whoever says that it is {says}").into());
            map.insert("positions".into(), strategy.moves.len().into());
        }
        map
    }

    /// The strategy as triples: state, node of the formula, choice.
    fn to_saved_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = self.to_json(property, evidence);
        let any: &dyn std::any::Any = evidence;
        if let Some(Strategy(strategy)) = any.downcast_ref::<Strategy>() {
            map.insert("true".into(), (strategy.winner == Player::Even).into());
            let moves = strategy
                .moves
                .iter()
                .map(|one| json!([one.state, one.node, one.choice]));
            map.insert("moves".into(), moves.collect());
        }
        map
    }

    fn evidence_from_json(&self, _property: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        let evidence = &document["evidence"];
        let number = |key: &str| {
            evidence[key]
                .as_u64()
                .ok_or_else(|| format!("`{key}`: expected a number"))
        };
        match evidence["kind"].as_str() {
            Some("exhaustive") => Ok(Box::new(Satisfying {
                states: number("states")?,
                satisfying: number("satisfying")?,
            })),
            Some("strategy") => {
                let truth = evidence["true"]
                    .as_bool()
                    .ok_or("`true`: expected true or false")?;
                let list = evidence["moves"].as_array().ok_or("`moves`: expected a list")?;
                let number = |value: &Json| value.as_u64().and_then(|number| u32::try_from(number).ok());
                let read = |one: &Json| {
                    Some(FormulaMove {
                        state: number(&one[0])?,
                        node: number(&one[1])?,
                        choice: number(&one[2])?,
                    })
                };
                let moves: Option<Vec<FormulaMove>> = list.iter().map(read).collect();
                Ok(Box::new(Strategy(FormulaStrategy {
                    winner: if truth { Player::Even } else { Player::Odd },
                    moves: moves.ok_or("`moves`: expected lists of three numbers")?,
                })))
            }
            _ => Err("evidence about graphs is of kind `exhaustive` or `strategy`".into()),
        }
    }

    fn show(&self, _property: usize, answer: &Answer) -> Shown {
        let mut shown = Shown::default();
        if let Some(claim) = answer.evidence_as::<Satisfying>() {
            let note = format!("true in {} of {} states", claim.satisfying, claim.states);
            shown.push(Prominence::Detail, View::Notes(vec![note]));
        }
        if let Some(Strategy(strategy)) = answer.evidence_as::<Strategy>() {
            let note = format!(
                "a strategy in the game of the formula, {} positions; `entail play` plays it against you",
                strategy.moves.len()
            );
            shown.push(Prominence::Detail, View::Notes(vec![note]));
        }
        shown
    }
}
