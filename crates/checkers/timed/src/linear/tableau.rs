//! The automaton of the runs that violate a formula.
//!
//! The negated formula is pushed down to literals, `&`, `|`, `X`, `U` and `R`. A state is a set of formulas that must be true from the next position on; an edge is one way to make all of them true there (Gerth, Peled, Vardi, Wolper 1995; marks as in Couvreur
//! 1999: a `U` has one, which is met wherever it is not put off). An operator with an interval is not put into the set but has a *mode* of its own, with clocks that say when it was asked for (`interval`); it is looked at after everything
//! that can ask for it, that is, larger formulas come first.
//!
//! Marks are put on the states that edges lead to. Time diverges if, again and again, at least one unit has passed since a clock was set to 0 last; then it is set again, and that is a mark as well.

use super::interval::{Mode, Timing};
use entail_clocks::{
    ClockTest, Interval, Linear, Literals, Observer, ObserverEdge, ObserverState, Runs, Temporal,
};
use std::collections::{BTreeMap, BTreeSet};

/// States of an automaton, ways to make a state true, and parts of a formula, at most.
const MOST_STATES: usize = 2_000;
const MOST_WORK: usize = 200_000;
const MOST_PARTS: usize = 500;
/// Clocks of an automaton, at most.
const MOST_CLOCKS: usize = 12;

/// Position of a part of the formula.
pub(super) type Part = usize;

/// A part of the formula; operands come before it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Constant(bool),
    Literal(usize, bool),
    And(Vec<Part>),
    Or(Vec<Part>),
    Next(Part),
    Until(Part, Part),
    Release(Part, Part),
    /// An operator with an interval, by number.
    Timed(usize),
}

/// An operator with an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TimedPart {
    part: Part,
    left: Part,
    right: Part,
    timing: Timing,
    /// The first of its clocks.
    clock: usize,
}

/// What is still to be made true, and what was chosen so far.
#[derive(Clone)]
struct Choice {
    todo: Vec<Part>,
    done: BTreeSet<Part>,
    /// The operators with intervals that are asked for here, and those that were looked at.
    asked: BTreeSet<usize>,
    settled: usize,
    way: Way,
}

/// One way to make a state true.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Way {
    literals: BTreeMap<usize, bool>,
    next: BTreeSet<Part>,
    put_off: BTreeSet<Part>,
    guard: BTreeSet<ClockTest>,
    resets: BTreeSet<usize>,
    modes: Vec<Mode>,
}

impl Way {
    /// Whether it asks for no more than another.
    fn is_easier(&self, other: &Way) -> bool {
        self.modes == other.modes
            && self.resets == other.resets
            && self.guard.is_subset(&other.guard)
            && self.next.is_subset(&other.next)
            && self.put_off.is_subset(&other.put_off)
            && (self.literals.iter()).all(|(atom, truth)| other.literals.get(atom) == Some(truth))
    }
}

/// The formulas that must be true from the next position on, and the modes of those with intervals.
type Wanted = (BTreeSet<Part>, Vec<Mode>);

#[derive(Default)]
struct Tableau {
    parts: Vec<Operator>,
    numbers: BTreeMap<Operator, Part>,
    timed: Vec<TimedPart>,
    clocks: usize,
}

/// Why an interval cannot be asked for anywhere; nothing if it can.
pub fn refused(interval: &Interval) -> Option<&'static str> {
    let ((least, has_least), (most, has_most)) = (interval.least, interval.most?);
    let is_empty = most < least || (most == least && !(has_least && has_most));
    is_empty.then_some("the interval is empty")
}

/// Why an interval cannot be asked for at many positions.
fn too_narrow(interval: &Interval) -> String {
    let is_moment = interval.most.is_some_and(|(most, _)| most == interval.least.0);
    let what = match is_moment {
        true => "an interval of a single moment that counts at many positions is not decidable in MITL",
        false => {
            "an interval is too narrow: where it counts at many positions, one that begins after 0 must be at least a fifth as long as its end behind `F` and `U`, and half as long behind `G` and `R` (the other way round where they are negated)"
        }
    };
    what.to_owned()
}

