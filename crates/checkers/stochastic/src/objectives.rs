//! Several objectives: schedulers that reach points, and weights for which nothing lies beyond.
//!
//! The joint process (the model, the certificate's automata once they are known to mean the formulas, a count of steps) is built again. A scheduler that
//! counts earns finitely much, so that almost surely it ends in an end component in which nothing is earned any more for any objective; call these
//! *quiet*. There it fulfils the formulas that some end component inside fulfils together.
//!
//! A scheduler's values are right if they satisfy its equations and it ends almost surely: these have one solution. Values `u` bound the weighted sums of
//! all schedulers if no choice exceeds them, `u ≥ w·r + Σ p u`, and in quiet components they are at least what can be fulfilled: what has been earned
//! plus `u` does not rise on the average along any run, and in the end it is at least all that is earned and won. Choices after which a scheduler
//! may fail to end are not taken by those that count.

use crate::check::{Evaluation, Known, NotConfirmed};
use crate::components::end_components;
use crate::fronts;
use crate::graph;
use crate::joint;
use crate::product::Reading;
use entail_markov::{
    Achievements, Bracket, Comparison, Decision, Explicit, Facet, JointScheduler, Observer, Optimum, Path,
    Property, Query, Rational, RewardKind, Row, naive,
};
use std::collections::HashMap;

/// The joint process has at most so many states.
const MOST_STATES: usize = 500_000;

/// What is made large.
enum Gain {
    /// The probability that this automaton accepts.
    Accepted(usize),
    /// A reward, within so many steps, times a sign.
    Earned(usize, Option<u64>, Rational),
}

/// An objective that is to be large: its value is `start + sign · asked`.
struct Objective {
    gain: Gain,
    start: Rational,
    sign: Rational,
    /// At least this, or more than it.
    bound: Option<(Rational, bool)>,
}

impl Objective {
    /// The value as it is asked for.
    fn asked(&self, value: &Rational) -> Rational {
        (value - &self.start) * &self.sign
    }
}

/// The joint process.
pub(crate) struct Process {
    objectives: Vec<Objective>,
    pub model: Explicit,
    /// What each row earns for each objective.
    earned: Vec<Vec<Vec<Rational>>>,
    /// Which sets of automata can be fulfilled together by staying for ever; nothing outside of quiet components.
    won: Vec<Option<Vec<u32>>>,
    /// From here some scheduler ends almost surely.
    ends: Vec<bool>,
}

fn wrong<T>(what: &str) -> Result<T, NotConfirmed> {
    Err(NotConfirmed::Wrong(what.to_owned()))
}

fn unchecked<T>(what: &str) -> Result<T, NotConfirmed> {
    Err(NotConfirmed::Unchecked(what.to_owned()))
}

fn product(a: &[Rational], b: &[Rational]) -> Rational {
    a.iter()
        .zip(b)
        .map(|(a, b)| a * b)
        .fold(Rational::ZERO, |sum, term| sum + term)
}

impl Process {
    /// Points with the values that are asked for.
    fn asked(&self, points: &[Vec<Rational>]) -> Vec<Vec<Rational>> {
        let asked = |point: &Vec<Rational>| {
            let values = self.objectives.iter().zip(point);
            values.map(|(objective, value)| objective.asked(value)).collect()
        };
        points.iter().map(asked).collect()
    }

    /// What staying with a set of automata is worth for each objective.
    fn prize(&self, set: u32) -> Vec<Rational> {
        let prize = |objective: &Objective| match objective.gain {
            Gain::Accepted(at) => Rational::from(set >> at & 1),
            Gain::Earned(..) => Rational::ZERO,
        };
        self.objectives.iter().map(prize).collect()
    }

