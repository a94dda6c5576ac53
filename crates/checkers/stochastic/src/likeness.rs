//! Judging whether two models behave alike.
//!
//! Read off the definition of probabilistic bisimulation, in rationals: states of one class, of whichever model, carry the same labels, earn the same, and have the same
//! choices, where a choice is its rate, what it earns, and the probability of every class; the initial states of both models belong to the same classes. A formula that tells
//! the models apart is evaluated in all states of both, from its parts.

use crate::partition::{Look, looks};
use entail_answer::CheckReport;
use entail_budget::{Budget, Spent};
use entail_markov::{Explicit, Fractions, Likeness, Network, Observation, Rational, Row};
use std::collections::{BTreeMap, BTreeSet};

/// More truth values are not computed: formulas times states.
const MOST_VALUES: usize = 1 << 30;

/// A model with its labels and reward structures in the order of the first model.
struct Side<'m> {
    model: &'m Explicit,
    /// By label: the states that carry it.
    labels: Vec<Vec<bool>>,
    /// The positions of the reward structures.
    structures: Vec<usize>,
}

/// Why a claim is not accepted.
enum Refusal {
    Wrong(String),
    Spent(Spent),
}

impl From<Spent> for Refusal {
    fn from(spent: Spent) -> Refusal {
        Refusal::Spent(spent)
    }
}

fn wrong<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Wrong(reason.into()))
}

/// Whether two models, built by the reference interpreter, are what is claimed.
pub fn judge_likeness(
    networks: [&Network; 2],
    models: [&Explicit; 2],
    claim: &Likeness,
    budget: &Budget,
) -> CheckReport {
    let judged = sides(networks, models).and_then(|(names, sides)| match claim {
        Likeness::Alike { classes } => alike(&sides, classes, budget),
        Likeness::Distinguished { in_second, formulas } => {
            distinguished(&names, &sides, *in_second, formulas, budget)
        }
    });
    match judged {
        Ok(None) => CheckReport::Accepted,
        Ok(Some(unchecked)) => CheckReport::unchecked(unchecked),
        Err(Refusal::Wrong(reason)) => CheckReport::rejected(reason),
        Err(Refusal::Spent(spent)) => CheckReport::unchecked(format!("the comparison ({spent})")),
    }
}

/// Both models with what is looked at in the same order, and the names of the labels.
fn sides<'m>(
    networks: [&Network; 2],
    models: [&'m Explicit; 2],
) -> Result<(Vec<String>, [Side<'m>; 2]), Refusal> {
    let names: BTreeSet<&String> = networks[0].labels.iter().map(|(name, _)| name).collect();
    let others: BTreeSet<&String> = networks[1].labels.iter().map(|(name, _)| name).collect();
    if names != others {
        return wrong("the two models have different labels");
    }
    let side = |at: usize| -> Result<Side<'m>, Refusal> {
        let (network, model) = (networks[at], models[at]);
        if model.rows.iter().flatten().any(|row| !row.uppers.is_empty()) {
            return wrong("probabilities are intervals");
        }
        let labels = names.iter().map(|name| {
            let set = network.labels.iter().find(|(own, _)| own == *name);
            let Some((_, set)) = set else {
                return wrong("a label is missing");
            };
            let holds = |state: &Vec<i64>| {
                (network.holds(set, state)).map_err(|error| Refusal::Wrong(error.to_string()))
            };
            model.states.iter().map(holds).collect()
        });
        let mut left: Vec<usize> = (0..network.rewards.len()).collect();
        let mut structures = Vec::new();
        for structure in &networks[0].rewards {
            let same = |&at: &usize| network.rewards[at].name == structure.name;
            let Some(position) = left.iter().position(same) else {
                return wrong("the two models have different reward structures");
            };
            structures.push(left.remove(position));
        }
        if !left.is_empty() {
            return wrong("the two models have different reward structures");
        }
        Ok(Side {
            model,
            labels: labels.collect::<Result<_, _>>()?,
            structures,
        })
    };
    let sides = [side(0)?, side(1)?];
    Ok((names.into_iter().cloned().collect(), sides))
}

impl Side<'_> {
    fn surface(&self, state: usize) -> (Vec<bool>, Vec<Rational>) {
        let rewards = self.structures.iter();
        (
            self.labels.iter().map(|set| set[state]).collect(),
            rewards
                .map(|&structure| self.model.state_rewards[structure][state].clone())
                .collect(),
        )
    }

    fn earned(&self, row: &Row) -> Vec<Rational> {
        let structures = self.structures.iter();
        structures.map(|&at| row.rewards[at].clone()).collect()
    }
}

type Surface = (Vec<bool>, Vec<Rational>);

