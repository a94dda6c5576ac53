//! The judge of answers about a transition system, and their evidence in other forms.

use crate::asked::AskedAssertion;
use crate::judge::{Known, judge, judge_pair};
use crate::model::SystemModel;
use crate::show::difference::difference;
use crate::show::violated::violated_parts;
use crate::show::{Extent, Looks, shown};
use crate::witness;
use entail_answer::{Answer, CheckReport, Evidence as AnyEvidence, Verdict};
use entail_budget::Budget;
use entail_evidence::json::{evidence_from_json, evidence_to_json, saved_evidence};
use entail_evidence::{Because, CheckOptions, Evidence, Explanation, Outcome, Trace};
use entail_family::{Checker, Claim, ReadError};
use entail_logic::Property;
use entail_model::TermId;
use entail_show::Shown;
use entail_systemverilog::Directive;
use serde_json::{Map, Value as Json};
use std::any::Any;
use std::collections::BTreeMap;

/// Judges answers about one model.
pub(crate) struct SystemChecker<'m> {
    model: &'m SystemModel,
    options: CheckOptions,
    /// What was established for earlier answers.
    known: Known,
    /// The same of monitors, by the names of their assertions.
    monitors: BTreeMap<String, CheckReport>,
}

impl<'m> SystemChecker<'m> {
    pub(crate) fn new(model: &'m SystemModel, options: CheckOptions) -> SystemChecker<'m> {
        SystemChecker {
            model,
            options,
            known: Known::default(),
            monitors: BTreeMap::new(),
        }
    }

    /// Judges the monitor of an assertion, once.
    fn check_monitor(&mut self, asked: &AskedAssertion, budget: &Budget) -> CheckReport {
        if let Some(known) = self.monitors.get(&asked.name) {
            return known.clone();
        }
        let report = asked.check_monitor(&self.model.content.system, budget);
        if report.is_accepted() {
            self.monitors.insert(asked.name.clone(), report.clone());
        }
        report
    }

    /// The assumptions of the design.
    fn assumptions(&self) -> Vec<&'m AskedAssertion> {
        let asked = self.model.content.asked.iter();
        asked.filter(|one| one.directive == Directive::Assume).collect()
    }

    fn show_as(&self, property: usize, answer: &Answer, extent: Extent) -> Shown {
        let line = self.model.line(property);
        let is_cover = self.model.content.covers.contains(&property);
        let position = property;
        match self.model.property(property) {
            Some(property) => {
                let system = self.model.subject(property);
                let looks = Looks {
                    dress: &self.model.content.dress,
                    line,
                    is_cover,
                };
                let mut shown = shown(system, property, answer, self.options.dead_ends, extent, looks);
                if let (Some((pair, outputs)), Some(Evidence::Trace(trace))) =
                    (self.model.compared(position), answer.evidence_as::<Evidence>())
                {
                    shown.violated.extend(difference(system, pair, outputs, trace));
                }
                shown
            }
            None => Shown::default(),
        }
    }
}

/// The evidence as the plain data of this family.
fn own(evidence: &dyn AnyEvidence) -> Option<&Evidence> {
    let evidence: &dyn Any = evidence;
    evidence.downcast_ref()
}

/// An answer with its evidence as the plain data of this family.
pub(crate) fn outcome_of(answer: &Answer) -> Outcome {
    let mut outcome = answer.bare().map(|never| match never {});
    outcome.evidence = answer.evidence_as::<Evidence>().cloned();
    outcome
}

/// The path that shows an answer, if there is one: the trace, or the path of the tree's first node that has one.
pub(crate) fn first_trace(evidence: &Evidence) -> Option<&Trace> {
    fn first(tree: &Explanation) -> Option<&Trace> {
        match &tree.because {
            Because::Path(witness) => Some(&witness.trace),
            Because::Operands(operands) => operands.iter().find_map(first),
            Because::Evaluation | Because::Exhaustion => None,
        }
    }
    match evidence {
        Evidence::Trace(trace) => Some(trace),
        Evidence::Explanation(tree) => first(tree),
        _ => None,
    }
}

/// A property that the model has.
fn property_of(model: &SystemModel, position: usize) -> Result<&Property<TermId>, String> {
    let found = model.property(position);
    found.ok_or_else(|| format!("the model has no property {}", position + 1))
}

fn object(json: Json) -> Map<String, Json> {
    match json {
        Json::Object(map) => map,
        _ => Map::new(),
    }
}