/// The automaton of the runs on which a formula is false.
pub fn violations(formula: &Temporal, runs: Runs) -> Result<Observer, String> {
    let mut tableau = Tableau::default();
    let whole = tableau.part_of(formula, false, true)?;
    if tableau.parts.len() > MOST_PARTS || tableau.clocks > MOST_CLOCKS {
        return Err("the formula has too many parts".to_owned());
    }
    // A mark for each operator that can be put off, and one for time.
    let promises: Vec<Part> = (0..tableau.parts.len())
        .filter(|&part| tableau.is_promise(part))
        .collect();
    let time = (runs != Runs::Maximal).then_some(tableau.clocks);
    let marks = promises.len() + usize::from(time.is_some());
    if marks > 63 {
        return Err("the formula has too many temporal operators".to_owned());
    }
    let idle = vec![Mode::default(); tableau.timed.len()];
    let mut numbers: BTreeMap<(Wanted, u64), usize> = BTreeMap::new();
    let mut waiting: Vec<(Wanted, u64)> = vec![((BTreeSet::from([whole]), idle), 0)];
    numbers.insert(waiting[0].clone(), 0);
    let mut observer = Observer {
        states: Vec::new(),
        clocks: tableau.clocks + usize::from(time.is_some()),
        marks: marks as u32,
        edges: 0,
    };
    let mut work = 0;
    while let Some((wanted, own)) = waiting.get(observer.states.len()).cloned() {
        let mut edges = Vec::new();
        for way in tableau.ways(&wanted, &mut work)? {
            let met = (promises.iter().enumerate()).filter(|(_, promise)| !way.put_off.contains(promise));
            let met = met.fold(0, |marks, (mark, _)| marks | 1 << mark);
            for (guard, resets, marks) in passing(time, &way, met, promises.len()) {
                let key = ((way.next.clone(), way.modes.clone()), marks);
                let fresh = numbers.len();
                let target = *numbers.entry(key.clone()).or_insert(fresh);
                if target == fresh {
                    waiting.push(key);
                }
                edges.push(ObserverEdge {
                    number: observer.edges,
                    literals: way.literals.iter().map(|(&atom, &truth)| (atom, truth)).collect(),
                    guard,
                    resets,
                    target,
                });
                observer.edges += 1;
            }
        }
        if numbers.len() > MOST_STATES {
            return Err("the automaton of the formula is too large".to_owned());
        }
        observer.states.push(ObserverState {
            edges,
            marks: own,
            ends: tableau.ends(&wanted),
        });
    }
    Ok(observer)
}

/// Whether an automaton is the one that a question needs.
pub fn is_observer_of(asked: &Linear) -> bool {
    violations(&asked.formula, asked.runs).is_ok_and(|observer| observer == asked.observer)
}

/// A guard, the clocks that are set, and the marks that are met.
type Passing = (Vec<ClockTest>, Vec<usize>, u64);

/// The ways in which time has passed: with a clock for it, less than a unit or at least one.
fn passing(time: Option<usize>, way: &Way, met: u64, mark: usize) -> Vec<Passing> {
    let guard: Vec<ClockTest> = way.guard.iter().copied().collect();
    let resets: Vec<usize> = way.resets.iter().copied().collect();
    let Some(clock) = time else {
        return vec![(guard, resets, met)];
    };
    let test = |from_below: bool| ClockTest {
        clock,
        from_below,
        bound: 1,
        strict: !from_below,
    };
    let with = |test: ClockTest| [guard.as_slice(), &[test]].concat();
    vec![
        (with(test(false)), resets.clone(), met),
        (
            with(test(true)),
            [resets.as_slice(), &[clock]].concat(),
            met | 1 << mark,
        ),
    ]
}

impl Tableau {
    fn part(&mut self, operator: Operator) -> Part {
        let fresh = self.parts.len();
        let part = *self.numbers.entry(operator.clone()).or_insert(fresh);
        if part == fresh {
            self.parts.push(operator);
        }
        part
    }

