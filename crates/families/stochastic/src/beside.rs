//! Comparing two models: whether they behave alike (probabilistic bisimulation), what the checker says to that, and the formula that tells them apart.
//!
//! The engine finds classes or a formula on its own state spaces, whose states have the numbers of the reference interpreter. The checker judges them on the
//! models that the reference interpreter builds.

use entail_answer::CheckReport;
use entail_budget::{Budget, Silent};
use entail_family::Beside;
use entail_markov::interpreter::ExploreError;
use entail_markov::{Fractions, Kind, Likeness, Network, Observation, explore};
use entail_probabilistic::{Extent, Settings, Trouble, compare};
use entail_show::{Shown, View};
use entail_stochastic_checker::likeness::judge_likeness;
use serde_json::{Map, Value as Json, json};
use std::time::{Duration, Instant};

/// The relation's name.
pub(crate) const RELATION: &str = "strong";

/// Larger models are not compared: the reference interpreter has to build them.
const MOST_STATES: usize = 1_000_000;

/// A formula is written in one line up to so many letters; longer ones in parts.
const LINE: usize = 160;

/// Parts of a formula that are shown, at most.
const MOST_LINES: usize = 40;

/// Compares two models.
pub(crate) fn compared(networks: [&Network; 2], budget: &Budget) -> Result<Beside, String> {
    let start = Instant::now();
    let found = compare(
        networks,
        Settings::default(),
        &Extent::from(MOST_STATES),
        budget,
        &Silent,
    );
    let time = start.elapsed();
    let found = match found {
        Ok(found) => found,
        Err(Trouble::Spent(spent)) => {
            return Ok(Beside {
                time,
                ..undecided([(0, 0); 2], spent.to_string())
            });
        }
        Err(trouble) => return Err(trouble.to_string()),
    };
    let Some(likeness) = found.likeness else {
        let reason =
            "they are not alike, but a formula that tells them apart would be too large to be checked";
        return Ok(Beside {
            time,
            ..undecided(found.sizes, reason.to_owned())
        });
    };
    let mut beside = judged(networks, &likeness, budget)?;
    beside.time = time;
    beside.details.insert("classes".into(), found.classes.into());
    Ok(beside)
}

/// Judges saved evidence.
pub(crate) fn judged_again(
    networks: [&Network; 2],
    evidence: &Json,
    budget: &Budget,
) -> Result<Beside, String> {
    let likeness: Likeness =
        serde_json::from_value(evidence.clone()).map_err(|error| format!("this is no evidence: {error}"))?;
    judged(networks, &likeness, budget)
}

fn undecided(sizes: [(usize, usize); 2], reason: String) -> Beside {
    Beside {
        related: Err(reason),
        check: CheckReport::Accepted,
        sizes,
        shown: Shown::default(),
        details: Map::new(),
        evidence: None,
        time: Duration::ZERO,
        check_time: Duration::ZERO,
    }
}

/// Judges evidence, and shows it if it is right.
fn judged(networks: [&Network; 2], likeness: &Likeness, budget: &Budget) -> Result<Beside, String> {
    let start = Instant::now();
    let built = |network| match explore(network, MOST_STATES, budget) {
        Ok(model) => Ok(Some(model)),
        Err(ExploreError::Spent(_)) => Ok(None),
        Err(error) => Err(error.to_string()),
    };
    let models = [built(networks[0])?, built(networks[1])?];
    let (mut sizes, mut check) = (
        [(0, 0); 2],
        CheckReport::unchecked("the comparison (there was no time to build the models again)".to_owned()),
    );
    if let [Some(first), Some(second)] = &models {
        sizes = [first, second].map(|model| {
            let rows = model.rows.iter().flatten();
            (model.rows.len(), rows.map(|row| row.targets.len()).sum())
        });
        check = judge_likeness(networks, [first, second], likeness, budget);
    }
    let mut beside = Beside {
        check_time: start.elapsed(),
        ..undecided(sizes, String::new())
    };
    let is_rejected = matches!(check, CheckReport::Rejected { .. });
    beside.check = check;
    if is_rejected {
        return Ok(beside);
    }
    beside.evidence = Some(serde_json::to_value(likeness).map_err(|error| error.to_string())?);
    beside.related = Ok(match likeness {
        Likeness::Alike { .. } => true,
        Likeness::Distinguished { in_second, formulas } => {
            let text = Text {
                formulas,
                network: networks[0],
                chain: networks.iter().all(|network| network.kind == Kind::Dtmc),
            };
            let lines = text.lines();
            beside.details.insert(
                "holds_in".into(),
                json!(if *in_second { "second" } else { "first" }),
            );
            beside.details.insert("formula".into(), json!(lines));
            let only = if *in_second { "second" } else { "first" };
            let mut shown = vec![format!("holds in the {only} model only:")];
            shown.extend(lines);
            beside.shown = Shown::default().main(View::Notes(shown));
            false
        }
    });
    Ok(beside)
}

