//! Comparing two models: the engine, the judgement of what it found, and the play or the word that tells them apart.

use crate::checker::by_text_of;
use crate::model::TimedModel;
use crate::trace;
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_clocks::evidence::Run;
use entail_clocks::interpreter::{self, State};
use entail_clocks::pairs::{Correspondence, Play, Played, TimedRelation};
use entail_clocks::{Network, Rational};
use entail_family::Beside;
use entail_show::{Shown, View};
use entail_timed::relation::{self, Refusal};
use entail_timed_checker::Objection;
use entail_timed_checker::pairs::judge_pairs;
use serde_json::{Map, Value as Json, json};
use std::time::{Duration, Instant};

/// Lines of a play or a word that are shown, at most.
const MOST_LINES: usize = 40;

/// Compares two models.
pub(crate) fn compare(
    models: [&TimedModel; 2],
    relation: TimedRelation,
    budget: &Budget,
) -> Result<Beside, String> {
    let networks = models.map(|model| &model.network);
    let start = Instant::now();
    let found = relation::compare(networks[0], networks[1], relation, budget);
    let time = start.elapsed();
    let found = match found {
        Ok(found) => found,
        Err(Refusal::Unsupported(reason)) => return Err(reason),
        Err(Refusal::Model(second, trouble)) => {
            let network = networks[usize::from(second)];
            let reason = trace::fault_text(network, trouble.fault);
            return Err(format!("{}: {reason}", network.name));
        }
        Err(Refusal::Spent(reason)) => {
            return Ok(Beside {
                related: Err(reason),
                time,
                ..nothing(networks)
            });
        }
    };
    let mut beside = judged(models, relation, &found.correspondence, budget)?;
    beside.time = time;
    beside.details.insert("zones".into(), found.zones.into());
    Ok(beside)
}

/// Judges saved evidence.
pub(crate) fn judge(
    models: [&TimedModel; 2],
    relation: TimedRelation,
    evidence: &Json,
    budget: &Budget,
) -> Result<Beside, String> {
    let found: Correspondence =
        serde_json::from_value(evidence.clone()).map_err(|error| format!("this is no evidence: {error}"))?;
    judged(models, relation, &found, budget)
}

fn nothing(networks: [&Network; 2]) -> Beside {
    Beside {
        related: Err(String::new()),
        check: CheckReport::Accepted,
        sizes: networks.map(|network| (network.locations.len(), network.edges.len())),
        shown: Shown::default(),
        details: Map::new(),
        evidence: None,
        time: Duration::ZERO,
        check_time: Duration::ZERO,
    }
}

/// Judges evidence, by the texts of both models where they are UPPAAL's, and shows it if it is right.
fn judged(
    models: [&TimedModel; 2],
    relation: TimedRelation,
    found: &Correspondence,
    budget: &Budget,
) -> Result<Beside, String> {
    let networks = models.map(|model| &model.network);
    let start = Instant::now();
    let mut check = CheckReport::rejected("the model has no meaning");
    by_text_of(models[0], &mut |first| {
        by_text_of(models[1], &mut |second| {
            check = match judge_pairs([first, second], networks, relation, found, budget) {
                Ok(()) => CheckReport::Accepted,
                Err(Objection::False(reason)) => CheckReport::rejected(reason),
                Err(Objection::Unchecked(what)) => CheckReport::unchecked(what),
            };
        });
    });
    let mut beside = Beside {
        check_time: start.elapsed(),
        ..nothing(networks)
    };
    let is_rejected = matches!(check, CheckReport::Rejected { .. });
    beside.check = check;
    if is_rejected {
        return Ok(beside);
    }
    let evidence = serde_json::to_value(found).map_err(|error| error.to_string())?;
    beside.evidence = Some(evidence);
    let mut tell = |name: &str, lines: Vec<String>| {
        beside.details.insert(name.into(), json!(lines));
        beside.shown = Shown::default().main(View::Notes(lines));
    };
    beside.related = Ok(match found {
        Correspondence::Related { pairs } => {
            beside.details.insert("related_zones".into(), pairs.len().into());
            true
        }
        Correspondence::Included { words } => {
            beside.details.insert("sets".into(), words.len().into());
            true
        }
        Correspondence::Digitized { words, .. } => {
            beside
                .details
                .insert("sets_at_whole_times".into(), words.len().into());
            true
        }
        Correspondence::Unrelated { play: played, .. } => {
            tell("play", play(networks, played));
            false
        }
        Correspondence::Excluded { run } => {
            tell("word", word(networks, run));
            false
        }
    });
    Ok(beside)
}

