//! What is left of a network when the controller plays a strategy: `A[] p under S` and its kin.
//!
//! The rules of the strategy divide the clock values of a discrete state into convex parts ([`parts`]); each part is a state of the space of its own, with the part as its invariant, the steps that the strategy leaves, and waits into
//! other parts. So the usual searches decide the usual questions about it. The comparisons in rules count as compared everywhere, below and above: values that stand for one another are then in the same parts at
//! every moment of any wait, and what one of them may do the other may.
//!
//! **What the strategy leaves.** Where something must be reached, the rules of the smallest rank decide: one of their steps is taken at once, or the controller waits. Where nothing has to be reached, the strategy is
//! permissive: the controller may take every step, and wait as long as it likes, as long as it stays where it wins. The opponent may do whatever it can. Where the game is won, and where there is no
//! rule, which is reached only after it was won, everything is allowed.

mod parts;

use crate::concrete::constraints_of;
use crate::constants::Constants;
use crate::cover_search::CoverSearch;
use crate::facts::{Manner, Rest};
use crate::settings::Settings;
use crate::space::{Constraint, Space, StateId, Target, Transition};
use crate::{Counters, Stop, stay};
use entail_budget::Budget;
use entail_clocks::discrete::Discrete;
use entail_clocks::evidence::{Proof, Run, Step, Strategy, Time};
use entail_clocks::{ClockName, Comparison, Expression, Formula, Network, Query, Rational};
use entail_zones::{Bound, Zone};
use parts::{Ground, Mode, Part, Rule, divide, passages};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Parts of one discrete state, at most.
const MOST_PARTS: usize = 512;

/// A part as a state of a space.
#[derive(Debug)]
struct PartState {
    mode: Mode,
    /// Where time leads.
    waits: Vec<Wait>,
}

/// A wait from a part into another.
#[derive(Clone, Debug)]
struct Wait {
    /// The values that it leads to.
    into: Vec<Constraint>,
    target: StateId,
    /// Whether a run stays within the condition on the way.
    stays: bool,
}

/// A strategy that is played in a space.
#[derive(Debug)]
pub(crate) struct Played {
    rules: FxHashMap<Discrete, Vec<Rule>>,
    goal: Formula,
    must_win: bool,
    /// Whether parts are within or outside the question's first condition.
    refines: bool,
    /// The parts of a discrete state, as states.
    of: FxHashMap<StateId, Arc<[StateId]>>,
    parts: FxHashMap<StateId, PartState>,
    /// Why parts of some state could not be made.
    refused: Option<String>,
}

/// The bounds of a zone that do not follow from others; those of single clocks are preferred.
fn needed(zone: &Zone) -> Vec<Constraint> {
    let size = zone.dimension();
    let is_news = |one: &Constraint| one.0 != 0 || one.2 != Bound::ZERO;
    let mut kept: Vec<Constraint> = (constraints_of(size, zone.cells()).into_iter())
        .filter(is_news)
        .collect();
    kept.sort_by_key(|&(left, right, _)| left == 0 || right == 0);
    let mut at = 0;
    while at < kept.len() {
        let one = kept.remove(at);
        if Zone::of_constraints(size, &kept).as_ref() != Some(zone) {
            kept.insert(at, one);
            at += 1;
        }
    }
    kept
}

impl Played {
    fn new(network: &Network, game: &Query, question: &Query, strategy: &Strategy) -> Option<Played> {
        let Query::Control { formulas, must_win } = game else {
            return None;
        };
        let mut rules: FxHashMap<Discrete, Vec<Rule>> = FxHashMap::default();
        for (node, takes) in strategy.winning.iter().zip(&strategy.choices) {
            let bounds: Option<Vec<Bound>> = node.zone.iter().map(|&one| Bound::from_packed(one)).collect();
            let zone = Zone::from_cells(network.dimension(), &bounds?);
            let discrete = Discrete {
                locations: node.locations,
                integers: node.integers,
            };
            rules.entry(discrete).or_default().push(Rule {
                zone,
                rank: node.rank,
                takes: takes.clone().into(),
            });
        }
        rules
            .values_mut()
            .for_each(|rules| rules.sort_by_key(|rule| rule.rank));
        Some(Played {
            rules,
            goal: formulas[0].clone(),
            must_win: *must_win,
            refines: matches!(question, Query::Stay(..)),
            of: FxHashMap::default(),
            parts: FxHashMap::default(),
            refused: None,
        })
    }