fn alike(sides: &[Side<'_>; 2], classes: &[Vec<u32>; 2], budget: &Budget) -> Result<Option<String>, Refusal> {
    let mut seen: BTreeMap<u32, (Surface, BTreeSet<Look>)> = BTreeMap::new();
    let mut initial = Vec::new();
    for (side, classes) in sides.iter().zip(classes) {
        if classes.len() != side.model.rows.len() {
            return wrong("there is another number of states");
        }
        for (state, &own) in classes.iter().enumerate() {
            budget.check()?;
            let surface = side.surface(state);
            let looks = looks(side.model, state, &side.structures, &|target| {
                classes[target as usize]
            });
            match seen.get(&own) {
                Some((known, choices)) if *known == surface && *choices == looks => {}
                Some(_) => return wrong(format!("state {state} differs from the others of its class")),
                None => {
                    seen.insert(own, (surface, looks));
                }
            }
        }
        let classes: BTreeSet<u32> = (side.model.initial.iter())
            .map(|&state| classes[state as usize])
            .collect();
        initial.push(classes);
    }
    match initial[0] == initial[1] && !initial[0].is_empty() {
        true => Ok(None),
        false => wrong("the initial states belong to different classes"),
    }
}

fn distinguished(
    names: &[String],
    sides: &[Side<'_>; 2],
    in_second: bool,
    formulas: &[Observation],
    budget: &Budget,
) -> Result<Option<String>, Refusal> {
    let states: usize = sides.iter().map(|side| side.model.rows.len()).sum();
    if states.saturating_mul(formulas.len()) > MOST_VALUES {
        return Ok(Some("a formula of this size in models of this size".to_owned()));
    }
    let mut somewhere = Vec::new();
    for side in sides {
        let mut truth: Vec<Vec<bool>> = Vec::with_capacity(formulas.len());
        for formula in formulas {
            budget.check_now()?;
            let own = holds(names, side, formula, &truth)?;
            truth.push(own);
        }
        let Some(last) = truth.last() else {
            return wrong("there is no formula");
        };
        somewhere.push(side.model.initial.iter().any(|&state| last[state as usize]));
    }
    match somewhere[usize::from(in_second)] && !somewhere[usize::from(!in_second)] {
        true => Ok(None),
        false => wrong("the formula does not tell the initial states apart"),
    }
}

/// The states of a model that satisfy a formula, from those that satisfy the earlier ones.
fn holds(
    names: &[String],
    side: &Side<'_>,
    formula: &Observation,
    earlier: &[Vec<bool>],
) -> Result<Vec<bool>, Refusal> {
    let size = side.model.rows.len();
    let part = |at: &usize| {
        let known = earlier.get(*at);
        known.ok_or_else(|| Refusal::Wrong("a formula refers to one that is not earlier".to_owned()))
    };
    let one = |number: &Fractions| match &number.0[..] {
        [number] => Ok(number.clone()),
        _ => wrong("one number is needed"),
    };
    Ok(match formula {
        Observation::Label(name) => match names.iter().position(|known| known == name) {
            Some(at) => side.labels[at].clone(),
            None => return wrong(format!("there is no label `{name}`")),
        },
        Observation::Earns { structure, reward } => {
            let Some(&structure) = side.structures.get(*structure) else {
                return wrong("there is no such reward structure");
            };
            let reward = one(reward)?;
            (side.model.state_rewards[structure].iter())
                .map(|own| *own == reward)
                .collect()
        }
        Observation::Not(inner) => part(inner)?.iter().map(|holds| !holds).collect(),
        Observation::All(inner) => {
            let parts = inner.iter().map(part).collect::<Result<Vec<_>, _>>()?;
            (0..size)
                .map(|state| parts.iter().all(|part| part[state]))
                .collect()
        }
        Observation::Choice {
            rate,
            earned,
            formulas,
            at_least,
        } => {
            let parts = formulas.iter().map(part).collect::<Result<Vec<_>, _>>()?;
            if parts.len() != at_least.0.len() || rate.0.len() > 1 {
                return wrong("each formula needs one probability, and a choice has one rate");
            }
            let fits = |row: &Row| {
                let likely = |(part, least): (&&Vec<bool>, &Rational)| {
                    let inside = row.targets.iter().filter(|(target, _)| part[*target as usize]);
                    inside.fold(Rational::ZERO, |sum, (_, probability)| sum + probability) >= *least
                };
                row.rate.as_ref() == rate.0.first()
                    && side.earned(row) == earned.0
                    && parts.iter().zip(&at_least.0).all(likely)
            };
            (side.model.rows.iter())
                .map(|rows| rows.iter().any(fits))
                .collect()
        }
    })
}
