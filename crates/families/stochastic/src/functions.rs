//! Chains with parameters: the value of a property as a rational function of constants that are left open.
//!
//! Probabilities and rewards of chains are rational functions of what stands in probabilities and rates, as long as the graph stays the same (Daws 2004). Functions of
//! reachability are found by eliminating states, and judged by the equations of all states. What has no such equations, and models whose parameter decides more than
//! weights, have a function of one parameter that is found from exact values at single places: until a function passes through more places than its
//! degrees need. That it is the right one between the places is then not proved, and said not to be.

use crate::checker::Proof;
use crate::experiment::{Outcome, Written};
use crate::function_text::{Form, claim_of, degrees, form, polynomial_of, text, value};
use crate::instances::{Instances, refuse};
use crate::model::{StochasticModel, model_error};
use crate::saved::{numbers, saved, texts};
use crate::session::StochasticSession;
use entail_answer::{Answer, CheckReport, Evidence, Figure, Quantity, Verdict};
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, LoadError, Model, ModelError, Options, ReadError, Session, Usage, evidence_from_document,
};
use entail_markov::parametric::Parametric;
use entail_markov::{Rational, to_float};
use entail_numeric::multivariate::Multivariate;
use entail_numeric::rational_function::{RationalFunction, through};
use entail_probabilistic::{Function, Operation, Trouble, function};
use entail_show::{Axis, Chart, Prominence, Series, Shown, View};
use entail_stochastic_checker::functions::{FunctionClaim, check_function};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::any::Any;
use std::ops::Deref;

/// Places at most.
const MOST_PLACES: u64 = 72;

/// Places that must agree beyond those that the degrees of the function need.
const SPARE: usize = 6;

/// Terms that a curve is drawn of.
const DRAWN_TERMS: usize = 3000;

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

/// A model with constants left open.
pub(crate) enum Opened {
    /// They stand in weights and rewards only, and are the last variables.
    Inside(Box<StochasticModel>),
    /// There is one, and the model was read with each value for it; never none.
    Instances(Vec<StochasticModel>),
}

/// A model whose values are functions.
pub(crate) struct OpenModel {
    pub opened: Opened,
    pub parameters: Vec<String>,
    /// The parameters as they were written.
    pub text: String,
}

/// A model with a value for its parameter.
enum Instance<'m> {
    Read(&'m StochasticModel),
    Made(Box<StochasticModel>),
}

impl Deref for Instance<'_> {
    type Target = StochasticModel;

    fn deref(&self) -> &StochasticModel {
        match self {
            Instance::Read(model) => model,
            Instance::Made(model) => model,
        }
    }
}

/// A function, and why it should be believed: by itself, or by values at places.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FunctionProof {
    function: String,
    /// A program; its last step is the value.
    steps: Vec<Form>,
    /// A point at which the model has a meaning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    point: Vec<String>,
    /// The place among all, and what was found there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    places: Vec<(usize, Outcome)>,
}

impl Evidence for FunctionProof {
    fn kind(&self) -> &'static str {
        "function"
    }
}

impl FunctionProof {
    fn new(steps: &[Operation<usize>], names: &[String]) -> FunctionProof {
        FunctionProof {
            function: text(steps, names),
            steps: steps.iter().map(form).collect(),
            point: Vec::new(),
            places: Vec::new(),
        }
    }

    fn steps(&self, parameters: usize) -> Option<Vec<Operation<usize>>> {
        let step = |(at, form): (usize, &Form)| form.operation(parameters, at);
        self.steps.iter().enumerate().map(step).collect()
    }
}

impl OpenModel {
    fn parametric(&self) -> Option<Result<Parametric, ModelError>> {
        match &self.opened {
            Opened::Inside(model) => {
                Some(Parametric::new(model.network.clone(), model.parameters.len()).map_err(model_error))
            }
            Opened::Instances(_) => None,
        }
    }

    /// The model at a place, if there is one parameter.
    fn instance(&self, at: usize) -> Option<Instance<'_>> {
        match &self.opened {
            Opened::Instances(models) => models.get(at).map(Instance::Read),
            Opened::Inside(model) => {
                let place = places().get(at).cloned()?;
                let parametric = Parametric::new(model.network.clone(), self.parameters.len()).ok()?;
                Some(Instance::Made(Box::new(model.at(&parametric, &[place]))))
            }
        }
    }
}

impl Instances for OpenModel {
    fn first(&self) -> &StochasticModel {
        match &self.opened {
            Opened::Inside(model) => model,
            Opened::Instances(models) => &models[0],
        }
    }

    fn each(&mut self) -> impl Iterator<Item = &mut StochasticModel> {
        match &mut self.opened {
            Opened::Inside(model) => std::slice::from_mut(&mut **model).iter_mut(),
            Opened::Instances(models) => models.iter_mut(),
        }
    }

    fn check_options(&self, properties: &[usize], options: &Options) -> Result<(), LoadError> {
        refuse(options, &["scheduler", "plot", "state-limit"], "--parametric")?;
        self.first().check_options(properties, options)
    }

