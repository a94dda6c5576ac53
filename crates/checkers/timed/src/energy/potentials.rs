//! Potentials: levels below which every run is lost, with one clock or none.
//!
//! The losing levels at a state are those below its potential. It is checked locally, for each discrete state and region of the clock, that
//!
//! 1. a delay leads from below the potential below it: over an interval it grows at least as fast as the level does, and it does not fall from region to region;
//! 2. a step leads from below the potential below that of its target less ε, or below the lower bound;
//! 3. the initial states are below.
//!
//! So along a run the level falls behind the potential by ε with each step, for every small enough positive number ε; potentials are bounded, so the level falls below its bound. Where there is a *layer*, the same is checked of all levels, without help of the
//! lower bound: then every level is lost, however large. There the level may even grow without bound while time passes, beyond the largest constant, if the steps that follow lead to smaller layers: layers never grow, so that this happens finitely often.

use super::small::{Line, Small};
use super::{Lost, Subject};
use crate::Objection;
use crate::cover::is_of_model;
use crate::replay::meet;
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::{Potential, Potentials};
use entail_clocks::{Move, Rational};
use std::collections::HashMap;

/// A potential that was read.
struct Read {
    discrete: Discrete,
    region: u32,
    lines: Vec<Line>,
    layer: Option<u32>,
}

struct Judge<'a> {
    subject: &'a Subject<'a>,
    most: i64,
    /// The region beyond the largest constant.
    last: u32,
    numbers: HashMap<(Discrete, u32), usize>,
    all: Vec<Read>,
    lower: Small,
}

/// Checks that potentials show the loss of credits.
pub(super) fn show_loss(
    subject: &Subject<'_>,
    potentials: &Potentials,
    which: Lost<'_>,
    budget: &Budget,
) -> Result<(), Objection> {
    let clocks = subject.network.clocks.len();
    if clocks > 1 || !(0..1 << 27).contains(&potentials.most) {
        return Err("potentials are about models with one clock at most".into());
    }
    let last = 2 * potentials.most as u32 + 1;
    let mut judge = Judge {
        subject,
        most: potentials.most,
        last,
        numbers: HashMap::new(),
        all: Vec::with_capacity(potentials.all.len()),
        lower: Small::number(subject.asked.lower),
    };
    for potential in &potentials.all {
        is_of_model(subject.network, &potential.locations, &potential.integers)?;
        let read = judge.read(potential)?;
        let key = (read.discrete.clone(), read.region);
        if judge.numbers.insert(key, judge.all.len()).is_some() {
            return Err("a state has two potentials".into());
        }
        judge.all.push(read);
    }
    let first = if clocks == 0 { last } else { 0 };
    for start in subject.meaning.starts()? {
        if !judge.is_allowed(&start, first)? {
            continue;
        }
        let number = judge.numbers.get(&(start, first));
        let read = &judge.all[*number.ok_or("an initial state has no potential")?];
        let level = &read.lines[0].level;
        let is_lost = match which {
            _ if read.layer.is_some() => true,
            Lost::One(credit) => Small(credit.clone(), Rational::ZERO) < *level,
            Lost::Less(least) => *least <= level.0,
            Lost::All => false,
        };
        if !is_lost {
            return Err("the potential of an initial state is not above the credits".into());
        }
    }
    for read in &judge.all {
        budget.check()?;
        judge.check(read)?;
    }
    Ok(())
}