    /// The formula itself, if `truth`, or its negation. With `once`, it is asked for at one position at most: so is the whole, and what an until of this kind leads to.
    fn part_of(&mut self, formula: &Temporal, truth: bool, once: bool) -> Result<Part, String> {
        if self.parts.len() > MOST_PARTS {
            return Err("the formula has too many parts".to_owned());
        }
        Ok(match formula {
            Temporal::Constant(value) => self.part(Operator::Constant(*value == truth)),
            Temporal::Condition(atom) => self.part(Operator::Literal(*atom, truth)),
            Temporal::Not(inner) => self.part_of(inner, !truth, once)?,
            Temporal::And(all) | Temporal::Or(all) => {
                let parts = all.iter().map(|one| self.part_of(one, truth, once));
                let parts = parts.collect::<Result<Vec<Part>, String>>()?;
                match matches!(formula, Temporal::And(_)) == truth {
                    true => self.part(Operator::And(parts)),
                    false => self.part(Operator::Or(parts)),
                }
            }
            Temporal::Next(inner) => {
                let inner = self.part_of(inner, truth, once)?;
                self.part(Operator::Next(inner))
            }
            Temporal::Until(from, to, interval) => {
                let is_always = interval.least == (0, true) && interval.most.is_none();
                let timing = match (is_always, once) {
                    (true, _) => None,
                    (false, true) => Timing::once(interval, truth),
                    (false, false) => Timing::of(interval, truth),
                };
                // An until asks for its right operand at one position, its dual for its left one.
                let once = once && timing.as_ref().is_none_or(Timing::passes_on_once);
                let left = self.part_of(from, truth, once && !truth)?;
                let right = self.part_of(to, truth, once && truth)?;
                if is_always {
                    return Ok(self.part(match truth {
                        true => Operator::Until(left, right),
                        false => Operator::Release(left, right),
                    }));
                }
                if let Some(reason) = refused(interval) {
                    return Err(reason.to_owned());
                }
                let timing = timing.ok_or_else(|| too_narrow(interval))?;
                self.timed_part(left, right, timing)
            }
        })
    }

    /// An operator with an interval; the same operator over the same operands is one.
    fn timed_part(&mut self, left: Part, right: Part, timing: Timing) -> Part {
        // One that is asked for once stands for itself only.
        let is_it = |one: &&TimedPart| {
            !timing.is_once() && one.left == left && one.right == right && one.timing == timing
        };
        if let Some(known) = self.timed.iter().find(is_it) {
            return known.part;
        }
        let number = self.timed.len();
        let part = self.part(Operator::Timed(number));
        let clock = self.clocks;
        self.clocks += timing.clocks();
        self.timed.push(TimedPart {
            part,
            left,
            right,
            timing,
            clock,
        });
        part
    }

    /// Whether a part can be put off, and must not be for ever.
    fn is_promise(&self, part: Part) -> bool {
        match &self.parts[part] {
            Operator::Until(..) => true,
            Operator::Timed(number) => self.timed[*number].timing.is_until(),
            _ => false,
        }
    }

