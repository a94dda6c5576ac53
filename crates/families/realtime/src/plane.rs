//! Zones of two clocks in the plane: what values two clocks can have along the steps of a run.
//!
//! The run is taken again symbolically: from all that can be reached by its steps so far, whatever the delays, the next step leads on. Each zone, projected to two clocks, is a polygon with sides along the axes and the
//! diagonals; one without a bound is cut off a little beyond the largest number in the picture. The line goes through the values of the run itself.

use crate::trace::Stop;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete};
use entail_clocks::{Network, Rational};
use entail_show::{Drawing, Place, Shape, Tone};
use entail_zones::{Bound, Zone};

/// Zones in one picture, at most.
const MOST_ZONES: usize = 24;
/// The side of the picture.
const SIDE: f64 = 420.0;

/// A zone projected to two clocks: bounds of the first, of the second, and of the first minus the second.
struct Flat {
    low: [f64; 2],
    /// Nothing: there is no bound.
    high: [Option<f64>; 2],
    /// The first minus the second is at most this, and at least that.
    most: Option<f64>,
    least: Option<f64>,
    number: usize,
}

fn constrained(zone: &mut Zone, constraints: &[ClockConstraint]) -> bool {
    constraints.iter().all(|one| {
        i32::try_from(one.bound)
            .is_ok_and(|bound| zone.constrain(one.left, one.right, Bound::new(bound, one.strict)))
    })
}

/// Lets time pass in a zone where the state allows it.
fn waited(network: &Network, state: &Discrete, zone: &mut Zone) -> Option<()> {
    let mut invariant = Vec::new();
    network.invariant(state, &mut invariant).ok()?.then_some(())?;
    constrained(zone, &invariant).then_some(())?;
    if network.may_delay(state).ok()? {
        zone.delay_but(&network.stopped(state).ok()?);
        constrained(zone, &invariant).then_some(())?;
    }
    Some(())
}

/// The zones along a run.
fn zones(network: &Network, stops: &[Stop]) -> Option<Vec<Zone>> {
    let first = stops.first()?;
    let mut zone = Zone::zero(network.dimension());
    waited(network, &first.discrete, &mut zone)?;
    let mut found = vec![zone.clone()];
    for pair in stops.windows(2).take(MOST_ZONES - 1) {
        let [before, after] = pair else { continue };
        if after.edges.is_empty() {
            continue;
        }
        let state = &before.discrete;
        let mut guard = Vec::new();
        // The step may be one of several with the same edges, for receivers that stay out of a broadcast.
        let joints = network.joints(state).ok()?;
        let joint = joints.iter().find(|joint| joint.edges == after.edges)?;
        guard.extend(joint.side.iter().copied());
        network
            .guard(&after.edges, &state.integers, &mut guard)
            .ok()?
            .then_some(())?;
        constrained(&mut zone, &guard).then_some(())?;
        let mut updates: Vec<ClockUpdate> = Vec::new();
        network.act(&after.edges, state, &mut updates).ok()??;
        for update in &updates {
            zone.assign(update.target, update.source, i32::try_from(update.offset).ok()?);
        }
        waited(network, &after.discrete, &mut zone)?;
        found.push(zone.clone());
    }
    Some(found)
}

fn flat(zone: &Zone, [x, y]: [usize; 2], number: usize) -> Flat {
    let bound = |left: usize, right: usize| {
        let bound = zone.bound(left, right);
        (!bound.is_none()).then(|| f64::from(bound.constant()))
    };
    let low = |clock: usize| -bound(0, clock).unwrap_or(0.0);
    Flat {
        low: [low(x), low(y)],
        high: [bound(x, 0), bound(y, 0)],
        most: bound(x, y),
        least: bound(y, x).map(|bound| -bound),
        number,
    }
}

/// Keeps what lies on one side of a line: `a·x + b·y <= c`.
fn cut(corners: Vec<Place>, (a, b, c): (f64, f64, f64)) -> Vec<Place> {
    let value = |(x, y): Place| a * x + b * y - c;
    let mut kept = Vec::new();
    for (at, &here) in corners.iter().enumerate() {
        let next = corners[(at + 1) % corners.len()];
        let (one, other) = (value(here), value(next));
        if one <= 0.0 {
            kept.push(here);
        }
        if (one < 0.0 && other > 0.0) || (one > 0.0 && other < 0.0) {
            let share = one / (one - other);
            kept.push((
                here.0 + share * (next.0 - here.0),
                here.1 + share * (next.1 - here.1),
            ));
        }
    }
    kept
}

/// The corners of a zone, as far as a number.
fn corners(zone: &Flat, end: f64) -> Vec<Place> {
    let high = |clock: usize| zone.high[clock].unwrap_or(end).min(end);
    let [left, down] = zone.low;
    let mut all = vec![(left, down), (high(0), down), (high(0), high(1)), (left, high(1))];
    if let Some(most) = zone.most {
        all = cut(all, (1.0, -1.0, most));
    }
    if let Some(least) = zone.least {
        all = cut(all, (-1.0, 1.0, -least));
    }
    all
}

