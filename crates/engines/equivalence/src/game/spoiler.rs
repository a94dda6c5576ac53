//! Spoiler plays by a formula that is true on one side and false on the other: the truth never changes sides, and the formula
//! gets smaller or the goal nearer with every round.

use super::Move;
use crate::formulas::truth::Truth;
use entail_evidence::equivalence::{Hml, HmlGraph, HmlId, HmlNode, Side};
use entail_model::{ActionId, Lts, StateId, TAU, TAU_NAME};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Most answers that are listed.
const MOST_ANSWERS: usize = 1_000;

/// Why Spoiler has won.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Won {
    /// Only the state of this side has the proposition.
    Proposition(Arc<str>, Side),
    /// Only the state of this side can take hidden steps for ever without changing.
    Forever(Side),
    /// Nothing answers the step.
    NoAnswer(Move),
    /// The formula says so, and there is no step that shows it.
    Formula(Side),
}

/// What Spoiler does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It makes a step, and one of these answers it.
    Challenge {
        /// The step.
        step: Move,
        /// What Duplicator can do.
        answers: Vec<Move>,
    },
    /// It has won.
    Won(Won),
}

/// Spoiler with its strategy.
pub struct Spoiler<'a> {
    systems: [&'a Lts; 2],
    truths: [Truth<'a>; 2],
    graph: HmlGraph,
    depths: Vec<u32>,
    formula: HmlId,
    /// Where the formula is true.
    side: Side,
    /// The state of each side.
    at: [StateId; 2],
}

fn index(side: Side) -> usize {
    usize::from(side == Side::Second)
}

impl<'a> Spoiler<'a> {
    /// Spoiler at the beginning: in the initial states that the formula is about. Nothing if it separates none.
    pub fn new(first: &'a Lts, second: &'a Lts, formula: &Hml, side: Side) -> Option<Spoiler<'a>> {
        let mut graph = HmlGraph::new();
        let formula = graph.adopt(formula);
        let mut depths: Vec<u32> = Vec::with_capacity(graph.len());
        for id in 0..graph.len() as HmlId {
            let below = graph
                .node(id)
                .operands()
                .into_iter()
                .map(|operand| depths[operand as usize]);
            depths.push(below.max().map_or(0, |depth| depth + 1));
        }
        let mut spoiler = Spoiler {
            systems: [first, second],
            truths: [Truth::new(first), Truth::new(second)],
            graph,
            depths,
            formula,
            side,
            at: [StateId::new(0); 2],
        };
        let there = spoiler.systems[index(side.other())].initial().first().copied()?;
        let starts = spoiler.systems[index(side)].initial();
        let here = starts
            .iter()
            .copied()
            .find(|&state| spoiler.holds(side, formula, state))?;
        spoiler.at[index(side)] = here;
        spoiler.at[index(side.other())] = there;
        Some(spoiler)
    }

    /// Other initial states of the other side that Duplicator may begin in.
    pub fn begin_in(&mut self, state: StateId) {
        self.at[index(self.side.other())] = state;
    }

    /// The side whose initial state Duplicator chooses.
    pub fn other_side(&self) -> Side {
        self.side.other()
    }

    /// The state of each system.
    pub fn position(&self) -> [StateId; 2] {
        self.at
    }

    fn holds(&mut self, side: Side, formula: HmlId, state: StateId) -> bool {
        self.truths[index(side)].holds(&self.graph, formula, state)
    }

    fn here(&self) -> StateId {
        self.at[index(self.side)]
    }

    fn there(&self) -> StateId {
        self.at[index(self.side.other())]
    }

    /// What Spoiler does in this position.
    pub fn turn(&mut self) -> Turn {
        loop {
            let (side, s, t) = (self.side, self.here(), self.there());
            let node = self.graph.node(self.formula).clone();
            match node {
                HmlNode::True => return Turn::Won(Won::Formula(side)),
                HmlNode::Proposition { name } => return Turn::Won(Won::Proposition(name, side)),
                HmlNode::Not { of } => {
                    self.formula = of;
                    self.side = side.other();
                }
                HmlNode::And { of } => {
                    let wrong = of
                        .iter()
                        .copied()
                        .filter(|&part| !self.holds(side.other(), part, t));
                    let wrong: Vec<HmlId> = wrong.collect();
                    let shortest = wrong.into_iter().min_by_key(|&part| self.depths[part as usize]);
                    self.formula = shortest.unwrap_or(of[0]);
                }
                HmlNode::Some { action, then } => {
                    let step = self.step_to(side, s, &action, then).map(|(action, to)| Move {
                        side,
                        path: vec![s],
                        step: Some((action, to)),
                        rest: None,
                    });
                    let Some(step) = step else {
                        return Turn::Won(Won::Formula(side));
                    };
                    return self.challenge(step, &action);
                }
                HmlNode::Weak { action, then } => {
                    let moves = self.weak_moves(side, s, &action);
                    let end = |step: &Move| step.end();
                    let good = moves.into_iter().find(|step| {
                        end(step)
                            .is_some_and(|state| self.truths[index(side)].holds(&self.graph, then, state))
                    });
                    let Some(step) = good else {
                        return Turn::Won(Won::Formula(side));
                    };
                    return self.challenge(step, &action);
                }
                HmlNode::Until { along, action, then } => {
                    if &*action == TAU_NAME && self.holds(side, then, s) {
                        self.formula = then;
                    } else if !self.holds(side.other(), along, t) {
                        self.formula = along;
                    } else {
                        let Some(step) = self.towards(side, s, along, &action, then) else {
                            return Turn::Won(Won::Formula(side));
                        };
                        let action = match step.step {
                            Some((TAU, _)) => Arc::from(TAU_NAME),
                            _ => action,
                        };
                        return self.challenge(step, &action);
                    }
                }
                HmlNode::Forever { along } => {
                    if self.holds(side.other(), along, t) {
                        return Turn::Won(Won::Forever(side));
                    }
                    self.formula = along;
                }
            }
        }
    }

    fn challenge(&mut self, step: Move, action: &str) -> Turn {
        let other = self.side.other();
        let t = self.there();
        let answers = match self.graph.node(self.formula) {
            HmlNode::Weak { .. } => self.weak_moves(other, t, action),
            HmlNode::Until { .. } => self.branching_moves(other, t, action),
            _ => {
                let lts = self.systems[index(other)];
                let action = number(lts, action);
                let answers = action.map_or(&[][..], |action| lts.successors(t, action));
                (answers.iter().take(MOST_ANSWERS))
                    .map(|&to| Move {
                        side: other,
                        path: vec![t],
                        step: action.map(|action| (action, to)),
                        rest: None,
                    })
                    .collect()
            }
        };
        match answers.is_empty() {
            true => Turn::Won(Won::NoAnswer(step)),
            false => Turn::Challenge { step, answers },
        }
    }

    /// The position after a step of Spoiler and the answer.
    pub fn play(&mut self, step: &Move, answer: &Move) {
        let (formula, at) = self.outcome(step, answer);
        self.formula = formula;
        self.at = at;
    }

    fn outcome(&mut self, step: &Move, answer: &Move) -> (HmlId, [StateId; 2]) {
        let (side, other) = (self.side, self.side.other());
        let mut at = self.at;
        let then = match *self.graph.node(self.formula) {
            HmlNode::Some { then, .. } | HmlNode::Weak { then, .. } => then,
            HmlNode::Until {
                along,
                ref action,
                then,
            } => {
                let hidden = &**action == TAU_NAME;
                let (action, to) = step.step.unwrap_or((TAU, at[index(side)]));
                let on_the_way = answer
                    .path
                    .iter()
                    .copied()
                    .find(|&w| !self.holds(other, along, w));
                if let Some(w) = on_the_way {
                    // Duplicator has left what is true on the way: the step is taken back.
                    at[index(other)] = w;
                    return (along, at);
                }
                match (action == TAU, hidden) {
                    (false, _) => then,
                    (true, true) if self.holds(side, then, to) => then,
                    (true, _) => self.formula,
                }
            }
            _ => self.formula,
        };
        for (side, made) in [(side, step), (other, answer)] {
            if let Some(end) = made.end() {
                at[index(side)] = end;
            }
        }
        (then, at)
    }

    /// The answer after which Spoiler needs longest.
    pub fn best_answer<'m>(&mut self, step: &Move, answers: &'m [Move]) -> Option<&'m Move> {
        let mut best: Option<(u32, &Move)> = None;
        for answer in answers {
            let saved = (self.formula, self.side, self.at);
            self.play(step, answer);
            let depth = self.needed();
            (self.formula, self.side, self.at) = saved;
            if best.is_none_or(|(most, _)| depth > most) {
                best = Some((depth, answer));
            }
        }
        best.map(|(_, answer)| answer)
    }

    /// How deep the part of the formula is that Spoiler will use here.
    fn needed(&mut self) -> u32 {
        let (mut formula, mut side) = (self.formula, self.side);
        loop {
            match self.graph.node(formula).clone() {
                HmlNode::Not { of } => {
                    formula = of;
                    side = side.other();
                }
                HmlNode::And { of } => {
                    let t = self.at[index(side.other())];
                    let wrong: Vec<HmlId> = of
                        .iter()
                        .copied()
                        .filter(|&part| !self.holds(side.other(), part, t))
                        .collect();
                    match wrong.into_iter().min_by_key(|&part| self.depths[part as usize]) {
                        Some(part) => formula = part,
                        None => return self.depths[formula as usize],
                    }
                }
                _ => return self.depths[formula as usize],
            }
        }
    }

    fn step_to(&mut self, side: Side, s: StateId, action: &str, then: HmlId) -> Option<(ActionId, StateId)> {
        let lts = self.systems[index(side)];
        let action = number(lts, action)?;
        let to = (lts.successors(s, action).iter().copied()).find(|&to| self.holds(side, then, to))?;
        Some((action, to))
    }

    /// The next step on a shortest way to a step of this action into `then`, along states with `along`.
    fn towards(&mut self, side: Side, s: StateId, along: HmlId, action: &str, then: HmlId) -> Option<Move> {
        let lts = self.systems[index(side)];
        let mut before: FxHashMap<StateId, StateId> = FxHashMap::default();
        let mut reached = vec![s];
        let mut next = 0;
        while let Some(&state) = reached.get(next) {
            next += 1;
            if !self.holds(side, along, state) {
                continue;
            }
            if let Some((action, to)) = self.step_to(side, state, action, then) {
                // The first step of the way, or the last if there is no other.
                let mut step = (action, to);
                let mut at = state;
                while at != s {
                    step = (TAU, at);
                    at = before[&at];
                }
                return Some(Move {
                    side,
                    path: vec![s],
                    step: Some(step),
                    rest: None,
                });
            }
            for &to in lts.successors(state, TAU) {
                if to != s && !before.contains_key(&to) {
                    before.insert(to, state);
                    reached.push(to);
                }
            }
        }
        None
    }

    /// Hidden steps, then the action; or standing still if that is hidden.
    fn branching_moves(&self, side: Side, t: StateId, action: &str) -> Vec<Move> {
        let lts = self.systems[index(side)];
        let action = number(lts, action);
        let mut moves = Vec::new();
        if action == Some(TAU) {
            moves.push(Move {
                side,
                path: vec![t],
                step: None,
                rest: None,
            });
        }
        let reached = Reached::from(lts, t, MOST_ANSWERS, |_, _| true);
        for (place, last) in reached.states() {
            for &to in action.map_or(&[][..], |action| lts.successors(last, action)) {
                moves.push(Move {
                    side,
                    path: reached.path(place),
                    step: action.map(|action| (action, to)),
                    rest: None,
                });
            }
            if moves.len() >= MOST_ANSWERS {
                break;
            }
        }
        moves
    }

    /// Steps that are not seen, the action, steps that are not seen.
    fn weak_moves(&self, side: Side, t: StateId, action: &str) -> Vec<Move> {
        let lts = self.systems[index(side)];
        let Some(action) = number(lts, action) else {
            return Vec::new();
        };
        let unseen = |from: StateId, to: StateId| lts.colour(from) == lts.colour(to);
        let mut moves = Vec::new();
        let mut ends: FxHashSet<StateId> = FxHashSet::default();
        let reached = Reached::from(lts, t, MOST_ANSWERS, unseen);
        for (place, last) in reached.states() {
            if action == TAU && ends.insert(last) {
                moves.push(Move {
                    side,
                    path: reached.path(place),
                    step: None,
                    rest: None,
                });
            }
            for &to in lts.successors(last, action) {
                for (_, end) in Reached::from(lts, to, MOST_ANSWERS, unseen).states() {
                    if ends.insert(end) {
                        moves.push(Move {
                            side,
                            path: reached.path(place),
                            step: Some((action, to)),
                            rest: (end != to).then_some(end),
                        });
                    }
                }
            }
            if moves.len() >= MOST_ANSWERS {
                break;
            }
        }
        moves
    }
}

