//! The formula that is true in one state and false in another, for strong, branching and weak bisimulation.
//!
//! Cleaveland (1990) reads such formulas off the splits of partition refinement; here they are read off its levels, after Martens
//! and Groote (2023): if `s` and `t` come apart at level `k`, then one of them, say `s`, has a step that `t` cannot match at level
//! `k - 1`. So `<a>f` separates them, where `f` separates where the step leads to from everything the same action of `t` leads to.
//! The formula has the least possible depth. A shortest one is hard to find (NP-hard); we try all steps while that is cheap, take the
//! shortest, and build conjunctions greedily: conjuncts that exclude nothing new are never made, and those that later ones make
//! superfluous are dropped.
//!
//! For branching bisimulation (Korver 1991) the step may come after hidden steps inside the block of level `k - 1`, and `f <a> g`
//! must hold `t` inside: `f` is false wherever a hidden step of `t` leaves the block.

use super::levels::{Levels, Observation};
use super::truth::Truth;
use super::{drop_superfluous, look};
use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::{HmlGraph, HmlId, HmlNode};
use entail_model::{ActionId, Lts, StateId, TAU, TAU_NAME};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// For this number of pairs of states all separating formulas are compared; for further pairs the first one found is taken.
const THOROUGH: usize = 5_000;

/// Formulas up to this size are compared as texts when they are equally large.
const SMALL: u64 = 40;

pub(crate) struct Separator<'a> {
    lts: &'a Lts,
    levels: &'a Levels,
    observation: Observation,
    budget: &'a Budget,
    pub graph: HmlGraph,
    pub truth: Truth<'a>,
    known: FxHashMap<(StateId, StateId), HmlId>,
    sizes: Vec<u64>,
}

/// A way to tell two states apart: a step, and the hidden steps before it.
struct Way {
    path: Vec<StateId>,
    step: Step,
}

enum Step {
    Action(ActionId, StateId),
    /// Endless hidden steps from the last state of the path on.
    Endless,
}