/// Formulas as people read them.
struct Text<'f> {
    formulas: &'f [Observation],
    network: &'f Network,
    /// Both models are chains in discrete time.
    chain: bool,
}

impl Text<'_> {
    /// The last formula, and parts of it that have lines of their own.
    fn lines(&self) -> Vec<String> {
        let mut texts: Vec<String> = Vec::with_capacity(self.formulas.len());
        let mut parts: Vec<(String, String)> = Vec::new();
        for (at, formula) in self.formulas.iter().enumerate() {
            let text = self.text(formula, &texts);
            if text.len() > LINE && at + 1 < self.formulas.len() {
                let name = format!("f{at}");
                parts.push((name.clone(), text));
                texts.push(name);
            } else {
                texts.push(text);
            }
        }
        let mut lines: Vec<String> = texts.pop().into_iter().collect();
        let more = parts.len().saturating_sub(MOST_LINES);
        let shown = parts.into_iter().rev().take(MOST_LINES);
        lines.extend(shown.map(|(name, text)| format!("{name} = {text}")));
        if more > 0 {
            lines.push(format!("({more} more in the saved evidence)"));
        }
        lines
    }

    fn text(&self, formula: &Observation, texts: &[String]) -> String {
        let part = |at: &usize| texts.get(*at).cloned().unwrap_or_default();
        let one = |number: &Fractions| number.0.first().map(ToString::to_string).unwrap_or_default();
        let structure = |at: usize| match self.network.rewards.get(at).map(|of| &of.name) {
            Some(Some(name)) => format!("R{{\"{name}\"}}"),
            _ => "R".to_owned(),
        };
        match formula {
            Observation::Label(name) => format!("\"{name}\""),
            Observation::Earns {
                structure: at,
                reward,
            } => format!("{}={}", structure(*at), one(reward)),
            Observation::Not(inner) => format!("!({})", part(inner)),
            Observation::All(inner) => match &inner[..] {
                [] => "true".to_owned(),
                [only] => part(only),
                all => (all.iter().map(|at| format!("({})", part(at))))
                    .collect::<Vec<_>>()
                    .join(" & "),
            },
            Observation::Choice {
                rate,
                earned,
                formulas,
                at_least,
            } => {
                let reaches = formulas.iter().zip(&at_least.0);
                let reaches = reaches.map(|(at, least)| format!("P>={least} [ X {} ]", part(at)));
                let reaches: Vec<String> = reaches.collect();
                let earns = (earned.0.iter().enumerate())
                    .filter(|(_, reward)| !reward.is_zero())
                    .map(|(at, reward)| format!("{}={reward}", structure(at)));
                let rate = rate.0.iter().map(|rate| format!("rate={rate}"));
                let conditions: Vec<String> = rate.chain(earns).chain(reaches).collect();
                match (self.chain, conditions.is_empty()) {
                    (_, true) => "some choice".to_owned(),
                    (true, false) => conditions.join(" & "),
                    (false, false) => format!("some choice ({})", conditions.join(" & ")),
                }
            }
        }
    }
}
