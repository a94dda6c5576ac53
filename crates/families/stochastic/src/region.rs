//! Regions of parameters: whether a bound holds wherever some constants lie between their ends.
//!
//! Parameter lifting decides boxes, the region first, then its halves, cut where a parameter's range is widest; between, the model is solved at single points,
//! for one that violates the bound ends the search. The evidence of *holds* is a list of boxes with certificates, of *fails* a point with the certificate of the model there.

use crate::checker::MOST_STATES;
use crate::instances::Instances;
use crate::model::{StochasticModel, model_error};
use crate::region_text::shown;
use crate::session::StochasticSession;
use entail_answer::{Answer, CheckReport, Evidence, Figure, Verdict};
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, LoadError, Model, ModelError, Options, ReadError, Session, Usage, evidence_from_document,
    evidence_to_map,
};
use entail_markov::parametric::{Parametric, corners};
use entail_markov::{Certificate, Property, Rational};
use entail_probabilistic::{Lifting, Settings, Trouble, Values, Workshop};
use entail_show::{Prominence, Shown, Table, View};
use entail_stochastic_checker::check::{Checker as Bounds, Claim};
use entail_stochastic_checker::regions::{Region, RegionChecker};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::any::Any;
use std::collections::VecDeque;

/// Boxes that are looked at before the search is given up: what is left then is mostly at the border between points that meet the bound and others.
const MOST_BOXES: usize = 4096;

/// With more parameters the corners of the region are not tried one by one.
const FEW_PARAMETERS: usize = 4;

/// A model with constants that are left open, and where they lie.
pub(crate) struct RegionModel {
    pub model: StochasticModel,
    pub region: Region,
    /// As it was written.
    pub text: String,
}

/// Why a bound holds in a region, or where it does not.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct RegionProof {
    /// Boxes that cover the region.
    parts: Vec<Part>,
    /// A point that violates the bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    violated: Option<Point>,
}

/// A box with the certificate of its decision process.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part {
    low: Vec<String>,
    high: Vec<String>,
    certificate: Certificate,
}

/// A point with the certificate of the model there.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Point {
    values: Vec<String>,
    certificate: Certificate,
}

impl Evidence for RegionProof {
    fn kind(&self) -> &'static str {
        "region"
    }
}

fn texts(values: &[Rational]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

fn numbers(texts: &[String]) -> Option<Vec<Rational>> {
    texts.iter().map(|text| text.parse().ok()).collect()
}

impl RegionModel {
    fn parametric(&self) -> Result<Parametric, ModelError> {
        let parameters = self.model.parameters.len();
        Parametric::new(self.model.network.clone(), parameters).map_err(model_error)
    }

    fn is_fair(&self, property: usize, options: &Options) -> bool {
        options.has("fair") || self.model.fair.contains(&property)
    }
}

impl Instances for RegionModel {
    fn first(&self) -> &StochasticModel {
        &self.model
    }

    fn each(&mut self) -> impl Iterator<Item = &mut StochasticModel> {
        std::iter::once(&mut self.model)
    }

    fn check_options(&self, properties: &[usize], options: &Options) -> Result<(), LoadError> {
        for name in ["scheduler", "plot", "state-limit"] {
            if options.has(name) {
                return Err(Usage(format!("--{name} does not go with --region")).into());
            }
        }
        self.model.check_options(properties, options)
    }

    fn open<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Session + 'm>, Usage> {
        let settings = StochasticSession::new(&self.model, options)?.settings();
        Ok(Box::new(RegionSession {
            model: self,
            options,
            settings,
        }))
    }

    fn checker<'m>(&'m self, options: &'m Options) -> Box<dyn Checker + 'm> {
        Box::new(RegionJudge { model: self, options })
    }
}

struct RegionSession<'m> {
    model: &'m RegionModel,
    options: &'m Options,
    settings: Settings,
}

impl Session for RegionSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        if matches!(engine, "statistical" | "symbolic" | "partial") {
            return Ok(Answer::unknown("regions are decided by --engine sparse or exact"));
        }
        if self.model.is_fair(property, self.options) {
            return Ok(Answer::unknown("fair schedulers are not supported over regions"));
        }
        let parametric = self.model.parametric()?;
        let mut settings = self.settings;
        if engine == "exact" {
            settings.exactness = entail_probabilistic::Exactness::Always;
        }
        let mut search = Search {
            parametric: &parametric,
            region: &self.model.region,
            asked: &self.model.model.properties[property],
            settings,
            decided: Rational::ZERO,
            proof: RegionProof::default(),
            boxes: 0,
            states: 0,
        };
        match search.run(budget, progress) {
            Ok(answer) => Ok(answer),
            Err(Trouble::Model(error)) => Err(model_error(error)),
            Err(other) => Ok(search.undecided(&other.to_string())),
        }
    }
}

/// A search for boxes that meet the bound, or a point that violates it.
struct Search<'s> {
    parametric: &'s Parametric,
    region: &'s Region,
    asked: &'s Property,
    settings: Settings,
    /// The share of the region that is decided.
    decided: Rational,
    proof: RegionProof,
    boxes: usize,
    states: usize,
}