impl Checker for SystemChecker<'_> {
    fn check(&mut self, position: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let verdict = self.model.turned_verdict(position, answer.verdict);
        let property = match property_of(self.model, position) {
            Ok(property) => property,
            Err(problem) => return CheckReport::rejected(problem),
        };
        if answer.verdict == Verdict::Unknown {
            return CheckReport::Accepted;
        }
        let mut outcome = outcome_of(answer);
        outcome.verdict = verdict;
        if outcome.evidence.is_none() {
            return CheckReport::rejected(match (&answer.evidence, &answer.reason) {
                (Some(_), _) => "the evidence is not one of transition systems",
                (None, Some(reason)) => reason,
                (None, None) => "the verdict comes without evidence",
            });
        }
        let system = self.model.subject(property);
        if let Some((pair, outputs)) = self.model.compared(position) {
            return judge_pair(system, pair, outputs, &outcome, &mut self.known, budget);
        }
        let report = judge(system, property, &outcome, &self.options, &mut self.known, budget);
        // What the monitor of an assertion says is not believed: the assertion is evaluated itself.
        let asked = self.model.asked(position);
        let assumptions = self.assumptions();
        let watched =
            asked.is_some_and(AskedAssertion::has_monitor) || assumptions.iter().any(|one| one.has_monitor());
        if !watched || !report.is_accepted() {
            return report;
        }
        match (asked, verdict, outcome.evidence.as_ref().and_then(first_trace)) {
            (Some(asked), Verdict::Fails, Some(trace)) => asked.check_trace(system, trace, &assumptions),
            (Some(asked), Verdict::Holds, _) => {
                // That nothing is accepted says something if everything would be.
                let monitors = assumptions.into_iter().chain([asked]);
                let reports = monitors.map(|one| self.check_monitor(one, budget));
                reports
                    .into_iter()
                    .find(|report| !report.is_accepted())
                    .unwrap_or(CheckReport::Accepted)
            }
            _ => CheckReport::unchecked("the monitors of assertions, which are part of the circuit"),
        }
    }

    fn to_json(&self, property: usize, evidence: &dyn AnyEvidence) -> Map<String, Json> {
        match (self.model.property(property), own(evidence)) {
            (Some(property), Some(evidence)) => {
                object(evidence_to_json(self.model.subject(property), evidence))
            }
            _ => Map::new(),
        }
    }

    fn to_saved_json(&self, property: usize, evidence: &dyn AnyEvidence) -> Map<String, Json> {
        match (self.model.property(property), own(evidence)) {
            (Some(property), Some(evidence)) => {
                let system = self.model.subject(property);
                object(saved_evidence(system, &property.question, evidence))
            }
            _ => Map::new(),
        }
    }

    fn evidence_from_json(
        &self,
        property: usize,
        document: &Json,
    ) -> Result<Box<dyn AnyEvidence>, ReadError> {
        let property = property_of(self.model, property)?;
        let system = self.model.subject(property);
        let evidence = evidence_from_json(system, property, &document["evidence"])
            .map_err(|problem| problem.to_string())?;
        match evidence {
            Some(evidence) => Ok(Box::new(evidence)),
            None => Err("the document has no evidence".into()),
        }
    }

    fn show(&self, property: usize, answer: &Answer) -> Shown {
        self.show_as(property, answer, Extent::Brief)
    }

    fn show_in_full(&self, property: usize, answer: &Answer) -> Shown {
        self.show_as(property, answer, Extent::Full)
    }

    fn details(&self, property: usize, answer: &Answer) -> Map<String, Json> {
        // What an assertion is made of here, its author has not written.
        let foreign = self.model.content.dress.is_foreign() || self.model.asked(property).is_some();
        let Some(property) = self.model.property(property).filter(|_| !foreign) else {
            return Map::new();
        };
        let violated = violated_parts(
            self.model.subject(property),
            property,
            answer,
            self.options.dead_ends,
        );
        match violated.is_empty() {
            true => Map::new(),
            false => Map::from_iter([("violated".to_owned(), violated.into())]),
        }
    }

    fn export_formats(&self) -> &'static [&'static str] {
        &[witness::EXTENSION]
    }

    fn export(&self, property: usize, answer: &Answer, extension: &str) -> Option<Result<String, String>> {
        let verdict = self.model.turned_verdict(property, answer.verdict);
        if extension != witness::EXTENSION || verdict != Verdict::Fails {
            return None;
        }
        let trace = first_trace(answer.evidence_as::<Evidence>()?)?;
        witness::write(self.model, property, trace).map(Ok)
    }

    fn import(&self, text: &str) -> Option<Result<Vec<Claim>, ReadError>> {
        witness::is_witness(text).then(|| witness::read(self.model, text))
    }
}