    fn open<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(OpenSession { model: self, options }))
    }

    fn checker<'m>(&'m self, options: &'m Options) -> Box<dyn Checker + 'm> {
        Box::new(OpenJudge { model: self, options })
    }
}

struct OpenSession<'m> {
    model: &'m OpenModel,
    options: &'m Options,
}

impl Session for OpenSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        if matches!(engine, "statistical" | "symbolic" | "partial") {
            return Ok(Answer::unknown("functions are found by --engine sparse or exact"));
        }
        let model = self.model.first();
        if model.network.kind.has_choices() || model.network.has_intervals() {
            return Ok(Answer::unknown(
                "optima over schedulers or intervals are no rational functions: --parametric is for chains",
            ));
        }
        if let Some(parametric) = self.model.parametric() {
            match function(&parametric?, &model.properties[property], budget) {
                Ok(found) => return Ok(self.eliminated(&found)),
                Err(Trouble::Model(error)) => return Err(model_error(error)),
                // One parameter has values at places.
                Err(Trouble::Unsupported(_)) if self.model.parameters.len() == 1 => {}
                Err(other) => return Ok(Answer::unknown(other.to_string())),
            }
        }
        self.from_places(property, budget, progress)
    }
}

impl OpenSession<'_> {
    fn eliminated(&self, found: &Function) -> Answer {
        let mut proof = FunctionProof::new(&found.steps, &self.model.parameters);
        proof.point = texts(&found.point);
        let reason = proof.function.clone();
        let mut answer = Answer::complete(Verdict::Holds, proof).boxed();
        answer.reason = Some(reason);
        let counts = [
            ("states", found.states),
            ("equations", found.equations),
            ("classes", found.classes),
            ("steps", found.steps.len()),
        ];
        for (name, count) in counts {
            answer.statistics.set(name, Figure::Count(count as u64));
        }
        answer
    }

    /// A function through values at single places.
    fn from_places(
        &self,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let parameter = &self.model.parameters[0];
        let mut found: Vec<(Rational, Rational)> = Vec::new();
        let mut outcomes = Vec::new();
        let mut tried = 0;
        for (at, place) in places().into_iter().enumerate() {
            let Some(model) = self.model.instance(at) else {
                break;
            };
            let usage = |usage: Usage| ModelError {
                message: usage.0,
                place: None,
                timeline: None,
                help: None,
            };
            let mut session = StochasticSession::new(&model, self.options).map_err(usage)?;
            // Where the model has no meaning (a probability above 1) there is no value; the first mistake is told if there are too many.
            let answer = match session.check("exact", property, budget, progress) {
                Ok(answer) => answer,
                Err(error) if at > 20 && found.is_empty() => return Err(error),
                Err(_) => continue,
            };
            let (Some(Quantity::Exact(value)), Some(proof)) = (&answer.value, answer.evidence_as::<Proof>())
            else {
                let reason = answer.reason.as_deref().unwrap_or("it is no exact number");
                let message = format!("no value at {parameter}={place}: {reason}");
                return Ok(Answer::unknown(message));
            };
            found.push((place.clone(), value.clone()));
            outcomes.push((
                at,
                Outcome {
                    constants: vec![format!("{parameter}={place}")],
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
                let mut proof = FunctionProof::new(&steps_of(&function), &self.model.parameters);
                let reason = format!("{}, exact at {} places", proof.function, outcomes.len());
                proof.places = outcomes;
                let mut answer = Answer::complete(Verdict::Holds, proof).boxed();
                answer.reason = Some(reason);
                return Ok(answer);
            }
        }
        Ok(Answer::unknown(format!(
            "no rational function of small degree passes through the values at {} places",
            found.len()
        )))
    }
}

/// A fraction in one variable as a program.
fn steps_of(function: &RationalFunction) -> Vec<Operation<usize>> {
    let polynomial = |coefficients: &[Rational]| {
        let terms = coefficients.iter().enumerate();
        Multivariate::new(terms.map(|(power, value)| (vec![power as u32], value.clone())))
    };
    let above = polynomial(function.numerator.coefficients());
    let below = polynomial(function.denominator.coefficients());
    Operation::fraction(above, below)
}

struct OpenJudge<'m> {
    model: &'m OpenModel,
    options: &'m Options,
}