impl Search<'_> {
    fn run(&mut self, budget: &Budget, progress: &dyn Progress) -> Result<Answer, Trouble> {
        let lifting = Lifting::new(self.parametric, self.asked, MOST_STATES)?;
        // The whole region first: it says whether the region makes sense.
        let region = self.region;
        let mut waiting = VecDeque::from([region.clone()]);
        while let Some(part) = waiting.pop_front() {
            if self.boxes >= MOST_BOXES {
                return Ok(self.undecided(&format!("{MOST_BOXES} parts were looked at")));
            }
            budget.check()?;
            self.boxes += 1;
            if let Some(certificate) = self.holds_in(&lifting, &part, budget)? {
                self.decided += self.share(&part);
                self.proof.parts.push(Part {
                    low: texts(&part.low),
                    high: texts(&part.high),
                    certificate,
                });
                continue;
            }
            let mut points = vec![centre(&part)];
            if self.boxes == 1 && region.low.len() <= FEW_PARAMETERS {
                points.extend(corners(&region.low, &region.high));
            }
            for point in points {
                if let Some(certificate) = self.violated_at(&point, budget, progress)? {
                    return Ok(self.fails(&point, certificate));
                }
            }
            match self.halves(&part) {
                Some(halves) => waiting.extend(halves),
                // A single point that is neither met nor violated: the value is too near to the bound.
                None => {
                    return Ok(
                        self.undecided("the value at a point is too near to the bound: try --engine exact")
                    );
                }
            }
        }
        let count = self.proof.parts.len();
        let mut answer = self.answer(Verdict::Holds);
        answer.reason = Some(match count {
            1 => "in the whole region at once".to_owned(),
            _ => format!("in {count} parts that make the region"),
        });
        Ok(answer)
    }

    /// The certificate that the bound holds in a box, if lifting shows that.
    fn holds_in(
        &mut self,
        lifting: &Lifting<'_>,
        part: &Region,
        budget: &Budget,
    ) -> Result<Option<Certificate>, Trouble> {
        let mut workshop = lifting.of_box(&part.low, &part.high, self.settings, budget)?;
        self.states = self.states.max(workshop.model.states());
        let (values, certificate) = workshop.check(lifting.property(), budget)?;
        let Values::Truth(truth) = values else {
            return Ok(None);
        };
        let all = (workshop.model.initial.iter()).all(|&state| truth.yes.contains(state as usize));
        Ok(all.then_some(certificate))
    }

    /// The certificate that the bound is violated at a point, if it is.
    fn violated_at(
        &self,
        point: &[Rational],
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Option<Certificate>, Trouble> {
        let network = self.parametric.at(point);
        let mut workshop = Workshop::new(network, self.settings, MOST_STATES, budget, progress)?;
        let (values, certificate) = workshop.check(self.asked, budget)?;
        let Values::Truth(truth) = values else {
            return Ok(None);
        };
        let violates = |&state: &u32| {
            let state = state as usize;
            !truth.yes.contains(state) && !truth.unknown.contains(state)
        };
        Ok(workshop.model.initial.iter().any(violates).then_some(certificate))
    }

    /// A box cut in two where a parameter's range is the largest part of what it was.
    fn halves(&self, part: &Region) -> Option<[Region; 2]> {
        let width = |at: usize| {
            let whole = &self.region.high[at] - &self.region.low[at];
            match whole.is_zero() {
                true => Rational::ZERO,
                false => (&part.high[at] - &part.low[at]) / whole,
            }
        };
        let widest = (0..part.low.len()).rev().max_by_key(|&at| width(at))?;
        if part.low[widest] == part.high[widest] {
            return None;
        }
        let middle = centre(part).swap_remove(widest);
        let (mut left, mut right) = (part.clone(), part.clone());
        left.high[widest] = middle.clone();
        right.low[widest] = middle;
        Some([left, right])
    }

    /// How much of the region a box is.
    fn share(&self, part: &Region) -> Rational {
        (0..part.low.len()).fold(Rational::ONE, |share, at| {
            let whole = &self.region.high[at] - &self.region.low[at];
            match whole.is_zero() {
                true => share,
                false => share * (&part.high[at] - &part.low[at]) / whole,
            }
        })
    }

    fn answer(&mut self, verdict: Verdict) -> Answer {
        let mut answer = Answer::complete(verdict, std::mem::take(&mut self.proof)).boxed();
        answer.statistics.set("states", Figure::Count(self.states as u64));
        answer.statistics.set("parts", Figure::Count(self.boxes as u64));
        answer
    }

    fn fails(&mut self, point: &[Rational], certificate: Certificate) -> Answer {
        self.proof = RegionProof {
            parts: Vec::new(),
            violated: Some(Point {
                values: texts(point),
                certificate,
            }),
        };
        let names: Vec<&str> = (0..point.len()).map(|at| self.parametric.name(at)).collect();
        let mut answer = self.answer(Verdict::Fails);
        answer.reason = Some(format!("violated at {}", shown(&names, point)));
        answer
    }

    fn undecided(&self, reason: &str) -> Answer {
        match self.boxes {
            0 | 1 => Answer::unknown(reason),
            boxes => {
                let percent = entail_markov::to_float(&(&self.decided * Rational::from(100u8)));
                Answer::unknown(format!(
                    "the bound holds in {percent:.2} % of the region, the rest is open after {boxes} parts: {reason}"
                ))
            }
        }
    }
}

