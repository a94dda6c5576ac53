//! Chains with a parameter: the value of a property as a rational function of one constant.
//!
//! Probabilities and rewards of unbounded formulas in chains are rational functions of a parameter that occurs in probabilities or rates, as long as the
//! graph stays the same (Daws 2004). The function is found from exact values at single places, each with its certificate: values are added until a
//! function passes through more places than its degrees need. That it is the right one between and beyond the places is then very likely, but not
//! proved, and said not to be.

use crate::checker::Proof;
use crate::experiment::{Outcome, Written};
use crate::instances::Instances;
use crate::model::StochasticModel;
use crate::session::StochasticSession;
use entail_answer::{Answer, CheckReport, Evidence, Quantity, Verdict};
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, LoadError, Model, ModelError, Options, ReadError, Session, Usage, evidence_from_document,
    evidence_to_map,
};
use entail_markov::{Rational, to_float};
use entail_numeric::rational_function::{Polynomial, RationalFunction, through};
use entail_show::{Axis, Chart, Prominence, Series, Shown, View};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::any::Any;

/// Places at most.
const MOST_PLACES: u64 = 72;

/// Places that must agree beyond those that the degrees of the function need.
const SPARE: usize = 6;

/// Where the chain is solved: fractions between 0 and 1 with a denominator that no model treats specially, well mixed.
pub(crate) fn places() -> Vec<Rational> {
    let mut numerator = 1u64;
    let mut found = Vec::new();
    for _ in 0..MOST_PLACES {
        // 2 is a primitive root of 101: every numerator comes once.
        numerator = numerator * 2 % 101;
        found.push(Rational::from(numerator) / Rational::from(101u64));
    }
    found
}

/// A chain with a parameter, and the same chain with values for it; never without any.
pub(crate) struct Parametric {
    pub parameter: String,
    pub points: Vec<(Rational, StochasticModel)>,
}

/// A function with the places at which it was checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FunctionProof {
    numerator: Vec<String>,
    denominator: Vec<String>,
    /// The place among all, and what was found there.
    places: Vec<(usize, Outcome)>,
}

impl Evidence for FunctionProof {
    fn kind(&self) -> &'static str {
        "function"
    }
}

impl FunctionProof {
    fn function(&self) -> Option<RationalFunction> {
        let polynomial = |texts: &[String]| -> Option<Polynomial> {
            let read = texts.iter().map(|text| text.parse::<Rational>().ok());
            Some(Polynomial::new(read.collect::<Option<_>>()?))
        };
        let denominator = polynomial(&self.denominator)?;
        (!denominator.is_zero()).then_some(RationalFunction {
            numerator: polynomial(&self.numerator)?,
            denominator,
        })
    }
}

impl Instances for Parametric {
    fn first(&self) -> &StochasticModel {
        &self.points[0].1
    }

    fn each(&mut self) -> impl Iterator<Item = &mut StochasticModel> {
        self.points.iter_mut().map(|(_, model)| model)
    }

    fn check_options(&self, properties: &[usize], options: &Options) -> Result<(), LoadError> {
        match options.has("scheduler") {
            true => Err(Usage("--scheduler does not go with --parametric".to_owned()).into()),
            false => self.first().check_options(properties, options),
        }
    }

    fn open<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(ParametricSession { model: self, options }))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Box<dyn Checker + 'm> {
        Box::new(ParametricChecker { model: self })
    }
}

struct ParametricSession<'m> {
    model: &'m Parametric,
    options: &'m Options,
}

impl Session for ParametricSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let network = &self.model.first().network;
        if network.kind.has_choices() || network.has_intervals() {
            return Ok(Answer::unknown(
                "optima over schedulers or intervals are no rational functions: --parametric is for chains",
            ));
        }
        if engine == "statistical" {
            return Ok(Answer::unknown("functions are not found by random runs"));
        }
        let mut found: Vec<(Rational, Rational)> = Vec::new();
        let mut places = Vec::new();
        let mut tried = 0;
        for (at, (place, model)) in self.model.points.iter().enumerate() {
            let usage = |usage: Usage| ModelError {
                message: usage.0,
                place: None,
                timeline: None,
                help: None,
            };
            let mut session = StochasticSession::new(model, self.options).map_err(usage)?;
            // Where the model has no meaning (a probability above 1) there is no value; the first mistake is told if there are too many.
            let answer = match session.check("exact", property, budget, progress) {
                Ok(answer) => answer,
                Err(error) if at > 20 && found.is_empty() => return Err(error),
                Err(_) => continue,
            };
            let (Some(Quantity::Exact(value)), Some(proof)) = (&answer.value, answer.evidence_as::<Proof>())
            else {
                let reason = answer.reason.as_deref().unwrap_or("it is no exact number");
                let message = format!("no value at {}={place}: {reason}", self.model.parameter);
                return Ok(Answer::unknown(message));
            };
            found.push((place.clone(), value.clone()));
            places.push((
                at,
                Outcome {
                    constants: vec![format!("{}={place}", self.model.parameter)],
                    verdict: answer.verdict.name().to_owned(),
                    value: Some(Written::of(&Quantity::Exact(value.clone()))),
                    certificate: proof.certificate.clone(),
                    states: answer.statistics.states(),
                },
            ));
            // Reconstruction is tried when there is enough that is new.
            if found.len() < SPARE + 1 || found.len() < tried + 1 + tried / 3 {
                continue;
            }
            tried = found.len();
            if let Some(function) = through(&found, SPARE) {
                return Ok(self.answer(&function, places));
            }
        }
        Ok(Answer::unknown(format!(
            "no rational function of small degree passes through the values at {} places",
            found.len()
        )))
    }
}