impl<'a> Separator<'a> {
    pub fn new(
        lts: &'a Lts,
        levels: &'a Levels,
        observation: Observation,
        budget: &'a Budget,
    ) -> Separator<'a> {
        Separator {
            lts,
            levels,
            observation,
            budget,
            graph: HmlGraph::new(),
            truth: Truth::new(lts),
            known: FxHashMap::default(),
            sizes: Vec::new(),
        }
    }

    /// A formula that is true in `s` and false in all of `others`, which are apart from it.
    pub fn exclude(&mut self, s: StateId, others: &[StateId]) -> Result<HmlId, Spent> {
        let mut others: Vec<(Option<u32>, StateId)> = (others.iter())
            .map(|&other| (self.levels.apart(s, other), other))
            .collect();
        others.sort_unstable();
        others.dedup();
        let mut chosen: Vec<HmlId> = Vec::new();
        for &(_, other) in &others {
            self.budget.check()?;
            let excluded = chosen
                .iter()
                .any(|&part| !self.truth.holds(&self.graph, part, other));
            if !excluded {
                chosen.push(self.separate(s, other)?);
            }
        }
        let others: Vec<StateId> = others.into_iter().map(|(_, other)| other).collect();
        drop_superfluous(&self.graph, &mut self.truth, &mut chosen, &others, self.budget)?;
        Ok(self.add(HmlNode::And { of: chosen }))
    }

    /// A formula that is true in `s` and false in `t`, which are apart.
    fn separate(&mut self, s: StateId, t: StateId) -> Result<HmlId, Spent> {
        if let Some(&known) = self.known.get(&(s, t)) {
            return Ok(known);
        }
        if let Some(&known) = self.known.get(&(t, s)) {
            return Ok(self.add(HmlNode::Not { of: known }));
        }
        self.budget.check()?;
        let formula = stacker::maybe_grow(64 << 10, 2 << 20, || match self.levels.apart(s, t) {
            None | Some(0) => {
                let formula = look(&mut self.graph, self.lts, s, t);
                self.measure();
                Ok(formula)
            }
            Some(level) => self.separate_at(level - 1, s, t),
        })?;
        self.known.insert((s, t), formula);
        Ok(formula)
    }

    /// The shortest formula that comes from a step of one that the other cannot match at a level.
    fn separate_at(&mut self, level: u32, s: StateId, t: StateId) -> Result<HmlId, Spent> {
        let thorough = self.known.len() < THOROUGH;
        let mut best: Option<HmlId> = None;
        for (from, other, positive) in [(s, t, true), (t, s, false)] {
            for way in self.ways(level, from, other) {
                if best.is_some() && !thorough {
                    break;
                }
                let mut formula = match self.observation {
                    Observation::Steps => self.after_step(way, other)?,
                    Observation::Branching { .. } => self.after_hidden_steps(level, way, other)?,
                };
                if !positive {
                    formula = self.add(HmlNode::Not { of: formula });
                }
                if best.is_none_or(|best| self.is_shorter(formula, best)) {
                    best = Some(formula);
                }
            }
        }
        Ok(best.unwrap_or_else(|| self.add(HmlNode::True)))
    }

    fn is_shorter(&self, one: HmlId, other: HmlId) -> bool {
        let (size, best) = (self.sizes[one as usize], self.sizes[other as usize]);
        size < best
            || size == best && size <= SMALL && {
                let style = entail_evidence::equivalence::Style::Modal;
                self.graph.extract(one).text(style) < self.graph.extract(other).text(style)
            }
    }

    /// What `s` can do at a level and `t` cannot, each once.
    fn ways(&self, level: u32, s: StateId, t: StateId) -> Vec<Way> {
        let from = self.inside(level, s);
        let other = self.inside(level, t);
        let block = self.levels.block_at(s, level);
        let mut matched: FxHashSet<(ActionId, u32)> = FxHashSet::default();
        let mut diverges = false;
        for &(state, _) in &other {
            for (action, target) in self.lts.steps(state) {
                matched.insert((action, self.levels.block_at(target, level)));
                diverges |= action == TAU && target == state;
            }
        }
        let mut ways = Vec::new();
        for (place, &(state, _)) in from.iter().enumerate() {
            for (action, target) in self.lts.steps(state) {
                let there = self.levels.block_at(target, level);
                let step = match self.observation {
                    Observation::Steps => Step::Action(action, target),
                    Observation::Branching { divergence } if action == TAU && there == block => {
                        if !divergence || diverges || target != state {
                            continue;
                        }
                        diverges = true;
                        ways.push(Way {
                            path: path(&from, place),
                            step: Step::Endless,
                        });
                        continue;
                    }
                    Observation::Branching { .. } => Step::Action(action, target),
                };
                // Different targets in one block may have formulas of different length.
                if !matched.contains(&(action, there)) {
                    ways.push(Way {
                        path: path(&from, place),
                        step,
                    });
                }
            }
        }
        ways
    }

    /// The states that hidden steps inside the block of a level lead to, each with the place of the one before it.
    fn inside(&self, level: u32, start: StateId) -> Vec<(StateId, usize)> {
        let mut reached = vec![(start, 0)];
        if self.observation == Observation::Steps {
            return reached;
        }
        let block = self.levels.block_at(start, level);
        let mut seen = FxHashSet::from_iter([start]);
        let mut place = 0;
        while let Some(&(state, _)) = reached.get(place) {
            for &target in self.lts.successors(state, TAU) {
                if self.levels.block_at(target, level) == block && seen.insert(target) {
                    reached.push((target, place));
                }
            }
            place += 1;
        }
        reached
    }

    fn after_step(&mut self, way: Way, t: StateId) -> Result<HmlId, Spent> {
        let Step::Action(action, target) = way.step else {
            return Ok(self.add(HmlNode::True));
        };
        let then = self.exclude(target, self.lts.successors(t, action))?;
        let action = self.lts.action_name(action).clone();
        Ok(self.add(HmlNode::Some { action, then }))
    }

    fn after_hidden_steps(&mut self, level: u32, way: Way, t: StateId) -> Result<HmlId, Spent> {
        let reached: Vec<StateId> = self
            .inside(level, t)
            .into_iter()
            .map(|(state, _)| state)
            .collect();
        let block = self.levels.block_at(t, level);
        let hidden = reached.iter().flat_map(|&state| self.lts.successors(state, TAU));
        let exits: Vec<StateId> = (hidden.copied())
            .filter(|&target| self.levels.block_at(target, level) != block)
            .collect();
        let step: Option<(Arc<str>, HmlId)> = match way.step {
            Step::Endless => None,
            Step::Action(TAU, target) => {
                let wrong: Vec<StateId> = reached.iter().chain(&exits).copied().collect();
                Some((Arc::from(TAU_NAME), self.exclude(target, &wrong)?))
            }
            Step::Action(action, target) => {
                let wrong = reached
                    .iter()
                    .flat_map(|&state| self.lts.successors(state, action));
                let wrong: Vec<StateId> = wrong.copied().collect();
                Some((
                    self.lts.action_name(action).clone(),
                    self.exclude(target, &wrong)?,
                ))
            }
        };
        let formula = |separator: &mut Self, along: &[HmlId]| {
            let along = separator.add(HmlNode::And { of: along.to_vec() });
            separator.add(match &step {
                None => HmlNode::Forever { along },
                Some((action, then)) => HmlNode::Until {
                    along,
                    action: action.clone(),
                    then: *then,
                },
            })
        };
        // What is true on the way and keeps the other inside: as little as possible.
        let mut along: Vec<HmlId> = Vec::new();
        let mut whole = formula(self, &along);
        for &exit in &exits {
            if !self.truth.holds(&self.graph, whole, t) {
                break;
            }
            if along
                .iter()
                .any(|&part| !self.truth.holds(&self.graph, part, exit))
            {
                continue;
            }
            let mut either: Vec<HmlId> = Vec::new();
            for &state in &way.path {
                if !either
                    .iter()
                    .any(|&part| self.truth.holds(&self.graph, part, state))
                {
                    either.push(self.separate(state, exit)?);
                }
            }
            let neither = either
                .iter()
                .map(|&part| self.add(HmlNode::Not { of: part }))
                .collect();
            let neither = self.add(HmlNode::And { of: neither });
            along.push(self.add(HmlNode::Not { of: neither }));
            whole = formula(self, &along);
        }
        let mut place = 0;
        while place < along.len() {
            let dropped = along.remove(place);
            let without = formula(self, &along);
            if self.truth.holds(&self.graph, without, t) {
                along.insert(place, dropped);
                place += 1;
            } else {
                whole = without;
            }
        }
        Ok(whole)
    }

    /// Adds a node and keeps its size.
    fn add(&mut self, node: HmlNode) -> HmlId {
        let id = self.graph.add(node);
        self.measure();
        id
    }

    fn measure(&mut self) {
        while self.sizes.len() < self.graph.len() {
            let operands = self.graph.node(self.sizes.len() as HmlId).operands();
            let below = operands.into_iter().map(|operand| self.sizes[operand as usize]);
            self.sizes.push(below.fold(1, u64::saturating_add));
        }
    }
}

/// The path to a state that was reached.
fn path(reached: &[(StateId, usize)], mut place: usize) -> Vec<StateId> {
    let mut path = vec![reached[place].0];
    while place != 0 {
        place = reached[place].1;
        path.push(reached[place].0);
    }
    path.reverse();
    path
}