impl Judge<'_> {
    fn is_interval(&self, region: u32) -> bool {
        region % 2 == 1 && region < self.last
    }

    fn read(&self, potential: &Potential) -> Result<Read, Objection> {
        let malformed = || Objection::from("a potential is malformed");
        let mut lines = Vec::with_capacity(potential.pieces.len());
        for piece in &potential.pieces {
            lines.push(Line {
                time: Small::of(&piece.time),
                level: Small::of(&piece.level),
                slope: piece.slope.0.clone(),
            });
        }
        let first: &Line = lines.first().ok_or_else(malformed)?;
        if first.time != Small::number(0) || potential.region > self.last {
            return Err(malformed());
        }
        if !self.is_interval(potential.region) && (lines.len() > 1 || first.slope != Rational::ZERO) {
            return Err(malformed());
        }
        for pair in lines.windows(2) {
            let is_within = pair[0].time < pair[1].time && pair[1].time < Small::number(1);
            if !is_within || pair[0].at(&pair[1].time) != pair[1].level {
                return Err(malformed());
            }
        }
        Ok(Read {
            discrete: Discrete {
                locations: potential.locations.clone(),
                integers: potential.integers.clone(),
            },
            region: potential.region,
            lines,
            layer: potential.layer,
        })
    }

    /// Whether a region meets constraints: everywhere, or nowhere.
    fn meets(&self, region: u32, constraints: &[ClockConstraint]) -> Result<bool, Objection> {
        let half = Rational::from(region) / Rational::from(2);
        let value = if region == self.last {
            Rational::from(self.most + 1)
        } else {
            half
        };
        let mut values = vec![Rational::ZERO];
        values.extend(self.subject.network.clocks.iter().map(|_| value.clone()));
        for one in constraints {
            if one.left != 0 && one.right != 0 {
                return Err("clocks are compared with each other".into());
            }
            let is_trivial = one.left == 0 && one.right == 0;
            if !is_trivial && one.bound.abs() > self.most {
                return Err("a clock is compared with a larger constant than the evidence says".into());
            }
        }
        Ok(meet(&values, constraints))
    }

    fn is_allowed(&self, discrete: &Discrete, region: u32) -> Result<bool, Objection> {
        let Some(invariant) = self.subject.meaning.invariant(discrete)? else {
            return Ok(false);
        };
        Ok(self.meets(region, &invariant)? && self.subject.stays(discrete)?)
    }

    /// Checks delays and steps from below a potential.
    fn check(&self, read: &Read) -> Result<(), Objection> {
        if !self.is_allowed(&read.discrete, read.region)? {
            return Ok(());
        }
        let meaning = self.subject.meaning;
        let rate = Rational::from(meaning.rate(&read.discrete)?);
        let end = Small::number(1);
        let mut is_pump = false;
        if meaning.may_delay(&read.discrete)? {
            let ends = read.lines.iter().skip(1).map(|line| line.time.clone());
            for (line, end) in read.lines.iter().zip(ends.chain([end.clone()])) {
                let matters = read.layer.is_some() || line.level > self.lower || line.at(&end) > self.lower;
                if self.is_interval(read.region) && matters && line.slope < rate {
                    return Err("the level grows faster than its potential".into());
                }
            }
            if read.region == self.last && rate > Rational::ZERO {
                is_pump = true;
                if read.layer.is_none() && read.lines[0].level > self.lower {
                    return Err("the level grows without bound".into());
                }
            }
            if read.region < self.last && self.is_allowed(&read.discrete, read.region + 1)? {
                let last = read.lines.last().ok_or("a potential is empty")?;
                let level = match self.is_interval(read.region) {
                    true => last.at(&end),
                    false => last.level.clone(),
                };
                let next = self.find(&read.discrete, read.region + 1);
                let is_lost = match (read.layer, next) {
                    (Some(layer), Some(next)) => {
                        next.layer.is_some_and(|next| next <= layer) && next.lines[0].level >= level
                    }
                    (Some(_), None) => false,
                    (None, Some(next)) => {
                        next.layer.is_some() || next.lines[0].level >= level || level <= self.lower
                    }
                    (None, None) => level <= self.lower,
                };
                if !is_lost {
                    return Err("a delay leads out of what is lost".into());
                }
            }
        }
        for step in meaning.moves(&read.discrete)? {
            if self.meets(read.region, &step.guard)? {
                self.check_step(read, &step, is_pump)?;
            }
        }
        Ok(())
    }

    fn find(&self, discrete: &Discrete, region: u32) -> Option<&Read> {
        let number = self.numbers.get(&(discrete.clone(), region));
        number.map(|&number| &self.all[number])
    }

    fn check_step(&self, read: &Read, step: &Move, is_pump: bool) -> Result<(), Objection> {
        let target = step.target.clone()?;
        let mut region = read.region;
        for update in &step.updates {
            region = match update.source {
                0 if update.offset > self.most => self.last,
                0 if update.offset >= 0 => 2 * update.offset as u32,
                _ if update.offset == 0 || region == self.last && update.offset > 0 => region,
                _ if region % 2 == 0 && update.offset > 0 => {
                    let value = i64::from(region / 2) + update.offset;
                    if value > self.most {
                        self.last
                    } else {
                        2 * value as u32
                    }
                }
                _ => return Err(Objection::Unchecked("clocks that are shifted".to_owned())),
            };
        }
        if !self.is_allowed(&target, region)? {
            return Ok(());
        }
        let found = self.find(&target, region);
        match (read.layer, found.map(|found| found.layer)) {
            (Some(layer), Some(Some(next))) => {
                if next > layer || (is_pump && next == layer) {
                    return Err("a layer grows".into());
                }
            }
            (Some(_), _) => return Err("a step leads out of what is lost".into()),
            (None, Some(Some(_))) => return Ok(()),
            (None, _) => {}
        }
        // Where nothing is lost the potential is the lower bound.
        let nothing = [Line {
            time: Small::number(0),
            level: self.lower.clone(),
            slope: Rational::ZERO,
        }];
        let after: &[Line] = found.map_or(&nothing, |found| &found.lines);
        let mut times: Vec<Small> = vec![Small::number(0)];
        if self.is_interval(read.region) {
            times.push(Small::number(1));
            times.extend(read.lines.iter().map(|line| line.time.clone()));
            if region == read.region {
                times.extend(after.iter().map(|line| line.time.clone()));
            }
        }
        times.sort();
        times.dedup();
        let weight = Small::number(step.cost);
        let ends = times.iter().skip(1).chain(times.last());
        for (from, to) in times.iter().zip(ends) {
            let of = line_at(&read.lines, from);
            let next = match region == read.region {
                true => line_at(after, from),
                false => &after[0],
            };
            // Lost by so much at first, by so much after the step, and the difference that must not be more than 0.
            let level = of.plus(0, of, &Small::number(0).minus(&self.lower));
            let arrives = level.plus(0, of, &weight);
            let behind = of.plus(-1, next, &weight.plus(&Small::epsilon()));
            let mut moments = vec![from.clone(), to.clone()];
            let zeros = [&level, &arrives, &behind].into_iter().filter_map(Line::zero);
            moments.extend(zeros.filter(|zero| from < zero && zero < to));
            moments.sort();
            let half = Rational::ONE / Rational::from(2);
            let between: Vec<Small> = moments
                .windows(2)
                .map(|pair| pair[0].plus(&pair[1]).times(&half))
                .collect();
            let zero = Small::number(0);
            for moment in moments.iter().chain(&between) {
                let may_be_cut =
                    read.layer.is_none() && (level.at(moment) <= zero || arrives.at(moment) <= zero);
                if !may_be_cut && behind.at(moment) > zero {
                    return Err("a step leads out of what is lost".into());
                }
            }
        }
        Ok(())
    }
}

/// The piece that holds from a time on.
fn line_at<'l>(lines: &'l [Line], time: &Small) -> &'l Line {
    let later = lines.partition_point(|line| line.time <= *time);
    &lines[later.max(1) - 1]
}
