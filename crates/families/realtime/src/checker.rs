//! Judging answers by their evidence, and the evidence in other forms.

use crate::automata;
use crate::fastest;
use crate::model::{Setting, TimedModel};
use crate::parts::Parts;
use crate::plane;
use crate::session;
use crate::statistical;
use crate::strategy;
use crate::trace;
use entail_answer::{Answer, CheckReport, Evidence, Quantity};
use entail_budget::Budget;
use entail_clocks::evidence::Proof;
use entail_clocks::{Meaning, Network, Query, Rational};
use entail_family::{Checker, Options, ReadError, evidence_from_document, evidence_to_map};
use entail_show::{Prominence, Shown, View};
use entail_timed_checker::Readings;
use entail_timed_checker::soonest;
use entail_timed_checker::under::{Subject, judge_under};
use entail_uppaal_checker::{Asked, Tree};
use entail_uppaal_tree::PropertyKind;
use serde_json::{Map, Value as Json};
use std::borrow::Cow;

pub(crate) struct TimedChecker<'m> {
    model: &'m TimedModel,
    setting: Setting,
    threads: usize,
}

/// Judges by what the text of a model and of a query about it means, by the checker's own reading of the syntax tree; each thread reads it anew.
pub(crate) fn by_text(
    text: &entail_uppaal_tree::Model,
    (kind, conditions): (&PropertyKind, &[Option<PropertyKind>]),
    network: &Network,
    judge: impl Fn(&Readings<'_>) -> CheckReport,
) -> CheckReport {
    if let Err(reason) = Tree::new(text) {
        return CheckReport::rejected(reason);
    }
    judge(&|ask| {
        if let Ok(tree) = Tree::new(text) {
            ask(&Parts::new(&tree, kind, conditions, network));
        }
    })
}

/// Hands over what a model means: by its text where that is UPPAAL's, otherwise by the network.
pub(crate) fn by_text_of(model: &TimedModel, ask: &mut dyn FnMut(&dyn Meaning)) {
    let Some(uppaal) = &model.uppaal else {
        return ask(&model.network);
    };
    // Nothing is asked about states but what they are.
    if let Ok(tree) = Tree::new(&uppaal.tree) {
        ask(&Asked::new(&tree, &PropertyKind::Other("nothing")));
    }
}

impl<'m> TimedChecker<'m> {
    pub fn new(model: &'m TimedModel, options: &Options) -> TimedChecker<'m> {
        TimedChecker {
            model,
            setting: model.setting(options),
            threads: session::threads(options),
        }
    }
}

impl Checker for TimedChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let Some(proof) = answer.evidence_as::<Proof>() else {
            return CheckReport::rejected("there is no evidence");
        };
        if let Proof::Samples { samples } = proof {
            return statistical::judge(
                self.model,
                &self.setting.network,
                property,
                samples,
                answer,
                budget,
            );
        }
        let query = &self.model.queries[property];
        let optimal = self.setting.optimal(query).filter(|_| fastest::is_about(proof));
        let asked = match optimal {
            Some(optimal) => Ok(Cow::Owned(optimal)),
            None => self.setting.asked(query),
        };
        let query = match &asked {
            Ok(asked) => &**asked,
            Err(reason) => return CheckReport::rejected(reason.clone()),
        };
        let network = &*self.setting.network_for(query);
        let verdict = answer.verdict;
        if let Proof::Extreme { extreme } = proof
            && answer.value != Some(entail_timed_checker::extreme::value_of(extreme))
        {
            return CheckReport::rejected("the evidence is about another value");
        }
        if let Proof::Soonest { soonest } = proof
            && answer.value != (!soonest.strictly).then(|| Quantity::Exact(Rational::from(soonest.within)))
        {
            return CheckReport::rejected("the evidence is about another time");
        }
        if let Proof::Cheapest { cheapest } = proof
            && answer.value != Some(Quantity::Exact(Rational::from(cheapest.cost)))
        {
            return CheckReport::rejected("the evidence is about another cost");
        }
        if let Proof::LongRun { long_run } = proof
            && answer.value != Some(long_run.value().map_or(Quantity::Undefined, Quantity::Exact))
        {
            return CheckReport::rejected("the evidence is about another ratio");
        }
        if let (Proof::Energy { sustained }, Query::Energy(asked)) = (proof, query) {
            let credit = sustained.credit.as_ref().filter(|_| asked.credit.is_none());
            if answer.value != credit.map(|credit| Quantity::Exact(credit.0.clone())) {
                return CheckReport::rejected("the evidence is about another credit");
            }
        }
        let judge = |readings: &Readings<'_>| {
            entail_timed_checker::judge_by(readings, self.threads, network, query, verdict, proof, budget)
        };
        let Some(uppaal) = &self.model.uppaal else {
            // What reads single runs is put beside the network by the checker itself.
            return match query {
                Query::Linear(_) => judge(&|ask| ask(&self.setting.network)),
                _ => judge(&|ask| ask(network)),
            };
        };
        let kind = &uppaal.properties[property].kind;
        if let (PropertyKind::Under(kind, name), Query::Under { game, question }) = (kind, query) {
            let strategy = entail_uppaal_tree::strategy(name, &uppaal.properties[..property]);
            let (Ok(tree), Some(strategy)) = (Tree::new(&uppaal.tree), strategy) else {
                return CheckReport::rejected("the strategy is not defined");
            };
            let subject = Subject {
                game: (&Asked::new(&tree, &strategy.kind), game),
                question: (&Asked::new(&tree, kind), question),
                network,
            };
            return judge_under(&subject, verdict, proof, budget);
        }
        if let Query::Soonest(game) = query {
            let Ok(tree) = Tree::new(&uppaal.tree) else {
                return CheckReport::rejected("the model has no meaning");
            };
            let subject = soonest::Subject {
                meaning: &|limit, ask| ask(&Asked::new(&tree, kind).within(limit)),
                game,
                network,
            };
            return subject.judge(verdict, proof, budget);
        }
        let asked = (kind, uppaal.conditions_of(property));
        by_text(&uppaal.tree, asked, &self.setting.network, judge)
    }

    fn to_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = Map::new();
        if let Some(proof) = evidence.data::<Proof>() {
            // What reads single runs is not shown.
            let network = match &self.model.queries[property] {
                Query::Linear(_) => Cow::Borrowed(&self.setting.network),
                query => self.setting.network_for(query),
            };
            describe(&network, proof, &mut map);
        }
        map.insert("kind".into(), evidence.kind().into());
        map
    }

    fn to_saved_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = self.to_json(property, evidence);
        if let Some(proof) = evidence.data::<Proof>() {
            map.extend(evidence_to_map(proof));
        }
        map
    }

    fn evidence_from_json(&self, _: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        Ok(Box::new(evidence_from_document::<Proof>(document)?))
    }

    fn export(&self, property: usize, answer: &Answer, extension: &str) -> Option<Result<String, String>> {
        let strategy = strategy::of(answer.evidence_as::<Proof>()?).filter(|_| extension == "json")?;
        let network = self.setting.network_for(&self.model.queries[property]);
        let rules = strategy::rules(&network, strategy);
        Some(Ok(format!("{:#}\n", strategy::to_json(&rules))))
    }

    fn show(&self, property: usize, answer: &Answer) -> Shown {
        if let Some(Proof::Samples { samples }) = answer.evidence_as::<Proof>() {
            return statistical::shown(&self.setting.network, &self.model.queries[property], samples);
        }
        if let Some(strategy) = answer.evidence_as::<Proof>().and_then(strategy::of) {
            let network = self.setting.network_for(&self.model.queries[property]);
            return strategy::shown(&strategy::rules(&network, strategy));
        }
        let stops = answer
            .evidence_as::<Proof>()
            .and_then(|proof| trace::of_proof(&self.setting.network, proof));
        match stops {
            Some((stops, loop_start)) => {
                let network = &self.setting.network;
                let mut shown = trace::shown(network, &self.model.source, &stops, loop_start);
                if let Some(drawing) = automata::drawing(self.model, Some(&stops)) {
                    shown.push(Prominence::Report, View::Drawing(drawing));
                }
                let plane = plane::clocks(network, None).ok();
                if let Some(drawing) = plane.and_then(|pair| plane::drawing(network, &stops, pair)) {
                    shown.push(Prominence::Report, View::Drawing(drawing));
                }
                shown
            }
            None => Shown::default(),
        }
    }
}

