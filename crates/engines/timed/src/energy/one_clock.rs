//! Some run above a lower bound, with one clock or none: the least level that each place needs.
//!
//! Between two moments at which the clock is set, what a level comes to is an *energy function* of the path (Bouyer, Fahrenberg, Larsen, Markey 2010): piecewise linear, and less of a loss before is never more of one after. Here the inverse
//! is computed, for all paths together (`sweep`): what is needed before, if what is needed after each jump is known. The needs are the least solution of these equations. It is found from above, by improvement of policies: a first cycle that loses nothing
//! comes from the corners; what a cycle needs exactly is found by Newton's method from below, since the need before a fixed path is a convex function of the need after it; then needs go down as long as other paths need less, and cycles of the paths chosen are solved anew.
//! Every step has an infinitely small bonus ε: so no cycle gains exactly nothing, and where nothing can be improved any more the solution is the least.

use super::amount::Amount;
use super::places::{self, Place, Places, Sorted, Step};
use super::sweep::{Choice, Needs, Sweep};
use super::{Asked, realise, refused, shortage};
use crate::Stop;
use entail_budget::Budget;
use entail_clocks::Rational;
use entail_clocks::evidence::{Because, Sustained, Time};

/// A part of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// At a place, a step is taken.
    Step(usize, usize),
    /// From a place time leads into the next region.
    Next(usize),
}

/// How a path ends that follows what needs say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The clock is set, at this place.
    Jump(usize),
    /// The parts from this one on are repeated for ever.
    Round(usize),
}

pub(super) fn decide(asked: &Asked<'_>, budget: &Budget) -> Result<Sustained, Stop> {
    let question = asked.question;
    let lower = Rational::from(question.lower);
    let sorted = places::sort(asked, budget)?;
    let lost = |because: Option<Because>| Sustained {
        holds: false,
        credit: question.credit.clone().map(Time),
        run: None,
        since: 0,
        cap: question.cap(),
        because,
    };
    if question.credit.as_ref().is_some_and(|credit| *credit < lower) {
        return Ok(lost(None));
    }
    let sweep = Sweep::new(&sorted.places, budget)?;
    let policy = Policy {
        asked,
        sorted: &sorted,
        sweep,
        budget,
    };
    let needs = policy.solve()?;
    let starts = (0..asked.graph.roots).filter_map(|root| sorted.place_of[root]);
    let need = |place: usize| {
        let need = needs.at_entry(&sorted.places, place)?;
        Some((need.level.clone(), place))
    };
    let potentials = || Because::Potentials(shortage::potentials(asked, &sorted, &needs));
    let Some((least, start)) = starts.filter_map(need).min() else {
        return Ok(lost(Some(potentials())));
    };
    let least = least.0[0].clone() + lower;
    if question.credit.as_ref().is_some_and(|credit| *credit < least) {
        return Ok(lost(Some(potentials())));
    }
    let credit = question.credit.clone().unwrap_or_else(|| least.clone());
    let Some((stem, cycle)) = policy.lasso(&needs, start) else {
        return refused("--energy: no run was found");
    };
    let found = realise::run(asked, &sorted.places, (&stem, &cycle), &credit, budget);
    let Some((run, since)) = found else {
        return refused(&format!(
            "less than {least} is not enough, and strict bounds keep the run that was found for as much from being one that repeats itself"
        ));
    };
    Ok(Sustained {
        holds: true,
        credit: Some(Time(credit)),
        run: Some(run),
        since,
        cap: question.cap(),
        because: question.credit.is_none().then(potentials),
    })
}

struct Policy<'a, 'n> {
    asked: &'a Asked<'n>,
    sorted: &'a Sorted,
    sweep: Sweep<'a>,
    budget: &'a Budget,
}

impl Policy<'_, '_> {
    fn places(&self) -> &Places {
        &self.sorted.places
    }

    fn step(&self, place: usize, step: usize) -> &Step {
        &self.places().all[place].steps[step]
    }

