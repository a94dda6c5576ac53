//! The parts into which a strategy divides the clock values of a discrete state, and how time leads from one into another.
//!
//! A part is convex, and the controller does the same everywhere in it: it waits, takes a certain step at once, may do whatever keeps it where it wins, or is free, because the game is won or the
//! strategy says nothing. Time leads from a part into another if nothing lies between them. Where a step is to be taken, time does not pass: a line of time that comes into such states ends at the first
//! of them. If there is none, as in `x > 3`, a step is taken at any moment before the line leaves the states of that rule.
//!
//! All of it is found by subtraction: behind an obstacle on its way, time has passed through the obstacle.

use entail_clocks::EdgeId;
use entail_zones::{Bound, Federation, Zone};

/// What the controller does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Anything: the game is won, or the strategy says nothing.
    Free {
        /// Whether the game is won.
        won: bool,
    },
    /// It waits.
    Wait,
    /// It takes this step at once.
    Take(Box<[EdgeId]>),
    /// Whatever leads to states where it wins.
    Keep,
}

/// A rule of a strategy.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// Where it applies.
    pub zone: Zone,
    /// Smaller ones come first.
    pub rank: u32,
    /// The step that is taken; none: the controller waits.
    pub takes: Box<[EdgeId]>,
}

/// Clock values at which the controller does the same.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The values.
    pub zone: Zone,
    /// What it does.
    pub mode: Mode,
    /// Parts of one rule have the same number.
    pub rule: usize,
    /// Whether the condition holds in which a run is to stay.
    pub stays: bool,
}

/// Time leads from a part into another.
#[derive(Debug)]
pub(super) struct Passage {
    /// From where, by position.
    pub from: usize,
    /// To where, by position.
    pub to: usize,
    /// The values of the other part that it leads to.
    pub into: Zone,
    /// Whether it passes through these two parts only, or through others in which the condition holds in which a run is to stay.
    pub stays: bool,
}

/// What a discrete state is like.
#[derive(Debug)]
pub(super) struct Ground<'g> {
    /// Its invariant.
    pub invariant: &'g Zone,
    /// Where the game is won.
    pub won: &'g [Zone],
    /// The rules, in the order of their ranks.
    pub rules: &'g [Rule],
    /// Whether something must be reached; otherwise ranks and steps of rules mean nothing.
    pub must_win: bool,
    /// The condition in which a run is to stay, if there is one.
    pub condition: Option<&'g [Zone]>,
}

/// Collects parts, each without what was there before.
#[derive(Default)]
struct Collected {
    parts: Vec<Part>,
    covered: Vec<Zone>,
    rule: usize,
}

impl Collected {
    fn add(&mut self, zone: &Zone, mode: &Mode) {
        self.rule += 1;
        for piece in Federation::from(zone.clone()).without(&self.covered).zones() {
            self.parts.push(Part {
                zone: piece.clone(),
                mode: mode.clone(),
                rule: self.rule,
                stays: false,
            });
        }
    }

    fn add_and_cover(&mut self, zone: &Zone, mode: &Mode) {
        self.add(zone, mode);
        self.covered.push(zone.clone());
    }
}

/// Divides the values of a discrete state.
pub(super) fn divide(ground: &Ground<'_>) -> Vec<Part> {
    let mut all = Collected::default();
    let inside = |zone: &Zone| zone.meet(ground.invariant);
    for zone in ground.won.iter().filter_map(inside) {
        all.add_and_cover(&zone, &Mode::Free { won: true });
    }
    if ground.must_win {
        for same in ground.rules.chunk_by(|one, other| one.rank == other.rank) {
            let of = |takes: bool| {
                (same.iter())
                    .filter(move |rule| rule.takes.is_empty() != takes)
                    .filter_map(|rule| inside(&rule.zone).map(|zone| (zone, rule)))
            };
            // Steps of the same rank are chosen freely: these parts may overlap.
            of(true).for_each(|(zone, rule)| all.add(&zone, &Mode::Take(rule.takes.clone())));
            all.covered.extend(of(true).map(|(zone, _)| zone));
            of(false).for_each(|(zone, _)| all.add_and_cover(&zone, &Mode::Wait));
        }
    } else {
        for zone in ground.rules.iter().filter_map(|rule| inside(&rule.zone)) {
            all.add_and_cover(&zone, &Mode::Keep);
        }
    }
    all.add(ground.invariant, &Mode::Free { won: false });
    match ground.condition {
        None => all.parts,
        Some(condition) => all
            .parts
            .iter()
            .flat_map(|part| refined(part, condition))
            .collect(),
    }
}

/// A part within and outside a condition.
fn refined(part: &Part, condition: &[Zone]) -> Vec<Part> {
    let with = |zone: Zone, stays: bool| Part {
        zone,
        stays,
        ..part.clone()
    };
    let mut found = Vec::new();
    let mut rest = Federation::from(part.zone.clone());
    for zone in condition {
        found.extend(rest.meet(zone).zones().iter().map(|one| with(one.clone(), true)));
        rest = rest.without([zone]);
    }
    found.extend(rest.zones().iter().map(|one| with(one.clone(), false)));
    found
}

