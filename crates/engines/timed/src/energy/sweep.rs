//! The least levels at all places, if those after jumps (steps that set the clock) are given: functions of the clock over each region.
//!
//! Regions are taken from the last to the first. At a moment, what a place needs is the least of what its jumps need, what waiting needs, what going on without time needs (`steady`), and what its steps need at other places, which is a shortest path. Over an
//! interval this is followed backwards: with a moment τ less the same computation says which way is taken just before and how fast the needs change; they change so until one of them falls to 0, or another way needs as little. So needs are
//! piecewise linear, and exact.

use super::amount::Amount;
use super::places::{Place, Places};
use super::steady::{self, Steady};
use crate::Stop;
use entail_budget::Budget;
use entail_clocks::Rational;

/// Pieces of an interval, at most.
const MOST_PIECES: usize = 20_000;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Wait: to the end of the piece, or for the next region.
    Wait,
    /// Wait as long as it takes, and then take this step.
    Pump(usize),
    /// Take this step, which sets the clock.
    Jump(usize),
    /// Take this step, and go on without time for ever.
    Steady(usize),
    /// Take this step within the region.
    Inside(usize),
}

/// The needs of a group of places over a piece of a region.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Where it begins.
    pub time: Amount,
    /// By position in the group: the need at the beginning, how fast it grows, and what is to be done.
    pub needs: Vec<Option<Need>>,
}

/// What a place needs over a piece.
#[derive(Clone, Debug)]
pub(super) struct Need {
    pub level: Amount,
    pub slope: Rational,
    pub choice: Choice,
}

/// The needs of all places.
pub(super) struct Needs {
    pub groups: Vec<Vec<usize>>,
    /// The pieces of each region, from its beginning on; for an interval the last is its end.
    pub pieces: Vec<Vec<Piece>>,
}

impl Needs {
    /// What a place needs where its region is entered.
    pub fn at_entry(&self, places: &Places, place: usize) -> Option<&Need> {
        self.at(places, place, 0)
    }

    /// What a place needs over a piece.
    pub fn at(&self, places: &Places, place: usize, piece: usize) -> Option<&Need> {
        let region = places.all[place].region as usize;
        let position = self.groups[region].binary_search(&place).ok()?;
        self.pieces[region].get(piece)?.needs[position].as_ref()
    }
}

/// A solver for needs.
pub(super) struct Sweep<'p> {
    pub places: &'p Places,
    groups: Vec<Vec<usize>>,
    steady: Vec<Steady>,
}

/// A need at a moment, and what is to be done.
type Best = Option<(Amount, Choice)>;

fn improve(best: &mut Best, level: Amount, choice: Choice) -> bool {
    let is_better = best.as_ref().is_none_or(|known| level < known.0);
    if is_better {
        *best = Some((level, choice));
    }
    is_better
}

