//! How soon the controller can be sure to have won: UPPAAL TIGA's `control_t*`.
//!
//! A clock that nothing sets tells the time since the start. With a limit on it the game is an ordinary one, and it is the easier the larger the limit is; so the least limit is found by bisection, each
//! time with a strategy of either side as evidence. Where the controller wins within `t` and not before `t`, that is the answer. It may also win before `t` and not within `t - 1`: then it is sure to
//! win after less than `t`, but every moment before is too early a promise, or every moment after `t - 1` is enough.

use crate::constants::Constants;
use crate::game;
use crate::settings::Settings;
use crate::space::Space;
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_clocks::evidence::{CoverNodes, Proof, Soonest, Strategy};
use entail_clocks::{Network, Query, TimedGame};

/// Limits beyond this are not tried where the question has none.
const MOST_TIME: i64 = 1 << 20;

/// Who wins, and how.
enum Solved {
    Won(Strategy),
    Lost(CoverNodes),
}

struct Search<'s> {
    network: &'s Network,
    settings: Settings,
    budget: &'s Budget,
    counters: &'s mut Counters,
}

impl Search<'_> {
    fn solve(&mut self, game: &Query) -> Result<Solved, Stop> {
        let constants = Constants::of(self.network, game, self.settings.bounds).map_err(Stop::Unknown)?;
        let mut space = Space::new(self.network, game, constants);
        let proof = game::decide(
            &mut space,
            self.settings,
            (true, false),
            self.budget,
            self.counters,
        )?;
        self.counters.elsewhere = self.counters.elsewhere.max(space.len() as u64);
        match proof {
            Proof::Strategy { strategy } => Ok(Solved::Won(strategy)),
            Proof::Spoiled { losing } => Ok(Solved::Lost(losing)),
            _ => Err(Stop::Unknown("the game has no winner".to_owned())),
        }
    }
}

/// Finds how soon the controller can be sure to have won.
pub fn decide(
    network: &Network,
    settings: Settings,
    game: &TimedGame,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let mut search = Search {
        network,
        settings,
        budget,
        counters,
    };
    let first = match game.most {
        Some(most) => game.within(most, false),
        None => game.untimed(),
    };
    let mut strategy = match search.solve(&first)? {
        Solved::Lost(losing) => return Ok(Proof::Spoiled { losing }),
        Solved::Won(strategy) => strategy,
    };
    // The controller wins within the first, and not within the second.
    let (mut most, mut least) = (game.most.unwrap_or(1), -1);
    let mut losing = None;
    if game.most.is_none() {
        loop {
            match search.solve(&game.within(most, false))? {
                Solved::Won(found) => {
                    strategy = found;
                    break;
                }
                Solved::Lost(found) => (least, losing) = (most, Some(found)),
            }
            most *= 2;
            if most > MOST_TIME {
                let reason = format!("the controller wins, but not within {MOST_TIME} units of time");
                return Err(Stop::Unknown(reason));
            }
        }
    }
    while most - least > 1 {
        let middle = least + (most - least) / 2;
        match search.solve(&game.within(middle, false))? {
            Solved::Won(found) => (most, strategy) = (middle, found),
            Solved::Lost(found) => (least, losing) = (middle, Some(found)),
        }
    }
    let mut soonest = Soonest {
        within: most,
        strictly: false,
        strategy,
        losing: None,
    };
    if most > 0 {
        match search.solve(&game.within(most, true))? {
            Solved::Lost(found) => soonest.losing = Some(found),
            Solved::Won(found) => {
                soonest.strictly = true;
                soonest.strategy = found;
                soonest.losing = losing;
            }
        }
    }
    Ok(Proof::Soonest { soonest })
}
