//! Corners of regions: clock values that are whole numbers, but for something infinitely small (Bouyer, Brinksma, Larsen 2008: the corner-point abstraction).
//!
//! What a run costs is linear in its delays, so along a sequence of regions it is least, or approached, where all delays are as short or as long as they can be: at corners of the regions. A corner is kept with its region,
//! since a strict bound keeps a run from the corner itself. Both together are clock values `c + k·ε` with whole numbers `c` and an ε that is smaller than every number: of the `k` only their order and their signs matter, so
//! they are ranks. Waiting is either infinitely short, and takes no time, or leads all clocks from just above one corner of a region to just below the next: it takes a unit. Clocks beyond the largest constant they are compared with have no value.

use crate::Stop;
use crate::concrete::rational_run;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete};
use entail_clocks::evidence::Run;
use entail_clocks::{EdgeId, Formula, Meaning, Network, Rational};

/// A whole number, and the rank of what is added: below 0, 0, or above.
pub(crate) type Near = (i64, i32);

/// A discrete state with a corner of a region.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Corner {
    pub discrete: Discrete,
    /// The clocks of the model; nothing beyond the largest constant.
    pub clocks: Box<[Option<Near>]>,
}

/// Where a delay or a step leads.
#[derive(Clone, Debug)]
pub(crate) struct Leads {
    pub target: Corner,
    pub cost: i64,
    /// 1 or 0.
    pub time: i64,
    /// The joint edge; nothing for a delay.
    pub edges: Option<Vec<EdgeId>>,
}

/// The corners of a network's regions.
pub(crate) struct Corners<'n> {
    pub network: &'n Network,
    /// The largest constant.
    pub most: i64,
    /// What must hold all the time.
    pub within: &'n [Formula],
}

fn refused() -> Stop {
    Stop::Unknown("differences of clocks are compared: long runs are not priced then".to_owned())
}

