//! Symmetry of scalars: states that differ by a permutation of scalars are explored once.
//!
//! A set of scalars is used if exchanging any two neighbours keeps what the network means and what is looked for (`automorphism`); these exchanges generate all permutations. Each symbolic state that is met is
//! replaced by a representative: scalars are sorted by what belongs to them: where their processes are, the values of their variables and clocks, then by how their clocks lie to those of the others (Hendriks,
//! Behrmann, Larsen, Niebert, Vaandrager, *Adding symmetry reduction to UPPAAL*, 2003). Where that tells some of them not apart, they stay in their order: then a state may have several representatives,
//! which costs time and is not wrong.
//!
//! A path of representatives is no path of the network. The permutations along it are multiplied, and their inverses lead back to one. A cover is what all permutations make of the representatives: it is
//! judged like any other, by a checker that knows nothing of symmetry.

use crate::Stop;
use crate::automorphism::{is_automorphism, keeps};
use crate::space::{Space, StateId};
use entail_clocks::discrete::Discrete;
use entail_clocks::evidence::{CoverNode, CoverNodes};
use entail_clocks::{Network, Permutation, Query, ScalarSet};
use entail_zones::{LowerUpper, Zone};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Symbolic states of a cover that permutations make of representatives, at most.
const MOST_IN_COVER: usize = 1_000_000;

/// For each set of scalars: where each of them goes.
pub(crate) type Motion = Vec<Vec<usize>>;

/// The sets of scalars whose permutations keep everything.
#[derive(Debug)]
pub(crate) struct Symmetry<'n> {
    network: &'n Network,
    sets: Vec<&'n ScalarSet>,
    /// Permutations that were used.
    known: FxHashMap<(usize, Vec<usize>), Arc<Permutation>>,
}

/// Numbers by which scalars are sorted.
type Signature = Vec<i64>;

