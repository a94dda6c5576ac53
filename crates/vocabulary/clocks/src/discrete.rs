//! The discrete part of what a network means: which joint edges a state has, what guards and invariants say, what actions do.
//!
//! Without channels (for these see `joint`), a joint edge is an edge of one process whose event is not synchronised in it, or one edge of each partner of a synchronisation. A weak partner takes part exactly if its
//! location has an edge of that event, whatever its guard says. If some process is in a committed location, a joint edge must involve such a process. Guards of all partners
//! are evaluated before the first action runs; actions run in the order of the partners.
//!
//! Clocks are not evaluated here: conditions on them become [`ClockConstraint`]s, assignments [`ClockUpdate`]s, in order, for exact values and for zones alike.

use crate::code::{Ending, MOST_LOOP_STEPS, Run, as_cost};
use crate::{Comparison, Condition, EdgeId, Fault, LocationId, Network, Synchroniser};
use entail_source::Span;
use serde::{Deserialize, Serialize};

/// Constants that clocks are compared with are smaller than this.
pub const MOST_CONSTANT: i64 = 1 << 26;

/// Locations of all processes, and the values of the integers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Discrete {
    /// The location of each process.
    pub locations: Vec<LocationId>,
    /// The values of the integers.
    pub integers: Vec<i64>,
}

/// `left − right < bound`, or `≤` where it is not strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClockConstraint {
    /// The clock.
    pub left: usize,
    /// The clock that is subtracted.
    pub right: usize,
    /// The bound.
    pub bound: i64,
    /// Whether equality is excluded.
    pub strict: bool,
}

impl ClockConstraint {
    /// Not about clocks: no step can be taken, now or after any delay; or, negated, some step can. It stands among constraints of conditions on states only.
    pub fn deadlock(wanted: bool) -> ClockConstraint {
        ClockConstraint {
            left: usize::MAX,
            right: usize::MAX,
            bound: 0,
            strict: !wanted,
        }
    }

    /// Whether it is about deadlocks, and whether one is wanted.
    pub fn about_deadlock(&self) -> Option<bool> {
        (self.left == usize::MAX).then_some(!self.strict)
    }
}

/// `target := source + offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClockUpdate {
    /// The clock.
    pub target: usize,
    /// The clock that is copied; the reference clock for a number.
    pub source: usize,
    /// What is added.
    pub offset: i64,
}

/// Code that went wrong, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What went wrong.
    pub fault: Fault,
    /// Where in the text.
    pub span: Span,
}

/// The constraints of conditions in these integers: nothing if an integer conjunct is false.
pub fn constraints(
    conditions: &[Condition],
    integers: &[i64],
    found: &mut Vec<ClockConstraint>,
) -> Result<bool, Fault> {
    for condition in conditions {
        match condition {
            Condition::Integer(expression) => {
                if expression.value(integers)? == 0 {
                    return Ok(false);
                }
            }
            Condition::When(expression, inner) => {
                if expression.value(integers)? != 0 && !constraints(inner, integers, found)? {
                    return Ok(false);
                }
            }
            Condition::Clock {
                left,
                right,
                comparison,
                bound,
            } => {
                let (left, right) = (left.clock(integers)?, right.clock(integers)?);
                let bound = bound.value(integers)?;
                if bound.abs() >= MOST_CONSTANT {
                    return Err(Fault::LargeConstant(bound));
                }
                let mut add = |left, right, bound, strict| {
                    found.push(ClockConstraint {
                        left,
                        right,
                        bound,
                        strict,
                    });
                };
                match comparison {
                    Comparison::Less => add(left, right, bound, true),
                    Comparison::LessEqual => add(left, right, bound, false),
                    Comparison::Greater => add(right, left, -bound, true),
                    Comparison::GreaterEqual => add(right, left, -bound, false),
                    // Readers never make the last kind: the complement of a point is no conjunction.
                    Comparison::Equal | Comparison::Different => {
                        add(left, right, bound, false);
                        add(right, left, -bound, false);
                    }
                }
            }
        }
    }
    Ok(true)
}

