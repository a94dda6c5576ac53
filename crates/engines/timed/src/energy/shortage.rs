//! Why no smaller credit is enough, as potentials.
//!
//! Where some level is enough, what is needed is the potential: steps and delays from below it lead below it, and the bonus of each step is what the level falls behind. Where no level is enough, distances between corners are the potential, since all cycles
//! lose; between the two corners of an interval it is linear, as what delays and steps ask of it is.

use super::Asked;
use super::amount::Amount;
use super::places::{Sorted, first_moment, is_endless_wait, region};
use super::sweep::{Needs, Piece};
use entail_clocks::Rational;
use entail_clocks::evidence::{Potential, PotentialPiece, Potentials, Time};

/// The potentials of all that is reached.
pub(super) fn potentials(asked: &Asked<'_>, sorted: &Sorted, needs: &Needs) -> Potentials {
    let mut all = Vec::new();
    for (number, place) in sorted.places.all.iter().enumerate() {
        let position = needs.groups[place.region as usize].binary_search(&number);
        let of = &needs.pieces[place.region as usize];
        let count = match place.is_interval(sorted.places.last) {
            true => of.len() - 1,
            false => of.len(),
        };
        let piece = |piece: &Piece| {
            let need = position
                .ok()
                .and_then(|position| piece.needs[position].as_ref())?;
            Some(PotentialPiece {
                time: little(&piece.time),
                level: little(&(&need.level + &Amount::whole(asked.question.lower))),
                slope: Time(need.slope.clone()),
            })
        };
        let discrete = &asked.graph.corner(place.corner).discrete;
        all.push(Potential {
            locations: discrete.locations.clone(),
            integers: discrete.integers.clone(),
            region: place.region,
            pieces: of[..count].iter().filter_map(piece).collect(),
            layer: None,
        });
    }
    lost(asked, sorted, &mut all);
    Potentials {
        most: asked.corners.most,
        all,
    }
}

fn little(amount: &Amount) -> (Time, Time) {
    (Time(amount.0[0].clone()), Time(amount.0[1].clone()))
}

/// How often at most a run passes a state in which the level grows without bound, from where every level is lost.
fn layers(asked: &Asked<'_>, sorted: &Sorted) -> Vec<u32> {
    let arrows = &asked.graph.arrows;
    let mut is_pump = vec![false; sorted.lost.len()];
    for arrow in arrows {
        is_pump[arrow.from] |= is_endless_wait(arrow) && arrow.leads.cost > 0;
    }
    let mut layers = vec![0; sorted.lost.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for arrow in arrows.iter().filter(|arrow| sorted.lost[arrow.from].is_some()) {
            if is_endless_wait(arrow) {
                continue;
            }
            let least = layers[arrow.to] + u32::from(is_pump[arrow.from]);
            if layers[arrow.from] < least {
                layers[arrow.from] = least;
                changed = true;
            }
        }
    }
    layers
}

/// The potentials at the last moments of intervals, by the corner at their first moment.
fn ends(asked: &Asked<'_>, sorted: &Sorted) -> Vec<Option<i128>> {
    let graph = &asked.graph;
    let mut ends: Vec<Option<i128>> = vec![None; sorted.lost.len()];
    for corner in 0..sorted.lost.len() {
        let clock = graph.corner(corner).clocks.first().copied().flatten();
        if clock.is_some_and(|(_, rank)| rank < 0)
            && let Some(first) = first_moment(asked, corner)
        {
            ends[first] = sorted.lost[corner];
        }
    }
    // Where no run comes to the last moment, steps from there still must not lead to smaller potentials.
    let is_guessed: Vec<bool> = ends.iter().map(Option::is_none).collect();
    for corner in 0..ends.len() {
        ends[corner] = ends[corner].or(sorted.lost[corner]);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for arrow in graph.arrows.iter().filter(|arrow| is_guessed[arrow.from]) {
            if arrow.leads.edges.is_none() {
                continue;
            }
            let weight = i128::from(arrow.leads.cost) * sorted.scale + 1;
            let (Some(here), Some(there)) = (ends[arrow.from], ends[arrow.to]) else {
                continue;
            };
            if here > there - weight {
                ends[arrow.from] = Some(there - weight);
                changed = true;
            }
        }
    }
    ends
}

/// Adds the potentials where every level is lost.
fn lost(asked: &Asked<'_>, sorted: &Sorted, all: &mut Vec<Potential>) {
    let layers = layers(asked, sorted);
    let ends = ends(asked, sorted);
    let scaled = |number: i128| Rational::from(number) / Rational::from(sorted.scale);
    for (number, potential) in sorted.lost.iter().enumerate() {
        let Some(potential) = *potential else { continue };
        let corner = asked.graph.corner(number);
        let rank = corner.clocks.first().copied().flatten().map_or(0, |near| near.1);
        if rank < 0 {
            continue;
        }
        let slope = match rank {
            0 => Rational::ZERO,
            _ => scaled(ends[number].unwrap_or(potential) - potential),
        };
        let zero = || (Time(Rational::ZERO), Time(Rational::ZERO));
        all.push(Potential {
            locations: corner.discrete.locations.clone(),
            integers: corner.discrete.integers.clone(),
            region: region(asked, number),
            pieces: vec![PotentialPiece {
                time: zero(),
                level: (Time(scaled(potential)), Time(Rational::ZERO)),
                slope: Time(slope),
            }],
            layer: Some(layers[number]),
        });
    }
}