    /// A question in which all that rules compare is compared.
    fn compared(&self, question: &Query) -> Query {
        let mut all = question.formulas().to_vec();
        all.push(self.goal.clone());
        let mut known: Vec<(usize, usize, i32)> = Vec::new();
        for (left, right, bound) in self.rules.values().flatten().flat_map(|rule| needed(&rule.zone)) {
            let one = match left {
                0 => (right, 0, -bound.constant()),
                _ => (left, right, bound.constant()),
            };
            if !known.contains(&one) {
                known.push(one);
            }
        }
        all.extend(known.into_iter().map(|(left, right, constant)| Formula::Clock {
            left: ClockName::one(left),
            right: ClockName::one(right),
            comparison: Comparison::Equal,
            bound: Expression::Constant(i64::from(constant)),
        }));
        Query::Reach(Formula::And(all), true)
    }
}

/// Decides a question about what a strategy leaves.
pub(crate) fn decide(
    network: &Network,
    settings: Settings,
    (game, question): (&Query, &Query),
    strategy: &Strategy,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let unknown = |reason: &str| Stop::Unknown(reason.to_owned());
    let played = Played::new(network, game, question, strategy);
    let played = played.ok_or_else(|| unknown("the strategy is not one of a game"))?;
    let mut constants =
        Constants::of(network, &played.compared(question), settings.bounds).map_err(Stop::Unknown)?;
    if question.needs_bisimulation() {
        constants.make_symmetric();
    }
    let mut space = Space::new(network, question, constants);
    space.played = Some(Box::new(played));
    let found = match question {
        Query::Reach(..) => CoverSearch::new(&mut space, settings)
            .reach(budget, counters)
            .map(without_waits),
        Query::Stay(..) => stay::decide(&mut space, settings, budget, counters),
        _ => Err(unknown("questions of this kind are not decided under a strategy")),
    };
    counters.elsewhere = space.len() as u64;
    if let Some(reason) = space.played.and_then(|played| played.refused) {
        return Err(Stop::Unknown(reason));
    }
    Ok(Proof::Under {
        strategy: strategy.clone(),
        proof: Box::new(found?),
    })
}

/// A run in which waits from part to part are delays before the next step.
fn without_waits(proof: Proof) -> Proof {
    let Proof::Run { run } = proof else {
        return proof;
    };
    let mut waited = Rational::ZERO;
    let mut steps = Vec::new();
    for step in run.steps {
        waited += step.delay.0;
        if !step.edges.is_empty() {
            steps.push(Step {
                delay: Time(std::mem::replace(&mut waited, Rational::ZERO)),
                edges: step.edges,
            });
        }
    }
    Proof::Run {
        run: Run {
            first: run.first,
            steps,
            rest: Time(run.rest.0 + waited),
        },
    }
}

