//! Levels from which nothing lasts, in models without clocks: every step from a listed state and level leads out of the bounds, or to a listed one of a smaller rank. So no run from there goes on for ever within the bounds.

use super::{Lost, Subject};
use crate::Objection;
use crate::cover::is_of_model;
use entail_budget::Budget;
use entail_clocks::Rational;
use entail_clocks::discrete::Discrete;
use entail_clocks::evidence::LostLevel;
use std::collections::HashMap;

pub(super) fn are_lost(
    subject: &Subject<'_>,
    levels: &[LostLevel],
    which: Lost<'_>,
    budget: &Budget,
) -> Result<(), Objection> {
    let (meaning, asked) = (subject.meaning, subject.asked);
    if !subject.network.clocks.is_empty() {
        return Err("the model has clocks".into());
    }
    let mut ranks = HashMap::new();
    for one in levels {
        is_of_model(subject.network, &one.locations, &one.integers)?;
        let discrete = Discrete {
            locations: one.locations.clone(),
            integers: one.integers.clone(),
        };
        ranks.insert((discrete, one.level), one.rank);
    }
    let is_allowed = |discrete: &Discrete| -> Result<bool, Objection> {
        Ok(meaning.invariant(discrete)?.is_some() && subject.stays(discrete)?)
    };
    let whole =
        |level: Rational| i64::try_from(level).map_err(|_| Objection::from("a level is no whole number"));
    let most = asked.upper.ok_or("there is no upper bound")?.bound();
    for start in meaning.starts()? {
        if !is_allowed(&start)? {
            continue;
        }
        let credits = match which {
            Lost::One(credit) => {
                let level = asked.cut(credit.clone()).ok_or("the credit is out of bounds")?;
                let level = whole(level)?;
                level..level + 1
            }
            Lost::Less(least) => asked.lower..whole(least.clone())?.min(most + 1),
            Lost::All => asked.lower..most + 1,
        };
        for level in credits {
            budget.check()?;
            if !ranks.contains_key(&(start.clone(), level)) {
                return Err("a credit that is to be lost is not listed".into());
            }
        }
    }
    for ((discrete, level), rank) in &ranks {
        budget.check()?;
        if meaning.may_delay(discrete)? && meaning.rate(discrete)? != 0 {
            return Err("time changes the level".into());
        }
        for step in meaning.moves(discrete)? {
            let target = step.target.clone()?;
            if !is_allowed(&target)? {
                continue;
            }
            let after = Rational::from(*level) + Rational::from(step.cost);
            let Some(after) = asked.cut(after) else { continue };
            match ranks.get(&(target, whole(after)?)) {
                Some(smaller) if smaller < rank => {}
                _ => return Err("a step leads to a level that is not listed, or of no smaller rank".into()),
            }
        }
    }
    Ok(())
}
