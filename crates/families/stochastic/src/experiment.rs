//! Experiments: a model for every combination of values of its constants, each property asked of all of them.
//!
//! A property has one answer for the whole experiment: a table of values, drawn as curves over the constant that varies fastest. Its evidence is that
//! of all the runs. Models whose constants differ only in properties are explored once.

use crate::checker::{BoundsChecker, Proof};
use crate::instances::Instances;
use crate::model::StochasticModel;
use crate::saved::saved;
use crate::session::StochasticSession;
use entail_answer::{Answer, CheckReport, Evidence, Figure, Quantity, Statistics, Verdict};
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, Conclusion, LoadError, Model, ModelError, Options, ReadError, Session, Usage,
    evidence_from_document,
};
use entail_markov::{Certificate, Fractions, to_float};
use entail_show::{Axis, Chart, Series, Shown, Table, View};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use std::any::Any;
use std::path::PathBuf;

/// One model of an experiment.
pub(crate) struct Run {
    /// The constants that vary, with their values in this run as text and, where they are numbers, as numbers.
    pub constants: Vec<(String, String, Option<f64>)>,
    pub model: StochasticModel,
}

/// All models of an experiment; never none.
pub(crate) struct Experiment {
    pub runs: Vec<Run>,
}

/// What one run answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub constants: Vec<String>,
    pub verdict: String,
    pub value: Option<Written>,
    pub certificate: Certificate,
    pub states: Option<u64>,
}

/// A value as it is saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Written {
    Exact(String),
    Between(String, String),
    Infinite,
    Undefined,
    Points(Vec<Fractions>),
}

impl Written {
    pub fn of(value: &Quantity) -> Written {
        match value {
            Quantity::Exact(number) => Written::Exact(number.to_string()),
            Quantity::Between(low, high) => Written::Between(low.to_string(), high.to_string()),
            Quantity::Infinite => Written::Infinite,
            Quantity::Undefined => Written::Undefined,
            Quantity::Points(points) => Written::Points(points.iter().cloned().map(Fractions).collect()),
        }
    }

    pub fn quantity(&self) -> Option<Quantity> {
        Some(match self {
            Written::Exact(number) => Quantity::Exact(number.parse().ok()?),
            Written::Between(low, high) => Quantity::Between(low.parse().ok()?, high.parse().ok()?),
            Written::Infinite => Quantity::Infinite,
            Written::Undefined => Quantity::Undefined,
            Written::Points(points) => Quantity::Points(points.iter().map(|point| point.0.clone()).collect()),
        })
    }
}

/// The evidence of an experiment: that of its runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Outcomes {
    runs: Vec<Outcome>,
}

impl Evidence for Outcomes {
    fn kind(&self) -> &'static str {
        "experiment"
    }
}

impl Outcome {
    /// What is written in tables: a fraction, bounds, or a verdict.
    fn text(&self) -> String {
        match (self.value.as_ref().and_then(Written::quantity), &self.verdict) {
            (Some(value), _) => value.to_string(),
            (None, verdict) => verdict.clone(),
        }
    }

    /// Whether the certificate proves the value, or verdict, for the model of the run.
    pub fn check(
        &self,
        model: &StochasticModel,
        property: usize,
        fair: bool,
        budget: &Budget,
    ) -> CheckReport {
        let Some(verdict) = Verdict::named(&self.verdict) else {
            return CheckReport::rejected("a run without a verdict");
        };
        let proof = Proof::from(self.certificate.clone());
        let mut own = Answer::complete(verdict, proof).boxed();
        own.value = self.value.as_ref().and_then(Written::quantity);
        if let Some(states) = self.states {
            own.statistics.set("states", Figure::Count(states));
        }
        BoundsChecker::new(model, fair).check(property, &own, budget)
    }

    /// The bounds as numbers.
    fn bounds(&self) -> Option<(f64, f64)> {
        match self.value.as_ref()?.quantity()? {
            Quantity::Exact(number) => Some((to_float(&number), to_float(&number))),
            Quantity::Between(low, high) => Some((to_float(&low), to_float(&high))),
            Quantity::Infinite => Some((f64::INFINITY, f64::INFINITY)),
            Quantity::Undefined | Quantity::Points(_) => None,
        }
    }
}

impl Experiment {
    fn table(&self, outcomes: &Outcomes) -> Table {
        let names = self.runs[0].constants.iter().map(|(name, ..)| name.clone());
        let row = |(run, outcome): (&Run, &Outcome)| -> Vec<String> {
            let values = run.constants.iter().map(|(_, text, _)| text.clone());
            values.chain([outcome.text()]).collect()
        };
        Table {
            heads: names.chain(["value".to_owned()]).collect(),
            rows: self.runs.iter().zip(&outcomes.runs).map(row).collect(),
        }
    }

