//! What searches on inexact zones say where a step goes wrong in one of them.
//!
//! Games, nested questions and least costs are decided on zones that contain more than what is reached. If code goes wrong there, it may be that no run does: everything is explored once more on exact zones, at the cost of a covering search.

use crate::cover_search::CoverSearch;
use crate::settings::Settings;
use crate::space::Space;
use crate::{Counters, Stop};
use entail_budget::Budget;

/// Why a search on inexact zones stops where a step goes wrong: a search on exact ones tells whether a run leads there.
pub(crate) fn explained(
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Stop {
    match CoverSearch::new(space, settings).exhaust(budget, counters) {
        Err(stop) => stop,
        Ok(()) => Stop::Unknown(
            "a step goes wrong in states of which it is not known whether they are reached".to_owned(),
        ),
    }
}
