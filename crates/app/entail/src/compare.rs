//! Are two systems the same, or is one at least the other? With every answer re-checked.

use entail_budget::{Budget, Spent};
use entail_equivalence::CompareError;
use entail_evidence::equivalence::{Comparison, Rejected, Relation, RelationQuery};
use entail_model::{Lts, LtsError};
use entail_relations_checker::check_comparison;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An answer.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The answer with its evidence, which the checker has accepted; or why there is none.
    pub comparison: Result<Comparison, Spent>,
    /// How long it took to find.
    pub time: Duration,
    /// How long it took to check.
    pub check_time: Duration,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum CompareFailure {
    /// The checker rejects the evidence.
    #[error("the evidence about `{0}` was rejected: {1}")]
    Rejected(Relation, Rejected),
    /// The two are too large.
    #[error("{0}")]
    TooLarge(LtsError),
}

/// Answers a question about two systems.
pub fn compare(
    first: &Lts,
    second: &Lts,
    question: RelationQuery,
    budget: &Budget,
) -> Result<Compared, CompareFailure> {
    let start = Instant::now();
    let comparison = match entail_equivalence::compare(first, second, question, budget) {
        Ok(comparison) => Ok(comparison),
        Err(CompareError::Spent(spent)) => Err(spent),
        Err(CompareError::TooLarge(error)) => return Err(CompareFailure::TooLarge(error)),
    };
    let time = start.elapsed();
    let start = Instant::now();
    if let Ok(comparison) = &comparison {
        check_comparison(first, second, question, comparison, budget)
            .map_err(|rejected| CompareFailure::Rejected(question.relation, rejected))?;
    }
    Ok(Compared {
        comparison,
        time,
        check_time: start.elapsed(),
    })
}

/// Two systems that can be compared, and what a user should know about them.
#[derive(Clone, Debug)]
pub struct Comparable {
    /// The first.
    pub first: Lts,
    /// The second.
    pub second: Lts,
    /// What was done, and what may surprise.
    pub notes: Vec<String>,
}

/// Why two systems cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Incomparable {
    /// One has propositions and the other has not.
    #[error(
        "{kripke} is a Kripke structure and {process} is a process: propositions of states cannot be compared with actions of steps; give two graphs with actions, or two with propositions"
    )]
    Kinds {
        /// The one with propositions.
        kripke: String,
        /// The one without.
        process: String,
    },
    /// Both have propositions, but not the same.
    #[error(
        "the propositions are not the same: {differences}; say with --observe which ones are compared (those in both: {})",
        if common.is_empty() { "none" } else { common }
    )]
    Propositions {
        /// Which are where.
        differences: String,
        /// Those in both.
        common: String,
    },
    /// A proposition or action that neither has.
    #[error("neither system has the {kind} `{name}`; there are: {known}")]
    Unknown {
        /// Action or proposition.
        kind: &'static str,
        /// Its name.
        name: String,
        /// Some that exist.
        known: String,
    },
    /// A system has no initial state.
    #[error("{0} has no initial state")]
    NoInitialState(String),
}

/// What is done to both systems before they are compared.
#[derive(Clone, Debug, Default)]
pub struct Preparation {
    /// Actions that are hidden in both.
    pub hide: Vec<String>,
    /// The propositions that are looked at; none: all.
    pub observe: Vec<String>,
    /// Whether somebody has chosen what is looked at: then a proposition that one of the two does not have is false there.
    pub chosen: bool,
}

const LISTED: usize = 20;

fn listed<'a>(names: impl IntoIterator<Item = &'a Arc<str>>) -> String {
    let names: Vec<&str> = names.into_iter().map(|name| &**name).take(LISTED).collect();
    names.join(", ")
}

fn propositions(lts: &Lts) -> BTreeSet<Arc<str>> {
    lts.states()
        .flat_map(|state| lts.propositions(state).iter().cloned())
        .collect()
}

/// The visible actions that are used.
fn alphabet(lts: &Lts) -> BTreeSet<Arc<str>> {
    let mut used = vec![false; lts.actions().len()];
    for state in lts.states() {
        for action in lts.row(state).0 {
            used[action.index()] = true;
        }
    }
    let named = lts.actions().iter().zip(used).skip(1);
    named
        .filter(|(_, used)| *used)
        .map(|(name, _)| name.clone())
        .collect()
}