impl ParametricSession<'_> {
    fn answer(&self, function: &RationalFunction, places: Vec<(usize, Outcome)>) -> Answer {
        let texts = |polynomial: &Polynomial| {
            polynomial
                .coefficients()
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        let count = places.len();
        let proof = FunctionProof {
            numerator: texts(&function.numerator),
            denominator: texts(&function.denominator),
            places,
        };
        let mut answer = Answer::complete(Verdict::Holds, proof).boxed();
        let text = function.text(&self.model.parameter);
        answer.reason = Some(format!("{text}, exact at {count} places"));
        answer
    }
}

struct ParametricChecker<'m> {
    model: &'m Parametric,
}

impl Checker for ParametricChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let Some(proof) = answer.evidence_as::<FunctionProof>() else {
            return CheckReport::rejected("there is no function");
        };
        let Some(function) = proof.function() else {
            return CheckReport::rejected("the function is none");
        };
        let needed = function.numerator.degree() + function.denominator.degree() + 1;
        if proof.places.len() <= needed {
            return CheckReport::rejected("the function was checked at too few places");
        }
        let mut report =
            CheckReport::unchecked("that the function holds between the places at which it was checked");
        let mut last = None;
        for (at, outcome) in &proof.places {
            let Some((place, model)) = self.model.points.get(*at).filter(|_| last < Some(*at)) else {
                return CheckReport::rejected("a place that is none, or comes twice");
            };
            last = Some(*at);
            let claimed = outcome.value.as_ref().and_then(Written::quantity);
            if claimed.is_none() || claimed != function.at(place).map(Quantity::Exact) {
                return CheckReport::rejected("the function misses a value");
            }
            report = report.and(outcome.check(model, property, false, budget));
            if report.is_rejected() {
                break;
            }
        }
        report
    }

    fn to_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let evidence: &dyn Any = evidence;
        let mut map = Map::new();
        if let Some(proof) = evidence.downcast_ref::<FunctionProof>() {
            map.insert("kind".into(), "function".into());
            map.insert("places".into(), proof.places.len().into());
        }
        map
    }

    fn to_saved_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let evidence: &dyn Any = evidence;
        let mut map = match evidence.downcast_ref::<FunctionProof>() {
            Some(proof) => evidence_to_map(proof),
            None => Map::new(),
        };
        map.insert("kind".into(), "function".into());
        map
    }

    fn evidence_from_json(&self, _: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        Ok(Box::new(evidence_from_document::<FunctionProof>(document)?))
    }

    fn details(&self, _: usize, answer: &Answer) -> Map<String, Json> {
        let mut map = Map::new();
        let function = answer
            .evidence_as::<FunctionProof>()
            .and_then(FunctionProof::function);
        if let Some(function) = function {
            map.insert("function".into(), function.text(&self.model.parameter).into());
        }
        map
    }

    fn show(&self, property: usize, answer: &Answer) -> Shown {
        let function = answer
            .evidence_as::<FunctionProof>()
            .and_then(FunctionProof::function);
        let Some(function) = function else {
            return Shown::default();
        };
        let heading = &self.model.first().properties()[property];
        let mut shown = Shown::default();
        let place = |k: u64| Rational::from(k) / Rational::from(100u64);
        let point = |k: u64| Some((to_float(&place(k)), to_float(&function.at(&place(k))?)));
        let chart = Chart {
            x: Axis {
                label: self.model.parameter.clone(),
                is_logarithmic: false,
            },
            y: Axis {
                label: heading.name.clone().unwrap_or_else(|| heading.text.clone()),
                is_logarithmic: false,
            },
            series: vec![Series {
                points: (1..100).filter_map(point).collect(),
                ..Series::default()
            }],
        };
        shown.push(Prominence::Report, View::Chart(chart));
        shown
    }
}