impl<'p> Sweep<'p> {
    pub fn new(places: &'p Places, budget: &Budget) -> Result<Sweep<'p>, Stop> {
        let groups = places.groups();
        let mut steady = Vec::with_capacity(groups.len());
        for group in &groups {
            steady.push(steady::needs(places, group, budget)?);
        }
        Ok(Sweep {
            places,
            groups,
            steady,
        })
    }

    /// The step by which a place goes on without time for ever.
    pub fn steady_step(&self, place: usize) -> Option<usize> {
        let region = self.places.all[place].region as usize;
        let position = self.groups[region].binary_search(&place).ok()?;
        self.steady[region][position].as_ref().map(|(_, step)| *step)
    }

    /// The needs, if after jumps these are needed.
    pub fn solve(&self, after: &[Option<Amount>], budget: &Budget) -> Result<Needs, Stop> {
        let mut pieces: Vec<Vec<Piece>> = vec![Vec::new(); self.groups.len()];
        for region in (0..self.groups.len()).rev() {
            budget.check()?;
            let group = &self.groups[region];
            if group.is_empty() {
                continue;
            }
            // What needs nothing of the region itself.
            let mut fixed: Vec<Best> = vec![None; group.len()];
            let mut at_end: Vec<Option<Amount>> = vec![None; group.len()];
            for (position, &place) in group.iter().enumerate() {
                let place = &self.places.all[place];
                for (number, step) in place.steps.iter().enumerate().filter(|one| !one.1.is_inside) {
                    if let Some(need) = &after[step.to] {
                        improve(
                            &mut fixed[position],
                            before(need, step.weight),
                            Choice::Jump(number),
                        );
                    }
                }
                if let Some((need, step)) = &self.steady[region][position] {
                    improve(&mut fixed[position], need.clone(), Choice::Steady(*step));
                }
                at_end[position] = place.next.and_then(|next| {
                    let region = self.places.all[next].region as usize;
                    let position = self.groups[region].binary_search(&next).ok()?;
                    let first = pieces[region].first()?;
                    first.needs[position].as_ref().map(|need| need.level.clone())
                });
            }
            let is_interval = self.places.all[group[0]].is_interval(self.places.last);
            pieces[region] = match is_interval {
                true => self.interval(group, &fixed, &at_end, budget)?,
                false => vec![self.moment(group, &fixed, &at_end)],
            };
        }
        Ok(Needs {
            groups: self.groups.clone(),
            pieces,
        })
    }

    /// A region without an end, or without a length.
    fn moment(&self, group: &[usize], fixed: &[Best], at_end: &[Option<Amount>]) -> Piece {
        let mut best = fixed.to_vec();
        for (position, &place) in group.iter().enumerate() {
            let place = &self.places.all[place];
            if let Some(need) = &at_end[position] {
                improve(&mut best[position], need.clone(), Choice::Wait);
            }
            // Whatever comes then can be afforded.
            if place.is_pump(self.places.last) && !place.steps.is_empty() {
                improve(&mut best[position], Amount::ZERO, Choice::Pump(0));
            }
        }
        self.close(group, &mut best);
        let need = |best: Best| {
            best.map(|(level, choice)| Need {
                level,
                slope: Rational::ZERO,
                choice,
            })
        };
        Piece {
            time: Amount::ZERO,
            needs: best.into_iter().map(need).collect(),
        }
    }

    /// Lets steps within the region help (Bellman, Ford).
    fn close(&self, group: &[usize], best: &mut [Best]) {
        loop {
            let mut changed = false;
            for (position, &place) in group.iter().enumerate() {
                for (number, step) in self.inside(place) {
                    let Ok(to) = group.binary_search(&step.to) else {
                        continue;
                    };
                    let Some((need, _)) = &best[to] else { continue };
                    let level = before(need, step.weight);
                    changed |= improve(&mut best[position], level, Choice::Inside(number));
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn inside(&self, place: usize) -> impl Iterator<Item = (usize, &super::places::Step)> {
        let steps = self.places.all[place].steps.iter().enumerate();
        steps.filter(|(_, step)| step.is_inside)
    }

    /// The pieces of an interval, followed backwards from its end.
    fn interval(
        &self,
        group: &[usize],
        fixed: &[Best],
        at_end: &[Option<Amount>],
        budget: &Budget,
    ) -> Result<Vec<Piece>, Stop> {
        let mut now = fixed.to_vec();
        for (best, need) in now.iter_mut().zip(at_end) {
            if let Some(need) = need {
                improve(best, need.clone(), Choice::Wait);
            }
        }
        self.close(group, &mut now);
        let mut time = Amount::whole(1);
        let still = |best: &Best| {
            best.as_ref().map(|(level, choice)| Need {
                level: level.clone(),
                slope: Rational::ZERO,
                choice: *choice,
            })
        };
        let mut pieces = vec![Piece {
            time: time.clone(),
            needs: now.iter().map(still).collect(),
        }];
        while time > Amount::ZERO {
            budget.check()?;
            if pieces.len() > MOST_PIECES {
                return Err(Stop::Unknown(
                    "--energy: an interval has too many pieces".to_owned(),
                ));
            }
            // A moment earlier.
            let mut earlier = fixed.to_vec();
            for (position, &place) in group.iter().enumerate() {
                let place: &Place = &self.places.all[place];
                if let (Some((level, _)), true) = (&now[position], place.waits) {
                    let level = level - &Amount::moments(Rational::from(place.rate));
                    improve(&mut earlier[position], level.or_zero(), Choice::Wait);
                }
            }
            self.close(group, &mut earlier);
            let length = self
                .unchanged(group, fixed, &earlier)
                .map_or_else(|| time.clone(), |one| one.min(time.clone()));
            let begins = &time - &length;
            let need = |best: &Best| {
                best.as_ref().map(|(level, choice)| {
                    let growth = level.0[3].clone();
                    let moved = &level.clone().at_once() + &length.times(&growth);
                    Need {
                        level: moved,
                        slope: -growth,
                        choice: *choice,
                    }
                })
            };
            let needs: Vec<Option<Need>> = earlier.iter().map(need).collect();
            now = needs
                .iter()
                .map(|need| need.as_ref().map(|need| (need.level.clone(), need.choice)))
                .collect();
            pieces.push(Piece {
                time: begins.clone(),
                needs,
            });
            time = begins;
        }
        pieces.reverse();
        Ok(pieces)
    }

    /// How long, going backwards, needs change as they begin to; nothing if for ever.
    fn unchanged(&self, group: &[usize], fixed: &[Best], earlier: &[Best]) -> Option<Amount> {
        let split = |best: &Best| {
            best.as_ref()
                .map(|(level, _)| (level.clone().at_once(), level.0[3].clone()))
        };
        let lines: Vec<Option<(Amount, Rational)>> = earlier.iter().map(split).collect();
        let mut length: Option<Amount> = None;
        let mut meets = |gap: Amount, closing: Rational| {
            if gap > Amount::ZERO && closing > Rational::ZERO {
                let until = gap.times(&(Rational::ONE / closing));
                if length.as_ref().is_none_or(|known| until < *known) {
                    length = Some(until);
                }
            }
        };
        for (position, &place) in group.iter().enumerate() {
            let Some((level, slope)) = &lines[position] else {
                continue;
            };
            meets(level.clone(), -slope.clone());
            if let Some((other, _)) = &fixed[position] {
                meets(other - level, slope.clone());
            }
            for (_, step) in self.inside(place) {
                let Ok(to) = group.binary_search(&step.to) else {
                    continue;
                };
                let Some((need, growth)) = &lines[to] else {
                    continue;
                };
                let other = unclipped(need, step.weight);
                meets(&other - level, slope - growth);
                meets(&Amount::ZERO - &other, growth.clone());
            }
        }
        length
    }
}

/// The level before a step with the bonus, after which a level is needed.
fn unclipped(need: &Amount, weight: i64) -> Amount {
    need - &Amount::new(Rational::from(weight), Rational::ONE)
}

fn before(need: &Amount, weight: i64) -> Amount {
    unclipped(need, weight).or_zero()
}