impl Corners<'_> {
    /// The corners at which runs begin.
    pub fn starts(&self) -> Result<Vec<Corner>, Stop> {
        let zeros: Box<[Option<Near>]> = vec![Some((0, 0)); self.network.clocks.len()].into();
        let mut found = Vec::new();
        for discrete in self.network.initial() {
            let clocks = zeros.clone();
            let corner = Corner { discrete, clocks };
            if self.is_allowed(&corner)? {
                found.push(corner);
            }
        }
        Ok(found)
    }

    /// Whether a corner meets its invariant, and what must hold all the time.
    fn is_allowed(&self, corner: &Corner) -> Result<bool, Stop> {
        let invariant = Meaning::invariant(self.network, &corner.discrete).map_err(Stop::at_start)?;
        let Some(invariant) = invariant else {
            return Ok(false);
        };
        if !meets(&corner.clocks, &invariant)? {
            return Ok(false);
        }
        for position in 0..self.within.len() {
            let cases = self.network.satisfying(self.within, position, &corner.discrete);
            let mut holds = false;
            for case in cases.map_err(Stop::at_start)? {
                holds |= meets(&corner.clocks, &case)?;
            }
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Where a corner leads.
    pub fn successors(&self, corner: &Corner) -> Result<Vec<Leads>, Stop> {
        let mut found = Vec::new();
        let discrete = &corner.discrete;
        if Meaning::may_delay(self.network, discrete).map_err(Stop::at_start)? {
            let (clocks, time) = self.waited(&corner.clocks);
            let rate = Meaning::rate(self.network, discrete).map_err(Stop::at_start)?;
            let discrete = discrete.clone();
            found.push(Leads {
                target: Corner { discrete, clocks },
                cost: rate * time,
                time,
                edges: None,
            });
        }
        for step in self.network.moves(discrete).map_err(Stop::at_start)? {
            if meets(&corner.clocks, &step.guard)? {
                found.push(Leads {
                    target: Corner {
                        discrete: step.target.map_err(Stop::at_start)?,
                        clocks: self.updated(&corner.clocks, &step.updates)?,
                    },
                    cost: step.cost,
                    time: 0,
                    edges: Some(step.edges),
                });
            }
        }
        let mut allowed = Vec::with_capacity(found.len());
        for leads in found {
            if self.is_allowed(&leads.target)? {
                allowed.push(leads);
            }
        }
        Ok(allowed)
    }

    /// The next corner or region while time passes, and the time until then.
    fn waited(&self, clocks: &[Option<Near>]) -> (Box<[Option<Near>]>, i64) {
        let ranks = || clocks.iter().flatten().map(|near| near.1);
        let most = ranks().max().unwrap_or(0);
        let below = ranks().filter(|&rank| rank < 0).max();
        let is_whole = ranks().any(|rank| rank == 0);
        let later = |&(whole, rank): &Near| match (is_whole, below) {
            // What is whole grows a little, and nothing else changes.
            (true, _) => (whole, 2 * rank + 1),
            // What is nearest below becomes whole.
            (false, Some(below)) => (whole, rank - below),
            (false, None) => (whole + 1, rank - most - 1),
        };
        let time = i64::from(!is_whole && below.is_none());
        let later: Vec<Option<Near>> = clocks.iter().map(|near| near.as_ref().map(later)).collect();
        (self.normal(later), time)
    }

    fn updated(&self, clocks: &[Option<Near>], updates: &[ClockUpdate]) -> Result<Box<[Option<Near>]>, Stop> {
        let mut clocks = clocks.to_vec();
        for update in updates {
            let value = match update.source {
                0 => Some((update.offset, 0)),
                _ if update.offset < 0 => return Err(Stop::Unknown("a clock is set back".to_owned())),
                source => clocks[source - 1].map(|(whole, rank)| (whole + update.offset, rank)),
            };
            clocks[update.target - 1] = value;
        }
        Ok(self.normal(clocks))
    }

    /// Forgets clocks beyond the largest constant, and makes ranks neighbours.
    fn normal(&self, mut clocks: Vec<Option<Near>>) -> Box<[Option<Near>]> {
        for clock in &mut clocks {
            *clock = clock.filter(|&near| near <= (self.most, 0));
        }
        let mut ranks: Vec<i32> = clocks.iter().flatten().map(|near| near.1).chain([0]).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let place = |rank: i32| ranks.partition_point(|&one| one < rank) as i32;
        let zero = place(0);
        for near in clocks.iter_mut().flatten() {
            near.1 = place(near.1) - zero;
        }
        clocks.into()
    }

    /// A run near a path of corners: its delays are off by less than the reciprocal of a number.
    pub fn run_near(&self, first: &Corner, path: &[&Leads], how_near: &Rational) -> Run {
        // Clock values with littles that are numbers; delays likewise.
        let mut clocks = vec![(0i64, Rational::ZERO); self.network.clocks.len()];
        let mut bounded = &first.clocks;
        let mut delay = (0i64, Rational::ZERO);
        let mut steps: Vec<(i64, Rational, Vec<EdgeId>)> = Vec::new();
        let mut largest = Rational::ONE;
        let mut discrete = &first.discrete;
        for leads in path {
            match &leads.edges {
                None => {
                    let littles = || {
                        clocks
                            .iter()
                            .zip(bounded)
                            .filter(|one| one.1.is_some())
                            .map(|one| &one.0.1)
                    };
                    let below = littles().filter(|little| **little < Rational::ZERO).max();
                    let is_whole = littles().any(|little| *little == Rational::ZERO);
                    let grown = match (is_whole, below) {
                        (true, Some(below)) => (0, -below / Rational::from(2)),
                        (true, None) => (0, Rational::ONE),
                        (false, Some(below)) => (0, -below.clone()),
                        (false, None) => (1, -littles().max().cloned().unwrap_or_default() - Rational::ONE),
                    };
                    // Where no clock matters a unit is a unit.
                    let grown = if bounded.iter().any(Option::is_some) {
                        grown
                    } else {
                        (1, Rational::ZERO)
                    };
                    for (whole, little) in &mut clocks {
                        *whole += grown.0;
                        *little += &grown.1;
                    }
                    delay.0 += grown.0;
                    delay.1 += &grown.1;
                }
                Some(edges) => {
                    let moves = self.network.moves(discrete).unwrap_or_default();
                    let step = moves
                        .iter()
                        .find(|one| one.edges == *edges && one.target.as_ref() == Ok(&leads.target.discrete));
                    for update in step.iter().flat_map(|step| &step.updates) {
                        let mut value = match update.source {
                            0 => (0, Rational::ZERO),
                            source => clocks[source - 1].clone(),
                        };
                        value.0 += update.offset;
                        clocks[update.target - 1] = value;
                    }
                    let (whole, little) = std::mem::take(&mut delay);
                    steps.push((whole, little, edges.clone()));
                }
            }
            for (_, little) in &clocks {
                largest = largest.max(if *little < Rational::ZERO {
                    -little
                } else {
                    little.clone()
                });
            }
            bounded = &leads.target.clocks;
            discrete = &leads.target.discrete;
        }
        let little = Rational::ONE / ((Rational::from(4) * largest + Rational::from(4)) * how_near);
        let time = |whole: i64, littles: &Rational| Rational::from(whole) + littles * &little;
        let rest = time(delay.0, &delay.1);
        let steps = steps
            .into_iter()
            .map(|(whole, littles, edges)| (time(whole, &littles), edges));
        rational_run(&first.discrete, steps, rest)
    }
}

/// Whether a corner's region meets constraints; a region meets them everywhere or nowhere.
fn meets(clocks: &[Option<Near>], constraints: &[ClockConstraint]) -> Result<bool, Stop> {
    for one in constraints {
        let holds = match (one.left, one.right) {
            (0, 0) => one.bound > 0 || (one.bound == 0 && !one.strict),
            (clock, 0) if clock <= clocks.len() => match clocks[clock - 1] {
                None => false,
                Some(near) if one.strict => near < (one.bound, 0),
                Some(near) => near <= (one.bound, 0),
            },
            (0, clock) if clock <= clocks.len() => match clocks[clock - 1] {
                None => true,
                Some(near) if one.strict => near > (-one.bound, 0),
                Some(near) => near >= (-one.bound, 0),
            },
            _ => return Err(refused()),
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}
