//! Where a run is to stay within a condition: convex parts of it, and the steps between them.
//!
//! In a discrete state the condition is a union of zones. If it is one zone, that is the only *cell*: while the run stays, it acts as an invariant. Otherwise the clocks in the condition
//! are cut at each constant they are compared with, into points and open intervals, and differences at their bounds; the condition is a union of such cells. Time leads from one cell into
//! another: from a point of some clocks to the interval behind it, or from intervals to the points at their ends. A *wait* is such a passage; it is a transition without a step of the network.
//! In between, the run is in one of both cells, because cells are convex and nothing lies between a point and the interval next to it. So a run that stays within the
//! condition is exactly a run through cells.

use crate::concrete::constraints_of;
use crate::facts::{Manner, Rest};
use crate::space::{Constraint, Effect, Space, StateId, Target, Transition};
use entail_zones::{Bound, Zone};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Cells of one discrete state, at most.
const MOST_CELLS: usize = 512;

/// The cells met so far.
#[derive(Debug, Default)]
pub struct Cells {
    /// The cells of a discrete state, as states.
    of: FxHashMap<StateId, Arc<[StateId]>>,
    /// Comparisons along which cells were cut.
    cuts: Vec<Constraint>,
    /// Why cells of some state could not be made.
    pub refused: Option<String>,
}

impl Cells {
    /// The comparisons along which cells were cut, as evidence holds them.
    pub fn cuts(&self) -> Vec<(usize, usize, i32)> {
        let cut = |&(left, right, bound): &Constraint| (left, right, bound.packed());
        self.cuts.iter().map(cut).collect()
    }
}

/// A cell: where each clock lies among the constants it is compared with (an interval is even, a point odd), on which side of each difference, and its bounds.
struct Cell {
    place: Vec<usize>,
    sides: Vec<bool>,
    zone: Zone,
}

/// Whether time leads from one cell into another without passing through a third.
fn leads_to(one: &Cell, other: &Cell) -> bool {
    if one.sides != other.sides {
        return false;
    }
    let some_point = one.place.iter().any(|place| place % 2 == 1);
    let steps = || one.place.iter().zip(&other.place);
    match some_point {
        true => steps().all(|(here, there)| *there == here + here % 2),
        false => steps().all(|(here, there)| (*here..=here + 1).contains(there)) && one.place != other.place,
    }
}

/// The union of conjunctions without those within others.
fn simplified(dimension: usize, conjunctions: &[Vec<Constraint>]) -> Vec<Zone> {
    let mut found: Vec<Zone> = Vec::new();
    for conjunction in conjunctions {
        let Some(zone) = Zone::of_constraints(dimension, conjunction) else {
            continue;
        };
        let is_within = |one: &Zone, other: &Zone| one.without(other).is_empty();
        if found.iter().any(|other| is_within(&zone, other)) {
            continue;
        }
        found.retain(|other| !is_within(other, &zone));
        found.push(zone);
    }
    found
}

/// Cuts all clock values along the comparisons of these conjunctions, and keeps what lies in the union; nothing if there are too many cells.
fn cut(dimension: usize, conjunctions: &[Vec<Constraint>], cuts: &mut Vec<Constraint>) -> Option<Vec<Cell>> {
    let mut constants: Vec<Vec<i32>> = vec![Vec::new(); dimension];
    let mut differences: Vec<Constraint> = Vec::new();
    for &(left, right, bound) in conjunctions.iter().flatten() {
        match (left, right) {
            (0, clock) => constants[clock].push(-bound.constant()),
            (clock, 0) => constants[clock].push(bound.constant()),
            _ => differences.push((left, right, bound)),
        }
    }
    for one in &mut constants {
        one.retain(|&constant| constant >= 0);
        one.sort_unstable();
        one.dedup();
    }
    differences.sort_unstable();
    differences.dedup();
    for (clock, constants) in constants.iter().enumerate() {
        for &constant in constants {
            cuts.extend([
                (clock, 0, Bound::below(constant)),
                (clock, 0, Bound::at_most(constant)),
            ]);
        }
    }
    cuts.extend(differences.iter().copied());
    cuts.sort_unstable();
    cuts.dedup();
    let mut cells = vec![Cell {
        place: Vec::new(),
        sides: Vec::new(),
        zone: Zone::universal(dimension),
    }];
    for (clock, constants) in constants.iter().enumerate().skip(1) {
        let mut finer = Vec::new();
        for cell in &cells {
            for place in 0..=2 * constants.len() {
                let mut zone = cell.zone.clone();
                // Interval 2i lies between constants i − 1 and i; point 2i + 1 is constant i.
                let (below, above) = match place % 2 {
                    0 => (
                        (place / 2)
                            .checked_sub(1)
                            .map(|before| Bound::below(-constants[before])),
                        constants.get(place / 2).map(|&next| Bound::below(next)),
                    ),
                    _ => (
                        Some(Bound::at_most(-constants[place / 2])),
                        Some(Bound::at_most(constants[place / 2])),
                    ),
                };
                if below.is_none_or(|bound| zone.constrain(0, clock, bound))
                    && above.is_none_or(|bound| zone.constrain(clock, 0, bound))
                {
                    let place = [cell.place.as_slice(), &[place]].concat();
                    finer.push(Cell {
                        place,
                        sides: Vec::new(),
                        zone,
                    });
                }
            }
        }
        cells = finer;
        if cells.len() > MOST_CELLS {
            return None;
        }
    }
    for &(left, right, bound) in &differences {
        let mut finer = Vec::new();
        for cell in cells {
            for side in [true, false] {
                let mut zone = cell.zone.clone();
                let is_left = match side {
                    true => zone.constrain(left, right, bound),
                    false => zone.constrain(right, left, bound.opposite()),
                };
                if is_left {
                    finer.push(Cell {
                        place: cell.place.clone(),
                        sides: [cell.sides.as_slice(), &[side]].concat(),
                        zone,
                    });
                }
            }
        }
        cells = finer;
        if cells.len() > MOST_CELLS {
            return None;
        }
    }
    let zones = simplified(dimension, conjunctions);
    cells.retain(|cell| zones.iter().any(|zone| cell.zone.without(zone).is_empty()));
    Some(cells)
}