/// The two clocks of a picture: those that are named, or the first two.
pub(crate) fn clocks(network: &Network, named: Option<&str>) -> Result<[usize; 2], String> {
    let Some(named) = named else {
        return match network.clocks.len() {
            0 | 1 => Err("the model has fewer than two clocks".to_owned()),
            _ => Ok([1, 2]),
        };
    };
    let mut found = Vec::new();
    for name in named.split(',').map(str::trim) {
        match network.clocks.iter().position(|clock| clock.name == name) {
            Some(position) => found.push(position + 1),
            None => {
                let all: Vec<&str> = network
                    .clocks
                    .iter()
                    .map(|clock| clock.name.as_str())
                    .take(12)
                    .collect();
                return Err(format!(
                    "there is no clock `{name}`; there are {}",
                    all.join(", ")
                ));
            }
        }
    }
    match found.as_slice() {
        &[x, y] if x != y => Ok([x, y]),
        _ => Err("two clocks are needed, such as `x,y`".to_owned()),
    }
}

/// The zones of two clocks along a run.
pub(crate) fn drawing(network: &Network, stops: &[Stop], pair: [usize; 2]) -> Option<Drawing> {
    let zones: Vec<Flat> = zones(network, stops)?
        .iter()
        .enumerate()
        .map(|(number, zone)| flat(zone, pair, number))
        .collect();
    let number = |value: &Rational| value.to_f64().value();
    let of_run = |stop: &Stop| {
        let clocks = stop.clocks.as_ref()?;
        Some((number(&clocks[pair[0]]), number(&clocks[pair[1]])))
    };
    let mut line: Vec<Place> = Vec::new();
    for stop in stops.iter().take(MOST_ZONES) {
        let Some(at) = of_run(stop) else { break };
        // Where time passed before the step, both clocks grew by it, unless they stood still.
        if let (Some(&last), Some(delay)) = (line.last(), &stop.delay) {
            let stood = stops
                .iter()
                .position(|one| std::ptr::eq(one, stop))
                .and_then(|at| network.stopped(&stops.get(at.checked_sub(1)?)?.discrete).ok());
            let stood = stood.unwrap_or_default();
            let gain = |clock: usize| {
                if stood.contains(&clock) {
                    0.0
                } else {
                    number(delay)
                }
            };
            line.push((last.0 + gain(pair[0]), last.1 + gain(pair[1])));
        }
        line.push(at);
    }
    let largest = zones.iter().flat_map(|zone| {
        let bounds = [zone.high[0], zone.high[1], Some(zone.low[0]), Some(zone.low[1])];
        bounds.into_iter().flatten()
    });
    let largest = largest
        .chain(line.iter().flat_map(|(x, y)| [*x, *y]))
        .fold(1.0, f64::max);
    let end = largest * 1.15;
    let scale = SIDE / end;
    let at = |(x, y): Place| (x * scale, SIDE - y * scale);
    let mut shapes = vec![Shape::Line {
        through: vec![(0.0, 0.0), (0.0, SIDE), (SIDE, SIDE)],
        arrow: false,
        tone: Tone::Plain,
    }];
    let step = 10f64.powf((largest / 4.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * step)
        .find(|step| largest / step <= 8.0);
    let step = step.unwrap_or(largest);
    let mut tick = step;
    while tick <= end {
        let text = |place: Place| Shape::Text {
            at: place,
            text: format!("{tick}"),
            tone: Tone::Faint,
        };
        shapes.push(text((tick * scale, SIDE + 14.0)));
        shapes.push(text((-14.0, SIDE - tick * scale + 4.0)));
        tick += step;
    }
    let title = |place: Place, text: &str| Shape::Text {
        at: place,
        text: text.to_owned(),
        tone: Tone::Plain,
    };
    shapes.push(title((SIDE / 2.0, SIDE + 30.0), network.clock_name(pair[0])));
    shapes.push(title((0.0, -8.0), network.clock_name(pair[1])));
    for zone in &zones {
        let all: Vec<Place> = corners(zone, end).into_iter().map(at).collect();
        if all.is_empty() {
            continue;
        }
        let count = all.len() as f64;
        let middle = all.iter().fold((0.0, 0.0), |sum, one| {
            (sum.0 + one.0 / count, sum.1 + one.1 / count)
        });
        shapes.push(Shape::Area {
            corners: all,
            tone: Tone::Plain,
        });
        shapes.push(Shape::Text {
            at: middle,
            text: zone.number.to_string(),
            tone: Tone::Faint,
        });
    }
    shapes.push(Shape::Line {
        through: line.into_iter().map(at).collect(),
        arrow: true,
        tone: Tone::Marked,
    });
    Some(Drawing {
        about: format!(
            "zones of {} and {} along the run",
            network.clock_name(pair[0]),
            network.clock_name(pair[1])
        ),
        shapes,
    })
}
