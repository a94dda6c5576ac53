//! Judging answers by their certificates.

use crate::front;
use crate::likely_paths;
use crate::model::StochasticModel;
use crate::scheduler::Induced;
use entail_answer::{Answer, CheckReport, Evidence, Guarantee};
use entail_budget::Budget;
use entail_family::{Checker, Model, ReadError, evidence_from_document, evidence_to_map};
use entail_markov::{Certificate, Critical, Exploration, Listed, Strategy, region_clocks};
use entail_show::{Prominence, Shown, View};
use entail_stochastic_checker::check::{Checker as Bounds, Claim};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use std::any::Any;

/// The reference interpreter builds no models larger than this.
pub(crate) const MOST_STATES: usize = 300_000;

/// Why an answer should be believed: lower and upper values for every state, operator by operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Proof {
    pub certificate: Certificate,
    /// It is about the region graph of a model with clocks, not about the model with integers as clocks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub regions: bool,
    /// The scheduler that reaches the value, where it was asked for.
    #[serde(default)]
    pub scheduler: Option<Strategy>,
    /// The most probable paths and the states that show why a bound is violated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical: Option<Critical>,
    /// The values of the states that `filter(print, …)` asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<Vec<Listed>>,
}

/// A proof by a certificate alone.
impl From<Certificate> for Proof {
    fn from(certificate: Certificate) -> Proof {
        Proof {
            certificate,
            regions: false,
            scheduler: None,
            critical: None,
            listed: None,
        }
    }
}

impl Evidence for Proof {
    fn kind(&self) -> &'static str {
        "bounds"
    }
}

/// Random runs: no proof, but said to be none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Samples {
    pub runs: u64,
    pub successes: u64,
    pub seed: u64,
}

impl Evidence for Samples {
    fn kind(&self) -> &'static str {
        "samples"
    }
}

/// What plain value iteration came to: no proof, and said to be none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Approximated {
    pub about: String,
}

impl Evidence for Approximated {
    fn kind(&self) -> &'static str {
        "value-iteration"
    }
}

pub(crate) struct BoundsChecker<'m> {
    model: &'m StochasticModel,
    bounds: Option<Result<Bounds, String>>,
    /// Only fair schedulers count for all properties.
    fair: bool,
    how: Exploration,
}

impl<'m> BoundsChecker<'m> {
    pub fn new(model: &'m StochasticModel, fair: bool, threads: usize) -> BoundsChecker<'m> {
        BoundsChecker {
            model,
            bounds: None,
            fair,
            how: Exploration {
                threads,
                ..Exploration::from(MOST_STATES)
            },
        }
    }
}

impl BoundsChecker<'_> {
    /// Judges a certificate that is about the region graph, which is built from the network with its clocks as they were written.
    fn check_by_regions(
        &self,
        property: usize,
        answer: &Answer,
        proof: &Proof,
        budget: &Budget,
    ) -> CheckReport {
        if proof.certificate.brackets.is_empty() {
            return CheckReport::unchecked(
                "zones (the region graph is too large for a certificate)".to_owned(),
            );
        }
        let asked = self.model.real_time_question(&self.model.properties[property]);
        let regions = match asked.and_then(|question| region_clocks(&question)) {
            Ok(regions) => regions,
            Err(error) => return CheckReport::rejected(format!("there is no region graph ({error})")),
        };
        match Bounds::new(regions.network, MOST_STATES, budget) {
            Err(reason) => CheckReport::unchecked(format!("the region graph was not built again ({reason})")),
            Ok(bounds) => {
                let claim = Claim {
                    verdict: answer.verdict,
                    value: answer.value.as_ref(),
                };
                bounds.check(&regions.property, &claim, &proof.certificate, budget)
            }
        }
    }
}

