//! Engines at work on trajectory assertions.

use super::{TrajectoryModel, WEAKEN_ABOVE};
use entail_answer::{Answer, Verdict, Warning};
use entail_budget::{Budget, Progress};
use entail_family::{ModelError, Options, Session};
use entail_trajectories::{Derivation, Method, TrajectoryEvidence};
use entail_trajectory::{
    Coverage, Settings, Underived, by_diagrams, by_fixpoint, by_index, by_sat, coverage, derives,
};
use std::collections::BTreeMap;

/// How the reason of an answer begins where a derivation does not prove an assertion.
const UNDERIVED: &str = "it is not derived";

/// Most values of an uncovered case that are written out.
const MOST_VALUES: usize = 12;

pub(crate) struct TrajectorySession<'m> {
    model: &'m TrajectoryModel,
    settings: Settings,
    /// Why an X stands where a value is demanded, by the positions of properties: another engine would find the same.
    weak: BTreeMap<usize, String>,
    /// Why assertions hold that others are derived from.
    proved: BTreeMap<usize, TrajectoryEvidence>,
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
            proved: BTreeMap::new(),
        }
    }

    /// The answer about an assertion, by the method that it names.
    fn decided(&mut self, engine: &str, property: usize, budget: &Budget) -> Answer<TrajectoryEvidence> {
        let TrajectoryModel {
            netlist,
            specification,
            ..
        } = self.model;
        let assertion = &specification.assertions[property];
        match (&assertion.method, engine) {
            (Method::Simulation, "bdd") => {
                by_diagrams(netlist, specification, assertion, self.settings, budget)
            }
            (Method::Simulation, _) => by_sat(netlist, specification, assertion, self.settings, budget),
            (Method::Index(relation), "bdd") => by_index(
                netlist,
                specification,
                assertion,
                *relation,
                self.settings,
                budget,
            ),
            (Method::Index(_), _) => {
                Answer::unknown("the engine `sat` does not transform assertions by an index: bdd does")
            }
            (Method::Rules(derivation), _) => {
                for premise in specification.premises(property) {
                    if self.proved.contains_key(&premise) {
                        continue;
                    }
                    let name = &specification.assertions[premise].name;
                    // (Premises of premises come first, so this goes no deeper.)
                    let answer = self.decided(engine, premise, budget);
                    match (answer.verdict, answer.evidence) {
                        (Verdict::Holds, Some(evidence)) => self.proved.insert(premise, evidence),
                        (Verdict::Fails, _) => {
                            return Answer::unknown(format!("{UNDERIVED}: `{name}` fails"));
                        }
                        _ => {
                            let reason = answer.reason.unwrap_or_default();
                            return Answer::unknown(format!("{UNDERIVED}: `{name}` is not proved: {reason}"));
                        }
                    };
                }
                self.derived(property, derivation, budget)
            }
        }
    }

    /// The answer about an assertion whose premises hold.
    fn derived(
        &self,
        property: usize,
        derivation: &Derivation,
        budget: &Budget,
    ) -> Answer<TrajectoryEvidence> {
        let TrajectoryModel {
            netlist,
            specification,
            ..
        } = self.model;
        let assertion = &specification.assertions[property];
        match derives(specification, assertion, derivation, budget) {
            Ok(()) => {
                let premises = specification.premises(property).into_iter();
                let premises = premises.filter_map(|premise| {
                    let evidence = match self.proved.get(&premise)? {
                        TrajectoryEvidence::Derived { .. } => {
                            TrajectoryEvidence::Derived { premises: Vec::new() }
                        }
                        other => other.clone(),
                    };
                    Some((premise as u32, evidence))
                });
                let premises = premises.collect();
                Answer::complete(Verdict::Holds, TrajectoryEvidence::Derived { premises })
            }
            Err(Underived::Stopped(reason)) => Answer::unknown(reason),
            Err(Underived::Gap(gap)) => {
                let place = gap.place.map_or(String::new(), |(node, time)| {
                    format!(" of {} at time {time}", netlist.name_of(node))
                });
                let values = specification.valuation_text(&gap.values);
                let values = match values.is_empty() {
                    true => values,
                    false => format!(", where {values}"),
                };
                Answer::unknown(format!("{UNDERIVED}: {}{place}{values}", gap.rule))
            }
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
        if let Some(graph) = self.model.graph(property) {
            let TrajectoryModel {
                netlist,
                specification,
                ..
            } = self.model;
            return Ok(match engine {
                "bdd" => by_fixpoint(netlist, specification, graph, self.settings, budget),
                other => Answer::unknown(format!(
                    "the engine `{other}` does not decide assertion graphs: bdd does"
                )),
            }
            .boxed());
        }
        let mut answer = match engine {
            "bdd" | "sat" => self.decided(engine, property, budget),
            other => Answer::unknown(format!(
                "the engine `{other}` does not decide trajectory assertions: bdd and sat do"
            )),
        };
        if answer.verdict == Verdict::Holds {
            answer.warnings.extend(self.uncovered(property, budget));
        }
        if let (Verdict::Unknown, Some(reason)) = (answer.verdict, &answer.reason)
            && (reason.starts_with(entail_trajectory::WEAK) || reason.starts_with(UNDERIVED))
        {
            self.weak.insert(property, reason.clone());
        }
        Ok(answer.boxed())
    }
}