/// The number of an action in a system.
pub(super) fn number(lts: &Lts, action: &str) -> Option<ActionId> {
    let place = lts.actions().iter().position(|name| &**name == action)?;
    Some(ActionId::new(place as u32))
}

/// The states that hidden steps of a kind lead to, nearest first, each with the place of the one before it.
pub(super) struct Reached(Vec<(StateId, usize)>);

impl Reached {
    /// What is reached from a state by the steps that are `taken`; at most `most` states.
    pub fn from(lts: &Lts, start: StateId, most: usize, taken: impl Fn(StateId, StateId) -> bool) -> Reached {
        let mut seen = FxHashSet::from_iter([start]);
        let mut reached = vec![(start, 0)];
        let mut place = 0;
        while place < reached.len() && reached.len() < most {
            let from = reached[place].0;
            for &to in lts.successors(from, TAU) {
                if taken(from, to) && seen.insert(to) {
                    reached.push((to, place));
                }
            }
            place += 1;
        }
        Reached(reached)
    }

    pub fn states(&self) -> impl Iterator<Item = (usize, StateId)> + '_ {
        self.0.iter().map(|&(state, _)| state).enumerate()
    }

    /// A shortest path to the state of a place.
    pub fn path(&self, mut place: usize) -> Vec<StateId> {
        let mut path = vec![self.0[place].0];
        while place != 0 {
            place = self.0[place].1;
            path.push(self.0[place].0);
        }
        path.reverse();
        path
    }
}