impl Checker for BoundsChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        if answer.evidence_as::<Samples>().is_some() {
            return CheckReport::unchecked("random runs".to_owned());
        }
        if answer.evidence_as::<Approximated>().is_some() {
            return match answer.guarantee {
                Guarantee::Approximate { .. } => {
                    CheckReport::unchecked("plain value iteration, which proves nothing".to_owned())
                }
                _ => CheckReport::rejected("plain value iteration claims to be more than it is"),
            };
        }
        let Some(proof) = answer.evidence_as::<Proof>() else {
            return CheckReport::rejected("there is no certificate");
        };
        let fair = self.fair || self.model.fair.contains(&property);
        if proof.regions {
            return match fair {
                true => CheckReport::rejected("region graphs say nothing about fair schedulers"),
                false => self.check_by_regions(property, answer, proof, budget),
            };
        }
        if let Some(reason) = self.model.refusal_of(property) {
            let message = format!("the certificate is about clocks that are integers, and {reason}");
            return CheckReport::rejected(message);
        }
        if answer.statistics.get("left out").is_some() {
            return CheckReport::unchecked("a model from which variables were left out".to_owned());
        }
        // What the engine counted only saves the time of finding out.
        if answer
            .statistics
            .states()
            .is_some_and(|states| states > MOST_STATES as u64)
        {
            return CheckReport::unchecked(format!(
                "the model was not built again (more than {MOST_STATES} states)"
            ));
        }
        let (model, how) = (self.model, self.how);
        let unexplored = &proof.certificate.unexplored;
        // A part of the model is that of one answer.
        let mut part = (!unexplored.is_empty()).then(|| {
            Bounds::of_part(model.network.clone(), unexplored, how, budget).map_err(|error| error.to_string())
        });
        let bounds = part.as_mut().unwrap_or_else(|| {
            self.bounds.get_or_insert_with(|| {
                Bounds::of_part(model.network.clone(), &[], how, budget).map_err(|error| error.to_string())
            })
        });
        match bounds {
            Err(reason) => CheckReport::unchecked(format!("the model was not built again ({reason})")),
            Ok(bounds) => {
                let claim = Claim {
                    verdict: answer.verdict,
                    value: answer.value.as_ref(),
                };
                let property = &model.properties[property];
                let report = match fair {
                    true => bounds.check_fairly(property, &claim, &proof.certificate, budget),
                    false => bounds.check(property, &claim, &proof.certificate, budget),
                };
                let report = match &proof.critical {
                    Some(critical) => report.and(bounds.check_critical(property, critical, budget)),
                    None => report,
                };
                let report = match &proof.listed {
                    Some(listed) => {
                        report.and(bounds.check_listed(property, listed, &proof.certificate, fair, budget))
                    }
                    None => report,
                };
                match &proof.scheduler {
                    Some(strategy) => report.and(bounds.check_scheduler(property, &claim, strategy, budget)),
                    None => report,
                }
            }
        }
    }

    fn to_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let evidence: &dyn Any = evidence;
        let mut map = Map::new();
        if let Some(proof) = evidence.downcast_ref::<Proof>() {
            let states = proof
                .certificate
                .brackets
                .first()
                .map_or(0, |bracket| bracket.len());
            map.insert("kind".into(), "bounds".into());
            map.insert("operators".into(), proof.certificate.brackets.len().into());
            map.insert("states".into(), states.into());
            if let Some(critical) = &proof.critical {
                map.insert("likely_paths".into(), json!(critical.paths));
                map.insert("critical_states".into(), critical.states.len().into());
            }
        }
        if let Some(about) = evidence.downcast_ref::<Approximated>() {
            map = evidence_to_map(about);
            map.insert("kind".into(), "value-iteration".into());
        }
        if let Some(samples) = evidence.downcast_ref::<Samples>() {
            map = evidence_to_map(samples);
            map.insert("kind".into(), "samples".into());
        }
        map
    }

    fn to_saved_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = self.to_json(property, evidence);
        let evidence: &dyn Any = evidence;
        if let Some(proof) = evidence.downcast_ref::<Proof>() {
            map.insert("certificate".into(), json!(proof.certificate));
            if proof.regions {
                map.insert("regions".into(), true.into());
            }
            if let Some(scheduler) = &proof.scheduler {
                map.insert("scheduler".into(), json!(scheduler));
            }
            if let Some(critical) = &proof.critical {
                map.insert("critical".into(), json!(critical));
            }
            if let Some(listed) = &proof.listed {
                map.insert("listed".into(), json!(listed));
            }
        }
        map
    }

    fn evidence_from_json(&self, _: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        match document["evidence"]["kind"].as_str() {
            Some("value-iteration") => Ok(Box::new(evidence_from_document::<Approximated>(document)?)),
            Some("samples") => Ok(Box::new(evidence_from_document::<Samples>(document)?)),
            _ => Ok(Box::new(evidence_from_document::<Proof>(document)?)),
        }
    }

    fn show(&self, property: usize, answer: &Answer) -> Shown {
        let Some(proof) = answer.evidence_as::<Proof>() else {
            return Shown::default();
        };
        let mut shown = Shown::default();
        let model = self.model;
        if let Some(front) = front::chart(&model.properties[property], &model.properties()[property], answer)
        {
            shown.push(Prominence::Report, View::Chart(front));
        }
        if let Some(Ok(induced)) =
            (proof.scheduler.as_ref()).map(|strategy| Induced::new(&self.model.network, strategy))
        {
            shown = shown.main(View::Table(induced.table()));
        }
        if let Some(table) =
            (proof.listed.as_ref()).and_then(|listed| crate::listed::table(&self.model.network, listed))
        {
            shown = shown.main(View::Table(table));
        }
        match &proof.critical {
            Some(critical) => likely_paths::show(&self.model.network, critical, shown),
            None => shown,
        }
    }
}