    /// Solves for the least needs of all places.
    fn solve(&self) -> Result<Needs, Stop> {
        let count = self.places().all.len();
        let mut is_jumped_to = vec![false; count];
        for step in self.places().all.iter().flat_map(|place| &place.steps) {
            is_jumped_to[step.to] |= !step.is_inside;
        }
        let heads: Vec<usize> = (0..count).filter(|&place| is_jumped_to[place]).collect();
        let mut after: Vec<Option<Amount>> = vec![None; count];
        for cycle in &self.sorted.cycles {
            if let Some((head, items)) = self.items_of(cycle)
                && let Some(need) = self.need_of_cycle(&items)?
            {
                lower(&mut after[head], need);
            }
        }
        loop {
            self.budget.check()?;
            let needs = self.sweep.solve(&after, self.budget)?;
            let mut has_changed = false;
            for &head in &heads {
                if let Some(need) = needs.at_entry(self.places(), head) {
                    has_changed |= lower(&mut after[head], need.level.plain());
                }
            }
            if !has_changed {
                return Ok(needs);
            }
            for cycle in self.cycles_chosen(&needs, &heads) {
                let head = cycle[0];
                let paths = cycle.iter().filter_map(|&head| self.follow(&needs, head));
                let items: Vec<Item> = paths.flat_map(|(items, _)| items).collect();
                if let Some(need) = self.need_of_cycle(&items)? {
                    lower(&mut after[head], need);
                }
            }
        }
    }

    /// The cycles of jumps that needs choose, as the places after the jumps.
    fn cycles_chosen(&self, needs: &Needs, heads: &[usize]) -> Vec<Vec<usize>> {
        let mut next = vec![None; self.places().all.len()];
        for &head in heads {
            if let Some((_, End::Jump(to))) = self.follow(needs, head) {
                next[head] = Some(to);
            }
        }
        let mut met = vec![usize::MAX; next.len()];
        let mut cycles = Vec::new();
        for &head in heads {
            let mut here = head;
            while met[here] == usize::MAX {
                met[here] = head;
                match next[here] {
                    Some(to) => here = to,
                    None => break,
                }
            }
            if met[here] == head && next[here].is_some() {
                let mut cycle = vec![here];
                let mut at = next[here];
                while let Some(one) = at.filter(|&one| one != here) {
                    cycle.push(one);
                    at = next[one];
                }
                if at == Some(here) {
                    cycles.push(cycle);
                }
            }
        }
        cycles
    }

    /// The path that needs choose, until the clock is set or something is repeated.
    fn follow(&self, needs: &Needs, start: usize) -> Option<(Vec<Item>, End)> {
        let (mut here, mut piece) = (start, 0);
        let mut items = Vec::new();
        let mut pumps: Vec<(usize, usize)> = Vec::new();
        loop {
            let need = needs.at(self.places(), here, piece)?;
            let (number, is_steady) = match need.choice {
                Choice::Wait => {
                    let region = self.places().all[here].region as usize;
                    if piece + 1 < needs.pieces[region].len() {
                        piece += 1;
                    } else {
                        items.push(Item::Next(here));
                        here = self.places().all[here].next?;
                        piece = 0;
                    }
                    continue;
                }
                Choice::Pump(number) => {
                    if let Some(&(_, since)) = pumps.iter().find(|one| one.0 == here) {
                        return Some((items, End::Round(since)));
                    }
                    pumps.push((here, items.len()));
                    (number, false)
                }
                Choice::Jump(number) | Choice::Inside(number) => (number, false),
                Choice::Steady(number) => (number, true),
            };
            if is_steady {
                let since = self.go_round(&mut items, here)?;
                return Some((items, End::Round(since)));
            }
            items.push(Item::Step(here, number));
            let step = self.step(here, number);
            if !step.is_inside {
                return Some((items, End::Jump(step.to)));
            }
            here = step.to;
        }
    }

    /// Goes on without time until a place is met again; gives the part from which on the path is repeated.
    fn go_round(&self, items: &mut Vec<Item>, start: usize) -> Option<usize> {
        let mut met: Vec<(usize, usize)> = Vec::new();
        let mut here = start;
        loop {
            if let Some(&(_, since)) = met.iter().find(|one| one.0 == here) {
                return Some(since);
            }
            met.push((here, items.len()));
            let number = self.sweep.steady_step(here)?;
            items.push(Item::Step(here, number));
            here = self.step(here, number).to;
        }
    }

