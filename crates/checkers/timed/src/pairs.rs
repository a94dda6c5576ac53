//! Judging comparisons of two networks, on points with exact clock values.
//!
//! The definition of each relation is followed at one point of each class of pairs: the moves of a side there, the answers of the other, and whether the pairs they lead to are in the list, by their class.
//! A class is told by the whole parts of the clocks up to the largest constant, by which fractions are 0, and by how each two fractions compare. No constraint that is met may have a larger constant, nor
//! compare two clocks; then what holds at a point holds of its class (Alur, Dill 1994).

use crate::Objection;
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::interpreter::satisfies;
use entail_clocks::pairs::{Challenge, Correspondence, Pair, TimedRelation};
use entail_clocks::{EdgeId, Meaning, Network, Rational};
use std::cmp::Ordering;
use std::collections::HashMap;

/// A pair with exact clock values, the reference clocks first; a missing second has none.
#[derive(Clone)]
struct Point {
    states: [Option<Discrete>; 2],
    clocks: [Vec<Rational>; 2],
}

/// The class of a point.
#[derive(PartialEq, Eq, Hash)]
struct Class {
    states: [Option<Discrete>; 2],
    /// The whole parts; nothing beyond the largest constant.
    whole: Vec<Option<i64>>,
    /// Which fractions are 0.
    even: Vec<bool>,
    /// How fractions compare.
    order: Vec<Ordering>,
}

/// The edges of a move, none for a delay, and its answers.
type Answered = (Vec<EdgeId>, Vec<Point>);