    /// What a scheduler reaches for each objective, once its values are known to be right.
    fn point(&self, scheduler: &JointScheduler) -> Result<Vec<Rational>, NotConfirmed> {
        let size = self.model.rows.len();
        let shape = scheduler.decisions.len() == size
            && scheduler.values.len() == self.objectives.len()
            && scheduler.values.iter().all(|values| values.0.len() == size);
        if !shape || scheduler.decisions[0].is_none() {
            return wrong("a scheduler for another process");
        }
        let values = |state: usize| -> Vec<Rational> {
            scheduler
                .values
                .iter()
                .map(|values| values.0[state].clone())
                .collect()
        };
        let mut ending = vec![false; size];
        for (state, decision) in scheduler.decisions.iter().enumerate() {
            let expected = match *decision {
                None => continue,
                Some(Decision::Stay(set)) => {
                    let sets = self.won[state].as_deref().unwrap_or(&[]);
                    if !sets.iter().any(|known| known & set == set) {
                        return wrong("a scheduler stays where formulas are not fulfilled");
                    }
                    ending[state] = true;
                    self.prize(set)
                }
                Some(Decision::Take(choice)) => {
                    let Some(row) = self.model.rows[state].get(choice as usize) else {
                        return wrong("a scheduler takes a choice that is not there");
                    };
                    let mut sum = self.earned[state][choice as usize].clone();
                    for (target, probability) in &row.targets {
                        if scheduler.decisions[*target as usize].is_none() {
                            return wrong("a scheduler does not know what to do");
                        }
                        for (sum, value) in sum.iter_mut().zip(values(*target as usize)) {
                            *sum += probability * value;
                        }
                    }
                    sum
                }
            };
            if values(state) != expected {
                return wrong("the values of a scheduler do not satisfy its equations");
            }
        }
        // From everywhere the scheduler has some chance to end, so that it does almost surely.
        loop {
            let mut changed = false;
            for (state, decision) in scheduler.decisions.iter().enumerate().rev() {
                if let (false, Some(Decision::Take(choice))) = (ending[state], decision) {
                    let targets = &self.model.rows[state][*choice as usize].targets;
                    if targets.iter().any(|(target, _)| ending[*target as usize]) {
                        ending[state] = true;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        match (scheduler.decisions.iter().zip(&ending)).all(|(decision, &ends)| decision.is_none() || ends) {
            true => Ok(values(0)),
            false => wrong("a scheduler may never end"),
        }
    }

    /// What the weighted sum of no scheduler exceeds, once that is proved.
    fn limit(&self, facet: &Facet) -> Result<Rational, NotConfirmed> {
        let (weights, values) = (&facet.weights.0, &facet.values.0);
        let size = self.model.rows.len();
        if weights.len() != self.objectives.len() || values.len() != size {
            return wrong("weights for other objectives");
        }
        if weights.iter().any(|weight| *weight < Rational::ZERO) {
            return wrong("a negative weight");
        }
        for state in (0..size).filter(|&state| self.ends[state]) {
            for set in self.won[state].iter().flatten() {
                if values[state] < product(weights, &self.prize(*set)) {
                    return wrong("staying is worth more than the bound");
                }
            }
            for (row, earned) in self.model.rows[state].iter().zip(&self.earned[state]) {
                if row.targets.iter().any(|(target, _)| !self.ends[*target as usize]) {
                    continue;
                }
                let mut sum = product(weights, earned);
                for (target, probability) in &row.targets {
                    sum += probability * &values[*target as usize];
                }
                if values[state] < sum {
                    return wrong("a choice is worth more than the bound");
                }
            }
        }
        Ok(values[0].clone())
    }

    /// The points of the certificate's mixtures.
    fn mixed(&self, achievements: &Achievements) -> Result<Vec<Vec<Rational>>, NotConfirmed> {
        let reached = achievements
            .schedulers
            .iter()
            .map(|scheduler| self.point(scheduler));
        let reached: Vec<Vec<Rational>> = reached.collect::<Result<_, _>>()?;
        let mut points = Vec::new();
        for shares in &achievements.points {
            let sum = shares.0.iter().fold(Rational::ZERO, |sum, share| sum + share);
            if shares.0.len() != reached.len()
                || !sum.is_one()
                || shares.0.iter().any(|share| *share < Rational::ZERO)
            {
                return wrong("shares of schedulers that are none");
            }
            let value = |objective: usize| {
                let own = reached.iter().map(|point| point[objective].clone());
                product(&shares.0, &own.collect::<Vec<_>>())
            };
            points.push((0..self.objectives.len()).map(value).collect());
        }
        Ok(points)
    }

    /// Whether a point meets all bounds; those that must be exceeded as well, unless they are let off.
    fn meets(&self, point: &[Rational], strictly: bool) -> bool {
        (self.objectives.iter().zip(point)).all(|(objective, value)| match &objective.bound {
            None => true,
            Some((bound, true)) if strictly => value > bound,
            Some((bound, _)) => value >= bound,
        })
    }

    /// Whether weights prove that no scheduler meets all bounds.
    fn refutes(&self, facet: &Facet) -> Result<bool, NotConfirmed> {
        let limit = self.limit(facet)?;
        let (mut needed, mut strictly) = (Rational::ZERO, false);
        for (objective, weight) in self.objectives.iter().zip(&facet.weights.0) {
            match &objective.bound {
                _ if weight.is_zero() => {}
                None => return Ok(false),
                Some((bound, strict)) => {
                    needed += weight * bound;
                    strictly |= *strict;
                }
            }
        }
        Ok(needed > limit || (strictly && needed == limit))
    }

    /// What an objective cannot exceed while others have at least some values, by weights.
    fn most(
        &self,
        facet: &Facet,
        target: usize,
        least: &[Option<Rational>],
    ) -> Result<Rational, NotConfirmed> {
        let mut rest = self.limit(facet)?;
        for (at, weight) in facet.weights.0.iter().enumerate() {
            match &least[at] {
                _ if at == target || weight.is_zero() => {}
                None => return wrong("a weight for an objective without a bound"),
                Some(bound) => rest -= weight * bound,
            }
        }
        match &facet.weights.0[target] {
            weight if weight.is_zero() => wrong("no weight for what is asked"),
            weight => Ok(rest / weight),
        }
    }
}

impl Evaluation<'_> {
    fn objective(
        &mut self,
        part: &Property,
        automata: &mut Vec<(Observer, Vec<usize>)>,
    ) -> Result<Objective, NotConfirmed> {
        let (optimum, query) = match part {
            Property::Probability { optimum, query, .. } | Property::Reward { optimum, query, .. } => {
                (*optimum, query)
            }
            _ => return wrong("an objective of another kind"),
        };
        let small = match query {
            Query::Value => optimum == Some(Optimum::Min),
            Query::Compare(threshold) => threshold.comparison.is_upper(),
        };
        let sign = Rational::from(if small { -1 } else { 1 });
        let (gain, start) = match part {
            Property::Probability { path, .. } => {
                let wanted = match small {
                    true => Path::Not(Box::new(path.clone())),
                    false => path.clone(),
                };
                automata.push(self.observer(&wanted)?);
                let start = Rational::from(u8::from(small));
                (Gain::Accepted(automata.len() - 1), start)
            }
            Property::Reward { structure, kind, .. } => {
                let steps = match kind {
                    RewardKind::Total => None,
                    RewardKind::Cumulative(steps) if !self.checker.model.kind.is_timed() => {
                        match u64::try_from(steps.clone()) {
                            Ok(steps) => Some(steps),
                            Err(_) => return wrong("a number of steps that is none"),
                        }
                    }
                    _ => return wrong("a reward of another kind"),
                };
                (Gain::Earned(*structure, steps, sign.clone()), Rational::ZERO)
            }
            _ => return wrong("an objective of another kind"),
        };
        let bound = match query {
            Query::Value => None,
            Query::Compare(threshold) => {
                let strict = matches!(threshold.comparison, Comparison::Lt | Comparison::Gt);
                Some((&start + &sign * &threshold.bound, strict))
            }
        };
        Ok(Objective {
            gain,
            start,
            sign,
            bound,
        })
    }

    /// Builds the joint process.
    pub(crate) fn process(&mut self, parts: &[Property]) -> Result<Process, NotConfirmed> {
        let mut automata = Vec::new();
        let mut objectives = Vec::new();
        for part in parts {
            objectives.push(self.objective(part, &mut automata)?);
        }
        let counted = (objectives.iter()).filter_map(|objective| match objective.gain {
            Gain::Earned(_, steps, _) => steps,
            Gain::Accepted(_) => None,
        });
        let counted = counted.max().unwrap_or(0);
        let model = &self.checker.model;
        let &[initial] = &model.initial[..] else {
            return unchecked("several objectives with several initial states");
        };
        type Key = (u32, u64, Vec<Reading>);
        let read = |before: Option<&Vec<Reading>>, target: u32| -> Vec<Reading> {
            let automata = automata.iter().enumerate();
            automata
                .map(|(at, (observer, letters))| {
                    let from = before.map_or(Some(observer.initial), |readings| readings[at].0);
                    let step = from.and_then(|from| observer.steps[from as usize][letters[target as usize]]);
                    step.map_or((None, 0), |(next, marks)| (Some(next), marks))
                })
                .collect()
        };
        let first: Key = (initial, 0, read(None, initial));
        let mut numbers: HashMap<Key, u32> = HashMap::from([(first.clone(), 0)]);
        let mut keys = vec![first];
        let (mut rows, mut earned) = (Vec::new(), Vec::new());
        while rows.len() < keys.len() {
            self.budget.check()?;
            if keys.len() > MOST_STATES {
                return unchecked("several objectives of a large process");
            }
            let (state, steps, readings) = keys[rows.len()].clone();
            let (mut own, mut gains) = (Vec::new(), Vec::new());
            for row in &model.rows[state as usize] {
                let mut targets = Vec::with_capacity(row.targets.len());
                for (target, probability) in &row.targets {
                    let key = (*target, counted.min(steps + 1), read(Some(&readings), *target));
                    let number = *numbers.entry(key).or_insert_with_key(|key| {
                        keys.push(key.clone());
                        (keys.len() - 1) as u32
                    });
                    targets.push((number, probability.clone()));
                }
                let mut of_row = Vec::new();
                for objective in &objectives {
                    of_row.push(match &objective.gain {
                        Gain::Accepted(_) => Rational::ZERO,
                        Gain::Earned(_, Some(most), _) if steps >= *most => Rational::ZERO,
                        Gain::Earned(structure, _, sign) => {
                            let value = naive::step_value(model, *structure, state as usize, row);
                            if value < Rational::ZERO {
                                return unchecked("negative rewards");
                            }
                            value * sign
                        }
                    });
                }
                own.push(Row {
                    targets,
                    ..row.clone()
                });
                gains.push(of_row);
            }
            rows.push(own);
            earned.push(gains);
        }
        let joint = Explicit {
            kind: model.kind,
            states: keys.iter().map(|key| joint::told(model, key)).collect(),
            rows,
            initial: vec![0],
            deadlocks: Vec::new(),
            state_rewards: Vec::new(),
        };
        let observers: Vec<&Observer> = automata.iter().map(|(observer, _)| observer).collect();
        let marks: Vec<&Vec<Reading>> = keys.iter().map(|(_, _, readings)| readings).collect();
        let won = self.quiet(&joint, &earned, &observers, &marks)?;
        let quiet: Vec<bool> = won.iter().map(Option::is_some).collect();
        let ends = graph::surely_some(&joint, &vec![true; quiet.len()], &quiet, self.budget)?;
        if !ends[0] {
            return unchecked("several objectives where no scheduler ends");
        }
        Ok(Process {
            objectives,
            model: joint,
            earned,
            won,
            ends,
        })
    }

    /// For states of quiet components: the sets of automata that staying can satisfy, the empty one among them.
    fn quiet(
        &self,
        model: &Explicit,
        earned: &[Vec<Vec<Rational>>],
        observers: &[&Observer],
        marks: &[&Vec<Reading>],
    ) -> Result<Vec<Option<Vec<u32>>>, NotConfirmed> {
        let size = model.rows.len();
        let quiet = |state: usize, row: usize| earned[state][row].iter().all(Rational::is_zero);
        let components = end_components(&model.rows, &vec![true; size], &quiet, self.budget)?;
        let mut component = vec![None; size];
        for (at, states) in components.iter().enumerate() {
            for &state in states {
                component[state] = Some(at);
            }
        }
        let mut fulfilled: Vec<Vec<u32>> = vec![vec![0]; components.len()];
        // One way to accept for some of the automata: which marks must not, and which must, be seen again and again.
        let mut ways: Vec<Vec<Option<(u64, u64)>>> = vec![Vec::new()];
        for observer in observers {
            let own = observer.acceptance.iter().map(|&way| Some(way)).chain([None]);
            let own: Vec<Option<(u64, u64)>> = own.collect();
            let extended = |way: &Vec<Option<(u64, u64)>>| -> Vec<Vec<Option<(u64, u64)>>> {
                let with = |last: &Option<(u64, u64)>| way.iter().chain([last]).copied().collect();
                own.iter().map(with).collect()
            };
            ways = ways.iter().flat_map(extended).collect();
        }
        for way in ways {
            self.budget.check_now()?;
            let set = (way.iter().enumerate()).fold(0, |set, (at, way)| set | u32::from(way.is_some()) << at);
            let allowed: Vec<bool> = (0..size)
                .map(|state| {
                    let mut fine = way.iter().zip(marks[state]);
                    component[state].is_some()
                        && fine.all(|(way, (reads, marks))| {
                            way.is_none_or(|(never, _)| reads.is_some() && marks & never == 0)
                        })
                })
                .collect();
            for inside in end_components(&model.rows, &allowed, &quiet, self.budget)? {
                let again = |at: usize| inside.iter().fold(0, |seen, &state| seen | marks[state][at].1);
                let all = (way.iter().enumerate())
                    .all(|(at, way)| way.is_none_or(|(_, wanted)| again(at) & wanted == wanted));
                if let (true, Some(at)) = (all, component[inside[0]])
                    && !fulfilled[at].contains(&set)
                {
                    fulfilled[at].push(set);
                }
            }
        }
        let of_state = |at: Option<usize>| at.map(|at| fulfilled[at].clone());
        Ok(component.into_iter().map(of_state).collect())
    }

    fn achievements(&mut self) -> Result<&Achievements, NotConfirmed> {
        match self.achievements.next() {
            None => wrong("the certificate lacks what schedulers reach"),
            Some(empty) if empty.schedulers.is_empty() && empty.facets.is_empty() => {
                unchecked("several objectives of a large process")
            }
            Some(achievements) => Ok(achievements),
        }
    }

    /// Whether objectives can be met together, how good one can be, or the front of two.
    pub(crate) fn objectives(&mut self, parts: &[Property]) -> Result<Known, NotConfirmed> {
        let process = self.process(parts)?;
        let (size, budget) = (self.size(), self.budget);
        let achievements = self.achievements()?;
        let points = process.mixed(achievements)?;
        let facets = &achievements.facets;
        let asked: Vec<usize> = (0..parts.len())
            .filter(|&at| process.objectives[at].bound.is_none())
            .collect();
        let impossible = || match facets.first() {
            Some(facet) => process.refutes(facet),
            None => Ok(false),
        };
        match (&asked[..], &points[..]) {
            ([], [point, ..]) if process.meets(point, true) => Ok(Known::Truth(vec![Some(true); size])),
            ([], []) if impossible()? => Ok(Known::Truth(vec![Some(false); size])),
            ([_], []) if impossible()? => Ok(Known::Nothing),
            (&[target], [first, ..]) => {
                // Strict bounds are met by one mixture, and the value is approached on the way to the other.
                let [facet] = &facets[..] else {
                    return wrong("one set of weights is needed");
                };
                let Some(best) = points.last() else {
                    return wrong("no point is reached");
                };
                let least: Vec<Option<Rational>> = (process.objectives.iter())
                    .map(|objective| objective.bound.as_ref().map(|(bound, _)| bound.clone()))
                    .collect();
                let met = process.meets(first, true) && process.meets(best, false);
                if !met || process.most(facet, target, &least)? != best[target] {
                    return wrong("the certificate does not prove the best value");
                }
                let value = process.objectives[target].asked(&best[target]);
                Ok(Known::Numbers(Bracket::Exact(vec![Some(value); size])))
            }
            (&[0, 1], [_, ..]) if parts.len() == 2 => {
                front(&process, &points, facets)?;
                Ok(Known::Points(process.asked(&points)))
            }
            (asked, [_, ..]) if asked.len() == parts.len() && parts.len() > 2 => {
                let limits = facets.iter().map(|facet| process.limit(facet));
                let limits: Vec<Rational> = limits.collect::<Result<_, _>>()?;
                let weights: Vec<&[Rational]> = facets.iter().map(|facet| &facet.weights.0[..]).collect();
                fronts::vertices_are(&points, &weights, &limits, budget)?;
                Ok(Known::Points(process.asked(&points)))
            }
            _ => wrong("the certificate does not prove what can be reached"),
        }
    }

    /// The best of objectives in order of importance.
    pub(crate) fn in_order(&mut self, parts: &[Property]) -> Result<Known, NotConfirmed> {
        let process = self.process(parts)?;
        let achievements = self.achievements()?;
        let points = process.mixed(achievements)?;
        let Some(point) = points.last() else {
            return wrong("no point is reached");
        };
        if achievements.facets.len() != parts.len()
            || process
                .objectives
                .iter()
                .any(|objective| objective.bound.is_some())
        {
            return wrong("weights for each objective are needed");
        }
        for (at, facet) in achievements.facets.iter().enumerate() {
            let least: Vec<Option<Rational>> = (0..parts.len())
                .map(|other| (other < at).then(|| point[other].clone()))
                .collect();
            if process.most(facet, at, &least)? != point[at] {
                return wrong("the certificate does not prove the best value");
            }
        }
        Ok(Known::Points(process.asked(std::slice::from_ref(point))))
    }
}

/// That points are the vertices of the front of two objectives, from the best of the first to the best of the second: nothing lies beyond the first point in
/// the first objective, beyond the last one in the second, or beyond the edges between them, which are positive in both weights.
fn front(process: &Process, points: &[Vec<Rational>], facets: &[Facet]) -> Result<(), NotConfirmed> {
    let [first, edges @ .., last] = facets else {
        return wrong("the front has no weights");
    };
    let alone = vec![None; 2];
    let ends = process.most(first, 0, &alone)? == points[0][0]
        && process.most(last, 1, &alone)? == points[points.len() - 1][1];
    if !ends || edges.len() + 1 != points.len() {
        return wrong("the ends of the front are not proved");
    }
    for (pair, edge) in points.windows(2).zip(edges) {
        let limit = process.limit(edge)?;
        let on = |point: &Vec<Rational>| product(&edge.weights.0, point) == limit;
        let falls = pair[0][0] > pair[1][0] && pair[0][1] < pair[1][1];
        let positive = edge.weights.0.iter().all(|weight| *weight > Rational::ZERO);
        if !falls || !positive || !on(&pair[0]) || !on(&pair[1]) {
            return wrong("an edge of the front is not proved");
        }
    }
    // No vertex lies on the line through its neighbours.
    for three in edges.windows(2) {
        let (a, b) = (&three[0].weights.0, &three[1].weights.0);
        if &a[0] * &b[1] == &a[1] * &b[0] {
            return wrong("a vertex of the front is none");
        }
    }
    Ok(())
}