/// The locations of a state, and its clocks.
fn named(network: &Network, state: &State) -> (String, Vec<String>) {
    let locations = state.discrete.locations.iter();
    let names = locations.map(|&location| network.locations[location].name.as_str());
    let clocks = (network.clocks.iter().zip(&state.clocks[1..]))
        .map(|(clock, value)| format!("{} = {value}", clock.name));
    (names.collect::<Vec<_>>().join(" "), clocks.collect())
}

/// What a state becomes by a move; it stays where the move cannot be made.
fn moved(network: &Network, state: &State, played: &Played) -> State {
    let next = match played.edges.is_empty() {
        true => interpreter::delay(network, state, &played.delay.0),
        false => interpreter::step(network, state, &played.edges),
    };
    next.ok().flatten().unwrap_or_else(|| state.clone())
}

/// A move in words.
fn told(network: &Network, played: &Played) -> String {
    match played.edges.is_empty() {
        true if played.delay.0 == Rational::ZERO => "does not wait".to_owned(),
        true => format!("waits {}", played.delay.0),
        false => format!("takes `{}`", network.action_name(&played.edges)),
    }
}

/// The play by which two models are told apart, in sentences.
fn play(networks: [&Network; 2], play: &Play) -> Vec<String> {
    let Some((first, second)) = &play.starts else {
        return vec!["one of the two has no beginning".to_owned()];
    };
    let at = |network: &Network, discrete: &entail_clocks::discrete::Discrete| State {
        discrete: discrete.clone(),
        clocks: vec![Rational::ZERO; network.dimension()],
    };
    let mut states = [at(networks[0], first), at(networks[1], second)];
    let mut lines = Vec::new();
    for turn in play.turns.iter().take(MOST_LINES) {
        let side = usize::from(turn.by_second);
        let who = ["the first", "the second"];
        let [one, other] = [0, 1].map(|side| named(networks[side], &states[side]));
        let clocks = [one.1, other.1].concat().join(", ");
        let challenge = told(networks[side], &turn.challenge);
        let end = match &turn.answer {
            None => ", and the other cannot answer".to_owned(),
            Some(answer) => format!(", {} {}", who[1 - side], told(networks[1 - side], answer)),
        };
        let with = if clocks.is_empty() {
            String::new()
        } else {
            format!(" with {clocks}")
        };
        lines.push(format!(
            "at ({} | {}){with}: {} {challenge}{end}",
            one.0, other.0, who[side]
        ));
        states[side] = moved(networks[side], &states[side], &turn.challenge);
        if let Some(answer) = &turn.answer {
            states[1 - side] = moved(networks[1 - side], &states[1 - side], answer);
        }
    }
    if play.turns.len() > lines.len() {
        lines.push(format!("… and {} more", play.turns.len() - lines.len()));
    }
    lines
}

/// A word of the first model that is none of the second: names with the times at which they come.
fn word(networks: [&Network; 2], run: &Run) -> Vec<String> {
    let mut now = Rational::ZERO;
    let mut letters = Vec::new();
    for step in &run.steps {
        now += &step.delay.0;
        letters.push(format!("{} at {now}", networks[0].action_name(&step.edges)));
    }
    let mut lines = match letters.is_empty() {
        true => vec!["the empty word, because the second has no beginning".to_owned()],
        false => vec!["the first has this word, and the second does not:".to_owned()],
    };
    let more = letters.len().saturating_sub(MOST_LINES);
    lines.extend(letters.into_iter().take(MOST_LINES));
    if more > 0 {
        lines.push(format!("… and {more} more"));
    }
    lines
}
