//! Priced zones: a zone with a lower bound of the cost at which its values are reached, affine in the clocks (Larsen et al. 2001).
//!
//! The cost after a delay or an update is the least over all ways to the same values. It is affine on parts of the result: for each clock, the part where that clock's bound is the one that
//! limits how much time has passed (or how small or large the forgotten clock was). Parts are zones again, since they compare differences of clocks. Costs are infima: a strict bound counts like the
//! other kind.
//!
//! The least value of an affine function over a zone is a transport problem, by duality: clocks on which the function falls send what it falls by to those on which it grows, over bounds as
//! costs. It is solved by cheapest ways one after the other; vertices of zones are whole numbers, so everything is.

use crate::{Bound, Zone};

/// A zone with costs: `offset + Σ slopes[x] · x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PricedZone {
    /// The clock values.
    pub zone: Zone,
    /// The cost where all clocks are 0, whether or not they can be.
    pub offset: i64,
    /// How much the cost grows with each clock; the reference clock's is 0.
    pub slopes: Vec<i64>,
}

/// The least value of a linear function over a zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Least {
    /// The value.
    pub value: i64,
    /// Bounds (of the left clock minus the right one) that are met with equality exactly where the function has it.
    pub tight: Vec<(usize, usize)>,
}

/// The least value of `Σ slopes[x] · x` over a zone, closed; nothing if there is none.
pub fn least(zone: &Zone, slopes: &[i64]) -> Option<Least> {
    let n = zone.dimension();
    let mut supply: Vec<i64> = slopes.iter().map(|slope| -slope).collect();
    supply[0] = slopes[1..].iter().sum();
    let mut flow = vec![0i64; n * n];
    while let Some(source) = supply.iter().position(|&supply| supply > 0) {
        // The cheapest way from the source, with what flows already sent back at what it cost.
        let mut way: Vec<Option<(i64, usize)>> = vec![None; n];
        way[source] = Some((0, source));
        for _ in 0..n {
            let mut changed = false;
            for from in 0..n {
                let Some((begun, _)) = way[from] else { continue };
                for to in (0..n).filter(|&to| to != from) {
                    let mut cost =
                        (!zone.bound(from, to).is_none()).then(|| i64::from(zone.bound(from, to).constant()));
                    if flow[to * n + from] > 0 {
                        let back = -i64::from(zone.bound(to, from).constant());
                        cost = Some(cost.map_or(back, |cost| cost.min(back)));
                    }
                    if let Some(cost) = cost
                        && way[to].is_none_or(|(known, _)| begun + cost < known)
                    {
                        way[to] = Some((begun + cost, from));
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let wanting = (0..n).filter(|&clock| supply[clock] < 0);
        let sink = wanting.filter_map(|clock| way[clock].map(|(cost, _)| (cost, clock)));
        let (_, sink) = sink.min()?;
        send(zone, &mut flow, &mut supply, &way, source, sink);
    }
    let mut cost = 0;
    let mut tight = Vec::new();
    for (at, &sent) in flow.iter().enumerate().filter(|(_, sent)| **sent > 0) {
        let (left, right) = (at / n, at % n);
        cost += sent * i64::from(zone.bound(left, right).constant());
        tight.push((left, right));
    }
    Some(Least { value: -cost, tight })
}

/// Sends as much as possible along a way.
fn send(
    zone: &Zone,
    flow: &mut [i64],
    supply: &mut [i64],
    way: &[Option<(i64, usize)>],
    source: usize,
    sink: usize,
) {
    let n = zone.dimension();
    let mut steps = Vec::new();
    let mut here = sink;
    while here != source {
        let Some((_, from)) = way[here] else { return };
        let forward = zone.bound(from, here);
        let back = zone.bound(here, from);
        // Backwards where that is cheaper, or the only way.
        let is_back =
            flow[here * n + from] > 0 && (forward.is_none() || -back.constant() < forward.constant());
        steps.push((from, here, is_back));
        here = from;
    }
    let mut amount = supply[source].min(-supply[sink]);
    for &(from, to, is_back) in &steps {
        if is_back {
            amount = amount.min(flow[to * n + from]);
        }
    }
    for (from, to, is_back) in steps {
        match is_back {
            true => flow[to * n + from] -= amount,
            false => flow[from * n + to] += amount,
        }
    }
    supply[source] -= amount;
    supply[sink] += amount;
}

impl PricedZone {
    /// All clocks are 0, at no cost.
    pub fn zero(dimension: usize) -> PricedZone {
        PricedZone {
            zone: Zone::zero(dimension),
            offset: 0,
            slopes: vec![0; dimension],
        }
    }

    /// The least cost in it; nothing if there is no bound.
    pub fn least(&self) -> Option<i64> {
        least(&self.zone, &self.slopes).map(|least| self.offset + least.value)
    }

    /// Whether each of its values is in another one, at no larger cost.
    pub fn is_dominated_by(&self, other: &PricedZone) -> bool {
        if !self.zone.is_within(&other.zone) {
            return false;
        }
        let difference: Vec<i64> = (self.slopes.iter().zip(&other.slopes))
            .map(|(own, other)| own - other)
            .collect();
        least(&self.zone, &difference).is_some_and(|least| least.value + self.offset - other.offset >= 0)
    }

    /// The same zone with another part of the cost on one clock.
    fn charged(&self, zone: Zone, clock: usize, slope: i64, offset: i64) -> PricedZone {
        let mut slopes = self.slopes.clone();
        if clock != 0 {
            slopes[clock] += slope;
        }
        PricedZone {
            zone,
            offset: self.offset + offset,
            slopes,
        }
    }

    /// Lets time pass at a rate: parts that cover everything.
    pub fn delay(&self, rate: i64) -> Vec<PricedZone> {
        let n = self.zone.dimension();
        let more = rate - self.slopes.iter().sum::<i64>();
        let mut later = self.zone.clone();
        later.delay();
        if more == 0 {
            return vec![self.charged(later, 0, 0, 0)];
        }
        // If waiting is cheap, as much time as possible has passed since the clocks had their least values; otherwise as little as possible since their largest.
        let limit = |clock: usize| match more < 0 {
            true => Some(-self.zone.bound(0, clock).constant()),
            false => {
                let bound = self.zone.bound(clock, 0);
                (!bound.is_none()).then(|| bound.constant())
            }
        };
        let mut parts = Vec::new();
        if more > 0 {
            parts.push(self.clone());
        }
        for clock in 1..n {
            let Some(own) = limit(clock) else { continue };
            let mut zone = later.clone();
            let is_left = (1..n).filter(|&other| other != clock).all(|other| {
                let Some(limit) = limit(other) else { return true };
                match more < 0 {
                    true => zone.constrain(clock, other, Bound::at_most(own - limit)),
                    false => zone.constrain(other, clock, Bound::at_most(limit - own)),
                }
            });
            if is_left && (more < 0 || zone.constrain(0, clock, Bound::at_most(-own))) {
                parts.push(self.charged(zone, clock, more, -more * i64::from(own)));
            }
        }
        parts
    }

    /// Forgets a clock, at the least cost over its values: parts in which it may have any value and costs nothing.
    pub fn forget(&self, clock: usize) -> Vec<PricedZone> {
        let n = self.zone.dimension();
        let slope = self.slopes[clock];
        let mut free = self.zone.clone();
        free.free(clock);
        let mut without = self.clone();
        without.slopes[clock] = 0;
        if slope == 0 {
            without.zone = free;
            return vec![without];
        }
        // The clock was as small as its lower bounds allow, or as large as its upper ones do.
        let bound = |other: usize| match slope > 0 {
            true => self.zone.bound(other, clock),
            false => self.zone.bound(clock, other),
        };
        let others = || (0..n).filter(|&other| other != clock && !bound(other).is_none());
        let mut parts = Vec::new();
        for one in others() {
            let own = bound(one).constant();
            let mut zone = free.clone();
            let is_left = others().filter(|&other| other != one).all(|other| {
                let limit = bound(other).constant();
                match slope > 0 {
                    true => zone.constrain(other, one, Bound::at_most(limit - own)),
                    false => zone.constrain(one, other, Bound::at_most(limit - own)),
                }
            });
            if is_left {
                let offset = if slope > 0 { -own } else { own };
                parts.push(without.charged(zone, one, slope, slope * i64::from(offset)));
            }
        }
        parts
    }

    /// `target := source + offset`, where source 0 stands for a number: parts that cover everything.
    pub fn assign(&self, target: usize, source: usize, offset: i32) -> Vec<PricedZone> {
        if target == source {
            let mut shifted = self.clone();
            shifted.zone.assign(target, source, offset);
            shifted.offset -= shifted.slopes[target] * i64::from(offset);
            return vec![shifted];
        }
        let mut parts = self.forget(target);
        for part in &mut parts {
            part.zone.assign(target, source, offset);
        }
        parts
    }
}
