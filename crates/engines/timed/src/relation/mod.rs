//! Comparing two networks: timed and time-abstract (bi)simulation, and inclusion of timed words.
//!
//! The relations are games: one side moves, the other answers with a move of the same name, or with a delay. They are decided on zones of the clocks of both networks together (Čerāns 1992; on zones Weise, Lenzkes 1997, and Guha, Narayan, Arun-Kumar
//! 2012): the pairs that plays reach are explored forwards (`board`), those from which somebody wins are found backwards as unions of zones (`losses`), and where the beginnings are among them, a play is given in exact time
//! (`play`). Where delays are matched by any delays, zones of both sides are independent, and time runs back for one side alone, as in Tripakis, Yovine 2001.
//!
//! Inclusion is decided on sets of states of the second network (`inclusion`), at whole times where these are enough (`digital`).

mod board;
mod digital;
mod inclusion;
mod losses;
mod moment;
mod play;
mod word;

use crate::constants::Constants;
use crate::settings::Bounds;
use board::Board;
use entail_budget::Budget;
use entail_clocks::discrete::Trouble;
use entail_clocks::pairs::{Correspondence, Loss, PairZone, TimedRelation};
use entail_clocks::{Formula, Network, Query};
use entail_zones::Zone;
use inclusion::{Names, Side};
use losses::Losses;

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// Networks of this kind are not compared so.
    Unsupported(String),
    /// Code of one of the models goes wrong: of the second, if so.
    Model(bool, Trouble),
    /// The budget is spent, or numbers grow out of range.
    Spent(String),
}

impl From<entail_budget::Spent> for Refusal {
    fn from(spent: entail_budget::Spent) -> Refusal {
        Refusal::Spent(spent.to_string())
    }
}

/// How two networks are related.
#[derive(Clone, Debug)]
pub struct Related {
    /// Why.
    pub correspondence: Correspondence,
    /// Number of zones of pairs, or of words, that were explored.
    pub zones: usize,
}

/// Compares two networks.
pub fn compare(
    first: &Network,
    second: &Network,
    relation: TimedRelation,
    budget: &Budget,
) -> Result<Related, Refusal> {
    let networks = [first, second];
    if networks
        .into_iter()
        .any(|network| !network.stopwatches.is_empty())
    {
        let message = "networks with stopwatches are not compared with others";
        return Err(Refusal::Unsupported(message.to_owned()));
    }
    if relation == TimedRelation::Inclusion {
        return inclusion::decide(networks, budget);
    }
    let mut board = Board::new(networks, relation)?;
    board.explore(budget)?;
    let zones = board.zones();
    let mut losses = Losses::new(&board);
    let lost = losses.find(budget)?;
    let correspondence = match lost {
        Some(opening) => Correspondence::Unrelated {
            start: (opening.number, opening.by_second),
            losses: all_losses(&board, &losses),
            play: play::play(&board, &losses, &opening),
        },
        None => Correspondence::Related {
            pairs: kept(&board, &losses),
        },
    };
    Ok(Related {
        correspondence,
        zones,
    })
}

/// Decides inclusion by words at whole times alone; refuses networks for which these are not enough.
pub fn at_whole_times(first: &Network, second: &Network, budget: &Budget) -> Result<Related, Refusal> {
    let sides = [Side::new(first, false)?, Side::new(second, true)?];
    let reason = "words at whole times are not enough";
    digital::decide(sides, Names::default(), reason, budget)
}

/// The constants that clocks are compared with, for both sides alike; nothing if they grow without end.
fn constants_of(network: &Network) -> Result<Option<Constants>, Refusal> {
    let query = Query::Reach(Formula::Constant(false), true);
    let mut constants = Constants::of(network, &query, Bounds::Local).map_err(Refusal::Unsupported)?;
    constants.make_symmetric();
    Ok((!constants.is_plain()).then_some(constants))
}

fn packed(zone: &Zone) -> Vec<i32> {
    zone.cells().iter().map(|cell| cell.packed()).collect()
}

fn pairs_of(board: &Board<'_>, place: usize, zone: &Zone) -> PairZone {
    let [first, second] = board.discrete(place);
    PairZone {
        first: first.clone(),
        second: second.clone(),
        zone: packed(zone),
    }
}

/// The pairs from which somebody wins.
fn all_losses(board: &Board<'_>, losses: &Losses<'_, '_>) -> Vec<Loss> {
    let mut found = Vec::new();
    for place in 0..board.places.len() {
        for loss in losses.at(place) {
            found.push(Loss {
                pairs: pairs_of(board, place, &loss.zone),
                rank: loss.rank,
                challenge: loss.challenge.clone(),
            });
        }
    }
    found
}

/// The pairs from which nobody wins.
fn kept(board: &Board<'_>, losses: &Losses<'_, '_>) -> Vec<PairZone> {
    let mut found = Vec::new();
    for place in 0..board.places.len() {
        let (is_abstract, second) = (board.relation.is_abstract(), board.own(1).start);
        let left = losses
            .left(place)
            .merged_to(|zone| !is_abstract || zone.is_separate(second));
        found.extend(left.zones().iter().map(|zone| pairs_of(board, place, zone)));
    }
    found
}
