//! The reference: points with rational coordinates, one in each region, walked on and solved by plain value iteration. Nothing of it is shared with engine or checker.

use super::random::{Automaton, Compared, Question};
use std::collections::HashMap;

/// Constants in random automata are at most 3, and clocks are set to 1 at most.
const CAP: i64 = 4;

/// A location with the values of clocks, in multiples of 1 / unit; then the time, where it is bounded, and the pulse, where time must go on.
type Point = (i64, Vec<i64>);

pub struct Reference<'a> {
    automaton: &'a Automaton,
    question: &'a Question,
    unit: i64,
    /// The position of the time and of the pulse among the values.
    time: Option<usize>,
    pulse: Option<usize>,
    /// Whether values are cut above the largest constant.
    cuts: bool,
    numbers: HashMap<Point, u32>,
    points: Vec<Point>,
}

/// The choices of a point: outcomes with their probabilities.
type Rows = Vec<Vec<(u32, f64)>>;

/// With more points a case is left out.
const MOST: usize = 4000;

/// The greatest probability of coming to the goal inside a set, from below.
fn greatest(model: &[Rows], stay: &[bool], goal: &[bool]) -> f64 {
    let mut values: Vec<f64> = goal.iter().map(|goal| f64::from(u8::from(*goal))).collect();
    loop {
        let mut change = 0.0f64;
        for at in (0..values.len()).rev().filter(|&at| stay[at] && !goal[at]) {
            let sum =
                |row: &Vec<(u32, f64)>| row.iter().map(|(to, share)| share * values[*to as usize]).sum();
            let best = model[at].iter().map(sum).fold(0.0, f64::max);
            change = change.max(best - values[at]);
            values[at] = best;
        }
        if change < 1e-12 {
            return values[0];
        }
    }
}

impl<'a> Reference<'a> {
    /// The value of a question; nothing if there are too many points.
    pub fn value(automaton: &'a Automaton, question: &'a Question) -> Option<f64> {
        let mut width = automaton.clocks + 1;
        let mut next = || {
            width += 1;
            width - 1
        };
        let time = question.within.map(|_| next());
        let pulse = question.least.then(&mut next);
        let differs = |one: &Compared| one.other != 0;
        let conditions = automaton.invariants.iter().flatten();
        let guards = automaton.edges.iter().flat_map(|edge| &edge.guard);
        let cuts = !conditions
            .chain(guards)
            .chain(&question.condition)
            .chain(&question.stay)
            .any(differs);
        let mut reference = Reference {
            automaton,
            question,
            unit: 2 * (width as i64 + 2),
            time,
            pulse,
            cuts,
            numbers: HashMap::new(),
            points: Vec::new(),
        };
        reference.number((0, vec![0; width]));
        let mut rows = Vec::new();
        while rows.len() < reference.points.len() {
            if reference.points.len() > MOST {
                return None;
            }
            rows.push(reference.rows(rows.len()));
        }
        let size = rows.len();
        let goal: Vec<bool> = reference
            .points
            .iter()
            .map(|point| reference.is_goal(point))
            .collect();
        let is_kept = |point: &Point| {
            let mut one_of = question.stay.iter();
            question.avoid != Some(point.0)
                && (question.stay.is_empty() || one_of.any(|one| one.holds(&point.1, reference.unit)))
        };
        let stay: Vec<bool> = reference.points.iter().map(is_kept).collect();
        Some(match reference.pulse {
            None => greatest(&rows, &stay, &goal),
            Some(pulse) => {
                // To miss the goal: to come to where neither holds, or to stay for ever while the pulse beats.
                let between: Vec<bool> = stay
                    .iter()
                    .zip(&goal)
                    .map(|(stay, goal)| *stay && !goal)
                    .collect();
                let at = |value: i64| -> Vec<bool> {
                    reference
                        .points
                        .iter()
                        .map(|point| point.1[pulse] == value * reference.unit)
                        .collect()
                };
                let staying = staying(&rows, &between, &at(0), &at(1));
                let missed: Vec<bool> = (0..size)
                    .map(|at| staying[at] || !(stay[at] || goal[at]))
                    .collect();
                1.0 - greatest(&rows, &between, &missed)
            }
        })
    }

    fn number(&mut self, point: Point) -> u32 {
        let next = self.points.len() as u32;
        *self.numbers.entry(point.clone()).or_insert_with(|| {
            self.points.push(point);
            next
        })
    }

    fn is_goal(&self, point: &Point) -> bool {
        let holds = |one: &Compared| one.holds(&point.1, self.unit);
        let in_time = self.time.is_none_or(|at| {
            let (most, strict) = self.question.within.expect("there is a bound on the time");
            point.1[at] < most * self.unit || (!strict && point.1[at] == most * self.unit)
        });
        point.0 == self.question.goal && self.question.condition.iter().all(holds) && in_time
    }

    /// The largest value that counts, beyond which a clock stands still.
    fn cap(&self, clock: usize) -> i64 {
        match (Some(clock) == self.pulse, self.cuts || Some(clock) == self.time) {
            (true, _) => i64::MAX,
            (false, true) => CAP * self.unit,
            (false, false) => i64::MAX,
        }
    }

    /// The point that stands for a region.
    fn standing(&self, mut values: Vec<i64>) -> Vec<i64> {
        let unit = self.unit;
        for (clock, value) in values.iter_mut().enumerate().skip(1) {
            if *value > self.cap(clock) {
                *value = self.cap(clock) + unit;
            }
        }
        let mut parts: Vec<i64> = values[1..]
            .iter()
            .map(|value| value % unit)
            .filter(|part| *part != 0)
            .collect();
        parts.sort_unstable();
        parts.dedup();
        for value in &mut values[1..] {
            if let Some(rank) = parts.iter().position(|part| *part == *value % unit) {
                *value = *value / unit * unit + 2 * (rank as i64 + 1);
            }
        }
        values
    }

