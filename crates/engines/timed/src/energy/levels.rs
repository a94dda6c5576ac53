//! Some run within two bounds, or above one with what is more than the other cut off: states without clocks, with their levels.
//!
//! The levels are whole numbers within the bounds, so there are finitely many pairs of a state and a level, and a run within the bounds exists exactly if a cycle of pairs can be reached. The search is depth first; pairs that it leaves without having
//! met a cycle are numbered, and all that their steps lead to have smaller numbers: that is the evidence that nothing lasts from there. To find the least credit the search begins anew with each level, from the lower bound on, and knows what it left before.

use super::{Asked, refused};
use crate::Stop;
use crate::concrete::rational_run;
use entail_budget::Budget;
use entail_clocks::evidence::{Because, LostLevel, Run, Sustained, Time};
use entail_clocks::{Rational, Upper};
use rustc_hash::FxHashMap;

/// Pairs of a state and a level, at most.
const MOST_PAIRS: usize = 5_000_000;

/// A state by its corner, and a level.
type Pair = (usize, i64);

/// What is known of a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It is on the way.
    Open,
    /// Nothing lasts from here.
    Lost(u32),
}

struct Search<'a> {
    asked: &'a Asked<'a>,
    /// The steps of each state, by arrow.
    steps: Vec<Vec<usize>>,
    known: FxHashMap<Pair, Known>,
    lost: u32,
}

/// A pair on the way, and the step that is tried next.
struct Frame {
    pair: Pair,
    next: usize,
    /// The arrow by which it was entered.
    by: Option<usize>,
}

pub(super) fn decide(asked: &Asked<'_>, budget: &Budget) -> Result<Sustained, Stop> {
    if !asked.network.clocks.is_empty() {
        return refused(
            "--energy: with an upper bound, whether some run stays within the bounds is decided for models without clocks only",
        );
    }
    let mut steps = vec![Vec::new(); asked.graph.corners.len()];
    for (number, arrow) in asked.graph.arrows.iter().enumerate() {
        match arrow.leads.edges {
            Some(_) => steps[arrow.from].push(number),
            None if arrow.leads.cost != 0 => {
                return refused(
                    "--energy: with an upper bound, time may not change the level: give weights to edges, or make the locations urgent",
                );
            }
            None => {}
        }
    }
    let mut search = Search {
        asked,
        steps,
        known: FxHashMap::default(),
        lost: 0,
    };
    let question = asked.question;
    let most = question.upper.map_or(question.lower, Upper::bound);
    let levels = match &question.credit {
        None => question.lower..=most,
        Some(credit) => {
            let Some(level) = question.cut(credit.clone()) else {
                // The credit itself is out of bounds.
                return Ok(search.sustained(None));
            };
            let Ok(level) = entail_answer::Rational::try_into(level) as Result<i64, _> else {
                return refused("--energy: with an upper bound, the credit must be a whole number");
            };
            level..=level
        }
    };
    for level in levels {
        for root in 0..asked.graph.roots {
            if let Some((way, since)) = search.run((root, level), budget)? {
                let run = search.run_of(root, &way);
                let credit = question.credit.clone().unwrap_or_else(|| Rational::from(level));
                return Ok(search.sustained(Some((credit, run, since))));
            }
        }
    }
    Ok(search.sustained(None))
}

impl Search<'_> {
    /// Looks for a run that lasts: the arrows to a cycle and once around it, and how many of them come before the cycle.
    fn run(&mut self, start: Pair, budget: &Budget) -> Result<Option<(Vec<usize>, usize)>, Stop> {
        if self.known.contains_key(&start) {
            return Ok(None);
        }
        self.known.insert(start, Known::Open);
        let mut way = vec![Frame {
            pair: start,
            next: 0,
            by: None,
        }];
        while let Some(frame) = way.last_mut() {
            budget.check()?;
            let (state, level) = frame.pair;
            let Some(&arrow) = self.steps[state].get(frame.next) else {
                self.known.insert(frame.pair, Known::Lost(self.lost));
                self.lost += 1;
                way.pop();
                continue;
            };
            frame.next += 1;
            let leads = &self.asked.graph.arrows[arrow];
            let Some(level) = self.cut(level + leads.leads.cost) else {
                continue;
            };
            let pair = (leads.to, level);
            match self.known.get(&pair) {
                Some(Known::Lost(_)) => {}
                Some(Known::Open) => {
                    let since = way.iter().position(|frame| frame.pair == pair).unwrap_or(0);
                    let mut arrows: Vec<usize> = way.iter().filter_map(|frame| frame.by).collect();
                    arrows.push(arrow);
                    return Ok(Some((arrows, since)));
                }
                None => {
                    if self.known.len() >= MOST_PAIRS {
                        return Err(Stop::Unknown(format!(
                            "there are more than {MOST_PAIRS} states with levels"
                        )));
                    }
                    self.known.insert(pair, Known::Open);
                    way.push(Frame {
                        pair,
                        next: 0,
                        by: Some(arrow),
                    });
                }
            }
        }
        Ok(None)
    }

    /// A level after a step, if it is within the bounds.
    fn cut(&self, level: i64) -> Option<i64> {
        let question = self.asked.question;
        match question.upper {
            _ if level < question.lower => None,
            Some(Upper::Limit(most)) if level > most => None,
            Some(Upper::Weak(most)) => Some(level.min(most)),
            _ => Some(level),
        }
    }

    fn run_of(&self, root: usize, way: &[usize]) -> Run {
        let graph = &self.asked.graph;
        let edges = |&arrow: &usize| graph.arrows[arrow].leads.edges.clone().unwrap_or_default();
        let steps = way.iter().map(|arrow| (Rational::ZERO, edges(arrow)));
        rational_run(&graph.corner(root).discrete, steps, Rational::ZERO)
    }

    fn sustained(&self, found: Option<(Rational, Run, usize)>) -> Sustained {
        let lost = self.known.iter().filter_map(|(&(state, level), known)| {
            let Known::Lost(rank) = *known else { return None };
            let discrete = &self.asked.graph.corner(state).discrete;
            Some(LostLevel {
                locations: discrete.locations.clone(),
                integers: discrete.integers.clone(),
                level,
                rank,
            })
        });
        let mut lost: Vec<LostLevel> = lost.collect();
        lost.sort_by_key(|one| one.rank);
        let is_asked_about_one = found.is_some() && self.asked.question.credit.is_some();
        let because = (!is_asked_about_one).then_some(Because::Levels(lost));
        let (credit, run, since) = match found {
            Some((credit, run, since)) => (Some(Time(credit)), Some(run), since),
            None => (self.asked.question.credit.clone().map(Time), None, 0),
        };
        Sustained {
            holds: run.is_some(),
            credit,
            run,
            since,
            cap: self.asked.question.cap(),
            because,
        }
    }
}
