//! Every run: how low and how high the level can be.
//!
//! What a run accumulates is linear in its delays, so it is least, or approached, along [corners](crate::corners): the least level at a corner is a shortest path. Where what is above a weak bound is lost, the level is that of a run that begins with the credit, or that of one that
//! begins at the bound anywhere. Distances within the bounds are potentials that show it for all runs; a path that leaves them, or a cycle that goes ever further, has a run near it that leaves them.

use super::{Asked, refused};
use crate::Stop;
use crate::corner_graph::Weighed;
use crate::corners::Leads;
use entail_budget::Budget;
use entail_clocks::evidence::{Because, LevelledCorner, Run, Sustained, Time};
use entail_clocks::{Meaning, Rational, Upper};

/// Steps of a run, at most.
const MOST_STEPS: usize = 100_000;

/// In which direction bounds are left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Down,
    Up,
}

/// Distances, or a path out of the bounds.
enum Found {
    Within(Vec<Rational>),
    Path(Vec<usize>),
}

pub(super) fn decide(asked: &Asked<'_>, budget: &Budget) -> Result<Sustained, Stop> {
    let question = asked.question;
    let Some(credit) = question.credit.clone() else {
        return refused("--energy: about every run, say with which --credit it begins");
    };
    let outcome = |run: Option<Run>, because: Option<Because>| Sustained {
        holds: run.is_none(),
        credit: Some(Time(credit.clone())),
        run,
        since: 0,
        cap: question.cap(),
        because,
    };
    if asked.graph.roots == 0 {
        // The invariants let no run begin.
        let (most, corners) = (asked.corners.most, Vec::new());
        return Ok(outcome(None, Some(Because::Corners { most, corners })));
    }
    let Some(begun) = question.cut(credit.clone()) else {
        // The credit itself is out of bounds.
        let first = asked.graph.corners.get_index(0);
        let run = first.map(|(first, _)| asked.corners.run_near(first, &[], &Rational::ONE));
        return Ok(outcome(run, None));
    };
    let roots = asked.graph.from_roots(0);
    let mut least = match extremes(asked, roots.clone(), Way::Down, &begun, budget)? {
        Found::Within(least) => least,
        Found::Path(path) => return Ok(outcome(Some(run(asked, &path, &begun)?), None)),
    };
    let mut most = None;
    match question.upper {
        None => {}
        Some(Upper::Limit(_)) => match extremes(asked, roots, Way::Up, &begun, budget)? {
            Found::Within(distances) => most = Some(distances),
            Found::Path(path) => return Ok(outcome(Some(run(asked, &path, &begun)?), None)),
        },
        Some(Upper::Weak(bound)) => {
            // From the bound on, anywhere.
            let anywhere = vec![Some(0); asked.graph.corners.len()];
            match extremes(asked, anywhere, Way::Down, &Rational::from(bound), budget)? {
                Found::Path(path) => return Ok(outcome(Some(run(asked, &path, &begun)?), None)),
                Found::Within(weak) => {
                    for (one, other) in least.iter_mut().zip(weak) {
                        *one = other.min(one.clone());
                    }
                }
            }
        }
    }
    let because = Because::Corners {
        most: asked.corners.most,
        corners: corners_of(asked, least, most),
    };
    Ok(outcome(None, Some(because)))
}

/// The extreme levels at all corners, or a path to one that is out of bounds: of runs that begin where distances are given, with this level.
fn extremes(
    asked: &Asked<'_>,
    begin: Vec<Option<i128>>,
    way: Way,
    begun: &Rational,
    budget: &Budget,
) -> Result<Found, Stop> {
    let graph = &asked.graph;
    let sign: i128 = if way == Way::Down { 1 } else { -1 };
    // How far the distance may fall.
    let room = match (way, asked.question.upper) {
        (Way::Up, Some(upper)) => Rational::from(upper.bound()) - begun,
        _ => begun - Rational::from(asked.question.lower),
    };
    let is_out = |distance: i128| Rational::from(-distance) > room;
    let weight = |arrow: usize| i128::from(graph.arrows[arrow].leads.cost) * sign;
    match graph.weighed(begin, |arrow| Some(i128::from(arrow.leads.cost) * sign), budget)? {
        Weighed::Distances(distances, by) => {
            let out = distances.iter().position(|one| one.is_some_and(is_out));
            let Some(mut here) = out else {
                let level = |one: &Option<i128>| begun + Rational::from(one.unwrap_or(0) * sign);
                return Ok(Found::Within(distances.iter().map(level).collect()));
            };
            let mut path = Vec::new();
            while let Some(arrow) = by[here] {
                path.push(arrow);
                here = graph.arrows[arrow].from;
            }
            path.extend(graph.way_to(here).1.into_iter().rev());
            path.reverse();
            Ok(Found::Path(path))
        }
        Weighed::Cycle(cycle) => {
            let mut path = graph.way_to(graph.arrows[cycle[0]].from).1;
            let mut distance: i128 = path.iter().map(|&arrow| weight(arrow)).sum();
            while !is_out(distance) {
                budget.check()?;
                distance += cycle.iter().map(|&arrow| weight(arrow)).sum::<i128>();
                path.extend(&cycle);
                if path.len() > MOST_STEPS {
                    return refused("--energy: the run that leaves the bounds is too long");
                }
            }
            Ok(Found::Path(path))
        }
    }
}

/// A run so near a path of corners that it leaves the bounds, too.
fn run(asked: &Asked<'_>, path: &[usize], begun: &Rational) -> Result<Run, Stop> {
    let leads: Vec<&Leads> = path
        .iter()
        .map(|&arrow| &asked.graph.arrows[arrow].leads)
        .collect();
    let first = match path.first() {
        Some(&arrow) => asked.graph.corner(asked.graph.arrows[arrow].from),
        None => asked.graph.corner(0),
    };
    let (mut level, mut rates) = (begun.clone(), Rational::ZERO);
    let (mut discrete, mut gap) = (&first.discrete, None);
    for one in &leads {
        if one.edges.is_none() {
            let rate = Meaning::rate(asked.network, discrete).map_err(Stop::at_start)?;
            rates += Rational::from(rate.abs());
        }
        level += Rational::from(one.cost);
        match asked.question.cut(level.clone()) {
            Some(cut) => level = cut,
            None => {
                let below = Rational::from(asked.question.lower) - &level;
                let upper = asked
                    .question
                    .upper
                    .map_or(level.clone(), |upper| upper.bound().into());
                let above = &level - upper;
                gap = Some(below.max(above));
                break;
            }
        }
        discrete = &one.target.discrete;
    }
    let gap =
        gap.ok_or_else(|| Stop::Unknown("--energy: the path found does not leave the bounds".to_owned()))?;
    let how_near = Rational::ONE + rates / gap;
    Ok(asked.corners.run_near(first, &leads, &how_near))
}

fn corners_of(asked: &Asked<'_>, least: Vec<Rational>, most: Option<Vec<Rational>>) -> Vec<LevelledCorner> {
    let most = most.map_or_else(
        || vec![None; least.len()],
        |most| most.into_iter().map(Some).collect(),
    );
    let corners = asked.graph.corners.keys().zip(least).zip(most);
    corners
        .map(|((corner, least), most)| LevelledCorner {
            locations: corner.discrete.locations.clone(),
            integers: corner.discrete.integers.clone(),
            clocks: corner.clocks.to_vec(),
            least: Time(least),
            most: most.map(Time),
        })
        .collect()
}
