//! Statistical questions: options, engine, what is judged, what is shown.
//!
//! An estimate is no proof, and its guarantee says so. Judged are the figures, which must follow from the counts, and the run that is kept, which is replayed like any other; that the runs were random is not.

use crate::checker::by_text;
use crate::model::TimedModel;
use crate::session;
use entail_answer::{Answer, CheckReport, Guarantee, Verdict};
use entail_budget::Budget;
use entail_clocks::evidence::{Histogram, Proof, Run, Samples};
use entail_clocks::{Chance, Extent, Formula, Network, Query, Rational};
use entail_family::Options;
use entail_sampling::Settings;
use entail_show::{Axis, Chart, Prominence, Series, Shown, View};
use entail_timed_checker::{Readings, samples as figures};
use entail_uppaal_tree::{self as tree, PropertyKind, TrialPath};
use serde_json::{Map, Value as Json, json};

/// The name of the engine.
pub(crate) const ENGINE: &str = "statistical";

/// How sure and how near answers are to be; UPPAAL's defaults.
pub(crate) fn settings(options: &Options) -> Settings {
    let number = |name: &str| options.value(name).and_then(|text| text.parse::<f64>().ok());
    Settings {
        confidence: number("confidence").unwrap_or(0.95),
        error: number("error").unwrap_or(0.05),
        indifference: number("error").unwrap_or(0.01),
        seed: options.number("seed").unwrap_or(1),
        threads: session::threads(options),
    }
}

/// What the run that is kept meets, where a question looks for something: the bound of the run, and whether the question wants it.
fn goal(chance: &Chance) -> Option<(&Extent, &Formula, bool)> {
    match chance {
        Chance::Probability { trial, .. } | Chance::Test { trial, .. } => {
            Some((&trial.extent, &trial.goal, trial.wanted))
        }
        Chance::Simulate {
            extent,
            only: Some((_, goal)),
            ..
        } => Some((extent, goal, true)),
        _ => None,
    }
}

/// The same as a question about reachability, in the language of the text.
fn as_reachability(chance: &tree::Chance) -> Option<PropertyKind> {
    match chance {
        tree::Chance::Probability(trial) | tree::Chance::Test { trial, .. } => Some(match &trial.path {
            TrialPath::Finally(goal) | TrialPath::Until(_, goal) => PropertyKind::Possibly(goal.clone()),
            TrialPath::Globally(stay) => PropertyKind::Invariantly(stay.clone()),
        }),
        tree::Chance::Simulate {
            only: Some((_, goal)),
            ..
        } => Some(PropertyKind::Possibly(goal.clone())),
        _ => None,
    }
}

/// How long a run takes.
fn length(run: &Run) -> Rational {
    (run.steps.iter()).fold(run.rest.0.clone(), |sum, step| sum + &step.delay.0)
}

/// Judges random runs.
pub(crate) fn judge(
    model: &TimedModel,
    network: &Network,
    property: usize,
    samples: &Samples,
    answer: &Answer,
    budget: &Budget,
) -> CheckReport {
    let Query::Chance(chance) = &model.queries[property] else {
        return CheckReport::rejected("random runs are no evidence for this question");
    };
    let Guarantee::Statistical { confidence, .. } = answer.guarantee else {
        return CheckReport::rejected("an estimate is not more than statistical");
    };
    if let Err(reason) = figures::follows(samples, confidence, answer.value.as_ref()) {
        return CheckReport::rejected(reason);
    }
    let unchecked = CheckReport::unchecked("that the runs are random runs of the model");
    let (Some(run), Some((extent, goal, wanted))) = (&samples.witness, goal(chance)) else {
        return unchecked;
    };
    // No run through floating-point numbers is kept: it could not be replayed exactly.
    if network.reals.is_some() {
        return CheckReport::rejected("a run through floating-point numbers is no exact run");
    }
    let is_within = match extent {
        Extent::Time(most) => length(run) <= Rational::from(*most),
        Extent::Steps(most) => run.steps.len() as u64 <= *most,
        Extent::Clock(..) => true,
    };
    if !is_within {
        return CheckReport::rejected("the run goes beyond its bound");
    }
    let query = Query::Reach(goal.clone(), wanted);
    let verdict = if wanted { Verdict::Holds } else { Verdict::Fails };
    let proof = Proof::Run { run: run.clone() };
    let judged = |readings: &Readings<'_>| {
        entail_timed_checker::judge_by(readings, 1, network, &query, verdict, &proof, budget)
    };
    let uppaal = model
        .uppaal
        .as_ref()
        .and_then(|uppaal| match &uppaal.properties[property].kind {
            PropertyKind::Chance(chance) => Some((&uppaal.tree, as_reachability(chance)?)),
            _ => None,
        });
    let replayed = match &uppaal {
        None => judged(&|ask| ask(network)),
        Some((text, kind)) => by_text(text, (kind, &[]), network, judged),
    };
    replayed.and(unchecked)
}

