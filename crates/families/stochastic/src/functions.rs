//! Chains with several parameters: the value of a property as a rational function, proved by the equations of all states.

use crate::instances::Instances;
use crate::model::{StochasticModel, model_error};
use entail_answer::{Answer, CheckReport, Evidence, Verdict};
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, LoadError, Model, ModelError, Options, ReadError, Session, Usage, evidence_from_document,
    evidence_to_map,
};
use entail_markov::Rational;
use entail_markov::parametric::Parametric;
use entail_numeric::multivariate::Multivariate;
use entail_probabilistic::{Function, Trouble, function};
use entail_show::Shown;
use entail_stochastic_checker::functions::{FunctionClaim, Terms, check_function};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::any::Any;

/// A model with several constants left open.
pub(crate) struct OpenModel {
    pub model: StochasticModel,
    /// The parameters as they were written.
    pub text: String,
}

/// A polynomial as it is saved: exponents and coefficients.
type Written = Vec<(Vec<u32>, String)>;

/// A function with the values of all states, under one denominator.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FunctionProof {
    function: String,
    above: Written,
    below: Written,
    common: Written,
    numerators: Vec<(Vec<i64>, Written)>,
    point: Vec<String>,
}

impl Evidence for FunctionProof {
    fn kind(&self) -> &'static str {
        "function"
    }
}

fn written(polynomial: &Multivariate) -> Written {
    let terms = polynomial.terms();
    terms
        .map(|(exponents, value)| (exponents.clone(), value.to_string()))
        .collect()
}

fn read(written: &Written) -> Option<Terms> {
    let term = |(exponents, value): &(Vec<u32>, String)| Some((exponents.clone(), value.parse().ok()?));
    written.iter().map(term).collect()
}

fn text(function: &Function, names: &[String]) -> String {
    match function.below.value() {
        Some(value) if value == Rational::ONE => function.above.text(names),
        _ => format!(
            "({}) / ({})",
            function.above.text(names),
            function.below.text(names)
        ),
    }
}

impl FunctionProof {
    fn of(found: &Function, names: &[String]) -> FunctionProof {
        FunctionProof {
            function: text(found, names),
            above: written(&found.above),
            below: written(&found.below),
            common: written(&found.common),
            numerators: (found.numerators.iter())
                .map(|(state, numerator)| (state.clone(), written(numerator)))
                .collect(),
            point: found.point.iter().map(ToString::to_string).collect(),
        }
    }

    fn claim(&self) -> Option<FunctionClaim> {
        let numerator = |(state, own): &(Vec<i64>, Written)| Some((state.clone(), read(own)?));
        Some(FunctionClaim {
            above: read(&self.above)?,
            below: read(&self.below)?,
            common: read(&self.common)?,
            numerators: self.numerators.iter().map(numerator).collect::<Option<_>>()?,
            point: self
                .point
                .iter()
                .map(|value| value.parse().ok())
                .collect::<Option<_>>()?,
        })
    }

    /// The text that the polynomials have.
    fn own_text(&self, names: &[String]) -> Option<String> {
        let polynomial = |own: &Written| {
            read(own).map(|terms| {
                terms
                    .into_iter()
                    .fold(Multivariate::default(), |sum, (exponents, value)| {
                        sum.plus(&Multivariate::term(exponents, value), &Rational::ONE)
                    })
            })
        };
        Some(text(
            &Function {
                above: polynomial(&self.above)?,
                below: polynomial(&self.below)?,
                common: Multivariate::default(),
                numerators: Vec::new(),
                point: Vec::new(),
            },
            names,
        ))
    }
}

impl OpenModel {
    fn parametric(&self) -> Result<Parametric, ModelError> {
        let parameters = self.model.parameters.len();
        Parametric::new(self.model.network.clone(), parameters).map_err(model_error)
    }
}

impl Instances for OpenModel {
    fn first(&self) -> &StochasticModel {
        &self.model
    }

    fn each(&mut self) -> impl Iterator<Item = &mut StochasticModel> {
        std::iter::once(&mut self.model)
    }

    fn check_options(&self, properties: &[usize], options: &Options) -> Result<(), LoadError> {
        for name in ["scheduler", "plot", "state-limit"] {
            if options.has(name) {
                return Err(Usage(format!("--{name} does not go with --parametric")).into());
            }
        }
        self.model.check_options(properties, options)
    }

    fn open<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(OpenSession { model: self }))
    }

    fn checker<'m>(&'m self, options: &'m Options) -> Box<dyn Checker + 'm> {
        Box::new(OpenJudge { model: self, options })
    }
}

struct OpenSession<'m> {
    model: &'m OpenModel,
}

impl Session for OpenSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        _: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        if matches!(engine, "statistical" | "symbolic" | "partial") {
            return Ok(Answer::unknown("functions are found by --engine sparse or exact"));
        }
        let model = &self.model.model;
        let parametric = self.model.parametric()?;
        match function(&parametric, &model.properties[property], budget) {
            Ok(found) => {
                let proof = FunctionProof::of(&found, &model.parameters);
                let reason = proof.function.clone();
                let mut answer = Answer::complete(Verdict::Holds, proof).boxed();
                answer.reason = Some(reason);
                Ok(answer)
            }
            Err(Trouble::Model(error)) => Err(model_error(error)),
            Err(other) => Ok(Answer::unknown(other.to_string())),
        }
    }
}

struct OpenJudge<'m> {
    model: &'m OpenModel,
    options: &'m Options,
}

impl Checker for OpenJudge<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let Some(proof) = answer.evidence_as::<FunctionProof>() else {
            return CheckReport::rejected("there is no function");
        };
        if self.options.value("parametric") != Some(&self.model.text) {
            return CheckReport::rejected("the evidence is about other parameters");
        }
        let model = &self.model.model;
        let parametric = match self.model.parametric() {
            Ok(parametric) => parametric,
            Err(error) => return CheckReport::rejected(error.message),
        };
        match proof.claim() {
            None => CheckReport::rejected("the function is none"),
            // What people read must be what is proved.
            Some(_) if proof.own_text(&model.parameters).as_ref() != Some(&proof.function) => {
                CheckReport::rejected("the function is written otherwise than its polynomials")
            }
            Some(_) if answer.verdict != Verdict::Holds || answer.value.is_some() => {
                CheckReport::rejected("a function is no other answer")
            }
            Some(claim) => check_function(&parametric, &model.properties[property], &claim, budget),
        }
    }

    fn to_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let evidence: &dyn Any = evidence;
        let mut map = Map::new();
        if let Some(proof) = evidence.downcast_ref::<FunctionProof>() {
            map.insert("kind".into(), "function".into());
            map.insert("equations".into(), proof.numerators.len().into());
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
        if let Some(proof) = answer.evidence_as::<FunctionProof>() {
            map.insert("function".into(), proof.function.clone().into());
        }
        map
    }

    fn show(&self, _: usize, _: &Answer) -> Shown {
        Shown::default()
    }
}
