//! The least level from which steps that take no time and stay in a region can go on for ever: an energy problem without clocks.
//!
//! Levels are lifted from 0 until every place has a step that a run can afford (energy progress measures, Brim et al. 2011): the least fixpoint of `f(q) = min over steps of max(0, f(q') − weight)`. A place that
//! needs more than all places together can lose on a way without repetition needs infinitely much. Weights are multiplied by a number larger than the length of such ways, and one is added: that is the bonus ε of every step.

use super::amount::Amount;
use super::places::Places;
use crate::Stop;
use entail_budget::Budget;
use entail_clocks::Rational;

/// For each place of a group: what it needs, and the step, where it can go on so.
pub(super) type Steady = Vec<Option<(Amount, usize)>>;

/// The needs of a group of places.
pub(super) fn needs(places: &Places, group: &[usize], budget: &Budget) -> Result<Steady, Stop> {
    let position = |place: usize| group.binary_search(&place).ok();
    let scale = 2 * group.len() as i128 + 2;
    // Steps inside, as (number, target, weight), and who is to be looked at again.
    let mut steps: Vec<Vec<(usize, usize, i128)>> = vec![Vec::new(); group.len()];
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); group.len()];
    let mut most: i128 = 1;
    for (here, &place) in group.iter().enumerate() {
        let mut loses = 0;
        for (number, step) in places.all[place].steps.iter().enumerate() {
            let Some(to) = position(step.to).filter(|_| step.is_inside) else {
                continue;
            };
            let weight = i128::from(step.weight) * scale + 1;
            steps[here].push((number, to, weight));
            before[to].push(here);
            loses = loses.max(-weight);
        }
        most += loses;
    }
    let mut need: Vec<Option<i128>> = vec![Some(0); group.len()];
    let mut waiting: Vec<usize> = (0..group.len()).collect();
    let mut is_waiting = vec![true; group.len()];
    let least = |need: &[Option<i128>], here: usize| {
        let affords = |&(number, to, weight): &(usize, usize, i128)| {
            need[to].map(|need| ((need - weight).max(0), number))
        };
        steps[here].iter().filter_map(affords).min()
    };
    while let Some(here) = waiting.pop() {
        budget.check()?;
        is_waiting[here] = false;
        let found = least(&need, here)
            .map(|found| found.0)
            .filter(|&found| found <= most);
        let is_more = match (need[here], found) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(known), Some(found)) => found > known,
        };
        if is_more {
            need[here] = found;
            for &one in &before[here] {
                if !is_waiting[one] {
                    is_waiting[one] = true;
                    waiting.push(one);
                }
            }
        }
    }
    let amount = |scaled: i128| {
        let number = scaled.div_euclid(scale) + i128::from(scaled.rem_euclid(scale) != 0);
        Amount::new(Rational::from(number), Rational::from(scaled - number * scale))
    };
    let found = (0..group.len()).map(|here| {
        let need_here = need[here]?;
        let (_, step) = least(&need, here)?;
        Some((amount(need_here), step))
    });
    Ok(found.collect())
}
