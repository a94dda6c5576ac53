//! The discrete part of what a network means: which joint edges a state has, what guards and invariants say, what actions do.
//!
//! A joint edge is an edge of one process whose event is not synchronised in it, or one edge of each partner of a synchronisation. A weak partner takes part exactly if its
//! location has an edge of that event, whatever its guard says. If some process is in a committed location, a joint edge must involve such a process. Guards of all partners
//! are evaluated before the first action runs; actions run in the order of the partners.
//!
//! Clocks are not evaluated here: conditions on them become [`ClockConstraint`]s, assignments [`ClockUpdate`]s, in order, for exact values and for zones alike.

use crate::{Comparison, Condition, EdgeId, Fault, LocationId, Network, OutOfRange, Statement};
use entail_source::Span;

/// Steps of the loops of one action, at most.
const MOST_LOOP_STEPS: u32 = 10_000_000;

/// Constants that clocks are compared with are smaller than this.
pub const MOST_CONSTANT: i64 = 1 << 26;

/// Locations of all processes, and the values of the integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

/// What an action did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ran {
    Through,
    Disabled,
}

struct Run<'a> {
    network: &'a Network,
    /// The integers of the network, then the local ones.
    slots: Vec<i64>,
    updates: &'a mut Vec<ClockUpdate>,
    steps_left: u32,
    span: Span,
}

impl Run<'_> {
    fn list(&mut self, statements: &[Statement]) -> Result<Ran, Fault> {
        for statement in statements {
            match statement {
                Statement::Assign { target, value, span } => {
                    self.span = *span;
                    let slot = target.slot(&self.slots)?;
                    let value = value.value(&self.slots)?;
                    if let Some(one) = self.network.integers.get(slot)
                        && !(one.low..=one.high).contains(&value)
                    {
                        return match self.network.out_of_range {
                            OutOfRange::Disabled => Ok(Ran::Disabled),
                            OutOfRange::Fault => Err(Fault::Range { slot, value }),
                        };
                    }
                    self.slots[slot] = value;
                }
                Statement::Clock {
                    target,
                    source,
                    offset,
                    span,
                } => {
                    self.span = *span;
                    let (target, source) = (target.clock(&self.slots)?, source.clock(&self.slots)?);
                    let offset = offset.value(&self.slots)?;
                    if offset.abs() >= MOST_CONSTANT {
                        return Err(Fault::LargeConstant(offset));
                    }
                    if source == 0 && offset < 0 {
                        return Err(Fault::NegativeClock);
                    }
                    self.updates.push(ClockUpdate {
                        target,
                        source,
                        offset,
                    });
                }
                Statement::If(condition, then, otherwise) => {
                    let chosen = if condition.value(&self.slots)? != 0 {
                        then
                    } else {
                        otherwise
                    };
                    if self.list(chosen)? == Ran::Disabled {
                        return Ok(Ran::Disabled);
                    }
                }
                Statement::While(condition, body) => {
                    while condition.value(&self.slots)? != 0 {
                        self.steps_left = self.steps_left.checked_sub(1).ok_or(Fault::EndlessLoop)?;
                        if self.list(body)? == Ran::Disabled {
                            return Ok(Ran::Disabled);
                        }
                    }
                }
                Statement::Clear(first, count) => self.slots[*first..*first + *count].fill(0),
            }
        }
        Ok(Ran::Through)
    }
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

    /// Whether an event of a process is taken in synchronisations only.
    pub fn is_synchronised(&self, process: usize, event: usize) -> bool {
        let mut partners = self.synchronisations.iter().flat_map(|one| &one.partners);
        partners.any(|partner| partner.process == process && partner.event == event)
    }

    /// The joint edges that leave these locations, in a fixed order.
    pub fn joint_edges(&self, locations: &[LocationId]) -> Vec<Vec<EdgeId>> {
        let edges_of = |process: usize, event: usize| {
            let outgoing = self.locations[locations[process]].outgoing.iter().copied();
            outgoing.filter(move |&edge| self.edges[edge].event == event)
        };
        let mut joint = Vec::new();
        for &location in locations {
            for &edge in &self.locations[location].outgoing {
                if !self.is_synchronised(self.edges[edge].process, self.edges[edge].event) {
                    joint.push(vec![edge]);
                }
            }
        }
        for synchronisation in &self.synchronisations {
            let mut combinations = vec![Vec::new()];
            for partner in &synchronisation.partners {
                let own: Vec<EdgeId> = edges_of(partner.process, partner.event).collect();
                if own.is_empty() && partner.weak {
                    continue;
                }
                let extend = |chosen: &Vec<EdgeId>| {
                    let chosen = chosen.clone();
                    own.clone()
                        .into_iter()
                        .map(move |edge| [chosen.as_slice(), &[edge]].concat())
                };
                combinations = combinations.iter().flat_map(extend).collect();
            }
            joint.extend(combinations.into_iter().filter(|edges| !edges.is_empty()));
        }
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

    /// Whether time may pass in these locations.
    pub fn may_delay(&self, locations: &[LocationId]) -> bool {
        !(locations.iter())
            .any(|&location| self.locations[location].committed || self.locations[location].urgent)
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
        let mut locations = state.locations.clone();
        let mut run = Run {
            network: self,
            slots: state.integers.clone(),
            updates,
            steps_left: MOST_LOOP_STEPS,
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
                Ok(Ran::Through) => {}
                Ok(Ran::Disabled) => return Ok(None),
                Err(fault) => {
                    return Err(Trouble {
                        fault,
                        span: run.span,
                    });
                }
            }
        }
        run.slots.truncate(self.integers.len());
        Ok(Some(Discrete {
            locations,
            integers: run.slots,
        }))
    }
}