    /// Curves over the last constant that varies, one for each combination of the others; nothing if the answers are no numbers.
    fn chart(&self, property: usize, outcomes: &Outcomes) -> Option<Chart> {
        let (across, _, _) = self.runs[0].constants.last()?;
        let heading = &self.first().properties()[property];
        let mut series: Vec<Series> = Vec::new();
        for (run, outcome) in self.runs.iter().zip(&outcomes.runs) {
            let ((_, _, x), others) = run.constants.split_last()?;
            let (low, high) = outcome.bounds()?;
            let others: Vec<String> = (others.iter())
                .map(|(name, value, _)| format!("{name}={value}"))
                .collect();
            let name = others.join(", ");
            let middle = (low + high) / 2.0;
            let at = match series.iter().position(|known| known.name == name) {
                Some(at) => at,
                None => {
                    series.push(Series {
                        name,
                        ..Series::default()
                    });
                    series.len() - 1
                }
            };
            if middle.is_finite() {
                series[at].points.push(((*x)?, middle));
                series[at].band.push(((*x)?, low, high));
            }
        }
        Some(Chart {
            x: Axis {
                label: across.clone(),
                is_logarithmic: false,
            },
            y: Axis {
                label: heading.name.clone().unwrap_or_else(|| heading.text.clone()),
                is_logarithmic: false,
            },
            series,
        })
    }

    /// The results of all properties, a line a value.
    fn csv(&self, answers: &[(usize, &Answer)]) -> String {
        let quoted = |text: &str| match text.contains([',', '"', '\n']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        };
        let mut lines = Vec::new();
        let names = self.runs[0].constants.iter().map(|(name, ..)| name.clone());
        let heads = ["property".to_owned()].into_iter().chain(names);
        let last = ["value", "lower", "upper"].map(str::to_owned);
        lines.push(heads.chain(last).collect::<Vec<_>>().join(","));
        for (property, answer) in answers {
            let Some(outcomes) = answer.evidence_as::<Outcomes>() else {
                continue;
            };
            let heading = &self.first().properties()[*property];
            let name = heading.name.as_ref().unwrap_or(&heading.text);
            for (run, outcome) in self.runs.iter().zip(&outcomes.runs) {
                let mut cells = vec![quoted(name)];
                cells.extend(run.constants.iter().map(|(_, text, _)| quoted(text)));
                cells.push(quoted(&match outcome.value {
                    Some(Written::Between(..)) => String::new(),
                    _ => outcome.text(),
                }));
                let bound = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
                cells.push(bound(outcome.bounds().map(|bounds| bounds.0)));
                cells.push(bound(outcome.bounds().map(|bounds| bounds.1)));
                lines.push(cells.join(","));
            }
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

impl Instances for Experiment {
    fn first(&self) -> &StochasticModel {
        &self.runs[0].model
    }

    fn each(&mut self) -> impl Iterator<Item = &mut StochasticModel> {
        self.runs.iter_mut().map(|run| &mut run.model)
    }

    fn figures(&self) -> Statistics {
        self.first().figures().with("runs", self.runs.len() as u64)
    }

    fn open<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(ExperimentSession {
            experiment: self,
            options,
            session: StochasticSession::new(self.first(), options)?,
        }))
    }

    fn checker<'m>(&'m self, options: &'m Options) -> Box<dyn Checker + 'm> {
        Box::new(ExperimentChecker {
            experiment: self,
            fair: options.has("fair"),
        })
    }

    fn check_options(&self, _properties: &[usize], options: &Options) -> Result<(), LoadError> {
        match options.has("scheduler") {
            true => {
                Err(Usage("--scheduler needs one value for each constant, not a range".to_owned()).into())
            }
            false => Ok(()),
        }
    }

    fn conclude(
        &self,
        answers: &[(usize, &Answer)],
        options: &Options,
    ) -> Option<Result<Conclusion, String>> {
        let mut conclusion = Conclusion::default();
        if let Some(path) = options.value("results") {
            conclusion.files.push((PathBuf::from(path), self.csv(answers)));
        }
        if let Some(path) = options.value("plot") {
            let charts = (answers.iter())
                .filter_map(|(property, answer)| self.chart(*property, answer.evidence_as::<Outcomes>()?));
            let mut charts: Vec<Chart> = charts.collect();
            let Some(mut chart) = charts.pop() else {
                return Some(Err(format!("--plot {path}: no property has numbers to be drawn")));
            };
            // Curves of several properties go into one picture, under their names.
            if !charts.is_empty() {
                charts.push(chart);
                let named = |chart: &Chart| -> Vec<Series> {
                    let rename = |series: &Series| Series {
                        name: match series.name.is_empty() {
                            true => chart.y.label.clone(),
                            false => format!("{} ({})", chart.y.label, series.name),
                        },
                        ..series.clone()
                    };
                    chart.series.iter().map(rename).collect()
                };
                chart = Chart {
                    x: charts[0].x.clone(),
                    y: Axis {
                        label: "value".to_owned(),
                        is_logarithmic: false,
                    },
                    series: charts.iter().flat_map(named).collect(),
                };
            }
            conclusion
                .pictures
                .push((PathBuf::from(path), View::Chart(chart)));
        }
        Some(Ok(conclusion))
    }
}

struct ExperimentSession<'m> {
    experiment: &'m Experiment,
    options: &'m Options,
    session: StochasticSession<'m>,
}

