//! Which edges of a network move together over channels, and which of them have to wait for others.
//!
//! A sender takes exactly one receiver over a binary channel, and over a broadcast channel one receiving edge of every process that has an enabled one. Whether a receiver is enabled may
//! depend on clocks; then there is one joint edge for each way in which receivers take part, and those that stay out add the negation of their guards. The same holds for priorities:
//! a step waits for every step of a higher priority, so it has the negations of their guards (and of the invariants they lead to) beside its own guard. A negated conjunction is a
//! disjunction; each of its cases is a joint edge of its own, so that guards stay convex.

use crate::discrete::{ClockConstraint, ClockUpdate, Discrete, Trouble, constraints};
use crate::{Direction, EdgeId, Fault, Network};
use entail_source::Span;

/// Cases of one state, at most.
const MOST_CASES: usize = 4096;

/// Edges that move together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joint {
    /// One edge of each process that moves, in the order in which their actions run.
    pub edges: Vec<EdgeId>,
    /// What must hold beside their guards.
    pub side: Vec<ClockConstraint>,
    /// Whether time must not pass while it can be taken.
    pub urgent: bool,
}

/// The cases in which a conjunction is false.
fn negated(conjunction: &[ClockConstraint]) -> Vec<Vec<ClockConstraint>> {
    let opposite = |one: &ClockConstraint| ClockConstraint {
        left: one.right,
        right: one.left,
        bound: -one.bound,
        strict: !one.strict,
    };
    conjunction.iter().map(|one| vec![opposite(one)]).collect()
}

/// Every conjunction of one case of each.
fn conjoined(
    left: Vec<Vec<ClockConstraint>>,
    right: &[Vec<ClockConstraint>],
) -> Result<Vec<Vec<ClockConstraint>>, Fault> {
    if left.len() * right.len() > MOST_CASES {
        return Err(Fault::Cases);
    }
    let with = |one: &Vec<ClockConstraint>| {
        let one = one.clone();
        right
            .iter()
            .map(move |other| [one.as_slice(), other.as_slice()].concat())
    };
    Ok(left.iter().flat_map(with).collect())
}

/// A constraint before updates that holds exactly if it holds after them; nothing if the updates decide it.
fn before(constraint: &ClockConstraint, updates: &[ClockUpdate]) -> Result<ClockConstraint, bool> {
    let mut before = *constraint;
    for update in updates.iter().rev() {
        if before.left == update.target && update.target != 0 {
            before.left = update.source;
            before.bound -= update.offset;
        }
        if before.right == update.target && update.target != 0 {
            before.right = update.source;
            before.bound += update.offset;
        }
    }
    match before.left == before.right {
        true => Err(before.bound > 0 || (before.bound == 0 && !before.strict)),
        false => Ok(before),
    }
}

impl Network {
    /// The joint edges of a state. With channels, only those whose integer guards hold.
    pub fn joints(&self, state: &Discrete) -> Result<Vec<Joint>, Trouble> {
        let found = self.candidates(state)?;
        match self.has_priorities() {
            true => self.by_priority(state, found),
            false => Ok(found),
        }
    }