    /// All ways to make a state true, but those that ask for more than another.
    fn ways(&self, wanted: &Wanted, work: &mut usize) -> Result<Vec<Way>, String> {
        let mut found: Vec<Way> = Vec::new();
        let mut pending = vec![Choice {
            todo: wanted.0.iter().copied().collect(),
            done: BTreeSet::new(),
            asked: BTreeSet::new(),
            settled: self.timed.len(),
            way: Way {
                modes: wanted.1.clone(),
                ..Way::default()
            },
        }];
        while let Some(mut choice) = pending.pop() {
            *work += 1;
            if *work > MOST_WORK {
                return Err("the automaton of the formula is too large".to_owned());
            }
            match choice.todo.pop() {
                Some(part) => self.take(part, choice, &mut pending),
                // Parts are numbered from the smallest on, and so are those with intervals: nothing that is left can ask for one that was settled.
                None if choice.settled > 0 => {
                    let number = choice.settled - 1;
                    let is_pending = choice.way.modes[number] != Mode::default();
                    if self.timed[number].timing.is_once() && is_pending && choice.asked.contains(&number) {
                        return Err("an interval that counts at one position was asked for at two".to_owned());
                    }
                    self.settle(choice, &mut pending);
                }
                None => {
                    let way = choice.way;
                    if !found.iter().any(|other| other.is_easier(&way)) {
                        found.retain(|other| !way.is_easier(other));
                        found.push(way);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Makes a part true.
    fn take(&self, part: Part, mut choice: Choice, pending: &mut Vec<Choice>) {
        if !choice.done.insert(part) {
            return pending.push(choice);
        }
        match &self.parts[part] {
            Operator::Constant(false) => return,
            Operator::Constant(true) => {}
            Operator::Literal(atom, truth) => {
                if *choice.way.literals.entry(*atom).or_insert(*truth) != *truth {
                    return;
                }
            }
            Operator::And(parts) => choice.todo.extend(parts),
            Operator::Or(parts) => {
                for &chosen in parts {
                    let mut other = choice.clone();
                    other.todo.push(chosen);
                    pending.push(other);
                }
                return;
            }
            Operator::Next(operand) => self.demand(*operand, &mut choice.way.next),
            Operator::Until(left, right) => {
                let mut now = choice.clone();
                now.todo.push(*right);
                pending.push(now);
                choice.todo.push(*left);
                choice.way.next.insert(part);
                choice.way.put_off.insert(part);
            }
            Operator::Release(left, right) => {
                choice.todo.push(*right);
                let mut now = choice.clone();
                now.todo.push(*left);
                pending.push(now);
                choice.way.next.insert(part);
            }
            Operator::Timed(number) => {
                choice.asked.insert(*number);
            }
        }
        pending.push(choice);
    }

    /// Looks at the next operator with an interval.
    fn settle(&self, mut choice: Choice, pending: &mut Vec<Choice>) {
        choice.settled -= 1;
        let number = choice.settled;
        let one = &self.timed[number];
        let (mode, asked) = (choice.way.modes[number], choice.asked.contains(&number));
        for step in one.timing.steps(mode, asked) {
            let mut next = choice.clone();
            if step.left {
                next.todo.push(one.left);
            }
            if step.right {
                next.todo.push(one.right);
            }
            let tests = step.guard.iter().map(|test| ClockTest {
                clock: test.clock + one.clock,
                ..*test
            });
            next.way.guard.extend(tests);
            (next.way.resets).extend(step.resets.iter().map(|clock| clock + one.clock));
            next.way.modes[number] = step.next;
            if step.put_off {
                next.way.put_off.insert(one.part);
            }
            pending.push(next);
        }
    }

    /// Adds a formula to what must be true next; the parts of a conjunction by themselves, so that equal demands are equal sets.
    fn demand(&self, part: Part, next: &mut BTreeSet<Part>) {
        match &self.parts[part] {
            Operator::Constant(true) => {}
            Operator::And(parts) => parts.iter().for_each(|&part| self.demand(part, next)),
            _ => {
                next.insert(part);
            }
        }
    }

    /// What must hold in the last state of a run for it to end here: as if the state came again and again at the moment at which it was entered.
    fn ends(&self, wanted: &Wanted) -> Vec<Literals> {
        let waits = |(one, mode): (&TimedPart, &Mode)| one.timing.is_until() && *mode != Mode::default();
        if self.timed.iter().zip(&wanted.1).any(waits) {
            return Vec::new();
        }
        let all = wanted.0.iter().map(|&part| self.for_ever(part));
        let joined = all.fold(vec![BTreeMap::new()], |left, right| conjoined(&left, &right));
        joined.into_iter().map(|one| one.into_iter().collect()).collect()
    }

    /// What makes a part true on a state that comes again and again at one moment: one of these.
    fn for_ever(&self, part: Part) -> Vec<BTreeMap<usize, bool>> {
        match &self.parts[part] {
            Operator::Constant(false) => Vec::new(),
            Operator::Constant(true) => vec![BTreeMap::new()],
            Operator::Literal(atom, truth) => vec![BTreeMap::from([(*atom, *truth)])],
            Operator::And(parts) => {
                let parts = parts.iter().map(|&part| self.for_ever(part));
                parts.fold(vec![BTreeMap::new()], |left, right| conjoined(&left, &right))
            }
            Operator::Or(parts) => parts.iter().flat_map(|&part| self.for_ever(part)).collect(),
            Operator::Next(inner) => self.for_ever(*inner),
            Operator::Until(_, right) | Operator::Release(_, right) => self.for_ever(*right),
            Operator::Timed(number) => {
                let one = &self.timed[*number];
                match (one.timing.is_now(), one.timing.is_until()) {
                    (true, _) => self.for_ever(one.right),
                    (false, true) => Vec::new(),
                    (false, false) => vec![BTreeMap::new()],
                }
            }
        }
    }
}

/// Each conjunction of one of both.
fn conjoined(left: &[BTreeMap<usize, bool>], right: &[BTreeMap<usize, bool>]) -> Vec<BTreeMap<usize, bool>> {
    let mut found: Vec<BTreeMap<usize, bool>> = Vec::new();
    for (one, other) in left
        .iter()
        .flat_map(|one| right.iter().map(move |other| (one, other)))
    {
        let agrees = (other.iter()).all(|(atom, truth)| one.get(atom).is_none_or(|known| known == truth));
        let both: BTreeMap<usize, bool> = one
            .iter()
            .chain(other)
            .map(|(&atom, &truth)| (atom, truth))
            .collect();
        if agrees && !found.contains(&both) {
            found.push(both);
        }
    }
    found
}