/// Makes two systems ready to be compared by a relation: hides, observes, and refuses what cannot be compared.
pub fn comparable(
    (first, first_name): (Lts, &str),
    (second, second_name): (Lts, &str),
    question: RelationQuery,
    preparation: &Preparation,
) -> Result<Comparable, Incomparable> {
    let mut systems = [first, second];
    let names = [first_name, second_name];
    for (lts, name) in systems.iter().zip(names) {
        if lts.initial().is_empty() {
            return Err(Incomparable::NoInitialState(name.to_owned()));
        }
    }
    hide(&mut systems, &preparation.hide)?;
    let mut notes = Vec::new();
    match (systems[0].is_coloured(), systems[1].is_coloured()) {
        (true, false) => return Err(kinds(first_name, second_name)),
        (false, true) => return Err(kinds(second_name, first_name)),
        (true, true) => observe(&mut systems, names, question, preparation, &mut notes)?,
        (false, false) => {
            if let Some(name) = preparation.observe.first() {
                return Err(Incomparable::Unknown {
                    kind: "proposition",
                    name: name.clone(),
                    known: "none, as the two are processes".to_owned(),
                });
            }
        }
    }
    let alphabets = systems.each_ref().map(alphabet);
    for (side, name) in names.into_iter().enumerate() {
        let only: Vec<&Arc<str>> = alphabets[side].difference(&alphabets[1 - side]).collect();
        if !only.is_empty() {
            let more = if only.len() > LISTED { ", …" } else { "" };
            notes.push(format!("only {name} has the actions: {}{more}", listed(only)));
        }
    }
    let [first, second] = systems;
    Ok(Comparable { first, second, notes })
}

fn kinds(kripke: &str, process: &str) -> Incomparable {
    Incomparable::Kinds {
        kripke: kripke.to_owned(),
        process: process.to_owned(),
    }
}

fn hide(systems: &mut [Lts; 2], hide: &[String]) -> Result<(), Incomparable> {
    for name in hide {
        let found = systems.each_ref().map(|lts| lts.actions_named(name));
        if found.iter().all(Vec::is_empty) {
            let known: BTreeSet<Arc<str>> = systems.iter().flat_map(alphabet).collect();
            return Err(Incomparable::Unknown {
                kind: "action",
                name: name.clone(),
                known: listed(&known),
            });
        }
        for (lts, actions) in systems.iter_mut().zip(found) {
            *lts = lts.hide(&actions);
        }
    }
    Ok(())
}

/// Restricts Kripke structures to propositions that can be compared.
fn observe(
    systems: &mut [Lts; 2],
    names: [&str; 2],
    question: RelationQuery,
    preparation: &Preparation,
    notes: &mut Vec<String>,
) -> Result<(), Incomparable> {
    let observed = &preparation.observe;
    let [here, there] = systems.each_ref().map(propositions);
    let all: BTreeSet<Arc<str>> = here.union(&there).cloned().collect();
    if let Some(name) = observed.iter().find(|name| !all.contains(name.as_str())) {
        return Err(Incomparable::Unknown {
            kind: "proposition",
            name: name.clone(),
            known: listed(&all),
        });
    }
    let seen: BTreeSet<Arc<str>> = match observed.is_empty() {
        false => observed.iter().map(|name| Arc::from(name.as_str())).collect(),
        true if here == there || preparation.chosen => return Ok(()),
        // A structure may be simulated by one with fewer propositions (chapter 13, definition 7).
        true if !question.both_ways && !question.relation.is_bisimulation() && there.is_subset(&here) => {
            let rest = listed(here.difference(&there));
            notes.push(format!(
                "propositions that {} does not have are not looked at: {rest}",
                names[1]
            ));
            there
        }
        true => {
            let only = |name: &str, more: &BTreeSet<Arc<str>>, less: &BTreeSet<Arc<str>>| {
                let only = listed(more.difference(less));
                (!only.is_empty()).then(|| format!("only {name} has {only}"))
            };
            let differences = [only(names[0], &here, &there), only(names[1], &there, &here)];
            return Err(Incomparable::Propositions {
                differences: differences.into_iter().flatten().collect::<Vec<_>>().join(", "),
                common: listed(here.intersection(&there)),
            });
        }
    };
    for lts in systems {
        let mut builder = lts.to_builder();
        for state in lts.states() {
            let kept = lts
                .propositions(state)
                .iter()
                .filter(|name| seen.contains(*name))
                .cloned();
            let colour = builder.colour(kept.collect::<Vec<_>>());
            builder.paint(state, colour);
        }
        *lts = builder.build().unwrap_or_else(|_| lts.clone());
    }
    Ok(())
}