    /// The joint edges of a state, whatever their priorities.
    fn candidates(&self, state: &Discrete) -> Result<Vec<Joint>, Trouble> {
        let plain = |edges: Vec<EdgeId>| Joint {
            edges,
            side: Vec::new(),
            urgent: false,
        };
        let mut found: Vec<Joint> = (self.joint_edges(&state.locations).into_iter())
            .map(plain)
            .collect();
        if self.channels.is_empty() {
            return Ok(found);
        }
        let mut receivers = Vec::new();
        let mut senders = Vec::new();
        for &location in &state.locations {
            for &edge in &self.locations[location].outgoing {
                let one = &self.edges[edge];
                let Some(signal) = &one.signal else { continue };
                let trouble = |fault| Trouble {
                    fault,
                    span: one.span,
                };
                let mut clocks = Vec::new();
                if !constraints(&one.guard, &state.integers, &mut clocks).map_err(trouble)? {
                    continue;
                }
                let index = match &signal.index {
                    None => 0,
                    Some(index) => index.value(&state.integers).map_err(trouble)?,
                };
                let channel = match usize::try_from(index) {
                    Ok(index) if index < signal.size => signal.base + index,
                    _ => {
                        let size = signal.size;
                        return Err(trouble(Fault::Index { index, size }));
                    }
                };
                match signal.direction {
                    Direction::Send => senders.push((edge, channel)),
                    Direction::Receive => receivers.push((edge, channel, clocks)),
                }
            }
        }
        for (sender, channel) in senders {
            let own = self.edges[sender].process;
            let others = receivers
                .iter()
                .filter(|(receiver, other, _)| *other == channel && self.edges[*receiver].process != own);
            let urgent = self.channels[channel].urgent;
            if !self.channels[channel].broadcast {
                found.extend(others.map(|(receiver, ..)| Joint {
                    edges: vec![sender, *receiver],
                    side: Vec::new(),
                    urgent,
                }));
                continue;
            }
            let mut begun = vec![(vec![sender], Vec::new())];
            for process in 0..self.processes.len() {
                let own: Vec<_> = others
                    .clone()
                    .filter(|(receiver, ..)| self.edges[*receiver].process == process)
                    .collect();
                if own.is_empty() {
                    continue;
                }
                let mut absent = vec![Vec::new()];
                for (receiver, _, clocks) in &own {
                    absent = conjoined(absent, &negated(clocks)).map_err(|fault| Trouble {
                        fault,
                        span: self.edges[*receiver].span,
                    })?;
                }
                let mut longer: Vec<(Vec<EdgeId>, Vec<ClockConstraint>)> = Vec::new();
                for (edges, side) in &begun {
                    for (receiver, ..) in &own {
                        longer.push(([edges.as_slice(), &[*receiver]].concat(), side.clone()));
                    }
                    for case in &absent {
                        longer.push((edges.clone(), [side.as_slice(), case].concat()));
                    }
                    if longer.len() > MOST_CASES {
                        return Err(Trouble {
                            fault: Fault::Cases,
                            span: self.edges[sender].span,
                        });
                    }
                }
                begun = longer;
            }
            found.extend(
                begun
                    .into_iter()
                    .map(|(edges, side)| Joint { edges, side, urgent }),
            );
        }
        if (state.locations.iter()).any(|&location| self.locations[location].committed) {
            let is_committed = |&edge: &EdgeId| self.locations[self.edges[edge].source].committed;
            found.retain(|joint| joint.edges.iter().any(is_committed));
        }
        Ok(found)
    }

    /// The priority of a joint edge: that of its channel, then the highest of its processes.
    fn priority(&self, joint: &Joint, state: &Discrete) -> (i32, i32) {
        let first = &self.edges[joint.edges[0]];
        let channel = first.signal.as_ref().and_then(|signal| {
            let index = signal
                .index
                .as_ref()
                .map_or(Ok(0), |one| one.value(&state.integers));
            self.channels.get(signal.base + index.ok()? as usize)
        });
        let processes = (joint.edges.iter()).map(|&edge| self.processes[self.edges[edge].process].priority);
        (
            channel.map_or(self.default_priority, |channel| channel.priority),
            processes.max().unwrap_or(0),
        )
    }

    fn by_priority(&self, state: &Discrete, all: Vec<Joint>) -> Result<Vec<Joint>, Trouble> {
        let mut found = Vec::new();
        for joint in &all {
            let own = self.priority(joint, state);
            let trouble = |fault| Trouble {
                fault,
                span: self.edges[joint.edges[0]].span,
            };
            let mut cases = vec![Vec::new()];
            for other in &all {
                if self.priority(other, state) <= own {
                    continue;
                }
                if let Some(enabled) = self.enabled(state, other)? {
                    cases = conjoined(cases, &negated(&enabled)).map_err(trouble)?;
                }
                if cases.is_empty() {
                    break;
                }
            }
            found.extend(cases.into_iter().map(|case| Joint {
                edges: joint.edges.clone(),
                side: [joint.side.as_slice(), &case].concat(),
                urgent: joint.urgent,
            }));
        }
        Ok(found)
    }

    /// The clock values from which a joint edge can be taken, as a conjunction; nothing if there are none.
    fn enabled(&self, state: &Discrete, joint: &Joint) -> Result<Option<Vec<ClockConstraint>>, Trouble> {
        let mut all = joint.side.clone();
        if !self.guard(&joint.edges, &state.integers, &mut all)? {
            return Ok(None);
        }
        let mut updates = Vec::new();
        let Some(next) = self.act(&joint.edges, state, &mut updates)? else {
            return Ok(None);
        };
        let mut invariant = Vec::new();
        if !self.invariant(&next, &mut invariant)? {
            return Ok(None);
        }
        for one in &invariant {
            match before(one, &updates) {
                Ok(constraint) => all.push(constraint),
                Err(true) => {}
                Err(false) => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// Whether time may pass in a state.
    pub fn may_delay(&self, state: &Discrete) -> Result<bool, Trouble> {
        let stops = |&location: &usize| {
            let location = &self.locations[location];
            location.committed || location.urgent
        };
        if state.locations.iter().any(stops) {
            return Ok(false);
        }
        if !self.channels.iter().any(|channel| channel.urgent) {
            return Ok(true);
        }
        for joint in self.candidates(state)?.iter().filter(|joint| joint.urgent) {
            if self.guard(&joint.edges, &state.integers, &mut Vec::new())? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What readers tell about code whose place is not known.
impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble {
            fault,
            span: Span::default(),
        }
    }
}