/// Random runs as an object of reports.
pub(crate) fn to_json(samples: &Samples) -> Map<String, Json> {
    let mut map = Map::new();
    map.insert("seed".into(), samples.seed.into());
    if !samples.shares.is_empty() {
        map.insert("shares".into(), json!(samples.shares));
    }
    if let Some(mean) = &samples.mean {
        map.insert("mean".into(), json!(mean));
    }
    if !samples.when.is_empty() {
        map.insert("when".into(), json!(samples.when));
    }
    if !samples.curves.is_empty() {
        map.insert("curves".into(), json!(samples.curves));
    }
    map
}

fn axis(label: &str) -> Axis {
    Axis {
        label: label.to_owned(),
        is_logarithmic: false,
    }
}

/// What bounds the runs of a question, as the label of an axis.
fn along(chance: &Chance, network: &Network) -> String {
    let extent = match chance {
        Chance::Probability { trial, .. } | Chance::Test { trial, .. } => &trial.extent,
        Chance::Compare(pair) => &pair[0].extent,
        Chance::Mean { extent, .. } | Chance::Simulate { extent, .. } => extent,
    };
    match extent {
        Extent::Time(_) => "time".to_owned(),
        Extent::Steps(_) => "steps".to_owned(),
        Extent::Clock(clock, _) => network.clock_name(clock.base).to_owned(),
    }
}

/// The share of runs that have met the goal up to a moment, and how it grows.
fn distribution(when: &Histogram, runs: u64) -> Vec<Series> {
    let part = |count: u64| count as f64 / runs.max(1) as f64;
    let mut sum = 0;
    let mut cumulative = vec![(0.0, 0.0)];
    let mut density = Vec::new();
    for (position, &count) in when.counts.iter().enumerate() {
        sum += count;
        let (from, to) = (position as f64 * when.width, (position + 1) as f64 * when.width);
        cumulative.push((to, part(sum)));
        density.push((from, part(count)));
        density.push((to, part(count)));
    }
    let series = |name: &str, points, is_stepped| Series {
        name: name.to_owned(),
        points,
        is_stepped,
        ..Series::default()
    };
    vec![
        series("met up to then", cumulative, false),
        series("met in this part of the time", density, true),
    ]
}

/// The chart of an answer: when the goal is met, or values over runs.
pub(crate) fn chart(network: &Network, query: &Query, samples: &Samples) -> Option<Chart> {
    let Query::Chance(chance) = query else {
        return None;
    };
    let runs = samples.shares.first().map_or(0, |share| share.runs);
    let (label, series) = match samples.curves.is_empty() {
        true if samples.when.is_empty() => return None,
        true => ("share of runs", distribution(&samples.when, runs)),
        false => {
            let several = samples
                .curves
                .iter()
                .any(|curve| curve.run != samples.curves[0].run);
            let series = samples.curves.iter().map(|curve| Series {
                name: match several {
                    true => format!("{} (run {})", curve.name, curve.run + 1),
                    false => curve.name.clone(),
                },
                points: curve.points.clone(),
                is_stepped: curve.is_stepped,
                ..Series::default()
            });
            ("value", series.collect())
        }
    };
    Some(Chart {
        x: axis(&along(chance, network)),
        y: axis(label),
        series,
    })
}

/// What is shown of random runs.
pub(crate) fn shown(network: &Network, query: &Query, samples: &Samples) -> Shown {
    let mut shown = Shown::default();
    if let Some(chart) = chart(network, query, samples) {
        shown.push(Prominence::Report, View::Chart(chart));
    }
    shown
}