impl Session for ExperimentSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        if engine == "statistical" {
            return Ok(Answer::unknown(
                "experiments are not decided by random runs: give one value for each constant",
            ));
        }
        let mut found = Vec::new();
        let count = self.experiment.runs.len();
        for run in &self.experiment.runs {
            if !self.session.turn_to(&run.model) {
                let usage = |usage: Usage| ModelError {
                    message: usage.0,
                    place: None,
                    timeline: None,
                    help: None,
                };
                self.session = StochasticSession::new(&run.model, self.options).map_err(usage)?;
            }
            let answer = self.session.check(engine, property, budget, progress)?;
            let constants: Vec<String> = (run.constants.iter())
                .map(|(name, value, _)| format!("{name}={value}"))
                .collect();
            let (Some(proof), false) = (answer.evidence_as::<Proof>(), answer.verdict == Verdict::Unknown)
            else {
                let reason = answer.reason.as_deref().unwrap_or("no answer");
                return Ok(Answer::unknown(format!(
                    "{} of {count} runs were decided, not the one with {}: {reason}",
                    found.len(),
                    constants.join(", ")
                )));
            };
            found.push(Outcome {
                constants,
                verdict: answer.verdict.name().to_owned(),
                value: answer.value.as_ref().map(Written::of),
                certificate: proof.certificate.clone(),
                states: answer.statistics.states(),
            });
        }
        let verdict = match found
            .iter()
            .all(|outcome| outcome.verdict == Verdict::Holds.name())
        {
            true => Verdict::Holds,
            false => Verdict::Fails,
        };
        let mut answer = Answer::complete(verdict, Outcomes { runs: found }).boxed();
        answer.reason = Some(format!("{count} runs"));
        Ok(answer)
    }
}

struct ExperimentChecker<'m> {
    experiment: &'m Experiment,
    fair: bool,
}

impl Checker for ExperimentChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let Some(outcomes) = answer.evidence_as::<Outcomes>() else {
            return CheckReport::rejected("there is no certificate");
        };
        if outcomes.runs.len() != self.experiment.runs.len() {
            return CheckReport::rejected("the evidence is about another number of runs");
        }
        let all = outcomes
            .runs
            .iter()
            .all(|outcome| outcome.verdict == Verdict::Holds.name());
        if all != (answer.verdict == Verdict::Holds) {
            return CheckReport::rejected("the verdict is not that of the runs");
        }
        let mut report = CheckReport::Accepted;
        for (run, outcome) in self.experiment.runs.iter().zip(&outcomes.runs) {
            report = report.and(outcome.check(&run.model, property, self.fair, budget));
            if report.is_rejected() {
                break;
            }
        }
        report
    }

    fn to_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let evidence: &dyn Any = evidence;
        let mut map = Map::new();
        if let Some(outcomes) = evidence.downcast_ref::<Outcomes>() {
            map.insert("kind".into(), "experiment".into());
            map.insert("runs".into(), outcomes.runs.len().into());
        }
        map
    }

    fn to_saved_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        saved::<Outcomes>(evidence)
    }

    fn evidence_from_json(&self, _: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        Ok(Box::new(evidence_from_document::<Outcomes>(document)?))
    }

    fn details(&self, _: usize, answer: &Answer) -> Map<String, Json> {
        let mut map = Map::new();
        if let Some(outcomes) = answer.evidence_as::<Outcomes>() {
            let value = |outcome: &Outcome| match outcome.value.as_ref().and_then(Written::quantity) {
                Some(Quantity::Between(low, high)) => {
                    json!({"lower": to_float(&low), "upper": to_float(&high)})
                }
                Some(Quantity::Exact(value)) => json!({"exact": value.to_string()}),
                Some(value) => value.to_json(),
                None => json!(outcome.verdict),
            };
            let result = |(run, outcome): (&Run, &Outcome)| {
                let constants: Map<String, Json> = (run.constants.iter())
                    .map(|(name, text, _)| (name.clone(), text.clone().into()))
                    .collect();
                json!({"constants": constants, "value": value(outcome)})
            };
            let results = self.experiment.runs.iter().zip(&outcomes.runs).map(result);
            map.insert("results".into(), results.collect());
        }
        map
    }

    fn show(&self, property: usize, answer: &Answer) -> Shown {
        let Some(outcomes) = answer.evidence_as::<Outcomes>() else {
            return Shown::default();
        };
        let mut shown = Shown::default().main(View::Table(self.experiment.table(outcomes)));
        if let Some(chart) = self.experiment.chart(property, outcomes) {
            shown.push(entail_show::Prominence::Report, View::Chart(chart));
        }
        shown
    }
}