/// What lies behind zones in time.
fn behind(zones: &[Zone]) -> Vec<Zone> {
    let mut behind = zones.to_vec();
    behind.iter_mut().for_each(Zone::delay);
    behind
}

/// The lower bound of a clock in a zone, and whether the zone has values at it.
fn lower(zone: &Zone, clock: usize) -> (i32, bool) {
    let bound = zone.bound(0, clock);
    (-bound.constant(), !bound.is_strict())
}

/// The values of a zone that are the first of it on their line of time, for each clock whose lower bound it is.
fn first_moments(zone: &Zone, of: &Zone) -> Vec<Zone> {
    let at = |clock: usize| {
        let (constant, is_reached) = lower(of, clock);
        let mut first = zone.clone();
        (is_reached && first.constrain(clock, 0, Bound::at_most(constant))).then_some(first)
    };
    (1..zone.dimension()).filter_map(at).collect()
}

/// The values of a zone on lines of time that have no first moment in it, for each clock by whose lower bound that is.
fn without_first_moment(zone: &Zone, of: &Zone) -> Vec<Zone> {
    let by = |clock: usize| {
        let (constant, is_reached) = lower(of, clock);
        let mut later = zone.clone();
        // Going back in time, this bound is met first.
        let is_first = !is_reached
            && (1..zone.dimension())
                .filter(|&other| other != clock)
                .all(|other| {
                    let least = Bound::at_most(constant - lower(of, other).0);
                    later.constrain(clock, other, least)
                });
        is_first.then_some(later)
    };
    (1..zone.dimension()).filter_map(by).collect()
}

/// How time leads from part to part.
pub(super) fn passages(parts: &[Part], invariant: &Zone) -> Vec<Passage> {
    let mut found = Vec::new();
    for (from, part) in parts.iter().enumerate() {
        if matches!(part.mode, Mode::Take(_)) {
            continue;
        }
        let mut up = part.zone.clone();
        up.delay();
        let Some(up) = up.meet(invariant) else { continue };
        let later: Vec<usize> = (0..parts.len())
            .filter(|&other| other != from && parts[other].zone.meet(&up).is_some())
            .collect();
        for &to in &later {
            let may_enter = match (&part.mode, &parts[to].mode) {
                (Mode::Keep, other) => matches!(other, Mode::Keep | Mode::Free { won: true }),
                _ => true,
            };
            if !may_enter {
                continue;
            }
            let direct = directly(parts, &later, &up, to);
            match parts[to].mode {
                Mode::Take(_) => {
                    for stays in [true, false] {
                        let entered = entered(parts, &later, (to, stays), &direct, invariant);
                        let passage = |(to, into)| Passage {
                            from,
                            to,
                            into,
                            stays,
                        };
                        found.extend(entered.into_iter().map(passage));
                    }
                }
                _ => found.extend(direct.into_iter().map(|into| Passage {
                    from,
                    to,
                    into,
                    stays: true,
                })),
            }
        }
    }
    found
}

/// The values of a part that time leads to without passing through a third.
fn directly(parts: &[Part], later: &[usize], up: &Zone, to: usize) -> Vec<Zone> {
    let target = &parts[to].zone;
    let mut reached: Federation = target.meet(up).into_iter().collect();
    for &other in later.iter().filter(|&&other| other != to) {
        let obstacle = Federation::from(parts[other].zone.clone()).meet(up);
        let obstacle = obstacle.without([target]);
        reached = reached.without(&behind(obstacle.zones()));
    }
    reached.merged().zones().to_vec()
}

/// Where time that comes into a part in which a step is taken ends: at its first moments, or anywhere in the parts of its rule, or in those of them in which a run stays within the condition.
fn entered(
    parts: &[Part],
    later: &[usize],
    (to, stays): (usize, bool),
    direct: &[Zone],
    invariant: &Zone,
) -> Vec<(usize, Zone)> {
    let target = &parts[to];
    let mut found = Vec::new();
    for zone in direct {
        if stays {
            let first = first_moments(zone, &target.zone);
            found.extend(first.into_iter().map(|one| (to, one)));
        }
        for open in without_first_moment(zone, &target.zone) {
            let mut up = open.clone();
            up.delay();
            let Some(up) = up.meet(invariant) else { continue };
            let of_rule = |position: &usize| parts[*position].rule == target.rule;
            for &other in later.iter().filter(|position| of_rule(position)) {
                let passed: Vec<Zone> = (later.iter().filter(|position| of_rule(position)))
                    .filter(|&&position| parts[position].stays || !stays)
                    .map(|&position| parts[position].zone.clone())
                    .collect();
                let mut reached: Federation = parts[other].zone.meet(&up).into_iter().collect();
                for &position in later {
                    let obstacle = Federation::from(parts[position].zone.clone()).meet(&up);
                    let obstacle = obstacle.without(&passed);
                    reached = reached.without(&behind(obstacle.zones()));
                }
                // What is done there depends on where it is, not on the rule within which time went on.
                for zone in reached.merged().zones() {
                    let there = |&position: &usize| Some((position, parts[position].zone.meet(zone)?));
                    found.extend(later.iter().filter_map(there));
                }
            }
        }
    }
    found
}