impl<'n> Symmetry<'n> {
    /// The symmetry of a network that also keeps what is looked for; nothing if there is none.
    pub fn of(network: &'n Network, query: &Query) -> Option<Symmetry<'n>> {
        let exchanges = |set: &ScalarSet, first: usize| {
            let mut values: Vec<usize> = (0..set.size).collect();
            values.swap(first, first + 1);
            set.permutation(network, &values)
        };
        let is_kept = |set: &&ScalarSet| {
            set.moves_something()
                && (0..set.size - 1).all(|first| {
                    exchanges(set, first).is_some_and(|one| {
                        is_automorphism(network, &one)
                            && (query.formulas().iter()).all(|formula| keeps(network, &one, formula))
                    })
                })
        };
        let sets: Vec<&ScalarSet> = network.scalars.iter().filter(is_kept).collect();
        (!sets.is_empty()).then(|| Symmetry {
            network,
            sets,
            known: FxHashMap::default(),
        })
    }

    /// The motion that moves nothing.
    pub fn rest(&self) -> Motion {
        (self.sets.iter()).map(|set| (0..set.size).collect()).collect()
    }

    fn permutation(&mut self, set: usize, values: &[usize]) -> Option<Arc<Permutation>> {
        if let Some(known) = self.known.get(&(set, values.to_vec())) {
            return Some(Arc::clone(known));
        }
        let found = Arc::new(self.sets[set].permutation(self.network, values)?);
        self.known.insert((set, values.to_vec()), Arc::clone(&found));
        Some(found)
    }

    /// Where a motion takes a clock.
    pub fn clock(&mut self, motion: &Motion, clock: usize) -> Option<usize> {
        (motion.iter().enumerate()).try_fold(clock, |clock, (set, values)| {
            Some(self.permutation(set, values)?.clocks[clock])
        })
    }

    /// What a motion makes of a state and a zone.
    pub fn moved(&mut self, motion: &Motion, discrete: &Discrete, zone: &Zone) -> Option<(Discrete, Zone)> {
        let (mut discrete, mut zone) = (discrete.clone(), zone.clone());
        for (set, values) in motion.iter().enumerate() {
            let permutation = self.permutation(set, values)?;
            if !permutation.is_identity() {
                discrete = permutation.discrete(&discrete);
                zone = Zone::from_cells(zone.dimension(), &permutation.matrix(zone.cells()));
            }
        }
        Some((discrete, zone))
    }

    /// The motion to the representative of a symbolic state.
    pub fn motion_of(&mut self, space: &Space<'_>, state: StateId, zone: &Zone) -> Option<Motion> {
        let constants = space.info(state).constants;
        let mut discrete = space.discrete(state);
        // Clocks that are not looked at again tell nothing apart.
        let is_plain = space.constants.is_plain();
        let mut is_seen: Vec<bool> = (constants.iter())
            .map(|&one| is_plain || one != LowerUpper::UNUSED)
            .collect();
        is_seen.resize(zone.dimension(), true);
        is_seen[0] = true;
        let mut zone = zone.clone();
        let mut motion = Motion::new();
        for set in 0..self.sets.len() {
            let values = sorted(self.sets[set], self.network, &discrete, &zone, &is_seen);
            let permutation = self.permutation(set, &values)?;
            discrete = permutation.discrete(&discrete);
            zone = Zone::from_cells(zone.dimension(), &permutation.matrix(zone.cells()));
            let seen = is_seen.clone();
            for (clock, &image) in permutation.clocks.iter().enumerate() {
                is_seen[image] = seen[clock];
            }
            motion.push(values);
        }
        Some(motion)
    }

    /// Replaces a symbolic state by its representative; gives the motion that does.
    pub fn represent(
        &mut self,
        space: &mut Space<'_>,
        state: &mut StateId,
        zone: &mut Zone,
    ) -> Result<Motion, Stop> {
        let lost = || Stop::Unknown("a permutation of scalars leads out of the network".to_owned());
        let motion = self.motion_of(space, *state, zone).ok_or_else(lost)?;
        if motion != self.rest() {
            let discrete = space.discrete(*state);
            let (image, moved) = self.moved(&motion, &discrete, zone).ok_or_else(lost)?;
            *state = space.number(&image).map_err(Stop::at_start)?.ok_or_else(lost)?;
            *zone = moved;
        }
        Ok(motion)
    }

    /// Whether what all permutations make of so many representatives can be listed.
    pub fn can_list(&self, representatives: usize) -> bool {
        let orders = |set: &&ScalarSet| (1..=set.size).try_fold(1_usize, usize::checked_mul);
        let all = (self.sets.iter().map(orders)).try_fold(representatives, |all, one| all.checked_mul(one?));
        all.is_some_and(|all| all <= MOST_IN_COVER)
    }

    /// What all permutations make of some representatives, each once.
    pub fn all_images(&mut self, nodes: impl Iterator<Item = CoverNode>) -> Option<CoverNodes> {
        let mut motions: Vec<Motion> = vec![Vec::new()];
        for set in &self.sets {
            let orders = orders_of(set.size);
            let longer = |motion: &Motion| {
                let motion = motion.clone();
                let extended =
                    move |order: &Vec<usize>| [motion.as_slice(), std::slice::from_ref(order)].concat();
                orders.iter().map(extended).collect::<Vec<Motion>>()
            };
            motions = motions.iter().flat_map(longer).collect();
        }
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        for node in nodes {
            for motion in &motions {
                let mut image = node.clone();
                for (set, values) in motion.iter().enumerate() {
                    let permutation = self.permutation(set, values)?;
                    let moved = permutation.discrete(&Discrete {
                        locations: image.locations,
                        integers: image.integers,
                    });
                    image.zone = permutation.matrix(&image.zone);
                    (image.locations, image.integers) = (moved.locations, moved.integers);
                }
                if seen.insert((
                    image.locations.clone(),
                    image.integers.clone(),
                    image.zone.clone(),
                )) {
                    found.push(image);
                }
            }
        }
        Some(found.into_iter().collect())
    }
}

/// One motion after another.
pub(crate) fn after(first: &Motion, second: &Motion) -> Motion {
    let one = |(first, second): (&Vec<usize>, &Vec<usize>)| first.iter().map(|&to| second[to]).collect();
    first.iter().zip(second).map(one).collect()
}

/// The motion back.
pub(crate) fn inverse(motion: &Motion) -> Motion {
    let back = |values: &Vec<usize>| {
        let mut back = vec![0; values.len()];
        (values.iter().enumerate()).for_each(|(from, &to)| back[to] = from);
        back
    };
    motion.iter().map(back).collect()
}

/// All orders of so many values.
fn orders_of(size: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for value in 0..size {
        let inserted = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |place| {
                let mut longer = order.clone();
                longer.insert(place, value);
                longer
            })
        };
        all = all.iter().flat_map(inserted).collect();
    }
    all
}

