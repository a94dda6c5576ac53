//! Comparing two models: the engine, the judgement of what it found, and the play that tells them apart.

use crate::checker::by_text_of;
use crate::model::TimedModel;
use crate::trace;
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_clocks::Network;
use entail_clocks::pairs::{Challenge, Correspondence, Pair, TimedRelation};
use entail_family::Beside;
use entail_show::{Shown, View};
use entail_timed::relation::{self, Refusal};
use entail_timed_checker::Objection;
use entail_timed_checker::pairs::judge_pairs;
use serde_json::{Map, json};
use std::time::{Duration, Instant};

/// Compares two models.
pub(crate) fn compare(
    first: &TimedModel,
    second: &TimedModel,
    relation: TimedRelation,
    budget: &Budget,
) -> Result<Beside, String> {
    let networks = [&first.network, &second.network];
    let sizes = networks.map(|network| (network.locations.len(), network.edges.len()));
    let start = Instant::now();
    let found = relation::compare(networks[0], networks[1], relation, budget);
    let time = start.elapsed();
    let mut beside = Beside {
        related: Err(String::new()),
        check: CheckReport::Accepted,
        sizes,
        shown: Shown::default(),
        details: Map::new(),
        time,
        check_time: Duration::ZERO,
    };
    let found = match found {
        Ok(found) => found,
        Err(Refusal::Unsupported(reason)) => return Err(reason),
        Err(Refusal::Model(second, trouble)) => {
            let network = networks[usize::from(second)];
            let reason = trace::fault_text(network, trouble.fault);
            return Err(format!("{}: {reason}", network.name));
        }
        Err(Refusal::Spent(reason)) => {
            beside.related = Err(reason);
            return Ok(beside);
        }
    };
    let start = Instant::now();
    beside.check = judged([first, second], relation, &found.correspondence, budget);
    beside.check_time = start.elapsed();
    beside.details.insert("pairs".into(), found.pairs.into());
    match &found.correspondence {
        Correspondence::Related { pairs, .. } => {
            beside.related = Ok(true);
            beside.details.insert("related_pairs".into(), pairs.len().into());
        }
        Correspondence::Unrelated { .. } => {
            beside.related = Ok(false);
            let play = play(networks, relation, &found.play);
            beside.details.insert("play".into(), json!(play));
            beside.shown = Shown::default().main(View::Notes(play));
        }
    }
    Ok(beside)
}

/// Judges what was found, by the texts of both models where they are UPPAAL's.
fn judged(
    models: [&TimedModel; 2],
    relation: TimedRelation,
    found: &Correspondence,
    budget: &Budget,
) -> CheckReport {
    let networks = models.map(|model| &model.network);
    let mut report = CheckReport::rejected("the model has no meaning");
    by_text_of(models[0], &mut |first| {
        by_text_of(models[1], &mut |second| {
            report = match judge_pairs([first, second], networks, relation, found, budget) {
                Ok(()) => CheckReport::Accepted,
                Err(Objection::False(reason)) => CheckReport::rejected(reason),
                Err(Objection::Unchecked(what)) => CheckReport::unchecked(what),
            };
        });
    });
    report
}

/// The play by which two models are told apart, in sentences.
fn play(networks: [&Network; 2], relation: TimedRelation, pairs: &[(Pair, Challenge)]) -> Vec<String> {
    let named = |pair: &Pair| {
        let mut parts = Vec::new();
        for (network, state) in networks
            .iter()
            .zip([Some(&pair.states.0), pair.states.1.as_ref()])
        {
            let Some(state) = state else {
                parts.push("nothing".to_owned());
                continue;
            };
            let names = state
                .locations
                .iter()
                .map(|&location| network.locations[location].name.as_str());
            parts.push(names.collect::<Vec<_>>().join(" "));
        }
        let names = networks.iter().flat_map(|network| &network.clocks);
        let clocks = names
            .zip(&pair.clocks)
            .map(|(clock, time)| format!("{} = {}", clock.name, time.0));
        format!(
            "({}) with {}",
            parts.join(" | "),
            clocks.collect::<Vec<_>>().join(", ")
        )
    };
    let mut lines = Vec::new();
    for (number, (pair, challenge)) in pairs.iter().enumerate().take(40) {
        let side = usize::from(challenge.by_second);
        let who = ["the first", "the second"][side];
        let what = match challenge.edges.is_empty() {
            true => "waits".to_owned(),
            false => format!("takes `{}`", networks[side].action_name(&challenge.edges)),
        };
        let is_last = number + 1 == pairs.len();
        let end = match (is_last, relation) {
            (false, _) => "",
            (true, TimedRelation::Inclusion) => ", which the second cannot",
            (true, _) => ", and the other cannot answer",
        };
        lines.push(format!("at {}: {who} {what}{end}", named(pair)));
    }
    if pairs.len() > lines.len() {
        lines.push(format!("… and {} more", pairs.len() - lines.len()));
    }
    lines
}