    /// The run that needs choose: the way to a cycle, and the cycle.
    fn lasso(&self, needs: &Needs, start: usize) -> Option<(Vec<Item>, Vec<Item>)> {
        let mut items: Vec<Item> = Vec::new();
        let mut met: Vec<(usize, usize)> = Vec::new();
        let mut here = start;
        loop {
            if let Some(&(_, since)) = met.iter().find(|one| one.0 == here) {
                let cycle = items.split_off(since);
                return Some((items, cycle));
            }
            met.push((here, items.len()));
            let (path, end) = self.follow(needs, here)?;
            let before = items.len();
            items.extend(path);
            match end {
                End::Jump(to) => here = to,
                End::Round(since) => {
                    // Once more, so that the cycle begins where one of its steps leads.
                    let cycle = items[before + since..].to_vec();
                    return Some((items, cycle));
                }
            }
        }
    }

    /// A cycle of corners as a path that begins after a jump; nothing if it has none.
    fn items_of(&self, cycle: &[usize]) -> Option<(usize, Vec<Item>)> {
        let graph = &self.asked.graph;
        let mut items = Vec::new();
        let mut first_jump = None;
        for &number in cycle {
            let arrow = &graph.arrows[number];
            let (from, to) = (self.sorted.place_of[arrow.from]?, self.sorted.place_of[arrow.to]?);
            match &arrow.leads.edges {
                None if from == to => {}
                None => items.push(Item::Next(from)),
                Some(edges) => {
                    let steps = &self.places().all[from].steps;
                    let is_it = |step: &Step| step.to == to && step.edges == *edges;
                    let step = steps.iter().position(is_it)?;
                    items.push(Item::Step(from, step));
                    if !steps[step].is_inside {
                        first_jump.get_or_insert((to, items.len()));
                    }
                }
            }
        }
        let (head, at) = first_jump?;
        items.rotate_left(at);
        Some((head, items))
    }

    /// What a cycle of paths needs to be repeated for ever; nothing if nothing is enough.
    fn need_of_cycle(&self, items: &[Item]) -> Result<Option<Amount>, Stop> {
        let is_jump = |item: &Item| match *item {
            Item::Step(place, step) => !self.step(place, step).is_inside,
            Item::Next(_) => false,
        };
        let paths: Vec<&[Item]> = items.split_inclusive(is_jump).collect();
        let mut chains = Vec::with_capacity(paths.len());
        for path in paths {
            chains.push(self.chain(path));
        }
        let mut need = Amount::ZERO;
        loop {
            self.budget.check()?;
            // The need before it, and how fast it grows with the need after it.
            let mut found = &need + &Amount::deltas(1);
            for chain in chains.iter().rev() {
                let mut after = vec![None; chain.all.len()];
                after[chain.all.len() - 1] = Some(found);
                let needs = Sweep::new(chain, self.budget)?.solve(&after, self.budget)?;
                let Some(before) = needs.at_entry(chain, 0) else {
                    return Ok(None);
                };
                found = before.level.clone().at_once();
            }
            let (value, slope) = (found.plain(), found.0[2].clone());
            if value <= need {
                return Ok(Some(need));
            }
            if slope >= Rational::ONE {
                return Ok(None);
            }
            let rest = &value - &need.times(&slope);
            need = rest.times(&(Rational::ONE / (Rational::ONE - slope)));
        }
    }

    /// A path as places of its own, one after the other; the last stands for what comes after the jump.
    fn chain(&self, path: &[Item]) -> Places {
        let mut all: Vec<Place> = Vec::with_capacity(path.len() + 1);
        for (position, item) in path.iter().enumerate() {
            let (place, step) = match *item {
                Item::Step(place, step) => (place, Some(step)),
                Item::Next(place) => (place, None),
            };
            let of = &self.places().all[place];
            let following = position + 1;
            all.push(Place {
                steps: step
                    .map(|step| Step {
                        to: following,
                        is_inside: following < path.len(),
                        ..of.steps[step].clone()
                    })
                    .into_iter()
                    .collect(),
                next: step.is_none().then_some(following),
                ..of.clone()
            });
        }
        all.push(Place {
            corner: 0,
            region: 0,
            rate: 0,
            waits: false,
            next: None,
            steps: Vec::new(),
        });
        let last = self.places().last;
        Places { all, last }
    }
}

/// Takes the lower of two needs; true if the new one is.
fn lower(known: &mut Option<Amount>, need: Amount) -> bool {
    let is_lower = known.as_ref().is_none_or(|known| need < *known);
    if is_lower {
        *known = Some(need);
    }
    is_lower
}