/// The places of numbers among the different ones.
fn ranks<T: Ord + Clone>(all: &[T]) -> Vec<i64> {
    let mut different = all.to_vec();
    different.sort();
    different.dedup();
    let rank = |one: &T| different.binary_search(one).map_or(0, |place| place as i64);
    all.iter().map(rank).collect()
}

/// Where each scalar goes when they are sorted.
fn sorted(
    set: &ScalarSet,
    network: &Network,
    discrete: &Discrete,
    zone: &Zone,
    is_seen: &[bool],
) -> Vec<usize> {
    let mut own: Vec<Signature> = vec![Signature::new(); set.size];
    for (process, one) in set.processes.iter().enumerate() {
        if let [value] = one.by[..] {
            let location = discrete.locations[process];
            let place = network.processes[process]
                .locations
                .iter()
                .position(|&own| own == location);
            own[value].push(place.unwrap_or(0) as i64);
        }
    }
    for (slot, one) in set.integers.iter().enumerate() {
        let held = discrete.integers[slot];
        match (&one.by[..], set.holds[slot]) {
            (&[value], false) => own[value].push(held),
            (&[value], true) => own[value].push(i64::from(held == value as i64)),
            ([], true) => {
                (own.iter_mut().enumerate())
                    .for_each(|(value, own)| own.push(i64::from(held == value as i64)));
            }
            _ => {}
        }
    }
    // The clocks of each scalar, kind by kind, as far as they are looked at.
    let mut clocks: Vec<Vec<usize>> = vec![Vec::new(); set.size];
    for (position, one) in set.clocks.iter().enumerate() {
        if let [value] = one.by[..] {
            clocks[value].push(position + 1);
        }
    }
    let bound = |left: usize, right: usize| match is_seen[left] && is_seen[right] {
        true => i64::from(zone.bound(left, right).packed()),
        false => i64::MIN,
    };
    for (own, clocks) in own.iter_mut().zip(&clocks) {
        for &clock in clocks {
            own.extend([bound(clock, 0), bound(0, clock)]);
        }
    }
    let first = ranks(&own);
    let beside = |value: usize| {
        let to = |other: usize| -> Signature {
            let pairs = clocks[value].iter().zip(&clocks[other]);
            let bounds = pairs.flat_map(|(&one, &other)| [bound(one, other), bound(other, one)]);
            std::iter::once(first[other]).chain(bounds).collect()
        };
        let mut all: Vec<Signature> = (0..set.size).filter(|&other| other != value).map(to).collect();
        all.sort();
        (first[value], all)
    };
    let second: Vec<(i64, Vec<Signature>)> = (0..set.size).map(beside).collect();
    let mut order: Vec<usize> = (0..set.size).collect();
    order.sort_by(|&one, &other| second[one].cmp(&second[other]));
    let mut goes = vec![0; set.size];
    (order.iter().enumerate()).for_each(|(place, &value)| goes[value] = place);
    goes
}
