//! Regions of parameters: whether a bound holds wherever some constants lie between their ends.
//!
//! Parameter lifting decides boxes, the region first, then its halves, cut where a parameter's range is widest; between, the model is solved at single points,
//! for one that violates the bound ends the search. The evidence of *holds* is a list of boxes with certificates, of *fails* a point with the certificate of the model there.

use crate::checker::MOST_STATES;
use crate::instances::{Instances, refuse};
use crate::model::{StochasticModel, model_error};
use crate::region_text::shown;
use crate::region_chart::region_chart;
use crate::region_partition::opposite;
use crate::saved::{numbers, saved, texts};
use crate::session::StochasticSession;
use entail_answer::{Answer, CheckReport, Evidence, Figure, Verdict};
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, LoadError, Model, ModelError, Options, ReadError, Session, Usage, evidence_from_document,
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
pub(crate) const MOST_BOXES: usize = 4096;

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
pub(crate) struct RegionProof {
    /// Boxes that meet the bound; they cover the region, unless there are others.
    pub parts: Vec<Part>,
    /// Boxes in which every point violates it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bad: Vec<Part>,
    /// A point that violates the bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    violated: Option<Point>,
}

/// A box with the certificate of its decision process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Part {
    pub low: Vec<String>,
    pub high: Vec<String>,
    pub certificate: Certificate,
}

impl Part {
    pub fn region(&self) -> Option<Region> {
        Some(Region {
            low: numbers(&self.low)?,
            high: numbers(&self.high)?,
        })
    }
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
        refuse(options, &["scheduler", "plot", "state-limit"], "--region")?;
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
        let found = match self.wanted()? {
            Some(open) => search.divide(&open, budget, progress),
            None => search.run(budget, progress),
        };
        match found {
            Ok(answer) => Ok(answer),
            Err(Trouble::Model(error)) => Err(model_error(error)),
            Err(other) => Ok(search.undecided(&other.to_string())),
        }
    }
}

impl RegionSession<'_> {
    /// The share of the region that may stay open in a partition, if one is asked for.
    fn wanted(&self) -> Result<Option<Rational>, ModelError> {
        let share = self.options.value("partition");
        Ok(share.and_then(entail_markov::decimal))
    }
}

/// A search for boxes that meet the bound, or a point that violates it.
pub(crate) struct Search<'s> {
    pub parametric: &'s Parametric,
    pub region: &'s Region,
    pub asked: &'s Property,
    settings: Settings,
    /// The share of the region that is decided.
    pub decided: Rational,
    pub proof: RegionProof,
    pub boxes: usize,
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
    pub fn holds_in(
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
    pub fn violated_at(
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
    pub fn halves(&self, part: &Region) -> Option<[Region; 2]> {
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
    pub fn share(&self, part: &Region) -> Rational {
        (0..part.low.len()).fold(Rational::ONE, |share, at| {
            let whole = &self.region.high[at] - &self.region.low[at];
            match whole.is_zero() {
                true => share,
                false => share * (&part.high[at] - &part.low[at]) / whole,
            }
        })
    }

    pub fn answer(&mut self, verdict: Verdict) -> Answer {
        let mut answer = Answer::complete(verdict, std::mem::take(&mut self.proof)).boxed();
        answer.statistics.set("states", Figure::Count(self.states as u64));
        answer.statistics.set("parts", Figure::Count(self.boxes as u64));
        answer
    }

    fn fails(&mut self, point: &[Rational], certificate: Certificate) -> Answer {
        self.proof = RegionProof {
            violated: Some(Point {
                values: texts(point),
                certificate,
            }),
            ..RegionProof::default()
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

pub(crate) fn centre(part: &Region) -> Vec<Rational> {
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

    /// Parts that meet the bound, parts that violate it, and nothing of both in any.
    fn judge_partition(
        &self,
        parametric: &Parametric,
        property: usize,
        proof: &RegionProof,
        budget: &Budget,
    ) -> CheckReport {
        let asked = &self.model.model.properties[property];
        let Some(opposite) = opposite(asked) else {
            return CheckReport::rejected("the property has no bound");
        };
        if parametric.network().kind.has_choices() {
            return CheckReport::rejected("what some scheduler violates is not judged over a region");
        }
        let mut all: Vec<Region> = Vec::new();
        let mut report = CheckReport::Accepted;
        for (property, parts) in [(asked, &proof.parts), (&opposite, &proof.bad)] {
            let read = parts.iter().map(|part| Some((part.region()?, &part.certificate)));
            let Some(boxes) = read.collect::<Option<Vec<_>>>() else {
                return CheckReport::rejected("a part of the region that is none");
            };
            all.extend(boxes.iter().map(|(part, _)| part.clone()));
            report = report.and_then(|| match RegionChecker::new(parametric, property, MOST_STATES) {
                Err(reason) => CheckReport::rejected(reason),
                Ok(checker) => checker.check_some(&self.model.region, &boxes, budget),
            });
        }
        let overlap = |(at, part): (usize, &Region)| all[..at].iter().any(|other| part.overlaps(other));
        match all.iter().enumerate().any(overlap) {
            true => CheckReport::rejected("parts that overlap"),
            false => report,
        }
    }

    fn judge_parts(
        &self,
        parametric: &Parametric,
        property: usize,
        parts: &[Part],
        budget: &Budget,
    ) -> CheckReport {
        let boxes: Option<Vec<Region>> = parts.iter().map(Part::region).collect();
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
            (Verdict::Fails, Some(point)) if proof.bad.is_empty() => self.judge_point(&parametric, property, point, budget),
            (Verdict::Fails, None) if !proof.bad.is_empty() => self.judge_partition(&parametric, property, proof, budget),
            (Verdict::Holds, None) if proof.bad.is_empty() => self.judge_parts(&parametric, property, &proof.parts, budget),
            _ => CheckReport::rejected("the evidence is about another verdict"),
        }
    }

    fn to_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let evidence: &dyn Any = evidence;
        let mut map = Map::new();
        if let Some(proof) = evidence.downcast_ref::<RegionProof>() {
            map.insert("kind".into(), "region".into());
            map.insert("parts".into(), proof.parts.len().into());
            if !proof.bad.is_empty() {
                map.insert("bad_parts".into(), proof.bad.len().into());
            }
            if let Some(point) = &proof.violated {
                map.insert("violated".into(), point.values.clone().into());
            }
        }
        map
    }

    fn to_saved_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        saved::<RegionProof>(evidence)
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
        if let Some(chart) = region_chart(&self.model.model.parameters, &self.model.region, proof) {
            shown.push(Prominence::Report, View::Chart(chart));
        }
        let is_divided = !proof.bad.is_empty();
        let row = |(part, what): (&Part, &str)| {
            let ends = part.low.iter().zip(&part.high);
            let ends = ends.map(|(low, high)| format!("[{low}, {high}]"));
            ends.chain(is_divided.then(|| what.to_owned())).collect()
        };
        let good = proof.parts.iter().map(|part| (part, "good"));
        let rows = good.chain(proof.bad.iter().map(|part| (part, "bad"))).map(row).collect();
        let mut heads = heads;
        heads.extend(is_divided.then(|| "part".to_owned()));
        shown.push(Prominence::Report, View::Table(Table { heads, rows }));
        shown
    }
}
