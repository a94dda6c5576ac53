//! Which constants clocks are still compared with: static analysis of guards and actions (Behrmann, Bouyer, Fleury, Larsen 2003; lower and upper constants apart as in 2006).
//!
//! For each location and clock the analysis gives bounds L and U such that (1) a comparison of the clock in the location's invariant or in a guard that leaves it is within them, and
//! (2) along an edge that does not set the clock they do not grow. The constants of a state are, for each clock, the largest over the locations of all processes: another process that
//! sets the clock only makes the bound larger than needed. An update `x := y + d` needs `L(y) ≥ L(x) − d` before it, with the largest L(x) of all processes and locations, since
//! any of them may compare x later. If constants grow without end, as with `x := x − 1` in a loop, there are none: [`Constants::is_plain`].
//!
//! Comparisons of differences `x − y < c` are not preserved by any of the abstractions; they are kept exact: zones are split along each of them (Bengtsson, Yi 2003), and
//! only zones on the same sides are compared. Delays do not change differences; setting x to k turns the comparison into one of y with k − c, so both clocks get constants of at least
//! that size everywhere.

use crate::settings::Bounds;
use entail_clocks::discrete::MOST_CONSTANT;
use entail_clocks::evidence::ClockBounds;
use entail_clocks::{
    ClockName, Comparison, Condition, Direction, Edge, Expression, Network, Query, Statement,
};
use entail_zones::{Bound, LowerUpper};

/// Comparisons of differences beyond this number are refused.
const MOST_DIAGONALS: usize = 64;

/// A comparison of the difference of two clocks with a constant: `left − right` within the bound. The left clock has the smaller number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagonal {
    /// The clock.
    pub left: usize,
    /// The clock that is subtracted.
    pub right: usize,
    /// The bound.
    pub bound: Bound,
}

/// The constants of a network for a query.
#[derive(Clone, Debug)]
pub struct Constants {
    /// By location, then by clock with the reference clock first.
    by_location: Vec<Vec<LowerUpper>>,
    /// Comparisons of differences.
    pub diagonals: Vec<Diagonal>,
    /// There are no constants.
    plain: bool,
}

/// Where the value of a clock may come from when an action has run: a clock (the reference clock for a number) and the least and largest number added; the clock itself with nothing added
/// if it may be left alone.
type Sources = Vec<(usize, i64, i64)>;

struct Analysis<'n> {
    network: &'n Network,
    ranges: Vec<(i64, i64)>,
    constants: Vec<Vec<LowerUpper>>,
    diagonals: Vec<Diagonal>,
    /// For each edge and clock.
    sources: Vec<Vec<Sources>>,
    diverges: bool,
}

impl Constants {
    /// Analyses a network; the error says what is beyond it.
    pub fn of(network: &Network, query: &Query, bounds: Bounds) -> Result<Constants, String> {
        let dimension = network.dimension();
        let zero = LowerUpper { lower: 0, upper: 0 };
        let mut row = vec![LowerUpper::UNUSED; dimension];
        row[0] = zero;
        let mut analysis = Analysis {
            network,
            ranges: network.ranges(),
            constants: vec![row; network.locations.len()],
            diagonals: Vec::new(),
            sources: network
                .edges
                .iter()
                .map(|edge| sources(network, &edge.action))
                .collect(),
            diverges: false,
        };
        analysis.collect(query)?;
        analysis.close_diagonals()?;
        analysis.propagate();
        if bounds == Bounds::Global && !analysis.diverges {
            let all = analysis.largest();
            analysis.constants.fill(all);
        }
        Ok(Constants {
            by_location: analysis.constants,
            diagonals: analysis.diagonals,
            plain: analysis.diverges,
        })
    }

    /// Makes lower and upper constants equal: then simulation is a bisimulation, and also keeps what cannot be done.
    pub fn make_symmetric(&mut self) {
        for constants in self.by_location.iter_mut().flatten() {
            *constants = constants.both();
        }
    }