    /// The next region, if time can go there.
    fn later(&self, (location, values): &Point) -> Option<Vec<i64>> {
        let growing: Vec<usize> = (1..values.len())
            .filter(|&clock| values[clock] <= self.cap(clock))
            .collect();
        let part = |clock: &usize| values[*clock] % self.unit;
        let most = growing.iter().map(part).max()?;
        let step = match growing.iter().any(|clock| part(clock) == 0) {
            true => 1,
            false => self.unit - most,
        };
        let mut later = values.clone();
        growing.iter().for_each(|&clock| later[clock] += step);
        let allowed = self.automaton.invariants[*location as usize]
            .iter()
            .all(|one| one.holds(&later, self.unit))
            && self.pulse.is_none_or(|pulse| later[pulse] <= self.unit);
        allowed.then(|| self.standing(later))
    }

    fn rows(&mut self, at: usize) -> Rows {
        let point = self.points[at].clone();
        let mut rows = Vec::new();
        // Without cuts nothing is left to find once the time is over.
        let is_over = |at: usize| !self.cuts && point.1[at] > CAP * self.unit;
        if self.time.is_some_and(is_over) {
            return vec![vec![(at as u32, 1.0)]];
        }
        if let Some(later) = self.later(&point) {
            rows.push(vec![(self.number((point.0, later)), 1.0)]);
        }
        if let Some(pulse) = self.pulse.filter(|&pulse| point.1[pulse] == self.unit) {
            let mut values = point.1.clone();
            values[pulse] = 0;
            let values = self.standing(values);
            rows.push(vec![(self.number((point.0, values)), 1.0)]);
        }
        let automaton = self.automaton;
        for edge in automaton.edges.iter().filter(|edge| edge.from == point.0) {
            if !edge.guard.iter().all(|one| one.holds(&point.1, self.unit)) {
                continue;
            }
            let sum: i64 = edge.branches.iter().map(|branch| branch.0).sum();
            let mut targets = Vec::new();
            for (share, to, sets) in &edge.branches {
                let mut values = point.1.clone();
                for &(clock, value) in sets {
                    values[clock] = value * self.unit;
                }
                let target = self.number((*to, self.standing(values)));
                targets.push((target, *share as f64 / sum as f64));
            }
            rows.push(targets);
        }
        if rows.is_empty() {
            rows.push(vec![(at as u32, 1.0)]);
        }
        rows
    }

    /// Whether every state that is entered meets its invariant, and whether nothing stops the time.
    pub fn is_sound(automaton: &'a Automaton) -> (bool, bool) {
        let question = Question {
            least: false,
            avoid: None,
            stay: Vec::new(),
            goal: -1,
            condition: Vec::new(),
            within: None,
        };
        let width = automaton.clocks + 1;
        let mut reference = Reference {
            automaton,
            question: &question,
            unit: 2 * (width as i64 + 2),
            time: None,
            pulse: None,
            cuts: true,
            numbers: HashMap::new(),
            points: Vec::new(),
        };
        reference.number((0, vec![0; width]));
        let (mut entered, mut goes_on) = (true, true);
        let mut at = 0;
        while at < reference.points.len() {
            let rows = reference.rows(at);
            let point = reference.points[at].clone();
            let is_loop = matches!(&rows[..], [only] if matches!(only[..], [(to, _)] if to == at as u32));
            let enabled = |edge: &super::random::Edge| {
                edge.from == point.0 && edge.guard.iter().all(|one| one.holds(&point.1, reference.unit))
            };
            let capped = (1..width).all(|clock| point.1[clock] > reference.cap(clock));
            goes_on &= !is_loop || capped || automaton.edges.iter().any(enabled);
            entered &= automaton.invariants[point.0 as usize]
                .iter()
                .all(|one| one.holds(&point.1, reference.unit));
            at += 1;
        }
        (entered, goes_on)
    }
}

/// The states from which some scheduler almost surely comes to the goal, inside a set until then.
fn surely(model: &[Rows], stay: &[bool], goal: &[bool]) -> Vec<bool> {
    let size = goal.len();
    let mut all: Vec<bool> = (0..size).map(|at| stay[at] || goal[at]).collect();
    loop {
        let mut found = goal.to_vec();
        loop {
            let leads = |at: usize| {
                stay[at]
                    && model[at].iter().any(|row| {
                        row.iter().all(|(to, _)| all[*to as usize])
                            && row.iter().any(|(to, _)| found[*to as usize])
                    })
            };
            let more: Vec<usize> = (0..size).filter(|&at| !found[at] && leads(at)).collect();
            if more.is_empty() {
                break;
            }
            more.into_iter().for_each(|at| found[at] = true);
        }
        if found == all {
            return all;
        }
        all = found;
    }
}

/// The states from which one can almost surely stay in a set and see two others again and again.
fn staying(model: &[Rows], stay: &[bool], first: &[bool], second: &[bool]) -> Vec<bool> {
    let mut all = stay.to_vec();
    let both = |one: &[bool], other: &[bool]| -> Vec<bool> {
        one.iter().zip(other).map(|(a, b)| *a && *b).collect()
    };
    loop {
        let begun = surely(model, stay, &both(&all, first));
        let next = both(&surely(model, stay, &both(&begun, second)), &all);
        if next == all {
            return all;
        }
        all = next;
    }
}