fn centre(part: &Region) -> Vec<Rational> {
    let ends = part.low.iter().zip(&part.high);
    ends.map(|(low, high)| (low + high) / Rational::from(2u8))
        .collect()
}

struct RegionJudge<'m> {
    model: &'m RegionModel,
    options: &'m Options,
}

impl RegionJudge<'_> {
    fn judge_point(
        &self,
        parametric: &Parametric,
        property: usize,
        point: &Point,
        budget: &Budget,
    ) -> CheckReport {
        let values = numbers(&point.values).filter(|values| self.model.region.contains(values));
        let Some(values) = values else {
            return CheckReport::rejected("the point is not in the region");
        };
        match Bounds::new(parametric.at(&values), MOST_STATES, budget) {
            Err(error) => CheckReport::unchecked(format!("the model was not built again ({error})")),
            Ok(bounds) => {
                let claim = Claim {
                    verdict: Verdict::Fails,
                    value: None,
                };
                let asked = &self.model.model.properties[property];
                bounds.check(asked, &claim, &point.certificate, budget)
            }
        }
    }

    fn judge_parts(
        &self,
        parametric: &Parametric,
        property: usize,
        parts: &[Part],
        budget: &Budget,
    ) -> CheckReport {
        let read = |part: &Part| {
            let (low, high) = (numbers(&part.low)?, numbers(&part.high)?);
            Some(Region { low, high })
        };
        let boxes: Option<Vec<Region>> = parts.iter().map(read).collect();
        let Some(boxes) = boxes else {
            return CheckReport::rejected("a part of the region that is none");
        };
        let parts: Vec<(Region, &Certificate)> = (boxes.into_iter())
            .zip(parts.iter().map(|part| &part.certificate))
            .collect();
        match RegionChecker::new(parametric, &self.model.model.properties[property], MOST_STATES) {
            Err(reason) => CheckReport::rejected(reason),
            Ok(checker) => checker.check(&self.model.region, &parts, budget),
        }
    }
}

impl Checker for RegionJudge<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let Some(proof) = answer.evidence_as::<RegionProof>() else {
            return CheckReport::rejected("there is nothing about a region");
        };
        // Saved evidence says of which region it is.
        if self.options.value("region") != Some(&self.model.text) {
            return CheckReport::rejected("the evidence is about another region");
        }
        if self.model.is_fair(property, self.options) {
            return CheckReport::unchecked("fair schedulers over regions");
        }
        let parametric = match self.model.parametric() {
            Ok(parametric) => parametric,
            Err(error) => return CheckReport::rejected(error.message),
        };
        match (answer.verdict, &proof.violated) {
            (Verdict::Fails, Some(point)) => self.judge_point(&parametric, property, point, budget),
            (Verdict::Holds, None) => self.judge_parts(&parametric, property, &proof.parts, budget),
            _ => CheckReport::rejected("the evidence is about another verdict"),
        }
    }

    fn to_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let evidence: &dyn Any = evidence;
        let mut map = Map::new();
        if let Some(proof) = evidence.downcast_ref::<RegionProof>() {
            map.insert("kind".into(), "region".into());
            map.insert("parts".into(), proof.parts.len().into());
            if let Some(point) = &proof.violated {
                map.insert("violated".into(), point.values.clone().into());
            }
        }
        map
    }

    fn to_saved_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let evidence: &dyn Any = evidence;
        let mut map = match evidence.downcast_ref::<RegionProof>() {
            Some(proof) => evidence_to_map(proof),
            None => Map::new(),
        };
        map.insert("kind".into(), "region".into());
        map
    }

    fn evidence_from_json(&self, _: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        Ok(Box::new(evidence_from_document::<RegionProof>(document)?))
    }

    fn show(&self, _: usize, answer: &Answer) -> Shown {
        let mut shown = Shown::default();
        let Some(proof) = answer.evidence_as::<RegionProof>() else {
            return shown;
        };
        let heads = self.model.model.parameters.clone();
        if let Some(point) = &proof.violated {
            let rows = vec![point.values.clone()];
            return shown.main(View::Table(Table { heads, rows }));
        }
        let row = |part: &Part| {
            let ends = part.low.iter().zip(&part.high);
            ends.map(|(low, high)| format!("[{low}, {high}]")).collect()
        };
        let rows = proof.parts.iter().map(row).collect();
        shown.push(Prominence::Report, View::Table(Table { heads, rows }));
        shown
    }
}