    /// The largest constant that a clock is compared with.
    pub fn most(&self) -> i32 {
        let all = self.by_location.iter().flatten();
        all.map(|one| one.lower.max(one.upper)).max().unwrap_or(0).max(0)
    }

    /// Whether there are no constants: zones are then compared as sets only, and a search may not end.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// The constants of a state with these locations.
    pub fn at(&self, locations: impl Iterator<Item = usize>) -> Vec<LowerUpper> {
        let mut all: Vec<LowerUpper> = Vec::new();
        for location in locations {
            let row = &self.by_location[location];
            match all.is_empty() {
                true => all.clone_from(row),
                false => (all.iter_mut().zip(row)).for_each(|(one, other)| *one = one.join(*other)),
            }
        }
        all
    }

    /// The constants as evidence holds them.
    pub fn to_evidence(&self) -> Vec<Vec<ClockBounds>> {
        let some = |constant: i32| (constant != LowerUpper::NEVER).then_some(constant);
        let row = |row: &Vec<LowerUpper>| {
            row[1..]
                .iter()
                .map(|one| (some(one.lower), some(one.upper)))
                .collect()
        };
        self.by_location.iter().map(row).collect()
    }
}

impl Analysis<'_> {
    fn collect(&mut self, query: &Query) -> Result<(), String> {
        let network = self.network;
        let has_priorities = network.has_priorities();
        for (number, location) in network.locations.iter().enumerate() {
            for condition in Condition::clock_conditions(&location.invariant) {
                self.note(&in_both_ways(condition, has_priorities), Some(number))?;
            }
        }
        for edge in &network.edges {
            let is_negated = has_priorities || hears_broadcast(network, edge);
            for condition in Condition::clock_conditions(&edge.guard) {
                self.note(&in_both_ways(condition, is_negated), Some(edge.source))?;
            }
        }
        let mut asked = Vec::new();
        for formula in query.formulas() {
            formula.visit_clocks(&mut |left, right, _, bound| {
                // Formulas are negated and split: both sides of the comparison matter, everywhere.
                asked.push(Condition::Clock {
                    left: left.clone(),
                    right: right.clone(),
                    comparison: Comparison::Equal,
                    bound: bound.clone(),
                });
            });
        }
        asked.iter().try_for_each(|condition| self.note(condition, None))
    }

    /// Takes a comparison into account at a location, or everywhere.
    fn note(&mut self, condition: &Condition, location: Option<usize>) -> Result<(), String> {
        let Condition::Clock {
            left,
            right,
            comparison,
            bound,
        } = condition
        else {
            return Ok(());
        };
        let (low, high) = bound.range(&self.ranges);
        if right.candidates().eq(0..1) || left.candidates().eq(0..1) {
            let (clock, comparison, most) = match right.candidates().eq(0..1) {
                true => (left, *comparison, high),
                false => (right, comparison.mirrored(), low.saturating_neg()),
            };
            let most = constant(most.max(0));
            let (lower, upper) = match comparison {
                Comparison::Less | Comparison::LessEqual => (LowerUpper::NEVER, most),
                Comparison::Greater | Comparison::GreaterEqual => (most, LowerUpper::NEVER),
                Comparison::Equal | Comparison::Different => (most, most),
            };
            for clock in clock.candidates() {
                self.raise(location, clock, LowerUpper { lower, upper });
            }
            return Ok(());
        }
        if high - low > MOST_DIAGONALS as i64 {
            return Err(
                "a difference of clocks is compared with a number that has too many values".to_owned(),
            );
        }
        for left in left.candidates() {
            for right in right.candidates().filter(|&right| right != left) {
                for bound in low..=high {
                    let bound = constant(bound);
                    match comparison {
                        Comparison::Less => self.add_diagonal(left, right, Bound::below(bound))?,
                        Comparison::LessEqual => self.add_diagonal(left, right, Bound::at_most(bound))?,
                        Comparison::Greater => self.add_diagonal(right, left, Bound::below(-bound))?,
                        Comparison::GreaterEqual => self.add_diagonal(right, left, Bound::at_most(-bound))?,
                        Comparison::Equal | Comparison::Different => {
                            self.add_diagonal(left, right, Bound::at_most(bound))?;
                            self.add_diagonal(right, left, Bound::at_most(-bound))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn add_diagonal(&mut self, left: usize, right: usize, bound: Bound) -> Result<(), String> {
        let diagonal = match left < right {
            true => Diagonal { left, right, bound },
            false => Diagonal {
                left: right,
                right: left,
                bound: bound.opposite(),
            },
        };
        if !self.diagonals.contains(&diagonal) {
            self.diagonals.push(diagonal);
        }
        match self.diagonals.len() > MOST_DIAGONALS {
            true => Err(format!(
                "more than {MOST_DIAGONALS} comparisons of differences of clocks would have to be tracked"
            )),
            false => Ok(()),
        }
    }

    fn raise(&mut self, location: Option<usize>, clock: usize, constants: LowerUpper) -> bool {
        let mut changed = false;
        let rows = match location {
            Some(location) => &mut self.constants[location..location + 1],
            None => &mut self.constants[..],
        };
        for row in rows {
            let joined = row[clock].join(constants);
            changed |= joined != row[clock];
            row[clock] = joined;
        }
        self.diverges |= constants.lower.max(constants.upper) as i64 >= MOST_CONSTANT;
        changed
    }

    /// Adds what the comparisons of differences become when clocks are set.
    fn close_diagonals(&mut self) -> Result<(), String> {
        let mut at = 0;
        while at < self.diagonals.len() {
            let Diagonal { left, right, bound } = self.diagonals[at];
            let size = i64::from(bound.constant()).abs() + 1;
            for clock in [left, right] {
                let both = constant(size);
                self.raise(
                    None,
                    clock,
                    LowerUpper {
                        lower: both,
                        upper: both,
                    },
                );
            }
            for edge in 0..self.sources.len() {
                for (clock, other, is_left) in [(left, right, true), (right, left, false)] {
                    for (source, low, high) in self.sources[edge][clock].clone() {
                        if source == clock && low == 0 && high == 0 {
                            continue;
                        }
                        if source == 0 {
                            let both = constant(size + low.abs().max(high.abs()));
                            self.raise(
                                None,
                                other,
                                LowerUpper {
                                    lower: both,
                                    upper: both,
                                },
                            );
                            continue;
                        }
                        if high - low > MOST_DIAGONALS as i64 {
                            return Err(
                                "differences of clocks cannot be tracked through these updates".to_owned()
                            );
                        }
                        for offset in (low..=high).filter(|_| source != other) {
                            // left := source + offset turns left − right < c into source − right < c − offset.
                            let shift = Bound::at_most(constant(if is_left { -offset } else { offset }));
                            match is_left {
                                true => self.add_diagonal(source, right, bound.add(shift))?,
                                false => self.add_diagonal(left, source, bound.add(shift))?,
                            }
                        }
                    }
                }
            }
            at += 1;
        }
        Ok(())
    }

    fn largest(&self) -> Vec<LowerUpper> {
        let mut all = vec![LowerUpper::UNUSED; self.network.dimension()];
        for row in &self.constants {
            all.iter_mut()
                .zip(row)
                .for_each(|(one, other)| *one = one.join(*other));
        }
        all
    }

    fn propagate(&mut self) {
        let mut changed = true;
        while changed && !self.diverges {
            changed = false;
            let largest = self.largest();
            for (number, edge) in self.network.edges.iter().enumerate() {
                for (clock, &largest) in largest.iter().enumerate().skip(1) {
                    for position in 0..self.sources[number][clock].len() {
                        let (source, low, high) = self.sources[number][clock][position];
                        if source == clock && low == 0 && high == 0 {
                            let target = self.constants[edge.target][clock];
                            changed |= self.raise(Some(edge.source), clock, target);
                        } else if source != 0 {
                            let less = |number: i32| match number {
                                LowerUpper::NEVER => number,
                                number => constant((i64::from(number) - low).max(0)),
                            };
                            let needed = LowerUpper {
                                lower: less(largest.lower),
                                upper: less(largest.upper),
                            };
                            changed |= self.raise(Some(edge.source), source, needed);
                        }
                    }
                }
            }
        }
    }
}

/// Whether an edge receives over a broadcast channel: senders negate its guard where it stays out.
fn hears_broadcast(network: &Network, edge: &Edge) -> bool {
    edge.signal.as_ref().is_some_and(|signal| {
        let channels = &network.channels[signal.base..signal.base + signal.size];
        signal.direction == Direction::Receive && channels.iter().any(|channel| channel.broadcast)
    })
}

/// A comparison that is negated somewhere matters from below and from above.
fn in_both_ways(condition: Condition, is_negated: bool) -> Condition {
    match (condition, is_negated) {
        (
            Condition::Clock {
                left, right, bound, ..
            },
            true,
        ) => Condition::Clock {
            left,
            right,
            comparison: Comparison::Equal,
            bound,
        },
        (other, _) => other,
    }
}

fn constant(number: i64) -> i32 {
    // Beyond this, exploring refuses the constant before it is used.
    number.clamp(-MOST_CONSTANT, MOST_CONSTANT) as i32
}

/// Where each clock's value may come from when an action has run.
fn sources(network: &Network, action: &[Statement]) -> Vec<Sources> {
    let mut state: Vec<Sources> = (0..network.dimension())
        .map(|clock| vec![(clock, 0, 0)])
        .collect();
    follow(&network.ranges(), action, &mut state);
    state
}

fn follow(ranges: &[(i64, i64)], action: &[Statement], state: &mut Vec<Sources>) {
    for statement in action {
        match statement {
            Statement::Clock {
                target,
                source,
                offset,
                ..
            } => set(ranges, target, source, offset, state),
            Statement::If(_, then, otherwise) => {
                let mut other = state.clone();
                follow(ranges, then, state);
                follow(ranges, otherwise, &mut other);
                join(state, other);
            }
            Statement::While(_, body) => {
                // Either it is not entered, or it is run some times; offsets that keep growing are given up.
                for round in 0.. {
                    let before = state.clone();
                    let mut after = state.clone();
                    follow(ranges, body, &mut after);
                    join(state, after);
                    if *state == before {
                        break;
                    }
                    if round > 8 {
                        for sources in state.iter_mut() {
                            for (_, low, high) in
                                sources.iter_mut().filter(|one| one.1 != one.2 || one.1 != 0)
                            {
                                (*low, *high) = (-MOST_CONSTANT, MOST_CONSTANT);
                            }
                        }
                    }
                    if round > 64 {
                        break;
                    }
                }
            }
            // Functions that set clocks are put in place of their calls by whoever makes networks.
            Statement::Assign { .. }
            | Statement::Clear(..)
            | Statement::Return(_)
            | Statement::Call { .. }
            | Statement::Assert(..)
            | Statement::Cost(..)
            | Statement::Draw { .. } => {}
        }
    }
}

fn set(
    ranges: &[(i64, i64)],
    target: &ClockName,
    source: &ClockName,
    offset: &Expression,
    state: &mut [Sources],
) {
    let (low, high) = offset.range(ranges);
    let clamp = |number: i64| number.clamp(-MOST_CONSTANT, MOST_CONSTANT);
    let mut values: Sources = Vec::new();
    for source in source.candidates() {
        for &(origin, from, to) in &state[source] {
            values.push((origin, clamp(from + clamp(low)), clamp(to + clamp(high))));
        }
    }
    values.sort_unstable();
    values.dedup();
    let targets = target.candidates();
    let is_certain = targets.len() == 1;
    for target in targets {
        match is_certain {
            true => state[target].clone_from(&values),
            false => {
                state[target].extend(values.iter().copied());
                state[target].sort_unstable();
                state[target].dedup();
            }
        }
    }
}

fn join(state: &mut [Sources], other: Vec<Sources>) {
    for (sources, more) in state.iter_mut().zip(other) {
        sources.extend(more);
        sources.sort_unstable();
        sources.dedup();
    }
}