impl Space<'_> {
    /// The parts of discrete states in which a run may be, where a strategy is played; otherwise the states themselves.
    pub(crate) fn parts_of_all(&mut self, states: Vec<StateId>) -> Vec<StateId> {
        if self.played.is_none() {
            return states;
        }
        let mut found = Vec::new();
        for state in states {
            found.extend(self.parts_of(state).iter());
        }
        found
    }

    fn parts_of(&mut self, base: StateId) -> Arc<[StateId]> {
        let Some(mut played) = self.played.take() else {
            return Arc::new([base]);
        };
        let found = match played.of.get(&base) {
            Some(known) => Arc::clone(known),
            None => {
                let made = self.make_parts(&mut played, base).unwrap_or_else(|reason| {
                    played.refused = Some(reason);
                    Arc::new([])
                });
                played.of.insert(base, Arc::clone(&made));
                made
            }
        };
        self.played = Some(played);
        found
    }

    fn make_parts(&mut self, played: &mut Played, base: StateId) -> Result<Arc<[StateId]>, String> {
        let dimension = self.network.dimension();
        let info = self.info(base);
        let may_delay = info.may_delay;
        let Some(invariant) = Zone::of_constraints(dimension, info.invariant) else {
            return Ok(Arc::new([]));
        };
        let zones = |conjunctions: &[Vec<Constraint>]| -> Vec<Zone> {
            let zone = |one: &Vec<Constraint>| Zone::of_constraints(dimension, one);
            conjunctions.iter().filter_map(zone).collect()
        };
        let condition = played.refines.then(|| zones(&info.goals[0]));
        let discrete = self.discrete(base);
        let won = (played.goal.satisfying(self.network, &discrete))
            .map_err(|fault| format!("the goal of the game goes wrong: {fault}"))?;
        let won: Vec<Vec<Constraint>> = won.iter().map(|one| crate::space::bounds(one)).collect();
        let ground = Ground {
            invariant: &invariant,
            won: &zones(&won),
            rules: played.rules.get(&discrete).map_or(&[], Vec::as_slice),
            must_win: played.must_win,
            condition: condition.as_deref(),
        };
        let parts = divide(&ground);
        if parts.len() > MOST_PARTS {
            return Err(format!(
                "the strategy divides the clock values of a state into more than {MOST_PARTS} parts"
            ));
        }
        let first = self.len() as StateId;
        for part in &parts {
            self.add_part(base, part);
        }
        let mut waits: Vec<Vec<Wait>> = vec![Vec::new(); parts.len()];
        if may_delay {
            for passage in passages(&parts, &invariant) {
                waits[passage.from].push(Wait {
                    into: constraints_of(dimension, passage.into.cells()),
                    target: first + passage.to as StateId,
                    stays: passage.stays,
                });
            }
        }
        for ((state, part), waits) in (first..).zip(parts).zip(waits) {
            let mode = part.mode;
            played.parts.insert(state, PartState { mode, waits });
        }
        Ok((first..self.len() as StateId).collect())
    }

    /// A part becomes a state.
    fn add_part(&mut self, base: StateId, part: &Part) {
        let dimension = self.network.dimension();
        let info = self.info(base);
        let rest = Rest {
            may_delay: info.may_delay && !matches!(part.mode, Mode::Take(_)),
            rate: info.rate,
            goals: info.goals.to_vec(),
            ..Rest::default()
        };
        let invariant = constraints_of(dimension, part.zone.cells());
        self.add_state(base, Manner { invariant, rest });
    }

    /// The steps that the strategy leaves in a part, and its waits, all or those on which a run stays within the condition; nothing if the state is no part.
    pub(crate) fn steps_of_part(&mut self, state: StateId, staying: bool) -> Option<Arc<[Transition]>> {
        let part = self.played.as_ref()?.parts.get(&state)?;
        let (mode, waits) = (part.mode.clone(), part.waits.clone());
        let base = self.base(state);
        let mut found = Vec::new();
        for transition in self.transitions(base).iter() {
            let edges = self.joint(transition.joint);
            let is_own = self.network.is_controllable(edges);
            let is_left = match &mode {
                Mode::Wait => !is_own,
                Mode::Take(takes) => !is_own || edges == &**takes,
                Mode::Free { .. } | Mode::Keep => true,
            };
            if !is_left {
                continue;
            }
            let Target::State(target) = transition.target else {
                found.push(*transition);
                continue;
            };
            for &target in self.parts_of(target).iter() {
                let modes = &self.played.as_ref()?.parts;
                let is_kept = |one: &PartState| matches!(one.mode, Mode::Keep | Mode::Free { won: true });
                if is_own && mode == Mode::Keep && !modes.get(&target).is_some_and(is_kept) {
                    continue;
                }
                found.push(Transition {
                    target: Target::State(target),
                    ..*transition
                });
            }
        }
        for wait in waits.into_iter().filter(|wait| wait.stays || !staying) {
            found.push(self.silent(wait.into, wait.target, true));
        }
        Some(found.into())
    }
}