impl Network {
    /// The discrete initial states: every choice of initial locations.
    pub fn initial(&self) -> Vec<Discrete> {
        let mut all = vec![Vec::new()];
        for process in &self.processes {
            let extend = |chosen: &Vec<LocationId>| {
                let chosen = chosen.clone();
                process.initial.iter().map(move |&location| {
                    let mut longer = chosen.clone();
                    longer.push(location);
                    longer
                })
            };
            all = all.iter().flat_map(extend).collect();
        }
        let integers: Vec<i64> = self.integers.iter().map(|one| one.initial).collect();
        let state = |locations| Discrete {
            locations,
            integers: integers.clone(),
        };
        match self.processes.is_empty() {
            true => Vec::new(),
            false => all.into_iter().map(state).collect(),
        }
    }

    /// The joint edges that leave these locations and use no channel, in a fixed order.
    pub fn joint_edges(&self, locations: &[LocationId]) -> Vec<Vec<EdgeId>> {
        let offered = |partner: &Synchroniser| {
            let outgoing = self.locations[locations[partner.process]].outgoing.iter();
            let event = partner.event;
            outgoing
                .copied()
                .filter(move |&edge| self.edges[edge].event == event)
        };
        // Edges that are taken in synchronisations only.
        let mut synchronised = Vec::new();
        let mut together = Vec::new();
        for synchronisation in &self.synchronisations {
            let mut is_possible = true;
            for partner in &synchronisation.partners {
                let before = synchronised.len();
                synchronised.extend(offered(partner));
                is_possible &= partner.weak || synchronised.len() > before;
            }
            if !is_possible {
                continue;
            }
            let mut combinations = vec![Vec::new()];
            for partner in &synchronisation.partners {
                let own: Vec<EdgeId> = offered(partner).collect();
                combinations = match own.as_slice() {
                    // It is weak.
                    [] => continue,
                    [one] => {
                        combinations.iter_mut().for_each(|chosen| chosen.push(*one));
                        continue;
                    }
                    several => {
                        let extend = |chosen: &Vec<EdgeId>| {
                            let chosen = chosen.clone();
                            (several.iter()).map(move |edge| [chosen.as_slice(), &[*edge]].concat())
                        };
                        combinations.iter().flat_map(extend).collect()
                    }
                };
            }
            together.extend(combinations.into_iter().filter(|edges| !edges.is_empty()));
        }
        let outgoing = (locations.iter()).flat_map(|&location| &self.locations[location].outgoing);
        let is_alone = |&&edge: &&EdgeId| self.edges[edge].signal.is_none() && !synchronised.contains(&edge);
        let mut joint: Vec<Vec<EdgeId>> = outgoing.filter(is_alone).map(|&edge| vec![edge]).collect();
        joint.append(&mut together);
        if locations
            .iter()
            .any(|&location| self.locations[location].committed)
        {
            joint.retain(|edges| {
                edges
                    .iter()
                    .any(|&edge| self.locations[self.edges[edge].source].committed)
            });
        }
        joint
    }

    /// Whether these locations carry a label.
    pub fn carries(&self, locations: &[LocationId], label: usize) -> bool {
        (locations.iter()).any(|&location| self.locations[location].labels.binary_search(&label).is_ok())
    }