impl Space<'_> {
    /// The cells of a discrete state.
    pub fn cells_of(&mut self, base: StateId) -> Arc<[StateId]> {
        if let Some(known) = self.cells.of.get(&base) {
            return Arc::clone(known);
        }
        let dimension = self.network.dimension();
        let conjunctions = self.info(base).goals[0].clone();
        let zones = simplified(dimension, &conjunctions);
        let cells = match zones.len() {
            0 => Vec::new(),
            1 => vec![Cell {
                place: Vec::new(),
                sides: Vec::new(),
                zone: zones[0].clone(),
            }],
            _ => cut(dimension, &conjunctions, &mut self.cells.cuts).unwrap_or_else(|| {
                let reason = format!("the condition has more than {MOST_CELLS} parts in one state");
                self.cells.refused = Some(reason);
                Vec::new()
            }),
        };
        let first = self.len() as StateId;
        for (number, cell) in cells.iter().enumerate() {
            let info = self.info(base);
            let bounds = constraints_of(dimension, cell.zone.cells());
            let is_news = |one: &&Constraint| one.0 != 0 || one.2 != Bound::ZERO;
            let invariant = [
                info.invariant,
                &bounds.iter().filter(is_news).copied().collect::<Vec<_>>(),
            ]
            .concat();
            let later = |(other, next): (usize, &Cell)| {
                let leads = other != number && leads_to(cell, next);
                leads.then_some(first + other as StateId)
            };
            let later: Vec<StateId> = match info.may_delay && cells.len() > 1 {
                true => cells.iter().enumerate().filter_map(later).collect(),
                false => Vec::new(),
            };
            let rest = Rest {
                may_delay: info.may_delay,
                rate: info.rate,
                later,
                ..Rest::default()
            };
            self.add_state(base, Manner { invariant, rest });
        }
        let found: Arc<[StateId]> = (first..first + cells.len() as StateId).collect();
        self.cells.of.insert(base, Arc::clone(&found));
        found
    }

    /// The steps of a cell: those of its state that stay within the condition, and waits.
    pub(crate) fn steps_within(&mut self, cell: StateId) -> Arc<[Transition]> {
        if let Some(found) = self.steps_of_part(cell, false) {
            return found;
        }
        let base = self.base(cell);
        let of_base = match self.steps_of_part(base, true) {
            Some(left) => left,
            None => self.transitions(base),
        };
        let mut found = Vec::new();
        for transition in of_base.iter() {
            match transition.target {
                Target::Fault(_) => found.push(*transition),
                Target::State(target) => {
                    for &target in self.cells_of(target).iter() {
                        found.push(Transition {
                            target: Target::State(target),
                            ..*transition
                        });
                    }
                }
            }
        }
        let later = self.info(cell).later.to_vec();
        for &target in &later {
            found.push(self.silent(Vec::new(), target, true));
        }
        found.into()
    }

    /// The ways in which a run in a discrete state begins to stay within the condition.
    pub fn beginnings(&mut self, base: StateId) -> Vec<Transition> {
        let mut found = Vec::new();
        let conditions = self.info(base).goals.get(1).cloned().unwrap_or_default();
        for guard in conditions {
            for &target in self.cells_of(base).iter() {
                found.push(self.silent(guard.clone(), target, false));
            }
        }
        found
    }

    pub(crate) fn silent(&mut self, guard: Vec<Constraint>, target: StateId, waits: bool) -> Transition {
        let effect = Effect {
            guard: guard.into(),
            updates: Box::new([]),
            waits,
            cost: 0,
        };
        Transition {
            joint: self.joint_number(Vec::new()),
            effect: self.effect_number(effect),
            target: Target::State(target),
        }
    }

    /// Whether time may pass for ever in a state or a cell.
    pub(crate) fn is_endless(&self, state: StateId) -> bool {
        let info = self.info(state);
        let is_upper = |&(left, right, bound): &Constraint| left != 0 && right == 0 && !bound.is_none();
        info.may_delay && !info.invariant.iter().any(is_upper)
    }

    /// The parts of a zone in a cell in which the run may end: it waits there for ever, or no step is possible any more and the time that is left passes in the cell.
    pub fn ends(&mut self, cell: StateId, zone: &Zone) -> Vec<Vec<Constraint>> {
        let info = self.info(cell);
        let (base, may_delay) = (self.base(cell), info.may_delay);
        if self.is_endless(cell) {
            return vec![Vec::new()];
        }
        let mut parts = vec![zone.clone()];
        for able in self.able(base).iter() {
            parts = parts.iter().flat_map(|part| part.without(able)).collect();
            if parts.is_empty() {
                return Vec::new();
            }
        }
        let dimension = self.network.dimension();
        let of = |state: StateId| Zone::of_constraints(dimension, self.info(state).invariant);
        if let (true, Some(whole), Some(own)) = (may_delay, of(base), of(cell)) {
            for mut outside in whole.without(&own) {
                outside.undelay();
                parts = parts.iter().flat_map(|part| part.without(&outside)).collect();
            }
        }
        let constraints = |part: &Zone| constraints_of(dimension, part.cells());
        parts.iter().map(constraints).collect()
    }
}
