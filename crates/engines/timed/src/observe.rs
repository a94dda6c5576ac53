//! The product of a network with an automaton that reads its runs: the automaton stands beside the network as one more process, and one of its edges is taken with each step of the others.
//!
//! The automaton reads a state when it is entered, the initial one at the beginning. What it asks of its clocks is asked before the step, and its clocks are set with the step.

use crate::space::{Constraint, Effect, NOWHERE, Space, StateId, Target, Transition, bounds, is_possible};
use entail_clocks::discrete::{ClockConstraint, Discrete, Trouble};
use entail_clocks::{EdgeId, Linear, Network, ObserverEdge, Query, Runs};
use entail_zones::Zone;

impl<'n> Space<'n> {
    /// The question, where it is about single runs.
    pub(crate) fn observing(&self) -> Option<&'n Linear> {
        let query: &'n Query = self.query;
        match query {
            Query::Linear(asked) => Some(asked),
            _ => None,
        }
    }

    /// The edges with which the automaton reads a state, from a location of its own.
    fn readings(
        &self,
        asked: &'n Linear,
        location: usize,
        entered: &Discrete,
    ) -> Result<Vec<&'n ObserverEdge>, Trouble> {
        let letter = letter(self.network, asked, entered)?;
        let state = asked.state(self.network, location);
        let edges = state.map_or(&[][..], |state| &state.edges);
        let suits = |edge: &&ObserverEdge| edge.literals.iter().all(|&(atom, truth)| letter[atom] == truth);
        Ok(edges.iter().filter(suits).collect())
    }

    /// The states in which runs begin, when the automaton has read an initial state.
    pub(crate) fn observed_starts(
        &self,
        asked: &'n Linear,
        start: Discrete,
    ) -> Result<Vec<Discrete>, Trouble> {
        let process = self.network.processes.len() - 1;
        let mut found = Vec::new();
        for edge in self.readings(asked, start.locations[process], &start)? {
            // All clocks are 0.
            if edge.guard.iter().all(|test| test.is_passed(0.cmp(&test.bound))) {
                let mut start = start.clone();
                start.locations[process] = self.network.edges[asked.edge(self.network, edge)].target;
                found.push(start);
            }
        }
        Ok(found)
    }

    /// The steps along a joint edge, one for each way in which the automaton reads where it leads.
    pub(crate) fn observed_steps(
        &mut self,
        discrete: &Discrete,
        (joint, edges): (u32, &[EdgeId]),
        side: &[ClockConstraint],
        found: &mut Vec<Transition>,
    ) {
        let Some(asked) = self.observing() else { return };
        let network = self.network;
        let mut guard = Vec::new();
        let entered = match network.guard(edges, &discrete.integers, &mut guard) {
            Ok(false) => return,
            Ok(true) => network.act(edges, discrete, &mut Vec::new()),
            Err(trouble) => Err(trouble),
        };
        let location = discrete.locations[network.processes.len() - 1];
        let readings = match entered {
            Ok(None) => return,
            Ok(Some(entered)) => self.readings(asked, location, &entered),
            Err(trouble) => Err(trouble),
        };
        match readings {
            // Whoever takes the step finds out what is wrong.
            Err(_) => found.extend(self.step_along(discrete, (joint, edges), side, None)),
            Ok(readings) => {
                for edge in readings {
                    let both = [edges, &[asked.edge(network, edge)]].concat();
                    let joint = self.joint_number(both.clone());
                    found.extend(self.step_along(discrete, (joint, &both), side, None));
                }
            }
        }
    }

    /// For each mark of the automaton: whether a state has it, as what holds there.
    pub(crate) fn marks(&self, asked: &Linear, discrete: &Discrete) -> Vec<Vec<Vec<Constraint>>> {
        let location = discrete.locations[self.network.processes.len() - 1];
        let marks = asked.state(self.network, location).map_or(0, |state| state.marks);
        let mark = |mark: u32| match marks >> mark & 1 {
            1 => vec![Vec::new()],
            _ => Vec::new(),
        };
        (0..asked.observer.marks).map(mark).collect()
    }

    /// Whether a run may end in a state, as far as the automaton is concerned.
    pub(crate) fn may_end(&self, asked: &Linear, discrete: &Discrete) -> Result<bool, Trouble> {
        let location = discrete.locations[self.network.processes.len() - 1];
        let ends = asked
            .state(self.network, location)
            .map_or(&[][..], |state| &state.ends);
        if ends.is_empty() {
            return Ok(false);
        }
        let letter = letter(self.network, asked, discrete)?;
        let holds = |&(atom, truth): &(usize, bool)| letter[atom] == truth;
        Ok(ends.iter().any(|one| one.iter().all(holds)))
    }

    /// The parts of a zone in which a run that is accepted may end.
    pub(crate) fn accepted_ends(&mut self, state: StateId, zone: &Zone) -> Vec<Vec<Constraint>> {
        let Some(asked) = self.observing().filter(|_| self.info(state).may_end) else {
            return Vec::new();
        };
        match asked.runs {
            Runs::Maximal => self.ends(state, zone),
            Runs::Divergent if self.is_endless(state) => vec![Vec::new()],
            Runs::Divergent | Runs::DivergentSteps => Vec::new(),
        }
    }

    /// The steps of the network alone: what is possible does not depend on what the automaton reads.
    pub(crate) fn unobserved_steps(&mut self, state: StateId) -> Vec<Transition> {
        let discrete = self.discrete(state);
        let Ok(joints) = self.network.joints(&discrete) else {
            return Vec::new();
        };
        let along = |joint: entail_clocks::Joint| {
            let number = self.joint_number(joint.edges.clone());
            self.step_along(&discrete, (number, &joint.edges), &joint.side, None)
        };
        joints.into_iter().filter_map(along).collect()
    }

    /// The step along joint edges, with what must hold beside their guards; nothing if their code disables it. If it cannot be taken from a zone, it leads nowhere.
    pub(crate) fn step_along(
        &mut self,
        discrete: &Discrete,
        (joint, edges): (u32, &[EdgeId]),
        side: &[ClockConstraint],
        from: Option<&Zone>,
    ) -> Option<Transition> {
        let mut guard = side.to_vec();
        let (mut updates, mut cost) = (Vec::new(), 0);
        let network = self.network;
        let can_be_taken =
            |guard: &[ClockConstraint]| from.is_none_or(|zone| is_possible(zone, &bounds(guard)));
        let target = match network.guard(edges, &discrete.integers, &mut guard) {
            Ok(false) => return None,
            Err(trouble) => self.fault(trouble),
            Ok(true) => match network.act_at_cost(edges, discrete, &mut updates, &mut cost) {
                Ok(None) => return None,
                Err(trouble) => self.fault(trouble),
                Ok(Some(next)) if !can_be_taken(&guard) => match network.invariant(&next, &mut Vec::new()) {
                    Ok(false) => return None,
                    _ => Target::State(self.known(&next).unwrap_or(NOWHERE)),
                },
                Ok(Some(next)) => match self.number(&next) {
                    Ok(None) => return None,
                    Ok(Some(next)) => Target::State(next),
                    Err(trouble) => self.fault(trouble),
                },
            },
        };
        let effect = Effect {
            guard: bounds(&guard).into(),
            updates: updates.into(),
            waits: false,
            cost,
        };
        Some(Transition {
            joint,
            effect: self.effect_number(effect),
            target,
        })
    }
}

/// The truth of each condition in a state.
fn letter(network: &Network, asked: &Linear, state: &Discrete) -> Result<Vec<bool>, Trouble> {
    let truth = |condition: &entail_clocks::Formula| {
        let cases = condition.satisfying(network, state)?;
        Ok(cases.iter().any(Vec::is_empty))
    };
    asked.conditions.iter().map(truth).collect()
}
