//! A play that tells two networks apart, in exact time.
//!
//! At each pair the move of smallest rank is made, and of its answers the one whose own rank is largest, so that the answers hold out long. Where delays are matched by any delays, the answer to one is not to wait. Delays are the simplest numbers
//! that will do.

use super::board::{Board, SideStep};
use super::losses::{Losses, Lost, Opening};
use super::moment::{Interval, within};
use crate::space::Constraint;
use entail_clocks::Rational;
use entail_clocks::discrete::ClockUpdate;
use entail_clocks::evidence::Time;
use entail_clocks::pairs::{Play, Played, Turn};
use entail_zones::Zone;
use std::ops::Range;

/// A pair with exact clock values, the reference clock first.
struct Point {
    place: usize,
    clocks: Vec<Rational>,
}

fn meets(clocks: &[Rational], &(left, right, bound): &Constraint) -> bool {
    within(&(&clocks[left] - &clocks[right]), bound)
}

fn contains(zone: &Zone, clocks: &[Rational]) -> bool {
    let n = clocks.len();
    (0..n * n).all(|cell| meets(clocks, &(cell / n, cell % n, zone.bound(cell / n, cell % n))))
}

/// A delay of some clocks that leads into a zone.
fn delay_into(zone: &Zone, clocks: &[Rational], moving: &[Range<usize>]) -> Option<Rational> {
    let moves = |clock: usize| i32::from(moving.iter().any(|range| range.contains(&clock)));
    let mut interval = Interval::from_zero();
    for left in 0..clocks.len() {
        for right in (0..clocks.len()).filter(|&right| right != left) {
            let bound = zone.bound(left, right);
            let difference = &clocks[left] - &clocks[right];
            match moves(left) - moves(right) {
                1 => interval.at_most(&-difference, bound),
                -1 => interval.at_least(&difference, bound),
                _ if !within(&difference, bound) => return None,
                _ => {}
            }
        }
    }
    interval.simplest()
}

fn waited(clocks: &[Rational], time: &Rational, moving: &[Range<usize>]) -> Vec<Rational> {
    let mut later = clocks.to_vec();
    for clock in moving.iter().cloned().flatten() {
        later[clock] += time;
    }
    later
}

fn updated(clocks: &[Rational], updates: &[ClockUpdate]) -> Vec<Rational> {
    let mut next = clocks.to_vec();
    for update in updates {
        next[update.target] = &next[update.source] + Rational::from(update.offset);
    }
    next
}

fn waits(time: Rational) -> Played {
    Played {
        delay: Time(time),
        edges: Vec::new(),
    }
}

fn steps(step: &SideStep) -> Played {
    Played {
        delay: Time(Rational::ZERO),
        edges: step.edges.clone(),
    }
}

/// The loss of smallest rank at a pair.
fn loss<'l>(losses: &'l Losses<'_, '_>, point: &Point) -> Option<&'l Lost> {
    let here = losses.at(point.place).iter();
    here.filter(|lost| contains(&lost.zone, &point.clocks))
        .min_by_key(|lost| lost.rank)
}

/// A play from a beginning to which every answer is lost.
pub(super) fn play(board: &Board<'_>, losses: &Losses<'_, '_>, opening: &Opening) -> Play {
    let origin = vec![Rational::ZERO; board.dimension()];
    let points = opening.answers.iter().map(|&place| Point {
        place,
        clocks: origin.clone(),
    });
    let start = points.max_by_key(|point| loss(losses, point).map(|lost| lost.rank));
    let mut play = Play {
        starts: start.as_ref().map(|point| {
            let [first, second] = board.discrete(point.place);
            (first.clone(), second.clone())
        }),
        turns: Vec::new(),
    };
    let mut at = start;
    while let Some(point) = at
        && let Some(lost) = loss(losses, &point)
    {
        let turn = match lost.challenge.edges.is_empty() {
            true => after_delay(board, losses, &point, lost),
            false => after_step(board, losses, &point, lost),
        };
        let Some((turn, next)) = turn else { break };
        play.turns.push(turn);
        at = next;
    }
    play
}

/// A move, its answer, and where both lead.
type Next = Option<(Turn, Option<Point>)>;

fn after_step(board: &Board<'_>, losses: &Losses<'_, '_>, point: &Point, lost: &Lost) -> Next {
    let side = usize::from(lost.challenge.by_second);
    let is_able = |step: &&SideStep| (step.able.as_ref()).is_some_and(|zone| contains(zone, &point.clocks));
    let own = board.state(point.place, side).steps.iter();
    let step = own
        .filter(|step| step.edges == lost.challenge.edges)
        .find(is_able)?;
    let after = updated(&point.clocks, &step.updates);
    let others = board.state(point.place, 1 - side).steps.iter();
    let answers = others
        .filter(|other| other.name == step.name)
        .filter(is_able)
        .filter_map(|other| {
            let (first, second) = if side == 0 { (step, other) } else { (other, step) };
            let next = Point {
                place: board.after(first, second)?,
                clocks: updated(&after, &other.updates),
            };
            Some((loss(losses, &next)?.rank, other, next))
        });
    let answer = answers.max_by_key(|(rank, ..)| *rank);
    let turn = Turn {
        by_second: side == 1,
        challenge: steps(step),
        answer: answer.as_ref().map(|(_, other, _)| steps(other)),
    };
    Some((turn, answer.map(|(.., next)| next)))
}

fn after_delay(board: &Board<'_>, losses: &Losses<'_, '_>, point: &Point, lost: &Lost) -> Next {
    let side = usize::from(lost.challenge.by_second);
    let turn = |time: Rational, answer: Option<Rational>| Turn {
        by_second: side == 1,
        challenge: waits(time),
        answer: answer.map(waits),
    };
    let next = |clocks: Vec<Rational>| {
        Some(Point {
            place: point.place,
            clocks,
        })
    };
    if board.relation.is_abstract() {
        let own = [board.own(side)];
        let beyond = losses.unanswered(point.place, side, lost.rank);
        let time = (beyond.zones().iter()).find_map(|zone| delay_into(zone, &point.clocks, &own))?;
        let clocks = waited(&point.clocks, &time, &own);
        return Some((turn(time, Some(Rational::ZERO)), next(clocks)));
    }
    let both = [board.own(0), board.own(1)];
    if let Some(time) = longer(board, point, side) {
        return Some((turn(time, None), None));
    }
    let mut later: Vec<&Lost> = losses.at(point.place).iter().collect();
    later.retain(|other| other.rank < lost.rank);
    later.sort_by_key(|other| other.rank);
    let time = later
        .iter()
        .find_map(|other| delay_into(&other.zone, &point.clocks, &both))?;
    let clocks = waited(&point.clocks, &time, &both);
    Some((turn(time.clone(), Some(time)), next(clocks)))
}

/// A delay of a side that the other side cannot make.
fn longer(board: &Board<'_>, point: &Point, side: usize) -> Option<Rational> {
    let both = [board.own(0), board.own(1)];
    let inside = board.inside(point.place, side);
    if board.state(point.place, 1 - side).may_delay {
        let beyond = inside.without(&board.inside(point.place, 1 - side));
        return beyond
            .iter()
            .find_map(|zone| delay_into(zone, &point.clocks, &both));
    }
    // Any delay will do, as long as the side itself can wait.
    let strictly = |parts: u32| {
        let time = Rational::ONE / Rational::from(parts);
        contains(&inside, &waited(&point.clocks, &time, &both)).then_some(time)
    };
    (1..=1000).find_map(strictly)
}