impl OpenJudge<'_> {
    fn by_equations(
        &self,
        parametric: &Parametric,
        property: usize,
        proof: &FunctionProof,
        budget: &Budget,
    ) -> CheckReport {
        let Some(point) = numbers(&proof.point) else {
            return CheckReport::rejected("a point that is none");
        };
        let steps: Option<_> = proof.steps.iter().map(claim_of).collect();
        match steps {
            Some(steps) => {
                let claim = FunctionClaim { steps, point };
                let asked = &self.model.first().properties[property];
                check_function(parametric, asked, &claim, budget)
            }
            None => CheckReport::rejected("the function is none"),
        }
    }

    fn by_places(
        &self,
        property: usize,
        proof: &FunctionProof,
        steps: &[Operation<usize>],
        budget: &Budget,
    ) -> CheckReport {
        if self.model.parameters.len() != 1 {
            return CheckReport::rejected("values at places are for one parameter");
        }
        match degrees(steps) {
            Some(needed) if proof.places.len() > needed + 1 => {}
            _ => return CheckReport::rejected("the function was checked at too few places"),
        }
        let mut report =
            CheckReport::unchecked("that the function holds between the places at which it was checked");
        let mut last = None;
        for (at, outcome) in &proof.places {
            let place = places().get(*at).filter(|_| last < Some(*at)).cloned();
            let (Some(place), Some(model)) = (place, self.model.instance(*at)) else {
                return CheckReport::rejected("a place that is none, or comes twice");
            };
            last = Some(*at);
            let claimed = outcome.value.as_ref().and_then(Written::quantity);
            if claimed.is_none() || claimed != value(steps, &[place]).map(Quantity::Exact) {
                return CheckReport::rejected("the function misses a value");
            }
            report = report.and(outcome.check(&model, property, false, budget));
            if report.is_rejected() {
                break;
            }
        }
        report
    }
}

impl Checker for OpenJudge<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let Some(proof) = answer.evidence_as::<FunctionProof>() else {
            return CheckReport::rejected("there is no function");
        };
        if self.options.value("parametric") != Some(&self.model.text) {
            return CheckReport::rejected("the evidence is about other parameters");
        }
        let parameters = &self.model.parameters;
        let Some(steps) = proof.steps(parameters.len()) else {
            return CheckReport::rejected("the function is none");
        };
        // What people read must be what is judged.
        if text(&steps, parameters) != proof.function {
            return CheckReport::rejected("the function is written otherwise than its polynomials");
        }
        if answer.verdict != Verdict::Holds || answer.value.is_some() {
            return CheckReport::rejected("a function is no other answer");
        }
        if !proof.places.is_empty() {
            return self.by_places(property, proof, &steps, budget);
        }
        match self.model.parametric() {
            Some(Ok(parametric)) => self.by_equations(&parametric, property, proof, budget),
            Some(Err(error)) => CheckReport::rejected(error.message),
            None => CheckReport::rejected("the function was not found from values at places"),
        }
    }

    fn to_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let evidence: &dyn Any = evidence;
        let mut map = Map::new();
        if let Some(proof) = evidence.downcast_ref::<FunctionProof>() {
            map.insert("kind".into(), "function".into());
            map.insert("steps".into(), proof.steps.len().into());
            if !proof.places.is_empty() {
                map.insert("places".into(), proof.places.len().into());
            }
        }
        map
    }

    fn to_saved_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        saved::<FunctionProof>(evidence)
    }

    fn evidence_from_json(&self, _: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        Ok(Box::new(evidence_from_document::<FunctionProof>(document)?))
    }

    fn details(&self, _: usize, answer: &Answer) -> Map<String, Json> {
        let mut map = Map::new();
        if let Some(proof) = answer.evidence_as::<FunctionProof>() {
            map.insert("function".into(), proof.function.clone().into());
        }
        map
    }

    fn show(&self, property: usize, answer: &Answer) -> Shown {
        let mut shown = Shown::default();
        let steps = answer.evidence_as::<FunctionProof>().and_then(|proof| proof.steps(self.model.parameters.len()));
        if let Some(chart) = steps.and_then(|steps| self.chart(property, &steps)) {
            shown.push(Prominence::Report, View::Chart(chart));
        }
        shown
    }
}

impl OpenJudge<'_> {
    /// A function over its first parameter, for some values of the second; of more than two, and of long functions, there is no picture.
    fn chart(&self, property: usize, steps: &[Operation<usize>]) -> Option<Chart> {
        let parameters = &self.model.parameters;
        let terms = steps.iter().map(|step| polynomial_of(step).map_or(1, |own| own.terms().count()));
        if parameters.len() > 2 || terms.sum::<usize>() > DRAWN_TERMS {
            return None;
        }
        let hundredth = |k: u64| Rational::from(k) / Rational::from(100u64);
        let curve = |second: Option<u64>| Series {
            name: match (second, parameters.get(1)) {
                (Some(k), Some(name)) => format!("{name}={}", to_float(&hundredth(k))),
                _ => String::new(),
            },
            points: (1..100)
                .filter_map(|k| {
                    let point: Vec<Rational> = [Some(k), second].into_iter().flatten().map(hundredth).collect();
                    Some((to_float(&point[0]), to_float(&value(steps, &point)?)))
                })
                .collect(),
            ..Series::default()
        };
        let heading = &self.model.first().properties()[property];
        Some(Chart {
            x: Axis {
                label: parameters[0].clone(),
                is_logarithmic: false,
            },
            y: Axis {
                label: heading.name.clone().unwrap_or_else(|| heading.text.clone()),
                is_logarithmic: false,
            },
            series: match parameters.len() {
                1 => vec![curve(None)],
                _ => [10, 30, 50, 70, 90].map(|k| curve(Some(k))).into(),
            },
        })
    }
}