/// What reports tell of evidence.
fn describe(network: &Network, proof: &Proof, map: &mut Map<String, Json>) {
    match proof {
        Proof::Samples { samples } => return map.extend(statistical::to_json(samples)),
        Proof::Cover { cover } | Proof::Representatives { cover } => {
            let count = cover.nodes.len() + cover.prelude.len();
            map.insert("symbolic_states".into(), count.into());
        }
        Proof::Spoiled { losing } => {
            map.insert("symbolic_states".into(), losing.len().into());
        }
        Proof::Branching { branching } => {
            let sets = branching.sets.iter().map(|set| set.len()).sum::<usize>();
            map.insert("symbolic_states".into(), (branching.reached.len() + sets).into());
        }
        Proof::Strategy { strategy } => {
            map.insert("symbolic_states".into(), strategy.winning.len().into());
            let rules = strategy::rules(network, strategy);
            map.insert("rules".into(), strategy::to_json(&rules));
        }
        Proof::Soonest { soonest } => {
            map.insert("within".into(), soonest.within.into());
            map.insert("strictly".into(), soonest.strictly.into());
            let rules = strategy::rules(network, &soonest.strategy);
            map.insert("rules".into(), strategy::to_json(&rules));
        }
        Proof::Under { strategy, proof } => {
            describe(network, proof, map);
            map.insert("strategy_states".into(), strategy.winning.len().into());
        }
        Proof::Cheapest { cheapest } => {
            map.insert("attained".into(), cheapest.attained.into());
            map.insert("symbolic_states".into(), cheapest.nodes.len().into());
        }
        Proof::Energy { sustained } => {
            if let Some(credit) = &sustained.credit {
                map.insert("credit".into(), credit.0.to_string().into());
            }
        }
        Proof::LongRun { long_run } => {
            map.insert("corners".into(), long_run.corners.len().into());
        }
        Proof::Stay { stay } => {
            map.insert("since".into(), stay.since.into());
        }
        Proof::Extreme { extreme } => {
            map.insert("attained".into(), extreme.attained.into());
        }
        _ => {}
    }
    if let Some((stops, loop_start)) = trace::of_proof(network, proof) {
        map.insert("trace".into(), trace::json_of(network, &stops, loop_start));
    }
}