    /// The clock constraints of the invariants of these locations; false if an integer conjunct does not hold.
    pub fn invariant(&self, state: &Discrete, found: &mut Vec<ClockConstraint>) -> Result<bool, Trouble> {
        for &location in &state.locations {
            let location = &self.locations[location];
            let holds =
                constraints(&location.invariant, &state.integers, found).map_err(|fault| Trouble {
                    fault,
                    span: location.span,
                })?;
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The clocks that stand still while time passes in a state: those for which one of its locations says so.
    pub fn stopped(&self, state: &Discrete) -> Result<Vec<usize>, Trouble> {
        let mut found = Vec::new();
        for one in &self.stopwatches {
            let location = &self.locations[one.location];
            if state.locations[location.process] != one.location {
                continue;
            }
            let told = |fault| Trouble {
                fault,
                span: location.span,
            };
            match one.rate.value(&state.integers).map_err(told)? {
                0 => found.push(one.clock.clock(&state.integers).map_err(told)?),
                1 => {}
                rate => return Err(told(Fault::Rate(rate))),
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// What a unit of time costs in a state.
    pub fn rate(&self, state: &Discrete) -> Result<i64, Trouble> {
        let mut sum = 0;
        for &location in &state.locations {
            let location = &self.locations[location];
            if let Some(rate) = &location.rate {
                let amount = rate.value(&state.integers).and_then(as_cost);
                let total = amount.and_then(|amount| as_cost(sum + amount));
                sum = total.map_err(|fault| Trouble {
                    fault,
                    span: location.span,
                })?;
            }
        }
        Ok(sum)
    }

    /// The clock constraints of the guards of a joint edge; false if an integer conjunct does not hold.
    pub fn guard(
        &self,
        joint: &[EdgeId],
        integers: &[i64],
        found: &mut Vec<ClockConstraint>,
    ) -> Result<bool, Trouble> {
        for &edge in joint {
            let edge = &self.edges[edge];
            let holds = constraints(&edge.guard, integers, found).map_err(|fault| Trouble {
                fault,
                span: edge.span,
            })?;
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The discrete state after the actions of a joint edge, with the clock updates in their order; nothing if an action disables the step.
    pub fn act(
        &self,
        joint: &[EdgeId],
        state: &Discrete,
        updates: &mut Vec<ClockUpdate>,
    ) -> Result<Option<Discrete>, Trouble> {
        self.act_at_cost(joint, state, updates, &mut 0)
    }

    /// The same, with what the step costs.
    pub fn act_at_cost(
        &self,
        joint: &[EdgeId],
        state: &Discrete,
        updates: &mut Vec<ClockUpdate>,
        cost: &mut i64,
    ) -> Result<Option<Discrete>, Trouble> {
        let mut locations = state.locations.clone();
        let mut slots = state.integers.clone();
        if !self.act_in_place(joint, &mut locations, &mut slots, updates, cost)? {
            return Ok(None);
        }
        slots.truncate(self.integers.len());
        Ok(Some(Discrete {
            locations,
            integers: slots,
        }))
    }

    /// The same, where the state lies: false if an action disables the step, which then has been taken in part. Behind the integers are local slots, whatever they hold.
    pub fn act_in_place(
        &self,
        joint: &[EdgeId],
        locations: &mut [LocationId],
        slots: &mut Vec<i64>,
        updates: &mut Vec<ClockUpdate>,
        cost: &mut i64,
    ) -> Result<bool, Trouble> {
        let mut steps_left = MOST_LOOP_STEPS;
        let mut run = Run {
            integers: &self.integers,
            out_of_range: self.out_of_range,
            slots,
            updates,
            cost,
            steps_left: &mut steps_left,
            span: Span::default(),
        };
        for &edge in joint {
            let edge = &self.edges[edge];
            locations[edge.process] = edge.target;
            if edge.action.is_empty() {
                continue;
            }
            run.span = edge.span;
            run.slots.truncate(self.integers.len());
            run.slots.resize(self.integers.len() + self.local_slots, 0);
            match run.list(&edge.action) {
                Ok(Ending::Through | Ending::Returned(_)) => {}
                Ok(Ending::Disabled) => return Ok(false),
                Err(fault) => {
                    return Err(Trouble {
                        fault,
                        span: run.span,
                    });
                }
            }
        }
        Ok(true)
    }
}