struct Judge<'m> {
    meanings: [&'m dyn Meaning; 2],
    networks: [&'m Network; 2],
    relation: TimedRelation,
    most: i64,
}

/// Whether evidence shows that two networks are related, or that they are not: which of the two it is the evidence says itself. Their states and steps are those of the meanings; the networks name the steps.
pub fn judge_pairs(
    meanings: [&dyn Meaning; 2],
    networks: [&Network; 2],
    relation: TimedRelation,
    correspondence: &Correspondence,
    budget: &Budget,
) -> Result<(), Objection> {
    let most = match correspondence {
        Correspondence::Related { most, .. } | Correspondence::Unrelated { most, .. } => *most,
    };
    let judge = Judge {
        meanings,
        networks,
        relation,
        most,
    };
    match correspondence {
        Correspondence::Related { pairs, .. } => judge.all_answered(pairs, budget),
        Correspondence::Unrelated { start, pairs, .. } => judge.none_answered(*start, pairs, budget),
    }
}

fn whole(value: &Rational) -> Result<i64, Objection> {
    i64::try_from(value.floor()).map_err(|_| Objection::from("a clock value is very large"))
}

impl Judge<'_> {
    fn point(&self, pair: &Pair) -> Result<Point, Objection> {
        let count = self.networks[0].clocks.len();
        if pair.clocks.len() != count + self.networks[1].clocks.len() {
            return Err("a pair has another number of clocks".into());
        }
        let states = [Some(&pair.states.0), pair.states.1.as_ref()];
        for (state, network) in states.into_iter().zip(self.networks) {
            let is_one = |state: &Discrete| {
                state.locations.len() == network.processes.len()
                    && state.integers.len() == network.integers.len()
                    && state
                        .locations
                        .iter()
                        .all(|&location| location < network.locations.len())
            };
            if state.is_some_and(|state| !is_one(state)) {
                return Err("a pair is not one of these networks".into());
            }
        }
        let (first, second) = pair.clocks.split_at(count);
        let with_reference = |clocks: &[entail_clocks::evidence::Time]| {
            let own = clocks.iter().map(|time| time.0.clone());
            std::iter::once(Rational::ZERO).chain(own).collect()
        };
        Ok(Point {
            states: [Some(pair.states.0.clone()), pair.states.1.clone()],
            clocks: [with_reference(first), with_reference(second)],
        })
    }

    fn class(&self, point: &Point) -> Result<Class, Objection> {
        let mut class = Class {
            states: point.states.clone(),
            whole: Vec::new(),
            even: Vec::new(),
            order: Vec::new(),
        };
        let most = Rational::from(self.most);
        // Fractions of clocks that count, with the side they are compared within.
        let mut fractions: Vec<(usize, Rational)> = Vec::new();
        for side in 0..2 {
            for value in &point.clocks[side][1..] {
                // A missing second has no clocks to speak of.
                if *value > most || point.states[side].is_none() {
                    class.whole.push(None);
                    continue;
                }
                let whole = whole(value)?;
                let fraction = value - Rational::from(whole);
                class.whole.push(Some(whole));
                class.even.push(fraction == Rational::ZERO);
                let group = if self.relation.is_abstract() { side } else { 0 };
                fractions.push((group, fraction));
            }
        }
        for (position, (group, one)) in fractions.iter().enumerate() {
            for (other_group, other) in &fractions[..position] {
                if group == other_group {
                    class.order.push(one.cmp(other));
                }
            }
        }
        Ok(class)
    }

    fn hold(&self, constraints: &[ClockConstraint], clocks: &[Rational]) -> Result<bool, Objection> {
        for one in constraints {
            if one.left != 0 && one.right != 0 {
                return Err("the model compares two clocks".into());
            }
            if one.bound.abs() > self.most {
                return Err("the model compares clocks with a larger constant".into());
            }
        }
        Ok(constraints.iter().all(|one| satisfies(clocks, one)))
    }

    /// The steps of a side: names, edges, and where they lead.
    fn steps(&self, point: &Point, side: usize) -> Result<Vec<(String, Vec<EdgeId>, Point)>, Objection> {
        let Some(state) = &point.states[side] else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for step in self.meanings[side].moves(state)? {
            if !self.hold(&step.guard, &point.clocks[side])? {
                continue;
            }
            let mut next = point.clone();
            next.states[side] = Some(step.target?);
            let clocks = &mut next.clocks[side];
            for update in &step.updates {
                if update.source != 0 {
                    return Err("the model copies clocks".into());
                }
                clocks[update.target] = Rational::from(update.offset);
            }
            if self.hold(&step.invariant, clocks)? {
                found.push((self.networks[side].action_name(&step.edges), step.edges, next));
            }
        }
        Ok(found)
    }

    /// How long it takes to the next class, for the clocks of these sides; nothing if all of them are beyond the largest constant.
    fn next_moment(&self, point: &Point, sides: &[usize]) -> Result<Option<Rational>, Objection> {
        let most = Rational::from(self.most);
        let (mut any_even, mut largest) = (false, None::<Rational>);
        for &side in sides {
            let counts = |value: &&Rational| **value <= most && point.states[side].is_some();
            for value in point.clocks[side][1..].iter().filter(counts) {
                let fraction = value - Rational::from(whole(value)?);
                any_even |= fraction == Rational::ZERO;
                largest = Some(largest.map_or(fraction.clone(), |known| known.max(fraction)));
            }
        }
        Ok(largest.map(|largest| {
            let gap = Rational::from(1) - largest;
            match any_even {
                true => gap / Rational::from(2),
                false => gap,
            }
        }))
    }

    /// A side after a wait; nothing if it cannot wait so long.
    fn waited(&self, point: &Point, side: usize, wait: &Rational) -> Result<Option<Point>, Objection> {
        let Some(state) = &point.states[side] else {
            return Ok(None);
        };
        if !self.meanings[side].may_delay(state)? {
            return Ok(None);
        }
        let mut next = point.clone();
        next.clocks[side][1..].iter_mut().for_each(|clock| *clock += wait);
        let Some(invariant) = self.meanings[side].invariant(state)? else {
            return Ok(None);
        };
        Ok(self.hold(&invariant, &next.clocks[side])?.then_some(next))
    }

    /// The answers to a delay of one side; nothing if it has none.
    fn delays(&self, point: &Point, side: usize) -> Result<Option<Vec<Point>>, Objection> {
        if !self.relation.is_abstract() {
            let wait = self.next_moment(point, &[0, 1])?.unwrap_or(Rational::from(1));
            let Some(next) = self.waited(point, side, &wait)? else {
                return Ok(None);
            };
            let answer = self.waited(&next, 1 - side, &wait)?;
            return Ok(Some(match (answer, self.relation) {
                (Some(answer), _) => vec![answer],
                (None, TimedRelation::Inclusion) => {
                    let mut without = next;
                    without.states[1] = None;
                    vec![without]
                }
                (None, _) => Vec::new(),
            }));
        }
        let Some(wait) = self.next_moment(point, &[side])? else {
            return Ok(None);
        };
        let Some(mut next) = self.waited(point, side, &wait)? else {
            return Ok(None);
        };
        let mut answers = vec![next.clone()];
        while let Some(wait) = self.next_moment(&next, &[1 - side])? {
            match self.waited(&next, 1 - side, &wait)? {
                None => break,
                Some(later) => {
                    answers.push(later.clone());
                    next = later;
                }
            }
        }
        Ok(Some(answers))
    }

    /// The moves of a side, each with its answers.
    fn moves(&self, point: &Point, side: usize) -> Result<Vec<Answered>, Objection> {
        let mut all = Vec::new();
        for (name, edges, next) in self.steps(point, side)? {
            let answers = self.steps(&next, 1 - side)?.into_iter();
            let answers = answers
                .filter(|(other, ..)| *other == name)
                .map(|(.., point)| point);
            all.push((edges, answers.collect()));
        }
        if let Some(answers) = self.delays(point, side)? {
            all.push((Vec::new(), answers));
        }
        Ok(all)
    }

    /// The beginnings of a side.
    fn starts(&self, side: usize) -> Result<Vec<Discrete>, Objection> {
        let zeros = vec![Rational::ZERO; self.networks[side].dimension()];
        let mut found = Vec::new();
        for state in self.meanings[side].starts()? {
            if let Some(invariant) = self.meanings[side].invariant(&state)?
                && self.hold(&invariant, &zeros)?
            {
                found.push(state);
            }
        }
        Ok(found)
    }

    /// The pairs with which the choice of a beginning is answered.
    fn answers_to(&self, own: &Discrete, side: usize) -> Result<Vec<Point>, Objection> {
        let others = self.starts(1 - side)?.into_iter();
        let answers = others.map(|other| {
            let mut states = [Some(own.clone()), Some(other)];
            if side == 1 {
                states.swap(0, 1);
            }
            Point {
                states,
                clocks: self
                    .networks
                    .map(|network| vec![Rational::ZERO; network.dimension()]),
            }
        });
        Ok(answers.collect())
    }

    fn sides(&self) -> &'static [usize] {
        if self.relation.is_symmetric() {
            &[0, 1]
        } else {
            &[0]
        }
    }

    fn all_answered(&self, pairs: &[Pair], budget: &Budget) -> Result<(), Objection> {
        let mut known = HashMap::new();
        for pair in pairs {
            known.insert(self.class(&self.point(pair)?)?, ());
        }
        let is_known = |points: &[Point]| -> Result<bool, Objection> {
            for point in points {
                if known.contains_key(&self.class(point)?) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        for &side in self.sides() {
            for own in self.starts(side)? {
                if !is_known(&self.answers_to(&own, side)?)? {
                    return Err("a beginning has no counterpart".into());
                }
            }
        }
        for pair in pairs {
            budget.check()?;
            let point = self.point(pair)?;
            for &side in self.sides() {
                for (edges, answers) in self.moves(&point, side)? {
                    if !is_known(&answers)? {
                        let what = match edges.is_empty() {
                            true => "a delay".to_owned(),
                            false => format!("a step `{}`", self.networks[side].action_name(&edges)),
                        };
                        return Err(format!("{what} has no answer among the pairs").into());
                    }
                }
            }
        }
        Ok(())
    }

    /// A word that has no answer step by step is no word of the second side only if that could not have taken another way: it has one beginning, and no steps without a name.
    fn words_have_one_run(&self) -> Result<(), Objection> {
        let has_name = |network: &Network| {
            (network.edges.iter()).all(|edge| !network.events[edge.event].starts_with('τ'))
        };
        match self.starts(1)?.len() <= 1 && self.networks.into_iter().all(has_name) {
            true => Ok(()),
            false => Err("words may have several runs of the second side".into()),
        }
    }

    fn none_answered(
        &self,
        start: (usize, bool),
        pairs: &[(Pair, Challenge)],
        budget: &Budget,
    ) -> Result<(), Objection> {
        let mut places = HashMap::new();
        for (place, (pair, _)) in pairs.iter().enumerate() {
            places.insert(self.class(&self.point(pair)?)?, place);
        }
        // Every answer leads behind a place of the list; before its beginning is anything.
        let all_behind = |points: &[Point], least: usize| -> Result<bool, Objection> {
            for point in points {
                let place = places.get(&self.class(point)?);
                if place.is_none_or(|&place| place < least) {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let side = usize::from(start.1);
        if !self.sides().contains(&side) {
            return Err("the second side is not challenged".into());
        }
        let is_inclusion = self.relation == TimedRelation::Inclusion;
        if is_inclusion {
            self.words_have_one_run()?;
        }
        let starts = self.starts(side)?;
        let own = starts.get(start.0).ok_or("there is no such beginning")?;
        if !all_behind(&self.answers_to(own, side)?, 0)? {
            return Err("an answer to the first choice is not in the list".into());
        }
        for (place, (pair, challenge)) in pairs.iter().enumerate() {
            budget.check()?;
            let side = usize::from(challenge.by_second);
            if !self.sides().contains(&side) {
                return Err("the second side is not challenged".into());
            }
            let point = self.point(pair)?;
            let moves = self.moves(&point, side)?;
            let Some((_, answers)) = moves.iter().find(|(edges, _)| *edges == challenge.edges) else {
                return Err("a move cannot be made".into());
            };
            if is_inclusion {
                let mut classes = Vec::new();
                for answer in answers {
                    let class = self.class(answer)?;
                    if !classes.contains(&class) {
                        classes.push(class);
                    }
                }
                if classes.len() > 1 {
                    return Err(
                        "the second side has a choice, so that another answer may have fitted".into(),
                    );
                }
            }
            if !all_behind(answers, place + 1)? {
                return Err("an answer to a move is not further behind in the list".into());
            }
        }
        Ok(())
    }
}
