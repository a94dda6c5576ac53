//! Engines at work on trajectory assertions.

use super::{TrajectoryModel, WEAKEN_ABOVE};
use entail_answer::{Answer, Verdict, Warning};
use entail_budget::{Budget, Progress};
use entail_family::{ModelError, Options, Session};
use entail_trajectory::{Coverage, Settings, by_diagrams, by_fixpoint, by_sat, coverage};
use std::collections::BTreeMap;

/// Most values of an uncovered case that are written out.
const MOST_VALUES: usize = 12;

pub(crate) struct TrajectorySession<'m> {
    model: &'m TrajectoryModel,
    settings: Settings,
    /// Why an X stands where a value is demanded, by the positions of properties: another engine would find the same.
    weak: BTreeMap<usize, String>,
}

impl<'m> TrajectorySession<'m> {
    pub(crate) fn new(model: &'m TrajectoryModel, options: &Options) -> TrajectorySession<'m> {
        let settings = Settings {
            weaken_above: options.number(WEAKEN_ABOVE).map(|most| most as usize),
        };
        TrajectorySession {
            model,
            settings,
            weak: BTreeMap::new(),
        }
    }

    /// What is to be said about the cases of an indexed assertion.
    fn uncovered(&self, property: usize, budget: &Budget) -> Option<Warning> {
        let TrajectoryModel {
            netlist,
            specification,
            ..
        } = self.model;
        let assertion = &specification.assertions[property];
        if !assertion.is_indexed {
            return None;
        }
        match coverage(specification, assertion, budget) {
            Coverage::Complete => None,
            Coverage::Unknown(reason) => Some(Warning::from(format!(
                "whether the indices cover all cases was not found out: {reason}"
            ))),
            Coverage::Missing(values) => {
                let shown = values.iter().take(MOST_VALUES);
                let shown = shown.map(|&(node, time, value)| {
                    format!("{} = {} at time {time}", netlist.name_of(node), u8::from(value))
                });
                let shown: Vec<String> = shown.collect();
                let rest = match values.len() > MOST_VALUES {
                    true => format!(" and {} more", values.len() - MOST_VALUES),
                    false => String::new(),
                };
                Some(Warning::from(format!(
                    "the indices do not cover all cases: nothing is said where {}{rest}",
                    shown.join(", ")
                )))
            }
        }
    }
}

impl Session for TrajectorySession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        if let Some(reason) = self.weak.get(&property) {
            return Ok(Answer::unknown(reason.clone()));
        }
        let TrajectoryModel {
            netlist,
            specification,
            ..
        } = self.model;
        if let Some(graph) = self.model.graph(property) {
            return Ok(match engine {
                "bdd" => by_fixpoint(netlist, specification, graph, self.settings, budget),
                other => Answer::unknown(format!(
                    "the engine `{other}` does not decide assertion graphs: bdd does"
                )),
            }
            .boxed());
        }
        let assertion = &specification.assertions[property];
        let mut answer = match engine {
            "bdd" => by_diagrams(netlist, specification, assertion, self.settings, budget),
            "sat" => by_sat(netlist, specification, assertion, self.settings, budget),
            other => Answer::unknown(format!(
                "the engine `{other}` does not decide trajectory assertions: bdd and sat do"
            )),
        };
        if answer.verdict == Verdict::Holds {
            answer.warnings.extend(self.uncovered(property, budget));
        }
        if let (Verdict::Unknown, Some(reason)) = (answer.verdict, &answer.reason)
            && reason.starts_with(entail_trajectory::WEAK)
        {
            self.weak.insert(property, reason.clone());
        }
        Ok(answer.boxed())
    }
}
